//! How many tables of how many values: by the pages, the threshold and what the pages have in
//! common.
//!
//! # What tables find
//!
//! Two pages of similarity `s` agree in a value with probability `s`, so a table of `k` values
//! finds them with `s^k` and `l` tables with `1 - (1 - s^k)^l`, if all `k l` values are drawn anew.
//! They are drawn out of `m`: two pages agree in `a` of those, binomially distributed, and share
//! the key of a table with `C(a, k) / C(m, k)`. The mean over `a` is lower than the formula (the
//! paper's `k = 3`, `l = 125` find 0.91 of the pairs at 0.3 with `m = 80`, where the formula says
//! 0.97), and it is what is predicted here. The filter then takes those that agree in enough of the
//! compared values.
//!
//! # What tables cost
//!
//! A table brings all `n` pages together by their keys, which is cheaper if it looks at the same
//! value as others, and compares those that share one: `n^2 / 2` times the probability that two
//! pages taken at random do, the mean of `J^k` over all pairs. That background is sampled: all
//! pairs of some ten thousand pages are looked at, by the keys of a few tables of each `k`. Buckets
//! that are too large are cut, which bounds what they cost and loses some of their pairs: of that a
//! sample tells too, and it counts in what is predicted.
//!
//! The unit is a comparison, about 4 ns of a processor. For each page a table costs as much as
//! [`TABLE`], [`CUT`] if the page is in a cut bucket, and each value that tables have in common as
//! [`HEAD`]. The choice is the cheapest `k` and `l` that find the wanted part of the pairs at the
//! threshold. If all that do are dearer than allowed, it is what finds most within that, and says
//! so.

use pagekin_core::hash;
use pagekin_core::lsh::{TableRules, Tables};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::PairsError;
use crate::pairs::bucket_join::ExtractOptions;
use crate::pairs::large_buckets::ORDERS;
use crate::pairs::table_order;
use crate::signatures::columns::SignatureColumns;
use crate::threshold::Threshold;

/// What it costs to bring a page to those that agree in the value of a head, in comparisons: see
/// `table_order`.
pub const HEAD: f64 = 25.0;
/// What it costs to look in a table which of these share its key.
pub const TABLE: f64 = 9.0;
/// What it costs to put a page in order in a bucket that is cut.
pub const CUT: f64 = 400.0;
/// The most values of a key.
const MAX_K: u8 = 8;
/// The most tables.
const MAX_L: u16 = 1_024;
/// Pages of a sample: one in 16, but not fewer than the first and not more than the second. And the
/// tables of each `k` that they are put into.
const SAMPLE: [usize; 2] = [1 << 13, 1 << 16];
const DRAWS: u16 = 8;

/// How often pages that have nothing to do with each other meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    pages: usize,
    /// In tables of keys of 1, 2, … values.
    tables: [Meeting; MAX_K as usize],
}

/// What happens in a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Meeting {
    /// The comparisons for each page: half the pages that share its key, or what is left of that
    /// where buckets are cut.
    compared: f64,
    /// The part of the pages that are in buckets that are cut.
    cut: f64,
}

impl Background {
    /// Samples `pages`, in up to some tenths of a second. Equal signatures are to be collapsed
    /// before.
    #[must_use]
    pub fn sample(columns: &SignatureColumns, pages: &[u32], seed: u64) -> Self {
        let sample = drawn(pages.to_vec(), pages.len(), seed, |&page| page);
        Self::from_sample(columns, &sample, pages.len(), seed)
    }

    /// The background of `of` pages by those that were [`drawn`].
    #[must_use]
    pub fn from_sample(columns: &SignatureColumns, sample: &[u32], of: usize, seed: u64) -> Self {
        let tables = std::array::from_fn(|at| {
            let (k, m) = (at as u8 + 1, columns.m() as u16);
            let rules = TableRules::Independent { k, l: DRAWS };
            // A key of more than all values is the last of all.
            let tables = Tables::new(rules, m, seed ^ u64::from(k));
            let Some(tables) = tables.ok().filter(|_| sample.len() > 1) else {
                return Meeting::default();
            };
            let indices: Vec<&[u16]> = tables.indices().collect();
            let scale = (of - 1) as f64 / (sample.len() - 1) as f64;
            let in_table = |indices: &&[u16]| meeting(columns, sample, indices, scale);
            let met: Vec<Meeting> = indices.par_iter().map(in_table).collect();
            let mean = |of: fn(&Meeting) -> f64| met.iter().map(of).sum::<f64>() / f64::from(DRAWS);
            Meeting { compared: mean(|met| met.compared), cut: mean(|met| met.cut) }
        });
        Self { pages: of, tables }
    }

    fn table(&self, k: u8) -> Meeting {
        self.tables[usize::from(k) - 1]
    }
}

/// How many of `of` pages are drawn.
pub fn sample_size(of: usize) -> usize {
    (of / 16).clamp(SAMPLE[0], SAMPLE[1]).min(of)
}

/// By what pages are drawn: those of the lowest are.
pub fn lot(page: u32, seed: u64) -> u64 {
    hash::mix(hash::mix(seed) ^ u64::from(page))
}

/// Those of some pages that stand for all `of`, in ascending order: the same whatever others come
/// with them, so that parts of the pages can be drawn from apart, and what is drawn again.
pub fn drawn<T>(mut pages: Vec<T>, of: usize, seed: u64, page: impl Fn(&T) -> u32) -> Vec<T> {
    let wanted = sample_size(of);
    if pages.len() > wanted {
        pages.select_nth_unstable_by_key(wanted, |one| lot(page(one), seed));
        pages.truncate(wanted);
    }
    pages.sort_unstable_by_key(page);
    pages
}

/// What happens to some pages in a table, if each stands for `scale`.
fn meeting(columns: &SignatureColumns, pages: &[u32], indices: &[u16], scale: f64) -> Meeting {
    let most = f64::from(ExtractOptions::MAX_IN_BUCKET);
    let mut hashes = Vec::new();
    columns.hash_keys(pages, indices, &mut hashes);
    hashes.sort_unstable();
    let mut meeting = Meeting::default();
    for run in hashes.chunk_by(|a, b| a == b) {
        let (part, others) =
            (run.len() as f64 / pages.len() as f64, (run.len() - 1) as f64 * scale);
        meeting.compared += part * others.min(most) / 2.0;
        meeting.cut += if others > most { part } else { 0.0 };
    }
    meeting
}

/// What is asked of the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// From what similarity on pairs are wanted.
    pub threshold: Threshold,
    /// The part of the pairs at the threshold that should share a key, above 0 and below 1.
    pub recall: f64,
    /// What all tables may cost, in comparisons a page.
    pub most_work: f64,
    /// Values of a key, 1 to 8, if they are not to be chosen.
    pub k: Option<u8>,
    /// Tables, 1 to 1,024, likewise.
    pub l: Option<u16>,
}

impl Wish {
    /// The default recall at the threshold.
    pub const RECALL: f64 = 0.95;
    /// The default of the allowed work: some 50 microseconds of a processor for each page.
    pub const MAX_WORK: f64 = 12_000.0;

    /// For pairs from `threshold` on.
    #[must_use]
    pub fn new(threshold: Threshold) -> Self {
        let (recall, most_work) = (Self::RECALL, Self::MAX_WORK);
        Self { threshold, recall, most_work, k: None, l: None }
    }

    /// As in the paper: 125 tables of 3 values.
    #[must_use]
    pub fn paper() -> Self {
        Self { k: Some(3), l: Some(125), ..Self::new(Threshold::PAPER) }
    }
}

/// The tables that were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Values of a key.
    pub k: u8,
    /// Tables.
    pub l: u16,
    /// The part of the pairs at the threshold that share a key, as predicted.
    pub recall: f64,
    /// The part of the pages that are in buckets that are cut.
    pub cut: f64,
    /// The comparisons that are to be expected in all tables.
    pub candidates: f64,
    /// What all tables cost, in comparisons a page.
    pub work: f64,
    /// Whether the tables find what was wanted.
    pub is_enough: bool,
}

/// Chooses tables for signatures of `m` values.
///
/// # Errors
///
/// [`PairsError::Range`] if a number of `wish` is out of its range, or `k` above `m`.
pub fn choose(background: &Background, wish: &Wish, m: u16) -> Result<Choice, PairsError> {
    let range = |what, expected, found: String| Err(PairsError::Range { what, expected, found });
    if let Some(k) = wish.k
        && !(1..=u16::from(MAX_K).min(m)).contains(&u16::from(k))
    {
        return range("the values of a key", "1 to 8 and at most m", k.to_string());
    }
    if let Some(l) = wish.l
        && !(1..=MAX_L).contains(&l)
    {
        return range("the number of tables", "1 to 1024", l.to_string());
    }
    if !(wish.recall > 0.0 && wish.recall < 1.0) {
        return range("the wanted recall", "above 0 and below 1", wish.recall.to_string());
    }
    if wish.most_work.is_nan() || wish.most_work <= 0.0 {
        return range("the allowed work", "above 0", wish.most_work.to_string());
    }
    let agreeing = distribution(m, wish.threshold.value());
    let choices = (1..=m.min(MAX_K.into()) as u8)
        .filter(|k| wish.k.is_none_or(|wanted| wanted == *k))
        .map(|k| {
            let Meeting { compared, cut } = background.table(k);
            let work = |l| {
                f64::from(l) * (TABLE + compared + CUT * cut) + f64::from(heads(k, l, m)) * HEAD
            };
            let recall = |l| recall(&agreeing, k, l, cut);
            // The fewest that are enough, or all that are allowed.
            let l = wish.l.unwrap_or_else(|| {
                let last = first(MAX_L, |l| l == MAX_L || work(l + 1) > wish.most_work);
                first(last, |l| l == last || recall(l) >= wish.recall)
            });
            Choice {
                k,
                l,
                recall: recall(l),
                cut,
                candidates: compared * background.pages as f64 * f64::from(l),
                work: work(l),
                is_enough: recall(l) >= wish.recall,
            }
        });
    // Who is told both numbers, or none that is cheap enough, may be over what is allowed.
    let allowed = |choice: &Choice| choice.is_enough && choice.work <= wish.most_work;
    let better = |a: Choice, b: Choice| {
        let b_is_better = match (allowed(&a), allowed(&b)) {
            (true, true) => b.work < a.work,
            (false, false) if (a.work <= wish.most_work) == (b.work <= wish.most_work) => {
                b.recall > a.recall
            }
            (false, false) => b.work <= wish.most_work,
            (_, b) => b,
        };
        if b_is_better { b } else { a }
    };
    let (what, expected) = ("m", "at least 1");
    choices.reduce(better).ok_or(PairsError::Range { what, expected, found: m.to_string() })
}

/// The least number from 1 to `last` of which `is_enough` is true, as it is of all above that.
fn first(last: u16, is_enough: impl Fn(u16) -> bool) -> u16 {
    let (mut few, mut enough) = (1, last);
    while few < enough {
        let middle = few.midpoint(enough);
        if is_enough(middle) {
            enough = middle;
        } else {
            few = middle + 1;
        }
    }
    enough
}

/// How many values tables have in common, about: those of one seed.
fn heads(k: u8, l: u16, m: u16) -> u32 {
    let tables = Tables::new(TableRules::Independent { k, l }, m, 0);
    tables.map_or(0, |tables| table_order::in_order(tables.indices().collect()).1.len() as u32)
}

/// What becomes of the pairs of a similarity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The similarity.
    pub similarity: f64,
    /// The paper's formula, `1 - (1 - s^k)^l`.
    pub formula: f64,
    /// The part that shares a key.
    pub meets: f64,
    /// The part that shares a key and passes the filter.
    pub found: f64,
}

/// The predicted recall at similarities 0.2, 0.3, … 0.9, of tables of `m` values, which must
/// agree in the part `threshold`.
#[must_use]
pub fn curve(choice: &Choice, m: u16, threshold: Threshold) -> Vec<CurvePoint> {
    (2..=9).map(|tenths| curve_at(f64::from(tenths) / 10.0, choice, m, threshold)).collect()
}

/// The [`curve`] at a similarity, which is the probability that a value agrees.
#[must_use]
pub fn curve_at(similarity: f64, choice: &Choice, m: u16, threshold: Threshold) -> CurvePoint {
    let Choice { k, l, cut, .. } = *choice;
    let least = threshold.least_of(u32::from(m)) as usize;
    let distribution = distribution(m, similarity);
    let passing = distribution.iter().enumerate().skip(least);
    let found = passing.map(|(a, p)| p * meets(a, m.into(), k, l, cut)).sum();
    let formula = TableRules::Independent { k, l }.collision_probability(similarity);
    let meets = recall(&distribution, k, l, cut);
    CurvePoint { similarity, formula, meets, found }
}

/// The probabilities that 0, 1, … `m` of `m` values agree, if each does with probability `s`.
fn distribution(m: u16, s: f64) -> Vec<f64> {
    let mut probabilities = vec![0.0; usize::from(m) + 1];
    probabilities[0] = 1.0;
    for values in 1..=usize::from(m) {
        for agreeing in (1..=values).rev() {
            probabilities[agreeing] =
                probabilities[agreeing] * (1.0 - s) + probabilities[agreeing - 1] * s;
        }
        probabilities[0] *= 1.0 - s;
    }
    probabilities
}

/// The probability that pages which agree in `a` of `m` values are compared in one of `l` tables,
/// where a part `cut` of the pages is in buckets that are cut. Of keys longer than `m` there are
/// none.
///
/// A cut bucket compares two pages if they come together in one of [`ORDERS`] orders: if they agree
/// in its first value, of those that are not of the key.
fn meets(a: usize, m: usize, k: u8, l: u16, cut: f64) -> f64 {
    let part = |i: usize| a.saturating_sub(i) as f64 / m.saturating_sub(i).max(1) as f64;
    let key: f64 = (0..usize::from(k)).map(part).product();
    let apart = (1.0 - part(k.into())).powi(ORDERS as i32);
    1.0 - (1.0 - key * (1.0 - cut * apart)).powi(i32::from(l))
}

/// The mean of that over how many agree.
fn recall(agreeing: &[f64], k: u8, l: u16, cut: f64) -> f64 {
    let m = agreeing.len() - 1;
    agreeing.iter().enumerate().map(|(a, probability)| probability * meets(a, m, k, l, cut)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::bucket_join::ExtractOptions;
    use crate::pairs::extract::{PairBatch, extract};
    use crate::signatures::columns::tests::columns;
    use expect_test::expect;
    use pagekin_core::hash::SplitMix64;

    const M: u16 = 80;

    /// By the probability that two pages share a key of 1, 2, … values, where no bucket is cut.
    fn background(pages: usize, meeting: [f64; 8]) -> Background {
        let half = pages as f64 / 2.0;
        let tables = meeting.map(|met| Meeting { compared: half * met, cut: 0.0 });
        Background { pages, tables }
    }

    /// The paper's tables.
    fn of_paper() -> Choice {
        let background = background(100, [1e-3; 8]);
        choose(&background, &Wish::paper(), M).unwrap()
    }

    /// Rows of pairs of pages that agree in each value with probability `s`.
    fn planted(pairs: u32, s: f64, seed: u64) -> Vec<u16> {
        let mut stream = SplitMix64::new(seed);
        let mut rows = Vec::new();
        for _ in 0..pairs {
            let first: Vec<u16> = (0..M).map(|_| stream.next_u64() as u16).collect();
            rows.extend(&first);
            rows.extend(first.iter().map(|&value| {
                let agrees = f64::from(stream.below(1_000_000)) < s * 1e6;
                if agrees { value } else { stream.next_u64() as u16 }
            }));
        }
        rows
    }

    /// The planted pairs that are found, and the other ones that are made.
    fn found(rows: &[u16], k: u8, l: u16, threshold: Threshold) -> (u32, u32) {
        let columns = columns(M, rows);
        let pages: Vec<u32> = (0..columns.pages()).collect();
        let tables = Tables::new(TableRules::Independent { k, l }, M, 11).unwrap();
        let (mut planted, mut others) = (0, 0);
        let options = ExtractOptions { threshold, most_in_bucket: 1_000 };
        extract(&columns, &pages, &tables, options, |batch: PairBatch<'_>| {
            for pair in batch.pairs {
                *if pair.u / 2 == pair.v / 2 { &mut planted } else { &mut others } += 1;
            }
            Ok::<(), PairsError>(())
        })
        .unwrap();
        (planted, others)
    }

    /// The part of the pairs of a similarity that pass the filter, whether they meet or not. Bytes
    /// of values that differ are equal once in 256 times.
    fn passing(similarity: f64, m: u16, threshold: Threshold) -> f64 {
        let equal = similarity + (1.0 - similarity) / 256.0;
        let least = threshold.least_of(u32::from(m)) as usize;
        distribution(m, equal).iter().skip(least).sum()
    }

    #[test]
    fn of_the_choices_for_each_length_the_best_is_chosen() {
        let background = background(1_000_000, [3e-2, 1e-3, 6e-5, 4e-6, 3e-7, 2e-8, 1e-9, 1e-10]);
        for most_work in [20.0, 300.0, 1_000.0, 5_000.0, 40_000.0] {
            for recall in [0.5, 0.95, 0.999] {
                let wish = Wish { most_work, recall, ..Wish::new(Threshold::PAPER) };
                let of_length = |k| choose(&background, &Wish { k: Some(k), ..wish }, M).unwrap();
                let all: Vec<Choice> = (1..=MAX_K).map(of_length).collect();
                let cheap = |choice: &&Choice| choice.work <= most_work;
                let by_work = |a: &&Choice, b: &&Choice| a.work.total_cmp(&b.work);
                let by_recall = |a: &&Choice, b: &&Choice| a.recall.total_cmp(&b.recall);
                let enough = all.iter().filter(cheap).filter(|choice| choice.is_enough);
                let expected = enough
                    .min_by(by_work)
                    .or_else(|| all.iter().filter(cheap).max_by(by_recall))
                    .or_else(|| all.iter().max_by(by_recall));
                let chosen = choose(&background, &wish, M).unwrap();
                assert_eq!((chosen.k, chosen.l), expected.map(|one| (one.k, one.l)).unwrap());
            }
        }
    }

    #[test]
    fn the_papers_tables_find_what_is_predicted() {
        let mut lines = String::new();
        for point in curve(&of_paper(), M, Threshold::PAPER) {
            let CurvePoint { similarity, formula, meets, found } = point;
            lines += &format!("{similarity} {formula:.3} {meets:.3} {found:.3}\n");
        }
        expect![[r#"
            0.2 0.634 0.559 0.398
            0.3 0.967 0.911 0.904
            0.4 1.000 0.994 0.994
            0.5 1.000 1.000 1.000
            0.6 1.000 1.000 1.000
            0.7 1.000 1.000 1.000
            0.8 1.000 1.000 1.000
            0.9 1.000 1.000 1.000
        "#]]
        .assert_eq(&lines);
        let pairs = 1_000;
        for (at, point) in curve(&of_paper(), M, Threshold::PAPER).iter().enumerate().take(4) {
            let rows = planted(pairs, point.similarity, at as u64);
            let (planted, others) = found(&rows, 3, 125, Threshold::PAPER);
            let part = f64::from(planted) / f64::from(pairs);
            // Five standard deviations, and what the indices that were drawn differ from the mean
            // of all.
            let bound = 5.0 * (point.found * (1.0 - point.found) / f64::from(pairs)).sqrt() + 0.02;
            assert!((part - point.found).abs() < bound, "{part} for {point:?}");
            assert_eq!(others, 0);
        }
    }

    /// Of pairs that are similar by 0.3 or more, evenly spread, the paper's tables find 95 in 100.
    #[test]
    fn the_papers_tables_find_similar_pairs() {
        let mut rows = Vec::new();
        for hundredths in 30..=90u32 {
            rows.extend(planted(40, f64::from(hundredths) / 100.0, hundredths.into()));
        }
        let (planted, _) = found(&rows, 3, 125, Threshold::PAPER);
        let part = f64::from(planted) / (61.0 * 40.0);
        assert!(part >= 0.95, "{part}");
    }

    /// Of pairs below the threshold, the filter takes as many as the binomial distribution says,
    /// and no more.
    #[test]
    fn the_filter_is_as_precise_as_the_binomial_distribution_says() {
        let pairs = 1_500;
        for s in [0.05, 0.1, 0.15] {
            // Tables of one value find nearly all pairs that would pass.
            let (passed, _) = found(&planted(pairs, s, 77), 1, 400, Threshold::PAPER);
            let expected = passing(s, M, Threshold::PAPER);
            let part = f64::from(passed) / f64::from(pairs);
            let bound = 5.0 * (expected * (1.0 - expected) / f64::from(pairs)).sqrt() + 0.001;
            assert!((part - expected).abs() < bound, "{part} for {expected}");
        }
    }

    #[test]
    fn the_background_is_how_often_pages_meet() {
        // Each value is one of 16: two pages share a key of k values with 16^-k.
        let mut stream = SplitMix64::new(3);
        let rows: Vec<u16> = (0..2_400 * usize::from(M)).map(|_| stream.below(16) as u16).collect();
        let columns = columns(M, &rows);
        // None has more pages than a bucket may have in tests.
        let pages: Vec<u32> = (0..2_400).collect();
        let background = Background::sample(&columns, &pages, 1);
        for k in 1..=4 {
            let expected = 1.0 / 16f64.powi(k);
            let met = background.table(k as u8);
            let compared = met.compared / 1_200.0;
            assert!((compared / expected - 1.0).abs() < 0.1, "{compared} for {expected}");
            assert_eq!(met.cut, 0.0);
        }
        let none = Background::sample(&columns, &[], 1);
        assert_eq!(none.table(1), Meeting::default());
    }

    /// Pages that all agree in many values are in one bucket: it is known what cutting it costs and
    /// what it finds.
    #[test]
    fn cut_buckets_are_foreseen() {
        let mut stream = SplitMix64::new(9);
        let count = 12_000;
        let rows: Vec<u16> = (0..count * usize::from(M))
            .map(|at| if at % 4 == 0 { 7 } else { stream.next_u64() as u16 })
            .collect();
        let columns = columns(M, &rows);
        let pages: Vec<u32> = (0..count as u32).collect();
        let background = Background::sample(&columns, &pages, 1);
        // A quarter of the values is common to all: half of a bucket of the largest size is what is
        // left to compare.
        let Meeting { compared, cut } = background.table(1);
        assert!(cut == 0.25 || cut == 0.125 || cut == 0.375 || cut == 0.5, "{cut}");
        let half = f64::from(ExtractOptions::MAX_IN_BUCKET) / 2.0;
        assert!((compared / (cut * half) - 1.0).abs() < 0.05, "{compared}");
        let (whole, less) = (meets(20, 80, 1, 4, 0.0), meets(20, 80, 1, 4, 1.0));
        assert!(less < whole && less > 0.6 * whole, "{less} of {whole}");
        assert_eq!(meets(80, 80, 3, 1, 1.0), 1.0);
        assert_eq!(meets(0, 80, 1, 9, 1.0), 0.0);
    }

    #[test]
    fn more_pages_are_given_longer_keys() {
        let meeting = [1e-2, 2e-3, 6e-4, 2e-4, 8e-5, 3e-5, 1e-5, 5e-6].map(|met| met * 1e-2);
        let threshold = Threshold::from_thousandths(300).unwrap();
        let mut last = 0;
        let mut lines = String::new();
        for pages in [10_000, 1_000_000, 20_000_000] {
            let choice = choose(&background(pages, meeting), &Wish::new(threshold), M).unwrap();
            assert!(choice.k >= last);
            last = choice.k;
            let Choice { k, l, recall, work, is_enough, .. } = choice;
            lines += &format!(
                "{pages}: k {k}, l {l}, recall {recall:.3}, work {work:.0}, {is_enough}\n"
            );
        }
        expect![[r#"
            10000: k 1, l 9, recall 0.952, work 310, true
            1000000: k 1, l 9, recall 0.952, work 756, true
            20000000: k 2, l 39, recall 0.951, work 8576, true
        "#]]
        .assert_eq(&lines);
    }

    #[test]
    fn keys_are_no_longer_than_signatures() {
        let background = background(1_000, [1e-3; 8]);
        for m in [1, 2, 8, 256, 1_024] {
            let choice = choose(&background, &Wish::new(Threshold::PAPER), m).unwrap();
            assert!((1..=m.min(8)).contains(&choice.k.into()), "{choice:?}");
        }
        assert!(choose(&background, &Wish::new(Threshold::PAPER), 0).is_err());
        assert!(choose(&background, &Wish::paper(), 2).is_err());
        assert!(curve(&of_paper(), 2, Threshold::PAPER).iter().all(|point| point.meets == 0.0));
    }

    #[test]
    fn what_is_told_is_kept() {
        let background = background(1_000_000, [1e-3; 8]);
        let choice = choose(&background, &Wish::paper(), M).unwrap();
        assert_eq!((choice.k, choice.l, choice.is_enough), (3, 125, false));
        assert!(choice.work > Wish::MAX_WORK, "the paper's tables, whatever they cost");
        let wish = Wish { k: Some(2), ..Wish::new(Threshold::PAPER) };
        // 530 comparisons a page and table: 22 tables are allowed, where 100 would be enough.
        let choice = choose(&background, &wish, M).unwrap();
        assert_eq!((choice.k, choice.l, choice.is_enough), (2, 22, false));
        for wish in [
            Wish { k: Some(0), ..wish },
            Wish { k: Some(9), ..wish },
            Wish { l: Some(0), ..wish },
            Wish { recall: 1.0, ..wish },
            Wish { most_work: f64::NAN, ..wish },
        ] {
            assert!(choose(&background, &wish, M).is_err(), "{wish:?}");
        }
    }
}
