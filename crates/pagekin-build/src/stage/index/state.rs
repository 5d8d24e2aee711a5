//! What is settled of an index so far, on its way from step to step.

use std::fs;
use std::io::{Error, ErrorKind, Write};
use std::ops::Range;
use std::path::Path;

use pagekin_core::shard::{ListShard, Manifest};
use serde::{Deserialize, Serialize};

use crate::index::placement::{STRETCH, Taken};
use crate::index::postings;
use crate::stage::error::StageError;
use crate::stage::rows::{Out, encode};

/// Into how many buckets lists are spread, at most.
const LIST_BUCKETS: u32 = 256;

/// The state of an index.
#[derive(Debug)]
pub(super) struct State {
    pub(super) manifest: Manifest,
    /// The postings of all lists.
    pub(super) postings: u64,
    /// The pages of each block; none before pages are arranged.
    pub(super) blocks: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    manifest: Vec<u8>,
    postings: u64,
    blocks: Vec<u32>,
}

impl State {
    /// Reads what [`put`](Self::put) wrote.
    pub(super) fn read(path: &Path) -> Result<Self, StageError> {
        let failed = |source| StageError::File { path: path.to_owned(), source };
        let invalid = |what: String| failed(Error::new(ErrorKind::InvalidData, what));
        let bytes = fs::read(path).map_err(failed)?;
        let Written { manifest, postings, blocks } = postcard::from_bytes(&bytes)
            .map_err(|_| invalid("expected the bytes of a row of kind index".to_owned()))?;
        let manifest = Manifest::decode(&manifest).map_err(|error| invalid(error.to_string()))?;
        let pages: u64 = blocks.iter().copied().map(u64::from).sum();
        let largest = blocks.iter().max().is_some_and(|&most| most > manifest.block_pages);
        if !blocks.is_empty() && (pages != u64::from(manifest.pages) || largest) {
            return Err(invalid("expected each page in a slot of a block".to_owned()));
        }
        Ok(Self { manifest, postings, blocks })
    }

    pub(super) fn put<W: Write>(&self, out: &mut Out<W>) -> Result<(), StageError> {
        let Self { manifest, postings, blocks } = self;
        let (manifest, blocks) = (manifest.encode(), blocks.clone());
        let mut bytes = Vec::new();
        encode(&Written { manifest, postings: *postings, blocks }, &mut bytes);
        out.put((0, "index", 0), 1, &bytes)
    }

    /// The places of a stretch.
    pub(super) fn stretch(&self, number: u32) -> Range<u32> {
        let n = u64::from(self.manifest.pages);
        let at = |number: u64| (number * STRETCH as u64).min(n) as u32;
        at(number.into())..at(u64::from(number) + 1)
    }

    /// Where the blocks of each stretch begin, and where the last one's end.
    pub(super) fn first_blocks(&self) -> Vec<u32> {
        let (mut firsts, mut place) = (Vec::new(), 0);
        for (block, pages) in (0..).zip(&self.blocks) {
            if place == firsts.len() as u64 * STRETCH as u64 {
                firsts.push(block);
            }
            place += u64::from(*pages);
        }
        firsts.push(self.blocks.len() as u32);
        firsts
    }

    /// The slots and pages of a block whose first page is at `place` of some.
    pub(super) fn block(&self, block: u32, place: u32) -> Vec<Taken> {
        (0..self.blocks[block as usize]).map(|slot| (slot, place + slot)).collect()
    }

    /// How many list shards share a bucket.
    fn shards_of_bucket(&self) -> u32 {
        self.manifest.lists.shards.div_ceil(LIST_BUCKETS).max(1)
    }

    /// The bucket of a list.
    pub(super) fn list_bucket(&self, term: u32) -> i32 {
        (ListShard::number(term, self.manifest.lists.shards) / self.shards_of_bucket()) as i32
    }

    /// The shards of a bucket of lists.
    pub(super) fn list_shards(&self, bucket: u32) -> Range<u32> {
        let (shards, of_bucket) = (self.manifest.lists.shards, self.shards_of_bucket());
        let at = |bucket: u32| bucket.saturating_mul(of_bucket).min(shards);
        at(bucket)..at(bucket.saturating_add(1))
    }

    /// The shards that say of all how likely bits are.
    pub(super) fn telling(&self) -> Range<u32> {
        let parts = postings::parts(self.postings as usize, self.manifest.lists.shards);
        parts.into_iter().next().unwrap_or_default()
    }
}
