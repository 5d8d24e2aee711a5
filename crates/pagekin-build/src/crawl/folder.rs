//! The folder that a crawl became, as [`output`](super::output) lays it out, into answers. No file is read whole but the
//! words of terms and, for who asks for all clusters, the centers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use pagekin_core::vocabulary::TermId;

use super::fragments::url_key;
use super::output::{
    CRAWL_VERSION, CrawledUrl, DESCRIPTION_NAME, Description, PAIR_ENTRY, URL_ENTRY,
};

/// The most bytes of a URL with its title, and of the entries of one URL, that are taken from a file.
const MOST_BYTES: u64 = 64 << 20;

/// Why a crawl's folder could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlFolderError {
    /// There is none.
    #[error("expected the output of `pagekin cluster` at {}, found no {DESCRIPTION_NAME} in it. Give its folder", path.display())]
    NoCrawl {
        /// The folder that was given.
        path: PathBuf,
    },
    /// Another version wrote it.
    #[error("expected a crawl of version {CRAWL_VERSION} at {}, found version {found}. Cluster it anew", path.display())]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file is not what it should be.
    #[error("{} is damaged: expected {expected}. Cluster the crawl anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: &'static str,
    },
    /// The crawl does not have this URL.
    #[error(
        "the crawl has no URL {url}: expected one that was crawled or linked to, in its normal form. Other spellings of it are other URLs"
    )]
    UnknownUrl {
        /// The URL that was asked for.
        url: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A file of which places are read.
#[derive(Debug)]
struct Places {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Places {
    fn open(folder: &Path, name: &str) -> Result<Self, CrawlFolderError> {
        let path = folder.join(name);
        let open = || {
            let file = File::open(&path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        match open() {
            Ok((file, bytes)) => Ok(Self { path, file, bytes }),
            Err(error) => Err(CrawlFolderError::Unreadable { path, error }),
        }
    }

    fn damaged(&self, expected: &'static str) -> CrawlFolderError {
        CrawlFolderError::Damaged { path: self.path.clone(), expected }
    }

    /// The bytes from `start` to `end`.
    fn read(&mut self, start: u64, end: u64) -> Result<Vec<u8>, CrawlFolderError> {
        if start > end || end > self.bytes || end - start > MOST_BYTES {
            return Err(self.damaged("places within their file"));
        }
        let mut bytes = vec![0; (end - start) as usize];
        let read =
            self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
        match read {
            Ok(()) => Ok(bytes),
            Err(error) => Err(CrawlFolderError::Unreadable { path: self.path.clone(), error }),
        }
    }

    /// The numbers of 8 bytes from `start` on.
    fn numbers<const N: usize>(&mut self, start: u64) -> Result<[u64; N], CrawlFolderError> {
        let bytes = self.read(start, start + 8 * N as u64)?;
        let (chunks, _) = bytes.as_chunks::<8>();
        Ok(std::array::from_fn(|at| u64::from_le_bytes(chunks[at])))
    }
}

/// A crawl on disk.
#[derive(Debug)]
pub struct CrawlFolder {
    description: Description,
    urls: Places,
    url_index: Places,
    pairs: Places,
    pair_index: Places,
    centers: Places,
    twins: Places,
    words: PathBuf,
}

impl CrawlFolder {
    /// Opens the output of a crawl.
    ///
    /// # Errors
    ///
    /// If it is none or a file has not the length it should have.
    pub fn open(folder: &Path) -> Result<Self, CrawlFolderError> {
        let path = folder.join(DESCRIPTION_NAME);
        let json = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CrawlFolderError::NoCrawl { path: folder.to_owned() },
            _ => CrawlFolderError::Unreadable { path: path.clone(), error },
        })?;
        let description: Description = serde_json::from_slice(&json).map_err(|_| {
            CrawlFolderError::Damaged { path, expected: "the description of a crawl" }
        })?;
        if description.version != CRAWL_VERSION {
            return Err(CrawlFolderError::OtherVersion {
                path: folder.to_owned(),
                found: description.version,
            });
        }
        let place = |name| Places::open(folder, name);
        let crawl = Self {
            urls: place("urls")?,
            url_index: place("urls.index")?,
            pairs: place("pairs")?,
            pair_index: place("pairs.index")?,
            centers: place("centers")?,
            twins: place("twins")?,
            words: folder.join("words"),
            description,
        };
        let n = u64::from(crawl.description.urls);
        let lengths = [
            (&crawl.url_index, URL_ENTRY * n, "an entry for each URL"),
            (&crawl.pair_index, 8 * (n + 1), "a place for each URL, and the end"),
            (&crawl.centers, 4 * n, "a center for each URL"),
            (&crawl.twins, 4 * n, "a twin for each URL"),
        ];
        for (places, bytes, expected) in lengths {
            if places.bytes != bytes {
                return Err(places.damaged(expected));
            }
        }
        if crawl.description.pairs.checked_mul(2 * PAIR_ENTRY) != Some(crawl.pairs.bytes) {
            return Err(crawl.pairs.damaged("each pair both ways"));
        }
        Ok(crawl)
    }

    /// What the folder says of itself.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// A URL by its number.
    ///
    /// # Errors
    ///
    /// If there is none or it cannot be read.
    pub fn url(&mut self, number: u32) -> Result<CrawledUrl, CrawlFolderError> {
        let n = self.description.urls;
        if number >= n {
            return Err(self.url_index.damaged("numbers of URLs below their number"));
        }
        let place = |number| URL_ENTRY * u64::from(number) + 8;
        let [start] = self.url_index.numbers(place(number))?;
        let end = if number + 1 == n {
            self.urls.bytes
        } else {
            self.url_index.numbers::<1>(place(number + 1))?[0]
        };
        let record = self.urls.read(start, end)?;
        postcard::from_bytes(&record).map_err(|_| self.urls.damaged("a URL with its title and bag"))
    }

    /// The number of a URL in its normal form. Reads `O(log n)` places.
    ///
    /// # Errors
    ///
    /// If the crawl does not have it or cannot be read.
    pub fn number_of(&mut self, url: &str) -> Result<u32, CrawlFolderError> {
        let key = url_key(url);
        let (mut low, mut high) = (0, self.description.urls);
        while low < high {
            let middle = low + (high - low) / 2;
            let [found] = self.url_index.numbers(URL_ENTRY * u64::from(middle))?;
            if found < key { low = middle + 1 } else { high = middle }
        }
        // URLs that share a key stand one after the other.
        while low < self.description.urls
            && self.url_index.numbers::<1>(URL_ENTRY * u64::from(low))? == [key]
        {
            if self.url(low)?.url == url {
                return Ok(low);
            }
            low += 1;
        }
        Err(CrawlFolderError::UnknownUrl { url: url.to_owned() })
    }

    /// The pages that are similar to a page, most similar first, with their similarity in thousandths. To those of a page
    /// whose signature another has too come those of that one, with the similarity they have to it.
    ///
    /// # Errors
    ///
    /// If there is no such page or it cannot be read.
    pub fn related(&mut self, number: u32) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        let mut related = self.pairs_of(number)?;
        let place = 4 * u64::from(number);
        let bytes = self.twins.read(place, place + 4)?;
        let twin = bytes.first_chunk::<4>().map_or(number, |bytes| u32::from_le_bytes(*bytes));
        if twin != number {
            let known: BTreeSet<u32> = related.iter().map(|&(page, _)| page).collect();
            let others = self.pairs_of(twin)?.into_iter();
            related.extend(others.filter(|(page, _)| *page != number && !known.contains(page)));
            related.sort_by_key(|&(page, thousandths)| (Reverse(thousandths), page));
        }
        Ok(related)
    }

    fn pairs_of(&mut self, number: u32) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        if number >= self.description.urls {
            return Err(self.pair_index.damaged("numbers of URLs below their number"));
        }
        let [start, end] = self.pair_index.numbers(8 * u64::from(number))?;
        let (start, end) = (start.checked_mul(PAIR_ENTRY), end.checked_mul(PAIR_ENTRY));
        let (Some(start), Some(end)) = (start, end) else {
            return Err(self.pair_index.damaged("places within the pairs"));
        };
        let bytes = self.pairs.read(start, end)?;
        let (entries, _) = bytes.as_chunks::<{ PAIR_ENTRY as usize }>();
        let entry = |&[a, b, c, d, e, f]: &[u8; 6]| {
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
        };
        Ok(entries.iter().map(entry).collect())
    }

    /// The word that stands for each term, for people.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn words(&self) -> Result<BTreeMap<TermId, Box<str>>, CrawlFolderError> {
        let path = || self.words.clone();
        let bytes = fs::read(&self.words)
            .map_err(|error| CrawlFolderError::Unreadable { path: path(), error })?;
        postcard::from_bytes(&bytes).map_err(|_| CrawlFolderError::Damaged {
            path: path(),
            expected: "a word for each term",
        })
    }

    /// The centers of all pages, each a page's number: 4 bytes a page.
    ///
    /// # Errors
    ///
    /// If they cannot be read or name a page that is none.
    pub fn centers(&mut self) -> Result<Vec<u32>, CrawlFolderError> {
        let n = self.description.urls;
        let mut centers = Vec::with_capacity(n as usize);
        let step = MOST_BYTES;
        let mut start = 0;
        while start < self.centers.bytes {
            let end = (start + step).min(self.centers.bytes);
            let bytes = self.centers.read(start, end)?;
            let (chunks, _) = bytes.as_chunks::<4>();
            centers.extend(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)));
            start = end;
        }
        if centers.iter().any(|&center| center >= n) {
            return Err(self.centers.damaged("centers that are pages"));
        }
        Ok(centers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::output::{OfUrls, PairWriter, UrlWriter, finish};
    use crate::crawl::sorting::StoredPair;
    use tempfile::TempDir;

    fn url(number: u32) -> String {
        format!("https://{number}.example/")
    }

    fn crawled(url: &str) -> CrawledUrl {
        let bag = vec![(7, 1), (9, url.len() as u16)];
        CrawledUrl { url: url.to_owned(), title: format!("Title of {url}"), fragments: 3, bag }
    }

    /// Five URLs, of which the first in their order is like the second and the fourth.
    fn crawl() -> (TempDir, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let mut urls: Vec<String> = (0..5).map(url).collect();
        urls.sort_by_key(|url| url_key(url));
        let mut writer = UrlWriter::create(folder.path()).unwrap();
        for url in &urls {
            writer.push(&crawled(url)).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), 5);
        let mut writer = PairWriter::create(folder.path(), 5).unwrap();
        let pair = |page, other, thousandths| StoredPair { page, other, thousandths };
        writer.push(&[pair(0, 3, 700), pair(0, 1, 300), pair(1, 0, 300)]).unwrap();
        writer.push(&[pair(3, 0, 700)]).unwrap();
        assert_eq!(writer.finish().unwrap(), 4);
        let description = Description { version: CRAWL_VERSION, urls: 5, pairs: 2, threshold: 200 };
        let words = [(7, "rye".into())].into();
        let of_urls = OfUrls { centers: &[0, 0, 2, 0, 4], twins: &[0, 1, 2, 0, 4] };
        finish(folder.path(), &words, of_urls, &description).unwrap();
        (folder, urls)
    }

    #[test]
    fn what_was_written_is_found() {
        let (folder, urls) = crawl();
        let mut crawl = CrawlFolder::open(folder.path()).unwrap();
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(crawl.number_of(url).unwrap(), number);
            let found = crawl.url(number).unwrap();
            assert_eq!(found, crawled(url));
        }
        let related: Vec<_> = (0..5).map(|page| crawl.related(page).unwrap()).collect();
        assert_eq!(
            related,
            [vec![(3, 700), (1, 300)], vec![(0, 300)], vec![], vec![(0, 700), (1, 300)], vec![]]
        );
        assert_eq!(crawl.centers().unwrap(), [0, 0, 2, 0, 4]);
        assert_eq!(&*crawl.words().unwrap()[&7], "rye");
        let error = crawl.number_of("https://none.example/").unwrap_err().to_string();
        assert!(error.contains("https://none.example/"), "{error}");
        assert!(crawl.url(5).is_err() && crawl.related(5).is_err());
    }

    #[test]
    fn a_folder_that_is_none_or_damaged_is_refused() {
        let error = |folder: &Path| CrawlFolder::open(folder).unwrap_err().to_string();
        let none = tempfile::tempdir().unwrap();
        assert!(error(none.path()).contains("found no crawl.json"));
        for name in ["urls.index", "pairs", "pairs.index", "centers", "twins"] {
            let (folder, _) = crawl();
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            let error = error(folder.path());
            assert!(error.contains(name) && error.contains("damaged"), "{error}");
        }
        let (folder, _) = crawl();
        let path = folder.path().join(DESCRIPTION_NAME);
        let json = fs::read_to_string(&path).unwrap();
        fs::write(&path, json.replace("\"version\": 1", "\"version\": 2")).unwrap();
        assert!(error(folder.path()).contains("found version 2"));
        fs::write(&path, "{}").unwrap();
        assert!(error(folder.path()).contains("damaged"));
    }

    #[test]
    fn any_flipped_byte_is_an_answer_or_an_error() {
        let (folder, urls) = crawl();
        for name in ["urls", "urls.index", "pairs", "pairs.index", "centers", "twins"] {
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 0xff;
                fs::write(&path, &flipped).unwrap();
                let mut crawl = CrawlFolder::open(folder.path()).unwrap();
                for (number, url) in (0..).zip(&urls) {
                    let _ = (crawl.url(number), crawl.number_of(url), crawl.related(number));
                }
                let _ = crawl.centers();
            }
            fs::write(&path, bytes).unwrap();
        }
    }
}
