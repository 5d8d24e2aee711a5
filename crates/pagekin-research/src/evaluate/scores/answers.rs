//! The first answers, and which of them are right.

/// So many answers are looked at.
pub(crate) const ANSWERS: usize = 5;
/// A page with so many answers has enough.
const ENOUGH: usize = 3;

/// The best answers met so far, best first; of equals the page with the lower number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Best {
    answers: [(f32, u32); ANSWERS],
    count: usize,
}

impl Best {
    pub(crate) fn push(&mut self, page: u32, similarity: f32) {
        let better =
            |&(other, of): &(f32, u32)| other > similarity || (other == similarity && of < page);
        let place = self.answers[..self.count].partition_point(better);
        if place == ANSWERS {
            return;
        }
        self.count = (self.count + 1).min(ANSWERS);
        self.answers[place..self.count].rotate_right(1);
        self.answers[place] = (similarity, page);
    }

    pub(crate) fn pages(&self) -> impl Iterator<Item = u32> {
        self.answers[..self.count].iter().map(|&(_, page)| page)
    }
}

/// How many answers are right, over all sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Right {
    sources: u64,
    with_enough: u64,
    /// Sources whose folder is known.
    with_folder: u64,
    in_folder: u64,
    linked: u64,
    cocited: u64,
}

impl Right {
    /// Adds a source with its answers; of two pages it is told whether they share a folder, `None`
    /// if the first has none, whether one links to the other and whether some page links to both.
    pub(crate) fn add_source(
        &mut self,
        source: u32,
        best: &Best,
        share_folder: impl Fn(u32, u32) -> Option<bool>,
        are_linked: impl Fn(u32, u32) -> bool,
        are_cocited: impl Fn(u32, u32) -> bool,
    ) {
        self.sources += 1;
        self.with_enough += u64::from(best.count >= ENOUGH);
        self.with_folder += u64::from(share_folder(source, source).is_some());
        for page in best.pages() {
            self.in_folder += u64::from(share_folder(source, page) == Some(true));
            self.linked += u64::from(are_linked(source, page));
            self.cocited += u64::from(are_cocited(source, page));
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.sources += other.sources;
        self.with_enough += other.with_enough;
        self.with_folder += other.with_folder;
        self.in_folder += other.in_folder;
        self.linked += other.linked;
        self.cocited += other.cocited;
    }

    /// The mean part of the answers that are in the folder of their source. What is missing of five
    /// is not.
    pub(crate) fn folder(&self) -> Option<f64> {
        part(self.in_folder, self.with_folder * ANSWERS as u64)
    }

    /// That of the answers that a source links to, or that link to it.
    pub(crate) fn linked(&self) -> Option<f64> {
        part(self.linked, self.sources * ANSWERS as u64)
    }

    /// That of the answers that some page links to beside the source.
    pub(crate) fn cocited(&self) -> Option<f64> {
        part(self.cocited, self.sources * ANSWERS as u64)
    }

    /// The part of the sources with three answers or more.
    pub(crate) fn coverage(&self) -> Option<f64> {
        part(self.with_enough, self.sources)
    }
}

fn part(of: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| of as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_that_are_missing_are_wrong() {
        let mut right = Right::default();
        let mut best = Best::default();
        for (page, similarity) in [(1, 0.2), (2, 0.9), (3, 0.2)] {
            best.push(page, similarity);
        }
        let folder = |_: u32, b: u32| Some(b == 1);
        right.add_source(0, &best, folder, |_, b| b > 1, |_, _| true);
        // One without a folder and without answers.
        right.add_source(4, &Best::default(), |_, _| None, |_, _| true, |_, _| true);
        let found = [right.folder(), right.linked(), right.cocited(), right.coverage()];
        assert_eq!(found, [Some(0.2), Some(0.2), Some(0.3), Some(0.5)]);
    }

    proptest! {
        #[test]
        fn the_best_are_the_first_when_all_are_sorted(similarities in prop::collection::vec(1u8..6, 0..30)) {
            let mut best = Best::default();
            let mut all: Vec<(u32, u8)> = (0..).zip(similarities).collect();
            for &(page, similarity) in all.iter().rev() {
                best.push(page, f32::from(similarity));
            }
            all.sort_by_key(|&(page, similarity)| (std::cmp::Reverse(similarity), page));
            let expected: Vec<u32> = all.iter().take(ANSWERS).map(|page| page.0).collect();
            prop_assert_eq!(best.pages().collect::<Vec<_>>(), expected);
        }
    }
}
