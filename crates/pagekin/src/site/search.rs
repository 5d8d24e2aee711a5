//! `pagekin search`: what the search box finds.

use std::fmt::Write as _;

use pagekin_core::lookup::Correction;
use pagekin_core::{Answer, LookupOptions, SearchResult};
use pagekin_index::LocalIndex;
use serde_json::{Value, json};

use crate::args::site::SearchArgs;
use crate::failure::Failure;
use crate::output::{in_table, list_in_table, print, print_json};
use crate::site::similar::{cost_line, cost_report};

pub(crate) fn run(args: &SearchArgs) -> Result<(), Failure> {
    let options = LookupOptions { limit: args.limit.limit, ..LookupOptions::default() };
    let lang = args.lang.as_deref().unwrap_or_default();
    let answer = LocalIndex::open(&args.out)?.search(&args.words.join(" "), lang, options)?;
    if args.json.json { print_json(&json_report(&answer)) } else { print(&report(&answer)?) }
}

/// The answer for people.
fn report(answer: &Answer) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for Correction { typed, words } in &answer.taken {
        writeln!(out, "{}: {}", in_table(typed), list_in_table(words))?;
    }
    if !answer.nowhere.is_empty() {
        writeln!(out, "nowhere on the site: {}", list_in_table(&answer.nowhere))?;
    }
    if answer.results.is_empty() {
        writeln!(out, "no page has these words")?;
    }
    for (number, kin) in (1..).zip(&answer.results) {
        writeln!(out, "{number:>3}. {}", in_table(&kin.title))?;
        writeln!(out, "     {}", in_table(&kin.url))?;
        if !kin.missing_terms.is_empty() {
            writeln!(out, "     not there: {}", list_in_table(&kin.missing_terms))?;
        }
        if !kin.copies.is_empty() {
            writeln!(out, "     also at {}", list_in_table(&kin.copies))?;
        }
    }
    writeln!(out, "{}", cost_line(&answer.cost))?;
    Ok(out)
}

/// The answer for programs.
fn json_report(answer: &Answer) -> Value {
    let result = |kin: &SearchResult| {
        json!({
            "url": kin.url,
            "title": kin.title,
            "score": kin.score,
            "shared_terms": kin.shared_terms,
            "missing_terms": kin.missing_terms,
            "copies": kin.copies,
        })
    };
    let taken = |one: &Correction| json!({ "typed": one.typed, "words": one.words });
    json!({
        "results": answer.results.iter().map(result).collect::<Vec<_>>(),
        "taken": answer.taken.iter().map(taken).collect::<Vec<_>>(),
        "nowhere": answer.nowhere,
        "cost": cost_report(&answer.cost),
    })
}
