//! `cargo xtask bench words`: whether words that people type into a search box find their page, and
//! at which cost, in pagekin and in Pagefind, in a real browser.
//!
//! `tests/queries/words` contains the queries and the pages that they seek, and
//! `tests/queries/messages` messages with versions or codes, to pass with `--queries`.
//! `tests/benches/words.mjs` asks the queries and judges the answers.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use super::build;
use super::query::Browser;
use crate::repo::Repo;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// The queries to ask, instead of the file in tests/queries/words whose pages the site
    /// contains: a file, or a folder of such files, such as tests/queries/messages
    #[arg(long, value_name = "PATH")]
    queries: Option<PathBuf>,
    /// Only measure the results, not their cost: seconds instead of a quarter of an hour
    #[arg(long)]
    quality: bool,
    /// Only measure pagekin
    #[arg(long)]
    pagekin: bool,
    /// List the queries whose page is not among the first three results, with the first result
    #[arg(long)]
    misses: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let browser = Browser::new(repo)?;
    let programs = build::programs(repo)?;
    let measured = if arguments.pagekin { &programs[..1] } else { &programs[..] };
    let queries = arguments.queries.clone().unwrap_or_else(|| repo.path("tests/queries/words"));
    let mut options = Vec::new();
    options.extend(arguments.quality.then_some("--quality"));
    let mut sites = Vec::new();
    for site in &arguments.sites {
        let site = build::canonical(site)?;
        let mut given: Vec<OsString> = options.iter().map(OsString::from).collect();
        given.extend([site.clone().into(), queries.clone().into()]);
        for program in measured {
            eprintln!("{}, {}: indexing", site.display(), program.name);
            given.push(build::index(repo, program, &site)?.into());
        }
        sites.push(browser.measure("words.mjs", &given, &programs[0].path)?);
    }
    options.extend(arguments.misses.then_some("--misses"));
    options.insert(0, "words");
    browser.print(&sites, arguments.json, &options)
}
