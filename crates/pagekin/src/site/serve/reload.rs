//! Reloads open pages when the served files change. A script is added to served HTML, not to files.
//! It sends a request that is answered at the next change (long polling).

use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use tokio::sync::watch;

use crate::site::serve::files::{Opened, RefusedFile};
use crate::site::serve::response::{Content, kind, refusal, short};

const SCRIPT: &str = include_str!("reload.js");
/// Path of the script and of the request that it waits for.
const FOLDER: &str = "/.pagekin";

/// Maximum time until a waiting request is answered, because proxies close silent connections.
const MAX_WAIT: Duration = Duration::from_secs(25);

/// Larger pages are served without the script.
const MAX_PAGE: u64 = 16 << 20;

/// The version of the served files.
#[derive(Debug, Clone)]
pub(crate) struct Served(watch::Sender<String>);

impl Served {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(name(0)))
    }

    /// Starts a new version.
    pub(crate) fn change(&self) {
        self.0.send_modify(|now| {
            let count = now.rsplit('-').next().and_then(|count| count.parse::<u64>().ok());
            *now = name(count.unwrap_or_default() + 1);
        });
    }

    pub(super) fn now(&self) -> String {
        self.0.borrow().clone()
    }

    /// Answers requests for the script and for the next version; `None` for other requests.
    pub(super) async fn answer(&self, head: &Parts) -> Option<Response<Content>> {
        if head.method != Method::GET {
            return None;
        }
        match head.uri.path().strip_prefix(FOLDER)? {
            "/reload.js" => Some(never_stored("text/javascript", SCRIPT.into())),
            "/changes" => {
                let mut versions = self.0.subscribe();
                let seen = head.uri.query().unwrap_or_default();
                // After a timeout, the answer is the version that the page already has.
                let _ = tokio::time::timeout(MAX_WAIT, versions.wait_for(|now| now != seen)).await;
                Some(never_stored("text/plain", self.now().into()))
            }
            _ => None,
        }
    }
}

/// Names a version. The time makes it different from those of earlier runs.
fn name(count: u64) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{count}", since.as_millis())
}

fn never_stored(kind: &'static str, bytes: Vec<u8>) -> Response<Content> {
    let mut response = short(StatusCode::OK, bytes);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns whether a file is a page of at most [`MAX_PAGE`] bytes.
pub(super) fn is_small_page(opened: &Opened) -> bool {
    kind(&opened.name) == "text/html" && opened.bytes <= MAX_PAGE
}

/// Serves a page with the script, ignoring ranges and caches, because a cached page may lack the
/// script. `now` was read before the page was opened, so that a change in between causes a reload.
pub(super) fn with_script(opened: Opened, now: &str) -> Response<Content> {
    let mut page = Vec::new();
    if opened.file.take(MAX_PAGE).read_to_end(&mut page).is_err() {
        return refusal(&RefusedFile::RowError);
    }
    bytes_with_script(page, now)
}

/// Serves an embedded page with the script.
pub(super) fn bytes_with_script(mut page: Vec<u8>, now: &str) -> Response<Content> {
    let wide = page.starts_with(&[0xff, 0xfe]) || page.starts_with(&[0xfe, 0xff]);
    if !wide {
        let script = format!("<script src=\"{FOLDER}/reload.js\" data-seen=\"{now}\"></script>\n");
        page.extend_from_slice(script.as_bytes());
    }
    never_stored("text/html", page)
}
