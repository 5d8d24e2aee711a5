//! Inputs that are kept: those that once failed, in `crashers/TARGET/`, and those that lead far, in
//! `corpus/TARGET/`.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::hash;

use crate::targets::Target;

/// Which inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Those that once failed.
    Crashers,
    /// Those that lead far.
    Corpus,
}

/// A folder beside the sources.
pub(crate) fn folder(name: &str) -> PathBuf {
    // At run time: a copy of a checkout has a program that was compiled in the original.
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

    /// The inputs of a target with their names, in order.
    ///
    /// # Errors
    ///
    /// If one cannot be read.
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

    /// Keeps an input of a target, and answers its name there: a hash of it.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn keep(self, target: &Target, input: &[u8]) -> io::Result<String> {
        let folder = self.folder().join(target.name);
        fs::create_dir_all(&folder)?;
        let name = format!("{:016x}", hash::of_bytes(input));
        fs::write(folder.join(&name), input)?;
        Ok(name)
    }

    /// The inputs of all targets that there are folders of, by the names of these.
    ///
    /// # Errors
    ///
    /// If the folder cannot be listed.
    pub fn targets(self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.folder()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }
}
