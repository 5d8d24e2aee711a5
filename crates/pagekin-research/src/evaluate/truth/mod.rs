//! The truth that a good measure agrees with: a hierarchy by people, and links by authors.
//!
//! ```text
//! classes   pages -> classes, by folders or from a file; distances of classes
//! links     pages -> links between them in their main text, and cocitations
//! ```

pub(crate) mod classes;
pub(crate) mod links;
