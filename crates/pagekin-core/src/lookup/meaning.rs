//! How much the meaning of pages counts in their order.
//!
//! Questions are asked in other words than those of the page that answers them. So a page gains for
//! the cosine of its [embedding](crate::embedding) and that of the text. A passage is found by its
//! words, and pages about the same subject must not come before the page that contains it.

use super::query::Subject;
use super::score::beyond_chance;
use crate::embedding::TextEmbedding;
use crate::shard::Manifest;

/// Number of pages that gain, those with the highest scores. Any site has some more pages about the
/// same subject, without the words.
pub(super) const MAX_PAGES: usize = 50;
/// What a page gains whose direction is that of the text, as a share of the best score.
const MAX_SHARE: f64 = 1.0;
/// Minimum share at which more pages are worth reading.
pub(super) const MIN_SHARE: f64 = 0.5;
/// A text of one word is looked up by that word, one of this number of words by their meaning.
const MANY_WORDS: u32 = 4;
/// How improbable it is that a page contains the whole text by chance, as shares of what is [beyond
/// chance](beyond_chance): up to the first it may be a question, and from the second on it is a
/// passage.
const OF_QUESTION: f64 = 0.2;
const OF_PASSAGE: f64 = 0.5;

/// Whether a text has as many words as a question, on a site with embeddings.
pub(super) fn may_be_question(manifest: &Manifest, subject: &Subject) -> bool {
    let words = subject.terms.iter().filter(|term| subject.means(term));
    let is_short = subject.page.is_none() && !subject.has_many_terms();
    is_short && manifest.embeddings && words.count() >= MANY_WORDS as usize
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
    let words = f64::from(embedding.words.clamp(1, MANY_WORDS) - 1) / f64::from(MANY_WORDS - 1);
    let certainty = improbability as f64 / beyond_chance(manifest.pages) as f64;
    let of_question = (OF_PASSAGE - certainty) / (OF_PASSAGE - OF_QUESTION);
    MAX_SHARE * words * of_question.clamp(0.0, 1.0)
}
