//! `cargo xtask bench query`: what a query costs a visitor, of pagekin, Pagefind and lunr, in a
//! real browser. The asking itself is `tests/benches/query.mjs`, which says what is asked; here the
//! indexes are built and the table is made.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::build;
use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

/// How many words Pagefind is asked for: many, to say what a page is about, and few, as one
/// searches.
const WORDS: [u32; 2] = [10, 2];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// How many of a page's rarest words Pagefind is asked for
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = WORDS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    words: Vec<u32>,
    /// Print JSON, with the parts of what was transferred, instead of a table
    #[arg(long)]
    json: bool,
    /// Measure how long the demo's first answer takes at 400 kbit/s and 300 ms instead, of pagekin
    /// alone
    #[arg(long, conflicts_with = "words")]
    slow: bool,
}

impl Arguments {
    pub(crate) fn new(site: &Site) -> Self {
        Self { sites: vec![site.folder.clone()], words: WORDS.into(), json: false, slow: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    if arguments.slow {
        return run_slowly(repo, arguments);
    }
    let programs = build::programs(repo)?;
    let lunr = tools::lunr(repo)?;
    tools::browser_test_packages(repo)?;
    let (node, chromium) = (tools::node()?, tools::chromium(repo)?);
    let mut sites = Vec::new();
    for site in &arguments.sites {
        let site = build::canonical(site)?;
        let mut command = Command::new(&node);
        command.arg(repo.path("tests/benches/query.mjs")).arg(&site);
        for program in &programs {
            eprintln!("{}, {}: indexing", site.display(), program.name);
            command.arg(build::index(repo, program, &site)?);
        }
        command.arg(&lunr).args(arguments.words.iter().map(u32::to_string));
        command.env("CHROMIUM", &chromium).env("PAGEKIN", &programs[0].path);
        eprintln!("{}: asking in {}", site.display(), chromium.display());
        let printed = run::output(&mut command)?;
        let asked: Value = serde_json::from_str(&printed)
            .with_context(|| format!("expected JSON from `{}`", run::line(&command)))?;
        sites.push(asked);
    }
    let report = if arguments.json {
        serde_json::to_string_pretty(&json!({ "sites": sites }))?
    } else {
        table(&sites)?
    };
    writeln!(io::stdout(), "{report}")?;
    Ok(())
}

/// What `tests/benches/slow.mjs` measures, for people or as it is.
fn run_slowly(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let pagekin = repo.optimized_pagekin()?;
    tools::browser_test_packages(repo)?;
    let (node, chromium) = (tools::node()?, tools::chromium(repo)?);
    let mut sites = Vec::new();
    for site in &arguments.sites {
        let site = build::canonical(site)?;
        let folder = repo.emptied("slow")?;
        let mut command = Command::new(&pagekin);
        command
            .arg("build")
            .arg(&site)
            .arg("--output")
            .arg(&folder)
            .args(["--pages", "demo", "--quiet"]);
        run::visible(&mut command)?;
        let mut command = Command::new(&node);
        command.arg(repo.path("tests/benches/slow.mjs")).arg(&site).arg(&folder);
        command.env("CHROMIUM", &chromium).env("PAGEKIN", &pagekin);
        eprintln!("{}: opening in {}", site.display(), chromium.display());
        let printed = run::output(&mut command)?;
        let measured: Value = serde_json::from_str(&printed)
            .with_context(|| format!("expected JSON from `{}`", run::line(&command)))?;
        sites.push(measured);
    }
    let report = if arguments.json {
        serde_json::to_string_pretty(&json!({ "sites": sites }))?
    } else {
        slow_table(&sites)?
    };
    writeln!(io::stdout(), "{report}")?;
    Ok(())
}

/// The times in the order in which they pass, each with its heading.
const TIMES: [(&str, &str); 5] = [
    ("painted", "painted"),
    ("typed", "text typed"),
    ("opened", "index open"),
    ("answered", "first answer"),
    ("after_opening", "answer, once open"),
];

fn slow_table(sites: &[Value]) -> Result<String> {
    let headings = TIMES.map(|(_, heading)| format!("{heading} s")).join(" | ");
    let mut lines = vec![
        format!("| site | host | page kB | all kB | {headings} |"),
        format!("| --- | --- |{}", " ---: |".repeat(TIMES.len() + 2)),
    ];
    for site in sites {
        let label = build::short_name(Path::new(text(site, "/site")?));
        for run in array(site, "/runs")? {
            let host =
                if at(run, "/compresses")? == true { "compresses texts" } else { "as it is" };
            let [page, all] = ["/bytes/page", "/bytes/all"].map(|field| number(run, field));
            let seconds = |(field, _): (&str, _)| {
                let milliseconds = number(run, &format!("/milliseconds/{field}"))?;
                Ok(format!("{:.1}", milliseconds as f64 / 1e3))
            };
            let times = TIMES.into_iter().map(seconds).collect::<Result<Vec<_>>>()?.join(" | ");
            let (page, all) = (kilobytes(page?), kilobytes(all?));
            lines.push(format!("| {label} | {host} | {page} | {all} | {times} |"));
        }
    }
    lines.push(String::from(
        "\nAt 400 kbit/s and 300 ms until a host answers; medians of 3 visits, from the address on",
    ));
    Ok(lines.join("\n"))
}

/// A column of the table: its heading, the field of a program that it shows, and whether that is in
/// bytes.
type Column = (&'static str, &'static str, bool);

const COLUMNS: [Column; 9] = [
    ("opening kB", "/first/opening/bytes/median", true),
    ("first query kB", "/first/bytes/median", true),
    ("90 %", "/first/bytes/p90", true),
    ("requests", "/first/requests/median", false),
    ("rounds", "/first/rounds/median", false),
    ("next query kB", "/next/bytes/median", true),
    ("90 %", "/next/bytes/p90", true),
    ("requests", "/next/requests/median", false),
    ("rounds", "/next/rounds/median", false),
];

fn table(sites: &[Value]) -> Result<String> {
    let headings = COLUMNS.map(|(heading, ..)| heading).join(" | ");
    let mut lines = vec![
        format!("| site | asked | {headings} | best kin found |"),
        format!("| --- | --- |{}", " ---: |".repeat(COLUMNS.len() + 1)),
    ];
    for site in sites {
        let folder = text(site, "/site")?;
        let (pages, with_kin) = (number(site, "/pages")?, number(site, "/with_kin")?);
        let label = format!("{}, {pages} pages", build::short_name(Path::new(folder)));
        for program in array(site, "/programs")? {
            let cells = COLUMNS.map(|(_, field, in_bytes)| {
                let value = number(program, field)?;
                Ok(if in_bytes { kilobytes(value) } else { value.to_string() })
            });
            let cells = cells.into_iter().collect::<Result<Vec<_>>>()?.join(" | ");
            let found = match at(program, "/found/best_kin")?.as_u64() {
                Some(found) => format!("{found} of {with_kin}"),
                None => String::new(),
            };
            lines.push(format!("| {label} | {} | {cells} | {found} |", text(program, "/program")?));
        }
    }
    lines.push("\nMedians and 90th percentiles of up to 30 queries a site".to_owned());
    Ok(lines.join("\n"))
}

fn kilobytes(bytes: u64) -> String {
    let kilobytes = bytes as f64 / 1e3;
    let decimals = usize::from(bytes > 0 && bytes < 10_000);
    format!("{kilobytes:.decimals$}")
}

fn number(value: &Value, field: &str) -> Result<u64> {
    at(value, field)?.as_u64().with_context(|| format!("expected a whole number at {field}"))
}

fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str> {
    at(value, field)?.as_str().with_context(|| format!("expected a text at {field}"))
}

fn array<'a>(value: &'a Value, field: &str) -> Result<&'a [Value]> {
    let array = at(value, field)?.as_array();
    array.map(Vec::as_slice).with_context(|| format!("expected an array at {field}"))
}

fn at<'a>(value: &'a Value, field: &str) -> Result<&'a Value> {
    value.pointer(field).with_context(|| format!("expected {field} in what query.mjs printed"))
}
