//! Pairs of sets of tokens by the crates gaoya and minhash-rs, for `cargo xtask bench peers`.
//!
//! `pagekin-peers gaoya|minhash-rs|load SETS PAIRS SEED THREADS` reads the sets, prints the costs
//! of pairing, and writes the pairs. Both crates are used in the way that their documentation
//! recommends for speed: signatures, tables and queries on all threads. `tests/src/tokens.rs`
//! documents the files.

use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::time::Instant;

use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32, VecContainer};
use minhash_rs::index::{LshIndex, QueryState, Store};
use minhash_rs::prelude::{Fnv, MinHash};
use minhash_rs::min_hasher::MinHasher as _;
use rayon::prelude::*;

/// Number of values of a signature, and of bands.
const M: usize = 80;
const BANDS: usize = 20;
const THRESHOLD: f64 = 0.5;

struct TokenSets {
    offsets: Vec<u64>,
    tokens: Vec<u32>,
}

impl TokenSets {
    fn read(path: &str) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut word = [0; 8];
        file.read_exact(&mut word)?;
        let documents = u64::from_le_bytes(word) as usize;
        let mut offsets = Vec::with_capacity(documents + 1);
        for _ in 0..=documents {
            file.read_exact(&mut word)?;
            offsets.push(u64::from_le_bytes(word));
        }
        let mut tokens = Vec::with_capacity(offsets[documents] as usize);
        let mut word = [0; 4];
        for _ in 0..offsets[documents] {
            file.read_exact(&mut word)?;
            tokens.push(u32::from_le_bytes(word));
        }
        Ok(Self { offsets, tokens })
    }

    fn all(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        let range = |two: &[u64]| two[0] as usize..two[1] as usize;
        self.offsets.par_windows(2).map(move |two| &self.tokens[range(two)])
    }
}

struct Took {
    signing: f64,
    pairing: f64,
}

/// `MinHasher32`, and a `MinHashIndex` that stores documents in vectors, since its sets of them are
/// slower.
fn gaoya(sets: &TokenSets, seed: u64) -> (Took, Vec<(u32, u32)>) {
    let start = Instant::now();
    let hasher = MinHasher32::new_with_hasher_and_seed(M, fnv::FnvBuildHasher::default(), seed);
    let signatures: Vec<Vec<u32>> =
        sets.all().map(|tokens| hasher.create_signature(tokens.iter())).collect();
    let signing = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut index: MinHashIndex<u32, u32, VecContainer<u32>> =
        MinHashIndex::new_with_capacity(BANDS, M / BANDS, THRESHOLD, signatures.len(), 0.5);
    let ids: Vec<u32> = (0..signatures.len() as u32).collect();
    index.par_bulk_insert(ids, signatures);
    let partners = |v: u32| {
        let found: HashSet<&u32> = index.query_by_id(&v);
        let below: Vec<_> = found.into_iter().filter(|&&u| u < v).map(|&u| (u, v)).collect();
        below
    };
    let pairs = (0..index.size() as u32).into_par_iter().flat_map_iter(partners).collect();
    (Took { signing, pairing: start.elapsed().as_secs_f64() }, pairs)
}

/// `MinHash` of 32-bit words by FNV, and an `LshIndex` that stores the signatures. It has no seed,
/// so tokens are multiplied by an odd number. It has no filter, so candidates are compared by its
/// estimate.
fn minhash_rs(sets: &TokenSets, seed: u64) -> (Took, Vec<(u32, u32)>) {
    type Signature = MinHash<u32, M, Fnv, u32, u32>;
    let start = Instant::now();
    let odd = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 | 1;
    let sign = |tokens: &[u32]| tokens.iter().map(|token| token.wrapping_mul(odd)).collect();
    let signatures: Vec<Signature> = sets.all().map(sign).collect();
    let signing = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let index: LshIndex<Signature, M, BANDS, Store> = LshIndex::from_signatures_par(signatures);
    let pairs = (0..index.len() as u32)
        .into_par_iter()
        .map_init(QueryState::new, |state, v| {
            let signature = index.signature(v);
            let candidates = index.candidates(signature, state).iter().map(|c| c.id);
            let similar = |u: &u32| {
                let other = index.signature(*u);
                signature.estimate_jaccard_index(other) >= THRESHOLD
            };
            candidates.filter(|&u| u < v).filter(similar).map(|u| (u, v)).collect::<Vec<_>>()
        })
        .flatten_iter()
        .collect();
    (Took { signing, pairing: start.elapsed().as_secs_f64() }, pairs)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [peer, sets, to, seed, threads] = arguments.as_slice() else {
        return Err("expected gaoya|minhash-rs|load SETS PAIRS SEED THREADS".into());
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let (sets, seed) = (TokenSets::read(sets)?, seed.parse()?);
    let (took, pairs) = match peer.as_str() {
        "gaoya" => gaoya(&sets, seed),
        "minhash-rs" => minhash_rs(&sets, seed),
        "load" => return Ok(()),
        other => return Err(format!("expected gaoya, minhash-rs or load, found {other}").into()),
    };
    println!("{{ \"signing\": {}, \"pairing\": {} }}", took.signing, took.pairing);
    let mut file = BufWriter::new(File::create(to)?);
    for (u, v) in pairs {
        file.write_all(&u.to_le_bytes())?;
        file.write_all(&v.to_le_bytes())?;
    }
    file.flush()?;
    Ok(())
}
