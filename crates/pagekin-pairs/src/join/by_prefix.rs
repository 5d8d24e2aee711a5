//! Joins sets that share much, exactly: no pair is missed.
//!
//! Suppose that a set must share at least n elements with another to form a pair. Order the
//! elements of all sets in the same way. Then the last n - 1 elements of the set can be omitted:
//! the remaining *prefix* still contains an element of every set that it forms a pair with. If the
//! rarest elements come first, the lists of prefixes are short, so only prefixes are indexed.
//! Elements of prefixes that occur in no other set are also omitted.
//!
//! A bag is a set of (term, copy). All copies of a term are handled together.
//!
//! # Source
//!
//! Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning* (ICDE
//! 2006); Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (WWW 2007).

use std::hash::Hash;
use std::ops::Range;

use pagekin_core::hash::mix;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Number of hash bits that select the counter of a term. Terms that share a counter only appear
/// more common than they are.
const COUNTER_BITS: u32 = 22;

/// The sets to join. Sets are numbered by size, smallest first.
#[allow(clippy::len_without_is_empty)] // Not needed.
pub trait Sets: Sync {
    /// The elements of sets.
    type Term: Copy + Ord + Hash + Into<u64> + Send + Sync;
    /// The result for two sets that form a pair.
    type Pair: Send;

    /// Whether each set is looked up with all of its terms. This counts the copies that it shares
    /// with the prefix of each other set, so [`pair`](Self::pair) gets an upper bound of the shared
    /// copies. Otherwise only the prefix is looked up, and all sets that share a term of it are
    /// candidates.
    const COUNTS: bool;

    /// Returns the number of sets.
    fn len(&self) -> usize;

    /// Returns the terms of a set with their counts.
    fn terms(&self, set: usize) -> impl Iterator<Item = (Self::Term, u16)>;

    /// Returns the minimum number of copies that a set shares with any set that it forms a pair
    /// with, at least 1.
    fn least_shared(&self, set: usize) -> u32;

    /// Returns the smallest set that may form a pair with a set that is not smaller.
    fn smallest_partner(&self, set: usize) -> usize;

    /// Returns the pair of a set and an earlier one, if it is one. They share at most `most_shared`
    /// copies.
    fn pair(&self, set: usize, before: usize, most_shared: u32) -> Option<Self::Pair>;
}

/// Returns the pairs in no particular order. `step` is called once per set, and may end the join.
pub fn join<S: Sets, X: Send>(
    sets: &S,
    step: impl Fn() -> Result<(), X> + Sync,
) -> Result<Vec<S::Pair>, X> {
    let index = PrefixIndex::new(sets);
    let pairs = (0..sets.len()).into_par_iter().map_init(
        || (vec![0u32; sets.len()], Vec::new()),
        |(shared, seen), set| {
            step()?;
            Ok(index.pairs(sets, set, shared, seen))
        },
    );
    Ok(pairs.collect::<Result<Vec<_>, X>>()?.into_iter().flatten().collect())
}

/// A set with a term in its prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    set: u32,
    copies: u16,
}

/// The index of the terms of prefixes.
struct PrefixIndex<T> {
    /// Postings by term, then by set, ascending.
    postings: Vec<Posting>,
    lists: FxHashMap<T, Range<u32>>,
    /// The prefix of each set, if only prefixes are looked up.
    prefixes: Vec<Vec<(T, u16)>>,
    /// The number of copies of each set after its prefix.
    after_prefix: Vec<u32>,
}

impl<T: Copy + Ord + Hash + Into<u64> + Send + Sync> PrefixIndex<T> {
    fn new<S: Sets<Term = T>>(sets: &S) -> Self {
        let counter = |term: T| (mix(term.into()) >> (64 - COUNTER_BITS)) as usize;
        let mut counts = vec![0u32; 1 << COUNTER_BITS];
        for set in 0..sets.len() {
            sets.terms(set).for_each(|(term, _)| counts[counter(term)] += 1);
        }
        let prefix = |set| {
            let mut terms: Vec<(T, u16)> = sets.terms(set).collect();
            terms.sort_unstable_by_key(|&(term, _)| (counts[counter(term)], term));
            let min = sets.least_shared(set);
            let mut left = 0;
            while let Some((_, copies)) =
                terms.pop_if(|(_, copies)| left + u32::from(*copies) < min)
            {
                left += u32::from(copies);
            }
            terms.retain(|&(term, _)| counts[counter(term)] > 1);
            terms.shrink_to_fit();
            (terms, left)
        };
        let (mut prefixes, after_prefix): (Vec<_>, Vec<_>) =
            (0..sets.len()).into_par_iter().map(prefix).unzip();
        let mut places: Vec<(T, Posting)> = (0u32..)
            .zip(&prefixes)
            .flat_map(|(set, prefix)| {
                prefix.iter().map(move |&(term, copies)| (term, Posting { set, copies }))
            })
            .collect();
        if S::COUNTS {
            prefixes = Vec::new();
        }
        places.par_sort_unstable();
        let mut lists = FxHashMap::default();
        let mut end = 0;
        for list in places.chunk_by(|a, b| a.0 == b.0) {
            let begin = end;
            end += list.len() as u32;
            lists.insert(list[0].0, begin..end);
        }
        let postings = places.into_iter().map(|(_, posting)| posting).collect();
        Self { postings, lists, prefixes, after_prefix }
    }

    /// Returns the pairs of a set with earlier ones. `shared` contains only zeros, before and
    /// after.
    fn pairs<S: Sets<Term = T>>(
        &self,
        sets: &S,
        set: usize,
        shared: &mut [u32],
        seen: &mut Vec<u32>,
    ) -> Vec<S::Pair> {
        let first = sets.smallest_partner(set) as u32;
        let mut meet = |(term, copies): (T, u16)| {
            let Some(list) = self.lists.get(&term) else { return };
            let list = &self.postings[list.start as usize..list.end as usize];
            let begin = list.partition_point(|posting| posting.set < first);
            for posting in list[begin..].iter().take_while(|other| (other.set as usize) < set) {
                let shared = &mut shared[posting.set as usize];
                if *shared == 0 {
                    seen.push(posting.set);
                }
                *shared += u32::from(posting.copies.min(copies));
            }
        };
        if S::COUNTS {
            sets.terms(set).for_each(&mut meet);
        } else {
            self.prefixes[set].iter().copied().for_each(&mut meet);
        }
        let pair = |before: u32| {
            let before = before as usize;
            let counted = std::mem::take(&mut shared[before]) + self.after_prefix[before];
            sets.pair(set, before, if S::COUNTS { counted } else { u32::MAX })
        };
        seen.drain(..).filter_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    /// Bags that form a pair if they share `part` percent of the copies of the larger one.
    struct Bags<const COUNTS: bool> {
        bags: Vec<BTreeMap<u32, u16>>,
        part: u32,
    }

    fn size(bag: &BTreeMap<u32, u16>) -> u32 {
        bag.values().map(|&copies| u32::from(copies)).sum()
    }

    fn shared(a: &BTreeMap<u32, u16>, b: &BTreeMap<u32, u16>) -> u32 {
        a.iter().filter_map(|(term, n)| Some(u32::from(*n.min(b.get(term)?)))).sum()
    }

    impl<const COUNTS: bool> Sets for Bags<COUNTS> {
        type Term = u32;
        type Pair = (usize, usize);
        const COUNTS: bool = COUNTS;

        fn len(&self) -> usize {
            self.bags.len()
        }

        fn terms(&self, set: usize) -> impl Iterator<Item = (u32, u16)> {
            self.bags[set].iter().map(|(&term, &copies)| (term, copies))
        }

        fn least_shared(&self, set: usize) -> u32 {
            (size(&self.bags[set]) * self.part).div_ceil(100).max(1)
        }

        fn smallest_partner(&self, set: usize) -> usize {
            let min = self.least_shared(set);
            self.bags.partition_point(|bag| size(bag) < min)
        }

        fn pair(&self, set: usize, before: usize, max: u32) -> Option<(usize, usize)> {
            let shared = shared(&self.bags[set], &self.bags[before]);
            assert!(shared <= max, "{shared} are more than {max}");
            (shared >= self.least_shared(set)).then_some((before, set))
        }
    }

    fn joined<const COUNTS: bool>(bags: &[BTreeMap<u32, u16>], part: u32) -> Vec<(usize, usize)> {
        let sets = Bags::<COUNTS> { bags: bags.to_vec(), part };
        let Ok(mut pairs) = join(&sets, || Ok::<_, Infallible>(()));
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn pairs_match_brute_force(
            mut bags in prop::collection::vec(prop::collection::btree_map(0u32..25, 1u16..9, 0..8), 0..60),
            part in 0u32..=100,
        ) {
            bags.sort_by_key(size);
            let mut expected = Vec::new();
            for (b, larger) in bags.iter().enumerate() {
                for (a, smaller) in bags[..b].iter().enumerate() {
                    let min = (size(larger) * part).div_ceil(100).max(1);
                    if shared(smaller, larger) >= min {
                        expected.push((a, b));
                    }
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(joined::<true>(&bags, part), &expected[..]);
            prop_assert_eq!(joined::<false>(&bags, part), expected);
        }
    }

    #[test]
    fn an_error_ends_the_join() {
        let bags = vec![BTreeMap::from([(1, 1)]); 3];
        assert_eq!(join(&Bags::<true> { bags, part: 50 }, || Err("no")), Err("no"));
    }
}
