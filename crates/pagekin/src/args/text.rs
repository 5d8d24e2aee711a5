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
    /// Read the text from standard input: a sentence, an error message or a whole page
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) stdin: Option<String>,
    /// Read the file or standard input as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// Language of the text [default: the one it declares, otherwise guessed among those of the
    /// pages]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
}
