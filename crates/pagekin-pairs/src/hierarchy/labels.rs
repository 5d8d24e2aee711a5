//! What a node of a tree is called: terms that are heavy in it and light around it, and that many
//! of its pages have.
//!
//! ```text
//! score(t) = w ln(w / v) sqrt(p)   w: the mean weight of t over the pages of the node
//!                                  v: the same over those of its parent, which has these pages too
//!                                  p: the part of the pages of the node that have t
//! ```
//!
//! The first two factors are what t adds to the relative entropy of the node from its parent. Alone
//! they let a few pages that have a word heavily name a topic of many; pages alone, p ln(p / q),
//! lose the word that a topic is about where its neighbors mention it too. Words that the parent
//! is called by are not said again, as long as there are others, and of words that are part of one
//! another, such as `urllib` and `urllib.request`, the better one is. Words of one or two ASCII
//! characters and numbers say nothing. If two siblings would be called the same, the later one has
//! some of its next terms too, up to eight in all: they are called the same only if all of these
//! are. A node whose terms have no such words has no label, and is shown by the title of its
//! central page.

/// The terms of a label.
const WORDS: usize = 4;
/// At most, to tell siblings apart.
const MAX: usize = 8;

/// The word that a term is shown as.
pub(crate) type Word<'a> = &'a (dyn Fn(u32) -> Option<&'a str> + Sync);

/// The fewest characters of a word in ASCII.
const LETTERS: usize = 3;

/// What is around some siblings: the sum and the pages of their parent.
#[derive(Clone, Copy)]
pub(crate) struct ParentSum<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    pub(crate) pages: u64,
}

/// One of some siblings.
#[derive(Clone, Copy)]
pub(crate) struct Child<'a> {
    pub(crate) sum: &'a [(u32, f32)],
    /// On how many of its pages each of these terms is.
    pub(crate) bearing: &'a [u64],
    pub(crate) pages: u64,
}

/// The labels of siblings; `said` is what their parent is called.
pub(crate) fn labels(
    children: &[Child<'_>],
    around: ParentSum<'_>,
    said: &[u32],
    word: Word<'_>,
) -> Vec<Vec<u32>> {
    let mut labels: Vec<Vec<u32>> = Vec::with_capacity(children.len());
    for child in children {
        let mut terms = scored(child, around, word);
        // Stable: the heaviest stay first.
        terms.sort_by_key(|(term, _)| said.contains(term));
        let terms = different(&terms);
        let mut length = WORDS.min(terms.len());
        let taken = |length: usize| labels.iter().any(|label| label[..] == terms[..length]);
        while taken(length) && length < MAX.min(terms.len()) {
            length += 1;
        }
        labels.push(terms[..length].to_vec());
    }
    labels
}

/// The first [`MAX`] terms whose words are not part of one another.
fn different(terms: &[(u32, &str)]) -> Vec<u32> {
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

/// Whether a word says something.
fn is_telling(word: &str) -> bool {
    !word.is_ascii() || (word.len() >= LETTERS && word.contains(|c: char| c.is_ascii_alphabetic()))
}

/// The terms of a node that have words, the most telling first.
fn scored<'a>(child: &Child<'_>, around: ParentSum<'_>, word: Word<'a>) -> Vec<(u32, &'a str)> {
    let part = child.pages as f32 / around.pages.max(1) as f32;
    // A sum keeps its heaviest terms: what is not in that of the parent weighs no more than these.
    let least = around.sum.iter().map(|&(_, weight)| weight).reduce(f32::min).unwrap_or(0.0);
    let score = |(&(term, weight), &bearing): (&(u32, f32), &u64)| {
        let word = word(term).filter(|word| is_telling(word))?;
        let w = weight / child.pages.max(1) as f32;
        let at = around.sum.binary_search_by_key(&term, |&(term, _)| term);
        let of_parent = at.map_or(least, |at| around.sum[at].1);
        let v = (of_parent / around.pages.max(1) as f32).max(w * part);
        let p = bearing as f32 / child.pages.max(1) as f32;
        Some((w * libm::logf(w / v) * libm::sqrtf(p), w, term, word))
    };
    let terms = child.sum.iter().zip(child.bearing).filter(|((_, weight), _)| *weight > 0.0);
    let mut scored: Vec<_> = terms.filter_map(score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, term, word)| (term, word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] =
        ["page", "rye", "urllib", "urllib.request", "io", "2024", "oven", "東京", "loaf"];

    /// What siblings of two pages each are called, by their sums, of terms that both pages have.
    fn called(children: &[&[(u32, f32)]], said: &[u32]) -> Vec<String> {
        let on_both: Vec<Vec<u64>> = children.iter().map(|sum| vec![2; sum.len()]).collect();
        let children = children.iter().zip(&on_both);
        let children: Vec<_> =
            children.map(|(sum, bearing)| Child { sum, bearing, pages: 2 }).collect();
        called_of(&children, said)
    }

    fn called_of(children: &[Child<'_>], said: &[u32]) -> Vec<String> {
        let mut sum = vec![0.0; WORDS.len()];
        children.iter().for_each(|child| {
            child.sum.iter().for_each(|&(term, weight)| sum[term as usize] += weight);
        });
        let sum: Vec<(u32, f32)> = (0..).zip(sum).collect();
        let pages = children.iter().map(|child| child.pages).sum();
        let around = ParentSum { sum: &sum, pages };
        let labels = labels(children, around, said, &|term| Some(WORDS[term as usize]));
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
    fn labels_are_what_tells_siblings_apart() {
        // What both have says nothing, however heavy it is; short words and numbers neither.
        let (a, b) =
            ([(0, 9.0), (1, 2.0), (4, 5.0), (6, 3.0)], [(0, 9.0), (2, 3.0), (3, 1.0), (5, 9.0)]);
        assert_eq!(called(&[&a, &b], &[]), ["oven rye page", "urllib page"]);
        assert_eq!(
            called(&[&a, &b], &[6]),
            ["rye page oven", "urllib page"],
            "what is said comes last"
        );
        assert_eq!(called(&[&[(7, 1.0)], &[(4, 1.0)]], &[]), ["東京", ""]);
    }

    #[test]
    fn what_many_pages_have_goes_before_what_few_have_heavily() {
        let (oven_and_rye, loaf) = ([(1, 3.0), (6, 4.0)], [(8, 5.0)]);
        let few_have_ovens = Child { sum: &oven_and_rye, bearing: &[9, 2], pages: 10 };
        let all_have_ovens = Child { bearing: &[9, 10], ..few_have_ovens };
        let other = Child { sum: &loaf, bearing: &[10], pages: 10 };
        assert_eq!(called_of(&[few_have_ovens, other], &[]), ["rye oven", "loaf"]);
        assert_eq!(called_of(&[all_have_ovens, other], &[]), ["oven rye", "loaf"]);
    }

    #[test]
    fn siblings_are_not_called_the_same() {
        let (a, b) = (
            [(0, 5.0), (1, 4.0), (2, 3.0), (6, 2.0)],
            [(0, 5.0), (1, 4.0), (2, 3.0), (6, 2.0), (8, 0.1)],
        );
        let found = called(&[&a, &b], &[]);
        assert_ne!(found[0], found[1]);
    }
}
