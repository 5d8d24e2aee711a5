//! What each page links to, into buckets on disk, from which
//! [`assemble`](crate::rank::assemble) makes a graph.
//!
//! URLs are known by their [`url_key`], in whose order they are numbered: a link is two keys, in
//! the bucket of its target, and beside it each URL is written with its key's bucket.
//!
//! # Quirk
//!
//! Two URLs that share a key, as two of 20 million do once in 100,000 crawls, are one, under the
//! name that comes first in the alphabet.

use std::io;
use std::path::Path;

use pagekin_pairs::disk::partitions::{Spread, bucket_of};
use pagekin_pairs::disk::records::encode;
use serde::{Deserialize, Serialize};

use crate::folder::format::url_key;

/// The files that URLs are spread over, and those that links are.
pub(crate) const BUCKETS: u32 = 256;
/// What the files of buckets are called.
pub(crate) const URLS: &str = "linked-urls";
pub(crate) const LINKS: &str = "links";
/// Bytes of a link.
pub(crate) const LINK_BYTES: usize = 16;
/// URLs that are known to be written: navigation is linked to by page after page.
const REMEMBERED: usize = 1 << 16;

/// What a page links to. All URLs are in their [normal form](pagekin_pages::site::normal_url).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlLinks {
    /// Its URL.
    pub url: String,
    /// Its title, or empty.
    pub title: String,
    /// The URLs that it links to, in any order. What is there twice counts once, and the page
    /// itself not at all.
    pub targets: Vec<String>,
}

/// That there is a URL.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LinkMention<'a> {
    pub(crate) url: &'a str,
    /// The title, possibly empty, of a page that was read.
    pub(crate) title: Option<&'a str>,
}

/// Buckets that take links.
#[derive(Debug)]
pub struct LinkBuckets {
    urls: Spread,
    links: Spread,
    /// By the low bits of their keys, URLs that are written.
    written: Vec<Option<u64>>,
    bytes: Vec<u8>,
}

impl LinkBuckets {
    /// Empty buckets, as files in a folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            urls: Spread::create(folder, URLS, BUCKETS)?,
            links: Spread::create(folder, LINKS, BUCKETS)?,
            written: vec![None; REMEMBERED],
            bytes: Vec::new(),
        })
    }

    /// Takes what a page links to.
    ///
    /// # Errors
    ///
    /// If the disk does not take it.
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

    /// Puts all of it on disk.
    ///
    /// # Errors
    ///
    /// If the disk does not take the last of it.
    pub fn finish(self) -> io::Result<()> {
        self.urls.close()?;
        self.links.close()
    }
}
