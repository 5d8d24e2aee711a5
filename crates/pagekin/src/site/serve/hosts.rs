//! Whom a request is for. Any web site can point its name at this machine and would then read what
//! is served here as its own (DNS rebinding); browsers say by which name they came.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The host names that requests are answered for.
#[derive(Debug, Clone)]
pub(super) struct Hosts(Arc<[String]>);

impl Hosts {
    /// This machine's, and the given ones.
    pub(super) fn new(others: &[String]) -> Self {
        Self(others.into())
    }

    /// Whether requests to a host, with or without a port, are answered.
    fn contain(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let host = authority.host().to_ascii_lowercase();
        matches!(&*host, "localhost" | "127.0.0.1" | "[::1]")
            || host.ends_with(".localhost")
            || self.0.iter().any(|other| other.eq_ignore_ascii_case(&host))
    }
}

/// Refuses requests for other hosts.
pub(super) async fn check_host(
    State(hosts): State<Hosts>,
    request: Request,
    next: Next,
) -> Response {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let named = request.headers().get_all(header::HOST).iter().map(text);
    let named: Vec<String> =
        request.uri().host().map(str::to_owned).into_iter().chain(named).collect();
    if !named.is_empty() && named.iter().all(|host| hosts.contain(host)) {
        return next.run(request).await;
    }
    let found = named.iter().find(|host| !hosts.contain(host));
    let found = found.map_or("none".to_owned(), |host| host.escape_default().to_string());
    let message = format!(
        "Expected the host localhost, 127.0.0.1 or [::1], found {found}. To serve it by another name, pass --host NAME to \
         pagekin serve\n"
    );
    (StatusCode::FORBIDDEN, [(header::X_CONTENT_TYPE_OPTIONS, "nosniff")], message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_named_and_others_are_told() {
        let hosts = Hosts::new(&["Preview.example.org".to_owned()]);
        for host in [
            "localhost",
            "LOCALHOST:4747",
            "docs.localhost:80",
            "127.0.0.1:4747",
            "[::1]",
            "[::1]:4747",
            "preview.example.org:443",
        ] {
            assert!(hosts.contain(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "localhost.example.org",
            "notlocalhost",
            "localhost@example.org",
            "127.0.0.1.example.org",
            "::1",
            "0.0.0.0",
            "a b",
        ] {
            assert!(!hosts.contain(host), "{host}");
        }
    }
}
