//! Every place in `www/` that makes a link, runs a script or sends a request is known.
//!
//! An index may come from a host that is not trusted, so an address in it may be `javascript:…`.
//! Links and requests that are made of addresses go through `hrefOf` of `www/client/link.js`. A new
//! place is found here, and looked at once: does what it uses come from an index?

use crate::tidy::report::Report;
use crate::tidy::tree::Tree;

const ROOMS: [&str; 5] = ["www/client/", "www/elements/", "www/demo/", "www/lab/", "www/offline/"];

/// What makes a browser go somewhere, or run something.
const SINKS: [&str; 22] = [
    ".href =",
    "href:",
    "{ href }",
    "{ href,",
    "\"href\"",
    ".src =",
    "src:",
    ".action =",
    "window.open",
    "location =",
    "location.assign",
    "location.replace",
    "fetch(",
    "import(",
    "importScripts",
    "new Worker(",
    "sendBeacon",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "srcdoc",
    "document.write",
];

/// Parts of lines that may have some.
const KNOWN: [(&str, &str); 38] = [
    // Addresses of an index, by `hrefOf`.
    ("www/elements/element.js", "if (url && hrefOf(url)) link.setAttribute(\"href\", url)"),
    ("www/elements/box-results.js", "{ href: href + excerpt.fragment }"),
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
    // Of the page itself, or of what a visitor made.
    ("www/elements/box.js", "url: link.getAttribute(\"href\")"),
    ("www/elements/box-colors.js", "probe.href = \"#\""),
    ("www/demo/demo-judge.js", "link.href = URL.createObjectURL"),
    ("www/lab/frame.js", "html(\"a\", { href, \"data-carry\": \"\""),
    ("www/lab/frame.js", "link.setAttribute(\"href\", `${path}"),
    ("www/lab/frame.js", "(link.getAttribute(\"href\") ?? \"\").split(\"#\")"),
    // Files of the client and of the index, by their names, which are made of numbers.
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
    let of_rooms = |path: &str| ROOMS.iter().any(|room| path.starts_with(room));
    for (path, text) in tree.ending(&[".js"]).filter(|(path, _)| of_rooms(path)) {
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
            findings.push(format!("{path}: no longer has {part}, which this rule knows"));
        }
    }
    Report::new(
        "every link and every request of www/ is known, and addresses of an index go through hrefOf",
        "make it by hrefOf of www/client/link.js if it comes from an index; then name it in \
         crates/xtask/src/tidy/links.rs",
        findings,
    )
}

/// Whether a line makes a link or a request, but for an import of a file that it names.
fn makes_one(line: &str) -> bool {
    let start = line.trim_start();
    if ["//", "*", "/*", "import "].iter().any(|comment| start.starts_with(comment)) {
        return false;
    }
    let code = line.split("/** ").next().unwrap_or_default().replace("import(\"", "");
    SINKS.iter().any(|sink| {
        code.match_indices(sink).any(|(at, _)| {
            // A word of its own, and no comparison.
            let before = code[..at].chars().next_back();
            let is_part = sink.starts_with(char::is_alphabetic)
                && before.is_some_and(|before| before.is_alphanumeric() || before == '_');
            !is_part && !code[at + sink.len()..].starts_with('=')
        })
    })
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
    fn other_lines_are_none() {
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
    fn places_that_are_gone_are_forgotten() {
        let tree = Tree::new(&[("www/elements/box-colors.js", "probe.remove();")]);
        assert_eq!(check(&tree).findings.len(), 1);
    }
}
