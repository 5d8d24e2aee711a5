//! `pagekin crawl stream`.

use std::io::ErrorKind;

use pagekin_duplicates::stream::{Rule, StreamError, StreamOptions, StreamSummary, follow};
use pagekin_pages::{Input, Observer, Stage};

use crate::args::crawl::StreamArgs;
use crate::failure::Failure;
use crate::output::{Reader, count, eprint_line, one_line, stdout};

pub(crate) fn run(args: &StreamArgs) -> Result<(), Failure> {
    let late = args.allowed_lateness.unwrap_or(args.horizon / 10);
    let options =
        StreamOptions::new(Rule::new(args.horizon, args.threshold, late)?).with(|options| {
            options.lang.clone_from(&args.lang.lang);
            options.time_field.clone_from(&args.time_field);
            options.max_page_bytes = args.page_bytes.max_page_bytes;
            options.memory = args.memory;
            options.checkpoint.clone_from(&args.checkpoint);
            options.output.clone_from(&args.output);
        });
    let input = Input::from_arg(&args.input);
    let observer = StreamReport { quiet: args.quiet.quiet };
    match follow(&input, &options, &mut stdout(Reader::Programs), &observer) {
        Ok(summary) if args.quiet.quiet => drop(summary),
        Ok(summary) => report(&summary),
        // The reader of the pairs has closed the pipe.
        Err(StreamError::Output { source }) if source.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Prints the summary to standard error.
fn report(summary: &StreamSummary) {
    if summary.resumed > 0 || summary.lines_before > 0 {
        let (pages, lines) = (count(summary.resumed), count(summary.lines_before));
        eprint_line(&format!("resumed: {pages} pages restored, {lines} lines already processed"));
    }
    for (reason, skipped) in &summary.ledger.skipped {
        let first = one_line(skipped.first());
        eprint_line(&format!("skipped {} that {reason}, first {first}", count(skipped.count)));
    }
    if summary.removed > 0 {
        eprint_line(&format!(
            "dropped {} pages early, because --memory was too small",
            count(summary.removed)
        ));
    }
    if summary.cut > 0 {
        let pages = count(summary.cut);
        eprint_line(&format!(
            "{pages} pages had too many similar predecessors; some were not compared or reported"
        ));
    }
    let pairs = if summary.pairs == 1 { "pair" } else { "pairs" };
    eprint_line(&format!(
        "{} pages, {} {pairs}",
        count(summary.ledger.pages),
        count(summary.pairs)
    ));
}

/// Prints warnings immediately.
struct StreamReport {
    quiet: bool,
}

impl Observer for StreamReport {
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        if !self.quiet {
            eprint_line(&format!("warning: {message}"));
        }
    }
}
