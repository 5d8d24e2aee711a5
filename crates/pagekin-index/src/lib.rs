//! Builds the static index that a browser queries, and reads it natively.
//!
//! [`build`] indexes the HTML files of a site, [`build_pages`] pages from elsewhere, and, with the
//! feature `crawl`, `build_crawl` a clustered crawl. [`LocalIndex`] queries and verifies an index
//! in a folder; with the feature `https`, `RemoteIndex` queries a published one.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! mirrors          which of several hosts has which files of an index
//! read             an index in a folder, or published: asked, verified, listed
//! build            pages with counted terms into an index
//! measured         how a build weighs pages and terms, for research
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
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
pub use build::from_site::{build, build_pages};
pub use build::options::{AssetFile, Assets, BuildOptions, Component, Layout};
pub use build::summary::{BundleSize, MirrorSize, Summary, UnknownRelated, UnwrittenScript};
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
