//! The index of the last build, which a new one can reuse.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::IndexParams;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::Manifest;
use pagekin_pages::Observer;

use crate::build::layout::placement::{Arrangement, Places};
use crate::build::layout::shard_plan::Plan;
use crate::build::options::{BuildOptions, Layout};
use crate::build::pages::vocabulary::WeightedPage;
use crate::read::error::FolderError;
use crate::read::folder::LocalIndex;
use crate::read::related_shard;

#[derive(Debug)]
pub(crate) struct Previous {
    folder: LocalIndex,
    pub(crate) manifest: Manifest,
    /// The number of each page by URL.
    pub(crate) places: BTreeMap<String, u32>,
    /// The entry of its related pages, if it has any.
    pub(crate) related: Option<related_shard::RelatedEntry>,
}

/// Opens the index that a build of pages with these URLs reuses, if it can.
pub(crate) fn followed<'a>(
    options: &BuildOptions,
    params: IndexParams,
    urls: impl ExactSizeIterator<Item = &'a str>,
    observer: &dyn Observer,
) -> Option<Previous> {
    let folder = options.previous.as_deref()?;
    let rebuild = |why: &str| {
        observer.warn(&format!(
            "not reusing the index at {} ({why}): rebuilding from scratch",
            folder.display()
        ));
        None
    };
    let previous = match Previous::read_from(folder, options, params) {
        Ok(previous) => previous,
        Err(why) => return rebuild(&why),
    };
    let n = urls.len() as u32;
    let kept = urls.filter(|url| previous.places.contains_key(*url)).count();
    if previous.is_outgrown(n, kept as u32) {
        return rebuild("too much of the site is new");
    }
    Some(previous)
}

impl Previous {
    /// Reads the index in `folder`. The error says why it cannot be reused.
    fn read_from(
        folder: &Path,
        options: &BuildOptions,
        params: IndexParams,
    ) -> Result<Self, String> {
        let index = LocalIndex::open(folder).map_err(|error| error.to_string())?;
        let manifest = index.index().manifest().clone();
        let packs = manifest.blocks.is_packed();
        let differs = if manifest.params != params {
            Some("other parameters or another seed")
        } else if manifest.base_url != options.reading.base_url {
            Some("another base URL")
        } else if packs != (options.layout == Layout::Packs) {
            Some("another layout")
        } else if options.block_pages.is_some_and(|pages| pages != manifest.block_pages) {
            Some("another block size")
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
        let related = index.read(related_shard::ENTRY_NAME).ok();
        let related = related
            .and_then(|bytes| related_shard::RelatedEntry::decode(&bytes, &manifest.base_url).ok());
        Ok(Self { folder: index, manifest, places, related })
    }

    /// Keeps the numbers of shards. Those of related pages are new if the index has none.
    pub(crate) fn plan(&self, new: Plan) -> Plan {
        Plan {
            read_whole: self.manifest.read_whole,
            list_shards: self.manifest.lists.shards,
            table_shards: self.manifest.tables.shards,
            address_shards: self.manifest.addresses.shards,
            related_shards: self.related.as_ref().map_or(new.related_shards, |entry| entry.shards),
            sketch_values: self.manifest.sketch_values,
            ..new
        }
    }

    /// Places the pages of a site, the known ones where they were.
    pub(crate) fn arrange(
        &self,
        pages: &[WeightedPage],
        signatures: &[Signature],
        order: &[u32],
    ) -> Arrangement {
        let Manifest { params, blocks, block_pages, .. } = &self.manifest;
        let tables = params.make_tables().expect("a manifest that was read has tables");
        let places =
            Places { by_url: &self.places, blocks: blocks.shards, block_pages: *block_pages };
        Arrangement::keeping(places, pages, signatures, &tables, order)
    }

    /// Reads one of its files. Returns `None` if this fails.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.folder.read(name).ok()
    }

    /// Returns whether to lay out a site of `n` pages, `kept` of which the index contains, from
    /// scratch: over a fifth of the pages are new, or the number of empty slots implies that over
    /// a third of the pages were removed.
    fn is_outgrown(&self, n: u32, kept: u32) -> bool {
        let (n, new) = (u64::from(n), u64::from(n - kept));
        let slots = u64::from(self.manifest.slots());
        let room = 3 * ROOM / 2;
        5 * new > n || slots > room * (n + u64::from(self.manifest.block_pages))
    }
}

/// Maximum number of slots per page in a new index: see [`slots_of_blocks`].
const ROOM: u64 = 4;

/// Slots per block of a new index whose largest block has `largest` of the `n` pages. Blocks can
/// take in new pages, but cannot grow without bounds. A power of two, unless `largest` is more.
pub(crate) fn slots_of_blocks(largest: u32, blocks: u32, n: u32) -> u32 {
    let mean = n.div_ceil(blocks.max(1));
    (mean * ROOM as u32 / 2).next_power_of_two().max(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::from_site::build_pages;
    use crate::build::from_site::tests::Neighbors;
    use crate::build::options::Assets;
    use pagekin_core::Preset;
    use pagekin_core::shard::Shards;
    use pagekin_pages::Silent;

    fn options(place: &tempfile::TempDir) -> BuildOptions {
        BuildOptions::new("", place.path().join("index"))
    }

    /// Builds an index of twenty pages.
    fn built() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        build_pages(&options(&place), &Neighbors(20), &Assets::default(), &Silent).unwrap();
        place
    }

    fn read(
        place: &tempfile::TempDir,
        change: impl FnOnce(&mut BuildOptions),
    ) -> Result<Previous, String> {
        let options = options(place).with(change);
        Previous::read_from(&options.output, &options, Preset::Web.params(options.seed))
    }

    #[test]
    fn a_previous_index_keeps_its_numbers_and_places() {
        let place = built();
        let mut previous = read(&place, |_| {}).unwrap();
        let expected = previous.folder.numbered_records().unwrap();
        let expected: BTreeMap<_, _> =
            expected.into_iter().map(|(number, record)| (record.url, number)).collect();
        assert_eq!(previous.places, expected);
        assert_eq!(previous.places.len(), 20);
        let new = Plan {
            read_whole: false,
            blocks: crate::build::layout::shard_plan::BlockRule::Pages(1),
            list_shards: 91,
            table_shards: 92,
            address_shards: 93,
            related_shards: 94,
            sketch_values: 95,
            sketch_pages: 96,
        };
        let manifest = &mut previous.manifest;
        manifest.read_whole = true;
        manifest.lists = Shards::from_files(1);
        manifest.tables = Shards::from_files(2);
        manifest.addresses = Shards::from_files(3);
        manifest.sketch_values = 5;
        let shards = previous.related.as_ref().unwrap().shards;
        let kept = Plan {
            read_whole: true,
            list_shards: 1,
            table_shards: 2,
            address_shards: 3,
            related_shards: shards,
            sketch_values: 5,
            ..new
        };
        assert_eq!(previous.plan(new), kept);
        previous.related = None;
        assert_eq!(previous.plan(new), Plan { related_shards: 94, ..kept });
        assert_eq!(previous.read("no file"), None);
        let manifest = std::fs::read(place.path().join("index/pagekin.manifest")).unwrap();
        assert_eq!(previous.read("pagekin.manifest"), Some(manifest));
    }

    #[test]
    fn an_index_with_other_options_is_not_reused() {
        let place = built();
        let refused = |change: &dyn Fn(&mut BuildOptions), part: &str| {
            let why = read(&place, change).err().unwrap_or_default();
            assert!(why.contains(part), "{why:?}");
        };
        refused(&|options| options.seed += 1, "another seed");
        refused(&|options| options.reading.base_url = "/docs/".to_owned(), "another base URL");
        refused(&|options| options.layout = Layout::Packs, "another layout");
        let pages = read(&place, |_| {}).unwrap().manifest.block_pages;
        refused(&|options| options.block_pages = Some(pages + 1), "another block size");
        refused(&|options| options.output.push("none"), "none");
        assert!(read(&place, |options| options.block_pages = Some(pages)).is_ok());
    }

    #[test]
    fn an_index_is_outgrown_by_a_fifth_of_new_pages_or_many_empty_slots() {
        let place = built();
        let mut previous = read(&place, |_| {}).unwrap();
        previous.manifest.block_pages = 4;
        previous.manifest.blocks = Shards::from_files(100);
        // 20 of 100 pages may be new.
        assert!(!previous.is_outgrown(100, 80) && previous.is_outgrown(100, 79));
        // Six slots per page, and six for each page of one more block.
        assert!(!previous.is_outgrown(63, 63) && previous.is_outgrown(62, 62));
        let followed = |n: u64| {
            let urls: Vec<String> = (0..n).map(|at| format!("/{at}.html")).collect();
            let options =
                options(&place).with(|options| options.previous = Some(options.output.clone()));
            let params = Preset::Web.params(options.seed);
            followed(&options, params, urls.iter().map(String::as_str), &Silent).is_some()
        };
        assert!(followed(25) && !followed(26));
    }

    #[test]
    fn blocks_of_a_new_index_have_twice_the_slots_of_their_mean() {
        assert_eq!(slots_of_blocks(10, 4, 40), 32);
        assert_eq!(slots_of_blocks(10, 4, 32), 16);
        assert_eq!(slots_of_blocks(10, 4, 33), 32);
        assert_eq!(slots_of_blocks(70, 4, 40), 70);
        assert_eq!(slots_of_blocks(3, 0, 3), 8);
    }
}
