//! `pagekin redirects`.

mod rules;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pagekin_duplicates::moves::{Fate, Move, MoveOptions, MovedPart, Moves, find};
use pagekin_pages::cells::cell;
use rules::{Host, Redirect};
use serde_json::{Value, json};

use crate::args::running::format_or_named;
use crate::args::site::{RedirectsArgs, RedirectsFormat};
use crate::failure::Failure;
use crate::output::{Reader, count, in_table, print_to, say};
use crate::progress::Progress;
use crate::skipped;

/// The part of a page that is gone which another must have to be named in the table.
const WORTH_A_LOOK: f64 = 0.05;

pub(crate) fn run(args: RedirectsArgs) -> Result<(), Failure> {
    let options = MoveOptions::new(args.old, args.new).with(|options| {
        options.reading = args.reading.into();
        options.old_base_url = args.old_base_url;
        options.min = args.threshold;
        options.threads = args.running.threads.number();
    });
    let progress = Progress::new(args.running.quiet.quiet)?;
    let found = find(&options, &progress);
    progress.finish();
    let found = found?;
    let redirects = rules::of(&found);
    let output = args.output.file.as_deref();
    let format = format_or_named(args.format, output, RedirectsFormat::Table);
    let report = match format {
        RedirectsFormat::Table => table(&found, args.rows.limit, args.running.quiet.quiet)?,
        RedirectsFormat::Json => serde_json::to_string(&json(&found))? + "\n",
        RedirectsFormat::Csv => csv(&found)?,
        RedirectsFormat::Netlify => rules::file(&redirects, Host::Netlify),
        RedirectsFormat::Nginx => rules::file(&redirects, Host::Nginx),
        RedirectsFormat::Apache => rules::file(&redirects, Host::Apache),
    };
    let reader = Reader::for_table(format == RedirectsFormat::Table);
    print_to(args.output.file.as_deref(), reader, &report)?;
    let is_file = !matches!(format, RedirectsFormat::Table | RedirectsFormat::Json);
    if is_file && !args.running.quiet.quiet {
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
        writeln!(out, "{}", summary(found, &rules::of(found)))?;
        for (site, skipped) in [("before", &found.old_ledger), ("now", &found.new_ledger)] {
            if !skipped.skipped.is_empty() {
                write!(out, "{site}, ")?;
            }
            skipped::write(&mut out, skipped)?;
        }
    }
    let mut lists = Lists { out: &mut out, limit };
    old_pages(&mut lists, found)?;
    lists.push("merged from", merged(found).into_iter(), |(to, from)| {
        let old = |page: u32| found.old[page as usize].url.clone();
        (&found.new[to as usize].url, from.into_iter().map(old).collect())
    })?;
    let new = |page: &u32| (&*found.new[*page as usize].url, Vec::new());
    lists.push("new", found.arrived.iter(), new)?;
    Ok(out)
}

/// What became of pages that are not simply where they were.
fn old_pages(lists: &mut Lists<'_>, found: &Moves) -> std::fmt::Result {
    let place = |part: &MovedPart| {
        format!("{:>4.0} %  {}", 100.0 * part.share_of_old, found.new[part.page as usize].url)
    };
    let old = |page: &Move| found.old[page.page as usize].url.as_str();
    let places =
        |page: &Move| (old(page), page.to.iter().chain(&page.parts).map(place).collect::<Vec<_>>());
    let closest = |page: &Move| {
        let closest = page.closest.iter().filter(|part| part.share_of_old >= WORTH_A_LOOK);
        let closest = closest.map(|part| format!("closest: {}", place(part).trim()));
        (old(page), closest.collect::<Vec<_>>())
    };
    let of = |fate, is_split: Option<bool>| {
        let is = move |page: &&Move| {
            page.fate == fate && is_split.is_none_or(|split| split != page.parts.is_empty())
        };
        found.moves.iter().filter(is).collect::<Vec<_>>().into_iter()
    };
    lists.push("moved to", of(Fate::Moved, Some(false)), places)?;
    lists.push("split into", of(Fate::Moved, Some(true)), places)?;
    lists.push("kept their URLs, with parts elsewhere", of(Fate::Kept, Some(true)), places)?;
    lists.push("gone", of(Fate::Gone, None), closest)
}

/// Lists of pages, each of which is cut.
struct Lists<'a> {
    out: &'a mut String,
    limit: usize,
}

impl Lists<'_> {
    /// Adds a list of what `told` says of each: its URL, and lines below it. Nothing if it is
    /// empty.
    fn push<'u, T>(
        &mut self,
        title: &str,
        all: impl ExactSizeIterator<Item = T>,
        told: impl Fn(T) -> (&'u str, Vec<String>),
    ) -> std::fmt::Result {
        let pages = all.len();
        if pages == 0 {
            return Ok(());
        }
        writeln!(self.out, "\n{} {title}", count(pages as u64))?;
        for one in all.take(self.limit) {
            let (url, lines) = told(one);
            writeln!(self.out, "  {}", in_table(url))?;
            for line in lines {
                writeln!(self.out, "    {}", in_table(&line))?;
            }
        }
        match pages.checked_sub(self.limit) {
            Some(rest @ 1..) => writeln!(self.out, "  and {} more", count(rest as u64)),
            _ => Ok(()),
        }
    }
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
            "share_of_old": part.share_of_old,
            "share_of_new": part.share_of_new,
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
        "skipped": { "before": skipped::report(&found.old_ledger), "now": skipped::report(&found.new_ledger) },
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
        let shares = [share(|part| part.share_of_old), share(|part| part.share_of_new)];
        lines.write_record([&*cell(from), &*cell(to), kind, &*shares[0], &*shares[1]])
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
        lines.write_record(["", &*cell(&found.new[page as usize].url), "new", "", ""])?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
