//! The results as tables or JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use pagekin_tests::near::judging::Tally;
use pagekin_tests::near::spreading::Line;
use serde::Serialize;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) html_files: u64,
    pub(crate) pages: u64,
    /// Number of different texts.
    pub(crate) texts: u64,
    /// Pages whose words, in order, equal those of another.
    pub(crate) copies: u64,
    /// Number of right pairs of texts, from the exact join.
    pub(crate) right: u64,
    pub(crate) rules: Vec<Found>,
    /// Alg. C with the threshold at which it finds about as many right pairs as Alg. B.
    pub(crate) c_like_b: Option<Filtered>,
    /// The pairs of Alg. B, filtered by C-similarity.
    pub(crate) combined: Vec<Filtered>,
    pub(crate) build: Build,
    /// Number of pages that were read because the index lists them as possible near-duplicates.
    pub(crate) read_by_index: u64,
}

/// The results of a rule.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    pub(crate) name: &'static str,
    pub(crate) all: Tally,
    pub(crate) same_site: Tally,
    pub(crate) other_site: Tally,
    /// Pairs that share passages without being near-duplicates. They are not judged.
    pub(crate) passages: u64,
    pub(crate) groups: u64,
    pub(crate) compared: u64,
    pub(crate) not_compared: u64,
    /// Times in seconds.
    pub(crate) reading: f64,
    pub(crate) sketching: f64,
    pub(crate) pairing: f64,
    pub(crate) comparing: f64,
    /// Texts with near-duplicates, and the maximum number of near-duplicates of one.
    pub(crate) with_near: u64,
    pub(crate) most_near: u64,
    pub(crate) line: Option<Line>,
    /// Number of texts by number of near-duplicates.
    pub(crate) frequencies: BTreeMap<u64, u64>,
}

/// The pairs that agree in at least `bits` bits.
#[derive(Debug, Serialize)]
pub(crate) struct Filtered {
    pub(crate) bits: u32,
    pub(crate) found: Tally,
    /// Share of the right pairs that is kept.
    pub(crate) kept: f64,
}

/// The cost of a build of the same pages, in seconds.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Build {
    pub(crate) pages: u64,
    /// Time until all files were listed and read.
    pub(crate) reading: f64,
    pub(crate) all: f64,
}

impl Report {
    pub(crate) fn table(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        writeln!(
            out,
            "{} pages of {} HTML files contain {} different texts; {} are exact copies. {} pairs of texts are right.\n",
            self.pages, self.html_files, self.texts, self.copies, self.right
        )?;
        writeln!(
            out,
            "| rule | pairs | right | undecided | wrong | recall | on the same site | right of these | right on different sites | shared passages |"
        )?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
        for Found { name, all, same_site, other_site, passages, .. } in &self.rules {
            let [right, undecided, wrong] =
                [all.right, all.undecided, all.wrong].map(|part| percent(part, all.pairs));
            writeln!(
                out,
                "| {name} | {} | {right} | {undecided} | {wrong} | {} | {} | {} | {} | {passages} |",
                all.pairs,
                percent(all.right, self.right),
                percent(same_site.pairs, all.pairs),
                percent(same_site.right, same_site.pairs),
                percent(other_site.right, other_site.pairs),
            )?;
        }
        writeln!(out, "\n| filtered | pairs | right | kept of the right ones |")?;
        writeln!(out, "| --- | ---: | ---: | ---: |")?;
        let of_b = self.combined.iter().map(|filtered| ("B", filtered));
        for (name, Filtered { bits, found, kept }) in
            of_b.chain(self.c_like_b.iter().map(|filtered| ("C", filtered)))
        {
            writeln!(
                out,
                "| {name}, {bits} bits | {} | {} | {:.1}% |",
                found.pairs,
                percent(found.right, found.pairs),
                100.0 * kept
            )?;
        }
        writeln!(out, "\n| rule | texts with near-duplicates | maximum of one | slope | spread |")?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: |")?;
        for Found { name, with_near, most_near, line, .. } in &self.rules {
            let [slope, spread] = [|line: &Line| line.slope, |line: &Line| line.spread]
                .map(|of| line.as_ref().map_or(String::new(), |line| format!("{:.2}", of(line))));
            writeln!(out, "| {name} | {with_near} | {most_near} | {slope} | {spread} |")?;
        }
        writeln!(
            out,
            "\n| seconds | reading | sketching | pairing | comparing | all | compared | not compared | groups |"
        )?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
        for rule in &self.rules {
            let parts = [rule.reading, rule.sketching, rule.pairing, rule.comparing];
            write!(out, "| {} |", rule.name)?;
            for seconds in parts.into_iter().chain([parts.iter().sum()]) {
                write!(out, " {seconds:.2} |")?;
            }
            writeln!(out, " {} | {} | {} |", rule.compared, rule.not_compared, rule.groups)?;
        }
        writeln!(
            out,
            "\nA build of the {} pages of the same files reads for {:.2} s and takes {:.2} s in all. With its index, {} of them were read.",
            self.build.pages, self.build.reading, self.build.all, self.read_by_index
        )?;
        Ok(out)
    }
}

/// Formats a share as a percentage; empty for a total of zero.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1}%", 100.0 * part as f64 / whole as f64)
}
