//! Reads one version of a site.

use std::path::Path;

use pagekin_core::hash;
use pagekin_core::near::shingles::{ShingleSet, Shingler};
use pagekin_pages::{Ledger, Observer, SiteError, SiteOptions};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::DuplicatesError;
use crate::moves::addresses::{Label, UrlSimilarity};
use crate::moves::overlaps::SHINGLE_TOKENS;
use crate::options::DuplicateOptions;
use crate::texts;
use crate::texts::{Read, SitePage};

/// The pages and texts of one version.
pub(super) struct Site {
    pub(super) pages: Vec<SitePage>,
    /// The shingles of each text.
    pub(super) shingles: Vec<ShingleSet>,
    pub(super) pages_of: Vec<Vec<u32>>,
    /// A hash of the tokens of each text.
    pub(super) hashes: Vec<u64>,
    /// The hashes of each text without numbers, and without numbers and words of one letter.
    pub(super) words: Vec<[u64; 2]>,
    /// The number of texts by which of the two hashes it is, and by the hash.
    pub(super) series: FxHashMap<(usize, u64), u32>,
    pub(super) text_of: Vec<u32>,
    /// The length of the base URL without its trailing slash.
    base: usize,
    /// The URLs of all HTML files, relative to the base.
    pub(super) addresses: FxHashSet<String>,
    pub(super) ledger: Ledger,
}

impl Site {
    pub(super) fn read(
        path: &Path,
        reading: SiteOptions,
        observer: &dyn Observer,
    ) -> Result<Self, DuplicatesError> {
        let base = reading.base_url.trim_end_matches('/').len();
        let options = DuplicateOptions::new(path).with(|options| {
            options.reading = reading;
            // The weights of runs already discount text that many pages contain.
            options.keep_repeated = true;
        });
        let listed = texts::list(&options, observer)?;
        let addresses = listed.files().map(|file| file.url[base..].to_owned()).collect();
        let Read { pages, texts, html_files, ledger, .. } =
            texts::read(listed, &options, observer)?;
        if pages.is_empty() {
            let (path, found) = (path.to_owned(), ledger.list());
            return Err(SiteError::NoPages { path, files: html_files, found }.into());
        }
        let mut text_of = vec![0; pages.len()];
        for (number, text) in (0..).zip(&texts) {
            text.pages.iter().for_each(|&page| text_of[page as usize] = number);
        }
        let shingler = Shingler::new(SHINGLE_TOKENS)?;
        let words: Vec<_> = texts.iter().map(|text| text.words).collect();
        let hash = |text: &texts::Text| hash::of_bytes(bytemuck::cast_slice(&text.tokens));
        let hashes = texts.par_iter().map(hash).collect();
        let mut series = FxHashMap::default();
        let of_text = words.iter().flat_map(|words| words.iter().copied().enumerate());
        of_text.for_each(|hash| *series.entry(hash).or_default() += 1);
        let texts = texts.into_par_iter().map(|text| (shingler.set(&text.tokens), text.pages));
        let (shingles, pages_of) = texts.unzip();
        Ok(Self {
            pages,
            shingles,
            pages_of,
            hashes,
            words,
            series,
            text_of,
            base,
            addresses,
            ledger,
        })
    }

    /// Returns the URL of a page relative to the base.
    pub(super) fn address(&self, page: u32) -> &str {
        &self.pages[page as usize].url[self.base..]
    }

    /// Returns the page of a text whose URL is most similar to `address`, or the first.
    pub(super) fn namesake(&self, text: u32, address: &str) -> u32 {
        let pages = &self.pages_of[text as usize];
        let similarity = |page: &u32| UrlSimilarity::between(address, self.address(*page));
        pages.iter().rev().copied().max_by_key(similarity).unwrap_or(pages[0])
    }

    /// Returns the label of a page.
    pub(super) fn label(&self, page: u32) -> Label {
        Label::from_url(self.address(page))
    }

    /// Returns the labels of the pages of a text.
    pub(super) fn labels(&self, text: u32) -> impl Iterator<Item = Label> {
        self.pages_of[text as usize].iter().map(|&page| self.label(page))
    }

    /// Returns the pages ordered by URL.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let mut pages: Vec<u32> = (0..self.pages.len() as u32).collect();
        pages.sort_unstable_by_key(|&page| self.address(page));
        pages
    }
}
