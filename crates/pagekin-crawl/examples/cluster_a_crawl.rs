//! Clusters a crawl: all pairs of similar URLs, and the clusters around their centers.
//!
//! ```console
//! $ cargo run -p pagekin-crawl --example cluster_a_crawl -- crawl.warc.gz more.jsonl html-folder
//! ```
//!
//! Without arguments it clusters a crawl of a few pages.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use pagekin_crawl::{BagSource, ClusterOptions, CrawlFolder, cluster};
use pagekin_pages::{Input, Silent};

fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let mut inputs: Vec<Input> =
        env::args_os().skip(1).map(|input| Input::from_arg(&input)).collect();
    if inputs.is_empty() {
        inputs.push(small_crawl(place.path())?);
    }

    let mut options = ClusterOptions::new(place.path().join("crawl"));
    options.bags = BagSource::Content;
    let summary = cluster(&inputs, &options, &Silent)?;
    println!(
        "{} URLs, {} similar pairs, {} clusters",
        summary.urls, summary.pairs, summary.clusters
    );

    let mut crawl = CrawlFolder::open(&options.output)?;
    let mut clusters = BTreeMap::<u32, Vec<u32>>::new();
    for (url, center) in (0..).zip(crawl.centers()?) {
        clusters.entry(center).or_default().push(url);
    }
    for (center, members) in clusters.into_iter().filter(|(_, members)| members.len() > 1) {
        println!("\n{}", crawl.url(center)?.url);
        for member in members.into_iter().filter(|&member| member != center) {
            println!("  {}", crawl.url(member)?.url);
        }
    }
    Ok(())
}

/// A JSONL file of two pages about bread and two about beans.
fn small_crawl(folder: &Path) -> Result<Input, Box<dyn Error>> {
    let page = |name: &str, text: &str| {
        format!("{{\"url\": \"https://example.org/{name}\", \"text\": \"{text}\"}}\n")
    };
    let lines = [
        page("rye", "feed the rye starter overnight then bake the loaf in a tin"),
        page("wheat", "feed the wheat starter overnight then bake the loaf in a pot"),
        page("runner-beans", "sow runner beans in warm soil and give them poles to climb"),
        page("french-beans", "sow french beans in warm soil and give them poles to climb"),
    ];
    let path = folder.join("crawl.jsonl");
    fs::write(&path, lines.concat())?;
    Ok(Input::Path(path))
}
