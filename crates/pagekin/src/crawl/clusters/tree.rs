//! `pagekin crawl clusters --tree`.

use std::fmt::Write as _;

use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError};
use pagekin_crawl::tree::{CrawlTree, Topic, crawl_tree};
use serde::Serialize;

use crate::args::crawl::{ClusterFormat, ClustersArgs};
use crate::failure::Failure;
use crate::output::{count, one_line, print, print_json};
use crate::progress::Progress;

/// Default number of levels in the outline.
const DEFAULT_DEPTH: usize = 3;

/// A topic, as printed.
#[derive(Serialize)]
struct Printed<'a> {
    label: &'a [Box<str>],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rest: bool,
    url: String,
    title: String,
    urls: u64,
    /// `None` below the last printed level.
    #[serde(skip_serializing_if = "Option::is_none")]
    topics: Option<Vec<Printed<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<Vec<Flat>>,
}

/// A flat cluster in a topic.
#[derive(Serialize)]
struct Flat {
    center: String,
    title: String,
    size: u32,
}

pub(super) fn run(
    args: &ClustersArgs,
    format: ClusterFormat,
    crawl: &mut CrawlFolder,
) -> Result<(), Failure> {
    let depth = args.depth.map(usize::from);
    if !matches!(format, ClusterFormat::Table | ClusterFormat::Json) {
        return Err(Failure::from(pagekin_pages::OptionError {
            option: "format",
            expected: "table or json for a tree",
            found: format!("{format:?}").to_lowercase(),
        }));
    }
    let progress = Progress::new(format != ClusterFormat::Table)?;
    let tree = crawl_tree(crawl, None, &progress);
    progress.finish();
    let tree = tree?;
    let Some(root) = tree.topics.first() else { return Ok(()) };
    match format {
        ClusterFormat::Table => {
            let mut out = String::new();
            let topics = tree.topics.len() - 1;
            let clusters: usize = tree.topics.iter().map(|topic| topic.clusters.len()).sum();
            writeln!(
                out,
                "{} topics of {} clusters, {} URLs",
                count(topics as u64),
                count(clusters as u64),
                count(root.urls)
            )?;
            outline(&mut out, crawl, &tree, root, (1, depth.unwrap_or(DEFAULT_DEPTH)))?;
            print(&out)
        }
        _ => {
            let printed = printed(crawl, &tree, root, depth.unwrap_or(usize::MAX))?;
            print_json(&printed)
        }
    }
}

/// Writes the topics below a topic, from `level` down to `last`.
fn outline(
    out: &mut String,
    crawl: &mut CrawlFolder,
    tree: &CrawlTree,
    of: &Topic,
    (level, last): (usize, usize),
) -> Result<(), Failure> {
    let indent = 2 * level;
    for &topic in &of.topics {
        let topic = &tree.topics[topic as usize];
        let central = crawl.url(topic.central)?;
        let name = if topic.rest { "others".to_owned() } else { topic.label.join(", ") };
        let title = if central.title.is_empty() { &central.url } else { &central.title };
        writeln!(out, "{:indent$}{:>7}  {name}  ({})", "", count(topic.urls), one_line(title))?;
        if level < last {
            outline(out, crawl, tree, topic, (level + 1, last))?;
        }
    }
    let urls: u64 = of.clusters.iter().map(|&(_, size)| u64::from(size)).sum();
    // For a topic without subtopics, its own line already shows this number.
    if urls > 0 && !of.topics.is_empty() {
        let plural = if of.clusters.len() == 1 { "" } else { "s" };
        let clusters = count(of.clusters.len() as u64);
        writeln!(out, "{:indent$}{:>7}  in {clusters} cluster{plural}", "", count(urls))?;
    }
    Ok(())
}

fn printed<'a>(
    crawl: &mut CrawlFolder,
    tree: &'a CrawlTree,
    topic: &'a Topic,
    depth: usize,
) -> Result<Printed<'a>, CrawlFolderError> {
    let central = crawl.url(topic.central)?;
    let (mut topics, mut clusters) = (None, None);
    if depth > 0 {
        let below = topic.topics.iter().map(|&topic| &tree.topics[topic as usize]);
        let below: Result<_, _> =
            below.map(|topic| printed(crawl, tree, topic, depth - 1)).collect();
        topics = Some(below?);
        let flat = |&(center, size): &(u32, u32)| {
            let center = crawl.url(center)?;
            Ok(Flat { center: center.url, title: center.title, size })
        };
        clusters = Some(topic.clusters.iter().map(flat).collect::<Result<_, CrawlFolderError>>()?);
    }
    let (label, rest, urls) = (&topic.label[..], topic.rest, topic.urls);
    Ok(Printed { label, rest, url: central.url, title: central.title, urls, topics, clusters })
}
