//! Output formats of ranks.

use std::fmt::Write as _;
use std::io::{self, Write};

use pagekin_crawl::rank::{LinkCounts, RankedUrl, Ranking};
use pagekin_pages::Ledger;
use pagekin_pages::cells::cell;
use serde::Serialize;

use crate::args::crawl::RankFormat;
#[cfg(feature = "parquet")]
use crate::crawl::parquet::{ParquetRows, doubles, integers, texts};
use crate::output::{count, in_table};
use crate::skipped;

/// The columns of a Parquet file, in writing order.
#[cfg(feature = "parquet")]
const SCHEMA: &str = "message ranks {
    required binary url (UTF8);
    required double rank;
    required int64 in_links;
    required int64 out_links;
    optional binary title (UTF8);
}";

pub(super) struct RankWriter<W: Write + Send> {
    urls: u64,
    format: Format<W>,
}

enum Format<W: Write + Send> {
    Table(W),
    /// The flag is set after the first URL.
    Json(W, bool),
    Jsonl(W),
    Csv(Box<csv::Writer<W>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows<'static, RankedUrl, W>>),
}

/// A URL, as printed.
#[derive(Serialize)]
struct Line<'a> {
    pub url: &'a str,
    rank: f64,
    in_links: u32,
    out_links: u32,
    pub title: Option<&'a str>,
}

/// Details of the computation, printed before the ranks.
#[derive(Serialize)]
struct Head {
    urls: u64,
    read: u64,
    links: u64,
    ranked: u64,
    dangling: u64,
    iterations: u32,
    change: f64,
    converged: bool,
    #[serde(flatten)]
    inputs: Option<Inputs>,
}

/// What became of raw inputs.
#[derive(Serialize)]
struct Inputs {
    came_in: u64,
    pages: u64,
    skipped: serde_json::Value,
}

impl From<&Ledger> for Inputs {
    fn from(ledger: &Ledger) -> Self {
        let &Ledger { came_in, pages, .. } = ledger;
        Self { came_in, pages, skipped: skipped::report(ledger) }
    }
}

/// Formats details of the computation for people.
pub(super) fn summary(ranking: &Ranking, counts: LinkCounts) -> String {
    let convergence = ranking.convergence();
    let mut out = format!(
        "{} URLs ({} of them read), {} links\n",
        count(counts.urls),
        count(counts.read),
        count(counts.links)
    );
    let _ = writeln!(
        out,
        "{} URLs without links; {} iterations, the last of which changed the ranks by {:.1e} in total",
        count(convergence.dangling),
        count(convergence.iterations.into()),
        convergence.change,
    );
    out
}

impl<W: Write + Send> RankWriter<W> {
    pub(super) fn new(
        format: RankFormat,
        ranking: &Ranking,
        counts: LinkCounts,
        inputs: Option<&Ledger>,
        mut into: W,
    ) -> io::Result<Self> {
        let format = match format {
            RankFormat::Table => {
                into.write_all(summary(ranking, counts).as_bytes())?;
                writeln!(
                    into,
                    "\n{:>17} {:>11} {:>9}",
                    "times the average", "linked from", "links to"
                )?;
                Format::Table(into)
            }
            RankFormat::Json => {
                let convergence = ranking.convergence();
                let head = serde_json::to_string(&Head {
                    urls: counts.urls,
                    read: counts.read,
                    links: counts.links,
                    ranked: ranking.urls(),
                    dangling: convergence.dangling,
                    iterations: convergence.iterations,
                    change: convergence.change,
                    converged: convergence.reached,
                    inputs: inputs.map(Inputs::from),
                })?;
                write!(into, "{},\"ranks\":[", head.trim_end_matches('}'))?;
                Format::Json(into, false)
            }
            RankFormat::Jsonl => Format::Jsonl(into),
            RankFormat::Csv => {
                let mut lines = csv::WriterBuilder::new().has_headers(false).from_writer(into);
                lines.write_record(["url", "rank", "in_links", "out_links", "title"])?;
                Format::Csv(Box::new(lines))
            }
            #[cfg(feature = "parquet")]
            RankFormat::Parquet => {
                let rows = ParquetRows::new(
                    SCHEMA,
                    |rows: &[RankedUrl], group| {
                        texts(group, rows, |row| Some(&*row.url))?;
                        doubles(group, rows, |row| row.rank)?;
                        integers(group, rows, |row| row.in_links.into())?;
                        integers(group, rows, |row| row.out_links.into())?;
                        texts(group, rows, title)
                    },
                    into,
                )?;
                Format::Parquet(Box::new(rows))
            }
        };
        Ok(Self { urls: ranking.urls(), format })
    }

    pub(super) fn push(&mut self, row: RankedUrl) -> io::Result<()> {
        let line = Line {
            url: &row.url,
            rank: row.rank,
            in_links: row.in_links,
            out_links: row.out_links,
            title: title(&row),
        };
        match &mut self.format {
            Format::Table(into) => {
                let times = format!("{:.2}", row.rank * self.urls as f64);
                let (from, to) = (count(row.in_links.into()), count(row.out_links.into()));
                let (url, title) = (in_table(&row.url), in_table(line.title.unwrap_or_default()));
                writeln!(into, "{times:>17} {from:>11} {to:>9}  {url}  {title}")
            }
            Format::Json(into, is_next) => {
                if std::mem::replace(is_next, true) {
                    into.write_all(b",")?;
                }
                Ok(serde_json::to_writer(into, &line)?)
            }
            Format::Jsonl(into) => {
                serde_json::to_writer(&mut *into, &line)?;
                into.write_all(b"\n")
            }
            Format::Csv(lines) => {
                let Line { url, rank, in_links, out_links, title } = line;
                let title = cell(title.unwrap_or_default());
                Ok(lines.serialize((cell(url), rank, in_links, out_links, title))?)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet(rows) => rows.push(row),
        }
    }

    /// Flushes the output and reports write errors.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.format {
            Format::Table(mut into) | Format::Jsonl(mut into) => into.flush(),
            Format::Json(mut into, _) => {
                into.write_all(b"]}\n")?;
                into.flush()
            }
            Format::Csv(mut lines) => lines.flush(),
            #[cfg(feature = "parquet")]
            Format::Parquet(rows) => rows.finish(),
        }
    }
}

/// Returns the title; `None` if it is missing or empty.
fn title(row: &RankedUrl) -> Option<&str> {
    row.title.as_deref().filter(|title| !title.is_empty())
}
