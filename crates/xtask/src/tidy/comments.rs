//! Comments wrap at 100 columns.
//!
//! rustfmt leaves them alone. What reads worse in two lines may be longer: addresses, rows of
//! tables, and types that a compiler reads in comments of JavaScript.

use std::ops::RangeInclusive;

use proc_macro2::{TokenStream, TokenTree};

use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

const COLUMNS: usize = 100;
/// What stands before a type, or in one.
const TYPES: [&str; 7] =
    ["@type {", "@typedef {", "@param {", "@property {", "@returns {", "@import {", "[], "];

pub(super) fn check(tree: &Tree) -> Report {
    let mut findings = Vec::new();
    for (path, text) in tree.ending(&[".rs", ".js", ".mjs", ".py"]) {
        let lines = overlong(path, text);
        let strings = if lines.is_empty() { Vec::new() } else { strings(path, text) };
        for (line, columns) in lines {
            if !strings.iter().any(|string| string.contains(&line)) {
                findings.push(format!("{path}:{line}: a comment of {columns} columns"));
            }
        }
    }
    Report::new(
        format!("comments wrap at {COLUMNS} columns"),
        "break the line; shorten what stands in a block of text, or turn it into a table",
        findings,
    )
}

/// The lines of comments that are too long, with their columns.
fn overlong(path: &str, text: &str) -> Vec<(usize, usize)> {
    let is_python = path.ends_with(".py");
    let mut in_block = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let comment = if is_python {
            start.strip_prefix('#')
        } else if in_block || start.starts_with("/*") {
            in_block = !start.contains("*/");
            Some(start.trim_start_matches(['/', '*']))
        } else if start.starts_with("//") {
            Some(start.trim_start_matches(['/', '!']))
        } else if line.len() > COLUMNS {
            trailing(line)
        } else {
            None
        };
        // Bytes are known, and are at least as many.
        if line.len() <= COLUMNS || line.chars().count() <= COLUMNS {
            continue;
        }
        let is_type = |comment: &str| {
            TYPES.iter().any(|start| comment.contains(start)) && !path.ends_with(".rs")
        };
        let wraps = |comment: &str| {
            !comment.contains("://") && !comment.trim_start().starts_with('|') && !is_type(comment)
        };
        if comment.is_some_and(wraps) {
            found.push((number + 1, line.chars().count()));
        }
    }
    found
}

/// A comment behind code: not one within a string, as far as a line alone can tell.
fn trailing(line: &str) -> Option<&str> {
    let (code, comment) = line.split_once(" // ")?;
    let is_closed = |quote: char| code.matches(quote).count() % 2 == 0;
    (is_closed('"') && is_closed('`')).then_some(comment)
}

/// The lines of strings of several lines: what looks like a comment in them is none.
fn strings(path: &str, text: &str) -> Vec<RangeInclusive<usize>> {
    let mut found = Vec::new();
    if path.ends_with(".rs")
        && let Ok(tokens) = text.parse::<TokenStream>()
    {
        collect(tokens, &mut found);
    }
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<RangeInclusive<usize>>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let (start, end) = (literal.span().start().line, literal.span().end().line);
                // A line of documentation is a literal too, of one line.
                if end > start {
                    found.push(start..=end);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Tree::new(&[(path, text)])).findings
    }

    #[test]
    fn comments_of_more_columns_are_found_in_every_language() {
        let words = "bread ".repeat(20);
        for (path, start) in [
            ("a.rs", "/// "),
            ("a.rs", "    //! "),
            ("a.rs", "let bread = 1; // "),
            ("a.js", "// "),
            ("a.mjs", "/** "),
            ("a.js", "/**\n * "),
            ("a.py", "# "),
        ] {
            assert_eq!(found(path, &format!("{start}{words}")).len(), 1, "{start}");
            assert!(found(path, &format!("{start}short")).is_empty());
        }
        let columns = found("a.rs", &format!("// {}", "ä".repeat(98)));
        assert_eq!(columns, ["a.rs:1: a comment of 101 columns"]);
    }

    #[test]
    fn addresses_tables_code_and_strings_may_be_longer() {
        let words = "bread ".repeat(20);
        for text in [
            format!("// https://example.org/{words}"),
            format!("//! | {words} |"),
            format!("let a = \"{words} // {words}\";"),
            format!("let a = \"\n// {words}\";"),
            format!("f({words});"),
        ] {
            assert!(found("a.rs", &text).is_empty(), "{text}");
        }
        let typed = format!("/** @type {{{words}}} */");
        assert!(found("a.js", &typed).is_empty());
        assert_eq!(found("a.rs", &typed).len(), 1);
    }
}
