//! The results as tables or JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use pagekin_tests::measuring::quality::{Band, Quality};
use pagekin_tests::measuring::spread::Spread;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) pages: u64,
    pub(crate) terms: u64,
    /// Duration of the build, if there was one, and the peak memory of this process at its end, if
    /// the system reports it.
    pub(crate) build_seconds: Option<f64>,
    pub(crate) build_peak_bytes: Option<u64>,
    pub(crate) index_bytes: u64,
    pub(crate) index_files: u64,
    /// Files and bytes by kind.
    pub(crate) parts: BTreeMap<String, (u64, u64)>,
    /// Mean number of distinct terms of the query pages, and of all bags.
    pub(crate) page_terms: f64,
    pub(crate) bag_terms: f64,
    /// Mean similarity of two random pages.
    pub(crate) background: f64,
    pub(crate) queries: usize,
    /// Numbers of queries whose true best page is similar enough to count, and whose tenth best is.
    pub(crate) with_kin: usize,
    pub(crate) with_ten_kin: usize,
    pub(crate) recall_at_10: f64,
    pub(crate) best_first: f64,
    pub(crate) bands: Vec<Band>,
    /// Quality of the lists of answers by ranking (the results where there is only one list), and
    /// the number of queries with both lists.
    pub(crate) lists: BTreeMap<&'static str, Quality>,
    pub(crate) with_both_lists: usize,
    /// Bytes and requests for opening the index, by kind.
    pub(crate) opening: BTreeMap<String, (u64, u64)>,
    pub(crate) first_bytes: Spread,
    pub(crate) first_requests: Spread,
    pub(crate) later_bytes: Spread,
    pub(crate) later_requests: Spread,
    pub(crate) later_rounds: Spread,
    /// Bytes and requests of a later query, by kind.
    pub(crate) later_bytes_by_kind: BTreeMap<String, Spread>,
    pub(crate) later_requests_by_kind: BTreeMap<String, Spread>,
    /// Microseconds of native code, without reading files.
    pub(crate) opening_micros: u64,
    pub(crate) query_micros: Spread,
    /// The same in WebAssembly.
    pub(crate) client: Option<Client>,
}

/// Times in the WebAssembly module, in milliseconds, as printed by `client.mjs`.
#[derive(Debug, Serialize, serde::Deserialize)]
pub(crate) struct Client {
    opening: f64,
    first: f64,
    median: f64,
    p90: f64,
    max: f64,
    /// Size of the module's memory.
    memory_bytes: u64,
}

impl Report {
    pub(crate) fn table(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        write!(
            out,
            "{} pages, {} terms, {} bytes ({} per page) in {} files",
            self.pages,
            self.terms,
            self.index_bytes,
            self.index_bytes / self.pages.max(1),
            self.index_files,
        )?;
        if let Some(seconds) = self.build_seconds {
            write!(out, ", built in {seconds:.1} s")?;
        }
        if let Some(bytes) = self.build_peak_bytes {
            write!(out, " with {} MB", bytes / 1_000_000)?;
        }
        writeln!(out)?;
        for (name, (files, bytes)) in &self.parts {
            writeln!(out, "  {name}: {bytes} bytes in {files} files")?;
        }
        writeln!(
            out,
            "{:.0} distinct terms per page, {:.1} of them in its bag; two random pages have similarity {:.4}; {:.1}% of \
             the queries have ten truly similar pages",
            self.page_terms,
            self.bag_terms,
            self.background,
            100.0 * self.with_ten_kin as f64 / self.queries.max(1) as f64,
        )?;
        writeln!(
            out,
            "tie-aware recall@10 {:.3} ({} queries with ten truly similar pages), best first {:.3} ({} with one)",
            self.recall_at_10, self.with_ten_kin, self.best_first, self.with_kin,
        )?;
        writeln!(out, "\n| true similarity | recall@10, of the tenth | best first, of the best |")?;
        writeln!(out, "| --- | ---: | ---: |")?;
        bands(&mut out, "", &self.bands)?;
        for (by, quality) in &self.lists {
            bands(&mut out, &format!("the list by {by}, "), &quality.bands)?;
        }
        writeln!(out, "\n{} of the queries have both lists", self.with_both_lists)?;
        writeln!(out)?;
        writeln!(out, "| {} queries | median | p90 | max |", self.queries)?;
        writeln!(out, "| --- | ---: | ---: | ---: |")?;
        let mut row = |name: &str, Spread { median, p90, max }: &Spread| {
            writeln!(out, "| {name} | {median} | {p90} | {max} |")
        };
        row("bytes of a first query, without the library", &self.first_bytes)?;
        row("its requests", &self.first_requests)?;
        row("bytes of a later query", &self.later_bytes)?;
        for (kind, spread) in &self.later_bytes_by_kind {
            row(&format!("of {kind}"), spread)?;
        }
        row("its requests", &self.later_requests)?;
        for (kind, spread) in &self.later_requests_by_kind {
            row(&format!("for {kind}"), spread)?;
        }
        row("its rounds", &self.later_rounds)?;
        row("its microseconds in native code, without reading files", &self.query_micros)?;
        if let Some(Client { median, p90, max, .. }) = &self.client {
            writeln!(out, "| its milliseconds in WebAssembly | {median} | {p90} | {max} |")?;
        }
        writeln!(out)?;
        let opening: Vec<_> = self
            .opening
            .iter()
            .map(|(kind, (bytes, requests))| format!("{kind} {bytes} bytes in {requests}"))
            .collect();
        writeln!(
            out,
            "opening: {}; {} microseconds in native code, without reading files",
            opening.join(", "),
            self.opening_micros
        )?;
        if let Some(Client { opening, first, memory_bytes, .. }) = &self.client {
            writeln!(
                out,
                "in WebAssembly: opening {opening} ms, the first query then {first} ms; {} MB of memory",
                memory_bytes / 1_000_000
            )?;
        }
        Ok(out)
    }
}

/// Writes the rows of a list.
fn bands(out: &mut String, name: &str, bands: &[Band]) -> std::fmt::Result {
    for band in bands {
        let Band { queries, recall, with_best, best_first, .. } = band;
        let value = |part: &f64, queries: &usize| match queries {
            0 => "–".to_owned(),
            _ => format!("{part:.3} ({queries})"),
        };
        let (recall, first) = (value(recall, queries), value(best_first, with_best));
        writeln!(out, "| {name}{band} | {recall} | {first} |")?;
    }
    Ok(())
}
