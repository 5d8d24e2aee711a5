//! `pagekin moves`.

mod redirects;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pagekin_duplicates::moves::{Fate, Move, MoveOptions, MovedPart, Moves, find};
use redirects::{Host, Redirect};
use serde_json::{Value, json};

use crate::Failure;
use crate::args::site::{MovesArgs, MovesFormat};
use crate::output::{count, print_to, say};
use crate::progress::Progress;
use crate::site::skipped;

/// The part of a page that is gone which another must have to be named in the table.
const WORTH_A_LOOK: f64 = 0.05;

pub(crate) fn run(args: MovesArgs) -> Result<(), Failure> {
    let options = MoveOptions::new(args.old, args.new).with(|options| {
        options.reading = args.reading.into();
        options.old_base_url = args.old_base_url;
        options.min = args.min;
        options.threads = args.running.threads.number();
    });
    let progress = Progress::new(args.running.quiet)?;
    let found = find(&options, &progress);
    progress.finish();
    let found = found?;
    let redirects = redirects::of(&found);
    let format = args.json.or(args.format, MovesFormat::Json);
    let report = match format {
        MovesFormat::Table => table(&found, args.limit, args.running.quiet)?,
        MovesFormat::Json => serde_json::to_string(&json(&found))? + "\n",
        MovesFormat::Csv => csv(&found)?,
        MovesFormat::Netlify => redirects::file(&redirects, Host::Netlify),
        MovesFormat::Nginx => redirects::file(&redirects, Host::Nginx),
        MovesFormat::Apache => redirects::file(&redirects, Host::Apache),
    };
    print_to(args.output.file.as_deref(), &report)?;
    let is_file = !matches!(format, MovesFormat::Table | MovesFormat::Json);
    if is_file && !args.running.quiet {
        say(&summary(&found, &redirects));
    }
    Ok(())
}

/// Pages and redirects, in a line.
fn summary(found: &Moves, redirects: &[Redirect]) -> String {
    let of = |fate| count(found.moves.iter().filter(|page| page.fate == fate).count() as u64);
    format!(
        "{} pages before: {} kept their URLs, {} moved, {} gone; {} pages now; {} redirects",
        count(found.old.len() as u64),
        of(Fate::Kept),
        of(Fate::Moved),
        of(Fate::Gone),
        count(found.new.len() as u64),
        count(redirects.len() as u64),
    )
}

/// What needs a look, for people; `quiet` leaves out the summary.
fn table(found: &Moves, limit: usize, quiet: bool) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if !quiet {
        writeln!(out, "{}", summary(found, &redirects::of(found)))?;
        for (site, skipped) in [("before", &found.old_skipped), ("now", &found.new_skipped)] {
            if !skipped.is_empty() {
                write!(out, "{site}, ")?;
            }
            skipped::write(&mut out, skipped)?;
        }
    }
    let mut list = |title: &str, pages: Vec<&Move>, what: &dyn Fn(&Move) -> Vec<String>| {
        if pages.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{} {title}", count(pages.len() as u64))?;
        for page in pages.iter().take(limit) {
            writeln!(out, "  {}", found.old[page.page as usize].url)?;
            for line in what(page) {
                writeln!(out, "    {line}")?;
            }
        }
        match pages.len().checked_sub(limit) {
            Some(rest @ 1..) => writeln!(out, "  and {} more", count(rest as u64)),
            _ => Ok(()),
        }
    };
    let place = |part: &MovedPart| {
        format!("{:>4.0} %  {}", 100.0 * part.of_old, found.new[part.page as usize].url)
    };
    let places = |page: &Move| page.to.iter().chain(&page.parts).map(place).collect::<Vec<_>>();
    let of = |is: &dyn Fn(&Move) -> bool| found.moves.iter().filter(|page| is(page)).collect();
    let moved = |page: &Move| page.fate == Fate::Moved;
    list("moved to", of(&|page| moved(page) && page.parts.is_empty()), &places)?;
    list("split into", of(&|page| moved(page) && !page.parts.is_empty()), &places)?;
    let lost = of(&|page| page.fate == Fate::Kept && !page.parts.is_empty());
    list("kept their URLs, with parts elsewhere", lost, &places)?;
    let closest = |page: &Move| {
        let closest = page.closest.iter().filter(|part| part.of_old >= WORTH_A_LOOK);
        let closest = closest.map(|part| format!("closest: {}", place(part).trim()));
        closest.collect::<Vec<_>>()
    };
    list("gone", of(&|page| page.fate == Fate::Gone), &closest)?;
    let merged = merged(found);
    if !merged.is_empty() {
        writeln!(out, "\n{} merged from", count(merged.len() as u64))?;
        for (to, from) in merged.iter().take(limit) {
            writeln!(out, "  {}", found.new[*to as usize].url)?;
            for page in from {
                writeln!(out, "    {}", found.old[*page as usize].url)?;
            }
        }
        if let Some(rest @ 1..) = merged.len().checked_sub(limit) {
            writeln!(out, "  and {} more", count(rest as u64))?;
        }
    }
    if !found.arrived.is_empty() {
        writeln!(out, "\n{} new", count(found.arrived.len() as u64))?;
        for page in found.arrived.iter().take(limit) {
            writeln!(out, "  {}", found.new[*page as usize].url)?;
        }
        if let Some(rest @ 1..) = found.arrived.len().checked_sub(limit) {
            writeln!(out, "  and {} more", count(rest as u64))?;
        }
    }
    Ok(out)
}

/// The new pages that several old ones moved to, with these.
fn merged(found: &Moves) -> BTreeMap<u32, Vec<u32>> {
    let mut merged: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for page in &found.moves {
        if let Some(to) = &page.to {
            merged.entry(to.page).or_default().push(page.page);
        }
    }
    merged.retain(|_, from| from.len() > 1);
    merged
}

/// All that was found, for programs.
fn json(found: &Moves) -> Value {
    let part = |part: &MovedPart| {
        json!({
            "url": found.new[part.page as usize].url,
            "of_old": part.of_old,
            "of_new": part.of_new,
        })
    };
    let page = |page: &Move| {
        let of = &found.old[page.page as usize];
        json!({
            "url": of.url,
            "title": of.title,
            "fate": page.fate.name(),
            "to": page.to.as_ref().map(part),
            "parts": page.parts.iter().map(part).collect::<Vec<_>>(),
            "closest": page.closest.as_ref().map(part),
        })
    };
    let arrived = found.arrived.iter().map(|&page| &found.new[page as usize].url);
    json!({
        "pages": found.moves.iter().map(page).collect::<Vec<_>>(),
        "new": arrived.collect::<Vec<_>>(),
        "skipped": { "before": skipped::report(&found.old_skipped), "now": skipped::report(&found.new_skipped) },
    })
}

/// A line for each page and each place it went to, for spreadsheets.
fn csv(found: &Moves) -> Result<String, Failure> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(["from", "to", "kind", "of_from", "of_to"])?;
    let mut push = |from: &str, kind: &str, part: Option<&MovedPart>| {
        let to = part.map_or("", |part| &found.new[part.page as usize].url);
        let share =
            |of: fn(&MovedPart) -> f64| part.map_or(String::new(), |part| of(part).to_string());
        lines.write_record([from, to, kind, &share(|part| part.of_old), &share(|part| part.of_new)])
    };
    for page in &found.moves {
        let from = &found.old[page.page as usize].url;
        push(from, page.fate.name(), page.to.as_ref())?;
        for part in &page.parts {
            push(from, "part", Some(part))?;
        }
        if let Some(part) = &page.closest {
            push(from, "closest", Some(part))?;
        }
    }
    for &page in &found.arrived {
        lines.write_record(["", &found.new[page as usize].url, "new", "", ""])?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
