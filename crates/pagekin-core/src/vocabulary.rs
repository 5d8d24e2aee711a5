//! The vocabulary: every term that counts on a site, with its weight.
//!
//! A term counts if its document frequency (df: the number of pages it is on) is neither too low nor too
//! high. Its weight is the inverse document frequency `log2(N / df)` of `N` pages, kept as a whole number
//! of [`IDF_STEPS`]ths (so off by at most a twenty-fourth of a bit) in one byte. The build
//! weighs its own pages with these same bytes: a text pasted in a browser gets the same weights to the bit.

use crate::hash;

/// Steps of weight per factor of two in rarity: with 12, one byte reaches `N / df` = 2^21.
pub const IDF_STEPS: f64 = 12.0;

/// A term by its rank in the alphabetical order of the vocabulary.
pub type TermId = u32;

/// The quantised inverse document frequency of a term that is on `df` of `pages` pages:
/// `round(12 log2(pages / df))`, at least 1, as a term that is in the vocabulary counts, and at most 255.
#[must_use]
pub fn quantised_idf(df: u32, pages: u32) -> u8 {
    let ratio = f64::from(pages.max(1)) / f64::from(df.max(1));
    libm::round(IDF_STEPS * libm::log2(ratio)).clamp(1.0, 255.0) as u8
}

/// The document frequencies a term may have to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DfLimits {
    /// The lowest df that counts. 1 keeps every rare word.
    pub min: u32,
    /// The highest df that counts, in per cent of the pages: 100 keeps every common word.
    pub max_percent: f64,
    /// A df that is never too high, whatever its share: on a very small site a share says little.
    pub never_too_high: u32,
}

impl DfLimits {
    /// The limits for a site of `pages` pages: at most 20 % of them, and at least 2 pages, as a word of one
    /// page makes it like no other. On a site of fewer than 50 pages 1 is enough: there the words that two
    /// pages share are few, and a text that copies a page is known by that page's own.
    #[must_use]
    pub fn for_pages(pages: u32) -> Self {
        Self { min: if pages < 50 { 1 } else { 2 }, max_percent: 20.0, never_too_high: 10 }
    }

    /// Whether a term on `df` of `pages` pages counts.
    #[must_use]
    pub fn allow(&self, df: u32, pages: u32) -> bool {
        let most = (f64::from(pages) * self.max_percent / 100.0) as u32;
        df >= self.min && df <= most.max(self.never_too_high)
    }
}

/// One term as the vocabulary knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// The stem: what words are looked up by.
    pub stem: &'a str,
    /// The word of the site that most often stood for the stem: what people are shown.
    pub word: &'a str,
    /// [`quantised_idf`].
    pub idf: u8,
}

/// All terms of a site, in the order of their stems' bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Stem and word of each term, one behind the other.
    text: String,
    /// Per term: where its stem and its word end in `text`, and its weight.
    entries: Vec<(u32, u32, u8)>,
}

impl Vocabulary {
    /// No terms.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a term behind all others. `false`, and nothing added, if its stem is not behind theirs or the
    /// text would grow beyond 4 GiB.
    pub fn push(&mut self, term: Term<'_>) -> bool {
        if self.entries.last().is_some() && self.get(self.len() - 1).stem >= term.stem {
            return false;
        }
        let stem_end = self.text.len() + term.stem.len();
        let Ok(word_end) = u32::try_from(stem_end + term.word.len()) else { return false };
        self.text.push_str(term.stem);
        self.text.push_str(term.word);
        self.entries.push((stem_end as u32, word_end, term.idf));
        true
    }

    /// The number of terms.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The term of an id.
    ///
    /// # Panics
    ///
    /// If `id` is not below [`len`](Self::len).
    #[must_use]
    pub fn get(&self, id: TermId) -> Term<'_> {
        let at = id as usize;
        let start = if at == 0 { 0 } else { self.entries[at - 1].1 as usize };
        let (stem_end, word_end, idf) = self.entries[at];
        Term {
            stem: &self.text[start..stem_end as usize],
            word: &self.text[stem_end as usize..word_end as usize],
            idf,
        }
    }

    /// The id of a stem, by binary search.
    #[must_use]
    pub fn id(&self, stem: &str) -> Option<TermId> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).stem.cmp(stem) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The hash that stands for a term in signatures: that of its stem, so it means the same term in every
    /// index.
    #[must_use]
    pub fn term_hash(&self, id: TermId) -> u64 {
        hash::of_bytes(self.get(id).stem.as_bytes())
    }

    /// The terms in order.
    pub fn iter(&self) -> impl Iterator<Item = Term<'_>> {
        (0..self.len()).map(|id| self.get(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_terms_weigh_more() {
        assert_eq!(quantised_idf(8, 8), 1);
        assert_eq!(quantised_idf(4, 8), 12);
        assert_eq!(quantised_idf(1, 1 << 20), 240);
        assert_eq!(quantised_idf(1, u32::MAX), 255);
        // 12 log2(10 / 3) = 20.84
        assert_eq!(quantised_idf(3, 10), 21);
    }

    #[test]
    fn limits_hold_at_their_ends() {
        let limits = DfLimits::for_pages(1_000);
        assert!(!limits.allow(1, 1_000) && limits.allow(2, 1_000));
        assert!(limits.allow(200, 1_000) && !limits.allow(201, 1_000));
        let small = DfLimits::for_pages(8);
        assert!(small.allow(1, 8) && small.allow(8, 8));
        let told = DfLimits { max_percent: 50.0, never_too_high: 0, ..small };
        assert!(told.allow(4, 8) && !told.allow(5, 8));
    }

    #[test]
    fn terms_are_found_by_their_stems() {
        let mut vocabulary = Vocabulary::new();
        for (stem, word) in [("bake", "baking"), ("loaf", "loaf"), ("memori", "memory")] {
            assert!(vocabulary.push(Term { stem, word, idf: 7 }));
        }
        assert!(!vocabulary.push(Term { stem: "loaf", word: "loaf", idf: 7 }));
        assert_eq!(vocabulary.len(), 3);
        assert_eq!(vocabulary.id("memori"), Some(2));
        assert_eq!(vocabulary.get(2).word, "memory");
        assert_eq!(vocabulary.id("memory"), None);
        assert_eq!(Vocabulary::new().id("x"), None);
    }
}
