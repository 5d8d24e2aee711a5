//! Which constants of ranking find most: each is varied, over what sites hold themselves and what
//! people asked.
//!
//! `cargo xtask bench constants SITE_DIR… [--check SITE_DIR]…` ranks all pages of each site by what
//! an index would have of them, without lists and blocks, so that only the score counts; see
//! [`drawing`] for what is asked. The *best* set is found one constant at a time, from those that
//! are compiled in: a value is taken if more of what sites hold is found, and not less of what
//! people wrote; and if at most .005 fewer passages have their page in the first place. Sites of
//! `--check` take no part in that.

mod collection;
mod constants;
mod drawing;
mod outcome;

use std::path::PathBuf;

use clap::Parser;
use constants::{AXES, Constants};
use drawing::{Kind, Site};
use outcome::{Difference, OWN, Outcome};
use pagekin_tests::measuring::Failure;

/// The passages that may be lost from the first place.
const LOST: f64 = 0.005;

#[derive(Parser)]
struct Arguments {
    /// The folders of HTML pages by which constants are chosen
    #[arg(required = true, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
    /// A folder on which those that were chosen are only compared with those compiled in
    #[arg(long, value_name = "SITE_DIR")]
    check: Vec<PathBuf>,
    /// The most queries of each kind of a site
    #[arg(long, default_value_t = 150)]
    queries: usize,
    /// How often all constants are gone through
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let sites = read(&arguments.sites, arguments.queries)?;
    let present = Constants::present();
    let of_present = Outcome::new(&sites, &present);
    println!("## Each constant by itself\n");
    counts(&of_present, sites.len());
    table_head();
    for axis in &AXES {
        for value in axis.tried(&present) {
            let outcome = Outcome::new(&sites, &axis.with(&present, value));
            let mark = if value == axis.value(&present) { " *" } else { "" };
            row(&format!("{} {value}{mark}", axis.name), &outcome, &of_present);
        }
    }
    let best = search(&sites, &present, &of_present, arguments.rounds);
    println!("\n## The best set\n");
    for axis in &AXES {
        println!("- {}: {} (compiled in: {})", axis.name, axis.value(&best), axis.value(&present));
    }
    println!();
    table_head();
    row("compiled in", &of_present, &of_present);
    row("best", &Outcome::new(&sites, &best), &of_present);
    if !arguments.check.is_empty() {
        let sites = read(&arguments.check, arguments.queries)?;
        let of_present = Outcome::new(&sites, &present);
        println!("\n## On sites that took no part\n");
        counts(&of_present, sites.len());
        table_head();
        row("compiled in", &of_present, &of_present);
        row("best", &Outcome::new(&sites, &best), &of_present);
    }
    Ok(())
}

fn read(folders: &[PathBuf], most: usize) -> Result<Vec<Site>, Failure> {
    let read = |folder: &PathBuf| {
        eprintln!("{}", folder.display());
        Site::open(folder, most).map_err(|error| format!("{}: {error}", folder.display()).into())
    };
    folders.iter().map(read).collect()
}

/// The constants by which most is found, one changed at a time.
fn search(sites: &[Site], present: &Constants, of_present: &Outcome, rounds: usize) -> Constants {
    let first = |outcome: &Outcome| outcome.found(&[Kind::Passages]).top[0];
    let [own, written] =
        [&OWN[..], &[Kind::Written]].map(|kinds| move |outcome: &Outcome| outcome.found(kinds).mrr);
    let least = first(of_present) - LOST;
    let (mut best, mut of_best) = (*present, Outcome::new(sites, present));
    for _ in 0..rounds {
        let before = best;
        for axis in &AXES {
            for value in axis.tried(&best) {
                let tried = axis.with(&best, value);
                let outcome = Outcome::new(sites, &tried);
                if own(&outcome) > own(&of_best)
                    && written(&outcome) >= written(&of_best)
                    && first(&outcome) >= least
                {
                    (best, of_best) = (tried, outcome);
                }
            }
        }
        if best == before {
            break;
        }
    }
    best
}

fn counts(outcome: &Outcome, sites: usize) {
    let [headings, questions, links, passages, written] =
        [Kind::Headings, Kind::Questions, Kind::Links, Kind::Passages, Kind::Written]
            .map(|kind| outcome.count(kind));
    println!(
        "{sites} sites: {headings} headings, {questions} questions, {links} links; {written} \
         written queries; {passages} passages.\n"
    );
}

fn table_head() {
    println!(
        "| | own: top 1, 3, 10 | MRR | gain, 95 % | headings, questions, links | written: top 1, 3, 10 | MRR | gain, 95 % | passages: top 1 |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
}

fn row(name: &str, outcome: &Outcome, over: &Outcome) {
    let of = |kinds: &[Kind]| {
        let found = outcome.found(kinds);
        let [first, three, ten] = found.top;
        let Difference { mean, low, high } = outcome.gain(over, kinds);
        format!(
            "{first:.3} {three:.3} {ten:.3} | {:.3} | {mean:+.4}, {low:+.4} to {high:+.4}",
            found.mrr
        )
    };
    let [headings, questions, links] = OWN.map(|kind| outcome.found(&[kind]).mrr);
    let passages = outcome.found(&[Kind::Passages]).top[0];
    println!(
        "| {name} | {} | {headings:.3} {questions:.3} {links:.3} | {} | {passages:.3} |",
        of(&OWN),
        of(&[Kind::Written])
    );
}
