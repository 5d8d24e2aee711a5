//! The text that pages are to be like: of the command line, of a file or of standard input.

use std::io::Read;
use std::path::Path;
use std::{fs, io};

use pagekin_pages::site::{encoding, html};

use crate::args::TextArgs;
use crate::failure::Failure;

/// The text that stands on the command line, or of standard input.
fn given(words: &[String]) -> Result<Vec<u8>, Failure> {
    match words {
        [dash] if dash == "-" => {
            let mut content = Vec::new();
            io::stdin().lock().read_to_end(&mut content)?;
            Ok(content)
        }
        [path] if Path::new(path).is_file() => {
            Err(format!("expected a text, found the name of a file: read it by --file {path}")
                .into())
        }
        words => Ok(words.join(" ").into_bytes()),
    }
}

/// A text and its language: the one that was given, or that it declares, or an empty tag.
pub(crate) struct AskedText {
    pub(crate) text: String,
    pub(crate) lang: String,
}

impl AskedText {
    /// Reads what the arguments name.
    pub(crate) fn read(args: &TextArgs) -> Result<Self, Failure> {
        let (content, named) = match &args.file {
            Some(path) => {
                let content = fs::read(path).map_err(|error| {
                    format!("cannot read {}: {error}. Expected a text or HTML file", path.display())
                })?;
                (content, args.html || html::is_html_name(path))
            }
            None => (given(&args.words)?, args.html),
        };
        Ok(Self::new(&content, named, args.lang.clone()))
    }

    /// Reads what was given, as HTML if it is or looks like it.
    pub(crate) fn new(content: &[u8], is_html: bool, lang: Option<String>) -> Self {
        if !is_html {
            let text = encoding::read_text(content);
            if !html::looks_like_html(&text) {
                return Self { text, lang: lang.unwrap_or_default() };
            }
        }
        let page = html::read_html(content).page;
        Self { text: page.text, lang: lang.unwrap_or(page.lang) }
    }
}
