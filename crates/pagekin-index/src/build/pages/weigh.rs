//! What was read of a site into pages with bags, by a vocabulary that is new or followed.

use std::path::Path;

use pagekin_core::IndexParams;
use pagekin_core::shard::{Completion, WordShard};
use pagekin_core::terms::Language;
use pagekin_core::vocabulary::{DfLimits, MAX_TERMS, TermId, Vocabulary};
use pagekin_pages::site::languages;
use pagekin_pages::site::read::ParsedSite;
use pagekin_pages::site::skipped::SkippedFiles;
use pagekin_pages::{Observer, SkipReason, Stage};
use rustc_hash::FxHashMap;

use crate::build::options::BuildOptions;
use crate::build::pages::vocabulary;
use crate::build::pages::vocabulary::{VocabularyRules, WeightedPage};

/// Terms that more than one page in so many has make no keys: their buckets are large, and what is
/// in them has little else in common.
const KEY_PART: u32 = 8;
/// But up to so many pages do no harm.
const KEY_DF: u32 = 2_048;

/// Pages with bags, by the vocabulary that they were weighed by.
pub struct WeightedSite {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) shown: WordShard,
    /// The words that typed words may be taken for, in their order.
    pub(crate) completions: Vec<Completion>,
    /// The commonest first, with their pages.
    pub(crate) languages: Vec<(Language, u32)>,
    /// At least one, no two of one address; in any order.
    pub pages: Vec<WeightedPage>,
    /// Whether the texts of the pages were at hand, and not their bags alone, as those of a crawl.
    pub(crate) texts: bool,
    /// What bags were made by.
    pub(crate) params: IndexParams,
    /// The words that terms are shown as, if they are asked for.
    pub(crate) words: FxHashMap<TermId, Box<str>>,
    /// Of each page the place of the center of its cluster, if they were clustered before.
    pub(crate) centers: Option<Vec<u32>>,
}

/// Weighs the pages, by the vocabulary of the index that is followed if there is one. `None` if
/// none has a term that counts.
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
    let languages = languages::commonest_first(named.map(|language| (language, 1)));
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
    let long = || pages.iter().filter(|page| page.left_out > 0);
    if let Some(WeightedPage { url, left_out, .. }) = long().max_by_key(|page| page.left_out) {
        let n = long().count();
        observer.warn(&format!(
            "{n} pages have too many different words for their records, for example {url}: the {left_out} of these that matter least do not find it. Split it to have all of them found"
        ));
    }
}

/// Which terms are in the vocabulary of so many different texts.
pub fn vocabulary_rules(texts: u32) -> VocabularyRules {
    VocabularyRules {
        limits: DfLimits::for_pages(texts),
        texts,
        most: MAX_TERMS,
        key_df: (texts / KEY_PART).max(KEY_DF),
    }
}
