//! Finds sets of pages that are translations of each other.
//!
//! As in search engines, two pages are translations only if each names the other. So a page that
//! names all others, or the home page in each language, is not a translation of them. The relation
//! is transitive: if two pages each exchange names with a third, all three are one page.

use rustc_hash::FxHashMap;

use pagekin_core::address;
use pagekin_pages::site::links::key_of;

use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::sets::Sets;

/// Sets `translations` from `alternates`, and clears the latter. Linear in the number of names.
pub(crate) fn assign_sets(pages: &mut [WeightedPage]) {
    let naming = (0..).zip(&*pages).filter(|(_, page)| !page.alternates.is_empty());
    // The pages that name others, by the hashes under which others name them.
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
        page.alternates = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::site::alternates;
    use pagekin_pages::site::links::Pointing;
    use proptest::prelude::*;

    /// The numbers of the sets of pages, given the URLs that each names.
    fn sets(pages: &[(&str, Vec<&str>)]) -> Vec<u32> {
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
    fn pages_that_name_each_other_are_one_set() {
        let all = vec!["/bread.html", "/brot.html", "/pain.html"];
        let pages =
            [("/brot.html", all.clone()), ("/other", vec![]), ("/bread", all), ("/x", vec!["/x"])];
        assert_eq!(sets(&pages), [1, 0, 1, 0]);
        let chain = [("/a", vec!["/b"]), ("/b/", vec!["/a", "/c"]), ("/c", vec!["/b"])];
        assert_eq!(sets(&chain), [1, 1, 1]);
    }

    #[test]
    fn a_page_that_is_not_named_in_return_is_not_a_translation() {
        // A common mistake: all pages of a site name the home pages.
        let home = vec!["/", "/de/"];
        let pages =
            [("/", home.clone()), ("/de/", home.clone()), ("/a", home.clone()), ("/de/a", home)];
        assert_eq!(sets(&pages), [1, 1, 0, 0]);
        assert_eq!(sets(&[("/a", vec!["/b", "/nowhere"]), ("/b", vec!["/c"])]), [0, 0]);
    }

    #[test]
    fn a_site_may_be_published_below_a_path() {
        let both = vec!["https://x.org/docs/en/a", "https://x.org/docs/de/a"];
        assert_eq!(sets(&[("/en/a.html", both.clone()), ("/de/a.html", both)]), [1, 1]);
    }

    proptest! {
        /// The sets are those found by a graph search.
        #[test]
        fn sets_are_connected_components(
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
            prop_assert_eq!(sets(&pages), walked);
        }
    }
}
