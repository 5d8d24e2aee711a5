//! Counts how many of the first answers are right.

/// Number of answers that are checked.
pub(crate) const ANSWERS: usize = 5;
/// Minimum number of answers for a source to be covered.
const ENOUGH: usize = 3;

/// The best answers so far, best first; ties go to the page with the lower number.
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

/// Counts of right answers over all sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Right {
    sources: u64,
    with_enough: u64,
    /// Number of sources with a folder.
    with_folder: u64,
    in_folder: u64,
    linked: u64,
    cocited: u64,
}

impl Right {
    /// Adds a source with its answers. The functions return whether two pages share a folder
    /// (`None` if the first has none), whether one links to the other, and whether some page links
    /// to both.
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

    /// Returns the mean share of answers in the folder of their source. Answers missing from five
    /// are wrong.
    pub(crate) fn folder(&self) -> Option<f64> {
        part(self.in_folder, self.with_folder * ANSWERS as u64)
    }

    /// Returns the mean share of answers that the source links to, or that link to it.
    pub(crate) fn linked(&self) -> Option<f64> {
        part(self.linked, self.sources * ANSWERS as u64)
    }

    /// Returns the mean share of answers that are linked to by a page that also links to the
    /// source.
    pub(crate) fn cocited(&self) -> Option<f64> {
        part(self.cocited, self.sources * ANSWERS as u64)
    }

    /// Returns the share of sources with at least three answers.
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
    fn missing_answers_are_wrong() {
        let mut right = Right::default();
        let mut best = Best::default();
        for (page, similarity) in [(1, 0.2), (2, 0.9), (3, 0.2)] {
            best.push(page, similarity);
        }
        let folder = |_: u32, b: u32| Some(b == 1);
        right.add_source(0, &best, folder, |_, b| b > 1, |_, _| true);
        // A source without a folder and without answers.
        right.add_source(4, &Best::default(), |_, _| None, |_, _| true, |_, _| true);
        let found = [right.folder(), right.linked(), right.cocited(), right.coverage()];
        assert_eq!(found, [Some(0.2), Some(0.2), Some(0.3), Some(0.5)]);
    }

    proptest! {
        #[test]
        fn the_best_answers_match_a_full_sort(similarities in prop::collection::vec(1u8..6, 0..30)) {
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
