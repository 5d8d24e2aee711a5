//! Checks the origin of requests. A web site that is open in the same browser can load the served
//! files as scripts, images or frames. Browsers report this in `Sec-Fetch-Site` and its companions
//! (Fetch Metadata Request Headers), which pages cannot set.

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use crate::site::serve::response::{Content, short};

/// Path of the index.
pub(super) const INDEX: &str = "/pagekin";

/// Whether a request is for a figure of the lab alone: `…/pagekin/lab/….html?figure=…`. Slides may
/// frame it. It has no links and no forms, and the page around it cannot read it.
pub(super) fn opens_figure(head: &Parts) -> bool {
    let (folder, file) = head.uri.path().rsplit_once('/').unwrap_or_default();
    let is_page = file.is_empty() || file.ends_with(".html");
    let is_lab = folder.strip_suffix("/lab").is_some_and(|index| index.ends_with(INDEX));
    let mut query = head.uri.query().unwrap_or_default().split('&');
    is_page && is_lab && query.any(|part| part.len() > 7 && part.starts_with("figure="))
}

/// Returns the refusal of a request from a page of another origin, including other ports of this
/// machine. Links from other origins are allowed, because they reveal nothing to that page.
/// Requests without these headers, from programs and old browsers, are allowed too; only [`seal`]
/// protects their responses.
pub(super) fn refusal(head: &Parts) -> Option<Response<Content>> {
    let is = |name: &str, value: &str| {
        head.headers.get(name).is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    let site = head.headers.get("sec-fetch-site")?;
    let is_own = matches!(site.as_bytes(), b"same-origin" | b"none");
    let follows_link = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    let frames_figure =
        opens_figure(head) && is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "iframe");
    if is_own || follows_link || frames_figure {
        return None;
    }
    let message = "This request comes from another site, but pagekin serve is only a preview. To use the \
                   index from other sites, publish it\n";
    let mut response = short(StatusCode::FORBIDDEN, message);
    response
        .headers_mut()
        .insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Some(response)
}

/// Adds headers that keep pages of other origins from using a response, even if their request was
/// not recognized. A site may frame its own pages; the policy of the index is stricter. All pages
/// may frame [a figure](opens_figure).
pub(super) fn seal(mut response: Response<Content>, is_figure: bool) -> Response<Content> {
    let headers = response.headers_mut();
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    if !is_figure {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
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
            // The only header that `fetch` of Node.js sends.
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
    fn figures_of_the_lab_can_be_framed() {
        for (path, is_allowed) in [
            ("/pagekin/lab/lsh.html?figure=curve", true),
            ("/docs/pagekin/lab/?index=x&figure=guess", true),
            ("/pagekin/lab/lsh.html", false),
            ("/pagekin/lab/lsh.html?figure=", false),
            ("/pagekin/lab/core.js?figure=curve", false),
            ("/pagekin/?figure=curve", false),
            ("/lab/lsh.html?figure=curve", false),
            ("/pagekin/index/lab/x.html/?figure=curve", false),
        ] {
            for (mode, dest, site) in [
                ("navigate", "iframe", "cross-site"),
                ("navigate", "iframe", "same-site"),
                ("no-cors", "script", "cross-site"),
                ("navigate", "embed", "cross-site"),
            ] {
                let request = Request::builder().uri(path).header("sec-fetch-site", site);
                let request = request.header("sec-fetch-mode", mode).header("sec-fetch-dest", dest);
                let (head, ()) = request.body(()).unwrap().into_parts();
                let is_answered = refusal(&head).is_none();
                assert_eq!(is_answered, is_allowed && dest == "iframe", "{path} {dest}");
            }
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
