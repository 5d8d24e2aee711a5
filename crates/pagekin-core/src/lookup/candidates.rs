//! Chooses the lists to request, and by these the blocks that are worth reading.
//!
//! A text requests the shards of lists in which its terms weigh most. Two numbers are summed for
//! each page in the lists: its fit to the terms, which shows how well it matches a passage, and the
//! counts that its bag shares with that of the text, which show how similar it is as a whole. The
//! blocks with the best pages are read and compared by all terms. Where the best pages are far
//! ahead of the others, a few blocks are enough.
//!
//! A text is looked up in [stages](Stage). Few lists and blocks are read first. If a page contains
//! a whole passage, more would hardly change the first results. The page that answers a question
//! often has few of its words, and only its [meaning](super::meaning) distinguishes it from others.
//! So a question reads most.

use std::cmp::Reverse;

use super::query::{ALONE, Subject, SubjectTerm};
use super::score::{Alternatives, Evidence, Rarity, beyond_chance, coverage_bonus, is_whole};
use crate::embedding::{Embedding, word_weight};
use crate::fit::level_value;
use crate::index::{Shard, ShardId, ShardMap};
use crate::shard::{Manifest, PostingsShard, TermList};
use crate::sort;
use crate::vocabulary::{TermId, is_identifier, quantized_idf};

/// How much a lookup reads, by the kind of its subject.
#[derive(Debug, Clone, Copy)]
struct Reads {
    /// Maximum number of shards of lists.
    lists: usize,
    /// Maximum number of shards for terms outside the vocabulary, as long as there are others. The
    /// site may not contain these terms, and those that it does not contain look rarest.
    unknown: usize,
    /// Minimum and maximum number of blocks, including the shards of sketches read with them.
    blocks: [usize; 2],
    /// Minimum value of the best page of a further block, in tenths of that of the tenth page.
    tenths: u64,
}

/// A passage that a page may contain as it is. The heaviest terms find that page.
const TO_FIND_WHOLE: Reads = Reads { lists: 6, unknown: 3, blocks: [3, 7], tenths: 9 };
/// A few words, or a passage, whose page is usually far ahead of all others.
const FOR_PASSAGE: Reads = Reads { lists: 8, unknown: 3, blocks: [6, 12], tenths: 9 };
/// The same on a site of short records. Its blocks are small, and more of them are about as good.
const FOR_PASSAGE_OF_RECORDS: Reads = Reads { blocks: [6, 18], ..FOR_PASSAGE };
/// Records are short if their mean length is below this.
const SHORT_RECORDS: u32 = 50;
/// Words of a search box, each of which may have alternatives.
const FOR_TYPED: Reads = Reads { lists: 12, unknown: 12, blocks: [6, 12], tenths: 9 };
/// A question that no page contains. With twice the blocks, the right page is among ten for .82 of
/// 272 questions instead of .81.
const FOR_QUESTION: Reads = Reads { blocks: [12, 24], tenths: 7, ..FOR_PASSAGE };
/// A text that may be a passage or a short page.
const FOR_EITHER: Reads = Reads { lists: 10, unknown: 4, blocks: [8, 16], tenths: 8 };
/// A whole page. Distant similar pages share few terms with it, and many pages are about as good.
const FOR_PAGE: Reads = Reads { lists: 16, unknown: 4, blocks: [8, 14], tenths: 8 };
/// A whole page of a large site, whose LSH tables are read in addition to the lists.
const FOR_PAGE_BY_TABLES: Reads = Reads { lists: 8, unknown: 3, blocks: [16, 18], tenths: 0 };

/// How far a lookup has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// What finds the page of a passage. Enough if a page contains the whole text.
    First,
    /// As much as can change the order by words.
    Full,
    /// As much as can change the order by meaning.
    Question,
}

impl Stage {
    /// Returns the stage in which a lookup starts: the first for a passage whose words are rare
    /// enough to show that a page contains all of them on purpose.
    pub(super) fn new(manifest: &Manifest, subject: &Subject) -> Self {
        let unknown = unknown_idf(manifest);
        let idf = |term: &SubjectTerm| manifest.vocabulary.idf(term.id).unwrap_or(unknown);
        let idfs: u64 = subject.terms.iter().map(|term| u64::from(idf(term))).sum();
        match subject.is_passage() && !subject.is_long && idfs >= beyond_chance(manifest.pages) {
            true => Self::First,
            false => Self::Full,
        }
    }

    /// Returns the stage that follows if no page contains the whole text, given whether the text
    /// may be a question.
    pub(super) fn next(self, is_question: bool) -> Option<Self> {
        match (self, is_question) {
            (Self::First | Self::Full, true) => Some(Self::Question),
            (Self::First, false) => Some(Self::Full),
            (Self::Full, false) | (Self::Question, _) => None,
        }
    }
}

impl Reads {
    fn new(manifest: &Manifest, subject: &Subject, stage: Stage) -> Self {
        match stage {
            Stage::First => return TO_FIND_WHOLE,
            Stage::Question if subject.is_typed => {
                return Self { lists: FOR_TYPED.lists, unknown: FOR_TYPED.unknown, ..FOR_QUESTION };
            }
            Stage::Question => return FOR_QUESTION,
            Stage::Full => {}
        }
        match subject.is_long {
            true if subject.signature.is_some() => FOR_PAGE_BY_TABLES,
            true => FOR_PAGE,
            false if subject.is_typed => FOR_TYPED,
            false if subject.has_many_terms() => FOR_EITHER,
            false if manifest.mean_length < SHORT_RECORDS => FOR_PASSAGE_OF_RECORDS,
            false => FOR_PASSAGE,
        }
    }

    /// Returns the number of blocks worth reading with a number of shards of `sketches`, by these
    /// values of the candidates.
    fn blocks(
        &self,
        manifest: &Manifest,
        pages: &[Candidate],
        number: Number,
        sketches: usize,
    ) -> usize {
        let [fewest, most] = self.blocks;
        let most = most - sketches;
        let mut numbers: Vec<u64> = pages.iter().map(number).collect();
        sort::by_key(&mut numbers, |&number| Reverse(number));
        let tenth = numbers.get(TENTH).copied().unwrap_or_default();
        let enough = |best: u64| best > 0 && 10 * best >= self.tenths * tenth;
        let blocks = best_of_blocks(manifest, pages, number);
        blocks.iter().filter(|&&(_, best)| enough(best)).count().clamp(fewest, most)
    }
}

/// One of the two values of a page.
type Number = fn(&Candidate) -> u64;
/// The index of the tenth page: most answers have ten results.
const TENTH: usize = 9;

/// Returns the [`quantized_idf`] that is assumed for terms outside the vocabulary.
#[must_use]
pub fn unknown_idf(manifest: &Manifest) -> u8 {
    match manifest.vocabulary.rare_weight() {
        0 => quantized_idf(1, manifest.pages),
        weight => weight,
    }
}

/// The weights of the subject's terms in one shard of lists, as in its bag.
#[derive(Clone, Copy, Default)]
struct ShardWeight {
    shard: u32,
    /// The weight of terms in the vocabulary.
    known: u64,
    /// The weight of the others, and the length of the longest. Among terms that are equally
    /// unknown, a long one is more likely to be specific.
    unknown: u64,
    longest: usize,
}

/// Returns the shards of lists to request: those in which the terms of `subject` weigh most. A long
/// text has several terms in some of them, so one request fetches several lists. Without postings,
/// only lists of words are needed.
pub(super) fn shards_to_read(manifest: &Manifest, subject: &Subject, stage: Stage) -> Vec<u32> {
    let unknown_idf = unknown_idf(manifest);
    let mut weights: Vec<ShardWeight> = Vec::new();
    let has_postings = manifest.has_postings();
    let is_read =
        |term: &SubjectTerm| has_postings || !is_identifier(term.id) && subject.means(term);
    for term in subject.terms.iter().filter(|term| !term.is_absent && is_read(term)) {
        let mut weight = ShardWeight { shard: manifest.list_shard(term.id), ..Default::default() };
        let idf = manifest.vocabulary.idf(term.id);
        let of_text = term.shared(term.weight(idf.unwrap_or(unknown_idf)));
        // Whole pages are similar by their bags, and a term on few pages points to few.
        let count = u64::from(subject.bag.count(term.id));
        let of_page = if idf.is_some() { 2 * count } else { count };
        let worth = if subject.is_long { of_page } else { of_text };
        match idf {
            Some(_) => weight.known = worth,
            None => {
                weight.unknown = worth;
                weight.longest = term.word.as_ref().map_or(0, String::len);
            }
        }
        weights.push(weight);
    }
    sort::by_key(&mut weights, |weight| weight.shard);
    weights.dedup_by(|next, first| {
        let same = next.shard == first.shard;
        if same {
            first.known += next.known;
            first.unknown += next.unknown;
            first.longest = first.longest.max(next.longest);
        }
        same
    });
    let key = |weight: &ShardWeight| (weight.known + weight.unknown, weight.longest);
    sort::by_key(&mut weights, |weight| (Reverse(key(weight)), weight.shard));
    let is_page = subject.page.is_some();
    let reads = Reads::new(manifest, subject, stage);
    let (mut shards, mut spare, mut unknown) = (Vec::new(), Vec::new(), 0);
    for ShardWeight { shard, known, unknown: of_unknown, .. } in weights {
        let is_doubtful = known < of_unknown && !is_page;
        if is_doubtful && unknown == reads.unknown {
            spare.push(shard);
            continue;
        }
        unknown += usize::from(is_doubtful);
        shards.push(shard);
    }
    shards.extend(spare);
    shards.truncate(reads.lists);
    shards
}

/// The values of a page by the lists.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Candidate {
    pub(super) page: u32,
    /// Its score, as far as the lists contain it.
    pub(super) found: u64,
    /// The sum of the inverse document frequencies of its terms.
    has: u64,
    /// The sum of the counts that its bag shares with the subject's.
    pub(super) count: u32,
    /// The weight of its terms.
    held: u64,
}

/// The blocks and sketches that are worth reading.
#[derive(Debug, Default)]
pub(super) struct Promising {
    /// The blocks, best first.
    pub(super) blocks: Vec<u32>,
    /// The shards of the sketches of pages that may share much with the subject.
    pub(super) sketches: Vec<u32>,
}

/// The evidence of the available lists about a subject.
#[derive(Debug, Default)]
pub(super) struct ListEvidence {
    /// What they tell about its terms.
    pub(super) evidence: Evidence,
    /// The pages of the lists, ascending.
    pub(super) pages: Vec<Candidate>,
    /// The weight of the terms that have a list, and their counts in the subject's bag.
    weight: u64,
    count: u32,
}

impl ListEvidence {
    /// Reads the lists in `shards`. The document frequency of a term is that of the vocabulary, or
    /// of its list if it is rarer, or the assumption [`unknown_idf`] if its list is not available.
    pub(super) fn new(manifest: &Manifest, subject: &Subject, shards: &ShardMap) -> Self {
        let unknown = unknown_idf(manifest);
        let mut listed = Self::default();
        let (mut met, mut all, mut held) =
            (Vec::new(), Alternatives::default(), Alternatives::default());
        let list_of = |term: &SubjectTerm| match term.is_absent {
            true => Some(None),
            false => list_of(manifest, shards, term.id),
        };
        let lists: Vec<_> = subject.terms.iter().map(list_of).collect();
        met.reserve_exact(lists.iter().flatten().flatten().map(|list| list.postings.len()).sum());
        for (term, list) in subject.terms.iter().zip(&lists) {
            let of_list = || list.flatten().map(|list| quantized_idf(list.df, manifest.pages));
            let idf = manifest.vocabulary.idf(term.id).or_else(of_list).unwrap_or(unknown);
            listed.evidence.rarities.push(Rarity { idf, is_unmatched: matches!(list, Some(None)) });
            if !term.is_absent
                && let Some(word) = embedding_of(manifest, shards, term.id)
                && subject.means(term)
            {
                let weight = word_weight(idf, term.tf) * u32::from(term.share);
                listed.evidence.embedding.add(word, weight);
            }
        }
        subject.equalize_alternatives(&mut listed.evidence.rarities);
        for ((term, list), &Rarity { idf, .. }) in
            subject.terms.iter().zip(lists).zip(&listed.evidence.rarities)
        {
            let Some(list) = list.flatten() else { continue };
            let of_score = term.score_weight(idf);
            all.add(term.group, [u64::from(idf)]);
            let (weight, wanted) = (term.coverage_weight(idf), subject.bag.count(term.id));
            held.add(term.group, [weight]);
            listed.count += u32::from(wanted);
            met.extend(list.postings.iter().map(|posting| {
                let candidate = Candidate {
                    page: posting.page,
                    found: of_score * u64::from(level_value(posting.level)),
                    has: idf.into(),
                    count: u32::from(wanted.min(posting.count())),
                    held: weight,
                };
                (term.group, candidate)
            }));
        }
        listed.pages = summed(met);
        let [all] = all.sum();
        [listed.weight] = held.sum();
        for page in &mut listed.pages {
            page.found += coverage_bonus(page.has, all);
        }
        listed
    }

    /// Whether a page has the terms of all lists, more of them than by chance.
    pub(super) fn has_whole(&self, manifest: &Manifest) -> bool {
        let least = beyond_chance(manifest.pages);
        self.pages
            .iter()
            .any(|page| page.has >= least && is_whole(page.held as f64 / self.weight.max(1) as f64))
    }

    /// Returns the pages with half of the counts of the subject's terms in the lists, as
    /// near-copies have, or nine tenths of their weight, as the page of a passage has, best first.
    /// A sketch would find nothing on other pages.
    pub(super) fn pages_that_repeat(&self) -> impl Iterator<Item = u32> {
        let repeats =
            |page: &&Candidate| 2 * page.count >= self.count || 10 * page.held >= 9 * self.weight;
        let mut pages: Vec<&Candidate> = self.pages.iter().filter(repeats).collect();
        sort::by_key(&mut pages, |page| (Reverse((page.count, page.held)), page.page));
        pages.into_iter().map(|page| page.page)
    }
}

/// Returns the list of a term. The outer `None` means that it is not available, the inner one that
/// no page contains the term.
pub(super) fn list_of<'a>(
    manifest: &Manifest,
    shards: &'a ShardMap,
    term: TermId,
) -> Option<Option<&'a TermList>> {
    if !manifest.has_postings() {
        return None;
    }
    shard_of(manifest, shards, term).map(|shard| shard.list(term))
}

/// Returns the embedding of a word, if it has one and its shard is available.
fn embedding_of<'a>(
    manifest: &Manifest,
    shards: &'a ShardMap,
    word: TermId,
) -> Option<&'a Embedding> {
    shard_of(manifest, shards, word)?.list(word)?.embedding.as_deref()
}

fn shard_of<'a>(
    manifest: &Manifest,
    shards: &'a ShardMap,
    term: TermId,
) -> Option<&'a PostingsShard> {
    if manifest.lists.shards == 0 {
        return None;
    }
    match shards.get(&ShardId::List(manifest.list_shard(term))) {
        Some(Shard::List(shard)) => Some(shard),
        _ => None,
    }
}

/// Returns the approximate memory in bytes to compare a subject by these shards: a candidate for
/// each posting of its terms, and one for each page with a posting, in a vector with twice the
/// capacity, and less than eight times the size of each entry of a bucket.
pub(super) fn memory(manifest: &Manifest, subject: &Subject, shards: &ShardMap) -> usize {
    let lists = subject.terms.iter().filter_map(|term| list_of(manifest, shards, term.id)?);
    let postings: usize = lists.map(|list| list.postings.len()).sum();
    let of_tables = shards.values().map(|shard| match shard {
        Shard::Table(shard) => 8 * shard.memory(),
        _ => 0,
    });
    3 * size_of::<(u8, Candidate)>() * postings + of_tables.sum::<usize>()
}

/// Sums the values of each page over the terms of all groups.
fn summed(mut met: Vec<(u8, Candidate)>) -> Vec<Candidate> {
    sort::by_key(&mut met, |&(group, candidate)| (candidate.page, group));
    // Only the best alternative of a word on a page counts.
    met.dedup_by(|(of_next, next), (group, one)| {
        let same = next.page == one.page && of_next == group && *group != ALONE;
        if same {
            one.found = one.found.max(next.found);
            one.has = one.has.max(next.has);
            one.count = one.count.max(next.count);
            one.held = one.held.max(next.held);
        }
        same
    });
    let mut pages: Vec<Candidate> = Vec::new();
    for (_, one) in met {
        match pages.last_mut() {
            Some(last) if last.page == one.page => {
                last.found += one.found;
                last.has += one.has;
                last.count += one.count;
                last.held += one.held;
            }
            _ => pages.push(one),
        }
    }
    pages
}

/// Returns the blocks of some pages, ascending, each with the score of its best page.
fn best_of_blocks<K: Ord + Copy>(
    manifest: &Manifest,
    candidates: &[Candidate],
    score: impl Fn(&Candidate) -> K,
) -> Vec<(u32, K)> {
    let mut blocks: Vec<(u32, K)> = Vec::new();
    // Pages are in ascending order, so those of a block follow one another.
    for candidate in candidates {
        let (block, score) = (candidate.page / manifest.block_pages, score(candidate));
        match blocks.last_mut() {
            Some((last, best)) if *last == block => *best = (*best).max(score),
            _ => blocks.push((block, score)),
        }
    }
    blocks
}

/// Returns the blocks of the pages with the highest `score`, best first.
pub(super) fn best_blocks<K: Ord + Copy>(
    manifest: &Manifest,
    candidates: &[Candidate],
    most: usize,
    score: impl Fn(&Candidate) -> K,
) -> Vec<u32> {
    let mut blocks = best_of_blocks(manifest, candidates, score);
    sort::by_key(&mut blocks, |&(block, score)| (Reverse(score), block));
    blocks.truncate(most);
    blocks.into_iter().map(|(block, _)| block).collect()
}

/// Merges the most promising blocks of the lists with those `by_tables`. The lists give the blocks
/// with the highest counts for a page of the site, those with the best BM25 weights for a passage,
/// and both alternating for a text that may be either. A text as long as a page may be a passage,
/// too, because some pages are much longer than others. So one of its blocks is that with the best
/// weight.
pub(super) fn promising(
    manifest: &Manifest,
    subject: &Subject,
    listed: &ListEvidence,
    by_tables: &[u32],
    sketches: Vec<u32>,
    stage: Stage,
) -> Promising {
    let pages = &listed.pages;
    let number: Number = match subject.is_long {
        true => |page| page.count.into(),
        false => |page| page.found,
    };
    let most = Reads::new(manifest, subject, stage).blocks(manifest, pages, number, sketches.len());
    let by_found = |most| best_blocks(manifest, pages, most, |page| (page.found, page.count));
    let by_count = || best_blocks(manifest, pages, most, |page| (page.count, page.found));
    let by_lists = match subject.is_long {
        true if subject.page.is_some() => by_count(),
        true => alternating(&by_count(), &by_found(1), most),
        false if subject.has_many_terms() => alternating(&by_found(most), &by_count(), most),
        false => by_found(most),
    };
    let blocks = match by_tables {
        [] => by_lists,
        _ => alternating(by_tables, &by_lists, most),
    };
    Promising { blocks, sketches }
}

/// Takes two of `first`, then one of `second`, and so on, each once, `most` in all.
fn alternating(first: &[u32], second: &[u32], most: usize) -> Vec<u32> {
    let mut blocks = Vec::new();
    let (mut first, mut second) = (first.iter(), second.iter());
    while blocks.len() < most {
        let next = [first.next(), first.next(), second.next()];
        if next.iter().all(Option::is_none) {
            break;
        }
        for &block in next.into_iter().flatten() {
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
    }
    blocks.truncate(most);
    blocks
}
