//! Weights the pages of a parsed site, with a new or a reused vocabulary.

use std::path::Path;

use pagekin_core::IndexParams;
use pagekin_core::shard::WordShard;
use pagekin_core::terms::Language;
use pagekin_core::vocabulary::{DfLimits, MAX_TERMS, TermId, Vocabulary};
use pagekin_pages::site::languages;
use pagekin_pages::site::read::ParsedSite;
use pagekin_pages::site::skipped::SkippedFiles;
use pagekin_pages::{Observer, SkipReason, Stage};
use rustc_hash::FxHashMap;

use crate::build::options::BuildOptions;
use crate::build::pages::vocabulary;
use crate::build::pages::vocabulary::{Completions, VocabularyRules, WeightedPage};

/// Terms on more than one in this number of pages are not used for keys: their buckets are large,
/// and the pages there have little else in common.
const KEY_PART: u32 = 8;
/// Terms with at most this document frequency are used in any case.
const KEY_DF: u32 = 2_048;

/// Pages with bags, and the vocabulary that weighted them.
pub struct WeightedSite {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) shown: WordShard,
    pub(crate) completions: Completions,
    /// Languages with their numbers of pages, most pages first.
    pub(crate) languages: Vec<(Language, u32)>,
    /// The pages: at least one, with distinct URLs, in any order.
    pub pages: Vec<WeightedPage>,
    /// Whether the pages' texts are known. For a crawl, only their bags are.
    pub(crate) texts: bool,
    /// The parameters of the bags.
    pub(crate) params: IndexParams,
    /// The words shown for terms, if a topic tree needs them.
    pub(crate) words: FxHashMap<TermId, Box<str>>,
    /// The index of each page's cluster center, if the pages are clustered already.
    pub(crate) centers: Option<Vec<u32>>,
}

/// Weights the pages with the vocabulary of the reused index, if there is one. Returns `None` if no
/// page has a term that counts.
pub(crate) fn weigh(
    options: &BuildOptions,
    params: IndexParams,
    reading: ParsedSite,
    followed: Option<&Vocabulary>,
    skipped: &mut SkippedFiles<'_>,
    observer: &dyn Observer,
) -> Option<WeightedSite> {
    let ParsedSite { drafts, mut lexicon, .. } = reading;
    let texts = vocabulary::count_once_a_text(&mut lexicon, &drafts);
    let n = drafts.len() as u32;
    observer.stage(Stage::Weighing, drafts.len() as u64);
    let vocabulary = match followed {
        Some(vocabulary) => vocabulary.clone(),
        None => vocabulary::vocabulary(&lexicon, n, vocabulary_rules(texts)),
    };
    let shown = vocabulary::shown(&lexicon, &vocabulary);
    let weighted = vocabulary::weigh(drafts, &vocabulary, &params.bag, observer);
    let mut pages = Vec::with_capacity(weighted.len());
    for page in weighted {
        match page {
            Ok(page) => pages.push(page),
            Err(url) => skipped.add(SkipReason::Empty, Path::new(&url)),
        }
    }
    warn_of_long_pages(&pages, observer);
    let completions = vocabulary::completions(&lexicon, &pages);
    let words = if options.tree { lexicon.into_words() } else { FxHashMap::default() };
    let named = pages.iter().filter_map(|page: &WeightedPage| page.language.clone());
    let languages = languages::most_common_first(named.map(|language| (language, 1)));
    (!pages.is_empty()).then_some(WeightedSite {
        vocabulary,
        shown,
        completions,
        languages,
        pages,
        texts: true,
        params,
        words,
        centers: None,
    })
}

fn warn_of_long_pages(pages: &[WeightedPage], observer: &dyn Observer) {
    let long = || pages.iter().filter(|page| page.omitted > 0);
    if let Some(WeightedPage { url, omitted, .. }) = long().max_by_key(|page| page.omitted) {
        let n = long().count();
        observer.warn(&format!(
            "{n} pages have too many distinct words for their records, for example {url}: its {omitted} least important words do not find it. Split it to make all of them searchable"
        ));
    }
}

/// Returns the rules for the vocabulary of a site with a number of distinct texts.
pub fn vocabulary_rules(texts: u32) -> VocabularyRules {
    VocabularyRules {
        limits: DfLimits::for_pages(texts),
        texts,
        max_terms: MAX_TERMS,
        key_df: (texts / KEY_PART).max(KEY_DF),
    }
}
