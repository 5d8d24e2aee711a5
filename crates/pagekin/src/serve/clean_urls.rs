//! Pages by their clean URLs: `/guide/setup` is `guide/setup.html`, as on hosts that hide the ending.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;
use percent_encoding::percent_decode_str;

/// A folder whose pages are served without `.html`.
#[derive(Debug, Clone)]
pub(super) struct Pages(Arc<PathBuf>);

impl Pages {
    pub(super) fn of(folder: &Path) -> Self {
        Self(Arc::new(folder.to_owned()))
    }

    /// The path of the file that is meant by a path, if another: that with `.html`, of which the
    /// folder has a file, unless it has a file without.
    fn meant(&self, path: &str) -> Option<String> {
        let below = percent_decode_str(path.trim_start_matches('/')).decode_utf8().ok()?;
        if below.is_empty() || below.ends_with('/') || self.0.join(&*below).is_file() {
            return None;
        }
        self.0.join(format!("{below}.html")).is_file().then(|| format!("{path}.html"))
    }
}

/// Leads requests for clean URLs to their files.
pub(super) async fn find_page(
    State(pages): State<Pages>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    if let Ok(Some(path)) = tokio::task::spawn_blocking(move || pages.meant(&path)).await
        && let Ok(path) = PathAndQuery::try_from(path)
    {
        *request.uri_mut() = Uri::from(path);
    }
    next.run(request).await
}
