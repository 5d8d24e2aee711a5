//! BM25 over the whole text of the pages, by the crate `bm25`.
//!
//! The crate embeds pages, which weighs how often a term occurs by the length of the page, and
//! scores what is asked for. It does so for every page that has any of the terms, and looks through
//! the page for each of them: up to a third of a second a text on the 33,000 short pages of the
//! Rust documentation. A score is a sum over the terms, so each term is asked for by itself, once,
//! and the sums are made here.

use std::cmp::Reverse;

use bm25::{
    Embedder, EmbedderBuilder, Embedding, Scorer, TokenEmbedder, TokenEmbedding, Tokenizer,
};
use pagekin_core::terms::TextTerm;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Pages by their whole text.
pub(crate) struct WholeText {
    pages: usize,
    scorer: Scorer<u32, TermId>,
    /// The pages of the terms that were asked for, with their scores.
    asked: FxHashMap<TermId, Vec<(u32, f32)>>,
}

impl WholeText {
    /// Of pages with these terms.
    pub(crate) fn new(pages: &[Vec<TextTerm>]) -> Self {
        let length = |terms: &[TextTerm]| terms.iter().map(|term| f64::from(term.tf)).sum::<f64>();
        let mean = pages.iter().map(|terms| length(terms)).sum::<f64>() / pages.len().max(1) as f64;
        let embedder: Embedder<Id, Ids> =
            EmbedderBuilder::with_avgdl(mean as f32).k1(K1).b(B).build();
        let mut scorer = Scorer::new();
        for (number, terms) in (0..).zip(pages) {
            let mut page = embedder.embed(&as_text(terms));
            // A term stands there as often as on the page; once is enough, as its value knows how
            // often.
            page.0.sort_unstable_by_key(|term| term.index);
            page.0.dedup_by_key(|term| term.index);
            scorer.upsert(&number, page);
        }
        Self { pages: pages.len(), scorer, asked: FxHashMap::default() }
    }

    /// The `top` best pages of a text with these terms.
    pub(crate) fn best(&mut self, terms: &[TextTerm], top: usize) -> Vec<usize> {
        let mut scores = vec![0.0; self.pages];
        for term in terms {
            let scorer = &self.scorer;
            let pages = self.asked.entry(term.id).or_insert_with(|| {
                let alone = Embedding(vec![TokenEmbedding { index: term.id, value: 1.0 }]);
                scorer.matches(&alone).into_iter().map(|page| (page.id, page.score)).collect()
            });
            for &(page, score) in &*pages {
                scores[page as usize] += score * term.tf as f32;
            }
        }
        let mut best: Vec<usize> = (0..self.pages).filter(|&page| scores[page] > 0.0).collect();
        // Scores are positive, so that their bits are in their order.
        best.sort_by_key(|&page| Reverse(scores[page].to_bits()));
        best.truncate(top);
        best
    }
}

/// The ids of terms, each as often as it occurs: what [`Ids`] takes apart.
fn as_text(terms: &[TextTerm]) -> String {
    terms.iter().map(|term| format!("{} ", term.id).repeat(term.tf as usize)).collect()
}

/// Splits ids of terms.
#[derive(Default)]
struct Ids;

impl Tokenizer for Ids {
    fn tokenize(&self, text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// An id as it is written.
struct Id;

impl TokenEmbedder for Id {
    type EmbeddingSpace = TermId;

    fn embed(token: &str) -> TermId {
        token.parse().expect("as `as_text` writes it")
    }
}
