//! `cargo xtask bench cancel`: how long a command takes to exit after it was interrupted, at
//! moments spread over its run.
//!
//! Each command runs once to its end, which says how long that takes, and then once for each
//! moment, in which it is sent SIGINT. What it wrote is removed in between, so that no run resumes
//! another.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::bench::page;
use crate::repo::{Profile, Repo};
use crate::{run, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages; a page of 15 MB of random Han characters is added
    #[arg(value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// How often each command is interrupted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    moments: u32,
}

impl Arguments {
    pub(crate) fn of(site: &crate::site::Site) -> Self {
        Self { sites: vec![site.folder.clone()], moments: 20 }
    }
}

const COMMANDS: [&str; 3] = ["build", "cluster", "duplicates"];
const HAN_BYTES: usize = 15_000_000;

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    let program = repo.build_pagekin(Profile::Release, &[])?;
    let han = repo.target("bench/cancel/han");
    fs::create_dir_all(&han)?;
    fs::write(han.join("page.html"), page::random_han(HAN_BYTES))?;
    fs::write(han.join("other.html"), "<p>bread and rye, again and again: bread and rye")?;
    let mut table = io::stdout().lock();
    writeln!(table, "| site | command | whole run s | median s | maximum s | in the stage |")?;
    writeln!(table, "| --- | --- | ---: | ---: | ---: | --- |")?;
    let sites = arguments.sites.iter().map(|site| (site.display().to_string(), site.as_path()));
    for (name, site) in sites.chain([("random Han, 15 MB".to_owned(), han.as_path())]) {
        for command in COMMANDS {
            let place = repo.target("bench/cancel/out");
            let (whole, exits) = measure(&program, command, site, &place, arguments.moments)?;
            let Some(slowest) = exits.last() else {
                bail!("`pagekin {command}` always ended before it was interrupted");
            };
            writeln!(
                table,
                "| {name} | `{command}` | {:.1} | {:.2} | {:.2} | {} |",
                whole.as_secs_f64(),
                exits[exits.len() / 2].time.as_secs_f64(),
                slowest.time.as_secs_f64(),
                slowest.stage,
            )?;
        }
    }
    Ok(())
}

/// How a run ended that was interrupted.
struct Exit {
    /// From the signal on.
    time: Duration,
    /// What it said last before.
    stage: String,
}

/// The time of a run that is left alone, and the ends of the others, the quickest first.
fn measure(
    program: &Path,
    name: &str,
    site: &Path,
    place: &Path,
    moments: u32,
) -> Result<(Duration, Vec<Exit>)> {
    let mut command = Command::new(program);
    command.arg(name).arg(site);
    if name != "duplicates" {
        command.arg("-o").arg(place.join("out"));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let (mut child, _) = begin(&mut command, place)?;
    if !child.wait()?.success() {
        bail!("`{}` failed", run::line(&command));
    }
    let whole = start.elapsed();
    let mut exits = Vec::new();
    for moment in 0..moments {
        let (mut child, said) = begin(&mut command, place)?;
        sleep(whole.mul_f64((f64::from(moment) + 0.5) / f64::from(moments)));
        if child.try_wait()?.is_some() {
            continue;
        }
        let stage = fs::read_to_string(&said)?;
        let start = Instant::now();
        run::visible(Command::new("kill").arg("-INT").arg(child.id().to_string()))?;
        let status = child.wait()?;
        let time = start.elapsed();
        let said = fs::read_to_string(&said)?;
        // What is being swapped in is no longer stopped.
        if !status.success() && (status.code() != Some(1) || !said.contains("interrupted")) {
            bail!("`{}` ended with {status} after SIGINT: {said}", run::line(&command));
        }
        eprintln!("{name} after {moment}/{moments}: {:.2} s", time.as_secs_f64());
        exits.push(Exit { time, stage: stage.lines().last().unwrap_or_default().to_owned() });
    }
    exits.sort_by_key(|exit| exit.time);
    Ok((whole, exits))
}

/// Starts a command in an emptied place, and says where it writes what it says.
fn begin(command: &mut Command, place: &Path) -> Result<(Child, PathBuf)> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    fs::create_dir_all(place)?;
    let said = place.join("said");
    command.stderr(fs::File::create(&said)?);
    let child =
        command.spawn().with_context(|| format!("cannot start `{}`", run::line(command)))?;
    Ok((child, said))
}
