//! What a crawl became, as a folder of files that are read in place.
//!
//! URLs are numbered in the order of their keys ([`url_key`]), from 0. Numbers are little-endian.
//!
//! | file | holds |
//! | --- | --- |
//! | `crawl.json` | [`Description`] |
//! | `urls` | of each URL a [`CrawledUrl`], one after the other |
//! | `urls.index` | of each URL its key (u64) and where it begins in `urls` (u64) |
//! | `pairs` | of each URL in turn its similar ones, most similar first: number (u32), similarity in thousandths (u16); of twins only the first stands here |
//! | `pairs.index` | of each URL how many entries of `pairs` stand before its own (u64), and at the end of all |
//! | `centers` | of each URL the number of the center of its cluster (u32), which may be above its own; a center, and a URL alone, is its own |
//! | `twins` | of each URL the number of the first of its twins (u32), which have the same pairs and a similarity of 1; a URL alone is its own |
//! | `twins.groups` | of each URL that is not the first of its twins that one (u32) and its own number (u32), in this order |
//! | `checksums` | of each file the [checksums](crate::folder::checksums) of its blocks |
//! | `terms` | of each term that is not too rare to count a [`CrawledTerm`], in the order of the ids |
//! | `terms.index` | of each 64th of them its id (u32) and where it begins in `terms` (u64) |
//! | `in-links` | if links were kept: of each URL how many URLs link to it (u32) |
//! | `signatures`, `signatures.index` | if asked for: the URLs by the values of their signatures, see `values` |
//!
//! So "what is related to this URL?" is a binary search in `urls.index`, one place in `pairs.index`
//! and one run of `pairs`, and for each URL there a binary search for its twins: no file is read
//! whole, whatever the size of the crawl.
//!
//! Twins are URLs of equal bags, or, where signatures have the last word, of equal signatures. Were
//! their pairs stored, `n` copies of a page would take `n^2 / 2` of them.

use pagekin_core::bag::{BagRules, Frequency, Rounding};
use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_core::vocabulary::TermId;
use pagekin_core::{Preset, hash};
use serde::{Deserialize, Serialize};

/// The place of a URL in the order of the crawl: XXH64 of its bytes. URLs that share a key are in
/// the order of their bytes.
#[must_use]
pub fn url_key(url: &str) -> u64 {
    hash::of_bytes(url.as_bytes())
}

/// The file with the description.
pub const DESCRIPTION_NAME: &str = "crawl.json";

/// The version of the files that this program writes, and the only one it reads.
pub const CRAWL_VERSION: u32 = 5;

/// Bytes of an entry of `urls.index`, and of one of `pairs`.
pub(crate) const URL_ENTRY: u64 = 16;

pub(crate) const PAIR_ENTRY: u64 = 6;

/// Bytes of an entry of `twins.groups`.
pub(crate) const GROUP_ENTRY: u64 = 8;

/// The file of the numbers of in-links.
pub(crate) const IN_LINKS: &str = "in-links";

/// Bytes of an entry of `terms.index`, and the terms from one to the next.
pub(crate) const TERM_ENTRY: u64 = 12;

pub(crate) const TERM_STEP: usize = 64;

/// The similarity of twins, in thousandths.
pub(crate) const EQUAL: u16 = 1_000;

/// The first of the twins and the URL of an entry of `twins.groups`.
pub(crate) fn group_entry([a, b, c, d, e, f, g, h]: [u8; GROUP_ENTRY as usize]) -> (u32, u32) {
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// The number and the similarity of an entry of `pairs`.
pub(crate) fn pair_entry([a, b, c, d, e, f]: [u8; PAIR_ENTRY as usize]) -> (u32, u16) {
    (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
}

/// The description of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// [`CRAWL_VERSION`].
    pub version: u32,
    /// URLs that have a bag.
    pub urls: u32,
    /// Pairs of similar URLs.
    pub pairs: u64,
    /// Those of them that `pairs` holds.
    pub stored_pairs: u64,
    /// The minimum similarity of a pair, in thousandths.
    pub threshold: u16,
    /// What bags are made of.
    pub bags: BagSource,
    /// The parameters of bags and signatures by their name.
    #[serde(with = "PresetName")]
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// How bags were made: as the preset says in the program that wrote them.
    #[serde(with = "WrittenRules")]
    pub rules: BagRules,
    /// Document frequencies are out of so many: different texts of which something was said, if
    /// nothing that counts; by the paper's preset URLs.
    pub spoken_of: u32,
    /// The language of pages that named none.
    pub lang: String,
    /// The languages of the pages that were read, most pages first.
    pub languages: Vec<(String, u32)>,
    /// Whether there are the URLs by the values of their signatures.
    #[serde(default)]
    pub signatures: bool,
    /// Whether there is how many URLs link to each.
    #[serde(default)]
    pub in_links: bool,
    /// How strings became bags, if what was clustered are strings: then URLs are their names, a
    /// title is the string itself, or empty if that is the name, and no bags are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strings: Option<StringRules>,
}

/// How strings became bags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StringRules(#[serde(with = "WrittenQGrams")] pub QGrams);

/// [`QGrams`] as an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "QGrams")]
struct WrittenQGrams {
    #[serde(with = "AlphabetName")]
    alphabet: Alphabet,
    q: u8,
    both_strands: bool,
    common: Vec<TermId>,
}

/// An [`Alphabet`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Alphabet", rename_all = "lowercase")]
enum AlphabetName {
    Dna,
    Text,
}

/// A [`Preset`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Preset", rename_all = "lowercase")]
enum PresetName {
    Web,
    Paper,
}

/// [`BagRules`] as an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "BagRules")]
struct WrittenRules {
    sum: u16,
    #[serde(with = "RoundingName")]
    rounding: Rounding,
    #[serde(with = "FrequencyName")]
    frequency: Frequency,
    max_terms: u16,
}

/// A [`Rounding`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Rounding", rename_all = "kebab-case")]
enum RoundingName {
    LargestRemainder,
    Dithered,
}

/// A [`Frequency`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Frequency", rename_all = "kebab-case")]
enum FrequencyName {
    Linear,
    SquareRoot,
}

/// A term of a crawl. Its id is the [`word_id`](pagekin_pages::site::word_ids::word_id) of its
/// stem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledTerm {
    /// The texts it is in, or by the paper's preset the URLs it is said of.
    pub df: u32,
    /// The stem; of several that share the id, the first in the alphabet.
    pub stem: Box<str>,
    /// The word that most often stood for it.
    pub word: Box<str>,
}

/// A URL of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledUrl {
    /// The URL.
    pub url: String,
    /// The title of its page, or empty.
    pub title: String,
    /// The fragments its bag was made of: how often something was said of it.
    pub fragments: u32,
    /// The terms of its bag in ascending order, each with its copies.
    pub bag: Vec<(TermId, u16)>,
}

/// What bags are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BagSource {
    /// The text of the page itself.
    Content,
    /// Titles and what is said beside links: the paper's choice.
    #[default]
    Anchor,
    /// Both.
    Both,
}

impl BagSource {
    pub(crate) fn takes_content(self) -> bool {
        self != Self::Anchor
    }

    pub(crate) fn takes_anchors(self) -> bool {
        self != Self::Content
    }
}

/// Of a pair on disk.
pub(crate) const PAIR_BYTES: usize = 10;

/// Two similar pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredPair {
    /// A page by its number.
    pub page: u32,
    /// Another that is like it.
    pub other: u32,
    /// How similar they are, in thousandths, 0 to 1,000.
    pub thousandths: u16,
}

impl StoredPair {
    /// The same pair the other way round.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { page: self.other, other: self.page, ..self }
    }

    pub(crate) fn to_bytes(self) -> [u8; PAIR_BYTES] {
        let mut bytes = [0; PAIR_BYTES];
        bytes[..4].copy_from_slice(&self.page.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.other.to_le_bytes());
        bytes[8..].copy_from_slice(&self.thousandths.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; PAIR_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = bytes;
        Self {
            page: u32::from_le_bytes([a, b, c, d]),
            other: u32::from_le_bytes([e, f, g, h]),
            thousandths: u16::from_le_bytes([i, j]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::vocabulary::term_id;
    use pagekin_pages::site::word_ids::{index_term, word_id};

    #[test]
    fn the_id_of_a_word_begins_with_that_of_an_index() {
        for stem in ["rye", "loaf", "bäckerei", "東京", "x"] {
            assert_eq!(index_term(word_id(stem)), term_id(stem), "{stem}");
        }
    }

    #[test]
    fn few_of_many_words_share_an_id() {
        // Four letters each.
        let stem = |n: u32| [15, 10, 5, 0].map(|bits| char::from(b'a' + (n >> bits & 15) as u8));
        let shared = |id: fn(&str) -> TermId| {
            let mut ids: Vec<TermId> = (0..1 << 18)
                .filter(|n| n & 0x4210 == 0)
                .map(|n| id(&String::from_iter(stem(n))))
                .collect();
            let words = ids.len();
            ids.sort_unstable();
            ids.dedup();
            (words, words - ids.len())
        };
        let (words, of_index) = shared(term_id);
        let (_, of_crawl) = shared(word_id);
        // By arithmetic n^2 / 2^(bits + 1).
        assert!(words > 16_000 && of_index > 2 && of_crawl == 0, "{words} {of_index} {of_crawl}");
    }
}
