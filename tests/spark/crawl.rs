//! Generates a crawl as JSONL: `crawl texts|links URLS`.
//!
//! `texts` are pages from [`pagekin_tests::collection`], `links` the anchor texts from
//! [`pagekin_tests::anchors`]. The tests that run it fail if this program or that of the variable
//! `PAGEKIN` is older than its sources.

use std::env;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use pagekin_pages::PageSource;
use pagekin_tests::anchors::AnchorCrawl;
use pagekin_tests::collection::Collection;
use pagekin_tests::freshness;
use serde_json::{Value, json};

const SEED: u64 = 1;

#[derive(Parser)]
struct Arguments {
    /// The kind of data for each URL
    of: Of,
    /// Number of URLs
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    urls: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Of {
    /// The text of the page
    Texts,
    /// A link to the page
    Links,
}

fn main() -> io::Result<()> {
    let Arguments { of, urls } = Arguments::parse();
    for program in
        env::current_exe().ok().into_iter().chain(env::var_os("PAGEKIN").map(PathBuf::from))
    {
        freshness::check(&program).map_err(io::Error::other)?;
    }
    match of {
        Of::Texts => {
            let collection = Collection::new(urls, SEED);
            write(urls, |at| {
                let page = collection.page(at)?;
                let url = format!("https://generated.example{}", page.url);
                Ok(json!({ "url": url, "title": page.title, "text": page.text }))
            })
        }
        Of::Links => {
            let crawl = AnchorCrawl::new(urls, SEED);
            write(urls, |at| {
                let link = |number| json!({ "url": crawl.url(crawl.target(number)), "text": crawl.text(number) });
                let links: Vec<_> = crawl.links(at).map(link).collect();
                Ok(json!({ "url": crawl.url(at), "text": "", "links": links }))
            })
        }
    }
}

fn write(urls: u64, page: impl Fn(u64) -> io::Result<Value>) -> io::Result<()> {
    let mut lines = BufWriter::new(io::stdout().lock());
    for at in 0..urls {
        serde_json::to_writer(&mut lines, &page(at)?)?;
        lines.write_all(b"\n")?;
    }
    lines.flush()
}
