//! Places that share a key in some table, joined in memory: table by table, on all threads.
//!
//! A table is its entries, sorted: those of a bucket stand together. What pairs come of its buckets
//! its user decides, who may compare all, or each with a few that stand near it. Crawls, whose
//! tables do not fit a processor's caches, are joined by `radix_groups` instead.

use rayon::prelude::*;

/// A place in a table. Entries ascend by bucket, and within one in the order in which it is looked
/// through.
pub trait BucketEntry: Ord + Copy + Send + Sync {
    /// Whether both have the key of one bucket.
    fn shares_bucket(&self, other: &Self) -> bool;
}

/// A key and a place.
impl<K: Ord + Copy + Send + Sync> BucketEntry for (K, u32) {
    fn shares_bucket(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A key, what entries of a bucket are sorted by, and a place.
impl<K: Ord + Copy + Send + Sync> BucketEntry for (K, u32, u32) {
    fn shares_bucket(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// One table.
pub struct Table<E> {
    entries: Vec<E>,
}

impl<E: BucketEntry> Table<E> {
    /// Of entries in any order.
    pub fn new(entries: impl IntoIterator<Item = E>) -> Self {
        let mut entries: Vec<E> = entries.into_iter().collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// The entries of each key.
    pub fn buckets(&self) -> impl Iterator<Item = &[E]> {
        self.entries.chunk_by(E::shares_bucket)
    }
}

/// What a join found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The lower place first, ascending, each once.
    pub pairs: Vec<(u32, u32)>,
    /// Pairs that met in a bucket too large to compare all, and may be as similar as the least
    /// that is wanted.
    pub passed_over: u64,
}

impl Pairs {
    /// Adds two places, in either order.
    pub fn push(&mut self, a: u32, b: u32) {
        self.pairs.push((a.min(b), a.max(b)));
    }
}

/// The pairs of `tables` tables, which `table` makes and of each of which `pair` pushes pairs. A
/// pair may be pushed in several tables.
pub fn join<E: BucketEntry, X: Send>(
    tables: usize,
    table: impl Fn(usize) -> Table<E> + Sync,
    pair: impl Fn(usize, &Table<E>, &mut Pairs) -> Result<(), X> + Sync,
) -> Result<Pairs, X> {
    let tables = (0..tables).into_par_iter().map(|number| {
        let mut found = Pairs::default();
        pair(number, &table(number), &mut found)?;
        Ok(found)
    });
    let tables: Vec<Pairs> = tables.collect::<Result<_, X>>()?;
    let passed_over = tables.iter().map(|found| found.passed_over).sum();
    let mut pairs: Vec<_> = tables.into_iter().flat_map(|found| found.pairs).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(Pairs { pairs, passed_over })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Every pair of a bucket.
    fn all<E: BucketEntry>(
        place: impl Fn(&E) -> u32 + Sync,
    ) -> impl Fn(usize, &Table<E>, &mut Pairs) -> Result<(), Infallible> + Sync {
        move |_, table, into| {
            for bucket in table.buckets() {
                for (at, b) in bucket.iter().enumerate() {
                    bucket[..at].iter().for_each(|a| into.push(place(a), place(b)));
                }
            }
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn places_that_share_a_key_are_joined_and_no_others(
            keys in proptest::collection::vec(proptest::collection::vec(0u64..9, 0..60), 0..5),
        ) {
            let n = keys.iter().map(Vec::len).min().unwrap_or(0) as u32;
            let place = |place: u32| place as usize;
            let mut expected = Vec::new();
            for a in 0..n {
                for b in a + 1..n {
                    if keys.iter().any(|keys| keys[place(a)] == keys[place(b)]) {
                        expected.push((a, b));
                    }
                }
            }
            let plain = |table: usize| Table::new((0..n).map(|at| (keys[table][place(at)], at)));
            let Ok(found) = join(keys.len(), plain, all(|entry: &(u64, u32)| entry.1));
            prop_assert_eq!(&found.pairs, &expected);
            prop_assert_eq!(found.passed_over, 0);
            // In any order within the buckets.
            let ranked = |table: usize| {
                Table::new((0..n).map(|at| (keys[table][place(at)], at * 7 % 11, at)))
            };
            let Ok(found) = join(keys.len(), ranked, all(|entry: &(u64, u32, u32)| entry.2));
            prop_assert_eq!(found.pairs, expected);
        }
    }

    #[test]
    fn a_refusal_ends_the_join() {
        let table = |_| Table::new([(1u8, 0u32), (1, 1)]);
        let refuse = |_: usize, _: &Table<(u8, u32)>, _: &mut Pairs| Err("no");
        assert_eq!(join(3, table, refuse), Err("no"));
    }
}
