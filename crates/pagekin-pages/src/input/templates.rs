//! Canonical URLs that a template assigns to dissimilar pages.
//!
//! A template that names the start page as canonical, instead of each page itself, would fold a
//! whole site into one page. So the pages of a batch that name the same other URL are compared with
//! the page of that URL, or, if it is not in the batch, with the first of them. If most are
//! dissimilar, the URL comes from a template, and these and all later pages that name it remain
//! separate pages. Copies that name their original are similar to each other, so they are still
//! folded.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::input::page::CrawlPage;
use crate::input::summary::InputSummary;
use crate::site::template_canonicals::{MAX_COMPARED, MIN_NAMING, most_differ, runs};

/// Maximum number of canonical URLs remembered across batches.
const MAX_KNOWN: usize = 1 << 16;

/// The canonical URLs of templates found so far.
#[derive(Debug, Default)]
pub struct Templates {
    known: FxHashSet<String>,
}

impl Templates {
    /// Removes the canonical URLs of templates from the pages of a batch, and counts these pages.
    pub fn remove<'a>(
        &mut self,
        pages: impl Iterator<Item = &'a mut CrawlPage>,
        summary: &mut InputSummary,
    ) {
        let mut pages: Vec<_> = pages.collect();
        let found = self.find(&pages);
        if self.known.len() < MAX_KNOWN {
            self.known.extend(found.iter().cloned());
        }
        for page in &mut pages {
            let is_template =
                |canonical: &String| self.known.contains(canonical) || found.contains(canonical);
            if page.canonical.as_ref().is_some_and(is_template) {
                page.canonical = None;
                summary.template_canonicals.get_or_insert_default().add(|| page.url.clone());
            }
        }
    }

    /// Returns the canonical URLs in a batch that come from a template.
    fn find(&self, pages: &[&mut CrawlPage]) -> FxHashSet<String> {
        let mut naming: BTreeMap<&str, Vec<&CrawlPage>> = BTreeMap::new();
        for page in pages {
            let canonical = page.canonical.as_deref();
            if let Some(url) = canonical.filter(|&url| !self.known.contains(url)) {
                naming.entry(url).or_default().push(page);
            }
        }
        naming.retain(|_, naming| naming.len() >= MIN_NAMING);
        let mut found = FxHashSet::default();
        for (url, naming) in naming {
            let own = pages.iter().find(|page| page.url == url && page.canonical.is_none());
            let named = runs(&own.map_or(naming[0], |page| page).text);
            let others = &naming[usize::from(own.is_none())..];
            let others = &others[..others.len().min(MAX_COMPARED)];
            if most_differ(others.iter().map(|page| runs(&page.text)), &named) {
                found.insert(url.to_owned());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(from: u32) -> String {
        (from..from + 30).map(|word| format!("word{word} ")).collect()
    }

    fn page(url: &str, canonical: Option<&str>, from: u32) -> CrawlPage {
        let canonical = canonical.map(str::to_owned);
        CrawlPage { url: url.to_owned(), canonical, text: text(from), ..CrawlPage::default() }
    }

    /// Returns how many pages of a batch remain separate, after the pages of earlier batches.
    fn kept(templates: &mut Templates, mut pages: Vec<CrawlPage>) -> usize {
        let mut summary = InputSummary::default();
        templates.remove(pages.iter_mut(), &mut summary);
        let kept = pages.iter().filter(|page| page.canonical.is_none()).count();
        let counted = summary.template_canonicals.map_or(0, |removed| removed.count);
        assert!(kept as u64 >= counted);
        kept
    }

    #[test]
    fn pages_that_name_a_dissimilar_page_are_kept() {
        let naming =
            |step: u32| (1..5).map(move |at| page(&format!("u{at}"), Some("home"), step * at));
        let home = || page("home", None, 0);
        let batch = |step| naming(step).chain([home()]).collect();
        assert_eq!(kept(&mut Templates::default(), batch(100)), 5);
        // Sessions and print versions contain the same text.
        assert_eq!(kept(&mut Templates::default(), batch(1)), 1);
        assert_eq!(kept(&mut Templates::default(), naming(100).take(2).collect()), 0);
    }

    #[test]
    fn a_target_that_is_not_in_the_batch_is_not_needed() {
        let naming =
            |step: u32| (1..5).map(move |at| page(&format!("u{at}"), Some("home"), step * at));
        let mut templates = Templates::default();
        assert_eq!(kept(&mut templates, naming(1).collect()), 0);
        assert_eq!(kept(&mut templates, naming(100).collect()), 4);
        // The URL is remembered for later batches.
        assert_eq!(kept(&mut templates, vec![page("v", Some("home"), 900)]), 1);
    }
}
