//! `pagekin serve`: a preview on this machine.

mod clean_urls;
mod hosts;
mod links;
mod reload;

use std::future::ready;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{Redirect, Response};
use axum::routing::get;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use pagekin_core::address;
use pagekin_index::MirrorList;
use pagekin_index::mirrors::MIRRORS_NAME;
use serde_json::json;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::args::site::{PreviewArgs, ServeArgs};
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::site::serve::clean_urls::{Pages, find_page};
use crate::site::serve::hosts::{Hosts, check_host};
use crate::site::serve::links::{Folders, check_links};
pub(crate) use crate::site::serve::reload::Served;
use crate::site::serve::reload::add_script;

const PORT: u16 = 4747;

/// How long a client may take to send the head of a request. A connection without requests is
/// closed after the same time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long responses may still take after the request to end.
const GRACE: Duration = Duration::from_millis(500);

/// The strictest policy under which the page works; a site that embeds the client needs no looser
/// one.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; worker-src 'self'; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn run(args: &ServeArgs) -> Result<(), Failure> {
    let preview = Preview {
        out: args.out.clone(),
        site: args.site.clone(),
        options: args.preview.clone(),
        json: args.json,
        served: None,
    };
    preview.serve(|| Ok(()))
}

/// What is served, and how.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    /// Folder of the index.
    pub(crate) out: PathBuf,
    /// Folder of the site.
    pub(crate) site: Option<PathBuf>,
    pub(crate) options: PreviewArgs,
    /// Print the URL as JSON.
    pub(crate) json: bool,
    /// Pages load themselves again when it changes, if it is given.
    pub(crate) served: Option<Served>,
}

impl Preview {
    /// Serves until asked to end. `beside` runs meanwhile; if it fails, that is the end too.
    pub(crate) fn serve(
        &self,
        beside: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let folder = pagekin_index::Folder::open(&self.out)?;
        let base = base_path(&folder.index().manifest().base_url);
        if let Some(site) = &self.site
            && !site.is_dir()
        {
            let site = site.display();
            return Err(format!("cannot serve the site: expected a folder at {site}").into());
        }
        let runtime = tokio::runtime::Runtime::new()?;
        let service = TowerToHyperService::new(self.router(&base)?);
        let listener = runtime.block_on(listen(self.options.port))?;
        let url = format!("http://{}{base}/pagekin/", listener.local_addr()?);
        let answering = runtime.spawn(answer(listener, service));
        if self.json {
            print_json(&json!({"url": url}))?;
        } else {
            print(&format!("Serving {url} (press Ctrl-C to stop)\n"))?;
        }
        let done = beside();
        if done.is_ok() {
            runtime.block_on(answering)?;
        }
        // Without waiting for files that are being read.
        runtime.shutdown_background();
        done
    }
}

/// Answers requests until asked to end.
async fn answer(mut listener: TcpListener, service: TowerToHyperService<Router>) {
    let mut ended = pin!(ended());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let connections = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            (stream, _) = Listener::accept(&mut listener) => stream,
            () = &mut ended => break,
        };
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        // That a client has gone or sends no HTTP is nobody's failure.
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, connections.shutdown()).await;
}

async fn listen(port: Option<u16>) -> Result<TcpListener, Failure> {
    let address = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => TcpListener::bind(address(port)).await.map_err(|error| {
            format!("cannot listen on port {port}: {error}. Choose another --port, or 0 for any free one")
                .into()
        }),
        None => match TcpListener::bind(address(PORT)).await {
            Ok(listener) => Ok(listener),
            Err(_) => Ok(TcpListener::bind(address(0)).await?),
        },
    }
}

impl Preview {
    /// The preview, at `/` and below the path that the site is published at.
    fn router(&self, base: &str) -> Result<Router, Failure> {
        let header = |name: HeaderName, value: &'static str| {
            SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
        };
        let roots = [Some(&self.out), self.site.as_ref()];
        let folders = Folders::new(roots.into_iter().flatten(), self.options.follow_links)?;
        let files = |folder: &Path| {
            Router::new()
                .fallback_service(ServeDir::new(folder))
                .layer(from_fn_with_state(folders.clone().at(folder), check_links))
        };
        // A shard's name is its content's; that there is none may change.
        let for_ever =
            SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, |response: &Response| {
                let value = "public, max-age=31536000, immutable";
                response.status().is_success().then(|| HeaderValue::from_static(value))
            });
        let out = self.out.clone();
        let index = Router::new()
            .nest_service("/pagekin/index/", files(&self.out.join("index")).layer(for_ever))
            .route(&format!("/pagekin/{MIRRORS_NAME}"), get(move || mirrors(out)))
            .nest_service("/pagekin/", files(&self.out))
            // The page's own links are relative to the folder.
            .route("/pagekin", get(|| async { Redirect::temporary("/pagekin/") }))
            .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
            .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .layer(SetResponseHeaderLayer::if_not_present(
                header::CACHE_CONTROL,
                HeaderValue::from_static("no-cache"),
            ));
        let all = match &self.site {
            Some(site) => index.fallback_service(
                files(site).layer(from_fn_with_state(Pages::of(site), find_page)),
            ),
            None => index.route("/", get(|| async { Redirect::temporary("/pagekin/") })),
        };
        let all = if base.is_empty() {
            all
        } else {
            let prefix = base.to_owned();
            let below = all.clone().layer(map_response(move |response: Response| {
                ready(redirected(&prefix, response))
            }));
            all.nest(base, below)
        };
        let all = match &self.served {
            Some(served) => all
                .layer(from_fn_with_state(served.clone(), add_script))
                .merge(reload::router(served.clone())),
            None => all,
        };
        Ok(all.layer(from_fn_with_state(Hosts::new(&self.options.host), check_host)))
    }
}

/// The list of mirrors of an output as it is for the preview: their folders stand in for the hosts,
/// of which nothing is asked.
async fn mirrors(out: PathBuf) -> Result<Vec<u8>, StatusCode> {
    let list = tokio::fs::read(out.join(MIRRORS_NAME)).await;
    let list = list.map_err(|_| StatusCode::NOT_FOUND)?;
    let list = MirrorList::decode(&list).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(list.in_output().encode())
}

/// The path that a site is published at, without a slash at its end: empty at the root, and where a
/// router would take the path for a pattern.
fn base_path(base_url: &str) -> String {
    let path = address::path(base_url).trim_end_matches('/');
    let plain = path.starts_with('/') && !path.contains(['{', '}', ':', '*']);
    if plain { path.to_owned() } else { String::new() }
}

/// A redirect within the preview, below `prefix`.
fn redirected(prefix: &str, mut response: Response) -> Response {
    let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
    if let Some(below) = location.filter(|location| location.starts_with('/'))
        && let Ok(location) = HeaderValue::try_from(format!("{prefix}{below}"))
    {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Ctrl-C, or a request to end.
async fn ended() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
