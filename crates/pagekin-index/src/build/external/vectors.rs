//! Vectors that a file assigns to pages and words, from any embedding model. Those of pages decide
//! which pages are related, and together with those of words they rank pages by meaning.
//!
//! Vectors of pages are scaled to length 1 and rounded to 16,384ths, so that cosines are sums of
//! integers and equal on every machine. A page is compared with all others. This takes two bytes of
//! memory per dimension and page: 8 MB for 10,000 pages and 384 dimensions.

use std::cmp::Reverse;
use std::path::Path;

use pagekin_core::terms::Analyzer;
use pagekin_core::vocabulary::term_id;
use pagekin_pages::Observer;
use pagekin_pairs::cosine::{COMPARED, Cosine};
use serde::Deserialize;

use crate::build::error::BuildError;
use crate::build::external::lines::ExternalFile;
use crate::build::external::word_vectors::WordVectors;

const MAX_DIMENSIONS: usize = 8_192;
/// Fractional bits of an element.
const BITS: u32 = 14;

#[derive(Deserialize)]
struct Line {
    page: Option<String>,
    word: Option<String>,
    vector: Vec<f32>,
}

/// The vectors of a file.
#[derive(Debug)]
pub(crate) struct ExternalVectors {
    file: ExternalFile,
    dimensions: usize,
    /// The vectors one after another, and the number of the page name of each.
    elements: Vec<i16>,
    names: Vec<u32>,
    /// The words that have a vector, which is as long as in the file.
    words: Vec<(String, Vec<f32>)>,
}

impl ExternalVectors {
    pub(crate) fn read(path: &Path) -> Result<Self, BuildError> {
        let (mut dimensions, mut elements, mut names) = (0, Vec::new(), Vec::new());
        let mut words = Vec::new();
        let expected =
            "{\"page\" or \"word\": …, \"vector\": [1 to 8,192 numbers, equally many per line]}";
        let each = |page: Option<u32>, Line { word, vector, .. }: &Line| {
            if dimensions == 0 && (1..=MAX_DIMENSIONS).contains(&vector.len()) {
                dimensions = vector.len();
            }
            if vector.len() != dimensions || vector.is_empty() {
                let others =
                    if dimensions > 0 { format!(" after {dimensions}") } else { String::new() };
                return Err(format!("{} numbers{others}", vector.len()));
            }
            if let Some(odd) = vector.iter().find(|element| !element.is_finite()) {
                return Err(format!("the number {odd}"));
            }
            let squares: f64 = vector.iter().map(|&element| f64::from(element).powi(2)).sum();
            match (page, word) {
                (Some(_), None) | (None, Some(_)) => {}
                (Some(_), Some(_)) => return Err("a page and a word".to_owned()),
                (None, None) => return Err("neither a page nor a word".to_owned()),
            }
            words.extend(word.clone().map(|word| (word, vector.clone())));
            // A vector of zeros has no direction and is ignored.
            if let Some(page) = page.filter(|_| squares > 0.0) {
                let scale = f64::from(1 << BITS) / squares.sqrt();
                let element = |&element: &f32| (f64::from(element) * scale).round() as i16;
                elements.extend(vector.iter().map(element));
                names.push(page);
            }
            Ok(())
        };
        let file = ExternalFile::read(
            "embeddings",
            expected,
            path,
            |line: &Line| line.page.as_deref(),
            each,
        )?;
        Ok(Self { file, dimensions, elements, names, words })
    }

    /// Returns the vectors of the words, by the stems that they have in a language; the first one
    /// if there are several. Returns `None` if no word has a vector.
    pub(crate) fn of_words(&self, analyzer: &Analyzer<'_>) -> Option<WordVectors> {
        let mut vectors = WordVectors::new(self.dimensions);
        for (word, vector) in &self.words {
            if let Some(stem) = analyzer.term(word) {
                vectors.add(term_id(&stem), vector.iter().copied());
            }
        }
        (!self.words.is_empty()).then_some(vectors)
    }

    /// Returns a vector of a page, of length 1.
    pub(crate) fn of_page(&self, vector: u32) -> Vec<f32> {
        let start = vector as usize * self.dimensions;
        let elements = &self.elements[start..start + self.dimensions];
        elements.iter().map(|&element| f32::from(element) / f32::from(1u16 << BITS)).collect()
    }

    /// Returns the vector of each page of a site with these URLs; the first one if there are
    /// several.
    pub(crate) fn of_pages<'a>(
        &self,
        urls: impl ExactSizeIterator<Item = &'a str>,
        base_url: &str,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<u32>>, BuildError> {
        let mut of_pages = vec![None; urls.len()];
        let pages = self.file.pages(urls, base_url, observer)?;
        for (vector, &name) in (0..).zip(&self.names) {
            if let Some(page) = pages[name as usize] {
                of_pages[page as usize].get_or_insert(vector);
            }
        }
        let without = of_pages.iter().filter(|vector| vector.is_none()).count();
        if without > 0 {
            observer.warn(&format!(
                "--related-vectors: {without} of {} pages have no vector: they are compared by their terms",
                of_pages.len()
            ));
        }
        Ok(of_pages)
    }
}

/// Vectors by page numbers.
#[derive(Debug)]
pub(crate) struct VectorsOfPages<'a> {
    vectors: &'a ExternalVectors,
    /// The index of each page's vector, and the pages that have one.
    places: Vec<Option<u32>>,
    pages: Vec<u32>,
}

impl<'a> VectorsOfPages<'a> {
    /// `places` has the index of each page's vector.
    pub(crate) fn new(vectors: &'a ExternalVectors, places: Vec<Option<u32>>) -> Self {
        let has = |(page, place): (u32, &Option<u32>)| place.map(|_| page);
        let pages = (0..).zip(&places).filter_map(has).collect();
        Self { vectors, places, pages }
    }

    /// The pages that have a vector, ascending.
    pub(crate) fn pages(&self) -> &[u32] {
        &self.pages
    }

    /// The cosine of two pages, at least 0. Returns `None` if one has no vector.
    pub(crate) fn cosine(&self, a: u32, b: u32) -> Option<Cosine> {
        let vector = |page: u32| {
            let start = self.places[page as usize]? as usize * self.vectors.dimensions;
            Some(&self.vectors.elements[start..start + self.vectors.dimensions])
        };
        let (a, b) = (vector(a)?, vector(b)?);
        // The squares sum to little more than 2^28, and so does every product.
        let product = |(&a, &b): (&i16, &i16)| i32::from(a) * i32::from(b);
        let sum: i32 = a.iter().zip(b).map(product).sum();
        let cosine = (u64::from(Cosine::EQUAL.0) * sum.max(0) as u64) >> (2 * BITS);
        Some(Cosine(cosine.min(u64::from(Cosine::EQUAL.0)) as u32))
    }

    /// Returns up to [`COMPARED`] other pages with a vector, most similar first, then by number.
    /// Returns `None` if the page has no vector. Linear in the number of vectors.
    pub(crate) fn nearest(&self, page: u32) -> Option<Vec<(u32, Cosine)>> {
        self.places[page as usize]?;
        let others = self.pages.iter().filter(|&&other| other != page);
        let compared = |&other: &u32| Some((other, self.cosine(page, other)?));
        let mut all: Vec<(u32, Cosine)> =
            others.filter_map(compared).filter(|&(_, cosine)| cosine.0 > 0).collect();
        let best_first = |&(other, cosine): &(u32, Cosine)| (Reverse(cosine), other);
        if all.len() > COMPARED {
            all.select_nth_unstable_by_key(COMPARED - 1, best_first);
            all.truncate(COMPARED);
        }
        all.sort_unstable_by_key(best_first);
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use proptest::prelude::*;

    fn read(lines: &[String]) -> Result<ExternalVectors, BuildError> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("vectors");
        std::fs::write(&path, lines.concat()).unwrap();
        ExternalVectors::read(&path)
    }

    fn line(page: usize, vector: &[f32]) -> String {
        format!("{{\"page\": \"/{page}\", \"vector\": {vector:?}}}\n")
    }

    #[test]
    fn the_first_vector_of_a_page_counts_and_zero_vectors_are_ignored() {
        let lines = [line(0, &[1.0, 0.0]), line(1, &[0.0, 0.0]), line(2, &[3e30, 3e30])];
        let vectors = read(&[&lines[..], &[line(0, &[0.0, 1.0])]].concat()).unwrap();
        let urls = ["/0", "/1", "/2", "/3"];
        let places = vectors.of_pages(urls.into_iter(), "/", &Silent).unwrap();
        assert_eq!(places, [Some(0), None, Some(1), None]);
        let of_pages = VectorsOfPages::new(&vectors, places);
        let cosine = of_pages.cosine(0, 2).unwrap().thousandths();
        assert_eq!((cosine, of_pages.cosine(0, 1)), (707, None));
        assert_eq!((of_pages.nearest(1), of_pages.pages()), (None, &[0, 2][..]));
    }

    #[test]
    fn odd_vectors_are_refused() {
        for (odd, found) in [
            (line(1, &[1.0]), "found 1 numbers after 2"),
            (line(1, &[]), "found 0 numbers after 2"),
            (line(1, &[1.0, 1.0]).replace("1.0]", "1e300]"), "found the number inf"),
        ] {
            let error = read(&[line(0, &[1.0, 2.0]), odd]).unwrap_err().to_string();
            assert!(error.contains("line 2") && error.contains(found), "{error}");
        }
        let error = read(&[line(0, &vec![1.0; MAX_DIMENSIONS + 1])]).unwrap_err().to_string();
        assert!(error.contains("found 8193 numbers"), "{error}");
    }

    proptest! {
        /// The nearest pages are those by cosines in floating point, except for rounding.
        #[test]
        fn the_nearest_pages_are_those_of_all_pairs(
            rows in prop::collection::vec(prop::collection::vec(-9f32..9.0, 5), 2..90),
        ) {
            let lines: Vec<_> = (0..).zip(&rows).map(|(page, row)| line(page, row)).collect();
            let vectors = read(&lines).unwrap();
            let urls: Vec<_> = (0..rows.len()).map(|page| format!("/{page}")).collect();
            let places = vectors.of_pages(urls.iter().map(String::as_str), "/", &Silent).unwrap();
            let of_pages = VectorsOfPages::new(&vectors, places);
            let dot = |a: &[f32], b: &[f32]| -> f64 {
                a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
            };
            let first = &rows[0];
            let Some(nearest) = of_pages.nearest(0) else {
                prop_assert!(dot(first, first) == 0.0);
                return Ok(());
            };
            let exact = |page: usize| {
                let row = &rows[page];
                let norm = (dot(row, row) * dot(first, first)).sqrt();
                if norm > 0.0 { dot(row, first) / norm } else { 0.0 }
            };
            let mut all: Vec<f64> = (1..rows.len()).map(exact).filter(|&cosine| cosine > 0.0).collect();
            all.sort_unstable_by(|a, b| b.total_cmp(a));
            prop_assert!(nearest.is_sorted_by_key(|&(page, cosine)| (Reverse(cosine), page)));
            for (&(page, cosine), best) in nearest.iter().zip(&all) {
                let found = f64::from(cosine.0) / f64::from(Cosine::EQUAL.0);
                prop_assert!((found - exact(page as usize)).abs() < 1e-3);
                prop_assert!((found - best).abs() < 1e-3);
            }
            prop_assert!(nearest.len().abs_diff(all.len().min(COMPARED)) <= 1);
        }
    }
}
