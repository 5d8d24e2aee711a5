//! `cargo xtask bench query`: the cost of a query to a visitor of pagekin, Pagefind and lunr, in a
//! real browser. `tests/benches/query.mjs` asks the queries and describes them.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::build;
use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

/// Pagefind's queries have many words, to describe the subject of a page, and few, as in a search.
const WORDS: [u32; 2] = [10, 2];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// Number of a page's rarest words in a query of Pagefind
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = WORDS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    words: Vec<u32>,
    /// Print JSON, with the parts of the transferred bytes, instead of a table
    #[arg(long)]
    json: bool,
    /// Measure instead how long the demo's first answer takes at 400 kbit/s and 300 ms, of pagekin
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
    let browser = Browser::new(repo)?;
    let mut sites = Vec::new();
    if arguments.slow {
        let pagekin = repo.optimized_pagekin()?;
        for site in &arguments.sites {
            let (site, folder) = (build::canonical(site)?, repo.emptied("slow")?);
            let mut command = Command::new(&pagekin);
            command.arg("build").arg(&site).arg("--output").arg(&folder);
            run::visible(command.args(["--pages", "demo", "--quiet"]))?;
            sites.push(browser.measure(
                "slow.mjs",
                &[site.as_os_str(), folder.as_os_str()],
                &pagekin,
            )?);
        }
        return browser.print(&sites, arguments.json, &["slow"]);
    }
    let programs = build::programs(repo)?;
    let lunr = tools::lunr(repo)?;
    for site in &arguments.sites {
        let site = build::canonical(site)?;
        let mut given: Vec<OsString> = vec![site.clone().into()];
        for program in &programs {
            given.push(build::index(repo, program, &site)?.into());
        }
        given.push(lunr.clone().into());
        given.extend(arguments.words.iter().map(|count| count.to_string().into()));
        sites.push(browser.measure("query.mjs", &given, &programs[0].path)?);
    }
    browser.print(&sites, arguments.json, &["query"])
}

/// Scripts of `tests/benches`, which measure in a browser.
pub(super) struct Browser<'a> {
    repo: &'a Repo,
    node: PathBuf,
    chromium: PathBuf,
}

impl<'a> Browser<'a> {
    pub(super) fn new(repo: &'a Repo) -> Result<Self> {
        tools::browser_test_packages(repo)?;
        Ok(Self { repo, node: tools::node()?, chromium: tools::chromium(repo)? })
    }

    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.repo.path("tests/benches").join(name));
        command
    }

    /// Runs a script, and returns the JSON that it prints.
    pub(super) fn measure(
        &self,
        script: &str,
        given: &[impl AsRef<OsStr>],
        pagekin: &std::path::Path,
    ) -> Result<Value> {
        let mut command = self.script(script);
        command.args(given).env("CHROMIUM", &self.chromium).env("PAGEKIN", pagekin);
        eprintln!("Measuring in {}", self.chromium.display());
        let printed = run::output(&mut command)?;
        serde_json::from_str(&printed)
            .with_context(|| format!("expected JSON from `{}`", run::line(&command)))
    }

    /// Prints the measurements of all sites, as JSON or as a kind of table.
    pub(super) fn print(&self, sites: &[Value], json: bool, table: &[&str]) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string_pretty(&sites)?);
            return Ok(());
        }
        let mut command = self.script("tables.mjs");
        let mut tables = command.args(table).stdin(Stdio::piped()).spawn()?;
        let mut input = tables.stdin.take().context("the input is piped")?;
        input.write_all(&serde_json::to_vec(sites)?)?;
        drop(input);
        if !tables.wait()?.success() {
            bail!("`{}` failed", run::line(&command));
        }
        Ok(())
    }
}
