//! Projects the vectors of pages and words to the embeddings of an index.
//!
//! The vector of a page is the weighted sum of those of its words, of length 1. The [`Basis`] has
//! the directions in which the pages of the site differ most: the principal components of their
//! vectors. It is stored next to the index, so that a build that follows another gives unchanged
//! pages and words the same embeddings.

use pagekin_core::bag::FREQUENCIES;
use pagekin_core::embedding::{DIMENSIONS, Embedding, MAX_ELEMENT};
use pagekin_core::hash;
use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::PageTerm;
use pagekin_core::vocabulary::{TermId, Vocabulary};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::external::word_vectors::WordVectors;
use crate::build::pages::vocabulary::WeightedPage;

/// The embeddings of a site.
#[derive(Debug, Default)]
pub(crate) struct SiteEmbeddings {
    /// By the index of the page.
    pub(crate) pages: Vec<Option<Embedding>>,
    pub(crate) words: FxHashMap<TermId, Embedding>,
    pub(crate) basis: Basis,
}

/// Maximum number of pages from which a basis is computed.
const MAX_SAMPLE: usize = 8_192;
/// Number of pages whose products are summed at a time.
const PAGES_AT_A_TIME: usize = 256;
/// Number of rounds of the power iteration.
const ROUNDS: usize = 40;
/// The share of words whose largest element is within the range of elements.
const WITHIN: f64 = 0.98;

/// The name of the file of a basis. Visitors do not fetch it.
pub(crate) const BASIS_NAME: &str = "pagekin.basis";
const MAGIC: &[u8] = b"pagekin basis 1\n";

/// A linear map from vectors to embeddings.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Basis {
    /// The directions, each of length 1, one after another.
    directions: Vec<f32>,
    /// The mean of the vectors of pages, which says nothing about one of them.
    mean: Vec<f32>,
    /// The value of an element of 1 in the embedding of a word.
    step: f32,
}

impl Basis {
    fn dimensions(&self) -> usize {
        self.directions.len() / DIMENSIONS
    }

    /// Returns the bytes of its file: a magic number, the checksum of the rest, the step, and the
    /// directions.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let numbers = [&self.step].into_iter().chain(&self.mean).chain(&self.directions);
        let rest: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        [MAGIC, &hash::of_bytes(&rest).to_le_bytes(), &rest].concat()
    }

    /// Reads the output of [`encode`](Self::encode), unless it is damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (checksum, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        let (numbers, after) = rest.as_chunks::<4>();
        let is_whole = u64::from_le_bytes(*checksum) == hash::of_bytes(rest) && after.is_empty();
        let mut numbers = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let step = numbers.next()?;
        let mut mean: Vec<f32> = numbers.collect();
        let directions = mean.split_off(mean.len() / (DIMENSIONS + 1));
        let is_whole = is_whole && directions.len() == mean.len() * DIMENSIONS;
        is_whole.then_some(Self { directions, mean, step })
    }

    /// Computes the principal components of the vectors of pages, of length 1, and the step for
    /// those of words.
    fn new(pages: &[&[f32]], words: &[(TermId, &[f32])], dimensions: usize) -> Self {
        let mean = mean_of(pages, dimensions);
        let stride = pages.len().div_ceil(MAX_SAMPLE).max(1);
        let sample = pages.iter().step_by(stride);
        let sample: Vec<Vec<f32>> = sample.map(|page| minus(page, &mean)).collect();
        let products = products(&sample, dimensions);
        let mut directions: Vec<Vec<f64>> =
            (0..DIMENSIONS).map(|at| begin(at, dimensions)).collect();
        for _ in 0..ROUNDS {
            directions.par_iter_mut().for_each(|direction| {
                *direction = products.chunks(dimensions).map(|row| dot(row, direction)).collect();
            });
            orthonormalize(&mut directions);
        }
        let directions = directions.concat().into_iter().map(|element| element as f32).collect();
        let mut basis = Self { directions, mean, step: 1.0 };
        let largest = |(_, vector): &(TermId, &[f32])| largest(&basis.project(vector));
        let mut all: Vec<f64> = words.par_iter().map(largest).collect();
        all.par_sort_unstable_by(f64::total_cmp);
        let most = all.get((all.len() as f64 * WITHIN) as usize).copied().unwrap_or(1.0);
        basis.step = most as f32 / f32::from(MAX_ELEMENT);
        basis
    }

    /// Returns the coordinates of a vector along the directions.
    fn project(&self, vector: &[f32]) -> [f64; DIMENSIONS] {
        let mut coordinates = [0.0; DIMENSIONS];
        for (coordinate, direction) in
            coordinates.iter_mut().zip(self.directions.chunks(self.dimensions()))
        {
            *coordinate =
                vector.iter().zip(direction).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        }
        coordinates
    }

    fn of_page(&self, vector: &[f32]) -> Embedding {
        let coordinates = self.project(&minus(vector, &self.mean));
        rounded(&coordinates, largest(&coordinates) / f64::from(MAX_ELEMENT))
    }

    fn of_word(&self, vector: &[f32]) -> Embedding {
        rounded(&self.project(vector), self.step.into())
    }
}

fn minus(vector: &[f32], mean: &[f32]) -> Vec<f32> {
    vector.iter().zip(mean).map(|(one, mean)| one - mean).collect()
}

fn mean_of(pages: &[&[f32]], dimensions: usize) -> Vec<f32> {
    let mut sums = vec![0f64; dimensions];
    for page in pages {
        sums.iter_mut().zip(*page).for_each(|(sum, &one)| *sum += f64::from(one));
    }
    sums.into_iter().map(|sum| (sum / pages.len().max(1) as f64) as f32).collect()
}

fn largest(coordinates: &[f64]) -> f64 {
    coordinates.iter().fold(0.0, |largest, one| one.abs().max(largest))
}

/// Returns the elements nearest to coordinates in units of `step`.
fn rounded(coordinates: &[f64; DIMENSIONS], step: f64) -> Embedding {
    let most = f64::from(MAX_ELEMENT);
    let element =
        |one: f64| if step > 0.0 { (one / step).round().clamp(-most, most) as i8 } else { 0 };
    Embedding(coordinates.map(element))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Makes vectors orthogonal to the earlier ones and of length 1, or 0 if nothing is left.
fn orthonormalize(vectors: &mut [Vec<f64>]) {
    for at in 0..vectors.len() {
        let (earlier, rest) = vectors.split_at_mut(at);
        let vector = &mut rest[0];
        for other in earlier {
            let part = dot(other, vector);
            vector.iter_mut().zip(other.iter()).for_each(|(one, other)| *one -= part * other);
        }
        let length = dot(vector, vector).sqrt();
        let scale = if length > 1e-9 { 1.0 / length } else { 0.0 };
        vector.iter_mut().for_each(|one| *one *= scale);
    }
}

/// Returns the direction from which the iteration starts: any that is not orthogonal to a
/// component.
fn begin(at: usize, dimensions: usize) -> Vec<f64> {
    let mut random = SplitMix64::new(at as u64);
    (0..dimensions).map(|_| f64::from(random.below(1 << 16)) - f64::from(1 << 15)).collect()
}

/// Returns the sums of the products of all pairs of elements over vectors. Sums of floating-point
/// numbers depend on their order, so this does not depend on threads.
fn products(vectors: &[Vec<f32>], dimensions: usize) -> Vec<f64> {
    let of_some = |vectors: &[Vec<f32>]| {
        let mut sums = vec![0f64; dimensions * dimensions];
        for vector in vectors {
            for (sums, &a) in sums.chunks_mut(dimensions).zip(vector) {
                for (sum, &b) in sums.iter_mut().zip(vector) {
                    *sum += f64::from(a) * f64::from(b);
                }
            }
        }
        sums
    };
    let parts: Vec<_> = vectors.par_chunks(PAGES_AT_A_TIME).map(of_some).collect();
    let mut all = vec![0f64; dimensions * dimensions];
    for part in parts {
        all.iter_mut().zip(part).for_each(|(sum, one)| *sum += one);
    }
    all
}

/// Returns the weight of a term in the vector of a page.
fn weight(term: &PageTerm, vocabulary: &Vocabulary) -> f32 {
    let idf = f32::from(vocabulary.idf(term.id).unwrap_or(vocabulary.rare_weight()).max(1));
    let tf = if term.is_outside { 0.0 } else { f32::from(FREQUENCIES[usize::from(term.class)]) };
    let emphasis = if term.emphasis > 0 { 1.0 } else { 0.0 };
    idf.sqrt() * (tf.sqrt() + emphasis)
}

/// Returns the vector of a page, the weighted sum of those of its words, of length 1. Returns
/// `None` if no word has one.
pub(crate) fn of_words(
    page: &WeightedPage,
    words: &WordVectors,
    vocabulary: &Vocabulary,
) -> Option<Vec<f32>> {
    let mut sum = vec![0f32; words.dimensions];
    for term in &page.terms {
        if let Some(vector) = words.get(term.id) {
            let weight = weight(term, vocabulary);
            sum.iter_mut().zip(vector).for_each(|(sum, one)| *sum += weight * one);
        }
    }
    let length = sum.iter().map(|one| one * one).sum::<f32>().sqrt();
    sum.iter_mut().for_each(|one| *one /= length);
    (length > 0.0).then_some(sum)
}

/// The vectors from which the embeddings of a site are made.
#[derive(Debug)]
pub(crate) struct SiteSource {
    pub(crate) words: WordVectors,
    /// By the index of the page, of length 1.
    pub(crate) pages: Vec<Option<Vec<f32>>>,
}

impl SiteEmbeddings {
    /// Computes the embeddings of pages and their words, with the basis of a previous index if it
    /// fits.
    pub(crate) fn new(source: SiteSource, pages: &[WeightedPage], basis: Option<Basis>) -> Self {
        let SiteSource { words, pages: vectors } = source;
        let mut terms: Vec<TermId> =
            pages.par_iter().flat_map_iter(|page| &page.terms).map(|term| term.id).collect();
        terms.par_sort_unstable();
        terms.dedup();
        let known: Vec<(TermId, &[f32])> =
            terms.into_iter().filter_map(|term| Some((term, words.get(term)?))).collect();
        let basis = basis.filter(|basis| basis.dimensions() == words.dimensions);
        let basis = basis.unwrap_or_else(|| {
            let all: Vec<&[f32]> = vectors.iter().flatten().map(Vec::as_slice).collect();
            Basis::new(&all, &known, words.dimensions)
        });
        let of_word = |&(term, vector): &(TermId, &[f32])| (term, basis.of_word(vector));
        let words = known.par_iter().map(of_word).collect::<Vec<_>>().into_iter().collect();
        let of_page = |vector: &Option<Vec<f32>>| vector.as_ref().map(|one| basis.of_page(one));
        Self { pages: vectors.par_iter().map(of_page).collect(), words, basis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns vectors of six dimensions that differ in the third most, then in the first.
    fn vectors(n: u64) -> Vec<Vec<f32>> {
        let mut random = SplitMix64::new(n);
        let mut below = |most: u32| random.below(2 * most + 1) as f32 - most as f32;
        (0..n).map(|_| vec![5.0 + below(30), 7.0, below(90), 0.0, below(2), 1.0]).collect()
    }

    fn basis_of(vectors: &[Vec<f32>]) -> Basis {
        let pages: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        Basis::new(&pages, &[(1, &[8.0, 0.0, 0.0, 0.0, 0.0, 0.0])], 6)
    }

    #[test]
    fn the_first_directions_are_those_in_which_pages_differ_most() {
        let basis = basis_of(&vectors(600));
        let part =
            |direction: usize, element: usize| basis.directions[direction * 6 + element].abs();
        assert!(part(0, 2) > 0.99 && part(1, 0) > 0.99 && part(2, 4) > 0.99, "{basis:?}");
        // What all pages have in common says nothing.
        assert!((basis.mean[1] - 7.0).abs() < 1e-3 && (basis.mean[5] - 1.0).abs() < 1e-3);
        let Embedding(elements) = basis.of_page(&[5.0, 7.0, 60.0, 0.0, 0.0, 1.0]);
        assert_eq!(elements[0].abs(), MAX_ELEMENT);
        assert!(elements[1..].iter().all(|element| element.abs() <= 1), "{elements:?}");
    }

    #[test]
    fn longer_vectors_of_words_have_larger_embeddings() {
        let basis = basis_of(&vectors(600));
        let length = |x: f32| {
            let Embedding(elements) = basis.of_word(&[x, 0.0, 0.0, 0.0, 0.0, 0.0]);
            elements.iter().map(|element| u32::from(element.unsigned_abs())).sum::<u32>()
        };
        let [none, half, whole] = [0.0, 4.0, 8.0].map(length);
        assert!(none == 0 && 0 < half && half < whole, "{none} {half} {whole}");
    }

    #[test]
    fn directions_are_orthogonal_and_have_the_length_1_or_0() {
        let basis = basis_of(&vectors(600));
        let rows: Vec<&[f32]> = basis.directions.chunks(6).collect();
        for (a, b) in
            rows.iter().enumerate().flat_map(|(at, a)| rows[..at].iter().map(move |b| (a, b)))
        {
            let product: f32 = a.iter().zip(*b).map(|(a, b)| a * b).sum();
            assert!(product.abs() < 1e-3, "{a:?} {b:?}");
        }
        let lengths = rows.iter().map(|row| row.iter().map(|one| one * one).sum::<f32>());
        assert!(lengths.into_iter().all(|length| length < 1e-6 || (length - 1.0).abs() < 1e-3));
    }

    #[test]
    fn a_basis_does_not_depend_on_threads() {
        let vectors = vectors(3_000);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| basis_of(&vectors).encode())
        };
        assert_eq!(on(1), on(3));
    }

    proptest! {
        #[test]
        fn a_written_basis_is_read_and_a_changed_one_is_not(at: prop::sample::Index, change in 1u8..) {
            let basis = basis_of(&vectors(60));
            let mut bytes = basis.encode();
            prop_assert_eq!(Basis::decode(&bytes), Some(basis));
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            prop_assert_eq!(Basis::decode(&bytes), None);
            prop_assert_eq!(Basis::decode(&bytes[..at]), None);
        }
    }
}
