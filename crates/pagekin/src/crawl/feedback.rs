//! `pagekin crawl feedback`.

use std::fmt::Write as _;
use std::path::Path;

use pagekin_crawl::feedback::{Feedback, FeedbackOptions, Gain, Quality, learn};
use pagekin_pages::write_file;
use serde_json::{Value, json};

use crate::args::crawl::FeedbackArgs;
use crate::failure::Failure;
use crate::output::{count, one_line, quoted};

/// Maximum number of shown terms.
const MAX_SHOWN: usize = 12;

pub(crate) fn run(args: &FeedbackArgs) -> Result<(), Failure> {
    let options =
        FeedbackOptions::default().with(|options| options.threads = args.running.threads.number());
    let feedback = learn(&args.crawl, &args.judgments, options)?;
    if let Some(path) = &args.output
        && feedback.pays()
    {
        write_file(path, feedback.file().as_bytes())?;
    }
    args.running.report(&json_report(&feedback), || report(&feedback, args))
}

/// Formats the result for people.
fn report(feedback: &Feedback, args: &FeedbackArgs) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    judged(&mut out, feedback)?;
    gains(&mut out, feedback)?;
    advice(&mut out, feedback, args.output.as_deref())?;
    Ok(out)
}

/// Writes which judgments were used.
fn judged(out: &mut String, feedback: &Feedback) -> std::fmt::Result {
    let Feedback { similar, different, unknown, groups, .. } = feedback;
    writeln!(
        out,
        "{} judged pairs: {} similar, {} not similar; {} groups without common URLs",
        count(u64::from(similar + different)),
        count((*similar).into()),
        count((*different).into()),
        count((*groups).into()),
    )?;
    if unknown.urls > 0 {
        let (n, first) = (count(unknown.urls.into()), one_line(&unknown.first));
        writeln!(out, "skipped: {n} URLs that are not in the crawl, first {first}")?;
    }
    if unknown.contradictory > 0 {
        writeln!(out, "skipped: {} pairs judged both ways", count(unknown.contradictory.into()))?;
    }
    Ok(())
}

/// Writes the accuracy of each variant, and the terms whose weights change.
fn gains(out: &mut String, feedback: &Feedback) -> std::fmt::Result {
    let Feedback { before, threshold, terms, .. } = feedback;
    writeln!(out, "accuracy on held-out pairs of URLs:")?;
    writeln!(out, "  {:34} {:>9} {:>9} {:>9}", "", "similar", "others", "mean")?;
    let mut line = |name: String, quality: &Quality| {
        let part = |of: f64| format!("{:.1}%", 100.0 * of);
        let (similar, different) = (part(quality.similar), part(quality.different));
        let mean = part(quality.balanced());
        writeln!(out, "  {name:34} {similar:>9} {different:>9} {mean:>9}")
    };
    line(format!("threshold {}, as clustered", before.0), &before.1)?;
    line("threshold from judgments".to_owned(), &threshold.1)?;
    line("and term weights from judgments".to_owned(), &terms.0)?;
    let gain = |gain: &Gain| {
        let points = |of: f64| format!("{:+.1}", 100.0 * of);
        let (mean, low, high) = (points(gain.mean), points(gain.low), points(gain.high));
        let verdict = if gain.is_real() { "" } else { ": no gain" };
        format!("{mean} points, 95% interval {low} to {high}{verdict}")
    };
    writeln!(out, "choosing the threshold: {}", gain(&threshold.2))?;
    writeln!(out, "weighting terms: {}", gain(&terms.1))?;
    if !feedback.factors.is_empty() {
        let shown: Vec<_> = feedback
            .factors
            .iter()
            .take(MAX_SHOWN)
            .map(|term| format!("{} x {:.2}", one_line(&term.word), term.factor))
            .collect();
        let terms = count(feedback.factors.len() as u64);
        writeln!(out, "{terms} terms change their weight, most of all {}", shown.join(", "))?;
    }
    Ok(())
}

/// Writes the next step.
fn advice(out: &mut String, feedback: &Feedback, file: Option<&Path>) -> std::fmt::Result {
    if feedback.pays() && feedback.expected_wrong >= 1_000.0 {
        writeln!(
            out,
            "warning: judged pairs are not a sample of all pairs. About {} pairs that are not similar would reach the threshold {} in \
             this crawl. To use only the weights, pass a higher --threshold to `pagekin crawl cluster`",
            count(feedback.expected_wrong as u64),
            feedback.chosen
        )?;
    }
    match (file, feedback.pays()) {
        (_, false) => writeln!(
            out,
            "no gain on held-out pairs, so nothing is written. Judge more pairs, or other ones"
        )?,
        (None, true) => writeln!(out, "to use the result, write it with -o FILE")?,
        (Some(path), true) => writeln!(
            out,
            "to use the result: pagekin crawl cluster ... --feedback {} (threshold {})",
            quoted(path),
            feedback.chosen,
        )?,
    }
    Ok(())
}

/// Formats the result for programs.
fn json_report(feedback: &Feedback) -> Value {
    let Feedback { before, threshold, terms, .. } = feedback;
    let gain = |of: &Gain| json!([of.mean, of.low, of.high]);
    json!({
        "similar": feedback.similar,
        "different": feedback.different,
        "unknown_urls": feedback.unknown.urls,
        "contradictory": feedback.unknown.contradictory,
        "groups": feedback.groups,
        "before": {
            "threshold": before.0,
            "similar": before.1.similar,
            "different": before.1.different,
        },
        "threshold": {
            "threshold": threshold.0,
            "similar": threshold.1.similar,
            "different": threshold.1.different,
            "gain": gain(&threshold.2),
        },
        "terms": {
            "similar": terms.0.similar,
            "different": terms.0.different,
            "gain": gain(&terms.1),
        },
        "pays": feedback.pays(),
        "chosen_threshold": feedback.chosen,
        "expected_wrong": feedback.expected_wrong,
        "factors": feedback.factors,
    })
}
