//! Internal parsers of untrusted bytes, for the fuzz targets in `tests/fuzz`.

use std::io;
use std::path::Path;

use pagekin_core::{ReadError, hash};
use pagekin_pages::Silent;
use pagekin_pairs::cosine::Cosine;
use rustc_hash::FxHashSet;

use crate::build::error::BuildError;
use crate::build::external::terms::ExternalTerms;
use crate::build::external::vectors::{ExternalVectors, VectorsOfPages};
use crate::mirrors::error::MirrorsError;
use crate::mirrors::list::MirrorList;
use crate::mirrors::options::Mirrors;
use crate::read::related_shard::RelatedEntry;

/// Decodes and re-encodes a `pagekin.mirrors` file, and counts the hosts of a file.
///
/// # Errors
///
/// If it is damaged.
pub fn mirror_list(bytes: &[u8]) -> Result<(Vec<u8>, usize), ReadError> {
    let list = MirrorList::decode(bytes)?;
    let hosts = list.hosts_of("index/0123456789abcdef/lists/00/0003.shard").len();
    Ok((list.encode(), hosts))
}

/// Parses a file of mirrors. Returns the hosts' URLs, and the number of copies.
///
/// # Errors
///
/// If it is invalid, or no layout is possible.
pub fn hosts(text: &str) -> Result<(Vec<String>, u32), MirrorsError> {
    let mirrors = Mirrors::parse(text, Path::new("-"))?;
    mirrors.check()?;
    Ok((mirrors.urls(), mirrors.copies()))
}

/// Decodes and re-encodes the entry of the related pages of an index with a base URL. Also returns
/// the names of its first shards.
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

/// Counts the pages in the only shard of related pages of an index.
///
/// # Errors
///
/// If it is damaged.
pub fn related_shard(base_url: &str, bytes: &[u8], urls: &[&str]) -> Result<usize, ReadError> {
    let urls: FxHashSet<u64> = urls.iter().map(|url| hash::of_bytes(url.as_bytes())).collect();
    RelatedEntry::new(1, base_url, 1).check_shard(0, "the shard", bytes, &urls)
}

/// Reads a file of terms. Returns the terms of pages with these URLs.
///
/// # Errors
///
/// If it is invalid, or names none of the pages.
pub fn given_terms(path: &Path, urls: &[&str]) -> Result<Vec<Vec<(String, f64)>>, BuildError> {
    let given = ExternalTerms::read(path)?;
    let given = given.of_pages(urls.iter().copied(), "/", &Silent)?;
    let of_page = |page| given.of(page).map(|(term, weight)| (term.to_owned(), weight)).collect();
    Ok((0..urls.len()).map(of_page).collect())
}

/// Reads a file of vectors. Returns the cosine of each two pages with these URLs, if both have a
/// vector, and the nearest pages of each, nearest first.
///
/// # Errors
///
/// If it is invalid, or names none of the pages.
#[expect(clippy::type_complexity)]
pub fn given_vectors(
    path: &Path,
    urls: &[&str],
) -> Result<(Vec<Vec<Option<Cosine>>>, Vec<Option<Vec<(u32, Cosine)>>>), BuildError> {
    let given = ExternalVectors::read(path)?;
    let places = given.of_pages(urls.iter().copied(), "/", &Silent)?;
    let vectors = VectorsOfPages::new(&given, places);
    let pages = 0..urls.len() as u32;
    let row = |a| pages.clone().map(|b| vectors.cosine(a, b)).collect();
    Ok((
        pages.clone().map(row).collect(),
        pages.clone().map(|page| vectors.nearest(page)).collect(),
    ))
}
