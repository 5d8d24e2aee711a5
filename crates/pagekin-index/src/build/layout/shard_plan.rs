//! How many files an index is cut into.
//!
//! A lookup reads some shards of lists and some blocks, each a request: small shards cost few
//! bytes, and many files. So shards are as small as the number of files allows, which is a third of
//! the pages (or 2,500), and never more than the host takes.

use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_pages::site::read::SKETCH_VALUES;

use crate::build::options::{BuildOptions, Layout};

/// The bytes of a block, unless that makes too many files: a smaller one has fewer of the kin, and
/// a larger one more strangers.
const BLOCK_BYTES: f64 = 2_000.0;
/// Of records of a few lines, which are of fewer bytes than these, a block has so many instead:
/// they have no kin to lie beside.
const SHORT_RECORD: f64 = 50.0;
const SHORT_RECORDS: f64 = 18.0;
/// The bytes of records of a site that is read whole, and its most blocks: with room for two more.
const WHOLE_BYTES: f64 = 32_000.0;
const WHOLE_BLOCKS: f64 = MAX_BLOCKS as f64 - 2.0;
/// The most pages of a block, however short they are.
const MAX_BLOCK_PAGES: u32 = 128;
/// A site of so many pages or fewer needs no more blocks than one of few words.
const WHOLE_PAGES: u32 = 128;
/// Terms for which there is one shard of lists: however they fall, each has 64, and a long text
/// finds several of its own.
const LIST_TERMS: u32 = 112;
/// A site of more pages has LSH tables: there a term has so many pages that its list must be cut,
/// and of thousands of near-copies the cut keeps any. And pages for which there is one table shard.
const TABLES_FROM: u32 = 100_000;
const TABLE_PAGES: u32 = 24;
/// Pages for which there is one shard of related pages.
const RELATED_PAGES: u32 = 64;
/// Pages of a shard of sketches, about.
const SKETCH_PAGES: u32 = 24;
/// The pages of a shard of sketches beyond which it has fewer values of each, and the fewest of
/// these.
const FEWER_VALUES: u32 = 96;
const MIN_SKETCH_VALUES: u32 = 16;
/// Pages for which there is one address shard.
const ADDRESS_PAGES: u32 = 1_024;
/// Files that are no shards: the manifest, the page, the client.
const OTHER_FILES: u32 = 40;
/// Up to so many files, nobody minds; beyond, a site has one for three pages.
const FREE_FILES: u32 = 2_500;
const FILE_PAGES: u32 = 3;

/// What of a site the numbers depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteSize {
    /// At least one.
    pub(crate) pages: u32,
    /// Distinct terms.
    pub(crate) terms: u32,
    /// The bytes of all records.
    pub(crate) record_bytes: f64,
}

/// How pages become blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BlockRule {
    /// Of so many bytes, and of at most so many pages.
    Bytes { target: f64, most_pages: u32 },
    /// Of so many pages.
    Pages(u32),
}

/// The numbers of shards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    pub(crate) blocks: BlockRule,
    /// At most; none if all blocks are read.
    pub(crate) list_shards: u32,
    /// None if there are lists that serve as well, or all blocks are read.
    pub(crate) table_shards: u32,
    pub(crate) address_shards: u32,
    pub(crate) related_shards: u32,
    pub(crate) sketch_values: u16,
    /// Pages whose sketches are stored together, about.
    pub(crate) sketch_pages: u32,
}

impl Plan {
    /// For a site.
    pub(crate) fn new(size: SiteSize, options: &BuildOptions) -> Self {
        let SiteSize { pages: n, terms, record_bytes } = size;
        let files = options.max_files.min((n / FILE_PAGES).max(FREE_FILES)) - OTHER_FILES;
        let left = match options.layout {
            Layout::Files => files,
            Layout::Packs => u32::MAX,
        };
        let address_shards = n.div_ceil(ADDRESS_PAGES).clamp(1, left / 80);
        // These are files in any layout, and in packs nearly the only ones.
        let for_related = match options.layout {
            Layout::Files => files / 5,
            Layout::Packs => (options.max_files - OTHER_FILES) / 4 * 3,
        };
        let related_shards = n.div_ceil(RELATED_PAGES).clamp(1, for_related);
        let left = left - address_shards - related_shards.min(left / 5);
        let sketch_pages = n.div_ceil(left / 5).max(SKETCH_PAGES);
        // If more pages lie together than a lookup wants, it reads less of each.
        let values = u32::from(SKETCH_VALUES) * FEWER_VALUES / sketch_pages.max(FEWER_VALUES);
        let sketch_values = values.max(MIN_SKETCH_VALUES) as u16;
        // Blocks are not of exactly as many pages as sketches are planned for, and one of more has
        // a shard of sketches of its own.
        let with_sketches = left;
        let left = left - left / 4;
        let read_whole = match options.block_pages {
            Some(pages) => n.div_ceil(pages) as usize <= MAX_BLOCKS,
            None => n <= WHOLE_PAGES || record_bytes <= WHOLE_BYTES,
        };
        let has_tables = !read_whole && options.tables.unwrap_or(n > TABLES_FROM);
        let table_shards = if has_tables { n.div_ceil(TABLE_PAGES).min(left / 4) } else { 0 };
        let left = left - table_shards;
        // A lookup reads as many of the one as of the other, and a list that is asked for is longer
        // than others.
        let list_shards = if read_whole { 0 } else { (terms / LIST_TERMS).clamp(1, left / 2) };
        let each_with_its_own = (with_sketches - table_shards - list_shards) / 2;
        let most_blocks = f64::from((left - list_shards).min(each_with_its_own));
        let blocks = match options.block_pages {
            Some(pages) => BlockRule::Pages(pages.max(n.div_ceil(most_blocks as u32))),
            None => BlockRule::Bytes {
                target: match read_whole {
                    true => (record_bytes / WHOLE_BLOCKS).max(BLOCK_BYTES),
                    // Blocks are not quite full.
                    false => (1.05 * record_bytes / most_blocks)
                        .max(block_bytes(record_bytes / f64::from(n))),
                },
                most_pages: MAX_BLOCK_PAGES.max((1.5 * f64::from(n) / most_blocks) as u32),
            },
        };
        Self {
            blocks,
            list_shards,
            table_shards,
            address_shards,
            related_shards,
            sketch_values,
            sketch_pages,
        }
    }
}

/// The bytes of a block of records of so many bytes each.
fn block_bytes(of_record: f64) -> f64 {
    if of_record < SHORT_RECORD { SHORT_RECORDS * of_record } else { BLOCK_BYTES }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(n: u32, layout: Layout, max_files: u32, bytes: f64) -> Plan {
        let options = BuildOptions { layout, max_files, ..BuildOptions::new("", "") };
        // Vocabularies grow with the square root of the pages.
        let terms = (f64::from(n).sqrt() * 600.0) as u32;
        let size = SiteSize { pages: n, terms, record_bytes: bytes * f64::from(n) };
        Plan::new(size, &options)
    }

    #[test]
    fn files_are_at_most_a_third_of_the_pages_and_no_more_than_allowed() {
        for n in [1, 71, 1_024, 1_025, 10_000, 32_900, 100_000, 300_000, 1_000_000, 20_000_000] {
            for max_files in [BuildOptions::MIN_FILES, 1_000, 20_000] {
                for bytes in [40.0, 200.0] {
                    let plan = plan(n, Layout::Files, max_files, bytes);
                    let BlockRule::Bytes { target, most_pages } = plan.blocks else {
                        panic!("blocks by bytes");
                    };
                    let by_bytes = bytes * f64::from(n) / (target / 1.04);
                    let blocks = by_bytes.max(f64::from(n.div_ceil(most_pages))).ceil() as u32;
                    // Shards of sketches are of whole blocks.
                    let fill = n.div_ceil(blocks);
                    let together = ((plan.sketch_pages + fill / 2) / fill).max(1);
                    let files = blocks
                        + plan.list_shards
                        + plan.table_shards
                        + plan.address_shards
                        + plan.related_shards
                        + blocks.div_ceil(together)
                        + OTHER_FILES;
                    assert!(files <= max_files, "{n} pages, {max_files} files: {files}, {plan:?}");
                    assert!(files <= 2_500.max(n / 3), "{n} pages: {files} files");
                    assert_eq!(plan.table_shards > 0, n > TABLES_FROM, "{n} pages");
                }
            }
        }
    }

    #[test]
    fn packs_have_small_shards_at_any_size() {
        let plan = plan(1_000_000, Layout::Packs, 20_000, 60.0);
        let blocks = BlockRule::Bytes { target: BLOCK_BYTES, most_pages: MAX_BLOCK_PAGES };
        assert_eq!((plan.blocks, plan.table_shards, plan.list_shards), (blocks, 41_667, 5_357));
        assert_eq!((plan.sketch_pages, plan.sketch_values), (24, 64));
        assert_eq!((plan.address_shards, plan.related_shards), (977, 14_970));
    }

    #[test]
    fn blocks_of_short_records_have_few_bytes() {
        assert_eq!(block_bytes(40.0), 720.0);
        // From here on records have kin to lie beside.
        assert_eq!(block_bytes(50.0), 2_000.0);
        assert_eq!(block_bytes(400.0), 2_000.0);
    }

    #[test]
    fn a_small_site_is_read_whole() {
        let size = |pages, record_bytes| SiteSize { pages, terms: 5_000, record_bytes };
        let options = |tables| BuildOptions { tables, ..BuildOptions::new("", "") };
        let lists = |pages, bytes| Plan::new(size(pages, bytes), &options(Some(true))).list_shards;
        assert_eq!([lists(128, 1e6), lists(9_999, 32_000.0)], [0, 0]);
        assert_eq!([lists(129, 32_001.0), lists(9_999, 1e6)], [44, 44]);
        let tables = |pages, tables| {
            let options = BuildOptions { layout: Layout::Packs, ..options(tables) };
            Plan::new(size(pages, 1e7), &options).table_shards
        };
        assert_eq!([tables(128, Some(true)), tables(2_400, Some(true))], [0, 100]);
        assert_eq!([tables(100_000, None), tables(100_001, None)], [0, 4_167]);
        assert_eq!(tables(200_000, Some(false)), 0);
        // Blocks of a given number of pages: as many as are read at once, or lists.
        let of_pages = |pages| {
            let options = BuildOptions { block_pages: Some(4), ..options(Some(true)) };
            let plan = Plan::new(size(pages, 1e6), &options);
            (plan.blocks, plan.list_shards > 0)
        };
        let whole = 4 * MAX_BLOCKS as u32;
        assert_eq!(of_pages(whole), (BlockRule::Pages(4), false));
        assert_eq!(of_pages(whole + 1), (BlockRule::Pages(4), true));
    }
}
