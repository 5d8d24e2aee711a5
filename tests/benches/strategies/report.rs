//! What was measured, as a table or JSON.

use std::fmt::Write;

use pagekin_tests::measuring::quality::{Band, Quality};
use pagekin_tests::measuring::spread::Spread;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) pages: usize,
    pub(crate) queries: usize,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) strategy: String,
    /// So many of the pages found were compared exactly; of a lookup, those of the blocks it reads.
    pub(crate) compared: Option<usize>,
    pub(crate) quality: Quality,
    /// Of a query.
    pub(crate) micros: Spread,
    /// Of what is looked into: files of an index, or memory.
    pub(crate) bytes: u64,
}

impl Report {
    pub(crate) fn table(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        writeln!(out, "{} pages, {} queries\n", self.pages, self.queries)?;
        write!(out, "| found by | compared exactly |")?;
        // The bands are the same in all rows, and so are their queries.
        let bands = self.rows.first().map_or(&[][..], |row| &row.quality.bands);
        for band in bands {
            write!(out, " recall@10, true tenth {band} ({}) |", band.queries)?;
        }
        let with_kin = self.rows.first().map_or(0, |row| row.quality.with_kin);
        writeln!(out, " best first ({with_kin}) | ms median | 90 % | bytes a page |")?;
        writeln!(
            out,
            "| --- | ---: |{} ---: | ---: | ---: | ---: |",
            " ---: |".repeat(bands.len())
        )?;
        for Row { strategy, compared, quality, micros, bytes } in &self.rows {
            let compared = compared.map_or_else(String::new, |pages| pages.to_string());
            write!(out, "| {strategy} | {compared} |")?;
            for &Band { queries, recall, .. } in &quality.bands {
                match queries {
                    0 => write!(out, " |")?,
                    _ => write!(out, " {recall:.3} |")?,
                }
            }
            let ms = |micros: u64| micros as f64 / 1_000.0;
            let (median, p90) = (ms(micros.median), ms(micros.p90));
            let a_page = bytes / self.pages.max(1) as u64;
            writeln!(out, " {:.3} | {median:.2} | {p90:.2} | {a_page} |", quality.best_first)?;
        }
        Ok(out)
    }
}
