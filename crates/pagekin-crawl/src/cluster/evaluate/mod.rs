//! Evaluation of a clustering: the recall of its pairs, and connected components for comparison.

pub mod components;
pub mod recall;
