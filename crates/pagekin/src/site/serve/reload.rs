//! Pages that load themselves again when what is served has changed. A script is added to HTML as
//! it is served, to no file; it waits for an answer that comes when there is something new.

use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use tokio::sync::watch;

use crate::site::serve::files::{Opened, RefusedFile};
use crate::site::serve::response::{Content, kind, refusal, short};

const SCRIPT: &str = include_str!("reload.js");
/// Where the script is served, and beside it what it waits for.
const FOLDER: &str = "/.pagekin";

/// How long a page waits before it asks again: proxies close connections that are silent.
const LONGEST: Duration = Duration::from_secs(25);

/// A page above this size is served as it is.
const LARGEST_PAGE: u64 = 16 << 20;

/// What is served, by a name that changes with it.
#[derive(Debug, Clone)]
pub(crate) struct Served(watch::Sender<String>);

impl Served {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(name(0)))
    }

    /// Something else is served now.
    pub(crate) fn change(&self) {
        self.0.send_modify(|now| {
            let count = now.rsplit('-').next().and_then(|count| count.parse::<u64>().ok());
            *now = name(count.unwrap_or_default() + 1);
        });
    }

    pub(super) fn now(&self) -> String {
        self.0.borrow().clone()
    }

    /// The script, and what it waits for, if that is what is asked for.
    pub(super) async fn answer(&self, head: &Parts) -> Option<Response<Content>> {
        if head.method != Method::GET {
            return None;
        }
        match head.uri.path().strip_prefix(FOLDER)? {
            "/reload.js" => Some(never_stored("text/javascript", SCRIPT.into())),
            "/changes" => {
                let mut told = self.0.subscribe();
                let seen = head.uri.query().unwrap_or_default();
                // In vain, if nothing changes for long: then it is told what it knows.
                let _ = tokio::time::timeout(LONGEST, told.wait_for(|now| now != seen)).await;
                Some(never_stored("text/plain", self.now().into()))
            }
            _ => None,
        }
    }
}

/// Of this moment, so that it is not one of an earlier run.
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

/// Whether a file is a page, of a usual size.
pub(super) fn is_small_page(opened: &Opened) -> bool {
    kind(&opened.name) == "text/html" && opened.bytes <= LARGEST_PAGE
}

/// A page with the script, whatever of it the browser may have: that may be without. `now` is of
/// before the page was opened: if it changed in between, it is loaded once more.
pub(super) fn with_script(opened: Opened, now: &str) -> Response<Content> {
    let mut page = Vec::new();
    if opened.file.take(LARGEST_PAGE).read_to_end(&mut page).is_err() {
        return refusal(&RefusedFile::Failed);
    }
    bytes_with_script(page, now)
}

/// The same of a page that is in no file.
pub(super) fn bytes_with_script(mut page: Vec<u8>, now: &str) -> Response<Content> {
    let wide = page.starts_with(&[0xff, 0xfe]) || page.starts_with(&[0xfe, 0xff]);
    if !wide {
        let script = format!("<script src=\"{FOLDER}/reload.js\" data-seen=\"{now}\"></script>\n");
        page.extend_from_slice(script.as_bytes());
    }
    never_stored("text/html", page)
}
