//! Groups pairs of pages around originals.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::center::CenterScan;
use pagekin_core::near::shingles::Shared;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::pair::{PagePair, PairKind, Similarities};

/// A page with its near-duplicates, or with pages that quote it or are quoted by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The probable original.
    pub original: u32,
    /// The other pages: copies first, then by decreasing resemblance. In a group of quotations, by
    /// decreasing [containment](Member::containment).
    pub members: Vec<Member>,
}

impl Group {
    /// Returns whether this is a group of quotations.
    #[must_use]
    pub fn quotes(&self) -> bool {
        self.members.iter().any(|member| member.kind == PairKind::Passages)
    }
}

/// A page of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The number of the page.
    pub page: u32,
    /// How the page is related to the original. A copy of a near-duplicate is a near-duplicate.
    pub kind: PairKind,
    /// The shingles of the original and of this page.
    pub shared: Shared,
}

impl Member {
    /// Returns the larger of the two containments: of the original in this page, or the reverse.
    #[must_use]
    pub fn containment(&self) -> f64 {
        self.shared.a_in_b().max(self.shared.b_in_a())
    }

    /// Returns the value that members are ordered by.
    fn similarity(&self) -> f64 {
        match self.kind {
            PairKind::Passages => self.containment(),
            PairKind::Copy | PairKind::SameButNumbers | PairKind::NearDuplicate => {
                self.shared.resemblance()
            }
        }
    }
}

/// Adds the copies to the pairs of different texts, and groups all `n` pages.
///
/// `pages_of` has the pages of each text, the probable original first; `shared_by_copies` returns
/// what the copies of a text share. The pairs are returned in ascending order.
pub(crate) fn with_copies(
    mut pairs: Vec<PagePair>,
    pages_of: &[Vec<u32>],
    shared_by_copies: impl Fn(u32) -> (Shared, Option<Similarities>),
    n: u32,
) -> (Vec<PagePair>, Vec<Group>) {
    for (text, pages) in (0..).zip(pages_of) {
        let (shared, similarities) = shared_by_copies(text);
        pairs.extend(pages[1..].iter().map(|&b| {
            let (a, kind) = (pages[0], PairKind::Copy);
            PagePair { a, b, kind, shared, similarities }
        }));
    }
    pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
    let groups = groups(&pairs, n);
    (pairs, groups)
}

/// Returns the groups of `n` pages, largest first. `pairs` must be sorted, and the lower page of
/// each pair is the more probable original.
fn groups(pairs: &[PagePair], n: u32) -> Vec<Group> {
    let of = |kind| pairs.iter().filter(move |pair| pair.kind == kind);
    let is_near =
        |pair: &&PagePair| matches!(pair.kind, PairKind::SameButNumbers | PairKind::NearDuplicate);
    let mut copies: Vec<Vec<Member>> = vec![Vec::new(); n as usize];
    for &PagePair { a, b, kind, shared, .. } in of(PairKind::Copy) {
        copies[a as usize].push(Member { page: b, kind, shared });
    }
    let mut members = around_centers(pairs.iter().filter(is_near), n);
    let is_member: FxHashSet<u32> = members.values().flatten().map(|member| member.page).collect();
    for near in members.values_mut() {
        // Add the copies of each member.
        let also = near.iter().flat_map(|member| {
            let copies = copies[member.page as usize].iter();
            copies.map(|copy| Member { page: copy.page, ..*member })
        });
        let also: Vec<_> = also.collect();
        near.extend(also);
    }
    for (page, copies) in (0..).zip(copies) {
        if !copies.is_empty() && !is_member.contains(&page) {
            members.entry(page).or_default().extend(copies);
        }
    }
    let quotations = around_centers(of(PairKind::Passages), n);
    let all = members.into_iter().chain(quotations).map(|(original, mut members)| {
        members.sort_by(|x, y| {
            let order = y.similarity().total_cmp(&x.similarity());
            x.kind.cmp(&y.kind).then(order).then(x.page.cmp(&y.page))
        });
        Group { original, members }
    });
    let mut groups: Vec<Group> = all.collect();
    groups.sort_by_key(|group| (Reverse(group.members.len()), group.original, group.quotes()));
    groups
}

/// Returns the members of each CENTER cluster of these pairs.
fn around_centers<'a>(
    pairs: impl Iterator<Item = &'a PagePair> + Clone,
    n: u32,
) -> BTreeMap<u32, Vec<Member>> {
    // Scanning each pair from its lower page is enough: a page that becomes a center has no free
    // partner below it, since that partner would have become a center first.
    let mut scan = CenterScan::new(n);
    for pair in pairs.clone() {
        scan.next(pair.a, pair.b);
    }
    let centers = scan.finish();
    let mut members: BTreeMap<u32, Vec<Member>> = BTreeMap::new();
    for &PagePair { a, b, kind, shared, .. } in
        pairs.filter(|pair| centers[pair.b as usize] == pair.a)
    {
        members.entry(a).or_default().push(Member { page: b, kind, shared });
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::PairKind::{Copy, NearDuplicate, Passages};

    fn pair(a: u32, b: u32, kind: PairKind, both: u64) -> PagePair {
        PagePair { a, b, kind, shared: Shared { both, a: 10, b: 10 }, similarities: None }
    }

    fn pages(groups: &[Group]) -> Vec<(u32, Vec<u32>)> {
        let pages = |group: &Group| group.members.iter().map(|member| member.page).collect();
        groups.iter().map(|group| (group.original, pages(group))).collect()
    }

    #[test]
    fn members_are_near_their_original() {
        // 0 and 1 are copies, and so are 2 and 5. 3 is similar only to 2, and 4 to 0.
        let pairs = [
            pair(0, 1, Copy, 10),
            pair(0, 2, NearDuplicate, 8),
            pair(0, 4, NearDuplicate, 9),
            pair(2, 3, NearDuplicate, 9),
            pair(2, 5, Copy, 10),
        ];
        let groups = groups(&pairs, 6);
        assert_eq!(pages(&groups), [(0, vec![1, 4, 2, 5])]);
        let members = &groups[0].members;
        assert_eq!((members[0].kind, members[3].kind), (Copy, NearDuplicate));
        assert_eq!(members[1].shared.resemblance(), 9.0 / 11.0);
    }

    #[test]
    fn a_quoting_page_keeps_its_near_duplicates() {
        // A single scan would make 1 a member of 0 by its quotation, and leave 2 alone.
        let pairs = [
            pair(0, 1, Passages, 5),
            pair(0, 3, Passages, 6),
            pair(1, 2, NearDuplicate, 9),
            pair(2, 4, Copy, 10),
        ];
        let groups = groups(&pairs, 5);
        assert_eq!(pages(&groups), [(0, vec![3, 1]), (1, vec![2, 4])]);
        assert_eq!(groups.iter().map(Group::quotes).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_page_without_pairs_is_in_no_group() {
        assert_eq!(groups(&[], 2), []);
    }
}
