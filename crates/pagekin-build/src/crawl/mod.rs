//! A crawl into clusters: what is done with pages that do not fit an index of their own.
//!
//! Each stage's work on one part of the data is a function of columns to columns, with sorting and grouping between the
//! stages. Nothing is shared while a stage runs, and input that is out of order is refused: so the same functions can run
//! on one machine's threads or on many machines.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | [`signatures`] | batches of signatures | columns |
//! | [`choosing`] | columns, a threshold | how many tables of how many values |
//! | [`extracting`] (on `grouping` and `cutting`) | columns, tables | similar pairs |
//! | [`verifying`] | similar pairs, bags | pairs with their similarity |
//! | [`joining`] | bags | the same pairs, all of them, exactly |

pub mod choosing;
mod cutting;
pub mod extracting;
mod grouping;
pub mod joining;
pub mod signatures;
pub mod threshold;
pub mod verifying;
