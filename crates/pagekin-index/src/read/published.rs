//! An index on a host, queried over HTTPS. Lookups fetch the same files as in a browser.
//!
//! Requests only go to the host of the index, over HTTPS, or over HTTP on this machine. Responses
//! are not trusted: `host` bounds sizes, times and redirects, and the index checks all bytes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pagekin_core::{Answer, Index, Lookup, LookupOptions};
use ureq::http::StatusCode;
use url::Url;

use crate::read::by_address::page_by_address;
use crate::read::call_end::CallEnd;
use crate::read::host::{Site, content_type, is_this_machine};
use crate::read::published_error::RemoteIndexError;

/// Maximum length of a page in bytes.
const MAX_PAGE: u64 = 4 << 20;

/// How a published index is queried.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteOptions {
    /// Maximum duration of opening the index, a lookup, or fetching a page, with all requests;
    /// above 0. The default is 30 seconds.
    pub timeout: Duration,
    /// A file of trusted root certificates in PEM. By default, Mozilla's certificates, which are
    /// compiled in.
    pub roots: Option<PathBuf>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), roots: None }
    }
}

/// An open index on a host. Fetched shards are kept in memory, up to [`Index::CACHE_BYTES`], so
/// that later lookups make fewer requests.
#[derive(Debug)]
pub struct RemoteIndex {
    site: Arc<Site>,
    index: Index,
    timeout: Duration,
    end: Option<CallEnd>,
}

/// A page fetched from its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// The URL that was requested.
    pub url: String,
    /// The title in the index.
    pub title: String,
    /// The contents, at most 4 MiB.
    pub bytes: Vec<u8>,
    /// The charset in the response, if any.
    pub charset: Option<String>,
}

impl RemoteIndex {
    /// Opens the index in the folder at `url`, with or without a slash at its end. Makes one
    /// request.
    ///
    /// # Errors
    ///
    /// If the URL is not allowed, there is no index, or it cannot be read.
    pub fn open(url: &str, options: RemoteOptions) -> Result<Self, RemoteIndexError> {
        let RemoteOptions { timeout, roots } = options;
        let site = Arc::new(Site::new(url, roots)?);
        let index = site.open(&CallEnd::after(timeout))?;
        Ok(Self { site, index, timeout, end: None })
    }

    /// Sets a shared deadline for all following calls, instead of a timeout for each. `None`
    /// removes it.
    pub fn set_end(&mut self, end: Option<CallEnd>) {
        self.end = end;
    }

    /// The deadline of a call that begins now.
    fn end(&self) -> CallEnd {
        self.end.clone().unwrap_or_else(|| CallEnd::after(self.timeout))
    }

    /// The opened index, for lookups.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Reads the manifest again, and returns whether another index was published. Makes one
    /// request. If nothing changed, cached shards are kept. May take a `share`th of the remaining
    /// time.
    ///
    /// # Errors
    ///
    /// Like [`open`](Self::open). The index is unchanged then.
    pub fn refresh(&mut self, share: u32) -> Result<bool, RemoteIndexError> {
        let index = self.site.open(&self.end().part(share))?;
        let is_new = index.manifest().generation() != self.index.manifest().generation();
        if is_new {
            self.index = index;
        }
        Ok(is_new)
    }

    /// Finds pages similar to a text, see [`Lookup::from_text`].
    ///
    /// # Errors
    ///
    /// If a file cannot be fetched or read, or the text has no words.
    pub fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, RemoteIndexError> {
        self.answer(Lookup::from_text(&self.index, text, lang, options)?)
    }

    /// Finds pages similar to the page at a URL, see [`Lookup::from_url`].
    ///
    /// # Errors
    ///
    /// If a file cannot be fetched or read, or there is no page at this URL.
    pub fn similar_to_url(
        &mut self,
        url: &str,
        options: LookupOptions,
    ) -> Result<Answer, RemoteIndexError> {
        self.answer(Lookup::from_url(&self.index, url, options))
    }

    /// Converts a URL of the index to an absolute one.
    #[must_use]
    pub fn absolute(&self, address: &str) -> String {
        self.site.folder.join(address).map_or_else(|_| address.to_owned(), String::from)
    }

    /// Fetches a page of the index from its host. Only pages of the index are fetched, and only
    /// from that host. An index on this machine represents its site, even if that is published
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// If there is no page at this URL, the page is on another host, or it cannot be fetched or is
    /// not HTML.
    pub fn page(&self, url: &str) -> Result<FetchedPage, RemoteIndexError> {
        let end = self.end();
        let manifest = self.index.manifest();
        let read = |name: &str| {
            let mut read = Vec::new();
            self.site.read_all(vec![name.to_owned()], &end, |_, bytes| {
                read = bytes;
                Ok(())
            })?;
            Ok::<_, RemoteIndexError>(read)
        };
        let (_, record) = page_by_address(manifest, url, read)?;
        let folder = &self.site.folder;
        let unexpected = |url: &Url, expected, found: &str| RemoteIndexError::Unexpected {
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
        let fetched = self.site.fetch(page.clone(), MAX_PAGE, &end)?;
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

    /// Runs a lookup, fetching the files of each step in parallel.
    fn answer(&mut self, mut lookup: Lookup) -> Result<Answer, RemoteIndexError> {
        let (site, end) = (Arc::clone(&self.site), self.end());
        loop {
            let wanted = lookup.wanted(&mut self.index)?;
            site.read_all(wanted, &end, |name, bytes| {
                Ok(lookup.supply_within(&mut self.index, name, &bytes)?)
            })?;
            if let Some(answer) = lookup.answer() {
                return Ok(answer.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assets, BuildOptions, build_pages};
    use pagekin_core::shard::MANIFEST_NAME;
    use pagekin_pages::{PageSource, Silent, SourcePage};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::{fs, io, thread};

    struct OnePage;

    impl PageSource for OnePage {
        fn count(&self) -> u64 {
            1
        }

        fn page(&self, _: u64) -> io::Result<SourcePage> {
            let [url, title, lang, text] =
                ["/a.html", "Rye", "en", "a loaf of rye from the oven"].map(str::to_owned);
            Ok(SourcePage { url, title, lang, text })
        }

        fn name(&self, _: u64) -> PathBuf {
            "a".into()
        }
    }

    /// A host that sends its manifest once. It counts later requests, but does not answer them.
    fn host(folder: &Path) -> (String, Arc<AtomicUsize>) {
        let manifest = fs::read(folder.join(MANIFEST_NAME)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        thread::spawn(move || {
            let mut kept = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1_024]);
                if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}", manifest.len());
                    let _ = write!(stream, "{head}\r\nConnection: close\r\n\r\n");
                    let _ = stream.write_all(&manifest);
                } else {
                    kept.push(stream);
                }
            }
        });
        (url, asked)
    }

    #[test]
    fn all_requests_of_a_call_share_a_deadline() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("index");
        let options = BuildOptions::new("", &folder);
        build_pages(&options, &OnePage, &Assets::default(), &Silent).unwrap();
        let (url, asked) = host(&folder);
        let mut published = RemoteIndex::open(&url, RemoteOptions::default()).unwrap();
        let mut ask = |end: &CallEnd| {
            published.set_end(Some(end.clone()));
            let refreshed = published.refresh(1).map(drop);
            let found = published.similar_to_text("a loaf", "en", LookupOptions::default());
            let page = published.page("/a.html").map(drop);
            let errors = [refreshed, found.map(drop), page].map(|result| result.unwrap_err());
            (errors, asked.load(Ordering::SeqCst))
        };
        let end = CallEnd::after(Duration::from_millis(500));
        let (errors, n) = ask(&end);
        assert!(end.is_over());
        assert!(errors.iter().all(|error| error.to_string().contains("within 0.5 seconds")));
        // One request for opening, and one that was not answered.
        assert_eq!(n, 2, "nothing is asked for once the time is up");
        let end = CallEnd::after(Duration::from_secs(600));
        end.clone().cancel();
        let (errors, n) = ask(&end);
        assert!(errors.iter().all(|error| matches!(error, RemoteIndexError::Canceled)));
        assert_eq!(n, 2);
    }
}
