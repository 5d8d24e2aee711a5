//! Finds the related pages of each page: the few others that its readers may need.
//!
//! The candidates are pages with the most similar [profiles](crate::build::related::profiles), and
//! pages [connected](crate::build::related::ties) by links. They are sorted by the cosine of the
//! profiles, multiplied by a factor for ties. These are excluded:
//!
//! - copies of the page, and all but one of several copies of another page;
//! - pages that consist of links, because they link to everything;
//! - pages less similar than the mean of random pairs, if the site has at least 50 pages.
//!
//! *Copies* are pages whose sketches are copies or near-duplicates, or
//! [variants](crate::build::related::variants) of one page: other versions or languages, by their
//! URLs or as [translations](crate::build::related::translations). If the URLs leave this open,
//! pages are copies at a similarity of at least a half. Of several copies, the one in the page's
//! own language is chosen, then the one whose URL shares most folders with the page's.
//!
//! Pages in the page's own language come first.
//!
//! Pages with [vectors](crate::build::external::vectors) are compared with each other by their
//! vectors instead of their profiles. Profiles still decide which pages are copies.
//!
//! A page that [names its related pages](crate::build::related::own_lists) gets exactly those.

use std::cmp::Reverse;

use pagekin_core::hash::SplitMix64;
use pagekin_core::near::sketch::KnownShingles;
use pagekin_pages::Observer;
use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pairs::cosine::{COMPARED, Cosine, MAX_EXAMINED, Profiles, Sums};
use rayon::prelude::*;

use crate::build::external::vectors::VectorsOfPages;
use crate::build::pages::emphasis;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::copies;
use crate::build::related::copies::CopyOf;
use crate::build::related::own_lists;
use crate::build::related::profiles::profiles;
use crate::build::related::ties::{Folders, Mentions, TieWeights, Ties};
use crate::build::related::variants::{Variants, folders};
use crate::build::summary::UnknownRelated;

/// Number of random pairs for the mean similarity of a site's pages.
const PAIRS: u32 = 1_024;
/// On a site with fewer pages, too many pairs are related for a meaningful mean.
const JUDGED: u32 = 50;

/// A related page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RelatedPage {
    pub(crate) page: u32,
    /// The similarity of the profiles or vectors.
    pub(crate) cosine: Cosine,
}

/// The related pages of all pages, and other results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Related {
    /// The related pages of each page, best first.
    pub(crate) pages: Vec<Vec<RelatedPage>>,
    /// The original of each page that is a near-copy, and other near-copies.
    pub(crate) copies: Vec<Option<CopyOf>>,
    /// URLs that pages name as related, but that match no page.
    pub(crate) unknown: Vec<UnknownRelated>,
}

/// What related pages depend on, except for the pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RelatedRules<'a> {
    /// Maximum number of related pages, unless a page names its own.
    pub(crate) max_pages: usize,
    /// The prefix of all URLs.
    pub(crate) base_url: &'a str,
    /// Vectors for comparing the pages that have one.
    pub(crate) vectors: Option<&'a VectorsOfPages<'a>>,
}

/// Finds the related pages of all `pages`, which are in the order of their numbers.
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
    let links = emphasis::links(pages.iter().copied());
    let folders = Folders::from_urls(pages.iter().map(|page| page.url.as_str()));
    let weights = TieWeights::default();
    let mentions = Mentions::from_pages(pages);
    let ties = Ties { folders: &folders, links: &links, ranks: &[], mentions: &mentions, weights };
    let (own, unknown) = own_lists::resolve(pages, rules.base_url);
    let (lists, near): (Vec<_>, Vec<_>) = (0..pages.len() as u32)
        .into_par_iter()
        .map_init(Sums::default, |sums, page| {
            observer.advance(1);
            if observer.cancelled() {
                return (Vec::new(), Vec::new());
            }
            let mut candidates = profiles.nearest(page, MAX_EXAMINED, sums);
            add_linked(&mut candidates, page, &links, |other| Some(profiles.cosine(page, other)));
            let near = near_copies(pages, page, &candidates);
            if let Some(own) = &own[page as usize] {
                let related =
                    |&named| RelatedPage { page: named, cosine: profiles.cosine(page, named) };
                return (own.iter().map(related).collect(), near);
            }
            let mut background = background;
            if let Some((vectors, mean)) = by_vectors
                && let Some(nearest) = vectors.nearest(page)
            {
                (candidates, background) = (nearest, mean);
                add_linked(&mut candidates, page, &links, |other| vectors.cosine(page, other));
            }
            candidates.retain(|&(_, cosine)| cosine > background);
            candidates.sort_by_cached_key(|&(other, cosine)| {
                let score = f64::from(cosine.0) * f64::from(ties.factor(page, other));
                (Reverse(score as u64), other)
            });
            (choose(pages, page, &candidates, rules.max_pages, &profiles), near)
        })
        .unzip();
    let pairs = (0..).zip(&near).flat_map(|(page, near)| near.iter().map(move |&b| (page, b)));
    Related { pages: lists, copies: copies::find_originals(pages, &links, pairs), unknown }
}

/// Returns the near-copies among the pages that `page` was compared with.
fn near_copies(pages: &[&WeightedPage], page: u32, compared: &[(u32, Cosine)]) -> Vec<u32> {
    let known = KnownShingles::from_page(&pages[page as usize].sketch);
    let is_near = |other: &u32| copies::compare(&known, pages[*other as usize]).is_some();
    compared.iter().map(|&(other, _)| other).filter(is_near).collect()
}

/// Adds linked pages, up to [`COMPARED`], that are not among the `nearest` and have a cosine.
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

/// The mean cosine of random pairs of pages; 0 if there are too few.
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

/// Chooses among `candidates`, nearest first. Copies are recognized by the `profiles`, even if
/// pages are compared by vectors.
fn choose(
    pages: &[&WeightedPage],
    page: u32,
    candidates: &[(u32, Cosine)],
    max_pages: usize,
    profiles: &Profiles,
) -> Vec<RelatedPage> {
    let own = Compared::new(pages[page as usize]);
    let mut chosen: Vec<(RelatedPage, Compared<'_>)> = Vec::new();
    let mut of_own_language = 0;
    for &(other, cosine) in candidates {
        let candidate = pages[other as usize];
        let by_terms = |other| profiles.cosine(page, other);
        if candidate.listing || own.is_copy(candidate, || by_terms(other)) {
            continue;
        }
        // Two copies are about equally similar to the page, which bounds their own similarity.
        let similarity =
            |chosen| Cosine(Cosine::EQUAL.0 - by_terms(chosen).0.abs_diff(by_terms(other).0));
        let twin = chosen
            .iter_mut()
            .find(|(related, of)| of.is_copy(candidate, || similarity(related.page)));
        let related = RelatedPage { page: other, cosine };
        let closeness = closeness(candidate, own.page);
        match twin {
            Some(twin) => {
                let of_twin = self::closeness(twin.1.page, own.page);
                if closeness > of_twin {
                    of_own_language += usize::from(closeness.0 && !of_twin.0);
                    *twin = (related, Compared::new(candidate));
                }
            }
            None => {
                of_own_language += usize::from(closeness.0);
                chosen.push((related, Compared::new(candidate)));
            }
        }
        // Choose more pages than needed, because the next may be a closer copy of one of them.
        if of_own_language > 2 * max_pages {
            break;
        }
    }
    // The sort is stable: the nearest stay first.
    chosen.sort_by_key(|(_, chosen)| Reverse(closeness(chosen.page, own.page).0));
    chosen.into_iter().map(|(related, _)| related).take(max_pages).collect()
}

/// A page with prepared shingles, for comparisons.
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

/// Whether two pages have the same language, and the number of folders that they share. The closest
/// of several copies is chosen.
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

    /// A page with words, given by their numbers.
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
        let lists = relate(
            &pages.iter().collect::<Vec<_>>(),
            RelatedRules { max_pages, base_url: "/", vectors: None },
            &Silent,
        )
        .pages;
        let url = |related: &RelatedPage| pages[related.page as usize].url.as_str();
        lists.iter().map(|list| list.iter().map(url).collect()).collect()
    }

    fn words(topic: u32, from: u32, n: u32) -> Vec<u32> {
        (0..n).map(|at| topic * 100 + from + at).collect()
    }

    /// Two topics of four pages each. Adjacent pages of a topic share half of their words.
    fn site() -> Vec<WeightedPage> {
        (0..8).map(|at| page(&format!("/{at}.html"), &words(at / 4, at % 4 * 10, 20))).collect()
    }

    #[test]
    fn the_most_similar_pages_come_first() {
        let mut pages = site();
        // No other page has the words of this one.
        pages.push(page("/alone.html", &words(9, 0, 20)));
        let lists = related(&pages, 3);
        assert_eq!(lists[1], ["/0.html", "/2.html"]);
        assert_eq!(lists[4], ["/5.html"]);
        assert!(lists[8].is_empty());
        assert_eq!(related(&pages, 1)[1], ["/0.html"]);
    }

    #[test]
    fn folders_and_links_improve_ranks() {
        // The two other pages are equally similar to the first.
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
    fn linked_pages_are_compared_even_if_others_are_nearer() {
        // There are more pages than are compared that differ from this one in a single word.
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
        let mut nearest = profiles.nearest(0, MAX_EXAMINED, &mut Sums::default());
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
    fn copies_and_pages_of_links_are_excluded() {
        let mut pages = site();
        let copy = words(0, 10, 20);
        pages.push(page("/copy-of-1.html", &copy));
        pages.push(WeightedPage { listing: true, ..page("/contents.html", &words(0, 0, 22)) });
        let lists = related(&pages, 5);
        assert_eq!(lists[1], ["/2.html", "/0.html"], "no copy of the page itself");
        assert_eq!(lists[0], ["/1.html"], "one of two copies");
    }

    #[test]
    fn the_same_version_and_language_come_first() {
        let mut pages = Vec::new();
        for version in ["v1", "v2"] {
            for at in 0..4 {
                // One word differs, so that the sketches are not those of copies.
                let mut text = words(0, at * 10, 20);
                text[0] += if version == "v1" { 0 } else { 50 };
                pages.push(page(&format!("/{version}/guide/{at}.html"), &text));
            }
        }
        pages.extend(site().split_off(4));
        let lists = related(&pages, 5);
        assert_eq!(lists[1], ["/v1/guide/2.html", "/v1/guide/0.html"]);
        assert_eq!(lists[5], ["/v2/guide/2.html", "/v2/guide/0.html"]);

        let german = Language::from_tag("de");
        pages[2].language = german.clone();
        pages[6].language = german;
        assert_eq!(related(&pages, 5)[1], ["/v1/guide/0.html", "/v1/guide/2.html"]);
        assert_eq!(related(&pages, 1)[5], ["/v2/guide/0.html"]);
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
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
