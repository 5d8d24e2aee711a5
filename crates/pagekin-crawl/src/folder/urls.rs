//! Iterates over all URLs of a crawl.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::folder::checksums::{BlockReader, CheckedFile};
use crate::folder::error::CrawlFolderError;
use crate::folder::format::{CrawledUrl, URL_ENTRY, url_key};
use crate::folder::places::{MAX_BYTES, Places};

/// Returns the keys of the URLs of a folder in ascending order.
pub(crate) fn url_keys(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<u64>>> {
    let file = File::open(folder.join("urls.index"))?;
    let urls = file.metadata()?.len() / URL_ENTRY;
    let mut index = BufReader::new(file);
    Ok((0..urls).map(move |_| {
        let mut entry = [0; URL_ENTRY as usize];
        index.read_exact(&mut entry)?;
        let key = entry.first_chunk::<8>().unwrap_or(&[0; 8]);
        Ok(u64::from_le_bytes(*key))
    }))
}

/// Iterates over the URLs of a crawl in their order.
#[derive(Debug)]
pub struct CrawledUrls<'a> {
    places: [&'a Places; 2],
    index: BlockReader<&'a CheckedFile>,
    urls: BlockReader<&'a CheckedFile>,
    left: u32,
    /// Index entry of the next URL, if it is already read.
    next: Option<(u64, u64)>,
    /// End of the last record.
    at: u64,
    /// Key and URL of the last record.
    before: Option<(u64, String)>,
}

impl<'a> CrawledUrls<'a> {
    pub(crate) fn new(urls: &'a Places, index: &'a Places, count: u32) -> Self {
        Self {
            places: [urls, index],
            index: index.stream(),
            urls: urls.stream(),
            left: count,
            next: None,
            at: 0,
            before: None,
        }
    }

    fn read(&mut self) -> Result<CrawledUrl, CrawlFolderError> {
        let [urls, url_index] = self.places;
        let (key, start) = match self.next.take() {
            Some(entry) => entry,
            None => self.entry()?,
        };
        let mut end = urls.bytes;
        if self.left > 1 {
            let next = self.entry()?;
            end = next.1;
            self.next = Some(next);
        }
        if start != self.at || !(start..=start.saturating_add(MAX_BYTES)).contains(&end) {
            return Err(url_index.damaged("consecutive offsets"));
        }
        // Allocates while reading: the offset may be past the end.
        let mut record = Vec::new();
        let read = self.urls.by_ref().take(end - start).read_to_end(&mut record);
        read.map_err(|error| self.urls.file.failed(error))?;
        let url = match postcard::take_from_bytes::<CrawledUrl>(&record) {
            Ok((url, [])) if record.len() as u64 == end - start => url,
            _ => return Err(urls.damaged("a URL with its title and bag")),
        };
        let own = (url_key(&url.url), url.url.clone());
        if own.0 != key || self.before.as_ref().is_some_and(|before| *before >= own) {
            return Err(urls.damaged("URLs in the order of their keys, each once"));
        }
        self.at = end;
        self.before = Some(own);
        Ok(url)
    }

    /// Reads the next entry of the index: a key and an offset.
    fn entry(&mut self) -> Result<(u64, u64), CrawlFolderError> {
        let mut number = || {
            let mut bytes = [0; 8];
            self.places[1].fill(&mut self.index, &mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        Ok((number()?, number()?))
    }
}

impl Iterator for CrawledUrls<'_> {
    type Item = Result<CrawledUrl, CrawlFolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let read = self.read();
        self.left = if read.is_ok() { self.left - 1 } else { 0 };
        Some(read)
    }
}
