//! How near-duplicates that were found are judged, for `cargo xtask bench duplicates`.
//!
//! | module | has |
//! | --- | --- |
//! | [`judging`] | whether a pair is right, by its exact resemblance |
//! | [`standing`] | on which sites a text stands |
//! | [`spreading`] | how many near-duplicates pages have, and the power law that fits |

pub mod judging;
pub mod spreading;
pub mod standing;
