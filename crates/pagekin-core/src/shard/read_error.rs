//! The error of reading a shard.

/// Why a shard could not be read. Every message states the problem and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes are something else, such as the page a host serves for a missing file.
    #[error(
        "{shard} is not a pagekin file: expected it to start with \"PGKN\", found {found}. Check that the whole \
         folder was uploaded and that the host does not serve a page for missing files"
    )]
    NotPagekin {
        /// The name of the shard.
        shard: String,
        /// The first bytes, for display.
        found: String,
    },
    /// The shard has fewer or more bytes than its header says.
    #[error(
        "{shard} has the wrong size: expected {expected} bytes, found {found}. Upload or rebuild the index"
    )]
    Truncated {
        /// The name of the shard.
        shard: String,
        /// The number of bytes in the header.
        expected: u64,
        /// The actual number of bytes.
        found: u64,
    },
    /// The bytes are not the ones that were written.
    #[error(
        "{shard} is damaged: expected checksum {expected:08x}, found {found:08x}. Upload or rebuild the index"
    )]
    Checksum {
        /// The name of the shard.
        shard: String,
        /// The checksum in the header.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// The shard was written by a newer pagekin.
    #[error(
        "{shard} has format {found}: expected at most {supported}. Use a newer pagekin, or rebuild the index with this one"
    )]
    VersionTooNew {
        /// The name of the shard.
        shard: String,
        /// The version of the shard.
        found: u16,
        /// The newest supported version.
        supported: u16,
    },
    /// The shard was written by a pagekin that is too old.
    #[error(
        "{shard} has format {found}: expected at least {supported}. Rebuild the index with this pagekin"
    )]
    VersionTooOld {
        /// The name of the shard.
        shard: String,
        /// The version of the shard.
        found: u16,
        /// The oldest supported version.
        supported: u16,
    },
    /// The shard belongs to another build of the index.
    #[error(
        "{shard} is from another build: expected generation {expected:016x}, found {found:016x}. Reload the page; \
         if that does not help, upload the whole folder of one build"
    )]
    WrongGeneration {
        /// The name of the shard.
        shard: String,
        /// The generation in the manifest.
        expected: u64,
        /// The generation of the shard.
        found: u64,
    },
    /// The site has a language whose stemmer this build of the core lacks.
    #[error(
        "the index has pages in language {language}: expected a wasm with its stemmer, found one with only English's. \
         Reload the page; if that does not help, upload the whole folder of one build"
    )]
    NoStemmer {
        /// The code of the language.
        language: String,
    },
    /// The checksum matches, but the contents are malformed.
    #[error(
        "{shard} is malformed: expected {what}. Rebuild the index; if that does not help, report a bug"
    )]
    Damaged {
        /// The name of the shard.
        shard: String,
        /// What was expected instead.
        what: &'static str,
    },
}

impl ReadError {
    /// Returns the name for programs: `NotPagekin`, `Truncated`, `Checksum`, `VersionTooNew`,
    /// `VersionTooOld`, `WrongGeneration`, `NoStemmer` or `Damaged`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotPagekin { .. } => "NotPagekin",
            Self::Truncated { .. } => "Truncated",
            Self::Checksum { .. } => "Checksum",
            Self::VersionTooNew { .. } => "VersionTooNew",
            Self::VersionTooOld { .. } => "VersionTooOld",
            Self::WrongGeneration { .. } => "WrongGeneration",
            Self::NoStemmer { .. } => "NoStemmer",
            Self::Damaged { .. } => "Damaged",
        }
    }
}
