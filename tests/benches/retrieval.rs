//! What a lookup finds, and what it costs: the real lookup through the real shards of an index, against the
//! exact truth by brute force.
//!
//! `cargo xtask bench retrieval SITE_DIR…` runs it. Queries are pages of the site, drawn by a fixed seed, with a
//! random 30 % of their distinct terms taken out of their text; so no query is a page of the index. The truth of a
//! query is the bag Jaccard with every page of the index. A query has *true kin* if its tenth best page, or its best
//! if asked for that, has a similarity of at least 0.2; quality is told for those.
//!
//! *Tie-aware recall@10*: of the 10 answers, the part whose exact similarity is at least that of the true tenth best
//! less 0.005. *Best first*: the first answer is as similar as the true best, less 0.005.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pagekin_build::folder::Folder;
use pagekin_build::html::read_html;
use pagekin_build::{Assets, BuildOptions, Silent};
use pagekin_core::bag::Bag;
use pagekin_core::hash::SplitMix64;
use pagekin_core::lookup::bag_of_text;
use pagekin_core::shard::PageRecord;
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::{Analyzer, Language, for_each_word};
use pagekin_core::{Cost, LookupOptions};
use rayon::prelude::*;
use serde::Serialize;

const SEED: u64 = 1;
const QUERIES: usize = 500;
/// Part of the distinct terms of a page that a query lacks, in per cent.
const REMOVED: u32 = 30;
const TOP: usize = 10;
const TOLERANCE: f64 = 0.005;
const TRUE_KIN: f64 = 0.2;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut json = false;
    let mut sites = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => json = true,
            // Cargo says so to every bench.
            "--bench" => {}
            _ => sites.push(PathBuf::from(argument)),
        }
    }
    if sites.is_empty() {
        return Err("expected the folders of sites".into());
    }
    let place = tempfile::tempdir()?;
    let site = together(&sites, place.path())?;
    let output = place.path().join("index");
    let summary =
        pagekin_build::build(&BuildOptions::new(&site, &output), &Assets::default(), &Silent)?;
    let mut folder = Folder::open(&output)?;
    let records = folder.records()?;
    let queries = queries(&folder, &records, &site)?;
    let report = measure(&mut folder, &records, &queries, &summary)?;
    if json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table());
    }
    Ok(())
}

/// One site as it is, several as the folders of one.
fn together(sites: &[PathBuf], place: &Path) -> Result<PathBuf, Failure> {
    if let [site] = sites {
        return Ok(site.clone());
    }
    let all = place.join("sites");
    std::fs::create_dir(&all)?;
    for (number, site) in sites.iter().enumerate() {
        let name = site.file_name().unwrap_or_default().to_string_lossy();
        let link = all.join(format!("{number}-{name}"));
        std::os::unix::fs::symlink(std::fs::canonicalize(site)?, link)?;
    }
    Ok(all)
}

struct Query {
    text: String,
    lang: String,
}

/// Texts of random pages without some of their terms.
fn queries(folder: &Folder, records: &[PageRecord], site: &Path) -> Result<Vec<Query>, Failure> {
    let mut random = SplitMix64::new(SEED);
    let Some(stop) = folder.index().stop_lists() else { return Err("the index is open".into()) };
    let mut queries = Vec::new();
    let mut drawn = BTreeSet::new();
    while queries.len() < QUERIES && drawn.len() < records.len() {
        let page = random.below(records.len() as u32);
        if !drawn.insert(page) {
            continue;
        }
        let page = read_html(&std::fs::read(file_of(site, &records[page as usize].url)?)?).page;
        let language = Language::from_tag(&page.lang).unwrap_or_else(Language::english);
        let analyzer = Analyzer::new(&language, stop);
        let mut kept: BTreeMap<String, bool> = BTreeMap::new();
        let mut text = String::new();
        for_each_word(&page.text, |word| {
            if let Some(term) = analyzer.term(word)
                && *kept.entry(term.into_owned()).or_insert_with(|| random.below(100) >= REMOVED)
            {
                text.push_str(word);
                text.push(' ');
            }
        });
        if !text.is_empty() {
            queries.push(Query { text, lang: language.code().to_owned() });
        }
    }
    Ok(queries)
}

/// The file of a page whose address has `/` as its base.
fn file_of(site: &Path, url: &str) -> Result<PathBuf, Failure> {
    let mut bytes = Vec::new();
    let mut rest = url.trim_start_matches('/').as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?);
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    let mut path = site.join(String::from_utf8(bytes)?);
    if url.ends_with('/') {
        let folder = path.clone();
        path = folder.join("index.html");
        if !path.is_file() {
            path = folder.join("index.htm");
        }
    }
    Ok(path)
}

/// How many, at the middle, at nine tenths and at most.
#[derive(Debug, Serialize)]
struct Spread {
    median: u64,
    p90: u64,
    max: u64,
}

impl Spread {
    fn of(values: impl IntoIterator<Item = u64>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable();
        let at = |part: usize| {
            let last = values.len().saturating_sub(1);
            values.get((values.len() * part / 100).min(last)).copied().unwrap_or(0)
        };
        Self { median: at(50), p90: at(90), max: at(100) }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    pages: u64,
    terms: u64,
    build_seconds: f64,
    index_bytes: u64,
    index_files: u64,
    parts: Vec<(&'static str, u64, u64)>,
    queries: usize,
    /// Queries whose true best, and whose true tenth best, is true kin.
    with_kin: usize,
    with_ten_kin: usize,
    recall_at_10: f64,
    best_first: f64,
    first_query: Spread,
    later_bytes: Spread,
    later_requests: Spread,
    later_rounds: Spread,
}

fn measure(
    folder: &mut Folder,
    records: &[PageRecord],
    queries: &[Query],
    summary: &pagekin_build::Summary,
) -> Result<Report, Failure> {
    let options = LookupOptions { limit: TOP as u32, min: 0.0 };
    let mut answers = Vec::new();
    let opening = folder.opening_cost();
    for query in queries {
        // Nothing of an earlier, unlike query is at hand.
        folder.forget();
        answers.push(folder.similar_to_text(&query.text, &query.lang, options)?);
    }
    let index = folder.index();
    let truths: Vec<Vec<f64>> = queries
        .par_iter()
        .map(|query| {
            let bag = bag_of_text(index, &query.text, &query.lang).unwrap_or_default();
            best_similarities(&bag, records)
        })
        .collect();
    let (mut recall, mut ten, mut first, mut one) = (0.0, 0, 0, 0);
    for (truth, answer) in truths.iter().zip(&answers) {
        let found = |at: usize| answer.results.get(at).map_or(0.0, |kin| kin.similarity);
        if let Some(&tenth) = truth.get(TOP - 1)
            && tenth >= TRUE_KIN
        {
            let good = (0..TOP).filter(|&at| found(at) >= tenth - TOLERANCE).count();
            recall += good as f64 / TOP as f64;
            ten += 1;
        }
        if let Some(&best) = truth.first()
            && best >= TRUE_KIN
        {
            first += usize::from(found(0) >= best - TOLERANCE);
            one += 1;
        }
    }
    // The first answer is charged with the opening, which all others had for nothing.
    let costs: Vec<Cost> = answers
        .iter()
        .enumerate()
        .map(|(at, answer)| if at == 0 { answer.cost.less(opening) } else { answer.cost })
        .collect();
    Ok(Report {
        pages: summary.pages,
        terms: summary.terms,
        build_seconds: summary.seconds,
        index_bytes: summary.total_bytes(),
        index_files: summary.total_files(),
        parts: summary.parts.iter().map(|part| (part.name, part.files, part.bytes)).collect(),
        queries: queries.len(),
        with_kin: one,
        with_ten_kin: ten,
        recall_at_10: recall / f64::from(ten.max(1) as u32),
        best_first: first as f64 / f64::from(one.max(1) as u32),
        first_query: Spread::of(costs.iter().map(|cost| cost.bytes + opening.bytes)),
        later_bytes: Spread::of(costs.iter().map(|cost| cost.bytes)),
        later_requests: Spread::of(costs.iter().map(|cost| u64::from(cost.requests))),
        later_rounds: Spread::of(costs.iter().map(|cost| u64::from(cost.rounds))),
    })
}

fn best_similarities(bag: &Bag, records: &[PageRecord]) -> Vec<f64> {
    let mut all: Vec<f64> =
        records.iter().map(|record| Overlap::of(bag, &record.bag).jaccard()).collect();
    all.sort_unstable_by(|a, b| b.total_cmp(a));
    all.truncate(TOP);
    all
}

impl Report {
    fn table(&self) -> String {
        let spread =
            |spread: &Spread| format!("{} | {} | {}", spread.median, spread.p90, spread.max);
        let mut out = format!(
            "{} pages, {} terms, {} bytes ({} a page) in {} files, built in {:.1} s\n",
            self.pages,
            self.terms,
            self.index_bytes,
            self.index_bytes / self.pages.max(1),
            self.index_files,
            self.build_seconds,
        );
        for (name, files, bytes) in &self.parts {
            out += &format!("  {name}: {bytes} bytes in {files} files\n");
        }
        out += &format!(
            "tie-aware recall@10 {:.3} ({} queries with ten true kin), best first {:.3} ({} with one)\n\n",
            self.recall_at_10, self.with_ten_kin, self.best_first, self.with_kin,
        );
        out += &format!(
            "| {} queries | median | p90 | max |\n| --- | ---: | ---: | ---: |\n",
            self.queries
        );
        out += &format!(
            "| bytes of a first query, without the library | {} |\n",
            spread(&self.first_query)
        );
        out += &format!("| bytes of a later query | {} |\n", spread(&self.later_bytes));
        out += &format!("| its requests | {} |\n", spread(&self.later_requests));
        out += &format!("| its rounds | {} |\n", spread(&self.later_rounds));
        out
    }
}
