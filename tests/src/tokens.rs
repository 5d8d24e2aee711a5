//! Sets of tokens, which are suitable for every library that finds similar sets: as a flat file,
//! generated or from a site.
//!
//! Tokens are 32-bit hashes. Document `at` has the tokens `tokens[offsets[at]..offsets[at + 1]]`,
//! ascending and distinct.
//!
//! # The model of generated sets
//!
//! Each document has 100 tokens, drawn like the background words of a
//! [`Collection`](crate::collection::Collection): by Zipf and Mandelbrot, without the hundred most
//! common words, which represent stop words. Two unrelated documents have a similarity of 0.02. Of
//! 1,000 documents 400 are in groups of 2 to 20: a base, and copies of it with some tokens redrawn,
//! so that their similarity to the base is near a value drawn uniformly from 0.2 to 0.95. The order
//! of documents is random, so that no library benefits from adjacent members of a group.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use pagekin_core::bag::Bag;
use pagekin_core::hash::{self, SplitMix64};
use pagekin_core::{Preset, minhash};
use pagekin_crawl::cluster as crawl;
use pagekin_crawl::cluster::{BagSource, ClusterOptions};
use pagekin_crawl::folder::CrawlFolder;
use pagekin_pages::{Input, Silent};
use pagekin_pairs::Threshold;

use crate::collection;

/// Number of tokens of a generated document.
const TOKENS: usize = 100;
/// Number of documents per lot, and number of those that are in groups.
const LOT: u32 = 1_000;
const GROUPED: u32 = 400;
/// Number of the most common words, which are in no set.
const STOP_WORDS: u64 = 100;
/// Maximum size of a group.
const MAX_IN_GROUP: u32 = 20;
/// The range of similarities of copies and their bases.
const PLANTED: std::ops::Range<f64> = 0.2..0.95;

/// Sets of tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenSets {
    offsets: Vec<u64>,
    tokens: Vec<u32>,
}

impl TokenSets {
    /// Generates sets.
    #[must_use]
    pub fn generated(documents: u32, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut sets: Vec<Vec<u32>> = Vec::with_capacity(documents as usize);
        while (sets.len() as u32) < documents {
            let made = sets.len() as u32;
            let lot = LOT.min(documents - made);
            let grouped = lot * GROUPED / LOT;
            while (sets.len() as u32) < made + grouped {
                let left = made + grouped - sets.len() as u32;
                let size = (2 + random.below(MAX_IN_GROUP - 1)).min(left);
                let base = drawn(Vec::new(), &mut random);
                for _ in 1..size {
                    let similarity = PLANTED.start
                        + (PLANTED.end - PLANTED.start) * collection::unit(&mut random);
                    // If this many of n tokens are kept, the two sets have similarity s.
                    let stay = 2.0 * similarity / (1.0 + similarity);
                    let kept = base.iter().filter(|_| collection::unit(&mut random) < stay);
                    let kept = kept.copied().collect();
                    sets.push(drawn(kept, &mut random));
                }
                sets.push(base);
            }
            while (sets.len() as u32) < made + lot {
                sets.push(drawn(Vec::new(), &mut random));
            }
        }
        random.shuffle(&mut sets);
        sets.into_iter().collect()
    }

    /// Returns the bags of a site, as in the paper with 100 copies each, with every copy of a term
    /// as a token.
    ///
    /// # Errors
    ///
    /// Returns an error if the site cannot be read.
    pub fn from_site(site: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let options = ClusterOptions::new(place.path().join("crawl")).with(|options| {
            options.bags = BagSource::Content;
            options.preset = Preset::Paper;
            // Its pairs are not used.
            options.threshold = Threshold::from_thousandths(1_000).unwrap_or(Threshold::PAPER);
        });
        let input = Input::Path(site.to_owned());
        let summary = crawl::cluster(&[input], &options, &Silent)?;
        let mut crawl = CrawlFolder::open(&options.output)?;
        let mut set = |number| {
            let bag = crawl.url(number)?.bag;
            let copies = bag.iter().flat_map(|&(term, copies)| (0..copies).map(move |c| (term, c)));
            Ok(copies.map(|(term, copy)| minhash::element(term, copy)).collect())
        };
        let sets: Result<Vec<Vec<u32>>, pagekin_crawl::folder::CrawlFolderError> =
            (0..summary.urls).map(&mut set).collect();
        Ok(sets?.into_iter().collect())
    }

    /// Returns a random selection of this many documents, in order.
    #[must_use]
    pub fn sample(&self, documents: u32, seed: u64) -> Self {
        let all = self.len() as u32;
        let mut order: Vec<u32> = (0..all).collect();
        let key = |at: &u32| hash::mix(hash::mix(seed) ^ u64::from(*at));
        order.sort_by_key(key);
        order.truncate(documents as usize);
        order.sort_unstable();
        order.iter().map(|&at| self.tokens(at).to_vec()).collect()
    }

    /// Reads a file of [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is shorter than declared.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut word = [0; 8];
        file.read_exact(&mut word)?;
        let documents = u64::from_le_bytes(word);
        let mut offsets = Vec::with_capacity(documents as usize + 1);
        for _ in 0..=documents {
            file.read_exact(&mut word)?;
            offsets.push(u64::from_le_bytes(word));
        }
        let count = offsets.last().map_or(0, |&end| end as usize);
        let mut tokens = Vec::with_capacity(count);
        let mut word = [0; 4];
        for _ in 0..count {
            file.read_exact(&mut word)?;
            tokens.push(u32::from_le_bytes(word));
        }
        Ok(Self { offsets, tokens })
    }

    /// Writes the number of documents and the offsets as 64-bit numbers and the tokens as 32-bit
    /// numbers, little-endian.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&(self.len() as u64).to_le_bytes())?;
        for offset in &self.offsets {
            file.write_all(&offset.to_le_bytes())?;
        }
        for token in &self.tokens {
            file.write_all(&token.to_le_bytes())?;
        }
        file.flush()
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of tokens of all documents.
    #[must_use]
    pub fn all_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the tokens of a document.
    ///
    /// # Panics
    ///
    /// Panics if there is no such document.
    #[must_use]
    pub fn tokens(&self, document: u32) -> &[u32] {
        let at = document as usize;
        &self.tokens[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// Returns the document as a bag with one copy of each token.
    ///
    /// # Panics
    ///
    /// Panics if there is no such document.
    #[must_use]
    pub fn bag(&self, document: u32) -> Bag {
        let entries = self.tokens(document).iter().map(|&token| (token, 1));
        Bag::from_sorted(entries.collect()).unwrap_or_default()
    }
}

impl FromIterator<Vec<u32>> for TokenSets {
    /// Sorts each set. Empty ones are omitted.
    fn from_iter<I: IntoIterator<Item = Vec<u32>>>(sets: I) -> Self {
        let mut all = Self { offsets: vec![0], tokens: Vec::new() };
        for mut set in sets.into_iter().filter(|set| !set.is_empty()) {
            set.sort_unstable();
            set.dedup();
            all.tokens.append(&mut set);
            all.offsets.push(all.tokens.len() as u64);
        }
        all
    }
}

/// Adds random tokens until there are [`TOKENS`].
fn drawn(mut tokens: Vec<u32>, random: &mut SplitMix64) -> Vec<u32> {
    while tokens.len() < TOKENS {
        let rank = collection::background(random);
        let token = (hash::mix(rank) >> 32) as u32;
        if rank > STOP_WORDS && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use pagekin_core::similarity::Overlap;

    #[test]
    fn written_sets_are_read_unchanged() {
        let sets = TokenSets::generated(1_500, 3);
        assert_eq!(sets.len(), 1_500);
        assert_ne!(sets, TokenSets::generated(1_500, 4));
        let file = tempfile::NamedTempFile::new().unwrap();
        sets.write(file.path()).unwrap();
        assert_eq!(TokenSets::read(file.path()).unwrap(), sets);
        let few = sets.sample(10, 1);
        assert_eq!(few.len(), 10);
        let all: Vec<&[u32]> = (0..1_500).map(|at| sets.tokens(at)).collect();
        assert!((0..10).all(|at| all.contains(&few.tokens(at))));
    }

    #[test]
    fn two_of_five_documents_are_in_groups() {
        let sets = TokenSets::generated(2_000, 7);
        let bags: Vec<Bag> = (0..2_000).map(|at| sets.bag(at)).collect();
        let mut with_kin = BTreeSet::new();
        for (at, a) in bags.iter().enumerate() {
            assert_eq!(a.size(), TOKENS as u32);
            for (other, b) in bags.iter().enumerate().take(at) {
                if Overlap::between(a, b).jaccard() >= 0.2 {
                    with_kin.extend([at, other]);
                }
            }
        }
        let with_kin = with_kin.len();
        assert!((760..=820).contains(&with_kin), "{with_kin}");
    }
}
