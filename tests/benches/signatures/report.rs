//! What was measured, as tables or JSON.

use std::fmt::{self, Write};

use pagekin_pairs::minhash::Algorithm;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) threads: usize,
    /// Cycles a second.
    pub(crate) clock: f64,
    /// Steps a second of a core, by each level, the best first.
    pub(crate) limits: Vec<(&'static str, f64)>,
    pub(crate) cases: Vec<Case>,
}

/// Some bags, signed in all ways.
#[derive(Debug, Serialize)]
pub(crate) struct Case {
    pub(crate) bags: &'static str,
    pub(crate) algorithm: &'static str,
    pub(crate) documents: u32,
    /// Of all bags.
    pub(crate) copies: u64,
    /// As many as copies for each value of a signature.
    pub(crate) steps: u64,
    /// The best level first.
    pub(crate) measured: Vec<Measured>,
}

/// Medians of a way.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) way: &'static str,
    pub(crate) seconds: f64,
    pub(crate) seconds_on_all: f64,
}

impl Case {
    /// What part of the limit so many steps a second are. Modulo a prime a step is another, of
    /// which no limit is known.
    fn part(&self, steps: f64, limit: f64) -> String {
        if self.algorithm == Algorithm::Affine32.name() {
            format!("{:.0} %", 100.0 * steps / limit)
        } else {
            String::new()
        }
    }
}

impl Report {
    pub(crate) fn table(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        for (level, steps) in &self.limits {
            writeln!(
                out,
                "The limit of {level}: {:.1} billion steps a second and core, {:.2} a cycle at {:.2} GHz",
                steps / 1e9,
                steps / self.clock,
                self.clock / 1e9
            )?;
        }
        writeln!(
            out,
            "A step is a multiplication, an addition and a minimum of 32-bit lanes that stay in registers. By count, Intel's \
             cores from Ice Lake to Sapphire Rapids take 8.00 a cycle with AVX-512 (4 micro-operations on 2 ports for 16), \
             5.33 with AVX2 (3 of the 4 on 2 ports for 8), 2.67 with SSE4.2.\n"
        )?;
        writeln!(
            out,
            "| bags | algorithm | way | documents/s, 1 thread | {} threads | billion steps/s, 1 thread | of the limit | time, \
             times that of the best |",
            self.threads
        )?;
        writeln!(out, "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")?;
        let limit = self.limits.first().map_or(f64::NAN, |(_, steps)| *steps);
        for case in &self.cases {
            let best = case.measured.first().map_or(f64::NAN, |best| best.seconds);
            let documents = f64::from(case.documents);
            for Measured { way, seconds, seconds_on_all } in &case.measured {
                let steps = case.steps as f64 / seconds;
                writeln!(
                    out,
                    "| {}, {:.0} copies | {} | {way} | {} | {} | {:.1} | {} | {:.2} |",
                    case.bags,
                    case.copies as f64 / documents,
                    case.algorithm,
                    thousands(documents / seconds),
                    thousands(documents / seconds_on_all),
                    steps / 1e9,
                    case.part(steps, limit),
                    seconds / best
                )?;
            }
        }
        Ok(out)
    }
}

fn thousands(rate: f64) -> String {
    format!("{:.0} k", rate / 1e3)
}
