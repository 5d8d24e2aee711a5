//! What was measured, as tables or JSON.

use std::fmt::{self, Write};

use pagekin_tests::measuring::numbers::grouped;
use serde::Serialize;

use crate::VALUES;
use crate::drawn::Drawn;
use crate::errors::Errors;
use crate::site::SiteErrors;
use crate::times::Times;
use crate::ways::Way;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) drawn: Vec<Drawn>,
    pub(crate) times: Vec<Times>,
    pub(crate) sites: Vec<SiteErrors>,
}

impl Report {
    pub(crate) fn tables(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        writeln!(
            out,
            "{VALUES} values of 16 bits, {} bytes a bag. Errors in thousandths: bias, root mean square (and of chance alone).\n",
            2 * VALUES
        )?;
        for (name, of) in [
            ("shared terms weigh the same", (|drawn| &drawn.same_weights) as fn(&Drawn) -> &Vec<_>),
            ("shared terms weigh differently", |drawn| &drawn.other_weights),
        ] {
            head(&mut out, name)?;
            for drawn in &self.drawn {
                let terms = grouped(drawn.terms.into());
                write!(out, "| {terms}, {} |", drawn.weights)?;
                write_errors(&mut out, of(drawn))?;
            }
            writeln!(out)?;
        }
        head(&mut out, "pages")?;
        for site in &self.sites {
            let pages = grouped(site.pages as u64);
            write!(out, "| {}: {pages} pages, {:.0} terms |", site.site, site.mean_terms)?;
            write_errors(&mut out, &site.errors)?;
        }
        for site in &self.sites {
            let Errors { bias, rmse, .. } = site.rounding;
            writeln!(
                out,
                "\n{}: on {} pairs the similarity of copies differs from that of weights by {:+.1}, {:.1}.",
                site.site,
                grouped(site.pairs as u64),
                1_000.0 * bias,
                1_000.0 * rmse
            )?;
        }
        writeln!(out)?;
        let columns: Vec<String> = Way::ALL.iter().map(|way| way.name()).collect();
        writeln!(
            out,
            "| microseconds a bag (by definition) | {} | FastGM is faster by |",
            columns.join(" | ")
        )?;
        writeln!(out, "| --- |{}", " ---: |".repeat(columns.len() + 1))?;
        for times in &self.times {
            write!(out, "| {}, {} |", grouped(times.terms.into()), times.weights)?;
            for time in &times.times {
                write!(out, " {:.1} ({:.0}) |", 1e6 * time.seconds, 1e6 * time.plain_seconds)?;
            }
            let gain = times.times.last().map_or(0.0, |fast| fast.plain_seconds / fast.seconds);
            writeln!(out, " {gain:.1} × |")?;
        }
        Ok(out)
    }
}

/// A column for each way.
fn head(out: &mut String, name: &str) -> fmt::Result {
    let names: Vec<String> = Way::ALL.iter().map(|way| way.name()).collect();
    writeln!(out, "| {name} | {} |", names.join(" | "))?;
    writeln!(out, "| --- |{}", " ---: |".repeat(names.len()))
}

fn write_errors(out: &mut String, errors: &[Errors]) -> fmt::Result {
    for Errors { bias, rmse, chance, .. } in errors {
        write!(out, " {:+.1}, {:.1} ({:.1}) |", 1_000.0 * bias, 1_000.0 * rmse, 1_000.0 * chance)?;
    }
    writeln!(out)
}
