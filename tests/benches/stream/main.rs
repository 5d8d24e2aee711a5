//! How many pages a second a stream takes, by each way to join it with itself.
//!
//! `cargo xtask bench stream` makes up pages of 100 terms, or takes passages of sites, and puts so
//! many into the horizon. A page in fifty repeats one of the last horizon, with up to four tenths
//! of its terms exchanged.
//!
//! Time is that of the processor, on one thread, without the making of the pages: other programs
//! that run beside it count for little. The pages after the first horizon are timed, in parts of
//! which the median counts.

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
/// Pages after the first horizon are timed in so many parts.
const PARTS: u64 = 5;
/// Pages are made so many at a time, outside what is timed.
const AT_ONCE: u64 = 1_000;

#[derive(Parser)]
struct Arguments {
    /// The folders of HTML pages whose passages are the pages; without one they are made up
    sites: Vec<std::path::PathBuf>,
    /// The pages of a day, which is the horizon; several times to compare
    #[arg(long, value_name = "N", default_values_t = [100_000, 1_000_000], value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    pages: Vec<u64>,
    /// The least similarity, several times to compare
    #[arg(long, value_name = "S", default_values_t = [0.7])]
    min: Vec<f64>,
    /// Repeats of the last hour of which all pairs are found by brute force, at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    sample: u64,
    /// Do without building anew
    #[arg(long)]
    only_streaming: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let collection = Collection::from_pages(&arguments.sites)?;
    println!("{}", collection.describe());
    println!(
        "{:>10} {:>5}  {:22} {:>12} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "horizon", "min", "", "pages/s", "postings", "looked at", "compared", "pairs", "found"
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

/// What a way to join took, and found.
struct Measured {
    pages_per_second: f64,
    postings: f64,
    examined: f64,
    compared: f64,
    /// The pairs of the pages of the sample, ascending.
    pairs: Vec<(u64, u64)>,
}

impl Bench<'_> {
    /// Repeats of the last hour, the last so many, ascending.
    fn sample(&self, most: u64) -> Vec<u64> {
        let pages = self.hour().rev().filter(|&page| Collection::repeats(page));
        let mut pages: Vec<u64> = pages.take(most as usize).collect();
        pages.reverse();
        pages
    }

    fn run(&self, sample: &[u64], only_streaming: bool) {
        let (truth, brute) = self.brute_force(sample);
        let row = |name: &str, measured: &Measured| {
            let found = measured.pairs.iter().filter(|pair| truth.binary_search(pair).is_ok());
            let found = found.count();
            assert_eq!(found, measured.pairs.len(), "{name} tells pairs that are none");
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
        println!("{:18} {:.0} bytes for each page of the horizon", "", bytes / self.pages as f64);
        if !only_streaming {
            row("anew for each hour", &self.anew(sample));
        }
        row("brute force", &brute);
    }

    /// When a page comes.
    fn time(&self, page: u64) -> i64 {
        (i128::from(page) * i128::from(HORIZON) / i128::from(self.pages)) as i64
    }

    /// Some pages with their numbers, made before they are asked for.
    fn made(&self, pages: std::ops::Range<u64>) -> impl Iterator<Item = Vec<(u64, Vector)>> {
        let Self { collection, pages: horizon, .. } = *self;
        pages.clone().step_by(AT_ONCE as usize).map(move |first| {
            let range = first..pages.end.min(first + AT_ONCE);
            range.map(|page| (page, collection.page(page, horizon))).collect()
        })
    }

    /// The pages that are timed.
    fn timed(&self) -> std::ops::Range<u64> {
        self.pages..self.pages * 3 / 2
    }

    /// The last of them.
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

    /// The pages of an hour are looked up in an index of the horizon that is made for them: what
    /// whoever has a join of collections does.
    fn anew(&self, sample: &[u64]) -> Measured {
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

    /// The pairs of the pages of the sample, and what it takes to compare them with all.
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
