//! What the pages are, and the queries drawn from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pagekin_build::html::read_html;
use pagekin_build::{Assets, BuildError, BuildOptions, PageSource, Silent, Summary};
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::PageRecord;
use pagekin_core::terms::{Analyzer, Language, StopLists, for_each_word};
use pagekin_tests::collection::Collection;
use serde::Serialize;

use crate::Failure;

const SEED: u64 = 1;
const QUERIES: usize = 500;
/// Part of the distinct terms of a page that a query lacks, in per cent.
const REMOVED: u32 = 30;

/// What is indexed.
pub(crate) enum Pages {
    /// The folder of a site, with `/` as its base address.
    Site(PathBuf),
    Generated(Collection),
}

/// A text whose kin is looked for, as the client takes it.
#[derive(Debug, Serialize)]
pub(crate) struct Query {
    pub(crate) title: String,
    pub(crate) lang: String,
    pub(crate) text: String,
    /// The distinct terms of the page it was made of.
    #[serde(skip)]
    pub(crate) page_terms: usize,
}

impl Pages {
    /// One site as it is, several as the folders of one in `place`.
    pub(crate) fn of_sites(sites: &[PathBuf], place: &Path) -> Result<Self, Failure> {
        if let [site] = sites {
            return Ok(Self::Site(site.clone()));
        }
        let all = place.join("sites");
        std::fs::create_dir(&all)?;
        for (number, site) in sites.iter().enumerate() {
            let name = site.file_name().unwrap_or_default().to_string_lossy();
            let link = all.join(format!("{number}-{name}"));
            std::os::unix::fs::symlink(std::fs::canonicalize(site)?, link)?;
        }
        Ok(Self::Site(all))
    }

    pub(crate) fn generated(pages: u64) -> Self {
        Self::Generated(Collection::new(pages, SEED))
    }

    pub(crate) fn build(&self, options: &BuildOptions) -> Result<Summary, BuildError> {
        match self {
            Self::Site(site) => {
                let options = BuildOptions { site: site.clone(), ..options.clone() };
                pagekin_build::build(&options, &Assets::default(), &Silent)
            }
            Self::Generated(collection) => {
                pagekin_build::build_pages(options, collection, &Assets::default(), &Silent)
            }
        }
    }

    /// Texts of random pages without some of their terms.
    pub(crate) fn queries(
        &self,
        records: &[PageRecord],
        stop: &StopLists,
    ) -> Result<Vec<Query>, Failure> {
        // By address, so that the queries are the same in whatever order the index has the pages.
        let mut urls: Vec<&str> = records.iter().map(|record| &*record.url).collect();
        urls.sort_unstable();
        let mut random = SplitMix64::new(SEED);
        let mut queries = Vec::new();
        let mut drawn = BTreeSet::new();
        while queries.len() < QUERIES && drawn.len() < records.len() {
            let page = random.below(records.len() as u32);
            if !drawn.insert(page) {
                continue;
            }
            let (page, lang) = self.text(urls[page as usize])?;
            let language = Language::from_tag(&lang).unwrap_or_else(Language::english);
            let analyzer = Analyzer::new(&language, stop);
            let mut kept: BTreeMap<String, bool> = BTreeMap::new();
            let mut text = String::new();
            for_each_word(&page, |word| {
                if let Some(term) = analyzer.term(word)
                    && *kept
                        .entry(term.into_owned())
                        .or_insert_with(|| random.below(100) >= REMOVED)
                {
                    text.push_str(word);
                    text.push(' ');
                }
            });
            if !text.is_empty() {
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

    /// The text and the language of a page by its address.
    fn text(&self, url: &str) -> Result<(String, String), Failure> {
        match self {
            Self::Site(site) => {
                let page = read_html(&std::fs::read(file_of(site, url)?)?).page;
                Ok((page.text, page.lang))
            }
            Self::Generated(collection) => {
                let Some(at) = collection.number_of(url) else {
                    return Err(format!("the index has a page {url}, which the collection has not: build it anew, without --index").into());
                };
                let page = collection.page(at)?;
                Ok((page.text, page.lang))
            }
        }
    }
}

/// The file of a page whose address has `/` as its base.
fn file_of(site: &Path, url: &str) -> Result<PathBuf, Failure> {
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
