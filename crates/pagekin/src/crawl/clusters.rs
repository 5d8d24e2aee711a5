//! `pagekin crawl clusters`.

mod tree;

use std::fmt::Write as _;

use pagekin_crawl::cluster_list::{ClusterList, ListedCluster};
use pagekin_crawl::folder::{CrawlFolder, CrawledUrl};
use pagekin_pages::cells::cell;
use serde_json::json;

use crate::args::crawl::{ClusterFormat, ClustersArgs};
use crate::crawl::nouns::Nouns;
use crate::failure::Failure;
use crate::output::{Reader, count, in_table, list_in_table, print, print_for};

/// Default number of clusters in the table.
const DEFAULT_LIMIT: usize = 20;
/// Maximum number of shown members of a cluster.
const MAX_SHOWN_MEMBERS: usize = 5;

pub(crate) fn run(args: &ClustersArgs) -> Result<(), Failure> {
    let format = args.format;
    let mut crawl = CrawlFolder::open(&args.crawl)?;
    if args.tree {
        return tree::run(args, format, &mut crawl);
    }
    let centers = crawl.centers()?;
    let list = ClusterList::new(&crawl, &centers, args.min_size)?;
    let limit = args.limit.limit.or((format == ClusterFormat::Table).then_some(DEFAULT_LIMIT));
    let shown = list.len().min(limit.unwrap_or(usize::MAX));
    match format {
        ClusterFormat::Table => print(&table(&mut crawl, &list, shown, args.min_size)?),
        ClusterFormat::Json => json(&mut crawl, &list, shown),
        ClusterFormat::Jsonl => {
            for at in 0..shown {
                print_for(Reader::Programs, &(line(&mut crawl, &list, at)? + "\n"))?;
            }
            Ok(())
        }
        ClusterFormat::Csv => print_for(Reader::Programs, &csv(&mut crawl, &list, shown)?),
    }
}

/// Formats the first clusters for people.
fn table(
    crawl: &mut CrawlFolder,
    list: &ClusterList,
    shown: usize,
    min_size: usize,
) -> Result<String, Failure> {
    let nouns = Nouns::from_crawl(crawl);
    let mut out = String::new();
    let all = count(list.len() as u64);
    writeln!(out, "{all} clusters of at least {min_size} {}", nouns.all)?;
    for at in 0..shown {
        let ListedCluster { center, title, size, terms, members } =
            list.read(crawl, at, MAX_SHOWN_MEMBERS)?;
        let (center, title) = (in_table(&center), in_table(&title));
        writeln!(out, "\n{:>7}  {center}  {title}", count(size as u64))?;
        if !nouns.are_strings() {
            writeln!(out, "         {}", list_in_table(&terms))?;
        }
        for CrawledUrl { url, title, .. } in &members {
            // Strings are shown in addition to their names; pages are identified by their URLs.
            let string = if nouns.are_strings() { title } else { "" };
            let line = format!("         - {}  {}", in_table(url), in_table(string));
            writeln!(out, "{}", line.trim_end())?;
        }
        let rest = size - 1 - members.len();
        if rest > 0 {
            writeln!(out, "         and {} more", count(rest as u64))?;
        }
    }
    Ok(out)
}

/// Formats a cluster as one line of JSON.
fn line(crawl: &mut CrawlFolder, list: &ClusterList, at: usize) -> Result<String, Failure> {
    let ListedCluster { center, title, size, terms, members } = list.read(crawl, at, usize::MAX)?;
    let members: Vec<_> = members.into_iter().map(|member| member.url).collect();
    let cluster = json!({
        "center": center,
        "title": title,
        "size": size,
        "terms": terms,
        "members": members,
    });
    Ok(cluster.to_string())
}

/// Prints one object, a cluster at a time, because there may be millions.
fn json(crawl: &mut CrawlFolder, list: &ClusterList, shown: usize) -> Result<(), Failure> {
    for at in 0..shown {
        let before = if at == 0 { "{\"clusters\":[" } else { "," };
        print_for(Reader::Programs, &format!("{before}{}", line(crawl, list, at)?))?;
    }
    print_for(Reader::Programs, if shown == 0 { "{\"clusters\":[]}\n" } else { "]}\n" })
}

/// Formats a line per URL, for spreadsheets.
fn csv(crawl: &mut CrawlFolder, list: &ClusterList, shown: usize) -> Result<String, Failure> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(["cluster", "center", "url", "title", "similarity", "terms"])?;
    for at in 0..shown {
        let ListedCluster { center, terms, .. } = list.read(crawl, at, 0)?;
        let (number, terms) = ((at + 1).to_string(), terms.join(" "));
        list.each_url(crawl, at, |url, similarity| {
            let similarity = similarity.map(|n| (f64::from(n) / 1_000.0).to_string());
            let similarity = similarity.unwrap_or_default();
            let texts = [&center, &url.url, &url.title, &terms].map(|text| cell(text));
            let [center, url, title, terms] = &texts;
            let record = [&*number, center, url, title, &*similarity, terms];
            Ok::<(), Failure>(lines.write_record(record)?)
        })?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
