//! `cargo xtask mutants`: breaks the code at random places, one at a time, and counts how many of
//! these mutants the tests of their own crate catch.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::repo::Repo;
use crate::{run, tools};

const CRATES: [&str; 6] = [
    "pagekin-core",
    "pagekin-pages",
    "pagekin-pairs",
    "pagekin-crawl",
    "pagekin-index",
    "pagekin-duplicates",
];
/// Parts of the names of mutants in code that other crates test: entries for the fuzz targets, and
/// texts.
const EXCLUDED: [&str; 2] = ["/fuzzing.rs:", "Display for"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only use mutants with one of these in their names, such as excerpt.rs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Seed of the sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of mutants
    #[arg(long, default_value_t = 300)]
    sample: usize,
}

/// One change of the code. Its name is `FILE:LINE:COLUMN: CHANGE`.
#[derive(Deserialize)]
struct Mutant {
    name: String,
    file: String,
    package: String,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let program = tools::cargo_mutants(repo)?;
    let listed = run::output(mutants(repo, &program).args(["--list", "--json"]))?;
    let sample = sample(serde_json::from_str(&listed)?, arguments);
    if sample.is_empty() {
        bail!("no mutant has such a name. Use a part of a path, such as excerpt.rs");
    }
    let out = repo.emptied("mutants/out")?;
    let mut command = mutants(repo, &program);
    command.args(["--all-features", "--test-workspace=false", "--timeout=120", "--output"]);
    // The program only filters some kinds of mutants by their files.
    let files: BTreeSet<_> = sample.iter().map(|mutant| &mutant.file).collect();
    command.arg(&out).args(files.into_iter().flat_map(|file| ["--file", file]));
    let exactly = |mutant: &Mutant| format!("--re=^{}$", regex::escape(&mutant.name));
    command.args(sample.iter().map(exactly)).args(["--", "--lib"]);
    // The mutated copies are temporary. This folder keeps their dependencies.
    command.env("CARGO_TARGET_DIR", repo.target("mutants/build"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    // The failing input of one mutant must not help to catch the next.
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1").env("PROPTEST_MAX_SHRINK_ITERS", "0");
    let status = command.status()?;
    // 2 and 3: mutants were missed, or ran out of time.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("`cargo mutants` failed ({status}): {}", out.display());
    }
    report(&sample, &out.join("mutants.out/outcomes.json"))
}

fn mutants(repo: &Repo, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("mutants").current_dir(repo.path(""));
    command.args(CRATES.iter().flat_map(|package| ["--package", package]));
    command
}

/// The mutants whose hashes with the seed are the smallest. Line numbers are not hashed, so a
/// sample changes little with the code around it.
fn sample(all: Vec<Mutant>, arguments: &Arguments) -> Vec<Mutant> {
    let mut met = BTreeMap::<String, usize>::new();
    let mut ranked = Vec::new();
    for mutant in all {
        let change = mutant.name.split_once(": ").map_or("", |(_, change)| change);
        let key = format!("{}: {change}", mutant.file);
        let nth = met.entry(key.clone()).or_default();
        let hash = Sha256::digest(format!("{} {key} {nth}", arguments.seed));
        *nth += 1;
        let is_named = |name: &String| mutant.name.contains(&**name);
        if (arguments.names.is_empty() || arguments.names.iter().any(is_named))
            && !EXCLUDED.iter().any(|part| mutant.name.contains(part))
        {
            ranked.push((hash.to_vec(), mutant));
        }
    }
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    ranked.into_iter().map(|(_, mutant)| mutant).take(arguments.sample).collect()
}

/// Prints how many mutants of each crate were caught. Mutants that do not compile do not count, and
/// those that run out of time are caught.
fn report(sample: &[Mutant], outcomes: &Path) -> Result<()> {
    let text = fs::read(outcomes).with_context(|| format!("cannot read {}", outcomes.display()))?;
    let outcomes: Value = serde_json::from_slice(&text)?;
    let outcomes = outcomes["outcomes"].as_array().context("cargo-mutants lists no outcomes")?;
    let of_mutant: BTreeMap<_, _> = outcomes
        .iter()
        .filter_map(|one| Some((one["scenario"]["Mutant"]["name"].as_str()?, &one["summary"])))
        .collect();
    println!("| crate | mutants | caught | % |\n| --- | ---: | ---: | ---: |");
    for package in CRATES.iter().map(Some).chain([None]) {
        let of_package = |mutant: &&Mutant| package.is_none_or(|name| mutant.package == **name);
        let ends = sample.iter().filter(of_package).map(|mutant| of_mutant.get(&*mutant.name));
        let ends: Vec<_> = ends.flatten().filter_map(|end| end.as_str()).collect();
        let count = |wanted: &[&str]| ends.iter().filter(|end| wanted.contains(*end)).count();
        let (caught, missed) = (count(&["CaughtMutant", "Timeout"]), count(&["MissedMutant"]));
        let percent = 100.0 * caught as f64 / (caught + missed).max(1) as f64;
        println!(
            "| {} | {} | {caught} | {percent:.0} |",
            package.unwrap_or(&"all"),
            caught + missed
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(lines: u32, seed: u64, sample: usize, names: &[&str]) -> Vec<String> {
        let mutant = |at: u32| Mutant {
            name: format!("a{}.rs:{}:5: replace + with - in f{}", at % 7, at + lines, at / 14),
            file: format!("a{}.rs", at % 7),
            package: "pagekin-core".to_owned(),
        };
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let arguments = Arguments { names, seed, sample };
        let drawn = super::sample((0..100).map(mutant).collect(), &arguments);
        let line = |mutant: Mutant| {
            let line = mutant.name.split(':').nth(1).unwrap().parse::<u32>().unwrap() - lines;
            format!("{} {line}", mutant.file)
        };
        drawn.into_iter().map(line).collect()
    }

    #[test]
    fn a_sample_depends_on_the_seed_but_not_on_line_numbers() {
        let ten = drawn(1, 1, 10, &[]);
        assert_eq!(ten.len(), 10);
        assert_eq!(ten, drawn(500, 1, 10, &[]));
        assert_eq!(ten, drawn(1, 1, 30, &[])[..10]);
        assert_ne!(ten, drawn(1, 2, 10, &[]));
        let named = drawn(1, 1, 100, &["a3.rs", "a4.rs"]);
        assert!(named.len() < 40 && named.iter().all(|one| one.starts_with(['a'])));
        assert_eq!(drawn(1, 1, 100, &["a"]).len(), 100);
    }
}
