//! The file that contains an index with the demo and the lab: the part that is the same for all
//! sites. `pagekin build --offline-bundle` inserts the files of the index.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use crate::repo::Repo;
use crate::run;
use crate::tools::{self, WebTools};

pub(crate) const NAME: &str = "bundle.html";
/// Its pages below www/, by their paths in `www/offline/bundle/page.js`.
const PAGES: [(&str, &str); 11] = [
    ("", "demo/index.html"),
    ("lab/", "lab/index.html"),
    ("lab/bag.html", "lab/bag.html"),
    ("lab/minhash.html", "lab/minhash.html"),
    ("lab/lsh.html", "lab/lsh.html"),
    ("lab/center.html", "lab/center.html"),
    ("lab/copies.html", "lab/copies.html"),
    ("lab/lookup.html", "lab/lookup.html"),
    ("lab/teach.html", "lab/teach.html"),
    ("lab/answers.html", "lab/answers.html"),
    ("lab/glossary.html", "lab/glossary.html"),
];
/// The styles, and the folder of the pages that use them.
const STYLES: [(&str, &str); 2] = [("demo/demo.css", ""), ("lab/lab.css", "lab/")];
/// The first script runs in a worker.
const SCRIPTS: [&str; 2] = ["offline/bundle/worker.js", "offline/bundle/page.js"];
/// The build replaces it with the files.
const PLACE: &str = "<!--files-->";

pub(crate) fn make(repo: &Repo, tools: &WebTools, dist: &Path) -> Result<()> {
    let made = repo.emptied("www/bundle")?;
    let mut command = Command::new(tools::node()?);
    command
        .arg(&tools.esbuild)
        .args(
            SCRIPTS
                .iter()
                .chain(STYLES.iter().map(|(name, _)| name))
                .map(|name| repo.path("www").join(name)),
        )
        .args(["--bundle", "--minify", "--format=iife", "--target=es2022", "--legal-comments=none"])
        .args(["--log-level=warning", "--charset=utf8", "--define:import.meta.url=\"carried:/\""])
        .arg(format!("--outbase={}", repo.path("www").display()))
        .arg(format!("--outdir={}", made.display()));
    run::visible(&mut command)?;
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let [worker, page] = SCRIPTS.map(|name| read(&made.join(name)));
    let (worker, page) = (worker?, page?);
    if page.contains("<!--") || page.contains("</script") {
        bail!("expected a script that HTML can contain, found <!-- or </script in it");
    }
    let mut styles = Vec::new();
    for (name, of) in STYLES {
        styles.push((of, read(&made.join(name))?));
    }
    let index = read(&repo.path("www/demo/index.html"))?;
    let mut html =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let hashes: Vec<_> = styles.iter().map(|(_, style)| hash(style)).collect();
    writeln!(
        html,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {} 'wasm-unsafe-eval'; \
         style-src {}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'\">",
        hash(&page),
        hashes.join(" ")
    )?;
    writeln!(html, "<title>{}</title>", between(&index, "<title>", "</title>")?)?;
    for meta in index.lines().map(str::trim) {
        let kept =
            ["<meta name=", "<link rel=\"icon\""].iter().any(|start| meta.starts_with(start));
        if kept {
            writeln!(html, "{meta}")?;
        }
    }
    for (of, style) in &styles {
        // Its hash includes all of the text of the element.
        writeln!(html, "<style data-of=\"{of}\">{style}</style>")?;
    }
    html.push_str("</head>\n<body>\n<noscript><p>This file needs JavaScript: it searches for pages here, in the browser.</p></noscript>\n");
    for (name, path) in PAGES {
        let source = read(&repo.path("www").join(path))?;
        let title = between(&source, "<title>", "</title>")?;
        let body = between(&source, "<body", "</body>")?;
        let (attributes, body) = body.split_once('>').context("a body has a start tag")?;
        let attribute = |name: &str| {
            between(attributes, &format!("{name}=\""), "\"").unwrap_or_default().to_owned()
        };
        if body.contains("<script") || body.contains("<template") {
            bail!("expected no script and no template in the body of www/{path}");
        }
        writeln!(
            html,
            "<template data-page=\"{name}\" data-title=\"{title}\" data-class=\"{}\" data-state=\"{}\">{body}</template>",
            attribute("class"),
            attribute("data-state")
        )?;
    }
    let data = BASE64_STANDARD.encode(worker);
    writeln!(html, "<script type=\"text/plain\" data-file=\"worker.js\">{data}</script>")?;
    writeln!(html, "{PLACE}\n<script>{page}</script>\n</body>\n</html>")?;
    let path = dist.join(NAME);
    fs::write(&path, html).with_context(|| format!("cannot write {}", path.display()))
}

/// The name of a script or style in a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The text after the first `start` and before the next `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Result<&'a str> {
    let after = text.split_once(start).map(|(_, after)| after);
    let found = after.and_then(|after| after.split_once(end)).map(|(found, _)| found);
    found.with_context(|| format!("expected {start} and {end} in a page of www/"))
}
