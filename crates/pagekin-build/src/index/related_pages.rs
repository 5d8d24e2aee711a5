//! Pages into their kin: for each page of the site the few others that a reader of it would want.
//!
//! Of the pages whose [profiles](crate::index::profiles) are most alike, the most alike first, these are left out:
//!
//! - a copy of the page itself, and of two pages that are copies of each other the second;
//! - listings, which link to everything;
//! - pages that are less alike than two pages of the site drawn at random are on average, if it has
//!   50 pages or more.
//!
//! *Copies* are two pages whose texts are copies or near-duplicates by their sketches, or which are alike by at least a half
//! and whose addresses differ in one folder only, and not in the last name: other versions of a page, or other languages of it.
//! Of copies, the one in the page's own language is proposed, then the one whose address shares most folders with the page's.
//!
//! Pages in the page's own language come before all others.

use std::cmp::Reverse;

use pagekin_core::hash::SplitMix64;
use pagekin_core::near::sketch::{Known, Nearness};
use rayon::prelude::*;

use crate::index::profiles::{Cosine, LOOKED_AT, Profiles, Sums};
use crate::index::vocabulary::WeighedPage;
use crate::progress::Observer;

/// Random pairs by which it is judged how alike pages of the site are.
const PAIRS: u32 = 1_024;
/// On a site of fewer pages, the related ones are too large a part of all pairs to tell.
const JUDGED: u32 = 50;

/// A page that is like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kin {
    /// Its number in the stored order.
    pub(crate) page: u32,
    /// How alike the profiles are.
    pub(crate) cosine: Cosine,
}

/// The up to `most` best kin of each page, the best first. `pages` are in the stored order, by which they are numbered.
pub(crate) fn relate(
    pages: &[&WeighedPage],
    most: usize,
    observer: &dyn Observer,
) -> Vec<Vec<Kin>> {
    let profiles = Profiles::of(pages);
    let background = background(&profiles);
    (0..pages.len() as u32)
        .into_par_iter()
        .map_init(Sums::default, |sums, page| {
            observer.advance(1);
            if observer.cancelled() {
                return Vec::new();
            }
            let mut nearest = profiles.nearest(page, LOOKED_AT, sums);
            nearest.retain(|&(_, cosine)| cosine > background);
            choose(pages, page, &nearest, most)
        })
        .collect()
}

/// The mean cosine of random pairs of pages; 0 on a small site.
fn background(profiles: &Profiles) -> Cosine {
    let n = profiles.len();
    if n < JUDGED {
        return Cosine(0);
    }
    let mut random = SplitMix64::new(u64::from(n));
    let pair = |_| {
        let a = random.below(n);
        let b = (a + 1 + random.below(n - 1)) % n;
        u64::from(profiles.cosine(a, b).0)
    };
    let sum: u64 = (0..PAIRS).map(pair).sum();
    Cosine((sum / u64::from(PAIRS)) as u32)
}

/// Of pages like `page`, the most alike first, those that are proposed.
fn choose(pages: &[&WeighedPage], page: u32, nearest: &[(u32, Cosine)], most: usize) -> Vec<Kin> {
    let own = Candidate::of(pages[page as usize]);
    let mut chosen: Vec<(Kin, Candidate<'_>)> = Vec::new();
    for &(other, cosine) in nearest {
        let candidate = Candidate::of(pages[other as usize]);
        if candidate.page.listing || own.is_copy(&candidate, || cosine) {
            continue;
        }
        // Two copies are about as alike to the page, which says how alike they are to each other.
        let alike = |chosen: Cosine| Cosine(Cosine::EQUAL.0 - chosen.0.abs_diff(cosine.0));
        let twin = chosen.iter_mut().find(|(kin, of)| of.is_copy(&candidate, || alike(kin.cosine)));
        let kin = Kin { page: other, cosine };
        match twin {
            Some(twin) if candidate.closeness(&own) > twin.1.closeness(&own) => {
                *twin = (kin, candidate);
            }
            Some(_) => {}
            None => chosen.push((kin, candidate)),
        }
        let of_own_language = |chosen: &&(Kin, Candidate<'_>)| chosen.1.speaks_like(&own);
        if chosen.iter().filter(of_own_language).count() > 2 * most {
            break;
        }
    }
    // Stable: the most alike stay first.
    chosen.sort_by_key(|(_, candidate)| Reverse(candidate.speaks_like(&own)));
    chosen.into_iter().map(|(kin, _)| kin).take(most).collect()
}

/// A page beside others.
struct Candidate<'a> {
    page: &'a WeighedPage,
    known: Known,
}

impl<'a> Candidate<'a> {
    fn of(page: &'a WeighedPage) -> Self {
        Self { page, known: Known::of_page(&page.sketch) }
    }

    fn speaks_like(&self, other: &Self) -> bool {
        self.page.language == other.page.language
    }

    /// What is proposed before its copies has more of it.
    fn closeness(&self, to: &Self) -> (bool, usize) {
        let shared = folders(&self.page.url)
            .zip(folders(&to.page.url))
            .take_while(|(own, other)| own == other)
            .count();
        (self.speaks_like(to), shared)
    }

    fn is_copy(&self, other: &Self, cosine: impl Fn() -> Cosine) -> bool {
        let near = self.known.shared_with(&other.page.sketch).nearness();
        matches!(near, Some(Nearness::Copy | Nearness::NearDuplicate))
            || (is_other_version(&self.page.url, &other.page.url)
                && cosine().0 >= Cosine::EQUAL.0 / 2)
    }
}

/// The names of an address, the last one among them.
fn folders(url: &str) -> impl DoubleEndedIterator<Item = &str> {
    url.split('/').filter(|name| !name.is_empty())
}

/// Whether two addresses differ in one folder, and not in the last name: `/v1/guide/a.html` and `/v2/guide/a.html`.
fn is_other_version(a: &str, b: &str) -> bool {
    let (a, b): (Vec<_>, Vec<_>) = (folders(a).collect(), folders(b).collect());
    let different = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    a.len() == b.len() && a.last() == b.last() && different == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use pagekin_core::bag::frequency_class;
    use pagekin_core::near::shingles::Shingler;
    use pagekin_core::near::sketch::Sketch;
    use pagekin_core::terms::Language;

    /// A page of words by their numbers, in this order.
    fn page(url: &str, words: &[u32]) -> WeighedPage {
        let mut terms: Vec<_> = words.to_vec();
        terms.sort_unstable();
        terms.dedup();
        let tf = |id| words.iter().filter(|&&word| word == id).count() as u32;
        let terms = terms.into_iter().map(|id| (id, frequency_class(tf(id)))).collect();
        let tokens: Vec<_> = words.iter().map(|&word| u64::from(word)).collect();
        let sketch = Sketch::of(&Shingler::default().set(&tokens), 64);
        WeighedPage { url: url.to_owned(), terms, sketch, ..WeighedPage::default() }
    }

    fn related(pages: &[WeighedPage], most: usize) -> Vec<Vec<&str>> {
        let kin = relate(&pages.iter().collect::<Vec<_>>(), most, &Silent);
        let url = |kin: &Kin| pages[kin.page as usize].url.as_str();
        kin.iter().map(|kin| kin.iter().map(url).collect()).collect()
    }

    fn words(topic: u32, from: u32, n: u32) -> Vec<u32> {
        (0..n).map(|at| topic * 100 + from + at).collect()
    }

    /// Two topics of four pages each, which share half of their words with the next.
    fn site() -> Vec<WeighedPage> {
        (0..8).map(|at| page(&format!("/{at}.html"), &words(at / 4, at % 4 * 10, 20))).collect()
    }

    #[test]
    fn the_most_alike_come_first() {
        let mut pages = site();
        // A page of words of its own is like none.
        pages.push(page("/alone.html", &words(9, 0, 20)));
        let kin = related(&pages, 3);
        assert_eq!(kin[1], ["/0.html", "/2.html"]);
        assert_eq!(kin[4], ["/5.html"]);
        assert!(kin[8].is_empty());
        assert_eq!(related(&pages, 1)[1], ["/0.html"]);
    }

    #[test]
    fn copies_and_listings_are_left_out() {
        let mut pages = site();
        let copy = words(0, 10, 20);
        pages.push(page("/copy-of-1.html", &copy));
        pages.push(WeighedPage { listing: true, ..page("/contents.html", &words(0, 0, 22)) });
        let kin = related(&pages, 5);
        assert_eq!(kin[1], ["/2.html", "/0.html"], "no copy of the page itself");
        assert_eq!(kin[0], ["/1.html"], "one of two copies");
    }

    #[test]
    fn the_own_version_and_language_come_first() {
        let mut pages = Vec::new();
        for version in ["v1", "v2"] {
            for at in 0..4 {
                // Revised in a word, so that they are no copies by their sketches.
                let mut text = words(0, at * 10, 20);
                text[0] += if version == "v1" { 0 } else { 50 };
                pages.push(page(&format!("/{version}/guide/{at}.html"), &text));
            }
        }
        pages.extend(site().split_off(4));
        let kin = related(&pages, 5);
        assert_eq!(kin[1], ["/v1/guide/2.html", "/v1/guide/0.html"]);
        assert_eq!(kin[5], ["/v2/guide/2.html", "/v2/guide/0.html"]);

        let german = Language::from_tag("de");
        pages[2].language = german.clone();
        pages[6].language = german;
        assert_eq!(related(&pages, 5)[1], ["/v1/guide/0.html", "/v1/guide/2.html"]);
        assert_eq!(related(&pages, 1)[5], ["/v2/guide/0.html"]);
    }

    #[test]
    fn other_versions_differ_in_one_folder() {
        assert!(is_other_version("/v1/guide/a.html", "/v2/guide/a.html"));
        assert!(!is_other_version("/en/", "/de/x"));
        assert!(!is_other_version("/guide/a/", "/guide/b/"), "two pages of one guide");
        assert!(!is_other_version("/v1/guide/a.html", "/v2/manual/a.html"));
        assert!(!is_other_version("/guide/a.html", "/v1/guide/a.html"));
        assert!(!is_other_version("/a.html", "/a.html"));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let pages: Vec<_> =
            (0..300).map(|at| page(&format!("/{at}.html"), &words(at % 7, at % 40, 30))).collect();
        let pages: Vec<_> = pages.iter().collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| relate(&pages, 5, &Silent))
        };
        assert_eq!(with(1), with(5));
    }
}
