//! Where pages say that they are in other languages, into sets of pages that are one page in
//! several.
//!
//! As search engines do it: only where each of two pages names the other is one a translation of
//! the other, so that a page that names all others, or the first page of each language, is none of
//! them. Of three pages, each named by the next and naming it, all are one page.

use rustc_hash::FxHashMap;

use pagekin_core::address;
use pagekin_pages::site::links::key_of;

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::sets::Sets;

/// Tells pages which others are translations of them. Linear in what they name.
pub(crate) fn assign_sets(pages: &mut [WeightedPage]) {
    let naming = (0..).zip(&*pages).filter(|(_, page)| !page.alternates.is_empty());
    // Which pages name others, by the hashes that these would name them by.
    let by_key: FxHashMap<u64, u32> =
        naming.map(|(number, page)| (key_of(address::path(&page.url)), number)).collect();
    let mut sets = Sets::alone(pages.len());
    for (&key, &number) in &by_key {
        for other in &pages[number as usize].alternates {
            if let Some(&other) = by_key.get(other)
                && pages[other as usize].alternates.binary_search(&key).is_ok()
            {
                sets.join(number, other);
            }
        }
    }
    let mut sizes = vec![0u32; pages.len()];
    (0..pages.len() as u32).for_each(|page| sizes[sets.root(page) as usize] += 1);
    for (number, page) in (0..).zip(pages) {
        let first = sets.root(number);
        page.translations = if sizes[first as usize] > 1 { first + 1 } else { 0 };
        // No more is asked of them.
        page.alternates = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::alternates;
    use pagekin_pages::site::links::Pointing;
    use proptest::prelude::*;

    /// Sets of pages by what they name.
    fn told(pages: &[(&str, Vec<&str>)]) -> Vec<u32> {
        let page = |(url, named): &(&str, Vec<&str>)| {
            let named: Vec<String> = named.iter().map(|&href| href.to_owned()).collect();
            let pointing = Pointing::from(url, None);
            let alternates = alternates::hashes(url, &named, pointing.as_ref());
            WeightedPage { url: (*url).to_owned(), alternates, ..WeightedPage::default() }
        };
        let mut pages: Vec<_> = pages.iter().map(page).collect();
        assign_sets(&mut pages);
        assert!(pages.iter().all(|page| page.alternates.is_empty()));
        pages.iter().map(|page| page.translations).collect()
    }

    #[test]
    fn pages_that_name_one_another_are_one() {
        let all = vec!["/bread.html", "/brot.html", "/pain.html"];
        let pages =
            [("/brot.html", all.clone()), ("/other", vec![]), ("/bread", all), ("/x", vec!["/x"])];
        assert_eq!(told(&pages), [1, 0, 1, 0]);
        let chain = [("/a", vec!["/b"]), ("/b/", vec!["/a", "/c"]), ("/c", vec!["/b"])];
        assert_eq!(told(&chain), [1, 1, 1]);
    }

    #[test]
    fn a_page_that_is_not_named_in_return_is_none() {
        // As it is written by mistake on all pages of a site.
        let home = vec!["/", "/de/"];
        let pages =
            [("/", home.clone()), ("/de/", home.clone()), ("/a", home.clone()), ("/de/a", home)];
        assert_eq!(told(&pages), [1, 1, 0, 0]);
        assert_eq!(told(&[("/a", vec!["/b", "/nowhere"]), ("/b", vec!["/c"])]), [0, 0]);
    }

    #[test]
    fn sites_may_be_published_below_a_path() {
        let both = vec!["https://x.org/docs/en/a", "https://x.org/docs/de/a"];
        assert_eq!(told(&[("/en/a.html", both.clone()), ("/de/a.html", both)]), [1, 1]);
    }

    proptest! {
        /// As by going from page to page as long as any is met.
        #[test]
        fn sets_are_those_that_are_walked(
            named in prop::collection::vec(prop::collection::vec(0usize..12, 0..4), 0..12)
        ) {
            let urls: Vec<String> = (0..12).map(|at| format!("/{at}/p{at}.html")).collect();
            let pages: Vec<(&str, Vec<&str>)> = urls.iter().zip(&named)
                .map(|(url, named)| {
                    (url.as_str(), named.iter().map(|&to| urls[to].as_str()).collect())
                })
                .collect();
            let names = |a: usize, b: usize| named.get(a).is_some_and(|named| named.contains(&b));
            let walked = |from: usize| {
                let mut met = vec![from];
                let mut at = 0;
                while at < met.len() {
                    for to in 0..named.len() {
                        if !met.contains(&to) && names(met[at], to) && names(to, met[at]) {
                            met.push(to);
                        }
                    }
                    at += 1;
                }
                let first = *met.iter().min().expect("it has met itself");
                if met.len() > 1 { first as u32 + 1 } else { 0 }
            };
            let walked: Vec<u32> = (0..named.len()).map(walked).collect();
            prop_assert_eq!(told(&pages), walked);
        }
    }
}
