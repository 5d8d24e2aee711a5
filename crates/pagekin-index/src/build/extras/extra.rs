//! What an extra is asked, and when.

use pagekin_core::vocabulary::TermId;
use pagekin_pages::Observer;
use pagekin_pages::site::listing::HtmlFile;
use rustc_hash::FxHashMap;

use crate::build::error::BuildError;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::options::BuildOptions;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::files::StoredPages;
use crate::build::related::similar_pages::Related;
use crate::build::summary::Summary;

/// What is in an index that is written.
pub(crate) struct IndexedSite<'a> {
    pub(crate) options: &'a BuildOptions,
    pub(crate) pages: &'a [WeightedPage],
    /// The words that terms are shown as, if there is a tree.
    pub(crate) words: &'a FxHashMap<TermId, Box<str>>,
    /// The pages in the order of their numbers.
    pub(crate) stored: StoredPages<'a>,
    /// By these numbers.
    pub(crate) related: &'a Related,
    pub(crate) generation: u64,
    /// The files of the site, if they are read once more.
    pub(crate) files: &'a [HtmlFile],
    pub(crate) observer: &'a dyn Observer,
}

/// What a build adds to an output if it is asked for.
///
/// Each extra is around those behind it in their list. First all begin, in the order of the list;
/// then the client is written; then they add what needs it, in the reverse order. So who lists the
/// files of an output does so when the others have written theirs and moved them.
pub(crate) trait Extra<'a> {
    /// Refuses options that it does not go with, before anything is read.
    fn check(&self, _options: &BuildOptions) -> Result<(), BuildError> {
        Ok(())
    }

    /// Refuses so many pages, before anything is written.
    fn check_pages(&self, _pages: usize) -> Result<(), BuildError> {
        Ok(())
    }

    /// Changes the client, and adds what does not need its files; has listed what it adds now or
    /// later.
    fn begin(
        &mut self,
        _site: &IndexedSite<'_>,
        _output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        Ok(())
    }

    /// Adds what is made of the files that are there.
    fn add(
        &mut self,
        _site: &IndexedSite<'_>,
        _output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        Ok(())
    }

    /// Puts in its place what is outside the output, which has its own, and tells what it did.
    fn publish(&mut self, _summary: &mut Summary) -> Result<(), BuildError> {
        Ok(())
    }
}
