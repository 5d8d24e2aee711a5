//! `pagekin cluster`.

use std::fmt::Write as _;

use pagekin_core::qgrams::{Alphabet, QGrams};
use pagekin_crawl::cluster as crawl;
use pagekin_crawl::cluster::{
    ClassSummary, ClusterOptions, ClusterSummary, LearntWeights, Recall, StageCost, TableSummary,
};
use pagekin_pages::{Input, InputOptions};
use pagekin_pairs::{CurvePoint, Threshold};
use serde::Serialize;

use crate::Failure;
use crate::args::crawl::ClusterArgs;
use crate::crawl::nouns::Nouns;
use crate::output::{bytes, count, one_line, quoted};
use crate::progress::Progress;

pub(crate) fn run(args: ClusterArgs) -> Result<(), Failure> {
    let seed = args.seed.number()?;
    let inputs: Vec<Input> = args.inputs.iter().map(|input| Input::from_arg(input)).collect();
    let learnt = args.feedback.as_deref().map(LearntWeights::read).transpose()?;
    let (strings, join) = (args.strings.options(args.threshold), args.strings.joined());
    let threshold = args.threshold.or(learnt.as_ref().map(|learnt| learnt.threshold));
    let options = ClusterOptions::new(args.output).with(|options| {
        options.inputs = InputOptions::default().with(|options| {
            options.base_url = args.base_url;
            options.exclude = args.files.exclude;
            options.max_page_bytes = args.files.max_page_bytes;
        });
        options.lang = args.lang.lang;
        options.bags = args.bags.into();
        options.preset = args.preset.into();
        options.seed = seed;
        options.threshold = threshold.unwrap_or(Threshold::PAPER);
        options.learnt = learnt;
        options.classes = args.classes;
        options.pairing = args.pairing.into();
        options.strings = strings;
        options.join = join;
        options.links = args.links;
        options.memory = args.memory;
        options.threads = args.running.threads.number();
    });
    let nouns = Nouns::of(options.strings.as_ref().map(|strings| strings.alphabet));
    let progress =
        Progress::new(args.running.quiet)?.describing(move |stage| nouns.describe(stage));
    let clustered = crawl::cluster(&inputs, &options, &progress);
    progress.finish();
    let summary = clustered?;
    args.running.report(&Report::of(&summary, seed), || report(&summary, &options))
}

/// The summary for people.
fn report(summary: &ClusterSummary, options: &ClusterOptions) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let ClusterSummary { inputs, fragments, .. } = summary;
    let nouns = Nouns::of(summary.strings.as_ref().map(|rules| rules.alphabet));
    match &summary.strings {
        Some(QGrams { q, both_strands, common, .. }) => {
            let strands = if *both_strands { " of both strands" } else { "" };
            let (all, size) = (count(inputs.pages), bytes(inputs.bytes));
            write!(out, "{all} {} ({size}); {q}-grams{strands}", nouns.all)?;
            if !common.is_empty() {
                write!(out, ", without {} common ones", count(common.len() as u64))?;
            }
            writeln!(out, "; pairs from a similarity of {} on", summary.threshold.value())?;
        }
        None => writeln!(
            out,
            "{} pages ({}) with {} links; {} fragments ({})",
            count(inputs.pages),
            bytes(inputs.bytes),
            count(inputs.links),
            count(fragments.fragments),
            bytes(fragments.bytes),
        )?,
    }
    if !inputs.skipped.is_empty() {
        writeln!(out, "skipped:")?;
        for (reason, skipped) in &inputs.skipped {
            writeln!(
                out,
                "  {:>9}  {reason}, first {}",
                count(skipped.count),
                one_line(&skipped.first)
            )?;
        }
    }
    if let Some(truncated) = &inputs.truncated {
        let (n, first) = (count(truncated.count), one_line(&truncated.first));
        writeln!(
            out,
            "truncated: {n} with too many words, links or elements or too long a title, first {first}"
        )?;
    }
    writeln!(
        out,
        "{} {} with a bag, {} without {}; {} have the bag of another {}",
        count(u64::from(summary.urls)),
        nouns.different,
        count(summary.empty),
        if summary.strings.is_some() { "q-grams" } else { "indexable words" },
        count(summary.twins),
        nouns.one,
    )?;
    if let Some(classes) = &summary.classes {
        report_classes(&mut out, classes, summary.urls)?;
    }
    if let Some(tables) = &summary.tables {
        report_tables(&mut out, tables, options, summary.threshold)?;
    }
    writeln!(out, "{} pairs", count(summary.pairs))?;
    if !summary.recall.is_empty() {
        writeln!(out, "recall, from comparing a sample of {} with all others:", nouns.all)?;
        let across = if summary.classes.is_some() { " across classes" } else { "" };
        writeln!(
            out,
            "  {:>10} {:>10} {:>9} {:>10}{across}",
            "similarity", "pairs", "found", "predicted"
        )?;
    }
    for recall in &summary.recall {
        let Recall { from, to, pairs, found, across, predicted } = *recall;
        let part = |of: f64| 100.0 * of / pairs as f64;
        write!(
            out,
            "  {from:.1} to {to:.1} {:>10} {:>7.1} % {:>8.1} %",
            count(pairs),
            part(found as f64),
            part(predicted)
        )?;
        match &summary.classes {
            Some(_) => writeln!(out, " {:>12.1} %", part(across as f64))?,
            None => writeln!(out)?,
        }
    }
    let (clusters, clustered) = (count(summary.clusters), count(summary.clustered));
    writeln!(out, "{clusters} clusters of {clustered} {}", nouns.all)?;
    writeln!(
        out,
        "{:21} {:>9} {:>9} {:>10} {:>10} {:>10}",
        "", "time", "work", "read", "written", "memory"
    )?;
    for cost in &summary.stages {
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
    let output = quoted(&options.output);
    let name = if summary.strings.is_some() { "--name NAME" } else { "--url URL" };
    writeln!(out, "to explore: pagekin clusters {output}, pagekin related {output} {name}")?;
    Ok(out)
}

/// Which classes URLs were put into.
fn report_classes(
    out: &mut String,
    classes: &ClassSummary,
    urls: u32,
) -> Result<(), std::fmt::Error> {
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
        writeln!(out, "in {compared} small classes all pairs were compared, without tables")?;
    }
    Ok(())
}

/// Through which tables pairs were found.
fn report_tables(
    out: &mut String,
    tables: &TableSummary,
    options: &ClusterOptions,
    threshold: Threshold,
) -> Result<(), std::fmt::Error> {
    let TableSummary { choice, curve, pairing } = tables;
    writeln!(
        out,
        "{}{} tables of {} values, predicted to find {:.1} % of the pairs at similarity {}",
        if options.classes.is_some() { "the largest class: " } else { "" },
        choice.l,
        choice.k,
        100.0 * choice.recall,
        threshold.value(),
    )?;
    let found: Vec<_> = curve
        .iter()
        .map(|point| format!("{:.1} % at {:.1}", 100.0 * point.found, point.similarity))
        .collect();
    writeln!(out, "predicted recall after the filter: {}", found.join(", "))?;
    writeln!(out, "{} candidate pairs, {} passed", count(pairing.tried), count(pairing.made))?;
    if pairing.cut_buckets > 0 {
        writeln!(
            out,
            "{} oversized buckets were cut: {} of their pairs were not compared there",
            count(pairing.cut_buckets),
            count(pairing.not_tried),
        )?;
    }
    Ok(())
}

/// The summary for programs.
#[derive(Serialize)]
struct Report {
    pages: u64,
    bytes: u64,
    links: u64,
    strings: Option<StringsReport>,
    threshold: f64,
    skipped: Vec<SkippedReport>,
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

impl Report {
    fn of(summary: &ClusterSummary, seed: u64) -> Self {
        let skipped = summary.inputs.skipped.iter().map(|(reason, skipped)| SkippedReport {
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
