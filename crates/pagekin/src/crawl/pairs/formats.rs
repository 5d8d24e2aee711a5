//! Output formats of pairs.

use std::io::{self, Write};
use std::sync::Arc;

use pagekin_crawl::folder::StoredPair;
use pagekin_pages::cells::cell;
use serde::Serialize;

use super::names::Names;
use crate::args::crawl::PairsFormat;
#[cfg(feature = "parquet")]
use crate::crawl::parquet::{ParquetRows, doubles, texts};

/// The columns of a Parquet file, in writing order.
#[cfg(feature = "parquet")]
const SCHEMA: &str = "message pairs {
    required binary url (UTF8);
    required binary other_url (UTF8);
    required double similarity;
    optional binary title (UTF8);
    optional binary other_title (UTF8);
}";

pub(super) struct PairWriter<W: Write + Send> {
    names: Arc<Names>,
    format: Format<W>,
}

enum Format<W: Write + Send> {
    Csv(Box<csv::Writer<W>>),
    Jsonl(W),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows<'static, StoredPair, W>>),
}

/// A pair, as printed.
#[derive(Serialize)]
struct Pair<'a> {
    url: &'a str,
    other_url: &'a str,
    similarity: f64,
    title: Option<&'a str>,
    other_title: Option<&'a str>,
}

/// Returns the similarity from 0 to 1.
fn similarity(pair: StoredPair) -> f64 {
    f64::from(pair.thousandths) / 1_000.0
}

impl<W: Write + Send> PairWriter<W> {
    pub(super) fn new(format: PairsFormat, names: Arc<Names>, into: W) -> io::Result<Self> {
        let format = match format {
            PairsFormat::Csv => {
                let mut lines = csv::WriterBuilder::new().has_headers(false).from_writer(into);
                lines.write_record(["url", "other_url", "similarity", "title", "other_title"])?;
                Format::Csv(Box::new(lines))
            }
            PairsFormat::Jsonl => Format::Jsonl(into),
            #[cfg(feature = "parquet")]
            PairsFormat::Parquet => {
                let names = Arc::clone(&names);
                let rows = ParquetRows::new(
                    SCHEMA,
                    move |rows: &[StoredPair], group| {
                        texts(group, rows, |pair| Some(names.url(pair.page)))?;
                        texts(group, rows, |pair| Some(names.url(pair.other)))?;
                        doubles(group, rows, |&pair| similarity(pair))?;
                        texts(group, rows, |pair| names.title(pair.page))?;
                        texts(group, rows, |pair| names.title(pair.other))
                    },
                    into,
                )?;
                Format::Parquet(Box::new(rows))
            }
        };
        Ok(Self { names, format })
    }

    pub(super) fn push(&mut self, pair: StoredPair) -> io::Result<()> {
        let named = Pair {
            url: self.names.url(pair.page),
            other_url: self.names.url(pair.other),
            similarity: similarity(pair),
            title: self.names.title(pair.page),
            other_title: self.names.title(pair.other),
        };
        match &mut self.format {
            Format::Csv(lines) => {
                let Pair { url, other_url, similarity, title, other_title } = named;
                let [url, other_url] = [url, other_url].map(cell);
                let titles = [title, other_title].map(|title| cell(title.unwrap_or_default()));
                Ok(lines.serialize((url, other_url, similarity, titles))?)
            }
            Format::Jsonl(lines) => {
                serde_json::to_writer(&mut *lines, &named)?;
                lines.write_all(b"\n")
            }
            #[cfg(feature = "parquet")]
            Format::Parquet(rows) => rows.push(pair),
        }
    }

    /// Flushes the output and reports write errors.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.format {
            Format::Csv(mut lines) => lines.flush(),
            Format::Jsonl(mut lines) => lines.flush(),
            #[cfg(feature = "parquet")]
            Format::Parquet(rows) => rows.finish(),
        }
    }
}
