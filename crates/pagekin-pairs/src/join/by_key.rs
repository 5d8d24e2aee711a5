//! Joins items that share a key in a table, in memory, with one table per thread at a time.
//!
//! A table is a sorted list of entries, so the entries of a bucket are adjacent. The caller decides
//! which pairs of a bucket to compare: all, or each entry with a few of its neighbors. The tables
//! of crawls do not fit into a processor's caches; `radix_groups` joins them instead.

use rayon::prelude::*;

/// An entry of a table. Entries are ordered by bucket, then in the order in which a bucket is
/// processed.
pub trait BucketEntry: Ord + Copy + Send + Sync {
    /// Returns whether two entries are in the same bucket.
    fn shares_bucket(&self, other: &Self) -> bool;
}

/// A key and an item.
impl<K: Ord + Copy + Send + Sync> BucketEntry for (K, u32) {
    fn shares_bucket(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A key, a sort key within the bucket, and an item.
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
    /// Creates a table from entries in any order.
    pub fn new(entries: impl IntoIterator<Item = E>) -> Self {
        let mut entries: Vec<E> = entries.into_iter().collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// Returns the entries of each key.
    pub fn buckets(&self) -> impl Iterator<Item = &[E]> {
        self.entries.chunk_by(E::shares_bucket)
    }
}

/// The result of a join.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The pairs, lower item first, ascending, without duplicates.
    pub pairs: Vec<(u32, u32)>,
    /// Number of pairs that share a bucket that is too large to compare all of its pairs, and that
    /// might have the minimum similarity.
    pub not_compared: u64,
}

impl Pairs {
    /// Adds two items, in either order.
    pub fn push(&mut self, a: u32, b: u32) {
        self.pairs.push((a.min(b), a.max(b)));
    }
}

/// Joins `tables` tables, which `table` creates and from which `pair` adds pairs. A pair may be
/// added for several tables.
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
    let not_compared = tables.iter().map(|found| found.not_compared).sum();
    let mut pairs: Vec<_> = tables.into_iter().flat_map(|found| found.pairs).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(Pairs { pairs, not_compared })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Adds all pairs of each bucket.
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
        fn items_that_share_a_key_are_joined_and_no_others(
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
            prop_assert_eq!(found.not_compared, 0);
            // The order within buckets does not matter.
            let ranked = |table: usize| {
                Table::new((0..n).map(|at| (keys[table][place(at)], at * 7 % 11, at)))
            };
            let Ok(found) = join(keys.len(), ranked, all(|entry: &(u64, u32, u32)| entry.2));
            prop_assert_eq!(found.pairs, expected);
        }
    }

    #[test]
    fn an_error_ends_the_join() {
        let table = |_| Table::new([(1u8, 0u32), (1, 1)]);
        let refuse = |_: usize, _: &Table<(u8, u32)>, _: &mut Pairs| Err("no");
        assert_eq!(join(3, table, refuse), Err("no"));
    }
}
