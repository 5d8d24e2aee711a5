//! Writes the links of pages to buckets on disk, from which [`assemble`](crate::rank::assemble)
//! builds a graph.
//!
//! URLs are identified by their [`url_key`], which also defines their order. A link is two keys, in
//! the bucket of its target. Each URL is also written to the bucket of its own key.
//!
//! # Quirk
//!
//! Two URLs with the same key, as occur among 20 million URLs once in 100,000 crawls, are merged
//! under the alphabetically first URL.

use std::io;
use std::path::Path;

use pagekin_pairs::disk::partitions::{Spread, bucket_of};
use pagekin_pairs::disk::records::encode;
use serde::{Deserialize, Serialize};

use crate::folder::format::url_key;

/// Number of files that URLs, and links, are distributed over.
pub(crate) const BUCKETS: u32 = 256;
/// Prefixes of the names of the files.
pub(crate) const URLS: &str = "linked-urls";
pub(crate) const LINKS: &str = "links";
/// Bytes of a link.
pub(crate) const LINK_BYTES: usize = 16;
/// Number of recent URLs that are not written again: navigation repeats on page after page.
const REMEMBERED: usize = 1 << 16;

/// The links of a page. All URLs are in their [normal form](pagekin_pages::site::normal_url).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlLinks {
    /// URL of the page.
    pub url: String,
    /// Title of the page, or empty.
    pub title: String,
    /// URLs that the page links to, in any order. Duplicates count once, and the page itself does
    /// not count.
    pub targets: Vec<String>,
}

/// A URL that was read or linked to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LinkMention<'a> {
    pub(crate) url: &'a str,
    /// Title of a page that was read, possibly empty.
    pub(crate) title: Option<&'a str>,
}

/// Writes links to buckets.
#[derive(Debug)]
pub struct LinkBuckets {
    urls: Spread,
    links: Spread,
    /// URLs that are written, by the low bits of their keys.
    written: Vec<Option<u64>>,
    bytes: Vec<u8>,
}

impl LinkBuckets {
    /// Creates empty buckets, as files in a folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            urls: Spread::create(folder, URLS, BUCKETS)?,
            links: Spread::create(folder, LINKS, BUCKETS)?,
            written: vec![None; REMEMBERED],
            bytes: Vec::new(),
        })
    }

    /// Adds the links of a page.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn push(&mut self, page: &UrlLinks) -> io::Result<()> {
        let source = url_key(&page.url);
        self.mention(source, &LinkMention { url: &page.url, title: Some(&page.title) })?;
        for url in &page.targets {
            let target = url_key(url);
            let remembered = target as usize % REMEMBERED;
            if self.written[remembered].replace(target) != Some(target) {
                self.mention(target, &LinkMention { url, title: None })?;
            }
            if target != source {
                let mut link = [0; LINK_BYTES];
                link[..8].copy_from_slice(&target.to_ne_bytes());
                link[8..].copy_from_slice(&source.to_ne_bytes());
                self.links.write(bucket_of(target, BUCKETS), &link)?;
            }
        }
        Ok(())
    }

    fn mention(&mut self, key: u64, mention: &LinkMention<'_>) -> io::Result<()> {
        encode(mention, &mut self.bytes)?;
        self.urls.write(bucket_of(key, BUCKETS), &self.bytes)
    }

    /// Writes the remaining data.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(self) -> io::Result<()> {
        self.urls.close()?;
        self.links.close()
    }
}
