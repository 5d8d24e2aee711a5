//! When the page of a line was published.

use jiff::Timestamp;
use serde::Deserialize;

/// What a line says of time, if it does; the rest of it is passed over.
#[derive(Deserialize)]
struct Line {
    published: Option<Time>,
    time: Option<Time>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Time {
    Seconds(f64),
    Text(String),
}

/// The time of a line in milliseconds since 1970: that of `published`, or else of `time`. `None` if
/// it has neither.
///
/// # Errors
///
/// If what is there is no time.
pub fn time_of(line: &[u8]) -> Result<Option<i64>, NoTime> {
    let line: Line = serde_json::from_slice(line).map_err(|_| NoTime)?;
    match line.published.or(line.time) {
        None => Ok(None),
        Some(Time::Text(text)) => {
            let time: Timestamp = text.trim().parse().map_err(|_| NoTime)?;
            Ok(Some(time.as_millisecond()))
        }
        Some(Time::Seconds(seconds)) => {
            let milliseconds = (seconds * 1_000.0).round();
            let in_range = (Timestamp::MIN.as_millisecond()..=Timestamp::MAX.as_millisecond())
                .contains(&(milliseconds as i64));
            if in_range { Ok(Some(milliseconds as i64)) } else { Err(NoTime) }
        }
    }
}

/// What should be a time is none.
#[derive(Debug, PartialEq, Eq)]
pub struct NoTime;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_texts_or_seconds() {
        let of = |line: &str| time_of(line.as_bytes());
        assert_eq!(of(r#"{"published": "1970-01-02T00:00:00Z"}"#), Ok(Some(86_400_000)));
        assert_eq!(of(r#"{"published": "1970-01-01T02:00:00.5+02:00"}"#), Ok(Some(500)));
        assert_eq!(of(r#"{"time": 1.25, "more": []}"#), Ok(Some(1_250)));
        assert_eq!(of(r#"{"published": 2, "time": 1}"#), Ok(Some(2_000)));
        assert_eq!(of(r#"{"published": null, "time": -1}"#), Ok(Some(-1_000)));
        assert_eq!(of("{}"), Ok(None));
        for bad in [
            r#"{"time": "yesterday"}"#,
            r#"{"time": "2026-11-23"}"#,
            r#"{"time": "2026-11-23T10:00:00"}"#,
            r#"{"time": true}"#,
            r#"{"time": 1e300}"#,
            r#"{"time": 1790000000000000}"#,
        ] {
            assert_eq!(of(bad), Err(NoTime), "{bad}");
        }
    }
}
