//! Reads the publication time of a page from its line.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use pagekin_pages::input::jsonl;
use serde_json::{Map, Value};

/// The known fields with a time, in order of precedence.
pub(crate) const FIELDS: &[&str] = &[
    "published",
    "time",
    "date",
    "pubDate",
    "pubdate",
    "date_published",
    "datePublished",
    "published_at",
    "publishedAt",
    "created_at",
    "createdAt",
    "timestamp",
];

/// Numbers of at least this size are milliseconds, smaller ones seconds. It is the year 5138 in
/// seconds, or March 1973 in milliseconds.
const MILLISECONDS: f64 = 1e11;

/// Returns the time of a line in milliseconds since 1970: the value of `field`, or by default of
/// the first known field in the line. Returns `None` if there is no such field.
///
/// # Errors
///
/// Returns [`NoTime`] if the value is not a time.
pub fn time_of(line: &[u8], field: Option<&str>) -> Result<Option<i64>, NoTime> {
    let line: Map<String, Value> = jsonl::parse(line).ok_or(NoTime)?;
    let has = |name: &str| line.get(name).filter(|value| !value.is_null());
    let value = match field {
        Some(field) => has(field),
        None => FIELDS.iter().find_map(|name| has(name)),
    };
    match value {
        None => Ok(None),
        Some(Value::Number(number)) => of_number(number.as_f64().ok_or(NoTime)?).map(Some),
        Some(Value::String(text)) => of_text(text.trim()).map(Some),
        Some(_) => Err(NoTime),
    }
}

/// Parses a time in the formats of feeds and databases. A time without a zone is in UTC, and a date
/// means its midnight.
fn of_text(text: &str) -> Result<i64, NoTime> {
    if let Ok(number) = text.parse() {
        return of_number(number);
    }
    let utc = |time: DateTime| time.to_zoned(TimeZone::UTC).map(|time| time.timestamp());
    let time =
        text.parse::<Timestamp>().or_else(|_| rfc2822::parse(text).map(|time| time.timestamp()));
    let time = time.or_else(|_| text.parse::<DateTime>().and_then(utc));
    time.map(Timestamp::as_millisecond).map_err(|_| NoTime)
}

fn of_number(number: f64) -> Result<i64, NoTime> {
    let factor = if number.abs() < MILLISECONDS { 1_000.0 } else { 1.0 };
    let milliseconds = (number * factor).round();
    let in_range = (Timestamp::MIN.as_millisecond()..=Timestamp::MAX.as_millisecond())
        .contains(&(milliseconds as i64));
    if in_range { Ok(milliseconds as i64) } else { Err(NoTime) }
}

/// The value of a time field is not a time.
#[derive(Debug, PartialEq, Eq)]
pub struct NoTime;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_strings_or_seconds() {
        let of = |line: &str| time_of(line.as_bytes(), None);
        assert_eq!(of(r#"{"published": "1970-01-02T00:00:00Z"}"#), Ok(Some(86_400_000)));
        assert_eq!(of(r#"{"published": "1970-01-01T02:00:00.5+02:00"}"#), Ok(Some(500)));
        assert_eq!(of(r#"{"time": 1.25, "more": []}"#), Ok(Some(1_250)));
        assert_eq!(of(r#"{"published": 2, "time": 1}"#), Ok(Some(2_000)));
        assert_eq!(of(r#"{"published": null, "time": -1}"#), Ok(Some(-1_000)));
        assert_eq!(of("{}"), Ok(None));
        // Larger numbers are milliseconds.
        assert_eq!(of(r#"{"time": 100000000000}"#), Ok(Some(100_000_000_000)));
        assert_eq!(of(r#"{"time": 99999999999}"#), Ok(Some(99_999_999_999_000)));
        assert_eq!(of(r#"{"time": -100000000000}"#), Ok(Some(-100_000_000_000)));
        for bad in [
            r#"{"time": "yesterday"}"#,
            r#"{"time": true}"#,
            r#"{"time": 1e300}"#,
            r#"{"time": 1790000000000000}"#,
        ] {
            assert_eq!(of(bad), Err(NoTime), "{bad}");
        }
    }

    #[test]
    fn times_have_the_formats_of_feeds_and_databases() {
        let of = |line: &str| time_of(line.as_bytes(), None);
        let day = Ok(Some(1_767_312_000_000));
        for time in [
            r#""Fri, 02 Jan 2026 00:00:00 GMT""#,
            r#""02 Jan 2026 01:00:00 +0100""#,
            r#""2026-01-02 00:00:00""#,
            r#""2026-01-02T00:00:00""#,
            r#""2026-01-02""#,
            r#""1767312000""#,
            r#""1767312000000""#,
            "1767312000",
            "1767312000000",
        ] {
            for field in ["published", "date", "pubDate"] {
                let line = format!(r#"{{"{field}": {time}, "score": NaN}}"#);
                assert_eq!(of(&line), day, "{line}");
            }
        }
        let line = br#"{"date": "x", "when": 1}"#;
        assert_eq!(time_of(line, Some("when")), Ok(Some(1_000)));
        assert_eq!(time_of(line, Some("no")), Ok(None));
    }
}
