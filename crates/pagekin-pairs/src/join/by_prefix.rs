//! Sets that share much, joined exactly: none is missed.
//!
//! If a set must share so many elements with another to make a pair, and its elements are put in
//! any order that is the same for all sets, those at the end can be left away that are fewer than
//! that: what stays, the *prefix*, still has an element of every set that it makes a pair with.
//! With the rarest elements first, prefixes make short lists: only these are indexed. Most of them
//! are of elements that no other set has, and are left away too.
//!
//! A bag is the set of its (term, copy). The copies of a term stand together, so that they are
//! handled at once.
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

/// The counters of terms are this many bits of a hash. Terms that share one only seem commoner than
/// they are.
const COUNTER_BITS: u32 = 22;

/// What is joined. Sets are numbered by size, the smallest first.
#[allow(clippy::len_without_is_empty)] // Nobody asks.
pub trait Sets: Sync {
    /// What sets are made of.
    type Term: Copy + Ord + Hash + Into<u64> + Send + Sync;
    /// What is kept of two sets that make a pair.
    type Pair: Send;

    /// Whether each set is looked up with all of its terms, which counts the copies that it shares
    /// with the prefix of each other: then [`pair`](Self::pair) is told how many they share at
    /// most. Otherwise prefixes alone are looked up, and whoever shares a term of them may be a
    /// pair.
    const COUNTS: bool;

    /// The number of sets.
    fn len(&self) -> usize;

    /// The terms of a set with their copies.
    fn terms(&self, set: usize) -> impl Iterator<Item = (Self::Term, u16)>;

    /// The copies that a set shares at least with any that it makes a pair with, at least 1.
    fn least_shared(&self, set: usize) -> u32;

    /// The smallest set that may make a pair with one that is not smaller.
    fn smallest_partner(&self, set: usize) -> usize;

    /// The pair of a set and one before it that share at most so many copies, if it is one.
    fn pair(&self, set: usize, before: usize, most_shared: u32) -> Option<Self::Pair>;
}

/// The pairs, in no order. `step` is called once for each set, and may end the join.
pub fn join<S: Sets, X: Send>(
    sets: &S,
    step: impl Fn() -> Result<(), X> + Sync,
) -> Result<Vec<S::Pair>, X> {
    let index = PrefixIndex::new(sets);
    let pairs = (0..sets.len()).into_par_iter().map_init(
        || (vec![0u32; sets.len()], Vec::new()),
        |(shared, met), set| {
            step()?;
            Ok(index.pairs(sets, set, shared, met))
        },
    );
    Ok(pairs.collect::<Result<Vec<_>, X>>()?.into_iter().flatten().collect())
}

/// A set that has a term in its prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    set: u32,
    copies: u16,
}

/// Where the terms of prefixes are.
struct PrefixIndex<T> {
    /// Term by term, and of each the sets ascending.
    postings: Vec<Posting>,
    lists: FxHashMap<T, Range<u32>>,
    /// The prefix of each set, if it is looked up by that.
    prefixes: Vec<Vec<(T, u16)>>,
    /// The copies of each set that are behind its prefix.
    behind: Vec<u32>,
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
            let least = sets.least_shared(set);
            let mut left = 0;
            while let Some((_, copies)) =
                terms.pop_if(|(_, copies)| left + u32::from(*copies) < least)
            {
                left += u32::from(copies);
            }
            terms.retain(|&(term, _)| counts[counter(term)] > 1);
            terms.shrink_to_fit();
            (terms, left)
        };
        let (mut prefixes, behind): (Vec<_>, Vec<_>) =
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
        Self { postings, lists, prefixes, behind }
    }

    /// The pairs of a set with those before it. `shared` is all zeros, before and after.
    fn pairs<S: Sets<Term = T>>(
        &self,
        sets: &S,
        set: usize,
        shared: &mut [u32],
        met: &mut Vec<u32>,
    ) -> Vec<S::Pair> {
        let first = sets.smallest_partner(set) as u32;
        let mut meet = |(term, copies): (T, u16)| {
            let Some(list) = self.lists.get(&term) else { return };
            let list = &self.postings[list.start as usize..list.end as usize];
            let begin = list.partition_point(|posting| posting.set < first);
            for posting in list[begin..].iter().take_while(|other| (other.set as usize) < set) {
                let shared = &mut shared[posting.set as usize];
                if *shared == 0 {
                    met.push(posting.set);
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
            let counted = std::mem::take(&mut shared[before]) + self.behind[before];
            sets.pair(set, before, if S::COUNTS { counted } else { u32::MAX })
        };
        met.drain(..).filter_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    /// Bags of which two are a pair if they share `part` per cent of the copies of the larger one.
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
            let least = self.least_shared(set);
            self.bags.partition_point(|bag| size(bag) < least)
        }

        fn pair(&self, set: usize, before: usize, most: u32) -> Option<(usize, usize)> {
            let shared = shared(&self.bags[set], &self.bags[before]);
            assert!(shared <= most, "{shared} are more than {most}");
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
        fn pairs_are_those_of_comparing_all_with_all(
            mut bags in prop::collection::vec(prop::collection::btree_map(0u32..25, 1u16..9, 0..8), 0..60),
            part in 0u32..=100,
        ) {
            bags.sort_by_key(size);
            let mut plainly = Vec::new();
            for (b, larger) in bags.iter().enumerate() {
                for (a, smaller) in bags[..b].iter().enumerate() {
                    let least = (size(larger) * part).div_ceil(100).max(1);
                    if shared(smaller, larger) >= least {
                        plainly.push((a, b));
                    }
                }
            }
            plainly.sort_unstable();
            prop_assert_eq!(joined::<true>(&bags, part), &plainly[..]);
            prop_assert_eq!(joined::<false>(&bags, part), plainly);
        }
    }

    #[test]
    fn a_refusal_ends_the_join() {
        let bags = vec![BTreeMap::from([(1, 1)]); 3];
        assert_eq!(join(&Bags::<true> { bags, part: 50 }, || Err("no")), Err("no"));
    }
}
