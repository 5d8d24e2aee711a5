//! Builds the static index that a browser queries, and reads it natively.
//!
//! [`build`] indexes the HTML files of a site, and [`build_pages`] indexes pages from another
//! source. With the feature `crawl`, `build_crawl` indexes a clustered crawl. [`LocalIndex`]
//! queries and verifies an index in a folder. With the feature `https`, `RemoteIndex` queries a
//! published one.
//!
//! The modules, each of which only uses those above it:
//!
//! ```text
//! mirrors          spreading an index over several hosts
//! read             opening, querying and verifying an index, local or published
//! build            building an index from pages
//! measured         internals of a build, for research
//! fuzzing          parsers of untrusted bytes, for the fuzz targets
//! ```

pub(crate) mod build;
#[doc(hidden)]
pub mod fuzzing;
#[doc(hidden)]
pub mod measured;
#[doc(hidden)]
pub mod mirrors;
pub(crate) mod read;

pub use build::error::BuildError;
#[cfg(feature = "crawl")]
pub use build::from_crawl::build_crawl;
pub use build::from_site::{build, build_pages, build_records};
pub use build::options::{AssetFile, Assets, BuildOptions, Component, Layout};
pub use build::summary::{
    BundleSize, MirrorSize, Remark, Summary, UnknownRelated, UnwrittenScript,
};
pub use mirrors::error::MirrorsError;
pub use mirrors::list::MirrorList;
pub use mirrors::options::{MirrorHost, Mirrors};
#[cfg(feature = "https")]
pub use read::call_end::CallEnd;
pub use read::error::FolderError;
pub use read::folder::{LocalIndex, PageView};
#[cfg(feature = "https")]
pub use read::published::{FetchedPage, RemoteIndex, RemoteOptions};
#[cfg(feature = "https")]
pub use read::published_error::RemoteIndexError;
pub use read::related_shard::RelatedPage;
pub use read::verify::VerifyReport;

#[cfg(test)]
mod tests;
