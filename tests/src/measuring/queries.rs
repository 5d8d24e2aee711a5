//! Queries: texts of pages of the index, each without a part of its terms, so that no query equals
//! a page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pagekin_core::hash::SplitMix64;
use pagekin_core::terms::{Analyzer, Language, StopLists, for_each_word, word_places};
use pagekin_pages::PageSource;
use pagekin_pages::site::html::read_html;
use serde::Serialize;

use super::Failure;
use crate::collection::Collection;

/// The seed of pages and terms.
const SEED: u64 = 1;
/// Percentage of the distinct terms of a page that its query lacks.
const REMOVED: u32 = 30;

/// A text to search for, in the form that the client accepts.
#[derive(Debug, Serialize)]
pub struct Query {
    /// Always empty, because everything that counts is in the text.
    pub title: String,
    /// The language code.
    pub lang: String,
    /// The words.
    pub text: String,
    /// The distinct terms of its page.
    #[serde(skip)]
    pub page_terms: usize,
}

/// Draws up to `count` queries from random pages among `urls`. `read` returns a page's text and
/// language.
///
/// # Errors
///
/// Returns an error if a page cannot be read.
pub fn draw<'a>(
    count: usize,
    urls: impl IntoIterator<Item = &'a str>,
    stop: &StopLists,
    read: impl Fn(&str) -> Result<(String, String), Failure>,
) -> Result<Vec<Query>, Failure> {
    // Sorted by URL, so that the queries do not depend on the order of the index.
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
        // The text as written without the removed words: identifiers and the text between words are
        // kept.
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

/// Returns the text and the language of a page of a site whose base URL is `/`.
///
/// # Errors
///
/// Returns an error if its file cannot be read.
pub fn text_in_site(site: &Path, url: &str) -> Result<(String, String), Failure> {
    let page = read_html(&std::fs::read(file_of(site, url)?)?).page;
    Ok((page.text, page.lang))
}

/// Returns the text and the language of a generated page.
///
/// # Errors
///
/// Returns an error if the collection has no such page.
pub fn text_in_collection(collection: &Collection, url: &str) -> Result<(String, String), Failure> {
    let Some(at) = collection.number_of(url) else {
        return Err(format!(
            "the index has a page {url}, which is not in the collection: rebuild it without --index"
        )
        .into());
    };
    let page = collection.page(at)?;
    Ok((page.text, page.lang))
}

/// Returns the file of a page of a site whose base URL is `/`.
///
/// # Errors
///
/// Returns an error if a build does not write such a URL.
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
