//! The summary of clustering a crawl, for programs.

use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_crawl::cluster::{ClusterSummary, TableSummary};
use serde_json::{Value, json};

use crate::skipped;

pub(super) fn summary(summary: &ClusterSummary, seed: u64) -> Value {
    json!({
        "pages": summary.inputs.ledger.pages,
        "bytes": summary.inputs.bytes,
        "links": summary.inputs.links,
        "strings": summary.strings.as_ref().map(strings),
        "threshold": summary.threshold.value(),
        "came_in": summary.inputs.ledger.came_in,
        "skipped": skipped::report(&summary.inputs.ledger),
        "fragments": summary.fragments.fragments,
        "urls": summary.urls,
        "empty": summary.empty,
        "twins": summary.twins,
        "classes": summary.classes,
        "tables": summary.tables.as_ref().map(tables),
        "pairs": summary.pairs,
        "clusters": summary.clusters,
        "clustered": summary.clustered,
        "recall": summary.recall,
        "seed": seed,
        "stages": summary.stages,
    })
}

fn strings(rules: &QGrams) -> Value {
    let QGrams { alphabet, q, both_strands, ref common } = *rules;
    let alphabet = match alphabet {
        Alphabet::Dna => "dna",
        Alphabet::Text => "text",
    };
    json!({ "alphabet": alphabet, "q": q, "both_strands": both_strands, "common": common.len() })
}

/// Formats the tables and the predicted recall at each similarity.
fn tables(TableSummary { choice, curve, pairing }: &TableSummary) -> Value {
    let curve = curve.iter();
    let curve = curve.map(|point| json!({ "similarity": point.similarity, "found": point.found }));
    json!({
        "k": choice.k,
        "l": choice.l,
        "recall": choice.recall,
        "curve": curve.collect::<Vec<_>>(),
        "tried": pairing.tried,
        "passed": pairing.made,
        "cut_buckets": pairing.cut_buckets,
        "not_tried": pairing.not_tried,
    })
}
