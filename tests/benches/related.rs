//! Looks up URLs of a clustered crawl that are similar to a URL or a text, by signatures on disk.
//!
//! `cargo xtask bench related SITE_DIR…` clusters sites by the text of their pages,
//! `--generated N` a generated crawl of N URLs (see [`pagekin_tests::anchors`]). Then it looks up
//! the URLs similar to some drawn URLs, and to the text of the words in their bags, and prints the
//! time and the bytes read; all files are in the system's memory. For comparison, it scans all
//! signatures in memory, and all bags.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use pagekin_core::bag::Bag;
use pagekin_core::hash::SplitMix64;
use pagekin_core::similarity::Overlap;
use pagekin_crawl::cluster::{ClusterOptions, StageCost, cluster_fragments};
use pagekin_crawl::{BagSource, CrawlFolder, SimilarOptions, cluster};
use pagekin_pages::{Input, Silent, Stage};
use pagekin_pairs::minhash::{Algorithm, Signer};
use pagekin_tests::anchors::AnchorCrawl;
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::measuring::signatures::Signatures;
use pagekin_tests::measuring::spread::Spread;
use pagekin_tests::measuring::{Failure, On};
use rayon::prelude::*;

const SEED: u64 = 1;
const QUERIES: usize = 300;
/// Queries that are compared with the scans, which are slow.
const SCANNED: usize = 50;
const TOP: usize = 10;
/// The number that [`CrawlFolder::similar_to_url`] compares for ten results.
const COMPARED: usize = 100;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// Working folder
    #[arg(long)]
    folder: PathBuf,
    /// Minimum number of URLs that link to a drawn URL
    #[arg(long, default_value_t = 0)]
    min_in_links: u32,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    fs::create_dir_all(&arguments.folder)?;
    let place = tempfile::tempdir_in(&arguments.folder)?;
    let output = place.path().join("crawl");
    let options = ClusterOptions::new(&output).with(|options| {
        options.signatures = true;
        options.bags = BagSource::Content;
    });
    let summary = match arguments.on.generated {
        Some(urls) => cluster_fragments(&AnchorCrawl::new(urls, SEED), &options, &Silent)?,
        None => {
            let inputs: Vec<Input> = arguments.on.sites.iter().cloned().map(Input::Path).collect();
            let options = options.with(|options| options.links = true);
            cluster(&inputs, &options, &Silent)?
        }
    };
    let mut crawl = CrawlFolder::open(&output)?;
    let urls = crawl.description().urls;
    let bytes = |name: &str| fs::metadata(output.join(name)).map(|metadata| metadata.len());
    let lists = bytes("signatures")? + bytes("signatures.index")?;
    let all: u64 =
        fs::read_dir(&output)?.flatten().flat_map(|of| of.metadata()).map(|of| of.len()).sum();
    println!("{} URLs", grouped(urls.into()));
    if let Some(cost) = summary.stages.iter().find(|cost| cost.stage == Stage::Inverting) {
        let StageCost { seconds, cpu_seconds, .. } = cost;
        let cpu = cpu_seconds.unwrap_or_default();
        let whole: f64 = summary.stages.iter().map(|cost| cost.seconds).sum();
        println!("lists written in {seconds:.1} s (CPU {cpu:.1} s) of {whole:.1} s");
    }
    let per_url = |bytes: u64| bytes as f64 / f64::from(urls);
    println!("{:.0} bytes per URL in lists, {:.0} in all files\n", per_url(lists), per_url(all));

    let options = SimilarOptions { limit: TOP, min_in_links: arguments.min_in_links };
    let mut random = SplitMix64::new(SEED);
    let drawn: Vec<u32> = (0..QUERIES.min(urls as usize)).map(|_| random.below(urls)).collect();
    println!("| query | ms median | p90 | max | kB read, median | p90 | max |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut answers = Vec::new();
    let by_url = measured(&drawn, |&url| {
        answers.push(crawl.similar_to_url(url, options)?);
        Ok(())
    })?;
    row("a URL", by_url);
    let words = crawl.words()?;
    let mut texts = Vec::new();
    for &url in &drawn {
        let bag = crawl.url(url)?.bag;
        let word =
            |of: &(u32, u16)| words.get(&of.0).map(|word| vec![&**word; of.1.into()].join(" "));
        texts.push(bag.iter().filter_map(word).collect::<Vec<_>>().join(" "));
    }
    let by_text = measured(&texts, |text| {
        crawl.similar_to_text(text, "en", options)?;
        Ok(())
    })?;
    row("a text", by_text);
    compare(&mut crawl, &drawn[..SCANNED.min(drawn.len())], &answers, options)
}

/// Measures the microseconds and the bytes of some queries.
fn measured<T>(
    queries: &[T],
    mut ask: impl FnMut(&T) -> Result<(), Failure>,
) -> Result<[Spread; 2], Failure> {
    let (mut micros, mut bytes) = (Vec::new(), Vec::new());
    for query in queries {
        let (before, start) = (read_so_far()?, Instant::now());
        ask(query)?;
        micros.push(start.elapsed().as_micros() as u64);
        bytes.push(read_so_far()? - before);
    }
    Ok([Spread::new(micros), Spread::new(bytes)])
}

/// Returns the bytes that this process has read. Each call reads some hundred more.
fn read_so_far() -> Result<u64, Failure> {
    let io = fs::read_to_string("/proc/self/io")?;
    let line = io.lines().find_map(|line| line.strip_prefix("rchar: "));
    Ok(line.ok_or("expected rchar in /proc/self/io")?.parse()?)
}

fn row(name: &str, [micros, bytes]: [Spread; 2]) {
    let thousandth = |number: u64| number as f64 / 1_000.0;
    print!("| {name} |");
    for Spread { median, p90, max } in [micros, bytes] {
        let [median, p90, max] = [median, p90, max].map(thousandth);
        print!(" {median:.1} | {p90:.1} | {max:.1} |");
    }
    println!();
}

/// Compares the answers with scans of all signatures and of all bags.
fn compare(
    crawl: &mut CrawlFolder,
    drawn: &[u32],
    answers: &[Vec<(u32, u16)>],
    options: SimilarOptions,
) -> Result<(), Failure> {
    let params = crawl.params()?.signature;
    let signer = Signer::new(Algorithm::new(crawl.description().preset), params);
    let bags: Vec<Bag> =
        crawl.urls()?.map(|url| Ok(Bag::from_sorted(url?.bag)?)).collect::<Result<_, Failure>>()?;
    let mut takes = vec![true; bags.len()];
    if options.min_in_links > 0 {
        for (url, takes) in (0..).zip(&mut takes) {
            *takes = crawl.in_links(url)? >= Some(options.min_in_links);
        }
    }
    let signatures = Signatures::new(&signer, params.m, &bags);
    let (mut equal, mut found, mut wanted, mut micros) = (0, 0, 0, Vec::new());
    for (&url, answer) in drawn.iter().zip(answers) {
        let own = &bags[url as usize];
        let similarity = |other: u32| {
            let Overlap { intersection, union } = Overlap::between(own, &bags[other as usize]);
            (u64::from(intersection) * 1_000 / u64::from(union.max(1))) as u16
        };
        let is_asked_for = |&other: &u32| other != url && takes[other as usize];
        let best = |mut of: Vec<(u32, u16)>| {
            of.sort_unstable_by_key(|&(other, thousandths)| {
                (std::cmp::Reverse(thousandths), other)
            });
            of.truncate(TOP);
            of
        };
        let start = Instant::now();
        let most = if options.min_in_links > 0 { bags.len() } else { COMPARED + 1 };
        let agreeing = signatures.most_agreeing(&signer.rows(std::slice::from_ref(own)), most);
        let compared = agreeing.into_iter().filter(is_asked_for).take(COMPARED);
        let shares = |&other: &u32| Overlap::between(own, &bags[other as usize]).intersection > 0;
        let scanned =
            best(compared.filter(shares).map(|other| (other, similarity(other))).collect());
        micros.push(start.elapsed().as_micros() as u64);
        equal += usize::from(scanned == *answer);
        let all: Vec<(u32, u16)> = (0..bags.len() as u32)
            .into_par_iter()
            .filter(is_asked_for)
            .map(|other| (other, similarity(other)))
            .filter(|&(_, thousandths)| thousandths > 0)
            .collect();
        let truth = best(all);
        let least = truth.last().map_or(0, |&(_, thousandths)| thousandths);
        wanted += truth.len();
        found += answer
            .iter()
            .filter(|&&(_, thousandths)| thousandths >= least)
            .count()
            .min(truth.len());
    }
    println!(
        "\nA scan of all signatures: {:.1} ms (median); {equal} of {} answers are equal. Of the {TOP} most similar by all bags, {:.3} are \
         found.",
        Spread::new(micros).median as f64 / 1_000.0,
        drawn.len(),
        found as f64 / wanted.max(1) as f64,
    );
    Ok(())
}
