//! Where the fragments of a crawl come from.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pagekin_core::hash;
use pagekin_core::terms::{Language, StopLists};
use pagekin_pages::site::listing;
use pagekin_pages::site::listing::Naming;
use pagekin_pages::{Input, InputError, InputOptions, InputSummary, input};

use crate::cluster::bags::fragments::Fragment;
use crate::cluster::bags::from_page::{Learnt, PageFragments, in_order};
use crate::cluster::error::CrawlError;
use crate::cluster::links;
use crate::folder::format::BagSource;
use crate::rank::collect::UrlLinks;

/// What a source had.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceSummary {
    /// What was read.
    pub inputs: InputSummary,
    /// What was learnt of the words.
    pub learnt: Learnt,
}

/// How far a source has been read, and what links stand there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceStep {
    /// The pages that were read now.
    pub pages: u64,
    /// The part of the source that lies behind with them, above 0 and up to 1; `None` if its end is
    /// not known.
    pub behind: Option<f64>,
    /// What these pages link to, if links are kept.
    pub links: Vec<UrlLinks>,
}

/// Takes what some pages say: how far they reach, and the fragments.
pub type Take<'a> = dyn FnMut(SourceStep, Vec<Fragment>) -> Result<(), CrawlError> + 'a;

/// Something that fragments come from.
pub trait FragmentSource: Sync {
    /// Tells it from all others, and from itself once it has changed; `None` if it cannot be read
    /// twice.
    ///
    /// # Errors
    ///
    /// If it cannot be looked at.
    fn identity(&self) -> Result<Option<String>, CrawlError>;

    /// The files and folders that are read.
    fn paths(&self) -> Vec<PathBuf>;

    /// Gives all fragments to `take`, batch by batch; runs in the rayon pool of the work.
    ///
    /// # Errors
    ///
    /// If it cannot be read, and those of `take`, at once.
    fn read(&self, take: &mut Take<'_>) -> Result<SourceSummary, CrawlError>;
}

/// What the pages of some inputs say.
#[derive(Debug)]
pub(crate) struct CrawlPages<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) options: &'a InputOptions,
    pub(crate) bags: BagSource,
    /// That of pages that name none.
    pub(crate) language: Language,
    pub(crate) stop: StopLists,
    /// Whether links are kept.
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
        Ok(SourceSummary { inputs, learnt: fragments.learnt() })
    }
}

/// Tells inputs from all others; `None` if one cannot be read twice.
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

/// The files and folders among inputs.
pub(crate) fn paths(inputs: &[Input]) -> Vec<PathBuf> {
    let path = |input: &Input| match input {
        Input::Path(path) => Some(path.clone()),
        Input::Stdin => None,
    };
    inputs.iter().filter_map(path).collect()
}

/// A file, or a folder with all of it that is read, by names, sizes and times.
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
        // What cannot be looked at is left out by those who read too.
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
    fn an_input_that_changed_is_another() {
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
