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
use super::prefix_query::{self, Correction};
use super::query::{Subject, SubjectTerm, terms_of_title};
use super::score::{Alternatives, Rarity, for_most_of_it};
use super::shared_words::{MAX_MISSING_TERMS, Sharing};
use crate::fit::{TITLE_LEVEL, fit_of, length_of};
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::near::sketch::SharedSample;
use crate::shard::{PageRecord, group_number};
use crate::similarity::{Overlap, shared};
use crate::sort;
use crate::vocabulary::TermId;

/// A text is about a whole page if its terms are so many as this part of the page's, and if their
/// similarity is at least this.
const MAX_SHARE_OF_PAGE: f64 = 0.5;
const ALIKE: f64 = 0.2;
/// A page holds about as much of a text as another if it holds this part of that.
const AS_MUCH: f64 = 0.8;
/// A page that holds less of a text does not hold it.
const HELD: f64 = 0.7;
/// By similarity, a result that does not stand out from the background by this part of what is left
/// above it is weak, and one that stands out by that part is strong: at this similarity pages count
/// as kin throughout.
const MEDIUM_SIMILARITY: f64 = 0.05;
const HIGH_SIMILARITY: f64 = 0.2;
/// By coverage, only the first can be known: it is strong if it has this part of the text, and
/// the next has less than that part of its score. Of 28 such answers to queries that people wrote
/// on six sites 24 were right, of 106 that follow 45, of others one in ten.
const HIGH_COVERAGE: f64 = 0.8;
const FAR_BEHIND: f64 = 0.8;
/// Else, if the next is not so far behind, it is weak without this part of the text and this
/// number.
const MEDIUM_COVERAGE: f64 = 0.6;
const MEDIUM_SCORE: f64 = 0.4;
/// What has less than this part of the best is no result.
const OF_BEST: f64 = 0.05;
/// So many of a list are seen at a glance: another list says more if its first are not among them.
const GLANCE: usize = 3;

/// The most copies of a result that are named.
pub const MAX_COPIES: usize = 12;
/// A page whose title is what was typed gains this part of the score of a page that has all well.
const AS_TITLE: u64 = 2;
/// What a page gains by each term, in the score that all others are a part of, in 1,024ths: no
/// saturation reaches it.
const WELL: u64 = 4_096;
/// An original stands for its copies if it has this part of the best one's number.
const ABOUT: f64 = 0.95;

/// The score that results are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankedBy {
    /// The part of the text found on the page, for a text that is a part of a page.
    Coverage,
    /// The similarity, for a whole page.
    #[default]
    Similarity,
}

impl RankedBy {
    /// Its name for programs: `coverage` or `similarity`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::Similarity => "similarity",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Coverage => Self::Similarity,
            Self::Similarity => Self::Coverage,
        }
    }
}

/// How good a match is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Nothing says that it is right: by similarity, it is hardly better than that of any page.
    Low,
    /// It is the best by coverage, but others are about as good; or, by similarity, better
    /// than by chance.
    Medium,
    /// The page has most of the text and no other comes near; or it is about the same.
    High,
}

impl Confidence {
    /// Its name for programs: `low`, `medium` or `high`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Of a similarity above that of two random pages.
    fn from_similarity(similarity: f64, background: f64) -> Self {
        let above = |part: f64| similarity >= background + part * (1.0 - background);
        match (above(MEDIUM_SIMILARITY), above(HIGH_SIMILARITY)) {
            (false, _) => Self::Low,
            (true, false) => Self::Medium,
            (true, true) => Self::High,
        }
    }

    /// Of the first by coverage, and the score of the next.
    fn from_ranking(first: &Compared<'_>, next: u64, number: f64) -> Self {
        let is_ahead = (next as f64) < FAR_BEHIND * first.score as f64;
        if first.coverage >= HIGH_COVERAGE && is_ahead {
            return Self::High;
        }
        let is_some = is_ahead || first.coverage >= MEDIUM_COVERAGE && number >= MEDIUM_SCORE;
        if is_some { Self::Medium } else { Self::Low }
    }
}

/// A page that contains or resembles the query.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What results are ranked by, from 0 to 1: the similarity, or the page's score
    /// ([`RankedBy::Coverage`]) as a part of that of a page which has nothing but the text's words.
    pub score: f64,
    /// The exact bag Jaccard with the query.
    pub similarity: f64,
    /// The part of the query's weight that is on the page, from 0 to 1.
    pub coverage: f64,
    /// Where copies and other editions of it are that would be results too, best first; at most
    /// [`MAX_COPIES`]. They are no results of their own.
    pub copies: Vec<String>,
    /// How good the match is, by the number that ranks.
    pub confidence: Confidence,
    /// The words of the heaviest shared terms, heaviest first, and pairs of characters of scripts
    /// without spaces joined as far as they are neighbors; at most
    /// [`MAX_SHARED_TERMS`](super::MAX_SHARED_TERMS). The index has no words for rare terms: a
    /// text's own words are used, and for a page of the site they are omitted.
    pub shared_terms: Vec<String>,
    /// The heaviest words of a text that the page does not have, at most
    /// [`MAX_MISSING_TERMS`](super::MAX_MISSING_TERMS).
    pub missing_terms: Vec<String>,
    /// What it shares with the query word for word, if that was examined and is notable
    /// ([`SharedSample::nearness`]).
    pub near: Option<SharedSample>,
}

/// A page that was compared.
struct Compared<'a> {
    page: u32,
    record: &'a PageRecord,
    similarity: f64,
    coverage: f64,
    /// By coverage: see [`Weights::compare`].
    score: u64,
}

/// What the terms of a subject weigh, in its order.
struct Weights {
    idfs: Vec<u8>,
    /// Of all, each as often as the subject has it.
    total: u64,
    /// The sum of the inverse document frequencies of those that the site has.
    of_site: u64,
    /// The score of a page that has all of them together, each well saturated.
    ideal: u64,
}

impl Weights {
    /// By how rare the terms are.
    fn for_subject(subject: &Subject, rarities: &[Rarity]) -> Self {
        let mut sums = Alternatives::default();
        for (term, &Rarity { idf, is_unmatched }) in subject.terms.iter().zip(rarities) {
            let of_site = if is_unmatched { 0 } else { u64::from(idf) };
            let of_term = [term.found_weight(idf), of_site, term.score_weight(idf) * WELL];
            sums.add(term.group, of_term);
        }
        let [total, of_site, ideal] = sums.sum();
        let idfs = rarities.iter().map(|rarity| rarity.idf).collect();
        let ideal = (ideal + for_most_of_it(of_site, of_site)).max(1);
        Self { idfs, total, of_site, ideal }
    }

    /// The part of the subject's weight on a page, and the page's score:
    ///
    /// ```text
    /// sum of w(t) (s(t) + e(t)) + 0.29 I (H / I)^3
    /// ```
    ///
    /// over the terms `t` that the page has, with `s` the saturation and `e` the emphasis of the
    /// term ([`fit`](crate::fit)), `w` what it weighs times the root of how often the subject has
    /// it; and [for having most of it](for_most_of_it). A term of those `in_title` counts too.
    fn compare(
        &self,
        mean: u32,
        subject: &Subject,
        record: &PageRecord,
        in_title: &[TermId],
    ) -> (f64, u64) {
        let mut sums = Alternatives::default();
        let mut rest = record.terms.as_slice();
        for (term, &idf) in subject.terms.iter().zip(&self.idfs) {
            while let [other, tail @ ..] = rest
                && other.id < term.id
            {
                rest = tail;
            }
            if let [of_page, ..] = rest
                && of_page.id == term.id
            {
                let fit = u64::from(of_page.fit(record.length, mean));
                let held = if of_page.is_outside { 0 } else { u64::from(idf) };
                let of_page = [term.found_weight(idf), term.score_weight(idf) * fit, held];
                sums.add(term.group, of_page);
            } else if in_title.contains(&term.id) {
                let of_title = term.score_weight(idf) * u64::from(fit_of(TITLE_LEVEL));
                sums.add(term.group, [term.found_weight(idf), of_title, idf.into()]);
            }
        }
        let [coverage, mut score, held] = sums.sum();
        score += for_most_of_it(held.min(self.of_site), self.of_site);
        (coverage as f64 / self.total.max(1) as f64, score)
    }
}

impl Compared<'_> {
    /// What ranks it, from 0 to 1.
    fn number(&self, by: RankedBy, weights: &Weights) -> f64 {
        match by {
            RankedBy::Similarity => self.similarity,
            RankedBy::Coverage => (self.score as f64 / weights.ideal as f64).min(1.0),
        }
    }

    /// Whether it is nearly as good as a page that is better.
    fn is_about_as_good(&self, better: &Self, by: RankedBy) -> bool {
        match by {
            RankedBy::Similarity => self.similarity >= ABOUT * better.similarity,
            RankedBy::Coverage => self.score as f64 >= ABOUT * better.score as f64,
        }
    }
}

/// Results with the numbers of their pages.
pub(super) type Numbered = Vec<(u32, SearchResult)>;

/// The pages of the blocks, ranked.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) by: RankedBy,
    pub(super) results: Numbered,
    /// By the other score, if that says more.
    pub(super) other_results: Numbered,
    /// The words of a text that no page has.
    pub(super) unmatched: Vec<String>,
    /// The words of a search box that were taken for others.
    pub(super) corrections: Vec<Correction>,
}

/// The terms of a text that no page has, as far as that is known.
fn unmatched(
    index: &Index,
    subject: &Subject,
    rarities: &[Rarity],
    compared: &[Compared<'_>],
) -> Vec<TermId> {
    let has_lists = index.manifest().lists.shards > 0;
    let is_read = |id| compared.iter().any(|one| one.record.term(id).is_some());
    let is_unmatched = |id, rarity: &Rarity| match has_lists {
        true => rarity.is_unmatched,
        false => !is_read(id),
    };
    let terms = subject.terms.iter().zip(rarities);
    let terms = terms.filter(|(term, rarity)| term.word.is_some() && is_unmatched(term.id, rarity));
    terms.map(|(term, _)| term.id).collect()
}

/// Whether what was typed is a title: it has all the words, or one that each may be taken for, and
/// no others.
fn is_title(subject: &Subject, title: &[TermId]) -> bool {
    let has = |term: &SubjectTerm| title.contains(&term.id);
    let is_met = |term: &SubjectTerm| subject.alternatives(term).any(has);
    !title.is_empty()
        && subject.terms.iter().all(is_met)
        && title.iter().all(|&id| subject.term(id).is_some())
}

/// Compares the subject with every page of the blocks that are there, by how rare its terms are.
pub(super) fn rank(
    index: &Index,
    subject: &Subject,
    rarities: &[Rarity],
    blocks: &ShardMap,
    options: LookupOptions,
) -> Ranked {
    let manifest = index.manifest();
    let weights = Weights::for_subject(subject, rarities);
    let mut compared = Vec::new();
    for (&id, shard) in blocks.iter() {
        let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
        for (slot, record) in &block.0 {
            let page = number * manifest.block_pages + slot;
            if Some(page) == subject.page {
                continue;
            }
            let similarity = Overlap::between(&subject.bag, &record.bag).jaccard();
            let title = subject.is_typed.then_some(&*record.title);
            let title = title.map(|title| terms_of_title(index, title)).unwrap_or_default();
            // A record of a bag alone has not what the title has.
            let in_title = if manifest.texts { &[][..] } else { &title };
            let (coverage, mut score) =
                weights.compare(manifest.mean_length, subject, record, in_title);
            if is_title(subject, &title) {
                score += weights.ideal / AS_TITLE;
            }
            if coverage > 0.0 {
                compared.push(Compared { page, record, similarity, coverage, score });
            }
        }
    }
    let is_page = is_like_a_page(subject, &compared);
    let by = if is_page { RankedBy::Similarity } else { RankedBy::Coverage };
    let unmatched = unmatched(index, subject, rarities, &compared);
    let mut list = |by| best(index, subject, &weights, &mut compared, &unmatched, by, options);
    let results = list(by);
    // Of a few words nobody wants pages like them, and of a page nobody what has all its words.
    let is_either = subject.page.is_none() && subject.has_many_terms();
    let mut other_results = if is_either { list(by.other()) } else { Vec::new() };
    if !says_more(&other_results, &results) {
        other_results.clear();
    }
    let corrections = match subject.is_typed {
        true => prefix_query::corrections(subject, |id| unmatched.contains(&id)),
        false => Vec::new(),
    };
    // A word that was taken for another is not reported, nor what it was not taken for.
    let is_own = |id| {
        let term = subject.term(id);
        term.is_some_and(|term| {
            term.typed.is_none()
                && subject.alternatives(term).all(|one| unmatched.contains(&one.id))
        })
    };
    let words = unmatched.iter().filter(|&&id| is_own(id));
    let words = words.filter_map(|&id| subject.word(id).map(str::to_owned));
    let words = words.take(MAX_MISSING_TERMS).collect();
    Ranked { by, results, other_results, unmatched: words, corrections }
}

/// The best of the pages by one score.
fn best(
    index: &Index,
    subject: &Subject,
    weights: &Weights,
    compared: &mut [Compared<'_>],
    unmatched: &[TermId],
    by: RankedBy,
    options: LookupOptions,
) -> Numbered {
    // The bits of numbers that are not negative have the order of the numbers.
    sort::by_key(compared, |&Compared { similarity, score, page, .. }| match by {
        RankedBy::Similarity => (Reverse(similarity.to_bits()), Reverse(score), page),
        RankedBy::Coverage => (Reverse(score), Reverse(similarity.to_bits()), page),
    });
    let background = f64::from(index.manifest().background) / 65_536.0;
    let number = |one: &Compared<'_>| one.number(by, weights);
    let most = compared.iter().map(number).fold(0.0, f64::max);
    let least = options.min.max(OF_BEST * most);
    let is_result = |one: &&Compared<'_>| number(one) >= least && number(one) > 0.0;
    let families = families(compared.iter().filter(is_result), by, options);
    let next = families.get(1).map_or(0, |family| family.one.score);
    let confidence = |at: usize, one: &Compared<'_>| match (by, at) {
        (RankedBy::Similarity, _) => Confidence::from_similarity(one.similarity, background),
        (RankedBy::Coverage, 0) => Confidence::from_ranking(one, next, number(one)),
        (RankedBy::Coverage, _) => Confidence::Low,
    };
    let results = families.into_iter().enumerate().map(|(at, Family { one, others })| {
        let sharing = Sharing { subject, idfs: &weights.idfs, record: one.record };
        let result = SearchResult {
            url: one.record.url.clone(),
            title: one.record.title.clone(),
            score: number(one),
            similarity: one.similarity,
            coverage: one.coverage,
            copies: others.into_iter().map(|other| other.record.url.clone()).collect(),
            confidence: confidence(at, one),
            shared_terms: sharing.words(shared_terms(subject, weights, one.record, by)),
            // What a bag has not, the page may have.
            missing_terms: if index.manifest().texts {
                sharing.missing(unmatched)
            } else {
                Vec::new()
            },
            near: None,
        };
        (one.page, result)
    });
    results.collect()
}

/// A page that stands for copies and other editions of it.
struct Family<'a, 'b> {
    one: &'b Compared<'a>,
    others: Vec<&'b Compared<'a>>,
}

/// The first of `ranked`, each page with those behind it that are of one group with it, unless
/// these are wanted too. The first of a group stands for it, or its original, if that is about as
/// good.
fn families<'a: 'b, 'b>(
    ranked: impl Iterator<Item = &'b Compared<'a>>,
    by: RankedBy,
    options: LookupOptions,
) -> Vec<Family<'a, 'b>> {
    let mut families: Vec<Family<'a, 'b>> = Vec::new();
    for next in ranked {
        let group = if options.copies { 0 } else { group_number(next.record.copies) };
        let is_its = |family: &&mut Family<'_, '_>| group_number(family.one.record.copies) == group;
        let family = families.iter_mut().find(|family| group > 0 && is_its(family));
        let Some(family) = family else {
            if families.len() < options.limit as usize {
                families.push(Family { one: next, others: Vec::new() });
            }
            continue;
        };
        let is_original = next.record.is_original() && next.is_about_as_good(family.one, by);
        let other = if is_original { std::mem::replace(&mut family.one, next) } else { next };
        let at = if is_original { 0 } else { family.others.len() };
        family.others.insert(at, other);
        family.others.truncate(MAX_COPIES);
    }
    families
}

/// Whether the second list says what the first does not: its best match is not weak, and one of its
/// first is not among the first of that.
fn says_more(second: &Numbered, first: &Numbered) -> bool {
    let is_seen = |page: u32| first.iter().take(GLANCE).any(|&(other, _)| other == page);
    second.first().is_some_and(|(_, result)| result.confidence > Confidence::Low)
        && second.iter().take(GLANCE).any(|&(page, _)| !is_seen(page))
}

/// Whether a subject is rather a whole page than a passage: a page of the site is. A text is, if a
/// page that holds about as much of it as any is not much longer than it and alike, or if it is
/// long and none holds it.
fn is_like_a_page(subject: &Subject, compared: &[Compared<'_>]) -> bool {
    if subject.page.is_some() {
        return true;
    }
    let held = compared.iter().map(|one| one.coverage).fold(0.0, f64::max);
    let covers = |page: &PageRecord| {
        subject.length as f64 >= MAX_SHARE_OF_PAGE * length_of(page.length) as f64
    };
    let is_alike = |one: &Compared<'_>| {
        one.coverage >= AS_MUCH * held && one.similarity >= ALIKE && covers(one.record)
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
            shared(&subject.bag, &record.bag).map(|(id, count)| (id, u64::from(count))).collect()
        }
        RankedBy::Coverage => subject
            .terms
            .iter()
            .zip(&weights.idfs)
            .filter(|(term, _)| record.term(term.id).is_some())
            .map(|(term, &idf)| (term.id, term.weight(idf)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(copies: u32) -> PageRecord {
        PageRecord { copies, ..PageRecord::default() }
    }

    /// Pages with these scores, best first.
    fn compared<'a>(records: &'a [PageRecord], scores: &[u64]) -> Vec<Compared<'a>> {
        let pages = (0..).zip(records).zip(scores);
        pages
            .map(|((page, record), &score)| Compared {
                page,
                record,
                similarity: 0.0,
                coverage: 0.9,
                score,
            })
            .collect()
    }

    #[test]
    fn one_page_stands_for_its_copies() {
        // Two groups: of 7, whose original is the third, and of 9.
        let records = [7 << 1, 0, 7 << 1 | 1, 9 << 1, 7 << 1].map(record);
        let families = |scores: &[u64], copies: bool| -> Vec<Vec<u32>> {
            let compared = compared(&records, scores);
            let options = LookupOptions { limit: 2, copies, ..LookupOptions::default() };
            let families = families(compared.iter(), RankedBy::Coverage, options);
            let pages = |family: &Family<'_, '_>| {
                [family.one.page]
                    .into_iter()
                    .chain(family.others.iter().map(|one| one.page))
                    .collect()
            };
            families.iter().map(pages).collect()
        };
        assert_eq!(families(&[100, 99, 96, 50, 40], false), [vec![2, 0, 4], vec![1]]);
        assert_eq!(families(&[100, 99, 90, 50, 40], false), [vec![0, 2, 4], vec![1]]);
        assert_eq!(families(&[100, 99, 96, 50, 40], true), [vec![0], vec![1]]);
    }

    #[test]
    fn the_first_is_strong_if_it_has_the_text_and_is_ahead() {
        let records = [record(0)];
        let confidence = |coverage: f64, next, number| {
            let mut first = compared(&records, &[100]);
            first[0].coverage = coverage;
            Confidence::from_ranking(&first[0], next, number)
        };
        assert_eq!(confidence(0.8, 79, 0.1), Confidence::High);
        assert_eq!(confidence(0.7, 79, 0.1), Confidence::Medium, "it is ahead");
        assert_eq!(confidence(1.0, 80, 0.4), Confidence::Medium, "it is well found");
        assert_eq!([confidence(0.5, 80, 0.9), confidence(1.0, 80, 0.3)], [Confidence::Low; 2]);
    }

    #[test]
    fn a_second_list_says_more_if_it_has_a_good_match_and_others_at_a_glance() {
        let list = |pages: &[u32], confidence: Confidence| -> Numbered {
            let result = SearchResult {
                url: String::new(),
                title: String::new(),
                score: 0.5,
                similarity: 0.5,
                coverage: 0.5,
                copies: Vec::new(),
                confidence,
                shared_terms: Vec::new(),
                missing_terms: Vec::new(),
                near: None,
            };
            pages.iter().map(|&page| (page, result.clone())).collect()
        };
        let first = list(&[1, 2, 3, 4], Confidence::Medium);
        let says_more = |pages: &[u32], confidence| says_more(&list(pages, confidence), &first);
        assert!(says_more(&[1, 4, 2], Confidence::Medium));
        assert!(says_more(&[5], Confidence::High));
        assert!(!says_more(&[5], Confidence::Low));
        assert!(!says_more(&[3, 1, 2, 5], Confidence::High), "the order alone");
        assert!(!says_more(&[], Confidence::Medium));
    }
}
