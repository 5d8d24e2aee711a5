//! Runs a target on mutated inputs until its time is up.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::coverage::{self, Correction};
use crate::execution::{Execution, Failure};
use crate::mutation::mutate;
use crate::targets::Target;

/// Numbers of executions between checks for new branches, because a check costs more than a fast
/// execution. The number grows as long as there are no new branches.
const BATCHES: std::ops::RangeInclusive<usize> = 4..=512;
/// Maximum number of inputs that are mutated.
const MAX_KEPT: usize = 4_096;
/// Number of the newest inputs, from which half of all inputs are mutated.
const NEWEST: usize = 32;
/// Number of different failures after which a hunt ends.
const MAX_FAILURES: usize = 8;
/// Number of executions that are spent to shrink a failing input.
const SHRINKING: usize = 2_000;

/// The parameters of a hunt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The seed of the random numbers.
    pub seed: u64,
    /// Maximum number of executions. The hunt ends when this or `time` is reached.
    pub executions: u64,
    /// See [`executions`](Self::executions).
    pub time: Duration,
    /// A file to which each input is written before it is read. This is slow, but the file remains
    /// if an input kills the program.
    pub trace: Option<PathBuf>,
    /// The number of inputs with the highest coverage that are reported.
    pub keep: usize,
}

/// The results of a hunt.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// The number of executions.
    pub executions: u64,
    /// The duration in seconds.
    pub seconds: f64,
    /// The number of inputs that were mutated.
    pub corpus: usize,
    /// The number of branches taken, in a build that counts them.
    pub branches: u32,
    /// The maximum memory of an input in bytes.
    pub most_memory: usize,
    /// The failing inputs, with the reasons.
    pub failures: Vec<(Vec<u8>, String)>,
    /// The inputs with new outcomes or branches, those with the most first.
    pub kept: Vec<Vec<u8>>,
}

struct Hunt {
    target: &'static Target,
    execution: Execution,
    rules: Rules,
    corpus: Vec<Vec<u8>>,
    classes: FxHashSet<u64>,
    taken: Correction,
    /// The branches taken in whole batches, including those of the mutation itself.
    met: Correction,
    causes: FxHashSet<String>,
    report: Report,
}

/// Runs a target, starting with stored inputs.
///
/// # Panics
///
/// Panics if the trace cannot be written.
#[must_use]
pub fn hunt(target: &'static Target, rules: Rules, earlier: Vec<Vec<u8>>) -> Report {
    let (execution, seeds) = Execution::prepare(target);
    let mut rng = Rng::with_seed(rules.seed);
    let mut hunt = Hunt {
        target,
        execution,
        corpus: Vec::new(),
        classes: FxHashSet::default(),
        taken: Correction::none(),
        met: Correction::none(),
        causes: FxHashSet::default(),
        report: Report::default(),
        rules,
    };
    let start = Instant::now();
    for mut input in seeds.into_iter().chain(earlier) {
        input.truncate(target.max_bytes);
        coverage::clear();
        hunt.read(&input);
        hunt.taken.is_new(true);
        hunt.corpus.push(input);
    }
    let seeds = hunt.corpus.len();
    assert!(seeds > 0, "{} has inputs to begin with", target.name);
    let mut batch: Vec<Vec<u8>> = vec![Vec::new(); *BATCHES.end()];
    let mut size = *BATCHES.start();
    while hunt.report.executions < hunt.rules.executions
        && start.elapsed() < hunt.rules.time
        && hunt.report.failures.len() < MAX_FAILURES
    {
        coverage::clear();
        let mut kept = vec![false; size];
        for (input, kept) in batch.iter_mut().zip(&mut kept) {
            hunt.draw(input, &mut rng);
            *kept = hunt.read(input);
            // Only a few executions are slow.
            if start.elapsed() >= hunt.rules.time {
                break;
            }
        }
        size = (2 * size).min(*BATCHES.end());
        if hunt.met.is_new(true) {
            size = *BATCHES.start();
            hunt.attribute(&batch[..kept.len()], &mut kept);
        }
        for (input, _) in batch.iter().zip(kept).filter(|(_, kept)| *kept) {
            if hunt.corpus.len() < MAX_KEPT {
                hunt.corpus.push(input.clone());
            }
        }
    }
    let mut report = std::mem::take(&mut hunt.report);
    report.seconds = start.elapsed().as_secs_f64();
    report.corpus = hunt.corpus.len();
    report.branches = hunt.taken.number();
    report.most_memory = hunt.execution.max_memory().0;
    if hunt.rules.keep > 0 {
        report.kept = hunt.farthest(seeds);
    }
    report
}

impl Hunt {
    /// Reruns inputs to find which of them take new branches.
    fn attribute(&mut self, inputs: &[Vec<u8>], kept: &mut [bool]) {
        coverage::clear();
        inputs.iter().for_each(|input| _ = self.read(input));
        match kept {
            [] => {}
            [kept] => *kept |= self.taken.is_new(true),
            _ if !self.taken.is_new(false) => {}
            _ => {
                let middle = kept.len() / 2;
                self.attribute(&inputs[..middle], &mut kept[..middle]);
                self.attribute(&inputs[middle..], &mut kept[middle..]);
            }
        }
    }

    /// Makes an input from the kept ones.
    fn draw(&self, input: &mut Vec<u8>, rng: &mut Rng) {
        let n = self.corpus.len();
        let from = if rng.bool() { 0..n } else { n.saturating_sub(NEWEST)..n };
        input.clone_from(&self.corpus[rng.usize(from)]);
        mutate(input, &self.corpus[rng.usize(0..n)], self.target.max_bytes, rng);
    }

    /// Runs an input, and returns whether its outcome is new.
    fn read(&mut self, input: &[u8]) -> bool {
        self.report.executions += 1;
        if let Some(path) = &self.rules.trace {
            fs::write(path, input).expect("inputs are traced");
        }
        match self.execution.of(input) {
            Ok(outcome) => self.classes.insert(outcome.class),
            Err(failure) => {
                self.ready_again();
                if self.causes.insert(failure.cause.clone()) {
                    let (input, failure) = self.shrunk(input.to_vec(), failure);
                    self.report.failures.push((input, failure.message));
                }
                false
            }
        }
    }

    /// Returns the inputs after the first `seeds` with the most branches and outcomes that no
    /// smaller input has.
    fn farthest(&mut self, seeds: usize) -> Vec<Vec<u8>> {
        self.classes.clear();
        self.taken = Correction::none();
        let mut found = self.corpus.split_off(seeds);
        found.sort_by_key(Vec::len);
        let mut ranked = Vec::new();
        for (input, is_found) in self
            .corpus
            .split_off(0)
            .into_iter()
            .map(|seed| (seed, false))
            .chain(found.into_iter().map(|input| (input, true)))
        {
            let before = self.taken.number();
            coverage::clear();
            let class = self.read(&input);
            self.taken.is_new(true);
            let new = self.taken.number() - before + u32::from(class);
            if is_found && new > 0 {
                ranked.push((new, input));
            }
        }
        ranked.sort_by_key(|&(new, _)| std::cmp::Reverse(new));
        ranked.truncate(self.rules.keep);
        ranked.into_iter().map(|(_, input)| input).collect()
    }

    fn ready_again(&mut self) {
        (self.execution, _) = Execution::prepare(self.target);
    }

    /// Returns the smallest input found with the same cause of failure.
    fn shrunk(&mut self, mut input: Vec<u8>, mut failure: Failure) -> (Vec<u8>, Failure) {
        let start = Instant::now();
        let (mut piece, mut spent) = (input.len() / 2, 0);
        while piece > 0 {
            let mut at = 0;
            while at < input.len() {
                spent += 1;
                if spent > SHRINKING || start.elapsed() > Duration::from_secs(20) {
                    return (input, failure);
                }
                let end = input.len().min(at + piece);
                let smaller = [&input[..at], &input[end..]].concat();
                match self.execution.of(&smaller) {
                    Err(same) if same.cause == failure.cause => (input, failure) = (smaller, same),
                    Err(_) => at = end,
                    Ok(_) => {
                        at = end;
                        continue;
                    }
                }
                self.ready_again();
            }
            piece /= 2;
        }
        (input, failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealing::seal_plain;
    use crate::targets::Outcome;
    use pagekin_core::shard::{Kind, open};
    use std::sync::Mutex;

    /// Fails on a payload that mutation reaches only step by step, and that follows a checksum.
    const PLANTED: Target = Target {
        name: "planted",
        reads: "a payload in which a failure is planted",
        prepare: || {
            let mut shard = Vec::new();
            let run = move |input: &[u8]| {
                seal_plain(Kind::Sample, 7, input, &mut shard);
                let (_, payload) = open("x", Kind::Sample, Some(7), &shard).expect("it is sound");
                let same = payload.iter().zip(b"rye").take_while(|(a, b)| a == b).count();
                assert!(same < 3, "planted");
                Outcome::sized(payload.len(), same as u8, 0)
            };
            (vec![b"........".to_vec()], Box::new(run))
        },
        max_bytes: 64,
        memory_of_byte: 8,
        memory_free: 64 << 10,
        short: 0,
    };

    const GREEDY: Target = Target {
        prepare: || {
            let run = |input: &[u8]| {
                let bytes = usize::from(input.first() == Some(&b'x')) << 17;
                Outcome::sized(input.len(), 0, std::hint::black_box(vec![1u8; bytes]).len())
            };
            (vec![b"w".to_vec()], Box::new(run))
        },
        ..PLANTED
    };

    /// Memory is measured for the whole program, so hunts run one at a time.
    static ALONE: Mutex<()> = Mutex::new(());

    fn rules(seed: u64) -> Rules {
        Rules { seed, executions: 300_000, time: Duration::from_secs(60), trace: None, keep: 0 }
    }

    #[test]
    fn a_planted_failure_is_found_and_shrunk() {
        static TARGET: Target = PLANTED;
        let _alone = ALONE.lock();
        let report = hunt(&TARGET, rules(1), Vec::new());
        let [(input, why)] = &report.failures[..] else { panic!("{:?}", report.failures) };
        assert_eq!(input, b"rye");
        assert!(why.contains("planted"), "{why}");
        let again = hunt(&TARGET, rules(1), Vec::new());
        assert_eq!((again.executions, again.failures), (report.executions, report.failures));
    }

    #[test]
    fn excessive_memory_is_a_failure() {
        static TARGET: Target = GREEDY;
        let _alone = ALONE.lock();
        let report = hunt(&TARGET, Rules { executions: 5_000, ..rules(2) }, Vec::new());
        let [(input, why)] = &report.failures[..] else { panic!("{:?}", report.failures) };
        assert_eq!(input, b"x");
        assert!(why.contains("bytes of memory"), "{why}");
    }
}
