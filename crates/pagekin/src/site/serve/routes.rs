//! Routes requests to responses. The preview is at `/` and below the path at which the site is
//! published.

use std::io::Read;

use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use pagekin_index::MirrorList;
use pagekin_index::mirrors::MIRRORS_NAME;

use crate::site::serve::clean_urls::{CleanUrls, Target};
use crate::site::serve::files::{Folders, RefusedFile};
use crate::site::serve::hosts::Hosts;
use crate::site::serve::origins::{self, INDEX};
use crate::site::serve::response::{Content, bytes, file, redirect, refusal, short};
use crate::site::serve::{Preview, Served, demo, reload};

/// Maximum length of a path, which servers should support (RFC 9110, section 4.1).
const MAX_PATH: usize = 8_000;

/// Maximum size of a list of mirrors, larger than any real one.
const MAX_LIST: u64 = 4 << 20;

macro_rules! policy {
    ($end:literal) => {
        concat!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ",
            "img-src 'self' data:; connect-src 'self'; worker-src 'self'; object-src 'none'; ",
            "base-uri 'none'; form-action 'none'",
            $end
        )
    };
}

/// The strictest policy that the demo works with. Sites that embed the client need no looser one.
const POLICY: &str = policy!("; frame-ancestors 'none'");
/// The policy of [a figure](origins::opens_figure). A page opened from disk has no origin that
/// `frame-ancestors` could name.
const FIGURE_POLICY: &str = policy!("");

/// The served folders and accepted hosts.
#[derive(Debug)]
pub(super) struct Routes {
    base: String,
    index: CleanUrls,
    site: Option<CleanUrls>,
    hosts: Hosts,
    served: Option<Served>,
}

impl Routes {
    pub(super) fn new(preview: &Preview, base: String) -> Self {
        let roots = [Some(&preview.out), preview.site.as_ref()].into_iter().flatten();
        let folders = Folders::new(roots, preview.follow_symlinks);
        let pages = |at: &std::path::PathBuf, are_clean| {
            let (folders, at) = (folders.clone(), at.clone());
            CleanUrls { folders, at, are_clean }
        };
        Self {
            base,
            index: pages(&preview.out, false),
            site: preview.site.as_ref().map(|site| pages(site, true)),
            hosts: Hosts::new(&preview.hosts),
            served: preview.served.clone(),
        }
    }

    pub(super) async fn answer(
        self: std::sync::Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<Content> {
        let (head, _) = request.into_parts();
        let is_figure = origins::opens_figure(&head);
        origins::seal(self.response(head).await, is_figure)
    }

    async fn response(self: std::sync::Arc<Self>, head: Parts) -> Response<Content> {
        if let Some(refusal) = self.hosts.refusal(&head).or_else(|| origins::refusal(&head)) {
            return refusal;
        }
        if let Some(served) = &self.served
            && let Some(response) = served.answer(&head).await
        {
            return response;
        }
        let found = tokio::task::spawn_blocking(move || self.find(&head)).await;
        found.unwrap_or_else(|_| refusal(&RefusedFile::RowError))
    }

    fn find(&self, head: &Parts) -> Response<Content> {
        if head.method != Method::GET && head.method != Method::HEAD {
            let mut response = short(StatusCode::METHOD_NOT_ALLOWED, "");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let path = head.uri.path();
        if path.len() > MAX_PATH {
            return short(StatusCode::URI_TOO_LONG, "");
        }
        let is_below = |below: &&str| !self.base.is_empty() && is_end_or_below(below);
        let below = path.strip_prefix(&*self.base).filter(is_below);
        let (prefix, path) = below.map_or(("", path), |below| (&*self.base, below));
        let to = |path: &str| {
            let query = head.uri.query().map_or_else(String::new, |query| format!("?{query}"));
            redirect(&format!("{prefix}{path}{query}"))
        };
        if path.is_empty() {
            return to("/");
        }
        match path.strip_prefix(INDEX).filter(is_end_or_below) {
            // The links of the page are relative to the folder.
            Some("") => with_index_headers(to("/pagekin/"), false, POLICY),
            Some(below) => {
                let response = match below.strip_prefix('/') {
                    Some(MIRRORS_NAME) => self.mirrors().unwrap_or_else(|why| refusal(&why)),
                    _ => self.serve_index(head, below, &|path| to(&format!("{INDEX}{path}"))),
                };
                let policy = if origins::opens_figure(head) { FIGURE_POLICY } else { POLICY };
                with_index_headers(response, below.starts_with("/index/"), policy)
            }
            None => match &self.site {
                Some(site) => self.serve_folder(site, head, path, &to),
                None if path == "/" => to("/pagekin/"),
                None => refusal(&RefusedFile::Missing),
            },
        }
    }

    /// Serves a file of the index, or an embedded file of the demo or the lab if the index does not
    /// contain it.
    fn serve_index(
        &self,
        head: &Parts,
        path: &str,
        to: &dyn Fn(&str) -> Response<Content>,
    ) -> Response<Content> {
        let embedded = match path {
            "/lab" => return self.serve_folder_or(&self.index, head, path, to, || to("/lab/")),
            _ => demo::file(path, self.index.has(MIRRORS_NAME)),
        };
        let Some(embedded) = embedded else {
            return self.serve_folder(&self.index, head, path, to);
        };
        self.serve_folder_or(&self.index, head, path, to, || {
            match self.served.as_ref().map(Served::now).filter(|_| embedded.path.ends_with(".html"))
            {
                Some(now) => reload::bytes_with_script(embedded.bytes.to_vec(), &now),
                None => bytes(head, embedded.path, embedded.bytes),
            }
        })
    }

    fn serve_folder(
        &self,
        folder: &CleanUrls,
        head: &Parts,
        path: &str,
        to: &dyn Fn(&str) -> Response<Content>,
    ) -> Response<Content> {
        self.serve_folder_or(folder, head, path, to, || refusal(&RefusedFile::Missing))
    }

    fn serve_folder_or(
        &self,
        folder: &CleanUrls,
        head: &Parts,
        path: &str,
        to: &dyn Fn(&str) -> Response<Content>,
        missing: impl FnOnce() -> Response<Content>,
    ) -> Response<Content> {
        let now = self.served.as_ref().map(Served::now);
        match folder.find(path) {
            Ok(Target::File(page)) => match now.filter(|_| reload::is_small_page(&page)) {
                Some(now) => reload::with_script(page, &now),
                None => file(head, page),
            },
            Ok(Target::Redirect(path)) => to(&path),
            Err(RefusedFile::Missing) => missing(),
            Err(refused) => refusal(&refused),
        }
    }

    /// Returns the list of mirrors with their local folders instead of the hosts, so that the
    /// preview requests nothing from the hosts.
    fn mirrors(&self) -> Result<Response<Content>, RefusedFile> {
        let Target::File(found) = self.index.find(&format!("/{MIRRORS_NAME}"))? else {
            return Err(RefusedFile::Missing);
        };
        let mut list = Vec::new();
        found.file.take(MAX_LIST).read_to_end(&mut list)?;
        let list = MirrorList::decode(&list).map_err(|_| RefusedFile::RowError)?;
        Ok(short(StatusCode::OK, list.in_output().encode()))
    }
}

/// Returns whether the rest after a path's prefix is empty or below the prefix.
fn is_end_or_below(rest: &&str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Adds the headers for the demo and the index. The name of a shard depends on its content, so that
/// it can be cached forever, but not that a shard is missing.
fn with_index_headers(
    mut response: Response<Content>,
    is_shard: bool,
    policy: &'static str,
) -> Response<Content> {
    let status = response.status();
    let is_kept = is_shard && (status.is_success() || status == StatusCode::NOT_MODIFIED);
    let cache = if is_kept { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(cache));
    response
}
