//! Responses of the preview: they follow HTTP, and reveal nothing of other folders.

use std::fs;
use std::io::{Read, Write};

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::arguments;
use pagekin_tests::served::Served;

/// Serves the index and the site of a place.
fn serve(place: &Place) -> Served {
    let (out, site) = (place.out(), place.site());
    Served::start(&arguments(
        &[out.as_os_str(), "--site".as_ref(), site.as_os_str()],
        &["--port", "0"],
    ))
}

#[test]
fn urls_reveal_nothing_of_other_folders_and_redirect_to_no_other_host() {
    let place = Place::with_pages(5);
    place.write("site/folder/index.html", html("A folder", &words(900, 40)));
    place.build(&[]);
    let served = serve(&place);
    for (there, not_there) in [
        ("//etc/passwd", "//etc/none"),
        ("/%2Fetc%2Fpasswd", "/%2Fetc%2Fnone"),
        ("/%2E%2E/site/0003.html", "/%2E%2E/site/none"),
        ("/pagekin//etc/passwd", "/pagekin//etc/none"),
        ("/pagekin/%2Fetc/passwd/", "/pagekin/%2Fetc/none/"),
        ("/folder/%2E%2E%2F0003.html", "/folder/%2E%2E%2Fnone"),
    ] {
        let plain = |path: &str| {
            let mut response = served.get(path);
            response.headers.retain(|(name, _)| name != "date");
            response
        };
        let found = plain(there);
        assert_eq!((found.status, &found), (404, &plain(not_there)), "{there}");
    }
    for path in ["//folder", "//evil.example", "//evil.example/", "//pagekin", "/\\evil.example/.."]
    {
        let response = served.get(path);
        assert_eq!((response.status, response.header("location")), (404, ""), "{path}");
    }
    let long = |length: usize| served.get(&format!("/{}", "a/".repeat(length / 2))).status;
    assert_eq!((long(7_000), long(60_000)), (404, 414));
    // A base URL that would be a host name does not redirect either.
    place.build(&["--base-url", "https://example.org//evil.example"]);
    let served = serve(&place);
    let response = served.get("//evil.example/pagekin");
    assert_eq!((response.status, response.header("location")), (404, ""));
}

#[test]
fn a_preview_adds_the_demo_and_the_lab() {
    let place = Place::with_pages(5);
    place.build(&[]);
    assert!(!place.out().join("index.html").exists());
    let served = serve(&place);
    let demo = served.get("/pagekin/");
    assert_eq!((demo.status, demo.header("content-type")), (200, "text/html"));
    assert!(demo.header("content-security-policy").contains("default-src 'none'"));
    let types = ["demo.js", "demo.css", "lab/", "lab/core.js", "lab/lab.wasm.bin"].map(|name| {
        let found = served.get(&format!("/pagekin/{name}"));
        assert_eq!(found.status, 200, "{name}");
        found.header("content-type").to_owned()
    });
    let [js, css, html, core, module] = types;
    assert_eq!((&*js, &*css, &*html), ("text/javascript", "text/css", "text/html"));
    assert_eq!((&*core, &*module), ("text/javascript", "application/octet-stream"));
    let lab = served.get("/pagekin/lab");
    assert_eq!((lab.status, lab.header("location")), (307, "/pagekin/lab/"));
    for name in ["browse.html", "demo", "lab/none.html", "lab/../demo.js"] {
        assert_eq!(served.get(&format!("/pagekin/{name}")).status, 404, "{name}");
    }
    // Files of the output take precedence.
    place.write("out/index.html", "Own page");
    assert_eq!(served.get("/pagekin/").body, b"Own page");
}

#[test]
fn files_are_served_as_http_requires() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let page = fs::read(place.site().join("0003.html")).expect("it is there");
    let served = serve(&place);
    let asked =
        |headers: &str| served.get_with("/0003.html", &format!("Host: localhost\r\n{headers}\r\n"));
    let whole = asked("X: y");
    let modified = whole.header("last-modified");
    assert_eq!((whole.status, &whole.body), (200, &page));
    assert_eq!(whole.header("content-length"), page.len().to_string());
    let size = page.len();
    for (range, status, body, content_range) in [
        ("bytes=2-5", 206, &page[2..6], format!("bytes 2-5/{size}")),
        ("bytes=-3", 206, &page[size - 3..], format!("bytes {}-{}/{size}", size - 3, size - 1)),
        ("bytes=999999-", 416, &[], format!("bytes */{size}")),
        ("pages=1-2", 200, &page, String::new()),
        ("bytes=0-1,4-5", 200, &page, String::new()),
        ("nonsense", 200, &page, String::new()),
    ] {
        let response = asked(&format!("Range: {range}"));
        let found = (response.status, response.body.as_slice(), response.header("content-range"));
        assert_eq!(found, (status, body, content_range.as_str()), "{range}");
    }
    let earlier = "Mon, 01 Jan 2001 00:00:00 GMT";
    for (headers, status) in [
        (format!("If-Modified-Since: {modified}"), 304),
        (format!("If-Modified-Since: {earlier}"), 200),
        (format!("If-None-Match: \"tag\"\r\nIf-Modified-Since: {modified}"), 200),
        (format!("If-Unmodified-Since: {earlier}"), 412),
        (format!("Range: bytes=2-5\r\nIf-Range: {modified}"), 206),
        (format!("Range: bytes=2-5\r\nIf-Range: {earlier}"), 200),
    ] {
        assert_eq!(asked(&headers).status, status, "{headers}");
    }
    let mut stream = served.connect();
    let request = b"HEAD /0003.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).expect("it reads requests");
    let mut head = String::new();
    stream.read_to_string(&mut head).expect("it answers");
    assert!(head.contains(&format!("content-length: {size}\r\n")), "{head}");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    let mut stream = served.connect();
    let request = b"POST /0003.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).expect("it reads requests");
    let mut refused = String::new();
    stream.read_to_string(&mut refused).expect("it answers");
    assert!(refused.starts_with("HTTP/1.1 405 ") && refused.contains("allow: GET, HEAD\r\n"));
}

#[test]
fn other_origins_get_nothing_and_headers_forbid_it() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let served = serve(&place);
    let ask = |path: &str, headers: &str| {
        let response = served.get_with(path, &format!("Host: localhost\r\n{headers}"));
        let sealed = ["cross-origin-resource-policy", "x-frame-options"];
        let sealed = sealed.map(|name| response.header(name));
        assert_eq!(sealed, ["same-origin", "SAMEORIGIN"], "{path} {headers}");
        response
    };
    let sent = |site: &str, mode: &str, dest: &str| {
        format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}\r\n")
    };
    for path in ["/0003.html", "/pagekin/", "/pagekin/pagekin.js", "/pagekin/index/manifest.kin"] {
        for site in ["cross-site", "same-site"] {
            for (mode, dest) in
                [("no-cors", "script"), ("no-cors", "image"), ("navigate", "iframe")]
            {
                let refused = ask(path, &sent(site, mode, dest));
                assert_eq!(refused.status, 403, "{path} {site} {dest}");
                assert!(refused.body.starts_with(b"This request comes from another site"));
            }
            let followed = ask(path, &sent(site, "navigate", "document"));
            assert_eq!(followed.status, served.get(path).status, "{path} {site}");
        }
        let own = ask(path, &sent("same-origin", "no-cors", "script"));
        assert_eq!(own.status, served.get(path).status, "{path}");
    }
    let modified = ask("/0003.html", "").header("last-modified").to_owned();
    for (path, headers, status) in [
        ("/0003.html", format!("If-Modified-Since: {modified}\r\n"), 304),
        ("/0003.html", "Range: bytes=2-5\r\n".to_owned(), 206),
        ("/0003.html", "Range: bytes=999999-\r\n".to_owned(), 416),
        ("/none.html", String::new(), 404),
        ("/pagekin", String::new(), 307),
        (&format!("/{}", "a/".repeat(30_000)), String::new(), 414),
    ] {
        assert_eq!(ask(path, &headers).status, status, "{headers}");
    }
    // Another host name is refused, whatever other headers are sent.
    let own = format!("Host: evil.example\r\n{}", sent("same-origin", "cors", "empty"));
    let rebound = served.get_with("/0003.html", &own);
    assert_eq!(rebound.status, 403);
    assert!(rebound.body.starts_with(b"Expected the host localhost"));
}
