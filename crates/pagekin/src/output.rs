//! Printing: reports go to standard output whole, and a reader that has gone is no failure.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::Failure;

/// Prints a report.
pub(crate) fn print(report: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Prints a report, or writes it to a file, if one is given.
pub(crate) fn print_to(file: Option<&Path>, report: &str) -> Result<(), Failure> {
    match file {
        Some(file) => Ok(pagekin_build::write_file(file, report.as_bytes())?),
        None => print(report),
    }
}

/// Prints a line on standard error. That nobody reads it is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
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
