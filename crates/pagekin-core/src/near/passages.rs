//! The passages that two texts have in common.
//!
//! A token of a text is shared if one of its shingles is also a shingle of the other text. A
//! passage is a maximal run of shared tokens. So the passages of a text explain its resemblance and
//! containment: they contain the shingles of both texts. A copied sentence is always part of a
//! passage.
//!
//! # Quirks
//!
//! 1. Adjacent passages are one, even if they are separate in the other text. Where paragraphs
//!    changed places, everything is shared except the shingles across their ends.
//! 2. A shingle that occurs twice in one text and once in the other is shared in both places.
//! 3. A text with fewer tokens than a shingle is one shingle, as in [`shingles`](super::shingles).

use std::ops::Range;

use super::shingles::{Shingler, token};
use crate::sort;
use crate::terms::for_each_token_at;

/// Returns the [tokens](super::shingles::tokens) of a text, and the byte range of each.
#[must_use]
pub fn tokens_with_places(text: &str) -> (Vec<u64>, Vec<Range<usize>>) {
    let (mut tokens, mut places) = (Vec::new(), Vec::new());
    for_each_token_at(text, &mut |place, word| {
        tokens.push(token(word));
        places.push(place);
    });
    (tokens, places)
}

/// A passage of one of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPassage {
    /// The range of its tokens, at least one.
    pub tokens: Range<u32>,
    /// The index of the first passage of the other text that contains its beginning.
    pub twin: u32,
}

impl SharedPassage {
    /// Returns its byte range in the text whose tokens are at `places`.
    ///
    /// # Panics
    ///
    /// If `places` are those of another text with fewer tokens.
    #[must_use]
    pub fn place(&self, places: &[Range<usize>]) -> Range<usize> {
        let Range { start, end } = self.tokens;
        places[start as usize].start..places[end as usize - 1].end
    }
}

/// Returns the shared passages of two texts, by the shingles of `shingler`: those of the first and
/// those of the second, each in order.
///
/// The cost is sorting the shingles of both.
#[must_use]
pub fn passages(
    a: &[u64],
    b: &[u64],
    shingler: &Shingler,
) -> (Vec<SharedPassage>, Vec<SharedPassage>) {
    let (a, b) = (Shingles::new(a, shingler), Shingles::new(b, shingler));
    let (runs_of_a, runs_of_b) = (a.shared_with(&b), b.shared_with(&a));
    (named(&runs_of_a, &runs_of_b), named(&runs_of_b, &runs_of_a))
}

/// The shingles of a text.
struct Shingles {
    in_order: Vec<u64>,
    /// Each shingle with its position, ascending.
    places: Vec<(u64, u32)>,
    /// The number of tokens of a shingle.
    width: u32,
}

/// A run of shared tokens, and the position of its first token in the other text.
struct Run {
    tokens: Range<u32>,
    from: u32,
}

impl Shingles {
    fn new(tokens: &[u64], shingler: &Shingler) -> Self {
        let mut in_order = Vec::with_capacity(tokens.len());
        shingler.for_each(tokens, |shingle| in_order.push(shingle));
        let mut places: Vec<(u64, u32)> = in_order.iter().copied().zip(0..).collect();
        sort::by_key(&mut places, |&place| place);
        // A text has one shingle fewer than tokens for each token of a shingle after the first.
        let width = (tokens.len() + 1 - in_order.len()) as u32;
        Self { in_order, places, width }
    }

    /// Returns the first position of a shingle.
    fn first(&self, shingle: u64) -> Option<u32> {
        let at = self.places.partition_point(|place| place.0 < shingle);
        self.places.get(at).filter(|place| place.0 == shingle).map(|place| place.1)
    }

    /// Returns the runs of tokens that are in shingles of the other text.
    fn shared_with(&self, other: &Self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (at, &shingle) in (0..).zip(&self.in_order) {
            let Some(from) = other.first(shingle) else { continue };
            let end = at + self.width;
            match runs.last_mut() {
                Some(run) if run.tokens.end >= at => run.tokens.end = end,
                _ => runs.push(Run { tokens: at..end, from }),
            }
        }
        runs
    }
}

fn named(runs: &[Run], others: &[Run]) -> Vec<SharedPassage> {
    let passage = |run: &Run| {
        let twin = others.partition_point(|other| other.tokens.end <= run.from) as u32;
        SharedPassage { tokens: run.tokens.clone(), twin }
    };
    runs.iter().map(passage).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shingles::token;
    use super::*;
    use proptest::prelude::*;

    /// Checks the shared passages of two texts, in brackets.
    #[track_caller]
    fn check(k: u32, a: &str, b: &str) {
        let plain = [a, b].map(|text| text.replace(['[', ']'], ""));
        let [(a_tokens, a_places), (b_tokens, b_places)] =
            plain.each_ref().map(|text| tokens_with_places(text));
        let (of_a, of_b) = passages(&a_tokens, &b_tokens, &Shingler::new(k).unwrap());
        let bracketed = |text: &str, passages: &[SharedPassage], places: &[Range<usize>]| {
            let mut text = text.to_owned();
            for passage in passages.iter().rev() {
                let Range { start, end } = passage.place(places);
                text.insert(end, ']');
                text.insert(start, '[');
            }
            text
        };
        assert_eq!(bracketed(&plain[0], &of_a, &a_places), a);
        assert_eq!(bracketed(&plain[1], &of_b, &b_places), b);
    }

    #[test]
    fn passages_are_runs_of_shared_shingles() {
        check(3, "[Rye flour, water] and 2 salt", "Mix [rye flour (water]).");
        check(3, "[aa bb cc] dd [ee ff gg]", "[ee ff gg] xx [aa bb cc]");
        check(3, "aa bb cc", "aa bb dd cc");
        check(3, "", "aa bb cc");
        check(2, "[aa bb] xx [aa bb]", "yy [aa bb]");
        check(2, "[東京都]の zz", "aa [東京都]は");
        // One passage in the first text, two in the second.
        check(2, "[aa bb cc dd]", "[cc dd] xx [aa bb]");
    }

    #[test]
    fn short_texts_are_one_shingle() {
        check(10, "[only three words]", "[Only THREE words]!");
        check(10, "only three words", "only three words more");
    }

    #[test]
    fn a_passage_points_to_its_twin() {
        let shingler = Shingler::new(2).unwrap();
        let (of_a, of_b) = passages(&[1, 2, 9, 3, 4, 8, 1, 2], &[3, 4, 7, 1, 2], &shingler);
        let twin = |passages: &[SharedPassage]| {
            passages.iter().map(|passage| passage.twin).collect::<Vec<_>>()
        };
        assert_eq!((twin(&of_a), twin(&of_b)), (vec![1, 0, 1], vec![1, 0]));
    }

    /// Whether each token is in a run of `k` tokens, or of all tokens if there are fewer, that the
    /// other text contains.
    fn shared(tokens: &[u64], other: &[u64], k: usize) -> Vec<bool> {
        let runs = |tokens: &[u64]| -> Vec<Vec<u64>> {
            match tokens.len() {
                0 => Vec::new(),
                n => tokens.windows(k.min(n)).map(<[u64]>::to_vec).collect(),
            }
        };
        let (own, others) = (runs(tokens), runs(other));
        let lies_in = |at: usize| {
            (0..own.len())
                .any(|run| (run..run + own[run].len()).contains(&at) && others.contains(&own[run]))
        };
        (0..tokens.len()).map(lies_in).collect()
    }

    /// One of three tokens.
    fn any_token() -> impl Strategy<Value = u64> {
        prop_oneof![Just("aa"), Just("bb"), Just("cc")].prop_map(token)
    }

    proptest! {
        #[test]
        fn a_token_is_in_a_passage_if_a_shingle_of_it_is_shared(
            a in prop::collection::vec(any_token(), 0..50), b in prop::collection::vec(any_token(), 0..50), k in 1u32..8,
        ) {
            let (of_a, of_b) = passages(&a, &b, &Shingler::new(k).unwrap());
            for (tokens, other, own, others) in [(&a, &b, &of_a, &of_b), (&b, &a, &of_b, &of_a)] {
                let marked = |at: usize| own.iter().any(|passage| passage.tokens.contains(&(at as u32)));
                let marked: Vec<bool> = (0..tokens.len()).map(marked).collect();
                prop_assert_eq!(marked, shared(tokens, other, k as usize));
                // Passages are ascending and as long as possible.
                prop_assert!(own.windows(2).all(|pair| pair[0].tokens.end < pair[1].tokens.start));
                // The other passage contains its first tokens.
                for SharedPassage { tokens: range, twin } in own {
                    let there = others[*twin as usize].tokens.clone();
                    let there = &other[there.start as usize..there.end as usize];
                    let beginning = &tokens[range.start as usize..][..(k as usize).min(tokens.len())];
                    prop_assert!(there.windows(beginning.len()).any(|run| run == beginning));
                }
            }
        }

        #[test]
        fn every_token_has_a_place(text: String) {
            let (tokens, places) = tokens_with_places(&text);
            prop_assert_eq!(tokens.len(), places.len());
        }
    }
}
