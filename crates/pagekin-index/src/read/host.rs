//! Requests to the host of a published index, with limits on sizes and times.
//!
//! The host is not trusted. At most as many bytes of a body are read as the index may have there,
//! and redirects stay on the host. Requests run on separate threads, so that a call ends in time
//! even while a resolver, a connection or a body blocks.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pagekin_core::Index;
use pagekin_core::shard::{MANIFEST_NAME, file_and_range, max_bytes};
use ureq::Agent;
use ureq::http::header::{CONTENT_TYPE, LOCATION, RANGE};
use ureq::http::{Response, StatusCode};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use url::{Host, Origin, Url};

use crate::read::call_end::CallEnd;
use crate::read::published_error::RemoteIndexError;

/// Maximum number of redirects of a request.
const MAX_REDIRECTS: usize = 5;
/// Maximum number of parallel requests: browsers open as many connections to a host.
const AT_ONCE: usize = 6;
/// Maximum number of unfinished requests of calls that have ended.
const MAX_UNDER_WAY: usize = 4 * AT_ONCE;
/// How often a waiting call checks whether it is canceled.
const LOOK: Duration = Duration::from_millis(20);

/// The host of an index, and its HTTP client.
#[derive(Debug)]
pub(super) struct Site {
    agent: Agent,
    /// The URL of the folder of the index, with a slash at its end.
    pub(super) folder: Url,
    under_way: AtomicUsize,
}

/// A response.
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    pub(super) status: StatusCode,
    pub(super) content_type: String,
}

/// A request for a URL or a range of it, with a limit on the bytes to read.
struct Request {
    url: Url,
    range: Option<Range<u64>>,
    limit: u64,
}

/// Counts a thread with unfinished requests.
struct UnderWay(Arc<Site>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Site {
    pub(super) fn new(given: &str, roots: Option<PathBuf>) -> Result<Self, RemoteIndexError> {
        let refused = || RemoteIndexError::Url { url: given.to_owned() };
        let mut folder = Url::parse(given).map_err(|_| refused())?;
        let is_local = is_this_machine(&folder);
        let is_asked = folder.scheme() == "https" || folder.scheme() == "http" && is_local;
        if !is_asked || !folder.username().is_empty() || folder.password().is_some() {
            return Err(refused());
        }
        folder.set_query(None);
        folder.set_fragment(None);
        if !folder.path().ends_with('/') {
            folder.set_path(&format!("{}/", folder.path()));
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections_per_host(AT_ONCE)
            .user_agent(concat!("pagekin/", env!("CARGO_PKG_VERSION")));
        if is_local {
            config = config.proxy(None);
        }
        if let Some(path) = roots.filter(|_| folder.scheme() == "https") {
            config =
                config.tls_config(TlsConfig::builder().root_certs(certificates(path)?).build());
        }
        Ok(Self { agent: config.build().into(), folder, under_way: AtomicUsize::new(0) })
    }

    pub(super) fn open(self: &Arc<Self>, end: &CallEnd) -> Result<Index, RemoteIndexError> {
        let url = self.url(MANIFEST_NAME)?;
        let manifest = self.fetch(url, max_bytes(MANIFEST_NAME) as u64, end)?;
        if manifest.status != StatusCode::OK {
            let (url, status) = (self.folder.to_string(), manifest.status.as_u16());
            return Err(RemoteIndexError::NoIndex { url, status });
        }
        Ok(Index::open(&manifest.bytes)?)
    }

    /// The URL of a file of the index.
    fn url(&self, name: &str) -> Result<Url, RemoteIndexError> {
        let joined = self.folder.join(name);
        joined.map_err(|_| RemoteIndexError::Url { url: format!("{}{name}", self.folder) })
    }

    /// Fetches a URL. The body may have at most `limit` bytes.
    pub(super) fn fetch(
        self: &Arc<Self>,
        url: Url,
        limit: u64,
        end: &CallEnd,
    ) -> Result<Fetched, RemoteIndexError> {
        let request = Request { url, range: None, limit };
        let mut fetched = None;
        let get = |site: &Self, request: Request, end: &CallEnd| site.get(&request, end);
        self.side_by_side(vec![request], end, get, |found| {
            fetched = Some(found);
            Ok(())
        })?;
        fetched.ok_or(RemoteIndexError::Canceled)
    }

    /// Reads files of the index, or ranges of them, in parallel, and calls `each` with the name and
    /// the bytes of each as it arrives. Stops at the first error.
    pub(super) fn read_all(
        self: &Arc<Self>,
        names: Vec<String>,
        end: &CallEnd,
        mut each: impl FnMut(&str, Vec<u8>) -> Result<(), RemoteIndexError>,
    ) -> Result<(), RemoteIndexError> {
        let read = |site: &Self, name: String, end: &CallEnd| {
            let bytes = site.read(&name, end)?;
            Ok((name, bytes))
        };
        self.side_by_side(names, end, read, |(name, bytes)| each(&name, bytes))
    }

    /// Does `work` for each job on a few threads, and calls `each` with the results, one at a time
    /// and in any order. Stops at the first error, or at the deadline `end`: unfinished requests
    /// then end by themselves, without blocking the call.
    fn side_by_side<J: Send + 'static, T: Send + 'static>(
        self: &Arc<Self>,
        jobs: Vec<J>,
        end: &CallEnd,
        work: impl Fn(&Self, J, &CallEnd) -> Result<T, RemoteIndexError> + Copy + Send + 'static,
        mut each: impl FnMut(T) -> Result<(), RemoteIndexError>,
    ) -> Result<(), RemoteIndexError> {
        let n = jobs.len();
        let jobs = Arc::new(Mutex::new(VecDeque::from(jobs)));
        // A rendezvous channel: nothing is fetched before its predecessor has been received.
        let (sender, receiver) = mpsc::sync_channel(0);
        for _ in 0..n.min(AT_ONCE) {
            let under_way = self.begin()?;
            let (jobs, sender, end) = (Arc::clone(&jobs), sender.clone(), end.clone());
            thread::spawn(move || {
                let next = || jobs.lock().ok()?.pop_front();
                while let Some(job) = next() {
                    let done = work(&under_way.0, job, &end);
                    if sender.send(done).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut ended = Ok(());
        for _ in 0..n {
            ended = self.next_of(&receiver, end).and_then(&mut each);
            if ended.is_err() {
                break;
            }
        }
        if let Ok(mut jobs) = jobs.lock() {
            jobs.clear();
        }
        ended
    }

    /// Counts a thread as under way, unless there are too many.
    fn begin(self: &Arc<Self>) -> Result<UnderWay, RemoteIndexError> {
        let under_way = UnderWay(Arc::clone(self));
        if self.under_way.fetch_add(1, Ordering::Relaxed) < MAX_UNDER_WAY {
            return Ok(under_way);
        }
        let reason = "it has not answered the requests of earlier calls yet".to_owned();
        Err(RemoteIndexError::Unreachable { url: self.folder.to_string(), reason })
    }

    /// Receives the next result, before the deadline.
    fn next_of<T>(
        &self,
        receiver: &mpsc::Receiver<Result<T, RemoteIndexError>>,
        end: &CallEnd,
    ) -> Result<T, RemoteIndexError> {
        loop {
            let left = end.left(&self.folder)?;
            match receiver.recv_timeout(left.min(LOOK)) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Timeout) => {}
                // A thread panicked; the panic message was printed.
                Err(RecvTimeoutError::Disconnected) => return Err(RemoteIndexError::Canceled),
            }
        }
    }

    /// Reads a file of the index, or a range of it.
    fn read(&self, name: &str, end: &CallEnd) -> Result<Vec<u8>, RemoteIndexError> {
        let (file, range) = file_and_range(name);
        let (url, limit) = (self.url(file)?, max_bytes(name) as u64);
        if range.as_ref().is_some_and(|range| range.end - range.start > limit) {
            return Err(RemoteIndexError::TooLong { url: url.into(), limit });
        }
        let request = Request { url, range, limit };
        let fetched = self.get(&request, end)?;
        match (fetched.status, request.range) {
            // If the host does not support ranges, `get` has cut the range from the whole file.
            (StatusCode::OK, _) | (StatusCode::PARTIAL_CONTENT, Some(_)) => Ok(fetched.bytes),
            (StatusCode::NOT_FOUND, _) if self.is_mirrored(end) => {
                Err(RemoteIndexError::Mirrored { url: self.folder.to_string() })
            }
            (status, _) => Err(RemoteIndexError::Unexpected {
                url: request.url.into(),
                expected: "a file of the index",
                found: format!("status {status}"),
            }),
        }
    }

    /// Whether the files are on other hosts.
    fn is_mirrored(&self, end: &CallEnd) -> bool {
        let list = self.url(crate::mirrors::MIRRORS_NAME);
        let limit = crate::mirrors::list::MAX_LIST_BYTES;
        list.and_then(|url| self.get(&Request { url, range: None, limit }, end))
            .is_ok_and(|list| list.status == StatusCode::OK)
    }

    /// Fetches a response, following redirects within the host.
    fn get(&self, request: &Request, end: &CallEnd) -> Result<Fetched, RemoteIndexError> {
        let mut at = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let left = end.left(&at)?;
            let mut sent = self.agent.get(at.as_str());
            if let Some(Range { start, end }) = &request.range {
                sent = sent.header(RANGE, format!("bytes={start}-{}", end.saturating_sub(1)));
            }
            let response = sent.config().timeout_global(Some(left)).build().call();
            let response = response.map_err(|error| reason(&at, end, &error))?;
            if response.status().is_redirection() {
                at = next(&at, &response)?;
                continue;
            }
            let status = response.status();
            let content_type = header(&response, CONTENT_TYPE.as_str());
            let body = response.into_body().into_reader();
            let bytes = body_of(body, status, request, &at, end)?;
            return Ok(Fetched { bytes, status, content_type });
        }
        Err(RemoteIndexError::Unexpected {
            url: request.url.to_string(),
            expected: "at most 5 redirects",
            found: "more".to_owned(),
        })
    }
}

/// Reads the requested bytes of a body: nothing unless the response is a file, and only the range
/// if the host sent the whole file instead.
fn body_of(
    mut body: impl Read,
    status: StatusCode,
    request: &Request,
    at: &Url,
    end: &CallEnd,
) -> Result<Vec<u8>, RemoteIndexError> {
    let (mut skipped, mut limit, mut may_go_on) = (0, request.limit, false);
    match (status, &request.range) {
        (StatusCode::OK, Some(range)) => {
            (skipped, limit, may_go_on) = (range.start, range.end - range.start, true);
        }
        (StatusCode::PARTIAL_CONTENT, Some(range)) => limit = range.end - range.start,
        (StatusCode::OK, None) => {}
        _ => return Ok(Vec::new()),
    }
    let (mut bytes, mut chunk) = (Vec::new(), [0; 1 << 14]);
    let too_short = || RemoteIndexError::Unexpected {
        url: at.to_string(),
        expected: "a file that ends later",
        found: "its end".to_owned(),
    };
    while bytes.len() as u64 <= limit {
        end.left(at)?;
        let n = match body.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(io_reason(at, end, error)),
            Ok(n) => n,
        };
        if n == 0 {
            let is_whole = !may_go_on || bytes.len() as u64 == limit;
            return if is_whole { Ok(bytes) } else { Err(too_short()) };
        }
        let passed = skipped.min(n as u64);
        skipped -= passed;
        bytes.extend_from_slice(&chunk[passed as usize..n]);
        if may_go_on && bytes.len() as u64 >= limit {
            bytes.truncate(limit as usize);
            return Ok(bytes);
        }
    }
    Err(RemoteIndexError::TooLong { url: at.to_string(), limit })
}

fn io_reason(at: &Url, end: &CallEnd, error: io::Error) -> RemoteIndexError {
    match error.downcast::<ureq::Error>() {
        Ok(error) => reason(at, end, &error),
        Err(error) => {
            RemoteIndexError::Unreachable { url: at.to_string(), reason: error.to_string() }
        }
    }
}

fn reason(at: &Url, end: &CallEnd, error: &ureq::Error) -> RemoteIndexError {
    match error {
        ureq::Error::Timeout(_) => end.late(at),
        other => RemoteIndexError::Unreachable { url: at.to_string(), reason: other.to_string() },
    }
}

/// Reads the certificates in a file.
fn certificates(path: PathBuf) -> Result<RootCerts, RemoteIndexError> {
    let found = |path, found| Err(RemoteIndexError::Roots { path, found });
    let pem = match fs::read(&path) {
        Ok(pem) => pem,
        Err(error) => return found(path, error.to_string()),
    };
    let certificates = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        return found(path, "no certificate".to_owned());
    }
    Ok(RootCerts::from(certificates))
}

/// The target of a redirect, which must have the same host, scheme and port.
fn next<B>(at: &Url, response: &Response<B>) -> Result<Url, RemoteIndexError> {
    let target = header(response, LOCATION.as_str());
    let same = |url: &Url| url.origin() == at.origin() && matches!(url.origin(), Origin::Tuple(..));
    match at.join(&target) {
        Ok(url) if !target.is_empty() && same(&url) => Ok(url),
        _ if target.is_empty() => Err(RemoteIndexError::Unexpected {
            url: at.to_string(),
            expected: "a file",
            found: format!("status {}", response.status()),
        }),
        _ => Err(RemoteIndexError::Elsewhere { url: at.to_string(), target }),
    }
}

fn header<B>(response: &Response<B>, name: &str) -> String {
    let value = response.headers().get(name);
    String::from_utf8_lossy(value.map_or(&[][..], |value| value.as_bytes())).into_owned()
}

/// Splits a content type into the type in lower case and the charset.
pub(super) fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.eq_ignore_ascii_case("charset").then(|| value.trim_matches('"').to_owned())
    });
    (kind, charset)
}

/// Whether a URL is on this machine, by a name or address that no network can take over.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(url: &str) -> Option<String> {
        let site = Site::new(url, None);
        site.ok().map(|site| site.folder.to_string())
    }

    #[test]
    fn only_https_and_http_on_this_machine_are_accepted() {
        for (given, expected) in [
            ("https://example.org/pagekin", "https://example.org/pagekin/"),
            ("https://example.org/pagekin/?v=1#x", "https://example.org/pagekin/"),
            ("http://127.0.0.1:4747/pagekin/", "http://127.0.0.1:4747/pagekin/"),
            ("http://[::1]/", "http://[::1]/"),
            ("http://localhost:8/a", "http://localhost:8/a/"),
        ] {
            assert_eq!(folder(given).as_deref(), Some(expected));
        }
        for given in [
            "http://example.org/pagekin/",
            "http://localhost.example.org/",
            "http://127.0.0.1.example.org/",
            "http://10.0.0.1/",
            "https://name:secret@example.org/",
            "ftp://example.org/",
            "file:///pagekin/",
            "pagekin",
        ] {
            assert_eq!(folder(given), None, "{given}");
        }
    }

    #[test]
    fn redirects_stay_on_the_host() {
        let at = Url::parse("https://example.org/a/b").unwrap();
        let to = |location: &str| {
            let response = Response::builder().status(302).header(LOCATION, location);
            next(&at, &response.body(()).unwrap()).ok().map(String::from)
        };
        assert_eq!(to("c").as_deref(), Some("https://example.org/a/c"));
        assert_eq!(to("https://example.org/c").as_deref(), Some("https://example.org/c"));
        let elsewhere = [
            "",
            "//example.net/c",
            "http://example.org/c",
            "https://example.org:8443/c",
            "https://www.example.org/c",
            "data:text/html,x",
        ];
        for location in elsewhere {
            assert_eq!(to(location), None, "{location}");
        }
    }

    #[test]
    fn content_types_are_split_from_their_charsets() {
        let split = |header| content_type(header);
        let of = |kind: &str, charset: Option<&str>| (kind.into(), charset.map(str::to_owned));
        assert_eq!(split("Text/HTML; Charset=\"utf-8\""), of("text/html", Some("utf-8")));
        assert_eq!(split("text/html"), of("text/html", None));
        assert_eq!(split(""), of("", None));
    }

    /// Starts a host with these files that answers one request per connection. Files whose names
    /// start with `moved` redirect to their contents. `ranges` says whether it supports ranges.
    fn host(files: &'static [(&'static str, &'static str)], ranges: bool) -> Arc<Site> {
        use std::io::{BufRead, BufReader, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/pagekin/", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let head: Vec<_> =
                    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else {
                    continue;
                };
                let name = path.strip_prefix("/pagekin/").unwrap_or_default();
                let found = files.iter().find(|(of, _)| *of == name).map(|(_, body)| *body);
                let range = head.iter().find_map(|line| {
                    let (start, end) = line
                        .to_ascii_lowercase()
                        .strip_prefix("range: bytes=")?
                        .split_once('-')
                        .map(|(a, b)| (a.parse::<usize>().unwrap(), b.parse::<usize>().unwrap()))?;
                    Some(start..end + 1)
                });
                let (status, more, body) = match (found, range) {
                    (Some(to), _) if name.starts_with("moved") => {
                        ("302 Found", format!("Location: {to}\r\n"), "")
                    }
                    (Some(body), Some(range)) if ranges => {
                        ("206 Partial Content", String::new(), &body[range])
                    }
                    (Some(body), _) => ("200 OK", "Content-Type: text/x\r\n".to_owned(), body),
                    (None, _) => ("404 Not Found", String::new(), "nothing"),
                };
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
            }
        });
        Arc::new(Site::new(&url, None).unwrap())
    }

    fn in_time() -> CallEnd {
        CallEnd::after(Duration::from_secs(60))
    }

    #[test]
    fn files_and_ranges_are_read() {
        const FILES: &[(&str, &str)] = &[("pagekin.kin", "0123456789"), ("moved", "pagekin.kin")];
        for ranges in [false, true] {
            let site = host(FILES, ranges);
            let read = |name: &str| site.read(name, &in_time());
            assert_eq!(read("pagekin.kin").unwrap(), b"0123456789");
            assert_eq!(read("pagekin.kin#3+4").unwrap(), b"3456");
            assert_eq!(read("pagekin.kin#0+10").unwrap(), b"0123456789");
            assert!(ranges || read("pagekin.kin#8+4").is_err(), "its end comes too early");
            assert_eq!(read("moved").unwrap(), b"0123456789");
            let fetched = site.fetch(site.url("pagekin.kin").unwrap(), 10, &in_time()).unwrap();
            assert_eq!((&*fetched.bytes, &*fetched.content_type), (&b"0123456789"[..], "text/x"));
            let short = site.fetch(site.url("pagekin.kin").unwrap(), 9, &in_time());
            assert!(matches!(short, Err(RemoteIndexError::TooLong { limit: 9, .. })));
            let mut all = Vec::new();
            let names = vec!["pagekin.kin".to_owned(); 30];
            site.read_all(names, &in_time(), |name, bytes| {
                all.push((name.to_owned(), bytes.len()));
                Ok(())
            })
            .unwrap();
            assert_eq!(all, vec![("pagekin.kin".to_owned(), 10); 30]);
        }
    }

    #[test]
    fn a_missing_file_is_on_a_mirror_or_nowhere() {
        let none = host(&[], false);
        match none.read("pagekin.kin", &in_time()) {
            Err(RemoteIndexError::Unexpected { url, found, .. }) => {
                assert_eq!(
                    (url, &*found),
                    (none.url("pagekin.kin").unwrap().to_string(), "status 404 Not Found")
                );
            }
            other => panic!("{other:?}"),
        }
        match none.open(&in_time()) {
            Err(RemoteIndexError::NoIndex { status: 404, .. }) => {}
            other => panic!("{other:?}"),
        }
        let mirrored = host(&[(crate::mirrors::MIRRORS_NAME, "{}")], false);
        match mirrored.read("pagekin.kin", &in_time()) {
            Err(RemoteIndexError::Mirrored { url }) => assert_eq!(url, mirrored.folder.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn redirects_and_calls_are_limited() {
        let site = host(
            &[("moved", "moved"), ("moved-away", "https://example.org/"), ("moved-nowhere", "")],
            false,
        );
        let found = |name: &str| site.read(name, &in_time()).unwrap_err();
        assert!(matches!(
            found("moved"),
            RemoteIndexError::Unexpected { expected: "at most 5 redirects", .. }
        ));
        assert!(matches!(found("moved-away"), RemoteIndexError::Elsewhere { .. }));
        assert!(matches!(
            found("moved-nowhere"),
            RemoteIndexError::Unexpected { expected: "a file", .. }
        ));
        let over = CallEnd::after(Duration::ZERO);
        assert!(site.read("moved", &over).is_err());
        // The maximum number of threads may be under way.
        let some: Vec<_> = (0..MAX_UNDER_WAY).map(|_| site.begin().unwrap()).collect();
        assert!(matches!(site.begin(), Err(RemoteIndexError::Unreachable { .. })));
        drop(some);
        assert!(site.begin().is_ok());
    }
}
