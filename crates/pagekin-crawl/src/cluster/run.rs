//! Runs the stages of a crawl and publishes the result.
//!
//! Everything is on disk between two stages, so an interrupted run resumes after the last finished
//! stage (see `stages::checkpoint`). Memory is that of one stage: usually a part of the data within
//! [`ClusterOptions::memory`]. Pairing holds the signatures of all URLs, 240 bytes each.

use std::path::{Path, PathBuf};

use pagekin_pages::input::html_folder;
use pagekin_pages::output::staging::Staging;
use pagekin_pages::site::languages;
use pagekin_pages::{Input, InputError, Observer, pool};

use crate::cluster::bags::source;
use crate::cluster::bags::source::{CrawlPages, FragmentSource};
use crate::cluster::error::CrawlError;
use crate::cluster::options::ClusterOptions;
use crate::cluster::stages::checkpoint::Workplace;
use crate::cluster::stages::job::Job;
use crate::cluster::strings::options::StringOptions;
use crate::cluster::summary::ClusterSummary;
use crate::folder::format;

/// Clusters a crawl.
///
/// # Example
///
/// ```
/// use pagekin_crawl::cluster::{ClusterOptions, cluster};
/// use pagekin_crawl::folder::{BagSource, CrawlFolder};
/// use pagekin_pages::Silent;
/// use pagekin_pages::input::Input;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = tempfile::tempdir()?;
/// # let output = place.path().join("crawl");
/// let mut options = ClusterOptions::new(&output);
/// options.bags = BagSource::Content;
/// let summary = cluster(&[Input::Path("../../tests/site".into())], &options, &Silent)?;
/// assert!(summary.clusters > 0);
///
/// let mut crawl = CrawlFolder::open(&output)?;
/// let number = crawl.number_of("https://localhost/kitchen/bread/sourdough.html")?;
/// let (most_similar, _) = crawl.related(number)?[0];
/// assert_eq!(crawl.url(most_similar)?.url, "https://localhost/archive/mirror/sourdough.html");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A [`CrawlError`]. The earlier output is always unchanged. Finished stages are kept next to the
/// output, and the same call resumes from there, unless there is nothing to cluster.
pub fn cluster(
    inputs: &[Input],
    options: &ClusterOptions,
    observer: &dyn Observer,
) -> Result<ClusterSummary, CrawlError> {
    if let Some(strings) = &options.strings {
        return cluster_strings(inputs, strings, options, observer);
    }
    html_folder::check_globs(inputs, &options.inputs, observer)?;
    let pages = CrawlPages {
        inputs,
        options: &options.inputs,
        bags: options.bags,
        language: languages::named(&options.lang)?,
        stop: languages::all(),
        links: options.links,
    };
    cluster_fragments(&pages, options, observer)
}

/// Clusters the fragments of a source. Options for pages are ignored.
///
/// # Errors
///
/// The errors of [`cluster`].
pub fn cluster_fragments(
    source: &dyn FragmentSource,
    options: &ClusterOptions,
    observer: &dyn Observer,
) -> Result<ClusterSummary, CrawlError> {
    let of_source = || Ok((source.paths(), source.identity()?));
    in_place(options, observer, of_source, |job, output| job.cluster_pages(source, output))
}

fn cluster_strings(
    inputs: &[Input],
    strings: &StringOptions,
    options: &ClusterOptions,
    observer: &dyn Observer,
) -> Result<ClusterSummary, CrawlError> {
    if inputs.is_empty() {
        return Err(InputError::NoInput.into());
    }
    strings.check()?;
    let of_inputs = || Ok((source::paths(inputs), source::identity(inputs)?));
    in_place(options, observer, of_inputs, |job, output| {
        job.cluster_strings(inputs, strings, output)
    })
}

/// Runs the stages of a crawl next to its output and then replaces the output as a whole.
/// `of_inputs` returns the paths of the inputs and their identity.
fn in_place(
    options: &ClusterOptions,
    observer: &dyn Observer,
    of_inputs: impl FnOnce() -> Result<(Vec<PathBuf>, Option<String>), CrawlError> + Send,
    run: impl FnOnce(&mut Job<'_>, &Path) -> Result<ClusterSummary, CrawlError> + Send,
) -> Result<ClusterSummary, CrawlError> {
    pool::in_pool(options.threads, || {
        let (paths, identity) = of_inputs()?;
        let paths = paths.iter().map(PathBuf::as_path);
        let staging = Staging::begin(paths, &options.output, format::DESCRIPTION_NAME)?;
        let mut place = Workplace::open(&options.output, identity)?;
        let summary = match run(&mut Job { options, observer, place: &mut place }, staging.path()) {
            Ok(summary) => summary,
            // The same inputs would fail again.
            Err(
                error @ (CrawlError::NoPages { .. }
                | CrawlError::NoRecords { .. }
                | CrawlError::NoBags { .. }
                | CrawlError::NoStrings { .. }),
            ) => {
                place.clear()?;
                return Err(error);
            }
            Err(error) => {
                return Err(match place.leave() {
                    Some(kept) => CrawlError::Kept { source: Box::new(error), kept },
                    None => error,
                });
            }
        };
        staging.list_files([], None)?;
        staging.publish(observer)?;
        place.clear()?;
        Ok(summary)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::classes::ClassSource;
    use crate::cluster::options::{Pairing, TableOptions};
    use crate::cluster::recall::Recall;
    use crate::folder::format::BagSource;
    use crate::folder::read::CrawlFolder;
    use pagekin_core::Preset;
    use pagekin_core::bag::Bag;
    use pagekin_core::center;
    use pagekin_core::center::ClusterLinks;
    use pagekin_core::center::by_similarity::center_by_similarity;
    use pagekin_core::similarity::Overlap;
    use pagekin_pages::{Silent, Stage};
    use pagekin_pairs::Threshold;
    use pagekin_pairs::pairs::verify::SimilarPair;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write as _;
    use std::fs;
    use std::sync::Mutex;

    fn word(number: u32) -> String {
        let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
        [number / 100, number / 10, number].map(|digit| syllables[(digit % 10) as usize]).concat()
    }

    /// Pages about thirty topics, each similar to the next.
    fn pages() -> String {
        let mut lines = String::new();
        for page in 0..240u32 {
            let text: Vec<String> =
                (0..12).map(|at| word(page / 8 * 5 + (page * 7 + at) % 17)).collect();
            let (url, text) = (format!("https://{page}.example/"), text.join(" "));
            writeln!(lines, "{{\"url\": {url:?}, \"title\": \"\", \"text\": {text:?}}}").unwrap();
        }
        lines
    }

    fn pages_in(folder: &Path) -> [Input; 1] {
        let input = folder.join("pages.jsonl");
        fs::write(&input, pages()).unwrap();
        [Input::Path(input)]
    }

    /// An observer that cancels at a stage and records the stages that were resumed.
    struct Stopping {
        at: Option<Stage>,
        now: Mutex<Option<Stage>>,
        resumed: Mutex<Vec<Stage>>,
    }

    impl Stopping {
        fn at(at: Option<Stage>) -> Self {
            Self { at, now: Mutex::default(), resumed: Mutex::default() }
        }
    }

    impl Observer for Stopping {
        fn stage(&self, stage: Stage, _: u64) {
            *self.now.lock().unwrap() = Some(stage);
        }
        fn resumed(&self, stage: Stage) {
            self.resumed.lock().unwrap().push(stage);
        }
        fn warn(&self, _: &str) {}
        fn cancelled(&self) -> bool {
            self.at.is_some() && self.at == *self.now.lock().unwrap()
        }
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let read = |entry: fs::DirEntry| {
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        };
        fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap())).collect()
    }

    fn options(folder: &Path, name: &str) -> ClusterOptions {
        ClusterOptions {
            bags: BagSource::Content,
            threads: Some(2),
            ..ClusterOptions::new(folder.join(name))
        }
    }

    #[test]
    fn an_interrupted_run_resumes_with_the_same_result() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = pages_in(folder.path());
        let whole = options(folder.path(), "whole");
        let summary = cluster(&inputs, &whole, &Silent).unwrap();
        assert!(summary.pairs > 500 && summary.clusters > 10, "{summary:?}");
        let stages = [
            Stage::Reading,
            Stage::Bagging,
            Stage::Weighing,
            Stage::Sketching,
            Stage::Pairing,
            Stage::Verifying,
            Stage::Sorting,
            Stage::Measuring,
        ];
        let halting = options(folder.path(), "halting");
        for (done, stage) in stages.into_iter().enumerate() {
            let observer = Stopping::at(Some(stage));
            let error = cluster(&inputs, &halting, &observer).unwrap_err();
            assert!(!halting.output.exists());
            let place = folder.path().join("halting.unfinished");
            if done == 0 {
                assert!(matches!(error, CrawlError::Interrupted(_)) && !place.exists(), "{error}");
            } else {
                assert!(error.to_string().contains("halting.unfinished"), "{error}");
                assert!(place.exists());
            }
            // All stages before the one where the last run stopped are resumed.
            assert_eq!(observer.resumed.lock().unwrap().len(), done.saturating_sub(1));
        }
        // A changed stage and all later ones run again.
        let half = Threshold::from_thousandths(500).unwrap();
        for (changed, kept) in [
            (ClusterOptions { threshold: half, ..halting.clone() }, 4),
            (ClusterOptions { seed: 5, ..halting.clone() }, 3),
            (ClusterOptions { preset: Preset::Paper, ..halting.clone() }, 0),
            (halting.clone(), 0),
        ] {
            let observer = Stopping::at(Some(Stage::Measuring));
            cluster(&inputs, &changed, &observer).unwrap_err();
            assert_eq!(observer.resumed.lock().unwrap().len(), kept);
        }
        let again = Stopping::at(None);
        let resumed = cluster(&inputs, &halting, &again).unwrap();
        assert_eq!(again.resumed.lock().unwrap().len(), 8);
        assert_eq!((resumed.pairs, resumed.recall), (summary.pairs, summary.recall));
        assert_eq!(files(&whole.output), files(&halting.output));
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "temporary files stay: {names:?}");
    }

    #[test]
    fn tables_find_the_predicted_pairs_with_any_memory() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = pages_in(folder.path());
        let run = |name: &str, pairing, memory| {
            let options = ClusterOptions { pairing, memory, ..options(folder.path(), name) };
            let summary = cluster(&inputs, &options, &Silent).unwrap();
            (pairs_in(&options.output), summary, files(&options.output))
        };
        let much = ClusterOptions::MEMORY;
        let (exact, ..) = run("exact", Pairing::Exact, much);
        let tables = Pairing::Tables(TableOptions { k: Some(2), l: Some(60) });
        let (found, summary, written) = run("tables", tables, much);
        assert!(found.iter().all(|(pair, s)| exact.get(pair) == Some(s)));
        let sum = |of: fn(&Recall) -> f64| summary.recall.iter().map(of).sum::<f64>();
        let pairs = sum(|bin| bin.pairs as f64);
        let (found, predicted) = (sum(|bin| bin.found as f64), sum(|bin| bin.predicted));
        let (found, predicted) = (found / pairs, predicted / pairs);
        assert!(predicted > 0.75 && (found - predicted).abs() < 0.05, "{found}, {predicted}");
        let (_, _, again) = run("little", tables, 3_000);
        assert_eq!(written, again);
    }

    #[test]
    fn little_memory_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = pages_in(folder.path());
        let much = options(folder.path(), "much");
        let little = ClusterOptions { memory: 3_000, ..options(folder.path(), "little") };
        cluster(&inputs, &much, &Silent).unwrap();
        cluster(&inputs, &little, &Silent).unwrap();
        assert_eq!(files(&much.output), files(&little.output));
    }

    /// Every other page has up to 14 copies. Some have another copy with one more word, whose
    /// signature may be the same.
    fn pages_with_twins() -> String {
        let mut lines = String::new();
        for page in 0..60u32 {
            let long = page % 6 == 1;
            let text: Vec<String> = (0..if long { 60 } else { 12 })
                .map(|at| word(page / 4 * 7 + (page * 7 + at) % 67))
                .collect();
            let mut text = text.join(" ");
            for copy in 0..1 + (page % 2) * (page % 15) {
                let url = format!("https://{copy}.{page}.example/");
                if long && copy > 2 {
                    // Increases the count of a word that the text already contains.
                    text += &format!(" {0} {0}", word(page / 4 * 7 + page % 60));
                }
                writeln!(lines, "{{\"url\": {url:?}, \"title\": \"\", \"text\": {text:?}}}")
                    .unwrap();
            }
        }
        lines
    }

    #[test]
    fn twins_are_in_every_list_and_pairs_are_in_both_lists() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("pages.jsonl");
        fs::write(&input, pages_with_twins()).unwrap();
        let inputs = [Input::Path(input)];
        let lists = |name: &str, pairing| {
            let threshold = Threshold::from_thousandths(300).unwrap();
            let options = ClusterOptions { pairing, threshold, ..options(folder.path(), name) };
            let summary = cluster(&inputs, &options, &Silent).unwrap();
            let mut crawl = CrawlFolder::open(&options.output).unwrap();
            let mut lists: BTreeMap<(u32, u32), u16> = BTreeMap::new();
            for url in 0..summary.urls {
                for (other, thousandths) in crawl.related(url).unwrap() {
                    assert_eq!(lists.insert((url, other), thousandths), None, "once each");
                }
            }
            let mut pairs = 0;
            crawl
                .each_pair(|pair| {
                    pairs += 1;
                    assert_eq!(lists.get(&(pair.page, pair.other)), Some(&pair.thousandths));
                    Ok::<(), crate::folder::error::CrawlFolderError>(())
                })
                .unwrap();
            assert!(
                lists.iter().all(|(&(u, v), similarity)| lists.get(&(v, u)) == Some(similarity))
            );
            assert_eq!((pairs, 2 * pairs), (summary.pairs, lists.len() as u64));
            assert_eq!(crawl.description().pairs, summary.pairs);
            let twins = crawl.twin_groups().unwrap().into_iter().map(|(_, twin)| twin).collect();
            (lists, summary, crawl.centers().unwrap(), twins)
        };
        let (exact, of_exact, exact_centers, exact_twins): (_, _, _, BTreeSet<u32>) =
            lists("exact", Pairing::Exact);
        assert_eq!(of_exact.pairs, of_exact.stored_pairs);
        // Enough tables to find all pairs at the similarities of these pages.
        let tables = TableOptions { k: Some(1), l: Some(80) };
        let (found, summary, centers, twins) = lists("tables", Pairing::Tables(tables));
        assert!(summary.twins > 50 && summary.stored_pairs < summary.pairs / 2, "{summary:?}");
        assert!(found.iter().all(|(pair, similarity)| exact.get(pair) == Some(similarity)));
        let high = |&(_, &similarity): &(&(u32, u32), &u16)| similarity >= 500;
        assert!(exact.iter().filter(high).count() > 1_000);
        assert!(exact.iter().filter(high).all(|(pair, _)| found.contains_key(pair)));
        let missed = exact.len() - found.len();
        assert!(missed * 50 < exact.len(), "{missed} of {}", exact.len());
        // CENTER of the lists, by its definition, with clusters joined that have all pairs.
        for (lists, centers, urls, twins) in [
            (&found, centers, summary.urls, twins),
            (&exact, exact_centers, of_exact.urls, exact_twins),
        ] {
            let pairs = lists.iter().map(|(&(u, v), &thousandths)| (u, v, thousandths)).collect();
            let single = center_by_similarity(urls, pairs);
            let mut links = ClusterLinks::default();
            for &(u, v) in
                lists.keys().filter(|(u, v)| u < v && ![u, v].iter().any(|url| twins.contains(url)))
            {
                links.add(single[u as usize], single[v as usize], 1);
            }
            let different = (0..urls).filter(|url| !twins.contains(url));
            let sizes = center::sizes(single.len(), different.map(|url| single[url as usize]));
            let joined = center::join(sizes, links, |pairs, all| pairs == all);
            let expected: Vec<u32> = single.iter().map(|&center| joined[center as usize]).collect();
            assert_ne!(single, expected);
            assert_eq!(centers, expected);
            for (url, &center) in (0..).zip(&centers) {
                assert!(url == center || lists.contains_key(&(url, center)));
            }
        }
    }

    fn pairs_in(output: &Path) -> BTreeMap<(u32, u32), u16> {
        let mut crawl = CrawlFolder::open(output).unwrap();
        let mut pairs = BTreeMap::new();
        for url in 0..crawl.description().urls {
            for (other, thousandths) in crawl.related(url).unwrap() {
                pairs.insert((url, other), thousandths);
            }
        }
        pairs
    }

    #[test]
    fn only_urls_of_a_class_are_paired() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("pages.jsonl");
        let both = pages().replace("\", \"title\"", "\", \"lang\": \"en\", \"title\"")
            + &pages_with_twins();
        fs::write(&input, both).unwrap();
        let inputs = [Input::Path(input)];
        // Two classes are large enough for tables, and one is not.
        let class = |url: &str| {
            let digits: u32 = url.bytes().map(u32::from).sum();
            if digits % 24 == 2 { "few" } else { ["many", "many", "some"][digits as usize % 3] }
        };
        let file = folder.path().join("classes.csv");
        let tables = TableOptions { k: Some(1), l: Some(80) };
        let run = |name: &str, pairing, classes: Option<ClassSource>, memory| {
            let threshold = Threshold::from_thousandths(300).unwrap();
            let options = ClusterOptions {
                pairing,
                threshold,
                classes,
                memory,
                ..options(folder.path(), name)
            };
            let summary = cluster(&inputs, &options, &Silent).unwrap();
            (pairs_in(&options.output), summary, options.output)
        };
        let by_file = || Some(ClassSource::File(file.clone()));
        let (all, _, output) = run("all", Pairing::Exact, None, ClusterOptions::MEMORY);
        let mut crawl = CrawlFolder::open(&output).unwrap();
        let urls: Vec<String> =
            (0..crawl.description().urls).map(|url| crawl.url(url).unwrap().url).collect();
        let mut lines = "class,url\n".to_owned();
        for url in urls.iter().filter(|url| class(url) != "some") {
            writeln!(lines, "{},{url}", class(url)).unwrap();
        }
        writeln!(lines, "many,https://elsewhere.example/").unwrap();
        fs::write(&file, lines).unwrap();
        let is_within = |&(u, v): &(u32, u32)| class(&urls[u as usize]) == class(&urls[v as usize]);
        let expected: BTreeMap<(u32, u32), u16> =
            all.iter().filter(|(pair, _)| is_within(pair)).map(|(&pair, &s)| (pair, s)).collect();
        assert!(expected.len() > 300 && expected.len() < all.len() * 2 / 3);
        let much = ClusterOptions::MEMORY;
        let (exact, summary, _) = run("exact", Pairing::Exact, by_file(), much);
        assert_eq!(exact, expected);
        let classes = summary.classes.unwrap();
        assert_eq!((classes.classes, classes.unknown), (3, 1));
        let unclassified = urls.iter().filter(|url| class(url) == "some").count();
        assert_eq!(classes.unclassified as usize, unclassified);
        let across: u64 = summary.recall.iter().map(|bin| bin.across).sum();
        assert!(across > 0);
        assert!(summary.recall.iter().all(|bin| bin.found + bin.across == bin.pairs));
        let (found, summary, output) = run("tables", Pairing::Tables(tables), by_file(), much);
        assert!(found.iter().all(|(pair, similarity)| expected.get(pair) == Some(similarity)));
        assert!((expected.len() - found.len()) * 50 < expected.len(), "{}", found.len());
        let tables_of = summary.tables.unwrap();
        assert!(tables_of.pairing.tried > 0 && summary.classes.unwrap().compared > 0);
        for bin in &summary.recall {
            assert!(bin.found <= bin.pairs - bin.across, "{bin:?}");
            assert!(bin.predicted <= (bin.pairs - bin.across) as f64 + 1e-9, "{bin:?}");
        }
        // Memory for one class at a time gives the same result.
        let (_, _, little) = run("little", Pairing::Tables(tables), by_file(), 3_000);
        assert_eq!(files(&output), files(&little));
        let language = Some(ClassSource::Language);
        let (found, summary, _) = run("language", Pairing::Tables(tables), language, much);
        assert!(found.iter().all(|(pair, similarity)| all.get(pair) == Some(similarity)));
        let classes = summary.classes.unwrap();
        assert_eq!((classes.classes, classes.largest[0].0.as_str()), (1, "en"));
        assert!(found.len() as f64 >= 0.98 * all.len() as f64, "{}", found.len());
        // Damaged files are reported.
        fs::write(&file, "url,kind\n").unwrap();
        let options = ClusterOptions { classes: by_file(), ..options(folder.path(), "damaged") };
        let error = cluster(&inputs, &options, &Silent).unwrap_err().to_string();
        assert!(
            error.contains("the columns url and class, found the columns url, kind"),
            "{error}"
        );
    }

    #[test]
    fn no_pair_of_a_small_class_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("pages.jsonl");
        // Each folder contains at most 32 pages, about the same topic.
        let both = pages() + &pages_with_twins();
        let url = |line: &str| {
            let mut page = serde_json::from_str::<serde_json::Value>(line).unwrap();
            let host = page["url"].as_str().unwrap().trim_start_matches("https://").to_owned();
            let number = host.trim_end_matches(".example/").rsplit('.').next().unwrap();
            let thing = number.parse::<u32>().unwrap() / 32;
            page["url"] = format!("https://x.example/{thing}-{}/{host}", host.len() > 14).into();
            page.to_string() + "\n"
        };
        fs::write(&input, both.lines().map(url).collect::<String>()).unwrap();
        let options = ClusterOptions {
            classes: Some(ClassSource::Folder { depth: 1 }),
            threshold: Threshold::from_thousandths(250).unwrap(),
            ..options(folder.path(), "small")
        };
        let summary = cluster(&[Input::Path(input)], &options, &Silent).unwrap();
        let classes = summary.classes.unwrap();
        assert!(classes.compared > 4 && classes.compared < classes.classes, "{classes:?}");
        let mut crawl = CrawlFolder::open(&options.output).unwrap();
        let urls: Vec<(String, Bag)> = (0..summary.urls)
            .map(|url| crawl.url(url).unwrap())
            .map(|url| (url.url, Bag::from_sorted(url.bag).unwrap()))
            .collect();
        let class = |url: usize| urls[url].0.split('/').nth(3).unwrap();
        let is_small = |class: &str| {
            !classes.largest.iter().any(|(name, urls)| name.contains(class) && *urls > 40)
        };
        let mut expected = BTreeMap::new();
        for u in 0..urls.len() {
            for v in (0..urls.len()).filter(|&v| v != u && class(v) == class(u)) {
                let overlap = Overlap::between(&urls[u].1, &urls[v].1);
                if options.threshold.is_reached(overlap.intersection, overlap.union) {
                    let pair = SimilarPair { u: u as u32, v: v as u32, overlap };
                    expected.insert((pair.u, pair.v), pair.thousandths());
                }
            }
        }
        let mut found = pairs_in(&options.output);
        for pairs in [&mut expected, &mut found] {
            pairs.retain(|&(u, _), _| is_small(class(u as usize)));
        }
        assert!(expected.len() > 300, "{}", expected.len());
        assert_eq!(found, expected);
    }

    #[test]
    fn tables_find_the_pairs_of_the_exact_join() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = pages_in(folder.path());
        let pairs = |name: &str, pairing| {
            let options = ClusterOptions {
                pairing,
                threshold: Threshold::from_thousandths(400).unwrap(),
                ..options(folder.path(), name)
            };
            let summary = cluster(&inputs, &options, &Silent).unwrap();
            let mut crawl = CrawlFolder::open(&options.output).unwrap();
            let mut pairs = BTreeMap::new();
            for url in 0..summary.urls {
                for (other, thousandths) in crawl.related(url).unwrap() {
                    pairs.insert((url, other), thousandths);
                }
            }
            (pairs, summary)
        };
        let (exact, summary) = pairs("exact", Pairing::Exact);
        assert!(exact.len() > 500 && summary.tables.is_none());
        assert!(summary.recall.iter().all(|bin| bin.found == bin.pairs));
        let tables = TableOptions { k: Some(2), l: Some(80) };
        let (found, summary) = pairs("tables", Pairing::Tables(tables));
        assert!(found.iter().all(|(pair, similarity)| exact.get(pair) == Some(similarity)));
        for bin in &summary.recall {
            let missing = bin.predicted - bin.found as f64;
            assert!(missing < 0.06 * bin.pairs as f64, "{bin:?}");
        }
        let choice = summary.tables.unwrap().choice;
        assert_eq!((choice.k, choice.l), (2, 80));
    }
}
