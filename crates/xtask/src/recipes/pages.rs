//! The pages of the recipes: the documentation of a well-known linter in Markdown, from its npm
//! package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::files;

/// Minimum number of pages for a test.
const MIN_PAGES: usize = 100;

/// The target of links to other files.
const ELSEWHERE: &str = "https://example.org/";

/// The format of the pages of a generator.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) links: Links,
    /// The title is in front matter, not in a heading.
    pub(super) front_matter: bool,
    pub(super) index: &'a str,
    /// Write a `SUMMARY.md` of all pages.
    pub(super) summary: bool,
}

/// The links to other pages.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Links {
    /// To the file: the generator rewrites them.
    Files,
    /// To the folder that the generator writes.
    Folders,
}

struct Page {
    title: String,
    body: String,
}

/// Writes the pages of the package in `package` into `folder`; returns their number.
pub(super) fn write(package: &Path, folder: &Path, manner: Manner<'_>) -> Result<usize> {
    let pages = read(package, manner)?;
    if pages.len() < MIN_PAGES {
        bail!("expected {MIN_PAGES} pages or more in {}, found {}", package.display(), pages.len());
    }
    for (name, Page { title, body }) in &pages {
        let path =
            folder.join(if name == Path::new("index.md") { Path::new(manner.index) } else { name });
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let text = if manner.front_matter {
            format!("---\ntitle: {}\n---\n\n{body}", serde_json::to_string(title)?)
        } else {
            format!("# {title}\n\n{body}")
        };
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if manner.summary {
        let lines =
            pages.iter().map(|(name, page)| format!("- [{}]({})\n", page.title, name.display()));
        fs::write(folder.join("SUMMARY.md"), lines.collect::<String>())?;
    }
    Ok(pages.len())
}

fn read(package: &Path, manner: Manner<'_>) -> Result<BTreeMap<PathBuf, Page>> {
    let mut texts = BTreeMap::new();
    for file in files::files(package)? {
        let source = file.strip_prefix(package)?.to_owned();
        if let Some(name) = name_of(&source) {
            texts.insert(source, (name, fs::read_to_string(&file)?));
        }
    }
    let names: BTreeMap<&Path, &Path> =
        texts.iter().map(|(source, (name, _))| (source.as_path(), name.as_path())).collect();
    let mut pages = BTreeMap::new();
    for (source, (name, text)) in &texts {
        let (title, body) = split_title(text)
            .with_context(|| format!("expected a heading at the start of {}", source.display()))?;
        let body = relinked(body, |link| {
            let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
            let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
            match names.get(normal(&source.with_file_name(path)).as_path()) {
                Some(target) => manner.links.to(name, target) + &fragment,
                None => ELSEWHERE.to_owned(),
            }
        });
        pages.insert(name.clone(), Page { title, body });
    }
    Ok(pages)
}

/// The name of the file of a page, if its source is documentation.
fn name_of(source: &Path) -> Option<PathBuf> {
    let parts: Vec<&str> = source.iter().filter_map(|part| part.to_str()).collect();
    match parts[..] {
        ["README.md"] => Some(PathBuf::from("index.md")),
        ["CONTRIBUTING.md"] => Some(PathBuf::from("contributing.md")),
        ["lib", "rules", rule, "README.md"] => Some(PathBuf::from(format!("rules/{rule}.md"))),
        ["docs", .., name] if name.ends_with(".md") => {
            source.strip_prefix("docs").ok().map(Path::to_owned)
        }
        _ => None,
    }
}

fn split_title(text: &str) -> Option<(String, &str)> {
    let (line, rest) = text.trim_start().split_once('\n')?;
    Some((line.strip_prefix("# ")?.trim().to_owned(), rest.trim_start()))
}

/// The text with another target in each link to a file.
fn relinked(text: &str, target: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("](") {
        let end = link.find([')', ' ', '\n']).unwrap_or(link.len());
        let (old, after) = link.split_at(end);
        out.push_str(before);
        out.push_str("](");
        let is_file =
            old.split('#').next().is_some_and(|path| path.ends_with(".md") || path.ends_with('/'));
        if is_file && !old.contains(':') {
            out.push_str(&target(old));
        } else {
            out.push_str(old);
        }
        rest = after;
    }
    out + rest
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

impl Links {
    /// A link on the page `from` to the page `to`.
    fn to(self, from: &Path, to: &Path) -> String {
        let (up, to) = match self {
            Self::Files => (from.components().count() - 1, to.to_owned()),
            Self::Folders => {
                let depth = |page: &Path| {
                    page.components().count() - usize::from(page.ends_with("index.md"))
                };
                let folder =
                    if to.ends_with("index.md") { PathBuf::new() } else { to.with_extension("") };
                (depth(from), folder.join(""))
            }
        };
        "../".repeat(up) + &to.to_string_lossy()
    }
}
