//! pagekin's own path from sets to pairs, with the functions of a crawl's stages.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pagekin_core::bag::Bag;
use pagekin_core::lsh::{TableRules, Tables};
use pagekin_core::minhash::SignatureParams;
use pagekin_core::similarity::Overlap;
use pagekin_pairs::minhash::{Algorithm, SignedBy, Signer};
use pagekin_pairs::pairs::bucket_join::ExtractOptions;
use pagekin_pairs::pairs::choose_tables::{Background, Requirements};
use pagekin_pairs::pairs::extract::PairBatch;
use pagekin_pairs::pairs::{choose_tables, extract, verify};
use pagekin_pairs::signatures::columns::{SignatureBatch, SignatureColumns};
use pagekin_pairs::signatures::equal;
use pagekin_pairs::{PairsError, Threshold};
use pagekin_tests::measuring::Failure;
use pagekin_tests::tokens::TokenSets;
use rayon::prelude::*;
use serde_json::json;

use crate::pairs;

/// Values per signature.
const M: u16 = 80;
/// Documents that are signed before their signatures are put into the columns.
const BATCH: usize = 1 << 14;
/// How far the filter's threshold is lowered for [`Way::Verified`]: a standard deviation of the
/// share of 80 values that agree.
const SLACK: u16 = 55;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    sets: PathBuf,
    /// Output file for the pairs
    pairs: PathBuf,
    #[arg(long)]
    way: Way,
    #[arg(long)]
    threshold: u16,
    /// Values per key, and tables; chosen automatically by default
    #[arg(long, requires = "l")]
    k: Option<u8>,
    #[arg(long, requires = "k")]
    l: Option<u16>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// Only reads the sets.
    Load,
    /// Pairs whose signatures agree enough.
    Filtered,
    /// Pairs whose sets are similar enough.
    Verified,
}

/// Finds the pairs and prints the costs.
pub(crate) fn pair(arguments: &Arguments) -> Result<(), Failure> {
    let sets = TokenSets::read(&arguments.sets)?;
    // The sets are kept until the end: otherwise pairing could reuse their memory, which would
    // not be counted.
    let bags: Vec<Bag> = (0..sets.len() as u32).map(|document| sets.bag(document)).collect();
    if arguments.way == Way::Load {
        println!("{}", json!({ "documents": bags.len() }));
        return Ok(());
    }
    let rules = Rules {
        threshold: Threshold::from_thousandths(arguments.threshold)?,
        filter: match arguments.way {
            Way::Verified => {
                Threshold::from_thousandths(arguments.threshold.saturating_sub(SLACK).max(1))?
            }
            _ => Threshold::from_thousandths(arguments.threshold)?,
        },
        tables: arguments.k.zip(arguments.l),
        seed: arguments.seed,
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let found = threads.install(|| rules.pair(&bags, arguments.way == Way::Verified))?;
    println!(
        "{}",
        json!({
            "signing": found.signing.as_secs_f64(),
            "pairing": found.pairing.as_secs_f64(),
            "k": found.k,
            "l": found.l,
        })
    );
    pairs::write(&arguments.pairs, found.pairs.into_iter())?;
    Ok(())
}

/// Which pairs to find, and how.
struct Rules {
    threshold: Threshold,
    filter: Threshold,
    /// Values per key and tables, unless they are chosen automatically.
    tables: Option<(u8, u16)>,
    seed: u64,
}

struct Found {
    pairs: Vec<(u32, u32)>,
    k: u8,
    l: u16,
    signing: Duration,
    pairing: Duration,
}

impl Rules {
    fn pair(&self, bags: &[Bag], is_verified: bool) -> Result<Found, PairsError> {
        let start = Instant::now();
        let columns = signed(bags, self.seed)?;
        let signing = start.elapsed();
        let start = Instant::now();
        let twins = equal::collapse(&columns);
        let representatives = twins.representatives();
        let (k, l) = match self.tables {
            Some(tables) => tables,
            None => {
                let background = Background::sample(&columns, &representatives, self.seed);
                let choice =
                    choose_tables::choose(&background, &Requirements::new(self.threshold), M)?;
                (choice.k, choice.l)
            }
        };
        let tables = Tables::new(TableRules::Independent { k, l }, M, self.seed);
        let tables = tables.expect("keys are shorter than signatures");
        let max_in_bucket = ExtractOptions::MAX_IN_BUCKET;
        let options = ExtractOptions { threshold: self.filter, max_in_bucket };
        let mut pairs = Vec::new();
        let sink = |batch: PairBatch<'_>| {
            pairs.extend(batch.pairs.iter().map(|pair| (pair.u, pair.v)));
            Ok::<(), PairsError>(())
        };
        extract::extract(&columns, &representatives, &tables, options, sink)?;
        drop(columns);
        if !is_verified {
            with_twins(twins.stars().collect(), &mut pairs);
        } else {
            // Equal bags need no verification. Documents whose signatures alone are equal are
            // verified like other pairs.
            let bag = |document: u32| &bags[document as usize];
            let (equal, unverified): (Vec<_>, Vec<_>) =
                twins.stars().partition(|&(of, twin)| bag(of) == bag(twin));
            with_twins(unverified, &mut pairs);
            pairs.par_sort_unstable();
            let overlap = |u: u32, v: u32| Overlap::between(bag(u), bag(v));
            let verified = verify::verify(&pairs, overlap, self.threshold)?;
            pairs = verified.iter().map(|pair| (pair.u, pair.v)).collect();
            with_twins(equal, &mut pairs);
        }
        Ok(Found { pairs, k, l, signing, pairing: start.elapsed() })
    }
}

/// Signs all documents. No other code signs documents.
fn signed(bags: &[Bag], seed: u64) -> Result<SignatureColumns, PairsError> {
    let params = SignatureParams { m: M, bits: 16, seed };
    let signer = Signer::new(Algorithm::Affine32, params);
    let algorithm = Algorithm::Affine32.name().to_owned();
    let signed_by = SignedBy { algorithm, params, scale: 100 };
    let mut columns = SignatureColumns::new(signed_by.clone())?;
    columns.reserve(bags.len() as u32);
    for batch in bags.chunks(BATCH) {
        let rows = signer.rows(batch);
        let first = columns.pages();
        columns.push(SignatureBatch { signed_by: &signed_by, first, rows: &rows })?;
    }
    Ok(columns)
}

/// Adds the pairs of documents that are represented by another: each is in a star with its
/// representative.
fn with_twins(mut stars: Vec<(u32, u32)>, found: &mut Vec<(u32, u32)>) {
    if stars.is_empty() {
        return;
    }
    stars.sort_unstable();
    let group = |page: u32| {
        let from = stars.partition_point(|&(of, _)| of < page);
        let twins = stars[from..].iter().take_while(move |&&(of, _)| of == page);
        twins.map(|&(_, twin)| twin)
    };
    let mut more = Vec::new();
    for &(u, v) in &*found {
        let ordered = |a: u32, b: u32| (a.min(b), a.max(b));
        more.extend(group(u).map(|twin| ordered(twin, v)));
        for b in group(v) {
            more.push(ordered(u, b));
            more.extend(group(u).map(|twin| ordered(twin, b)));
        }
    }
    for members in stars.chunk_by(|a, b| a.0 == b.0) {
        for (at, &(of, twin)) in members.iter().enumerate() {
            more.push((of, twin));
            more.extend(members[..at].iter().map(|&(_, other)| (other, twin)));
        }
    }
    found.append(&mut more);
}
