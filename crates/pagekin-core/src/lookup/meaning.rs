//! How much the meaning of pages counts in their order.
//!
//! Questions are asked in other words than those of the page that answers them. So a page gains for
//! the cosine of its [embedding](crate::embedding) and that of the text. A passage is found by its
//! words, and pages about the same subject must not come before the page that contains it.

use super::query::{Subject, SubjectTerm};
use super::score::beyond_chance;
use crate::embedding::TextEmbedding;
use crate::shard::Manifest;
use crate::vocabulary::is_identifier;

/// Number of pages that gain, those with the highest scores. Any site has some more pages about the
/// same subject, without the words.
pub(super) const MAX_PAGES: usize = 50;
/// What a page gains whose direction is that of the text, as a share of the best score.
const MAX_SHARE: f64 = 1.0;
/// Minimum share at which more pages are worth reading.
pub(super) const MIN_SHARE: f64 = 0.5;
/// A text of one or two words is looked up by these words, one of four by their meaning. Chosen on
/// two manuals: 84 of 120 queries of words find a right page first, and 81 if two words count a
/// third.
const FEW_WORDS: u32 = 2;
const MANY_WORDS: u32 = 4;
/// How improbable it is that a page contains the whole text by chance, as shares of what is [beyond
/// chance](beyond_chance): up to the first it may be a question, and from the second on it is a
/// passage.
const OF_QUESTION: f64 = 0.2;
const OF_PASSAGE: f64 = 0.5;

/// Whether a text has as many words as a question, on a site with embeddings.
pub(super) fn may_be_question(manifest: &Manifest, subject: &Subject) -> bool {
    let is_short = subject.page.is_none() && !subject.has_many_terms();
    is_short && manifest.embeddings && words(&subject.terms) >= MANY_WORDS
}

/// Returns the number of words of a text, by its terms. An identifier is one word: it is a name,
/// and not meant by its parts.
fn words(terms: &[SubjectTerm]) -> u32 {
    let typed = || terms.iter().filter(|term| term.typed.is_none());
    let is_part = |word: &str| {
        let mut identifiers = typed().filter(|term| is_identifier(term.id));
        identifiers
            .any(|term| term.word.as_ref().is_some_and(|it| it.to_ascii_lowercase().contains(word)))
    };
    let is_word = |term: &&SubjectTerm| {
        is_identifier(term.id)
            || term.at != usize::MAX && !is_part(term.word.as_deref().unwrap_or_default())
    };
    typed().filter(is_word).count() as u32
}

/// Returns the share of the best score that a page gains for a cosine of 1, by the largest
/// [`improbability`](super::score::improbability) of all pages. Chosen on two manuals: for 80
/// questions, messages and descriptions a right page is among three for .79 instead of .73, and
/// passages lose less than .005.
pub(super) fn share(
    manifest: &Manifest,
    subject: &Subject,
    embedding: &TextEmbedding,
    improbability: u64,
) -> f64 {
    if subject.page.is_some() || subject.is_long {
        return 0.0;
    }
    // An index that is read whole has embeddings in its lists, which are read last.
    let is_unread = manifest.read_whole && manifest.lists.shards > 0 && embedding.words == 0;
    let embedded = if is_unread { MANY_WORDS } else { embedding.words };
    let words = embedded.min(words(&subject.terms)).clamp(FEW_WORDS, MANY_WORDS);
    let words = f64::from(words - FEW_WORDS) / f64::from(MANY_WORDS - FEW_WORDS);
    let certainty = improbability as f64 / beyond_chance(manifest.pages) as f64;
    let of_question = (OF_PASSAGE - certainty) / (OF_PASSAGE - OF_QUESTION);
    MAX_SHARE * words * of_question.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::term_id;

    #[test]
    fn an_identifier_and_a_word_with_alternatives_are_one_word_each() {
        let at = |at, word: &str| SubjectTerm {
            at,
            ..SubjectTerm::new(term_id(word), 1, Some(word.to_owned()))
        };
        let typed = [at(0, "get"), at(1, "url"), at(usize::MAX, "GET_url")];
        assert_eq!(words(&typed), 1);
        let other =
            SubjectTerm { typed: Some("partiton".to_owned()), ..at(usize::MAX, "partition") };
        assert_eq!(words(&[at(0, "partiton"), other, at(1, "table")]), 2);
        assert_eq!(words(&[&typed[..], &[at(2, "of"), at(3, "model")]].concat()), 3);
    }
}
