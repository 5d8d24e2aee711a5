//! Reads files of JSON lines, and matches the page names in them to pages.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use pagekin_core::address;
use pagekin_pages::{FileError, Observer};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;

use crate::build::error::BuildError;

/// Maximum length of a line in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Numbers distinct strings in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: FxHashMap<Box<str>, u32>,
}

impl Names {
    /// Returns the number of a string, adding it if it is new.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.into(), number);
        number
    }

    /// The strings in the order of their numbers.
    pub(crate) fn in_order(&self) -> Vec<&str> {
        let mut names = vec![""; self.numbers.len()];
        for (name, &number) in &self.numbers {
            names[number as usize] = name;
        }
        names
    }
}

/// A file that assigns something to pages.
#[derive(Debug)]
pub(crate) struct ExternalFile {
    /// The option that names the file.
    option: &'static str,
    path: PathBuf,
    /// The pages' names in the file.
    pages: Names,
}

impl ExternalFile {
    /// Reads a file line by line. `each` receives a line and the number of its page name, if it has
    /// one, and returns what is wrong with the line, if anything. Keeps one line and the names in
    /// memory.
    pub(crate) fn read<T: DeserializeOwned>(
        option: &'static str,
        expected: &'static str,
        path: &Path,
        page: impl Fn(&T) -> Option<&str>,
        mut each: impl FnMut(Option<u32>, &T) -> Result<(), String>,
    ) -> Result<Self, BuildError> {
        let mut file = Self { option, path: path.to_owned(), pages: Names::default() };
        let mut stream = BufReader::new(File::open(path).map_err(FileError::io("read", path))?);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let mut read = stream.by_ref().take(MAX_BYTES);
            if read.read_until(b'\n', &mut bytes).map_err(FileError::io("read", path))? == 0 {
                break;
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let refused =
                |found| BuildError::Given { option, path: path.to_owned(), line, expected, found };
            if bytes.len() as u64 == MAX_BYTES && !bytes.ends_with(b"\n") {
                return Err(refused(format!("a line of {MAX_BYTES} bytes or more")));
            }
            let parsed: T =
                serde_json::from_slice(&bytes).map_err(|error| refused(without_line(&error)))?;
            let page = page(&parsed).map(|name| file.pages.number(name));
            each(page, &parsed).map_err(refused)?;
        }
        Ok(file)
    }

    /// Returns the page that each name means, by number, among pages with these URLs. Warns of
    /// names that match no page, as a file may be older than the site; at least one name must
    /// match.
    pub(crate) fn pages<'a>(
        &self,
        urls: impl Iterator<Item = &'a str>,
        base_url: &str,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<u32>>, BuildError> {
        let urls: FxHashMap<&str, u32> = urls.zip(0..).collect();
        let page = |name: &&str| {
            let variants = address::variants(name, base_url);
            variants.iter().find_map(|variant| urls.get(variant.as_str()).copied())
        };
        let names = self.pages.in_order();
        let pages: Vec<Option<u32>> = names.iter().map(page).collect();
        let unknown = || names.iter().zip(&pages).filter(|(_, page)| page.is_none());
        let (option, path) = (self.option, self.path.display());
        let Some((example, _)) = unknown().next().filter(|_| !names.is_empty()) else {
            if names.is_empty() {
                let found = "no lines".to_owned();
                return Err(BuildError::GivenPages { option, path: self.path.clone(), found });
            }
            return Ok(pages);
        };
        if pages.iter().all(Option::is_none) {
            let found = format!("{} unknown names, such as {example:?}", names.len());
            return Err(BuildError::GivenPages { option, path: self.path.clone(), found });
        }
        observer.warn(&format!(
            "--{option} {path}: {} of {} pages are not in the index, for example {example:?}: they were ignored",
            unknown().count(),
            names.len()
        ));
        Ok(pages)
    }
}

/// Describes a JSON error without its line, which is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(&*message, |(what, _)| what);
    format!("{what} in column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Line {
        page: String,
    }

    fn read(bytes: &[u8]) -> Result<ExternalFile, BuildError> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lines");
        std::fs::write(&path, bytes).unwrap();
        ExternalFile::read("terms", "a page", &path, |line: &Line| Some(&line.page), |_, _| Ok(()))
    }

    #[test]
    fn pages_are_named_by_path_or_url() {
        let urls = ["https://x.org/docs/", "https://x.org/docs/a.html", "https://x.org/docs/b/"];
        let names = ["index.html", "a.html", "/docs/a", "https://x.org/docs/b/index.html", "b"];
        let lines = names.map(|name| format!("{{\"page\": \"{name}\", \"more\": 1}}\n\n"));
        let file = read(lines.concat().as_bytes()).unwrap();
        let pages = file.pages(urls.into_iter(), "https://x.org/docs/", &Silent).unwrap();
        assert_eq!(pages, [Some(0), Some(1), Some(1), Some(2), Some(2)]);
        let other = file.pages(["/c"].into_iter(), "/", &Silent).unwrap_err().to_string();
        assert!(other.contains("5 unknown names, such as \"index.html\""), "{other}");
        let none = read(b"\n").unwrap().pages(urls.into_iter(), "/", &Silent).unwrap_err();
        assert!(none.to_string().contains("found no lines"), "{none}");
    }

    #[test]
    fn errors_contain_line_numbers() {
        let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        let found = error(b"{\"page\": \"a\"}\n\n{\"page\": 7}\n");
        assert!(found.contains("line 3: expected a page, found invalid type"), "{found}");
        assert!(found.ends_with("in column 10"), "{found}");
        let found = error(&vec![b'x'; MAX_BYTES as usize + 9]);
        assert!(found.contains("line 1") && found.contains("1048576 bytes or more"), "{found}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes: Vec<u8>) {
            if let Err(error) = read(&bytes) {
                let is_reported = matches!(error, BuildError::Given { .. });
                prop_assert!(is_reported);
            }
        }
    }
}
