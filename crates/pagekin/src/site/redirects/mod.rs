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
use crate::output::{Reader, count, eprint_line, in_table, print_to};
use crate::progress::Progress;
use crate::skipped;

/// Minimum share of a removed page's text on another page for the table to name it as closest.
const MIN_CLOSEST_SHARE: f64 = 0.05;

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
    let redirects = rules::from_moves(&found);
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
        eprint_line(&summary(&found, &redirects));
    }
    Ok(())
}

/// Formats the numbers of pages and redirects in one line.
fn summary(found: &Moves, redirects: &[Redirect]) -> String {
    let of = |fate| count(found.moves.iter().filter(|page| page.fate == fate).count() as u64);
    format!(
        "{} old pages: {} kept their URLs, {} moved, {} gone; {} new pages; {} redirects",
        count(found.old.len() as u64),
        of(Fate::Kept),
        of(Fate::Moved),
        of(Fate::Gone),
        count(found.new.len() as u64),
        count(redirects.len() as u64),
    )
}

/// Formats what to review, for people; `quiet` omits the summary.
fn table(found: &Moves, limit: usize, quiet: bool) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if !quiet {
        writeln!(out, "{}", summary(found, &rules::from_moves(found)))?;
        for (site, skipped) in [("old site", &found.old_ledger), ("new site", &found.new_ledger)] {
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

/// Writes the old pages that changed.
fn old_pages(lists: &mut Lists<'_>, found: &Moves) -> std::fmt::Result {
    let place = |part: &MovedPart| {
        format!("{:>4.0}%  {}", 100.0 * part.share_of_old, found.new[part.page as usize].url)
    };
    let old = |page: &Move| found.old[page.page as usize].url.as_str();
    let places =
        |page: &Move| (old(page), page.to.iter().chain(&page.parts).map(place).collect::<Vec<_>>());
    let closest = |page: &Move| {
        let closest = page.closest.iter().filter(|part| part.share_of_old >= MIN_CLOSEST_SHARE);
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

/// Writes lists of pages, each truncated to `limit`.
struct Lists<'a> {
    out: &'a mut String,
    limit: usize,
}

impl Lists<'_> {
    /// Adds a list unless it is empty. `describe` returns the URL of an item and the lines below
    /// it.
    fn push<'u, T>(
        &mut self,
        title: &str,
        all: impl ExactSizeIterator<Item = T>,
        describe: impl Fn(T) -> (&'u str, Vec<String>),
    ) -> std::fmt::Result {
        let pages = all.len();
        if pages == 0 {
            return Ok(());
        }
        writeln!(self.out, "\n{} {title}", count(pages as u64))?;
        for one in all.take(self.limit) {
            let (url, lines) = describe(one);
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

/// Returns the new pages that several old pages moved to, with the old pages.
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

/// Formats everything for programs.
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

/// Formats a line per page and new location, for spreadsheets.
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
