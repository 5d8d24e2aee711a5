//! Pages into the static index that a browser asks, and the index read again.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! mirrors          which of several hosts has which files of an index
//! read             an index in a folder: asked, verified, listed
//! build            pages with counted terms into an index
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
//! ```

pub mod build;
#[doc(hidden)]
pub mod fuzzing;
pub mod mirrors;
pub mod read;

pub use build::bundle::BundleSize;
pub use build::error::BuildError;
#[cfg(feature = "crawl")]
pub use build::from_crawl::build_crawl;
pub use build::from_site::{build, build_pages};
pub use build::mirrored::MirrorSize;
pub use build::options::{AssetFile, Assets, BuildOptions};
pub use build::shard_plan::Layout;
pub use build::summary::{Summary, UnknownRelated};
