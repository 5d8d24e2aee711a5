//! The files of an output that must be published again.

use std::collections::BTreeMap;

use pagekin_tests::measuring::asking::kind_of;
use pagekin_tests::place::Snapshot;
use serde::Serialize;

/// The difference between two outputs.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Difference {
    /// Number of new or changed files in the later output, and their bytes.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// The same by kind of file.
    pub(crate) by_kind: BTreeMap<String, (u64, u64)>,
    /// Number of files that only the earlier output contains.
    pub(crate) removed: u64,
}

impl Difference {
    pub(crate) fn new(before: &Snapshot, after: &Snapshot) -> Self {
        let mut difference = Self::default();
        for (name, bytes) in files(after) {
            if before.get(name) != Some(bytes) {
                let bytes = bytes.len() as u64;
                difference.files += 1;
                difference.bytes += bytes;
                let (of_kind, bytes_of_kind) = difference.by_kind.entry(kind_of(name)).or_default();
                *of_kind += 1;
                *bytes_of_kind += bytes;
            }
        }
        let removed = files(before).filter(|(name, _)| !after.contains_key(*name));
        difference.removed = removed.count() as u64;
        difference
    }
}

/// Returns the number of files and their bytes.
pub(crate) fn size(of: &Snapshot) -> (u64, u64) {
    files(of).fold((0, 0), |(files, all), (_, bytes)| (files + 1, all + bytes.len() as u64))
}

fn files(of: &Snapshot) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    of.iter().filter(|(name, _)| !name.ends_with('/'))
}
