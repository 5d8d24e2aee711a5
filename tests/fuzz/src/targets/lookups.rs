//! Complete lookups on an index whose bytes are changed in transit.

use std::collections::BTreeMap;

use pagekin_core::lookup::{MAX_SHARED_TERMS, Surroundings};
use pagekin_core::shard::{Kind, open};
use pagekin_core::{Answer, Candidates, Index, Lookup, LookupOptions, QueryError};

use crate::script::{Change, change, changes};
use crate::sealing::{HEADER, reseal, seal_plain};
use crate::small_index::{ADDRESSES, SmallIndex, TEXTS, TITLES, Variety};
use crate::targets::{Outcome, Target};

/// Numbers of rounds and requests beyond which a lookup is considered endless. A manifest has at
/// most 1,024 tables.
const MAX_ROUNDS: u32 = 8;
const MAX_REQUESTS: u32 = 3_000;
/// The first byte of an input selects the index.
const VARIETIES: u8 = Variety::ALL.len() as u8;

/// Starts the query that two bytes of an input select.
fn begin(index: &Index, query: [u8; 2]) -> Result<Lookup, QueryError> {
    let [kind, what] = query;
    let candidates =
        [Candidates::Best, Candidates::Lists, Candidates::Tables][usize::from(kind / 4) % 3];
    let limit = [10, 1, 0, u32::MAX][usize::from(kind / 12) % 4];
    let what = usize::from(what);
    let around = [None, Some(Surroundings::Results), Some(Surroundings::Center)][what % 3];
    let options = LookupOptions {
        limit,
        min: f64::from(kind / 48) / 10.0,
        copies: limit % 2 == 0,
        candidates,
        around,
    };
    match kind % 4 {
        0 => Lookup::from_typed(index, TITLES[what % TITLES.len()], "", options),
        1 => Ok(Lookup::from_url(index, ADDRESSES[what % ADDRESSES.len()], options)),
        _ => {
            Lookup::from_text(index, TEXTS[what % TEXTS.len()], ["", "en", "de"][what % 3], options)
        }
    }
}

/// The outcome of a lookup.
#[derive(Debug, Clone, PartialEq)]
enum End {
    Answer(Box<Answer>),
    NoQuery(String),
    /// A shard was refused or is missing.
    Refused(String),
}

/// Runs a lookup. `fetch` returns the bytes of shards, given their position in the order of
/// requests. Also returns the number of bytes read.
fn ask(
    index: &mut Index,
    query: [u8; 2],
    mut fetch: impl FnMut(u32, &str) -> Option<Vec<u8>>,
) -> (End, usize) {
    // The first answer includes the cost of opening.
    let opening = index.opening_cost();
    let mut lookup = match begin(index, query) {
        Ok(lookup) => lookup,
        Err(error) => return (End::NoQuery(error.to_string()), 0),
    };
    let (mut rounds, mut requests, mut read) = (0, 0, 0);
    loop {
        let wanted = match lookup.wanted(index) {
            Ok(wanted) => wanted,
            Err(error) => return (End::NoQuery(error.to_string()), read),
        };
        if wanted.is_empty() {
            break;
        }
        rounds += 1;
        assert!(rounds <= MAX_ROUNDS, "a lookup that does not end");
        for name in wanted {
            let Some(bytes) = fetch(requests, &name) else {
                return (End::Refused("no such shard".to_owned()), read);
            };
            requests += 1;
            read += bytes.len();
            assert!(requests <= MAX_REQUESTS, "a lookup that asks for everything");
            if let Err(error) = lookup.supply(index, &name, &bytes) {
                let message = error.to_string().replace(&name, "");
                return (End::Refused(format!("{}: {message}", error.code())), read);
            }
        }
    }
    let mut answer = lookup.answer().expect("nothing more is wanted").clone();
    answer.cost = answer.cost.less(opening);
    assert_eq!(answer.cost.requests, requests);
    assert_eq!(answer.cost.bytes, read as u64);
    for result in answer.results.iter().chain(&answer.other_results) {
        let parts = [result.similarity, result.coverage];
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{result:?}");
        assert!(result.shared_terms.len() <= MAX_SHARED_TERMS, "{result:?}");
        assert!(result.near.is_none_or(|near| near.both <= near.text.min(near.page)), "{result:?}");
    }
    // Some of the zeros after a shard in a pack may be missing.
    answer.cost.bytes = 0;
    (End::Answer(Box::new(answer)), read)
}

/// Returns a shard after a change.
fn changed(index: &SmallIndex, name: &str, change: Change) -> Option<Vec<u8>> {
    let shard = index.shards.get(name)?;
    let (mut bytes, mut changed) = (Vec::new(), shard.payload.clone());
    if change.sealed {
        change.apply(&mut changed);
        seal_plain(shard.kind, shard.generation, &changed, &mut bytes);
    } else {
        bytes.clone_from(&shard.bytes);
        change.apply(&mut bytes);
    }
    Some(bytes)
}

/// Queries of every kind, each with a change of the n-th shard that it reads.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for variety in 0..4 {
        for (kind, what) in
            [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 3), (2, 5), (6, 5), (10, 5)]
        {
            let of = variety + kind + what;
            let changes = [change(of, 0, 40, [7, 0, 0]), change(of + 1, 0x80, 30, [9, 0, 0])];
            seeds.push([&[variety, kind, what][..], &changes.concat()].concat());
        }
    }
    seeds
}

/// Lookups on changed shards.
pub const LOOKUP: Target = Target {
    name: "lookup",
    reads: "the shards of a lookup, changed in transit, with each kind of query",
    prepare: || {
        let mut indexes = Variety::ALL.map(|variety| {
            let small = SmallIndex::new(variety);
            let index = Index::open(&small.manifest_bytes).expect("the manifest is sound");
            let index = index.with_cache_budget(0);
            (small, index)
        });
        let mut known: BTreeMap<[u8; 3], End> = BTreeMap::new();
        let run = move |input: &[u8]| {
            let (&[variety, kind, what], rest) =
                input.split_first_chunk().unwrap_or((&[0; 3], &[]));
            let (small, index) = &mut indexes[usize::from(variety % VARIETIES)];
            let sound = |name: &str| small.shards.get(name).map(|shard| shard.bytes.clone());
            let expected = known
                .entry([variety % VARIETIES, kind, what])
                .or_insert_with(|| ask(index, [kind, what], |_, name| sound(name)).0);
            assert!(!matches!(expected, End::Refused(_)), "a sound index answers: {expected:?}");
            let changes: Vec<_> = changes(rest).collect();
            let mut differs = false;
            let (end, read) = ask(index, [kind, what], |number, name| {
                let of_shard = changes.iter().find(|change| u32::from(change.of % 24) == number);
                let Some(change) = of_shard else { return sound(name) };
                differs |= change.sealed;
                changed(small, name, *change)
            });
            if !differs && !matches!(end, End::Refused(_)) {
                assert_eq!(&end, expected, "a change that was not found");
            }
            outcome(end, read)
        };
        (seeds(), Box::new(run))
    },
    max_bytes: 3 + 8 * 7,
    memory_of_byte: 2_048,
    memory_free: 64 << 20,
    short: 1_500,
};

fn outcome(end: End, read: usize) -> Outcome {
    match end {
        End::Answer(answer) => Outcome::sized(read, 0, answer.results.len()),
        End::NoQuery(why) => Outcome::named(read, why.split(':').next().unwrap_or_default()),
        End::Refused(why) => Outcome::named(read, &why),
    }
}

/// Lookups on an index with a forged manifest and otherwise valid files.
pub const OPENED: Target = Target {
    name: "opened",
    reads: "a forged manifest, then the shards that it names",
    prepare: || {
        let indexes = Variety::ALL.map(|variety| {
            let small = SmallIndex::new(variety);
            let opened = open("x", Kind::Manifest, None, &small.manifest_bytes);
            let payload = opened.expect("the manifest is sound").1.into_owned();
            (small, payload)
        });
        let mut bytes = Vec::new();
        let run = move |input: &[u8]| {
            let (&[variety, kind, what], rest) =
                input.split_first_chunk().unwrap_or((&[0; 3], &[]));
            let (small, payload) = &indexes[usize::from(variety % VARIETIES)];
            let mut forged = payload.clone();
            changes(rest).for_each(|change| change.apply(&mut forged));
            seal_plain(Kind::Manifest, small.manifest.generation(), &forged, &mut bytes);
            let mut index = match Index::open(&bytes) {
                Ok(index) => index.with_cache_budget(0),
                Err(error) => return Outcome::named(bytes.len(), &error.to_string()),
            };
            // Any name is served, so that as much as possible is read.
            let any = |name: &str| {
                let folder = name.split('/').nth(2)?.split('-').next()?;
                let number: usize = name.rsplit('/').next()?.split('.').next()?.parse().ok()?;
                let of_kind = || small.shards.values().filter(|s| s.kind.folder() == folder);
                of_kind().nth(number % of_kind().count().max(1)).map(|shard| {
                    let mut bytes = shard.bytes.clone();
                    let generation = name.split('/').nth(1).unwrap_or_default();
                    let generation = u64::from_str_radix(generation, 16).unwrap_or_default();
                    crate::sealing::set_generation(&mut bytes, generation);
                    let stored =
                        bytes[16..20].iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
                    bytes.truncate(HEADER + stored);
                    reseal(&mut bytes);
                    bytes
                })
            };
            let (end, read) = ask(&mut index, [kind, what], |_, name| {
                small.shards.get(name).map(|shard| shard.bytes.clone()).or_else(|| any(name))
            });
            outcome(end, read + bytes.len())
        };
        // Changes of the first numbers, on which everything else depends.
        let mut seeds = seeds();
        for (at, seed) in (0u16..).zip(&mut seeds) {
            seed.truncate(3);
            seed.extend(change(0, 0, 3 * at, [1 + at as u8, 0, 0]));
        }
        (seeds, Box::new(run))
    },
    short: 400,
    ..LOOKUP
};
