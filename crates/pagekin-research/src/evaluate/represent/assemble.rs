//! Assembles the bag of a page for a setting.
//!
//! - *content*: the words of its text, with compounds that are terms, and the words of the title
//!   and headings added as often as the setting specifies.
//! - *anchor*: its title, and the anchor windows of links to it from other pages. Links of
//!   listings, which may be a page, or a list or table in a page, are excluded: they repeat the
//!   hierarchy of the site, which the measure is compared with.
//! - *link*: the pages that link to it, each as a term.
//!
//! A combined representation contains the terms of all, with their frequencies added.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::evaluate::pages::page::{EvaluatedPage, Written};
use crate::evaluate::represent::bags::Bags;
use crate::evaluate::represent::windows::AnchorWindow;
use crate::evaluate::settings::setting::{Identifiers, Representation, Setting, Stemming};
use crate::evaluate::terms::Terms;
use crate::evaluate::truth::links::SiteLinks;

/// The part of a setting that determines the terms of a page and their frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Recipe {
    pub(crate) stemming: Stemming,
    representation: Representation,
    pub(super) identifiers: Identifiers,
    titles: u8,
    distance: bool,
}

impl Recipe {
    pub(crate) fn new(setting: &Setting) -> Self {
        let Setting { representation, stemming, identifiers, titles, distance, .. } = *setting;
        // Ignore options for content and windows if there are none, so that equal bags have equal
        // recipes.
        Self {
            representation,
            stemming,
            identifiers,
            titles: if representation.content { titles } else { 0 },
            distance: distance && representation.anchor.is_some(),
        }
    }
}

/// A link from a page, by its position among the links of the page.
#[derive(Debug, Clone, Copy)]
struct Incoming {
    page: u32,
    link: u32,
}

/// Computes the bags of all pages, in time linear in the words of pages and windows.
pub(crate) fn assemble(
    pages: &[EvaluatedPage],
    links: &SiteLinks,
    terms: &Terms,
    recipe: Recipe,
) -> Bags {
    let Recipe { representation, .. } = recipe;
    let incoming = match representation.anchor {
        Some(_) => incoming(pages, links),
        None => Vec::new(),
    };
    let names = terms.names.len() as u32;
    let bags = (0..pages.len())
        .into_par_iter()
        .map(|at| {
            let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
            let mut add = |term: Option<u32>, times: f32| {
                if let Some(term) = term {
                    *counts.entry(term).or_default() += times;
                }
            };
            if representation.content {
                add_content(&pages[at], terms, recipe, &mut add);
            }
            if let Some(window) = representation.anchor {
                add_written(&pages[at].title_words, terms, recipe, 1.0, &mut add);
                for from in &incoming[at] {
                    let page = &pages[from.page as usize];
                    let link = &page.links[from.link as usize];
                    let window = AnchorWindow::new(page, link, window);
                    add_window(page, &window, terms, recipe, &mut add);
                }
            }
            if representation.link {
                for &page in links.graph().linking_to(at as u32) {
                    add(Some(names + page), 1.0);
                }
            }
            let mut counts: Vec<(u32, f32)> = counts.into_iter().collect();
            counts.sort_unstable_by_key(|entry| entry.0);
            counts
        })
        .collect();
    Bags::from_sorted(bags, names + pages.len() as u32)
}

/// Returns the links to each page that have windows, in the order of their source pages.
fn incoming(pages: &[EvaluatedPage], links: &SiteLinks) -> Vec<Vec<Incoming>> {
    let mut incoming = vec![Vec::new(); pages.len()];
    for (page, of) in (0..).zip(pages) {
        for (at, link) in (0..).zip(&of.links) {
            if link.in_listing {
                continue;
            }
            if let Some(to) = links.target(page, link.to) {
                incoming[to as usize].push(Incoming { page, link: at });
            }
        }
    }
    incoming
}

fn add_content(
    page: &EvaluatedPage,
    terms: &Terms,
    recipe: Recipe,
    add: &mut impl FnMut(Option<u32>, f32),
) {
    for &word in &page.words {
        add(terms.of_word(word), 1.0);
    }
    for &(_, word) in &page.compounds {
        add(terms.of_compound(word, recipe.identifiers), 1.0);
    }
    if recipe.titles > 0 {
        let times = f32::from(recipe.titles);
        add_written(&page.title_words, terms, recipe, times, add);
        add_written(&page.heading_words, terms, recipe, times, add);
    }
}

fn add_written(
    written: &Written,
    terms: &Terms,
    recipe: Recipe,
    times: f32,
    add: &mut impl FnMut(Option<u32>, f32),
) {
    for &word in &written.words {
        add(terms.of_word(word), times);
    }
    for &word in &written.compounds {
        add(terms.of_compound(word, recipe.identifiers), times);
    }
}

fn add_window(
    page: &EvaluatedPage,
    window: &AnchorWindow,
    terms: &Terms,
    recipe: Recipe,
    add: &mut impl FnMut(Option<u32>, f32),
) {
    let weight = |at: u32| match window.distance(at) {
        1.. if recipe.distance => 1.0 / libm::log2f(1.0 + window.distance(at) as f32),
        _ => 1.0,
    };
    for range in [window.header.clone(), window.around.clone()] {
        for at in range.clone() {
            add(terms.of_word(page.words[at as usize]), weight(at));
        }
        let first = page.compounds.partition_point(|&(at, _)| at < range.start);
        let within = page.compounds[first..].iter().take_while(|(at, _)| *at < range.end);
        for &(at, word) in within {
            add(terms.of_compound(word, recipe.identifiers), weight(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::lexicon::{Lexicon, SeenWords, combine};
    use crate::evaluate::pages::page::of_html;

    const PAGES: [(&str, &str); 4] = [
        ("/a", "<title>Rye</title><main><h1>Rye loaves</h1>HashMap pg_dump rye"),
        ("/b", "<main>Bake <a href=/a>sour bread</a> slowly. Twice <a href=/a>sour</a>"),
        (
            "/c",
            "<main>Far off <ul><li><a href=/a>listed</a><li><a href=/a>too</a><li><a href=/b>bread</a></ul> many words here <a href=/b>baking</a>",
        ),
        ("/d", "<main>Other matters"),
    ];

    fn pages() -> (Vec<EvaluatedPage>, Lexicon) {
        let mut seen = SeenWords::default();
        let mut pages: Vec<EvaluatedPage> =
            PAGES.iter().map(|(url, html)| of_html(url, html, &mut seen)).collect();
        let (lexicon, numbers) = combine(&[seen]);
        pages.iter_mut().for_each(|page| page.renumber(&numbers[0]));
        (pages, lexicon)
    }

    /// The terms of the first page with their frequencies, in alphabetical order.
    #[track_caller]
    fn check(setting: &str, expected: &str) {
        let (pages, lexicon) = pages();
        let setting: Setting = setting.parse().unwrap();
        let terms = Terms::new(&lexicon, setting.stemming);
        let links = SiteLinks::new(&pages);
        let bags = assemble(&pages, &links, &terms, Recipe::new(&setting));
        let name = |term: u32| match terms.names.get(term as usize) {
            Some(name) => name.to_string(),
            None => pages[term as usize - terms.names.len()].url.clone(),
        };
        let entries = bags.page(0).iter();
        let mut written: Vec<_> = entries
            .map(|&(term, tf)| format!("{} {}", name(term), (tf * 100.0).round() / 100.0))
            .collect();
        written.sort();
        assert_eq!(written.join(", "), expected);
    }

    #[test]
    fn content_contains_the_text_with_compounds() {
        check("identifiers=no", "dump 1, hashmap 1, loav 1, pg 1, rye 2");
        check("", "dump 1, hash 1, hashmap 1, loav 1, map 1, pg 1, rye 2");
        check(
            "identifiers=whole;stemming=none;titles=2",
            "dump 1, hash 1, hashmap 1, loaves 3, map 1, pg 1, pg_dump 1, rye 6",
        );
    }

    #[test]
    fn anchors_contain_the_title_and_the_text_around_links() {
        check("representation=anchor:0", "bread 1, rye 1, sour 2");
        check("representation=anchor:2", "bake 1, bread 1, rye 1, slowli 2, sour 2, twice 2");
        check(
            "representation=anchor:2;distance=log",
            "bake 1, bread 1, rye 1, slowli 1.63, sour 2, twice 1.63",
        );
    }

    #[test]
    fn combined_representations_contain_all_terms() {
        check("representation=link", "/b 1, /c 1");
        check("representation=anchor:0+link;titles=9", "/b 1, /c 1, bread 1, rye 1, sour 2");
        check(
            "representation=content+anchor:0;identifiers=no",
            "bread 1, dump 1, hashmap 1, loav 1, pg 1, rye 3, sour 2",
        );
    }
}
