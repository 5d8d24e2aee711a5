//! The terms of all drafts into the vocabulary, and drafts into pages with bags.

use std::cmp::Reverse;

use pagekin_core::bag::{Bag, BagRules, frequency_class, rounded};
use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::{Completion, MAX_TERMS_OF_PAGE, PageTerm, WordShard, completion_weight};
use pagekin_core::terms::{Language, second_of_pair};
use pagekin_core::vocabulary::{
    DfLimits, TermId, Vocabulary, is_identifier, quantised_idf, term_id,
};
use pagekin_pages::Observer;
use pagekin_pages::site::own_related::NamedPage;
use pagekin_pages::site::read::{Fields, Lexicon, LexiconTerm, ParsedPage};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A page of the index before it has a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WeightedPage {
    /// Its address.
    pub url: String,
    pub(crate) title: String,
    /// `None` if its text was not at hand.
    pub(crate) language: Option<Language>,
    /// It is mostly links: contents, an index, a list of all there is. It can be found, but nobody
    /// needs it as a page related to those it lists. Not known if its text was not at hand.
    pub listing: bool,
    /// The hashes of the paths that links in its text lead to, ascending; none if its text was not
    /// at hand.
    pub(crate) links: Vec<u64>,
    /// The related pages that it names itself, if it does.
    pub(crate) own_related: Option<Vec<NamedPage>>,
    /// The hashes of where it says that it is in other languages, until it is known of which pages
    /// it is a translation.
    pub(crate) alternates: Vec<u64>,
    /// The same for pages that call one another translations; 0 if none does.
    pub(crate) translations: u32,
    pub(crate) bag: Bag,
    /// What a record of its text has: its terms, identifiers among them, in the order of their ids
    /// with the classes of their frequencies; nothing if its text was not at hand.
    pub(crate) terms: Vec<PageTerm>,
    /// How many terms of its text its record has no room for.
    pub(crate) left_out: u32,
    /// How many terms its text has, each as often as it occurs.
    pub(crate) length: u32,
    /// The terms of its title and its headings, ascending; and of its title alone.
    pub(crate) title_terms: Vec<TermId>,
    pub(crate) title_only: Vec<TermId>,
    /// What its terms stand out by, until they know it; and the texts of its links.
    pub(crate) fields: Fields,
    pub(crate) link_terms: Vec<(u64, TermId)>,
    /// See [`group_of_copies`](pagekin_core::shard::group_of_copies).
    pub(crate) copies: u32,
    /// It says what another page of its group says, word for word: that page stands in lists for
    /// it.
    pub(crate) repeats: bool,
    /// Of no shingles if its text was not at hand.
    pub(crate) sketch: Sketch,
}

/// Which terms get a weight of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VocabularyRules {
    /// Which count.
    pub(crate) limits: DfLimits,
    /// The different texts, of which the limits are parts.
    pub(crate) texts: u32,
    /// The most terms. If more count, only the commonest of them are in the vocabulary, and all
    /// rarer ones, even those below the lowest df, share one weight: who has the vocabulary only
    /// cannot tell them apart.
    pub(crate) most: usize,
    /// Terms of more pages make no keys.
    pub(crate) key_df: u32,
}

/// An identifier of more than one page in so many is in the vocabulary: a browser should know that
/// it says little.
const COMMON_IDENTIFIER: u32 = 64;

/// Counts the terms of drafts that are one text once: what all versions of a page have is as rare
/// as what one page has. So do lists, in which one of these pages stands for all. Answers how many
/// texts there are.
pub(crate) fn count_once_a_text(lexicon: &mut Lexicon, drafts: &[ParsedPage]) -> u32 {
    let mut seen = FxHashSet::default();
    for draft in drafts {
        if !seen.insert((&draft.title, &draft.sketch, &draft.terms)) {
            lexicon.leave_out(draft);
        }
    }
    seen.len() as u32
}

/// The vocabulary of a lexicon over `pages` pages.
pub fn vocabulary(lexicon: &Lexicon, pages: u32, rules: VocabularyRules) -> Vocabulary {
    let VocabularyRules { limits, texts, .. } = rules;
    let weigh = |term: &LexiconTerm| quantised_idf(term.df, pages);
    let (identifiers, words): (Vec<_>, Vec<_>) = lexicon
        .terms
        .iter()
        .filter(|(_, term)| term.df > 0)
        .partition(|&(&id, _)| is_identifier(id));
    let met = || words.iter().map(|&(_, term)| term);
    let mut own: Vec<&LexiconTerm> = met().filter(|term| limits.allow(term.df, texts)).collect();
    let mut rare_weight = 0;
    if own.len() > rules.most {
        own.sort_unstable_by(|a, b| b.df.cmp(&a.df).then(a.stem.cmp(&b.stem)));
        let rare = own.split_off(rules.most);
        let below = met().filter(|term| term.df < limits.min);
        // The mean over all places where a rare term stands.
        let (mut places, mut total) = (0u64, 0u64);
        for term in rare.into_iter().chain(below) {
            places += u64::from(term.df);
            total += u64::from(term.df) * u64::from(weigh(term));
        }
        rare_weight = ((2 * total + places) / (2 * places)).clamp(1, 255) as u8;
    }
    // What does not count in bags is searched for all the same.
    own.extend(met().filter(|term| term.df > limits.max(texts)));
    let common = |term: &&LexiconTerm| term.df > (texts / COMMON_IDENTIFIER).max(limits.min);
    own.extend(identifiers.into_iter().map(|(_, term)| term).filter(common));
    let own = own.into_iter().map(|term| (term_id(&term.stem), weigh(term)));
    let key_weight = if rules.key_df < texts { quantised_idf(rules.key_df, pages) } else { 0 };
    let least_weight = quantised_idf(limits.max(texts), pages);
    let vocabulary = Vocabulary::new(own, rare_weight);
    vocabulary.with_least_weight(least_weight).with_key_weight(key_weight)
}

/// The words that the terms of a vocabulary are shown as: those of a lexicon, as far as it has
/// them.
pub(crate) fn shown(lexicon: &Lexicon, vocabulary: &Vocabulary) -> WordShard {
    let terms = vocabulary.iter().filter_map(|(id, _)| lexicon.terms.get(&id));
    let shown = |term: &LexiconTerm| {
        // Of a term that is only ever a part of a word, or an identifier, no word was counted.
        let word = if term.word.0.is_empty() { &term.stem } else { &term.word.0 };
        (term.stem.to_string(), word.to_string())
    };
    WordShard::new(terms.map(shown).collect())
}

/// The most words that typed words are taken for: of a larger site the likeliest.
const MAX_COMPLETIONS: usize = 1 << 16;
/// On a site of fewer pages each word is one that people may look for.
const FEW_PAGES: usize = 50;

/// The words that typed words may be taken for, in their order: those of more than one page, or of
/// a title or a heading, which may be outside the text. Of scripts without spaces there are none,
/// as nobody types pairs, nor numbers.
pub(crate) fn completions(lexicon: &Lexicon, pages: &[WeightedPage]) -> Vec<Completion> {
    let mut titles: FxHashMap<TermId, u32> = FxHashMap::default();
    for &id in pages.iter().flat_map(|page| &page.title_terms) {
        *titles.entry(id).or_default() += 1;
    }
    let least = if pages.len() < FEW_PAGES { 1 } else { 2 };
    let of_text = lexicon.terms.iter().map(|(&id, term)| {
        let word = if is_identifier(id) { &term.stem } else { &term.word.0 };
        (id, &**word, term.df)
    });
    let of_titles = lexicon.of_titles.iter().map(|(&id, word)| (id, &**word, 0));
    let completion = |(id, word, df): (TermId, &str, u32)| {
        let titles = titles.get(&id).copied().unwrap_or(0);
        let is_typed = word.bytes().any(|byte| !byte.is_ascii_digit())
            && second_of_pair(word).is_none()
            && (df >= least || titles > 0);
        let weight = completion_weight(df, titles);
        is_typed.then(|| Completion { word: word.to_string(), weight })
    };
    let mut words: Vec<_> = of_text.chain(of_titles).filter_map(completion).collect();
    words.sort_unstable_by(|a, b| b.weight.cmp(&a.weight).then(a.word.cmp(&b.word)));
    words.truncate(MAX_COMPLETIONS);
    words.sort_unstable_by(|a, b| a.word.cmp(&b.word).then(b.weight.cmp(&a.weight)));
    words.dedup_by(|next, first| next.word == first.word);
    words
}

/// The pages of drafts, in their order; of a page whose bag is empty, its address.
pub(crate) fn weigh(
    drafts: Vec<ParsedPage>,
    vocabulary: &Vocabulary,
    rules: &BagRules,
    observer: &dyn Observer,
) -> Vec<Result<WeightedPage, String>> {
    drafts
        .into_par_iter()
        .map(|draft| {
            let ParsedPage { url, title, language, listing, links, own_related, terms, .. } = draft;
            let ParsedPage { alternates, title_terms, fields, link_terms, sketch, .. } = draft;
            let bag = Bag::weigh(&terms, vocabulary, rules);
            let length = terms.iter().map(|&(_, tf)| tf).sum();
            let different = terms.len();
            let page = RecordedPage {
                bag: &bag,
                title: &fields.title,
                headings: &title_terms,
                vocabulary,
            };
            let terms = recorded(terms, &page);
            let left_out = (different - terms.len()) as u32;
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
                links,
                own_related,
                alternates,
                translations: 0,
                bag,
                terms,
                left_out,
                length,
                title_terms,
                title_only: fields.title.clone(),
                fields,
                link_terms,
                copies: 0,
                repeats: false,
                sketch,
            })
        })
        .collect()
}

/// How many terms of a title that the text does not have find room in the record of a long page.
const MAX_TITLE_ROOM: usize = 256;

/// The terms of a page as its record has them. If there are too many, those of its bag, of its
/// title and of its headings stay, and of the others the heaviest.
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

/// What decides which terms of a long page its record has.
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

    fn weights(most: usize) -> Vec<u8> {
        let stems = ["all", "ten", "two", "too", "one"];
        let lexicon = lexicon(&[("all", 90), ("ten", 10), ("two", 2), ("too", 2), ("one", 1)]);
        let limits = DfLimits { min: 2, max_percent: 20.0, never_too_high: 0 };
        let vocabulary =
            vocabulary(&lexicon, 100, VocabularyRules { limits, texts: 100, most, key_df: 25 });
        stems.map(|stem| vocabulary.weight(term_id(stem))).to_vec()
    }

    #[test]
    fn words_are_completed_that_only_a_title_has() {
        let mut lexicon = lexicon(&[("clove", 1), ("garden", 2), ("1964", 2)]);
        lexicon.of_titles.insert(term_id("zanzibar"), "zanzibar".into());
        let of_title =
            WeightedPage { title_terms: vec![term_id("zanzibar")], ..Default::default() };
        let pages = Vec::from_iter(iter::repeat_n(WeightedPage::default(), 60).chain([of_title]));
        let words = completions(&lexicon, &pages).into_iter().map(|it| (it.word, it.weight));
        // Weights: log2(1 + 2) and log2(1 + 8).
        let expected = [("garden".to_owned(), 1), ("zanzibar".to_owned(), 3)];
        assert_eq!(words.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn terms_of_too_many_pages_make_no_keys() {
        let limits = DfLimits { min: 1, max_percent: 100.0, never_too_high: 0 };
        let key_weight = |key_df| {
            let rules = VocabularyRules { limits, texts: 100, most: 10, key_df };
            vocabulary(&lexicon(&[("ten", 10)]), 100, rules).key_weight()
        };
        assert_eq!([key_weight(25), key_weight(99), key_weight(100)], [24, 1, 0]);
    }

    #[test]
    fn a_page_of_common_words_alone_has_a_bag() {
        let (all, ten) = (term_id("all"), term_id("ten"));
        let limits = DfLimits { min: 2, max_percent: 20.0, never_too_high: 0 };
        let rules = VocabularyRules { limits, texts: 100, most: 10, key_df: 25 };
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
        // A term of the title that the text does not have finds room.
        assert_eq!(page(5_000, &[9_998, 9_999]).len(), 4_095);
        assert_eq!(page(4_096, &[1]).len(), 4_095);
    }

    #[test]
    fn a_vocabulary_that_holds_all_that_counts_gives_the_rest_no_weight() {
        assert_eq!(weights(3), [0, 40, 68, 68, 0]);
    }

    #[test]
    fn of_too_many_terms_the_rarer_share_a_weight() {
        // "two" and "one" are rare: 2 places of 68 and one of 80.
        assert_eq!(weights(2), [0, 40, 72, 68, 72]);
    }
}
