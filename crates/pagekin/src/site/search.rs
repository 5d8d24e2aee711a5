//! `pagekin search`: searches like the search box.

use std::fmt::Write as _;

use pagekin_core::lookup::Correction;
use pagekin_core::{Answer, FilterCounts, Lookup, LookupOptions, SearchResult};
use pagekin_index::{FolderError, LocalIndex};
use serde_json::{Value, json};

use crate::args::site::SearchArgs;
use crate::failure::Failure;
use crate::output::{in_table, list_in_table, print, print_json};
use crate::site::similar::{add_found, cost_line, cost_report, meta_report, write_found};

/// Maximum number of names or values that are listed in place of an unknown one.
const MAX_NAMED: usize = 5;

pub(crate) fn run(args: &SearchArgs) -> Result<(), Failure> {
    let options = LookupOptions { limit: args.limit.limit, ..LookupOptions::default() };
    let lang = args.lang.as_deref().unwrap_or_default();
    let mut folder = LocalIndex::open(&args.out)?;
    let words = args.words.join(" ");
    let answer = match args.refine.refinement() {
        Some(refinement) if words.is_empty() => folder.list_filtered(refinement, options)?,
        refinement => {
            let lookup = Lookup::from_typed(folder.index(), &words, lang, options);
            folder.answer_refined(lookup.map_err(FolderError::from)?, refinement)?
        }
    };
    if args.json.json {
        print_json(&json_report(&answer))
    } else {
        print(&report(&answer, &args.refine.filter)?)
    }
}

/// Returns a line for each requested name or value that the index does not have, with those that it
/// has, the nearest first.
fn unknown<'a>(
    filters: &'a [FilterCounts],
    requested: &'a [(String, String)],
) -> impl Iterator<Item = String> + 'a {
    requested.iter().filter_map(|(name, value)| {
        let Some(filter) = filters.iter().find(|filter| filter.name == *name) else {
            let names = nearest(name, filters.iter().map(|filter| &*filter.name));
            return Some(format!("no filter {}; filters: {names}", in_table(name)));
        };
        let mut values = filter.values.iter().map(|(known, _)| &**known);
        if values.any(|known| known == value) {
            return None;
        }
        let values = nearest(value, filter.values.iter().map(|(known, _)| &**known));
        Some(format!("{} has no value {}; values: {values}", in_table(name), in_table(value)))
    })
}

/// Lists up to [`MAX_NAMED`] of the `known` names, the most similar to `given` first.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    let given = given.to_lowercase();
    let mut known: Vec<_> = known
        .map(|one| (strsim::damerau_levenshtein(&given, &one.to_lowercase()), one.to_owned()))
        .collect();
    known.sort();
    let more = if known.len() > MAX_NAMED { ", …" } else { "" };
    let first: Vec<_> = known.into_iter().take(MAX_NAMED).map(|(_, one)| one).collect();
    format!("{}{more}", list_in_table(&first))
}

/// Formats the answer for people.
fn report(answer: &Answer, requested: &[(String, String)]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for Correction { from, to } in &answer.corrections {
        writeln!(out, "{}: {}", in_table(from), list_in_table(to))?;
    }
    if !answer.unmatched.is_empty() {
        writeln!(out, "on no page: {}", list_in_table(&answer.unmatched))?;
    }
    match &answer.found {
        _ if !answer.results.is_empty() => {}
        None => writeln!(out, "no page contains these words")?,
        Some(found) => {
            writeln!(out, "no page with these words has these values")?;
            for line in found.filters.iter().flat_map(|filters| unknown(filters, requested)) {
                writeln!(out, "{line}")?;
            }
        }
    }
    write_found(&mut out, answer)?;
    for (number, result) in (1..).zip(&answer.results) {
        writeln!(out, "{number:>3}. {}", in_table(&result.title))?;
        writeln!(out, "     {}", in_table(&result.url))?;
        if !result.missing_terms.is_empty() {
            writeln!(out, "     missing: {}", list_in_table(&result.missing_terms))?;
        }
        if !result.copies.is_empty() {
            writeln!(out, "     also at {}", list_in_table(&result.copies))?;
        }
    }
    writeln!(out, "{}", cost_line(&answer.cost))?;
    Ok(out)
}

/// Formats the answer for programs.
fn json_report(answer: &Answer) -> Value {
    let result = |result: &SearchResult| {
        json!({
            "url": result.url,
            "title": result.title,
            "meta": meta_report(&result.metadata),
            "score": result.score,
            "shared_terms": result.shared_terms,
            "missing_terms": result.missing_terms,
            "copies": result.copies,
        })
    };
    let correction = |one: &Correction| json!({ "from": one.from, "to": one.to });
    let mut report = json!({
        "results": answer.results.iter().map(result).collect::<Vec<_>>(),
        "corrections": answer.corrections.iter().map(correction).collect::<Vec<_>>(),
        "unmatched": answer.unmatched,
        "cost": cost_report(&answer.cost),
    });
    add_found(&mut report, answer);
    report
}
