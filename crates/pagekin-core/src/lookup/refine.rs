//! Keeps the pages of a filter, counts the values of results, and sorts them.
//!
//! A filter has the numbers of all pages with a value, so pages outside it are dropped before
//! candidates are cut and blocks are chosen. If its pages are in few blocks, all of these are read,
//! and the answer misses nothing.

use super::filter::Filter;
use super::options::LookupOptions;
use super::tables::MAX_BLOCKS;
use crate::index::{Shard, ShardId, ShardMap};
use crate::page_set::PageSet;
use crate::shard::{FilterDirectory, FilterReader, FilterShard, Manifest, ValuePages};
use crate::sort;

/// Maximum number of shards that are read to count the values of results. More would cost a visitor
/// more than the counts are worth.
const MAX_COUNTED_SHARDS: u32 = 8;
/// Maximum number of pages that a filter without a text lists.
pub(super) const MAX_LISTED: usize = 256;

/// Which pages a lookup finds, in which order, and whether it counts the values of their filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refinement {
    /// Which pages are found. Unknown filters and values find nothing.
    pub filter: Option<Filter>,
    /// How results are sorted, if not by how well they match.
    pub sort: Option<SortBy>,
    /// Whether to count the results that have each value.
    pub counts: bool,
}

/// The order of results by a value of their pages. Pages without such a value are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortBy {
    /// The name of the value.
    pub key: String,
    /// Whether the highest value is first.
    pub descending: bool,
}

/// The number of results, before they are limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of results.
    pub total: u32,
    /// Whether these are all. Otherwise only a part of the site was read, and there may be more
    /// results, and more with each value.
    pub is_exact: bool,
    /// The numbers of results with each value. `None` if they were not requested, or if the filters
    /// of the site are too large to be counted.
    pub filters: Option<Vec<FilterCounts>>,
}

/// A filter, and the number of results or pages with each of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterCounts {
    /// The name of the filter.
    pub name: String,
    /// The values, ascending, with their numbers, which may be 0.
    pub values: Vec<(String, u32)>,
}

/// What a refinement means for the pages of an index.
#[derive(Debug, Default)]
pub(super) struct Refined {
    /// The pages that are found, if not all are.
    pub(super) pages: Option<PageSet>,
    /// Whether all blocks with these pages are read.
    pub(super) is_complete: bool,
    /// Whether all results are needed, rather than the first ones.
    pub(super) needs_all_results: bool,
    order: Option<Order>,
    /// The filters with the pages of each value.
    counted: Option<Vec<(String, Vec<ValuePages>)>>,
}

#[derive(Debug)]
struct Order {
    /// Pages with the ranks of their values, ascending by page.
    ranks: Vec<(u32, u32)>,
    descending: bool,
}

/// Returns the shards that a refinement needs: the first, and, once that is available, all others.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn shards_to_read(
    manifest: &Manifest,
    refinement: &Refinement,
    available: &ShardMap,
) -> Vec<ShardId> {
    if manifest.filters.shards == 0 {
        return Vec::new();
    }
    let mut numbers = vec![0];
    if let Some(directory) = directory_of(available) {
        if let Some(filter) = &refinement.filter {
            let values = filter.values();
            let shards = values.map(|(name, value)| directory.shards_of_value(name, value));
            shards.for_each(|shards| numbers.extend(shards));
        }
        if needs_all(refinement) {
            numbers.extend(directory.shards_of_all());
        }
        if is_counted(directory, refinement) {
            numbers.extend(0..directory.shards_of_filters());
        }
        if let Some(sort) = &refinement.sort {
            numbers.extend(directory.shards_of_sort(&sort.key));
        }
    }
    numbers.into_iter().map(ShardId::Filters).collect()
}

fn needs_all(refinement: &Refinement) -> bool {
    refinement.filter.as_ref().is_some_and(Filter::needs_all)
}

fn is_counted(directory: &FilterDirectory, refinement: &Refinement) -> bool {
    refinement.counts && directory.shards_of_filters() <= MAX_COUNTED_SHARDS
}

fn shard_of(available: &ShardMap, number: u32) -> Option<&FilterShard> {
    match available.get(&ShardId::Filters(number)) {
        Some(Shard::Filters(shard)) => Some(shard),
        _ => None,
    }
}

fn directory_of(available: &ShardMap) -> Option<&FilterDirectory> {
    shard_of(available, 0)?.directory.as_ref()
}

impl Refined {
    /// Reads the available shards. A site without filters has no page with any value.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn new(manifest: &Manifest, of: &Refinement, available: &ShardMap) -> Self {
        let Some(directory) = directory_of(available) else {
            let all = PageSet::below(manifest.slots());
            let pages =
                of.filter.as_ref().map(|filter| filter.pages(&all, |_, _| PageSet::default()));
            let order = of.sort.as_ref().map(|_| Order { ranks: Vec::new(), descending: false });
            let counted = of.counts.then(Vec::new);
            return Self { pages, order, counted, needs_all_results: true, ..Self::default() };
        };
        let reader = FilterReader { directory, shard: |number| shard_of(available, number) };
        let all = if needs_all(of) { reader.all() } else { PageSet::default() };
        let pages_of = |name: &str, value: &str| {
            directory.value(name, value).map(|value| reader.pages_of(value)).unwrap_or_default()
        };
        let order = of
            .sort
            .as_ref()
            .map(|sort| Order { ranks: reader.ranks(&sort.key), descending: sort.descending });
        let mut refined = Self {
            pages: of.filter.as_ref().map(|filter| filter.pages(&all, pages_of)),
            needs_all_results: true,
            order,
            ..Self::default()
        };
        if is_counted(directory, of) {
            let of_filter = directory.filters.iter().map(|(name, values)| {
                let sets = values.iter().map(|one| (one.value.clone(), reader.pages_of(one)));
                (name.clone(), sets.collect())
            });
            refined.counted = Some(of_filter.collect());
        }
        refined
    }

    /// Whether a page is found.
    pub(super) fn finds(&self, page: u32) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(page))
    }

    /// Returns the blocks with all pages that are found, if these are few.
    pub(super) fn few_blocks(&self, manifest: &Manifest) -> Option<Vec<u32>> {
        let blocks = self.pages.as_ref()?.blocks(manifest.block_pages, MAX_BLOCKS + 1);
        (blocks.len() <= MAX_BLOCKS).then_some(blocks)
    }

    /// Sorts `items` by the values of their pages, and drops those without one. Leaves them as they
    /// are if no order was requested.
    pub(super) fn sort<T>(&self, items: Vec<T>, page: impl Fn(&T) -> u32) -> Vec<T> {
        let Some(order) = &self.order else { return items };
        let mut ranked: Vec<(u32, usize, T)> = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            if let Ok(of) = order.ranks.binary_search_by_key(&page(&item), |&(page, _)| page) {
                let rank = order.ranks[of].1;
                // Equal values stay in the order of how well they match.
                ranked.push((if order.descending { !rank } else { rank }, at, item));
            }
        }
        sort::by_key(&mut ranked, |&(rank, at, _)| (rank, at));
        ranked.into_iter().map(|(.., item)| item).collect()
    }

    /// Counts the values of results, each of one or more pages.
    pub(super) fn count<T>(&self, results: &[T], has: impl Fn(&T, &PageSet) -> bool) -> Found {
        let with = |pages: &PageSet| results.iter().filter(|one| has(one, pages)).count() as u32;
        self.found(results.len() as u32, false, with)
    }

    fn found(&self, total: u32, is_exact: bool, count: impl Fn(&PageSet) -> u32) -> Found {
        let filters = self.counted.as_ref().map(|filters| {
            let of_filter = filters.iter().map(|(name, values)| {
                let values = values.iter().map(|(value, pages)| (value.clone(), count(pages)));
                FilterCounts { name: name.clone(), values: values.collect() }
            });
            of_filter.collect()
        });
        Found { total, is_exact, filters }
    }

    /// Returns the first pages that are found, without a text, and the number of all of them.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn list(&self, limit: u32) -> (Vec<u32>, Found) {
        let Some(order) = &self.order else {
            let none = PageSet::default();
            let found = self.pages.as_ref().unwrap_or(&none);
            let pages = found.iter().take(MAX_LISTED.min(limit as usize)).collect();
            return (pages, self.found(found.len(), true, |set| found.shared(set)));
        };
        let with_value = PageSet::from_ascending(order.ranks.iter().map(|&(page, _)| page));
        let found = self.pages.as_ref().map_or(with_value.clone(), |found| found.and(&with_value));
        let mut pages = self.sort(found.iter().collect(), |&page| page);
        pages.truncate(MAX_LISTED.min(limit as usize));
        (pages, self.found(found.len(), true, |set| found.shared(set)))
    }
}

/// Which of the ranked pages are results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) options: LookupOptions,
    pub(super) refined: &'a Refined,
}

/// Returns the filters of a site with the numbers of pages, from the first shard of filters.
#[must_use]
pub fn filters_of(shard: &FilterShard) -> Vec<FilterCounts> {
    let filters = shard.directory.iter().flat_map(|directory| &directory.filters);
    let of_filter = filters.map(|(name, values)| {
        let values = values.iter().map(|one| (one.value.clone(), one.pages));
        FilterCounts { name: name.clone(), values: values.collect() }
    });
    of_filter.collect()
}
