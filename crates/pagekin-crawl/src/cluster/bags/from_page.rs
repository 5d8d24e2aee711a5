//! Splits a page of a crawl into fragments: the text that it contributes to its own URL and to the
//! URLs it links to.
//!
//! # Rules
//!
//! 1. A page contributes its title and, if content counts, its text to its own URL.
//! 2. If anchors count, it contributes the words of a link and the words around it to the URL that
//!    it links to (Haveliwala, Gionis and Indyk 2000, section 2.2). URLs that were never crawled
//!    therefore have bags too.
//! 3. If a page names a canonical URL, its own fragments go to that URL.
//! 4. A page that redirects contributes its title to the target of the redirect, and nothing to its
//!    own URL.
//! 5. If several pages have the same URL, only the last capture contributes to it. Such pages take
//!    precedence over pages that only name the URL as canonical.
//! 6. A page with `noindex` contributes nothing to its own URL, but its links count.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pagekin_core::hash;
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::CrawlPage;
use pagekin_pages::site::term_counts::{Counter, counted_words, most_frequent_words};
use pagekin_pages::site::word_ids::word_id;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::fragments::Fragment;
use crate::folder::format::BagSource;

/// The texts of a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermText {
    /// The stem. If several stems share the id, the alphabetically first.
    pub stem: Box<str>,
    /// The most frequent word with this stem.
    pub word: Box<str>,
}

/// Texts and counts collected from all pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// Texts of terms. Some may be missing.
    pub terms: FxHashMap<TermId, TermText>,
    /// Numbers of pages per language, most pages first, without pages that redirect.
    pub languages: Vec<(String, u32)>,
}

/// Counts the words of pages on all threads of a pool.
pub struct PageFragments<'a> {
    source: BagSource,
    default_language: Language,
    /// State per thread.
    threads: Vec<Mutex<OnThread<'a>>>,
}

struct OnThread<'a> {
    counter: Counter<'a>,
    /// Number of pages per language.
    languages: BTreeMap<Language, u32>,
}

impl<'a> PageFragments<'a> {
    /// Creates a counter. `stop` contains the stop lists of all languages. `default_language` is
    /// the language of pages that name none.
    pub fn new(source: BagSource, default_language: Language, stop: &'a StopLists) -> Self {
        let thread = |_| {
            Mutex::new(OnThread {
                counter: Counter::with_ids(stop, word_id),
                languages: BTreeMap::new(),
            })
        };
        let threads = (0..rayon::current_num_threads().max(1)).map(thread).collect();
        Self { source, default_language, threads }
    }

    /// Returns the fragments of some pages, in their order.
    pub fn of(&self, pages: &[CrawlPage]) -> Vec<Fragment> {
        let of_page = |page| {
            let thread = rayon::current_thread_index().unwrap_or(0) % self.threads.len();
            let mut thread = self.threads[thread].lock().unwrap_or_else(PoisonError::into_inner);
            self.of_page(page, &mut thread)
        };
        pages.par_iter().flat_map_iter(of_page).collect()
    }

    fn of_page(&self, page: &CrawlPage, thread: &mut OnThread<'_>) -> Vec<Fragment> {
        let OnThread { counter, languages } = thread;
        let language =
            Language::from_tag(&page.lang).unwrap_or_else(|| self.default_language.clone());
        if let Some(target) = &page.redirect_to {
            let terms = counter.count(&language, &page.title);
            return vec![Fragment { url: target.clone(), terms, ..Fragment::default() }];
        }
        let mut fragments = Vec::new();
        *languages.entry(language.clone()).or_default() += 1;
        if !page.noindex {
            let mut words = page.title.clone();
            if self.source.takes_content() {
                words.push('\n');
                words.push_str(&page.text);
            }
            fragments.push(Fragment {
                url: page.canonical.clone().unwrap_or_else(|| page.url.clone()),
                title: Some(page.title.clone()),
                language: Some(language.code().to_owned()),
                terms: counter.count(&language, &words),
                print: if self.source.takes_content() { print_of(&words) } else { 0 },
                capture: Some((page.canonical.is_none(), page.captured.clone())),
            });
        }
        if self.source.takes_anchors() {
            fragments.extend(page.links.iter().map(|link| Fragment {
                url: link.target.clone(),
                terms: counter.count(&language, &link.window),
                ..Fragment::default()
            }));
        }
        fragments
    }

    /// Returns the texts and languages collected so far.
    pub(crate) fn learned(self) -> Learned {
        let mut stems: FxHashMap<TermId, Box<str>> = FxHashMap::default();
        let mut pages: BTreeMap<Language, u32> = BTreeMap::new();
        let mut counters = Vec::with_capacity(self.threads.len());
        for thread in self.threads {
            let OnThread { mut counter, languages } =
                thread.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (language, of_thread) in languages {
                *pages.entry(language).or_default() += of_thread;
            }
            for (term, (stem, _)) in std::mem::take(&mut counter.stems) {
                let first = stems.entry(term).or_insert_with(|| stem.clone());
                if stem < *first {
                    *first = stem;
                }
            }
            counters.push(counter);
        }
        let mut languages: Vec<_> = pages
            .into_iter()
            .map(|(language, pages)| (language.code().to_owned(), pages))
            .collect();
        languages.sort_by_key(|&(_, pages)| Reverse(pages));
        let words = most_frequent_words(counted_words(counters)).into_iter();
        let terms = words.filter_map(|(term, (word, _))| {
            let stem = stems.remove(&term)?;
            Some((term, TermText { stem, word }))
        });
        Learned { terms: terms.collect(), languages }
    }
}

/// Sets the capture time of pages without one, in the order of reading, so that the last page of a
/// URL counts. `read` is the number of pages read before.
pub fn in_order(pages: &mut [CrawlPage], read: &mut u64) {
    for page in pages {
        *read += 1;
        if page.captured.is_empty() {
            // Sorts before all dates.
            page.captured = format!("{read:016}");
        }
    }
}

/// Returns a hash of all words of a text in order, including those that are not terms: numbers,
/// words of one letter, stop words. 0 if the text has no words.
pub(crate) fn print_of(text: &str) -> u64 {
    let mut words = String::with_capacity(text.len());
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        if word.is_ascii() {
            let start = words.len();
            words.push_str(word);
            words[start..].make_ascii_lowercase();
        } else {
            words.extend(word.chars().flat_map(char::to_lowercase));
        }
        words.push(' ');
    }
    if words.is_empty() { 0 } else { hash::of_bytes(words.as_bytes()).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::CrawlLink;

    fn page() -> CrawlPage {
        CrawlPage {
            url: "https://a.example/".into(),
            title: "Rye bread".into(),
            lang: "en".into(),
            text: "Rye needs sourdough".into(),
            links: vec![CrawlLink {
                target: "https://b.example/".into(),
                window: "wheat bread by its baker".into(),
            }],
            ..CrawlPage::default()
        }
    }

    /// A URL, its title if the fragment has one, and its words.
    type FragmentInWords = (String, Option<String>, Vec<(String, u32)>);

    /// Returns the fragments of a page in words.
    fn fragments_in_words(source: BagSource, page: CrawlPage) -> Vec<FragmentInWords> {
        let mut stop = StopLists::new();
        stop.insert(Language::english(), ["by", "its"]);
        let maker = PageFragments::new(source, Language::english(), &stop);
        let fragments = maker.of(&[page]);
        let words = maker.learned().terms;
        let named = |fragment: Fragment| {
            let mut terms: Vec<_> = fragment
                .terms
                .iter()
                .map(|(term, tf)| (words[term].word.to_string(), *tf))
                .collect();
            terms.sort();
            (fragment.url, fragment.title, terms)
        };
        fragments.into_iter().map(named).collect()
    }

    fn words(text: &str) -> Vec<(String, u32)> {
        let mut all: Vec<(String, u32)> = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            match all.iter_mut().find(|(other, _)| other == word) {
                Some((_, tf)) => *tf += 1,
                None => all.push((word.to_owned(), 1)),
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_page_contributes_to_itself_and_to_link_targets() {
        let (own, linked) = ("https://a.example/", "https://b.example/");
        let title = Some("Rye bread".to_owned());
        let link = (linked.to_owned(), None, words("wheat bread baker"));
        assert_eq!(
            fragments_in_words(BagSource::Anchor, page()),
            [(own.to_owned(), title.clone(), words("rye bread")), link.clone()]
        );
        let content = (own.to_owned(), title, words("rye bread rye needs sourdough"));
        assert_eq!(fragments_in_words(BagSource::Content, page()), std::slice::from_ref(&content));
        assert_eq!(fragments_in_words(BagSource::Both, page()), [content, link]);
    }

    #[test]
    fn canonical_urls_redirects_and_noindex_have_their_rules() {
        let target = || Some("https://c.example/".to_owned());
        let canonical =
            fragments_in_words(BagSource::Anchor, CrawlPage { canonical: target(), ..page() });
        assert_eq!((canonical[0].0.as_str(), canonical.len()), ("https://c.example/", 2));
        let redirect =
            fragments_in_words(BagSource::Both, CrawlPage { redirect_to: target(), ..page() });
        assert_eq!(redirect, [("https://c.example/".to_owned(), None, words("rye bread"))]);
        let unseen = fragments_in_words(BagSource::Both, CrawlPage { noindex: true, ..page() });
        assert_eq!((unseen[0].0.as_str(), unseen.len()), ("https://b.example/", 1));
    }

    #[test]
    fn prints_depend_on_numbers_and_letters_but_not_on_spaces_or_case() {
        let same = ["Size S, 12 €", "size  s 12", "SIZE-S: (12)"].map(print_of);
        assert!(same.iter().all(|&print| print == same[0] && print > 0));
        let others = ["Size M, 12 €", "Size S, 13 €", "S size 12", "size s1 2", ""].map(print_of);
        assert!(others.iter().all(|&print| print != same[0]));
        assert_eq!(others[4], 0);
    }

    #[test]
    fn a_term_is_shown_by_its_most_frequent_word() {
        let stop = StopLists::new();
        let fragments = PageFragments::new(BagSource::Content, Language::english(), &stop);
        let text = "baking bakes baked baking baked";
        fragments.of(&[CrawlPage { text: text.into(), ..CrawlPage::default() }]);
        let learned = fragments.learned();
        let baked = TermText { stem: "bake".into(), word: "baked".into() };
        assert_eq!(learned.terms[&word_id("bake")], baked);
    }

    #[test]
    fn languages_are_counted_without_redirects() {
        let stop = StopLists::new();
        let fragments = PageFragments::new(BagSource::Anchor, Language::english(), &stop);
        let of = |lang: &str| CrawlPage { lang: lang.into(), ..page() };
        let redirect = CrawlPage { redirect_to: Some("https://c.example/".into()), ..of("fr") };
        let unseen = CrawlPage { noindex: true, ..of("de") };
        fragments.of(&[of("de-AT"), of(""), unseen, redirect]);
        assert_eq!(fragments.learned().languages, [("de".to_owned(), 2), ("en".to_owned(), 1)]);
    }
}
