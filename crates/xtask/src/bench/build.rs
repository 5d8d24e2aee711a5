//! `cargo xtask bench build`: the time, the memory and the output of indexing.
//!
//! Both programs index the same folder alternately, each into an empty folder of its own below
//! `target/bench`. The site is read once before the first run, so that both use a warm disk cache.
//! The operating system reports time and memory of the finished process. Pagefind's own program is
//! started directly, as its Node.js wrapper would hide them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use wait4::Wait4;

use crate::files::files;
use crate::repo::Repo;
use crate::{run, tools, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folders of HTML pages to index
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// How often each program indexes each site
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

impl Arguments {
    pub(crate) fn new(site: &crate::site::Site) -> Self {
        Self { sites: vec![site.folder.clone()], runs: 3 }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let programs = programs(repo)?;
    let mut sites = Vec::new();
    for folder in &arguments.sites {
        sites.push(measure(repo, folder, &programs, arguments.runs)?);
    }
    let report = table(&sites, &programs);
    writeln!(io::stdout(), "{report}\n\nMedians of {} runs each, alternately", arguments.runs)?;
    Ok(())
}

/// pagekin, then Pagefind.
pub(super) fn programs(repo: &Repo) -> Result<[Program; 2]> {
    let pagefind = tools::pagefind(repo)?;
    web::build(repo)?;
    Ok([
        Program {
            name: "pagekin".to_owned(),
            kind: Kind::Pagekin,
            path: repo.optimized_pagekin()?,
        },
        Program {
            name: format!("Pagefind {}", pagefind.version),
            kind: Kind::Pagefind,
            path: pagefind.program,
        },
    ])
}

pub(super) struct Program {
    pub(super) name: String,
    kind: Kind,
    pub(super) path: PathBuf,
}

#[derive(Clone, Copy)]
enum Kind {
    Pagekin,
    Pagefind,
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Self::Pagekin => "pagekin",
            Self::Pagefind => "pagefind",
        }
    }
}

impl Program {
    fn command(&self, site: &Path, output: &Path) -> Command {
        let mut command = Command::new(&self.path);
        match self.kind {
            Kind::Pagekin => command.arg("build").arg(site).arg("-o").arg(output).arg("--json"),
            Kind::Pagefind => command.arg("--site").arg(site).arg("--output-path").arg(output),
        };
        command
    }

    /// The number of pages in the index of a finished run, as the program reports it.
    fn pages(&self, output: &Path, printed: &Path) -> Result<u64> {
        let (path, count): (PathBuf, fn(&Value) -> Option<u64>) = match self.kind {
            Kind::Pagekin => (printed.to_owned(), |summary| summary["pages"].as_u64()),
            Kind::Pagefind => (output.join("pagefind-entry.json"), |entry| {
                let languages = entry["languages"].as_object()?;
                languages.values().map(|language| language["page_count"].as_u64()).sum()
            }),
        };
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let json = serde_json::from_slice(&text)
            .with_context(|| format!("expected JSON in {}", path.display()))?;
        count(&json)
            .with_context(|| format!("{} does not contain the number of pages", path.display()))
    }
}

struct Run {
    wall: Duration,
    processor: Duration,
    peak_bytes: u64,
    output_bytes: u64,
    output_files: u64,
    pages: u64,
}

/// All runs on one site, by program.
struct Site {
    folder: PathBuf,
    files: Size,
    runs: Vec<Vec<Run>>,
}

fn measure(repo: &Repo, folder: &Path, programs: &[Program], runs: u32) -> Result<Site> {
    let folder = canonical(folder)?;
    read_all(&folder)?;
    let mut site = Site {
        files: Size::new(&folder)?,
        runs: programs.iter().map(|_| Vec::new()).collect(),
        folder,
    };
    let results = results_folder(repo, &site.folder)?;
    for round in 0..runs {
        for turn in 0..programs.len() {
            // The first one changes, in case one leaves the machine in another state.
            let which = (turn + round as usize) % programs.len();
            let program = &programs[which];
            eprint!("{}, {}, run {} of {runs}: ", site.folder.display(), program.name, round + 1);
            let run = run_once(program, &site.folder, &results)?;
            eprintln!("{:.2} s", run.wall.as_secs_f64());
            site.runs[which].push(run);
        }
    }
    Ok(site)
}

pub(super) fn canonical(site: &Path) -> Result<PathBuf> {
    site.canonicalize()
        .with_context(|| format!("expected a folder of HTML pages at {}", site.display()))
}

/// The folder of the indexes of a site.
fn results_folder(repo: &Repo, site: &Path) -> Result<PathBuf> {
    let results = repo.target("bench").join(site.file_name().unwrap_or_default());
    fs::create_dir_all(&results).with_context(|| format!("cannot create {}", results.display()))?;
    Ok(results)
}

/// Indexes a site, and returns the folder of the index.
pub(super) fn index(repo: &Repo, program: &Program, site: &Path) -> Result<PathBuf> {
    let results = results_folder(repo, site)?;
    run_once(program, site, &results)?;
    Ok(results.join(program.kind.folder()))
}

fn run_once(program: &Program, site: &Path, results: &Path) -> Result<Run> {
    let kind = program.kind.folder();
    let output = results.join(kind);
    let printed = results.join(format!("{kind}.stdout"));
    let errors = results.join(format!("{kind}.stderr"));
    match fs::remove_dir_all(&output) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", output.display()));
        }
        _ => {}
    }

    let mut command = program.command(site, &output);
    command.stdin(Stdio::null()).stdout(File::create(&printed)?).stderr(File::create(&errors)?);
    let start = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("cannot start `{}`", run::line(&command)))?;
    let end = child.wait4()?;
    let wall = start.elapsed();
    if !end.status.success() {
        bail!(
            "`{}` failed ({}); its output is in {} and {}",
            run::line(&command),
            end.status,
            printed.display(),
            errors.display()
        );
    }

    let size = Size::new(&output)?;
    Ok(Run {
        wall,
        processor: end.rusage.utime + end.rusage.stime,
        peak_bytes: end.rusage.maxrss,
        output_bytes: size.bytes,
        output_files: size.files,
        pages: program.pages(&output, &printed)?,
    })
}

struct Size {
    files: u64,
    bytes: u64,
}

impl Size {
    fn new(folder: &Path) -> Result<Self> {
        let mut size = Self { files: 0, bytes: 0 };
        for path in existing(folder)? {
            size.files += 1;
            size.bytes += fs::metadata(path)?.len();
        }
        Ok(size)
    }
}

fn read_all(folder: &Path) -> Result<()> {
    for path in existing(folder)? {
        io::copy(&mut File::open(path)?, &mut io::sink())?;
    }
    Ok(())
}

/// Skips broken links, which some documentation contains.
fn existing(folder: &Path) -> Result<impl Iterator<Item = PathBuf>> {
    let all = files(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    Ok(all.into_iter().filter(|path| path.exists()))
}

/// A column of the table: its heading, its number of decimals, its value in one run.
type Column = (&'static str, usize, fn(&Run) -> f64);

const COLUMNS: [Column; 6] = [
    ("wall s", 2, |run| run.wall.as_secs_f64()),
    ("CPU s", 2, |run| run.processor.as_secs_f64()),
    ("peak memory MB", 0, |run| run.peak_bytes as f64 / 1e6),
    ("output MB", 1, |run| run.output_bytes as f64 / 1e6),
    ("output files", 0, |run| run.output_files as f64),
    ("pages indexed", 0, |run| run.pages as f64),
];

fn table(sites: &[Site], programs: &[Program]) -> String {
    let headings: Vec<&str> = COLUMNS.iter().map(|(heading, ..)| *heading).collect();
    let mut lines = vec![
        format!("| site | program | {} |", headings.join(" | ")),
        format!("| --- | --- |{}", " ---: |".repeat(COLUMNS.len())),
    ];
    for site in sites {
        let files = site.files.files;
        let megabytes = site.files.bytes as f64 / 1e6;
        let label = format!("{} ({files} files, {megabytes:.1} MB)", short_name(&site.folder));
        let medians: Vec<Vec<f64>> = site
            .runs
            .iter()
            .map(|runs| {
                COLUMNS.iter().map(|(.., value)| median(runs.iter().map(value).collect())).collect()
            })
            .collect();
        for (program, medians) in programs.iter().zip(&medians) {
            let cells: Vec<String> = medians
                .iter()
                .zip(COLUMNS)
                .map(|(median, (_, decimals, _))| format!("{median:.decimals$}"))
                .collect();
            lines.push(format!("| {label} | {} | {} |", program.name, cells.join(" | ")));
        }
        let (ours, others) = (&medians[0], &medians[1..]);
        for (program, theirs) in programs[1..].iter().zip(others) {
            let cells: Vec<String> =
                theirs.iter().zip(ours).map(|(theirs, ours)| ratio(theirs / ours)).collect();
            let name = format!("*{} / {}*", program.name, programs[0].name);
            lines.push(format!("| {label} | {name} | {} |", cells.join(" | ")));
        }
    }
    lines.join("\n")
}

/// The last two parts of a path: sites are often in folders named `html` or `public`.
fn short_name(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.1} ×") } else { format!("{value:.0} ×") }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
