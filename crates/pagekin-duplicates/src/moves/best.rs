//! Finds the texts of two sites that share most.

use std::cmp::Reverse;

use crate::moves::overlaps::{TextOverlap, TextOverlaps};

/// The best match of each text on the other site.
pub(super) struct Best {
    pub(super) share_of_old: Vec<Option<TextOverlap>>,
    share_of_new: Vec<Option<TextOverlap>>,
}

impl Best {
    /// `is_same` returns whether an old and a new text have pages with the same URL.
    pub(super) fn new(overlaps: &TextOverlaps, is_same: impl Fn(u32, u32) -> bool) -> Self {
        let mut share_of_old: Vec<Option<TextOverlap>> = vec![None; overlaps.old.len()];
        let mut share_of_new: Vec<Option<TextOverlap>> = vec![None; overlaps.new.len()];
        for pair in &overlaps.pairs {
            let of_both = [
                (&mut share_of_old[pair.old as usize], &overlaps.new, pair.new),
                (&mut share_of_new[pair.new as usize], &overlaps.old, pair.old),
            ];
            for (at, (best, totals, other)) in of_both.into_iter().enumerate() {
                let better = best.is_none_or(|best| {
                    let best_other = if at == 0 { best.new } else { best.old };
                    pair.shared
                        .cmp(&best.shared)
                        .then_with(|| is_same(pair.old, pair.new).cmp(&is_same(best.old, best.new)))
                        .then_with(|| totals[best_other as usize].cmp(&totals[other as usize]))
                        .is_gt()
                });
                if better {
                    *best = Some(*pair);
                }
            }
        }
        Self { share_of_old, share_of_new }
    }

    /// Returns the new texts that match each old text, in descending order of what they share: the
    /// best match of the old text, and the new texts whose best match it is.
    pub(super) fn matches(
        &self,
        is_enough: impl Fn(&TextOverlap) -> bool,
    ) -> Vec<Vec<TextOverlap>> {
        let share_of_old = self.share_of_old.iter().map(|pair| pair.filter(&is_enough));
        let mut matches: Vec<Vec<TextOverlap>> =
            share_of_old.map(|pair| pair.into_iter().collect()).collect();
        for pair in self.share_of_new.iter().flatten().filter(|pair| is_enough(pair)) {
            let matched = &mut matches[pair.old as usize];
            if !matched.contains(pair) {
                matched.push(*pair);
            }
        }
        for matched in &mut matches {
            matched.sort_by_key(|pair| (Reverse(pair.shared), pair.new));
        }
        matches
    }

    /// Returns whether two texts are each other's best match.
    pub(super) fn is_mutual(&self, pair: &TextOverlap) -> bool {
        [self.share_of_old[pair.old as usize], self.share_of_new[pair.new as usize]]
            == [Some(*pair); 2]
    }
}
