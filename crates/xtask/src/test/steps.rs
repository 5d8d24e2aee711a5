//! The steps of `cargo xtask test`: their times, their budgets, and the tests that were skipped.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::repo::Repo;
use crate::run;

const BUDGETS: &str = "crates/xtask/budgets.toml";
/// The prefix of the names of steps that install tools, which have no budget.
const SET_UP: &str = "set-up: ";

pub(super) struct Steps {
    done: Vec<Step>,
    failed: Option<&'static str>,
    skipped: Vec<Skipped>,
    /// Whether a missing tool is an error, as in CI.
    needs_all: bool,
    /// Only for whole runs.
    budgets: Option<Budgets>,
}

struct Step {
    name: &'static str,
    wall: Duration,
    /// The CPU time of all processes, if the system reports it.
    cpu: Option<Duration>,
}

struct Skipped {
    tests: &'static str,
    reason: String,
}

/// Maximum CPU seconds of each step.
#[derive(Deserialize)]
struct Budgets {
    /// The result of [`yardstick`] on the machine of the budgets. A slower one has larger budgets.
    yardstick: f64,
    cpu_seconds: BTreeMap<String, f64>,
    /// The result on this machine.
    #[serde(skip)]
    here: f64,
}

impl Steps {
    pub(super) fn new() -> Self {
        let needs_all = env::var_os("CI").is_some();
        Self { done: Vec::new(), failed: None, skipped: Vec::new(), needs_all, budgets: None }
    }

    pub(super) fn with_budgets(repo: &Repo) -> Result<Self> {
        let read =
            || -> Result<Budgets> { Ok(toml::from_str(&fs::read_to_string(repo.path(BUDGETS))?)?) };
        let mut budgets = read().with_context(|| format!("cannot read {BUDGETS}"))?;
        budgets.here = yardstick().max(budgets.yardstick);
        Ok(Self { budgets: Some(budgets), ..Self::new() })
    }

    pub(super) fn run<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        eprintln!("== {name}");
        let (start, before) = (Instant::now(), run::cpu_time());
        let result = step();
        let cpu = before.zip(run::cpu_time()).map(|(before, after)| after.saturating_sub(before));
        self.done.push(Step { name, wall: start.elapsed(), cpu });
        if result.is_err() {
            self.failed = Some(name);
        }
        result
    }

    pub(super) fn cargo(
        &mut self,
        repo: &Repo,
        name: &'static str,
        arguments: &[&str],
    ) -> Result<()> {
        self.run(name, || run::visible(&mut repo.cargo(arguments)))
    }

    /// Finds or installs the tools of some tests. If that fails, returns nothing and skips these
    /// tests, except in CI.
    pub(super) fn set_up<T>(
        &mut self,
        name: &'static str,
        tests: &'static str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        debug_assert!(name.starts_with(SET_UP));
        match self.run(name, step) {
            Ok(tool) => Ok(Some(tool)),
            Err(error) if self.needs_all => Err(error),
            Err(error) => {
                self.failed = None;
                let causes: Vec<_> = error.chain().map(ToString::to_string).collect();
                self.skip(tests, causes.join(" Cause: "));
                Ok(None)
            }
        }
    }

    pub(super) fn skip(&mut self, tests: &'static str, reason: String) {
        eprintln!("== SKIPPED: {tests}. {reason}");
        self.skipped.push(Skipped { tests, reason });
    }

    /// Prints the times of the steps, those over budget, and the skipped tests.
    pub(super) fn summarize(&mut self) {
        eprintln!("== summary: elapsed time and CPU time");
        for Step { name, wall, cpu } in &self.done {
            eprintln!("{}  {name}", times(*wall, *cpu));
        }
        let over = self.budgets.as_mut().map(|budgets| {
            budgets.here = budgets.here.max(yardstick());
            budgets.report(&self.done)
        });
        for line in over.unwrap_or_default() {
            eprintln!("{line}");
        }
        for Skipped { tests, reason } in &self.skipped {
            let first = reason.lines().next().unwrap_or_default();
            eprintln!("SKIPPED: {tests}. {first}");
        }
        let end = match (self.failed, self.skipped.len()) {
            (Some(name), _) => format!("in all; failed: {name}"),
            (None, 0) => "in all; everything passed".to_owned(),
            (None, skipped) => format!("in all; everything passed, {skipped} skipped"),
        };
        let wall = self.done.iter().map(|step| step.wall).sum();
        let cpu = self.done.iter().map(|step| step.cpu).sum();
        eprintln!("{}  {end}", times(wall, cpu));
    }
}

impl Budgets {
    /// The lines about steps that exceeded their budget or have none. They include the yardstick: a
    /// busy machine takes longer for everything.
    fn report(&self, steps: &[Step]) -> Vec<String> {
        let Self { yardstick, here, cpu_seconds } = self;
        let mut lines = vec![format!(
            "{here:.2} CPU s for the yardstick, {yardstick} where the budgets of {BUDGETS} were measured"
        )];
        for Step { name, cpu, .. } in steps.iter().filter(|step| !step.name.starts_with(SET_UP)) {
            let Some(&budget) = cpu_seconds.get(*name) else {
                lines.push(format!("no budget: {name}"));
                continue;
            };
            let budget = budget * here / yardstick;
            let cpu = cpu.map_or(0.0, |cpu| cpu.as_secs_f64());
            if cpu > budget {
                let percent = (cpu / budget - 1.0) * 100.0;
                lines.push(format!(
                    "over budget by {percent:.0}%: {name}, {cpu:.0} of {budget:.0} CPU s"
                ));
            }
        }
        lines
    }
}

/// The CPU seconds of each processor for the same work at the same time: sums, and random reads
/// from memory.
fn yardstick() -> f64 {
    let work = || {
        let mut memory = vec![1_u32; 1 << 23];
        let mut state = 1_u32;
        for _ in 0..6_000_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (state ^ memory[state as usize >> 9]) as usize >> 9;
            memory[at] = memory[at].wrapping_add(state);
        }
        black_box(memory[0])
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let before = run::cpu_time();
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(work);
        }
    });
    let taken = before.zip(run::cpu_time()).map(|(before, after)| after.saturating_sub(before));
    taken.map_or(0.0, |taken| taken.as_secs_f64() / processors as f64)
}

fn times(wall: Duration, cpu: Option<Duration>) -> String {
    let cpu = cpu.map_or_else(|| "?".to_owned(), |cpu| format!("{:.1}", cpu.as_secs_f64()));
    format!("{:>7.1} s {cpu:>7} CPU s", wall.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn the_budgets_can_be_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/budgets.toml");
        let budgets: Budgets = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        assert!(budgets.cpu_seconds.contains_key("browser tests"));
    }

    #[test]
    fn steps_over_budget_are_reported() {
        let text = "yardstick = 0.5\n[cpu_seconds]\nlint = 20\ntests = 9.5";
        let mut budgets = Budgets { here: 0.5, ..toml::from_str(text).unwrap() };
        let step = |name, seconds| Step {
            name,
            wall: Duration::ZERO,
            cpu: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(budgets.report(&[step("lint", 20), step("set-up: Java", 99)]).len(), 1);
        let steps = [step("lint", 30), step("tests", 10), step("docs", 1)];
        assert_eq!(
            budgets.report(&steps)[1..],
            [
                "over budget by 50%: lint, 30 of 20 CPU s",
                "over budget by 5%: tests, 10 of 10 CPU s",
                "no budget: docs"
            ]
        );
        budgets.here = 1.0;
        assert_eq!(budgets.report(&steps)[1..], ["no budget: docs"]);
    }

    #[test]
    fn a_missing_tool_skips_its_tests_and_fails_in_ci() {
        let mut steps = Steps { needs_all: false, ..Steps::new() };
        let missing = || -> Result<()> { Err(anyhow!("no browser").context("cannot test")) };
        assert!(steps.set_up("set-up: browser", "browser tests", missing).unwrap().is_none());
        assert_eq!(steps.skipped[0].tests, "browser tests");
        assert_eq!(steps.skipped[0].reason, "cannot test Cause: no browser");
        assert!(steps.failed.is_none());
        steps.needs_all = true;
        assert!(steps.set_up("set-up: browser", "browser tests", missing).is_err());
        assert_eq!(steps.failed, Some("set-up: browser"));
    }
}
