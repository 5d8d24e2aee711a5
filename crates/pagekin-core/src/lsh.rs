//! LSH tables: which pages meet in a bucket.
//!
//! A table takes `k` of the `m` values of a signature as its key (the LSH-signature); pages with equal keys
//! are in one bucket and become candidates. Independent tables find a page at similarity `s` with
//! probability `1 - (1 - s^k)^l`.
//!
//! Tables come in groups that share their first value, the *anchor*: all keys of a group with one anchor
//! value lie in one shard, so a lookup reads one shard a group, however many tables the group has. With `g`
//! groups of `p` tables of `k = 2` the probability is `1 - (1 - s (1 - (1 - s)^p))^g`.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 4, ExtractSimilarPairs: `l` times `k` distinct random
//! indices. [`TableRules::Independent`] is that; its groups are single tables.

use crate::hash::{self, SplitMix64};
use crate::minhash::Signature;

/// How keys are taken from signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRules {
    /// The paper's: `l` tables of `k` distinct random indices out of the `m`.
    Independent {
        /// Values in a key, 1 to `m`.
        k: u8,
        /// Tables, 1 to 1,024.
        l: u16,
    },
    /// `anchors` groups of `partners` tables with `k = 2`: index `i` is anchor `i`, and each of its
    /// partners an index of its own behind the anchors. Needs `m = anchors (1 + partners)`.
    Anchored {
        /// Groups, 1 to 255.
        anchors: u8,
        /// Tables in a group, 1 to 255.
        partners: u8,
    },
}

/// The tables that share an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    anchor: u16,
    /// Per table the other indices of its key.
    partners: Vec<Vec<u16>>,
}

/// The tables of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables(Vec<Group>);

/// The keys of one group for one signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupKeys {
    /// Decides the shard: a hash of the group and its anchor value.
    pub anchor: u32,
    /// Per table of the group the bucket within the shard: a hash of the table and its whole key.
    pub buckets: Vec<u32>,
}

impl Tables {
    /// The tables of `rules` over signatures of `m` values; random indices are drawn from `seed`. `None` if
    /// the rules ask for more indices than there are.
    #[must_use]
    pub fn new(rules: TableRules, m: u16, seed: u64) -> Option<Self> {
        match rules {
            TableRules::Independent { k, l } => {
                if k == 0 || u16::from(k) > m {
                    return None;
                }
                // Another stream than the one the functions are drawn from.
                let mut stream = SplitMix64::new(hash::mix(seed) ^ 0x7ab1e5);
                let groups = (0..l).map(|_| {
                    let mut indices: Vec<u16> = Vec::with_capacity(usize::from(k));
                    while indices.len() < usize::from(k) {
                        let index = stream.below(u32::from(m)) as u16;
                        if !indices.contains(&index) {
                            indices.push(index);
                        }
                    }
                    Group { anchor: indices[0], partners: vec![indices[1..].to_vec()] }
                });
                Some(Self(groups.collect()))
            }
            TableRules::Anchored { anchors, partners } => {
                let (anchors, partners) = (u16::from(anchors), u16::from(partners));
                if u32::from(anchors) * (1 + u32::from(partners)) > u32::from(m) {
                    return None;
                }
                let groups = (0..anchors).map(|anchor| {
                    let first = anchors + anchor * partners;
                    Group { anchor, partners: (first..first + partners).map(|i| vec![i]).collect() }
                });
                Some(Self(groups.collect()))
            }
        }
    }

    /// The number of tables, `l`.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().map(|group| group.partners.len()).sum()
    }

    /// The keys of a signature, group by group.
    pub fn keys<'a>(&'a self, signature: &'a Signature) -> impl Iterator<Item = GroupKeys> + 'a {
        let values = signature.values();
        let mut table = 0u64;
        self.0.iter().enumerate().map(move |(number, group)| {
            let anchor_value = u64::from(values[usize::from(group.anchor)]);
            let anchor = hash::mix((number as u64) << 32 | anchor_value);
            let buckets = group.partners.iter().map(|partners| {
                table += 1;
                let key = partners.iter().fold(anchor.wrapping_add(table), |key, &partner| {
                    hash::mix(key ^ u64::from(values[usize::from(partner)]))
                });
                (key >> 32) as u32
            });
            GroupKeys { anchor: anchor as u32, buckets: buckets.collect() }
        })
    }
}

impl TableRules {
    /// The probability that two pages of similarity `s` meet in at least one bucket, if the values of their
    /// signatures were independent.
    #[must_use]
    pub fn collision_probability(&self, s: f64) -> f64 {
        let power = |base: f64, exponent: u16| (0..exponent).fold(1.0, |product, _| product * base);
        match *self {
            Self::Independent { k, l } => 1.0 - power(1.0 - power(s, u16::from(k)), l),
            Self::Anchored { anchors, partners } => {
                let group = s * (1.0 - power(1.0 - s, u16::from(partners)));
                1.0 - power(1.0 - group, u16::from(anchors))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minhash::{Family, SignatureParams};

    const PAPER: TableRules = TableRules::Independent { k: 3, l: 125 };
    const ANCHORED: TableRules = TableRules::Anchored { anchors: 8, partners: 4 };

    #[test]
    fn the_papers_tables_find_a_pair_at_twenty_per_cent_with_sixty_three() {
        assert!((PAPER.collision_probability(0.2) - 0.6336).abs() < 1e-3);
        assert!((ANCHORED.collision_probability(0.2) - 0.6336).abs() < 2e-3);
        for rules in [PAPER, ANCHORED] {
            assert_eq!(rules.collision_probability(0.0), 0.0);
            assert_eq!(rules.collision_probability(1.0), 1.0);
        }
    }

    #[test]
    fn tables_need_enough_values() {
        assert!(Tables::new(ANCHORED, 39, 1).is_none());
        assert_eq!(Tables::new(ANCHORED, 40, 1).unwrap().count(), 32);
        assert!(Tables::new(TableRules::Independent { k: 4, l: 1 }, 3, 1).is_none());
        assert_eq!(Tables::new(PAPER, 80, 1).unwrap().count(), 125);
    }

    #[test]
    fn independent_tables_take_distinct_indices() {
        for group in Tables::new(PAPER, 3, 9).unwrap().0 {
            let mut indices = group.partners[0].clone();
            indices.push(group.anchor);
            indices.sort_unstable();
            assert_eq!(indices, [0, 1, 2]);
        }
    }

    /// Pages whose sets of 100 elements overlap by a known Jaccard meet as often as the curve says.
    #[test]
    fn pages_meet_as_often_as_the_curve_says() {
        for rules in [PAPER, ANCHORED] {
            let params = SignatureParams { m: 80, bits: 16, seed: 3 };
            let (family, tables) = (Family::new(params), Tables::new(rules, 80, 3).unwrap());
            // 50 of 150 elements shared: J = 1/3.
            let trials = 2_000;
            let met = (0..trials)
                .filter(|trial| {
                    let mut stream = SplitMix64::new(1_000 + trial);
                    let all: Vec<u32> = (0..150).map(|_| stream.next_u64() as u32).collect();
                    let a = family.sign_elements(all[..100].iter().copied()).unwrap();
                    let b = family.sign_elements(all[50..].iter().copied()).unwrap();
                    tables
                        .keys(&a)
                        .zip(tables.keys(&b))
                        .any(|(a, b)| a.buckets.iter().zip(&b.buckets).any(|(a, b)| a == b))
                })
                .count();
            let expected = rules.collision_probability(1.0 / 3.0);
            let found = met as f64 / trials as f64;
            // The paper's 125 tables reuse 80 values, so they are not quite independent.
            assert!((found - expected).abs() < 0.06, "{rules:?}: {found} for {expected}");
        }
    }
}
