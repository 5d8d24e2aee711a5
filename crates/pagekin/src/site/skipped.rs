//! The files that were skipped, as all commands that read a site report them.

use std::fmt::Write as _;

use pagekin_pages::Skipped;
use serde_json::{Value, json};

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
pub(crate) fn report(skipped: &[Skipped]) -> Value {
    let of = |Skipped { reason, count, examples, .. }: &Skipped| json!({ "reason": reason.code(), "files": count, "examples": examples });
    skipped.iter().map(of).collect()
}
