//! `pagekin cluster`.

use std::fmt::Write as _;

use pagekin_build::crawl::clustering::{self, ClusterOptions, ClusterSummary};
use pagekin_build::crawl::inputs::{Input, InputOptions};
use serde::Serialize;

use crate::args::ClusterArgs;
use crate::output::{bytes, count};
use crate::progress::Progress;
use crate::{Failure, serve};

pub(crate) fn run(args: ClusterArgs) -> Result<(), Failure> {
    let seed = args.seed.number()?;
    let inputs: Vec<Input> = args.inputs.iter().map(|input| Input::from_arg(input)).collect();
    let options = ClusterOptions {
        inputs: InputOptions {
            base_url: args.base_url,
            max_page_bytes: args.max_page_bytes,
            ..InputOptions::default()
        },
        lang: args.lang,
        bags: args.bags.into(),
        preset: args.preset.into(),
        seed,
        threshold: args.threshold,
        memory: args.memory,
        threads: args.running.threads(),
        ..ClusterOptions::new(args.output)
    };
    let progress = Progress::new(args.running.quiet)?;
    let clustered = clustering::cluster(&inputs, &options, &progress);
    progress.finish();
    let summary = clustered?;
    args.running.tell(&Report::of(&summary, seed), || report(&summary, &options))
}

/// The summary for people.
fn report(summary: &ClusterSummary, options: &ClusterOptions) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let ClusterSummary { inputs, fragments, choice, pairing, .. } = summary;
    writeln!(
        out,
        "{} pages ({}) with {} links; {} fragments ({})",
        count(inputs.pages),
        bytes(inputs.bytes),
        count(inputs.links),
        count(fragments.fragments),
        bytes(fragments.bytes),
    )?;
    if !inputs.skipped.is_empty() {
        writeln!(out, "left out:")?;
        for (reason, skipped) in &inputs.skipped {
            writeln!(out, "  {:>9}  {reason}, first {}", count(skipped.count), skipped.first)?;
        }
    }
    writeln!(
        out,
        "{} URLs have a bag, {} have no words that count; {} follow another with the same signature",
        count(u64::from(summary.urls)),
        count(summary.empty),
        count(summary.twins),
    )?;
    writeln!(
        out,
        "{} tables of {} values, which find {:.1} % of the pairs at {}",
        choice.l,
        choice.k,
        100.0 * choice.recall,
        options.threshold.value(),
    )?;
    let found: Vec<_> = summary
        .curve
        .iter()
        .map(|point| format!("{:.1} % at {:.1}", 100.0 * point.found, point.similarity))
        .collect();
    writeln!(out, "with the filter, as predicted: {}", found.join(", "))?;
    writeln!(out, "{} pairs tried, {} similar", count(pairing.tried), count(summary.pairs))?;
    if pairing.cut_buckets > 0 {
        writeln!(
            out,
            "{} buckets of too many URLs were cut: {} pairs that met in them were not tried there",
            count(pairing.cut_buckets),
            count(pairing.not_tried),
        )?;
    }
    writeln!(out, "{} clusters of {} URLs", count(summary.clusters), count(summary.clustered))?;
    for cost in &summary.stages {
        writeln!(out, "  {:>8.1} s  {}", cost.seconds, cost.stage.describe())?;
    }
    let output = serve::quoted(&options.output);
    writeln!(out, "look at it: pagekin clusters {output}, pagekin related {output} --url URL")?;
    Ok(out)
}

/// The summary for programs.
#[derive(Serialize)]
struct Report {
    pages: u64,
    bytes: u64,
    links: u64,
    skipped: Vec<SkippedReport>,
    fragments: u64,
    urls: u32,
    empty: u64,
    twins: u64,
    k: u8,
    l: u16,
    recall: f64,
    curve: Vec<CurveReport>,
    tried: u64,
    cut_buckets: u64,
    not_tried: u64,
    pairs: u64,
    clusters: u64,
    clustered: u64,
    seed: u64,
    stages: Vec<StageReport>,
}

#[derive(Serialize)]
struct SkippedReport {
    reason: &'static str,
    count: u64,
    first: String,
}

/// The part of the pairs of a similarity that is found, as predicted.
#[derive(Serialize)]
struct CurveReport {
    similarity: f64,
    found: f64,
}

#[derive(Serialize)]
struct StageReport {
    stage: &'static str,
    seconds: f64,
}

impl Report {
    fn of(summary: &ClusterSummary, seed: u64) -> Self {
        let skipped = summary.inputs.skipped.iter().map(|(reason, skipped)| SkippedReport {
            reason: reason.code(),
            count: skipped.count,
            first: skipped.first.clone(),
        });
        let stages = summary
            .stages
            .iter()
            .map(|cost| StageReport { stage: cost.stage.describe(), seconds: cost.seconds });
        let curve = summary.curve.iter();
        Self {
            pages: summary.inputs.pages,
            bytes: summary.inputs.bytes,
            links: summary.inputs.links,
            skipped: skipped.collect(),
            fragments: summary.fragments.fragments,
            urls: summary.urls,
            empty: summary.empty,
            twins: summary.twins,
            k: summary.choice.k,
            l: summary.choice.l,
            recall: summary.choice.recall,
            curve: curve
                .map(|point| CurveReport { similarity: point.similarity, found: point.found })
                .collect(),
            tried: summary.pairing.tried,
            cut_buckets: summary.pairing.cut_buckets,
            not_tried: summary.pairing.not_tried,
            pairs: summary.pairs,
            clusters: summary.clusters,
            clustered: summary.clustered,
            seed,
            stages: stages.collect(),
        }
    }
}
