//! `pagekin serve`: a preview on this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Redirect, Response};
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::Failure;
use crate::args::ServeArgs;
use crate::output::{print, print_json};

const PORT: u16 = 4747;

/// The strictest policy under which the page works; a site that embeds the client needs no looser
/// one.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; worker-src 'self'; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn run(args: &ServeArgs) -> Result<(), Failure> {
    pagekin_build::index_folder::Folder::open(&args.out)?;
    if let Some(site) = &args.site
        && !site.is_dir()
    {
        let site = site.display();
        return Err(format!("cannot serve the site: expected a folder at {site}").into());
    }
    tokio::runtime::Runtime::new()?.block_on(serve(args))
}

async fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let listener = listen(args.port).await?;
    let address = listener.local_addr()?;
    let url = format!("http://{address}/pagekin/");
    if args.json {
        print_json(&json!({"url": url}))?;
    } else {
        print(&format!("Serving {url} (press Ctrl-C to stop)\n"))?;
    }
    axum::serve(listener, router(args)).with_graceful_shutdown(ended()).await?;
    Ok(())
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

fn router(args: &ServeArgs) -> Router {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
    };
    // A shard's name is its content's; that there is none may change.
    let for_ever =
        SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, |response: &Response| {
            let value = "public, max-age=31536000, immutable";
            response.status().is_success().then(|| HeaderValue::from_static(value))
        });
    let shards =
        Router::new().fallback_service(ServeDir::new(args.out.join("index"))).layer(for_ever);
    let index = Router::new()
        .nest_service("/pagekin/index/", shards)
        .nest_service("/pagekin/", ServeDir::new(&args.out))
        // The page's own links are relative to the folder.
        .route("/pagekin", get(|| async { Redirect::temporary("/pagekin/") }))
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache"),
        ));
    match &args.site {
        Some(site) => index.fallback_service(ServeDir::new(site)),
        None => index.route("/", get(|| async { Redirect::temporary("/pagekin/") })),
    }
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

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
