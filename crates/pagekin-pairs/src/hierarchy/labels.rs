//! What a node of a tree is called: the terms that many of its pages have, and few of those around
//! it.
//!
//! ```text
//! score(t) = p ln(p / q)      p: the part of the pages of the node that have t
//!                             q: the same of the pages of its parent, which are these too
//! ```
//!
//! which is what t adds to the relative entropy of the node from its parent. Words that the parent
//! is called by are not said again, as long as there are others, and of words that are part of one
//! another, such as `urllib` and `urllib.request`, the better one is. Words of one or two ASCII
//! characters and numbers say nothing. If two siblings would be called the same, the later one has
//! some of its next terms too, up to eight in all: they are called the same only if all of these
//! are. A node whose terms have no such words has no label, and is shown by the title of its
//! central page.

/// The terms of a label.
const WORDS: usize = 4;
/// At most, to tell siblings apart.
const MOST: usize = 8;

/// The word that a term is shown as.
pub(crate) type Word<'a> = &'a (dyn Fn(u32) -> Option<&'a str> + Sync);

/// The fewest characters of a word in ASCII.
const LETTERS: usize = 3;

/// The terms of a node, ascending, each with the pages of it that have the term; and all its pages.
#[derive(Clone, Copy)]
pub(crate) struct Bearing<'a> {
    pub(crate) counts: &'a [(u32, u64)],
    pub(crate) pages: u64,
}

/// The labels of siblings; `said` is what their parent is called.
pub(crate) fn labels(
    children: &[Bearing<'_>],
    around: Bearing<'_>,
    said: &[u32],
    word: Word<'_>,
) -> Vec<Vec<u32>> {
    let mut labels: Vec<Vec<u32>> = Vec::with_capacity(children.len());
    for child in children {
        let mut terms = scored(*child, around, word);
        // Stable: the heaviest stay first.
        terms.sort_by_key(|(term, _)| said.contains(term));
        let terms = different(&terms);
        let mut length = WORDS.min(terms.len());
        let taken = |length: usize| labels.iter().any(|label| label[..] == terms[..length]);
        while taken(length) && length < MOST.min(terms.len()) {
            length += 1;
        }
        labels.push(terms[..length].to_vec());
    }
    labels
}

/// The first [`MOST`] terms whose words are not part of one another.
fn different(terms: &[(u32, &str)]) -> Vec<u32> {
    let mut chosen: Vec<(u32, &str)> = Vec::with_capacity(MOST);
    for &(term, word) in terms {
        let is_same = |&(_, other): &(u32, &str)| word.contains(other) || other.contains(word);
        if !chosen.iter().any(is_same) {
            chosen.push((term, word));
        }
        if chosen.len() == MOST {
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
fn scored<'a>(child: Bearing<'_>, around: Bearing<'_>, word: Word<'a>) -> Vec<(u32, &'a str)> {
    let score = |&(term, pages): &(u32, u64)| {
        let word = word(term).filter(|word| is_telling(word))?;
        let p = pages as f32 / child.pages.max(1) as f32;
        let at = around.counts.binary_search_by_key(&term, |&(term, _)| term);
        // What the parent does not count is at least what is here.
        let all = at.map_or(0, |at| around.counts[at].1).max(pages);
        let q = all as f32 / around.pages.max(1) as f32;
        Some((p * libm::logf(p / q), p, term, word))
    };
    let terms = child.counts.iter().filter(|&&(_, pages)| pages > 0);
    let mut scored: Vec<_> = terms.filter_map(score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.into_iter().map(|(_, _, term, word)| (term, word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] =
        ["page", "rye", "urllib", "urllib.request", "io", "2024", "oven", "東京", "loaf"];

    /// What siblings of ten pages each are called, by the pages that have each term.
    fn called(children: &[&[(u32, u64)]], said: &[u32]) -> Vec<String> {
        let mut all = vec![0; WORDS.len()];
        for &(term, pages) in children.iter().copied().flatten() {
            all[term as usize] += pages;
        }
        let all: Vec<(u32, u64)> = (0..).zip(all).collect();
        let around = Bearing { counts: &all, pages: 10 * children.len() as u64 };
        let children: Vec<_> =
            children.iter().map(|counts| Bearing { counts, pages: 10 }).collect();
        let labels = labels(&children, around, said, &|term| Some(WORDS[term as usize]));
        labels
            .into_iter()
            .map(|label| {
                let words: Vec<&str> = label.iter().map(|&term| WORDS[term as usize]).collect();
                words.join(" ")
            })
            .collect()
    }

    #[test]
    fn labels_are_what_tells_siblings_apart() {
        // What both have says nothing, however heavy it is; short words and numbers neither.
        let (a, b) = ([(0, 9), (1, 2), (4, 5), (6, 3)], [(0, 9), (2, 3), (3, 1), (5, 9)]);
        assert_eq!(called(&[&a, &b], &[]), ["oven rye page", "urllib page"]);
        assert_eq!(
            called(&[&a, &b], &[6]),
            ["rye page oven", "urllib page"],
            "what is said comes last"
        );
        assert_eq!(called(&[&[(7, 1)], &[(4, 1)]], &[]), ["東京", ""]);
    }

    #[test]
    fn what_most_pages_have_goes_before_what_few_have() {
        // The oven is nowhere else, and on two pages; rye is on nine, and on three of the others.
        let (a, b) = ([(1, 9), (6, 2)], [(1, 3), (8, 9)]);
        assert_eq!(called(&[&a, &b], &[]), ["rye oven", "loaf rye"]);
    }

    #[test]
    fn siblings_are_not_called_the_same() {
        let (a, b) = ([(0, 5), (1, 4), (2, 3), (6, 2)], [(0, 5), (1, 4), (2, 3), (6, 2), (8, 1)]);
        let found = called(&[&a, &b], &[]);
        assert_ne!(found[0], found[1]);
    }
}
