//! `pagekin clusters`.

mod tree;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use pagekin_crawl::cluster::evaluate::components;
use pagekin_crawl::cluster::evaluate::components::Clustered;
use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError, CrawledUrl};
use serde::Serialize;

use crate::Failure;
use crate::args::crawl::{ClusterFormat, ClustersArgs};
use crate::crawl::nouns::Nouns;
use crate::output::{count, one_line, print};

/// Clusters in the table by default.
const SHOWN: usize = 20;
/// The members of a cluster that are.
const SHOWN_MEMBERS: usize = 5;
/// The top terms of a cluster.
const TOP_TERMS: usize = 8;
/// The members whose bags make the top terms.
const SAMPLED: usize = 50;

/// A cluster, as printed.
#[derive(Serialize)]
struct Cluster {
    center: String,
    title: String,
    size: usize,
    terms: Vec<String>,
    members: Vec<String>,
    /// Of each member the string itself, if that is not its name.
    #[serde(skip)]
    strings: Vec<String>,
}

pub(crate) fn run(args: &ClustersArgs) -> Result<(), Failure> {
    let format = args.json.or(args.format, ClusterFormat::Json);
    let mut crawl = CrawlFolder::open(&args.crawl)?;
    if args.tree {
        return tree::run(args, format, &mut crawl);
    }
    let mut centers = crawl.centers()?;
    let mut comparison = String::new();
    if args.components {
        let components = components::components(&args.crawl, &crawl)?;
        if format == ClusterFormat::Table {
            let both = [("CENTER", &centers), ("components", &components)];
            comparison = compare(&mut crawl, both)?;
        }
        centers = components;
    }
    let mut by_center: Vec<(u32, u32)> = (0..).zip(centers).map(|(url, of)| (of, url)).collect();
    by_center.sort_unstable();
    let mut clusters: Vec<&[(u32, u32)]> = by_center.chunk_by(|a, b| a.0 == b.0).collect();
    clusters.retain(|cluster| cluster.len() >= args.min_size);
    clusters.sort_by_key(|cluster| (Reverse(cluster.len()), cluster[0].0));
    let limit = args.limit.or((format == ClusterFormat::Table).then_some(SHOWN));
    let all = clusters.len();
    clusters.truncate(limit.unwrap_or(usize::MAX));
    let is_empty = clusters.is_empty();
    let words = crawl.words()?;
    let nouns = Nouns::of_crawl(&crawl);
    let read = |crawl: &mut CrawlFolder,
                cluster: &[(u32, u32)],
                most: usize|
     -> Result<Cluster, CrawlFolderError> {
        let center = crawl.url(cluster[0].0)?;
        let (mut members, mut strings) = (Vec::new(), Vec::new());
        let mut copies = BTreeMap::<u32, u64>::new();
        for (at, &(of, url)) in cluster.iter().enumerate() {
            if at >= most.max(SAMPLED) {
                break;
            }
            let member = crawl.url(url)?;
            if at < SAMPLED {
                for (term, n) in member.bag {
                    *copies.entry(term).or_default() += u64::from(n);
                }
            }
            if url != of {
                members.push(member.url);
                if nouns.are_strings() {
                    strings.push(member.title);
                }
            }
        }
        members.truncate(most);
        let mut top: Vec<_> = copies.into_iter().collect();
        top.sort_by_key(|&(term, n)| (Reverse(n), term));
        let terms = top.iter().filter_map(|(term, _)| words.get(term));
        Ok(Cluster {
            center: center.url,
            title: center.title,
            size: cluster.len(),
            terms: terms.take(TOP_TERMS).map(ToString::to_string).collect(),
            members,
            strings,
        })
    };
    match format {
        ClusterFormat::Table => {
            let mut out = comparison;
            let all = count(all as u64);
            writeln!(out, "{all} clusters of at least {} {}", args.min_size, nouns.all)?;
            for cluster in clusters {
                let Cluster { center, title, size, terms, members, strings } =
                    read(&mut crawl, cluster, SHOWN_MEMBERS)?;
                let (center, title) = (one_line(&center), one_line(&title));
                writeln!(out, "\n{:>7}  {center}  {title}", count(size as u64))?;
                if !nouns.are_strings() {
                    writeln!(out, "         {}", terms.join(", "))?;
                }
                let rest = size - 1 - members.len();
                for (at, member) in members.iter().enumerate() {
                    let string = strings.get(at).map_or("", String::as_str);
                    let line = format!("         - {member}  {string}");
                    writeln!(out, "{}", one_line(line.trim_end()))?;
                }
                if rest > 0 {
                    writeln!(out, "         and {} more", count(rest as u64))?;
                }
            }
            print(&out)
        }
        ClusterFormat::Json => {
            // One at a time: there may be millions.
            for (number, cluster) in clusters.into_iter().enumerate() {
                let before = if number == 0 { "{\"clusters\":[" } else { "," };
                let cluster = serde_json::to_string(&read(&mut crawl, cluster, usize::MAX)?)?;
                print(&format!("{before}{cluster}"))?;
            }
            print(if is_empty { "{\"clusters\":[]}\n" } else { "]}\n" })
        }
        ClusterFormat::Jsonl => {
            for cluster in clusters {
                print(&(serde_json::to_string(&read(&mut crawl, cluster, usize::MAX)?)? + "\n"))?;
            }
            Ok(())
        }
        ClusterFormat::Csv => {
            let mut lines = csv::Writer::from_writer(Vec::new());
            lines.write_record(["cluster", "center", "url", "title", "similarity", "terms"])?;
            for (number, cluster) in (1..).zip(clusters) {
                let Cluster { center, terms, .. } = read(&mut crawl, cluster, 0)?;
                let (number, terms) = (format!("{number}"), terms.join(" "));
                let first = cluster[0].0;
                let related = crawl.related(first)?.into_iter();
                let similarities: BTreeMap<u32, u16> = related.chain([(first, 1_000)]).collect();
                let others = cluster.iter().map(|&(_, url)| url).filter(|&url| url != first);
                for url in std::iter::once(first).chain(others) {
                    let CrawledUrl { url: address, title, .. } = crawl.url(url)?;
                    // Of a component not all are similar to the first.
                    let similarity = similarities.get(&url);
                    let similarity = similarity.map(|&n| format!("{}", f64::from(n) / 1_000.0));
                    let similarity = similarity.unwrap_or_default();
                    lines.write_record([
                        &number,
                        &center,
                        &address,
                        &title,
                        &similarity,
                        &terms,
                    ])?;
                }
            }
            print(&String::from_utf8(lines.into_inner()?)?)
        }
    }
}

/// What two ways to cluster the crawl's pairs make of it.
fn compare(crawl: &mut CrawlFolder, ways: [(&str, &Vec<u32>); 2]) -> Result<String, Failure> {
    let threshold = f64::from(crawl.description().threshold) / 1_000.0;
    let mut out = String::new();
    writeln!(
        out,
        "{:10} {:>10} {:>10} {:>10} {:>16} {:>12}",
        "",
        "clusters",
        Nouns::of_crawl(crawl).all,
        "largest",
        "mean similarity",
        format!("below {threshold}")
    )?;
    for (way, centers) in ways {
        let Clustered { clusters, urls, largest, similarity, below } =
            components::look(crawl, centers)?;
        writeln!(
            out,
            "{way:10} {:>10} {:>10} {:>10} {similarity:>16.3} {:>10.1} %",
            count(clusters),
            count(urls),
            count(largest),
            100.0 * below
        )?;
    }
    writeln!(out, "similarity of random pairs within clusters\n")?;
    Ok(out)
}
