//! What a node of a tree is called: the terms that are heavy in it and light around it.
//!
//! ```text
//! score(t) = w ln(w / v)      w: the mean weight of t over the pages of the node
//!                             v: the same over those of its parent, which has these pages too
//! ```
//!
//! which is what t adds to the relative entropy of the node from its parent. Words that the parent is called by are not said
//! again, as long as there are others. Two siblings are never called the same: the later one takes its next terms.

/// The terms of a label.
const WORDS: usize = 4;
/// At most, to tell siblings apart.
const MOST: usize = 8;

/// What is around some siblings: the sum and the pages of their parent.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    pub(crate) pages: u64,
}

/// One of some siblings.
pub(crate) struct Child<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    pub(crate) pages: u64,
}

/// The labels of siblings; `said` is what their parent is called.
pub(crate) fn labels(
    children: &[Child<'_>],
    around: Around<'_>,
    said: &[u32],
    has_word: &(dyn Fn(u32) -> bool + Sync),
) -> Vec<Vec<u32>> {
    let mut labels: Vec<Vec<u32>> = Vec::with_capacity(children.len());
    for child in children {
        let mut terms = scored(child, around, has_word);
        // Stable: the heaviest stay first.
        terms.sort_by_key(|term| said.contains(term));
        let mut length = WORDS.min(terms.len());
        let taken = |length: usize| labels.iter().any(|label| label[..] == terms[..length]);
        while taken(length) && length < MOST.min(terms.len()) {
            length += 1;
        }
        terms.truncate(length);
        labels.push(terms);
    }
    labels
}

/// The terms of a node that have words, the most telling first.
fn scored(
    child: &Child<'_>,
    around: Around<'_>,
    has_word: &(dyn Fn(u32) -> bool + Sync),
) -> Vec<u32> {
    let part = child.pages as f32 / around.pages.max(1) as f32;
    let score = |&(term, weight): &(u32, f32)| {
        let w = weight / child.pages.max(1) as f32;
        let at = around.sum.binary_search_by_key(&term, |&(term, _)| term);
        // What was left out of the parent's sum is at least what is here.
        let v = at.map_or(0.0, |at| around.sum[at].1 / around.pages.max(1) as f32).max(w * part);
        (w * libm::logf(w / v), w, term)
    };
    let terms = child.sum.iter().filter(|&&(term, weight)| weight > 0.0 && has_word(term));
    let mut scored: Vec<(f32, f32, u32)> = terms.map(score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, term)| term).collect()
}
