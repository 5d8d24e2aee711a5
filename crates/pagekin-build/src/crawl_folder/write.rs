//! What a crawl became, as a folder of files that are read in place.
//!
//! URLs are numbered in the order of their keys ([`url_key`]), from 0. Numbers are little-endian.
//!
//! | file | holds |
//! | --- | --- |
//! | `crawl.json` | [`Description`] |
//! | `urls` | of each URL a [`CrawledUrl`], one behind the other |
//! | `urls.index` | of each URL its key (u64) and where it begins in `urls` (u64) |
//! | `pairs` | of each URL in turn its similar ones, most similar first: number (u32), similarity in thousandths (u16) |
//! | `pairs.index` | of each URL how many entries of `pairs` stand before its own (u64), and at the end of all |
//! | `centers` | of each URL the number of the center of its cluster (u32); a URL alone is its own |
//! | `twins` | of each URL the number of the first with the same signature (u32), whose pairs are its own too |
//! | `terms` | of each term that is not too rare to count a [`CrawledTerm`], in the order of the ids |
//!
//! So "what is related to this URL?" is a binary search in `urls.index`, one place in `pairs.index` and one run of `pairs`:
//! no file is read whole, whatever the size of the crawl.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use pagekin_core::Preset;
use pagekin_core::bag::{BagRules, Frequency, Rounding};
use pagekin_core::vocabulary::TermId;
use serde::{Deserialize, Serialize};

use crate::crawl::bags::fragments::url_key;
use crate::crawl::bags::from_page::BagSource;
use crate::crawl::pairs::external_sort::StoredPair;

/// The file that says what a folder is.
pub const DESCRIPTION_NAME: &str = "crawl.json";
/// The version of the files that this program writes, and the only one it reads.
pub const CRAWL_VERSION: u32 = 2;

/// Bytes of an entry of `urls.index`, and of one of `pairs`.
pub(crate) const URL_ENTRY: u64 = 16;
pub(crate) const PAIR_ENTRY: u64 = 6;

/// The number and the similarity of an entry of `pairs`.
pub(crate) fn pair_entry([a, b, c, d, e, f]: [u8; PAIR_ENTRY as usize]) -> (u32, u16) {
    (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
}

/// What a folder says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// [`CRAWL_VERSION`].
    pub version: u32,
    /// URLs that have a bag.
    pub urls: u32,
    /// Pairs of similar URLs.
    pub pairs: u64,
    /// The least similarity of a pair, in thousandths.
    pub threshold: u16,
    /// What bags are made of.
    pub bags: BagSource,
    /// The parameters of bags and signatures by their name.
    #[serde(with = "PresetName")]
    pub preset: Preset,
    /// The seed of the hash family.
    pub seed: u64,
    /// How bags were made: as the preset says in the program that wrote them.
    #[serde(with = "WrittenRules")]
    pub rules: BagRules,
    /// URLs of which something was said, if nothing that counts: document frequencies are out of so many.
    pub spoken_of: u32,
    /// The language of pages that named none.
    pub lang: String,
    /// The languages of the pages that were read, most pages first.
    pub languages: Vec<(String, u32)>,
}

/// A [`Preset`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Preset", rename_all = "lowercase")]
enum PresetName {
    Web,
    Paper,
}

/// [`BagRules`] as an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "BagRules")]
struct WrittenRules {
    sum: u16,
    #[serde(with = "RoundingName")]
    rounding: Rounding,
    #[serde(with = "FrequencyName")]
    frequency: Frequency,
    max_terms: u16,
}

/// A [`Rounding`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Rounding", rename_all = "kebab-case")]
enum RoundingName {
    LargestRemainder,
    Dithered,
}

/// A [`Frequency`] as its name.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Frequency", rename_all = "kebab-case")]
enum FrequencyName {
    Linear,
    SquareRoot,
}

/// Writes the URLs of a crawl.
#[derive(Debug)]
pub struct UrlWriter {
    urls: BufWriter<File>,
    index: BufWriter<File>,
    at: u64,
    count: u32,
}

impl UrlWriter {
    /// Into a folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let file = |name| File::create_new(folder.join(name)).map(BufWriter::new);
        Ok(Self { urls: file("urls")?, index: file("urls.index")?, at: 0, count: 0 })
    }

    /// Adds a URL, behind all those of lower keys.
    ///
    /// # Errors
    ///
    /// If the disk does not take it.
    pub fn push(&mut self, url: &CrawledUrl) -> io::Result<()> {
        let record = postcard::to_allocvec(url).map_err(io::Error::other)?;
        self.index.write_all(&url_key(&url.url).to_le_bytes())?;
        self.index.write_all(&self.at.to_le_bytes())?;
        self.urls.write_all(&record)?;
        self.at += record.len() as u64;
        self.count += 1;
        Ok(())
    }

    /// The number of URLs, once all is on disk.
    ///
    /// # Errors
    ///
    /// If the disk does not take the last of it.
    pub fn finish(mut self) -> io::Result<u32> {
        self.urls.flush()?;
        self.index.flush()?;
        Ok(self.count)
    }
}

/// Writes the pairs of a crawl, the pair index.
#[derive(Debug)]
pub struct PairWriter {
    pairs: BufWriter<File>,
    index: BufWriter<File>,
    urls: u32,
    /// The URLs whose place is written, and the entries.
    begun: u32,
    entries: u64,
}

impl PairWriter {
    /// Into a folder, of `urls` URLs.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub fn create(folder: &Path, urls: u32) -> io::Result<Self> {
        let file = |name| File::create_new(folder.join(name)).map(BufWriter::new);
        Ok(Self { pairs: file("pairs")?, index: file("pairs.index")?, urls, begun: 0, entries: 0 })
    }

    /// Adds pairs, each both ways, in the order in which [`sorting`](crate::crawl::pairs::external_sort) gives them.
    ///
    /// # Errors
    ///
    /// If they are out of order or the disk does not take them.
    pub fn push(&mut self, pairs: &[StoredPair]) -> io::Result<()> {
        for pair in pairs {
            if pair.page >= self.urls || pair.page + 1 < self.begun {
                let what = format!(
                    "expected pairs of URLs from {} to {}, in order, found {pair:?}",
                    self.begun, self.urls
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            self.begin(pair.page + 1)?;
            self.pairs.write_all(&pair.other.to_le_bytes())?;
            self.pairs.write_all(&pair.thousandths.to_le_bytes())?;
            self.entries += 1;
        }
        Ok(())
    }

    /// Writes where the entries of all URLs before `url` begin.
    fn begin(&mut self, url: u32) -> io::Result<()> {
        while self.begun < url {
            self.index.write_all(&self.entries.to_le_bytes())?;
            self.begun += 1;
        }
        Ok(())
    }

    /// The number of entries, twice that of pairs, once all is on disk.
    ///
    /// # Errors
    ///
    /// If the disk does not take the last of it.
    pub fn finish(mut self) -> io::Result<u64> {
        self.begin(self.urls)?;
        self.index.write_all(&self.entries.to_le_bytes())?;
        self.pairs.flush()?;
        self.index.flush()?;
        Ok(self.entries)
    }
}

/// Gives all pairs of a folder that a [`PairWriter`] of `urls` URLs wrote, in its order.
///
/// # Errors
///
/// If a file cannot be read, or the places of URLs are not within the pairs.
pub fn read_pairs(folder: &Path, urls: u32, mut each: impl FnMut(StoredPair)) -> io::Result<()> {
    let file =
        |name| File::open(folder.join(name)).map(|file| BufReader::with_capacity(1 << 20, file));
    let (mut pairs, mut index) = (file("pairs")?, file("pairs.index")?);
    let mut place = || {
        let mut bytes = [0; 8];
        index.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let mut at = place()?;
    for page in 0..urls {
        let end = place()?;
        for _ in at..end {
            let mut bytes = [0; PAIR_ENTRY as usize];
            pairs.read_exact(&mut bytes)?;
            let (other, thousandths) = pair_entry(bytes);
            if other >= urls {
                let what = format!("expected URLs below {urls}, found {other}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            each(StoredPair { page, other, thousandths });
        }
        at = end.max(at);
    }
    Ok(())
}

/// What is known of each URL by its number.
#[derive(Debug, Clone, Copy)]
pub struct OfUrls<'a> {
    /// The center of its cluster.
    pub centers: &'a [u32],
    /// The first with the same signature.
    pub twins: &'a [u32],
}

/// Writes the terms, what is known of each URL and, last of all, the description: a folder without it is none.
///
/// # Errors
///
/// If the disk does not take them.
pub fn finish(
    folder: &Path,
    terms: &[CrawledTerm],
    of_urls: OfUrls<'_>,
    description: &Description,
) -> io::Result<()> {
    let terms = postcard::to_allocvec(terms).map_err(io::Error::other)?;
    fs::write(folder.join("terms"), terms)?;
    for (name, numbers) in [("centers", of_urls.centers), ("twins", of_urls.twins)] {
        let mut file = BufWriter::new(File::create_new(folder.join(name))?);
        for number in numbers {
            file.write_all(&number.to_le_bytes())?;
        }
        file.flush()?;
    }
    let mut json = serde_json::to_vec_pretty(description)?;
    json.push(b'\n');
    fs::write(folder.join(DESCRIPTION_NAME), json)
}

/// A term of a crawl. Its id is [`term_id`](pagekin_core::vocabulary::term_id) of the stem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledTerm {
    /// The URLs it is said of.
    pub df: u32,
    /// The stem; of several that share the id, the first in the alphabet.
    pub stem: Box<str>,
    /// The word that most often stood for it.
    pub word: Box<str>,
}

/// A URL of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledUrl {
    /// The URL.
    pub url: String,
    /// The title of its page, or empty.
    pub title: String,
    /// The fragments its bag was made of: how often something was said of it.
    pub fragments: u32,
    /// The terms of its bag in ascending order, each with its copies.
    pub bag: Vec<(TermId, u16)>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Of a crawl with so many URLs and pairs.
    pub(crate) fn description(urls: u32, pairs: u64) -> Description {
        Description {
            version: CRAWL_VERSION,
            urls,
            pairs,
            threshold: 200,
            bags: BagSource::Content,
            preset: Preset::Web,
            seed: u64::MAX,
            rules: Preset::Web.params(1).bag,
            spoken_of: urls + 1,
            lang: "en".to_owned(),
            languages: vec![("de".to_owned(), 4), ("en".to_owned(), 1)],
        }
    }

    #[test]
    fn pairs_out_of_order_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = PairWriter::create(folder.path(), 5).unwrap();
        let pair = |page| StoredPair { page, other: 0, thousandths: 1 };
        writer.push(&[pair(1), pair(3), pair(3)]).unwrap();
        assert!(writer.push(&[pair(2)]).is_err());
        assert!(writer.push(&[pair(5)]).is_err());
    }
}
