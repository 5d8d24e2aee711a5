//! Throughput of a stream, in pages per second, with each way to join it with itself.
//!
//! `cargo xtask bench stream` generates pages of 100 terms, or takes passages of sites, until the
//! horizon is full. One page in fifty repeats a page of the last horizon, with up to four tenths
//! of its terms exchanged.
//!
//! Times are CPU times of one thread without the generation of the pages, so that other running
//! programs have little influence. The pages after the first horizon are timed in parts, of which
//! the median counts.

mod collection;

use std::time::Duration;

use clap::Parser;
use collection::Collection;
use pagekin_duplicates::stream::{Match, Rule, Streaming, Vector};
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::numbers::grouped;
use rustix::time::{ClockId, clock_gettime};

/// A day, in milliseconds.
const HORIZON: i64 = 86_400_000;
/// Number of parts in which the pages after the first horizon are timed.
const PARTS: u64 = 5;
/// Number of pages that are generated at a time, outside the timed code.
const AT_ONCE: u64 = 1_000;

#[derive(Parser)]
struct Arguments {
    /// Folders of HTML pages whose passages become the pages; by default pages are generated
    sites: Vec<std::path::PathBuf>,
    /// Number of pages of a day, which is the horizon; may be repeated
    #[arg(long, value_name = "N", default_values_t = [100_000, 1_000_000], value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    pages: Vec<u64>,
    /// Minimum similarity; may be repeated
    #[arg(long, value_name = "S", default_values_t = [0.7])]
    min: Vec<f64>,
    /// Maximum number of repeats of the last hour whose pairs are found by brute force
    #[arg(long, value_name = "N", default_value_t = 100)]
    sample: u64,
    /// Skip the way that rebuilds the index each hour
    #[arg(long)]
    only_streaming: bool,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let collection = Collection::from_pages(&arguments.sites)?;
    println!("{}", collection.describe());
    println!(
        "{:>10} {:>5}  {:22} {:>12} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "horizon", "min", "", "pages/s", "postings", "checked", "compared", "pairs", "found"
    );
    for &pages in &arguments.pages {
        for &min in &arguments.min {
            let rule = Rule::new(HORIZON, min, 0)?;
            let bench = Bench { collection: &collection, pages, rule };
            bench.run(&bench.sample(arguments.sample), arguments.only_streaming);
        }
    }
    Ok(())
}

struct Bench<'a> {
    collection: &'a Collection,
    pages: u64,
    rule: Rule,
}

/// Cost and results of a way to join.
struct Measured {
    pages_per_second: f64,
    postings: f64,
    examined: f64,
    compared: f64,
    /// Pairs of the pages of the sample, ascending.
    pairs: Vec<(u64, u64)>,
}

impl Bench<'_> {
    /// Returns the last repeats of the last hour, at most `max`, ascending.
    fn sample(&self, max: u64) -> Vec<u64> {
        let pages = self.hour().rev().filter(|&page| Collection::repeats(page));
        let mut pages: Vec<u64> = pages.take(max as usize).collect();
        pages.reverse();
        pages
    }

    fn run(&self, sample: &[u64], only_streaming: bool) {
        let (truth, brute) = self.brute_force(sample);
        let row = |name: &str, measured: &Measured| {
            let found = measured.pairs.iter().filter(|pair| truth.binary_search(pair).is_ok());
            let found = found.count();
            assert_eq!(found, measured.pairs.len(), "{name} reports wrong pairs");
            println!(
                "{:>10} {:>5}  {name:22} {:>12} {:>10.0} {:>10.1} {:>10.1} {:>9} {:>9}",
                grouped(self.pages),
                self.rule.min(),
                grouped(measured.pages_per_second as u64),
                measured.postings,
                measured.examined,
                measured.compared,
                truth.len(),
                found,
            );
        };
        let (measured, bytes) = self.streaming(sample);
        row("streaming", &measured);
        println!("{:18} {:.0} bytes per page of the horizon", "", bytes / self.pages as f64);
        if !only_streaming {
            row("reindexed each hour", &self.reindexed(sample));
        }
        row("brute force", &brute);
    }

    /// Returns the time of a page.
    fn time(&self, page: u64) -> i64 {
        (i128::from(page) * i128::from(HORIZON) / i128::from(self.pages)) as i64
    }

    /// Returns pages with their numbers, generated before the first is returned.
    fn made(&self, pages: std::ops::Range<u64>) -> impl Iterator<Item = Vec<(u64, Vector)>> {
        let Self { collection, pages: horizon, .. } = *self;
        pages.clone().step_by(AT_ONCE as usize).map(move |first| {
            let range = first..pages.end.min(first + AT_ONCE);
            range.map(|page| (page, collection.page(page, horizon))).collect()
        })
    }

    /// Returns the pages that are timed.
    fn timed(&self) -> std::ops::Range<u64> {
        self.pages..self.pages * 3 / 2
    }

    /// Returns the timed pages of the last hour.
    fn hour(&self) -> std::ops::Range<u64> {
        let end = self.timed().end;
        end - self.pages / 24..end
    }

    fn streaming(&self, sample: &[u64]) -> (Measured, f64) {
        let mut streaming = Streaming::new(self.rule.clone());
        let mut matches: Vec<Match> = Vec::new();
        for (page, vector) in self.made(0..self.pages).flatten() {
            streaming.push(&vector, self.time(page), &mut matches).expect("it is in order");
            matches.clear();
        }
        let timed = self.timed();
        let before = streaming.work();
        let (mut pairs, mut seconds) = (Vec::new(), Vec::new());
        let mut bytes = 0f64;
        let part = (timed.end - timed.start) / PARTS;
        for first in timed.clone().step_by(part as usize).take(PARTS as usize) {
            let mut took = 0.0;
            for made in self.made(first..first + part) {
                let start = cpu_seconds();
                for (page, vector) in &made {
                    streaming.push(vector, self.time(*page), &mut matches).expect("it is in order");
                    if sample.binary_search(page).is_ok() {
                        pairs.extend(matches.iter().map(|found| (*page, found.page)));
                    }
                    matches.clear();
                }
                took += cpu_seconds() - start;
            }
            bytes = bytes.max(streaming.bytes() as f64);
            seconds.push(took);
        }
        seconds.sort_by(f64::total_cmp);
        let work = streaming.work();
        let all = (part * PARTS) as f64;
        let measured = Measured {
            pages_per_second: part as f64 / seconds[seconds.len() / 2],
            postings: (work.postings - before.postings) as f64 / all,
            examined: (work.examined - before.examined) as f64 / all,
            compared: (work.compared - before.compared) as f64 / all,
            pairs,
        };
        (measured, bytes)
    }

    /// Looks up the pages of an hour in an index of the horizon built for them, as with a join of
    /// whole collections.
    fn reindexed(&self, sample: &[u64]) -> Measured {
        let std::ops::Range { start: begin, end } = self.hour();
        let hour = end - begin;
        let mut streaming = Streaming::new(self.rule.clone());
        let mut took = 0.0;
        let (mut pairs, mut matches) = (Vec::new(), Vec::new());
        let mut before = streaming.work();
        let first = begin - self.pages;
        for made in self.made(first..end) {
            let start = cpu_seconds();
            for (page, vector) in &made {
                if *page < begin {
                    streaming.take(vector, self.time(*page)).expect("it is in order");
                    before = streaming.work();
                    continue;
                }
                streaming.push(vector, self.time(*page), &mut matches).expect("it is in order");
                if sample.binary_search(page).is_ok() {
                    pairs.extend(matches.iter().map(|found| (*page, first + found.page)));
                }
                matches.clear();
            }
            took += cpu_seconds() - start;
        }
        Measured {
            pages_per_second: hour as f64 / took,
            postings: (streaming.work().postings - before.postings) as f64 / hour as f64,
            examined: (streaming.work().examined - before.examined) as f64 / hour as f64,
            compared: (streaming.work().compared - before.compared) as f64 / hour as f64,
            pairs,
        }
    }

    /// Finds the pairs of the sample's pages by comparing them with all pages; measures the cost.
    fn brute_force(&self, sample: &[u64]) -> (Vec<(u64, u64)>, Measured) {
        let std::ops::Range { start, end } = self.hour();
        let sampled: Vec<(u64, Vector)> =
            sample.iter().map(|&page| (page, self.collection.page(page, self.pages))).collect();
        let (mut pairs, mut took) = (Vec::new(), 0.0);
        for made in self.made(start - self.pages..end) {
            let start = cpu_seconds();
            for (page, vector) in &sampled {
                for (earlier, other) in made.iter().take_while(|(earlier, _)| earlier < page) {
                    let apart = self.time(*page).abs_diff(self.time(*earlier));
                    if self.rule.decayed(vector.cosine(other), apart).is_some() {
                        pairs.push((*page, *earlier));
                    }
                }
            }
            took += cpu_seconds() - start;
        }
        pairs.sort_unstable();
        let measured = Measured {
            pages_per_second: sample.len() as f64 / took,
            postings: 0.0,
            examined: 0.0,
            compared: self.pages as f64,
            pairs: pairs.clone(),
        };
        (pairs, measured)
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32).as_secs_f64()
}
