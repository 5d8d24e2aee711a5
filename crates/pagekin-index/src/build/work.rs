//! The state of a build in progress, and reading its inputs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::output::staging::Staging;
use pagekin_pages::pool::in_pool;
use pagekin_pages::site::languages::Undeclared;
use pagekin_pages::site::link_habits::LinkHabits;
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::shared_title::SettledTitles;
use pagekin_pages::site::skipped::SkippedFiles;
use pagekin_pages::site::{languages, read};
use pagekin_pages::{Observer, RepeatedText, SiteError, SkipReason, Stage};

use crate::build::error::BuildError;
use crate::build::external::terms::ExternalTerms;
use crate::build::external::vectors::ExternalVectors;
use crate::build::extras::list;
use crate::build::options;
use crate::build::options::{Assets, BuildOptions};
use crate::build::summary::{Remark, Summary, UnwrittenScript};

/// Checks the options, then runs a build on the threads that they specify.
pub(crate) fn run(
    options: &BuildOptions,
    build: impl FnOnce() -> Result<Summary, BuildError> + Send,
) -> Result<Summary, BuildError> {
    list::check(options)?;
    options::check(options)?;
    in_pool(options.threads, build)
}

/// Checks that the output may be written, and creates its staging folder.
pub(crate) fn begin_output(options: &BuildOptions) -> Result<Staging, BuildError> {
    Ok(Staging::begin([options.site.as_path()], &options.output, MANIFEST_NAME)?)
}

/// The state of a build in progress.
pub(crate) struct Work<'a> {
    pub(crate) options: &'a BuildOptions,
    pub(crate) assets: &'a Assets<'a>,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) skipped: SkippedFiles<'a>,
    pub(crate) repeated: RepeatedText,
    pub(crate) habits: LinkHabits,
    /// The scripts that pages use and the output lacks.
    pub(crate) unwritten: Vec<UnwrittenScript>,
    /// The markup for search tools that has no effect, or not the expected one.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) titles: SettledTitles,
    /// The files of the pages, if an extra reads them again.
    pub(crate) files: Vec<HtmlFile>,
    /// The data of the external files.
    pub(crate) terms: Option<ExternalTerms>,
    pub(crate) vectors: Option<ExternalVectors>,
    pub(crate) start: Instant,
}

impl<'a> Work<'a> {
    pub(crate) fn begin(
        options: &'a BuildOptions,
        assets: &'a Assets<'a>,
        observer: &'a dyn Observer,
    ) -> Result<Self, BuildError> {
        let skipped = SkippedFiles::new(&options.site);
        // Read first, to report mistakes immediately.
        let terms = options.terms.as_deref().map(ExternalTerms::read).transpose()?;
        let vectors = options.embeddings.as_deref().map(ExternalVectors::read).transpose()?;
        Ok(Self {
            options,
            assets,
            observer,
            skipped,
            repeated: RepeatedText::default(),
            habits: LinkHabits::default(),
            unwritten: Vec::new(),
            remarks: Vec::new(),
            titles: SettledTitles::default(),
            files: Vec::new(),
            terms,
            vectors,
            start: Instant::now(),
        })
    }

    /// Reads `inputs`; `unreadable` has the files that could not be listed.
    pub(crate) fn read(
        &mut self,
        inputs: &dyn read::Inputs,
        unreadable: Vec<(PathBuf, io::Error)>,
    ) -> Result<read::ParsedSite, BuildError> {
        self.observer.stage(Stage::Reading, inputs.count() as u64);
        let undeclared = match &self.options.lang {
            Some(lang) if self.options.force_lang => Undeclared::forced(lang)?,
            lang => Undeclared::new(lang.as_deref())?,
        };
        let mut reading = read::read(inputs, &undeclared, &languages::all(), self.observer)?;
        reading.unreadable.extend(unreadable);
        warn_of_odd_pages(&reading, self.observer);
        for (reason, path) in &reading.skipped {
            self.skipped.add(*reason, path);
        }
        SiteError::check_readable(&reading.unreadable)?;
        Ok(reading)
    }

    /// Removes the pages that `keep` rejects and counts them as skipped for `reason`.
    pub(crate) fn retain(
        &mut self,
        reading: &mut read::ParsedSite,
        reason: SkipReason,
        keep: impl FnMut(&read::ParsedPage) -> bool,
    ) {
        for url in reading.retain(keep) {
            self.skipped.add(reason, Path::new(&url));
        }
    }
}

fn warn_of_odd_pages(reading: &read::ParsedSite, observer: &dyn Observer) {
    if let Some(example) = reading.malformed.first() {
        let (n, example) = (reading.malformed.len(), example.display());
        observer.warn(&format!(
            "{n} pages have invalid bytes in their encoding, for example {example}: they were read as U+FFFD"
        ));
    }
    if let Some((example, why)) = reading.cut.first() {
        let (n, example) = (reading.cut.len(), example.display());
        observer.warn(&format!("{n} pages were truncated, for example {example}: it has {why}"));
    }
}
