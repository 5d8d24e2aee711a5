//! Queries: texts of pages of the index, each without a part of its terms, so that no query is a
//! page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pagekin_core::hash::SplitMix64;
use pagekin_core::terms::{Analyzer, Language, StopLists, for_each_word, word_places};
use pagekin_pages::PageSource;
use pagekin_pages::site::html::read_html;
use serde::Serialize;

use super::Failure;
use crate::collection::Collection;

/// The seed by which pages and terms are drawn.
const SEED: u64 = 1;
/// Part of the distinct terms of a page that a query lacks, in per cent.
const REMOVED: u32 = 30;

/// A text whose kin is looked for, as the client takes it.
#[derive(Debug, Serialize)]
pub struct Query {
    /// Empty: all that counts is in the text.
    pub title: String,
    /// The code of its language.
    pub lang: String,
    /// Its words.
    pub text: String,
    /// The distinct terms of the page it was made of.
    #[serde(skip)]
    pub page_terms: usize,
}

/// Up to `count` queries, of random pages out of those with the addresses `urls`; `read` answers a
/// page's text and language.
///
/// # Errors
///
/// If a page cannot be read.
pub fn draw<'a>(
    count: usize,
    urls: impl IntoIterator<Item = &'a str>,
    stop: &StopLists,
    read: impl Fn(&str) -> Result<(String, String), Failure>,
) -> Result<Vec<Query>, Failure> {
    // By address, so that the queries are the same in whatever order the index has the pages.
    let mut urls: Vec<&str> = urls.into_iter().collect();
    urls.sort_unstable();
    let mut random = SplitMix64::new(SEED);
    let mut queries = Vec::new();
    let mut drawn = BTreeSet::new();
    while queries.len() < count && drawn.len() < urls.len() {
        let page = random.below(urls.len() as u32);
        if !drawn.insert(page) {
            continue;
        }
        let (page, lang) = read(urls[page as usize])?;
        let language = Language::from_tag(&lang).unwrap_or_else(Language::english);
        let analyzer = Analyzer::new(&language, stop);
        let mut kept: BTreeMap<String, bool> = BTreeMap::new();
        // As it is written but for the words taken out: what is between them, and its identifiers,
        // stay.
        let (mut text, mut end, mut some) = (String::new(), 0, false);
        for place in word_places(&page) {
            let mut keep = true;
            for_each_word(&page[place.clone()], |word| {
                if let Some(term) = analyzer.term(word) {
                    keep = *kept
                        .entry(term.into_owned())
                        .or_insert_with(|| random.below(100) >= REMOVED);
                    some |= keep;
                }
            });
            text.push_str(&page[end.min(place.start)..place.start]);
            if keep {
                text.push_str(&page[place.start.max(end)..place.end]);
            }
            end = place.end;
        }
        if some {
            queries.push(Query {
                title: String::new(),
                lang: language.code().to_owned(),
                text,
                page_terms: kept.len(),
            });
        }
    }
    Ok(queries)
}

/// The text and the language of a page of a site whose addresses begin with `/`.
///
/// # Errors
///
/// If its file cannot be read.
pub fn text_in_site(site: &Path, url: &str) -> Result<(String, String), Failure> {
    let page = read_html(&std::fs::read(file_of(site, url)?)?).page;
    Ok((page.text, page.lang))
}

/// The text and the language of a generated page.
///
/// # Errors
///
/// If the collection has no such page.
pub fn text_in_collection(collection: &Collection, url: &str) -> Result<(String, String), Failure> {
    let Some(at) = collection.number_of(url) else {
        return Err(format!("the index contains {url}, which is not in the collection: build it again, without --index").into());
    };
    let page = collection.page(at)?;
    Ok((page.text, page.lang))
}

/// The file of a page of a site whose addresses begin with `/`.
///
/// # Errors
///
/// If the address is none that a build writes.
pub fn file_of(site: &Path, url: &str) -> Result<PathBuf, Failure> {
    let mut bytes = Vec::new();
    let mut rest = url.trim_start_matches('/').as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?);
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    let mut path = site.join(String::from_utf8(bytes)?);
    if url.ends_with('/') {
        let folder = path.clone();
        path = folder.join("index.html");
        if !path.is_file() {
            path = folder.join("index.htm");
        }
    }
    Ok(path)
}
