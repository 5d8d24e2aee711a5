//! Plans the number of files of an index.
//!
//! A lookup reads some shards of lists and some blocks, with a request for each. Small shards cost
//! fewer bytes, but more files. So shards are as small as the number of files allows. This is a
//! third of the pages or 2,500, whichever is larger, and never more than the host accepts.

use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_pages::site::read::SKETCH_VALUES;

use crate::build::options::{BuildOptions, Layout};

/// Bytes of a block, unless that makes too many files. A smaller block contains fewer similar
/// pages, a larger one more unrelated pages.
const BLOCK_BYTES: f64 = 2_000.0;
/// Records below this number of bytes contain a few lines. Their blocks have a fixed number of
/// records instead, because similar pages are not adjacent.
const SHORT_RECORD: f64 = 50.0;
const SHORT_RECORDS: f64 = 18.0;
/// Bytes of the records of a site that is read whole, and its maximum number of blocks, with room
/// for two more.
const WHOLE_BYTES: f64 = 32_000.0;
const WHOLE_BLOCKS: f64 = MAX_BLOCKS as f64 - 2.0;
/// Maximum number of pages in a block, however short they are.
const MAX_BLOCK_PAGES: u32 = 128;
/// A site of at most this number of pages is read whole, even if its records are longer.
const WHOLE_PAGES: u32 = 128;
/// Terms per shard of lists. However they are distributed, each shard has at least 64, and a long
/// text finds several of its terms in a shard.
const LIST_TERMS: u32 = 112;
/// Sites with more pages have LSH tables. On such sites, lists of terms are too long to be stored
/// in full, and a truncated list of thousands of near-copies contains arbitrary ones. The second
/// constant is the number of pages per table shard.
const TABLES_FROM: u32 = 100_000;
const TABLE_PAGES: u32 = 24;
/// Pages per shard of related pages.
const RELATED_PAGES: u32 = 64;
/// Approximate number of pages per shard of sketches.
const SKETCH_PAGES: u32 = 24;
/// Shards of sketches with more pages than this have fewer values per sketch, down to a minimum.
const FEWER_VALUES: u32 = 96;
const MIN_SKETCH_VALUES: u32 = 16;
/// Pages per address shard.
const ADDRESS_PAGES: u32 = 1_024;
/// Maximum number of files, which common hosts accept.
const MAX_FILES: u32 = 20_000;
/// Files that are not shards: the manifest, the page, the client.
const OTHER_FILES: u32 = 40;
/// Any site may have this number of files; larger sites have one per three pages.
const FREE_FILES: u32 = 2_500;
const FILE_PAGES: u32 = 3;

/// The size of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteSize {
    pub(crate) pages: u32,
    /// Distinct terms.
    pub(crate) terms: u32,
    /// Those that have embeddings.
    pub(crate) embedded: u32,
    /// Bytes of all records.
    pub(crate) record_bytes: f64,
}

/// How pages are divided into blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BlockRule {
    /// By bytes, with a maximum number of pages.
    Bytes { target: f64, most_pages: u32 },
    /// By number of pages.
    Pages(u32),
}

/// The numbers of shards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// Whether lookups read all blocks.
    pub(crate) read_whole: bool,
    pub(crate) blocks: BlockRule,
    /// Maximum number.
    pub(crate) list_shards: u32,
    /// 0 if lists are sufficient, or if all blocks are read.
    pub(crate) table_shards: u32,
    pub(crate) address_shards: u32,
    pub(crate) related_shards: u32,
    pub(crate) sketch_values: u16,
    /// Approximate number of pages per shard of sketches.
    pub(crate) sketch_pages: u32,
}

impl Plan {
    /// Plans the index of a site.
    pub(crate) fn new(size: SiteSize, options: &BuildOptions) -> Self {
        let SiteSize { pages: n, terms, embedded, record_bytes } = size;
        let files = MAX_FILES.min((n / FILE_PAGES).max(FREE_FILES)) - OTHER_FILES;
        let left = match options.layout {
            Layout::Files => files,
            Layout::Packs => u32::MAX,
        };
        let address_shards = n.div_ceil(ADDRESS_PAGES).clamp(1, left / 80);
        // These are files in any layout, and nearly the only ones in packs.
        let for_related = match options.layout {
            Layout::Files => files / 5,
            Layout::Packs => (MAX_FILES - OTHER_FILES) / 4 * 3,
        };
        let related_shards = n.div_ceil(RELATED_PAGES).clamp(1, for_related);
        let left = left - address_shards - related_shards.min(left / 5);
        let sketch_pages = n.div_ceil(left / 5).max(SKETCH_PAGES);
        // If a shard has more pages than a lookup needs, it reads less of each.
        let values = u32::from(SKETCH_VALUES) * FEWER_VALUES / sketch_pages.max(FEWER_VALUES);
        let sketch_values = values.max(MIN_SKETCH_VALUES) as u16;
        // Blocks vary in size, and a larger block has a shard of sketches of its own.
        let with_sketches = left;
        let left = left - left / 4;
        let read_whole = match options.block_pages {
            Some(pages) => n.div_ceil(pages) as usize <= MAX_BLOCKS,
            None => n <= WHOLE_PAGES || record_bytes <= WHOLE_BYTES,
        };
        let has_tables = !read_whole && options.tables.unwrap_or(n > TABLES_FROM);
        let table_shards = if has_tables { n.div_ceil(TABLE_PAGES).min(left / 4) } else { 0 };
        let left = left - table_shards;
        // A lookup reads as many shards of lists as blocks, and requested lists are longer than
        // others.
        let listed = if read_whole { embedded } else { terms };
        let list_shards = (listed / LIST_TERMS).clamp(listed.min(1), left / 2);
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
            read_whole,
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

/// Bytes of a block, given the mean bytes of a record.
fn block_bytes(of_record: f64) -> f64 {
    if of_record < SHORT_RECORD { SHORT_RECORDS * of_record } else { BLOCK_BYTES }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(n: u32, layout: Layout, bytes: f64) -> Plan {
        let options = BuildOptions { layout, ..BuildOptions::new("", "") };
        // Vocabularies grow with the square root of the pages.
        let terms = (f64::from(n).sqrt() * 600.0) as u32;
        let size = SiteSize { pages: n, terms, embedded: 0, record_bytes: bytes * f64::from(n) };
        Plan::new(size, &options)
    }

    #[test]
    fn files_are_at_most_a_third_of_the_pages_and_no_more_than_allowed() {
        for n in [1, 71, 1_024, 1_025, 10_000, 32_900, 100_000, 300_000, 1_000_000, 20_000_000] {
            for bytes in [40.0, 200.0] {
                let plan = plan(n, Layout::Files, bytes);
                let BlockRule::Bytes { target, most_pages } = plan.blocks else {
                    panic!("blocks by bytes");
                };
                let by_bytes = bytes * f64::from(n) / (target / 1.04);
                let blocks = by_bytes.max(f64::from(n.div_ceil(most_pages))).ceil() as u32;
                // Shards of sketches contain whole blocks.
                let fill = n.div_ceil(blocks);
                let together = ((plan.sketch_pages + fill / 2) / fill).max(1);
                let files = blocks
                    + plan.list_shards
                    + plan.table_shards
                    + plan.address_shards
                    + plan.related_shards
                    + blocks.div_ceil(together)
                    + OTHER_FILES;
                assert!(files <= MAX_FILES, "{n} pages: {files}, {plan:?}");
                assert!(files <= 2_500.max(n / 3), "{n} pages: {files} files");
                assert_eq!(plan.table_shards > 0, n > TABLES_FROM, "{n} pages");
            }
        }
    }

    #[test]
    fn packs_have_small_shards_at_any_size() {
        let plan = plan(1_000_000, Layout::Packs, 60.0);
        let blocks = BlockRule::Bytes { target: BLOCK_BYTES, most_pages: MAX_BLOCK_PAGES };
        assert_eq!((plan.blocks, plan.table_shards, plan.list_shards), (blocks, 41_667, 5_357));
        assert_eq!((plan.sketch_pages, plan.sketch_values), (24, 64));
        assert_eq!((plan.address_shards, plan.related_shards), (977, 14_970));
    }

    #[test]
    fn blocks_of_short_records_have_fewer_bytes() {
        assert_eq!(block_bytes(40.0), 720.0);
        // Longer records have similar neighbors.
        assert_eq!(block_bytes(50.0), 2_000.0);
        assert_eq!(block_bytes(400.0), 2_000.0);
    }

    #[test]
    fn a_small_site_is_read_whole() {
        let of = |pages, embedded, record_bytes| SiteSize {
            pages,
            terms: 5_000,
            embedded,
            record_bytes,
        };
        let size = |pages, record_bytes| of(pages, 0, record_bytes);
        let options = |tables| BuildOptions { tables, ..BuildOptions::new("", "") };
        let lists = |pages, bytes| Plan::new(size(pages, bytes), &options(Some(true))).list_shards;
        assert_eq!([lists(128, 1e6), lists(9_999, 32_000.0)], [0, 0]);
        assert_eq!([lists(129, 32_001.0), lists(9_999, 1e6)], [44, 44]);
        // Lists of a site that is read whole are of the words that have embeddings.
        let small = |embedded| {
            let plan = Plan::new(of(128, embedded, 1e6), &options(None));
            (plan.read_whole, plan.list_shards)
        };
        assert_eq!([small(0), small(1), small(2_300)], [(true, 0), (true, 1), (true, 20)]);
        let tables = |pages, tables| {
            let options = BuildOptions { layout: Layout::Packs, ..options(tables) };
            Plan::new(size(pages, 1e7), &options).table_shards
        };
        assert_eq!([tables(128, Some(true)), tables(2_400, Some(true))], [0, 100]);
        assert_eq!([tables(100_000, None), tables(100_001, None)], [0, 4_167]);
        assert_eq!(tables(200_000, Some(false)), 0);
        // With a fixed number of pages per block, all blocks are read, or there are lists.
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
