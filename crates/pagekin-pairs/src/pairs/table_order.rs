//! Orders tables so that those that use the same value are adjacent.
//!
//! Grouping all pages of a crawl by the key of a table costs as much as reading their signatures in
//! random order. Several of about a hundred tables over `m = 80` values use the same value, their
//! *head*. Pages that share a key of one of these tables agree in this value. So pages are grouped
//! once per head, and its tables then process a few thousand pages at a time, whose rows are copied
//! next to each other.

use std::ops::Range;

/// The tables that use the same value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The index of the value.
    pub index: u16,
    /// The range of the tables in the order returned with this head.
    pub tables: Range<usize>,
}

/// Returns the tables, given by their indices, ordered by head, and the heads. The next head is
/// always the index that most of the remaining tables use; ties go to the lowest index. Tables
/// without indices are dropped.
pub fn in_order(mut tables: Vec<&[u16]>) -> (Vec<&[u16]>, Vec<Head>) {
    let (mut ordered, mut heads) = (Vec::with_capacity(tables.len()), Vec::new());
    while let Some(index) = most_common(&tables) {
        let begin = ordered.len();
        tables.retain(|indices| {
            let is_of_head = indices.contains(&index);
            if is_of_head {
                ordered.push(*indices);
            }
            !is_of_head
        });
        heads.push(Head { index, tables: begin..ordered.len() });
    }
    (ordered, heads)
}

fn most_common(tables: &[&[u16]]) -> Option<u16> {
    let last = tables.iter().copied().flatten().max()?;
    let mut counts = vec![0u32; usize::from(*last) + 1];
    tables.iter().copied().flatten().for_each(|&index| counts[usize::from(index)] += 1);
    // `max_by_key` returns the last of equal items, so iterate in reverse.
    (0..=*last).rev().max_by_key(|&index| counts[usize::from(index)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::lsh::{TableRules, Tables};
    use proptest::prelude::*;

    #[test]
    fn the_most_common_index_is_the_first_head() {
        let tables: Vec<&[u16]> = vec![&[4, 5], &[1, 2], &[5, 7], &[1, 5], &[2, 1]];
        let (ordered, heads) = in_order(tables);
        let expected: [&[u16]; 5] = [&[1, 2], &[1, 5], &[2, 1], &[4, 5], &[5, 7]];
        assert_eq!(ordered, expected);
        let expected = [Head { index: 1, tables: 0..3 }, Head { index: 5, tables: 3..5 }];
        assert_eq!(heads, expected);
    }

    proptest! {
        #[test]
        fn each_table_occurs_once_with_its_head(m in 1u16..90, k in 1u8..5, l in 0u16..300, seed: u64) {
            let k = k.min(m as u8);
            let tables = Tables::new(TableRules::Independent { k, l }, m, seed).unwrap();
            let mut plain: Vec<&[u16]> = tables.indices().collect();
            let (mut ordered, heads) = in_order(plain.clone());
            let mut end = 0;
            for head in &heads {
                prop_assert_eq!(head.tables.start, end);
                prop_assert!(ordered[head.tables.clone()].iter().all(|indices| indices.contains(&head.index)));
                prop_assert!(!head.tables.is_empty());
                end = head.tables.end;
            }
            prop_assert_eq!(end, plain.len());
            prop_assert!(heads.len() <= usize::from(m));
            plain.sort_unstable();
            ordered.sort_unstable();
            prop_assert_eq!(ordered, plain);
        }
    }
}
