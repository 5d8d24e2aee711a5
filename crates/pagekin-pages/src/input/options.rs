//! Inputs, and options for reading them.

use std::ffi::OsStr;
use std::path::PathBuf;

use pagekin_core::anchor::WINDOW_WORDS;
use serde::Serialize;

use crate::site::normal_url;
use crate::site::options::SiteOptions;

/// A source of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A folder of HTML files, or a JSONL or WARC file, plain or compressed.
    Path(PathBuf),
    /// JSONL or WARC from standard input, plain or compressed.
    Stdin,
}

impl Input {
    /// Returns the input that an argument names. `-` is standard input.
    #[must_use]
    pub fn from_arg(arg: &OsStr) -> Self {
        if arg == "-" { Self::Stdin } else { Self::Path(arg.into()) }
    }

    pub fn path(&self) -> PathBuf {
        match self {
            Self::Path(path) => path.clone(),
            Self::Stdin => "-".into(),
        }
    }
}

/// Options for reading inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InputOptions {
    /// The URL that folders of HTML are published at. By default their URLs are below
    /// [`InputOptions::LOCALHOST`], and a canonical URL on another host that ends with the path of
    /// a page refers to that page.
    pub base_url: Option<String>,
    /// Globs of files to skip, relative to their folder, as in [`SiteOptions::exclude`].
    pub exclude: Vec<String>,
    /// Maximum number of bytes of files, lines, records and unpacked pages. Larger ones are
    /// skipped.
    pub max_page_bytes: u64,
    /// Number of words before and after a link that belong to its anchor window.
    pub window_words: usize,
}

impl InputOptions {
    /// The default base URL of folders.
    pub const LOCALHOST: &'static str = normal_url::LOCALHOST;

    /// Returns the options with some of them changed:
    /// `InputOptions::default().with(|options| options.window_words = 10)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            base_url: None,
            exclude: Vec::new(),
            max_page_bytes: SiteOptions::MAX_PAGE_BYTES,
            window_words: WINDOW_WORDS,
        }
    }
}
