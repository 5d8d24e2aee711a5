//! Checks the host of requests, against DNS rebinding: any web site can point its name at this
//! machine and would then read the served files as its own. Browsers send the name in the request.

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Response, StatusCode};

use crate::site::serve::response::{Content, short};

/// The accepted host names.
#[derive(Debug)]
pub(super) struct Hosts(Vec<String>);

impl Hosts {
    /// Accepts the names of this machine and the given ones.
    pub(super) fn new(others: &[String]) -> Self {
        Self(others.to_vec())
    }

    /// Returns whether a host, with or without a port, is accepted.
    fn contain(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let host = authority.host().to_ascii_lowercase();
        matches!(&*host, "localhost" | "127.0.0.1" | "[::1]")
            || host.ends_with(".localhost")
            || self.0.iter().any(|other| other.eq_ignore_ascii_case(&host))
    }

    /// Returns the response to a request for another host.
    pub(super) fn refusal(&self, head: &Parts) -> Option<Response<Content>> {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let named = head.headers.get_all(header::HOST).iter().map(text);
        let named: Vec<String> =
            head.uri.host().map(str::to_owned).into_iter().chain(named).collect();
        if !named.is_empty() && named.iter().all(|host| self.contain(host)) {
            return None;
        }
        let found = named.iter().find(|host| !self.contain(host));
        let found = found.map_or("none".to_owned(), |host| host.escape_default().to_string());
        let message = format!(
            "Expected the host localhost, 127.0.0.1 or [::1], found {found}. To accept another name, pass --host NAME to pagekin \
             serve\n"
        );
        let mut response = short(StatusCode::FORBIDDEN, message);
        response
            .headers_mut()
            .insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_given_hosts_are_accepted() {
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
