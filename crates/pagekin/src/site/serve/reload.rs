//! Pages that load themselves again when what is served has changed. A script is added to HTML as
//! it is served, to no file; it waits for an answer that comes when there is something new.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use tokio::sync::watch;

const SCRIPT: &str = include_str!("reload.js");
/// Where the script is served, and beside it what it waits for.
const FOLDER: &str = "/.pagekin";

/// How long a page waits before it asks again: proxies close connections that are silent.
const LONGEST: Duration = Duration::from_secs(25);

/// A page above this size is served as it is.
const LARGEST_PAGE: usize = 16 << 20;

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

    fn now(&self) -> String {
        self.0.borrow().clone()
    }
}

/// Of this moment, so that it is not one of an earlier run.
fn name(count: u64) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{count}", since.as_millis())
}

/// The script, and what it waits for.
pub(super) fn router(served: Served) -> Router {
    let headers =
        |kind: &'static str| [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    let script = move || async move { (headers("text/javascript"), SCRIPT) };
    let changes = move |State(served): State<Served>, RawQuery(seen): RawQuery| async move {
        let mut told = served.0.subscribe();
        let seen = seen.unwrap_or_default();
        // In vain, if nothing changes for long: then it is told what it knows.
        let _ = tokio::time::timeout(LONGEST, told.wait_for(|now| *now != seen)).await;
        (headers("text/plain"), served.now())
    };
    Router::new()
        .route(&format!("{FOLDER}/reload.js"), get(script))
        .route(&format!("{FOLDER}/changes"), get(changes))
        .with_state(served)
}

/// Adds the script to pages.
pub(super) async fn add_script(
    State(served): State<Served>,
    mut request: Request,
    next: Next,
) -> Response {
    // Before the page is read: if it changes in between, it is loaded once more.
    let now = served.now();
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    // A browser may have the page without the script, or with an earlier name.
    request.headers_mut().remove(header::IF_MODIFIED_SINCE);
    let response = next.run(request).await;
    if !is_small_page(&response) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(page) = to_bytes(body, LARGEST_PAGE).await else {
        return Response::builder()
            .status(StatusCode::INTERNAL_SERVER_ERROR)
            .body(Body::from("the file changed while it was read: load the page again\n"))
            .unwrap_or_default();
    };
    let mut page = page.to_vec();
    let wide = page.starts_with(&[0xff, 0xfe]) || page.starts_with(&[0xfe, 0xff]);
    if !wide {
        let script = format!("<script src=\"{FOLDER}/reload.js\" data-seen=\"{now}\"></script>\n");
        page.extend_from_slice(script.as_bytes());
    }
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.remove(header::LAST_MODIFIED);
    head.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Response::from_parts(head, Body::from(page))
}

/// Whether it is a page, whole and of a usual size.
fn is_small_page(response: &Response) -> bool {
    let of = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let is_html = of(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/html"));
    let length = of(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let small = length.is_some_and(|length: usize| length <= LARGEST_PAGE);
    response.status() == StatusCode::OK && is_html && small
}
