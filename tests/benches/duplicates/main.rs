//! Alg. B, Alg. C and their combination compared with the default rule and the exact truth: section
//! 3 of Henzinger (2007), repeated.
//!
//! `cargo xtask bench duplicates SITE_DIR…` finds the near-duplicates in folders of HTML with each
//! [`Rule`]. Several folders form one collection of several sites. For each rule, it prints the
//! number of pairs, on the same and on different sites, how many of them are right according to
//! [`pagekin_tests::near::judging`], the recall, and the cost. Pages with the same words count as
//! one text, recognized before any comparison, and pairs are pairs of texts: the paper's 1.6
//! billion pages were distinct too.
//!
//! As in the paper, Alg. C is also reported with the threshold at which it finds as many right
//! pairs as Alg. B. As it finds no pairs below its own threshold, only higher ones are tried.
//!
//! The same pages are also indexed, for comparison with the reading time of a build, and the
//! default rule also runs with this index. `--plot FILE` draws how many pages have how many
//! near-duplicates ([`pagekin_tests::near::spreading`]), as SVG. `--numbers` measures only
//! [`numbers`].

mod numbers;
mod plot;
mod report;
mod sites;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use clap::Parser;
use pagekin_core::near::projection::ProjectionParams;
use pagekin_duplicates as duplicates;
use pagekin_duplicates::{
    Algorithm, COMBINED_BITS, DuplicateOptions, Duplicates, PagePair, PairKind,
};
use pagekin_pages::Silent;
use pagekin_tests::measuring::{Failure, On};
use pagekin_tests::near::judging::{RIGHT, Tally, Verdict, verdict};
use pagekin_tests::near::spreading::{Line, frequencies};
use pagekin_tests::near::standing::Sites;
use report::{Filtered, Found, Report};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// Working folder
    #[arg(long, hide = true)]
    folder: PathBuf,
    /// Draw the numbers of near-duplicates into this file
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Only compare the results with all pairs that are similar when numbers count as words, also
    /// on generated sites of offers and releases
    #[arg(long)]
    numbers: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// An algorithm, and the minimum resemblance of its pairs. The paper's algorithms are judged
/// unfiltered.
struct Rule {
    name: &'static str,
    algorithm: Algorithm,
    min: f64,
}

const RULES: [Rule; 6] = [
    Rule { name: "exact", algorithm: Algorithm::Exact, min: RIGHT },
    Rule { name: "B", algorithm: Algorithm::B, min: 0.0 },
    Rule { name: "C", algorithm: Algorithm::C, min: 0.0 },
    Rule { name: "combined", algorithm: Algorithm::Combined, min: 0.0 },
    Rule { name: "shingles", algorithm: Algorithm::Shingles, min: RIGHT },
    Rule { name: "copies", algorithm: Algorithm::Copies, min: RIGHT },
];

/// Minimum numbers of equal bits of the projection sketches to try for B-similar pairs in the
/// combination.
const COMBINED: [u32; 5] = [0, 340, COMBINED_BITS, 364, 372];

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    fs::create_dir_all(&arguments.folder)?;
    let place = tempfile::tempdir_in(&arguments.folder)?;
    let sites = match arguments.on.generated {
        Some(pages) => vec![sites::generate(pages, &place.path().join("generated"))?],
        None => arguments.on.sites.clone(),
    };
    if arguments.numbers {
        print!("{}", numbers::table(&sites, place.path())?);
        return Ok(());
    }
    let mut report = Report::default();
    let mut spread = Vec::new();
    for Rule { name, algorithm, min } in RULES {
        let one = sites.first().cloned().unwrap_or_default();
        let options = DuplicateOptions::new(one).with(|options| {
            options.sites = sites.clone();
            options.algorithm = algorithm;
            // The algorithms are compared on the same texts as in earlier tables.
            options.keep_repeated = true;
            options.min = min;
        });
        let found = duplicates::find(&options, &Silent)?;
        if algorithm == Algorithm::Exact {
            report.pages = found.pages.len() as u64;
            report.html_files = found.html_files;
            report.texts = found.texts;
            report.copies = of_kind(&found, PairKind::Copy);
            report.right = near(&found).count() as u64;
        }
        let frequencies = frequencies(&found.pairs);
        let line = Line::through(&frequencies);
        report.rules.push(summarize(name, &found, &frequencies, line));
        match algorithm {
            Algorithm::B => report.combined = filtered(&found, COMBINED),
            // Only C has further thresholds: take the one at which its number of right pairs is
            // closest to B's.
            Algorithm::C => {
                let of_b = report.rules.iter().find(|rule| rule.name == "B");
                let right = of_b.map_or(0, |rule| rule.all.right);
                let ProjectionParams { bits, agreeing, .. } = ProjectionParams::default();
                let tried = filtered(&found, agreeing..=bits);
                report.c_like_b = tried.into_iter().min_by_key(|c| c.found.right.abs_diff(right));
            }
            _ => {}
        }
        spread.push((name, frequencies, line));
    }
    let built = sites::build(&sites, place.path())?;
    report.build = built.build;
    let by_index = DuplicateOptions::new(built.index).with(|options| {
        options.pages = Some(built.site);
        options.keep_repeated = true;
    });
    let found = duplicates::find(&by_index, &Silent)?;
    report.read_by_index = found.pages.len() as u64;
    let frequencies = frequencies(&found.pairs);
    let line = Line::through(&frequencies);
    report.rules.push(summarize("copies, using the index", &found, &frequencies, line));
    if let Some(file) = &arguments.plot {
        plot::draw(file, &spread)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table()?);
    }
    Ok(())
}

/// Returns the near-duplicates with different texts.
fn near(found: &Duplicates) -> impl Iterator<Item = &PagePair> {
    // Numbers are words: pages that differ in a few of them are near-duplicates.
    found.pairs.iter().filter(|pair| match pair.kind {
        PairKind::NearDuplicate => true,
        PairKind::SameButNumbers => pair.shared.resemblance() >= RIGHT,
        PairKind::Copy | PairKind::Passages => false,
    })
}

/// Counts the pairs of a kind.
fn of_kind(found: &Duplicates, kind: PairKind) -> u64 {
    found.pairs.iter().filter(|pair| pair.kind == kind).count() as u64
}

/// Summarizes the results of a rule.
fn summarize(
    name: &'static str,
    found: &Duplicates,
    frequencies: &BTreeMap<u64, u64>,
    line: Option<Line>,
) -> Found {
    let sites = Sites::new(&found.pages, &found.pairs);
    let (mut all, mut same_site, mut other_site) =
        (Tally::default(), Tally::default(), Tally::default());
    for pair in near(found) {
        all.add(&pair.shared);
        let of = if sites.same(pair) { &mut same_site } else { &mut other_site };
        of.add(&pair.shared);
    }
    Found {
        name,
        all,
        same_site,
        other_site,
        passages: of_kind(found, PairKind::Passages),
        groups: found.groups.len() as u64,
        compared: found.compared,
        not_compared: found.not_compared,
        reading: found.seconds.reading,
        sketching: found.seconds.sketching,
        pairing: found.seconds.pairing,
        comparing: found.seconds.comparing,
        with_near: frequencies.values().sum(),
        most_near: frequencies.keys().copied().last().unwrap_or_default(),
        line,
        frequencies: frequencies.clone(),
    }
}

/// Keeps the pairs that agree in at least each threshold of bits.
fn filtered(found: &Duplicates, thresholds: impl IntoIterator<Item = u32>) -> Vec<Filtered> {
    let all = near(found).filter(|pair| verdict(&pair.shared) == Verdict::Right).count() as u64;
    let of = |bits| {
        let mut tally = Tally::default();
        let pairs = near(found)
            .filter(|pair| pair.similarities.is_some_and(|similarities| similarities.c >= bits));
        pairs.for_each(|pair| tally.add(&pair.shared));
        Filtered { bits, found: tally, kept: tally.right as f64 / all.max(1) as f64 }
    };
    thresholds.into_iter().map(of).collect()
}
