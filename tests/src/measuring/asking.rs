//! Queries an index in a folder, and records the reads and the time of the lookup itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pagekin_core::bag::Bag;
use pagekin_core::lookup::bag_of_text;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{Answer, Candidates, Index, Lookup, LookupOptions, RankedBy};
use pagekin_index::LocalIndex;

use super::Failure;
use super::queries::Query;

/// The kind of query.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[expect(missing_docs)]
pub enum By {
    Best,
    Lists,
    Tables,
}

impl By {
    /// Returns the options of a query for this number of results.
    #[must_use]
    pub fn options(self, limit: usize) -> LookupOptions {
        let candidates = match self {
            Self::Best => Candidates::Best,
            Self::Lists => Candidates::Lists,
            Self::Tables => Candidates::Tables,
        };
        LookupOptions { limit: limit as u32, candidates, ..LookupOptions::default() }
    }
}

/// The files that were read.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    /// The bytes and the requests, by kind.
    pub by_kind: BTreeMap<String, (u64, u64)>,
    /// The names of the files in order, with their bytes.
    pub files: Vec<(String, u64)>,
}

impl Reads {
    fn add(&mut self, name: &str, bytes: usize) {
        let (all, requests) = self.by_kind.entry(kind_of(name)).or_default();
        *all += bytes as u64;
        *requests += 1;
        self.files.push((name.to_owned(), bytes as u64));
    }

    /// Returns the total number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.by_kind.values().map(|(bytes, _)| bytes).sum()
    }

    /// Returns the total number of requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.by_kind.values().map(|(_, requests)| requests).sum()
    }
}

/// Returns the kind of an index file by its name: `tables` for
/// `index/0123456789abcdef/tables/00/0001.shard`.
#[must_use]
pub fn kind_of(name: &str) -> String {
    let name = name.strip_prefix("pagekin.").unwrap_or(name);
    let below = name.strip_prefix("index/").and_then(|name| name.split_once('/'));
    let name = below.map_or(name, |(_, below)| below);
    name.chars().take_while(char::is_ascii_alphabetic).collect()
}

/// An open index.
#[derive(Debug)]
pub struct Shards {
    folder: LocalIndex,
    /// The index.
    pub index: Index,
    /// The reads of opening it.
    pub opening: Reads,
    /// The time of opening it, without reading files.
    pub opening_time: Duration,
}

/// An answer with its costs.
#[derive(Debug, Default)]
pub struct Asked {
    /// The answer.
    pub answer: Answer,
    /// The first partial answer, if there is one.
    pub partial: Option<Box<Answer>>,
    /// The reads.
    pub reads: Reads,
    /// The number of rounds of reads that depend on earlier ones.
    pub rounds: u64,
    /// The time in the lookup, without reading files.
    pub time: Duration,
}

impl Asked {
    /// Returns the similarities of the results, which are exact.
    #[must_use]
    pub fn similarities(&self) -> Vec<f64> {
        self.answer.results.iter().map(|kin| kin.similarity).collect()
    }

    /// Returns the similarities in the list that is ranked by a score.
    #[must_use]
    pub fn similarities_by(&self, score: RankedBy) -> Vec<f64> {
        self.answer.by(score).iter().map(|kin| kin.similarity).collect()
    }
}

impl Shards {
    /// Opens the index in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the index does not exist or cannot be read.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let mut reads = Reads::default();
        let mut clock = Clock::default();
        let folder = LocalIndex::open(folder)?;
        let manifest = folder.read(MANIFEST_NAME)?;
        reads.add(MANIFEST_NAME, manifest.len());
        let index = clock.time(|| Index::open(&manifest))?;
        Ok(Self { folder, index, opening: reads, opening_time: clock.0 })
    }

    /// Returns the bags of queries, weighted as in lookups.
    ///
    /// # Errors
    ///
    /// Returns an error if a query has no words.
    pub fn bags(&self, queries: &[Query]) -> Result<Vec<Bag>, Failure> {
        let bag = |query: &Query| bag_of_text(&self.index, &query.text, &query.lang);
        Ok(queries.iter().map(bag).collect::<Result<_, _>>()?)
    }

    /// Answers a query without cached files of earlier queries.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or the query has no words.
    pub fn ask(&mut self, query: &Query, options: LookupOptions) -> Result<Asked, Failure> {
        self.index.forget();
        let index = &mut self.index;
        let opening = index.opening_cost();
        let (mut reads, mut reading) = (Reads::default(), Clock::default());
        let start = Instant::now();
        let mut lookup = Lookup::from_text(index, &query.text, &query.lang, options)?;
        let mut partial = None;
        let answer = loop {
            let wanted = lookup.wanted(index)?;
            let next = lookup.take_partial();
            partial = partial.or(next);
            if let Some(answer) = lookup.answer() {
                break answer.clone();
            }
            for name in wanted {
                let bytes = reading.time(|| self.folder.read(&name))?;
                reads.add(&name, bytes.len());
                lookup.supply(index, &name, &bytes)?;
            }
        };
        let time = start.elapsed() - reading.0;
        let rounds = answer.cost.less(opening).rounds.into();
        Ok(Asked { answer, partial, reads, rounds, time })
    }
}

/// Adds up the running times of functions.
#[derive(Default)]
struct Clock(Duration);

impl Clock {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.0 += start.elapsed();
        done
    }
}

/// Returns the number and bytes of the index files on disk, by kind.
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn parts(folder: &Path) -> Result<BTreeMap<String, (u64, u64)>, Failure> {
    let mut parts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner)? {
            let (path, data) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if data.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                let (files, bytes) = parts.entry(kind_of(&name)).or_default();
                *files += 1;
                *bytes += data.len();
            }
        }
    }
    Ok(parts)
}
