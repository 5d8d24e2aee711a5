//! Which pairs were found, and what other clusters there could be.

pub mod components;
pub mod recall;
