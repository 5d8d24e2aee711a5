//! The results as tables or JSON.

use std::fmt::{self, Write};
use std::path::Path;

use pagekin_tests::measuring::asking::Asked;
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::measuring::quality::Quality;
use pagekin_tests::measuring::spread::Spread;
use pagekin_tests::place::snapshot;
use serde::Serialize;

use crate::difference::{Difference, size};

/// The results for a site.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) name: String,
    pub(crate) pages: u64,
    /// Size of the first index.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// Builds with one changed page each.
    pub(crate) edited: Vec<Difference>,
    pub(crate) added: Vec<Difference>,
    pub(crate) removed: Vec<Difference>,
    pub(crate) pagefind: Option<Pagefind>,
    /// Builds with 1% of the pages changed in each.
    pub(crate) builds: Vec<Difference>,
    /// Indexes after all these builds.
    pub(crate) rebuilt: Index,
    pub(crate) followed: Index,
    /// Quality of the followed index by its own bags.
    pub(crate) followed_by_its_own_bags: Quality,
}

/// An index of the changed site.
#[derive(Debug, Serialize)]
pub(crate) struct Index {
    files: u64,
    bytes: u64,
    quality: Quality,
    later_bytes: Spread,
    later_requests: Spread,
}

impl Index {
    pub(crate) fn new(folder: &Path, asked: &[Asked], quality: Quality) -> Self {
        let (files, bytes) = size(&snapshot(folder));
        Self {
            files,
            bytes,
            quality,
            later_bytes: Spread::new(asked.iter().map(|asked| asked.reads.bytes())),
            later_requests: Spread::new(asked.iter().map(|asked| asked.reads.requests())),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Pagefind {
    /// Output for the original site.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// Output after the same edits.
    pub(crate) edited: Vec<Difference>,
}

pub(crate) fn tables(reports: &[Report]) -> Result<String, fmt::Error> {
    let mut out = String::new();
    writeln!(out, "| one page | files of the output | edited | added | removed |")?;
    writeln!(out, "| --- | ---: | ---: | ---: | ---: |")?;
    for report in reports {
        let Report { name, pages, edited, added, removed, .. } = report;
        let changes = [edited, added, removed].map(|all| median(all)).join(" | ");
        let output = output(report.files, report.bytes);
        writeln!(out, "| {name}, {} pages | {output} | {changes} |", grouped(*pages))?;
        if let Some(Pagefind { files, bytes, edited, .. }) = &report.pagefind {
            let (output, edited) = (self::output(*files, *bytes), median(edited));
            writeln!(out, "| *with Pagefind* | {output} | {edited} | | |")?;
        }
    }
    writeln!(out, "\nMedians of new or changed files and kB.\n")?;
    writeln!(
        out,
        "| 5% of the pages | a build with 1% | recall@10, best first: from scratch | incremental, by its own weights | incremental, by the new weights | kB of a later query: from scratch | incremental |"
    )?;
    writeln!(out, "| --- |{}", " ---: |".repeat(6))?;
    for Report { name, builds, rebuilt, followed, followed_by_its_own_bags: own, .. } in reports {
        let found = [&rebuilt.quality, own, &followed.quality].map(quality).join(" | ");
        let [read_rebuilt, read_followed] =
            [rebuilt, followed].map(|index| kilobytes(index.later_bytes.median));
        let changed = median(builds);
        writeln!(out, "| {name} | {changed} | {found} | {read_rebuilt:.1} | {read_followed:.1} |")?;
    }
    Ok(out)
}

fn quality(of: &Quality) -> String {
    let share = |part: f64, queries| match queries {
        0 => "–".to_owned(),
        _ => format!("{:.1}%", 100.0 * part),
    };
    [share(of.recall_at_10, of.with_ten_kin), share(of.best_first, of.with_kin)].join(", ")
}

/// Returns the medians of the files and of the bytes.
fn median(of: &[Difference]) -> String {
    let middle = |value: fn(&Difference) -> u64| Spread::new(of.iter().map(value)).median;
    let (files, bytes) = (middle(|one| one.files), middle(|one| one.bytes));
    format!("{}, {:.0} kB", grouped(files), kilobytes(bytes))
}

fn output(files: u64, bytes: u64) -> String {
    format!("{}, {:.1} MB", grouped(files), bytes as f64 / 1e6)
}

fn kilobytes(bytes: u64) -> f64 {
    bytes as f64 / 1e3
}
