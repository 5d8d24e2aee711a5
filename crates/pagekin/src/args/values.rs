//! Values that more than one command takes, from their texts.

use jiff::{Span, SpanRelativeTo};
use pagekin_crawl::cluster::{ClassSource, StringOptions};
use pagekin_pairs::Threshold;

/// A given seed, or a random one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeedArg {
    Number(u64),
    Random,
}

impl std::str::FromStr for SeedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Self::Random),
            _ => text.parse().map(Self::Number).map_err(|_| {
                "expected a number from 0 to 18446744073709551615, or random".to_owned()
            }),
        }
    }
}

impl SeedArg {
    /// The given number, or a random one.
    pub(crate) fn number(self) -> Result<u64, getrandom::Error> {
        match self {
            Self::Number(seed) => Ok(seed),
            Self::Random => getrandom::u64(),
        }
    }
}

impl std::fmt::Display for SeedArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(seed) => write!(f, "{seed}"),
            Self::Random => f.write_str("random"),
        }
    }
}

pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let usable =
        text.starts_with('/') || text.starts_with("http://") || text.starts_with("https://");
    if usable && !text.contains(['?', '#']) && !text.chars().any(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("expected a path such as /docs/, or a URL such as https://example.org/docs/".to_owned())
    }
}

pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| *n > 0.0 && *n <= 100.0)
        .ok_or_else(|| "expected a number above 0 and at most 100".to_owned())
}

pub(crate) fn language(text: &str) -> Result<String, String> {
    let known = pagekin_core::terms::Language::from_tag(text).map(|_| text.to_owned());
    known.ok_or_else(|| "expected a language tag such as en or pt-BR".to_owned())
}

pub(crate) fn part(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| (0.0..=1.0).contains(n))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    let similarity: Option<f64> = text.parse().ok();
    similarity
        .filter(|s| (0.0..=1.0).contains(s))
        .and_then(|s| Threshold::of_thousandths((s * 1_000.0).round() as u16).ok())
        .ok_or_else(|| "expected a number from 0.001 to 1".to_owned())
}

pub(crate) fn error_rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate| (0.0..=StringOptions::MOST_ERRORS).contains(rate))
        .ok_or_else(|| "expected a number from 0 to 0.3".to_owned())
}

/// From what part of pairs on clusters are joined, if at all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Join(pub(crate) Option<Threshold>);

pub(crate) fn join(text: &str) -> Result<Join, String> {
    if text == "none" {
        return Ok(Join(None));
    }
    let part = threshold(text).map(|part| Join(Some(part)));
    part.map_err(|error| format!("{error}, or none"))
}

pub(crate) fn class_source(text: &str) -> Result<ClassSource, String> {
    let (name, number) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
    let is_file = std::path::Path::new(text)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let bags = |number: &str| {
        let classes =
            number.parse().ok().filter(|n| (2..=ClassSource::MOST_CLASSES).contains(n))?;
        Some(ClassSource::Bags { classes })
    };
    let folder = |number: &str| {
        number.parse().ok().filter(|&n| n > 0).map(|depth| ClassSource::Folder { depth })
    };
    let source = match (name, number) {
        _ if is_file => Some(ClassSource::File(text.into())),
        ("host", None) => Some(ClassSource::Host),
        ("language", None) => Some(ClassSource::Language),
        ("folder", number) => folder(number.unwrap_or("1")),
        ("bags", Some(number)) => bags(number),
        _ => None,
    };
    source.ok_or_else(|| {
        "expected host, folder, folder=N with N from 1 to 255, language, bags=N with N from 2 to 1000, or the path of a .csv file"
            .to_owned()
    })
}

pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().trim_end_matches("ib") {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => 0,
    };
    let size = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).unwrap_or(0);
    if size == 0 { Err("expected a size such as 500000, 500k or 16M".to_owned()) } else { Ok(size) }
}

/// A size, or 0.
pub(crate) fn size_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { size(text) }
}

/// A time, in milliseconds. A day has 24 hours.
pub(crate) fn duration(text: &str) -> Result<i64, String> {
    let span: Option<Span> = text.parse().ok();
    let of_days = SpanRelativeTo::days_are_24_hours();
    span.and_then(|span| span.to_duration(of_days).ok())
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .filter(|milliseconds| *milliseconds >= 0)
        .ok_or_else(|| "expected a time such as 90m, 36h, 1d or 2w".to_owned())
}
