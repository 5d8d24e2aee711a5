//! The interface of extras, and the order in which a build calls them.

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

/// An index whose files are written.
pub(crate) struct IndexedSite<'a> {
    pub(crate) options: &'a BuildOptions,
    pub(crate) pages: &'a [WeightedPage],
    /// The words shown for terms; empty without a topic tree.
    pub(crate) words: &'a FxHashMap<TermId, Box<str>>,
    /// The pages in the order of their numbers.
    pub(crate) stored: StoredPages<'a>,
    /// The related pages of each page in `stored`.
    pub(crate) related: &'a Related,
    pub(crate) generation: u64,
    /// The site's files, if an extra reads them again.
    pub(crate) files: &'a [HtmlFile],
    pub(crate) observer: &'a dyn Observer,
}

/// An optional addition to an output.
///
/// Extras are nested: each encloses the extras after it in the list. First, every extra begins, in
/// the order of the list. Then the client is written. Last, every extra adds the rest, in reverse
/// order. So an extra that lists the output's files runs after the others have written and moved
/// theirs.
pub(crate) trait Extra<'a> {
    /// Refuses conflicting options, before anything is read.
    fn check(&self, _options: &BuildOptions) -> Result<(), BuildError> {
        Ok(())
    }

    /// Refuses a site with too many pages, before anything is written.
    fn check_pages(&self, _pages: usize) -> Result<(), BuildError> {
        Ok(())
    }
    /// Changes the client, and adds what does not need the client's files. Registers every file
    /// that this extra adds now or later. this extra adds now or later.
    fn begin(
        &mut self,
        _site: &IndexedSite<'_>,
        _output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        Ok(())
    }

    /// Adds what depends on the files already written.
    fn add(
        &mut self,
        _site: &IndexedSite<'_>,
        _output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        Ok(())
    }

    /// Publishes files outside the output, which is published already, and fills in the summary.
    fn publish(&mut self, _summary: &mut Summary) -> Result<(), BuildError> {
        Ok(())
    }
}
