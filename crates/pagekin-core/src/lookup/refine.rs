//! Keeps the pages of a filter, counts the values of results, and sorts them.
//!
//! A filter has the numbers of all pages with a value, so pages outside it are dropped before
//! candidates are cut and blocks are chosen. The lists of a few words have all pages with these
//! words, so they tell how many pages are found, and how many with each value, whether their blocks
//! are read or not. If the pages are in few blocks, all of these are read.
//!
//! Results do not wait for the counts of values, which need the shards of all filters.

use std::cmp::Reverse;

use super::candidates::{self, Candidate, ListEvidence};
use super::filter::Filter;
use super::options::LookupOptions;
use super::query::Subject;
use super::score::{Alternatives, coverage_bonus};
use super::tables::MAX_BLOCKS;
use crate::fit::{NAME_LEVEL, level_value};
use crate::index::{Shard, ShardId, ShardMap};
use crate::page_set::PageSet;
use crate::shard::{FilterDirectory, FilterReader, FilterShard, Manifest, group_number};
use crate::sort;

/// Maximum number of shards that are read to count the values of results. More would cost a visitor
/// more than the counts are worth.
const MAX_COUNTED_SHARDS: u32 = 32;
/// A page is found by lists if its score there is at least this part of the best, like
/// [a result](super::ranking).
const MIN_PART_OF_BEST: u64 = 20;
/// Maximum number of blocks that are read of the pages in lists: as many as a search without a
/// filter may read, so that a filter costs little more than its own shards.
pub(super) const MAX_LISTED_BLOCKS: usize = 12;
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
    pages: Option<PageSet>,
    /// The pages that are found by the lists of all words.
    listed: Option<Listed>,
    /// Whether all blocks with these pages are read.
    is_complete: bool,
    /// Whether all results are needed, rather than the first ones.
    pub(super) needs_all_results: bool,
    order: Option<Order>,
    /// The pages of each result.
    pub(super) results: Vec<Vec<u32>>,
    /// Whether to count the results with each value.
    pub(super) counts: bool,
}

/// The pages that have the words of a query, by their lists.
#[derive(Debug)]
struct Listed {
    pages: PageSet,
    /// Whether these are all. Long lists lack the pages with the lowest levels.
    is_whole: bool,
}

#[derive(Debug)]
struct Order {
    /// Pages with the ranks of their values, ascending by page.
    ranks: Vec<(u32, u32)>,
    descending: bool,
    /// The place of the first page that is not read. There are other results after it.
    end: Option<u32>,
}

impl Order {
    fn new(ranks: Vec<(u32, u32)>, descending: bool) -> Self {
        Self { ranks, descending, end: None }
    }

    /// Returns the place of a page. Pages with equal values have the same place.
    fn place(&self, page: u32) -> Option<u32> {
        let at = self.ranks.binary_search_by_key(&page, |&(page, _)| page).ok()?;
        let rank = self.ranks[at].1;
        Some(if self.descending { !rank } else { rank })
    }
}

/// Returns the shards that a refinement needs before there are results: the first, and, once that
/// is available, all others.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
pub(super) fn shards_to_read(
    manifest: &Manifest,
    refinement: &Refinement,
    available: &ShardMap,
) -> Vec<ShardId> {
    let is_needed = refinement.filter.is_some() || refinement.sort.is_some();
    if manifest.filters.shards == 0 || !is_needed {
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
        if let Some(sort) = &refinement.sort {
            numbers.extend(directory.shards_of_sort(&sort.key));
        }
    }
    numbers.into_iter().map(ShardId::Filters).collect()
}

fn needs_all(refinement: &Refinement) -> bool {
    refinement.filter.as_ref().is_some_and(Filter::needs_all)
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
            let order = of.sort.as_ref().map(|_| Order::new(Vec::new(), false));
            let counts = of.counts;
            return Self { pages, order, counts, needs_all_results: true, ..Self::default() };
        };
        let reader = FilterReader { directory, shard: |number| shard_of(available, number) };
        let all = if needs_all(of) { reader.all() } else { PageSet::default() };
        let pages_of = |name: &str, value: &str| {
            directory.value(name, value).map(|value| reader.pages_of(value)).unwrap_or_default()
        };
        let sort = of.sort.as_ref();
        Self {
            pages: of.filter.as_ref().map(|filter| filter.pages(&all, pages_of)),
            needs_all_results: true,
            order: sort.map(|sort| Order::new(reader.ranks(&sort.key), sort.descending)),
            counts: of.counts,
            ..Self::default()
        }
    }

    /// Whether a page is found.
    pub(super) fn finds(&self, page: u32) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(page))
    }

    /// Returns the place of a page in the requested order, if it has one.
    fn place(&self, page: u32) -> Option<u32> {
        self.order.as_ref().map_or(Some(0), |order| order.place(page))
    }

    /// Chooses the blocks to read by the pages that are found: all of them if they are few, or
    /// those of the first pages of the lists. Returns `None` if neither is known.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn blocks(
        &mut self,
        manifest: &Manifest,
        subject: &Subject,
        evidence: &ListEvidence,
        available: &ShardMap,
        options: LookupOptions,
    ) -> Option<Vec<u32>> {
        let has_place = |one: &&Candidate| self.place(one.page).is_some();
        let candidates: Vec<_> = evidence.pages.iter().filter(has_place).copied().collect();
        // Lists tell neither the scores that a minimum refers to, nor which pages repeat others.
        let is_by_lists = subject.is_short && options.min <= 0.0 && !options.copies;
        self.listed = match is_by_lists {
            true => found_by_lists(manifest, subject, evidence, &candidates, available),
            false => None,
        };
        let whole = self.listed.as_ref().filter(|listed| listed.is_whole);
        let (all, most) = match whole {
            Some(listed) => (Some(&listed.pages), MAX_LISTED_BLOCKS),
            None => (self.pages.as_ref(), MAX_BLOCKS),
        };
        let blocks = all.map(|all| all.blocks(manifest.block_pages, most + 1));
        if let Some(blocks) = blocks.filter(|blocks| blocks.len() <= most && self.is_narrow()) {
            self.is_complete = true;
            self.listed.take_if(|listed| !listed.is_whole);
            return Some(blocks);
        }
        // Without a filter or an order, the results are those of a lookup that is not refined.
        let listed = self.listed.as_ref().filter(|_| self.is_narrow())?;
        let candidates: Vec<_> =
            candidates.into_iter().filter(|one| listed.pages.contains(one.page)).collect();
        let place = |one: &Candidate| self.place(one.page);
        let key = |one: &Candidate| (Reverse(place(one)), one.found, one.count);
        let mut blocks = candidates::best_blocks(manifest, &candidates, usize::MAX, key);
        let unread = blocks.get(MAX_LISTED_BLOCKS).copied();
        let is_unread = |one: &&Candidate| unread == Some(one.page / manifest.block_pages);
        let end = candidates.iter().filter(is_unread).filter_map(place).min();
        blocks.truncate(MAX_LISTED_BLOCKS);
        if let Some(order) = &mut self.order {
            order.end = end;
        }
        Some(blocks)
    }

    fn is_narrow(&self) -> bool {
        self.pages.is_some() || self.order.is_some()
    }

    /// Whether a page that was read may be a result, given its copies and
    /// whether it is good enough by its record. Lists lack pages that repeat others.
    pub(super) fn keeps(&self, page: u32, copies: u32, is_good: bool) -> bool {
        match self.lists(page) {
            Some(is_listed) => is_listed || (is_good && group_number(copies) > 0),
            None => is_good,
        }
    }

    /// Whether a page that was read is a result, if lists show that.
    pub(super) fn lists(&self, page: u32) -> Option<bool> {
        let listed = self.listed.as_ref().filter(|listed| listed.is_whole && self.is_narrow())?;
        Some(listed.pages.contains(page))
    }

    /// Sorts `items` by the values of their pages, and drops those without one and those after a
    /// page that was not read. Leaves them as they are if no order was requested.
    pub(super) fn sort<T>(&self, items: Vec<T>, page: impl Fn(&T) -> u32) -> Vec<T> {
        let Some(order) = &self.order else { return items };
        let mut ranked: Vec<(u32, usize, T)> = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            if let Some(place) = order.place(page(&item))
                && order.end.is_none_or(|end| place <= end)
            {
                // Equal values stay in the order of how well they match.
                ranked.push((place, at, item));
            }
        }
        sort::by_key(&mut ranked, |&(rank, at, _)| (rank, at));
        ranked.into_iter().map(|(.., item)| item).collect()
    }

    /// Returns the pages found by lists, if these are more than the results.
    fn listed_pages(&self) -> Option<&PageSet> {
        let listed = self.listed.as_ref()?;
        let is_more = listed.pages.len() as usize > self.results.len();
        (listed.is_whole || is_more).then_some(&listed.pages)
    }

    /// Returns the number of results.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn found(&self, is_read_whole: bool) -> Found {
        let total = self.listed_pages().map_or(self.results.len() as u32, PageSet::len);
        let is_exact = match &self.listed {
            Some(listed) => listed.is_whole,
            None => is_read_whole || self.is_complete,
        };
        Found { total, is_exact, filters: None }
    }

    /// Returns the shards to count the results with each value. `None` if they are too many.
    pub(super) fn shards_to_count(available: &ShardMap) -> Option<std::ops::Range<u32>> {
        let shards = directory_of(available).map_or(0, FilterDirectory::shards_of_filters);
        (shards <= MAX_COUNTED_SHARDS).then_some(0..shards)
    }

    /// Counts the results with each value by the available shards.
    pub(super) fn counts(&self, available: &ShardMap) -> Vec<FilterCounts> {
        let Some(directory) = directory_of(available) else { return Vec::new() };
        let reader = FilterReader { directory, shard: |number| shard_of(available, number) };
        let listed = self.listed_pages();
        let count = |with: PageSet| match listed {
            Some(pages) => pages.shared(&with),
            None => {
                let has = |result: &&Vec<u32>| result.iter().any(|&page| with.contains(page));
                self.results.iter().filter(has).count() as u32
            }
        };
        let of_filter = directory.filters.iter().map(|(name, values)| {
            let values = values.iter().map(|one| (one.value.clone(), count(reader.pages_of(one))));
            FilterCounts { name: name.clone(), values: values.collect() }
        });
        of_filter.collect()
    }

    /// Returns the first pages that are found, without a text.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub(super) fn list(&mut self, limit: u32) -> Vec<u32> {
        let limit = MAX_LISTED.min(limit as usize);
        let filtered = self.pages.clone();
        let (pages, first) = match &self.order {
            None => {
                let pages = filtered.unwrap_or_default();
                let first = pages.iter().take(limit).collect();
                (pages, first)
            }
            Some(order) => {
                let with_value = PageSet::from_ascending(order.ranks.iter().map(|&(page, _)| page));
                let pages = filtered.map_or(with_value.clone(), |found| found.and(&with_value));
                let mut first = self.sort(pages.iter().collect(), |&page| page);
                first.truncate(limit);
                (pages, first)
            }
        };
        self.listed = Some(Listed { pages, is_whole: true });
        first
    }
}

/// Returns the pages of `candidates` that are results by the lists of a few words, if all of these
/// were read.
fn found_by_lists(
    manifest: &Manifest,
    subject: &Subject,
    evidence: &ListEvidence,
    candidates: &[Candidate],
    available: &ShardMap,
) -> Option<Listed> {
    let (mut is_whole, mut most) = (true, Alternatives::default());
    for (term, rarity) in subject.terms.iter().zip(&evidence.evidence.rarities) {
        if term.is_absent {
            continue;
        }
        if let Some(list) = candidates::list_of(manifest, available, term.id)? {
            is_whole &= list.df as usize == list.postings.len();
            let of_score = term.score_weight(rarity.idf) * u64::from(level_value(NAME_LEVEL));
            most.add(term.group, [of_score, rarity.idf.into()]);
        }
    }
    // The best page may not be in lists that lack pages. But no page is better than this.
    let [score, all] = most.sum();
    let best = match is_whole {
        true => candidates.iter().map(|one| one.found).max().unwrap_or_default(),
        false => score + coverage_bonus(all, all),
    };
    let found = candidates.iter().filter(|one| one.found * MIN_PART_OF_BEST >= best);
    let pages = PageSet::from_ascending(found.map(|one| one.page));
    Some(Listed { pages, is_whole })
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
