//! The evaluation of near-duplicates, for `cargo xtask bench duplicates`.
//!
//! | module | contents |
//! | --- | --- |
//! | [`judging`] | whether a pair is correct, by its exact resemblance |
//! | [`standing`] | the sites that contain a text |
//! | [`spreading`] | the numbers of near-duplicates of pages, and the power law that fits |

pub mod judging;
pub mod spreading;
pub mod standing;
