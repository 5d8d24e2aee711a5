//! Parts of an output.

/// The files of one kind in an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The name of the kind: `tables`, `pages`, …
    pub name: &'static str,
    /// The number of files.
    pub files: u64,
    /// The total number of bytes.
    pub bytes: u64,
}
