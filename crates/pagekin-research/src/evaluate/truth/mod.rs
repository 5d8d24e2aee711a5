//! What a good measure should agree with: a hierarchy that people made, and links that authors set.
//!
//! ```text
//! classes   pages into classes, by their folders or a file; how far classes are from one another
//! links     pages into what they link to in their main text, and what is cited with them
//! ```

pub(crate) mod classes;
pub(crate) mod links;
