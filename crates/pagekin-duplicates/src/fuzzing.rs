//! Readers of untrusted bytes that are not part of the API, for the fuzz targets in `tests/fuzz`.

pub use crate::report::packing::{laid_out, packed_pair};
#[cfg(feature = "stream")]
pub use crate::stream::journal::{rewritten_journal, sealed_journal};
#[cfg(feature = "stream")]
pub use crate::stream::published::{NoTime, time_of};
