//! The file of an output that names what a build wrote there, and has the checksums of what has no
//! header with one: the client, the demo and the file for a site's generator.
//!
//! ```text
//! index                                        what stands at the top, a name a line
//! pagekin.js
//! index/00.kin                                 the files below it, by their paths
//! checksum 8a2d5c1e pagekin.js                 of a file as in a shard's header, by its path
//! checksum 03c9be1f pagekin.files              last, of all before this line
//! ```
//!
//! Where no file is listed, as in a clustered crawl, the names stand alone.

use std::path::{Component, Path};

use pagekin_core::{ReadError, hash};

/// The name of the file.
pub const FILES_NAME: &str = "pagekin.files";

/// What a line with a checksum begins with.
const CHECKSUM: &str = "checksum ";

/// What a build wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    /// What stands at the top of the output.
    pub names: Vec<String>,
    /// The files in its folders, by their paths with slashes.
    pub below: Vec<String>,
    /// The checksums of files by their paths; none if the build listed none.
    pub checksums: Vec<(String, u32)>,
}

impl FileList {
    pub(crate) fn encode(&self) -> String {
        let names = self.names.iter().chain(&self.below);
        let mut text: String = names.map(|name| format!("{name}\n")).collect();
        if !self.checksums.is_empty() {
            for (path, checksum) in &self.checksums {
                text.push_str(&line(path, *checksum));
            }
            text.push_str(&line(FILES_NAME, checksum(text.as_bytes())));
        }
        text
    }

    /// Of a list.
    ///
    /// # Errors
    ///
    /// If a list with checksums is not as it was written.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let damaged = |what| ReadError::Damaged { shard: FILES_NAME.to_owned(), what };
        let text = str::from_utf8(bytes).map_err(|_| damaged("names of files"))?;
        let mut list = Self::default();
        // Not by `lines`, to which a name may lose its end.
        for line in text.split_terminator('\n') {
            match parsed(line) {
                Some((path, checksum)) => list.checksums.push((path.to_owned(), checksum)),
                None if line.contains('/') => list.below.push(line.to_owned()),
                None => list.names.push(line.to_owned()),
            }
        }
        // Nothing outside the output is read, whoever wrote the list.
        let inside = |path: &str| {
            let mut parts = Path::new(path).components();
            parts.all(|part| matches!(part, Component::Normal(_)))
        };
        let paths =
            list.checksums.iter().map(|(path, _)| path).chain(&list.names).chain(&list.below);
        if !paths.into_iter().all(|path| inside(path)) {
            return Err(damaged("paths below the output"));
        }
        if list.checksums.is_empty() {
            return Ok(list);
        }
        list.checksums.pop();
        let end = text.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
        let (before, own) = text.split_at(end);
        if own != line(FILES_NAME, checksum(before.as_bytes())) {
            return Err(damaged("its own checksum in its last line"));
        }
        Ok(list)
    }
}

/// The lower half of XXH64.
pub fn checksum(bytes: &[u8]) -> u32 {
    hash::of_bytes(bytes) as u32
}

fn line(path: &str, checksum: u32) -> String {
    format!("{CHECKSUM}{checksum:08x} {path}\n")
}

fn parsed(line: &str) -> Option<(&str, u32)> {
    let (checksum, path) = line.strip_prefix(CHECKSUM)?.split_once(' ')?;
    Some((path, u32::from_str_radix(checksum, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> FileList {
        let names = ["index", "my page.html", "pagekin.js"].map(str::to_owned).into();
        let checksums = [("my page.html", 7), ("pagekin.js", u32::MAX)];
        let checksums = checksums.map(|(path, sum)| (path.to_owned(), sum)).into();
        FileList { names, below: vec!["index/00.kin".to_owned()], checksums }
    }

    #[test]
    fn lists_are_read_back_with_and_without_checksums() {
        let list = example();
        assert_eq!(FileList::decode(list.encode().as_bytes()), Ok(list.clone()));
        let names = FileList { checksums: Vec::new(), ..list };
        assert_eq!(names.encode(), "index\nmy page.html\npagekin.js\nindex/00.kin\n");
        assert_eq!(FileList::decode(names.encode().as_bytes()), Ok(names));
    }

    #[test]
    fn lists_of_what_is_elsewhere_are_refused() {
        for path in ["/dev/zero", "../pagekin.js", "a/../../b"] {
            let list = FileList { checksums: vec![(path.to_owned(), 1)], ..example() };
            assert!(FileList::decode(list.encode().as_bytes()).is_err(), "{path}");
            let paths = vec![path.to_owned()];
            let list = FileList { names: paths.clone(), ..FileList::default() };
            assert!(FileList::decode(list.encode().as_bytes()).is_err(), "{path}");
            let list = FileList { below: paths, ..FileList::default() };
            assert!(FileList::decode(list.encode().as_bytes()).is_err(), "{path}");
        }
    }

    #[test]
    fn every_changed_bit_is_found() {
        let list = example();
        let bytes = list.encode().into_bytes();
        for at in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert!(FileList::decode(&changed).is_err(), "bit {at} of {bytes:?}");
        }
    }
}
