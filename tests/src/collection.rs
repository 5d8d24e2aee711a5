//! Generated collections of any size, for the benchmarks. Some of their pages are planted as
//! related.
//!
//! Page `at` of a [`Collection`] is a function of only the seed and `at`. Nothing is stored: any
//! thread can generate any page, in about 0.1 ms, and a million pages take no memory.
//!
//! # The model
//!
//! *Words* are numbers, the most common first, and each number has its own pronounceable word
//! ([`word`]). The probability of a word falls as `1 / (rank + 2.7)` up to rank 4,000 and as
//! `rank^-1.7` beyond (Zipf and Mandelbrot; Ferrer i Cancho and Solé 2001 found two such regimes in
//! English). The ranks are unbounded, so the vocabulary grows with the collection as `n^(1 / 1.7)`
//! (Heaps). There are no stop words, and stemmers leave the endings unchanged.
//!
//! *Topics*: there is one for every 200 pages, and 20 of them form a section. There are also 8
//! registers, whose pages use some common words more often. A page draws its words from all words
//! and from those of its register, its section and its topic, in the proportions of `BACKGROUND`
//! and the constants after it; a few words are its own. Its length is log-normal with median 120,
//! from 20 to 5,000 words, which corresponds to 250 words in a text with half stop words. Two
//! sentences of its section are on every page, as frame that got into the text.
//!
//! *Planted*: of each 1,000 pages, 200 are in groups of 2 to 20. A group consists of a base and
//! copies of it; each copy replaces a part of the distinct words, so that its similarity to the
//! base is near a value drawn uniformly from 0.2 to 0.95 ([`Collection::planted`]). 20 pages fill
//! in one of four large templates; 5 are a page under another URL. Half of the copies are in other
//! sections than their bases.
//!
//! # Comparison with the web
//!
//! `cargo xtask bench retrieval` reports these numbers of a collection. Those of the Python,
//! PostgreSQL, Boost and Rust documentation are of the published sites.
//!
//! | | pages | distinct terms a page | of them in a bag | random pages' similarity | with ten true kin |
//! | --- | ---: | ---: | ---: | ---: | ---: |
//! | Python | 530 | 391 | 55.0 | 0.0074 | 0% |
//! | PostgreSQL | 1,167 | 156 | 45.5 | 0.0101 | 1% |
//! | Boost | 7,608 | 80 | 26.5 | 0.0138 | 67% |
//! | Rust | 32,900 | 53 | 19.4 | 0.0162 | 81% |
//! | `--generated 10000` | 10,000 | 143 | 54.5 | 0.0043 | 7% |
//! | `--generated 100000` | 100,000 | 133 | 59.0 | 0.0031 | 13% |
//!
//! So a generated page is as long as one of prose, and its record as large. Generated references,
//! which are short and very similar, cost less. The collection resembles the web in its skewed
//! words, growing vocabulary, topics, frames, templates, and near and exact copies. It differs in
//! these respects: words have no order and are independent of each other, two random pages share
//! less, all pages are in one language, and a topic has the same number of pages however large the
//! collection is.

use std::io;
use std::path::PathBuf;

use pagekin_core::hash::{self, SplitMix64};
use pagekin_pages::{PageSource, SourcePage};

/// Number of pages per lot. Each lot contains every kind of page in fixed numbers.
const LOT: u64 = 1_000;
/// Numbers of grouped pages, filled-in templates and exact copies in a lot, in this order.
const GROUPED: u64 = 200;
const FILLED_IN: u64 = 20;
const COPIES: u64 = 5;
const GROUP_SIZES: std::ops::RangeInclusive<u64> = 2..=20;
/// The range of similarities of copies and their bases.
const PLANTED: std::ops::Range<f64> = 0.2..0.95;

/// Maximum number of words of the title in a page's URL.
const SLUG_WORDS: usize = 4;
const TOPIC_PAGES: u64 = 200;
const SECTION_TOPICS: u64 = 20;
const REGISTERS: u64 = 8;
/// Numbers of characteristic words of a topic and of a section with the ranges of their ranks, and
/// the number for a register.
const TOPIC_WORDS: (f64, std::ops::Range<f64>) = (300.0, 300.0..100_000.0);
const REGISTER_WORDS: (f64, std::ops::Range<f64>) = (60.0, 100.0..3_000.0);
/// Shares of the words of a page.
const BACKGROUND: f64 = 0.45;
const OF_REGISTER: f64 = 0.22;
const OF_SECTION: f64 = 0.10;
const OWN: f64 = 0.02;
const LENGTH: std::ops::RangeInclusive<f64> = 20.0..=5_000.0;
const MEDIAN_LENGTH: f64 = 120.0;
/// Standard deviation of the logarithm of the length.
const LENGTH_SIGMA: f64 = 0.9;
const CHROME_SENTENCES: u64 = 2;
const TEMPLATES: u32 = 4;
const TEMPLATE_WORDS: u64 = 120;
const SLOT_WORDS: u64 = 60;

/// The Mandelbrot shift of ranks, the first rank of rare words, and their exponent.
const SHIFT: f64 = 2.7;
const RARE: f64 = 4_000.0;
const RARE_EXPONENT: f64 = 1.7;
/// First rank of words of single pages, far above all ranks that are drawn.
const OWN_WORDS: u64 = 1 << 48;

/// A generated collection of pages.
#[derive(Debug, Clone, Copy)]
pub struct Collection {
    pages: u64,
    seed: u64,
}

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A page without relations, or the base of a group.
    Plain,
    /// A copy of page `base` with a part of the words replaced.
    Varied { base: u64, similarity: f64 },
    /// A page of a large template.
    FilledIn { template: u32 },
    /// Page `of` under another URL.
    Copy { of: u64 },
}

/// The purpose of a stream of random numbers. Each purpose has its own stream.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Lot,
    Topic,
    Words,
    TopicWord,
    SectionWord,
    RegisterWord,
    Chrome,
    Template,
    Slots,
    Variation,
    Replacement,
    Place,
    Title,
    SectionName,
    TopicName,
}

impl Collection {
    /// Returns a collection of `pages` pages.
    #[must_use]
    pub fn new(pages: u64, seed: u64) -> Self {
        Self { pages, seed }
    }

    /// Returns the number of the page with a URL, if it is in this collection.
    #[must_use]
    pub fn number_of(&self, url: &str) -> Option<u64> {
        let digits = url.strip_suffix(".html")?.rsplit('-').next()?;
        let at = digits.parse().ok().filter(|at| *at < self.pages)?;
        (self.url(at) == url).then_some(at)
    }

    /// Returns the page that page `at` is planted to be similar to, with their approximate
    /// similarity.
    #[must_use]
    pub fn planted(&self, at: u64) -> Option<(u64, f64)> {
        match self.kind(at) {
            Kind::Varied { base, similarity } => Some((base, similarity)),
            Kind::Copy { of } => Some((of, 1.0)),
            Kind::Plain | Kind::FilledIn { .. } => None,
        }
    }

    fn kind(&self, at: u64) -> Kind {
        let (lot, place) = (at / LOT * LOT, at % LOT);
        if place < GROUPED {
            let mut random = self.random(Purpose::Lot, lot);
            let mut base = 0;
            // Small groups are frequent: P(size) ~ size^-1.5.
            loop {
                let (min, max) = (*GROUP_SIZES.start() as f64, *GROUP_SIZES.end() as f64 + 1.0);
                let size = power_law(unit(&mut random), min, max, 1.5) as u64;
                // A single page is not a group.
                let end = if base + size + 1 >= GROUPED { GROUPED } else { base + size };
                if place == base {
                    return Kind::Plain;
                }
                if place < end {
                    let mut random = self.random(Purpose::Variation, at);
                    let similarity =
                        PLANTED.start + (PLANTED.end - PLANTED.start) * unit(&mut random);
                    return Kind::Varied { base: lot + base, similarity };
                }
                base = end;
            }
        }
        let mut random = self.random(Purpose::Variation, at);
        if place < GROUPED + FILLED_IN {
            return Kind::FilledIn { template: random.below(TEMPLATES) };
        }
        let planted = GROUPED + FILLED_IN + COPIES;
        let plain = (self.pages - lot).min(LOT).saturating_sub(planted);
        if place < planted && plain > 0 {
            return Kind::Copy { of: lot + planted + u64::from(random.below(plain as u32)) };
        }
        Kind::Plain
    }

    /// Returns the topic of a page, and the topic in its URL.
    fn topics(&self, at: u64) -> (u64, u64) {
        let any = |at: u64| {
            let topics = self.pages.div_ceil(TOPIC_PAGES).max(1);
            u64::from(self.random(Purpose::Topic, at).below(topics as u32))
        };
        match self.kind(at) {
            Kind::Plain => (any(at), any(at)),
            Kind::FilledIn { template } => (u64::from(template), u64::from(template)),
            Kind::Varied { base: of, .. } | Kind::Copy { of } => {
                let moved = self.random(Purpose::Place, at).below(2) == 1;
                (any(of), if moved { any(at) } else { any(of) })
            }
        }
    }

    /// Returns the ranks of the words of a page, in order.
    fn ranks(&self, at: u64) -> Vec<u64> {
        let (topic, place) = self.topics(at);
        let mut ranks = match self.kind(at) {
            Kind::Plain => self.plain(at, topic),
            Kind::Copy { of } => self.plain(of, topic),
            Kind::Varied { base, similarity } => self.varied(at, base, topic, similarity),
            Kind::FilledIn { template } => self.filled_in(at, template),
        };
        let section = place / SECTION_TOPICS;
        for sentence in 0..CHROME_SENTENCES {
            let mut random = self.random(Purpose::Chrome, section * CHROME_SENTENCES + sentence);
            let words = 6 + random.below(10);
            ranks.extend(
                (0..words).map(|_| self.word_of_topic(&mut random, section * SECTION_TOPICS)),
            );
        }
        ranks
    }

    fn plain(&self, at: u64, topic: u64) -> Vec<u64> {
        let mut random = self.random(Purpose::Words, at);
        let length = MEDIAN_LENGTH * libm::exp(LENGTH_SIGMA * normal(&mut random));
        let length = length.clamp(*LENGTH.start(), *LENGTH.end()) as u64;
        (0..length)
            .map(|_| {
                if unit(&mut random) < OWN {
                    // Some of them repeat.
                    OWN_WORDS + at * 100 + power_law(unit(&mut random), 1.0, 100.0, 1.0) as u64
                } else {
                    self.word_of_topic(&mut random, topic)
                }
            })
            .collect()
    }

    /// Returns page `base` with a part of its words replaced. A word is replaced either everywhere
    /// or nowhere. If the unchanged words are a share `f` of the weight of either page, their
    /// similarity is `f / (2 - f)`.
    fn varied(&self, at: u64, base: u64, topic: u64, similarity: f64) -> Vec<u64> {
        let stay = 2.0 * similarity / (1.0 + similarity);
        let draw = self.random(Purpose::Replacement, at).next_u64();
        let replace = |rank: u64| {
            let mut random = SplitMix64::new(draw ^ hash::mix(rank));
            if unit(&mut random) < stay { rank } else { self.word_of_topic(&mut random, topic) }
        };
        self.plain(base, topic).into_iter().map(replace).collect()
    }

    fn filled_in(&self, at: u64, template: u32) -> Vec<u64> {
        let mut words = self.random(Purpose::Template, u64::from(template));
        let mut slots = self.random(Purpose::Slots, at);
        (0..TEMPLATE_WORDS)
            .map(|_| background(&mut words))
            .chain((0..SLOT_WORDS).map(|_| background(&mut slots)))
            .collect()
    }

    /// Draws a word from all words, or from those of the topic, its section or its register.
    fn word_of_topic(&self, random: &mut SplitMix64, topic: u64) -> u64 {
        let part = unit(random);
        if part < BACKGROUND {
            return background(random);
        }
        let section = topic / SECTION_TOPICS;
        let (purpose, of) = if part < BACKGROUND + OF_REGISTER {
            (Purpose::RegisterWord, topic % REGISTERS)
        } else if part < BACKGROUND + OF_REGISTER + OF_SECTION {
            (Purpose::SectionWord, section)
        } else {
            (Purpose::TopicWord, topic)
        };
        self.characteristic(purpose, of, random)
    }

    /// Draws the rank of a characteristic word of a topic, a section or a register.
    fn characteristic(&self, purpose: Purpose, of: u64, random: &mut SplitMix64) -> u64 {
        let (words, ranks) =
            if let Purpose::RegisterWord = purpose { REGISTER_WORDS } else { TOPIC_WORDS };
        let number = power_law(unit(random), 1.0, words + 1.0, 1.0) as u64;
        let mut spread = self.random(purpose, of * 1_000 + number);
        power_law(unit(&mut spread), ranks.start, ranks.end, 1.0) as u64
    }

    fn words_of_topic(&self, topic: u64, random: &mut SplitMix64, words: u64) -> Vec<String> {
        (0..words).map(|_| word(self.characteristic(Purpose::TopicWord, topic, random))).collect()
    }

    /// Returns `/section/topic-words/first-words-of-title-123.html`, in the style of blogs and
    /// wikis.
    fn url(&self, at: u64) -> String {
        let (_, place) = self.topics(at);
        let section = place / SECTION_TOPICS;
        let name = |purpose, of, topic, words: u64| {
            self.words_of_topic(topic, &mut self.random(purpose, of), words).join("-")
        };
        let section = name(Purpose::SectionName, section, section * SECTION_TOPICS, 1);
        let folder = name(Purpose::TopicName, place, place, 2);
        let title = self.title(at).to_ascii_lowercase();
        let words: Vec<_> = title.split(' ').take(SLUG_WORDS).collect();
        format!("/{section}/{folder}/{}-{at}.html", words.join("-"))
    }

    fn title(&self, at: u64) -> String {
        let at = if let Kind::Copy { of } = self.kind(at) { of } else { at };
        let mut random = self.random(Purpose::Title, at);
        let words = 3 + u64::from(random.below(6));
        let mut title = self.words_of_topic(self.topics(at).0, &mut random, words).join(" ");
        title[..1].make_ascii_uppercase();
        title
    }

    fn random(&self, purpose: Purpose, of: u64) -> SplitMix64 {
        SplitMix64::new(hash::mix(self.seed ^ hash::mix((purpose as u64) << 56 ^ of)))
    }
}

impl PageSource for Collection {
    fn count(&self) -> u64 {
        self.pages
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let mut text = String::new();
        for (place, rank) in (1..).zip(self.ranks(at)) {
            push_word(&mut text, rank);
            text.push_str(if place % 12 == 0 { ". " } else { " " });
        }
        Ok(SourcePage { url: self.url(at), title: self.title(at), lang: "en".to_owned(), text })
    }

    fn name(&self, at: u64) -> PathBuf {
        format!("generated page {at}").into()
    }
}

/// Returns the word of a rank, counted from 1: one or more syllables and a last consonant. Common
/// words are short, and words are distinct.
#[must_use]
pub fn word(rank: u64) -> String {
    let mut word = String::new();
    push_word(&mut word, rank);
    word
}

fn push_word(text: &mut String, rank: u64) {
    const FIRST: &[u8; 16] = b"bcdfghjklmnprstv";
    const VOWELS: &[u8; 5] = b"aeiou";
    // No ending that a stemmer removes, in English or other languages, ends in one of these.
    const LAST: &[u8; 5] = b"bkpvz";
    const SYLLABLES: u64 = 16 * 5;
    let mut rest = rank;
    let last = LAST[(rest % 5) as usize];
    rest /= 5;
    // Bijective numeration has no digit zero, so no number equals another with leading zeros.
    loop {
        let syllable = rest % SYLLABLES;
        text.push(FIRST[(syllable % 16) as usize].into());
        text.push(VOWELS[(syllable / 16) as usize].into());
        rest /= SYLLABLES;
        if rest == 0 {
            break;
        }
        rest -= 1;
    }
    text.push(last.into());
}

/// Draws the rank of a word from all words.
pub(crate) fn background(random: &mut SplitMix64) -> u64 {
    let common = libm::log((RARE + SHIFT) / (1.0 + SHIFT));
    let rare = 1.0 / (RARE_EXPONENT - 1.0);
    let part = unit(random) * (common + rare);
    if part < common {
        ((1.0 + SHIFT) * libm::exp(part) - SHIFT) as u64
    } else {
        let beyond = libm::pow(1.0 - unit(random), -1.0 / (RARE_EXPONENT - 1.0));
        // One in billions of draws would otherwise be a word of a single page.
        ((RARE + SHIFT) * beyond - SHIFT).min(OWN_WORDS as f64 - 1.0) as u64
    }
}

/// Maps a uniform number in [0, 1) to one from `min` to below `max` whose density is proportional
/// to its power with this `exponent`.
pub(crate) fn power_law(uniform: f64, min: f64, max: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        return min * libm::exp(uniform * libm::log(max / min));
    }
    let to = 1.0 - exponent;
    let (low, high) = (libm::pow(min, to), libm::pow(max, to));
    libm::pow(low + uniform * (high - low), 1.0 / to)
}

/// Draws a uniform number in [0, 1).
pub(crate) fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws a normal number, by the method of Box and Muller.
fn normal(random: &mut SplitMix64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(random)));
    radius * libm::cos(std::f64::consts::TAU * unit(random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::bag::Bag;
    use pagekin_core::similarity::Overlap;
    use pagekin_core::terms::{Analyzer, Language, StopLists};
    use pagekin_index::{Assets, BuildOptions, LocalIndex};
    use pagekin_pages::Silent;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn a_page_is_a_function_of_seed_and_number() {
        let collection = Collection::new(3_000, 7);
        for at in [0, 1, 199, 200, 219, 220, 224, 225, 999, 1_000, 2_999] {
            let page = collection.page(at).unwrap();
            assert_eq!(page, Collection::new(3_000, 7).page(at).unwrap());
            assert_ne!(page.text, Collection::new(3_000, 8).page(at).unwrap().text);
            assert_eq!(collection.number_of(&page.url), Some(at));
        }
        assert_eq!(collection.number_of("/a/b-3.html"), None);
    }

    #[test]
    fn words_are_distinct_and_stems() {
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let ranks = (1..20_000).chain((20_000..4_000_000).step_by(997));
        let ranks: Vec<u64> = ranks.chain(OWN_WORDS..OWN_WORDS + 500).collect();
        let words: BTreeSet<_> = ranks.iter().map(|&rank| word(rank)).collect();
        assert_eq!(words.len(), ranks.len());
        for word in words {
            assert_eq!(analyzer.term(&word).unwrap(), word);
        }
    }

    #[test]
    fn kinds_have_their_shares() {
        let collection = Collection::new(10_000, 1);
        let (mut varied, mut filled_in, mut copies) = (0, 0, 0);
        let mut groups: BTreeMap<u64, u64> = BTreeMap::new();
        for at in 0..10_000 {
            match collection.kind(at) {
                Kind::Plain => {}
                Kind::Varied { base, .. } => {
                    assert_eq!(collection.kind(base), Kind::Plain);
                    *groups.entry(base).or_insert(1) += 1;
                    varied += 1;
                }
                Kind::FilledIn { .. } => filled_in += 1,
                Kind::Copy { of } => {
                    assert_eq!(collection.kind(of), Kind::Plain);
                    copies += 1;
                }
            }
        }
        assert_eq!((varied + groups.len(), filled_in, copies), (2_000, 200, 50));
        assert!(groups.values().all(|size| (2..=21).contains(size)), "{groups:?}");
    }

    #[test]
    fn copies_are_as_similar_as_planted() {
        let collection = Collection::new(2_000, 1);
        let place = tempfile::tempdir().unwrap();
        let options = BuildOptions::new("", place.path().join("out"));
        pagekin_index::build_pages(&options, &collection, &Assets::default(), &Silent).unwrap();
        let records = LocalIndex::open(&options.output).unwrap().records().unwrap();
        let bags: BTreeMap<u64, Bag> = records
            .into_iter()
            .map(|record| (collection.number_of(&record.url).unwrap(), record.bag))
            .collect();
        assert_eq!(bags.len(), 2_000);
        let (mut off, mut apart, mut pairs) = (0.0, 0.0, 0.0);
        for at in 0..2_000 {
            let Some((of, planted)) = collection.planted(at) else { continue };
            let found = Overlap::between(&bags[&at], &bags[&of]).jaccard();
            off += found - planted;
            apart += (found - planted).abs();
            pairs += 1.0;
        }
        assert!(pairs > 300.0);
        println!("off by {:.3}, apart by {:.3}", off / pairs, apart / pairs);
        assert!((off / pairs).abs() < 0.05, "off by {}", off / pairs);
        assert!(apart / pairs < 0.1, "apart by {}", apart / pairs);
    }
}
