//! LSH tables: which pages share a bucket.
//!
//! A table uses `k` of the `m` values of a signature as its key (the LSH signature). Pages with
//! equal keys share a bucket and become candidates. `l` independent tables find a page of
//! similarity `s` with probability `1 - (1 - s^k)^l`.
//!
//! An entry of a bucket may also contain the low bytes of further values of its page's signature,
//! the *partners* of the table. A reader of the bucket then knows not only that a page shares it,
//! but also how similar the two are. So keys can be short (`k = 1`), which finds pages of low
//! similarity, and few, which needs few reads, and the best of many candidates are still known
//! before anything else is read.
//!
//! # Source
//!
//! Haveliwala, Gionis and Indyk (2000), section 4, ExtractSimilarPairs: `l` times `k` distinct
//! random indices. This is [`TableRules::Independent`], which has no partners. The partners are
//! ours: a table with `p` partners is equivalent to `p` tables of `k = 2` that share their first
//! value, in one place.

use crate::hash::{self, SplitMix64};
use crate::minhash::Signature;

/// How keys are derived from signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRules {
    /// The paper's rules: `l` tables of `k` distinct random indices out of the `m`, without
    /// partners.
    Independent {
        /// Number of values in a key, 1 to `m`.
        k: u8,
        /// Number of tables, 1 to 1,024.
        l: u16,
    },
    /// Tables of `k = 1`. Index `i`, its anchor, is the key of table `i`. Each of its partners has
    /// a separate index after the anchors. Needs `m >= anchors (1 + partners)`.
    Anchored {
        /// Number of tables, 1 to 255.
        anchors: u8,
        /// Number of partners of a table, 0 to 255.
        partners: u8,
    },
}

/// The indices of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Table {
    key: Vec<u16>,
    partners: std::ops::Range<u16>,
}

/// The tables of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables(Vec<Table>);

/// Position of the table number, which has 8 bits, in a bucket.
const NUMBER_AT: u32 = 16;

/// The bucket of a signature in one table, and its partners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableKey {
    /// The bucket, which determines the shard: a hash of the table and the LSH signature, with the
    /// table number in bits 16 to 23, so that buckets of different tables differ in their low 24
    /// bits.
    pub bucket: u64,
    /// The low bytes of the partners' values.
    pub partners: Vec<u8>,
}

impl TableKey {
    /// Returns which of `shards` shards contains the bucket. `shards` must be at least 1.
    #[must_use]
    pub fn shard(&self, shards: u32) -> u32 {
        (self.bucket >> 32) as u32 % shards
    }
}

/// Why tables cannot be created from rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    /// A key has no values, so that all pages would share a bucket.
    #[error("a key has no values (k = 0). Set k to at least 1")]
    NoValues,
    /// Keys use more values than a signature has.
    #[error(
        "expected keys that take at most the {m} values of a signature, found {asked}. Use more values or shorter keys"
    )]
    TooManyValues {
        /// The values used by a key, or by all keys and partners of anchored tables.
        asked: u32,
        /// The number of values of a signature.
        m: u16,
    },
}

impl Tables {
    /// Creates the tables of `rules` over signatures of `m` values. Random indices are drawn from
    /// `seed`.
    ///
    /// # Errors
    ///
    /// Returns an error if keys have no values, or if the rules use more values than a signature
    /// has.
    pub fn new(rules: TableRules, m: u16, seed: u64) -> Result<Self, TablesError> {
        Self::count_of(rules, m)?;
        match rules {
            TableRules::Independent { k, l } => {
                // A different stream from that of the hash functions.
                let mut stream = SplitMix64::new(hash::mix(seed) ^ 0x7ab1e5);
                let tables = (0..l).map(|_| {
                    let mut key: Vec<u16> = Vec::with_capacity(usize::from(k));
                    while key.len() < usize::from(k) {
                        let index = stream.below(u32::from(m)) as u16;
                        if !key.contains(&index) {
                            key.push(index);
                        }
                    }
                    Table { key, partners: 0..0 }
                });
                Ok(Self(tables.collect()))
            }
            TableRules::Anchored { anchors, partners } => {
                let (anchors, partners) = (u16::from(anchors), u16::from(partners));
                let tables = (0..anchors).map(|anchor| {
                    let first = anchors + anchor * partners;
                    Table { key: vec![anchor], partners: first..first + partners }
                });
                Ok(Self(tables.collect()))
            }
        }
    }

    /// Returns the number of tables that [`new`](Self::new) creates.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new).
    pub fn count_of(rules: TableRules, m: u16) -> Result<u16, TablesError> {
        let (asked, count) = match rules {
            TableRules::Independent { k: 0, .. } => return Err(TablesError::NoValues),
            TableRules::Independent { k, l } => (u32::from(k), l),
            TableRules::Anchored { anchors, partners } => {
                (u32::from(anchors) * (1 + u32::from(partners)), anchors.into())
            }
        };
        if asked > u32::from(m) { Err(TablesError::TooManyValues { asked, m }) } else { Ok(count) }
    }

    /// Returns the number of tables, `l`.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the indices of the key values of each table. A caller that has signatures in columns
    /// uses them to derive the keys of many pages, one table after the other.
    pub fn indices(&self) -> impl Iterator<Item = &[u16]> {
        self.0.iter().map(|table| table.key.as_slice())
    }

    /// Returns the bucket of a signature in each table, with its partners.
    pub fn keys<'a>(&'a self, signature: &'a Signature) -> impl Iterator<Item = TableKey> + 'a {
        let values = signature.values();
        (0u64..).zip(&self.0).map(move |(number, table)| {
            let hashed = table.key.iter().fold(hash::mix(number), |bucket, &index| {
                hash::mix(bucket ^ u64::from(values[usize::from(index)]))
            });
            let bucket = hashed & !(0xff << NUMBER_AT) | number << NUMBER_AT;
            let partners = table.partners.clone().map(|index| values[usize::from(index)] as u8);
            TableKey { bucket, partners: partners.collect() }
        })
    }
}

impl TableRules {
    /// Returns the number of partners of each table.
    #[must_use]
    pub fn partners(&self) -> usize {
        match *self {
            Self::Independent { .. } => 0,
            Self::Anchored { partners, .. } => usize::from(partners),
        }
    }

    /// Returns the probability that two pages of similarity `s` share at least one bucket, assuming
    /// that the values of their signatures are independent.
    #[must_use]
    pub fn collision_probability(&self, s: f64) -> f64 {
        let power = |base: f64, exponent: u16| (0..exponent).fold(1.0, |product, _| product * base);
        let (k, l) = match *self {
            Self::Independent { k, l } => (u16::from(k), l),
            Self::Anchored { anchors, .. } => (1, u16::from(anchors)),
        };
        1.0 - power(1.0 - power(s, k), l)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minhash::{Family, SignatureParams};

    const PAPER: TableRules = TableRules::Independent { k: 3, l: 125 };
    const ANCHORED: TableRules = TableRules::Anchored { anchors: 8, partners: 9 };

    #[test]
    fn tables_find_similar_pairs_with_known_probability() {
        assert!((PAPER.collision_probability(0.2) - 0.6336).abs() < 1e-3);
        assert!((ANCHORED.collision_probability(0.2) - 0.8322).abs() < 1e-3);
        for rules in [PAPER, ANCHORED] {
            assert_eq!(rules.collision_probability(0.0), 0.0);
            assert_eq!(rules.collision_probability(1.0), 1.0);
        }
    }

    #[test]
    fn tables_need_enough_values() {
        let too_many = |asked, m| Err(TablesError::TooManyValues { asked, m });
        assert_eq!(Tables::new(ANCHORED, 79, 1), too_many(80, 79));
        assert_eq!(Tables::new(ANCHORED, 80, 1).unwrap().count(), 8);
        let independent = |k| Tables::new(TableRules::Independent { k, l: 1 }, 3, 1);
        assert_eq!(independent(4), too_many(4, 3));
        assert_eq!(independent(0), Err(TablesError::NoValues));
        assert_eq!(Tables::new(PAPER, 80, 1).unwrap().count(), 125);
    }

    #[test]
    fn buckets_of_two_tables_differ_in_their_low_bits() {
        let family = Family::new(SignatureParams { m: 80, bits: 16, seed: 1 });
        let signature =
            family.sign(&crate::bag::Bag::from_sorted(vec![(7, 3), (9, 1)]).unwrap()).unwrap();
        for rules in [PAPER, ANCHORED] {
            let tables = Tables::new(rules, 80, 1).unwrap();
            let numbers: Vec<u64> =
                tables.keys(&signature).map(|key| key.bucket >> 16 & 0xff).collect();
            assert_eq!(numbers, (0..tables.count() as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn independent_tables_take_distinct_indices() {
        for table in Tables::new(PAPER, 3, 9).unwrap().0 {
            let mut indices = table.key.clone();
            indices.sort_unstable();
            assert_eq!(indices, [0, 1, 2]);
        }
    }

    #[test]
    fn anchored_tables_use_each_index_once() {
        let tables = Tables::new(ANCHORED, 80, 1).unwrap().0;
        let mut used: Vec<u16> = tables
            .iter()
            .flat_map(|table| table.key.iter().copied().chain(table.partners.clone()))
            .collect();
        used.sort_unstable();
        assert_eq!(used, (0..80).collect::<Vec<_>>());
    }

    /// Pages whose sets of 100 elements overlap by a known Jaccard share buckets as often as the
    /// curve predicts, and agree in that share of their partners.
    #[test]
    fn pages_share_buckets_as_the_curve_predicts() {
        for rules in [PAPER, ANCHORED] {
            let params = SignatureParams { m: 80, bits: 16, seed: 3 };
            let (family, tables) = (Family::new(params), Tables::new(rules, 80, 3).unwrap());
            // 50 of 150 elements shared: J = 1/3.
            let trials = 2_000;
            let (mut met, mut partners, mut agreeing) = (0, 0, 0);
            for trial in 0..trials {
                let mut stream = SplitMix64::new(1_000 + trial);
                let all: Vec<u32> = (0..150).map(|_| stream.next_u64() as u32).collect();
                let a = family.sign_elements(all[..100].iter().copied()).unwrap();
                let b = family.sign_elements(all[50..].iter().copied()).unwrap();
                let mut meets = false;
                for (a, b) in tables.keys(&a).zip(tables.keys(&b)) {
                    meets |= a.bucket == b.bucket;
                    partners += a.partners.len();
                    agreeing += a.partners.iter().zip(&b.partners).filter(|(a, b)| a == b).count();
                }
                met += u32::from(meets);
            }
            let expected = rules.collision_probability(1.0 / 3.0);
            let found = f64::from(met) / trials as f64;
            // The paper's 125 tables reuse 80 values, so they are not quite independent.
            assert!((found - expected).abs() < 0.06, "{rules:?}: {found} for {expected}");
            if partners > 0 {
                let part = agreeing as f64 / partners as f64;
                assert!((part - 1.0 / 3.0).abs() < 0.01, "{part} of the partners agree");
            }
        }
    }
}
