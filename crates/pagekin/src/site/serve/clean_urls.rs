//! Pages by all their addresses: `/guide/setup` is `guide/setup.html`, as on hosts that hide the
//! ending, `/guide/setup/` leads there, and `/guide.html` to `guide/index.html`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use percent_encoding::percent_decode_str;

/// A folder whose pages are served without `.html`.
#[derive(Debug, Clone)]
pub(super) struct Pages(Arc<PathBuf>);

impl Pages {
    pub(super) fn of(folder: &Path) -> Self {
        Self(Arc::new(folder.to_owned()))
    }

    /// What is meant by the path of a request that no file has: the key of both is one.
    fn meant(&self, path: &str) -> Option<Meant> {
        let below = percent_decode_str(path.trim_start_matches('/')).decode_utf8().ok()?;
        let is_file = |below: &str| self.0.join(below).is_file();
        if below.is_empty() || below.split('/').any(|part| part == "..") || is_file(&below) {
            return None;
        }
        // Of one slash: two would lead to another host.
        let path = format!("/{}", path.trim_start_matches('/'));
        let stem = below.trim_end_matches('/');
        if stem == below && is_file(&format!("{below}.html")) {
            return Some(Meant::File(format!("{path}.html")));
        }
        let is_folder = |stem: &str| {
            ["index.html", "index.htm"].into_iter().any(|name| is_file(&format!("{stem}/{name}")))
        };
        if stem != below && !is_folder(stem) && is_file(&format!("{stem}.html")) {
            return Some(Meant::Other(path.trim_end_matches('/').to_owned()));
        }
        let folder = below.strip_suffix(".html").filter(|folder| is_folder(folder));
        folder?;
        Some(Meant::Other(format!("{}/", path.strip_suffix(".html")?)))
    }
}

/// What a path means that no file has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meant {
    /// The file at another path.
    File(String),
    /// A page at another address, from which its links lead elsewhere: its reader is sent there.
    Other(String),
}

/// Leads requests for clean URLs to their files.
pub(super) async fn find_page(
    State(pages): State<Pages>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    match tokio::task::spawn_blocking(move || pages.meant(&path)).await {
        Ok(Some(Meant::Other(path))) => {
            let query = request.uri().query().map_or_else(String::new, |query| format!("?{query}"));
            Redirect::temporary(&format!("{path}{query}")).into_response()
        }
        Ok(Some(Meant::File(path))) => {
            if let Ok(path) = PathAndQuery::try_from(path) {
                *request.uri_mut() = Uri::from(path);
            }
            next.run(request).await
        }
        _ => next.run(request).await,
    }
}
