//! The arguments of commands that take a text or a URL.

use std::path::PathBuf;

use crate::args::values::language;

/// A text to search for, instead of a URL.
#[derive(Debug, clap::Args)]
pub(crate) struct TextArgs {
    /// Read the text from this file: as HTML if its name ends in .html or it starts with a tag,
    /// otherwise as plain text
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Text: a sentence, an error message or a whole page; `-` reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) words: Vec<String>,
    /// Read the text as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// Language of the text [default: the declared one, otherwise guessed among the pages'
    /// languages]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
}
