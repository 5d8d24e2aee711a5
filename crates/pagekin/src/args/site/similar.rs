//! The arguments of `pagekin similar`.

use std::path::PathBuf;

use crate::args::site::values::part;
use crate::args::values::language;

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("query").required(true).args(["file", "url", "stdin"])))]
pub(crate) struct SimilarArgs {
    /// Folder of the index
    pub(crate) out: PathBuf,
    /// Look for the text of this file, which is read as HTML if its name says so or it starts with
    /// a tag, otherwise as plain text
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Find the pages similar to this page of the site
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Read the text from standard input: a sentence, an error message or a whole page
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) stdin: Option<String>,
    /// Read the file or standard input as HTML
    #[arg(long, conflicts_with = "url")]
    pub(crate) html: bool,
    /// Language of the text [default: the one it declares, otherwise guessed among the site's]
    #[arg(long, value_name = "TAG", value_parser = language, conflicts_with = "url")]
    pub(crate) lang: Option<String>,
    /// Maximum number of results
    #[arg(short, long, default_value_t = 10)]
    pub(crate) limit: u32,
    /// Minimum score of a result, 0 to 1: its similarity, or the part of the text found on it
    #[arg(short, long, value_name = "S", default_value_t = 0.0, value_parser = part)]
    pub(crate) min: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
