//! What the pages are, and the queries drawn from them.

use std::path::{Path, PathBuf};

use pagekin_build::{Assets, BuildError, BuildOptions, Silent, Summary};
use pagekin_core::shard::PageRecord;
use pagekin_core::terms::StopLists;
use pagekin_tests::collection::Collection;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::queries::{self, Query};

/// The seed of generated pages.
const SEED: u64 = 1;
const QUERIES: usize = 500;

/// What is indexed.
pub(crate) enum Pages {
    /// The folder of a site, with `/` as its base address.
    Site(PathBuf),
    Generated(Collection),
}

impl Pages {
    /// One site as it is, several as the folders of one in `place`.
    pub(crate) fn of_sites(sites: &[PathBuf], place: &Path) -> Result<Self, Failure> {
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

    pub(crate) fn generated(pages: u64) -> Self {
        Self::Generated(Collection::new(pages, SEED))
    }

    pub(crate) fn build(&self, options: &BuildOptions) -> Result<Summary, BuildError> {
        match self {
            Self::Site(site) => {
                let options = BuildOptions { site: site.clone(), ..options.clone() };
                pagekin_build::build(&options, &Assets::default(), &Silent)
            }
            Self::Generated(collection) => {
                pagekin_build::build_pages(options, collection, &Assets::default(), &Silent)
            }
        }
    }

    /// Texts of random pages without some of their terms.
    pub(crate) fn queries(
        &self,
        records: &[PageRecord],
        stop: &StopLists,
    ) -> Result<Vec<Query>, Failure> {
        let urls = records.iter().map(|record| &*record.url);
        queries::draw(QUERIES, urls, stop, |url| match self {
            Self::Site(site) => queries::text_in_site(site, url),
            Self::Generated(collection) => queries::text_in_collection(collection, url),
        })
    }
}
