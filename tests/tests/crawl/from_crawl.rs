//! `pagekin build --from`: a clustered crawl as a static index, compared with the bags of the crawl
//! and with the index of the same pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::LookupOptions;
use pagekin_core::bag::{Bag, BagRules, Frequency};
use pagekin_core::shard::Manifest;
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::{Analyzer, Language, for_each_word};
use pagekin_core::vocabulary::term_id;
use pagekin_crawl::folder::CrawlFolder;
use pagekin_index::LocalIndex;
use pagekin_pages::site::html::read_html;
use pagekin_pages::site::word_ids::index_term;
use pagekin_tests::place::{on_index, similar, snapshot, teaching_site};
use pagekin_tests::program::{Done, Summary, command, pagekin, run};
use pagekin_tests::truth::Truth;
use serde_json::{Value, json};
use tempfile::TempDir;

const BASE: &str = "https://teaching.example/";

/// A crawl in `crawl`, whose index goes to `out`.
struct Crawl(TempDir);

impl Crawl {
    /// Clusters the teaching site.
    fn from_site(options: &[&str]) -> Self {
        let crawl = Self(tempfile::tempdir().expect("there is room for a folder"));
        let mut cluster = command(["crawl", "cluster", "--quiet"]);
        cluster.args(options).arg(teaching_site()).arg("-o").arg(crawl.folder());
        run(&mut cluster, b"").ok();
        crawl
    }

    /// Clusters pages given as JSONL, by their texts.
    fn from_pages(pages: &[Value]) -> Self {
        let crawl = Self(tempfile::tempdir().expect("there is room for a folder"));
        let lines: Vec<_> = pages.iter().map(Value::to_string).collect();
        let mut cluster = command(["crawl", "cluster", "-", "--quiet", "--bags", "content", "-o"]);
        run(cluster.arg(crawl.folder()), lines.join("\n").as_bytes()).ok();
        crawl
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn folder(&self) -> PathBuf {
        self.path("crawl")
    }

    fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// Tries to build its index at a path.
    fn try_build_at(&self, out: &Path, options: &[&str]) -> Done {
        let mut build = command(["build", "--from"]);
        run(build.arg(self.folder()).arg("-o").arg(out).args(options), b"")
    }

    #[track_caller]
    fn build(&self, options: &[&str]) -> Summary {
        let json = self.try_build_at(&self.out(), &[options, &["--json", "--quiet"]].concat()).ok();
        serde_json::from_str(&json).expect("the summary has the shape of `Summary`")
    }

    /// Returns the bag of each URL, with the ids of an index.
    fn bags(&self) -> BTreeMap<String, Bag> {
        let crawl = CrawlFolder::open(&self.folder()).expect("it was written");
        let bag = |url: Result<_, _>| {
            let pagekin_crawl::folder::CrawledUrl { url, bag, .. } = url.expect("it was written");
            let bag = bag.into_iter().map(|(word, copies)| (index_term(word), copies)).collect();
            (url, Bag::from_sorted(bag).expect("its terms ascend"))
        };
        crawl.urls().expect("they were written").map(bag).collect()
    }

    /// Returns the same bags as in an index: without terms that only one URL contains or that too
    /// many contain, which the vocabulary of the index omits.
    fn indexed_bags(&self, manifest: &Manifest) -> BTreeMap<String, Bag> {
        let crawl = CrawlFolder::open(&self.folder()).expect("it was written");
        let terms = crawl.terms().expect("they were written").into_iter();
        let known: BTreeSet<_> = terms.map(|(word, _)| index_term(word)).collect();
        let counts = |term| known.contains(&term) && manifest.vocabulary.weight(term) > 0;
        let rules = BagRules { frequency: Frequency::Linear, ..manifest.params.bag };
        let indexed = |bag: Bag| {
            let kept = bag.entries().iter().filter(|entry| counts(entry.0));
            let kept: Vec<_> = kept.map(|&(term, copies)| (term, u32::from(copies))).collect();
            if kept.is_empty() || kept.len() == bag.entries().len() {
                return bag;
            }
            Bag::weigh_by(&kept, |_| 1, &rules)
        };
        self.bags().into_iter().map(|(url, bag)| (url, indexed(bag))).collect()
    }
}

/// Returns the bag of a text, with the vocabulary of an index.
fn bag_of(text: &str, manifest: &Manifest) -> Bag {
    let language = Language::english();
    let analyzer = Analyzer::new(&language, &manifest.stop);
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for_each_word(text, |word| {
        if let Some(stem) = analyzer.term(word) {
            *counts.entry(term_id(&stem)).or_default() += 1;
        }
    });
    let counts: Vec<_> = counts.into_iter().collect();
    Bag::weigh(&counts, &manifest.vocabulary, &manifest.params.bag)
}

/// Rounds to billionths, because printing and parsing does not preserve every bit.
fn rounded(similarity: f64) -> u64 {
    (similarity * 1e9).round() as u64
}

/// Returns the similarity of each bag except that of `but` to one, in billionths, omitting those
/// below a twentieth of the best.
fn brute_force(to: &Bag, bags: &BTreeMap<String, Bag>, but: &str) -> BTreeMap<String, u64> {
    let others = bags.iter().filter(|(url, _)| *url != but);
    let all: Vec<_> = others.map(|(url, bag)| (url, Overlap::between(to, bag).jaccard())).collect();
    let best = all.iter().map(|&(_, similarity)| similarity).fold(0.0, f64::max);
    let found = all.into_iter().filter(|&(_, found)| found > 0.0 && found >= 0.05 * best);
    found.map(|(url, similarity)| (url.clone(), rounded(similarity))).collect()
}

/// Returns all results of an index, by URL, in billionths.
#[track_caller]
fn answers(out: &Path, options: &[&str]) -> BTreeMap<String, u64> {
    let answer =
        similar(out, &[options, &["--threshold", "0", "--limit", "1000", "--copies"]].concat(), "");
    answer.results.into_iter().map(|kin| (kin.url, rounded(kin.similarity))).collect()
}

/// Returns the English pages of the teaching site that have a bag: their files and their URLs below
/// `base`.
fn pages(crawl: &Crawl, base: &str) -> Vec<(PathBuf, String)> {
    let bags = crawl.bags();
    let site = teaching_site();
    let names = snapshot(&site).into_keys().filter(|name| name.ends_with(".html"));
    let addressed = names.map(|name| {
        let below = name
            .strip_suffix("index.html")
            .filter(|folder| folder.ends_with('/') || folder.is_empty());
        let url = format!("{base}{}", below.unwrap_or(&name));
        (site.join(&name), url)
    });
    addressed
        .filter(|(path, url)| bags.contains_key(url) && !path.starts_with(site.join("de")))
        .collect()
}

#[test]
fn similarities_equal_those_of_the_bags_of_the_crawl() {
    check_similarities("web");
}

#[test]
fn similarities_equal_those_of_the_bags_with_the_papers_parameters() {
    check_similarities("paper");
}

#[track_caller]
fn check_similarities(preset: &str) {
    let crawl = Crawl::from_site(&["--bags", "content", "--base-url", BASE, "--preset", preset]);
    let bags = crawl.bags();
    let summary = crawl.build(&[]);
    assert_eq!((summary.pages, summary.html_files), (bags.len() as u64, bags.len() as u64));
    on_index("inspect", &crawl.out(), &["--verify"]).ok();
    let index = LocalIndex::open(&crawl.out()).expect("it was written");
    let manifest = index.index().manifest();
    assert_eq!(manifest.base_url, BASE);
    let bags = crawl.indexed_bags(manifest);
    let pages = pages(&crawl, BASE);
    assert!(pages.len() > 50, "{}", pages.len());
    for (path, url) in &pages {
        let bag = bag_of(&read_html(&fs::read(path).expect("it is there")).page.text, manifest);
        // A page may have only a title, which counts in a crawl.
        if !bag.is_empty() {
            let found = answers(
                &crawl.out(),
                &["--file", path.to_str().expect("its name is ASCII"), "--lang", "en"],
            );
            assert_eq!(found, brute_force(&bag, &bags, ""), "{url}");
            // Pages in the archive are copies.
            let best = found.values().max();
            assert!(found.get(url) == best || url.contains("/archive/"), "{url}: {best:?}");
        }
        let expected = brute_force(&bags[url], &bags, url);
        assert_eq!(answers(&crawl.out(), &["--url", url]), expected, "{url}");
    }
}

/// They differ in titles: in a crawl their words describe the page, and in a site they count
/// only if its text contains them. They also differ in rounding: part of a bag's counts in a
/// crawl belongs to terms that no other URL has, so the others are rounded more coarsely.
#[test]
fn an_index_of_a_site_and_one_of_its_crawl_give_similar_answers() {
    let crawl = Crawl::from_site(&["--bags", "content"]);
    crawl.build(&[]);
    let of_site = crawl.path("of-site");
    let mut build = command(["build", "--quiet"]);
    run(build.arg(teaching_site()).arg("-o").arg(&of_site), b"").ok();
    let (mut first, mut own, mut differ, mut n) = (0, 0, 0, 0);
    let records = LocalIndex::open(&of_site).unwrap().records().unwrap();
    let titles_alone = Truth::load().titles_alone;
    let of_both: Vec<_> = pages(&crawl, "https://localhost/")
        .into_iter()
        // The base URL of the site was not given.
        .map(|(path, url)| (path, url.replacen("https://localhost", "", 1)))
        .filter(|(_, url)| records.iter().any(|record| record.url == *url))
        // Pages in the archive are copies.
        .filter(|(_, url)| !url.contains("/archive/") && !titles_alone.contains(url))
        .collect();
    for (path, url) in &of_both {
        let options = ["--file", path.to_str().unwrap()];
        let (site, crawl) = (answers(&of_site, &options), answers(&crawl.out(), &options));
        let is_best = |of: &BTreeMap<String, u64>| of.get(url) == of.values().max();
        first += usize::from(is_best(&site) && is_best(&crawl));
        own += crawl[url];
        for (kin, &similarity) in site.iter().filter(|(_, similarity)| **similarity >= 100_000_000)
        {
            differ += similarity.abs_diff(crawl.get(kin).copied().unwrap_or_default());
            n += 1;
        }
    }
    let mean = |sum: u64, of: usize| sum as f64 / of as f64 / 1e9;
    let (own, differ) = (mean(own, of_both.len()), mean(differ, n));
    assert_eq!(first, of_both.len());
    assert!(own > 0.9 && differ < 0.05, "own {own}, differ {differ}");
}

#[test]
fn a_build_is_the_same_with_any_number_of_threads_and_repeatedly() {
    let crawl = Crawl::from_site(&["--base-url", BASE]);
    let built = |name: &str, options: &[&str]| {
        let out = crawl.path(name);
        crawl.try_build_at(&out, &[options, &["--quiet"]].concat()).ok();
        snapshot(&out)
    };
    let one = built("one", &["--threads", "1"]);
    assert!(one.len() > 20, "{:?}", one.keys());
    assert_eq!(one, built("three", &["--threads", "3"]));
    assert_eq!(one, built("one", &[]));
    let previous = crawl.path("three");
    assert_eq!(one, built("four", &["--previous", previous.to_str().unwrap()]));
    let packs = ["--layout", "packs", "--related-count", "0"];
    let packed = built("packs", &packs);
    assert!(packed.len() < one.len() && !packed.contains_key("pagekin.kin"));
    on_index("inspect", &crawl.path("packs"), &["--verify"]).ok();
}

/// Two shops, one of which identifies its pages by a query string.
fn shops() -> Crawl {
    let page =
        |url: &str, title: &str, text: &str| json!({"url": url, "title": title, "text": text});
    Crawl::from_pages(&[
        page("https://shop.example/item?id=1", "Oven", "enamel oven for sourdough rye bread"),
        page("https://shop.example/item?id=2", "Tent", "canvas tent with poles, pegs and rope"),
        page("http://market.example/", "Market", "canvas awning with poles and rope"),
        page("http://market.example/bread", "", "sourdough rye bread, wheat bread"),
    ])
}

#[test]
fn pages_of_many_hosts_have_absolute_urls_with_queries() {
    let crawl = shops();
    let summary = crawl.build(&["--related-json"]);
    assert_eq!(summary.pages, 4);
    on_index("inspect", &crawl.out(), &["--verify"]).ok();
    let best = |url: &str| {
        let kin = similar(&crawl.out(), &["--url", url], "");
        kin.urls().first().map(|url| (*url).to_owned()).unwrap_or_default()
    };
    assert_eq!(best("https://shop.example/item?id=1"), "http://market.example/bread");
    assert_eq!(best("https://shop.example/item?id=2#top"), "http://market.example/");
    assert_eq!(
        best("http://market.example/index.html?from=there"),
        "https://shop.example/item?id=2"
    );
    let json = fs::read_to_string(crawl.path("out/related.json")).unwrap();
    let related: BTreeMap<String, Value> = serde_json::from_str(&json).unwrap();
    assert_eq!((related.len(), &related["base"]), (5, &Value::from("")));
    assert_eq!(related["https://shop.example/item?id=2"][0]["url"], "http://market.example/");
    let entry = fs::read_to_string(crawl.path("out/pagekin.kin")).unwrap();
    let entry: Value = serde_json::from_str(&entry).unwrap();
    assert_eq!(entry["base"], "");
    on_index("similar", &crawl.out(), &["--url", "https://none.example/"])
        .failed_with(&["https://none.example/", "http:// or https://"]);
}

#[test]
fn a_page_is_found_by_words_of_its_title_that_no_bag_contains() {
    let page = |number: usize| {
        let word = format!("{}y", char::from(b'b' + number as u8 % 20).to_string().repeat(4));
        let (title, lang) = match number {
            7 => ("Dropping a view".to_owned(), "en"),
            8 => ("Eine Ansicht löschen".to_owned(), "de"),
            _ => (format!("Page {number}"), "en"),
        };
        let some = if number.is_multiple_of(8) { "Kolibri" } else { "" };
        let text = format!("Drop the view of the {word} {word} {some}, löschen: Ansicht.");
        json!({"url": format!("https://x.example/{number}"), "title": title, "text": text, "lang": lang})
    };
    let crawl = Crawl::from_pages(&(0..60).map(page).collect::<Vec<_>>());
    crawl.build(&[]);
    let mut folder = LocalIndex::open(&crawl.out()).expect("it is read");
    let bags = crawl.indexed_bags(folder.index().manifest());
    assert!(bags.values().all(|bag| bag.count(term_id("drop")) == 0), "all URLs have it");
    for (words, url) in [("drop view", "7"), ("die Ansicht löschen", "8")] {
        let found =
            folder.search(words, "", LookupOptions::default()).expect("it has words").results;
        let urls: Vec<_> = found.iter().map(|kin| kin.url.as_str()).collect();
        assert_eq!(urls, [format!("https://x.example/{url}")], "{words}");
    }
}

#[test]
fn an_invalid_or_damaged_crawl_is_reported_and_loses_nothing() {
    let crawl = shops();
    crawl.build(&[]);
    let before = snapshot(&crawl.out());
    let fails = |saying: &[&str]| {
        crawl.try_build_at(&crawl.out(), &["--quiet"]).failed_with(saying);
        assert_eq!(snapshot(&crawl.out()), before);
    };
    for (name, from, to) in [
        ("crawl.json", &b"\"version\": 1"[..], &b"\"version\": 2"[..]),
        ("crawl.json", b"\"sum\": 400", b"\"sum\": 401"),
        ("urls", b"shop.example", b"shot.example"),
        ("terms", b"bread", b"broad"),
    ] {
        let path = crawl.folder().join(name);
        let sound = fs::read(&path).unwrap();
        let at = sound.windows(from.len()).position(|found| found == from).expect("it is there");
        fs::write(&path, [&sound[..at], to, &sound[at + from.len()..]].concat()).unwrap();
        let folder = crawl.folder();
        fails(&[folder.to_str().unwrap(), "expected", "again"]);
        fs::write(&path, sound).unwrap();
    }
    crawl.build(&[]);
    assert_eq!(snapshot(&crawl.out()), before);
    let site = teaching_site();
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    pagekin(["build", "--from", &path(&site), "-o", &path(&crawl.out())])
        .failed_with(&["crawl.json"]);
    for out in [crawl.folder(), crawl.folder().join("below/out"), crawl.path("")] {
        crawl
            .try_build_at(&out, &[])
            .failed_with(&["it contains the crawl", "Choose a folder outside it"]);
    }
}

#[test]
fn options_for_reading_a_crawl_are_refused() {
    let crawl = shops();
    for option in [
        &["--lang", "de"][..],
        &["--base-url", "/docs/"],
        &["--exclude", "drafts/**"],
        &["--keep-repeated"],
    ] {
        let message = crawl.try_build_at(&crawl.out(), option).failed(2);
        for part in ["--from", option[0], "these options belong to `pagekin crawl cluster`"] {
            assert!(message.contains(part), "expected {part:?} in: {message}");
        }
        assert!(
            !message.contains("--clean-urls"),
            "options that were not given are not named: {message}"
        );
    }
    let site = teaching_site();
    let message = crawl.try_build_at(&crawl.out(), &[site.to_str().unwrap()]).failed(2);
    assert!(message.contains("SITE"), "{message}");
    assert!(!crawl.out().exists());
}
