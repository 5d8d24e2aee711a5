//! An index on a host, asked over HTTPS: the files that a browser would fetch, by the same lookup.
//!
//! Only the host of the index is asked, over HTTPS; over HTTP only on this machine. What it answers
//! is not trusted: sizes, times and redirects are bounded here, and bytes are checked by the index.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use pagekin_core::shard::{MANIFEST_NAME, file_and_range};
use pagekin_core::{Answer, Index, Lookup, LookupOptions, QueryError, ReadError};
use ureq::Agent;
use ureq::http::header::{CONTENT_TYPE, LOCATION, RANGE};
use ureq::http::{Response, StatusCode};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use url::{Host, Origin, Url};

use crate::read::by_address::page_by_address;

/// The most bytes of a file of an index: more than any that the build writes, but for packs, of
/// which parts are asked for.
const MOST_FILE: u64 = 32 << 20;
/// The most bytes of a page.
const MOST_PAGE: u64 = 4 << 20;
/// The most redirects of a request.
const MOST_REDIRECTS: usize = 5;
/// The most requests at a time: as many as browsers have connections to a host.
const AT_ONCE: usize = 6;

/// How a published index is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishedOptions {
    /// How long opening, a lookup or a page may take, with all its requests; above 0. 30 seconds
    /// unless it is set.
    pub timeout: Duration,
    /// A file of root certificates in PEM that hosts are trusted by, in place of Mozilla's, which
    /// are in the program.
    pub roots: Option<PathBuf>,
}

impl Default for PublishedOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), roots: None }
    }
}

/// Why a published index could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishedError {
    /// The URL is none that is asked.
    #[error(
        "expected an https:// URL of an index without a user name, or http:// on this machine \
         (localhost, 127.0.0.1, [::1]), found {url}"
    )]
    Url {
        /// The URL that was given.
        url: String,
    },
    /// The file of root certificates cannot be used.
    #[error(
        "expected root certificates in PEM at {}, found {found}",
        path.display()
    )]
    Roots {
        /// The file.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// There is no index.
    #[error(
        "no index at {url}: expected the folder with {MANIFEST_NAME}, as published after \
         `pagekin build`, found status {status}"
    )]
    NoIndex {
        /// The URL that was given.
        url: String,
        /// What the host answered.
        status: u16,
    },
    /// The index is spread over other hosts, and its own has no files.
    #[error(
        "the files of the index at {url} are on other hosts, which are not asked: expected an \
         index whose own host has all files (`home = true`), or a folder with the output"
    )]
    Mirrored {
        /// The URL of the index.
        url: String,
    },
    /// The host did not answer, or not in time.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The host answered with something else.
    #[error("cannot fetch {url}: expected {expected}, found {found}")]
    Unexpected {
        /// What was asked for.
        url: String,
        /// What should have been there.
        expected: &'static str,
        /// What was there.
        found: String,
    },
    /// The host sends elsewhere.
    #[error("cannot fetch {url}: it leads to {target}, which is on another host and not asked")]
    Elsewhere {
        /// What was asked for.
        url: String,
        /// Where it leads.
        target: String,
    },
    /// The answer is too long.
    #[error("cannot fetch {url}: expected at most {limit} bytes, found more")]
    TooLong {
        /// What was asked for.
        url: String,
        /// How many are read.
        limit: u64,
    },
    /// A file of the index is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The query has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// An index on a host, opened. Shards that were read are kept in memory, as far as
/// [`Index::CACHE_BYTES`] allows, so that later lookups ask for fewer.
#[derive(Debug)]
pub struct Published {
    site: Site,
    index: Index,
}

/// A page as its host sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// Where it was asked for.
    pub url: String,
    /// Its title, by the index.
    pub title: String,
    /// Its bytes, at most 4 MiB.
    pub bytes: Vec<u8>,
    /// The encoding that the host named, if it did.
    pub charset: Option<String>,
}

/// The host, and how it is asked.
#[derive(Debug)]
struct Site {
    agent: Agent,
    /// The folder of the index, with a slash at its end.
    folder: Url,
    timeout: Duration,
}

/// What a host sent.
struct Fetched {
    bytes: Vec<u8>,
    status: StatusCode,
    content_type: String,
}

impl Published {
    /// Opens the index in the folder at `url`, with or without a slash at its end: one request.
    ///
    /// # Errors
    ///
    /// If the URL is none that is asked, there is no index, or it cannot be read.
    pub fn open(url: &str, options: PublishedOptions) -> Result<Self, PublishedError> {
        let site = Site::new(url, options)?;
        let index = site.open()?;
        Ok(Self { site, index })
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Reads the manifest again: whether another index was published since. One request; without
    /// a change shards are kept.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); the index stays as it was.
    pub fn refresh(&mut self) -> Result<bool, PublishedError> {
        let index = self.site.open()?;
        let is_new = index.manifest().generation() != self.index.manifest().generation();
        if is_new {
            self.index = index;
        }
        Ok(is_new)
    }

    /// The kin of a text, see [`Lookup::of_text`].
    ///
    /// # Errors
    ///
    /// If a file cannot be fetched or read, or the text has no words.
    pub fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, PublishedError> {
        let lookup = Lookup::of_text(&self.index, text, lang, options)?;
        self.answer(lookup)
    }

    /// The kin of a page, see [`Lookup::of_url`].
    ///
    /// # Errors
    ///
    /// If a file cannot be fetched or read, or no page has this address.
    pub fn similar_to_url(
        &mut self,
        url: &str,
        options: LookupOptions,
    ) -> Result<Answer, PublishedError> {
        let lookup = Lookup::of_url(&self.index, url, options);
        self.answer(lookup)
    }

    /// An address of the index as an absolute URL.
    #[must_use]
    pub fn absolute(&self, address: &str) -> String {
        self.site.folder.join(address).map_or_else(|_| address.to_owned(), String::from)
    }

    /// Fetches a page of the index from its host: nothing else that the host has, and nothing of
    /// other hosts. An index on this machine stands for the site wherever that is published.
    ///
    /// # Errors
    ///
    /// If no page has this address, its host is another one than that of the index, or it cannot be
    /// fetched or is no HTML.
    pub fn page(&self, url: &str) -> Result<FetchedPage, PublishedError> {
        let deadline = self.site.deadline();
        let manifest = self.index.manifest();
        let read = |name: &str| self.site.read(name, deadline);
        let (_, record) = page_by_address(manifest, url, read)?;
        let folder = &self.site.folder;
        let unexpected = |url: &Url, expected, found: &str| PublishedError::Unexpected {
            url: url.to_string(),
            expected,
            found: found.to_owned(),
        };
        let Ok(mut page) = folder.join(&record.url) else {
            return Err(unexpected(folder, "the address of a page", &record.url));
        };
        if page.origin() != folder.origin() {
            if !is_this_machine(folder) {
                return Err(unexpected(&page, "a page on the host of the index", folder.as_str()));
            }
            let mut here = folder.clone();
            here.set_path(page.path());
            here.set_query(page.query());
            page = here;
        }
        let fetched = self.site.get(&page, None, MOST_PAGE, deadline)?;
        if fetched.status != StatusCode::OK {
            return Err(unexpected(&page, "a page", &format!("status {}", fetched.status)));
        }
        let (kind, charset) = content_type(&fetched.content_type);
        if !["text/html", "application/xhtml+xml", ""].contains(&kind.as_str()) {
            return Err(unexpected(&page, "HTML", &kind));
        }
        let url = self.absolute(&record.url);
        Ok(FetchedPage { url, title: record.title, bytes: fetched.bytes, charset })
    }

    /// Drives a lookup, what it wants at a time side by side.
    fn answer(&mut self, mut lookup: Lookup) -> Result<Answer, PublishedError> {
        let deadline = self.site.deadline();
        loop {
            let wanted = lookup.wanted(&mut self.index)?;
            for (name, bytes) in self.site.read_all(wanted, deadline)? {
                lookup.supply(&mut self.index, &name, &bytes)?;
            }
            if let Some(answer) = lookup.answer() {
                return Ok(answer.clone());
            }
        }
    }
}

impl Site {
    fn new(given: &str, options: PublishedOptions) -> Result<Self, PublishedError> {
        let refused = || PublishedError::Url { url: given.to_owned() };
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
        if let Some(path) = options.roots.filter(|_| folder.scheme() == "https") {
            config = config.tls_config(TlsConfig::builder().root_certs(roots(path)?).build());
        }
        Ok(Self { agent: config.build().into(), folder, timeout: options.timeout })
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    fn open(&self) -> Result<Index, PublishedError> {
        let url = self.url(MANIFEST_NAME)?;
        let manifest = self.get(&url, None, MOST_FILE, self.deadline())?;
        if manifest.status != StatusCode::OK {
            let (url, status) = (self.folder.to_string(), manifest.status.as_u16());
            return Err(PublishedError::NoIndex { url, status });
        }
        Ok(Index::open(&manifest.bytes)?)
    }

    /// The URL of a file of the index.
    fn url(&self, name: &str) -> Result<Url, PublishedError> {
        let joined = self.folder.join(name);
        joined.map_err(|_| PublishedError::Url { url: format!("{}{name}", self.folder) })
    }

    /// The bytes of files, or of places in them, in any order. Ends with the first that fails.
    fn read_all(
        &self,
        names: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<(String, Vec<u8>)>, PublishedError> {
        let workers = names.len().min(AT_ONCE);
        let waiting = Mutex::new(VecDeque::from(names));
        let next = || waiting.lock().ok()?.pop_front();
        let work = || {
            let mut read = Vec::new();
            while let Some(name) = next() {
                match self.read(&name, deadline) {
                    Ok(bytes) => read.push((name, bytes)),
                    Err(error) => {
                        waiting.lock().map(|mut waiting| waiting.clear()).ok();
                        return Err(error);
                    }
                }
            }
            Ok(read)
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let mut all = Vec::new();
            for worker in workers {
                match worker.join() {
                    Ok(read) => all.extend(read?),
                    Err(panicked) => std::panic::resume_unwind(panicked),
                }
            }
            Ok(all)
        })
    }

    /// The bytes of a file, or of a place in one.
    fn read(&self, name: &str, deadline: Instant) -> Result<Vec<u8>, PublishedError> {
        let (file, range) = file_and_range(name);
        let url = self.url(file)?;
        let limit = match &range {
            Some(Range { start, end }) if end - start > MOST_FILE => {
                return Err(PublishedError::TooLong { url: url.into(), limit: MOST_FILE });
            }
            _ => MOST_FILE,
        };
        let fetched = self.get(&url, range.as_ref(), limit, deadline)?;
        match (fetched.status, range) {
            (StatusCode::OK, None) | (StatusCode::PARTIAL_CONTENT, Some(_)) => Ok(fetched.bytes),
            // A host without ranges sends the whole file.
            (StatusCode::OK, Some(Range { start, end })) => {
                let part = fetched.bytes.get(start as usize..end as usize);
                part.map(<[u8]>::to_vec).ok_or_else(|| PublishedError::Unexpected {
                    url: url.into(),
                    expected: "a file that ends later",
                    found: format!("{} bytes", fetched.bytes.len()),
                })
            }
            (StatusCode::NOT_FOUND, _) if self.is_mirrored(deadline) => {
                Err(PublishedError::Mirrored { url: self.folder.to_string() })
            }
            (status, _) => Err(PublishedError::Unexpected {
                url: url.into(),
                expected: "a file of the index",
                found: format!("status {status}"),
            }),
        }
    }

    /// Whether the files are on other hosts.
    fn is_mirrored(&self, deadline: Instant) -> bool {
        let list = self.url(crate::mirrors::MIRRORS_NAME);
        list.and_then(|url| self.get(&url, None, MOST_FILE, deadline))
            .is_ok_and(|list| list.status == StatusCode::OK)
    }

    /// What the host answers, after redirects within it.
    fn get(
        &self,
        url: &Url,
        range: Option<&Range<u64>>,
        limit: u64,
        deadline: Instant,
    ) -> Result<Fetched, PublishedError> {
        let mut at = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let unreachable =
                |reason: String| PublishedError::Unreachable { url: at.to_string(), reason };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(unreachable(self.late()));
            }
            let mut request = self.agent.get(at.as_str());
            if let Some(Range { start, end }) = range {
                request = request.header(RANGE, format!("bytes={start}-{}", end.saturating_sub(1)));
            }
            let sent = request.config().timeout_global(Some(left)).build().call();
            let response = sent.map_err(|error| unreachable(self.reason(&error)))?;
            if response.status().is_redirection() {
                at = next(&at, &response)?;
                continue;
            }
            let status = response.status();
            let content_type = header(&response, CONTENT_TYPE.as_str());
            let mut bytes = Vec::new();
            let mut body = response.into_body().into_reader().take(limit + 1);
            body.read_to_end(&mut bytes).map_err(|error| unreachable(self.io_reason(error)))?;
            if bytes.len() as u64 > limit {
                return Err(PublishedError::TooLong { url: at.into(), limit });
            }
            return Ok(Fetched { bytes, status, content_type });
        }
        Err(PublishedError::Unexpected {
            url: url.to_string(),
            expected: "at most 5 redirects",
            found: "more".to_owned(),
        })
    }

    fn io_reason(&self, error: io::Error) -> String {
        match error.downcast::<ureq::Error>() {
            Ok(error) => self.reason(&error),
            Err(error) => error.to_string(),
        }
    }

    fn reason(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(_) => self.late(),
            other => other.to_string(),
        }
    }

    fn late(&self) -> String {
        format!("no answer within {} seconds", self.timeout.as_secs_f64())
    }
}

/// The certificates of a file.
fn roots(path: PathBuf) -> Result<RootCerts, PublishedError> {
    let found = |path, found| Err(PublishedError::Roots { path, found });
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

/// Where a response leads: only to the same host, by the same scheme and port.
fn next<B>(at: &Url, response: &Response<B>) -> Result<Url, PublishedError> {
    let target = header(response, LOCATION.as_str());
    let same = |url: &Url| url.origin() == at.origin() && matches!(url.origin(), Origin::Tuple(..));
    match at.join(&target) {
        Ok(url) if !target.is_empty() && same(&url) => Ok(url),
        _ if target.is_empty() => Err(PublishedError::Unexpected {
            url: at.to_string(),
            expected: "a file",
            found: format!("status {}", response.status()),
        }),
        _ => Err(PublishedError::Elsewhere { url: at.to_string(), target }),
    }
}

fn header<B>(response: &Response<B>, name: &str) -> String {
    let value = response.headers().get(name);
    String::from_utf8_lossy(value.map_or(&[][..], |value| value.as_bytes())).into_owned()
}

/// The type of a page in lower case, and its encoding.
fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.eq_ignore_ascii_case("charset").then(|| value.trim_matches('"').to_owned())
    });
    (kind, charset)
}

/// Whether a URL is of this machine, by a name or number that no network can take over.
fn is_this_machine(url: &Url) -> bool {
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
        let site = Site::new(url, PublishedOptions::default());
        site.ok().map(|site| site.folder.to_string())
    }

    #[test]
    fn only_https_is_asked_and_http_on_this_machine() {
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
    fn types_are_told_with_their_encoding() {
        let told = |header| content_type(header);
        let of = |kind: &str, charset: Option<&str>| (kind.into(), charset.map(str::to_owned));
        assert_eq!(told("Text/HTML; Charset=\"utf-8\""), of("text/html", Some("utf-8")));
        assert_eq!(told("text/html"), of("text/html", None));
        assert_eq!(told(""), of("", None));
    }
}
