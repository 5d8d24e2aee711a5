//! Compares the layout with imaginary index loads and a greedy scheduler with the optimum of all
//! layouts and all schedulers, and tests the files that `pagekin build --mirrors` writes.
//! `browser/` tests how browsers use them.

use std::collections::BTreeSet;
use std::fs;

use pagekin_core::hash::SplitMix64;
use pagekin_index::mirrors::MirrorLayout;
use pagekin_tests::mirrors::Request;
use pagekin_tests::mirrors::optimum::least_load;
use pagekin_tests::mirrors::scheduling::greedy;
use pagekin_tests::place::{Place, Snapshot, html, snapshot, words};

/// Number of small cases that are compared with all possibilities.
const SMALL: u64 = 4_000;
const LARGE: u64 = 2_000;

/// A sequence of requests for `n` subindexes on `m` machines, with the quantities of the bound.
#[derive(Debug)]
struct Case {
    n: u32,
    m: u32,
    requests: Vec<Request>,
    /// `L` and `(1 + α) L`: the minimum and the maximum index load.
    least: u64,
    most: u64,
    /// `β`.
    largest: u64,
}

impl Case {
    /// Draws up to `max_requests` requests for each subindex, with loads of up to `max_load`, in
    /// any order.
    fn drawn(n: u32, m: u32, max_requests: u32, max_load: u32, random: &mut SplitMix64) -> Self {
        let mut requests = Vec::new();
        for subindex in 0..n {
            for _ in 0..=random.below(max_requests) {
                requests.push(Request { subindex, load: u64::from(1 + random.below(max_load)) });
            }
        }
        random.shuffle(&mut requests);
        let mut index_loads = vec![0; n as usize];
        requests.iter().for_each(|request| index_loads[request.subindex as usize] += request.load);
        Self {
            n,
            m,
            least: index_loads.iter().copied().min().expect("there are some"),
            most: index_loads.iter().copied().max().expect("there are some"),
            largest: requests.iter().map(|request| request.load).max().expect("there are some"),
            requests,
        }
    }

    /// `s_i = (n div m) + 2`: the minimum that the layout supports.
    fn places(&self) -> Vec<u64> {
        vec![u64::from(self.n / self.m) + 2; self.m as usize]
    }

    /// `ML*`.
    fn busiest(&self) -> u64 {
        let layout = MirrorLayout::new(self.n, &self.places(), 1).expect("there is room");
        let loads = greedy(self.m, self.requests.iter().copied(), |j| layout.stored_on(j));
        loads.into_iter().max().expect("there are some")
    }

    /// Whether `load <= 2 (1 + α) opt + 2 β`, in integers, where `opt` is a fraction.
    fn is_within_bound(&self, load: u64, (opt, of): (u64, u64)) -> bool {
        load * self.least * of <= 2 * self.most * opt + 2 * self.largest * self.least * of
    }
}

#[test]
fn the_busiest_machine_has_at_most_twice_the_optimum() {
    let mut random = SplitMix64::new(1);
    let (mut apart, mut equal) = (0, 0);
    for _ in 0..SMALL {
        let (n, m) = (1 + random.below(5), 1 + random.below(4));
        let case = Case::drawn(n, m, 3, 6, &mut random);
        let opt = least_load(&case.places(), &case.requests).expect("all fit");
        let busiest = case.busiest();
        assert!(busiest >= opt, "{busiest} is below the optimum {opt}: {case:?}");
        assert!(case.is_within_bound(busiest, (opt, 1)), "{busiest}, optimum {opt}: {case:?}");
        *(if busiest > opt { &mut apart } else { &mut equal }) += 1;
    }
    assert!(apart > 100 && equal > 100, "expected cases of both kinds, found {apart}, {equal}");
}

/// The mean is a lower bound for the busiest machine of any layout.
#[test]
fn small_requests_stay_within_the_bound_relative_to_the_mean() {
    let mut random = SplitMix64::new(2);
    for _ in 0..LARGE {
        let m = 1 + random.below(16);
        let n = m * (1 + random.below(4)) + random.below(m);
        let case = Case::drawn(n, m, 60, 3, &mut random);
        let total = case.requests.iter().map(|request| request.load).sum();
        let (busiest, mean) = (case.busiest(), (total, u64::from(m)));
        assert!(case.is_within_bound(busiest, mean), "{busiest}, mean {mean:?}: {n} on {m}");
    }
}

/// Shows that the bound is not vacuous: a layout with all load on one machine exceeds it.
#[test]
fn all_load_on_one_machine_exceeds_the_bound() {
    let mut random = SplitMix64::new(3);
    let case = Case::drawn(12, 4, 60, 3, &mut random);
    let even = Case {
        requests: (0..1_200).map(|at| Request { subindex: at % 12, load: 1 }).collect(),
        least: 100,
        most: 100,
        largest: 1,
        ..case
    };
    let all = greedy(even.m, even.requests.iter().copied(), |_| [0]);
    assert!(even.is_within_bound(even.busiest(), (1_200, 4)));
    assert!(!even.is_within_bound(all[0], (1_200, 4)));
}

/// Returns a site and a file of four mirrors.
fn spread(settings: &str) -> (Place, String) {
    let place = Place::with_pages(60);
    let host = |at| format!("[[host]]\nurl = \"https://{at}.example.org/kin\"\n");
    let hosts: String = (1..=4).map(host).collect();
    place.write("mirrors.toml", format!("{settings}\n{hosts}"));
    let file = place.path("mirrors.toml").to_str().expect("tests use UTF-8").to_owned();
    (place, file)
}

/// Returns the index files in a folder of an output, by their names there.
fn index_files<'a>(all: &'a Snapshot, folder: &str) -> BTreeSet<&'a str> {
    let below = all.keys().filter_map(|name| name.strip_prefix(folder));
    below.filter(|name| name.starts_with("index/") && name.ends_with(".shard")).collect()
}

#[test]
fn an_index_on_mirrors_answers_like_an_undivided_one() {
    let (place, file) = spread("");
    let small = ["--block-pages", "2", "--pages", "lab"];
    place.build(&small);
    let whole = snapshot(&place.out());
    let text = words(305, 40);
    let (by_text, by_url) =
        (place.similar_to(&text, &[]), place.on_index("similar", &["--url", "/0007.html"]).ok());
    let summary = place.build(&[&small[..], &["--mirrors", &file]].concat());
    assert_eq!(summary.mirrors[2].url, "https://3.example.org/kin/");
    assert!(summary.mirrors.iter().all(|mirror| mirror.files > 0), "{:?}", summary.mirrors);
    assert_eq!(place.similar_to(&text, &[]).urls(), by_text.urls());
    assert_eq!(place.on_index("similar", &["--url", "/0007.html"]).ok(), by_url);

    // Each file is on at least two of the hosts, unchanged, and no longer in the main folder.
    let spread = snapshot(&place.out());
    assert_eq!(index_files(&spread, ""), BTreeSet::new());
    for name in index_files(&whole, "") {
        let copies = (1..=4).filter_map(|host| spread.get(&format!("mirrors/{host}/{name}")));
        let copies: Vec<_> = copies.collect();
        assert!(copies.len() >= 2, "{name} is on {} hosts", copies.len());
        assert!(copies.iter().all(|copy| Some(*copy) == whole.get(name)), "{name}");
    }
    for name in ["pagekin.manifest", "pagekin.kin", "pagekin.js", "index.html"] {
        assert_eq!(spread.get(name), whole.get(name), "{name}");
    }
    for name in ["engine.js", "worker.js", "lab/core.js"] {
        assert_ne!(spread.get(name), whole.get(name), "{name} knows mirrors");
    }
    let output = place.on_index("inspect", &["--verify"]).ok();
    assert!(output.contains("spread over 4 hosts: https://1.example.org/kin/,"), "{output}");
    assert!(output.contains("copies in mirror folders"), "{output}");

    // A build without mirrors replaces one with them, and vice versa.
    place.build(&small);
    assert_eq!(snapshot(&place.out()), whole);
}

#[test]
fn a_changed_copy_is_found() {
    let (place, file) = spread("home = true");
    place.build(&["--block-pages", "2", "--mirrors", &file]);
    let all = snapshot(&place.out());
    let at_home = index_files(&all, "");
    assert!(!at_home.is_empty());
    place.on_index("inspect", &["--verify"]).ok();
    let name = all.keys().find(|name| name.starts_with("mirrors/3/") && name.ends_with(".shard"));
    let name = format!("out/{}", name.expect("there are some"));
    let mut bytes = fs::read(place.path(&name)).expect("it is there");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    place.write(&name, bytes);
    place.on_index("inspect", &["--verify"]).failed_with(&["mirrors/3", "its other copies"]);
}

#[test]
fn unchanged_files_stay_on_their_mirrors() {
    let (place, file) = spread("");
    let out = place.out().display().to_string();
    let follow = ["--block-pages", "2", "--mirrors", &file, "--previous", &out];
    place.build(&follow[..4]);
    let before = snapshot(&place.out());
    place.write("site/0007.html", html("Page 7", &words(305, 40)));
    assert!(place.build(&follow).pages == 60);
    let after = snapshot(&place.out());
    let files = |all: &Snapshot| -> BTreeSet<String> {
        all.keys().filter(|name| name.ends_with(".shard")).cloned().collect()
    };
    let (old, new) = (files(&before), files(&after));
    let kept = old.intersection(&new).count();
    assert!(kept * 2 > old.len() && kept < new.len(), "{kept} of {} files stay", old.len());
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn invalid_mirrors_are_refused() {
    let (place, file) = spread("");
    place.build(&["--mirrors", &file]);
    let before = snapshot(&place.out());
    let build = |settings: &str, options: &[&str]| {
        place.write("other.toml", settings);
        let other = place.path("other.toml").display().to_string();
        place.try_build(&[&["--mirrors", &*other][..], options].concat())
    };
    let refused = |settings: &str, parts: &[&str]| build(settings, &[]).failed_with(parts);
    let host = "[[host]]\nurl = \"https://a.org/\"\n";
    build("", &[]).misused_saying(&["expected a file with 1 to 256 hosts"]);
    refused("hosts = 3", &["other.toml", "unknown field `hosts`"]);
    build(&format!("copies = 2\n{host}"), &[]).misused_saying(&["copies = 2 on 1 hosts"]);
    build(host, &["--pages", "offline"]).misused_saying(&["home = true"]);
    refused(
        &format!("{host}max-megabytes = 0"),
        &["https://a.org/", "too little space", "max-megabytes = 0"],
    );
    place.try_build(&["--mirrors", "nowhere.toml"]).failed_with(&["cannot read nowhere.toml"]);
    assert_eq!(snapshot(&place.out()), before);
}
