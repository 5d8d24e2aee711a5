//! The text of a query, from the command line, a file or standard input.

use std::io::Read;
use std::path::Path;
use std::{fs, io};

use pagekin_pages::site::binary::is_page;
use pagekin_pages::site::{encoding, html};

use crate::args::TextArgs;
use crate::failure::Failure;

/// Reads the text from the command line, or from standard input.
fn given(words: &[String]) -> Result<Vec<u8>, Failure> {
    match words {
        [dash] if dash == "-" => {
            let mut content = Vec::new();
            io::stdin().lock().read_to_end(&mut content)?;
            Ok(content)
        }
        [path] if Path::new(path).is_file() => {
            Err(format!("{path} is a file, not a text. To search for its text, use --file {path}")
                .into())
        }
        words => Ok(words.join(" ").into_bytes()),
    }
}

/// A text and its language tag: the given one, otherwise the declared one, otherwise empty.
pub(crate) struct QueryText {
    pub(crate) text: String,
    pub(crate) lang: String,
}

impl QueryText {
    /// Reads the text that the arguments specify.
    pub(crate) fn read(args: &TextArgs) -> Result<Self, Failure> {
        let (content, named) = match &args.file {
            Some(path) => {
                let content = fs::read(path).map_err(|error| {
                    format!("cannot read {}: {error}. Pass a text or HTML file", path.display())
                })?;
                if !is_page(&content) {
                    return Err(format!(
                        "{} is not a text or HTML file. Save its text as a file and pass that",
                        path.display()
                    )
                    .into());
                }
                (content, args.html || html::is_html_name(path))
            }
            None => (given(&args.words)?, args.html),
        };
        Ok(Self::new(&content, named, args.lang.clone()))
    }

    /// The text, and its language tag.
    #[cfg(feature = "site")]
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.text, &self.lang)
    }

    /// Decodes a text; as HTML if `is_html` is set or it starts like HTML.
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
