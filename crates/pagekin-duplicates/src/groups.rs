//! Pairs of pages into groups around originals.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pagekin_core::center::CenterScan;
use pagekin_core::near::shingles::Shared;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::pair::{PagePair, PairKind, Similarities};

/// Pages that are near-duplicates of one, or quote it or are quoted by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The page that looks like the original.
    pub original: u32,
    /// The others: its copies, then those most like it first; or those of which it has or that have
    /// of it most.
    pub members: Vec<Member>,
}

impl Group {
    /// Whether it is one of quotations.
    #[must_use]
    pub fn quotes(&self) -> bool {
        self.members.iter().any(|member| member.kind == PairKind::Passages)
    }
}

/// A page of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The page.
    pub page: u32,
    /// What it is to the original. A copy of a near-duplicate is one itself.
    pub kind: PairKind,
    /// The shingles of the original, and its own.
    pub shared: Shared,
}

impl Member {
    /// The larger of the two parts of one that is in the other.
    #[must_use]
    pub fn containment(&self) -> f64 {
        self.shared.a_in_b().max(self.shared.b_in_a())
    }

    /// What members are ordered by.
    fn likeness(&self) -> f64 {
        match self.kind {
            PairKind::Passages => self.containment(),
            PairKind::Copy | PairKind::SameButNumbers | PairKind::NearDuplicate => {
                self.shared.resemblance()
            }
        }
    }
}

/// The pairs of different texts with those of the pages that have one, ascending; and the groups of
/// `n` pages by all of them. The first of the pages of each text looks like their original, and
/// `alike` is what its copies share with it.
pub(crate) fn with_copies(
    mut pairs: Vec<PagePair>,
    pages_of: &[Vec<u32>],
    alike: impl Fn(u32) -> (Shared, Option<Similarities>),
    n: u32,
) -> (Vec<PagePair>, Vec<Group>) {
    for (text, pages) in (0..).zip(pages_of) {
        let (shared, similarities) = alike(text);
        pairs.extend(pages[1..].iter().map(|&b| {
            let (a, kind) = (pages[0], PairKind::Copy);
            PagePair { a, b, kind, shared, similarities }
        }));
    }
    pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
    let groups = groups(&pairs, n);
    (pairs, groups)
}

/// The groups of `n` pages, the largest first. Pairs are sorted, and the lower page of each looks
/// more like the original.
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
        // The copies of a member stand with it.
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
            let order = y.likeness().total_cmp(&x.likeness());
            x.kind.cmp(&y.kind).then(order).then(x.page.cmp(&y.page))
        });
        Group { original, members }
    });
    let mut groups: Vec<Group> = all.collect();
    groups.sort_by_key(|group| (Reverse(group.members.len()), group.original, group.quotes()));
    groups
}

/// The members of each center of these pairs.
fn around_centers<'a>(
    pairs: impl Iterator<Item = &'a PagePair> + Clone,
    n: u32,
) -> BTreeMap<u32, Vec<Member>> {
    // Seen from its lower page a pair is enough: whoever becomes a center has no free partner below
    // itself, as that would have become one first.
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
        // 0 and 1 are copies, 2 and 5 are; 3 is like 2 only, 4 like 0.
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
    fn who_only_quotes_takes_no_page_from_its_group() {
        // By one scan 1 would be a center's member by what it quotes, and 2 alone.
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
    fn pages_that_are_like_none_are_in_no_group() {
        assert_eq!(groups(&[], 2), []);
    }
}
