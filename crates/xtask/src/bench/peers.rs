//! `cargo xtask bench peers`: pagekin's way from bags to similar pairs beside other libraries', on
//! the same sets of tokens.
//!
//! The sets are written once, as flat files below `target/bench/peers`, by a bench of `tests/`,
//! which also has pagekin's own part and grades all pairs that were found; the peers' parts are in
//! `tests/peers`. All are run in turns, each in a process of its own and with another seed in each
//! round. A program measures itself from the tokens in memory to the pairs in memory. Memory is the
//! most the process had, as the operating system counted it, less what one had that only read the
//! sets.
//!
//! Pairs are wanted from a similarity of 0.5 on, and all take 20 tables of 4 values and compare
//! candidates by 80 values, or what is nearest to that. pagekin is measured so, then with what was
//! found verified on the sets, and last as a crawl uses it: with tables that it chose itself, too.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use wait4::Wait4;

use super::build::{median, ratio};
use crate::repo::Repo;
use crate::site::Site;
use crate::{run, tools};

/// From what similarity on pairs are wanted, in thousandths.
const THRESHOLD: &str = "500";
const THREADS: &str = "2";
/// The values of a key and the tables that pagekin is told: tables are drawn at random, so that it
/// takes a few more of them to find what 20 bands do, of which no two share a value.
const TABLES: [&str; 2] = ["4", "26"];
/// Documents that the slowest library is given at most.
const SLOW: u64 = 20_000;
/// Documents of which all pairs are found exactly at most, and how many are sampled of more.
const EXACT: u64 = 100_000;
const SAMPLE: &str = "2000";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which sets to pair
    #[arg(long, value_delimiter = ',', default_values = ["synth20k", "synth100k", "site", "synth1m"])]
    sets: Vec<Set>,
    /// The folder of HTML pages that `site` takes [default: the Rust documentation of this machine]
    #[arg(long, value_name = "SITE_DIR")]
    site: Option<PathBuf>,
    /// How often each library pairs each set; a million documents are paired once
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Set {
    /// 20,000 generated documents
    Synth20k,
    /// 100,000 generated documents
    Synth100k,
    /// A million generated documents
    Synth1m,
    /// Of 20,000 pages of a site, or all if it has fewer
    Site,
}

impl Set {
    fn name(self) -> &'static str {
        match self {
            Self::Synth20k => "synth20k",
            Self::Synth100k => "synth100k",
            Self::Synth1m => "synth1m",
            Self::Site => "site",
        }
    }

    fn generated(self) -> Option<u64> {
        match self {
            Self::Synth20k => Some(20_000),
            Self::Synth100k => Some(100_000),
            Self::Synth1m => Some(1_000_000),
            Self::Site => None,
        }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let site = match &arguments.site {
        Some(folder) => Site::open(folder)?,
        None => Site::local_rust_docs(repo)?,
    };
    let bench = Bench::new(repo)?;
    let mut measured = Vec::new();
    for &set in &arguments.sets {
        let sets = bench.make(set, &site)?;
        let runs = if set == Set::Synth1m { 1 } else { arguments.runs };
        measured.push(bench.measure(sets, runs)?);
    }
    let tables: Vec<String> = measured.iter().map(Measured::table).collect();
    writeln!(io::stdout(), "{}", tables.join("\n\n"))?;
    Ok(())
}

/// A program that pairs with one or more libraries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Ours,
    Crates,
    Python,
}

/// Who takes part.
struct Library {
    /// With its version.
    name: String,
    program: Program,
    /// What it is called in its program, and pagekin's own options behind that.
    arguments: Vec<&'static str>,
    /// The documents that it is given at most.
    most: u64,
    /// What it cannot do as the others do.
    note: &'static str,
}

impl Library {
    fn is_ours(&self) -> bool {
        self.program == Program::Ours
    }
}

/// Sets of tokens in a file.
struct Sets {
    name: String,
    path: PathBuf,
    documents: u64,
    tokens: u64,
}

struct Bench {
    folder: PathBuf,
    ours: PathBuf,
    crates: PathBuf,
    python: PathBuf,
    script: PathBuf,
    libraries: Vec<Library>,
}

/// What one run took.
struct Run {
    signing: f64,
    pairing: f64,
    /// More than reading the sets takes.
    bytes: u64,
    recall: f64,
    precision: f64,
}

struct Measured {
    sets: Sets,
    runs: u32,
    /// Libraries with their runs.
    libraries: Vec<(String, bool, &'static str, Vec<Run>)>,
    true_pairs: u64,
}

impl Bench {
    fn new(repo: &Repo) -> Result<Self> {
        let folder = repo.target("bench/peers");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self {
            folder,
            crates: tools::crate_peers(repo)?,
            python: tools::python_peers(repo)?,
            script: repo.path("tests/peers/peers.py"),
            ours: repo.optimized_bench("peers")?,
            libraries: libraries(repo)?,
        })
    }

    /// Writes the sets, unless they are generated and there.
    fn make(&self, set: Set, site: &Site) -> Result<Sets> {
        let path = self.folder.join(format!("{}.sets", set.name()));
        eprintln!("Making the sets of {}", set.name());
        let mut command = Command::new(&self.ours);
        let name = match set.generated() {
            Some(documents) => {
                command.arg("generate").arg(documents.to_string()).arg(&path);
                format!("{documents} generated documents")
            }
            None => {
                command.arg("site").arg(&site.folder).arg(&path);
                command.args(["--most", &SLOW.to_string()]);
                site.name.clone()
            }
        };
        let made = json_of(&run::output(&mut command)?)?;
        let number = |key: &str| made[key].as_u64().with_context(|| format!("no {key} in {made}"));
        Ok(Sets { name, path, documents: number("documents")?, tokens: number("tokens")? })
    }

    fn measure(&self, sets: Sets, runs: u32) -> Result<Measured> {
        let taking_part: Vec<&Library> =
            self.libraries.iter().filter(|library| sets.documents <= library.most).collect();
        let stem = sets.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let pairs = |library: usize, round: u32| {
            self.folder.join(format!("{stem}-{library}-{round}.pairs"))
        };
        let mut took: Vec<Vec<(Value, u64)>> = taking_part.iter().map(|_| Vec::new()).collect();
        for round in 0..runs {
            for turn in 0..taking_part.len() {
                // Who is first changes, in case one leaves the machine in another state.
                let which = (turn + round as usize) % taking_part.len();
                let library = taking_part[which];
                eprint!("{}, {}, run {} of {runs}: ", sets.name, library.name, round + 1);
                let mut load = self.command(library.program, &["load"], &sets, None, round);
                let (_, least) = measured(&mut load, &self.folder)?;
                let to = pairs(which, round);
                let mut pair =
                    self.command(library.program, &library.arguments, &sets, Some(&to), round);
                let (result, most) = measured(&mut pair, &self.folder)?;
                let result = json_of(&result)?;
                eprintln!("{:.2} s", seconds(&result, "signing")? + seconds(&result, "pairing")?);
                took[which].push((result, most.saturating_sub(least)));
            }
        }
        let files = (0..taking_part.len()).flat_map(|at| (0..runs).map(move |round| (at, round)));
        let files: Vec<PathBuf> = files.map(|(at, round)| pairs(at, round)).collect();
        let (true_pairs, grades) = self.grade(&sets, &files)?;
        let mut grades = grades.into_iter();
        let mut libraries = Vec::new();
        for (library, took) in taking_part.iter().zip(took) {
            let mut all = Vec::new();
            for ((result, bytes), grade) in took.into_iter().zip(&mut grades) {
                all.push(Run {
                    signing: seconds(&result, "signing")?,
                    pairing: seconds(&result, "pairing")?,
                    bytes,
                    recall: seconds(&grade, "recall")?,
                    precision: seconds(&grade, "precision")?,
                });
            }
            libraries.push((library.name.clone(), library.is_ours(), library.note, all));
        }
        for file in files {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
        Ok(Measured { sets, runs, libraries, true_pairs })
    }

    fn command(
        &self,
        program: Program,
        arguments: &[&str],
        sets: &Sets,
        pairs: Option<&Path>,
        round: u32,
    ) -> Command {
        let seed = (round + 1).to_string();
        let pairs = pairs.unwrap_or(Path::new("-"));
        if program == Program::Ours {
            let mut command = Command::new(&self.ours);
            command.arg("pair").arg(&sets.path).arg(pairs).arg("--way").args(arguments);
            command.args(["--threshold", THRESHOLD, "--seed", &seed, "--threads", THREADS]);
            return command;
        }
        let mut command = match program {
            Program::Python => {
                let mut command = Command::new(&self.python);
                command.arg(&self.script);
                command
            }
            _ => Command::new(&self.crates),
        };
        command.args(arguments).arg(&sets.path).arg(pairs).args([&seed, THREADS]);
        command
    }

    /// How many pairs there are, or those of a sample of the documents; and a grade of each file.
    fn grade(&self, sets: &Sets, files: &[PathBuf]) -> Result<(u64, Vec<Value>)> {
        eprintln!("{}: finding the true pairs", sets.name);
        let mut command = Command::new(&self.ours);
        command.arg("grade").arg(&sets.path).args(["--threshold", THRESHOLD]);
        if sets.documents > EXACT {
            command.args(["--sample", SAMPLE]);
        }
        let graded = json_of(&run::output(command.args(files))?)?;
        let grades = graded["grades"].as_array().context("no grades")?.clone();
        Ok((graded["true_pairs"].as_u64().context("no number of true pairs")?, grades))
    }
}

fn libraries(repo: &Repo) -> Result<Vec<Library>> {
    let lock = repo.path("tests/peers/Cargo.lock");
    let rust =
        |package: &str| anyhow::Ok(format!("{package} {}", tools::version_in(&lock, package)?));
    let path = repo.path("tests/peers/requirements.txt");
    let requirements =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let python = |package: &str| {
        let mut lines = requirements.lines().filter_map(|line| line.split_once("=="));
        let found = lines.find(|(name, _)| *name == package);
        let (_, version) = found.with_context(|| format!("no version of {package}"))?;
        anyhow::Ok(format!("{package} {version}"))
    };
    let [k, l] = TABLES;
    let library = |name, program, arguments: &[&'static str], note| Library {
        name,
        program,
        arguments: arguments.to_vec(),
        most: u64::MAX,
        note,
    };
    Ok(vec![
        library(
            format!("pagekin, {l} tables of {k}, filtered"),
            Program::Ours,
            &["filtered", "--k", k, "--l", l],
            "",
        ),
        library(
            format!("pagekin, {l} tables of {k}, verified"),
            Program::Ours,
            &["verified", "--k", k, "--l", l],
            "",
        ),
        library("pagekin, its own tables, verified".to_owned(), Program::Ours, &["verified"], ""),
        library(
            python("rensa")?,
            Program::Python,
            &["rensa"],
            "tables on one thread, no filter (its estimate is asked for each candidate)",
        ),
        library(
            python("FastSketchLSH")?,
            Program::Python,
            &["fastsketchlsh"],
            "64 values, 16 bands; no filter (ours in numpy, two threads)",
        ),
        library(rust("gaoya")?, Program::Crates, &["gaoya"], ""),
        library(
            rust("minhash-rs")?,
            Program::Crates,
            &["minhash-rs"],
            "no filter (its estimate is asked for each candidate)",
        ),
        Library {
            most: SLOW,
            ..library(python("datasketch")?, Program::Python, &["datasketch"], "one thread")
        },
    ])
}

/// Runs a command to its end; answers what it printed and the most memory it had.
fn measured(command: &mut Command, folder: &Path) -> Result<(String, u64)> {
    let (printed, errors) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&printed)?).stderr(File::create(&errors)?);
    let mut child =
        command.spawn().with_context(|| format!("cannot start `{}`", run::line(command)))?;
    let end = child.wait4()?;
    if !end.status.success() {
        bail!(
            "`{}` failed ({}): {}",
            run::line(command),
            end.status,
            fs::read_to_string(&errors).unwrap_or_default()
        );
    }
    Ok((fs::read_to_string(&printed)?, end.rusage.maxrss))
}

fn json_of(printed: &str) -> Result<Value> {
    serde_json::from_str(printed).with_context(|| format!("expected JSON, found {printed:?}"))
}

fn seconds(result: &Value, key: &str) -> Result<f64> {
    result[key].as_f64().with_context(|| format!("no {key} in {result}"))
}

impl Run {
    fn total(&self) -> f64 {
        self.signing + self.pairing
    }
}

impl Measured {
    /// Times and memory are medians, recall and precision means: they differ from seed to seed.
    fn table(&self) -> String {
        let Sets { name, documents, tokens, .. } = &self.sets;
        let pairs = if *documents > EXACT {
            format!("recall of the {} pairs of {SAMPLE} of them", self.true_pairs)
        } else {
            format!("{} pairs", self.true_pairs)
        };
        let mut lines = vec![
            format!(
                "{name}: {documents} sets, {:.0} tokens each, {pairs}; runs: {}",
                *tokens as f64 / *documents as f64,
                self.runs
            ),
            String::new(),
            "| library | signatures s | pairs s | total s | of the fastest peer's | memory MB | recall | precision | |"
                .to_owned(),
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |".to_owned(),
        ];
        let median_of =
            |runs: &[Run], value: fn(&Run) -> f64| median(runs.iter().map(value).collect());
        let mean_of = |runs: &[Run], value: fn(&Run) -> f64| {
            runs.iter().map(value).sum::<f64>() / runs.len() as f64
        };
        let peers = self.libraries.iter().filter(|(_, is_ours, ..)| !is_ours);
        let fastest =
            peers.map(|(.., runs)| median_of(runs, Run::total)).fold(f64::INFINITY, f64::min);
        for (name, is_ours, note, runs) in &self.libraries {
            let total = median_of(runs, Run::total);
            let times = if *is_ours {
                format!("{} faster", ratio(fastest / total))
            } else {
                ratio(total / fastest)
            };
            lines.push(format!(
                "| {name} | {:.3} | {:.3} | {total:.3} | {times} | {:.0} | {:.3} | {:.3} | {note} |",
                median_of(runs, |run| run.signing),
                median_of(runs, |run| run.pairing),
                median_of(runs, |run| run.bytes as f64 / 1e6),
                mean_of(runs, |run| run.recall),
                mean_of(runs, |run| run.precision),
            ));
        }
        lines.join("\n")
    }
}
