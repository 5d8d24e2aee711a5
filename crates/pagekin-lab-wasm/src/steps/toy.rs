//! Two short texts as a characteristic matrix, with its rows in several random orders.
//!
//! The matrix has a row for each word and a column for each text. In each order, the first row with
//! the word of a text gives the text's next signature value. The functions are those of MinHash
//! signatures ([`Family`]).

use pagekin_core::hash;
use pagekin_core::minhash::{Family, SignatureParams, element_of};
use pagekin_core::sort;
use pagekin_core::terms::Words;

/// Maximum number of rows: later words are ignored.
pub const MAX_ROWS: usize = 16;

/// A matrix in several orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toy {
    /// The words, in the order of their first occurrence, and which text contains each.
    pub rows: Vec<(String, [bool; 2])>,
    /// The rows in each order.
    pub orders: Vec<Vec<u32>>,
    /// The first row of each text in each order; `None` if the text has no words.
    pub firsts: Vec<[Option<u32>; 2]>,
}

/// Creates the matrix of two texts with `m` orders of a seed.
#[must_use]
pub fn toy(a: &str, b: &str, m: u16, seed: u64) -> Toy {
    let mut rows: Vec<(String, [bool; 2])> = Vec::new();
    for (text, column) in [(a, 0), (b, 1)] {
        for word in Words::new(text).iter() {
            let at = match rows.iter().position(|(row, _)| row == word) {
                Some(at) => at,
                None if rows.len() == MAX_ROWS => continue,
                None => {
                    rows.push((word.to_owned(), [false; 2]));
                    rows.len() - 1
                }
            };
            rows[at].1[column] = true;
        }
    }
    let family = Family::new(SignatureParams { m, bits: 24, seed });
    let (multipliers, addends) = family.functions();
    let order = |(multiplier, addend): (&u32, &u32)| {
        let place = |row: u32| {
            let number = element_of(hash::of_bytes(rows[row as usize].0.as_bytes()));
            (multiplier.wrapping_mul(number).wrapping_add(*addend), row)
        };
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        sort::by_key(&mut order, |&row| place(row));
        order
    };
    let orders: Vec<Vec<u32>> = multipliers.iter().zip(addends).map(order).collect();
    let first = |order: &Vec<u32>| {
        [0, 1].map(|column| order.iter().copied().find(|&row| rows[row as usize].1[column]))
    };
    let firsts = orders.iter().map(first).collect();
    Toy { rows, orders, firsts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_the_words_of_either_text() {
        let found = toy("Prune the apple tree, the old one", "Plant the apple", 3, 1);
        let row = |word: &str| found.rows.iter().find(|(row, _)| row == word).unwrap().1;
        assert_eq!(found.rows.len(), 7);
        assert_eq!(
            (row("the"), row("prune"), row("plant")),
            ([true; 2], [true, false], [false, true])
        );
        assert_eq!(toy("", "", 2, 1).firsts, [[None; 2]; 2]);
        assert_eq!(toy("apple tree", "", 1, 1).firsts[0][1], None);
        let letters = ('a'..='e').flat_map(|one| ('a'..='h').map(move |next| (one, next)));
        let many: Vec<String> = letters.map(|(one, next)| format!("word{one}{next}")).collect();
        let found = toy(&many.join(" "), "wordeh wordaa", 1, 1);
        assert_eq!(found.rows.len(), MAX_ROWS);
        assert_eq!(found.rows.iter().filter(|(_, of)| of[1]).count(), 1);
    }

    #[test]
    fn texts_agree_as_often_as_they_are_similar() {
        let m = 4_000;
        let found = toy("prune the old apple tree now", "plant the young apple tree", m, 9);
        for (order, firsts) in found.orders.iter().zip(&found.firsts) {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
            let in_both = found.rows[order[0] as usize].1 == [true; 2];
            assert_eq!(firsts[0] == firsts[1], in_both);
        }
        let agreed = found.firsts.iter().filter(|[a, b]| a == b).count() as f64;
        assert!((agreed / f64::from(m) - 3.0 / 8.0).abs() < 0.04, "{agreed}");
    }
}
