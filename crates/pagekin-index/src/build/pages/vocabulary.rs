//! Builds the vocabulary from the terms of parsed pages, and weights the pages.

use std::cmp::Reverse;

use pagekin_core::bag::{Bag, BagRules, frequency_class, rounded};
use pagekin_core::fit::length_class;
use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::{
    Completion, MAX_TERMS_OF_PAGE, PageTerm, WordShard, completion_weight, is_completion,
};
use pagekin_core::terms::{Language, folded, second_of_pair};
use pagekin_core::vocabulary::{
    DfLimits, TermId, Vocabulary, is_identifier, quantized_idf, term_id,
};
use pagekin_pages::Observer;
use pagekin_pages::site::fields::Fields;
use pagekin_pages::site::metadata::PageValues;
use pagekin_pages::site::own_related::NamedPage;
use pagekin_pages::site::read::{Lexicon, LexiconTerm, ParsedPage};
use pagekin_pages::site::term_counts::WeightedTerm;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A page of the index before it has a number.
///
/// For a crawl, only the URL, the title with its terms, and the bag are known. Three fields are
/// inputs of later steps, which clear them: `alternates`, `fields` and `link_terms`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WeightedPage {
    /// The URL.
    pub url: String,
    pub(crate) title: String,
    /// `None` if the text is unknown.
    pub(crate) language: Option<Language>,
    /// Whether it is mostly links: a table of contents, an index, a list. Such a page can be found,
    /// but is not related to the pages that it lists. `false` if the text is unknown.
    pub listing: bool,
    /// Whether it is a file of source code.
    pub(crate) is_source_file: bool,
    /// Whether it lists pages of the site, by its links or by their [teasers](Self::teased), or
    /// source code.
    pub(crate) is_listing: bool,
    /// Hashes of the paths that it may be a list of teasers of, each once. Cleared when
    /// `is_listing` is set.
    pub(crate) teased: Vec<u64>,
    /// See [`PageRecord::language`](pagekin_core::shard::PageRecord::language).
    pub(crate) language_number: u32,
    /// Hashes of the paths that its text links to, ascending.
    pub(crate) links: Vec<u64>,
    /// The related pages that it names itself, if any.
    pub(crate) own_related: Option<Vec<NamedPage>>,
    /// Hashes of the URLs that it names as its translations. Cleared when `translations` is set.
    pub(crate) alternates: Vec<u64>,
    /// A number shared by pages that name each other as translations; 0 if there are none.
    pub(crate) translations: u32,
    pub(crate) bag: Bag,
    /// The terms of its text as in its record, including identifiers, with their frequency classes;
    /// sorted by id. Empty if the text is unknown.
    pub(crate) terms: Vec<PageTerm>,
    /// Number of terms of the text that its record has no space for.
    pub(crate) omitted: u32,
    /// Number of terms in its text, with repetitions.
    pub(crate) length: u32,
    /// Its length divided by its weight. A longer page matches each term less.
    pub(crate) stretched: u32,
    /// The terms of its title and headings, and those of its title only; ascending.
    pub(crate) title_terms: Vec<TermId>,
    pub(crate) title_only: Vec<TermId>,
    /// The terms of its fields, and those of its links. Cleared when emphases are set.
    pub(crate) fields: Fields,
    pub(crate) link_terms: Vec<(u64, TermId)>,
    /// What it is filtered and sorted by.
    pub(crate) values: PageValues,
    /// See [`group_of_copies`](pagekin_core::shard::group_of_copies).
    pub(crate) copies: u32,
    /// Whether it repeats another page of its group word for word, which represents it in lists.
    pub(crate) repeats: bool,
    /// Has no shingles if the text is unknown.
    pub(crate) sketch: Sketch,
}

/// The class of a page's length, as stored in its record.
pub(crate) fn record_length(page: &WeightedPage, texts: bool) -> u8 {
    length_class(if texts { page.stretched } else { length(page, texts) })
}

/// The number of terms in a page's text, or in its bag if its text is unknown.
fn length(page: &WeightedPage, texts: bool) -> u32 {
    if texts { page.length } else { page.bag.entries().len() as u32 }
}

/// The mean length of pages, at least 1.
pub(crate) fn mean_length(pages: &[WeightedPage], texts: bool) -> u32 {
    let total: u64 = pages.iter().map(|page| u64::from(length(page, texts))).sum();
    ((total / (pages.len() as u64).max(1)) as u32).max(1)
}

/// Rules for the terms with a weight of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VocabularyRules {
    /// The document frequencies of terms that count.
    pub(crate) limits: DfLimits,
    /// Number of distinct texts, to which the limits are relative.
    pub(crate) texts: u32,
    /// Maximum number of terms. If more terms count, only the most common are in the vocabulary.
    /// All rarer ones, including those below the minimum document frequency, share a weight, as
    /// the vocabulary alone cannot distinguish them.
    pub(crate) max_terms: usize,
    /// Terms on more pages are not used for keys.
    pub(crate) key_df: u32,
}

/// Identifiers on more than one in this number of pages are in the vocabulary, so that a browser
/// knows that they are unspecific.
const COMMON_IDENTIFIER: u32 = 64;

/// Removes repeated texts from the counts of a lexicon, so that a term on all versions of a page is
/// as rare as a term on one page. Lists do the same: one of these pages represents all. Returns the
/// number of distinct texts.
pub(crate) fn count_once_a_text(lexicon: &mut Lexicon, drafts: &[ParsedPage]) -> u32 {
    let mut seen = FxHashSet::default();
    for draft in drafts {
        if !seen.insert((&draft.title, &draft.sketch, &draft.terms)) {
            lexicon.leave_out(draft);
        }
    }
    seen.len() as u32
}

/// Builds the vocabulary of a lexicon over `pages` pages.
pub fn vocabulary(lexicon: &Lexicon, pages: u32, rules: VocabularyRules) -> Vocabulary {
    let VocabularyRules { limits, texts, .. } = rules;
    let weigh = |term: &LexiconTerm| quantized_idf(term.df, pages);
    let (identifiers, words): (Vec<_>, Vec<_>) = lexicon
        .terms
        .iter()
        .filter(|(_, term)| term.df > 0)
        .partition(|&(&id, _)| is_identifier(id));
    let met = || words.iter().map(|&(_, term)| term);
    let limits = limits.raised(texts, &met().map(|term| term.df).collect::<Vec<_>>());
    let mut own: Vec<&LexiconTerm> = met().filter(|term| limits.allow(term.df, texts)).collect();
    let mut rare_weight = 0;
    if own.len() > rules.max_terms {
        own.sort_unstable_by(|a, b| b.df.cmp(&a.df).then(a.stem.cmp(&b.stem)));
        let rare = own.split_off(rules.max_terms);
        let below = met().filter(|term| term.df < limits.min);
        // The mean weight over all occurrences of rare terms.
        let (mut places, mut total) = (0u64, 0u64);
        for term in rare.into_iter().chain(below) {
            places += u64::from(term.df);
            total += u64::from(term.df) * u64::from(weigh(term));
        }
        rare_weight = ((2 * total + places) / (2 * places)).clamp(1, 255) as u8;
    }
    // Terms too common for bags can still be searched.
    own.extend(met().filter(|term| term.df > limits.max(texts)));
    let common = |term: &&LexiconTerm| term.df > (texts / COMMON_IDENTIFIER).max(limits.min);
    own.extend(identifiers.into_iter().map(|(_, term)| term).filter(common));
    let own = own.into_iter().map(|term| (term_id(&term.stem), weigh(term)));
    let key_weight = if rules.key_df < texts { quantized_idf(rules.key_df, pages) } else { 0 };
    let min_weight = quantized_idf(limits.max(texts), pages);
    let vocabulary = Vocabulary::new(own, rare_weight);
    vocabulary.with_min_weight(min_weight).with_key_weight(key_weight)
}

/// The words shown for the terms of a vocabulary, as far as the lexicon has them.
pub(crate) fn shown(lexicon: &Lexicon, vocabulary: &Vocabulary) -> WordShard {
    let terms = vocabulary.iter().filter_map(|(id, _)| lexicon.terms.get(&id));
    let shown = |term: &LexiconTerm| {
        // A term that only occurs within words, or is an identifier, has no counted word.
        let word = if term.word.0.is_empty() { &term.stem } else { &term.word.0 };
        (term.stem.to_string(), word.to_string())
    };
    WordShard::new(terms.map(shown).collect())
}

/// Maximum number of completions. No site that was measured has as many words; a larger one keeps
/// the likeliest.
const MAX_COMPLETIONS: usize = 1 << 19;
/// Maximum number of pairs that begin with the same character. Nobody types a pair, but a single
/// character stands for those that begin with it.
const MAX_PAIRS: usize = 4;

/// The words of the site that typed words may be interpreted as, ordered by their folded forms:
/// those of texts, titles and headings, and the likeliest pairs of characters of scripts without
/// spaces. Omits numbers.
pub(crate) fn completions(lexicon: &Lexicon, pages: &[WeightedPage]) -> Completions {
    let mut titles: FxHashMap<TermId, u32> = FxHashMap::default();
    for &id in pages.iter().flat_map(|page| &page.title_terms) {
        *titles.entry(id).or_default() += 1;
    }
    let of_text = lexicon.terms.iter().map(|(&id, term)| {
        let word = if is_identifier(id) { &term.stem } else { &term.word.0 };
        (id, &**word, term.df)
    });
    let of_fields = lexicon.of_fields.iter().map(|(&id, word)| (id, &**word, 0));
    let completion = |(id, word, df): (TermId, &str, u32)| {
        let titles = titles.get(&id).copied().unwrap_or(0);
        let is_typed = is_completion(word) && (df > 0 || lexicon.of_fields.contains_key(&id));
        let weight = completion_weight(df, titles);
        is_typed.then(|| Completion { word: word.to_string(), weight })
    };
    let ids = lexicon.terms.keys().chain(lexicon.of_fields.keys()).copied().collect();
    let mut words: Vec<_> = of_text.chain(of_fields).filter_map(completion).collect();
    words.sort_unstable_by(|a, b| b.weight.cmp(&a.weight).then(a.word.cmp(&b.word)));
    let mut pairs: FxHashMap<char, usize> = FxHashMap::default();
    words.retain(|one| {
        let Some(second) = second_of_pair(&one.word) else { return true };
        let first = one.word[..one.word.len() - second.len()].chars().next();
        let met = pairs.entry(first.unwrap_or_default()).or_default();
        *met += 1;
        *met <= MAX_PAIRS
    });
    words.truncate(MAX_COMPLETIONS);
    let mut completions = Completions { words, ids };
    completions.sort();
    completions
}

/// The words that typed words may be interpreted as.
#[derive(Debug, Default)]
pub(crate) struct Completions {
    /// The words, ordered by their folded forms.
    pub(crate) words: Vec<Completion>,
    /// The terms of the words.
    ids: FxHashSet<TermId>,
}

impl Completions {
    /// Adds the words of other terms.
    pub(crate) fn add(&mut self, words: impl IntoIterator<Item = (TermId, String)>) {
        let weight = completion_weight(0, 0);
        let is_new = |(id, word): &(TermId, String)| !self.ids.contains(id) && is_completion(word);
        let new = words.into_iter().filter(is_new);
        self.words.extend(new.map(|(_, word)| Completion { word, weight }));
        self.sort();
    }

    fn sort(&mut self) {
        let key = |one: &Completion| (folded(&one.word), one.word.clone(), Reverse(one.weight));
        self.words.sort_by_cached_key(key);
        self.words.dedup_by(|next, first| next.word == first.word);
    }
}

/// Weights parsed pages, in their order. Returns the URL of a page whose bag is empty.
pub(crate) fn weigh(
    drafts: Vec<ParsedPage>,
    vocabulary: &Vocabulary,
    rules: &BagRules,
    observer: &dyn Observer,
) -> Vec<Result<WeightedPage, String>> {
    drafts
        .into_par_iter()
        .map(|draft| {
            let ParsedPage { url, title, language, listing, is_source_file, .. } = draft;
            let ParsedPage { teased, links, own_related, alternates, terms, .. } = draft;
            let ParsedPage { title_terms, fields, link_terms, sketch, values, .. } = draft;
            let length: u32 = terms.iter().map(|&(_, tf)| tf).sum();
            let (terms, page_weight) = with_weights(terms, &fields.weighted);
            let stretched = (f64::from(length) / page_weight) as u32;
            let bag = Bag::weigh(&terms, vocabulary, rules);
            let different = terms.len();
            let page = RecordedPage {
                bag: &bag,
                title: &fields.title,
                headings: &title_terms,
                vocabulary,
            };
            let terms = recorded(terms, &page);
            let omitted = (different - terms.len()) as u32;
            observer.advance(1);
            if bag.is_empty() {
                return Err(url);
            }
            let language = Some(language);
            Ok(WeightedPage {
                url,
                title,
                language,
                listing,
                is_source_file,
                is_listing: false,
                teased,
                language_number: 0,
                links,
                own_related,
                alternates,
                translations: 0,
                bag,
                terms,
                omitted,
                length,
                stretched,
                title_terms,
                title_only: fields.title.clone(),
                fields,
                link_terms,
                values,
                copies: 0,
                repeats: false,
                sketch,
            })
        })
        .collect()
}

/// The minimum weight of a page.
const MIN_PAGE_WEIGHT: f64 = 0.02;

/// Applies weights to the terms of a text and their frequencies. Returns the weight of the page, by
/// which its length is divided: below 1 if each term has a lower weight. The weights of its terms
/// are then relative to it, so that its bag is that of a page without weights.
///
/// Omits terms that count less than a single occurrence: they are [emphasized](super::emphasis)
/// like terms outside of the text. If these are all terms, none is omitted.
fn with_weights(
    mut terms: Vec<(TermId, u32)>,
    weighted: &[WeightedTerm],
) -> (Vec<(TermId, u32)>, f64) {
    if weighted.is_empty() {
        return (terms, 1.0);
    }
    let mut page_weight = 1.0;
    if weighted.len() == terms.len() {
        let factors = weighted.iter().map(|term| term.factor());
        page_weight = factors.fold(0.0, f64::max).clamp(MIN_PAGE_WEIGHT, 1.0);
    }
    let frequency = |&(id, tf): &(TermId, u32)| {
        let at = weighted.binary_search_by_key(&id, |term| term.id);
        at.map_or(f64::from(tf), |at| weighted[at].frequency() / page_weight)
    };
    // Rounded, because the quotient of equal numbers may differ from 1.
    let is_whole = |term: &(TermId, u32)| frequency(term) > 0.995;
    if terms.iter().any(is_whole) {
        terms.retain(is_whole);
        terms.iter_mut().for_each(|term| term.1 = frequency(term).round() as u32);
    }
    (terms, page_weight)
}

/// Space in the record of a long page for terms that only its title contains.
const MAX_TITLE_ROOM: usize = 256;

/// The terms of a page's record. If there are too many, keeps those of its bag, title and headings,
/// and the heaviest of the others.
fn recorded(mut terms: Vec<(TermId, u32)>, page: &RecordedPage<'_>) -> Vec<PageTerm> {
    let has = |id: &TermId| terms.binary_search_by_key(id, |&(id, _)| id).is_ok();
    let beyond = page.title.iter().filter(|id| !has(id)).count().min(MAX_TITLE_ROOM);
    let room = MAX_TERMS_OF_PAGE - beyond;
    if terms.len() > room {
        let in_bag = page.vocabulary.weights_in(&terms);
        let weight = |&(id, tf): &(TermId, u32)| {
            (u64::from(rounded(tf)) << 16).isqrt() * u64::from(in_bag(id))
        };
        let rank = |id: TermId| match () {
            () if page.bag.count(id) > 0 => 0,
            () if page.title.contains(&id) => 1,
            () if page.headings.binary_search(&id).is_ok() => 2,
            () => 3,
        };
        terms.sort_by_cached_key(|term| (rank(term.0), Reverse(weight(term)), term.0));
        terms.truncate(room);
        terms.sort_unstable();
    }
    terms.into_iter().map(|(id, tf)| PageTerm::from_text(id, frequency_class(tf))).collect()
}

/// What decides which terms of a long page are in its record.
struct RecordedPage<'a> {
    bag: &'a Bag,
    title: &'a [TermId],
    /// Those of headings and title, ascending.
    headings: &'a [TermId],
    vocabulary: &'a Vocabulary,
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use pagekin_core::vocabulary::term_id;

    fn lexicon(dfs: &[(&str, u32)]) -> Lexicon {
        let term = |stem: &str, df| LexiconTerm { stem: stem.into(), df, word: (stem.into(), 1) };
        let terms = dfs.iter().map(|&(stem, df)| (term_id(stem), term(stem, df))).collect();
        Lexicon { terms, ..Lexicon::default() }
    }

    fn weights(max_terms: usize) -> Vec<u8> {
        let stems = ["all", "ten", "two", "too", "one"];
        let lexicon = lexicon(&[("all", 90), ("ten", 10), ("two", 2), ("too", 2), ("one", 1)]);
        let limits = DfLimits { min: 2, max_percent: 20.0, always_allowed: 0 };
        let vocabulary = vocabulary(
            &lexicon,
            100,
            VocabularyRules { limits, texts: 100, max_terms, key_df: 25 },
        );
        stems.map(|stem| vocabulary.weight(term_id(stem))).to_vec()
    }

    #[test]
    fn words_of_titles_are_completed() {
        let mut lexicon = lexicon(&[("clove", 1), ("garden", 2), ("1964", 2)]);
        lexicon.of_fields.insert(term_id("zanzibar"), "zanzibar".into());
        let of_title =
            WeightedPage { title_terms: vec![term_id("zanzibar")], ..Default::default() };
        let pages = Vec::from_iter(iter::repeat_n(WeightedPage::default(), 60).chain([of_title]));
        let words = completions(&lexicon, &pages).words.into_iter().map(|it| (it.word, it.weight));
        // Weights: log2(1 + 2) and log2(1 + 8).
        let expected = [("clove", 1), ("garden", 1), ("zanzibar", 3)];
        let expected = expected.map(|(word, weight)| (word.to_owned(), weight));
        assert_eq!(words.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn common_terms_are_not_used_for_keys() {
        let limits = DfLimits { min: 1, max_percent: 100.0, always_allowed: 0 };
        let key_weight = |key_df| {
            let rules = VocabularyRules { limits, texts: 100, max_terms: 10, key_df };
            vocabulary(&lexicon(&[("ten", 10)]), 100, rules).key_weight()
        };
        assert_eq!([key_weight(25), key_weight(99), key_weight(100)], [24, 1, 0]);
    }

    #[test]
    fn a_page_of_common_words_has_a_bag() {
        let (all, ten) = (term_id("all"), term_id("ten"));
        let limits = DfLimits { min: 2, max_percent: 20.0, always_allowed: 0 };
        let rules = VocabularyRules { limits, texts: 100, max_terms: 10, key_df: 25 };
        let vocabulary = vocabulary(&lexicon(&[("all", 90), ("ten", 10)]), 100, rules);
        let web = pagekin_core::Preset::Web.params(1).bag;
        let terms = |words: &[u32]| words.iter().map(|&word| (word, 1)).collect::<Vec<_>>();
        let of = |words: &[u32]| {
            let mut words = words.to_vec();
            words.sort_unstable();
            Bag::weigh(&terms(&words), &vocabulary, &web)
        };
        assert_eq!(of(&[all, ten]).entries(), of(&[ten]).entries());
        assert_eq!(of(&[all]).count(all), web.sum);
        assert_eq!(of(&[7]).count(7), web.sum);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn a_long_page_keeps_its_bag_its_title_and_its_headings() {
        let page = |text: u32, title: &[TermId]| {
            let terms: Vec<_> = (0..text).map(|id| (2 * id, 1)).collect();
            let bag = Bag::weigh_by(&[(8_000, 1)], |_| 1, &pagekin_core::Preset::Web.params(1).bag);
            let vocabulary = Vocabulary::new((0..4_000).map(|id| (2 * id, 9)), 1);
            let headings = &[title, &[9_000]].concat();
            let page = RecordedPage { bag: &bag, title, headings, vocabulary: &vocabulary };
            recorded(terms, &page).into_iter().map(|term| term.id).collect::<Vec<_>>()
        };
        let all = |text: u32| (0..text).map(|id| 2 * id).collect::<Vec<_>>();
        assert!(page(4_096, &[8_002]) == all(4_096));
        let long = page(5_000, &[9_998]);
        let rest = [8_000, 9_000, 9_998];
        assert!(rest.iter().all(|id| long.binary_search(id).is_ok()) && long.len() == 4_096);
        // There is space for a term that only the title contains.
        assert_eq!(page(5_000, &[9_998, 9_999]).len(), 4_095);
        assert_eq!(page(4_096, &[1]).len(), 4_095);
    }

    #[test]
    fn occurrences_count_by_their_weights() {
        let terms = vec![(1, 1), (2, 3), (3, 2), (4, 1)];
        let term = |id, tf, weight| WeightedTerm { id, tf, weight };
        let weighted = [term(1, 1, 1_000), term(2, 3, 99), term(3, 2, 140)];
        let expected = vec![(1, 10), (3, 1), (4, 1)];
        assert_eq!(with_weights(terms.clone(), &weighted), (expected, 1.0));
        assert_eq!(with_weights(terms.clone(), &[]), (terms, 1.0));
    }

    #[test]
    fn a_page_of_low_weight_is_long() {
        let terms = vec![(1, 1), (2, 3), (3, 2)];
        let weighted = |weights: [u32; 3]| {
            let term = |(&(id, tf), weight): (&(TermId, u32), u32)| WeightedTerm { id, tf, weight };
            terms.iter().zip(weights).map(term).collect::<Vec<_>>()
        };
        let of = |weights| with_weights(terms.clone(), &weighted(weights));
        assert_eq!(of([10, 30, 20]), (terms.clone(), 0.1));
        assert_eq!(of([10, 36, 40]), (vec![(2, 2), (3, 2)], 0.2));
        assert_eq!(of([0, 0, 0]), (terms.clone(), MIN_PAGE_WEIGHT));
        assert_eq!(of([10, 30, 1_000]), (vec![(3, 10)], 1.0));
    }

    #[test]
    fn rare_terms_have_no_weight_if_all_others_fit() {
        assert_eq!(weights(3), [0, 40, 68, 68, 0]);
    }

    #[test]
    fn rare_terms_share_a_weight_if_not_all_others_fit() {
        // "two" and "one" are rare: 2 places of 68 and one of 80.
        assert_eq!(weights(2), [0, 40, 72, 68, 72]);
    }
}
