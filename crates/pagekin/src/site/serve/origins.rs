//! Which page sends a request. A web site that is open in the same browser can load what is served
//! here as a script, an image or a frame of its own; browsers report that in `Sec-Fetch-Site` and
//! its companions (Fetch Metadata Request Headers), which no page can set.

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use crate::site::serve::response::{Content, short};

/// What is answered to a request that a page of another origin sends; another port of this machine
/// is another origin. A link there may lead here, as it shows that page nothing. Without these
/// headers, as from a program or an old browser, requests are answered: then only [`seal`]
/// protects what is served.
pub(super) fn refusal(head: &Parts) -> Option<Response<Content>> {
    let is = |name: &str, value: &str| {
        head.headers.get(name).is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    let site = head.headers.get("sec-fetch-site")?;
    let is_own = matches!(site.as_bytes(), b"same-origin" | b"none");
    let follows_link = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    if is_own || follows_link {
        return None;
    }
    let message = "Expected a request of a page that is served here, found one of another site. pagekin serve \
                   is a preview: publish the index to use it from other sites\n";
    let mut response = short(StatusCode::FORBIDDEN, message);
    response
        .headers_mut()
        .insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Some(response)
}

/// Forbids pages of other origins to use a response, whether their request is recognized or not. A
/// site may frame its own pages; the policy of the index is stricter.
pub(super) fn seal(mut response: Response<Content>) -> Response<Content> {
    let headers = response.headers_mut();
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    #[track_caller]
    fn check(headers: [&str; 3], is_answered: bool) {
        let names = ["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"];
        let sent = names.iter().zip(headers).filter(|(_, value)| !value.is_empty());
        let request =
            sent.fold(Request::builder(), |request, (name, value)| request.header(*name, value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        let status = refusal(&head).map(|response| response.status());
        let expected = if is_answered { None } else { Some(StatusCode::FORBIDDEN) };
        assert_eq!(status, expected, "{headers:?}");
    }

    #[test]
    fn own_pages_links_and_programs_are_answered() {
        for headers in [
            ["", "", ""],
            // `fetch` of Node.js sends no more.
            ["", "cors", ""],
            ["none", "navigate", "document"],
            ["none", "no-cors", "image"],
            ["same-origin", "no-cors", "script"],
            ["same-origin", "cors", "empty"],
            ["same-origin", "navigate", "iframe"],
            ["same-site", "navigate", "document"],
            ["cross-site", "navigate", "document"],
        ] {
            check(headers, true);
        }
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        for site in ["cross-site", "same-site", "", "new-value", "Same-Origin"] {
            for (mode, dest) in [
                ("no-cors", "script"),
                ("no-cors", "image"),
                ("no-cors", "empty"),
                ("cors", "empty"),
                ("cors", "document"),
                ("navigate", "iframe"),
                ("navigate", "frame"),
                ("navigate", "embed"),
                ("navigate", "object"),
                ("navigate", ""),
                ("", "document"),
                ("", ""),
            ] {
                check([site, mode, dest], site.is_empty());
            }
        }
    }
}
