//! `cargo xtask bench words`: whether what people type into a search box finds their page, and
//! what it costs, of pagekin and of Pagefind, in a real browser.
//!
//! The queries and the pages that they seek are in `tests/queries/words`. The asking is
//! `tests/benches/words.mjs`, which says what is asked; here the indexes are built, the answers
//! judged and the tables made.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::build;
use crate::repo::Repo;
use crate::{run, tools};

/// The places of a right page that are counted: up to these.
const PLACES: [usize; 3] = [1, 3, 10];
/// The place up to which a query counts that is told by its kind, and is no miss.
const FIRST: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// The queries to ask, instead of the file in tests/queries/words whose pages the site has
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Only what is found, not what it costs: seconds instead of a quarter of an hour
    #[arg(long)]
    quality: bool,
    /// Only pagekin
    #[arg(long)]
    pagekin: bool,
    /// List the queries whose page is not among the first three, with what came first
    #[arg(long)]
    misses: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut sites = Vec::new();
    for site in &arguments.sites {
        let site = build::canonical(site)?;
        let given = arguments.queries.as_deref();
        let (file, queries) = queries_of(&site, given, &repo.path("tests/queries/words"))?;
        sites.push((site, file, queries));
    }
    let programs = build::programs(repo)?;
    let asked = if arguments.pagekin { &programs[..1] } else { &programs[..] };
    tools::browser_test_packages(repo)?;
    let (node, chromium) = (tools::node()?, tools::chromium(repo)?);
    let mut reports = Vec::new();
    for (site, file, queries) in sites {
        let mut command = Command::new(&node);
        command.arg(repo.path("tests/benches/words.mjs"));
        command.args(arguments.quality.then_some("--quality")).arg(&site).arg(&file);
        for program in asked {
            eprintln!("{}, {}: indexing", site.display(), program.name);
            command.arg(build::index(repo, program, &site)?);
        }
        command.env("CHROMIUM", &chromium).env("PAGEKIN", &programs[0].path);
        eprintln!("{}: asking in {}", site.display(), chromium.display());
        let printed = run::output(&mut command)?;
        let asked: Asked = serde_json::from_str(&printed).with_context(|| {
            format!("expected what was asked, as JSON, from `{}`", run::line(&command))
        })?;
        reports.push(Report::from_answers(build::short_name(&site), &queries, asked));
    }
    let report = if arguments.json {
        serde_json::to_string_pretty(&reports.iter().map(Report::json).collect::<Vec<_>>())?
    } else {
        tables(&reports, arguments)?
    };
    writeln!(io::stdout(), "{report}")?;
    Ok(())
}

/// A query of a file.
#[derive(Deserialize)]
struct Query {
    query: String,
    /// What it is like: `topic`, `name`, `beginning` (of a name), how many `words`, `typo`.
    kind: String,
    /// The paths of the pages that the person may have sought, below the site.
    wanted: Vec<String>,
}

/// Of the file `given`, or else of the first in `folder` whose pages the site has.
fn queries_of(site: &Path, given: Option<&Path>, folder: &Path) -> Result<(PathBuf, Vec<Query>)> {
    let files = match given {
        Some(file) => vec![file.to_owned()],
        None => crate::files::files(folder)
            .with_context(|| format!("cannot list {}", folder.display()))?
            .into_iter()
            .collect(),
    };
    for file in files {
        let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let queries: Vec<Query> = serde_json::from_slice(&text)
            .with_context(|| format!("expected a list of queries in {}", file.display()))?;
        let pages = queries.iter().flat_map(|query| &query.wanted);
        match pages.into_iter().find(|page| !site.join(page).is_file()) {
            None => return Ok((file, queries)),
            Some(page) if given.is_some() => {
                bail!(
                    "{} wants the page {page}, which is not in {}",
                    file.display(),
                    site.display()
                )
            }
            Some(_) => {}
        }
    }
    bail!(
        "expected queries for {} in {}, but the site lacks pages that each file there wants; name \
         one with --queries",
        site.display(),
        folder.display()
    )
}

/// What `words.mjs` printed.
#[derive(Deserialize)]
struct Asked {
    pages: u64,
    programs: Vec<Answers>,
}

/// Of a program.
#[derive(Deserialize)]
struct Answers {
    name: String,
    /// Of each query the results, each with the paths of its page and of the copies of that.
    found: Vec<Vec<Vec<String>>>,
    costs: Option<Value>,
    slow: Option<Value>,
}

/// What is reported of a site.
struct Report {
    site: String,
    pages: u64,
    /// In the order of the file, with how many queries each has.
    kinds: Vec<(String, usize)>,
    programs: Vec<Judged>,
}

/// What a program found, and cost.
struct Judged {
    name: String,
    judgments: Vec<Judgment>,
    costs: Option<Value>,
    slow: Option<Value>,
}

struct Judgment {
    query: String,
    kind: String,
    /// That of the first right page, from 1.
    place: Option<usize>,
    /// The first result.
    first: Option<String>,
}

impl Report {
    fn from_answers(site: String, queries: &[Query], asked: Asked) -> Self {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for Query { kind, .. } in queries {
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind.clone(), 1)),
            }
        }
        let judged = |Answers { name, found, costs, slow }: Answers| {
            let judgments = queries.iter().zip(found).map(|(query, found)| Judgment {
                query: query.query.clone(),
                kind: query.kind.clone(),
                place: place(&found, &query.wanted),
                first: found.into_iter().flatten().next(),
            });
            Judged { judgments: judgments.collect(), name, costs, slow }
        };
        let programs = asked.programs.into_iter().map(judged).collect();
        Self { site, pages: asked.pages, kinds, programs }
    }

    fn queries(&self) -> usize {
        self.kinds.iter().map(|(_, count)| count).sum()
    }

    fn label(&self) -> String {
        format!("{}, {} pages", self.site, self.pages)
    }

    fn json(&self) -> Value {
        let programs = self.programs.iter().map(|program| {
            let queries = program.judgments.iter().map(|Judgment { query, kind, place, first }| {
                json!({ "query": query, "kind": kind, "place": place, "first": first })
            });
            json!({
                "program": program.name,
                "within": PLACES.map(|most| json!({ "place": most, "queries": program.within(most, None) })),
                "queries": queries.collect::<Vec<_>>(),
                "costs": program.costs,
                "slow": program.slow,
            })
        });
        json!({
            "site": self.site,
            "pages": self.pages,
            "queries": self.queries(),
            "programs": programs.collect::<Vec<_>>(),
        })
    }
}

impl Judged {
    /// How many queries, of a kind or of all, have a right page up to a place.
    fn within(&self, most: usize, kind: Option<&str>) -> usize {
        let of_kind =
            self.judgments.iter().filter(|judgment| kind.is_none_or(|kind| judgment.kind == kind));
        of_kind.filter(|judgment| judgment.place.is_some_and(|place| place <= most)).count()
    }
}

/// The place, from 1, of the first result that is a wanted page or has it as a copy.
fn place(found: &[Vec<String>], wanted: &[String]) -> Option<usize> {
    // words.mjs names the index of a folder by the folder, as addresses do.
    let plain = |page: &str| match page.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder.to_owned(),
        _ => page.to_owned(),
    };
    let wanted: Vec<String> = wanted.iter().map(|page| plain(page)).collect();
    found.iter().position(|pages| pages.iter().any(|page| wanted.contains(page))).map(|at| at + 1)
}

fn tables(reports: &[Report], arguments: &Arguments) -> Result<String> {
    let mut parts = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for (kind, _) in reports.iter().flat_map(|report| &report.kinds) {
        if !kinds.contains(&kind.as_str()) {
            kinds.push(kind);
        }
    }
    parts.push(quality(reports, &kinds));
    if !arguments.quality {
        parts.push(costs(reports)?);
    }
    if arguments.misses {
        parts.push(misses(reports));
    }
    Ok(parts.join("\n\n"))
}

fn quality(reports: &[Report], kinds: &[&str]) -> String {
    let mut lines = vec![
        format!(
            "| site | asked | top {} | {} |",
            PLACES.map(|place| place.to_string()).join(", "),
            kinds.join(" | ")
        ),
        format!("| --- | --- | ---: |{}", " ---: |".repeat(kinds.len())),
    ];
    for report in reports {
        for program in &report.programs {
            let all = PLACES.map(|most| share(program.within(most, None), report.queries()));
            let by_kind = kinds.iter().map(|kind| {
                let count = report.kinds.iter().find(|(known, _)| known == kind);
                let of = count.map_or(0, |(_, count)| *count);
                format!(" {} of {of} |", program.within(FIRST, Some(kind)))
            });
            let by_kind: String = by_kind.collect();
            lines.push(format!(
                "| {} | {} | {} |{by_kind}",
                report.label(),
                program.name,
                all.join(" ")
            ));
        }
    }
    lines.push(format!(
        "\nTop: the shares of queries with a right page among the first results. Of each kind: \
         among the first {FIRST}"
    ));
    lines.join("\n")
}

fn share(part: usize, of: usize) -> String {
    format!("{:.2}", part as f64 / of.max(1) as f64)
}

/// How a number is shown.
#[derive(Clone, Copy)]
enum Shown {
    Kilobytes,
    Count,
    Seconds,
}

/// A column: its heading, where its number is among the costs and what is slow, how it is shown.
const COLUMNS: [(&str, &str, Shown); 15] = [
    ("opening kB", "/costs/opening/bytes/median", Shown::Kilobytes),
    ("first query kB", "/costs/first/bytes/median", Shown::Kilobytes),
    ("90 %", "/costs/first/bytes/p90", Shown::Kilobytes),
    ("requests", "/costs/first/requests/median", Shown::Count),
    ("query kB", "/costs/query/bytes/median", Shown::Kilobytes),
    ("90 %", "/costs/query/bytes/p90", Shown::Kilobytes),
    ("of it pages kB", "/costs/results/bytes/median", Shown::Kilobytes),
    ("requests", "/costs/query/requests/median", Shown::Count),
    ("90 %", "/costs/query/requests/p90", Shown::Count),
    ("first answer s", "/slow/milliseconds/first/median", Shown::Seconds),
    ("later s", "/slow/milliseconds/later/median", Shown::Seconds),
    ("typed kB", "/slow/typed/bytes/median", Shown::Kilobytes),
    ("90 %", "/slow/typed/bytes/p90", Shown::Kilobytes),
    ("requests", "/slow/typed/requests/median", Shown::Count),
    ("after the last key s", "/slow/milliseconds/last_key/median", Shown::Seconds),
];

fn costs(reports: &[Report]) -> Result<String> {
    let mut lines = vec![
        format!("| site | asked | {} |", COLUMNS.map(|(heading, ..)| heading).join(" | ")),
        format!("| --- | --- |{}", " ---: |".repeat(COLUMNS.len())),
    ];
    for report in reports {
        for program in &report.programs {
            let (Some(costs), Some(slow)) = (&program.costs, &program.slow) else { continue };
            let both = json!({ "costs": costs, "slow": slow });
            let cells = COLUMNS.map(|(_, field, shown)| {
                let value = both.pointer(field).and_then(Value::as_f64);
                let value =
                    value.with_context(|| format!("expected {field} in what words.mjs printed"))?;
                Ok(match shown {
                    Shown::Kilobytes if value < 10_000.0 => format!("{:.1}", value / 1e3),
                    Shown::Kilobytes => format!("{:.0}", value / 1e3),
                    Shown::Count => format!("{value:.0}"),
                    Shown::Seconds => format!("{:.1}", value / 1e3),
                })
            });
            let cells = cells.into_iter().collect::<Result<Vec<_>>>()?.join(" | ");
            lines.push(format!("| {} | {} | {cells} |", report.label(), program.name));
        }
    }
    lines.push(String::from(
        "\nMedians and 90th percentiles, behind a host that gzips scripts. Seconds and what is \
         typed: 20 of the queries over 1.6 Mbit/s, 150 ms to an answer, 150 ms from key to key",
    ));
    Ok(lines.join("\n"))
}

fn misses(reports: &[Report]) -> String {
    let mut lines = Vec::new();
    for report in reports {
        for program in &report.programs {
            lines.push(format!("{}, {}:", report.label(), program.name));
            for Judgment { query, kind, place, first } in &program.judgments {
                let place = match place {
                    Some(place) if *place <= FIRST => continue,
                    Some(place) => format!("at {place}"),
                    None => "not found".to_owned(),
                };
                let first = first.as_deref().unwrap_or("nothing");
                lines.push(format!("  {query} ({kind}): {place}; first {first}"));
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(pages: &[&str]) -> Vec<String> {
        pages.iter().map(|&page| page.to_owned()).collect()
    }

    #[test]
    fn a_page_has_the_place_of_the_result_that_names_it() {
        let found = [pages(&["a.html"]), pages(&["b.html", "old/b.html"]), pages(&["topics/"])];
        assert_eq!(place(&found, &pages(&["c.html"])), None);
        assert_eq!(place(&found, &pages(&["c.html", "b.html"])), Some(2));
        assert_eq!(place(&found, &pages(&["old/b.html"])), Some(2));
        assert_eq!(place(&found, &pages(&["topics/index.html"])), Some(3));
        assert_eq!(place(&found, &pages(&["topics/myindex.html"])), None);
        assert_eq!(place(&[], &pages(&["a.html"])), None);
    }

    #[test]
    fn queries_of_a_kind_are_counted_up_to_a_place() {
        let judgment = |kind: &str, place| Judgment {
            query: String::new(),
            kind: kind.to_owned(),
            place,
            first: None,
        };
        let judged = Judged {
            name: String::new(),
            judgments: vec![
                judgment("typo", Some(1)),
                judgment("typo", Some(4)),
                judgment("topic", Some(3)),
                judgment("topic", None),
            ],
            costs: None,
            slow: None,
        };
        assert_eq!(PLACES.map(|most| judged.within(most, None)), [1, 2, 3]);
        assert_eq!(PLACES.map(|most| judged.within(most, Some("typo"))), [1, 1, 2]);
    }

    #[test]
    fn queries_are_those_whose_pages_the_site_has() -> Result<()> {
        let repo = Repo::locate()?;
        let folder = repo.path("tests/queries/words");
        for file in crate::files::files(&folder)? {
            let text = fs::read(&file)?;
            let queries: Vec<Query> = serde_json::from_slice(&text)?;
            assert!(queries.iter().all(|query| !query.wanted.is_empty()), "{}", file.display());
        }
        let error = queries_of(&repo.path("tests/site"), None, &folder).err();
        let message = error.context("the teaching site has none of these pages")?.to_string();
        assert!(message.contains("name one with --queries"), "{message}");
        Ok(())
    }
}
