//! Which files are served: those that are in the folders, not what links in them lead to elsewhere.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;

/// The folders that are served, and the one that a request's path is in.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    /// Where they really are.
    roots: Arc<[PathBuf]>,
    follow_links: bool,
    at: PathBuf,
}

/// Why a file is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    LeadsOut,
    NoFile,
}

impl Folders {
    /// With `follow_links` what links lead to is served wherever it is.
    pub(super) fn new<'a>(
        roots: impl Iterator<Item = &'a PathBuf>,
        follow_links: bool,
    ) -> io::Result<Self> {
        let roots: io::Result<Arc<[PathBuf]>> = roots.map(fs::canonicalize).collect();
        Ok(Self { roots: roots?, follow_links, at: PathBuf::new() })
    }

    /// For requests whose path is in `folder`.
    pub(super) fn at(self, folder: &Path) -> Self {
        Self { at: folder.to_owned(), ..self }
    }

    /// Why what is at the path of a request is not served. What is not there is not refused: it
    /// will not be found.
    fn refused(&self, path: &str) -> Option<Refused> {
        let below = percent_decode_str(path.trim_start_matches('/')).decode_utf8().ok()?;
        let below = Path::new(&*below);
        if !below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Some(Refused::LeadsOut);
        }
        let file = self.at.join(below);
        let index = file.join("index.html");
        let found = [file, index].into_iter().filter_map(|file| fs::canonicalize(file).ok());
        found.filter_map(|file| self.refused_file(&file)).next()
    }

    fn refused_file(&self, real: &Path) -> Option<Refused> {
        if !self.follow_links && !self.roots.iter().any(|root| real.starts_with(root)) {
            return Some(Refused::LeadsOut);
        }
        // Nobody may ever write into a pipe.
        let plain = fs::metadata(real).is_ok_and(|file| file.is_file() || file.is_dir());
        (!plain).then_some(Refused::NoFile)
    }
}

/// Refuses requests for files that are not in the folders.
pub(super) async fn check_links(
    State(folders): State<Folders>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let refused = tokio::task::spawn_blocking(move || folders.refused(&path)).await;
    let message = match refused {
        Ok(None) => return next.run(request).await,
        Ok(Some(Refused::LeadsOut)) => {
            "It is outside of the folders that are served. To serve what links lead to, pass --follow-links to pagekin serve\n"
        }
        Ok(Some(Refused::NoFile)) => "It is no regular file\n",
        Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    (StatusCode::FORBIDDEN, [(header::X_CONTENT_TYPE_OPTIONS, "nosniff")], message).into_response()
}
