//! Pairs of pages into groups around originals.

use std::cmp::Reverse;

use pagekin_core::center::CenterScan;

use super::Pair;

/// Pages that are near-duplicates of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The page that looks like the original.
    pub original: u32,
    /// The others, most like it first.
    pub members: Vec<Member>,
}

/// A page of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The page.
    pub page: u32,
    /// It has the words of the original, in their order.
    pub exact: bool,
    /// Its resemblance to the original.
    pub resemblance: f64,
}

/// The groups of `n` pages: the first of each of `copies` is the original of those with its text, `pairs` are sorted, and
/// the lower page of each looks more like the original.
pub(super) fn groups(copies: &[Vec<u32>], pairs: &[Pair], n: u32) -> Vec<Group> {
    let mut copies_of: Vec<&[u32]> = vec![&[]; n as usize];
    for copies in copies {
        copies_of[copies[0] as usize] = &copies[1..];
    }
    let near = pairs.iter().filter(|pair| !pair.exact);
    let resemblances = near.clone().map(|pair| (pair.a, pair.b, pair.shared.resemblance()));
    // Seen from its lower page a pair is enough: whoever becomes a center has no free partner below itself, as that would
    // have become one first.
    let mut scan = CenterScan::new(n);
    near.for_each(|pair| scan.next(pair.a, pair.b));
    let centers = scan.finish();
    let mut members: Vec<Vec<Member>> = vec![Vec::new(); n as usize];
    for (a, b, resemblance) in resemblances {
        if centers[b as usize] == a {
            let copies = copies_of[b as usize].iter().copied();
            let pages = std::iter::once(b).chain(copies);
            members[a as usize].extend(pages.map(|page| Member {
                page,
                exact: false,
                resemblance,
            }));
        }
    }
    let mut groups = Vec::new();
    for (page, mut members) in (0..).zip(members) {
        // The copies of a member stand with it.
        if centers[page as usize] == page {
            let copies = copies_of[page as usize].iter();
            members.extend(copies.map(|&page| Member { page, exact: true, resemblance: 1.0 }));
        }
        if !members.is_empty() {
            members.sort_by(|x, y| {
                let order = y.resemblance.total_cmp(&x.resemblance);
                y.exact.cmp(&x.exact).then(order).then(x.page.cmp(&y.page))
            });
            groups.push(Group { original: page, members });
        }
    }
    groups.sort_by_key(|group| (Reverse(group.members.len()), group.original));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::near::shingles::Shared;

    fn pair(a: u32, b: u32, exact: bool, both: u64) -> Pair {
        let shared = Shared { both, a: 10, b: 10 };
        Pair { a, b, exact, shared, b_similarity: 0, c_similarity: 0 }
    }

    #[test]
    fn members_are_near_their_original() {
        // 0 and 1 are copies, 2 and 5 are; 3 is like 2 only, 4 like 0.
        let copies = [vec![0, 1], vec![2, 5], vec![3], vec![4]];
        let pairs = [
            pair(0, 1, true, 10),
            pair(0, 2, false, 8),
            pair(0, 4, false, 9),
            pair(2, 3, false, 9),
            pair(2, 5, true, 10),
        ];
        let groups = groups(&copies, &pairs, 6);
        let pages: Vec<(u32, Vec<u32>)> = groups
            .iter()
            .map(|group| (group.original, group.members.iter().map(|member| member.page).collect()))
            .collect();
        assert_eq!(pages, [(0, vec![1, 4, 2, 5])]);
        assert!(groups[0].members[0].exact && !groups[0].members[3].exact);
        assert_eq!(groups[0].members[1].resemblance, 9.0 / 11.0);
    }

    #[test]
    fn pages_that_are_like_none_are_in_no_group() {
        assert_eq!(groups(&[vec![0], vec![1]], &[], 2), []);
    }
}
