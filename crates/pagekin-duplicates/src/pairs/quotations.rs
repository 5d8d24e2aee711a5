//! Finds pairs of texts in which one contains much of the other: much of its rare passages, or much
//! of the whole.
//!
//! A page that quotes half of another, and a copy with every second sentence edited, have a low
//! resemblance to their original. So do pages that only share a template. The difference is how
//! many other texts contain what they share. A shingle is *rare* if at most [`FEW`] texts contain
//! it; a more common shingle belongs to the template of the site. One text *quotes* another if they
//! share at least [`MIN`] rare shingles, which are at least [`PART`] percent of the rare shingles
//! of one of them.
//!
//! A passage that many texts share also counts if it is a large part of them. Pairing all texts
//! with the same common shingles would give a quadratic number of pairs. So each of these texts is
//! compared only with the first text that contains the shingles. The two are a pair if they share
//! at least [`MIN`] shingles of any kind, which are at least [`PART`] percent of the shingles of
//! one of them. So every text that shares a passage is in a pair, and n such texts have n - 1
//! pairs.
//!
//! No pair by rare shingles is missed: few texts contain each rare shingle, so all texts that share
//! one can be counted. Time and memory grow with the rare shingles that several texts contain.
//! Shingles are sorted in parts, by their first bits, to save memory. Most shingles are certain to
//! be in one text only, and are skipped.

use std::sync::atomic::{AtomicU32, Ordering};

use pagekin_core::near::shingles::Shared;
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::rows::add_up;
use rayon::prelude::*;

use crate::error::DuplicatesError;

/// Maximum number of texts that contain a rare shingle.
pub const FEW: u32 = 8;
/// Minimum number of rare shingles that two texts must share.
pub const MIN: u32 = 40;
/// Minimum share of the rare shingles of one text that the other must contain, in percent.
pub const PART: u32 = 40;

/// The thresholds of a quotation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// Minimum number of rare shingles that two texts must share.
    pub(crate) min_shared: u32,
    /// Minimum share of the rare shingles of one text that the other must contain, in percent.
    pub(crate) part: u32,
}

/// The rule for complete texts.
pub(crate) const RULE: Rule = Rule { min_shared: MIN, part: PART };

/// Number of parts into which shingles are divided by their first bits.
const PARTS: u32 = 64;
/// Number of bits after these by which the shingles of a part are counted.
const COUNTER_BITS: u32 = 21;

/// Returns the pairs of texts in which one quotes the other, ascending, lower text first. The
/// shingles of each text must be ascending.
pub(crate) fn find(
    texts: &[&[u64]],
    rule: Rule,
    observer: &dyn Observer,
) -> Result<Vec<(u32, u32)>, DuplicatesError> {
    let n = texts.len() as u32;
    observer.stage(Stage::Pairing, u64::from(PARTS) + u64::from(n));
    let rare = Rare::new(texts, observer)?;
    let pairs = (0..n).into_par_iter().map_init(
        || (vec![0u32; n as usize], Vec::new()),
        |(shared, met), text| {
            check(observer)?;
            let others = rare.shingles_of[text as usize].iter();
            let others = others.flat_map(|&shingle| rare.texts(shingle)).copied();
            for other in others.filter(|&other| other > text) {
                if shared[other as usize] == 0 {
                    met.push(other);
                }
                shared[other as usize] += 1;
            }
            let mut pairs = Vec::new();
            for other in met.drain(..) {
                let shared = std::mem::take(&mut shared[other as usize]);
                if rule.holds(shared, rare.of_text(text), rare.of_text(other)) {
                    pairs.push((text, other));
                }
            }
            observer.advance(1);
            Ok(pairs)
        },
    );
    let pairs: Vec<Vec<_>> = pairs.collect::<Result<_, DuplicatesError>>()?;
    let mut pairs = pairs.concat();
    let holds = |&(first, text): &(u32, u32)| {
        let [first, text] = [first, text].map(|text| texts[text as usize]);
        let shared = Shared::from_sorted(first, text);
        rule.holds(shared.both as u32, shared.a as u32, shared.b as u32)
    };
    let common = rare.common.par_iter().filter(|(_, shared)| 2 * shared >= rule.min_shared);
    pairs.par_extend(common.map(|&(pair, _)| pair).filter(holds));
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

impl Rule {
    /// Returns whether two texts with `a` and `b` rare shingles, `shared` of which are in both, are
    /// a pair.
    fn holds(self, shared: u32, a: u32, b: u32) -> bool {
        shared >= self.min_shared
            && u64::from(shared) * 100 >= u64::from(self.part) * u64::from(a.min(b))
    }
}

/// The numbered rare shingles, without those that only one text contains.
struct Rare {
    /// The texts of each shingle, concatenated.
    texts: Vec<u32>,
    /// The end of the texts of each shingle.
    ends: Vec<u32>,
    /// The rare shingles of each text.
    shingles_of: Vec<Vec<u32>>,
    /// Number of rare shingles of each text, including those that only this text contains.
    counts: Vec<AtomicU32>,
    /// Pairs of a text and the first text that contains some of its common shingles, with the
    /// number of these shingles.
    common: Vec<((u32, u32), u32)>,
}

impl Rare {
    fn new(all: &[&[u64]], observer: &dyn Observer) -> Result<Self, DuplicatesError> {
        let n = all.len() as u32;
        let counts = all.iter().map(|shingles| AtomicU32::new(shingles.len() as u32));
        let counts: Vec<AtomicU32> = counts.collect();
        let parts = (0..PARTS).into_par_iter().map(|part| {
            check(observer)?;
            let first = u64::from(part) << (64 - PARTS.ilog2());
            let last = first | (u64::MAX >> PARTS.ilog2());
            let of_part: Vec<&[u64]> = all
                .iter()
                .map(|shingles| {
                    let begin = lower_bound(shingles, first);
                    let n = shingles[begin..].iter().take_while(|&&shingle| shingle <= last);
                    &shingles[begin..begin + n.count()]
                })
                .collect();
            let counter =
                |shingle: u64| ((shingle << PARTS.ilog2()) >> (64 - COUNTER_BITS)) as usize;
            let mut seen = vec![0u8; 1 << COUNTER_BITS];
            for &shingle in of_part.iter().copied().flatten() {
                let seen = &mut seen[counter(shingle)];
                *seen = seen.saturating_add(1);
            }
            let mut places: Vec<(u64, u32)> = Vec::new();
            for (text, shingles) in (0u32..).zip(&of_part) {
                let several = shingles.iter().filter(|&&shingle| seen[counter(shingle)] > 1);
                places.extend(several.map(|&shingle| (shingle, text)));
            }
            places.sort_unstable();
            observer.advance(1);
            Ok(rare_and_common(&places, &counts))
        });
        let parts: Vec<_> = parts.collect::<Result<_, DuplicatesError>>()?;
        let (parts, common): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let common = summed(common.concat());
        let (texts, sizes): (Vec<Vec<u32>>, Vec<Vec<u32>>) = parts.into_iter().unzip();
        let (texts, sizes) = (texts.concat(), sizes.concat());
        let mut shingles_of = vec![Vec::new(); n as usize];
        let mut ends = Vec::with_capacity(sizes.len());
        let mut end = 0;
        for (shingle, size) in (0u32..).zip(sizes) {
            for &text in &texts[end as usize..][..size as usize] {
                shingles_of[text as usize].push(shingle);
            }
            end += size;
            ends.push(end);
        }
        Ok(Self { texts, ends, shingles_of, counts, common })
    }

    /// Returns the texts that contain a shingle.
    fn texts(&self, shingle: u32) -> &[u32] {
        let begin = shingle.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.texts[begin as usize..self.ends[shingle as usize] as usize]
    }

    /// Returns the number of rare shingles of a text.
    fn of_text(&self, text: u32) -> u32 {
        self.counts[text as usize].load(Ordering::Relaxed)
    }
}

/// Returns the texts of each rare shingle, concatenated, with their numbers; and the pairs of texts
/// that share common shingles. Common shingles are subtracted from `counts`.
#[expect(clippy::type_complexity)]
fn rare_and_common(
    places: &[(u64, u32)],
    counts: &[AtomicU32],
) -> ((Vec<u32>, Vec<u32>), Vec<((u32, u32), u32)>) {
    let (mut texts, mut sizes, mut common) = (Vec::new(), Vec::new(), Vec::new());
    for same in places.chunk_by(|a, b| a.0 == b.0) {
        if same.len() > FEW as usize {
            for &(_, text) in same {
                counts[text as usize].fetch_sub(1, Ordering::Relaxed);
            }
            let first = same[0].1;
            common.extend(same[1..].iter().map(|&(_, text)| ((first, text), 1)));
        } else if same.len() > 1 {
            texts.extend(same.iter().map(|place| place.1));
            sizes.push(same.len() as u32);
        }
    }
    ((texts, sizes), summed(common))
}

/// Merges equal pairs and adds their counts.
fn summed(mut pairs: Vec<((u32, u32), u32)>) -> Vec<((u32, u32), u32)> {
    add_up(&mut pairs);
    pairs.shrink_to_fit();
    pairs
}

/// Returns the position of the first shingle that is not below `first`, in ascending order.
/// Shingles are evenly distributed, so the search starts near the expected position.
fn lower_bound(shingles: &[u64], first: u64) -> usize {
    let mut at = ((shingles.len() as u128 * u128::from(first)) >> 64) as usize;
    while at > 0 && shingles[at - 1] >= first {
        at -= 1;
    }
    while at < shingles.len() && shingles[at] < first {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::near::shingles::{ShingleSet, Shingler};
    use pagekin_pages::Silent;
    use std::collections::{BTreeMap, BTreeSet};

    fn shingles(texts: &[Vec<u64>]) -> Vec<ShingleSet> {
        let shingler = Shingler::default();
        texts.iter().map(|tokens| shingler.set(tokens)).collect()
    }

    fn found(texts: &[ShingleSet]) -> Vec<(u32, u32)> {
        let texts: Vec<_> = texts.iter().map(ShingleSet::as_slice).collect();
        find(&texts, RULE, &Silent).unwrap()
    }

    /// `n` words of an infinite text, starting at `from`.
    fn words(from: u64, n: u64) -> Vec<u64> {
        (from..from + n).map(pagekin_core::hash::mix).collect()
    }

    /// The definition, by brute force.
    fn by_force(texts: &[ShingleSet]) -> Vec<(u32, u32)> {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for &shingle in texts.iter().flat_map(ShingleSet::as_slice) {
            *counts.entry(shingle).or_default() += 1;
        }
        let rare = |text: &ShingleSet| {
            let shingles = text.as_slice().iter().copied();
            shingles.filter(|shingle| counts[shingle] <= 8).collect::<BTreeSet<u64>>()
        };
        let rare: Vec<_> = texts.iter().map(rare).collect();
        let mut pairs = BTreeSet::new();
        let is_enough = |shared: usize, a: usize, b: usize| {
            shared >= 40 && shared as f64 / a.min(b) as f64 >= 0.4
        };
        for (a, of_a) in (0..).zip(&rare) {
            for (b, of_b) in (0..).zip(&rare).skip(a as usize + 1) {
                if is_enough(of_a.intersection(of_b).count(), of_a.len(), of_b.len()) {
                    pairs.insert((a, b));
                }
            }
        }
        // Compare with the first text that contains 20 of the common shingles.
        let all: Vec<BTreeSet<u64>> =
            texts.iter().map(|text| text.as_slice().iter().copied().collect()).collect();
        for (b, of_b) in (0..).zip(&all) {
            let mut firsts: BTreeMap<u32, u32> = BTreeMap::new();
            for shingle in of_b.iter().filter(|shingle| counts[shingle] > 8) {
                let first = all.iter().position(|text| text.contains(shingle)).unwrap() as u32;
                *firsts.entry(first).or_default() += 1;
            }
            for (a, _) in firsts.into_iter().filter(|&(a, n)| a != b && n >= 20) {
                let of_a = &all[a as usize];
                if is_enough(of_a.intersection(of_b).count(), of_a.len(), of_b.len()) {
                    pairs.insert((a, b));
                }
            }
        }
        let pairs: Vec<_> = pairs.into_iter().collect();
        pairs
    }

    #[test]
    fn a_text_with_two_fifths_of_another_quotes_it() {
        // Each has 100 shingles. The second contains 40 of the first, and the third contains 39.
        let second = [words(0, 49), words(1_000, 60)].concat();
        let third = [words(2_000, 61), words(61, 48)].concat();
        assert_eq!(found(&shingles(&[words(0, 109), second, third])), [(0, 1)]);
        // The second text is a small part of the long one, but all of a short one. The third is too
        // short.
        let texts = [words(0, 5_000), words(2_000, 49), words(3_000, 48)];
        assert_eq!(found(&shingles(&texts)), [(0, 1)]);
    }

    #[test]
    fn texts_that_share_a_common_passage_are_paired_with_the_first() {
        // The passage has 100 of about 218 shingles.
        let page = |at: u64| [words(0, 109), words(1_000 * (at + 1), 109)].concat();
        let pairs = |n| found(&shingles(&(0..n).map(page).collect::<Vec<_>>()));
        assert_eq!(pairs(8).len(), 28, "each with each");
        for n in [9, 12, 50, 300] {
            assert_eq!(pairs(n), (1..n as u32).map(|text| (0, text)).collect::<Vec<_>>());
        }
        // In longer pages, the passage is less than two fifths.
        let long = |at: u64| [words(0, 109), words(1_000 * (at + 1), 180)].concat();
        assert_eq!(found(&shingles(&(0..9).map(long).collect::<Vec<_>>())), []);
        // An earlier text with a part of the passage is the first only for that part.
        let texts = (0..12).map(page);
        let texts: Vec<_> = std::iter::once(words(0, 40)).chain(texts).collect();
        let pairs = found(&shingles(&texts));
        assert_eq!(pairs, (2..13).map(|text| (1, text)).collect::<Vec<_>>());
    }

    #[test]
    fn the_lower_bound_is_correct_for_uneven_shingles() {
        let uneven = [0, 0, 1, 5, 5, 6, u64::MAX - 1, u64::MAX];
        for first in [0, 1, 2, 5, 6, 7, u64::MAX / 2, u64::MAX] {
            let expected = uneven.partition_point(|&shingle| shingle < first);
            assert_eq!(lower_bound(&uneven, first), expected);
            assert_eq!(lower_bound(&[], first), 0);
        }
    }

    #[test]
    fn pairs_match_brute_force() {
        let mut stream = SplitMix64::new(11);
        // Passages from a few books, between words of their own.
        let mut text = || {
            let passages = 1 + stream.below(4);
            let mut tokens = Vec::new();
            for _ in 0..passages {
                let book = u64::from(stream.below(12)) * 1_000;
                let (from, n) = (u64::from(stream.below(200)), u64::from(20 + stream.below(150)));
                tokens.extend(words(book + from, n));
                let own = stream.next_u64() >> 1;
                tokens.extend(words(own, u64::from(stream.below(80))));
            }
            tokens
        };
        let texts = shingles(&(0..120).map(|_| text()).collect::<Vec<_>>());
        let expected = by_force(&texts);
        assert!(expected.len() > 20, "{}", expected.len());
        assert_eq!(found(&texts), expected);
    }
}
