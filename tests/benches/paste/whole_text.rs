//! BM25 over the whole text of the pages, with the crate `bm25`.
//!
//! The crate embeds pages, which weighs term frequencies by page length, and scores queries. For
//! a query, it scores every page with any of its terms, and scans the page for each term: up to a
//! third of a second per text on the 33,000 short pages of the Rust documentation. A score is a sum
//! over the terms, so this module queries each term once and adds the scores itself.

use std::cmp::Reverse;

use bm25::{
    Embedder, EmbedderBuilder, Embedding, Scorer, TokenEmbedder, TokenEmbedding, Tokenizer,
};
use pagekin_core::terms::TextTerm;
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Pages indexed by their whole text.
pub(crate) struct WholeText {
    pages: usize,
    scorer: Scorer<u32, TermId>,
    /// Pages and scores of the terms queried so far.
    asked: FxHashMap<TermId, Vec<(u32, f32)>>,
}

impl WholeText {
    /// Indexes pages with these terms.
    pub(crate) fn new(pages: &[Vec<TextTerm>]) -> Self {
        let length = |terms: &[TextTerm]| terms.iter().map(|term| f64::from(term.tf)).sum::<f64>();
        let mean = pages.iter().map(|terms| length(terms)).sum::<f64>() / pages.len().max(1) as f64;
        let embedder: Embedder<Id, Ids> =
            EmbedderBuilder::with_avgdl(mean as f32).k1(K1).b(B).build();
        let mut scorer = Scorer::new();
        for (number, terms) in (0..).zip(pages) {
            let mut page = embedder.embed(&as_text(terms));
            // The embedding repeats a term as often as the page. One occurrence is enough, as its
            // value includes the frequency.
            page.0.sort_unstable_by_key(|term| term.index);
            page.0.dedup_by_key(|term| term.index);
            scorer.upsert(&number, page);
        }
        Self { pages: pages.len(), scorer, asked: FxHashMap::default() }
    }

    /// Returns the `top` best pages for a text with these terms.
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
        // The bits of positive floats are ordered like the floats.
        best.sort_by_key(|&page| Reverse(scores[page].to_bits()));
        best.truncate(top);
        best
    }
}

/// Returns the ids of terms as a text for [`Ids`], repeated by frequency.
fn as_text(terms: &[TextTerm]) -> String {
    terms.iter().map(|term| format!("{} ", term.id).repeat(term.tf as usize)).collect()
}

/// Tokenizer of ids of terms.
#[derive(Default)]
struct Ids;

impl Tokenizer for Ids {
    fn tokenize(&self, text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// Embedder of ids.
struct Id;

impl TokenEmbedder for Id {
    type EmbeddingSpace = TermId;

    fn embed(token: &str) -> TermId {
        token.parse().expect("`as_text` writes ids")
    }
}
