//! Ranks the pages of the blocks that were read. Each is compared with the query by its whole
//! record.
//!
//! Two numbers describe how well a page matches a text. The *coverage* is the share of the text's
//! weight that is on the page. Each term weighs its inverse document frequency as often as it
//! occurs in the text, so the coverage is 1 if the page contains all terms. The *similarity* is the
//! bag Jaccard. A passage is a small part of its page, so their similarity is small whatever they
//! share. A long page contains nearly all terms of an unrelated short one. So passages are ranked
//! by their scores ([`Weights::compare`]), which measure coverage, and whole pages by similarity.
//!
//! The pages that contain a text decide which of the two it is: see [`is_like_a_page`]. Neither
//! order is right for both. So pages are ranked by the other score too, and this list is returned
//! if it adds something.

use std::cmp::Reverse;

use super::grade::{Confidence, RankedBy};
use super::query::{Correction, Subject, SubjectTerm, terms_of_title};
use super::refine::{Refined, Wanted};
use super::score::{
    Alternatives, Evidence, Rarity, beyond_chance, coverage_bonus, improbability, is_whole,
};
use super::shared_words::{MAX_MISSING_TERMS, Sharing, in_order};
use super::short_query;
use super::title_match::TitleMatch;
use super::{LookupOptions, meaning};
use crate::fit::{MAX_SATURATION, TITLE_LEVEL, length_of, level_value};
use crate::index::{Index, Shard, ShardId, ShardMap};
use crate::near::sketch::SharedSample;
use crate::shard::{Manifest, PageMetadata, PageRecord, group_number};
use crate::similarity::{Overlap, shared};
use crate::sort;
use crate::vocabulary::TermId;

/// A text is a whole page if it has at least this share of the page's number of terms, and at least
/// this similarity to the page.
const MIN_SHARE_OF_PAGE: f64 = 0.5;
const MIN_SIMILARITY: f64 = 0.2;
/// A page contains about as much of a text as another if its coverage is this share of the other's.
const COMPARABLE_COVERAGE: f64 = 0.8;
/// Minimum coverage of a page that contains a text.
const MIN_COVERAGE: f64 = 0.7;
/// The part of its score by which a page is ranked, in [`WHOLE_PART`]ths, if it mostly lists pages
/// of the site, and others have as much of the text: somebody wants one of these. And if it is in
/// another language than the text: where pages of its own language have a quarter as much, they
/// come first.
const LISTING_PART: u64 = 8;
const OTHER_LANGUAGE_PART: u64 = 4;
const WHOLE_PART: u64 = 16;
/// Minimum score of a result, as a share of the best.
const MIN_SHARE_OF_BEST: f64 = 0.05;
/// Number of results that are seen at a glance. A second list adds something if its first results
/// are not among those of the first list.
const GLANCE: usize = 3;
/// Maximum number of copies of a result.
pub const MAX_COPIES: usize = 12;
/// A page whose title is the text gains this part of the score of a page that fits all words well.
const TITLE_SHARE: u64 = 2;
/// A page that contains the whole of a passage gains this part of it.
const WHOLE_SHARE: u64 = 6;
/// Maximum number of terms of a text that may be the title of a page.
const MAX_TITLE_TERMS: usize = 16;
/// An original, such as the page of the current version, replaces its best copy as a result if it
/// has at least this share of what the copy has of the text, and a score of at least this share of
/// the copy's. It is enough to mention the words: how often does not tell versions apart.
const MIN_SHARE_OF_COPY: f64 = 0.95;
const MIN_SCORE_SHARE_OF_COPY: f64 = 0.5;

/// A page that contains or resembles the query.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The URL of the page.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// Its metadata, such as its author or an image.
    pub metadata: PageMetadata,
    /// The score that ranks results, from 0 to 1: the similarity, or the page's score
    /// ([`RankedBy::Coverage`]) as a share of that of a page with nothing but the text's words.
    /// More for a page that contains the whole of a passage. Less for a page that mostly lists
    /// others, and for one in another language than the text.
    pub score: f64,
    /// The exact bag Jaccard of the page and the query.
    pub similarity: f64,
    /// The share of the query's weight that is on the page, from 0 to 1.
    pub coverage: f64,
    /// The URLs of copies and variants of the page that match too, best first, at most
    /// [`MAX_COPIES`]. They are not results of their own.
    pub copies: Vec<String>,
    /// How good the match is, by the score that ranks.
    pub confidence: Confidence,
    /// The words of the heaviest shared terms, heaviest first, at most
    /// [`MAX_SHARED_TERMS`](super::MAX_SHARED_TERMS). Neighboring pairs of characters of scripts
    /// without spaces are joined. The index has no words for rare terms: the text's own words are
    /// used, and terms of a page of the site are omitted.
    pub shared_terms: Vec<String>,
    /// The heaviest words of a text that the page does not contain, at most
    /// [`MAX_MISSING_TERMS`](super::MAX_MISSING_TERMS).
    pub missing_terms: Vec<String>,
    /// What the page shares with the query word for word, if that was examined and is notable
    /// ([`SharedSample::nearness`]).
    pub near: Option<SharedSample>,
}

/// A compared page.
struct Compared<'a> {
    page: u32,
    record: &'a PageRecord,
    similarity: f64,
    coverage: f64,
    /// The score by coverage: see [`Weights::compare`]. Reduced to its part.
    score: u64,
    /// The score with what it gains for its [`meaning`](super::meaning), which orders results by
    /// coverage.
    order: u64,
    /// The part of its scores that ranks it, in [`WHOLE_PART`]ths.
    part: u64,
    title: TitleMatch,
    /// How improbable it is that it contains the whole text by chance, or 0 if it does not.
    improbability: u64,
    /// Whether it contains the whole passage, and not by chance.
    is_whole: bool,
}

/// The weights of the terms of a subject, in its order.
struct Weights {
    idfs: Vec<u8>,
    /// The weight of all terms, each as often as it occurs in the subject.
    total: u64,
    /// The sum of the inverse document frequencies of the terms that occur on the site.
    of_site: u64,
    /// The score of a page with all terms, each well saturated.
    ideal: u64,
}

impl Weights {
    /// Computes the weights from the rarity of each term.
    fn for_subject(subject: &Subject, rarities: &[Rarity]) -> Self {
        let mut sums = Alternatives::default();
        for (term, &Rarity { idf, is_unmatched }) in subject.terms.iter().zip(rarities) {
            let of_site = if is_unmatched { 0 } else { u64::from(idf) };
            let of_term = [
                term.coverage_weight(idf),
                of_site,
                term.score_weight(idf) * u64::from(MAX_SATURATION),
            ];
            sums.add(term.group, of_term);
        }
        let [total, of_site, ideal] = sums.sum();
        let idfs = rarities.iter().map(|rarity| rarity.idf).collect();
        let ideal = (ideal + coverage_bonus(of_site, of_site)).max(1);
        Self { idfs, total, of_site, ideal }
    }

    /// Returns the coverage of a page, and its score:
    ///
    /// ```text
    /// sum of w(t) (s(t) + e(t)) + 0.29 I (H / I)^3
    /// ```
    ///
    /// over the terms `t` on the page, with the saturation `s` and the emphasis `e` of the term
    /// ([`fit`](crate::fit)), and its weight `w` times the square root of its frequency in the
    /// subject. The last summand is the part [for containing most of it](coverage_bonus). The terms
    /// `in_title` count as on the page, and are as well saturated as any repetition makes them.
    fn compare(
        &self,
        manifest: &Manifest,
        subject: &Subject,
        record: &PageRecord,
        in_title: &[TermId],
    ) -> (f64, u64) {
        let mut sums = Alternatives::default();
        let mut rest = record.terms.as_slice();
        let terms = subject.terms.iter().zip(&self.idfs);
        for (term, &idf) in terms.filter(|(term, _)| !term.is_absent) {
            while let [other, tail @ ..] = rest
                && other.id < term.id
            {
                rest = tail;
            }
            if let [of_page, ..] = rest
                && of_page.id == term.id
            {
                let is_called = in_title.contains(&term.id);
                let (length, mean) = (record.length, manifest.mean_length);
                let fit = match is_called && manifest.texts {
                    true => of_page.fit_in_title(length, mean),
                    false if subject.is_typed => of_page.fit_of_typed(length, mean),
                    false => of_page.fit(length, mean),
                };
                let held = if of_page.is_outside && !is_called { 0 } else { u64::from(idf) };
                let fit = term.score_weight(idf) * u64::from(fit);
                sums.add(term.group, [term.coverage_weight(idf), fit, held]);
            } else if in_title.contains(&term.id) {
                let of_title = term.score_weight(idf) * u64::from(level_value(TITLE_LEVEL));
                sums.add(term.group, [term.coverage_weight(idf), of_title, idf.into()]);
            }
        }
        let [coverage, mut score, held] = sums.sum();
        score += coverage_bonus(held.min(self.of_site), self.of_site);
        (coverage as f64 / self.total.max(1) as f64, score)
    }

    /// Returns how improbable it is that a page with this coverage contains the whole of a text by
    /// chance, or 0 if it does not contain it.
    fn improbability(
        &self,
        manifest: &Manifest,
        subject: &Subject,
        record: &PageRecord,
        coverage: f64,
    ) -> u64 {
        if !is_whole(coverage) {
            return 0;
        }
        let terms = subject.terms.iter().zip(&self.idfs);
        let on_page = |term: &SubjectTerm| record.term(term.id).is_some_and(|one| !one.is_outside);
        let idfs = terms.filter(|(term, _)| on_page(term)).map(|(_, &idf)| idf);
        improbability(idfs, record.length, manifest.mean_length)
    }
}

impl Compared<'_> {
    /// Returns the part of the similarity that ranks.
    fn ranked_similarity(&self) -> f64 {
        self.similarity * (self.part as f64 / WHOLE_PART as f64)
    }

    /// Returns the score that ranks, from 0 to 1.
    fn number(&self, by: RankedBy, weights: &Weights) -> f64 {
        match by {
            RankedBy::Similarity => self.ranked_similarity(),
            RankedBy::Coverage => (self.score as f64 / weights.ideal as f64).min(1.0),
        }
    }

    /// Whether the page is nearly as good as a better one.
    fn is_about_as_good(&self, better: &Self, by: RankedBy) -> bool {
        match by {
            RankedBy::Similarity => {
                self.ranked_similarity() >= MIN_SHARE_OF_COPY * better.ranked_similarity()
            }
            RankedBy::Coverage => {
                self.coverage >= MIN_SHARE_OF_COPY * better.coverage
                    && self.score as f64 >= MIN_SCORE_SHARE_OF_COPY * better.score as f64
                    && self.part >= better.part
            }
        }
    }
}

/// Results with their page numbers.
pub(super) type Numbered = Vec<(u32, SearchResult)>;

/// The ranked pages of the blocks.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) by: RankedBy,
    /// Whether a page contains the whole passage.
    pub(super) has_whole: bool,
    /// Whether the text may be a question, which pages answer in other words.
    pub(super) is_question: bool,
    pub(super) results: Numbered,
    /// The pages of each result, before they are limited, if all are needed.
    pub(super) pages: Vec<Vec<u32>>,
    /// The pages ranked by the other score, if that adds something.
    pub(super) other_results: Numbered,
    pub(super) unmatched: Vec<String>,
    pub(super) corrections: Vec<Correction>,
}

/// Returns the terms of a text that no page contains, as far as that is known.
fn unmatched(
    index: &Index,
    subject: &Subject,
    rarities: &[Rarity],
    compared: &[Compared<'_>],
) -> Vec<TermId> {
    let has_postings = index.manifest().has_postings();
    let is_read = |id| compared.iter().any(|one| one.record.term(id).is_some());
    let is_unmatched = |id, rarity: &Rarity| match has_postings {
        true => rarity.is_unmatched,
        false => !is_read(id),
    };
    let terms = subject.terms.iter().zip(rarities);
    let terms = terms.filter(|(term, rarity)| {
        term.word.is_some() && (term.is_absent || is_unmatched(term.id, rarity))
    });
    terms.map(|(term, _)| term.id).collect()
}

/// What decides which pages keep their scores.
#[derive(Debug, Clone, Copy)]
struct SubjectKind {
    is_short: bool,
    /// The number of its language, or 0 if it is unknown.
    language: u32,
}

/// Reduces the scores of listings to a part if another page has as much of a short query, and those
/// of pages in other languages than that of the subject. A passage is of one page, which may be a
/// listing.
fn reduce(compared: &mut [Compared<'_>], of: SubjectKind) {
    let others = compared.iter().filter(|one| !one.record.is_listing);
    let held = others.map(|one| one.coverage).fold(0.0, f64::max);
    for one in compared {
        let record = one.record;
        if of.is_short
            && record.is_listing
            && one.title != TitleMatch::Whole
            && one.coverage <= held
        {
            one.part = one.part * LISTING_PART / WHOLE_PART;
        }
        if of.language > 0 && record.language > 0 && record.language != of.language {
            one.part = one.part * OTHER_LANGUAGE_PART / WHOLE_PART;
        }
        one.score = one.score * one.part / WHOLE_PART;
        one.order = one.score;
    }
}

/// Adds to the order of the best pages what they gain for their meaning. Returns whether that is
/// enough to be worth reading more pages.
fn reward_meaning(
    manifest: &Manifest,
    subject: &Subject,
    evidence: &Evidence,
    compared: &mut [Compared<'_>],
) -> bool {
    sort::by_key(compared, |one| (Reverse(one.score), one.page));
    let best = compared.first().map_or(0, |one| one.score);
    let improbable = compared.iter().map(|one| one.improbability).max().unwrap_or_default();
    let share = meaning::share(manifest, subject, &evidence.embedding, improbable);
    for one in compared.iter_mut().take(meaning::MAX_PAGES) {
        if let Some(embedding) = &one.record.embedding {
            let cosine = evidence.embedding.cosine(embedding).max(0.0);
            let gain = (share * cosine * best as f64) as u64;
            one.order += gain * one.part / WHOLE_PART;
        }
    }
    share >= meaning::MIN_SHARE
}

/// Compares the subject with every page of the available blocks, other than itself.
fn compare_all<'a>(
    index: &Index,
    subject: &Subject,
    weights: &Weights,
    blocks: &'a ShardMap,
) -> Vec<Compared<'a>> {
    let manifest = index.manifest();
    let mut compared = Vec::new();
    let is_as_long = subject.page.is_none() && subject.terms.len() <= MAX_TITLE_TERMS;
    let may_be_title = subject.is_typed || is_as_long;
    for (&id, shard) in blocks.iter() {
        let (ShardId::Block(number), Shard::Block(block)) = (id, shard) else { continue };
        for (slot, record) in &block.0 {
            let page = number * manifest.block_pages + slot;
            if Some(page) == subject.page {
                continue;
            }
            let similarity = Overlap::between(&subject.bag, &record.bag).jaccard();
            let (title, found) = if may_be_title {
                let title = terms_of_title(index, &record.title);
                let found = TitleMatch::new(subject, record, &title);
                (title, found)
            } else {
                (Vec::new(), TitleMatch::Part)
            };
            let has_words = subject.is_typed && !record.is_listing && found == TitleMatch::Words;
            let is_called = found == TitleMatch::Whole || has_words;
            // A record with a bag alone lacks the terms of the title.
            let lacks_title = subject.is_typed && !manifest.texts;
            let in_title = if is_called || lacks_title { &*title } else { &[] };
            let (coverage, mut score) = weights.compare(manifest, subject, record, in_title);
            if found == TitleMatch::Whole {
                score += weights.ideal / TITLE_SHARE;
            }
            let improbability = weights.improbability(manifest, subject, record, coverage);
            let is_beyond = improbability >= beyond_chance(manifest.pages);
            let is_whole = subject.is_passage() && is_beyond;
            if is_whole {
                score += weights.ideal / WHOLE_SHARE;
            }
            if coverage > 0.0 {
                compared.push(Compared {
                    page,
                    record,
                    similarity,
                    coverage,
                    score,
                    order: score,
                    part: WHOLE_PART,
                    title: found,
                    improbability,
                    is_whole,
                });
            }
        }
    }
    compared
}

/// Ranks the pages of the available blocks.
pub(super) fn rank(
    index: &Index,
    subject: &Subject,
    evidence: &Evidence,
    blocks: &ShardMap,
    wanted: Wanted<'_>,
) -> Ranked {
    let manifest = index.manifest();
    let rarities = &evidence.rarities;
    let weights = Weights::for_subject(subject, rarities);
    let mut compared = compare_all(index, subject, &weights, blocks);
    let unmatched = unmatched(index, subject, rarities, &compared);
    compared.retain(|one| wanted.refined.finds(one.page));
    let has_title = compared.iter().any(|one| one.title == TitleMatch::Whole);
    let has_whole = compared.iter().any(|one| one.is_whole);
    let Subject { is_short, language, .. } = *subject;
    reduce(&mut compared, SubjectKind { is_short, language });
    let mut is_question = meaning::may_be_question(manifest, subject);
    if !has_title && !has_whole {
        is_question &= reward_meaning(manifest, subject, evidence, &mut compared);
    }
    let is_page = !has_title && is_like_a_page(subject, &compared, has_whole);
    let by = if is_page { RankedBy::Similarity } else { RankedBy::Coverage };
    let mut list = |by| best(index, subject, &weights, &mut compared, &unmatched, by, wanted);
    let (results, pages) = list(by);
    // Pages similar to a few words are useless, and so are pages that contain all words of a page.
    let is_either = subject.page.is_none() && subject.has_many_terms();
    let mut other_results = if is_either { list(by.other()).0 } else { Vec::new() };
    if !adds_something(&other_results, &results) {
        other_results.clear();
    }
    let corrections = short_query::corrections(subject, |id| unmatched.contains(&id));
    // Corrected words are not reported as unmatched, and neither are rejected corrections.
    let is_own = |term: &&SubjectTerm| {
        term.typed.is_none()
            && !subject.is_replaced(term)
            && subject.alternatives(term).all(|one| unmatched.contains(&one.id))
    };
    let own = unmatched.iter().filter_map(|&id| subject.term(id)).filter(is_own).collect();
    let mut words = in_order(subject, own);
    words.truncate(MAX_MISSING_TERMS);
    let is_question = is_question && !has_title;
    let unmatched = words;
    Ranked { by, has_whole, is_question, results, pages, other_results, unmatched, corrections }
}

/// Returns the best pages by one score, and the pages of all results, if these are needed.
fn best(
    index: &Index,
    subject: &Subject,
    weights: &Weights,
    compared: &mut [Compared<'_>],
    unmatched: &[TermId],
    by: RankedBy,
    wanted: Wanted<'_>,
) -> (Numbered, Vec<Vec<u32>>) {
    sort_by_score(compared, by);
    let background = f64::from(index.manifest().background) / 65_536.0;
    let number = |one: &Compared<'_>| one.number(by, weights);
    let most = compared.iter().map(number).fold(0.0, f64::max);
    let Wanted { mut options, refined } = wanted;
    let limit = options.limit as usize;
    options.limit = if refined.needs_all_results { u32::MAX } else { options.limit };
    let least = options.min.max(MIN_SHARE_OF_BEST * most);
    let is_good = |one: &Compared<'_>| number(one) >= least && number(one) > 0.0;
    let is_result = |one: &&Compared<'_>| refined.keeps(one.page, one.record.copies, is_good(one));
    let families = families(compared.iter().filter(is_result), by, options);
    let next = families.get(1).map_or(0, |family| family.one.score);
    let confidence = |at: usize, one: &Compared<'_>| match (by, at) {
        (RankedBy::Similarity, _) => Confidence::from_similarity(one.similarity, background),
        (RankedBy::Coverage, 0) => {
            Confidence::from_ranking(one.coverage, [one.score, next], number(one))
        }
        (RankedBy::Coverage, _) => Confidence::Low,
    };
    let families: Vec<_> = families.into_iter().enumerate().collect();
    let (families, pages) = match refined.needs_all_results {
        true => refined_families(families, refined),
        false => (families, Vec::new()),
    };
    let results = families.into_iter().take(limit).map(|(at, Family { one, others })| {
        let others = others.into_iter().take(MAX_COPIES);
        let sharing = Sharing { subject, idfs: &weights.idfs, record: one.record };
        let result = SearchResult {
            url: one.record.url.clone(),
            title: one.record.title.clone(),
            metadata: one.record.metadata.clone(),
            score: number(one),
            similarity: one.similarity,
            coverage: one.coverage,
            copies: others.map(|other| other.record.url.clone()).collect(),
            confidence: confidence(at, one),
            shared_terms: sharing.words(shared_terms(subject, weights, one.record, by)),
            // A page may contain terms that its bag lacks.
            missing_terms: if index.manifest().texts {
                sharing.missing(unmatched)
            } else {
                Vec::new()
            },
            near: None,
        };
        (one.page, result)
    });
    (results.collect(), pages)
}

/// Sorts pages by one score, best first.
fn sort_by_score(compared: &mut [Compared<'_>], by: RankedBy) {
    // The bits of non-negative numbers have the same order as the numbers.
    sort::by_key(compared, |one| {
        let similarity = one.ranked_similarity().to_bits();
        match by {
            RankedBy::Similarity => (Reverse(similarity), Reverse(one.score), one.page),
            RankedBy::Coverage => (Reverse(one.order), Reverse(similarity), one.page),
        }
    });
}

/// Families with their places by score.
type PlacedFamilies<'a, 'b> = Vec<(usize, Family<'a, 'b>)>;

/// Sorts families by a value, without those that lists do not contain. Returns the pages of each.
#[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
fn refined_families<'a, 'b>(
    mut families: PlacedFamilies<'a, 'b>,
    refined: &Refined,
) -> (PlacedFamilies<'a, 'b>, Vec<Vec<u32>>) {
    let pages_of = |(_, family): &(usize, Family<'a, 'b>)| -> Vec<u32> {
        let members = [family.one].into_iter().chain(family.others.iter().copied());
        members.map(|one| one.page).collect()
    };
    families.retain(|family| {
        pages_of(family).into_iter().any(|page| refined.lists(page).unwrap_or(true))
    });
    let families = refined.sort(families, |(_, family)| family.one.page);
    let pages = families.iter().map(pages_of).collect();
    (families, pages)
}

/// A result with its copies and variants.
struct Family<'a, 'b> {
    one: &'b Compared<'a>,
    others: Vec<&'b Compared<'a>>,
}

/// Takes the first of `ranked`, each with the later pages of its group, unless the options ask for
/// copies. The first page of a group represents it, or its original, if that is about as good.
fn families<'a: 'b, 'b>(
    ranked: impl Iterator<Item = &'b Compared<'a>>,
    by: RankedBy,
    options: LookupOptions,
) -> Vec<Family<'a, 'b>> {
    let mut families: Vec<Family<'a, 'b>> = Vec::new();
    for next in ranked {
        let group = if options.copies { 0 } else { group_number(next.record.copies) };
        let is_its = |family: &&mut Family<'_, '_>| group_number(family.one.record.copies) == group;
        let family = if group > 0 { families.iter_mut().find(is_its) } else { None };
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
    }
    families
}

/// Whether the second list adds something to the first: its best match is not of low confidence,
/// and one of its first results is not among the first of the first list.
fn adds_something(second: &Numbered, first: &Numbered) -> bool {
    let is_seen = |page: u32| first.iter().take(GLANCE).any(|&(other, _)| other == page);
    second.first().is_some_and(|(_, result)| result.confidence > Confidence::Low)
        && second.iter().take(GLANCE).any(|&(page, _)| !is_seen(page))
}

/// Whether a subject is a whole page rather than a passage. A page of the site is. A text is, if a
/// page that contains about as much of it as any other is similar and not much longer, or if the
/// text is long and no page contains it. If a page contains all of a text, others must, too.
fn is_like_a_page(subject: &Subject, compared: &[Compared<'_>], has_whole: bool) -> bool {
    if subject.page.is_some() {
        return true;
    }
    let held = compared.iter().map(|one| one.coverage).fold(0.0, f64::max);
    let covers = |page: &PageRecord| {
        subject.length as f64 >= MIN_SHARE_OF_PAGE * length_of(page.length) as f64
    };
    let has_as_much = |one: &Compared<'_>| match has_whole {
        true => is_whole(one.coverage),
        false => one.coverage >= COMPARABLE_COVERAGE * held,
    };
    let is_similar = |one: &Compared<'_>| {
        has_as_much(one) && one.similarity >= MIN_SIMILARITY && covers(one.record)
    };
    (subject.is_long && held < MIN_COVERAGE) || compared.iter().any(is_similar)
}

/// Returns the terms that a page shares with the subject, each with what it adds to the score.
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
mod tests;
