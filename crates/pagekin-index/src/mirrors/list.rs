//! `pagekin.mirrors`: the list of which hosts have which files of an index. It is read by
//! `www/client/mirrored/mirrors.js`, and when the output is opened again.
//!
//! It is JSON, and its size does not depend on the size of the index:
//!
//! ```json
//! {"format": 1,
//!  "hosts": ["https://one.example.org/kin/", "https://two.example.org/kin/"],
//!  "home": false,
//!  "kinds": {"lists": {"first": 1, "bytes": 2104}, "pages": {"first": 3, "bytes": 2311}},
//!  "groups": [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]]}
//! ```
//!
//! The group of a file is `(first + number) mod n`. Here `first` is the `first` of the file's kind,
//! `number` is the number in its name, and `n` is the number of groups. So files that are often
//! requested together, which have adjacent numbers, are in different groups, and the files of each
//! kind are spread evenly. The group depends neither on the generation nor on the number of files,
//! so a build that reuses an index leaves unchanged files where they are.

use std::collections::BTreeMap;

use pagekin_core::ReadError;
use pagekin_core::shard::Kind;
use serde::{Deserialize, Serialize};

use crate::mirrors::layout::MirrorLayout;

/// The name of the file in an output.
pub const MIRRORS_NAME: &str = "pagekin.mirrors";
/// Maximum length of the file in bytes. It has a few hundred bytes per host.
pub(crate) const MAX_LIST_BYTES: u64 = 1 << 20;
/// The folder of an output that has a folder for each host.
pub(crate) const MIRRORS_FOLDER: &str = "mirrors";

const FORMAT: u32 = 1;
/// Maximum number of hosts.
pub(crate) const MAX_HOSTS: usize = 256;
/// Groups per host that are on that host only, apart from the poured ones. With more of them, the
/// poured groups take less space, but each group has fewer files to even out its load.
const WHOLE_GROUPS: u32 = 4;
/// Above every result of [`groups_for`].
const MAX_GROUPS: usize = (WHOLE_GROUPS as usize + 1) * MAX_HOSTS;

/// Returns `n`, the number of groups into which an index on `hosts` hosts is divided. As many as
/// possible are poured, because these give the scheduler a choice.
#[must_use]
pub const fn groups_for(hosts: u32) -> u32 {
    let all = (WHOLE_GROUPS + 1) * hosts;
    if hosts > 1 { all - 1 } else { all }
}

/// The list of which hosts have which files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorList {
    format: u32,
    /// URLs that end in a slash. Relative ones are relative to the folder of the manifest.
    hosts: Vec<String>,
    home: bool,
    kinds: BTreeMap<String, FilesOfKind>,
    /// For each group the numbers of its hosts, ascending.
    groups: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FilesOfKind {
    /// The group of file 0.
    first: u32,
    /// The mean length of a file, as an estimate of the load of a request.
    bytes: u64,
}

impl MirrorList {
    /// Assigns groups to hosts by a layout. `files` has the files of the index with their lengths.
    pub(crate) fn new<'a>(
        hosts: Vec<String>,
        home: bool,
        layout: &MirrorLayout,
        files: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Self {
        let mut sizes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (name, bytes) in files {
            if let Some((kind, _)) = kind_and_number(name) {
                let (count, sum) = sizes.entry(kind).or_default();
                *count += 1;
                *sum += bytes;
            }
        }
        let n = layout.subindices();
        let kinds = sizes.into_iter().map(|(kind, (count, sum))| {
            (kind.to_owned(), FilesOfKind { first: first_group(kind, n), bytes: sum / count })
        });
        let groups = (0..n).map(|group| layout.stored_on(group).collect()).collect();
        Self { format: FORMAT, hosts, home, kinds: kinds.collect(), groups }
    }

    /// The URLs of the hosts.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether the folder of the manifest also has all files.
    #[must_use]
    pub fn home(&self) -> bool {
        self.home
    }

    /// Returns the numbers of the hosts that have a file of the index, given its path. Empty for a
    /// file that only the folder of the manifest has.
    #[must_use]
    pub fn hosts_of(&self, path: &str) -> &[u32] {
        let group = kind_and_number(path).and_then(|(kind, number)| {
            let FilesOfKind { first, .. } = self.kinds.get(kind)?;
            self.groups
                .get((u64::from(*first) + number).checked_rem(self.groups.len() as u64)? as usize)
        });
        group.map_or(&[], Vec::as_slice)
    }

    /// Returns the list for a preview, in which each host is a folder of the output.
    #[must_use]
    pub fn in_output(&self) -> Self {
        let hosts = (0..self.hosts.len() as u32).map(|host| folder_of(host) + "/");
        Self { hosts: hosts.collect(), ..self.clone() }
    }

    /// Encodes the list as the contents of its file.
    ///
    /// # Panics
    ///
    /// Never: strings and numbers can be written as JSON.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers can be written as JSON")
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let damaged = |what| ReadError::Damaged { shard: MIRRORS_NAME.to_owned(), what };
        let list: Self = serde_json::from_slice(bytes).map_err(|_| damaged("a list as JSON"))?;
        if list.format != FORMAT {
            return Err(damaged("format 1"));
        }
        let hosts = list.hosts.len();
        if !(1..=MAX_HOSTS).contains(&hosts) || !(1..=MAX_GROUPS).contains(&list.groups.len()) {
            return Err(damaged("hosts and groups, and not too many of them"));
        }
        let sound = |group: &Vec<u32>| {
            let known = group.last().is_some_and(|&last| (last as usize) < hosts);
            known && group.is_sorted_by(|a, b| a < b)
        };
        if !list.groups.iter().all(sound) {
            return Err(damaged("groups, each on some of the hosts"));
        }
        Ok(list)
    }
}

/// The folder of a host in an output.
pub(crate) fn folder_of(host: u32) -> String {
    format!("{MIRRORS_FOLDER}/{}", host + 1)
}

/// Returns the group of a file of the index, given its path. `None` if it is not a numbered file.
#[must_use]
pub fn group_of(path: &str, groups: u32) -> Option<u32> {
    let (kind, number) = kind_and_number(path)?;
    Some(((u64::from(first_group(kind, groups)) + number) % u64::from(groups)) as u32)
}

/// The group of a kind's file 0. It differs between kinds, because first files are read most.
fn first_group(kind: &str, groups: u32) -> u32 {
    let kinds = Kind::NUMBERED.len();
    let place = Kind::NUMBERED.iter().position(|of| of.folder() == kind).unwrap_or(0);
    (groups as usize * place / kinds) as u32
}

/// For `index/0123456789abcdef/lists/00/0003.shard`, returns `lists` and 3.
fn kind_and_number(path: &str) -> Option<(&str, u64)> {
    let (_generation, below) = path.strip_prefix("index/")?.split_once('/')?;
    let kind = below.get(..below.find(|c: char| !c.is_ascii_lowercase())?)?;
    let stem = below.rsplit_once('.')?.0;
    let digits = stem.rfind(|c: char| !c.is_ascii_digit()).map_or(stem, |at| &stem[at + 1..]);
    let known = Kind::NUMBERED.iter().any(|of| of.folder() == kind);
    Some((kind, digits.parse().ok()?)).filter(|_| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> MirrorList {
        let layout = MirrorLayout::new(groups_for(3), &[99; 3], 2).unwrap();
        let hosts = ["https://a.org/", "https://b.org/", "https://c.org/x/"].map(str::to_owned);
        let files = [
            ("index/00/lists/00/0000.shard", 100),
            ("index/00/lists/00/0001.shard", 301),
            ("index/00/pages-000.pack", 7),
        ];
        MirrorList::new(hosts.into(), false, &layout, files)
    }

    #[test]
    fn consecutive_files_are_in_consecutive_groups() {
        assert_eq!(kind_and_number("index/0f/lists/00/0003.shard"), Some(("lists", 3)));
        assert_eq!(kind_and_number("index/0f/pages-012.pack"), Some(("pages", 12)));
        for other in [
            "pagekin.manifest",
            "index/0f/related/00/0003.kin",
            "index/0f/lists/x.shard",
            "index/0f/lists",
        ] {
            assert_eq!(kind_and_number(other), None, "{other}");
        }
        let group = |number: u32| {
            group_of(&format!("index/00/lists/{:02}/{number:04}.shard", number / 500), 14)
        };
        assert_eq!(group(0), Some(1));
        assert_eq!(group(12), Some(13));
        assert_eq!(group(13), Some(0));
        // The generation does not matter.
        assert_eq!(group_of("index/ff/lists/00/0013.shard", 14), Some(0));
    }

    #[test]
    fn a_decoded_list_equals_the_encoded_one() {
        let list = example();
        assert_eq!(list.kinds["lists"], FilesOfKind { first: 1, bytes: 200 });
        assert_eq!(MirrorList::decode(&list.encode()), Ok(list.clone()));
        assert_eq!(list.in_output().hosts, ["mirrors/1/", "mirrors/2/", "mirrors/3/"]);
        for number in 0..40 {
            let path = format!("index/00/lists/00/{number:04}.shard");
            let group = group_of(&path, groups_for(3)).unwrap();
            assert_eq!(list.hosts_of(&path), list.groups[group as usize]);
            assert!(list.hosts_of(&path).len() >= 2);
        }
        // There are no files of that kind.
        assert_eq!(list.hosts_of("index/00/sketches/00/0001.shard"), [0; 0]);
    }

    #[test]
    fn invalid_lists_are_refused() {
        let text = String::from_utf8(example().encode()).unwrap();
        for (from, to) in [
            ("\"format\":1", "\"format\":2"),
            ("[0,1]", "[0,3]"),
            ("[0,1]", "[1,0]"),
            ("[0,1]", "[]"),
            ("\"groups\":[", "\"groups\":[-1,"),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            let changed = text.replacen(from, to, 1);
            assert!(MirrorList::decode(changed.as_bytes()).is_err(), "{changed}");
        }
    }
}
