//! Marks the terms of titles that the lists would not lead to.
//!
//! A search reads the blocks of pages that have the words at the highest levels. If many pages have
//! common words at such levels, it does not read the page whose title is the query. So its terms
//! get the level of names, as if the page defined them.

use pagekin_core::fit::{DEFINED_CLASS, level_value, weight};
use pagekin_core::shard::PageTerm;
use pagekin_core::vocabulary::{TermId, quantized_idf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::pages::vocabulary::{WeightedPage, mean_length, record_length};

/// Maximum number of terms of a title: that of the words of a short query.
const MAX_TITLE_TERMS: usize = 7;
/// A title of more pages than this is not marked, since no search can tell them apart.
const MAX_PAGES_OF_TITLE: u32 = 3;
/// Number of pages with all terms at such levels that hide a title. A search reads 12 blocks, some
/// of them for pages with some of the terms.
const HIDING: usize = 8;

/// The terms of a title, ascending and distinct. None if there is one or too many, or if another
/// page represents the page in lists.
type Title = Vec<TermId>;

/// The pages that have a term, ascending, with its level on each.
type Levels = Vec<(u32, u8)>;

/// Returns the titles of pages.
pub(crate) fn of(pages: &[WeightedPage]) -> Vec<Title> {
    let of_page = |page: &WeightedPage| {
        let mut title = page.fields.title.clone();
        title.sort_unstable();
        title.dedup();
        if !page.repeats && (2..=MAX_TITLE_TERMS).contains(&title.len()) {
            title
        } else {
            Title::new()
        }
    };
    pages.iter().map(of_page).collect()
}

/// Marks the terms of hidden titles, by the emphases of all pages.
pub(crate) fn mark_hidden(pages: &mut [WeightedPage], titles: &[Title]) {
    let mut sharing: FxHashMap<&[TermId], u32> = FxHashMap::default();
    for title in titles {
        *sharing.entry(title).or_default() += 1;
    }
    let lists = lists_of(pages, titles);
    let total = pages.len() as u32;
    pages.par_iter_mut().zip(titles).enumerate().for_each(|(number, (page, title))| {
        if title.is_empty()
            || sharing[title.as_slice()] > MAX_PAGES_OF_TITLE
            || !is_hidden(number as u32, title, &lists, total)
        {
            return;
        }
        let is_of_title = |term: &&mut PageTerm| title.binary_search(&term.id).is_ok();
        for term in page.terms.iter_mut().filter(is_of_title).filter(|term| !term.is_name()) {
            term.emphasis = DEFINED_CLASS;
        }
    });
}

/// Returns the pages with each term of the titles.
fn lists_of(pages: &[WeightedPage], titles: &[Title]) -> FxHashMap<TermId, Levels> {
    let mean = mean_length(pages, true);
    let mut lists: FxHashMap<TermId, Levels> = FxHashMap::default();
    for &term in titles.iter().flatten() {
        lists.entry(term).or_default();
    }
    for (number, page) in (0..).zip(pages).filter(|(_, page)| !page.repeats) {
        let length = record_length(page, true);
        for term in &page.terms {
            if let Some(list) = lists.get_mut(&term.id) {
                list.push((number, term.level(length, mean)));
            }
        }
    }
    lists
}

/// Whether enough other pages have all terms of a page's title at levels as high.
fn is_hidden(number: u32, title: &[TermId], lists: &FxHashMap<TermId, Levels>, total: u32) -> bool {
    let mut lists: Vec<&Levels> = title.iter().map(|term| &lists[term]).collect();
    lists.sort_by_key(|list| list.len());
    let score = |page: u32| {
        let of_list = |list: &&Levels| {
            let at = list.binary_search_by_key(&page, |&(page, _)| page).ok()?;
            let idf = quantized_idf(list.len() as u32, total);
            Some(weight(idf) * u64::from(level_value(list[at].1)))
        };
        lists.iter().map(of_list).sum::<Option<u64>>()
    };
    let Some(own) = score(number) else { return false };
    let others = lists[0].iter().filter(|&&(page, _)| page != number);
    others.filter(|&&(page, _)| score(page) >= Some(own)).take(HIDING).count() == HIDING
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::vocabulary::term_id;

    fn page(title: &[&str], words: &[(&str, u8)]) -> WeightedPage {
        let term = |&(word, class): &(&str, u8)| PageTerm::from_text(term_id(word), class);
        let mut terms: Vec<_> = words.iter().map(term).collect();
        terms.sort_unstable();
        let mut page =
            WeightedPage { terms, length: 100, stretched: 100, ..WeightedPage::default() };
        page.fields.title = title.iter().map(|word| term_id(word)).collect();
        page
    }

    /// The classes of emphasis of the first page after the marking.
    fn classes(pages: &[WeightedPage]) -> Vec<u8> {
        let mut pages = pages.to_vec();
        let titles = of(&pages);
        mark_hidden(&mut pages, &titles);
        pages[0].terms.iter().map(|term| term.emphasis).collect()
    }

    #[test]
    fn a_title_is_marked_if_many_pages_have_its_words_as_often() {
        let titled = page(&["release", "history"], &[("release", 0), ("history", 0), ("one", 0)]);
        let often = page(&["other"], &[("release", 9), ("history", 9)]);
        let once = page(&["other"], &[("release", 9)]);
        let site =
            |others: &WeightedPage, n| [vec![titled.clone()], vec![others.clone(); n]].concat();
        let marked = classes(&site(&often, HIDING));
        assert_eq!(marked.iter().filter(|&&class| class == DEFINED_CLASS).count(), 2);
        assert_eq!(classes(&site(&often, HIDING - 1)), [0; 3], "the lists lead there");
        assert_eq!(classes(&site(&once, HIDING)), [0; 3], "they lack a word");
        let same = [vec![titled.clone(); 4], site(&often, HIDING)].concat();
        assert_eq!(classes(&same), [0; 3], "too many pages have this title");
    }
}
