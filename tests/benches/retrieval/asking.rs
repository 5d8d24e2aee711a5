//! Asking an index in a folder, with a tally of what was read and of the time in the lookup itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pagekin_build::folder::Folder;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_core::{Answer, Index, Lookup, LookupOptions};

use crate::Failure;
use crate::pages::Query;

/// What was read: by kind, the bytes and the requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reads(pub(crate) BTreeMap<String, (u64, u64)>);

impl Reads {
    fn add(&mut self, name: &str, bytes: usize) {
        let (all, requests) = self.0.entry(kind_of(name)).or_default();
        *all += bytes as u64;
        *requests += 1;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().map(|(bytes, _)| bytes).sum()
    }

    pub(crate) fn requests(&self) -> u64 {
        self.0.values().map(|(_, requests)| requests).sum()
    }
}

/// The kind of a file of an index by its name: `tables` for `index/0123456789abcdef/tables/00/0001.shard`.
pub(crate) fn kind_of(name: &str) -> String {
    let name = name.strip_prefix("pagekin.").unwrap_or(name);
    let below = name.strip_prefix("index/").and_then(|name| name.split_once('/'));
    let name = below.map_or(name, |(_, below)| below);
    name.chars().take_while(char::is_ascii_alphabetic).collect()
}

/// An open index.
pub(crate) struct Shards {
    folder: Folder,
    pub(crate) index: Index,
    /// What opening it took.
    pub(crate) opening: Reads,
    pub(crate) opening_time: Duration,
}

/// An answer, and what it took.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    pub(crate) reads: Reads,
    pub(crate) rounds: u64,
    /// In the lookup, without reading files.
    pub(crate) time: Duration,
}

impl Shards {
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let mut reads = Reads::default();
        let mut clock = Clock::default();
        let folder = Folder::open(folder)?;
        let manifest = folder.read(MANIFEST_NAME)?;
        reads.add(MANIFEST_NAME, manifest.len());
        let index = clock.time(|| Index::open(&manifest))?;
        Ok(Self { folder, index, opening: reads, opening_time: clock.0 })
    }

    /// Asks with nothing at hand of earlier queries.
    pub(crate) fn ask(&mut self, query: &Query, options: LookupOptions) -> Result<Asked, Failure> {
        self.index.forget();
        let index = &mut self.index;
        let (mut reads, mut rounds, mut clock) = (Reads::default(), 0, Clock::default());
        let mut lookup =
            clock.time(|| Lookup::of_text(index, &query.text, &query.lang, options))?;
        loop {
            let wanted = clock.time(|| lookup.wanted(index))?;
            if wanted.is_empty() {
                let answer = clock.time(|| lookup.answer().cloned()).unwrap_or_default();
                return Ok(Asked { answer, reads, rounds, time: clock.0 });
            }
            rounds += 1;
            for name in wanted {
                let bytes = self.folder.read(&name)?;
                reads.add(&name, bytes.len());
                clock.time(|| lookup.supply(index, &name, &bytes))?;
            }
        }
    }
}

/// Adds up the time of what it is given to do.
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

/// The files of an index on the disk by kind: their number and bytes.
pub(crate) fn parts(folder: &Path) -> Result<BTreeMap<String, (u64, u64)>, Failure> {
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
