//! The links of a crawl, as files that are read in place.
//!
//! URLs are numbered from 0 in the order of their keys ([`url_key`]).
//!
//! | file | content |
//! | --- | --- |
//! | `links.json` | [`LINKS_VERSION`] as `version`, and [`LinkCounts`] |
//! | `links.urls` | per URL, the length of its record (u32, little-endian) and a [`LinkedUrl`] |
//! | `links` | per URL, the URLs that link to it: see [`in_links`](crate::rank::in_links) |
//!
//! The files are in the folder of a clustered crawl that kept its links, or in their own folder.
//! They contain all URLs that were read or linked to, with or without a bag.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pagekin_pages::Observer;
use pagekin_pairs::disk::partitions::BUFFER_BYTES;
use pagekin_pairs::disk::records::encode;
use serde::{Deserialize, Serialize};

use crate::folder::checksums::{BlockReader, CheckedFile, Checksums};
use crate::folder::error::CrawlFolderError;
use crate::folder::format::url_key;
use crate::rank::error::RankError;
use crate::rank::in_links::{InLinks, damaged};

/// Version of the files that this program writes. It reads no other version.
pub(crate) const LINKS_VERSION: u32 = 1;

pub(crate) const DESCRIPTION_NAME: &str = "links.json";
pub(crate) const URLS_NAME: &str = "links.urls";
pub(crate) const LINKS_NAME: &str = "links";
pub(crate) const NAMES: [&str; 3] = [DESCRIPTION_NAME, URLS_NAME, LINKS_NAME];

/// Maximum size of a URL with its title, in bytes.
const MAX_BYTES: u32 = 64 << 20;

/// Numbers of URLs and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounts {
    /// Number of URLs that were read or linked to.
    pub urls: u64,
    /// Number of URLs that were read.
    pub read: u64,
    /// Number of links between different URLs.
    pub links: u64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct LinkDescription {
    pub(crate) version: u32,
    #[serde(flatten)]
    pub(crate) counts: LinkCounts,
}

/// A URL of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedUrl {
    /// The URL in its normal form.
    pub url: String,
    /// Title of a page that was read, possibly empty; `None` if the URL was only linked to.
    pub title: Option<String>,
}

#[derive(Debug)]
pub(crate) struct LinkedUrlWriter {
    file: BufWriter<File>,
    bytes: Vec<u8>,
}

impl LinkedUrlWriter {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, File::create_new(path)?);
        Ok(Self { file, bytes: Vec::new() })
    }

    pub(crate) fn push(&mut self, url: &LinkedUrl) -> io::Result<()> {
        encode(url, &mut self.bytes)?;
        self.file.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        self.file.write_all(&self.bytes)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The links of a crawl on disk.
#[derive(Debug)]
pub struct LinkFolder {
    counts: LinkCounts,
    urls: Arc<CheckedFile>,
    links: PathBuf,
    pub(crate) in_links: InLinks<BlockReader<CheckedFile>>,
}

impl LinkFolder {
    /// Opens the files in a folder.
    ///
    /// # Errors
    ///
    /// If there are no files, another version wrote them, or they do not match.
    pub fn open(folder: &Path) -> Result<Self, RankError> {
        let mut sums = Checksums::open(folder)?;
        let mut open = |name| {
            sums.file(name).map_err(|error| match error {
                CrawlFolderError::Unreadable { path, error: source } => {
                    RankError::Links { path, source }
                }
                CrawlFolderError::Damaged { path, expected } => {
                    RankError::Links { path, source: damaged(expected) }
                }
                error => error.into(),
            })
        };
        let description = open(DESCRIPTION_NAME).map_err(|error| match error {
            RankError::Links { source, .. } if source.kind() == ErrorKind::NotFound => {
                RankError::NoLinks { path: folder.to_owned() }
            }
            error => error,
        })?;
        let error = RankError::links(&description.path);
        let json = description.read_whole().map_err(&error)?;
        let LinkDescription { version, counts } = serde_json::from_slice(&json)
            .map_err(|_| error(damaged("the description of links")))?;
        if version != LINKS_VERSION {
            return Err(RankError::OtherVersion {
                path: folder.to_owned(),
                expected: LINKS_VERSION,
                found: version,
            });
        }
        let (urls, links) = (open(URLS_NAME)?, open(LINKS_NAME)?);
        let path = links.path.clone();
        let error = RankError::links(&path);
        let in_links = InLinks::open(BlockReader::new(links)).map_err(&error)?;
        if (u64::from(in_links.nodes()), in_links.links()) != (counts.urls, counts.links) {
            return Err(error(damaged("as many URLs and links as its description specifies")));
        }
        Ok(Self { counts, urls: Arc::new(urls), links: path, in_links })
    }

    /// Returns the numbers of URLs and links.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// Returns an iterator over all URLs in their order.
    ///
    /// # Errors
    ///
    /// None. If a URL cannot be read, is damaged or out of order, the error is the last item.
    pub fn urls(&self) -> Result<LinkedUrls, RankError> {
        let file = BlockReader::new(Arc::clone(&self.urls));
        Ok(LinkedUrls { file, left: self.counts.urls, before: None })
    }

    /// Returns the number of URLs that link to each URL of a crawl, identified by `keys` in
    /// ascending order; 0 for URLs that no page links to.
    pub(crate) fn count_in_links(
        &mut self,
        keys: impl Iterator<Item = io::Result<u64>>,
        observer: &dyn Observer,
    ) -> Result<Vec<u32>, RankError> {
        let mut counts = vec![0; self.counts.urls as usize];
        let counted = self.in_links.pass(&mut counts, observer, |_, counts, lists| {
            counts.iter_mut().try_for_each(|count| lists.next(|_| ()).map(|n| *count = n))
        });
        counted.map_err(self.damaged())?;
        let key_of = |(url, count): (Result<LinkedUrl, _>, u32)| Ok((url_key(&url?.url), count));
        let mut linked = self.urls()?.zip(counts).map(key_of).peekable();
        let mut of_keys = Vec::new();
        for key in keys {
            let key = key.map_err(self.damaged())?;
            let is_before = |next: &Result<(u64, u32), _>| next.as_ref().is_ok_and(|of| of.0 < key);
            while linked.next_if(is_before).is_some() {}
            if let Some(Err(error)) = linked.next_if(Result::is_err) {
                return Err(error);
            }
            let own = linked.peek().and_then(|next| next.as_ref().ok());
            of_keys.push(own.filter(|of| of.0 == key).map_or(0, |of| of.1));
        }
        Ok(of_keys)
    }

    /// Converts errors from the file of links.
    pub(crate) fn damaged(&self) -> impl Fn(io::Error) -> RankError + use<> {
        RankError::links(&self.links)
    }
}

/// Iterates over the URLs of a graph in their order.
#[derive(Debug)]
pub struct LinkedUrls {
    file: BlockReader<Arc<CheckedFile>>,
    left: u64,
    before: Option<u64>,
}

impl LinkedUrls {
    fn read(&mut self) -> io::Result<LinkedUrl> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > MAX_BYTES {
            return Err(damaged("URLs with titles"));
        }
        // Allocates while reading: the file may end early.
        let mut record = Vec::new();
        self.file.by_ref().take(length.into()).read_to_end(&mut record)?;
        let url = match postcard::take_from_bytes::<LinkedUrl>(&record) {
            Ok((url, [])) if record.len() as u64 == u64::from(length) => url,
            _ => return Err(damaged("URLs with titles")),
        };
        let key = url_key(&url.url);
        if self.before.is_some_and(|before| before >= key) {
            return Err(damaged("URLs in the order of their keys, each once"));
        }
        self.before = Some(key);
        Ok(url)
    }
}

impl Iterator for LinkedUrls {
    type Item = Result<LinkedUrl, RankError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let read = self.read();
        self.left = if read.is_ok() { self.left - 1 } else { 0 };
        Some(read.map_err(RankError::links(&self.file.file.path)))
    }
}
