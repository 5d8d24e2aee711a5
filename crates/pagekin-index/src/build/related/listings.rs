//! Finds listings: pages that mostly list other pages of the site, by links or by teasers, and
//! files of source code.
//!
//! Somebody who searches for words of a listing wants a page that it lists, so lookups rank
//! listings behind these. A page is a listing by what it lists, whatever its URL:
//!
//! 1. At least half of its words are in links, and at least four of these lead to other pages of
//!    the site, without those that most pages link to. So the links of a short page to its
//!    neighbors and the start page do not make it a listing
//!    ([`BlockText::is_listing`](pagekin_pages::site::blocks::BlockText::is_listing)).
//! 2. Or it consists of teasers: links, each followed by a few words, to at least three other pages
//!    of the site, and these pages contain its words.
//! 3. Or it is a file of source code, highlighted or with line numbers, as documentation generators
//!    add them. Somebody wants the page that documents it.

use pagekin_core::bag::FREQUENCIES;
use pagekin_core::shard::PageTerm;
use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pages::site::links::Paths;
use rayon::prelude::*;

use crate::build::pages::vocabulary::WeightedPage;

/// Minimum number of pages of the site that a listing links to, and of those whose teasers it has.
const MIN_LINKED: usize = 4;
const MIN_TEASED: usize = 3;
/// Minimum number of words of a list of teasers that are on the pages that it lists, in tenths.
const MIN_REPEATED: u64 = 8;

/// Sets `is_listing` of all pages, and clears `teased`. `links` are those of the pages.
pub(crate) fn assign(pages: &mut [WeightedPage], links: &LinkGraph) {
    let paths = Paths::new(pages.iter().map(|page| (0, page.url.as_str())));
    let is_listing = |(number, page): (usize, &WeightedPage)| {
        let others = |hashes: &[u64]| {
            let others = hashes.iter().filter_map(|&hash| paths.page(hash));
            let is_other = |&to: &u32| to as usize != number && !links.is_everywhere(to);
            let mut others: Vec<u32> = others.filter(is_other).collect();
            others.sort_unstable();
            others.dedup();
            others
        };
        let teased = others(&page.teased);
        page.listing && others(&page.links).len() >= MIN_LINKED
            || teased.len() >= MIN_TEASED && repeats(page, &teased, pages)
    };
    let found: Vec<bool> = pages.par_iter().enumerate().map(is_listing).collect();
    for (page, is_listing) in pages.iter_mut().zip(found) {
        page.is_listing = is_listing || page.is_source_file;
        page.listing |= is_listing;
        page.teased = Vec::new();
    }
}

/// Whether the words of a page, except those of its title, are on the pages that it lists.
fn repeats(page: &WeightedPage, listed: &[u32], pages: &[WeightedPage]) -> bool {
    let has = |page: &WeightedPage, term: &PageTerm| {
        page.terms.binary_search_by_key(&term.id, |term| term.id).is_ok()
    };
    let own = page.terms.iter().filter(|term| !page.title_only.contains(&term.id));
    let (mut all, mut repeated) = (0, 0);
    for term in own {
        let tf = u64::from(FREQUENCIES[usize::from(term.class)]);
        all += tf;
        if listed.iter().any(|&other| has(&pages[other as usize], term)) {
            repeated += tf;
        }
    }
    10 * repeated >= MIN_REPEATED * all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::links::hash_of;

    fn page(url: &str, terms: std::ops::Range<u32>) -> WeightedPage {
        let terms = terms.map(|id| PageTerm::from_text(id, 0)).collect();
        WeightedPage { url: url.to_owned(), terms, ..WeightedPage::default() }
    }

    fn hashes(urls: &[&str]) -> Vec<u64> {
        urls.iter().map(|url| hash_of(0, url)).collect()
    }

    /// Whether the first page is a listing, among twelve others with ten terms each.
    fn is_listing(first: WeightedPage) -> bool {
        let others = (0..12).map(|at| page(&format!("/{at}"), 10 * at..10 * at + 10));
        let mut pages: Vec<_> = [first].into_iter().chain(others).collect();
        for page in &mut pages[1..] {
            page.links = hashes(&["/11"]);
        }
        let links = crate::build::pages::emphasis::links(pages.iter());
        assign(&mut pages, &links);
        assert!(pages.iter().all(|page| page.teased.is_empty()));
        assert!(pages[1..].iter().all(|page| !page.is_listing));
        assert_eq!(pages[0].listing, pages[0].is_listing || pages[0].title == "links");
        pages[0].is_listing
    }

    #[test]
    fn a_page_of_links_lists_pages_of_the_site() {
        let of_links = |urls: &[&str]| {
            let (links, title) = (hashes(urls), "links".to_owned());
            is_listing(WeightedPage { listing: true, links, title, ..page("/first", 0..40) })
        };
        assert!(of_links(&["/0", "/1", "/2", "/3"]));
        assert!(!of_links(&["/0", "/1", "/2", "/11"]), "most pages link to the last");
        assert!(!of_links(&["/0", "/1", "/2", "/first"]), "one is the page itself");
        assert!(!of_links(&["/0", "/1", "/2", "/elsewhere"]));
    }

    #[test]
    fn a_file_of_source_code_is_a_listing_that_may_be_related() {
        let file = WeightedPage { is_source_file: true, ..page("/a.rs.html", 0..4) };
        let mut pages = [file, page("/a.html", 0..4)];
        let links = crate::build::pages::emphasis::links(pages.iter());
        assign(&mut pages, &links);
        assert_eq!(
            pages.each_ref().map(|page| (page.is_listing, page.listing)),
            [(true, false), (false, false)]
        );
    }

    #[test]
    fn the_words_of_teasers_are_on_the_pages_that_they_lead_to() {
        let of_teasers = |urls: &[&str], terms| {
            is_listing(WeightedPage { teased: hashes(urls), ..page("/first", terms) })
        };
        assert!(of_teasers(&["/0", "/1", "/2"], 5..30));
        assert!(!of_teasers(&["/0", "/1", "/2"], 5..40), "ten of 35 words are on no such page");
        assert!(!of_teasers(&["/0", "/1"], 0..20));
    }
}
