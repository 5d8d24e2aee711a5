//! The arguments of `pagekin crawl cluster`.

use std::path::PathBuf;

use clap::ValueEnum;
use pagekin_core::Preset;
use pagekin_core::qgrams::Alphabet;
use pagekin_crawl::cluster::{BagSource, ClassSource, Join, Pairing, StringOptions, TableOptions};
use pagekin_pairs::Threshold;

use crate::args::crawl::values::{BaseArg, MemoryArg, class_source, error_rate, join, threshold};
use crate::args::files::FilesArgs;
use crate::args::running::{LangArg, RunningArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// Folders of HTML; WARC, ARC and WACZ files; or JSONL files: an object per line, with `url`
    /// and `text`, `html` or `links`. Files may be packed with gzip or zstd; - is standard
    /// input. With --alphabet: FASTA and FASTQ files, or files of one string per line
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<std::ffi::OsString>,
    /// Output folder: new, empty, or an earlier crawl, which is replaced when done
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) bags: BagsOption,
    /// Minimum similarity of a pair, above 0 and up to 1 [default: 0.2, or that of --feedback; of
    /// strings, by --error-rate]
    #[arg(long, value_name = "S", value_parser = threshold)]
    pub(crate) threshold: Option<Threshold>,
    /// Use the weights of terms that `pagekin crawl feedback` learned: its output
    #[arg(long, value_name = "FILE")]
    pub(crate) feedback: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preset: PresetOption,
    #[command(flatten)]
    pub(crate) seed: SeedArg,
    #[command(flatten)]
    pub(crate) base: BaseArg,
    #[command(flatten)]
    pub(crate) lang: LangArg,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Pair only URLs of the same class, which saves time and memory and loses the pairs of
    /// different classes. Classes are by: `host`; `folder` or `folder=N`, the host and the first N
    /// folders; `language`; or a CSV file with the columns `url` and `class`
    #[arg(long, value_name = "CLASSES", value_parser = class_source)]
    pub(crate) classes: Option<ClassSource>,
    #[command(flatten)]
    pub(crate) strings: StringArgs,
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    /// Keep the links of pages, for `pagekin crawl rank`
    #[arg(long)]
    pub(crate) links: bool,
    /// Keep signatures, with which `pagekin crawl related` finds URLs below the threshold too, and
    /// URLs that resemble a text: about 200 bytes per URL
    #[arg(long)]
    pub(crate) signatures: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArg,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
}

/// What strings are clustered, instead of pages.
#[derive(Debug, clap::Args)]
pub(crate) struct StringArgs {
    /// Cluster strings instead of pages: `dna`, the reads of FASTA or FASTQ files, or one read per
    /// line; `text`, lines such as names, addresses or log messages
    #[arg(long, value_enum, value_name = "ALPHABET", conflicts_with_all = ["bags", "feedback", "base_url", "lang", "exclude", "classes", "links"])]
    pub(crate) alphabet: Option<AlphabetArg>,
    /// Expected part of the letters of a string that are wrong, missing or too many, 0 to 0.3: the
    /// threshold follows from it [default: 0.05, or of DNA what a sample of the reads says, if that
    /// is more]
    #[arg(long, value_name = "RATE", value_parser = error_rate, requires = "alphabet")]
    pub(crate) error_rate: Option<f64>,
    /// Letters of a q-gram, 1 to 16 [default: 3 of text; of DNA by the number and the length of
    /// reads]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=16), requires = "alphabet")]
    pub(crate) q: Option<u8>,
    /// Take a read and its reverse complement for the same: for reads of DNA from either strand
    #[arg(long, requires = "alphabet")]
    pub(crate) both_strands: bool,
    /// Join clusters if at least this part of all pairs between them is similar, above 0 and up to
    /// 1; `none` to leave them [default: 1; of DNA 0.2; with the paper's preset none]
    #[arg(long, value_name = "PART", value_parser = join)]
    pub(crate) join: Option<Join>,
}

/// What strings are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlphabetArg {
    /// Reads of DNA
    Dna,
    /// Lines of text
    Text,
}

impl StringArgs {
    /// What strings are clustered, with a threshold that was given.
    pub(crate) fn options(&self, threshold: Option<Threshold>) -> Option<StringOptions> {
        let alphabet = match self.alphabet? {
            AlphabetArg::Dna => Alphabet::Dna,
            AlphabetArg::Text => Alphabet::Text,
        };
        Some(StringOptions::new(alphabet).with(|options| {
            options.q = self.q;
            options.error_rate = self.error_rate;
            options.both_strands = self.both_strands;
            options.threshold = threshold;
        }))
    }
}

/// How the pairs of a crawl are found.
#[derive(Debug, clap::Args)]
pub(crate) struct PairingArgs {
    /// Compare all bags exactly: for up to about 50,000 URLs
    #[arg(long, conflicts_with_all = ["values", "tables"])]
    pub(crate) exact: bool,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}

/// The parameters of the tables.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct TablesArgs {
    /// Values per key, 1 to 8 [default: chosen from a sample of the URLs; 3 for the paper's preset]
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) values: Option<u8>,
    /// Number of tables, 1 to 1024 [default: enough for 95% of the pairs at the threshold to share
    /// a key, of which about 85% then agree in enough values to be compared: 81% in all, and more
    /// of more similar pairs. The summary reports both. 125 for the paper's preset]
    #[arg(short = 'l', long, value_name = "L", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) tables: Option<u16>,
}

impl From<PairingArgs> for Pairing {
    fn from(args: PairingArgs) -> Self {
        if args.exact {
            return Self::Exact;
        }
        let TablesArgs { values: k, tables: l } = args.tables;
        Self::Tables(TableOptions::default().with(|options| {
            options.k = k;
            options.l = l;
        }))
    }
}

/// Which named parameters are used.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct PresetOption {
    /// Parameters of bags, signatures and pairs
    #[arg(long, value_enum, default_value_t = PresetArg::Web)]
    pub(crate) preset: PresetArg,
}

/// The seed of the hash functions.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SeedArg {
    /// Seed of the hash functions
    #[arg(long, value_name = "SEED", default_value_t = pagekin_core::DEFAULT_SEED)]
    pub(crate) seed: u64,
}

/// The named parameters.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// For static sites
    Web,
    /// As in Haveliwala, Gionis and Indyk (2000)
    Paper,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Web => Self::Web,
            PresetArg::Paper => Self::Paper,
        }
    }
}

/// What bags are built from.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct BagsOption {
    /// What the bag of a URL is built from: `content`, the text of its page; `anchor`, its title
    /// and the text around links to it; or `both`
    #[arg(long, value_enum, default_value_t = BagsArg::Anchor)]
    pub(crate) bags: BagsArg,
}

/// What bags are built from.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BagsArg {
    /// The text of the page
    Content,
    /// Its title and the text around links to it
    Anchor,
    /// Both
    Both,
}

impl From<BagsArg> for BagSource {
    fn from(bags: BagsArg) -> Self {
        match bags {
            BagsArg::Content => Self::Content,
            BagsArg::Anchor => Self::Anchor,
            BagsArg::Both => Self::Both,
        }
    }
}
