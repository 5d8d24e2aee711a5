//! Stored inputs: earlier failures in `crashers/TARGET/`, and inputs with high coverage in
//! `corpus/TARGET/`.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::hash;

use crate::targets::Target;

/// A kind of stored input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Inputs that once failed.
    Crashers,
    /// Inputs with high coverage.
    Corpus,
}

/// Returns a folder next to the sources.
pub(crate) fn folder(name: &str) -> PathBuf {
    // Determined at run time, because a copy of a checkout may contain a program compiled in the
    // original.
    let own_folder = env::var_os("CARGO_MANIFEST_DIR");
    Path::new(&own_folder.expect("`cargo xtask fuzz` runs this")).join(name)
}

impl Kept {
    fn folder(self) -> PathBuf {
        let name = match self {
            Self::Crashers => "crashers",
            Self::Corpus => "corpus",
        };
        folder(name)
    }

    /// Returns the inputs of a target with their names, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if an input cannot be read.
    pub fn of(self, target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
        let folder = self.folder().join(target.name);
        let mut inputs = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(inputs),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            inputs.push((name, fs::read(entry.path())?));
        }
        inputs.sort();
        Ok(inputs)
    }

    /// Stores an input of a target and returns its name: a hash of it.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be written.
    pub fn keep(self, target: &Target, input: &[u8]) -> io::Result<String> {
        let folder = self.folder().join(target.name);
        fs::create_dir_all(&folder)?;
        let name = format!("{:016x}", hash::of_bytes(input));
        fs::write(folder.join(&name), input)?;
        Ok(name)
    }

    /// Returns the names of all targets that have a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be listed.
    pub fn targets(self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.folder()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }
}
