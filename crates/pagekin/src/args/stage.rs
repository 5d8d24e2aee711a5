//! The arguments of `pagekin stage`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use pagekin_pages::InputOptions;
use pagekin_pairs::Threshold;
use pagekin_stage::{
    BagOptions, CenterStep, FragmentOptions, JobStep, JoinStep, PageForm, PlanOptions,
    SampleOptions, SignOptions, TextCounts, Unpacked,
};
use serde_json::{Number, Value};

use crate::args::crawl::cluster::{BagsOption, PresetOption, SeedArg, TablesArgs};
use crate::args::crawl::values::threshold;
use crate::args::running::LangArg;
use crate::args::values::{PageBytesArg, format_size, size};

#[derive(Debug, clap::Args)]
pub(crate) struct StageArgs {
    #[command(subcommand)]
    pub(crate) command: StageCommand,
    /// Number of threads
    #[arg(long, global = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: u16,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StageCommand {
    #[command(flatten)]
    Run(StageArg),
    /// Print the names of the stages with their options' defaults, as JSON
    Defaults,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SignatureArgs {
    #[command(flatten)]
    preset: PresetOption,
    #[command(flatten)]
    seed: SeedArg,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ThresholdArg {
    /// Minimum similarity of a pair, above 0 and up to 1
    #[arg(long, value_name = "S", default_value = Threshold::PAPER.value().to_string(), value_parser = threshold)]
    threshold: Threshold,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// Number of records of kind `rows`
    #[arg(long, value_name = "N")]
    rows: u64,
    #[command(flatten)]
    signatures: SignatureArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StageArg {
    /// Split pages into fragments, which describe URLs
    Fragments {
        /// Input: `pages`, an Arrow IPC stream with the columns url, title, text, html, lang and
        /// links; or `file`, the bytes of a JSONL or WARC file, plain or gzipped
        #[arg(long, value_enum, default_value_t = FormArg::Pages)]
        input: FormArg,
        /// Number of buckets for URLs
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
        buckets: u32,
        #[command(flatten)]
        bags: BagsOption,
        #[command(flatten)]
        lang: LangArg,
        #[command(flatten)]
        page_bytes: PageBytesArg,
    },
    /// Merge the fragments of a bucket into URLs with their terms and texts
    Collapse,
    /// Find the URLs of a bucket that have the same text as another
    Copies,
    /// Count the URLs and distinct texts of each term in a bucket
    Terms,
    /// Merge the term frequencies of buckets into those of all URLs
    Frequencies(SummaryArgs),
    /// Turn URLs with their terms into bags
    Bags {
        #[command(flatten)]
        counts: SummaryArgs,
        /// File with the concatenated bytes of all rows of kind `frequencies`
        #[arg(long, value_name = "FILE")]
        frequencies: PathBuf,
    },
    /// Turn numbered bags into signatures
    Sign {
        #[command(flatten)]
        signatures: SignatureArgs,
        /// Number of buckets for signatures
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
        slices: u32,
    },
    /// Split the signatures of a bucket into distinct ones and URLs with equal bags
    Twins {
        #[command(flatten)]
        preset: PresetOption,
    },
    /// Draw a sample of the signatures, for `plan`
    Sample(SampleArgs),
    /// Choose the tables from a sample in one bucket
    Plan {
        #[command(flatten)]
        sample: SampleArgs,
        #[command(flatten)]
        threshold: ThresholdArg,
        #[command(flatten)]
        tables: TablesArgs,
        /// Approximate size of a bucket of signatures
        #[arg(long, value_name = "SIZE", default_value = format_size(PlanOptions::BUCKET_BYTES), value_parser = size)]
        bucket_bytes: u64,
    },
    /// Assign signatures to the buckets of tables
    Keys(PlanArg),
    /// Find candidate pairs among the signatures of a bucket
    Pairs(PlanArg),
    /// Join the candidates of a bucket with the bags of their lower URLs
    Meet(ThresholdArg),
    /// Join the output of `meet` with the bags of the other URLs and keep the similar pairs
    Verify(ThresholdArg),
    /// Turn pairs and twins into pairs in both directions, by URL, and centers known beforehand
    Edges,
    /// Run a step of CENTER on a bucket: `begin` reads the output of `edges`, `round` that of the
    /// previous step, and `rest` all of that in one task
    Center {
        #[arg(value_enum)]
        step: CenterArg,
    },
    /// Run a step of joining clusters between which all pairs are similar
    Join {
        #[arg(value_enum)]
        step: JoinArg,
    },
    /// Assign the URLs of a bucket to their centers, twins included
    Clusters,
    /// Unpack rows into the columns of a table
    Unpack {
        #[arg(value_enum)]
        what: UnpackedArg,
    },
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SummaryArgs {
    /// Number of described URLs: records of kind `urls`
    #[arg(long, value_name = "N")]
    mentioned: u32,
    /// Number of URLs with the same text as another: records of kind `copies`
    #[arg(long, value_name = "N")]
    copies: u32,
    #[command(flatten)]
    preset: PresetOption,
}

impl From<SummaryArgs> for TextCounts {
    fn from(args: SummaryArgs) -> Self {
        let mut counts = Self::new(args.mentioned, args.copies);
        counts.preset = args.preset.preset.into();
        counts
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArg {
    /// Output of `plan`
    #[arg(long, value_name = "JSON")]
    plan: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormArg {
    Pages,
    File,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CenterArg {
    Begin,
    Round,
    Rest,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum JoinArg {
    Members,
    Sizes,
    Ends,
    Whole,
    Close,
    All,
    Centers,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnpackedArg {
    Urls,
    Pairs,
    Twins,
    Centers,
}

impl SampleArgs {
    fn options(&self) -> SampleOptions {
        let mut options = SampleOptions::new(self.rows);
        options.preset = self.signatures.preset.preset.into();
        options.seed = self.signatures.seed.seed;
        options
    }
}

/// Returns the default values of each stage's options, so that engines need not repeat them.
pub(crate) fn defaults() -> BTreeMap<String, BTreeMap<String, Value>> {
    let value = |text: &str| {
        let number: Result<Number, _> = text.parse();
        number.map_or_else(|_| text.into(), Value::Number)
    };
    let of_stage = |stage: &clap::Command| {
        let options = stage.get_arguments().filter_map(|option| {
            let default = option.get_default_values().first()?.to_str()?;
            Some((option.get_long()?.to_owned(), value(default)))
        });
        (stage.get_name().to_owned(), options.collect())
    };
    let stages = StageArg::augment_subcommands(clap::Command::new(""));
    stages.get_subcommands().map(of_stage).collect()
}

impl From<StageArg> for JobStep {
    fn from(arg: StageArg) -> Self {
        match arg {
            StageArg::Fragments { input, buckets, bags, lang, page_bytes } => {
                Self::Fragments(FragmentOptions::new(buckets).with(|options| {
                    options.form = match input {
                        FormArg::Pages => PageForm::Rows,
                        FormArg::File => PageForm::File,
                    };
                    options.bags = bags.bags.into();
                    options.lang = lang.lang;
                    options.input = InputOptions::default()
                        .with(|input| input.max_page_bytes = page_bytes.max_page_bytes);
                }))
            }
            StageArg::Collapse => Self::Collapse,
            StageArg::Copies => Self::Copies,
            StageArg::Terms => Self::Terms,
            StageArg::Frequencies(counts) => Self::Frequencies(counts.into()),
            StageArg::Bags { counts, frequencies } => {
                Self::Bags(BagOptions::new(counts.into(), frequencies))
            }
            StageArg::Sign { signatures, slices } => {
                let mut options = SignOptions::new(slices);
                options.preset = signatures.preset.preset.into();
                options.seed = signatures.seed.seed;
                Self::Sign(options)
            }
            StageArg::Twins { preset } => Self::Twins(preset.preset.into()),
            StageArg::Sample(sample) => Self::Sample(sample.options()),
            StageArg::Plan { sample, threshold, tables, bucket_bytes } => {
                let mut options = PlanOptions::new(sample.rows);
                options.sample = sample.options();
                options.threshold = threshold.threshold;
                (options.k, options.l) = (tables.values, tables.tables);
                options.bucket_bytes = bucket_bytes;
                Self::Plan(options)
            }
            StageArg::Keys(PlanArg { plan }) => Self::Keys { plan },
            StageArg::Pairs(PlanArg { plan }) => Self::Pairs { plan },
            StageArg::Meet(ThresholdArg { threshold }) => Self::Meet(threshold),
            StageArg::Verify(ThresholdArg { threshold }) => Self::Verify(threshold),
            StageArg::Edges => Self::Edges,
            StageArg::Center { step } => Self::Center(match step {
                CenterArg::Begin => CenterStep::Begin,
                CenterArg::Round => CenterStep::Round,
                CenterArg::Rest => CenterStep::Rest,
            }),
            StageArg::Join { step } => Self::Join(step.into()),
            StageArg::Clusters => Self::Clusters,
            StageArg::Unpack { what } => Self::Unpack(match what {
                UnpackedArg::Urls => Unpacked::Urls,
                UnpackedArg::Pairs => Unpacked::Pairs,
                UnpackedArg::Twins => Unpacked::Twins,
                UnpackedArg::Centers => Unpacked::Centers,
            }),
        }
    }
}

impl From<JoinArg> for JoinStep {
    fn from(step: JoinArg) -> Self {
        match step {
            JoinArg::Members => Self::Members,
            JoinArg::Sizes => Self::Sizes,
            JoinArg::Ends => Self::Ends,
            JoinArg::Whole => Self::Whole,
            JoinArg::Close => Self::Close,
            JoinArg::All => Self::All,
            JoinArg::Centers => Self::Centers,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};
    use pagekin_crawl::cluster::ClusterOptions;

    use super::*;
    use crate::args::{Args, Command};

    fn stages() -> Vec<clap::Command> {
        StageArg::augment_subcommands(clap::Command::new("")).get_subcommands().cloned().collect()
    }

    /// Returns a stage with its required options only.
    fn bare(stage: &clap::Command) -> JobStep {
        let mut line = vec!["pagekin".to_owned(), "stage".to_owned(), stage.get_name().to_owned()];
        for option in stage.get_arguments().filter(|option| option.is_required_set()) {
            line.extend(option.get_long().map(|name| format!("--{name}")));
            let words = option.get_possible_values();
            line.push(words.first().map_or("1", |word| word.get_name()).to_owned());
        }
        match Args::parse_from(line).command {
            Command::Stage(StageArgs { command: StageCommand::Run(stage), .. }) => stage.into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn stages_are_documented_under_the_names_they_report() {
        let documented = include_str!("../../docs/stages.md");
        let table = documented.split("## Stages\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let names = table.lines().skip(2).map(|row| row.split(['`', ' ']).nth(2).unwrap());
        let mut names: Vec<_> = names.collect();
        names.dedup();
        let called: Vec<_> = stages().iter().map(|stage| stage.get_name().to_owned()).collect();
        assert_eq!(names, called);
        let reported: Vec<_> = stages().iter().map(|stage| bare(stage).name()).collect();
        assert_eq!(reported, called);
    }

    #[test]
    fn crawl_cluster_and_the_stages_have_the_same_defaults() {
        let all = Args::command();
        let crawl = all.find_subcommand("crawl").unwrap();
        let cluster = crawl.find_subcommand("cluster").unwrap();
        let mut compared = Vec::new();
        for stage in stages() {
            for option in stage.get_arguments() {
                let own = |other: &&clap::Arg| other.get_id() == option.get_id();
                let Some(other) = cluster.get_arguments().find(own) else { continue };
                let name = option.get_id().as_str();
                // `crawl cluster` has no default threshold, because it may be learned.
                if name != "threshold" {
                    assert_eq!(option.get_default_values(), other.get_default_values(), "{name}");
                    compared.push(name.to_owned());
                }
            }
        }
        compared.sort_unstable();
        compared.dedup();
        let expected = ["bags", "lang", "max_page_bytes", "preset", "seed", "tables", "values"];
        assert_eq!(compared, expected);
        let of_one = ClusterOptions::new("");
        assert_eq!(defaults()["verify"]["threshold"], of_one.threshold.value());
        assert_eq!(defaults()["meet"]["threshold"], of_one.threshold.value());
    }

    #[test]
    fn the_command_line_and_the_library_have_the_same_defaults() {
        let by_library = [
            JobStep::Fragments(FragmentOptions::new(1)),
            JobStep::Bags(BagOptions::new(TextCounts::new(1, 1), "1")),
            JobStep::Sign(SignOptions::new(1)),
            JobStep::Sample(SampleOptions::new(1)),
            JobStep::Plan(PlanOptions::new(1)),
        ];
        for step in by_library {
            let all = stages();
            let stage = all.iter().find(|stage| stage.get_name() == step.name()).unwrap();
            assert_eq!(format!("{:?}", bare(stage)), format!("{step:?}"));
        }
    }
}
