//! `pagekin crawl cluster`.

mod notices;
mod report;

use pagekin_crawl::cluster as crawl;
use pagekin_crawl::cluster::{ClusterOptions, LearnedWeights};
use pagekin_pages::{Input, InputOptions};
use pagekin_pairs::Threshold;

use crate::args::crawl::ClusterArgs;
use crate::crawl::nouns::Nouns;
use crate::failure::Failure;
use crate::progress::Progress;

pub(crate) fn run(args: ClusterArgs) -> Result<(), Failure> {
    let seed = args.seed.seed;
    let inputs: Vec<Input> = args.inputs.iter().map(|input| Input::from_arg(input)).collect();
    let learned = args.feedback.as_deref().map(LearnedWeights::read).transpose()?;
    let strings = args.strings.options(args.threshold);
    let threshold = args.threshold.or(learned.as_ref().map(|learned| learned.threshold));
    let options = ClusterOptions::new(args.output).with(|options| {
        options.inputs = InputOptions::default().with(|options| {
            options.base_url = args.base.base_url;
            options.exclude = args.files.exclude;
            options.max_page_bytes = args.page_bytes.max_page_bytes;
        });
        options.lang = args.lang.lang;
        options.bags = args.bags.bags.into();
        options.preset = args.preset.preset.into();
        options.seed = seed;
        options.threshold = threshold.unwrap_or(Threshold::PAPER);
        options.learned = learned;
        options.classes = args.classes;
        options.pairing = args.pairing.into();
        options.strings = strings;
        options.join = args.strings.join.unwrap_or_default();
        options.links = args.links;
        options.signatures = args.signatures;
        options.memory = args.memory.memory;
        options.threads = args.running.threads.number();
    });
    let nouns = Nouns::new(options.strings.as_ref().map(|strings| strings.alphabet));
    let progress =
        Progress::new(args.running.quiet.quiet)?.describing(move |stage| nouns.describe(stage));
    let clustered = crawl::cluster(&inputs, &options, &progress);
    progress.finish();
    let summary = clustered?;
    args.running.report(&report::summary(&summary, seed), || notices::summary(&summary, &options))
}
