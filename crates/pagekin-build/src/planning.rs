//! How many files an index is cut into.
//!
//! A lookup reads 8 table shards and at most 16 blocks, each a request: small shards cost few bytes, and many files. So
//! shards are as small as the number of files allows, which is an eighth of the pages (or 1,000), and never more than the
//! host takes.

use pagekin_core::lookup::{MAX_BLOCKS, MOST_SKETCHES};
use pagekin_core::{IndexParams, Preset};

/// Up to so many pages are one block.
const ONE_BLOCK: u32 = 128;
/// Up to so many pages, the blocks are so few that a lookup can read them all: about 200 kB once, and nothing
/// for any later lookup.
const SMALL_SITE: u32 = 1_024;
/// Pages of a block of a larger site, unless that makes too many files: a block of fewer pages has fewer of the kin,
/// and one of more has more strangers. And pages for which there is one table shard, and one shard of related pages:
/// with all others, files are an eighth of the pages.
const BLOCK_PAGES: u32 = 32;
const TABLE_PAGES: u32 = 24;
const RELATED_PAGES: u32 = 64;
/// Pages of a shard of sketches: a lookup reads three, so it learns of pages in three places.
const SKETCH_PAGES: u32 = 32;
/// The values of a sketch: the standard error of a part of these is at most 1/16.
pub(crate) const SKETCH_VALUES: u16 = 64;
/// The fewest, on sites that are so large that shards have very many pages.
const LEAST_SKETCH_VALUES: u32 = 16;
/// The more pages a site has, the more of them are like a query and must be compared: with more pages than these, blocks
/// are twice as large, even in packs, which have room for any number.
const LARGE_SITE: u32 = 400_000;
/// Pages for which there is one address shard.
const ADDRESS_PAGES: u32 = 1_024;
/// Files that are no shards: the manifest, the page, the client.
const OTHER_FILES: u32 = 40;
/// The fewest files that may be asked for.
pub(crate) const LEAST_FILES: u32 = 200;

/// How shards become files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Each shard is a file: any host will do.
    #[default]
    Files,
    /// Shards lie in few large files, of which a client asks for ranges of bytes: for hosts that honour them.
    Packs,
}

/// What the numbers of shards depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanRules {
    pub(crate) layout: Layout,
    /// The most files, with everything, at least [`LEAST_FILES`].
    pub(crate) max_files: u32,
    /// Pages of a block, or none to choose by the number of pages.
    pub(crate) block_pages: Option<u32>,
}

/// The numbers of shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) block_pages: u32,
    /// None if all blocks are read.
    pub(crate) table_shards: u32,
    pub(crate) address_shards: u32,
    pub(crate) related_shards: u32,
    pub(crate) sketch_pages: u32,
    pub(crate) sketch_values: u16,
}

impl Plan {
    /// For `n` pages.
    pub(crate) fn new(n: u32, rules: PlanRules, params: IndexParams) -> Self {
        let left = match rules.layout {
            Layout::Files => rules.max_files - OTHER_FILES,
            Layout::Packs => u32::MAX,
        };
        let address_shards = n.div_ceil(ADDRESS_PAGES).clamp(1, left / 80);
        // These are files in any layout, and in packs nearly the only ones.
        let for_related = match rules.layout {
            Layout::Files => (rules.max_files - OTHER_FILES) / 4,
            Layout::Packs => (rules.max_files - OTHER_FILES) / 4 * 3,
        };
        let related_shards = n.div_ceil(RELATED_PAGES).clamp(1, for_related);
        let left = left - address_shards - related_shards.min(left / 4);
        // Blocks may have a few slots more than there are pages.
        let sketch_pages = n.div_ceil(left / 5 - 2).max(SKETCH_PAGES);
        let left = left - n.div_ceil(sketch_pages) - 2;
        // If more pages lie together than a lookup reads, it reads less of each.
        let values = u32::from(SKETCH_VALUES) * MOST_SKETCHES / sketch_pages.max(MOST_SKETCHES);
        let sketch_values = values.max(LEAST_SKETCH_VALUES) as u16;
        // With B blocks and T table shards in F files, a lookup reads about 6 P / B + 8 Q / T bytes, P and Q being the
        // bytes of all pages and of all tables, which are about P / 2 but count half as much again, as a key is the
        // likelier to be asked for the larger its bucket is. The least is at B = T.
        let most_blocks = left / 2;
        let by_size = if n <= ONE_BLOCK {
            ONE_BLOCK
        } else if n <= SMALL_SITE {
            // With room for two more.
            n.div_ceil(MAX_BLOCKS as u32 - 2)
        } else {
            BLOCK_PAGES << u32::from(n > LARGE_SITE)
        };
        let block_pages = rules.block_pages.unwrap_or(by_size).max(n.div_ceil(most_blocks));
        let blocks = n.div_ceil(block_pages);
        // The paper has no such exception.
        let read_whole = blocks as usize <= MAX_BLOCKS && params.preset() != Some(Preset::Paper);
        let table_shards =
            if read_whole { 0 } else { n.div_ceil(TABLE_PAGES).max(blocks / 2).min(left - blocks) };
        Self {
            block_pages,
            table_shards,
            address_shards,
            related_shards,
            sketch_pages,
            sketch_values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_at_most_an_eighth_of_the_pages_and_no_more_than_allowed() {
        let params = Preset::Web.params(1);
        for n in [1, 71, 1_024, 1_025, 10_000, 32_900, 100_000, 300_000, 1_000_000, 20_000_000] {
            for max_files in [LEAST_FILES, 1_000, 20_000] {
                let rules = PlanRules { layout: Layout::Files, max_files, block_pages: None };
                let plan = Plan::new(n, rules, params);
                let blocks = n.div_ceil(plan.block_pages);
                let files = blocks
                    + plan.table_shards
                    + plan.address_shards
                    + plan.related_shards
                    + (blocks * plan.block_pages).div_ceil(plan.sketch_pages)
                    + OTHER_FILES;
                assert!(files <= max_files, "{n} pages, {max_files} files: {plan:?}");
                assert!(files <= 1_000.max(n / 8), "{n} pages: {files} files");
                assert_eq!(plan.table_shards == 0, n <= SMALL_SITE, "{n} pages");
            }
        }
    }

    #[test]
    fn packs_have_small_shards_at_any_size() {
        let rules = PlanRules { layout: Layout::Packs, max_files: 20_000, block_pages: None };
        let plan = Plan::new(1_000_000, rules, Preset::Web.params(1));
        assert_eq!((plan.block_pages, plan.table_shards), (64, 41_667));
        assert_eq!((plan.sketch_pages, plan.sketch_values), (32, 64));
        assert_eq!(plan.address_shards, 977);
        assert_eq!(plan.related_shards, 14_970);
    }
}
