//! What an output consists of.

/// A kind of file of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its name: `tables`, `pages`, …
    pub name: &'static str,
    /// Its number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}
