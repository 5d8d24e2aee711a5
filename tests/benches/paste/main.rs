//! Whether the page of what a visitor pastes comes first: the real lookup through the real shards
//! of an index, beside BM25 over the whole text of the same pages, by the same terms.
//!
//! `cargo xtask bench paste SITE_DIR…` runs it on sites, each by itself, `cargo xtask bench paste
//! --generated N` on N pages that [`pagekin_tests::collection`] makes up; all text of a site is
//! held in memory. It pastes passages of five lengths, whole and with 40 % of the words taken out,
//! drawn by a fixed seed; right are the pages that the whole passage stands on, as
//! [`pagekin_tests::measuring::passages`] finds them. Of a site for which `tests/queries` has
//! queries, these are asked too.
//!
//! Each text is asked with nothing at hand but the opened index, in no stated language, as by a
//! visitor who pastes it.

mod report;
mod whole_text;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Parser;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::terms::{Analyzer, Language, TextTerm, Words};
use pagekin_core::{QueryError, RankedBy, SearchResult, address};
use pagekin_index::{BuildOptions, Layout};
use pagekin_tests::measuring::asking::{self, Asked, By, Shards};
use pagekin_tests::measuring::pages::Pages;
use pagekin_tests::measuring::passages::{LENGTHS, PageText, Passage, SEED, Texts, thinned};
use pagekin_tests::measuring::quality::TOP;
use pagekin_tests::measuring::queries::Query;
use pagekin_tests::measuring::{Failure, On, written};
use rayon::prelude::*;
use report::{Answered, Outcome, Report, Row, Written};
use rustc_hash::FxHashMap;
use whole_text::WholeText;

/// How many answers to a query that people wrote are listed, for people to judge.
const LISTED: usize = 5;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// How many passages of each length
    #[arg(long, default_value_t = 150)]
    passages: usize,
    /// Put the shards into packs, which are read by ranges of bytes
    #[arg(long)]
    packs: bool,
    /// What pages are found by
    #[arg(long, default_value = "best")]
    by: By,
    /// Write LSH tables, whatever the number of pages
    #[arg(long)]
    tables: bool,
    /// Where to keep the index; one that is there is taken as it is
    #[arg(long)]
    index: Option<PathBuf>,
    /// The file of queries to ask, instead of those in `tests/queries` that fit
    #[arg(long)]
    queries: Option<PathBuf>,
    /// A file of terms to give the pages, as `pagekin build --terms` takes it
    #[arg(long)]
    terms: Option<PathBuf>,
    /// List the queries whose page is not among the first three; JSON lists what both answer to all
    #[arg(long)]
    misses: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    if arguments.index.is_some() && arguments.on.sites.len() > 1 {
        return Err("--index is of one site: expected one SITE_DIR with it".into());
    }
    let mut reports = Vec::new();
    if let Some(pages) = arguments.on.generated {
        let name = "generated".to_owned();
        reports.push(measure(name, &Pages::generated(pages), &arguments)?);
    }
    for site in &arguments.on.sites {
        reports.push(measure(short_name(site), &Pages::Site(site.clone()), &arguments)?);
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
        return Ok(());
    }
    for report in reports {
        print!("{}", report.tables(arguments.misses)?);
    }
    Ok(())
}

/// The last two parts of a path: sites are often in folders called `html` or `public`.
fn short_name(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn measure(name: String, pages: &Pages, arguments: &Arguments) -> Result<Report, Failure> {
    let say = |what: &str| eprintln!("{name}: {what}");
    let place = tempfile::tempdir()?;
    let folder = arguments.index.clone().unwrap_or_else(|| place.path().join("index"));
    if !folder.join(MANIFEST_NAME).is_file() {
        say("built");
        let layout = if arguments.packs { Layout::Packs } else { Layout::Files };
        let tables = arguments.tables.then_some(true);
        pages.build(&BuildOptions::new("", &folder).with(|options| {
            options.layout = layout;
            options.tables = tables;
            options.terms.clone_from(&arguments.terms);
        }))?;
    }
    say("read");
    let texts = Texts::from_index(pages, &folder)?;
    let mut engines = Engines::new(&texts, &folder, arguments.by)?;
    let (mut whole, mut thin) = (Vec::new(), Vec::new());
    for (number, words) in (0..).zip(LENGTHS) {
        say(&format!("passages of {} words", name_of(&words)));
        let passages = texts.draw(arguments.passages, &words, SEED + number);
        whole.push(engines.ask_all(&passages, str::to_owned)?);
        let mut random = SplitMix64::new(SEED + number);
        thin.push(engines.ask_all(&passages, |text| thinned(text, &mut random))?);
    }
    let mut rows = Vec::new();
    for (outcomes, suffix, all) in
        [(&whole, "", "all whole"), (&thin, ", 40 % out", "all with 40 % out")]
    {
        for (words, outcomes) in LENGTHS.iter().zip(outcomes) {
            let outcomes: Vec<_> = outcomes.iter().collect();
            rows.push(Row::from_outcomes(format!("{}{suffix}", name_of(words)), &outcomes));
        }
        rows.push(Row::from_outcomes(all, &outcomes.iter().flatten().collect::<Vec<_>>()));
    }
    let all: Vec<_> = whole.iter().chain(&thin).flatten().collect();
    let parts = asking::parts(&folder)?;
    Ok(Report {
        name,
        pages: texts.pages.len() as u64,
        index_files: parts.values().map(|(files, _)| files).sum(),
        index_bytes: parts.values().map(|(_, bytes)| bytes).sum(),
        passages: rows,
        bytes_by_kind: report::by_kind(&all, |(bytes, _)| *bytes),
        requests_by_kind: report::by_kind(&all, |(_, requests)| *requests),
        written: engines.ask_written(arguments.queries.as_deref())?,
    })
}

fn name_of(words: &RangeInclusive<usize>) -> String {
    match (words.start(), words.end()) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}-{end}"),
    }
}

/// What is asked.
struct Engines {
    shards: Shards,
    by: By,
    whole_text: WholeText,
    /// Of the pages, in their order.
    addresses: Vec<String>,
    /// The pages by their addresses.
    pages: FxHashMap<String, usize>,
}

impl Engines {
    fn new(texts: &Texts, folder: &Path, by: By) -> Result<Self, Failure> {
        let shards = Shards::open(folder)?;
        let manifest = shards.index.manifest();
        let terms = |page: &PageText| {
            let language = Language::from_tag(&page.lang).unwrap_or_else(Language::english);
            Analyzer::new(&language, &manifest.stop).counts(&Words::new(&page.text), manifest.texts)
        };
        let terms: Vec<Vec<TextTerm>> = texts.pages.par_iter().map(terms).collect();
        let addresses: Vec<_> = texts.pages.iter().map(|page| page.url.clone()).collect();
        let pages = addresses.iter().cloned().zip(0..).collect();
        Ok(Self { shards, by, whole_text: WholeText::new(&terms), addresses, pages })
    }

    /// Asks for each passage, after `change`.
    fn ask_all(
        &mut self,
        passages: &[Passage],
        mut change: impl FnMut(&str) -> String,
    ) -> Result<Vec<Outcome>, Failure> {
        let mut ask = |passage: &Passage| self.ask(change(&passage.text), &passage.holders);
        passages.iter().map(&mut ask).collect()
    }

    /// Asks for a text to which some pages are right.
    fn ask(&mut self, text: String, right: &[usize]) -> Result<Outcome, Failure> {
        let best = self.whole_text.best(&self.terms(&text), TOP);
        let query = Query { title: String::new(), lang: String::new(), text, page_terms: 0 };
        let options = self.by.options(TOP);
        let asked = match self.shards.ask(&query, options) {
            Ok(asked) => asked,
            Err(error) if is_empty_query(&error) => Asked::default(),
            Err(error) => return Err(error),
        };
        let Asked { answer, reads, rounds, .. } = asked;
        let is_right = |url: &String| self.pages.get(url).is_some_and(|page| right.contains(page));
        let is_right = |kin: &SearchResult| is_right(&kin.url) || kin.copies.iter().any(is_right);
        let hits = |list: &[SearchResult]| list.iter().map(is_right).collect();
        Ok(Outcome {
            whole_text: best.iter().map(|page| right.contains(page)).collect(),
            whole_text_first: best
                .iter()
                .take(LISTED)
                .map(|&page| self.addresses[page].clone())
                .collect(),
            index: hits(&answer.results),
            by_found: hits(answer.by(RankedBy::Coverage)),
            has_both: !answer.other_results.is_empty(),
            right: right.len(),
            first: answer.results.into_iter().take(LISTED).map(|kin| kin.url).collect(),
            reads,
            rounds,
        })
    }

    /// The terms of a text, in the language that a lookup takes it for.
    fn terms(&self, text: &str) -> Vec<TextTerm> {
        let manifest = self.shards.index.manifest();
        let languages = || manifest.languages.iter().map(|(language, _)| language);
        let words = Words::new(text);
        let guessed = manifest.stop.guess(&words, languages()).or_else(|| languages().next());
        let language = guessed.cloned().unwrap_or_else(Language::english);
        Analyzer::new(&language, &manifest.stop).counts(&words, manifest.texts)
    }

    /// Asks what people wrote.
    fn ask_written(&mut self, file: Option<&Path>) -> Result<Option<Written>, Failure> {
        let has = |page: &str| self.pages.contains_key(&address_of(page));
        let Some((name, queries)) = written::queries(file, has)? else { return Ok(None) };
        let mut outcomes = Vec::new();
        for query in &queries {
            let wanted = query.wanted.iter().map(|page| self.pages[&address_of(page)]);
            let wanted: Vec<usize> = wanted.collect();
            outcomes.push(self.ask(query.query.clone(), &wanted)?);
        }
        let mut kinds: Vec<&str> = Vec::new();
        for query in &queries {
            if !kinds.contains(&&*query.kind) {
                kinds.push(&query.kind);
            }
        }
        let both = || queries.iter().zip(&outcomes);
        let of_kind = |kind| both().filter(move |(query, _)| query.kind == kind);
        let mut rows: Vec<Row> = kinds
            .into_iter()
            .map(|kind| {
                Row::from_outcomes(
                    kind,
                    &of_kind(kind).map(|(_, outcome)| outcome).collect::<Vec<_>>(),
                )
            })
            .collect();
        rows.push(Row::from_outcomes("all", &outcomes.iter().collect::<Vec<_>>()));
        let answered = both().map(|(query, outcome)| Answered {
            query: query.query.clone(),
            kind: query.kind.clone(),
            wanted: query.wanted.clone(),
            first: outcome.first.clone(),
            whole_text: outcome.whole_text_first.clone(),
            place: outcome.index.iter().position(|&is_right| is_right),
        });
        let answered = answered.collect();
        Ok(Some(Written { name, rows, answered }))
    }
}

/// The address of a file below the folder of a site.
fn address_of(file: &str) -> String {
    address::normal(&format!("/{file}")).to_owned()
}

/// Whether a text could not be asked for because it has no words, or none but stop words.
fn is_empty_query(error: &Failure) -> bool {
    matches!(error.downcast_ref(), Some(QueryError::EmptyQuery { .. }))
}
