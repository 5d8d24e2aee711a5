//! What is asked: a text into its terms and their bag.

use super::pairs::{Pair, Pairs};
use super::score::Rarity;
use crate::bag::{Bag, FREQUENCIES, rounded};
use crate::fit::{self, length_of};
use crate::index::Index;
use crate::minhash::Signature;
use crate::near::sketch::KnownShingles;
use crate::shard::{PageRecord, PageTerm, ReadError, WordShard};
use crate::terms::{Analyzer, Language, TextTerm, Words, of_script};
use crate::vocabulary::{TermId, term_id};

/// Why a lookup has no answer.
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
        /// What the text has.
        found: &'static str,
    },
    /// No page has this address.
    #[error(
        "the index has no page {url}: expected the URL of a page under {base_url}, as in the site's own links. Redirects, \
         noindex pages and pages without words are not indexed"
    )]
    UnknownUrl {
        /// The address that was asked for.
        url: String,
        /// The base URL of the site; with several hosts, what all URLs start with.
        base_url: String,
    },
}

impl QueryError {
    /// Of a text without terms.
    pub(super) fn empty(text: &str) -> Self {
        let is_blank = text.trim().is_empty();
        Self::EmptyQuery {
            found: if is_blank { "nothing" } else { "no words, or only stop words" },
        }
    }

    /// A short name for programs: that of the [`ReadError`], or `EmptyQuery`, `UnknownUrl`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::EmptyQuery { .. } => "EmptyQuery",
            Self::UnknownUrl { .. } => "UnknownUrl",
        }
    }
}

/// The language that a text was read in: one of the site's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLanguage {
    /// The language.
    pub language: Language,
    /// Why this one.
    pub by: LanguageBy,
}

/// Why a text was read in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageBy {
    /// The caller named it.
    Given,
    /// It is the only one of the site's that is written in the script of the text, or of these the
    /// text has most of its stop words.
    Guessed,
    /// Nothing tells it from others of the site's, of which it is the most common one.
    Assumed,
}

impl LanguageBy {
    /// Its name for programs: `given`, `guessed` or `assumed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Guessed => "guessed",
            Self::Assumed => "assumed",
        }
    }
}

/// The bag of a text in the language of a tag such as `en-GB`, if the site has pages in it.
/// Otherwise, or if the tag is empty or invalid, the language is guessed among those of the site
/// that are written in the text's script ([`of_script`]): it is the one whose stop words the text
/// has most of, or else the site's most common one. So a browser with only the stemmers of the
/// site's languages gives the same answer as a program with all of them. Words outside the site's
/// vocabulary are not in the bag.
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

/// The language that [`bag_of_text`] takes a text for; `None` if no language of the site is written
/// in its script.
#[must_use]
pub fn language_of(index: &Index, words: &Words<'_>, lang: &str) -> Option<TextLanguage> {
    let manifest = index.manifest();
    let languages = manifest.languages.iter().map(|(language, _)| language);
    let given = Language::from_tag(lang);
    if let Some(language) = given.filter(|given| languages.clone().any(|one| one == given)) {
        return Some(TextLanguage { language, by: LanguageBy::Given });
    }
    let among = of_script(words, languages);
    let (guessed, by) = match manifest.stop.guess(words, among.iter().copied()) {
        Some(language) => (language, LanguageBy::Guessed),
        None if among.len() == 1 => (among[0], LanguageBy::Guessed),
        None => (*among.first()?, LanguageBy::Assumed),
    };
    Some(TextLanguage { language: guessed.clone(), by })
}

/// What turns the words of a text in this language into terms.
#[must_use]
pub fn analyzer<'a>(index: &'a Index, language: Option<&TextLanguage>) -> Analyzer<'a> {
    let undetermined = Language::undetermined();
    let language = language.map_or(&undetermined, |known| &known.language);
    Analyzer::new(language, &index.manifest().stop)
}

/// The terms of a text in its language, in the order of their ids.
pub(super) fn terms_of(
    index: &Index,
    words: &Words<'_>,
    language: Option<&TextLanguage>,
) -> Result<Vec<SubjectTerm>, QueryError> {
    let terms = analyzer(index, language).counts(words, index.manifest().texts);
    if terms.is_empty() {
        return Err(QueryError::empty(words.text()));
    }
    Ok(terms.into_iter().map(SubjectTerm::from_text).collect())
}

/// The pairs of characters among the words of a text, as far as they are joined.
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

/// So many words of a text, its first, are looked through for pairs that can be joined.
const MAX_PAIRS: usize = 1 << 16;

/// The terms of a page's record, in the order of their ids, with the site's words for them.
pub(super) fn terms_of_page(record: &PageRecord, words: Option<&WordShard>) -> Vec<SubjectTerm> {
    let terms = record.terms.iter().filter(|term| !term.is_outside);
    let term = |&PageTerm { id, class, .. }: &PageTerm| SubjectTerm {
        id,
        tf: FREQUENCIES[usize::from(class)].into(),
        word: words.and_then(|words| words.word(id)).map(str::to_owned),
        at: usize::MAX,
        group: ALONE,
        share: WHOLE,
        typed: None,
    };
    terms.map(term).collect()
}

/// The bag of these terms.
fn bag_of(index: &Index, terms: &[SubjectTerm]) -> Bag {
    let manifest = index.manifest();
    let counts: Vec<(TermId, u32)> = terms.iter().map(|term| (term.id, term.tf)).collect();
    Bag::weigh(&counts, &manifest.vocabulary, &manifest.params.bag)
}

/// The ids of the terms of a title, in the language that it seems to be of.
pub(super) fn terms_of_title(index: &Index, title: &str) -> Vec<TermId> {
    let words = Words::new(title);
    let language = language_of(index, &words, "");
    let terms = analyzer(index, language.as_ref()).counts(&words, index.manifest().texts);
    terms.into_iter().map(|term| term.id).collect()
}

/// A text that has so many times fewer terms than the site's pages on average, or so few different
/// ones, is surely a passage.
const LONG: u64 = 6;
const FEW_TERMS: usize = 24;

/// A term of what is looked for.
#[derive(Debug, Clone)]
pub(super) struct SubjectTerm {
    pub(super) id: TermId,
    /// How often the text has it; of a page, about how often.
    pub(super) tf: u32,
    /// The word that people are shown for it.
    pub(super) word: Option<String>,
    /// Which of the text's words that is; none of an identifier and of a page.
    pub(super) at: usize,
    /// Of words of a search box that may be taken for others: the terms of one of them are of one
    /// group, and a page has of it what counts most. [`ALONE`] for all other terms.
    pub(super) group: u8,
    /// What it counts, in [`WHOLE`]ths: less if it is not what was typed.
    pub(super) share: u8,
    /// The word that was typed, of what it may be taken for.
    pub(super) typed: Option<String>,
}

/// The group of a term that has no alternatives.
pub(super) const ALONE: u8 = u8::MAX;
/// The share of a term that is what was typed.
pub(super) const WHOLE: u8 = 8;

impl SubjectTerm {
    /// Of a text.
    pub(super) fn from_text(TextTerm { id, tf, word, at }: TextTerm) -> Self {
        Self { id, tf, word: Some(word), at, group: ALONE, share: WHOLE, typed: None }
    }

    /// How much the term says of what the text is about, as in its bag.
    pub(super) fn weight(&self, idf: u8) -> u64 {
        u64::from(idf) * (u64::from(rounded(self.tf)) << 16).isqrt()
    }

    /// The factor of how well a page [fits](crate::fit) the term, in its score: `idf^0.75` times
    /// the root of how often the text has it, in 2^18ths.
    pub(super) fn score_weight(&self, idf: u8) -> u64 {
        self.shared(fit::weight(idf) * (u64::from(rounded(self.tf)) << 16).isqrt())
    }

    /// How much of the text the term is.
    pub(super) fn found_weight(&self, idf: u8) -> u64 {
        self.shared(u64::from(idf) * u64::from(self.tf))
    }

    /// Its share of what a term counts.
    pub(super) fn shared(&self, whole: u64) -> u64 {
        whole * u64::from(self.share) / u64::from(WHOLE)
    }
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) bag: Bag,
    /// In the order of their ids.
    pub(super) terms: Vec<SubjectTerm>,
    /// Of a text its pairs of characters.
    pub(super) pairs: Pairs,
    /// How many terms it has, each as often as it occurs.
    pub(super) length: u64,
    /// Whether it is a page of the site, or may be one by its length: its candidates are compared
    /// as a whole then.
    pub(super) is_long: bool,
    /// The shingles of a text, if the index has sketches to compare them with.
    pub(super) known: Option<KnownShingles>,
    /// That its keys are made of, if tables are read.
    pub(super) signature: Option<Signature>,
    /// The page itself, if it is one of the index: not kin of itself.
    pub(super) page: Option<u32>,
    /// Whether it is of a search box.
    pub(super) is_typed: bool,
}

impl Subject {
    /// Of a text.
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
            is_typed: false,
        };
        subject.is_long &= subject.has_many_terms();
        subject
    }

    /// Of a page of the index.
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
            is_typed: false,
        }
    }

    /// A term of it, and all others that the same word may be taken for.
    pub(super) fn alternatives(&self, term: &SubjectTerm) -> impl Iterator<Item = &SubjectTerm> {
        let (id, group) = (term.id, term.group);
        let is_one = move |one: &&SubjectTerm| one.id == id || group != ALONE && one.group == group;
        self.terms.iter().filter(is_one)
    }

    /// Makes all that a word may be taken for as rare as the commonest of it: the rarest is not
    /// what is meant most.
    pub(super) fn even(&self, rarities: &mut [Rarity]) {
        let is_taken = |term: &SubjectTerm| term.group != ALONE && term.typed.is_some();
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| is_taken(term)) {
            let of_group = |other: &SubjectTerm| is_taken(other) && other.group == term.group;
            let all = self.terms.iter().zip(&*rarities).filter(|(other, _)| of_group(other));
            let least = all.map(|(_, rarity)| rarity.idf).min();
            rarities[at].idf = least.unwrap_or(rarities[at].idf);
        }
    }

    /// Whether it has so many different terms that it may be like a page as a whole.
    pub(super) fn has_many_terms(&self) -> bool {
        self.terms.len() >= FEW_TERMS
    }

    /// The word that people are shown for a term: the text's own; for one of a page the site's,
    /// none for a rare one.
    pub(super) fn word(&self, id: TermId) -> Option<&str> {
        self.term(id)?.word.as_deref()
    }

    /// One of its terms.
    pub(super) fn term(&self, id: TermId) -> Option<&SubjectTerm> {
        let at = self.terms.binary_search_by_key(&id, |term| term.id).ok()?;
        Some(&self.terms[at])
    }
}
