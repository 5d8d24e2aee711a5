//! Responses for files, with ranges and conditional requests (RFC 9110).

use std::fs::File;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use httpdate::{fmt_http_date, parse_http_date};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use tokio::io::{AsyncRead, ReadBuf};

use crate::site::serve::files::{Opened, RefusedFile};

/// Number of bytes read from a file at a time.
const CHUNK: usize = 64 << 10;

#[derive(Debug)]
pub(super) enum Content {
    Bytes(Bytes),
    /// The given number of bytes from the current position of a file.
    File(tokio::fs::File, u64),
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let bytes = match &mut *self {
            Self::Bytes(bytes) => std::mem::take(bytes),
            Self::File(_, 0) => Bytes::new(),
            Self::File(file, left) => {
                let mut chunk = vec![0; CHUNK.min(usize::try_from(*left).unwrap_or(CHUNK))];
                let mut read = ReadBuf::new(&mut chunk);
                ready!(Pin::new(file).poll_read(context, &mut read))?;
                let found = read.filled().len();
                if found == 0 {
                    return Poll::Ready(Some(Err(ErrorKind::UnexpectedEof.into())));
                }
                *left -= found as u64;
                chunk.truncate(found);
                chunk.into()
            }
        };
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.size_hint().exact() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, left) => *left,
        })
    }
}

/// Creates a response without a file.
pub(super) fn short(status: StatusCode, text: impl Into<Bytes>) -> Response<Content> {
    let mut response = Response::new(Content::Bytes(text.into()));
    *response.status_mut() = status;
    response
}

/// Redirects to another path of this server. The path starts with a single slash, because browsers
/// interpret two slashes, or backslashes, as the start of a host name.
pub(super) fn redirect(path: &str) -> Response<Content> {
    let path = path.replace('\\', "%5C");
    let mut response = short(StatusCode::TEMPORARY_REDIRECT, "");
    match HeaderValue::try_from(format!("/{}", path.trim_start_matches('/'))) {
        Ok(location) => _ = response.headers_mut().insert(header::LOCATION, location),
        Err(_) => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    response
}

/// Creates the response for a file that is not served.
pub(super) fn refusal(refused: &RefusedFile) -> Response<Content> {
    let (status, text) = match refused {
        RefusedFile::Missing => (StatusCode::NOT_FOUND, ""),
        RefusedFile::LeadsOut => (
            StatusCode::FORBIDDEN,
            "A symbolic link leads out of the served folders. To follow such links, pass --follow-symlinks to pagekin serve\n",
        ),
        RefusedFile::NoFile => (StatusCode::FORBIDDEN, "This is not a regular file\n"),
        RefusedFile::RowError => {
            (StatusCode::INTERNAL_SERVER_ERROR, "The file could not be read\n")
        }
    };
    let mut response = short(status, text);
    response
        .headers_mut()
        .insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Serves a file or the requested part of it.
pub(super) fn file(head: &Parts, opened: Opened) -> Response<Content> {
    let Opened { file, name, bytes, modified } = opened;
    let modified = modified.and_then(seconds);
    let mut response = match precondition(&head.headers, modified) {
        Some(status) => short(status, ""),
        None => whole_or_part(head, file, bytes, modified)
            .unwrap_or_else(|_| refusal(&RefusedFile::RowError)),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(&name)));
    if let Some(date) = modified.and_then(|time| HeaderValue::try_from(fmt_http_date(time)).ok()) {
        headers.insert(header::LAST_MODIFIED, date);
    }
    response
}

/// Serves an embedded file under a name.
pub(super) fn bytes(head: &Parts, name: &str, bytes: &'static [u8]) -> Response<Content> {
    let whole = if head.method == Method::HEAD { &[][..] } else { bytes };
    let mut response = short(StatusCode::OK, whole);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    response
}

/// Returns the content type for a file name.
pub(super) fn kind(name: &str) -> &'static str {
    mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream")
}

fn whole_or_part(
    head: &Parts,
    mut file: File,
    bytes: u64,
    modified: Option<SystemTime>,
) -> io::Result<Response<Content>> {
    let requested = text(&head.headers, header::RANGE).filter(|_| head.method == Method::GET);
    // A part of a changed file would be useless.
    let fits = text(&head.headers, header::IF_RANGE)
        .is_none_or(|state| modified.is_some() && parse_http_date(state).ok() == modified);
    let part =
        requested.filter(|_| fits).map_or(Part::Whole, |requested| Part::new(requested, bytes));
    let (status, first, length, range) = match part {
        Part::Whole => (StatusCode::OK, 0, bytes, None),
        Part::From { first, last } => {
            let range = format!("bytes {first}-{last}/{bytes}");
            (StatusCode::PARTIAL_CONTENT, first, last - first + 1, Some(range))
        }
        Part::Beyond => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0, Some(format!("bytes */{bytes}"))),
    };
    let content = if head.method == Method::HEAD {
        Content::Bytes(Bytes::new())
    } else {
        io::Seek::seek(&mut file, io::SeekFrom::Start(first))?;
        let mut file = tokio::fs::File::from_std(file);
        file.set_max_buf_size(CHUNK);
        Content::File(file, length)
    };
    let mut response = Response::new(content);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CONTENT_LENGTH, length.into());
    if let Some(range) = range.and_then(|range| HeaderValue::try_from(range).ok()) {
        headers.insert(header::CONTENT_RANGE, range);
    }
    Ok(response)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Rounds a time to whole seconds, as in headers; `None` for times in the future.
fn seconds(time: SystemTime) -> Option<SystemTime> {
    let since = time.duration_since(UNIX_EPOCH).ok().filter(|_| time <= SystemTime::now())?;
    Some(UNIX_EPOCH + Duration::from_secs(since.as_secs()))
}

/// Evaluates the preconditions in the order of RFC 9110, section 13.2.2. Returns the status that
/// replaces the file. Files have no entity tags, so that only `*` matches.
fn precondition(headers: &HeaderMap, modified: Option<SystemTime>) -> Option<StatusCode> {
    let date = |name| text(headers, name).and_then(|date| parse_http_date(date).ok());
    let fails = match text(headers, header::IF_MATCH) {
        Some(tags) => tags.trim() != "*",
        None => modified
            .zip(date(header::IF_UNMODIFIED_SINCE))
            .is_some_and(|(modified, since)| modified > since),
    };
    let is_known = match text(headers, header::IF_NONE_MATCH) {
        Some(tags) => tags.trim() == "*",
        None => modified
            .zip(date(header::IF_MODIFIED_SINCE))
            .is_some_and(|(modified, since)| modified <= since),
    };
    match (fails, is_known) {
        (true, _) => Some(StatusCode::PRECONDITION_FAILED),
        (_, true) => Some(StatusCode::NOT_MODIFIED),
        _ => None,
    }
}

/// The part that a `Range` header requests.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Several parts, or another unit: the header is ignored.
    Whole,
    From {
        first: u64,
        last: u64,
    },
    Beyond,
}

impl Part {
    fn new(range: &str, bytes: u64) -> Self {
        Self::requested(range, bytes).unwrap_or(Self::Whole)
    }

    fn requested(range: &str, bytes: u64) -> Option<Self> {
        let (unit, range) = range.split_once('=')?;
        let (first, last) = range.trim().split_once('-')?;
        // A number that overflows is beyond the end of any file.
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().unwrap_or(u64::MAX))
        };
        let end = bytes.checked_sub(1)?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        if first.is_empty() {
            return Some(match number(last)? {
                0 => Self::Beyond,
                length => Self::From { first: bytes.saturating_sub(length), last: end },
            });
        }
        let first = number(first)?;
        let last = if last.is_empty() { u64::MAX } else { number(last)? };
        match first {
            _ if last < first => None,
            _ if first > end => Some(Self::Beyond),
            _ => Some(Self::From { first, last: last.min(end) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_part_in_bytes_is_served_and_other_ranges_are_ignored() {
        let huge = "9".repeat(30);
        for (range, expected) in [
            ("bytes=0-0", Some((0, 0))),
            ("bytes=2-5", Some((2, 5))),
            ("BYTES=7-", Some((7, 9))),
            ("bytes=9-20", Some((9, 9))),
            ("bytes=-3", Some((7, 9))),
            ("bytes=-30", Some((0, 9))),
            (&format!("bytes=3-{huge}"), Some((3, 9))),
            ("bytes=10-", None),
            ("bytes=-0", None),
            (&format!("bytes={huge}-"), None),
        ] {
            let expected =
                expected.map_or(Part::Beyond, |(first, last)| Part::From { first, last });
            assert_eq!(Part::new(range, 10), expected, "{range}");
        }
        for range in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-2",
            "bytes=+1-2",
            "bytes=a-b",
            "bytes=0-1,4-5",
            "pages=0-1",
            "bytes: 0-1",
        ] {
            assert_eq!(Part::new(range, 10), Part::Whole, "{range}");
        }
        assert_eq!(Part::new("bytes=0-", 0), Part::Whole);
    }

    #[test]
    fn times_that_headers_cannot_contain_are_omitted() {
        let now = SystemTime::now();
        assert!(seconds(now).is_some_and(|time| time <= now));
        for days in [400 * 365, 100_000 * 365] {
            let far = Duration::from_secs(days * 86_400);
            assert_eq!(UNIX_EPOCH.checked_sub(far).and_then(seconds), None);
            assert_eq!(UNIX_EPOCH.checked_add(far).and_then(seconds), None);
        }
    }
}
