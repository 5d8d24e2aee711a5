//! Readers of untrusted bytes that are no part of the API, as functions of bytes, for the fuzz targets in `tests/fuzz`.

use std::io;

use pagekin_core::ReadError;
use rustc_hash::FxHashSet;

pub use crate::crawl::input::in_memory::{answer_of_server, pages, unpacked};
pub use crate::crawl::strings::records::strings;
pub use crate::duplicates::report::packing::{laid_out, packed_pair};
pub use crate::site::canonical::{is_other_page, redirects_elsewhere};
pub use crate::stage::trials::{packed, takers};

use crate::index_folder::file_list::FileList;
use crate::index_folder::related_shard::Entry;
use crate::mirrors::MirrorList;
use crate::progress::Silent;
use crate::rank::in_links;
use crate::rank::in_links::InLinks;
use crate::rank::iterate::{Walk, iterate};

/// A `pagekin.files` that was read, as it would be written.
///
/// # Errors
///
/// If it is damaged.
pub fn file_list(bytes: &[u8]) -> Result<String, ReadError> {
    FileList::decode(bytes).map(|list| list.encode())
}

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

/// The entry of related pages of an index with a base address, as it would be written, and the names of the first files
/// of its shards.
///
/// # Errors
///
/// If it is damaged.
pub fn related_entry(
    bytes: &[u8],
    base_url: &str,
) -> Result<(io::Result<Vec<u8>>, Vec<String>), ReadError> {
    let entry = Entry::decode(bytes, base_url)?;
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
    Entry::new(1, base_url, 1).check_shard(0, "the shard", bytes, &urls)
}

/// The end of a file of links whose data is one block.
#[must_use]
pub fn link_end(nodes: u64, links: u64, bytes: u64) -> Vec<u8> {
    let numbers = |numbers: &[u64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    [numbers(&[nodes, bytes]), in_links::MAGIC.to_vec(), numbers(&[nodes, links, 1])].concat()
}

/// The links of a file of them, as (target, source), and the ranks of its nodes after some iterations.
///
/// # Errors
///
/// If it is damaged.
#[allow(clippy::type_complexity)] // Two lists of numbers.
pub fn ranked_links(file: Vec<u8>, iterations: u32) -> io::Result<(Vec<(u32, u32)>, Vec<f64>)> {
    let mut links = InLinks::open(io::Cursor::new(file))?;
    let mut column = vec![Vec::new(); links.nodes() as usize];
    links.pass(&mut column, &Silent, |_, column, lists| {
        column.iter_mut().try_for_each(|sources| lists.next(|u| sources.push(u)).map(|_| ()))
    })?;
    let walk = Walk { max_iterations: iterations, ..Walk::PAPER };
    let ranks = iterate(&mut links, &walk, &Silent)?.ranks;
    let links = (0..).zip(column);
    let links =
        links.flat_map(|(to, from): (u32, Vec<u32>)| from.into_iter().map(move |u| (to, u)));
    Ok((links.collect(), ranks))
}
