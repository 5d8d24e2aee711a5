//! The pages of an index: those of a site, or generated ones.

use std::path::{Path, PathBuf};

use pagekin_core::shard::PageRecord;
use pagekin_core::terms::StopLists;
use pagekin_index::{Assets, BuildError, BuildOptions, Summary};
use pagekin_pages::Silent;

use super::Failure;
use super::queries::{self, Query};
use crate::collection::Collection;

/// The seed of generated pages.
const SEED: u64 = 1;
const QUERIES: usize = 500;

/// The indexed pages.
#[derive(Debug)]
pub enum Pages {
    /// The folder of a site, whose base URL is `/`.
    Site(PathBuf),
    /// Generated pages.
    Generated(Collection),
}

impl Pages {
    /// Uses one site as it is, or several as the folders of one site in `place`.
    ///
    /// # Errors
    ///
    /// Returns an error if that folder cannot be created.
    pub fn from_sites(sites: &[PathBuf], place: &Path) -> Result<Self, Failure> {
        if let [site] = sites {
            return Ok(Self::Site(site.clone()));
        }
        let all = place.join("sites");
        std::fs::create_dir(&all)?;
        for (number, site) in sites.iter().enumerate() {
            let name = site.file_name().unwrap_or_default().to_string_lossy();
            let link = all.join(format!("{number}-{name}"));
            std::os::unix::fs::symlink(std::fs::canonicalize(site)?, link)?;
        }
        Ok(Self::Site(all))
    }

    /// Returns this number of generated pages.
    #[must_use]
    pub fn generated(pages: u64) -> Self {
        Self::Generated(Collection::new(pages, SEED))
    }

    /// Builds their index with `options`, except for the site.
    ///
    /// # Errors
    ///
    /// Returns the errors of the build.
    pub fn build(&self, options: &BuildOptions) -> Result<Summary, BuildError> {
        match self {
            Self::Site(site) => {
                let options = options.clone().with(|options| options.site = site.clone());
                pagekin_index::build(&options, &Assets::default(), &Silent)
            }
            Self::Generated(collection) => {
                pagekin_index::build_pages(options, collection, &Assets::default(), &Silent)
            }
        }
    }

    /// Returns the text and the language of the page with a URL.
    ///
    /// # Errors
    ///
    /// Returns an error if the page cannot be read.
    pub fn text(&self, url: &str) -> Result<(String, String), Failure> {
        match self {
            Self::Site(site) => queries::text_in_site(site, url),
            Self::Generated(collection) => queries::text_in_collection(collection, url),
        }
    }

    /// Returns texts of random pages without some of their terms.
    ///
    /// # Errors
    ///
    /// Returns an error if a page cannot be read.
    pub fn queries(&self, records: &[PageRecord], stop: &StopLists) -> Result<Vec<Query>, Failure> {
        let urls = records.iter().map(|record| &*record.url);
        queries::draw(QUERIES, urls, stop, |url| self.text(url))
    }
}
