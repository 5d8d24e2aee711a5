//! Printing. Reports are written to standard output as a whole. A closed pipe is not an error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;

/// The audience of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Control characters are always escaped, because the output ends up on a terminal.
    People,
    /// Control characters are escaped on a terminal only.
    Programs,
}

impl Reader {
    /// Returns `People` for a table, otherwise `Programs`.
    #[cfg(any(feature = "site", feature = "crawl"))]
    pub(crate) fn for_table(is_table: bool) -> Self {
        if is_table { Self::People } else { Self::Programs }
    }
}

/// Returns standard output with the escaping that the reader needs.
pub(crate) fn stdout(reader: Reader) -> Printer<io::Stdout> {
    let out = io::stdout();
    let escape = match reader {
        Reader::People => Some(escape_for_people as Escape),
        Reader::Programs => out.is_terminal().then_some(escape_for_json as Escape),
    };
    Printer { escape, rest: Vec::new(), into: out }
}

/// Prints a report for people.
pub(crate) fn print(report: &str) -> Result<(), Failure> {
    print_for(Reader::People, report)
}

pub(crate) fn print_for(reader: Reader, text: &str) -> Result<(), Failure> {
    let mut out = stdout(reader);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a report to the file, or prints it if there is none.
#[cfg(feature = "site")]
pub(crate) fn print_to(file: Option<&Path>, reader: Reader, report: &str) -> Result<(), Failure> {
    let Some(file) = file else { return print_for(reader, report) };
    let report = match reader {
        Reader::People => lines(report),
        Reader::Programs => report.into(),
    };
    Ok(pagekin_pages::write_file(file, report.as_bytes())?)
}

/// Prints a line to standard error and ignores failures.
pub(crate) fn eprint_line(line: &str) {
    let line = one_line(line);
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// A writer that escapes control characters.
pub(crate) struct Printer<W> {
    /// `None` writes everything unchanged.
    escape: Option<Escape>,
    /// The first bytes of an incomplete character.
    rest: Vec<u8>,
    into: W,
}

impl<W: Write> Printer<W> {
    /// Creates a printer for text that people read from a file.
    #[cfg(feature = "crawl")]
    pub(crate) fn for_people(into: W) -> Self {
        Self { escape: Some(escape_for_people), rest: Vec::new(), into }
    }
}

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(escape) = self.escape else { return self.into.write(bytes) };
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        self.into.write_all(escaped(&text, "\n\t", escape).as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

/// Escapes control characters, line breaks and bidirectional controls, so that a terminal shows the
/// text as one line. Names of files and texts of a site may contain them.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, "", escape_for_people)
}

/// Maximum number of characters of a text in a table; JSON contains all of it.
#[cfg(any(feature = "site", feature = "crawl"))]
const MAX_SHOWN: usize = 500;

/// Formats a text of a site, such as a title, a word or a URL, for a table: [`one_line`],
/// truncated.
#[cfg(any(feature = "site", feature = "crawl"))]
pub(crate) fn in_table(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        None => one_line(text),
        Some((end, _)) => Cow::Owned(one_line(&text[..end]).into_owned() + "…"),
    }
}

/// Joins texts of a site into one line of a table.
#[cfg(any(feature = "site", feature = "crawl"))]
pub(crate) fn list_in_table(texts: &[String]) -> String {
    let mut line = String::new();
    for (at, text) in texts.iter().enumerate() {
        if line.chars().count() > MAX_SHOWN {
            let _ = write!(line, " and {} more", texts.len() - at);
            break;
        }
        line += if at == 0 { "" } else { ", " };
        line += &in_table(text);
    }
    line
}

/// Like [`one_line`], but keeps line breaks and tabs.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, "\n\t", escape_for_people)
}

/// Appends the escape sequence of a character.
type Escape = fn(char, &mut String);

fn escape_for_people(c: char, text: &mut String) {
    text.extend(c.escape_default());
}

/// Keeps JSON valid.
fn escape_for_json(c: char, text: &mut String) {
    let _ = write!(text, "\\u{:04x}", u32::from(c));
}

fn escaped<'t>(text: &'t str, kept: &str, escape: Escape) -> Cow<'t, str> {
    let controls = |c: char| {
        let turns = matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        turns || (c.is_control() && !kept.contains(c))
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls(c) {
            escape(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Prints a value as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print_for(Reader::Programs, &(serde_json::to_string(value)? + "\n"))
}

/// Formats a number of bytes: `381.3 kB`.
pub(crate) fn bytes(n: u64) -> String {
    indicatif::DecimalBytes(n).to_string()
}

/// Formats a number: `48,625`.
pub(crate) fn count(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

/// Quotes a path for a shell; on Windows, for both cmd and PowerShell.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    if cfg!(windows) {
        let is_plain = path.chars().all(|c| plain(c) && c != '%' || c == '\\');
        return if is_plain { path } else { format!("\"{path}\"") };
    }
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert!(matches!(one_line("grün, \"日本\" 'a\\b'"), Cow::Borrowed(_)));
        assert_eq!(
            one_line("\u{1b}[31ma\nb\r\u{9b}c\u{202e}d\u{7}ü"),
            r"\u{1b}[31ma\nb\r\u{9b}c\u{202e}d\u{7}ü"
        );
    }

    #[test]
    fn texts_of_a_site_are_escaped_and_truncated() {
        assert_eq!(in_table("a\nb\u{1b}[31m\u{202e}"), r"a\nb\u{1b}[31m\u{202e}");
        let whole = "日".repeat(MAX_SHOWN);
        assert_eq!(in_table(&whole), whole);
        assert_eq!(in_table(&(whole.clone() + "x")), whole + "…");
        let list = |n: usize| list_in_table(&vec!["word\n".to_owned(); n]);
        assert_eq!(list(2), r"word\n, word\n");
        assert!(list(10_000).chars().count() < 2 * MAX_SHOWN);
        assert!(list(10_000).ends_with(" more"), "{}", list(10_000));
    }

    #[test]
    fn characters_split_across_writes_are_escaped() {
        let text = "a\u{9b}31m\t\u{202e}ü\n";
        for step in 1..=text.len() {
            let shown = |escape| {
                let mut printer = Printer { escape, rest: Vec::new(), into: Vec::new() };
                for part in text.as_bytes().chunks(step) {
                    printer.write_all(part).unwrap();
                }
                String::from_utf8(printer.into).unwrap()
            };
            assert_eq!(shown(None), text);
            assert_eq!(shown(Some(escape_for_people)), "a\\u{9b}31m\t\\u{202e}ü\n");
            assert_eq!(shown(Some(escape_for_json)), "a\\u009b31m\t\\u202eü\n");
        }
    }
}
