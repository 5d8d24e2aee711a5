//! Collects the filters and sort keys of all pages.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use pagekin_core::page_set::PageSet;
use pagekin_core::shard::WrittenFilters;
use pagekin_pages::Observer;

use crate::build::pages::vocabulary::WeightedPage;

/// Maximum number of bytes of the names and values of all filters. A visitor who uses any of them
/// fetches these.
const MAX_DIRECTORY_BYTES: usize = 1 << 20;

/// Returns the payloads of the shards of filters, or none if no page has any. `numbers` are those
/// of `pages`, below `slots`.
pub(crate) fn encode(
    pages: &[WeightedPage],
    numbers: &[u32],
    slots: u32,
    observer: &dyn Observer,
) -> Vec<Vec<u8>> {
    let mut filters: BTreeMap<&str, BTreeMap<&str, Vec<u32>>> = BTreeMap::new();
    let mut sorts: BTreeMap<&str, Vec<(&str, u32)>> = BTreeMap::new();
    for (page, &number) in pages.iter().zip(numbers) {
        for (name, value) in &page.values.filters {
            filters.entry(name).or_default().entry(value).or_default().push(number);
        }
        for (key, value) in &page.values.sorts {
            sorts.entry(key).or_default().push((value, number));
        }
    }
    if filters.is_empty() && sorts.is_empty() {
        return Vec::new();
    }
    keep_small(&mut filters, observer);
    let of_filter = |values: BTreeMap<&str, Vec<u32>>| {
        values.into_iter().map(|(value, pages)| (value.to_owned(), set(pages))).collect()
    };
    let written = WrittenFilters {
        all: set(numbers.to_vec()),
        filters: filters
            .into_iter()
            .map(|(name, values)| (name.to_owned(), of_filter(values)))
            .collect(),
        sorts: sorts.into_iter().map(|(key, pages)| (key.to_owned(), ranks(pages))).collect(),
    };
    written.encode(slots)
}

/// Removes filters whose values are too many to choose from.
fn keep_small(filters: &mut BTreeMap<&str, BTreeMap<&str, Vec<u32>>>, observer: &dyn Observer) {
    let mut bytes = 0;
    filters.retain(|name, values| {
        let of_filter: usize = values.keys().map(|value| value.len() + 4).sum();
        let fits = bytes + of_filter <= MAX_DIRECTORY_BYTES;
        if fits {
            bytes += of_filter;
        } else {
            observer.warn(&format!(
                "the filter {name:?} is left out: it has {} values, and those of all filters may have {MAX_DIRECTORY_BYTES} bytes together",
                values.len()
            ));
        }
        fits
    });
}

fn set(mut pages: Vec<u32>) -> PageSet {
    pages.sort_unstable();
    PageSet::from_ascending(pages)
}

/// Returns pages, ascending, with the ranks of their values: as numbers if all are numbers.
fn ranks(mut pages: Vec<(&str, u32)>) -> Vec<(u32, u32)> {
    let number = |value: &str| value.parse::<f64>().ok().filter(|number| number.is_finite());
    let are_numbers = pages.iter().all(|&(value, _)| number(value).is_some());
    let order = |one: &str, other: &str| match (are_numbers, number(one), number(other)) {
        (true, Some(one), Some(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
        _ => one.cmp(other),
    };
    pages.sort_by(|&(one, _), &(other, _)| order(one, other));
    let mut ranks: Vec<(u32, u32)> = Vec::with_capacity(pages.len());
    let mut rank = 0;
    for (at, &(value, page)) in pages.iter().enumerate() {
        if at > 0 && order(pages[at - 1].0, value) == Ordering::Less {
            rank += 1;
        }
        ranks.push((page, rank));
    }
    ranks.sort_unstable();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], expected: &[u32]) {
        let pages = values.iter().copied().zip(0..).collect();
        assert_eq!(ranks(pages).into_iter().map(|(_, rank)| rank).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_are_sorted_as_numbers() {
        check(&["10", "9", "9.0", "-1", "1e2"], &[2, 1, 1, 0, 3]);
        check(&["10", "9", "x"], &[0, 1, 2]);
        check(&["2026-01-02", "2025-12-31"], &[1, 0]);
        check(&["NaN", "10", "9"], &[2, 0, 1]);
    }
}
