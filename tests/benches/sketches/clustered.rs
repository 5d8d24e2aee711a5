//! What `pagekin cluster` finds by each sketch: signatures of the same room, in tables that are
//! chosen for each, and in those that are chosen for copies.

use std::path::Path;

use pagekin_crawl::cluster::{
    BagSource, ClusterOptions, ClusterSummary, CrawlError, Pairing, Recall, StageCost,
    TableOptions, cluster, cluster_fragments,
};
use pagekin_pages::{Input, Silent, Stage};
use pagekin_pairs::Sketch;
use pagekin_tests::anchors::AnchorCrawl;
use pagekin_tests::measuring::Failure;
use serde::Serialize;

const SEED: u64 = 1;

#[derive(Debug, Serialize)]
pub(crate) struct Clustered {
    pub(crate) crawl: String,
    pub(crate) urls: u32,
    pub(crate) runs: Vec<Run>,
}

/// What became of a sketch.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) sketch: &'static str,
    /// Whether the tables were chosen for this sketch.
    pub(crate) own_tables: bool,
    pub(crate) k: u8,
    pub(crate) l: u16,
    pub(crate) tried: u64,
    pub(crate) passed: u64,
    pub(crate) pairs: u64,
    pub(crate) recall: Vec<Recall>,
    pub(crate) sketching_seconds: f64,
    pub(crate) pairing_seconds: f64,
    pub(crate) seconds: f64,
}

pub(crate) fn site(folder: &Path) -> Result<Clustered, Failure> {
    let inputs = [Input::Path(folder.to_owned())];
    measure(folder.display().to_string(), |options| {
        let options = options.with(|options| options.bags = BagSource::Content);
        cluster(&inputs, &options, &Silent)
    })
}

pub(crate) fn generated(urls: u64) -> Result<Clustered, Failure> {
    let crawl = AnchorCrawl::new(urls, SEED);
    measure(format!("{urls} generated URLs"), |options| {
        cluster_fragments(&crawl, &options, &Silent)
    })
}

fn measure(
    crawl: String,
    cluster: impl Fn(ClusterOptions) -> Result<ClusterSummary, CrawlError>,
) -> Result<Clustered, Failure> {
    let (mut urls, mut runs): (u32, Vec<Run>) = (0, Vec::new());
    let mut of_copies = None;
    for own_tables in [true, false] {
        for sketch in Sketch::ALL {
            if !own_tables && sketch == Sketch::Copies {
                continue;
            }
            let (k, l) = of_copies.filter(|_| !own_tables).unzip();
            let tables = TableOptions::default().with(|options| {
                (options.k, options.l, options.sketch) = (k, l, sketch);
            });
            let folder = tempfile::tempdir()?;
            let options = ClusterOptions::new(folder.path().join("out"))
                .with(|options| options.pairing = Pairing::Tables(tables));
            let summary = cluster(options)?;
            let tables = summary.tables.as_ref().ok_or("expected tables")?;
            let (k, l) = (tables.choice.k, tables.choice.l);
            of_copies.get_or_insert((k, l));
            urls = summary.urls;
            let seconds = |of: &dyn Fn(&StageCost) -> bool| -> f64 {
                let costs = summary.stages.iter().filter(|cost| of(cost));
                costs.map(|cost| cost.cpu_seconds.unwrap_or(cost.seconds)).sum()
            };
            runs.push(Run {
                sketch: sketch.name(),
                own_tables,
                k,
                l,
                tried: tables.pairing.tried,
                passed: tables.pairing.made,
                pairs: summary.pairs,
                sketching_seconds: seconds(&|cost| cost.stage == Stage::Sketching),
                pairing_seconds: seconds(&|cost| cost.stage == Stage::Pairing),
                seconds: seconds(&|_| true),
                recall: summary.recall,
            });
        }
    }
    Ok(Clustered { crawl, urls, runs })
}
