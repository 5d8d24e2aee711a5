//! `pagekin serve`: previews an index on this machine.

mod clean_urls;
mod demo;
mod files;
mod hosts;
mod origins;
mod reload;
mod response;
mod routes;

use std::convert::Infallible;
use std::fs::File;
use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use pagekin_core::address;
use serde_json::json;
use tokio::net::TcpListener;

use crate::args::site::ServeArgs;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::site::serve::clean_urls::{CleanUrls, Target};
use crate::site::serve::files::Folders;
pub(crate) use crate::site::serve::reload::Served;
use crate::site::serve::routes::Routes;

const PORT: u16 = 4747;

/// Time in which a client must send the head of a request. Idle connections are closed after the
/// same time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that open responses get after the request to stop.
const GRACE: Duration = Duration::from_millis(500);

/// Pause after a connection could not be accepted, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &ServeArgs) -> Result<(), Failure> {
    let preview = Preview {
        out: args.out.clone(),
        site: args.site.clone(),
        port: args.port,
        hosts: args.host.clone(),
        follow_symlinks: args.follow_symlinks,
        json: args.json.json,
        served: None,
    };
    preview.serve(|| Ok(()))
}

/// The options of a preview.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    /// Folder of the index.
    pub(crate) out: PathBuf,
    /// Folder of the site.
    pub(crate) site: Option<PathBuf>,
    /// Port, or 0 for any free port.
    pub(crate) port: Option<u16>,
    /// Accepted host names, in addition to those of this machine.
    pub(crate) hosts: Vec<String>,
    /// Follow symbolic links that lead out of the folders.
    pub(crate) follow_symlinks: bool,
    /// Print the URL as JSON.
    pub(crate) json: bool,
    /// If set, open pages reload when it changes.
    pub(crate) served: Option<Served>,
}

impl Preview {
    /// Serves until Ctrl-C or a signal. `meanwhile` runs on this thread; if it fails, the preview
    /// stops.
    pub(crate) fn serve(
        &self,
        meanwhile: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let folder = pagekin_index::LocalIndex::open(&self.out)?;
        let base = base_path(&folder.index().manifest().base_url);
        if let Some(site) = self.site.as_ref().filter(|site| !site.is_dir()) {
            let site = site.display();
            return Err(format!("cannot serve the site: {site} is not a folder").into());
        }
        let site = self.site.clone().or_else(|| folder.site_folder());
        let preview = Self { site, ..self.clone() };
        let runtime = tokio::runtime::Runtime::new()?;
        let listener = runtime.block_on(listen(self.port))?;
        let url = format!("http://{}{base}/pagekin/", listener.local_addr()?);
        let answering = runtime.spawn(answer(listener, Arc::new(Routes::new(&preview, base))));
        if self.json {
            print_json(&json!({"url": url}))?;
        } else {
            print(&format!("Serving {url} (press Ctrl-C to stop)\n"))?;
            if !demo::is_in(&self.out) {
                print(
                    "The demo and the lab are only in this preview. To write them, use `pagekin build --pages lab`\n",
                )?;
            }
        }
        let done = meanwhile();
        if done.is_ok() {
            runtime.block_on(answering)?;
        }
        // Does not wait for files that are being read.
        runtime.shutdown_background();
        done
    }
}

/// Answers requests until Ctrl-C or a signal.
async fn answer(listener: TcpListener, routes: Arc<Routes>) {
    let mut ended = pin!(ended());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let connections = GracefulShutdown::new();
    loop {
        let accepted = poll_fn(|context| match ended.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => listener.poll_accept(context).map(Some),
        });
        let stream = match accepted.await {
            None => break,
            Some(Ok((stream, _))) => stream,
            Some(Err(_)) => {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let routes = Arc::clone(&routes);
        let service = service_fn(move |request| {
            let routes = Arc::clone(&routes);
            async move { Ok::<_, Infallible>(routes.answer(request).await) }
        });
        let connection = http.serve_connection(TokioIo::new(stream), service);
        // Errors of a connection are ignored: the client has disconnected or does not send HTTP.
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, connections.shutdown()).await;
}

async fn listen(port: Option<u16>) -> Result<TcpListener, Failure> {
    let address = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => TcpListener::bind(address(port)).await.map_err(|error| {
            format!("cannot listen on port {port}: {error}. Choose another --port, or 0 for any free port")
                .into()
        }),
        None => match TcpListener::bind(address(PORT)).await {
            Ok(listener) => Ok(listener),
            Err(_) => Ok(TcpListener::bind(address(0)).await?),
        },
    }
}

/// Finds the file of a page in the folder of a site by its URL, like the preview.
pub(crate) fn page_file(site: &Path, base_url: &str, url: &str) -> Option<File> {
    let folders = Folders::new([site.to_owned()].iter(), false);
    let pages = CleanUrls { folders, at: site.to_owned(), are_clean: true };
    let path = address::path(url);
    let path = path.strip_prefix(&*base_path(base_url)).unwrap_or(path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match pages.find(path).ok()? {
        Target::File(page) => Some(page.file),
        Target::Redirect(path) => match pages.find(&path).ok()? {
            Target::File(page) => Some(page.file),
            Target::Redirect(_) => None,
        },
    }
}

/// Returns the path at which a site is published, without a final slash. It is empty at the root,
/// and if browsers would treat it as a host name.
fn base_path(base_url: &str) -> String {
    let path = address::path(base_url).trim_end_matches('/');
    let plain = path.starts_with('/') && !path.contains("//") && !path.contains('\\');
    if plain { path.to_owned() } else { String::new() }
}

/// Waits for Ctrl-C or a termination signal.
#[cfg(unix)]
async fn ended() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    poll_fn(|context| {
        let received = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if received { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Waits for Ctrl-C, Ctrl-Break or the end of the console.
#[cfg(windows)]
async fn ended() {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
    let (mut ctrl_c, mut ctrl_break, mut ctrl_close) =
        (ctrl_c().ok(), ctrl_break().ok(), ctrl_close().ok());
    poll_fn(|context| {
        let received = ctrl_c.as_mut().is_some_and(|signal| signal.poll_recv(context).is_ready())
            || ctrl_break.as_mut().is_some_and(|signal| signal.poll_recv(context).is_ready())
            || ctrl_close.as_mut().is_some_and(|signal| signal.poll_recv(context).is_ready());
        if received { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
