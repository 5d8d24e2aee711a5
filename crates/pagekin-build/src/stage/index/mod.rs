//! Bags and clusters into the static index that [`build_crawl`](crate::build_crawl) makes of the
//! crawl's folder, byte for byte, but for related pages and LSH tables.
//!
//! | step | takes | gives |
//! | --- | --- | --- |
//! | `words` | `spoken` of fragments and `terms` of collapse, by bucket | `words` that stand for terms, and on how many URLs these are |
//! | `pages` | bags, numbered | `pages` by number; `facts`; `parts`: which terms there are |
//! | `ranges` | `facts`, one partition | `ranges`: where the order of pages is cut |
//! | `members` | `pages` and `centers` by bucket | `members` by cluster |
//! | `order` | `members` by bucket | `ordered` by range |
//! | `sort` | `ordered` by bucket | `sorted`, in parts that follow each other |
//! | `stretches` | `sorted`, numbered | `stretches` of pages in their order; `drawn` bags |
//! | `describe` | `facts`, `drawn`, `words`, one partition | `index`: the vocabulary |
//! | `count` | `stretches` by bucket | `counts` of bits |
//! | `model` | `counts`, one partition | `index`: how likely bits are in blocks |
//! | `measure` | `stretches` by bucket | `sizes` of pages |
//! | `arrange` | `sizes`, `parts`, one partition | `index`: which pages share a block, how many shards there are |
//! | `records` | `stretches` by bucket | `payloads` of blocks and their `hashes`; `postings`, `addresses`, `sample` |
//! | `count-lists` | `postings` by bucket | `list-counts` of bits |
//! | `model-lists` | `list-counts`, one partition | `index`: how likely bits are in lists |
//! | `lists` | `postings`, `addresses` by bucket | `payloads` and their `hashes` |
//! | `finish` | `hashes`, `sample`, one partition | `index`: the generation; `payloads` of the sample |
//! | `files` | `payloads` | columns `path` and `bytes`: a file in each row |
//! | `beside` | nothing | the same: the page, its client, a list of files and, last, the manifest |
//!
//! What a step gives as `index` is the state of the index, which the next steps read from a file. It
//! is a manifest, and how many pages each block has: a few bytes a block.

mod order;
mod settle;
mod shards;
mod state;
#[cfg(test)]
mod tests;

use std::io::{Read, Write};
use std::path::PathBuf;

use pagekin_core::bag::Bag;
use pagekin_core::terms::Language;
use pagekin_core::vocabulary::is_term;
use pagekin_core::{DEFAULT_SEED, Preset};
use serde::{Deserialize, Serialize};

use crate::index::from_crawl;
use crate::index::options::{Assets, BuildOptions};
use crate::index::vocabulary::WeighedPage;
use crate::stage::bags;
use crate::stage::error::StageError;
use crate::stage::index::state::State;
use crate::stage::rows::Out;

/// A step on the way to an index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum IndexStep {
    /// Words and the frequencies of terms into the terms of a crawl.
    Words {
        /// URLs of which something is said.
        spoken_of: u32,
    },
    /// Bags into pages of an index.
    Pages(PageOptions),
    /// Where the order of pages is cut into so many ranges.
    Ranges(u32),
    /// Pages by their clusters, in so many buckets.
    Members(u32),
    /// Pages by ranges of their order.
    Order {
        /// What [`IndexStep::Ranges`] wrote.
        ranges: PathBuf,
    },
    /// Ranges into the order of pages.
    Sort,
    /// So many pages in the order they have by now.
    Stretches {
        /// Records of kind `sorted`.
        pages: u32,
    },
    /// What is known of all pages.
    Describe(DescribeOptions),
    /// How often bits are in blocks.
    Count(PathBuf),
    /// How likely they are.
    Model(PathBuf),
    /// How many bytes pages take.
    Measure(PathBuf),
    /// Which pages share a block.
    Arrange(ArrangeOptions),
    /// Blocks, and what lists and addresses are made of.
    Records(PathBuf),
    /// How often bits are in lists.
    CountLists(PathBuf),
    /// How likely they are.
    ModelLists(PathBuf),
    /// Lists and addresses.
    Lists(PathBuf),
    /// The manifest.
    Finish(PathBuf),
    /// Files with their paths.
    Files(PathBuf),
    /// The files that lie beside the shards.
    Beside {
        /// The state of the index.
        index: PathBuf,
        /// The demo and the client.
        assets: Assets<'static>,
    },
}

/// Which languages pages are in.
#[derive(Debug, Clone)]
pub struct PageLanguages {
    /// Tags of languages with how many pages name them.
    pub named: Vec<(String, u32)>,
    /// The tag of the language of pages that name none.
    pub lang: String,
}

impl Default for PageLanguages {
    /// English.
    fn default() -> Self {
        Self { named: Vec::new(), lang: "en".to_owned() }
    }
}

impl PageLanguages {
    /// With so many pages each; without any, the one of pages that name none.
    fn languages(&self) -> Vec<(Language, u32)> {
        let named = self.named.iter().map(|(tag, pages)| (tag.as_str(), *pages));
        from_crawl::languages_of(named, &self.lang)
    }
}

/// How bags and titles are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PageOptions {
    /// The parameters of bags.
    pub preset: Preset,
    /// The languages of pages.
    pub languages: PageLanguages,
}

impl PageOptions {
    /// By the default parameters, in English.
    #[must_use]
    pub fn new() -> Self {
        Self { preset: Preset::Web, languages: PageLanguages::default() }
    }
}

impl Default for PageOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// What is known of a crawl.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DescribeOptions {
    /// URLs of which something is said.
    pub spoken_of: u32,
    /// The parameters of bags.
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// The languages of pages.
    pub languages: PageLanguages,
}

impl DescribeOptions {
    /// Of so many URLs, by default parameters.
    #[must_use]
    pub fn new(spoken_of: u32) -> Self {
        Self {
            spoken_of,
            preset: Preset::Web,
            seed: DEFAULT_SEED,
            languages: PageLanguages::default(),
        }
    }
}

/// How an index is cut into files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ArrangeOptions {
    /// The state of the index.
    pub index: PathBuf,
    /// The most files, as [`BuildOptions::max_files`].
    pub max_files: u32,
}

impl ArrangeOptions {
    /// As many files as common hosts accept.
    #[must_use]
    pub fn new(index: impl Into<PathBuf>) -> Self {
        Self { index: index.into(), max_files: BuildOptions::MAX_FILES }
    }
}

impl IndexStep {
    /// Its name, as `pagekin stage index` has it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Words { .. } => "index words",
            Self::Pages(_) => "index pages",
            Self::Ranges(_) => "index ranges",
            Self::Members(_) => "index members",
            Self::Order { .. } => "index order",
            Self::Sort => "index sort",
            Self::Stretches { .. } => "index stretches",
            Self::Describe(_) => "index describe",
            Self::Count(_) => "index count",
            Self::Model(_) => "index model",
            Self::Measure(_) => "index measure",
            Self::Arrange(_) => "index arrange",
            Self::Records(_) => "index records",
            Self::CountLists(_) => "index count-lists",
            Self::ModelLists(_) => "index model-lists",
            Self::Lists(_) => "index lists",
            Self::Finish(_) => "index finish",
            Self::Files(_) => "index files",
            Self::Beside { .. } => "index beside",
        }
    }

    pub(crate) fn run(&self, input: impl Read, output: impl Write) -> Result<(), StageError> {
        match self {
            Self::Files(index) => return shards::files(input, output, &State::read(index)?),
            Self::Beside { index, assets } => {
                return shards::beside(&State::read(index)?, assets, output);
            }
            _ => {}
        }
        let out = Out::new(output, self.name())?;
        match self {
            Self::Words { spoken_of } => bags::words(input, out, *spoken_of),
            Self::Pages(options) => order::pages(input, out, options),
            Self::Ranges(ranges) => order::ranges(input, out, *ranges),
            Self::Members(buckets) => order::members(input, out, *buckets),
            Self::Order { ranges } => order::order(input, out, ranges),
            Self::Sort => order::sort(input, out),
            Self::Stretches { pages } => order::stretches(input, out, *pages),
            Self::Describe(options) => settle::describe(input, out, options),
            Self::Count(index) => shards::count(input, out, &State::read(index)?),
            Self::Model(index) => settle::model(input, out, State::read(index)?),
            Self::Measure(index) => shards::measure(input, out, &State::read(index)?),
            Self::Arrange(options) => {
                settle::arrange(input, out, State::read(&options.index)?, options.max_files)
            }
            Self::Records(index) => shards::records(input, out, &State::read(index)?),
            Self::CountLists(index) => shards::count_lists(input, out, &State::read(index)?),
            Self::ModelLists(index) => settle::model_lists(input, out, State::read(index)?),
            Self::Lists(index) => shards::lists(input, out, &State::read(index)?),
            Self::Finish(index) => settle::finish(input, out, State::read(index)?),
            Self::Files(_) | Self::Beside { .. } => unreachable!("files are written above"),
        }
    }
}

/// A page of an index, on its way to its place.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Page {
    url: String,
    title: String,
    bag: Vec<(u32, u16)>,
    title_terms: Vec<u32>,
}

impl Page {
    /// As the index has it; `None` if its bag is none, or a term none of an index.
    fn weighed(self, base_url: &str) -> Option<WeighedPage> {
        let Self { mut url, title, bag, title_terms } = self;
        from_crawl::written_below(base_url, &mut url);
        let bag = Bag::from_sorted(bag).ok()?;
        let mut terms =
            bag.entries().iter().map(|&(term, _)| term).chain(title_terms.iter().copied());
        let sound = terms.all(is_term) && title_terms.is_sorted_by(|a, b| a < b);
        sound.then(|| WeighedPage { url, title, bag, title_terms, ..WeighedPage::default() })
    }
}

/// What a task found of its pages.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Facts {
    pages: u64,
    /// The terms of all their bags.
    terms: u64,
    /// Those of their titles.
    title_terms: u64,
    /// Up to two origins of their addresses.
    origins: Vec<String>,
    /// Some addresses.
    drawn: Vec<String>,
}
