//! The arguments of commands that take a text or a URL.

use std::path::PathBuf;

use crate::args::values::language;

/// A text that is looked for, in place of a URL.
#[derive(Debug, clap::Args)]
pub(crate) struct TextArgs {
    /// Look for the text of this file, which is read as HTML if its name says so or it starts with
    /// a tag, otherwise as plain text
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The text: a sentence, an error message or a whole page; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub(crate) words: Vec<String>,
    /// Read the text as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// Language of the text [default: the one it declares, otherwise guessed among those of the
    /// pages]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
}
