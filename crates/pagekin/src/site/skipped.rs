//! The files that were skipped, as all commands that read a site report them.

use std::fmt::Write as _;

use pagekin_pages::Skipped;
use serde::Serialize;

use crate::output::{count, one_line};

/// For people: nothing if there are none.
pub(crate) fn write(out: &mut String, skipped: &[Skipped]) -> std::fmt::Result {
    if !skipped.is_empty() {
        writeln!(out, "skipped:")?;
    }
    for Skipped { reason, count: files, examples, .. } in skipped {
        let example = one_line(examples.first().map_or("", String::as_str));
        writeln!(out, "  {:>9}  {reason}, for example {example}", count(*files))?;
    }
    Ok(())
}

/// For programs.
#[derive(Serialize)]
pub(crate) struct SkippedReport<'a> {
    reason: &'static str,
    files: u64,
    examples: &'a [String],
}

/// For programs.
pub(crate) fn report(skipped: &[Skipped]) -> Vec<SkippedReport<'_>> {
    let reports = skipped.iter().map(|Skipped { reason, count, examples, .. }| SkippedReport {
        reason: reason.code(),
        files: *count,
        examples,
    });
    reports.collect()
}
