//! What is asked of a site: what it holds itself, taken out of the page that is to be found by it;
//! passages; and what people wrote.
//!
//! 1. **Headings** that one page alone has. They are taken out of its headings, its text, its title
//!    if that is the same, and of the links of pages that call it so: tables of contents.
//! 2. **Questions**: headings that end in a question mark, likewise.
//! 3. **Links**: what another page calls a page. That page does not count among those that call it
//!    so, and is no answer itself, as it has the words.
//! 4. **Passages** of 8 to 30 words; right are the pages that have them. Nothing is taken out.
//! 5. **Written** by people: `tests/queries`.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::address;
use pagekin_core::hash::SplitMix64;
use pagekin_core::terms::{Analyzer, Language, StopLists, Words};
use pagekin_core::vocabulary::TermId;
use pagekin_index::BuildOptions;
use pagekin_index::measured::{DescribedPage, describe_site, weigh_site};
use pagekin_pages::Silent;
use pagekin_pages::site::html::read_html;
use pagekin_pages::site::languages;
use pagekin_pages::site::read::is_name;
use pagekin_tests::measuring::passages::{LENGTHS, PageText, SEED, Texts};
use pagekin_tests::measuring::{Failure, queries, written};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::collection::{Collection, Fields, Query};

/// The terms of a heading or a link that is asked for.
const TERMS: std::ops::RangeInclusive<usize> = 2..=12;

/// What is asked of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Headings,
    Questions,
    Links,
    Passages,
    Written,
}

/// A site and what is asked of it.
pub(crate) struct Site {
    pub(crate) collection: Collection,
    pub(crate) queries: BTreeMap<Kind, Vec<Query>>,
}

/// A site of which queries are drawn.
struct Drawn {
    pages: Vec<DescribedPage>,
    fields: Vec<Fields>,
    collection: Collection,
    stop: StopLists,
    most: usize,
}

/// A heading of a page.
struct Heading {
    page: u32,
    text: String,
    terms: Vec<(TermId, u32)>,
}

impl Site {
    /// Of a folder, with up to `most` queries of each kind.
    pub(crate) fn open(folder: &Path, most: usize) -> Result<Self, Failure> {
        let place = tempfile::tempdir()?;
        let options = BuildOptions::new(folder, place.path().join("index"));
        let (weighted, _) = weigh_site(&options, &Silent)?;
        let pages = describe_site(weighted, &options, &Silent)?;
        let mut called = vec![Vec::new(); pages.len()];
        for &(page, term) in pages.iter().flat_map(|page| &page.calls) {
            called[page as usize].push(term);
        }
        let fields: Vec<Fields> =
            pages.iter().zip(&called).map(|(page, called)| Fields::new(page, called)).collect();
        let collection = Collection::from_pages(&pages, &fields);
        let drawn = Drawn { pages, fields, collection, stop: languages::all(), most };
        let read = |page: &DescribedPage| {
            let path = queries::file_of(folder, &page.url).map_err(|error| error.to_string())?;
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", page.url))?;
            Ok::<_, String>(read_html(&bytes).page)
        };
        let read: Vec<_> = drawn.pages.par_iter().map(read).collect::<Result<_, _>>()?;
        let headings: Vec<&str> = read.iter().map(|page| page.headings.as_str()).collect();
        let mut queries = drawn.of_headings(&headings);
        queries.insert(Kind::Links, drawn.of_links());
        let texts = read.into_iter().zip(&drawn.pages);
        let texts = texts
            .map(|(read, page)| PageText {
                url: page.url.clone(),
                lang: read.lang,
                text: read.text,
            })
            .collect();
        queries.insert(Kind::Passages, drawn.of_passages(&Texts::new(texts)));
        queries.insert(Kind::Written, drawn.written()?);
        queries.retain(|_, queries| !queries.is_empty());
        Ok(Self { collection: drawn.collection, queries })
    }
}

impl Drawn {
    fn terms(&self, language: &Language, text: &str) -> Vec<(TermId, u32)> {
        let terms = Analyzer::new(language, &self.stop).counts(&Words::new(text), true);
        terms.into_iter().map(|term| (term.id, term.tf)).collect()
    }

    /// Up to `most`, drawn by a seed.
    fn some<T>(&self, mut all: Vec<T>) -> Vec<T> {
        SplitMix64::new(SEED).shuffle(&mut all);
        all.truncate(self.most);
        all
    }

    fn of_headings(&self, headings: &[&str]) -> BTreeMap<Kind, Vec<Query>> {
        let mut pages_of: FxHashMap<String, FxHashSet<u32>> = FxHashMap::default();
        for (page, headings) in (0..).zip(headings) {
            for heading in headings.lines() {
                pages_of.entry(heading.trim().to_lowercase()).or_default().insert(page);
            }
        }
        let (mut questions, mut others) = (Vec::new(), Vec::new());
        let mut random = SplitMix64::new(SEED);
        for (page, headings) in (0..).zip(headings) {
            let has_heading = &self.fields[page as usize].headings;
            let language = &self.pages[page as usize].language;
            let own = headings
                .lines()
                .filter(|heading| pages_of[&heading.trim().to_lowercase()].len() == 1);
            let own = own.map(|heading| {
                let text = heading.trim_end_matches(['¶', '#', '§', ' ', '\u{f0c1}']).to_owned();
                Heading { page, terms: self.terms(language, &text), text }
            });
            // What was left out as repeated is no heading.
            let own = own.filter(|heading| {
                TERMS.contains(&heading.terms.len())
                    && heading.terms.iter().all(|(term, _)| has_heading.contains_key(term))
            });
            let (asking, mut stating): (Vec<_>, Vec<_>) =
                own.partition(|heading| heading.text.ends_with(['?', '？']));
            questions.extend(asking);
            if !stating.is_empty() {
                others.push(stating.swap_remove(random.below(stating.len() as u32) as usize));
            }
        }
        let query = |heading: &Heading| self.of_heading(heading);
        let queries = |some: Vec<Heading>| some.iter().filter_map(query).collect();
        BTreeMap::from([
            (Kind::Questions, queries(self.some(questions))),
            (Kind::Headings, queries(self.some(others))),
        ])
    }

    fn of_heading(&self, heading: &Heading) -> Option<Query> {
        let page = heading.page;
        let query = self.collection.query(heading.terms.iter().copied(), vec![page])?;
        let mut fields = self.fields[page as usize].clone();
        let ids: FxHashSet<TermId> = heading.terms.iter().map(|&(term, _)| term).collect();
        if fields.title.keys().all(|term| ids.contains(term)) {
            fields.title.clear();
        }
        for &(term, tf) in &heading.terms {
            take(&mut fields.headings, term, tf.into());
            if is_name(&heading.text) {
                take(&mut fields.names, term, 1.0);
            }
            take(&mut fields.text, term, tf.into());
            fields.length -= f64::from(tf);
        }
        for other in &self.pages {
            let calls: FxHashSet<TermId> =
                other.calls.iter().filter(|(to, _)| *to == page).map(|&(_, term)| term).collect();
            if ids.is_subset(&calls) {
                ids.iter().for_each(|&term| take(&mut fields.called, term, 1.0));
            }
        }
        Some(query.without(page, &fields))
    }

    /// Of each page one of those that call it.
    fn of_links(&self) -> Vec<Query> {
        let mut calls: BTreeMap<u32, BTreeMap<u32, Vec<TermId>>> = BTreeMap::new();
        for (from, page) in (0..).zip(&self.pages) {
            for &(to, term) in &page.calls {
                calls.entry(to).or_default().entry(from).or_default().push(term);
            }
        }
        let mut random = SplitMix64::new(SEED);
        let mut drawn = Vec::new();
        for (to, from) in calls {
            let usable = from.into_iter().filter(|(_, terms)| TERMS.contains(&terms.len()));
            let mut usable: Vec<_> = usable.collect();
            if !usable.is_empty() {
                let at = random.below(usable.len() as u32) as usize;
                let (from, terms) = usable.swap_remove(at);
                drawn.push((from, to, terms));
            }
        }
        let query = |(from, to, terms): (u32, u32, Vec<TermId>)| {
            let query = self.collection.query(terms.iter().map(|&term| (term, 1)), vec![to])?;
            let mut fields = self.fields[to as usize].clone();
            terms.iter().for_each(|&term| take(&mut fields.called, term, 1.0));
            Some(query.without(to, &fields).leaving_out(from))
        };
        self.some(drawn).into_iter().filter_map(query).collect()
    }

    fn of_passages(&self, texts: &Texts) -> Vec<Query> {
        let draw = |(seed, words)| texts.draw(self.most / 2, words, SEED + seed);
        let passages = (0..).zip(&LENGTHS[..2]).flat_map(draw);
        let query = |passage: pagekin_tests::measuring::passages::Passage| {
            let right: Vec<u32> = passage.holders.iter().map(|&page| page as u32).collect();
            let language = &self.pages[*right.first()? as usize].language;
            self.collection.query(self.terms(language, &passage.text).into_iter(), right)
        };
        passages.filter_map(query).collect()
    }

    fn written(&self) -> Result<Vec<Query>, Failure> {
        let pages: FxHashMap<&str, u32> =
            self.pages.iter().map(|page| page.url.as_str()).zip(0..).collect();
        let place = |file: &str| pages.get(address::normal(&format!("/{file}"))).copied();
        let found = written::queries(None, |page| place(page).is_some())?;
        let query = |one: &written::Written| {
            let right = one.wanted.iter().filter_map(|page| place(page)).collect();
            self.collection.query(self.terms(&Language::english(), &one.query).into_iter(), right)
        };
        Ok(found.map(|(_, all)| all.iter().filter_map(query).collect()).unwrap_or_default())
    }
}

/// Takes so much of a term away.
fn take(counts: &mut FxHashMap<TermId, f64>, term: TermId, n: f64) {
    if let Some(count) = counts.get_mut(&term) {
        *count -= n;
        if *count <= 0.0 {
            counts.remove(&term);
        }
    }
}
