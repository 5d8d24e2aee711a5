module github.com/pagekin/pagekin/crates/pagekin/hugo

go 1.16
