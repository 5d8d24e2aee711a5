//! Why bytes are not a shard that can be read.

/// Why a shard could not be read. Every message says what was expected, what was found and what to
/// do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes are something else, such as the page a host serves for a missing file.
    #[error(
        "{shard} is not a pagekin file: expected it to start with \"PGKN\", found {found}. Check that the whole \
         folder was uploaded and that the host does not serve a page for missing files"
    )]
    NotPagekin {
        /// The shard's name.
        shard: String,
        /// The first bytes, readable.
        found: String,
    },
    /// Fewer or more bytes than the header says.
    #[error(
        "{shard} has the wrong size: expected {expected} bytes, found {found}. Upload or rebuild the index"
    )]
    Truncated {
        /// The shard's name.
        shard: String,
        /// The bytes it should have.
        expected: u64,
        /// The bytes it has.
        found: u64,
    },
    /// The bytes are not the ones that were written.
    #[error(
        "{shard} is damaged: expected checksum {expected:08x}, found {found:08x}. Upload or rebuild the index"
    )]
    Checksum {
        /// The shard's name.
        shard: String,
        /// The checksum in its header.
        expected: u32,
        /// The checksum of its bytes.
        found: u32,
    },
    /// Written by a newer pagekin.
    #[error(
        "{shard} has format {found}: expected at most {supported}. Use a newer pagekin, or rebuild the index with this one"
    )]
    VersionTooNew {
        /// The shard's name.
        shard: String,
        /// Its version.
        found: u16,
        /// The newest that can be read.
        supported: u16,
    },
    /// Written by a pagekin that is too old to be read.
    #[error(
        "{shard} has format {found}: expected at least {supported}. Rebuild the index with this pagekin"
    )]
    VersionTooOld {
        /// The shard's name.
        shard: String,
        /// Its version.
        found: u16,
        /// The oldest that can be read.
        supported: u16,
    },
    /// A shard of another build of the index.
    #[error(
        "{shard} is from another build: expected generation {expected:016x}, found {found:016x}. Reload the page; \
         if that does not help, upload the whole folder of one build"
    )]
    WrongGeneration {
        /// The shard's name.
        shard: String,
        /// The manifest's generation.
        expected: u64,
        /// The shard's.
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
        /// The shard's name.
        shard: String,
        /// What was expected instead.
        what: &'static str,
    },
}

impl ReadError {
    /// A short name for programs: `NotPagekin`, `Truncated`, `Checksum`, `VersionTooNew`,
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
