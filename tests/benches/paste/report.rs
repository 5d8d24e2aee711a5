//! The results as tables or JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use pagekin_tests::measuring::asking::Reads;
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::measuring::quality::TOP;
use pagekin_tests::measuring::spread::Spread;
use serde::Serialize;

use crate::sections::{self, Sections};

/// The results for a site.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) pages: u64,
    pub(crate) index_files: u64,
    pub(crate) index_bytes: u64,
    /// Passages by length, whole and thinned out, each followed by all of them; then those of all
    /// whose terms the index has for their page.
    pub(crate) passages: Vec<Row>,
    /// Bytes and requests of a query with a passage, by kind of file.
    pub(crate) bytes_by_kind: BTreeMap<String, Spread>,
    pub(crate) requests_by_kind: BTreeMap<String, Spread>,
    /// The sections to which answers link, for passages whole and thinned out.
    pub(crate) sections: [Sections; 2],
    /// Results for the handwritten queries, if there are any for the site.
    pub(crate) written: Option<Written>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Written {
    pub(crate) name: String,
    /// Rows by kind of query, and one for all.
    pub(crate) rows: Vec<Row>,
    pub(crate) answered: Vec<Answered>,
}

/// The answers to a handwritten query.
#[derive(Debug, Serialize)]
pub(crate) struct Answered {
    pub(crate) query: String,
    pub(crate) kind: String,
    pub(crate) wanted: Vec<String>,
    /// The first answers of the index.
    pub(crate) first: Vec<String>,
    /// The first answers of BM25 over the whole text.
    pub(crate) whole_text: Vec<String>,
    /// The rank, from 0, of the first wanted page among the answers of the index.
    pub(crate) place: Option<usize>,
}

impl Answered {
    /// Returns whether no wanted page is among the first three.
    fn is_missed(&self) -> bool {
        self.place.is_none_or(|place| place >= 3)
    }
}

/// The answers to a text.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Which answers of BM25 over the whole text are right.
    pub(crate) whole_text: Vec<bool>,
    pub(crate) whole_text_first: Vec<String>,
    /// Which answers of the index, and of its list by `found`, are right; and whether there are two
    /// lists.
    pub(crate) index: Vec<bool>,
    pub(crate) by_found: Vec<bool>,
    pub(crate) has_both: bool,
    /// Whether the index has all terms of the whole text for the first right page.
    pub(crate) is_indexed: bool,
    /// Which results of the first answer, which may be partial, are right; and the bytes until
    /// then.
    pub(crate) first_shown: Vec<bool>,
    pub(crate) first_bytes: u64,
    /// Number of right pages.
    pub(crate) right: usize,
    /// URLs of the first answers of the index.
    pub(crate) first: Vec<String>,
    /// The cost of the query. It is zero for a text of stop words only.
    pub(crate) reads: Reads,
    pub(crate) rounds: u64,
}

/// The outcomes of some texts.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) queries: usize,
    pub(crate) whole_text: Hits,
    pub(crate) index: Hits,
    pub(crate) by_found: Hits,
    /// The first answer, which may be partial.
    pub(crate) first_shown: Hits,
    pub(crate) first_bytes: Spread,
    /// Share of the queries with two lists.
    pub(crate) with_both_lists: f64,
    pub(crate) bytes: Spread,
    pub(crate) requests: Spread,
    pub(crate) rounds: Spread,
}

/// Shares of the queries with a right page among the top 1, 3 and 10 answers.
#[derive(Debug, Serialize)]
pub(crate) struct Hits {
    top_1: f64,
    top_3: f64,
    top_10: f64,
    /// nDCG@10, with equal gains for all right pages.
    ndcg: f64,
}

/// Returns the gain of a right page at a rank from 0.
fn gain_at(place: usize) -> f64 {
    1.0 / libm::log2(place as f64 + 2.0)
}

impl Hits {
    fn new(outcomes: &[&Outcome], hits: fn(&Outcome) -> &[bool]) -> Self {
        let mean = |of: &dyn Fn(&Outcome) -> f64| {
            outcomes.iter().map(|&outcome| of(outcome)).sum::<f64>() / outcomes.len().max(1) as f64
        };
        let among = |top: usize| {
            mean(&|outcome| f64::from(u8::from(hits(outcome).iter().take(top).any(|&is| is))))
        };
        let ndcg = mean(&|outcome| {
            let gain = |hits: &[bool]| -> f64 {
                (0..).zip(hits).filter(|&(_, &is)| is).map(|(place, _)| gain_at(place)).sum()
            };
            gain(hits(outcome)) / gain(&[true; TOP][..outcome.right.min(TOP)])
        });
        Self { top_1: among(1), top_3: among(3), top_10: among(TOP), ndcg }
    }
}

impl fmt::Display for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { top_1, top_3, top_10, ndcg } = self;
        write!(f, "{top_1:.2} {top_3:.2} {top_10:.2}; {ndcg:.3}")
    }
}

impl Row {
    pub(crate) fn from_outcomes(name: impl Into<String>, outcomes: &[&Outcome]) -> Self {
        let each = outcomes.iter();
        Self {
            name: name.into(),
            queries: outcomes.len(),
            whole_text: Hits::new(outcomes, |outcome| &outcome.whole_text),
            index: Hits::new(outcomes, |outcome| &outcome.index),
            by_found: Hits::new(outcomes, |outcome| &outcome.by_found),
            first_shown: Hits::new(outcomes, |outcome| &outcome.first_shown),
            first_bytes: Spread::new(each.clone().map(|outcome| outcome.first_bytes)),
            with_both_lists: each.clone().filter(|outcome| outcome.has_both).count() as f64
                / outcomes.len().max(1) as f64,
            bytes: Spread::new(each.clone().map(|outcome| outcome.reads.bytes())),
            requests: Spread::new(each.clone().map(|outcome| outcome.reads.requests())),
            rounds: Spread::new(each.map(|outcome| outcome.rounds)),
        }
    }
}

/// Returns the spread of `of` over the reads, by kind of file.
pub(crate) fn by_kind(
    outcomes: &[&Outcome],
    of: fn(&(u64, u64)) -> u64,
) -> BTreeMap<String, Spread> {
    let kinds: BTreeSet<_> =
        outcomes.iter().flat_map(|outcome| outcome.reads.by_kind.keys()).collect();
    let spread = |kind: &String| {
        Spread::new(outcomes.iter().map(|outcome| outcome.reads.by_kind.get(kind).map_or(0, of)))
    };
    kinds.into_iter().map(|kind| (kind.clone(), spread(kind))).collect()
}

impl Report {
    /// Returns the tables and, with `misses`, the queries without a right page among the top three.
    pub(crate) fn tables(&self, misses: bool) -> Result<String, fmt::Error> {
        let mut out = String::new();
        let Self { name, pages, index_files, index_bytes, .. } = self;
        let each = index_bytes / pages.max(&1);
        writeln!(
            out,
            "{name}: {} pages, {} files of {} bytes, {each} per page\n",
            grouped(*pages),
            grouped(*index_files),
            grouped(*index_bytes)
        )?;
        rows(&mut out, "words pasted", &self.passages)?;
        let kinds = self.bytes_by_kind.iter().zip(self.requests_by_kind.values());
        let costs = kinds.map(|((kind, bytes), requests)| {
            format!("{kind} {} kB in {}", kilobytes(bytes), requests.median)
        });
        writeln!(out, "\nBy kind (median, p90): {}\n", costs.collect::<Vec<_>>().join("; "))?;
        sections::rows(&mut out, &self.sections, misses)?;
        let Some(written) = &self.written else { return Ok(out) };
        rows(&mut out, &format!("queries about {}", written.name), &written.rows)?;
        writeln!(out)?;
        if misses {
            for missed in written.answered.iter().filter(|answered| answered.is_missed()) {
                let query = &missed.query;
                let (wanted, first) = (missed.wanted.join(", "), missed.first.join(", "));
                writeln!(out, "- {query:?}\n  - wanted: {wanted}\n  - first: {first}")?;
            }
            writeln!(out)?;
        }
        Ok(out)
    }
}

fn rows(out: &mut String, what: &str, rows: &[Row]) -> fmt::Result {
    writeln!(
        out,
        "| {what} | | BM25 top 1, 3, 10; nDCG | pagekin top 1, 3, 10; nDCG | the list by `found` | two lists | first answer: top 1, 3, 10; nDCG | its kB median, p90 | kB median, p90 | requests median, max | rounds median, max |"
    )?;
    writeln!(out, "| --- |{}", " ---: |".repeat(10))?;
    for row in rows {
        let Row { name, queries, whole_text, index, by_found, first_shown, .. } = row;
        let Row { first_bytes, bytes, requests, rounds, .. } = row;
        let both = row.with_both_lists;
        let with_max = |of: &Spread| format!("{}, {}", of.median, of.max);
        let first_kilobytes = kilobytes(first_bytes);
        let (bytes, requests, rounds) = (kilobytes(bytes), with_max(requests), with_max(rounds));
        writeln!(
            out,
            "| {name} | {queries} | {whole_text} | {index} | {by_found} | {both:.2} | {first_shown} | {first_kilobytes} | {bytes} | {requests} | {rounds} |"
        )?;
    }
    Ok(())
}

fn kilobytes(bytes: &Spread) -> String {
    format!("{:.1}, {:.1}", bytes.median as f64 / 1e3, bytes.p90 as f64 / 1e3)
}
