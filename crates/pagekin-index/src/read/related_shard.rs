//! The shards of related pages next to an index, and their entry: their names and their contents.
//!
//! They are gzipped JSON, unlike the other shards of the index, because a few lines of JavaScript
//! on the site's own pages read them without the core. FORMAT.md describes them.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::bufread::GzDecoder;
use pagekin_core::address::key;
use pagekin_core::shard::FOLDER_FILES;
use pagekin_core::{ReadError, hash};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// The name of the entry in the folder of an index.
pub(crate) const ENTRY_NAME: &str = "pagekin.kin";

/// The version of entry and shards.
const FORMAT: u32 = 1;

/// Maximum number of revised shards in an entry. Each takes 5 bytes.
const MAX_REVISED: usize = 1_024;

/// The header of a shard: gzip at the best compression, without name and time.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff];
/// Maximum length of a shard in bytes after decompression.
const MAX_BYTES: u64 = 4 << 20;

/// The entry: the names of the shards. No other file changes in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RelatedEntry {
    format: u32,
    /// The generation of the shards that are not revised: 16 hexadecimal digits.
    generation: String,
    /// The prefix of all URLs, up to a slash; empty if they have several hosts.
    base: String,
    /// The path of the index below the site, if it is known: [`Manifest::place`].
    ///
    /// [`Manifest::place`]: pagekin_core::shard::Manifest::place
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) place: String,
    pub(crate) shards: u32,
    /// The numbers of the shards in the folder of each later generation, ascending.
    revised: BTreeMap<String, Vec<u32>>,
}

/// A shard. URLs are relative to the base; `T` is a string.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Ord + Deserialize<'de>"))]
pub(crate) struct RelatedShard<T: Ord> {
    /// By the URL of a page that is a near-copy of another.
    #[serde(
        rename = "#copies",
        default = "BTreeMap::new",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub(crate) copies: BTreeMap<T, CopyRow<T>>,
    /// By the URL of each page: the URL and title of each related page, most similar first, and the
    /// similarity in thousandths.
    #[serde(flatten)]
    pub(crate) related: BTreeMap<T, Vec<(T, T, u32)>>,
}

/// A near-copy: 1 if its words are the same and 0 if not, the number of other near-copies, and the
/// URLs and titles of the probable original and of some near-copies.
pub(crate) type CopyRow<T> = (u8, u32, Vec<(T, T)>);

/// A page that is related to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedPage {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The similarity of both pages, 0 to 1.
    pub similarity: f64,
}

impl RelatedEntry {
    /// An entry whose shards all have one generation.
    pub(crate) fn new(generation: u64, base_url: &str, shards: u32) -> Self {
        let (generation, base) = (name_of(generation), base_of(base_url));
        let (place, revised) = (String::new(), BTreeMap::new());
        Self { format: FORMAT, generation, base, place, shards, revised }
    }

    /// An entry for the shards of a new generation. A shard stays in the folder that this entry
    /// gives it if `read` finds the same bytes there. Returns `None` if more shards are new than an
    /// entry may list.
    pub(crate) fn followed_by(
        &self,
        shards: &[Vec<u8>],
        generation: u64,
        read: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let generation = name_of(generation);
        let other = self.format != FORMAT || shards.len() != self.shards as usize;
        if other || self.generation == generation {
            return None;
        }
        let mut followed = Self { revised: BTreeMap::new(), ..self.clone() };
        for (number, bytes) in (0..).zip(shards) {
            let same = read(&self.name(number)).is_some_and(|there| there == *bytes);
            let of = if same { self.generation_of(number) } else { &generation };
            if of != self.generation {
                followed.revised.entry(of.to_owned()).or_default().push(number);
            }
        }
        let revised = followed.revised.values().map(Vec::len).sum::<usize>();
        (revised <= MAX_REVISED).then_some(followed)
    }

    /// Decodes the entry of an index with a base URL.
    pub(crate) fn decode(bytes: &[u8], base_url: &str) -> Result<Self, ReadError> {
        let damaged = |what| ReadError::Damaged { shard: ENTRY_NAME.to_owned(), what };
        let entry: Self = serde_json::from_slice(bytes).map_err(|_| damaged("an entry as JSON"))?;
        if entry.format != FORMAT || entry.base != base_of(base_url) {
            return Err(damaged("the format and the base address of this index"));
        }
        let names = || entry.revised.keys().chain([&entry.generation]);
        let mut revised: Vec<u32> = entry.revised.values().flatten().copied().collect();
        revised.sort_unstable();
        let sound = revised.is_sorted_by(|a, b| a < b)
            && revised.last().is_none_or(|&last| last < entry.shards);
        if entry.shards == 0 || !sound || !names().all(|name| generation(name).is_some()) {
            return Err(damaged("shards, and the generations of their folders"));
        }
        Ok(entry)
    }

    /// All generations whose folders contain shards.
    pub(crate) fn generations(&self) -> impl Iterator<Item = u64> + '_ {
        self.revised.keys().chain([&self.generation]).filter_map(|name| generation(name))
    }

    fn generation_of(&self, number: u32) -> &str {
        let revised =
            self.revised.iter().find(|(_, numbers)| numbers.binary_search(&number).is_ok());
        revised.map_or(&self.generation, |(name, _)| name)
    }

    /// The shard of a page.
    fn shard_of(&self, address: &str) -> u32 {
        shard_of(address, self.shards)
    }

    fn name(&self, number: u32) -> String {
        let (generation, folder) = (self.generation_of(number), number / FOLDER_FILES);
        format!("index/{generation}/related/{folder:02}/{number:04}.kin")
    }

    /// The name of the shard that contains the page at `address`.
    pub(crate) fn name_for(&self, address: &str) -> String {
        self.name(self.shard_of(address))
    }

    /// The related pages of the page at `address`, from the bytes of its shard.
    pub(crate) fn related(
        &self,
        address: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<Vec<RelatedPage>, ReadError> {
        let mut shard = read_shard(name, bytes)?;
        let row = address.strip_prefix(&self.base).and_then(|url| shard.related.remove(url));
        let what = "the related pages of every page of the index";
        let row = row.ok_or_else(|| ReadError::Damaged { shard: name.to_owned(), what })?;
        let page = |(url, title, thousandths): (String, String, u32)| RelatedPage {
            url: self.base.clone() + &url,
            title,
            similarity: f64::from(thousandths) / 1_000.0,
        };
        Ok(row.into_iter().map(page).collect())
    }

    /// The names of all shards.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.shards).map(|number| self.name(number))
    }

    /// Decodes shard `number` and checks that its pages belong there, and that the hashes of their
    /// URLs are in `urls`. Returns their number.
    pub(crate) fn check_shard(
        &self,
        number: u32,
        name: &str,
        bytes: &[u8],
        urls: &FxHashSet<u64>,
    ) -> Result<usize, ReadError> {
        let damaged = |what| ReadError::Damaged { shard: name.to_owned(), what };
        let shard = read_shard(name, bytes)?;
        let known =
            |url: &str| urls.contains(&hash::of_bytes((self.base.clone() + url).as_bytes()));
        for (address, (same_words, _, pages)) in &shard.copies {
            let listed =
                !pages.is_empty() && pages.iter().all(|(url, _)| known(url) && url != address);
            if *same_words > 1 || !listed || !shard.related.contains_key(address) {
                return Err(damaged(
                    "copies with their originals and others, which are pages of the index",
                ));
            }
        }
        for (address, related) in &shard.related {
            let address = self.base.clone() + address;
            if !urls.contains(&hash::of_bytes(address.as_bytes()))
                || self.shard_of(&address) != number
            {
                return Err(damaged("pages of the index whose URLs belong in this shard"));
            }
            if related.iter().any(|(url, _, part)| *part > 1_000 || !known(url)) {
                return Err(damaged(
                    "related pages that are pages of the index, at most 1,000 thousandths similar",
                ));
            }
        }
        Ok(shard.related.len())
    }
}

/// Reads a shard from its bytes.
fn read_shard(name: &str, bytes: &[u8]) -> Result<RelatedShard<String>, ReadError> {
    let damaged = |what| ReadError::Damaged { shard: name.to_owned(), what };
    // The checksum of gzip does not cover the header.
    if !bytes.starts_with(&GZIP_HEAD) {
        return Err(damaged("a gzip file without name and time"));
    }
    let mut json = Vec::new();
    let mut gzip = GzDecoder::new(bytes).take(MAX_BYTES + 1);
    let inflated = gzip.read_to_end(&mut json).is_ok() && json.len() as u64 <= MAX_BYTES;
    // Browsers refuse bytes after the end.
    if !inflated || !gzip.into_inner().into_inner().is_empty() {
        return Err(damaged("a gzip file of at most 4 MiB"));
    }
    serde_json::from_slice(&json)
        .map_err(|_| damaged("JSON with the related pages of each page: URL, title, thousandths"))
}

/// The prefix of all URLs, up to a slash; empty if they have several hosts.
pub(crate) fn base_of(base_url: &str) -> String {
    if base_url.is_empty() {
        return String::new();
    }
    base_url.trim_end_matches('/').to_owned() + "/"
}

/// The name of the folder of a generation.
fn name_of(generation: u64) -> String {
    format!("{generation:016x}")
}

/// The generation of a folder with this name.
fn generation(name: &str) -> Option<u64> {
    u64::from_str_radix(name, 16).ok().filter(|&generation| name_of(generation) == name)
}

/// The shard of a page, by the 32-bit FNV-1a hash of its URL's [`key`]. The hash is a single line
/// of JavaScript. With the key, a page is found in one request under any URL at which a host serves
/// it.
pub(crate) fn shard_of(address: &str, shards: u32) -> u32 {
    fnv1a(&key(address)) % shards
}

fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // The test vectors of its authors.
        assert_eq!(fnv1a(""), 0x811c_9dc5);
        assert_eq!(fnv1a("a"), 0xe40c_292c);
        assert_eq!(fnv1a("foobar"), 0xbf9c_f968);
        // The example in FORMAT.md.
        assert_eq!(fnv1a(&key("/bread/rye.html")), 0x4110_b053);
    }

    #[test]
    fn a_page_is_found_by_all_variants_of_its_url() {
        let entry = RelatedEntry::new(1, "/", 313);
        for url in ["/bread/rye.html", "/bread/rye/"] {
            assert_eq!(entry.shard_of(url), 0x4110_b053 % 313);
        }
    }

    #[test]
    fn revised_shards_are_in_the_folder_of_their_generation() {
        let mut entry = RelatedEntry::new(0x0123_4567_89ab_cdef, "/", 502);
        entry.revised.insert("fedcba9876543210".to_owned(), vec![7, 501]);
        let names: Vec<_> = entry.names().collect();
        assert_eq!(names[1], "index/0123456789abcdef/related/00/0001.kin");
        assert_eq!(names[7], "index/fedcba9876543210/related/00/0007.kin");
        assert_eq!(names[501], "index/fedcba9876543210/related/01/0501.kin");
        let generations: Vec<_> = entry.generations().collect();
        assert_eq!(generations, [0xfedc_ba98_7654_3210, 0x0123_4567_89ab_cdef]);
        let json = serde_json::to_vec(&entry).unwrap();
        assert_eq!(RelatedEntry::decode(&json, "/"), Ok(entry));
    }

    #[test]
    fn unchanged_shards_stay_where_they_are() {
        let shards = |of: &[u8]| -> Vec<Vec<u8>> { of.iter().map(|&byte| vec![byte]).collect() };
        let first = RelatedEntry::new(1, "/", 3);
        let old = shards(b"abc");
        let lies = |entry: &RelatedEntry, shards: &[Vec<u8>], name: &str| {
            let at = entry.names().position(|other| other == name)?;
            Some(shards[at].clone())
        };
        let next = shards(b"aXc");
        let second = first.followed_by(&next, 2, |name| lies(&first, &old, name)).unwrap();
        assert_eq!(second.revised, [(name_of(2), vec![1])].into());
        let last = shards(b"aXY");
        let third = second.followed_by(&last, 3, |name| lies(&second, &next, name)).unwrap();
        assert_eq!(third.revised, [(name_of(2), vec![1]), (name_of(3), vec![2])].into());
        // A missing file is written again.
        let again = third.followed_by(&last, 4, |_| None).unwrap();
        assert_eq!(again.revised, [(name_of(4), vec![0, 1, 2])].into());
        assert_eq!(third.followed_by(&last, 1, |_| None), None, "as all was at first");
        assert_eq!(third.followed_by(&last[..2], 4, |_| None), None, "fewer shards");
        let many = vec![Vec::new(); MAX_REVISED + 1];
        let entry = RelatedEntry::new(1, "/", many.len() as u32);
        assert_eq!(entry.followed_by(&many, 2, |_| None), None);
        assert!(
            entry.followed_by(&many, 2, |name| (name == entry.name(0)).then(Vec::new)).is_some()
        );
    }

    #[test]
    fn an_entry_of_another_index_is_refused() {
        let json = |entry: &RelatedEntry| serde_json::to_vec(entry).unwrap();
        let entry = RelatedEntry::new(7, "/docs", 3);
        assert_eq!(entry.base, "/docs/");
        assert!(RelatedEntry::decode(&json(&entry), "/docs/").is_ok());
        assert!(RelatedEntry::decode(&json(&entry), "/").is_err());
        let refused = |change: &dyn Fn(&mut RelatedEntry)| {
            let mut entry = entry.clone();
            change(&mut entry);
            assert!(RelatedEntry::decode(&json(&entry), "/docs/").is_err(), "{entry:?}");
        };
        refused(&|entry| entry.format = 4);
        refused(&|entry| entry.shards = 0);
        refused(&|entry| entry.generation = "7".to_owned());
        for numbers in [vec![3], vec![1, 1], vec![2, 2]] {
            refused(&|entry| entry.revised = [(name_of(8), numbers.clone())].into());
        }
        refused(&|entry| entry.revised = [("+000000000000008".to_owned(), vec![1])].into());
        refused(&|entry| entry.revised = [(name_of(8), vec![1]), (name_of(9), vec![1])].into());
        assert!(RelatedEntry::decode(b"<!doctype html>", "/docs/").is_err());
    }
}
