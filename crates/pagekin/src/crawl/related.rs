//! `pagekin crawl related`.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError, CrawledUrl};
use pagekin_crawl::similar::SimilarOptions;
use pagekin_pages::site::normal_url;
use serde::Serialize;
use serde_json::json;

use crate::args::crawl::RelatedArgs;
use crate::crawl::nouns::Nouns;
use crate::failure::Failure;
use crate::output::{in_table, print, print_json};
use crate::query_text::QueryText;

pub(crate) fn run(args: &RelatedArgs) -> Result<(), Failure> {
    let mut crawl = CrawlFolder::open(&args.crawl)?;
    let nouns = Nouns::from_crawl(&crawl);
    let options = SimilarOptions { limit: args.limit.limit as usize, ..SimilarOptions::default() };
    let (url, found) = match &args.url {
        Some(given) => {
            // An invalid URL is looked up unchanged, so that the error names it.
            let normal = if nouns.are_strings() { None } else { normal_url::normal(given) };
            let (url, number) = find(&mut crawl, &normal.unwrap_or_else(|| given.clone()))?;
            (Some(url), crawl.similar_to_url(number, options)?)
        }
        None => {
            let QueryText { text, lang } = QueryText::read(&args.text)?;
            (None, crawl.similar_to_text(&text, &lang, options)?)
        }
    };
    let mut related = Vec::with_capacity(found.len());
    for (number, thousandths) in found {
        let CrawledUrl { url, title, .. } = crawl.url(number)?;
        related.push(Related { url, title, similarity: f64::from(thousandths) / 1_000.0 });
    }
    if args.json.json {
        return print_json(&json!({ "url": url, "related": related }));
    }
    if related.is_empty() {
        return print(&nothing(&crawl));
    }
    let mut out = String::new();
    for Related { url, title, similarity } in related {
        let (url, title) = (in_table(&url), in_table(&title));
        writeln!(out, "{:>5.1}%  {url}  {title}", 100.0 * similarity)?;
    }
    print(&out)
}

/// Explains why nothing was found.
fn nothing(crawl: &CrawlFolder) -> String {
    let nouns = Nouns::from_crawl(crawl);
    let one = if nouns.are_strings() { nouns.one } else { "URL of the crawl" };
    if crawl.description().signatures {
        return format!("no {one} has anything in common with it, except very common parts\n");
    }
    let threshold = f64::from(crawl.description().threshold) / 1_000.0;
    format!(
        "no {one} has a similarity of at least {threshold}. To find less similar ones, cluster the crawl again with \
         --signatures or a lower --threshold\n"
    )
}

/// Finds a URL of the crawl and its number. Variants with `.html` and slashes are tried too,
/// because hosts hide them.
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
