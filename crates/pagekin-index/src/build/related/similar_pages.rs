//! Pages into their kin: for each page of the site the few others that a reader of it would want.
//!
//! Those whose [profiles](crate::build::related::profiles) are most alike, and those that links
//! [tie](crate::build::related::ties) to the page are put in the order of their kinship, which is
//! the cosine of the profiles raised by ties. These are left out:
//!
//! - a copy of the page itself, and of two pages that are copies of each other the second;
//! - listings, which link to everything;
//! - pages that are less alike than two pages of the site drawn at random are on average, if it has
//!   50 pages or more.
//!
//! *Copies* are two pages whose texts are copies or near-duplicates by their sketches, or which are
//! [editions](crate::build::related::variants) of one page: other versions of it, or other
//! languages, by their addresses or by
//! [what they say of each other](crate::build::related::translations). Where addresses leave that
//! open, they are if they are alike by at least a half. Of copies, the one in the page's own
//! language is proposed, then the one whose address shares most folders with the page's.
//!
//! Pages in the page's own language come before all others.
//!
//! Pages that have [vectors](crate::build::external::vectors) are compared with one another by
//! their vectors instead of their profiles. Profiles still decide which pages are copies.
//!
//! A page that names its related pages [itself](crate::build::related::own_lists) has those, as it
//! names them.

use std::cmp::Reverse;

use pagekin_core::hash::SplitMix64;
use pagekin_core::near::sketch::KnownShingles;
use pagekin_pages::Observer;
use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pairs::cosine::{COMPARED, Cosine, LOOKED_AT, Profiles, Sums};
use rayon::prelude::*;

use crate::build::external::vectors::VectorsOfPages;
use crate::build::pages::standing;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::copies;
use crate::build::related::copies::CopyOf;
use crate::build::related::own_lists;
use crate::build::related::profiles::profiles;
use crate::build::related::ties::{Folders, Mentions, TieWeights, Ties};
use crate::build::related::variants::{Variants, folders};
use crate::build::summary::UnknownRelated;

/// Random pairs by which it is judged how alike pages of the site are.
const PAIRS: u32 = 1_024;
/// On a site of fewer pages, the related ones are too large a part of all pairs to tell.
const JUDGED: u32 = 50;

/// A page that is like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RelatedPage {
    /// Its number in the stored order.
    pub(crate) page: u32,
    /// How alike the profiles are.
    pub(crate) cosine: Cosine,
}

/// The kin of pages, and what else was learnt of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Related {
    /// Of each page, the best first.
    pub(crate) kin: Vec<Vec<RelatedPage>>,
    /// Of each page that is a near-copy of another, which that is.
    pub(crate) copies: Vec<Option<CopyOf>>,
    /// Addresses of no page that pages name as related.
    pub(crate) unknown: Vec<UnknownRelated>,
}

/// What pages are related by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RelatedRules<'a> {
    /// The most kin of a page that names none itself.
    pub(crate) max_pages: usize,
    /// What addresses begin with.
    pub(crate) base_url: &'a str,
    /// By what the pages that have it are compared with one another, instead of by their profiles.
    pub(crate) vectors: Option<&'a VectorsOfPages<'a>>,
}

/// The best kin of each page. `pages` are in the stored order, by which they are numbered.
pub(crate) fn relate(
    pages: &[&WeightedPage],
    rules: RelatedRules<'_>,
    observer: &dyn Observer,
) -> Related {
    let profiles = profiles(pages);
    let all: Vec<u32> = (0..profiles.len()).collect();
    let background = mean_cosine(&all, |a, b| profiles.cosine(a, b));
    let by_vectors = rules.vectors.map(|vectors| {
        let cosine = |a, b| vectors.cosine(a, b).unwrap_or_default();
        (vectors, mean_cosine(vectors.pages(), cosine))
    });
    let links = standing::links(pages.iter().copied());
    let folders = Folders::from_urls(pages.iter().map(|page| page.url.as_str()));
    let weights = TieWeights::default();
    let mentions = Mentions::from_pages(pages);
    let ties = Ties { folders: &folders, links: &links, ranks: &[], mentions: &mentions, weights };
    let (own, unknown) = own_lists::resolve(pages, rules.base_url);
    let (kin, near): (Vec<_>, Vec<_>) = (0..pages.len() as u32)
        .into_par_iter()
        .map_init(Sums::default, |sums, page| {
            observer.advance(1);
            if observer.cancelled() {
                return (Vec::new(), Vec::new());
            }
            let mut kin = profiles.nearest(page, LOOKED_AT, sums);
            add_linked(&mut kin, page, &links, |other| Some(profiles.cosine(page, other)));
            let near = near_copies(pages, page, &kin);
            if let Some(own) = &own[page as usize] {
                let kin = |&page_named| RelatedPage {
                    page: page_named,
                    cosine: profiles.cosine(page, page_named),
                };
                return (own.iter().map(kin).collect(), near);
            }
            let mut background = background;
            if let Some((vectors, mean)) = by_vectors
                && let Some(nearest) = vectors.nearest(page)
            {
                (kin, background) = (nearest, mean);
                add_linked(&mut kin, page, &links, |other| vectors.cosine(page, other));
            }
            kin.retain(|&(_, cosine)| cosine > background);
            kin.sort_by_cached_key(|&(other, cosine)| {
                let kinship = f64::from(cosine.0) * f64::from(ties.factor(page, other));
                (Reverse(kinship as u64), other)
            });
            (choose(pages, page, &kin, rules.max_pages, &profiles), near)
        })
        .unzip();
    let pairs = (0..).zip(&near).flat_map(|(page, near)| near.iter().map(move |&b| (page, b)));
    Related { kin, copies: copies::find_originals(pages, &links, pairs), unknown }
}

/// Of the pages that `page` was compared with, its near-copies.
fn near_copies(pages: &[&WeightedPage], page: u32, compared: &[(u32, Cosine)]) -> Vec<u32> {
    let known = KnownShingles::from_page(&pages[page as usize].sketch);
    let is_near = |other: &u32| copies::compare(&known, pages[*other as usize]).is_some();
    compared.iter().map(|&(other, _)| other).filter(is_near).collect()
}

/// Adds the pages that links tie to `page`, up to [`COMPARED`], if they are not among the
/// `nearest` and have a cosine.
fn add_linked(
    nearest: &mut Vec<(u32, Cosine)>,
    page: u32,
    links: &LinkGraph,
    cosine: impl Fn(u32) -> Option<Cosine>,
) {
    let mut known: Vec<u32> = nearest.iter().map(|&(other, _)| other).collect();
    known.sort_unstable();
    for &other in links.linked_by(page).iter().chain(links.linking_to(page)).take(COMPARED) {
        if let Err(place) = known.binary_search(&other)
            && let Some(cosine) = cosine(other)
        {
            known.insert(place, other);
            nearest.push((other, cosine));
        }
    }
}

/// The mean cosine of random pairs of these pages; 0 if they are few.
fn mean_cosine(pages: &[u32], cosine: impl Fn(u32, u32) -> Cosine) -> Cosine {
    let n = pages.len() as u32;
    if n < JUDGED {
        return Cosine(0);
    }
    let mut random = SplitMix64::new(u64::from(n));
    let pair = |_| {
        let a = random.below(n);
        let b = (a + 1 + random.below(n - 1)) % n;
        u64::from(cosine(pages[a as usize], pages[b as usize]).0)
    };
    let sum: u64 = (0..PAIRS).map(pair).sum();
    Cosine((sum / u64::from(PAIRS)) as u32)
}

/// Of the `kin` of `page`, the nearest first, those that are proposed. Copies are told by the
/// `profiles`, whatever made them kin.
fn choose(
    pages: &[&WeightedPage],
    page: u32,
    kin: &[(u32, Cosine)],
    most: usize,
    profiles: &Profiles,
) -> Vec<RelatedPage> {
    let own = Compared::new(pages[page as usize]);
    let mut chosen: Vec<(RelatedPage, Compared<'_>)> = Vec::new();
    let mut of_own_language = 0;
    for &(other, cosine) in kin {
        let candidate = pages[other as usize];
        let by_terms = |other| profiles.cosine(page, other);
        if candidate.listing || own.is_copy(candidate, || by_terms(other)) {
            continue;
        }
        // Two copies are about as alike to the page, which says how alike they are to each other.
        let alike =
            |chosen| Cosine(Cosine::EQUAL.0 - by_terms(chosen).0.abs_diff(by_terms(other).0));
        let twin = chosen.iter_mut().find(|(kin, of)| of.is_copy(candidate, || alike(kin.page)));
        let kin = RelatedPage { page: other, cosine };
        let closeness = closeness(candidate, own.page);
        match twin {
            Some(twin) => {
                let of_twin = self::closeness(twin.1.page, own.page);
                if closeness > of_twin {
                    of_own_language += usize::from(closeness.0 && !of_twin.0);
                    *twin = (kin, Compared::new(candidate));
                }
            }
            None => {
                of_own_language += usize::from(closeness.0);
                chosen.push((kin, Compared::new(candidate)));
            }
        }
        // Some more than are proposed: what comes next may be the nearer copy of one of them.
        if of_own_language > 2 * most {
            break;
        }
    }
    // Stable: the nearest stay first.
    chosen.sort_by_key(|(_, chosen)| Reverse(closeness(chosen.page, own.page).0));
    chosen.into_iter().map(|(kin, _)| kin).take(most).collect()
}

/// A page that others are compared with.
struct Compared<'a> {
    page: &'a WeightedPage,
    known: KnownShingles,
}

impl<'a> Compared<'a> {
    fn new(page: &'a WeightedPage) -> Self {
        Self { page, known: KnownShingles::from_page(&page.sketch) }
    }

    fn is_copy(&self, other: &WeightedPage, cosine: impl Fn() -> Cosine) -> bool {
        self.page.translations > 0 && self.page.translations == other.translations
            || copies::compare(&self.known, other).is_some()
            || match Variants::new(&self.page.url, &other.url) {
                Variants::Yes => true,
                Variants::Perhaps => cosine().0 >= Cosine::EQUAL.0 / 2,
                Variants::No => false,
            }
    }
}

/// Whether a page speaks the language of another, and how many folders both are in. Of copies the
/// one that has more of it is proposed.
fn closeness(page: &WeightedPage, to: &WeightedPage) -> (bool, usize) {
    let shared = folders(&page.url).zip(folders(&to.url)).take_while(|(a, b)| a == b).count();
    (page.language == to.language, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::bag::frequency_class;
    use pagekin_core::near::identity::Identity;
    use pagekin_core::near::shingles::Shingler;
    use pagekin_core::near::sketch::Sketch;
    use pagekin_core::shard::PageTerm;
    use pagekin_core::terms::Language;
    use pagekin_pages::Silent;

    /// A page of words by their numbers, in this order.
    fn page(url: &str, words: &[u32]) -> WeightedPage {
        let mut terms: Vec<_> = words.to_vec();
        terms.sort_unstable();
        terms.dedup();
        let tf = |id| words.iter().filter(|&&word| word == id).count() as u32;
        let term = |id| PageTerm::from_text(id, frequency_class(tf(id)));
        let terms = terms.into_iter().map(term).collect();
        let tokens: Vec<_> = words.iter().map(|&word| u64::from(word)).collect();
        let sketch = Sketch::new(&Shingler::default().set(&tokens), 64, Identity::default());
        WeightedPage { url: url.to_owned(), terms, sketch, ..WeightedPage::default() }
    }

    fn related(pages: &[WeightedPage], max_pages: usize) -> Vec<Vec<&str>> {
        let kin = relate(
            &pages.iter().collect::<Vec<_>>(),
            RelatedRules { max_pages, base_url: "/", vectors: None },
            &Silent,
        )
        .kin;
        let url = |kin: &RelatedPage| pages[kin.page as usize].url.as_str();
        kin.iter().map(|kin| kin.iter().map(url).collect()).collect()
    }

    fn words(topic: u32, from: u32, n: u32) -> Vec<u32> {
        (0..n).map(|at| topic * 100 + from + at).collect()
    }

    /// Two topics of four pages each, which share half of their words with the next.
    fn site() -> Vec<WeightedPage> {
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
    fn folders_and_links_raise_kin() {
        // The two others are as much like the first.
        let (first, second) = (words(0, 0, 10), words(1, 0, 10));
        let mut pages = vec![
            page("/a/0.html", &[first.clone(), second.clone()].concat()),
            page("/b/1.html", &[first, words(2, 0, 10)].concat()),
            page("/b/2.html", &[second, words(3, 0, 10)].concat()),
            page("/b/3.html", &words(4, 0, 10)),
            page("/b/4.html", &words(4, 5, 10)),
        ];
        let link = |to: &str| pagekin_pages::site::links::hash_of(0, to);
        assert_eq!(related(&pages, 3)[0], ["/b/1.html", "/b/2.html"]);
        pages[2].links = vec![link("/a/0.html")];
        assert_eq!(related(&pages, 3)[0], ["/b/2.html", "/b/1.html"]);
        pages[2].links.clear();
        pages[3].links = vec![link("/a/0.html"), link("/b/2.html")];
        assert_eq!(related(&pages, 3)[0], ["/b/2.html", "/b/1.html"], "cocited");
        pages[3].listing = true;
        assert_eq!(related(&pages, 3)[0], ["/b/1.html", "/b/2.html"], "by a listing");
        pages[2].url = "/a/2.html".to_owned();
        assert_eq!(related(&pages, 3)[0], ["/a/2.html", "/b/1.html"]);
    }

    #[test]
    fn linked_pages_are_compared_however_many_are_nearer() {
        // One page among more than are compared that are the same but for a word.
        let mut pages: Vec<_> = (0..2 * COMPARED as u32)
            .map(|at| {
                page(&format!("/{at}.html"), &[words(0, 0, 10), words(50 + at, 0, 10)].concat())
            })
            .collect();
        let far = [words(0, 0, 2), words(9, 0, 40)].concat();
        pages.push(page("/far.html", &far));
        pages.push(page("/far2.html", &words(9, 20, 40)));
        let refs: Vec<_> = pages.iter().collect();
        let profiles = profiles(&refs);
        let far = pages.len() as u32 - 2;
        let mut nearest = profiles.nearest(0, LOOKED_AT, &mut Sums::default());
        assert!(nearest.len() == COMPARED && nearest.iter().all(|&(page, _)| page != far));
        let graph = LinkGraph::new(
            (0..pages.len()).map(|at| if at == 0 { vec![far, 1] } else { Vec::new() }).collect(),
            &vec![false; pages.len()],
        );
        add_linked(&mut nearest, 0, &graph, |other| Some(profiles.cosine(0, other)));
        let linked: Vec<_> = nearest[COMPARED..].to_vec();
        assert!(linked.contains(&(far, profiles.cosine(0, far))), "{linked:?}");
        let mut numbers: Vec<_> = nearest.iter().map(|&(page, _)| page).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), nearest.len(), "each once");
    }

    #[test]
    fn copies_and_listings_are_left_out() {
        let mut pages = site();
        let copy = words(0, 10, 20);
        pages.push(page("/copy-of-1.html", &copy));
        pages.push(WeightedPage { listing: true, ..page("/contents.html", &words(0, 0, 22)) });
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
    fn the_number_of_threads_changes_nothing() {
        let pages: Vec<_> =
            (0..300).map(|at| page(&format!("/{at}.html"), &words(at % 7, at % 40, 30))).collect();
        let pages: Vec<_> = pages.iter().collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                relate(&pages, RelatedRules { max_pages: 5, base_url: "/", vectors: None }, &Silent)
            })
        };
        assert_eq!(with(1), with(5));
    }
}
