//! Options and value parsers that several crawl commands share.

use std::path::PathBuf;

use jiff::{Span, SpanRelativeTo};
use pagekin_crawl::cluster::{ClassSource, Join, StringOptions};
use pagekin_pairs::Threshold;

use crate::args::values::size;

#[derive(Debug, clap::Args)]
pub(crate) struct BaseArg {
    /// URL at which the folders of HTML are published
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct MemoryArg {
    /// Memory for sorting and comparing. In addition, each URL needs about 250 bytes for pairs, or
    /// 35 bytes for ranks
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    pub(crate) memory: u64,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct RowLimitArg {
    /// Maximum number of clusters or URLs [default: 20 in a table and in the JSON of ranks,
    /// otherwise all]
    #[arg(short, long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RowsOutputArg {
    /// Write to this file instead of standard output. An existing file is replaced. Required for
    /// Parquet
    #[arg(
        short = 'o',
        long = "output",
        id = "output",
        value_name = "FILE",
        required_if_eq("format", "parquet")
    )]
    pub(crate) file: Option<PathBuf>,
}

pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    let similarity: Option<f64> = text.parse().ok();
    similarity
        .filter(|s| (0.0..=1.0).contains(s))
        .and_then(|s| Threshold::from_thousandths((s * 1_000.0).round() as u16).ok())
        .ok_or_else(|| "expected a number from 0.001 to 1".to_owned())
}

pub(crate) fn reset_probability(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| *part > 0.0 && *part < 1.0);
    part.ok_or_else(|| "expected a number above 0 and below 1".to_owned())
}

pub(crate) fn error_rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate| (0.0..=StringOptions::MAX_ERRORS).contains(rate))
        .ok_or_else(|| "expected a number from 0 to 0.3".to_owned())
}

/// Parses the minimum share of similar pairs between joined clusters.
pub(crate) fn join(text: &str) -> Result<Join, String> {
    if text == "none" {
        return Ok(Join::Never);
    }
    threshold(text).map(Join::From).map_err(|error| format!("{error}, or none"))
}

pub(crate) fn class_source(text: &str) -> Result<ClassSource, String> {
    let (name, number) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
    let is_file = std::path::Path::new(text)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let folder = |number: &str| {
        number.parse().ok().filter(|&n| n > 0).map(|depth| ClassSource::Folder { depth })
    };
    let source = match (name, number) {
        _ if is_file => Some(ClassSource::File(text.into())),
        ("host", None) => Some(ClassSource::Host),
        ("language", None) => Some(ClassSource::Language),
        ("folder", number) => folder(number.unwrap_or("1")),
        _ => None,
    };
    source.ok_or_else(|| {
        "expected host, folder, folder=N with N from 1 to 255, language, or the path of a .csv file"
            .to_owned()
    })
}

/// Parses a time into milliseconds. A day has 24 hours.
pub(crate) fn duration(text: &str) -> Result<i64, String> {
    let span: Option<Span> = text.parse().ok();
    let of_days = SpanRelativeTo::days_are_24_hours();
    span.and_then(|span| span.to_duration(of_days).ok())
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .filter(|milliseconds| *milliseconds >= 0)
        .ok_or_else(|| "expected a time such as 90m, 36h, 1d or 2w".to_owned())
}
