//! Labels the nodes of a tree with terms that have a high weight in the node, a lower weight in its
//! parent, and occur on many of its pages.
//!
//! ```text
//! score(t) = w ln(w / v) sqrt(p)   w: the mean weight of t over the pages of the node
//!                                  v: the mean weight over all pages of its parent
//!                                  p: the share of the node's pages that contain t
//! ```
//!
//! The first two factors are the contribution of t to the relative entropy of the node with respect
//! to its parent. On their own, they let a few pages with a high weight of a word label a topic of
//! many pages. The frequency alone, p ln(p / q), misses the main word of a topic if neighboring
//! topics also mention it.
//!
//! Words of the parent's label are used last. If one word is part of another, such as `urllib` and
//! `urllib.request`, only the one with the higher score is used. Numbers and words of one or two
//! ASCII characters are not used. If two siblings would get the same label, the later one gets
//! additional terms, up to eight in total, so labels are only equal if all eight terms are. A node
//! without suitable words has no label, and is shown with the title of its central page.

/// Number of terms in a label.
const WORDS: usize = 4;
/// Maximum number of terms in a label, to distinguish siblings.
const MAX: usize = 8;

/// Returns the word for a term, if there is one.
pub(crate) type Word<'a> = &'a (dyn Fn(u32) -> Option<&'a str> + Sync);

/// Minimum length of an ASCII word.
const LETTERS: usize = 3;

/// The parent of siblings: the sum of its profiles, and the number of its pages.
#[derive(Clone, Copy)]
pub(crate) struct ParentSum<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    pub(crate) pages: u64,
}

/// One of several siblings.
#[derive(Clone, Copy)]
pub(crate) struct Child<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    /// The number of pages that contain each of these terms.
    pub(crate) page_counts: &'a [u64],
    pub(crate) pages: u64,
}

/// Returns the labels of siblings. `parent_label` is the label of their parent.
pub(crate) fn labels(
    children: &[Child<'_>],
    around: ParentSum<'_>,
    parent_label: &[u32],
    word: Word<'_>,
) -> Vec<Vec<u32>> {
    let mut labels: Vec<Vec<u32>> = Vec::with_capacity(children.len());
    for child in children {
        let mut terms = scored(child, around, word);
        // The sort is stable, so the terms stay in order of their scores.
        terms.sort_by_key(|(term, _)| parent_label.contains(term));
        let terms = distinct(&terms);
        let mut length = WORDS.min(terms.len());
        let taken = |length: usize| labels.iter().any(|label| label[..] == terms[..length]);
        while taken(length) && length < MAX.min(terms.len()) {
            length += 1;
        }
        labels.push(terms[..length].to_vec());
    }
    labels
}

/// Returns the first [`MAX`] terms whose words are not part of one another.
fn distinct(terms: &[(u32, &str)]) -> Vec<u32> {
    let mut chosen: Vec<(u32, &str)> = Vec::with_capacity(MAX);
    for &(term, word) in terms {
        let is_same = |&(_, other): &(u32, &str)| word.contains(other) || other.contains(word);
        if !chosen.iter().any(is_same) {
            chosen.push((term, word));
        }
        if chosen.len() == MAX {
            break;
        }
    }
    chosen.into_iter().map(|(term, _)| term).collect()
}

/// Returns whether a word is suitable for a label.
fn is_suitable(word: &str) -> bool {
    !word.is_ascii() || (word.len() >= LETTERS && word.contains(|c: char| c.is_ascii_alphabetic()))
}

/// Returns the terms of a node with suitable words, highest score first.
fn scored<'a>(child: &Child<'_>, around: ParentSum<'_>, word: Word<'a>) -> Vec<(u32, &'a str)> {
    let part = child.pages as f32 / around.pages.max(1) as f32;
    // A sum contains only the heaviest terms, so a term that is not in the parent's sum weighs at
    // most as much as the lightest of these.
    let min = around.sum.iter().map(|&(_, weight)| weight).reduce(f32::min).unwrap_or(0.0);
    let score = |(&(term, weight), &page_counts): (&(u32, f32), &u64)| {
        let word = word(term).filter(|word| is_suitable(word))?;
        let w = weight / child.pages.max(1) as f32;
        let at = around.sum.binary_search_by_key(&term, |&(term, _)| term);
        let of_parent = at.map_or(min, |at| around.sum[at].1);
        let v = (of_parent / around.pages.max(1) as f32).max(w * part);
        let p = page_counts as f32 / child.pages.max(1) as f32;
        Some((w * libm::logf(w / v) * libm::sqrtf(p), w, term, word))
    };
    let terms = child.sum.iter().zip(child.page_counts).filter(|((_, weight), _)| *weight > 0.0);
    let mut scored: Vec<_> = terms.filter_map(score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, term, word)| (term, word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] =
        ["page", "rye", "urllib", "urllib.request", "io", "2024", "oven", "東京", "loaf"];

    /// The labels of siblings of two pages each, given their sums. Both pages contain all terms.
    fn labels_of_pairs(children: &[&[(u32, f32)]], parent_label: &[u32]) -> Vec<String> {
        let on_both: Vec<Vec<u64>> = children.iter().map(|sum| vec![2; sum.len()]).collect();
        let children = children.iter().zip(&on_both);
        let children: Vec<_> =
            children.map(|(sum, page_counts)| Child { sum, page_counts, pages: 2 }).collect();
        labels_of(&children, parent_label)
    }

    fn labels_of(children: &[Child<'_>], parent_label: &[u32]) -> Vec<String> {
        let mut sum = vec![0.0; WORDS.len()];
        children.iter().for_each(|child| {
            child.sum.iter().for_each(|&(term, weight)| sum[term as usize] += weight);
        });
        let sum: Vec<(u32, f32)> = (0..).zip(sum).collect();
        let pages = children.iter().map(|child| child.pages).sum();
        let around = ParentSum { sum: &sum, pages };
        let labels = labels(children, around, parent_label, &|term| Some(WORDS[term as usize]));
        let words = |label: Vec<u32>| label.iter().map(|&term| WORDS[term as usize]).collect();
        labels
            .into_iter()
            .map(|label| {
                let words: Vec<&str> = words(label);
                words.join(" ")
            })
            .collect()
    }

    #[test]
    fn labels_distinguish_siblings() {
        // A term of both siblings has no score, whatever its weight. Short words and numbers are
        // not used.
        let (a, b) =
            ([(0, 9.0), (1, 2.0), (4, 5.0), (6, 3.0)], [(0, 9.0), (2, 3.0), (3, 1.0), (5, 9.0)]);
        assert_eq!(labels_of_pairs(&[&a, &b], &[]), ["oven rye page", "urllib page"]);
        assert_eq!(
            labels_of_pairs(&[&a, &b], &[6]),
            ["rye page oven", "urllib page"],
            "words of the parent come last"
        );
        assert_eq!(labels_of_pairs(&[&[(7, 1.0)], &[(4, 1.0)]], &[]), ["東京", ""]);
    }

    #[test]
    fn frequent_terms_precede_heavy_ones() {
        let (oven_and_rye, loaf) = ([(1, 3.0), (6, 4.0)], [(8, 5.0)]);
        let few_have_ovens = Child { sum: &oven_and_rye, page_counts: &[9, 2], pages: 10 };
        let all_have_ovens = Child { page_counts: &[9, 10], ..few_have_ovens };
        let other = Child { sum: &loaf, page_counts: &[10], pages: 10 };
        assert_eq!(labels_of(&[few_have_ovens, other], &[]), ["rye oven", "loaf"]);
        assert_eq!(labels_of(&[all_have_ovens, other], &[]), ["oven rye", "loaf"]);
    }

    #[test]
    fn siblings_have_different_labels() {
        let (a, b) = (
            [(0, 5.0), (1, 4.0), (2, 3.0), (6, 2.0)],
            [(0, 5.0), (1, 4.0), (2, 3.0), (6, 2.0), (8, 0.1)],
        );
        let found = labels_of_pairs(&[&a, &b], &[]);
        assert_ne!(found[0], found[1]);
    }
}
