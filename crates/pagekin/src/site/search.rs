//! `pagekin search`: searches like the search box.

use std::fmt::Write as _;

use pagekin_core::lookup::Correction;
use pagekin_core::near::verbatim::has_phrase;
use pagekin_core::shard::FilterDirectory;
use pagekin_core::{Answer, Lookup, LookupOptions, SearchResult};
use pagekin_index::{FolderError, LocalIndex};
use serde_json::{Value, json};

use crate::args::site::SearchArgs;
use crate::failure::Failure;
use crate::output::{eprint_line, in_table, list_in_table, print, print_json};
use crate::site::passages::{Passages, SitePages};
use crate::site::similar::{add_found, cost_line, cost_report, meta_report, write_found};

/// Number of pages to read for a phrase, and for words that may be a line of a message.
const READ_FOR_PHRASE: u32 = 50;
const READ_FOR_MESSAGE: u32 = 20;
/// A query of this many words or more may be a line that a page contains verbatim.
const MIN_MESSAGE_WORDS: usize = 5;
/// Maximum number of names or values that are listed in place of an unknown one.
const MAX_NAMED: usize = 5;

pub(crate) fn run(args: &SearchArgs) -> Result<(), Failure> {
    let lang = args.lang.as_deref().unwrap_or_default();
    let mut folder = LocalIndex::open(&args.out)?;
    let words = args.words.join(" ");
    let pages = SitePages::open(args.site.site.as_deref(), &folder)?;
    let is_phrase = has_phrase(&words);
    let shown = args.limit.limit;
    let is_message = words.split_whitespace().count() >= MIN_MESSAGE_WORDS;
    let limit = match &pages {
        Some(_) if is_phrase => shown.max(READ_FOR_PHRASE),
        Some(_) if is_message => shown.max(READ_FOR_MESSAGE),
        _ => shown,
    };
    let options = LookupOptions { limit, ..LookupOptions::default() };
    let mut answer = match args.refine.refinement() {
        Some(refinement) if words.is_empty() => folder.list_filtered(refinement, options)?,
        refinement => {
            let lookup = Lookup::from_typed(folder.index(), &words, lang, options);
            folder.answer_refined(lookup.map_err(FolderError::from)?, refinement)?
        }
    };
    let read = |pages| Passages::read(&pages, &folder, (&words, lang), answer.results.iter());
    let passages = pages.map(read);
    if is_phrase {
        put_phrases_first(&mut answer.results, passages.as_ref(), shown);
    }
    let passages = passages.unwrap_or_default();
    if is_message && !is_phrase && args.refine.sort.is_none() {
        passages.put_verbatim_first(&mut answer.results, &words);
    }
    answer.results.truncate(shown as usize);
    match args.json.json {
        true => print_json(&json_report(&answer, &passages)),
        false => {
            let unknown = match folder.filters()? {
                Some(filters) if answer.results.is_empty() => {
                    unknown(&filters, &args.refine.filter)
                }
                _ => Vec::new(),
            };
            print(&report(&answer, &passages, &unknown)?)
        }
    }
}

/// Puts results whose pages have the phrases first, and keeps `shown` of them.
fn put_phrases_first(results: &mut Vec<SearchResult>, passages: Option<&Passages>, shown: u32) {
    let Some(passages) = passages else {
        return eprint_line(
            "warning: the quotation marks have no effect, because it is not known where the pages are. Pass the \
             folder of the site with --site",
        );
    };
    let read = results.len();
    results.sort_by_key(|result| !passages.is_verbatim(result));
    results.truncate(shown as usize);
    if !results.first().is_some_and(|first| passages.is_verbatim(first)) && read > 0 {
        eprint_line(&format!("none of the {read} best pages has the phrase"));
    }
}

/// Returns a line for each requested name or value that the index does not have, with those that it
/// has, the nearest first.
fn unknown(directory: &FilterDirectory, requested: &[(String, String)]) -> Vec<String> {
    let filters = &directory.filters;
    let line = |(name, value): &(String, String)| {
        let Some((_, values)) = filters.iter().find(|(known, _)| known == name) else {
            let names = nearest(name, filters.iter().map(|(known, _)| &**known));
            return Some(format!("no filter {}; filters: {names}", in_table(name)));
        };
        if values.iter().any(|known| known.value == *value) {
            return None;
        }
        let values = nearest(value, values.iter().map(|known| &*known.value));
        Some(format!("{} has no value {}; values: {values}", in_table(name), in_table(value)))
    };
    requested.iter().filter_map(line).collect()
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
fn report(
    answer: &Answer,
    passages: &Passages,
    unknown: &[String],
) -> Result<String, std::fmt::Error> {
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
        Some(_) => writeln!(out, "no page with these words has these values")?,
    }
    for line in unknown {
        writeln!(out, "{line}")?;
    }
    write_found(&mut out, answer)?;
    for (number, result) in (1..).zip(&answer.results) {
        writeln!(out, "{number:>3}. {}", in_table(&result.title))?;
        writeln!(out, "     {}", in_table(&result.url))?;
        if let Some(passage) = passages.text_of(result) {
            writeln!(out, "     {}", in_table(&passage))?;
        }
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
fn json_report(answer: &Answer, passages: &Passages) -> Value {
    let result = |result: &SearchResult| {
        json!({
            "url": result.url,
            "title": result.title,
            "meta": meta_report(&result.metadata),
            "score": result.score,
            "shared_terms": result.shared_terms,
            "missing_terms": result.missing_terms,
            "copies": result.copies,
            "excerpt": passages.report(result),
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
