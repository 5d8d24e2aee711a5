//! A site in memory, as its records have it: which pages have a term, how often, and in which
//! fields; and the queries that are asked of it.

use pagekin_core::bag::FREQUENCIES;
use pagekin_core::vocabulary::{TermId, quantized_idf};
use pagekin_index::measured::{
    ADDRESS, DescribedPage, FIRST_PARAGRAPH, HEADINGS, LINKS, NAMES, TITLE,
};
use rustc_hash::FxHashMap;

use crate::constants::{Constants, FIELDS};

/// Pages that are looked at for the first ranks; behind the tenth all are one.
const LAST: usize = 10;

/// A term on a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    page: u32,
    /// How often the text has it; 0 if only a field does.
    tf: f32,
    /// How often the fields count it.
    counted: [f32; FIELDS],
}

/// A page by what it stands out by; all can be taken away from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    pub(crate) text: FxHashMap<TermId, f64>,
    pub(crate) length: f64,
    pub(crate) title: FxHashMap<TermId, f64>,
    pub(crate) headings: FxHashMap<TermId, f64>,
    /// Those of headings of one word, each once.
    pub(crate) names: FxHashMap<TermId, f64>,
    /// How many pages call it by a term.
    pub(crate) called: FxHashMap<TermId, f64>,
    pub(crate) first_paragraph: FxHashMap<TermId, f64>,
    pub(crate) address: FxHashMap<TermId, f64>,
}

impl Fields {
    /// Of a page that is called by these terms, each as often as pages do.
    pub(crate) fn new(page: &DescribedPage, called: &[TermId]) -> Self {
        let text = page.terms.iter();
        let counts = |terms: &[TermId]| {
            let mut counts = FxHashMap::default();
            terms.iter().for_each(|&term| *counts.entry(term).or_default() += 1.0);
            counts
        };
        Self {
            text: text.map(|&(id, class)| (id, FREQUENCIES[usize::from(class)].into())).collect(),
            length: page.length.into(),
            title: counts(&page.title),
            headings: counts(&page.headings),
            names: page.names.iter().map(|&term| (term, 1.0)).collect(),
            called: counts(called),
            first_paragraph: counts(&page.first_paragraph),
            address: counts(&page.address),
        }
    }

    /// What the page has of each of these terms.
    fn postings(&self, page: u32, terms: impl Iterator<Item = TermId>) -> Vec<Option<Posting>> {
        let called: FxHashMap<TermId, f64> =
            self.called.iter().map(|(&term, &n)| (term, libm::log2(1.0 + n))).collect();
        let fields = [
            (&TITLE, &self.title),
            (&HEADINGS, &self.headings),
            (&NAMES, &self.names),
            (&LINKS, &called),
            (&FIRST_PARAGRAPH, &self.first_paragraph),
            (&ADDRESS, &self.address),
        ];
        let fields = fields.map(|(field, terms)| (field, terms, terms.values().sum::<f64>()));
        let posting = |term: TermId| {
            let tf = self.text.get(&term).copied().unwrap_or(0.0) as f32;
            let counted = fields.map(|(field, terms, length)| {
                terms.get(&term).map_or(0.0, |&tf| field.counted(tf, length) as f32)
            });
            let has = tf > 0.0 || counted.iter().any(|&z| z > 0.0);
            has.then_some(Posting { page, tf, counted })
        };
        terms.map(posting).collect()
    }

    fn all_terms(&self) -> impl Iterator<Item = TermId> {
        let fields = [&self.title, &self.headings, &self.called];
        let fields = fields.into_iter().chain([&self.first_paragraph, &self.address]);
        let mut all: Vec<TermId> =
            self.text.keys().chain(fields.flat_map(FxHashMap::keys)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }
}

/// What is asked, and which pages are right.
pub(crate) struct Query {
    terms: Vec<QueryTerm>,
    right: Vec<u32>,
    /// The page from which something was taken, how long it is then, and what it has of the terms.
    changed: Option<(u32, f64, Vec<Option<Posting>>)>,
    /// A page that is no answer.
    left_out: Option<u32>,
}

struct QueryTerm {
    id: TermId,
    tf: f64,
    idf: u8,
}

/// The pages of a site.
pub(crate) struct Collection {
    lists: FxHashMap<TermId, Vec<Posting>>,
    lengths: Vec<f64>,
    mean: f64,
    copies: Vec<u32>,
}

/// The scores of pages: of one query after the other, so that nothing is allocated anew.
#[derive(Default, Clone)]
pub(crate) struct Scores {
    of: Vec<(f64, f64)>,
    met: Vec<u32>,
}

impl Collection {
    pub(crate) fn from_pages(pages: &[DescribedPage], fields: &[Fields]) -> Self {
        let mut lists: FxHashMap<TermId, Vec<Posting>> = FxHashMap::default();
        for (page, fields) in (0..).zip(fields) {
            let terms: Vec<TermId> = fields.all_terms().collect();
            for (&term, posting) in terms.iter().zip(fields.postings(page, terms.iter().copied())) {
                lists.entry(term).or_default().extend(posting);
            }
        }
        let lengths: Vec<f64> = fields.iter().map(|page| page.length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        let copies = pages.iter().map(|page| page.copies).collect();
        Self { lists, lengths, mean, copies }
    }

    /// A query of these terms, each so often. None if no page has any.
    pub(crate) fn query(
        &self,
        terms: impl Iterator<Item = (TermId, u32)>,
        right: Vec<u32>,
    ) -> Option<Query> {
        let pages = self.lengths.len() as u32;
        let term = |(id, tf): (TermId, u32)| {
            let df = self.lists.get(&id)?.iter().filter(|posting| posting.tf > 0.0).count() as u32;
            Some(QueryTerm { id, tf: tf.into(), idf: quantized_idf(df, pages) })
        };
        let terms: Vec<QueryTerm> = terms.filter_map(term).collect();
        (!terms.is_empty()).then_some(Query { terms, right, changed: None, left_out: None })
    }

    /// The rank of the first right page, or the first copy of one: copies are one result. None if
    /// it is not among the first ten.
    pub(crate) fn rank(&self, query: &Query, by: &Constants, scores: &mut Scores) -> Option<usize> {
        scores.of.resize(self.lengths.len(), (0.0, 0.0));
        let changed = query.changed.as_ref();
        let not_as_stored = changed.map(|(page, ..)| *page);
        for (at, term) in query.terms.iter().enumerate() {
            let weight = by.weight(term.idf) * term.tf.sqrt();
            let mut add = |posting: &Posting, length: f64| {
                let fit = match posting.tf {
                    0.0 => 0.0,
                    tf => by.saturation(tf.into(), length, self.mean),
                };
                let held = if posting.tf > 0.0 { f64::from(term.idf) } else { 0.0 };
                let of_page = &mut scores.of[posting.page as usize];
                if *of_page == (0.0, 0.0) {
                    scores.met.push(posting.page);
                }
                let emphasis = match posting.counted == [0.0; FIELDS] {
                    true => 0.0,
                    false => by.emphasis(&posting.counted),
                };
                of_page.0 += weight * (fit + emphasis);
                of_page.1 += held;
            };
            for posting in &self.lists[&term.id] {
                if Some(posting.page) != not_as_stored && Some(posting.page) != query.left_out {
                    add(posting, self.lengths[posting.page as usize]);
                }
            }
            if let Some((_, length, postings)) = changed
                && let Some(posting) = &postings[at]
            {
                add(posting, *length);
            }
        }
        let all: f64 = query.terms.iter().map(|term| f64::from(term.idf)).sum();
        let met = std::mem::take(&mut scores.met);
        let mut ranked: Vec<(f64, u32)> = Vec::with_capacity(met.len());
        for &page in &met {
            let (score, held) = std::mem::take(&mut scores.of[page as usize]);
            ranked.push((score + by.most * all * libm::pow(held / all, by.most_power), page));
        }
        scores.met = met;
        scores.met.clear();
        self.place(&ranked, &query.right)
    }

    fn place(&self, ranked: &[(f64, u32)], right: &[u32]) -> Option<usize> {
        let group = |page: u32| match self.copies[page as usize] {
            0 => u64::from(page),
            copies => u64::from(copies) << 32,
        };
        let right: Vec<u64> = right.iter().map(|&page| group(page)).collect();
        let is_right = |&&(_, page): &&(f64, u32)| right.contains(&group(page));
        let first = |a: &&(f64, u32), b: &&(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
        let best = ranked.iter().filter(is_right).max_by(first)?;
        let mut ahead: Vec<u64> = Vec::new();
        for other in ranked.iter().filter(|other| first(other, &best).is_gt()) {
            let group = group(other.1);
            if !ahead.contains(&group) {
                ahead.push(group);
            }
            if ahead.len() == LAST {
                return None;
            }
        }
        Some(ahead.len() + 1)
    }
}

impl Query {
    /// Asked of a site where `page` has other fields.
    pub(crate) fn without(mut self, page: u32, fields: &Fields) -> Self {
        let postings = fields.postings(page, self.terms.iter().map(|term| term.id));
        self.changed = Some((page, fields.length.max(1.0), postings));
        self
    }

    /// Asked of a site without a page.
    pub(crate) fn leaving_out(mut self, page: u32) -> Self {
        self.left_out = Some(page);
        self
    }
}
