//! The pages of the blocks that were read, ranked: each is compared with the query by all that is
//! stored of it.
//!
//! Two numbers say how a page and a text go together. *Found* is the part of the text's weight that
//! is on the page, each term weighing its inverse document frequency as often as the text has it: 1
//! if the page has all of its terms. The *similarity* is the bag Jaccard. A passage is a small part
//! of the page that it is from, so their similarity is small whatever they share; and a long page
//! has nearly all terms of a short one that it has nothing to do with. So passages are ranked by
//! what is found of them, in the order of their scores ([`Weights::compare`]), and whole pages by
//! similarity.
//!
//! Which of the two a text is, is seen from the pages that hold it: see [`is_like_a_page`]. No
//! order serves both. So pages are ranked the other way too, and where that says more, it is told.

use std::cmp::Reverse;

use super::LookupOptions;
use super::query::{Subject, terms_of_title};
use super::shared_words::Sharing;
use crate::bm25::{ONE, length_of, saturation};
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::near::sketch::SharedSample;
use crate::shard::PageRecord;
use crate::similarity::{Overlap, shared};
use crate::sort;
use crate::vocabulary::{IDF_STEPS, TermId};

/// A text is about a whole page if its terms are so many as this part of the page's, and if their
/// similarity is at least this.
const MOST_OF_PAGE: f64 = 0.5;
const ALIKE: f64 = 0.2;
/// A page holds about as much of a text as another if it holds this part of that.
const AS_MUCH: f64 = 0.8;
/// A page that holds less of a text does not hold it.
const HELD: f64 = 0.7;
/// A result that does not stand out from the background by this part of what is left above it is
/// weak: by what is found, by similarity.
const WEAK_FOUND: f64 = 0.3;
const WEAK_SIMILARITY: f64 = 0.05;
/// One that stands out by this part is strong. Of passages, titles and jumbled words of the docs of
/// Python and of PostgreSQL all find their own page with more than that, and of passages of the
/// other docs a quarter find any such page. At this similarity pages count as kin throughout.
const STRONG_FOUND: f64 = 0.8;
const STRONG_SIMILARITY: f64 = 0.2;
/// What has less than this part of the best is no result.
const OF_BEST: f64 = 0.05;
/// So many of a list are seen at a glance: another list says more if its first are not among them.
const GLANCE: usize = 3;

/// The bits of the part of a subject that a page has.
const PART_BITS: u32 = 16;

/// The score that results are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankedBy {
    /// The part of the text found on the page, for a text that is a part of a page.
    Found,
    /// The similarity, for a whole page.
    #[default]
    Similarity,
}

impl RankedBy {
    /// Its name for programs: `found` or `similarity`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Similarity => "similarity",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Found => Self::Similarity,
            Self::Similarity => Self::Found,
        }
    }
}

/// How good a match is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Hardly better than that of any page.
    Weak,
    /// Better than by chance.
    Some,
    /// The page has most of the text, or is about the same.
    Strong,
}

impl Strength {
    /// Its name for programs: `weak`, `some` or `strong`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Some => "some",
            Self::Strong => "strong",
        }
    }

    /// Of a number above what is found anyway, by what results are ranked by.
    fn of(number: f64, background: f64, by: RankedBy) -> Self {
        let (weak, strong) = match by {
            RankedBy::Similarity => (WEAK_SIMILARITY, STRONG_SIMILARITY),
            RankedBy::Found => (WEAK_FOUND, STRONG_FOUND),
        };
        let above = |part: f64| number >= background + part * (1.0 - background);
        match (above(weak), above(strong)) {
            (false, _) => Self::Weak,
            (true, false) => Self::Some,
            (true, true) => Self::Strong,
        }
    }
}

/// A page that contains or resembles the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Kin {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The exact bag Jaccard with the query.
    pub similarity: f64,
    /// The part of the query's weight that is on the page, from 0 to 1.
    pub found: f64,
    /// How good the match is, by the number that ranks.
    pub strength: Strength,
    /// The words of the heaviest shared terms, heaviest first, and pairs of characters of scripts
    /// without spaces joined as far as they are neighbours; at most
    /// [`MAX_SHARED_TERMS`](super::MAX_SHARED_TERMS). The index has no words for rare terms: a
    /// text's own words are used, and for a page of the site they are omitted.
    pub shared_terms: Vec<String>,
    /// What it shares with the query word for word, if that was examined and is notable
    /// ([`SharedSample::nearness`]).
    pub near: Option<SharedSample>,
}

/// A page that was compared.
struct Compared<'a> {
    page: u32,
    record: &'a PageRecord,
    similarity: f64,
    found: f64,
    /// By what is found: see [`Weights::compare`].
    score: u64,
}

/// What the terms of a subject weigh, in its order.
struct Weights {
    idfs: Vec<u8>,
    /// Of all, each as often as the subject has it.
    total: u64,
    /// Of all, by the root of how often the subject has each.
    total_by_root: u64,
    /// What is found on a page by chance.
    by_chance: f64,
}

impl Weights {
    /// By the inverse document frequencies of the terms.
    fn of(subject: &Subject, idfs: Vec<u8>) -> Self {
        let (mut total, mut total_by_root, mut by_chance) = (0, 0, 0);
        for (term, &idf) in subject.terms.iter().zip(&idfs) {
            let weight = term.found_weight(idf);
            total += weight;
            total_by_root += term.weight(idf);
            // The term is on a page with a probability of 2^-(idf / 12).
            by_chance += (weight << 8) >> (idf / IDF_STEPS);
        }
        let by_chance = by_chance as f64 / ((total << 8).max(1)) as f64;
        Self { idfs, total, total_by_root, by_chance }
    }

    /// The part of the subject's weight on a page, and the page's score:
    ///
    /// ```text
    /// sum of w(t) (s(t) + a half, if the title has t) + W (sum of w(t) / W)^8
    /// ```
    ///
    /// over the terms `t` that the page has, with `s` the [`saturation`](crate::bm25), `w` the
    /// inverse document frequency times the root of how often the subject has the term, and `W` the
    /// sum of all `w`. So a page that has all of a passage comes before one that has the most of it
    /// often, and of a question the page comes first that is called after it.
    fn compare(&self, index: &Index, subject: &Subject, record: &PageRecord) -> (f64, u64) {
        let manifest = index.manifest();
        let title = terms_of_title(index, &record.title).unwrap_or_default();
        let (mut found, mut score, mut held) = (0, 0, 0);
        let mut rest = record.terms.as_slice();
        for (term, &idf) in subject.terms.iter().zip(&self.idfs) {
            while let [(other, _), tail @ ..] = rest
                && *other < term.id
            {
                rest = tail;
            }
            if let [(other, class), ..] = rest
                && *other == term.id
            {
                found += term.found_weight(idf);
                let weight = term.weight(idf);
                let in_title = title.binary_search_by_key(&term.id, |term| term.id).is_ok();
                let in_title = if in_title { ONE / 2 } else { 0 };
                let saturation = saturation(*class, record.length, manifest.mean_length);
                score += weight * u64::from(saturation + in_title);
                held += weight;
            }
        }
        (found as f64 / self.total.max(1) as f64, score + self.for_all_of_it(held))
    }

    /// What a page with so much of the subject's weight has for that: of the whole, the eighth
    /// power of its part.
    fn for_all_of_it(&self, held: u64) -> u64 {
        let square = |part: u64| (part * part) >> PART_BITS;
        let part = (held << PART_BITS) / self.total_by_root.max(1);
        ((self.total_by_root * square(square(square(part)))) >> PART_BITS) * u64::from(ONE)
    }
}

impl Compared<'_> {
    /// What ranks it.
    fn number(&self, by: RankedBy) -> f64 {
        match by {
            RankedBy::Similarity => self.similarity,
            RankedBy::Found => self.found,
        }
    }
}

/// Results with the numbers of their pages.
pub(super) type Numbered = Vec<(u32, Kin)>;

/// The pages of the blocks, ranked.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) by: RankedBy,
    pub(super) results: Numbered,
    /// By the other score, if that says more.
    pub(super) also: Numbered,
}

/// Compares the subject with every page of the blocks that are there, by the inverse document
/// frequencies of its terms.
pub(super) fn rank(
    index: &Index,
    subject: &Subject,
    idfs: Vec<u8>,
    blocks: &ShardMap,
    options: LookupOptions,
) -> Ranked {
    let manifest = index.manifest();
    let weights = Weights::of(subject, idfs);
    let mut compared = Vec::new();
    for (&id, shard) in blocks.iter() {
        let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
        for (slot, record) in &block.0 {
            let page = number * manifest.block_pages + slot;
            if Some(page) == subject.page {
                continue;
            }
            let similarity = Overlap::of(&subject.bag, &record.bag).jaccard();
            let (found, score) = weights.compare(index, subject, record);
            if found > 0.0 {
                compared.push(Compared { page, record, similarity, found, score });
            }
        }
    }
    let is_page = is_like_a_page(subject, &compared);
    let by = if is_page { RankedBy::Similarity } else { RankedBy::Found };
    let mut list = |by| best(index, subject, &weights, &mut compared, by, options);
    let results = list(by);
    // Of a few words nobody wants pages like them, and of a page nobody what has all its words.
    let is_either = subject.page.is_none() && subject.has_many_terms();
    let mut also = if is_either { list(by.other()) } else { Vec::new() };
    if !says_more(&also, &results) {
        also.clear();
    }
    Ranked { by, results, also }
}

/// The best of the pages by one score.
fn best(
    index: &Index,
    subject: &Subject,
    weights: &Weights,
    compared: &mut [Compared<'_>],
    by: RankedBy,
    options: LookupOptions,
) -> Numbered {
    // The bits of numbers that are not negative have the order of the numbers.
    sort::by_key(compared, |&Compared { similarity, score, page, .. }| match by {
        RankedBy::Similarity => (Reverse(similarity.to_bits()), Reverse(score), page),
        RankedBy::Found => (Reverse(score), Reverse(similarity.to_bits()), page),
    });
    let background = match by {
        RankedBy::Similarity => f64::from(index.manifest().background) / 65_536.0,
        RankedBy::Found => weights.by_chance,
    };
    let most = compared.iter().map(|one| one.number(by)).fold(0.0, f64::max);
    let least = options.min.max(OF_BEST * most);
    let is_result = |one: &&Compared<'_>| one.number(by) >= least && one.number(by) > 0.0;
    let results = compared.iter().filter(is_result).take(options.limit as usize).map(|one| {
        let sharing = Sharing { index, subject, idfs: &weights.idfs, record: one.record };
        let kin = Kin {
            url: one.record.url.clone(),
            title: one.record.title.clone(),
            similarity: one.similarity,
            found: one.found,
            strength: Strength::of(one.number(by), background, by),
            shared_terms: sharing.words(shared_terms(subject, weights, one.record, by)),
            near: None,
        };
        (one.page, kin)
    });
    results.collect()
}

/// Whether the second list says what the first does not: its best match is not weak, and one of its
/// first is not among the first of that.
fn says_more(second: &Numbered, first: &Numbered) -> bool {
    let is_seen = |page: u32| first.iter().take(GLANCE).any(|&(other, _)| other == page);
    second.first().is_some_and(|(_, kin)| kin.strength > Strength::Weak)
        && second.iter().take(GLANCE).any(|&(page, _)| !is_seen(page))
}

/// Whether a subject is rather a whole page than a passage: a page of the site is. A text is, if a
/// page that holds about as much of it as any is not much longer than it and alike, or if it is
/// long and none holds it.
fn is_like_a_page(subject: &Subject, compared: &[Compared<'_>]) -> bool {
    if subject.page.is_some() {
        return true;
    }
    let held = compared.iter().map(|one| one.found).fold(0.0, f64::max);
    let covers =
        |page: &PageRecord| subject.length as f64 >= MOST_OF_PAGE * length_of(page.length) as f64;
    let is_alike = |one: &Compared<'_>| {
        one.found >= AS_MUCH * held && one.similarity >= ALIKE && covers(one.record)
    };
    (subject.is_long && held < HELD) || compared.iter().any(is_alike)
}

/// The terms that a page shares with the subject, with what they did to make it a result.
fn shared_terms(
    subject: &Subject,
    weights: &Weights,
    record: &PageRecord,
    by: RankedBy,
) -> Vec<(TermId, u64)> {
    match by {
        RankedBy::Similarity => {
            shared(&subject.bag, &record.bag).map(|(id, copies)| (id, u64::from(copies))).collect()
        }
        RankedBy::Found => subject
            .terms
            .iter()
            .zip(&weights.idfs)
            .filter(|(term, _)| record.class(term.id).is_some())
            .map(|(term, &idf)| (term.id, term.weight(idf)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_list_says_more_if_it_has_a_good_match_and_others_at_a_glance() {
        let list = |pages: &[u32], strength: Strength| -> Numbered {
            let kin = Kin {
                url: String::new(),
                title: String::new(),
                similarity: 0.5,
                found: 0.5,
                strength,
                shared_terms: Vec::new(),
                near: None,
            };
            pages.iter().map(|&page| (page, kin.clone())).collect()
        };
        let first = list(&[1, 2, 3, 4], Strength::Some);
        let says_more = |pages: &[u32], strength| says_more(&list(pages, strength), &first);
        assert!(says_more(&[1, 4, 2], Strength::Some));
        assert!(says_more(&[5], Strength::Strong));
        assert!(!says_more(&[5], Strength::Weak));
        assert!(!says_more(&[3, 1, 2, 5], Strength::Strong), "the order alone");
        assert!(!says_more(&[], Strength::Some));
    }
}
