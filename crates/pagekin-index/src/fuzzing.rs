//! Readers of untrusted bytes that are no part of the API, as functions of bytes, for the fuzz
//! targets in `tests/fuzz`.

use std::io;
use std::path::Path;

use pagekin_core::ReadError;
use rustc_hash::FxHashSet;

use crate::mirrors::error::MirrorsError;
use crate::mirrors::list::MirrorList;
use crate::mirrors::options::Mirrors;
use crate::read::related_shard::RelatedEntry;

/// A `pagekin.mirrors` that was read, as it would be written, and how many hosts have a file.
///
/// # Errors
///
/// If it is damaged.
pub fn mirror_list(bytes: &[u8]) -> Result<(Vec<u8>, usize), ReadError> {
    let list = MirrorList::decode(bytes)?;
    let hosts = list.hosts_of("index/0123456789abcdef/lists/00/0003.shard").len();
    Ok((list.encode(), hosts))
}

/// The addresses of the hosts of a file of them, and how many have each file.
///
/// # Errors
///
/// If it is no such file, or no layout can be made of them.
pub fn hosts(text: &str) -> Result<(Vec<String>, u32), MirrorsError> {
    let mirrors = Mirrors::of(text, Path::new("-"))?;
    mirrors.check()?;
    Ok((mirrors.urls(), mirrors.copies()))
}

/// The entry of related pages of an index with a base address, as it would be written, and the
/// names of the first files of its shards.
///
/// # Errors
///
/// If it is damaged.
pub fn related_entry(
    bytes: &[u8],
    base_url: &str,
) -> Result<(io::Result<Vec<u8>>, Vec<String>), ReadError> {
    let entry = RelatedEntry::decode(bytes, base_url)?;
    let _ = entry.generations().count();
    let names = entry.names().take(16).collect();
    Ok((serde_json::to_vec(&entry).map_err(io::Error::other), names))
}

/// The number of pages in the only shard of related pages of an index.
///
/// # Errors
///
/// If it is damaged.
pub fn related_shard(base_url: &str, bytes: &[u8], urls: &[&str]) -> Result<usize, ReadError> {
    let urls: FxHashSet<String> = urls.iter().map(|&url| url.to_owned()).collect();
    RelatedEntry::new(1, base_url, 1).check_shard(0, "the shard", bytes, &urls)
}
