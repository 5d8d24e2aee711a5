//! Sparse rows in one vector, and their transpose: pages with their terms, or terms with their
//! pages.

use std::ops::AddAssign;

/// Sparse rows of columns with values.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<V> {
    /// The start of the entries of each row, followed by the end of the last row.
    starts: Vec<usize>,
    /// The entries of all rows. Columns are ascending within a row.
    entries: Vec<(u32, V)>,
}

impl<V> Default for Rows<V> {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }
}

impl<V: Copy> Rows<V> {
    /// Creates rows. The columns of each row must be ascending.
    pub fn new(rows: Vec<Vec<(u32, V)>>) -> Self {
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        let mut entries = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in rows {
            entries.extend(row);
            starts.push(entries.len());
        }
        Self { starts, entries }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the columns of a row with their values.
    pub fn row(&self, row: usize) -> &[(u32, V)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// Returns an iterator over all rows.
    pub fn iter(&self) -> impl Iterator<Item = &[(u32, V)]> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Returns the entries of all rows.
    pub fn entries(&self) -> &[(u32, V)] {
        &self.entries
    }

    /// Returns the transpose: for each of `columns` columns, the rows that contain it, ascending.
    /// Time and memory are linear in the number of entries.
    pub fn turned(&self, columns: usize) -> Self {
        let mut starts = vec![0; columns + 1];
        for &(column, _) in &self.entries {
            starts[column as usize + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        // Every entry is overwritten below: both have the same length.
        let mut entries = self.entries.clone();
        for (row, of_row) in (0..).zip(self.iter()) {
            for &(column, value) in of_row {
                let place = &mut next[column as usize];
                entries[*place] = (row, value);
                *place += 1;
            }
        }
        Self { starts, entries }
    }
}

/// Sorts entries by key, and adds the values of equal keys.
pub fn add_up<K: Copy + Ord, V: Copy + AddAssign>(entries: &mut Vec<(K, V)>) {
    // The sort is stable, so values are always added in the same order.
    entries.sort_by_key(|&(key, _)| key);
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn rows_are_transposed() {
        let rows = Rows::new(vec![vec![(1, 'a'), (3, 'b')], vec![], vec![(3, 'c')]]);
        assert_eq!(rows.row(0), [(1, 'a'), (3, 'b')]);
        assert!(!rows.is_empty() && Rows::<char>::default().is_empty());
        let turned = rows.turned(4);
        assert_eq!(turned.row(3), [(0, 'b'), (2, 'c')]);
        assert!(turned.row(0).is_empty());
        assert_eq!(Rows::<char>::default().turned(2), Rows::new(vec![vec![], vec![]]));
    }

    #[test]
    fn values_of_equal_keys_are_added() {
        let mut entries = vec![(3, 1), (1, 2), (3, 4), (2, 0), (1, 8)];
        add_up(&mut entries);
        assert_eq!(entries, [(1, 10), (2, 0), (3, 5)]);
    }

    proptest! {
        #[test]
        fn transposing_twice_restores_the_rows(rows in prop::collection::vec(
            prop::collection::btree_map(0u32..20, any::<u8>(), 0..10), 0..20)) {
            let flat = Rows::new(rows.iter().map(|row| row.clone().into_iter().collect()).collect());
            let turned = flat.turned(20);
            for (column, found) in (0..).zip(turned.iter()) {
                // The slow, obvious way: look into every row.
                let ask = |(at, row): (u32, &BTreeMap<u32, u8>)| Some((at, *row.get(&column)?));
                let expected: Vec<_> = (0..).zip(&rows).filter_map(ask).collect();
                prop_assert_eq!(found, &expected[..]);
            }
            prop_assert_eq!(turned.turned(rows.len()), flat);
        }
    }
}
