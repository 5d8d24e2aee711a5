//! Collects the links between the pages of a crawl.
//!
//! # Rules
//!
//! 1. A page links to the URLs of its [links](pagekin_pages::CrawlPage::links), except for those
//!    marked as not to be followed.
//! 2. A page that redirects, or names another URL as canonical, links only to that URL.
//! 3. The content of a page that names a canonical URL counts as content of that URL, as in
//!    [bags](crate::cluster::bags).

use std::path::PathBuf;

use pagekin_pages::input::html_folder;
use pagekin_pages::output::temporary;
use pagekin_pages::output::temporary::TemporaryFolder;
use pagekin_pages::progress::check;
use pagekin_pages::{CrawlPage, Input, InputOptions, InputSummary, Observer, Stage, input, pool};

use crate::cluster::error::{At, CrawlError};
use crate::cluster::options::ClusterOptions;
use crate::rank::assemble;
use crate::rank::collect::{LinkBuckets, UrlLinks};
use crate::rank::folder::LinkFolder;

/// Returns the links of some pages.
pub(crate) fn of_pages(pages: &[CrawlPage]) -> Vec<UrlLinks> {
    let mut all = Vec::with_capacity(pages.len());
    for page in pages {
        let links = |url: &str, targets: Vec<String>| UrlLinks {
            url: url.to_owned(),
            title: page.title.clone(),
            targets,
        };
        let targets = || page.links.iter().map(|link| link.target.clone()).collect();
        match (&page.redirect_to, &page.canonical) {
            (Some(other), _) => all.push(links(&page.url, vec![other.clone()])),
            (None, Some(other)) => {
                all.push(links(&page.url, vec![other.clone()]));
                all.push(links(other, targets()));
            }
            (None, None) => all.push(links(&page.url, targets())),
        }
    }
    all
}

/// The links of some inputs, in a temporary folder.
#[derive(Debug)]
pub struct InputLinks {
    /// The links.
    pub links: LinkFolder,
    /// Summary of the inputs.
    pub inputs: InputSummary,
    _folder: TemporaryFolder,
}

/// Options for reading links.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkOptions {
    /// Options for reading inputs.
    pub inputs: InputOptions,
    /// Folder for temporary files of the links, about 100 bytes each.
    pub beside: PathBuf,
    /// Bytes of memory for work that is done in parts.
    pub memory: u64,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl LinkOptions {
    /// Returns the defaults, with temporary files in `folder`.
    #[must_use]
    pub fn beside(folder: impl Into<PathBuf>) -> Self {
        Self {
            inputs: InputOptions::default(),
            beside: folder.into(),
            memory: ClusterOptions::MEMORY,
            threads: None,
        }
    }

    /// Returns these options after `change`:
    /// `LinkOptions::beside(folder).with(|options| options.memory = 4 << 30)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl InputLinks {
    /// Reads the links of some inputs.
    ///
    /// # Errors
    ///
    /// If an input cannot be read or has no pages, or the links cannot be stored.
    pub fn read(
        inputs: &[Input],
        options: &LinkOptions,
        observer: &dyn Observer,
    ) -> Result<Self, CrawlError> {
        html_folder::check_globs(inputs, &options.inputs, observer)?;
        // The words around links are not used.
        let input_options = options.inputs.clone().with(|options| options.window_words = 0);
        pool::in_pool(options.threads, || {
            temporary::sweep(&options.beside);
            let folder = TemporaryFolder::create(&options.beside).at(&options.beside)?;
            let from = folder.path().join("buckets");
            std::fs::create_dir(&from).at(&options.beside)?;
            observer.stage(Stage::Reading, 0);
            let mut buckets = LinkBuckets::create(&from).at(&options.beside)?;
            let mut pages = 0;
            let summary = input::read(inputs, &input_options, |batch, behind| {
                check(observer)?;
                for page in of_pages(&batch) {
                    buckets.push(&page).at(&options.beside)?;
                }
                pages += batch.len() as u64;
                if let Some(behind) = behind {
                    observer.expect((pages as f64 / behind).round() as u64);
                }
                observer.advance(batch.len() as u64);
                Ok::<_, CrawlError>(())
            })?;
            if pages == 0 {
                return Err(CrawlError::NoPages {
                    task: "rank",
                    skipped: summary.ledger.reasons(),
                });
            }
            buckets.finish().at(&options.beside)?;
            let made = assemble(&from, folder.path(), options.memory, observer);
            check(observer)?;
            made.at(&options.beside)?;
            std::fs::remove_dir_all(&from).at(&options.beside)?;
            let links = LinkFolder::open(folder.path())?;
            Ok(Self { links, inputs: summary, _folder: folder })
        })
    }
}
