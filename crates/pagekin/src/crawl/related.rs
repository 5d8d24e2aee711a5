//! `pagekin related`.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError};
use pagekin_pages::site::normal_url;
use serde::Serialize;
use serde_json::json;

use crate::args::crawl::RelatedArgs;
use crate::crawl::nouns::Nouns;
use crate::failure::Failure;
use crate::output::{one_line, print, print_json};

pub(crate) fn run(args: &RelatedArgs) -> Result<(), Failure> {
    let mut crawl = CrawlFolder::open(&args.crawl)?;
    let nouns = Nouns::of_crawl(&crawl);
    // What is no address is looked for as it is, so that the error names it.
    let normal = if nouns.are_strings() { None } else { normal_url::normal(&args.url) };
    let given = normal.unwrap_or_else(|| args.url.clone());
    let (url, number) = find(&mut crawl, &given)?;
    let mut related = Vec::new();
    for (number, thousandths) in crawl.related(number)?.into_iter().take(args.limit) {
        let found = crawl.url(number)?;
        let similarity = f64::from(thousandths) / 1_000.0;
        related.push(Related { url: found.url, title: found.title, similarity });
    }
    if args.json {
        return print_json(&json!({ "url": url, "related": related }));
    }
    let mut out = String::new();
    if related.is_empty() {
        let threshold = f64::from(crawl.description().threshold) / 1_000.0;
        writeln!(
            out,
            "no {} has a similarity of {threshold} or more to it. To find less similar ones, cluster the crawl again with a \
             lower --threshold",
            if nouns.are_strings() { nouns.one } else { "URL of the crawl" },
        )?;
    }
    for Related { url, title, similarity } in related {
        let (url, title) = (one_line(&url), one_line(&title));
        writeln!(out, "{:>5.1} %  {url}  {title}", 100.0 * similarity)?;
    }
    print(&out)
}

/// The URL of the crawl that is meant, and its number: hosts hide `.html` and slashes.
fn find(crawl: &mut CrawlFolder, given: &str) -> Result<(String, u32), CrawlFolderError> {
    let number = match crawl.number_of(given) {
        Err(unknown @ CrawlFolderError::UnknownUrl { .. }) => {
            for variant in address::variants(given, "") {
                match crawl.number_of(&variant) {
                    Err(CrawlFolderError::UnknownUrl { .. }) => {}
                    found => return Ok((variant, found?)),
                }
            }
            return Err(unknown);
        }
        found => found?,
    };
    Ok((given.to_owned(), number))
}

#[derive(Serialize)]
struct Related {
    url: String,
    title: String,
    similarity: f64,
}
