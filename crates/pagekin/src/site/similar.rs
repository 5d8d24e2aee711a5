//! `pagekin similar`.

use std::fmt::Write as _;

use pagekin_core::lookup::{Confidence, TextLanguage};
use pagekin_core::near::sketch::{Nearness, SharedSample};
use pagekin_core::shard::PageMetadata;
use pagekin_core::{Answer, Cost, FilterCounts, Lookup, LookupOptions, RankedBy, SearchResult};
use pagekin_index::{FolderError, LocalIndex};
use serde_json::{Value, json};

use crate::args::site::SimilarArgs;
use crate::failure::Failure;
use crate::output::{bytes, in_table, list_in_table, print, print_json};
use crate::query_text::QueryText;
use crate::site::passages::{Passages, SitePages};

pub(crate) fn run(args: &SimilarArgs) -> Result<(), Failure> {
    let (limit, min, copies) = (args.limit.limit, args.threshold, args.copies);
    let options = LookupOptions { limit, min, copies, ..LookupOptions::default() };
    let mut folder = LocalIndex::open(&args.out)?;
    let pages = SitePages::open(args.site.site.as_deref(), &folder)?;
    let query = match &args.url {
        Some(_) => None,
        None => Some(QueryText::read(&args.text)?),
    };
    let lookup = match (&args.url, &query) {
        (Some(url), _) => Lookup::from_url(folder.index(), url, options),
        (None, query) => {
            let (text, lang) = query.as_ref().map_or(("", ""), QueryText::parts);
            Lookup::from_text(folder.index(), text, lang, options).map_err(FolderError::from)?
        }
    };
    let mut answer = folder.answer_refined(lookup, args.refine.refinement())?;
    let results = answer.results.iter().chain(&answer.other_results);
    let passages = match (pages, &query) {
        (Some(pages), Some(query)) => Passages::read(&pages, &folder, query.parts(), results),
        _ => Passages::default(),
    };
    if let Some(query) = query.filter(|_| answer.ranked_by == RankedBy::Coverage)
        && args.refine.sort.is_none()
    {
        passages.put_verbatim_first(&mut answer.results, query.parts().0);
    }
    if args.json.json {
        print_json(&json_report(&answer, &passages))
    } else {
        // On a site with one language, a text in that language needs no note.
        let expected = answer.language.is_some() && folder.index().manifest().languages.len() < 2;
        print(&report(&answer, &passages, args.url.is_none() && !expected)?)
    }
}

/// Formats the answer for people.
fn report(
    answer: &Answer,
    passages: &Passages,
    with_language: bool,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if answer.results.is_empty() {
        writeln!(out, "no page has a word in common with it, except very common ones")?;
    }
    if with_language {
        writeln!(out, "{}", language_line(answer.language.as_ref()))?;
    }
    if !answer.unmatched.is_empty() {
        writeln!(out, "on no page: {}", list_in_table(&answer.unmatched))?;
    }
    write_found(&mut out, answer)?;
    write_list(&mut out, &answer.results, answer.ranked_by, passages)?;
    write_list(&mut out, &answer.other_results, answer.ranked_by.other(), passages)?;
    writeln!(out, "{}", cost_line(&answer.cost))?;
    Ok(out)
}

/// Writes the number of results of a refined search, and those of each value.
pub(crate) fn write_found(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let Some(found) = &answer.found else { return Ok(()) };
    let least = if found.is_exact { "" } else { "at least " };
    let pages = if found.total == 1 { "page" } else { "pages" };
    writeln!(out, "{least}{} {pages} found", found.total)?;
    for FilterCounts { name, values } in found.filters.iter().flatten() {
        let counted = values.iter().filter(|(_, count)| *count > 0);
        let counted: Vec<_> =
            counted.map(|(value, count)| format!("{} ({count})", in_table(value))).collect();
        if !counted.is_empty() {
            writeln!(out, "  {}: {least}{}", in_table(name), counted.join(", "))?;
        }
    }
    Ok(())
}

/// Adds the number of results of a refined search to the report of an answer for programs.
pub(crate) fn add_found(report: &mut Value, answer: &Answer) {
    let counts = |FilterCounts { name, values }: &FilterCounts| {
        let values = values.iter().map(|(value, count)| (value.clone(), json!(count)));
        (name.clone(), Value::Object(values.collect()))
    };
    if let Some(found) = &answer.found {
        let filters = found.filters.as_ref();
        let filters =
            filters.map(|filters| filters.iter().map(counts).collect::<serde_json::Map<_, _>>());
        report["found"] =
            json!({ "total": found.total, "exact": found.is_exact, "filters": filters });
    }
}

/// Formats the cost of an answer.
pub(crate) fn cost_line(cost: &Cost) -> String {
    let (size, requests, rounds) = (bytes(cost.bytes), cost.requests, cost.rounds);
    format!("read {size} in {requests} files, {rounds} rounds")
}

/// Formats the cost of an answer for programs.
pub(crate) fn cost_report(cost: &Cost) -> Value {
    json!({ "bytes": cost.bytes, "requests": cost.requests, "rounds": cost.rounds })
}

/// Writes a list of results under the name of its score, unless it is empty.
fn write_list(
    out: &mut String,
    list: &[SearchResult],
    by: RankedBy,
    passages: &Passages,
) -> std::fmt::Result {
    if list.is_empty() {
        return Ok(());
    }
    let what = match by {
        RankedBy::Similarity => "by similarity",
        RankedBy::Coverage => "by coverage",
    };
    writeln!(out, "{what}:")?;
    for (number, result) in (1..).zip(list) {
        let confidence = match result.confidence {
            Confidence::Low => String::new(),
            confidence => format!("  ({} confidence)", confidence.name()),
        };
        let title = in_table(&result.title);
        writeln!(out, "{number:>3}. {:>5.1}%  {title}{confidence}", 100.0 * result.score)?;
        writeln!(out, "              {}", in_table(&result.url))?;
        if let Some(passage) = passages.text_of(result) {
            writeln!(out, "              {}", in_table(&passage))?;
        }
        if let Some(near) = result.near.as_ref().and_then(shared_text) {
            writeln!(out, "              {near}")?;
        }
        let coverage = 100.0 * result.coverage;
        writeln!(
            out,
            "              coverage {coverage:.0}%: {}",
            list_in_table(&result.shared_terms)
        )?;
        if !result.missing_terms.is_empty() {
            writeln!(out, "              missing: {}", list_in_table(&result.missing_terms))?;
        }
        if !result.copies.is_empty() {
            writeln!(out, "              also at {}", list_in_table(&result.copies))?;
        }
    }
    Ok(())
}

/// Describes the language of the text and how it was determined.
fn language_line(language: Option<&TextLanguage>) -> String {
    match language {
        Some(TextLanguage { language, by }) => {
            format!("language of the text: {} ({})", language.code(), by.name())
        }
        None => {
            "language of the text: unknown; none of the site's languages uses its script".to_owned()
        }
    }
}

/// Describes what the text shares with a page: the kind, and the shares that can be estimated.
fn shared_text(sample: &SharedSample) -> Option<String> {
    let badge = match sample.nearness()? {
        Nearness::Copy => "copy",
        Nearness::SameButNumbers => "same but for numbers",
        Nearness::NearDuplicate => "near-duplicate",
        Nearness::Contains => "contains the page",
        Nearness::Contained => "contained in the page",
        Nearness::Passages => "shares passages",
    };
    let parts = [
        ("resemblance", sample.resemblance()),
        ("of the text is on the page", sample.text_in_page()),
        ("of the page is in the text", sample.page_in_text()),
    ];
    let about = if sample.is_whole() { "" } else { "about " };
    let shares = parts.iter().filter_map(|&(what, part)| {
        Some(match what {
            "resemblance" => format!("resemblance {about}{:.0}%", 100.0 * part?),
            _ => format!("{about}{:.0}% {what}", 100.0 * part?),
        })
    });
    Some(std::iter::once(badge.to_owned()).chain(shares).collect::<Vec<_>>().join(", "))
}

/// Formats the answer for programs. `by` is `given`, `guessed` or `assumed`.
fn json_report(answer: &Answer, passages: &Passages) -> Value {
    let language = answer.language.as_ref();
    let mut report = json!({
        "ranked_by": answer.ranked_by.name(),
        "language": language.map(|of| json!({ "code": of.language.code(), "by": of.by.name() })),
        "results": list_report(&answer.results, passages),
        "other_results": list_report(&answer.other_results, passages),
        "unmatched": answer.unmatched,
        "cost": cost_report(&answer.cost),
    });
    add_found(&mut report, answer);
    report
}

/// Formats the metadata of a page for programs.
pub(crate) fn meta_report(metadata: &PageMetadata) -> Value {
    let pairs = metadata.pairs();
    Value::Object(pairs.map(|(key, value)| (key.to_owned(), value.into())).collect())
}

fn list_report(list: &[SearchResult], passages: &Passages) -> Vec<Value> {
    let report = |result: &SearchResult| {
        json!({
            "url": result.url,
            "title": result.title,
            "meta": meta_report(&result.metadata),
            "score": result.score,
            "similarity": result.similarity,
            "coverage": result.coverage,
            "confidence": result.confidence.name(),
            "shared_terms": result.shared_terms,
            "missing_terms": result.missing_terms,
            "copies": result.copies,
            "near": result.near.as_ref().and_then(near),
            "excerpt": passages.report(result),
        })
    };
    list.iter().map(report).collect()
}

/// Formats a sample; shares that cannot be estimated are `null`.
fn near(sample: &SharedSample) -> Option<Value> {
    Some(json!({
        "kind": sample.nearness()?.name(),
        "resemblance": sample.resemblance(),
        "text_in_page": sample.text_in_page(),
        "page_in_text": sample.page_in_text(),
        "whole": sample.is_whole(),
    }))
}
