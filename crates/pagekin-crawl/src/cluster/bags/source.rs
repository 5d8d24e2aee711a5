//! Sources of the fragments of a crawl.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pagekin_core::hash;
use pagekin_core::terms::{Language, StopLists};
use pagekin_pages::site::listing;
use pagekin_pages::site::listing::Naming;
use pagekin_pages::{Input, InputError, InputOptions, InputSummary, input};

use crate::cluster::bags::fragments::Fragment;
use crate::cluster::bags::from_page::{Learned, PageFragments, in_order};
use crate::cluster::error::CrawlError;
use crate::cluster::links;
use crate::folder::format::BagSource;
use crate::rank::collect::UrlLinks;

/// Summary of a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceSummary {
    /// Summary of the inputs.
    pub inputs: InputSummary,
    /// Texts of terms and numbers of pages per language.
    pub learned: Learned,
}

/// Progress in a source, with the links of a batch of pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceStep {
    /// Number of pages in this batch.
    pub pages: u64,
    /// Share of the source that is read, above 0 and up to 1; `None` if its end is unknown.
    pub behind: Option<f64>,
    /// Links of these pages, if links are kept.
    pub links: Vec<UrlLinks>,
}

/// Takes the progress and the fragments of a batch of pages.
pub type Take<'a> = dyn FnMut(SourceStep, Vec<Fragment>) -> Result<(), CrawlError> + 'a;

/// A source of fragments.
pub trait FragmentSource: Sync {
    /// Returns a string that identifies the source and its content; `None` if it cannot be read
    /// twice.
    ///
    /// # Errors
    ///
    /// If the source cannot be inspected.
    fn identity(&self) -> Result<Option<String>, CrawlError>;

    /// Returns the files and folders that are read.
    fn paths(&self) -> Vec<PathBuf>;

    /// Passes all fragments to `take` in batches. Runs in the rayon pool of the work.
    ///
    /// # Errors
    ///
    /// If the source cannot be read, or the first error of `take`.
    fn read(&self, take: &mut Take<'_>) -> Result<SourceSummary, CrawlError>;
}

/// The fragments of the pages of some inputs.
#[derive(Debug)]
pub(crate) struct CrawlPages<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) options: &'a InputOptions,
    pub(crate) bags: BagSource,
    /// Language of pages that name none.
    pub(crate) language: Language,
    pub(crate) stop: StopLists,
    pub(crate) links: bool,
}

impl FragmentSource for CrawlPages<'_> {
    fn identity(&self) -> Result<Option<String>, CrawlError> {
        identity(self.inputs)
    }

    fn paths(&self) -> Vec<PathBuf> {
        paths(self.inputs)
    }

    fn read(&self, take: &mut Take<'_>) -> Result<SourceSummary, CrawlError> {
        let fragments = PageFragments::new(self.bags, self.language.clone(), &self.stop);
        let mut read = 0;
        let inputs = input::read(self.inputs, self.options, |mut pages, behind| {
            let links = if self.links { links::of_pages(&pages) } else { Vec::new() };
            in_order(&mut pages, &mut read);
            take(SourceStep { pages: pages.len() as u64, behind, links }, fragments.of(&pages))
        })?;
        Ok(SourceSummary { inputs, learned: fragments.learned() })
    }
}

/// Returns a string that identifies inputs and their content; `None` if one cannot be read twice.
pub(crate) fn identity(inputs: &[Input]) -> Result<Option<String>, CrawlError> {
    let mut all = String::new();
    for input in inputs {
        match input {
            Input::Stdin => return Ok(None),
            Input::Path(path) => all += &identity_of(path)?,
        }
    }
    Ok(Some(all))
}

/// Returns the files and folders among inputs.
pub(crate) fn paths(inputs: &[Input]) -> Vec<PathBuf> {
    let path = |input: &Input| match input {
        Input::Path(path) => Some(path.clone()),
        Input::Stdin => None,
    };
    inputs.iter().filter_map(path).collect()
}

/// Identifies a file, or a folder with the files that are read, by names, sizes and times.
fn identity_of(path: &Path) -> Result<String, CrawlError> {
    let files = if path.is_dir() {
        let naming = Naming { base_url: InputOptions::LOCALHOST, clean: false };
        let listing = listing::list(path, Path::new(""), naming)?;
        listing.files.into_iter().map(|file| file.path).collect()
    } else {
        vec![path.to_owned()]
    };
    let mut all = String::new();
    for file in files {
        // Readers skip these files too.
        let Ok(metadata) = fs::metadata(&file) else { continue };
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let time = time.map_or(0, |time| time.as_nanos());
        all += &format!("{} {} {time}\n", file.display(), metadata.len());
    }
    let path = fs::canonicalize(path).map_err(InputError::io(path))?;
    Ok(format!("{} {:016x}\n", path.display(), hash::of_bytes(all.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_input_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.html");
        fs::write(&file, "x").unwrap();
        let identity = || identity_of(folder.path()).unwrap();
        let (before, of_file) = (identity(), identity_of(&file).unwrap());
        assert_eq!(identity(), before);
        fs::write(&file, "xy").unwrap();
        assert_ne!(identity(), before);
        assert_ne!(identity_of(&file).unwrap(), of_file);
        fs::remove_file(&file).unwrap();
        assert!(identity_of(&file).is_err());
    }
}
