//! The steps of `cargo xtask test`: what each takes, and what it may take.

use std::collections::BTreeMap;
use std::fs;
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
    cpu_seconds: BTreeMap<String, f64>,
}

impl Steps {
    pub(super) fn without_limits() -> Self {
        Self { done: Vec::new(), failed: None, limits: None }
    }

    pub(super) fn with_limits(repo: &Repo) -> Result<Self> {
        let read =
            || -> Result<Limits> { Ok(toml::from_str(&fs::read_to_string(repo.path(LIMITS))?)?) };
        let limits = read().with_context(|| format!("cannot read {LIMITS}"))?;
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
    pub(super) fn summarise(&self) -> Result<()> {
        eprintln!("== summary: seconds by the clock, and of processors");
        for Step { name, wall, cpu } in &self.done {
            eprintln!("{}  {name}", times(*wall, *cpu));
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
            let cpu = step.cpu?.as_secs_f64();
            (cpu > limit)
                .then(|| format!("{name}: expected at most {limit} CPU seconds, found {cpu:.0}"))
        });
        over.collect()
    }
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
        let limits: Limits = toml::from_str("[cpu_seconds]\nlint = 20\ntests = 9.5").unwrap();
        let step = |name, seconds| Step {
            name,
            wall: Duration::ZERO,
            cpu: Some(Duration::from_secs(seconds)),
        };
        let passed = |steps: &[Step]| limits.passed(steps).join("; ");
        assert_eq!(passed(&[step("lint", 20), step("set-up: Java", 99), step("tests", 9)]), "");
        assert_eq!(
            passed(&[step("lint", 21), step("tests", 10), step("docs", 1)]),
            "lint: expected at most 20 CPU seconds, found 21; \
             tests: expected at most 9.5 CPU seconds, found 10; \
             docs: expected a limit, found none"
        );
    }
}
