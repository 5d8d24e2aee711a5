//! The summary of clustering a crawl, for people.

use std::fmt::Write as _;

use pagekin_core::qgrams::QGrams;
use pagekin_crawl::cluster::{
    ClassSummary, ClusterOptions, ClusterSummary, Recall, StageCost, TableSummary,
};
use pagekin_pages::InputSummary;
use pagekin_pairs::Threshold;

use crate::crawl::nouns::Nouns;
use crate::output::{bytes, count, one_line, quoted};
use crate::skipped;

/// Formats the summary.
pub(super) fn summary(
    summary: &ClusterSummary,
    options: &ClusterOptions,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let nouns = Nouns::new(summary.strings.as_ref().map(|rules| rules.alphabet));
    read(&mut out, summary, nouns)?;
    left_out(&mut out, &summary.inputs)?;
    bags(&mut out, summary, nouns)?;
    if let Some(of_urls) = &summary.classes {
        classes(&mut out, of_urls, summary.urls)?;
    }
    if let Some(of_pairs) = &summary.tables {
        tables(&mut out, of_pairs, options, summary.threshold)?;
    }
    writeln!(out, "{} pairs", count(summary.pairs))?;
    if !summary.recall.is_empty() {
        recall(&mut out, summary, nouns)?;
    }
    let (clusters, clustered) = (count(summary.clusters), count(summary.clustered));
    writeln!(out, "{clusters} clusters of {clustered} {}", nouns.all)?;
    costs(&mut out, &summary.stages, nouns)?;
    let output = quoted(&options.output);
    let name = if summary.strings.is_some() { "--name NAME" } else { "--url URL" };
    writeln!(
        out,
        "to explore: pagekin crawl clusters {output}, pagekin crawl related {output} {name}"
    )?;
    Ok(out)
}

fn read(out: &mut String, summary: &ClusterSummary, nouns: Nouns) -> std::fmt::Result {
    let ClusterSummary { inputs, fragments, .. } = summary;
    match &summary.strings {
        Some(QGrams { q, both_strands, common, .. }) => {
            let strands = if *both_strands { " of both strands" } else { "" };
            let (all, size) = (count(inputs.ledger.pages), bytes(inputs.bytes));
            write!(out, "{all} {} ({size}); {q}-grams{strands}", nouns.all)?;
            if !common.is_empty() {
                write!(out, ", without {} common ones", count(common.len() as u64))?;
            }
            writeln!(out, "; pairs with a similarity of at least {}", summary.threshold.value())?;
            errors(out, summary)?;
        }
        None => writeln!(
            out,
            "{} pages ({}) with {} links; {} fragments ({})",
            count(inputs.ledger.pages),
            bytes(inputs.bytes),
            count(inputs.links),
            count(fragments.fragments),
            bytes(fragments.bytes),
        )?,
    }
    Ok(())
}

/// Writes the estimated error rate of reads.
fn errors(out: &mut String, summary: &ClusterSummary) -> std::fmt::Result {
    let Some(errors) = summary.errors else { return Ok(()) };
    let (rate, pairs) = (errors.rate, count(errors.pairs.into()));
    if errors.is_enough {
        writeln!(
            out,
            "error rate {rate:.3} (at least 0.05), estimated from {pairs} pairs of copies in a sample of the reads"
        )
    } else {
        writeln!(
            out,
            "error rate {rate}: a sample of the reads has only {pairs} pairs of copies, too few to estimate \
             it. Set it with --error-rate"
        )
    }
}

/// Writes which inputs were skipped or truncated.
fn left_out(out: &mut String, inputs: &InputSummary) -> std::fmt::Result {
    skipped::write(out, &inputs.ledger)?;
    if let Some(truncated) = &inputs.truncated {
        let (n, first) = (count(truncated.count), one_line(truncated.first()));
        writeln!(
            out,
            "truncated: {n} pages with too many words, links or elements, or too long a title, first {first}"
        )?;
    }
    if let Some(kept) = &inputs.template_canonicals {
        let (n, first) = (count(kept.count), one_line(kept.first()));
        writeln!(
            out,
            "warning: {n} pages name a different page as canonical, first {first}; pagekin keeps them. \
             Correct the canonical URL in the template"
        )?;
    }
    Ok(())
}

fn bags(out: &mut String, summary: &ClusterSummary, nouns: Nouns) -> std::fmt::Result {
    writeln!(
        out,
        "{} {} with a bag, {} without {}; {} with the same bag as another {}",
        count(u64::from(summary.urls)),
        nouns.different,
        count(summary.empty),
        if summary.strings.is_some() { "q-grams" } else { "indexable words" },
        count(summary.twins),
        nouns.one,
    )
}

/// Writes the share of a sample's pairs that was found.
fn recall(out: &mut String, summary: &ClusterSummary, nouns: Nouns) -> std::fmt::Result {
    writeln!(out, "recall, from comparing a sample of {} with all others:", nouns.all)?;
    let across = if summary.classes.is_some() { " across classes" } else { "" };
    writeln!(
        out,
        "  {:>10} {:>10} {:>9} {:>10}{across}",
        "similarity", "pairs", "found", "predicted"
    )?;
    for recall in &summary.recall {
        let Recall { from, to, pairs, found, across, predicted } = *recall;
        let part = |of: f64| 100.0 * of / pairs as f64;
        write!(
            out,
            "  {from:.1} to {to:.1} {:>10} {:>8.1}% {:>9.1}%",
            count(pairs),
            part(found as f64),
            part(predicted)
        )?;
        match &summary.classes {
            Some(_) => writeln!(out, " {:>13.1}%", part(across as f64))?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// Writes the costs of the stages.
fn costs(out: &mut String, stages: &[StageCost], nouns: Nouns) -> std::fmt::Result {
    writeln!(
        out,
        "{:21} {:>9} {:>9} {:>10} {:>10} {:>10}",
        "", "time", "work", "read", "written", "memory"
    )?;
    for cost in stages {
        let amount = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), bytes);
        writeln!(
            out,
            "{:21} {:>7.1} s {:>7.1} s {:>10} {:>10} {:>10}",
            nouns.describe(cost.stage),
            cost.seconds,
            cost.cpu_seconds.unwrap_or(f64::NAN),
            amount(cost.read),
            amount(cost.written),
            amount(cost.peak_memory),
        )?;
    }
    Ok(())
}

/// Writes the classes of URLs.
fn classes(out: &mut String, classes: &ClassSummary, urls: u32) -> Result<(), std::fmt::Error> {
    let ClassSummary { classes: number, largest, compared, .. } = classes;
    let names: Vec<_> = largest
        .iter()
        .map(|(name, urls)| format!("{} {}", one_line(name), count(u64::from(*urls))))
        .collect();
    let named: u32 = largest.iter().map(|(_, urls)| urls).sum();
    let rest = if named < urls { ", ..." } else { "" };
    writeln!(out, "{} classes: {}{rest}", count(u64::from(*number)), names.join(", "))?;
    if *compared > 0 {
        let compared = count(u64::from(*compared));
        writeln!(out, "in {compared} small classes, all pairs were compared without tables")?;
    }
    Ok(())
}

/// Writes the tables and their candidate pairs.
fn tables(
    out: &mut String,
    tables: &TableSummary,
    options: &ClusterOptions,
    threshold: Threshold,
) -> Result<(), std::fmt::Error> {
    let TableSummary { choice, curve, pairing } = tables;
    writeln!(
        out,
        "{}{} tables of {} values, predicted to find {:.1}% of the pairs at similarity {}",
        if options.classes.is_some() { "the largest class: " } else { "" },
        choice.l,
        choice.k,
        100.0 * choice.recall,
        threshold.value(),
    )?;
    let found: Vec<_> = curve
        .iter()
        .map(|point| format!("{:.1}% at {:.1}", 100.0 * point.found, point.similarity))
        .collect();
    writeln!(out, "predicted recall after the filter: {}", found.join(", "))?;
    writeln!(out, "{} candidate pairs, {} passed", count(pairing.tried), count(pairing.made))?;
    if pairing.cut_buckets > 0 {
        writeln!(
            out,
            "{} oversized buckets were cut; {} of their pairs were not compared there",
            count(pairing.cut_buckets),
            count(pairing.not_tried),
        )?;
    }
    Ok(())
}
