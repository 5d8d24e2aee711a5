//! Every place in `www/` that makes a link, runs a script or sends a request is known.
//!
//! An index may come from a host that is not trusted, so a URL in it may be `javascript:…`. Links
//! and requests from URLs of an index go through `hrefOf` of `www/client/link.js`. This rule
//! reports new places, so that somebody checks whether they use anything from an index.

use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::Report;
use crate::tidy::tree::Tree;

const FOLDERS: [&str; 5] =
    ["www/client/", "www/elements/", "www/demo/", "www/lab/", "www/offline/"];

/// Code that makes a browser go somewhere, or run something; no comparison.
static SINK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?x) (?:\.(?:href|src|action)\ = | \{\ href(?:\ \}|,) | "href"
        | \b(?:href:|src:|window\.open|location\ =|location\.assign|location\.replace|fetch\(
        | import\(|importScripts|new\ Worker\(|sendBeacon|innerHTML|outerHTML|insertAdjacentHTML
        | srcdoc|document\.write)) (?:[^=]|$)"#;
    Regex::new(pattern).expect("the pattern is constant")
});

/// Parts of the lines that may contain such code, with their files.
const KNOWN: [(&str, &str); 43] = [
    // URLs of an index, through `hrefOf`.
    ("www/elements/element.js", "if (url && hrefOf(url)) link.setAttribute(\"href\", url)"),
    ("www/elements/box-results.js", "{ href: href + fragment }"),
    ("www/elements/box-results.js", "setAttribute(\"href\", url + excerpt.fragment)"),
    ("www/demo/browse.js", "href ? element(\"a\", { href }, name"),
    ("www/demo/browse.js", "fetch(hrefOf(name, FOLDER.href) ?? \"\""),
    ("www/demo/demo-draw.js", "href ? element(\"a\", { href }, title || url)"),
    ("www/demo/demo-draw.js", "href ? element(\"a\", { href }, url)"),
    ("www/demo/demo-where.js", "link.href = href + (isWithin"),
    ("www/demo/demo-where.js", "{ href: href + fragment }"),
    ("www/client/site-pages.js", "fetch(href, { signal, credentials: ownHost"),
    // Within the page, after a `#` or `?`.
    ("www/demo/browse.js", "{ href: `#${path}` }"),
    ("www/demo/demo-results.js", "{ href: hashOf(\"cluster\", url) }"),
    ("www/demo/demo-results.js", "{ href: hashOf(\"cluster\", cluster.url) }"),
    ("www/demo/demo-map.js", "{ href: hashOf(\"url\", url)"),
    ("www/demo/demo-map.js", "{ href: hashOf(\"cluster\", of.url) }"),
    ("www/demo/demo.js", "link?.getAttribute(\"href\")?.startsWith(\"#\")"),
    ("www/offline/bundle/page.js", "a.setAttribute(\"href\", `?${page}${hash}`)"),
    ("www/offline/bundle/page.js", "attributeFilter: [\"href\"]"),
    ("www/offline/bundle/page.js", "const href = a.getAttribute(\"href\")"),
    // URLs of the page itself, or of a file that the visitor made.
    ("www/elements/box.js", "url: link.getAttribute(\"href\")"),
    ("www/elements/box-colors.js", "probe.href = \"#\""),
    ("www/demo/demo-judge.js", "link.href = URL.createObjectURL"),
    ("www/lab/frame.js", "html(\"a\", { href, \"data-carry\": \"\""),
    ("www/lab/frame.js", "link.setAttribute(\"href\", `${path}"),
    ("www/lab/frame.js", "link.setAttribute(\"href\", addressOf(name))"),
    ("www/lab/frame.js", "{ href: addressOf(name),"),
    ("www/lab/take.js", "link.href = URL.createObjectURL"),
    ("www/lab/take.js", "image.src = `data:image/svg+xml"),
    ("www/lab/frame.js", "(link.getAttribute(\"href\") ?? \"\").split(\"#\")"),
    // Files of the client and of the index: their names only contain numbers.
    ("www/client/pagekin.js", "function importFrom({ href })"),
    ("www/client/pagekin.js", "function checkProtocol(found, { href })"),
    ("www/client/pagekin.js", "return import(/* @vite-ignore */"),
    ("www/client/pagekin.js", "new Worker(/* webpackIgnore: true */ url"),
    ("www/client/request.js", "return fetch(url, init)"),
    ("www/client/fetches.js", "this.#source.fetch(name"),
    ("www/client/mirrored/mirrors.js", "async fetch(name, init)"),
    ("www/elements/related-lists.js", "await fetch(url, init).catch(broken)"),
    ("www/elements/box.js", "import(new URL(\"./pagekin.js\", import.meta.url).href)"),
    ("www/elements/box-texts.js", "fetch(new URL(`strings/${file}.json`, import.meta.url))"),
    ("www/offline/bundle/page.js", "new Worker(address"),
    // Files that the page's own host lists, which stay in the folder of the demo.
    ("www/offline/offline-worker.js", "fetch(request)"),
    ("www/offline/offline.js", "fetch(LIST,"),
    ("www/offline/offline.js", "fetch(url, { cache, signal })"),
];

pub(super) fn check(tree: &Tree) -> Report {
    let mut findings = Vec::new();
    let mut used = [false; KNOWN.len()];
    let is_checked = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
    for (path, text) in tree.ending(&[".js"]).filter(|(path, _)| is_checked(path)) {
        for (number, line) in text.lines().enumerate() {
            if !makes_one(line) {
                continue;
            }
            let known = KNOWN.iter().position(|(file, part)| *file == path && line.contains(part));
            match known {
                Some(at) => used[at] = true,
                None => findings.push(format!("{path}:{}: {}", number + 1, line.trim())),
            }
        }
    }
    for ((path, part), used) in KNOWN.iter().zip(used) {
        if !used && tree.text(path).is_some() {
            findings.push(format!("{path}: no longer contains {part}, which this rule lists"));
        }
    }
    Report::new(
        "every link and every request of www/ is known, and URLs of an index go through hrefOf",
        "use hrefOf of www/client/link.js if the URL comes from an index; then add the line to \
         crates/xtask/src/tidy/links.rs",
        findings,
    )
}

/// Whether a line makes a link or a request, except imports of a file that it names.
fn makes_one(line: &str) -> bool {
    let start = line.trim_start();
    if ["//", "*", "/*", "import "].iter().any(|comment| start.starts_with(comment)) {
        return false;
    }
    let code = line.split("/** ").next().unwrap_or_default().replace("import(\"", "");
    SINK.is_match(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_places_are_found() {
        for line in [
            "link.href = url;",
            "location.href = url;",
            "  location = url;",
            "const made = element(\"a\", { href: url });",
            "Object.assign(link, { href });",
            "link.setAttribute(\"href\", url);",
            "image.src = url;",
            "await fetch(url);",
            "window.open(url);",
            "await import(url);",
            "box.innerHTML = title;",
        ] {
            let tree = Tree::new(&[("www/elements/new.js", line)]);
            assert_eq!(check(&tree).findings.len(), 1, "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_reported() {
        for line in [
            "// link.href = url",
            " * location = here",
            "if (link.href === url) return;",
            "const { b } = await import(\"./b.js\");",
            "fetchPage(url);",
            "await prefetch(url);",
            "return folder.href;",
        ] {
            let tree = Tree::new(&[("www/elements/new.js", line)]);
            assert_eq!(check(&tree).findings, [""; 0], "{line}");
        }
        let elsewhere = Tree::new(&[("www/site/new.js", "link.href = url;")]);
        assert!(check(&elsewhere).findings.is_empty());
    }

    #[test]
    fn places_that_no_longer_exist_are_reported() {
        let tree = Tree::new(&[("www/elements/box-colors.js", "probe.remove();")]);
        assert_eq!(check(&tree).findings.len(), 1);
    }
}
