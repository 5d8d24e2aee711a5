//! What clustering a crawl says to programs.

use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_crawl::cluster::{ClassSummary, ClusterSummary, Recall, StageCost, TableSummary};
use pagekin_pairs::CurvePoint;
use serde::Serialize;

/// The summary for programs.
#[derive(Serialize)]
pub(super) struct ClusterReport {
    pages: u64,
    bytes: u64,
    links: u64,
    strings: Option<StringsReport>,
    threshold: f64,
    skipped: Vec<SkippedInputs>,
    fragments: u64,
    urls: u32,
    empty: u64,
    twins: u64,
    classes: Option<ClassSummary>,
    tables: Option<TablesReport>,
    pairs: u64,
    clusters: u64,
    clustered: u64,
    recall: Vec<Recall>,
    seed: u64,
    stages: Vec<StageCost>,
}

#[derive(Serialize)]
struct TablesReport {
    k: u8,
    l: u16,
    recall: f64,
    curve: Vec<CurveReport>,
    tried: u64,
    passed: u64,
    cut_buckets: u64,
    not_tried: u64,
}

/// How strings became bags.
#[derive(Serialize)]
struct StringsReport {
    alphabet: &'static str,
    q: u8,
    both_strands: bool,
    common: usize,
}

impl StringsReport {
    fn of(rules: &QGrams) -> Self {
        let QGrams { alphabet, q, both_strands, ref common } = *rules;
        let alphabet = match alphabet {
            Alphabet::Dna => "dna",
            Alphabet::Text => "text",
        };
        Self { alphabet, q, both_strands, common: common.len() }
    }
}

#[derive(Serialize)]
struct SkippedInputs {
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

impl ClusterReport {
    pub(super) fn of(summary: &ClusterSummary, seed: u64) -> Self {
        let skipped = summary.inputs.skipped.iter().map(|(reason, skipped)| SkippedInputs {
            reason: reason.code(),
            count: skipped.count,
            first: skipped.first.clone(),
        });
        let tables = summary.tables.as_ref().map(|TableSummary { choice, curve, pairing }| {
            let point = |point: &CurvePoint| CurveReport {
                similarity: point.similarity,
                found: point.found,
            };
            TablesReport {
                k: choice.k,
                l: choice.l,
                recall: choice.recall,
                curve: curve.iter().map(point).collect(),
                tried: pairing.tried,
                passed: pairing.made,
                cut_buckets: pairing.cut_buckets,
                not_tried: pairing.not_tried,
            }
        });
        Self {
            pages: summary.inputs.pages,
            bytes: summary.inputs.bytes,
            links: summary.inputs.links,
            strings: summary.strings.as_ref().map(StringsReport::of),
            threshold: summary.threshold.value(),
            skipped: skipped.collect(),
            fragments: summary.fragments.fragments,
            urls: summary.urls,
            empty: summary.empty,
            twins: summary.twins,
            classes: summary.classes.clone(),
            tables,
            pairs: summary.pairs,
            clusters: summary.clusters,
            clustered: summary.clustered,
            recall: summary.recall.clone(),
            seed,
            stages: summary.stages.clone(),
        }
    }
}
