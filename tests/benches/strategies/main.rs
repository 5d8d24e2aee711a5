//! Three ways to find the pages like a text natively, on the same queries: the index's lookup by
//! lists of terms, LSH tables in memory, and all signatures ([`Signatures`]), whose answers are
//! those of IndexAllSimilar with ProcessQuery.
//!
//! `cargo xtask bench strategies SITE_DIR…` runs it on sites, `--generated N` on a collection of N
//! generated pages. Queries and truth are those of the bench `retrieval`.
//!
//! Of what signatures find, two orders are measured: that of their own count, and that of the exact
//! similarity of the [`COMPARED`] pages that the count puts first. The first tells what a strategy
//! knows of a page, the second whether the page was found at all. The lookup compares the pages of
//! the blocks it reads, so it has the second alone.
//!
//! A query's time begins with its text in each case, and is without reading files.

mod report;
mod tables;

use std::time::Instant;

use clap::Parser;
use pagekin_core::LookupOptions;
use pagekin_core::bag::Bag;
use pagekin_core::lookup::bag_of_text;
use pagekin_core::minhash::SignatureParams;
use pagekin_core::shard::PageRecord;
use pagekin_core::similarity::Overlap;
use pagekin_index::{BuildOptions, LocalIndex};
use pagekin_pairs::minhash::{Algorithm, Signer};
use pagekin_tests::measuring::asking::{self, Asked, By, Shards};
use pagekin_tests::measuring::pages::Pages;
use pagekin_tests::measuring::quality::{Quality, TOP};
use pagekin_tests::measuring::queries::Query;
use pagekin_tests::measuring::signatures::Signatures;
use pagekin_tests::measuring::spread::Spread;
use pagekin_tests::measuring::{Failure, On, exact};
use report::{Report, Row};
use tables::Buckets;

/// Pages that are compared exactly, of those that signatures find.
const COMPARED: usize = 100;
/// The kinds of files that a lookup by lists reads.
const READ_BY_LOOKUP: [&str; 3] = ["manifest", "lists", "pages"];

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// The positions of signatures, several times to compare them [default: as the index]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    positions: Vec<u16>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let place = tempfile::tempdir()?;
    let pages = match arguments.on.generated {
        Some(pages) => Pages::generated(pages),
        None => Pages::from_sites(&arguments.on.sites, place.path())?,
    };
    let folder = place.path().join("index");
    pages.build(&BuildOptions::new("", &folder))?;
    let records = LocalIndex::open(&folder)?.records()?;
    let mut shards = Shards::open(&folder)?;
    let queries = pages.queries(&records, &shards.index.manifest().stop)?;
    let truths = exact::best(&shards.bags(&queries)?, &records, TOP);

    let mut rows = Vec::new();
    let parts = asking::parts(&folder)?;
    let read = READ_BY_LOOKUP.iter().filter_map(|&kind| parts.get(kind));
    // The truth has each copy of a page too.
    let options = LookupOptions { copies: true, ..By::Lists.options(TOP) };
    let asked: Vec<Asked> =
        queries.iter().map(|query| shards.ask(query, options)).collect::<Result<_, _>>()?;
    rows.push(Row {
        strategy: "lookup by lists".to_owned(),
        compared: None,
        quality: Quality::new(&truths, asked.iter().map(Asked::similarities)),
        micros: Spread::new(asked.iter().map(|asked| asked.time.as_micros() as u64)),
        bytes: read.map(|(_, bytes)| bytes).sum(),
    });

    let index = &shards.index;
    let collection = Measured { queries: &queries, records: &records, truths: &truths };
    let key_signatures = records.iter().map(|record| index.key_signature(&record.bag));
    let buckets = Buckets::from_signatures(index.tables(), key_signatures);
    rows.extend(collection.rows("LSH tables", buckets.bytes(), |query, limit| {
        let bag = bag_of_text(index, &query.text, &query.lang)?;
        let signature = index.key_signature(&bag);
        let found = signature.map(|signature| buckets.query(index.tables(), &signature, limit));
        Ok((bag, found.unwrap_or_default()))
    })?);

    let params = index.manifest().params.signature;
    let asked_for = match &arguments.positions[..] {
        [] => &[params.m],
        positions => positions,
    };
    for &m in asked_for {
        let signer = Signer::new(Algorithm::Affine32, SignatureParams { m, ..params });
        let bags: Vec<Bag> = records.iter().map(|record| record.bag.clone()).collect();
        if bags.iter().any(Bag::is_empty) {
            return Err("a page of the index has an empty bag".into());
        }
        let signatures = Signatures::new(&signer, m, &bags);
        drop(bags);
        let name = format!("all signatures, m = {m}");
        rows.extend(collection.rows(&name, signatures.bytes(), |query, limit| {
            let bag = bag_of_text(index, &query.text, &query.lang)?;
            if bag.is_empty() {
                return Ok((bag, Vec::new()));
            }
            let found = signatures.most_agreeing(&signer.rows(std::slice::from_ref(&bag)), limit);
            Ok((bag, found))
        })?);
    }

    let report = Report { pages: records.len(), queries: queries.len(), rows };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table()?);
    }
    Ok(())
}

/// What strategies are measured on.
struct Measured<'a> {
    queries: &'a [Query],
    records: &'a [PageRecord],
    truths: &'a [Vec<f64>],
}

impl Measured<'_> {
    /// The rows of a strategy of signatures: in the order of its count, and compared exactly.
    /// `find` answers a query's bag and so many pages, best first.
    fn rows(
        &self,
        strategy: &str,
        bytes: u64,
        mut find: impl FnMut(&Query, usize) -> Result<(Bag, Vec<u32>), Failure>,
    ) -> Result<[Row; 2], Failure> {
        let mut row = |compared: bool| {
            let (mut answers, mut micros) = (Vec::new(), Vec::new());
            for query in self.queries {
                let start = Instant::now();
                let (bag, found) = find(query, if compared { COMPARED } else { TOP })?;
                let similarity =
                    |page: u32| Overlap::between(&bag, &self.records[page as usize].bag).jaccard();
                let mut similarities = Vec::new();
                if compared {
                    similarities.extend(found.iter().copied().map(similarity));
                    similarities.sort_by(|a, b| b.total_cmp(a));
                    similarities.truncate(TOP);
                }
                micros.push(start.elapsed().as_micros() as u64);
                if !compared {
                    similarities.extend(found.iter().copied().map(similarity));
                }
                answers.push(similarities);
            }
            Ok::<_, Failure>(Row {
                strategy: strategy.to_owned(),
                compared: compared.then_some(COMPARED),
                quality: Quality::new(self.truths, answers),
                micros: Spread::new(micros),
                bytes,
            })
        };
        Ok([row(false)?, row(true)?])
    }
}
