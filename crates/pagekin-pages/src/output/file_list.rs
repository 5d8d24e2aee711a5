//! The list of files that a build wrote to an output. It has checksums for files without a header
//! that contains one: the client, the demo and the file for a site's generator. Browsers do not
//! fetch it.
//!
//! ```text
//! site ../public                               the folder of the site, from the output
//! index                                        names at the top level, one per line
//! pagekin.js
//! index/00.kin                                 paths of the files below
//! checksum 8a2d5c1e pagekin.js                 checksum, as in a shard's header, and path
//! checksum 03c9be1f pagekin.files              last line: checksum of all previous lines
//! ```
//!
//! A list without checksums, as of a clustered crawl, contains only names.

use std::path::{Component, Path};

use pagekin_core::{ReadError, hash};

/// The name of the file.
pub const FILES_NAME: &str = "pagekin.files";

/// The prefix of a line with a checksum.
const CHECKSUM: &str = "checksum ";
/// The prefix of the line with the folder of the site.
const SITE: &str = "site ";

/// The files that a build wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    /// The path of the site's folder relative to the output, with slashes, if a program that reads
    /// the output may look for the pages there.
    pub site: Option<String>,
    /// The names at the top level of the output.
    pub names: Vec<String>,
    /// The paths of the files in its folders, with slashes.
    pub below: Vec<String>,
    /// The checksums of files by their paths; empty if the build listed none.
    pub checksums: Vec<(String, u32)>,
}

impl FileList {
    pub(crate) fn encode(&self) -> String {
        let names = self.names.iter().chain(&self.below);
        let site = self.site.iter().map(|site| format!("{SITE}{site}\n"));
        let mut text: String = site.chain(names.map(|name| format!("{name}\n"))).collect();
        if !self.checksums.is_empty() {
            for (path, checksum) in &self.checksums {
                text.push_str(&line(path, *checksum));
            }
            text.push_str(&line(FILES_NAME, checksum(text.as_bytes())));
        }
        text
    }

    /// Decodes a list.
    ///
    /// # Errors
    ///
    /// Returns an error if a list with checksums has been changed.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let damaged = |what| ReadError::Damaged { shard: FILES_NAME.to_owned(), what };
        let text = str::from_utf8(bytes).map_err(|_| damaged("names of files"))?;
        let mut list = Self::default();
        // `lines` would drop a carriage return at the end of a name.
        for line in text.split_terminator('\n') {
            match (parsed(line), line.strip_prefix(SITE)) {
                (Some((path, checksum)), _) => list.checksums.push((path.to_owned(), checksum)),
                (None, Some(site)) => list.site = Some(site.to_owned()),
                (None, None) if line.contains('/') => list.below.push(line.to_owned()),
                (None, None) => list.names.push(line.to_owned()),
            }
        }
        // Reject paths outside the output, because the list is untrusted.
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

/// Returns the lower half of the XXH64 of `bytes`.
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
        let site = Some("../a site".to_owned());
        FileList { site, names, below: vec!["index/00.kin".to_owned()], checksums }
    }

    #[test]
    fn lists_round_trip_with_and_without_checksums() {
        let list = example();
        assert_eq!(FileList::decode(list.encode().as_bytes()), Ok(list.clone()));
        let names = FileList { site: None, checksums: Vec::new(), ..list };
        assert_eq!(names.encode(), "index\nmy page.html\npagekin.js\nindex/00.kin\n");
        assert_eq!(FileList::decode(names.encode().as_bytes()), Ok(names));
    }

    #[test]
    fn paths_outside_the_output_are_rejected() {
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
    fn every_changed_bit_is_detected() {
        let list = example();
        let bytes = list.encode().into_bytes();
        for at in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert!(FileList::decode(&changed).is_err(), "bit {at} of {bytes:?}");
        }
    }
}
