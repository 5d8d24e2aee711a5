//! The vector of a text as the sum of those of its words, and the pages whose vectors have nearly
//! the same direction.

use pagekin_core::Index;
use pagekin_core::embedding::{Embedding, TextEmbedding, word_weight};
use pagekin_core::lookup::{analyzer, language_of, unknown_idf};
use pagekin_core::shard::{Kind, Manifest, PageRecord, PostingsShard, ReadError, TermList};
use pagekin_core::sort;
use pagekin_core::terms::{TermKinds, TextTerm, Words};
use pagekin_core::vocabulary::{is_identifier, quantized_idf};

/// Maximum number of different words of a text that are added.
const MAX_WORDS: usize = 24;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// The word.
    pub word: String,
    /// How much it counts.
    pub weight: u32,
    /// Its vector, if it has one.
    pub embedding: Option<Embedding>,
}

/// Shards of lists that have been read, by their numbers.
pub type Lists = Vec<(u32, PostingsShard)>;

/// Returns the first words of a text that are not stop words, in order.
fn words(index: &Index, text: &str) -> Vec<TextTerm> {
    let cut = Words::new(text);
    let analyzer = analyzer(index, language_of(index, &cut, "").as_ref());
    let mut counts = analyzer.counts(&cut, TermKinds::Words);
    counts.retain(|term| !is_identifier(term.id));
    sort::by_key(&mut counts, |term| term.at);
    counts.truncate(MAX_WORDS);
    counts
}

/// Returns the numbers of the shards of lists that contain the vectors of a text's words; none if
/// the index has no vectors.
#[must_use]
pub fn shards(index: &Index, text: &str) -> Vec<u32> {
    let manifest = index.manifest();
    if !manifest.embeddings {
        return vec![];
    }
    let numbers = words(index, text).into_iter().map(|term| manifest.list_shard(term.id));
    let mut numbers: Vec<u32> = numbers.collect();
    sort::by_key(&mut numbers, |&number| number);
    numbers.dedup();
    numbers
}

/// Reads a shard of [`shards`].
///
/// # Errors
///
/// If the bytes are not those of the shard.
pub fn lists(manifest: &Manifest, number: u32, bytes: &[u8]) -> Result<PostingsShard, ReadError> {
    let name = manifest.name(Kind::Lists, number);
    let generation = manifest.generation_of(Kind::Lists, number);
    PostingsShard::decode(&name, generation, manifest, manifest.stored(Kind::Lists, bytes))
}

/// Returns the words of a text with their vectors from `lists`, in order.
#[must_use]
pub fn arrows(index: &Index, text: &str, lists: &Lists) -> Vec<Arrow> {
    let manifest = index.manifest();
    let of_word = |TextTerm { id, tf, word, .. }: TextTerm| {
        let number = manifest.list_shard(id);
        let shard = lists.iter().find(|(other, _)| *other == number);
        let list = shard.and_then(|(_, shard)| shard.list(id));
        let of_list = |list: &TermList| match list.df {
            0 => unknown_idf(manifest),
            df => quantized_idf(df, manifest.pages),
        };
        let idf = manifest.vocabulary.idf(id).unwrap_or_else(|| list.map_or(0, of_list));
        let embedding = list.and_then(|list| list.embedding.as_deref()).copied();
        Arrow { word, weight: word_weight(idf, tf), embedding }
    };
    words(index, text).into_iter().map(of_word).collect()
}

/// Returns the sum of the vectors of words.
#[must_use]
pub fn sum(arrows: &[Arrow]) -> TextEmbedding {
    let mut sum = TextEmbedding::default();
    for arrow in arrows {
        if let Some(embedding) = &arrow.embedding {
            sum.add(embedding, arrow.weight);
        }
    }
    sum
}

/// Returns the index of each page that has a vector, and the cosine of the angle between it and
/// `text`, largest first.
#[must_use]
pub fn near(pages: &[PageRecord], text: &TextEmbedding) -> Vec<(u32, f64)> {
    let with_vectors =
        (0..).zip(pages).filter_map(|(at, page)| Some((at, page.embedding.as_ref()?)));
    let mut found: Vec<(u32, f64)> =
        with_vectors.map(|(at, embedding)| (at, text.cosine(embedding))).collect();
    sort::by(&mut found, |a, b| a.1 > b.1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::manifest;
    use pagekin_core::embedding::DIMENSIONS;
    use pagekin_core::shard::Posting;
    use pagekin_core::vocabulary::term_id;

    fn embedding(first: i8, second: i8) -> Embedding {
        let mut elements = [0; DIMENSIONS];
        [elements[0], elements[1]] = [first, second];
        Embedding(elements)
    }

    /// An index with one shard of lists, of which `rye` and `water` have vectors.
    fn index() -> (Index, Lists) {
        let mut manifest = Manifest { embeddings: true, ..manifest() };
        manifest.lists.shards = 1;
        let list = |word: &str, embedding: Option<Embedding>| TermList {
            embedding: embedding.map(Box::new),
            ..TermList::new(term_id(word), vec![Posting::new(1, 1, 1)])
        };
        let vectors =
            [("rye", Some(embedding(3, 0))), ("water", Some(embedding(0, 4))), ("flour", None)];
        let mut lists = vectors.map(|(word, vector)| list(word, vector)).to_vec();
        lists.sort_unstable_by_key(|list| list.term);
        (Index::open(&manifest.encode()).unwrap(), vec![(0, PostingsShard(lists))])
    }

    #[test]
    fn a_text_is_the_sum_of_the_words_that_have_vectors() {
        let (index, lists) = index();
        let text = "The rye flour, water and rye; unheard";
        let found = arrows(&index, text, &lists);
        let words: Vec<_> = found.iter().map(|one| (&*one.word, one.embedding.is_some())).collect();
        let expected = [("rye", true), ("flour", false), ("water", true), ("unheard", false)];
        assert_eq!(words, expected);
        assert!(found[0].weight > found[2].weight, "it is there twice");
        let weights = [0, 2].map(|at| i64::from(found[at].weight));
        assert_eq!(sum(&found).sums()[..3], [3 * weights[0], 4 * weights[1], 0]);
        assert_eq!(sum(&found).words, 2);
        assert_eq!(shards(&index, text), [0]);
    }

    #[test]
    fn an_index_without_vectors_needs_no_shards() {
        let index = Index::open(&Manifest { embeddings: false, ..manifest() }.encode()).unwrap();
        assert_eq!(shards(&index, "rye and water"), []);
    }

    #[test]
    fn pages_with_the_direction_of_the_text_are_near_it() {
        let page = |embedding| PageRecord { embedding, ..PageRecord::default() };
        let pages = [
            page(Some(embedding(-1, 0))),
            page(None),
            page(Some(embedding(0, 7))),
            page(Some(embedding(7, 0))),
        ];
        let mut text = TextEmbedding::default();
        text.add(&embedding(2, 0), 5);
        assert_eq!(near(&pages, &text), [(3, 1.0), (2, 0.0), (0, -1.0)]);
    }
}
