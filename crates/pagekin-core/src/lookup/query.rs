//! The subject of a lookup: the terms of a text or page and their bag.

use super::pairs::{Pair, Pairs};
use super::score::Rarity;
use crate::bag::{Bag, FREQUENCIES, rounded};
use crate::fit::{self, length_of};
use crate::index::Index;
use crate::minhash::Signature;
use crate::near::sketch::KnownShingles;
use crate::shard::{Manifest, PageRecord, PageTerm, ReadError, WordShard};
use crate::terms::{Analyzer, Language, TermKinds, TextTerm, Words, languages_of_script};
use crate::vocabulary::{TermId, term_id};

/// An error of a lookup.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A shard could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text has no words, or only stop words.
    #[error(
        "nothing to look for: expected words other than stop words, found {found}. Add a word about the topic"
    )]
    EmptyQuery {
        /// What the text contains instead.
        found: &'static str,
    },
    /// No page has this URL.
    #[error(
        "the index has no page {url}: expected the URL of a page under {base_url}, as in the site's own links. Redirects, \
         noindex pages and pages without words are not indexed"
    )]
    UnknownUrl {
        /// The URL of the query.
        url: String,
        /// The base URL of the site. With several hosts, the common start of all URLs.
        base_url: String,
    },
}

impl QueryError {
    /// The error of a text without terms.
    pub(super) fn empty(text: &str) -> Self {
        let is_blank = text.trim().is_empty();
        Self::EmptyQuery {
            found: if is_blank { "nothing" } else { "no words, or only stop words" },
        }
    }

    /// Returns the name for programs: that of the [`ReadError`], `EmptyQuery` or `UnknownUrl`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::EmptyQuery { .. } => "EmptyQuery",
            Self::UnknownUrl { .. } => "UnknownUrl",
        }
    }
}

/// The language that a text was read in, which is one of the site's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLanguage {
    /// The language.
    pub language: Language,
    /// How the language was chosen.
    pub by: LanguageBy,
}

/// How the language of a text was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageBy {
    /// The caller specified it.
    Given,
    /// It is the only language of the site that uses the script of the text, or the one of these
    /// with most of its stop words in the text.
    Guessed,
    /// It is the most common language of the site in the script of the text, and nothing else is
    /// known.
    Assumed,
}

impl LanguageBy {
    /// Returns the name for programs: `given`, `guessed` or `assumed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Guessed => "guessed",
            Self::Assumed => "assumed",
        }
    }
}

/// A typed word, and the words of the site that are searched instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// The typed word, in lower case: incomplete, or with a typo.
    pub from: String,
    /// The words of the site, likeliest first.
    pub to: Vec<String>,
}

/// Returns the bag of a text in the language of a tag such as `en-GB`, if the site has pages in it.
/// Otherwise, or if the tag is empty or invalid, the language is guessed among those of the site
/// that use the text's script ([`languages_of_script`]): the one with most stop words in the text,
/// or else the site's most common one. So a browser with only the stemmers of the site's languages
/// gives the same answer as a program with all of them. Words outside the site's vocabulary are not
/// in the bag.
///
/// # Errors
///
/// [`QueryError::EmptyQuery`].
///
/// # Example
///
/// ```
/// use pagekin_core::{Index, Overlap, bag_of_text};
/// # use pagekin_core::{FORMAT_VERSION, MANIFEST_NAME};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let name = format!("../../tests/formats/{FORMAT_VERSION}/{MANIFEST_NAME}");
/// # let manifest = std::fs::read(name)?;
/// let index = Index::open(&manifest)?;
/// let fed = bag_of_text(&index, "feed the sourdough starter", "en")?;
/// let feeding = bag_of_text(&index, "feeding of sourdough starters", "en")?;
/// assert_eq!(Overlap::between(&fed, &feeding).jaccard(), 1.0);
/// # Ok(())
/// # }
/// ```
pub fn bag_of_text(index: &Index, text: &str, lang: &str) -> Result<Bag, QueryError> {
    let words = Words::new(text);
    let language = language_of(index, &words, lang);
    Ok(bag_of(index, &terms_of(index, &words, language.as_ref())?))
}

/// Returns the language in which [`bag_of_text`] reads a text, or `None` if no language of the site
/// uses its script.
#[must_use]
pub fn language_of(index: &Index, words: &Words<'_>, lang: &str) -> Option<TextLanguage> {
    let manifest = index.manifest();
    let languages = manifest.languages.iter().map(|(language, _)| language);
    let given = Language::from_tag(lang);
    if let Some(language) = given.filter(|given| languages.clone().any(|one| one == given)) {
        return Some(TextLanguage { language, by: LanguageBy::Given });
    }
    let among = languages_of_script(words, languages);
    let (guessed, by) = match manifest.stop.guess(words, among.iter().copied()) {
        Some(language) => (language, LanguageBy::Guessed),
        None if among.len() == 1 => (among[0], LanguageBy::Guessed),
        None => (*among.first()?, LanguageBy::Assumed),
    };
    Some(TextLanguage { language: guessed.clone(), by })
}

/// Returns the analyzer of texts in this language.
#[must_use]
pub fn analyzer<'a>(index: &'a Index, language: Option<&TextLanguage>) -> Analyzer<'a> {
    let undetermined = Language::undetermined();
    let language = language.map_or(&undetermined, |known| &known.language);
    Analyzer::new(language, &index.manifest().stop)
}

/// Returns the analyzers of the site's other languages in the script of this one.
pub(super) fn other_analyzers<'a>(
    index: &'a Index,
    language: Option<&TextLanguage>,
) -> impl Iterator<Item = Analyzer<'a>> {
    let manifest = index.manifest();
    let own = language.map(|known| known.language.clone());
    let others = manifest.languages.iter().map(|(language, _)| language);
    let others = others.filter(move |&language| Some(language) != own.as_ref());
    others.map(|language| Analyzer::new(language, &manifest.stop))
}

/// Returns the kinds of terms that a passage is searched by.
fn text_kinds(manifest: &Manifest) -> TermKinds {
    if manifest.texts { TermKinds::Text } else { TermKinds::Words }
}

/// Returns the kinds of terms of titles, and of short queries.
pub(super) fn title_kinds(manifest: &Manifest) -> TermKinds {
    if manifest.texts { TermKinds::Names } else { TermKinds::Words }
}

/// Returns the terms of a text in its language, ordered by id.
pub(super) fn terms_of(
    index: &Index,
    words: &Words<'_>,
    language: Option<&TextLanguage>,
) -> Result<Vec<SubjectTerm>, QueryError> {
    let terms = analyzer(index, language).counts(words, text_kinds(index.manifest()));
    if terms.is_empty() {
        return Err(QueryError::empty(words.text()));
    }
    Ok(terms.into_iter().map(SubjectTerm::from_text).collect())
}

/// Returns the pairs of characters among the words of a text, with their neighbors.
pub(super) fn pairs_of(index: &Index, words: &Words<'_>, language: Option<&TextLanguage>) -> Pairs {
    let overlaps = words.overlaps();
    if !overlaps.contains(&true) {
        return Pairs::default();
    }
    let analyzer = analyzer(index, language);
    let pair = |(at, word): (usize, &str)| {
        let overlaps_next = overlaps.get(at + 1) == Some(&true);
        let is_beside = overlaps[at] || overlaps_next;
        let stem = is_beside.then(|| analyzer.term(word)).flatten();
        Pair { term: stem.map(|stem| term_id(&stem)), overlaps: overlaps[at] }
    };
    Pairs::from_text(words.iter().enumerate().take(MAX_PAIRS).map(pair).collect())
}

/// Maximum number of words of a text that are searched for pairs to join.
const MAX_PAIRS: usize = 1 << 16;

/// Returns the terms of a page's record, ordered by id, with the site's words for them.
pub(super) fn terms_of_page(record: &PageRecord, words: Option<&WordShard>) -> Vec<SubjectTerm> {
    let terms = record.terms.iter().filter(|term| !term.is_outside);
    let term = |&PageTerm { id, class, .. }: &PageTerm| {
        let tf = FREQUENCIES[usize::from(class)].into();
        SubjectTerm::new(id, tf, words.and_then(|words| words.word(id)).map(str::to_owned))
    };
    terms.map(term).collect()
}

/// Returns the bag of these terms.
fn bag_of(index: &Index, terms: &[SubjectTerm]) -> Bag {
    let manifest = index.manifest();
    let counts: Vec<(TermId, u32)> = terms.iter().map(|term| (term.id, term.tf)).collect();
    Bag::weigh(&counts, &manifest.vocabulary, &manifest.params.bag)
}

/// Returns the ids of the terms of a title, in the language that it seems to be in.
pub(super) fn terms_of_title(index: &Index, title: &str) -> Vec<TermId> {
    let words = Words::new(title);
    let language = language_of(index, &words, "");
    let kinds = title_kinds(index.manifest());
    let terms = analyzer(index, language.as_ref()).counts(&words, kinds);
    terms.into_iter().map(|term| term.id).collect()
}

/// A text with fewer terms than the site's pages on average divided by `LONG`, or with fewer than
/// `FEW_TERMS` different terms, is a passage.
const LONG: u64 = 6;
const FEW_TERMS: usize = 24;

/// A term of the subject.
#[derive(Debug, Clone)]
pub(super) struct SubjectTerm {
    pub(super) id: TermId,
    /// The frequency in the text, or the approximate one in a page.
    pub(super) tf: u32,
    /// The word to show for it.
    pub(super) word: Option<String>,
    /// The index of that word in the text, or `usize::MAX` for an identifier and for a page.
    pub(super) at: usize,
    /// The group of a typed word and its alternatives, of which only the best on a page counts.
    /// [`ALONE`] for all other terms.
    pub(super) group: u8,
    /// How much it counts, in [`WHOLE`]ths: less if it is an alternative.
    pub(super) share: u8,
    /// The typed word, if this is an alternative of it.
    pub(super) typed: Option<String>,
    /// Whether the site has no such word, so that pages with its id have another word.
    pub(super) is_absent: bool,
}

/// The group of a term without alternatives.
pub(super) const ALONE: u8 = u8::MAX;
/// The share of a term that is not an alternative.
pub(super) const WHOLE: u8 = 8;

impl SubjectTerm {
    /// Creates a term of its own, which is not a word at a place of a text.
    pub(super) fn new(id: TermId, tf: u32, word: Option<String>) -> Self {
        let (at, group, share) = (usize::MAX, ALONE, WHOLE);
        Self { id, tf, word, at, group, share, typed: None, is_absent: false }
    }

    pub(super) fn from_text(TextTerm { id, tf, word, at }: TextTerm) -> Self {
        Self { at, ..Self::new(id, tf, Some(word)) }
    }

    /// Whether it is this word, as typed.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.typed.is_none() && self.word.as_deref() == Some(word)
    }

    /// Returns the weight of the term as in a bag of the text.
    pub(super) fn weight(&self, idf: u8) -> u64 {
        u64::from(idf) * (u64::from(rounded(self.tf)) << 16).isqrt()
    }

    /// Returns the factor by which the score weighs a page's [fit](crate::fit) to the term:
    /// `idf^0.75` times the square root of its frequency in the text, in 2^18ths.
    pub(super) fn score_weight(&self, idf: u8) -> u64 {
        self.shared(fit::weight(idf) * (u64::from(rounded(self.tf)) << 16).isqrt())
    }

    /// Returns the weight of the term in the coverage of the text.
    pub(super) fn coverage_weight(&self, idf: u8) -> u64 {
        self.shared(u64::from(idf) * u64::from(self.tf))
    }

    /// Returns the term's share of a value. A value above 0 stays above 0, so that a word on all
    /// pages is also found with a typo.
    pub(super) fn shared(&self, whole: u64) -> u64 {
        (whole * u64::from(self.share) / u64::from(WHOLE)).max(whole.min(1))
    }
}

/// The text or page of a lookup.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) bag: Bag,
    /// Ordered by id.
    pub(super) terms: Vec<SubjectTerm>,
    /// The pairs of characters of a text.
    pub(super) pairs: Pairs,
    /// The number of terms, each as often as it occurs.
    pub(super) length: u64,
    /// Whether it is a page of the site, or as long as one. Its candidates are then compared as a
    /// whole.
    pub(super) is_long: bool,
    /// The shingles of a text, if the index has sketches to compare them with.
    pub(super) known: Option<KnownShingles>,
    /// The source of its keys, if tables are read.
    pub(super) signature: Option<Signature>,
    /// The page itself, if it is in the index. It is not a result.
    pub(super) page: Option<u32>,
    /// The number of its language, or 0 if that is unknown or only assumed.
    pub(super) language: u32,
    /// Whether it comes from a search box.
    pub(super) is_typed: bool,
    /// Whether it is a short query, which says little of the page that is meant.
    pub(super) is_short: bool,
    /// The words that were split into two of the site.
    pub(super) splits: Vec<Correction>,
}

impl Subject {
    pub(super) fn from_text(
        index: &Index,
        terms: Vec<SubjectTerm>,
        pairs: Pairs,
        known: Option<KnownShingles>,
    ) -> Self {
        let length: u64 = terms.iter().map(|term| u64::from(term.tf)).sum();
        let mut subject = Self {
            bag: bag_of(index, &terms),
            is_long: LONG * length >= u64::from(index.manifest().mean_length),
            length,
            terms,
            pairs,
            known,
            signature: None,
            page: None,
            language: 0,
            is_typed: false,
            is_short: false,
            splits: Vec::new(),
        };
        subject.is_long &= subject.has_many_terms();
        subject
    }

    pub(super) fn from_page(page: u32, record: &PageRecord, words: Option<&WordShard>) -> Self {
        Self {
            bag: record.bag.clone(),
            length: length_of(record.length),
            terms: terms_of_page(record, words),
            pairs: Pairs::default(),
            is_long: true,
            known: None,
            signature: None,
            page: Some(page),
            language: record.language,
            is_typed: false,
            is_short: false,
            splits: Vec::new(),
        }
    }

    /// Returns a term and all other alternatives of the same word.
    pub(super) fn alternatives(&self, term: &SubjectTerm) -> impl Iterator<Item = &SubjectTerm> {
        let (id, group) = (term.id, term.group);
        let is_one = move |one: &&SubjectTerm| one.id == id || group != ALONE && one.group == group;
        self.terms.iter().filter(is_one)
    }

    /// Whether the subject is a single word, with its alternatives.
    pub(super) fn is_one_word(&self) -> bool {
        let first = self.terms.first();
        first.is_some_and(|first| self.alternatives(first).count() == self.terms.len())
    }

    /// Whether a term is part of what the subject means: it is the word itself, or a completion or
    /// a correction of one that the site lacks.
    pub(super) fn means(&self, term: &SubjectTerm) -> bool {
        let is_own = |one: &SubjectTerm| one.typed.is_none() && !one.is_absent;
        is_own(term) || !self.alternatives(term).any(is_own)
    }

    /// Whether a word was split into two of the site, or joined with its neighbor into one.
    pub(super) fn is_replaced(&self, term: &SubjectTerm) -> bool {
        let word = term.word.as_deref().unwrap_or_default();
        self.splits.iter().any(|split| split.from.split(' ').any(|part| part == word))
    }

    /// Makes all alternatives of a word as rare as the most common one, because the rarest is
    /// seldom meant, and no rarer than the word itself, if the site has it.
    pub(super) fn equalize_alternatives(&self, rarities: &mut [Rarity]) {
        let is_alternative = |term: &SubjectTerm| term.group != ALONE && term.typed.is_some();
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| is_alternative(term)) {
            let of_group = |other: &SubjectTerm| is_alternative(other) && other.group == term.group;
            let all = self.terms.iter().zip(&*rarities).filter(|(other, _)| of_group(other));
            let least = all.map(|(_, rarity)| rarity.idf).min();
            let is_own = |other: &SubjectTerm, rarity: &Rarity| {
                other.group == term.group
                    && other.typed.is_none()
                    && !other.is_absent
                    && !rarity.is_unmatched
            };
            let own = self.terms.iter().zip(&*rarities).find(|(other, own)| is_own(other, own));
            let own = own.map_or(u8::MAX, |(_, own)| own.idf);
            rarities[at].idf = least.unwrap_or(rarities[at].idf).min(own);
        }
    }

    /// Whether it is a part of a page rather than a page or a query.
    pub(super) fn is_passage(&self) -> bool {
        self.page.is_none() && !self.is_typed && !self.is_short
    }

    /// Whether it has enough different terms to be similar to a page as a whole.
    pub(super) fn has_many_terms(&self) -> bool {
        self.terms.len() >= FEW_TERMS
    }

    /// Returns the word to show for a term: the text's own, or the site's for a page, which has
    /// none for rare terms.
    pub(super) fn word(&self, id: TermId) -> Option<&str> {
        self.term(id)?.word.as_deref()
    }

    pub(super) fn term(&self, id: TermId) -> Option<&SubjectTerm> {
        let at = self.terms.binary_search_by_key(&id, |term| term.id).ok()?;
        Some(&self.terms[at])
    }
}
