//! Printing: reports go to standard output whole, and a reader that has gone is no failure.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;

/// Prints a report.
pub(crate) fn print(report: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Prints a report, or writes it to a file, if one is given.
#[cfg(feature = "site")]
pub(crate) fn print_to(file: Option<&Path>, report: &str) -> Result<(), Failure> {
    match file {
        Some(file) => Ok(pagekin_pages::write_file(file, report.as_bytes())?),
        None => print(report),
    }
}

/// Prints a line on standard error. That nobody reads it is no reason to stop.
pub(crate) fn say(line: &str) {
    let line = one_line(line);
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// A text that may have a name of a file in it, as one line that tells a terminal nothing but to
/// show it: what controls it, or turns the direction of writing, is escaped.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let controls = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    Cow::Owned(line)
}

/// Prints a value as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&(serde_json::to_string(value)? + "\n"))
}

/// A number of bytes for people: `381.3 kB`.
pub(crate) fn bytes(n: u64) -> String {
    indicatif::DecimalBytes(n).to_string()
}

/// A number for people: `48,625`.
pub(crate) fn count(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert!(matches!(one_line("grün, \"日本\" 'a\\b'"), Cow::Borrowed(_)));
        assert_eq!(
            one_line("\u{1b}[31ma\nb\r\u{9b}c\u{202e}d\u{7}ü"),
            r"\u{1b}[31ma\nb\r\u{9b}c\u{202e}d\u{7}ü"
        );
    }
}
