//! The arguments of `pagekin stage`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use pagekin_build::BuildOptions;
use pagekin_build::crawl::{InputOptions, Threshold};
use pagekin_build::stage::{
    ArrangeOptions, BagOptions, CenterStep, DescribeOptions, FragmentOptions, IndexStep, PageForm,
    PageLanguages, PageOptions, PlanOptions, SampleOptions, SignOptions, Stage, Unpacked,
};

use crate::args::cluster::{BagsArg, PresetArg};
use crate::args::values::{language, size, threshold};
use crate::bundle::ASSETS;

#[derive(Debug, clap::Args)]
pub(crate) struct StageArgs {
    #[command(subcommand)]
    pub(crate) stage: StageArg,
    /// Number of threads
    #[arg(long, global = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: u16,
}

/// Signatures by their parameters.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SignatureArgs {
    /// Parameters of bags and signatures
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    preset: PresetArg,
    /// Seed of the hash functions
    #[arg(long, value_name = "SEED", default_value_t = pagekin_core::DEFAULT_SEED)]
    seed: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ThresholdArg {
    /// Minimum similarity of a pair, above 0 and up to 1
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = threshold)]
    threshold: Threshold,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// Records of kind `rows`
    #[arg(long, value_name = "N")]
    rows: u64,
    #[command(flatten)]
    signatures: SignatureArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StageArg {
    /// Pages into what they say of URLs
    Fragments {
        /// What comes in: `pages`, an Arrow IPC stream with the columns url, title, text, html, lang
        /// and links; or the bytes of a `file`, JSONL or WARC, plain or gzipped
        #[arg(long, value_enum, default_value_t = FormArg::Pages)]
        input: FormArg,
        /// Buckets that URLs are spread over
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
        buckets: u32,
        /// What the bag of a URL is made from, as for `pagekin cluster`
        #[arg(long, value_enum, default_value_t = BagsArg::Anchor)]
        bags: BagsArg,
        /// Language of pages that declare none
        #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
        lang: String,
        /// Larger pages are skipped
        #[arg(long, value_name = "SIZE", default_value = "10M", value_parser = size)]
        max_page_bytes: u64,
        /// Also tell which words stand for which terms, and the languages of pages: for an index
        #[arg(long)]
        words: bool,
    },
    /// Fragments, by bucket, into URLs with their terms, and on how many URLs each term is
    Collapse,
    /// Frequencies of terms, by bucket, into those of all URLs
    Frequencies {
        /// URLs of which something is said: records of kind `urls`
        #[arg(long, value_name = "N")]
        spoken_of: u32,
    },
    /// URLs with their terms into bags
    Bags {
        /// URLs of which something is said: records of kind `urls`
        #[arg(long, value_name = "N")]
        spoken_of: u32,
        /// The bytes of all rows of kind `frequencies`, one after the other
        #[arg(long, value_name = "FILE")]
        frequencies: PathBuf,
        /// Parameters of bags
        #[arg(long, value_enum, default_value_t = PresetArg::Web)]
        preset: PresetArg,
    },
    /// Bags, with numbers, into signatures
    Sign {
        #[command(flatten)]
        signatures: SignatureArgs,
        /// Buckets that signatures are spread over
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
        slices: u32,
    },
    /// Signatures, by bucket, into different ones, and URLs of equal bags
    Twins {
        /// Parameters of signatures
        #[arg(long, value_enum, default_value_t = PresetArg::Web)]
        preset: PresetArg,
    },
    /// Some of the signatures, for `plan`
    Sample(SampleArgs),
    /// A sample, in one bucket, into the tables
    Plan {
        #[command(flatten)]
        sample: SampleArgs,
        #[command(flatten)]
        threshold: ThresholdArg,
        /// Values per key, 1 to 8 [default: chosen]
        #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
        values: Option<u8>,
        /// Number of tables, 1 to 1024 [default: chosen]
        #[arg(short = 'l', long, value_name = "L", value_parser = clap::value_parser!(u16).range(1..=1024))]
        tables: Option<u16>,
        /// About how large a bucket of signatures is
        #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = size)]
        bucket_bytes: u64,
    },
    /// Signatures into the buckets of tables
    Keys(PlanArg),
    /// Signatures, by bucket, into candidates
    Pairs(PlanArg),
    /// Candidates and bags, by bucket, into candidates with the bag of the lower URL
    Meet(ThresholdArg),
    /// These and bags, by bucket, into similar pairs
    Verify(ThresholdArg),
    /// Pairs and twins into pairs both ways, by URL, and centers that are known beforehand
    Edges,
    /// A step of CENTER, by bucket: `begin` takes what `edges` gives, `round` what the step before
    /// gave, and `rest` all of that in one task
    Center {
        #[arg(value_enum)]
        step: CenterArg,
    },
    /// Centers and twins, by bucket, into the centers of all
    Clusters,
    /// Bags and clusters into a static index, in steps
    Index {
        #[command(subcommand)]
        step: IndexArg,
    },
    /// Packed rows into the columns of a table
    Unpack {
        #[arg(value_enum)]
        what: UnpackedArg,
    },
}

/// The state of an index.
#[derive(Debug, clap::Args)]
pub(crate) struct StateArg {
    /// What the last step that gave a row of kind `index` put into it
    #[arg(long, value_name = "FILE")]
    pub(crate) index: PathBuf,
}

/// The languages of an index.
#[derive(Debug, clap::Args)]
pub(crate) struct LanguageArgs {
    /// Pages of a language, as `fragments --words` reports them; repeatable
    #[arg(long = "language", value_name = "TAG=PAGES", value_parser = pages_of)]
    languages: Vec<(String, u32)>,
    /// Language of pages that declare none
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    lang: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexArg {
    /// What `fragments --words` and `collapse` tell of terms, by bucket, into terms in letters
    Words {
        /// URLs of which something is said: records of kind `urls`
        #[arg(long, value_name = "N")]
        spoken_of: u32,
    },
    /// Bags, with numbers, into pages
    Pages {
        /// Parameters of bags
        #[arg(long, value_enum, default_value_t = PresetArg::Web)]
        preset: PresetArg,
        #[command(flatten)]
        languages: LanguageArgs,
    },
    /// Facts, in one task, into where the order of pages is cut
    Ranges {
        /// How many ranges there should be: any number gives the same index
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
        ranges: u32,
    },
    /// Pages and centers, by bucket, into pages by their clusters
    Members {
        /// Buckets that clusters are spread over
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
        buckets: u32,
    },
    /// Members, by bucket, into pages by ranges of their order
    Order {
        /// The bytes of the row that `ranges` gave
        #[arg(long, value_name = "FILE")]
        ranges: PathBuf,
    },
    /// Ranges, by bucket, into pages in their order
    Sort,
    /// Pages in their order, with numbers, into stretches of it
    Stretches {
        /// Records of kind `sorted`
        #[arg(long, value_name = "N")]
        pages: u32,
    },
    /// Facts, drawn bags and words, in one task, into what is known before pages have places
    Describe {
        /// URLs of which something is said: records of kind `urls`
        #[arg(long, value_name = "N")]
        spoken_of: u32,
        #[command(flatten)]
        signatures: SignatureArgs,
        #[command(flatten)]
        languages: LanguageArgs,
    },
    /// Stretches, by bucket, into counts of bits
    Count(StateArg),
    /// These, in one task, into how likely bits are
    Model(StateArg),
    /// Stretches, by bucket, into the sizes of pages
    Measure(StateArg),
    /// These and parts, in one task, into blocks and the number of shards
    Arrange {
        #[command(flatten)]
        state: StateArg,
        /// Maximum number of files, as for `pagekin build`
        #[arg(long, value_name = "N", default_value_t = BuildOptions::MAX_FILES, value_parser = clap::value_parser!(u32).range(200..))]
        max_files: u32,
    },
    /// Stretches, by bucket, into blocks, and what lists and addresses are made of
    Records(StateArg),
    /// Postings, by bucket, into counts of bits
    CountLists(StateArg),
    /// These, in one task, into how likely bits are
    ModelLists(StateArg),
    /// Postings and addresses, by bucket, into lists and addresses
    Lists(StateArg),
    /// Hashes and samples, in one task, into the names of all files
    Finish(StateArg),
    /// Payloads into files: columns path and bytes
    Files(StateArg),
    /// The page, its client, the list of files and, last, the manifest: columns path and bytes
    Beside(StateArg),
}

/// The pages of a language.
fn pages_of(text: &str) -> Result<(String, u32), String> {
    let (tag, pages) = text
        .split_once('=')
        .ok_or_else(|| format!("expected a tag and a number, such as de=12, found {text:?}"))?;
    let number =
        pages.parse().map_err(|_| format!("expected a number of pages, found {pages:?}"))?;
    Ok((language(tag)?, number))
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArg {
    /// What `plan` wrote
    #[arg(long, value_name = "JSON")]
    plan: String,
}

/// What pages come as.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormArg {
    Pages,
    File,
}

/// The steps of CENTER.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CenterArg {
    Begin,
    Round,
    Rest,
}

/// What is unpacked.
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
        options.preset = self.signatures.preset.into();
        options.seed = self.signatures.seed;
        options
    }
}

impl From<StageArg> for Stage {
    fn from(arg: StageArg) -> Self {
        match arg {
            StageArg::Fragments { input, buckets, bags, lang, max_page_bytes, words } => {
                Self::Fragments(FragmentOptions::new(buckets).with(|options| {
                    options.form = match input {
                        FormArg::Pages => PageForm::Rows,
                        FormArg::File => PageForm::File,
                    };
                    options.bags = bags.into();
                    options.lang = lang;
                    options.words = words;
                    options.input =
                        InputOptions::default().with(|input| input.max_page_bytes = max_page_bytes);
                }))
            }
            StageArg::Collapse => Self::Collapse,
            StageArg::Frequencies { spoken_of } => Self::Frequencies { spoken_of },
            StageArg::Bags { spoken_of, frequencies, preset } => {
                let mut options = BagOptions::new(spoken_of, frequencies);
                options.preset = preset.into();
                Self::Bags(options)
            }
            StageArg::Sign { signatures, slices } => {
                let mut options = SignOptions::new(slices);
                options.preset = signatures.preset.into();
                options.seed = signatures.seed;
                Self::Sign(options)
            }
            StageArg::Twins { preset } => Self::Twins(preset.into()),
            StageArg::Sample(sample) => Self::Sample(sample.options()),
            StageArg::Plan { sample, threshold, values, tables, bucket_bytes } => {
                let mut options = PlanOptions::new(sample.rows);
                options.sample = sample.options();
                options.threshold = threshold.threshold;
                (options.k, options.l) = (values, tables);
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
            StageArg::Clusters => Self::Clusters,
            StageArg::Index { step } => Self::Index(step.into()),
            StageArg::Unpack { what } => Self::Unpack(match what {
                UnpackedArg::Urls => Unpacked::Urls,
                UnpackedArg::Pairs => Unpacked::Pairs,
                UnpackedArg::Twins => Unpacked::Twins,
                UnpackedArg::Centers => Unpacked::Centers,
            }),
        }
    }
}

impl From<LanguageArgs> for PageLanguages {
    fn from(LanguageArgs { languages, lang }: LanguageArgs) -> Self {
        Self { named: languages, lang }
    }
}

impl From<IndexArg> for IndexStep {
    fn from(arg: IndexArg) -> Self {
        match arg {
            IndexArg::Words { spoken_of } => Self::Words { spoken_of },
            IndexArg::Pages { preset, languages } => {
                let mut options = PageOptions::new();
                options.preset = preset.into();
                options.languages = languages.into();
                Self::Pages(options)
            }
            IndexArg::Ranges { ranges } => Self::Ranges(ranges),
            IndexArg::Members { buckets } => Self::Members(buckets),
            IndexArg::Order { ranges } => Self::Order { ranges },
            IndexArg::Sort => Self::Sort,
            IndexArg::Stretches { pages } => Self::Stretches { pages },
            IndexArg::Describe { spoken_of, signatures, languages } => {
                let mut options = DescribeOptions::new(spoken_of);
                options.preset = signatures.preset.into();
                options.seed = signatures.seed;
                options.languages = languages.into();
                Self::Describe(options)
            }
            IndexArg::Count(StateArg { index }) => Self::Count(index),
            IndexArg::Model(StateArg { index }) => Self::Model(index),
            IndexArg::Measure(StateArg { index }) => Self::Measure(index),
            IndexArg::Arrange { state, max_files } => {
                let mut options = ArrangeOptions::new(state.index);
                options.max_files = max_files;
                Self::Arrange(options)
            }
            IndexArg::Records(StateArg { index }) => Self::Records(index),
            IndexArg::CountLists(StateArg { index }) => Self::CountLists(index),
            IndexArg::ModelLists(StateArg { index }) => Self::ModelLists(index),
            IndexArg::Lists(StateArg { index }) => Self::Lists(index),
            IndexArg::Finish(StateArg { index }) => Self::Finish(index),
            IndexArg::Files(StateArg { index }) => Self::Files(index),
            IndexArg::Beside(StateArg { index }) => Self::Beside { index, assets: ASSETS },
        }
    }
}
