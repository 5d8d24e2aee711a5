//! What was measured, as tables or JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use pagekin_tests::near::judging::Tally;
use pagekin_tests::near::spreading::Line;
use serde::Serialize;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) html_files: u64,
    pub(crate) pages: u64,
    /// Different ones.
    pub(crate) texts: u64,
    /// Pages that have the words of another, in their order.
    pub(crate) copies: u64,
    /// Pairs of texts that are right, by the exact join.
    pub(crate) right: u64,
    pub(crate) rules: Vec<Found>,
    /// Alg. C with the threshold by which it finds about as many right pairs as Alg. B.
    pub(crate) c_like_b: Option<Filtered>,
    /// What Alg. B found, filtered by C-similarity.
    pub(crate) combined: Vec<Filtered>,
    pub(crate) build: Build,
    /// The pages that were read because the index said that they may be near-duplicates.
    pub(crate) read_by_index: u64,
}

/// What a rule found.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    pub(crate) name: &'static str,
    pub(crate) all: Tally,
    pub(crate) same_site: Tally,
    pub(crate) other_site: Tally,
    /// Pairs that are no near-duplicates, but share passages: they are not judged.
    pub(crate) passages: u64,
    pub(crate) groups: u64,
    pub(crate) compared: u64,
    pub(crate) not_compared: u64,
    /// Seconds.
    pub(crate) reading: f64,
    pub(crate) sketching: f64,
    pub(crate) pairing: f64,
    pub(crate) comparing: f64,
    /// Texts that have near-duplicates, and the most that one has.
    pub(crate) with_near: u64,
    pub(crate) most_near: u64,
    pub(crate) line: Option<Line>,
    /// How many texts have so many.
    pub(crate) frequencies: BTreeMap<u64, u64>,
}

/// What is left of pairs that agree in at least so many bits.
#[derive(Debug, Serialize)]
pub(crate) struct Filtered {
    pub(crate) bits: u32,
    pub(crate) found: Tally,
    /// The part of the right pairs.
    pub(crate) kept: f64,
}

/// A build of the same pages, in seconds.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Build {
    pub(crate) pages: u64,
    /// Until all files were listed and read.
    pub(crate) reading: f64,
    pub(crate) all: f64,
}

impl Report {
    pub(crate) fn table(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        writeln!(
            out,
            "{} pages of {} HTML files have {} different texts; {} are exact copies. Of the pairs of texts {} are right.\n",
            self.pages, self.html_files, self.texts, self.copies, self.right
        )?;
        writeln!(
            out,
            "| rule | pairs | right | undecided | wrong | recall | on the same site | right of these | right of those on different sites | shared passages |"
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
                "| {name}, {bits} bits | {} | {} | {:.1} % |",
                found.pairs,
                percent(found.right, found.pairs),
                100.0 * kept
            )?;
        }
        writeln!(out, "\n| rule | texts with near-duplicates | most of one | slope | spread |")?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: |")?;
        for Found { name, with_near, most_near, line, .. } in &self.rules {
            let [slope, spread] = [|line: &Line| line.slope, |line: &Line| line.spread]
                .map(|of| line.as_ref().map_or(String::new(), |line| format!("{:.2}", of(line))));
            writeln!(out, "| {name} | {with_near} | {most_near} | {slope} | {spread} |")?;
        }
        writeln!(
            out,
            "\n| seconds | reading | sketching | pairing | comparing | all | compared | passed over | groups |"
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
            "\nA build of the {} pages of the same files reads for {:.2} s, and takes {:.2} s. By its index {} of them were read.",
            self.build.pages, self.build.reading, self.build.all, self.read_by_index
        )?;
        Ok(out)
    }
}

/// A part of a whole; nothing of nothing.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}
