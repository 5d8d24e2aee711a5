//! Writes the topic tree of a site for its browse page.
//!
//! ```text
//! browse/tree.json       the base URL, and the tree from its root down to topics of at most 400
//!                        pages
//! browse/0a1b2c3d.json   the contents of one of these topics, if the site has more pages;
//!                        fetched when it is opened
//! ```
//!
//! The other files are named by their checksums: an unchanged file keeps its name, and a cached
//! file is never shown in place of a newer one.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::vocabulary::TermId;
use pagekin_pages::output::file_list::checksum;
use pagekin_pages::output::files::write_files;
use pagekin_pages::progress::step;
use pagekin_pages::{OptionError, Part, Stage};
use pagekin_pairs::hierarchy::{Node, Tree, TreeItems};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::build::error::BuildError;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::output::{LAB_LINK, UnpublishedOutput};
use crate::build::options::AssetFile;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::profiles;
use crate::read::related_shard::base_of;

const FOLDER: &str = "browse";
/// Topics with more pages are stored in the first file.
const FILE_PAGES: u64 = 400;
/// The demo links to the browse page before its link to the lab.
const BEFORE: &str = LAB_LINK;
const LINK: &str = "<p><a href=\"browse.html\">Browse this site by topic</a></p>\n    ";

/// The contents of `tree.json`.
#[derive(Serialize)]
struct First<'a> {
    base: &'a str,
    pages: u64,
    /// Bytes of all other files.
    bytes: u64,
    tree: Topic<'a>,
}

/// A topic, in the form that the browse page reads.
#[derive(Serialize)]
struct Topic<'a> {
    label: Vec<&'a str>,
    /// The title of its central page.
    title: &'a str,
    pages: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rest: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    below: Option<Below<'a>>,
}

/// The children of a topic.
#[derive(Serialize)]
struct Below<'a> {
    topics: Vec<Topic<'a>>,
    /// URLs without the base, and titles.
    items: Vec<(&'a str, &'a str)>,
}

/// Writes the browse page and its tree.
pub(crate) struct TreePage<'a> {
    /// The files of the browse page.
    pub(crate) client: &'a [AssetFile<'a>],
}

impl<'a> Extra<'a> for TreePage<'a> {
    fn begin(
        &mut self,
        site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        if !output.add_to_client(self.client, BEFORE, LINK) {
            return Err(OptionError {
                option: "tree",
                expected: "a build of pagekin that contains the demo and the browse page",
                found: "not available in this build".to_owned(),
            }
            .into());
        }
        let (part, names) = write(site, output.folder())?;
        output.add_part(part);
        names.into_iter().for_each(|name| output.list(name));
        Ok(())
    }
}

/// Writes the topic tree into an output. Returns what was written, and the names of the files.
fn write(site: &IndexedSite<'_>, into: &Path) -> Result<(Part, Vec<String>), BuildError> {
    let IndexedSite { pages, words, observer, .. } = *site;
    let all: Vec<&WeightedPage> = pages.iter().collect();
    let (terms, rows) = profiles::weigh(&all);
    let word = |term: u32| words.get(&terms[term as usize]).map(|word| &**word);
    observer.stage(Stage::Nesting, rows.len() as u64);
    let items = TreeItems { profiles: &rows, terms: terms.len(), word: &word, clusters: None };
    let tree = Tree::new(&items, &|| step(observer))?;
    let base = base_of(&site.options.reading.base_url);
    let mut writer = TreeWriter {
        pages,
        words,
        terms: &terms,
        base: &base,
        tree: &tree,
        files: BTreeMap::new(),
    };
    let root = writer.topic(&tree.nodes[0], true);
    let bytes = writer.files.values().map(|json| json.len() as u64).sum();
    let first = First { base: &base, pages: pages.len() as u64, bytes, tree: root };
    let first = serde_json::to_vec(&first).expect("texts and numbers are JSON");
    let mut files = writer.files;
    files.insert(format!("{FOLDER}/tree.json"), first);
    let part = write_files(FOLDER, &files, into)?;
    Ok((part, files.into_keys().collect()))
}

struct TreeWriter<'a> {
    pages: &'a [WeightedPage],
    words: &'a FxHashMap<TermId, Box<str>>,
    terms: &'a [TermId],
    base: &'a str,
    tree: &'a Tree,
    /// The files by name.
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> TreeWriter<'a> {
    /// Converts a node and its descendants. Small topics in the first file get files of their own.
    fn topic(&mut self, node: &'a Node, first: bool) -> Topic<'a> {
        let label =
            node.label.iter().filter_map(|&term| self.words.get(&self.terms[term as usize]));
        let title = self.pages.get(node.central as usize).map_or("", |page| &page.title);
        let whole = self.pages.len() as u64;
        let is_apart = first && node.pages <= FILE_PAGES && whole > FILE_PAGES;
        let below = self.below(node, first && !is_apart);
        let (mut file, mut inline) = (None, Some(below));
        if is_apart {
            let json = serde_json::to_vec(&inline.take()).expect("texts and numbers are JSON");
            let name = format!("{:08x}.json", checksum(&json));
            self.files.insert(format!("{FOLDER}/{name}"), json);
            file = Some(name);
        }
        let label = label.map(|word| &**word).collect();
        Topic { label, title, pages: node.pages, rest: node.rest, file, below: inline }
    }

    fn below(&mut self, node: &'a Node, first: bool) -> Below<'a> {
        let tree = self.tree;
        let topics =
            node.children.iter().map(|&child| self.topic(&tree.nodes[child as usize], first));
        let topics = topics.collect();
        let item = |&item: &u32| {
            let page = &self.pages[item as usize];
            (page.url.strip_prefix(self.base).unwrap_or(&page.url), page.title.as_str())
        };
        Below { topics, items: node.items.iter().map(item).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::extras::output::DEMO;
    use crate::build::from_site::build_pages;
    use crate::build::from_site::tests::Neighbors;
    use crate::build::options::{Assets, BuildOptions};
    use pagekin_pages::Silent;
    use serde_json::Value;
    use std::fs;

    /// Collects the pages below a topic. Returns the number of files read for it.
    fn addresses(folder: &Path, topic: &Value, into: &mut Vec<String>) -> usize {
        let file = topic["file"].as_str();
        let apart = file.map(|file| {
            let bytes = fs::read(folder.join(file)).unwrap();
            assert_eq!(file, format!("{:08x}.json", checksum(&bytes)));
            serde_json::from_slice::<Value>(&bytes).unwrap()
        });
        let below = apart.as_ref().unwrap_or(topic);
        let before = into.len();
        let items = below["items"].as_array().unwrap();
        into.extend(items.iter().map(|item| item[0].as_str().unwrap().to_owned()));
        let topics = below["topics"].as_array().unwrap();
        let files: usize = topics.iter().map(|topic| addresses(folder, topic, into)).sum();
        assert_eq!(topic["pages"], into.len() - before);
        files + usize::from(apart.is_some())
    }

    #[test]
    fn every_page_is_in_one_file_once() {
        let place = tempfile::tempdir().unwrap();
        let page = [AssetFile { path: "browse.html", bytes: b"page" }];
        let demo = [AssetFile { path: DEMO, bytes: BEFORE.as_bytes() }];
        let assets = Assets { always: &demo, tree: &page, ..Assets::default() };
        for (n, files) in [(60, 0..=0), (900, 2..=200)] {
            let options = BuildOptions::new("", place.path().join(n.to_string()));
            let options = options.with(|options| options.tree = true);
            build_pages(&options, &Neighbors(n), &assets, &Silent).unwrap();
            let folder = options.output.join(FOLDER);
            let first: Value =
                serde_json::from_slice(&fs::read(folder.join("tree.json")).unwrap()).unwrap();
            let mut all = Vec::new();
            let found = addresses(&folder, &first["tree"], &mut all);
            assert!(files.contains(&found), "{found}");
            all.sort();
            let mut expected: Vec<_> = (0..n).map(|at| format!("{at}.html")).collect();
            expected.sort();
            assert_eq!((first["base"].as_str(), all), (Some("/"), expected));
            let html = fs::read_to_string(options.output.join(DEMO)).unwrap();
            assert_eq!(html, format!("{LINK}{BEFORE}"));
            let list = fs::read_to_string(options.output.join("pagekin.files")).unwrap();
            assert!(
                list.contains(" browse/tree.json\n") && list.contains(" browse.html\n"),
                "{list}"
            );
        }
        let options = BuildOptions::new("", place.path().join("none")).with(|o| o.tree = true);
        let error = build_pages(&options, &Neighbors(60), &Assets::default(), &Silent).unwrap_err();
        assert!(error.to_string().contains("tree"), "{error}");
    }
}
