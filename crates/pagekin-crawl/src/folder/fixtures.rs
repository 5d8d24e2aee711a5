//! A small crawl, for the tests of this crate and of `pagekin-index`.

#![allow(clippy::unwrap_used)]

use pagekin_core::Preset;
use pagekin_pages::site::word_ids::word_id;
use tempfile::TempDir;

use crate::folder::format::{
    BagSource, CRAWL_VERSION, CrawledTerm, CrawledUrl, Description, StoredPair, url_key,
};
use crate::folder::write::{PairWriter, UrlResults, UrlWriter, finish};

/// The description of a crawl.
pub fn description(urls: u32, pairs: u64) -> Description {
    Description {
        version: CRAWL_VERSION,
        urls,
        pairs,
        stored_pairs: pairs,
        threshold: 200,
        bags: BagSource::Content,
        preset: Preset::Web,
        seed: u64::MAX,
        rules: Preset::Web.params(1).bag,
        mentioned: urls + 1,
        lang: "en".to_owned(),
        languages: vec![("de".to_owned(), 4), ("en".to_owned(), 1)],
        signatures: false,
        in_links: false,
        strings: None,
    }
}

/// Terms in the order of their ids.
pub fn terms() -> Vec<CrawledTerm> {
    let term = |stem: &str| CrawledTerm { df: 2, stem: stem.into(), word: stem.into() };
    let mut terms: Vec<_> = ["rye", "wheat"].map(term).into();
    terms.sort_by_key(|term| word_id(&term.stem));
    terms
}

/// A URL of the crawl.
pub fn url(number: u32) -> String {
    format!("https://{number}.example/")
}

/// A URL with its title and bag.
pub fn crawled(url: &str) -> CrawledUrl {
    let bag = terms().into_iter().zip([1, url.len() as u16]);
    let bag = bag.map(|(term, count)| (word_id(&term.stem), count)).collect();
    CrawledUrl { url: url.to_owned(), title: format!("Title of {url}"), fragments: 3, bag }
}

/// A crawl of five URLs, in the order in which they are stored. The first is similar to the second,
/// and the fourth is an exact duplicate of the first.
pub fn crawl() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut urls: Vec<String> = (0..5).map(url).collect();
    urls.sort_by_key(|url| url_key(url));
    let mut writer = UrlWriter::create(folder.path()).unwrap();
    for url in &urls {
        writer.push(&crawled(url)).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), 5);
    let mut writer = PairWriter::create(folder.path(), 5).unwrap();
    let pair = |page, other, thousandths| StoredPair { page, other, thousandths };
    writer.push(&[pair(0, 1, 300), pair(1, 0, 300)]).unwrap();
    assert_eq!(writer.finish().unwrap(), 2);
    let description = Description { pairs: 3, ..description(5, 1) };
    let of_urls = UrlResults { centers: &[0, 0, 2, 0, 4], twins: &[0, 1, 2, 0, 4] };
    finish(folder.path(), &terms(), of_urls, &description).unwrap();
    (folder, urls)
}
