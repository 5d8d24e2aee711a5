//! How often an answer links to the right section of its page.
//!
//! The client reads the page, asks the core for the passage that best matches the pasted text, and
//! links to the last heading with an id before the middle of the best stretch, and to the first
//! words of the passage. So does [`Linked::new`].
//!
//! The truth comes from [`Outline`]: the right section is that of the last heading with an id
//! before the passage, or none; if the passage has several sections, the one with most of its
//! letters. If the page has the passage several times, each time is right.

use std::fmt::{self, Write};
use std::path::Path;

use pagekin_core::Index;
use pagekin_core::excerpt::passage_of_page;
use pagekin_pages::site::html::read_html;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::passages::{Passage, Texts};
use pagekin_tests::measuring::queries::file_of;
use serde::Serialize;

use crate::outline::{Outline, letters_of};

/// The links of some passages, each to a page that contains it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    name: String,
    /// Number of passages on pages with sections, and of those of them that the outline contains
    /// without anything between their words.
    drawn: usize,
    found: usize,
    /// Number of those found whose section is named, in which the text fragment begins, and of
    /// which it marks something: it may begin with the sentence that the passage cuts.
    named: usize,
    begun: usize,
    marked: usize,
    /// Descriptions of links to a wrong section or text.
    missed: Vec<String>,
}

/// The parts of a link as in `Engine.excerpt` of `www/client/engine.js`.
#[derive(Debug)]
struct Linked {
    section: Option<String>,
    text_start: String,
    /// Number of letters and digits of the excerpt.
    length: usize,
}

impl Linked {
    fn new(index: &Index, text: &str, html: &[u8]) -> Option<Self> {
        let page = read_html(html).page;
        let passage = passage_of_page(index, text, "", &page.text, &page.other)?;
        let before = |at| page.sections.iter().take_while(move |section| section.at <= at).last();
        let section = passage.at.and_then(before).map(|section| section.id.clone());
        let length = letters_of(&passage.pieces.concat()).len();
        Some(Self { section, text_start: passage.text_start, length })
    }
}

impl Sections {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds the link for `text`, pasted from `passage` of the page with this URL.
    fn add(
        &mut self,
        index: &Index,
        (site, url): (&Path, &str),
        passage: &str,
        text: &str,
    ) -> Result<(), Failure> {
        let html = std::fs::read(file_of(site, url)?)?;
        let outline = Outline::new(&String::from_utf8_lossy(&html));
        if !outline.has_sections() {
            return Ok(());
        }
        self.drawn += 1;
        let places = outline.places(passage);
        if places.is_empty() {
            return Ok(());
        }
        self.found += 1;
        let linked = Linked::new(index, text, &html);
        let right: Vec<&[String]> = places.iter().map(|place| outline.ids_at(place)).collect();
        let is_named = linked.as_ref().is_some_and(|linked| match &linked.section {
            Some(id) => right.iter().any(|ids| ids.contains(id)),
            None => right.iter().any(|ids| ids.is_empty()),
        });
        // A browser marks the first place with the words of the fragment.
        let fragment = linked.as_ref().and_then(|linked| {
            let start = outline.letters.find(&letters_of(&linked.text_start))?;
            Some((start, start + linked.length))
        });
        let is_begun =
            fragment.is_some_and(|(at, _)| places.iter().any(|place| place.contains(&at)));
        let is_marked = fragment.is_some_and(|(start, end)| {
            places.iter().any(|place| start < place.end && place.start < end)
        });
        self.named += usize::from(is_named);
        self.begun += usize::from(is_begun);
        self.marked += usize::from(is_marked);
        if !is_named || !is_marked {
            self.missed.push(format!("{url}: {text:?}\n  - right: {right:?}\n  - {linked:?}"));
        }
        Ok(())
    }
}

/// Adds the links for passages, whole and after `change`.
pub(crate) fn add_all(
    [whole, changed]: &mut [Sections; 2],
    index: &Index,
    (site, texts): (&Path, &Texts),
    passages: &[Passage],
    mut change: impl FnMut(&str) -> String,
) -> Result<(), Failure> {
    for Passage { text, holders } in passages {
        let page = (site, &*texts.pages[holders[0]].url);
        whole.add(index, page, text, text)?;
        changed.add(index, page, text, &change(text))?;
    }
    Ok(())
}

/// Writes a table and, with `misses`, the links to a wrong section or text.
pub(crate) fn rows(out: &mut String, all: &[Sections], misses: bool) -> fmt::Result {
    if all.iter().all(|sections| sections.found == 0) {
        return Ok(());
    }
    writeln!(
        out,
        "| link to a section | | right section | text begins in the passage | or marks some of it |"
    )?;
    writeln!(out, "| --- |{}", " ---: |".repeat(4))?;
    for Sections { name, drawn, found, named, begun, marked, .. } in all {
        let share = |of: usize| of as f64 / (*found).max(1) as f64;
        let (named, begun, marked) = (share(*named), share(*begun), share(*marked));
        writeln!(out, "| {name} | {found} of {drawn} | {named:.2} | {begun:.2} | {marked:.2} |")?;
    }
    writeln!(out)?;
    for missed in all.iter().flat_map(|sections| &sections.missed).filter(|_| misses) {
        writeln!(out, "- {missed}")?;
    }
    Ok(())
}
