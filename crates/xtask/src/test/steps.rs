//! The steps of `cargo xtask test`: what each takes, and what it may take.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::repo::Repo;
use crate::run;

const LIMITS: &str = "crates/xtask/limits.toml";
/// What begins the name of a step that installs something, which has no limit.
const SET_UP: &str = "set-up: ";

/// The steps so far, their times, and whether the last one failed.
pub(super) struct Steps {
    done: Vec<Step>,
    failed: Option<&'static str>,
    /// If steps are held to them.
    limits: Option<Limits>,
}

struct Step {
    name: &'static str,
    wall: Duration,
    /// Of all processes, as far as the machine tells.
    cpu: Option<Duration>,
}

/// How many CPU seconds each step may take.
#[derive(Deserialize)]
struct Limits {
    /// What [`yardstick`] took where the limits were measured: a machine that is slower has larger
    /// ones.
    yardstick: f64,
    cpu_seconds: BTreeMap<String, f64>,
    /// What it took here.
    #[serde(skip)]
    here: f64,
}

impl Steps {
    pub(super) fn without_limits() -> Self {
        Self { done: Vec::new(), failed: None, limits: None }
    }

    pub(super) fn with_limits(repo: &Repo) -> Result<Self> {
        let read =
            || -> Result<Limits> { Ok(toml::from_str(&fs::read_to_string(repo.path(LIMITS))?)?) };
        let mut limits = read().with_context(|| format!("cannot read {LIMITS}"))?;
        limits.here = yardstick().max(limits.yardstick);
        Ok(Self { limits: Some(limits), ..Self::without_limits() })
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

    /// Prints what the steps took. Fails if one of them took more than it may.
    pub(super) fn summarise(&mut self) -> Result<()> {
        eprintln!("== summary: seconds by the clock, and of processors");
        for Step { name, wall, cpu } in &self.done {
            eprintln!("{}  {name}", times(*wall, *cpu));
        }
        if let Some(limits) = &mut self.limits {
            limits.here = limits.here.max(yardstick());
            let Limits { here, yardstick, .. } = limits;
            eprintln!("{here:.2} CPU s for the yardstick, {yardstick} where limits were measured");
        }
        let over = self.limits.as_ref().map_or_else(Vec::new, |limits| limits.passed(&self.done));
        let end = match self.failed {
            Some(name) => format!("in all; failed: {name}"),
            None if !over.is_empty() => "in all; everything passed but limits".to_owned(),
            None => "in all; everything passed".to_owned(),
        };
        let wall = self.done.iter().map(|step| step.wall).sum();
        let cpu = self.done.iter().map(|step| step.cpu).sum();
        eprintln!("{}  {end}", times(wall, cpu));
        if !over.is_empty() {
            bail!(
                "these took more than {LIMITS} lets them: {}. Make them cheaper, or raise the \
                 limit there, for a reviewer to see",
                over.join("; ")
            );
        }
        Ok(())
    }
}

impl Limits {
    /// What took more than its limit or has none, for people.
    fn passed(&self, steps: &[Step]) -> Vec<String> {
        let limited = steps.iter().filter(|step| !step.name.starts_with(SET_UP));
        let over = limited.filter_map(|step| {
            let name = step.name;
            let Some(&limit) = self.cpu_seconds.get(name) else {
                return Some(format!("{name}: expected a limit, found none"));
            };
            let limit = limit * self.here / self.yardstick;
            let cpu = step.cpu?.as_secs_f64();
            (cpu > limit)
                .then(|| format!("{name}: expected at most {limit:.0} CPU seconds, found {cpu:.0}"))
        });
        over.collect()
    }
}

/// The CPU seconds that each processor takes for the same work at the same time: sums, and reads
/// from memory at random.
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
    use super::*;

    #[test]
    fn a_step_has_a_limit_and_keeps_to_it() {
        let text = "yardstick = 0.5\n[cpu_seconds]\nlint = 20\ntests = 9.5";
        let mut limits = Limits { here: 0.5, ..toml::from_str(text).unwrap() };
        let step = |name, seconds| Step {
            name,
            wall: Duration::ZERO,
            cpu: Some(Duration::from_secs(seconds)),
        };
        assert!(limits.passed(&[step("lint", 20), step("set-up: Java", 99)]).is_empty());
        let steps = [step("lint", 21), step("tests", 10), step("docs", 1)];
        assert_eq!(
            limits.passed(&steps).join("; "),
            "lint: expected at most 20 CPU seconds, found 21; \
             tests: expected at most 10 CPU seconds, found 10; \
             docs: expected a limit, found none"
        );
        limits.here = 0.6;
        assert_eq!(limits.passed(&steps), ["docs: expected a limit, found none"]);
    }
}
