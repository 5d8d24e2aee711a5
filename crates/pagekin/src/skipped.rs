//! Reports of inputs that did not become pages of their own, for all commands.

use std::fmt::Write as _;

use pagekin_pages::Ledger;
use serde_json::{Value, json};

use crate::output::{count, one_line};

/// Writes the skipped inputs for people; nothing if there are none.
pub(crate) fn write(out: &mut String, ledger: &Ledger) -> std::fmt::Result {
    if !ledger.skipped.is_empty() {
        let (came_in, folded) = (count(ledger.came_in), count(ledger.folded()));
        writeln!(out, "skipped, of {came_in} inputs ({folded} merged into others):")?;
    }
    for (reason, skipped) in &ledger.skipped {
        let example = one_line(skipped.first());
        writeln!(out, "  {:>9}  {reason}, for example {example}", count(skipped.count))?;
    }
    Ok(())
}

/// Returns the skipped inputs for programs.
pub(crate) fn report(ledger: &Ledger) -> Value {
    let of = |(reason, skipped): (&pagekin_pages::SkipReason, &pagekin_pages::Skipped)| {
        json!({
            "reason": reason.code(),
            "count": skipped.count,
            "folded": reason.is_folded(),
            "examples": skipped.examples,
        })
    };
    ledger.skipped.iter().map(of).collect()
}
