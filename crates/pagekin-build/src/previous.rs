//! The index of the last build, which a new one can follow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::IndexParams;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::Manifest;

use crate::arranging::{Arrangement, Places};
use crate::folder::{Folder, FolderError};
use crate::planning::{Layout, Plan};
use crate::related;
use crate::weighing::WeighedPage;

/// A previous index.
#[derive(Debug)]
pub(crate) struct Previous {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
    /// The number of each page by its address.
    pub(crate) places: BTreeMap<String, u32>,
    /// The entry of its related pages, if it has them.
    pub(crate) related: Option<related::Entry>,
}

/// What a new index must share with a previous one to follow it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) params: IndexParams,
    pub(crate) base_url: &'a str,
    pub(crate) layout: Layout,
    pub(crate) block_pages: Option<u32>,
}

impl Previous {
    /// Reads the index in `folder`; `Err` says why it cannot be followed.
    pub(crate) fn read_from(folder: &Path, terms: Terms<'_>) -> Result<Self, String> {
        let index = Folder::open(folder).map_err(|error| error.to_string())?;
        let manifest = index.index().manifest().clone();
        let packs = manifest.blocks.slot > 0;
        let differs = if manifest.params != terms.params {
            Some("other parameters or another seed")
        } else if manifest.base_url != terms.base_url {
            Some("another base address")
        } else if packs != (terms.layout == Layout::Packs) {
            Some("another layout")
        } else if terms.block_pages.is_some_and(|pages| pages != manifest.block_pages) {
            Some("blocks of another number of pages")
        } else {
            None
        };
        if let Some(differs) = differs {
            return Err(format!("it was built with {differs}"));
        }
        let mut places = BTreeMap::new();
        let read = |error: FolderError| error.to_string();
        for number in 0..manifest.blocks.shards {
            let block = index.block(number).map_err(read)?;
            let first = number * manifest.block_pages;
            places.extend(block.0.into_iter().map(|(slot, page)| (page.url, first + slot)));
        }
        let related = fs::read(folder.join(related::ENTRY_NAME)).ok();
        let related =
            related.and_then(|bytes| related::Entry::decode(&bytes, &manifest.base_url).ok());
        Ok(Self { folder: folder.to_owned(), manifest, places, related })
    }

    /// The numbers of shards, which stay; those of related pages are new if it had none.
    pub(crate) fn plan(&self, new: Plan) -> Plan {
        Plan {
            block_pages: self.manifest.block_pages,
            table_shards: self.manifest.tables.shards,
            address_shards: self.manifest.addresses.shards,
            related_shards: self.related.as_ref().map_or(new.related_shards, |entry| entry.shards),
            sketch_pages: self.manifest.sketch_pages,
            sketch_values: self.manifest.sketch_values,
        }
    }

    /// Where the pages of a site go: the known ones where they were.
    pub(crate) fn arrange(
        &self,
        pages: &[WeighedPage],
        signatures: &[Signature],
        order: &[u32],
    ) -> Arrangement {
        let Manifest { params, blocks, block_pages, .. } = &self.manifest;
        let tables = params.make_tables().expect("a manifest that was read has tables");
        let places = Places {
            by_url: &self.places,
            blocks: blocks.shards,
            block_pages: *block_pages,
            fill_last: blocks.slot == 0,
        };
        Arrangement::keeping(places, pages, signatures, &tables, order)
    }

    /// The bytes of one of its files, if it can be read.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(name)).ok()
    }

    /// Whether a site of `n` pages of which the index knows `kept` has changed so much that a new arrangement serves
    /// it better: over a fifth of the pages are new, or over a third of the slots are empty.
    pub(crate) fn is_outgrown(&self, n: u32, kept: u32) -> bool {
        let (n, new) = (u64::from(n), u64::from(n - kept));
        let slots = u64::from(self.manifest.slots());
        5 * new > n || 2 * slots > 3 * (n + u64::from(self.manifest.block_pages))
    }
}
