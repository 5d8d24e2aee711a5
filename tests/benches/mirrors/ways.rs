//! Ways to spread an index over hosts and to send requests to them.

use std::collections::BTreeMap;

use pagekin_core::hash::{SplitMix64, mix, of_bytes};
use pagekin_index::mirrors::{MirrorLayout, group_of, groups_for};
use pagekin_tests::measuring::asking::kind_of;
use pagekin_tests::mirrors::Request;
use pagekin_tests::mirrors::scheduling::{greedy, in_turn};

const SEED: u64 = 1;

/// A file of the index.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// The requests of all queries.
pub(crate) struct Log {
    pub(crate) files: Vec<File>,
    /// Requests of each query: positions in `files`, and bytes.
    pub(crate) queries: Vec<Vec<(usize, u64)>>,
}

/// Requested and stored bytes of each host.
pub(crate) struct Spread {
    pub(crate) loads: Vec<u64>,
    pub(crate) stored: Vec<u64>,
}

/// A way to spread an index over a number of hosts.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) spread: fn(&Log, u32) -> Spread,
}

/// The ways to compare.
pub(crate) const WAYS: [Way; 8] = [
    Way { name: "all files on all hosts, in turn", spread: everywhere },
    Way { name: "each file on 1 host, by hash", spread: |log, hosts| hashed(log, hosts, 1) },
    Way {
        name: "each file on 2 hosts, by hash; greedy",
        spread: |log, hosts| hashed(log, hosts, 2),
    },
    Way { name: "by hash, the busiest files on 2; greedy", spread: hand_picked },
    Way { name: "layout; greedy", spread: |log, hosts| laid_out(log, hosts, 1) },
    Way { name: "layout, 2 copies; greedy", spread: |log, hosts| laid_out(log, hosts, 2) },
    Way { name: "layout, 2 copies; each browser by itself", spread: by_browsers },
    Way { name: "layout, 2 copies; greedy, one host gone", spread: one_gone },
];

impl Log {
    pub(crate) fn new(files: Vec<File>, asked: &[Vec<(String, u64)>]) -> Self {
        let places: BTreeMap<&str, usize> =
            files.iter().enumerate().map(|(at, file)| (&*file.name, at)).collect();
        let place = |(name, bytes): &(String, u64)| Some((*places.get(&**name)?, *bytes));
        let queries = asked.iter().map(|asked| asked.iter().filter_map(place).collect()).collect();
        Self { queries, files }
    }

    /// Returns the size of the index.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Returns the requests of all queries.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.queries.iter().flatten().copied()
    }

    /// Returns the size of the largest request, `β`.
    pub(crate) fn largest_request(&self) -> u64 {
        self.requests().map(|(_, bytes)| bytes).max().unwrap_or(0)
    }

    /// Returns the load of each group for a number of hosts, `FL_j`.
    pub(crate) fn index_loads(&self, hosts: u32) -> Vec<u64> {
        let groups = self.groups(hosts);
        let mut loads = vec![0; groups_for(hosts) as usize];
        self.requests().for_each(|(file, bytes)| loads[groups[file] as usize] += bytes);
        loads
    }

    /// Returns the group of each file.
    fn groups(&self, hosts: u32) -> Vec<u32> {
        let group = |file: &File| group_of(&file.name, groups_for(hosts));
        self.files.iter().map(|file| group(file).expect("a numbered file")).collect()
    }

    /// Returns the bytes that each host stores if `stored_on` assigns the files.
    fn stored<I: IntoIterator<Item = u32>>(
        &self,
        hosts: u32,
        stored_on: impl Fn(usize) -> I,
    ) -> Vec<u64> {
        let mut stored = vec![0; hosts as usize];
        for (at, file) in self.files.iter().enumerate() {
            stored_on(at).into_iter().for_each(|host| stored[host as usize] += file.bytes);
        }
        stored
    }

    /// Assigns requests with a greedy scheduler that sees all of them.
    fn greedily<I: IntoIterator<Item = u32>>(
        &self,
        hosts: u32,
        stored_on: impl Fn(usize) -> I,
    ) -> Spread {
        let requests = self.requests().map(|(file, load)| Request { subindex: file as u32, load });
        let loads = greedy(hosts, requests, |file| stored_on(file as usize));
        Spread { loads, stored: self.stored(hosts, stored_on) }
    }
}

fn everywhere(log: &Log, hosts: u32) -> Spread {
    let requests = log.requests().map(|(file, load)| Request { subindex: file as u32, load });
    Spread { loads: in_turn(hosts, requests), stored: log.stored(hosts, |_| 0..hosts) }
}

/// Returns different hosts for a file.
fn by_hash(name: &str, hosts: u32, copies: u32) -> Vec<u32> {
    let first = of_bytes(name.as_bytes());
    let mut on = vec![(first % u64::from(hosts)) as u32];
    if copies > 1 && hosts > 1 {
        let other = (mix(first) % u64::from(hosts - 1)) as u32;
        on.push((on[0] + 1 + other) % hosts);
    }
    on
}

fn hashed(log: &Log, hosts: u32, copies: u32) -> Spread {
    log.greedily(hosts, |file| by_hash(&log.files[file].name, hosts, copies))
}

/// Each file is on one host by hash. The files with the highest loads in this very log are on a
/// second one, up to the additional bytes of the layout with one copy.
fn hand_picked(log: &Log, hosts: u32) -> Spread {
    let layout: u64 = laid_out(log, hosts, 1).stored.iter().sum();
    let mut room = layout.saturating_sub(log.bytes());
    let mut loads = vec![0; log.files.len()];
    log.requests().for_each(|(file, bytes)| loads[file] += bytes);
    let mut busiest: Vec<usize> = (0..loads.len()).collect();
    busiest.sort_by_key(|&file| std::cmp::Reverse(loads[file]));
    let mut picked = vec![1; loads.len()];
    for file in busiest {
        if log.files[file].bytes > room {
            break;
        }
        room -= log.files[file].bytes;
        picked[file] = 2;
    }
    log.greedily(hosts, |file| by_hash(&log.files[file].name, hosts, picked[file]))
}

fn layout(hosts: u32, copies: u32) -> MirrorLayout {
    let places = vec![u64::MAX; hosts as usize];
    MirrorLayout::new(groups_for(hosts), &places, copies).expect("there is room enough")
}

fn laid_out(log: &Log, hosts: u32, copies: u32) -> Spread {
    let (layout, groups) = (layout(hosts, copies), log.groups(hosts));
    log.greedily(hosts, |file| layout.stored_on(groups[file]))
}

/// Without the first host: the others answer its requests.
fn one_gone(log: &Log, hosts: u32) -> Spread {
    let (layout, groups) = (layout(hosts, 2), log.groups(hosts));
    let there = |file: usize| layout.stored_on(groups[file]).filter(|&host| host > 0);
    let Spread { loads, .. } = log.greedily(hosts, there);
    let stored = log.stored(hosts, |file| layout.stored_on(groups[file]));
    Spread { loads: loads[1..].to_vec(), stored }
}

/// Works like `www/client/mirrored/mirrors.js`: of the hosts that store a file, it chooses the one
/// with the fewest bytes in flight, then the fewest requested bytes, then any. Visitors know
/// nothing of each other, and run one query each.
fn by_browsers(log: &Log, hosts: u32) -> Spread {
    let (layout, groups) = (layout(hosts, 2), log.groups(hosts));
    let stored = log.stored(hosts, |file| layout.stored_on(groups[file]));
    let mut means: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for file in &log.files {
        let (files, bytes) = means.entry(kind_of(&file.name)).or_default();
        (*files, *bytes) = (*files + 1, *bytes + file.bytes);
    }
    let expected = |file: usize| {
        let (files, bytes) = means[&kind_of(&log.files[file].name)];
        bytes / files
    };
    // Kinds of files that are fetched after the lists.
    let is_later = |file: usize| {
        let kind = kind_of(&log.files[file].name);
        !matches!(&*kind, "lists" | "tables" | "addresses")
    };
    let mut loads = vec![0; hosts as usize];
    let mut random = SplitMix64::new(SEED);
    for query in &log.queries {
        let any: Vec<u64> = (0..hosts).map(|_| random.next_u64()).collect();
        let mut asked = vec![0; hosts as usize];
        for round in [false, true] {
            let mut in_flight = vec![0; hosts as usize];
            for &(file, bytes) in query.iter().filter(|(file, _)| is_later(*file) == round) {
                let key = |&host: &u32| {
                    let host = host as usize;
                    (in_flight[host], asked[host], any[host])
                };
                let host = layout.stored_on(groups[file]).min_by_key(key).expect("a host has it");
                in_flight[host as usize] += expected(file);
                asked[host as usize] += expected(file);
                loads[host as usize] += bytes;
            }
        }
    }
    Spread { loads, stored }
}
