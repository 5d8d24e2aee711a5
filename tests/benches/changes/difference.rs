//! What of an output has to be published again.

use std::collections::BTreeMap;

use pagekin_tests::measuring::asking::kind_of;
use pagekin_tests::place::Snapshot;
use serde::Serialize;

/// The files that two outputs do not share.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Difference {
    /// Those of the later one that are new, or not what they were, and their bytes.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// The same by the kind of file.
    pub(crate) by_kind: BTreeMap<String, (u64, u64)>,
    /// Those of the earlier one that are no more.
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

/// The number of files, and their bytes.
pub(crate) fn size(of: &Snapshot) -> (u64, u64) {
    files(of).fold((0, 0), |(files, all), (_, bytes)| (files + 1, all + bytes.len() as u64))
}

fn files(of: &Snapshot) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    of.iter().filter(|(name, _)| !name.ends_with('/'))
}
