//! The format of a clustered crawl: a folder of files that are read in place.
//!
//! URLs are numbered from 0 in the order of their keys ([`url_key`]). Numbers are little-endian.
//!
//! | file | content |
//! | --- | --- |
//! | `crawl.json` | [`Description`] |
//! | `urls` | a [`CrawledUrl`] per URL, back to back |
//! | `urls.index` | per URL, its key (u64) and the offset of its record in `urls` (u64) |
//! | `pairs` | per URL, its similar URLs, most similar first: number (u32), similarity in thousandths (u16); only the first of a group of twins is listed |
//! | `pairs.index` | per URL, the number of entries of `pairs` before its own (u64), then the number of all entries |
//! | `centers` | per URL, the number of the center of its cluster (u32), which may be above its own; a center, and a URL without a cluster, is its own |
//! | `twins` | per URL, the number of the first of its twins (u32), which have the same pairs and a similarity of 1; a URL without twins is its own |
//! | `twins.groups` | per URL that is not the first of its twins, the number of the first (u32) and its own (u32), sorted |
//! | `checksums` | the [checksums](crate::folder::checksums) of the blocks of each file |
//! | `terms` | a [`CrawledTerm`] per term that is not too rare to count, in the order of the ids |
//! | `terms.index` | per 64th of these terms, its id (u32) and its offset in `terms` (u64) |
//! | `in-links` | with links only: per URL, the number of URLs that link to it (u32) |
//! | `signatures`, `signatures.index` | with signatures only: the URLs by the values of their signatures, see `values` |
//!
//! To find the URLs related to one URL takes a binary search in `urls.index`, one read of
//! `pairs.index`, one run of `pairs`, and a binary search for the twins of each URL in it. No file
//! is read as a whole, whatever the size of the crawl.
//!
//! Twins are URLs with equal bags or, if signatures verify pairs, with equal signatures. Storing
//! all pairs of `n` copies of a page would take `n^2 / 2` entries.

use pagekin_core::bag::{BagRules, Frequency, Rounding};
use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_core::vocabulary::TermId;
use pagekin_core::{Preset, hash};
use serde::{Deserialize, Serialize};

/// Returns the sort key of a URL: XXH64 of its bytes. URLs with the same key are sorted by their
/// bytes.
#[must_use]
pub fn url_key(url: &str) -> u64 {
    hash::of_bytes(url.as_bytes())
}

/// Name of the file with the [`Description`].
pub const DESCRIPTION_NAME: &str = "crawl.json";

/// Version of the files that this program writes. It reads no other version.
pub const CRAWL_VERSION: u32 = 1;

/// Bytes of an entry of `urls.index`.
pub(crate) const URL_ENTRY: u64 = 16;
/// Bytes of an entry of `pairs`.
pub(crate) const PAIR_ENTRY: u64 = 6;

/// Bytes of an entry of `twins.groups`.
pub(crate) const GROUP_ENTRY: u64 = 8;

/// File with the number of in-links of each URL.
pub(crate) const IN_LINKS: &str = "in-links";

/// Bytes of an entry of `terms.index`.
pub(crate) const TERM_ENTRY: u64 = 12;
/// Number of terms per entry of `terms.index`.
pub(crate) const TERM_STEP: usize = 64;

/// The similarity of twins, in thousandths.
pub(crate) const EQUAL: u16 = 1_000;

/// Returns the first twin and the URL of an entry of `twins.groups`.
pub(crate) fn group_entry([a, b, c, d, e, f, g, h]: [u8; GROUP_ENTRY as usize]) -> (u32, u32) {
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// Returns the number and the similarity of an entry of `pairs`.
pub(crate) fn pair_entry([a, b, c, d, e, f]: [u8; PAIR_ENTRY as usize]) -> (u32, u16) {
    (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
}

/// The description of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Version of the format, [`CRAWL_VERSION`].
    pub version: u32,
    /// Number of URLs with a bag.
    pub urls: u32,
    /// Number of pairs of similar URLs.
    pub pairs: u64,
    /// Number of the pairs that `pairs` contains.
    pub stored_pairs: u64,
    /// Minimum similarity of a pair, in thousandths.
    pub threshold: u16,
    /// Source of the terms in bags.
    pub bags: BagSource,
    /// Preset of the parameters of bags and signatures.
    #[serde(with = "PresetName")]
    pub preset: Preset,
    /// Seed of the hash family.
    pub seed: u64,
    /// Rules for bags: those of the preset in the program version that wrote the crawl.
    #[serde(with = "WrittenRules")]
    pub rules: BagRules,
    /// Number that document frequencies are out of: different texts with fragments, including those
    /// without terms that count. With the paper's preset, URLs.
    pub mentioned: u32,
    /// Language of pages that name none.
    pub lang: String,
    /// Languages of the pages that were read, with their numbers of pages, most pages first.
    pub languages: Vec<(String, u32)>,
    /// Whether the folder contains the URLs by the values of their signatures.
    #[serde(default)]
    pub signatures: bool,
    /// Whether the folder contains the number of URLs that link to each URL.
    #[serde(default)]
    pub in_links: bool,
    /// How strings became bags, if strings were clustered. URLs are then the names of strings, a
    /// title is the string itself, or empty if the string is its own name, and no bags are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strings: Option<StringRules>,
}

/// How strings became bags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StringRules(#[serde(with = "WrittenQGrams")] pub QGrams);

/// Serializes [`QGrams`] as an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "QGrams")]
struct WrittenQGrams {
    #[serde(with = "AlphabetName")]
    alphabet: Alphabet,
    q: u8,
    both_strands: bool,
    common: Vec<TermId>,
}

/// Serializes an [`Alphabet`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Alphabet", rename_all = "lowercase")]
enum AlphabetName {
    Dna,
    Text,
}

/// Serializes a [`Preset`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Preset", rename_all = "lowercase")]
enum PresetName {
    Web,
    Paper,
}

/// Serializes [`BagRules`] as an object.
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

/// Serializes a [`Rounding`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Rounding", rename_all = "kebab-case")]
enum RoundingName {
    LargestRemainder,
    Dithered,
}

/// Serializes a [`Frequency`] as its name.
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
    /// Number of texts that contain the term. With the paper's preset, the number of URLs.
    pub df: u32,
    /// The stem. If several stems share the id, the alphabetically first.
    pub stem: Box<str>,
    /// The most frequent word with this stem.
    pub word: Box<str>,
}

/// A URL of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledUrl {
    /// The URL in its normal form.
    pub url: String,
    /// Title of the page, or empty.
    pub title: String,
    /// Number of fragments about the URL, which its bag was built from.
    pub fragments: u32,
    /// Terms of the bag in ascending order, with their counts.
    pub bag: Vec<(TermId, u16)>,
}

/// The source of the terms in bags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BagSource {
    /// The text of the page itself.
    Content,
    /// Titles and the text around links, as in the paper.
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

/// Bytes of a pair on disk.
pub(crate) const PAIR_BYTES: usize = 10;

/// Two similar pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredPair {
    /// Number of a page.
    pub page: u32,
    /// Number of a similar page.
    pub other: u32,
    /// Similarity in thousandths, 0 to 1,000.
    pub thousandths: u16,
}

impl StoredPair {
    /// Returns the pair in the other direction.
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
    fn the_id_of_a_word_starts_with_its_id_in_an_index() {
        for stem in ["rye", "loaf", "bäckerei", "東京", "xy"] {
            assert_eq!(index_term(word_id(stem)), term_id(stem), "{stem}");
        }
    }

    #[test]
    fn few_words_share_an_id() {
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
        // Expected number: n^2 / 2^(bits + 1).
        assert!(words > 16_000 && of_index > 2 && of_crawl == 0, "{words} {of_index} {of_crawl}");
    }
}
