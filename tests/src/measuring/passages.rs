//! Passages of pages as a visitor would paste them, and the pages that contain them.
//!
//! A passage consists of consecutive words of a page with the text between them; its white space is
//! single spaces. A page contains it if the words of the page include its words consecutively.
//! Passages on more than [`MAX_HOLDERS`] pages are rejected: the site repeats them, and no page is
//! the right answer.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use pagekin_core::hash::SplitMix64;
use pagekin_core::terms::{for_each_word, word_places};
use pagekin_index::LocalIndex;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Failure;
use super::pages::Pages;

/// Number of words by which pages are searched: the first ones of a passage, which has no fewer.
const START: usize = 8;
/// Maximum number of pages that contain a passage.
pub const MAX_HOLDERS: usize = 3;
/// Maximum number of draws of a position in a page until it cuts no word.
const TRIES: u32 = 20;
/// Percentage of a passage that is removed from it.
const REMOVED_PERCENT: usize = 40;

/// Lengths of passages in the benchmarks, in words, and the seed of the first length.
pub const LENGTHS: [RangeInclusive<usize>; 5] = [8..=15, 16..=30, 31..=60, 61..=120, 200..=200];
#[expect(missing_docs)]
pub const SEED: u64 = 1;

/// A page from which passages are drawn.
#[derive(Debug)]
pub struct PageText {
    /// The URL.
    pub url: String,
    /// The language that the page declares.
    pub lang: String,
    /// The main text.
    pub text: String,
}

/// A passage of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct Passage {
    /// The text, as a visitor would paste it.
    pub text: String,
    /// The pages that contain it, by their index in the collection, ascending.
    pub holders: Vec<usize>,
}

/// Pages with their words.
#[derive(Debug)]
pub struct Texts {
    /// The pages.
    pub pages: Vec<PageText>,
    /// The words of each page in order, as numbers that are equal for equal words.
    words: Vec<Vec<u32>>,
}

/// The origin of a passage.
struct Cut {
    page: usize,
    words: Range<usize>,
    text: String,
}

impl Texts {
    /// Collects the words of these pages.
    #[must_use]
    pub fn new(pages: Vec<PageText>) -> Self {
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut words_of = |page: &PageText| {
            let mut words = Vec::new();
            for_each_word(&page.text, |word| {
                let next = numbers.len() as u32;
                words.push(numbers.get(word).copied().unwrap_or_else(|| {
                    numbers.insert(word.to_owned(), next);
                    next
                }));
            });
            words
        };
        let words = pages.iter().map(&mut words_of).collect();
        Self { pages, words }
    }

    /// Reads all pages of an index, sorted by URL, so that passages do not depend on the order of
    /// the index.
    ///
    /// # Errors
    ///
    /// Returns an error if the index or a page cannot be read.
    pub fn from_index(pages: &Pages, folder: &Path) -> Result<Self, Failure> {
        let mut urls: Vec<String> =
            LocalIndex::open(folder)?.records()?.into_iter().map(|record| record.url).collect();
        urls.sort_unstable();
        let read = |url: String| {
            let (text, lang) = pages.text(&url).map_err(|error| format!("{url}: {error}"))?;
            Ok::<_, String>(PageText { url, lang, text })
        };
        Ok(Self::new(urls.into_par_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Draws up to `count` passages with this number of words (at least 8), each of another page.
    /// `seed` determines the pages and positions.
    #[must_use]
    pub fn draw(&self, count: usize, words: &RangeInclusive<usize>, seed: u64) -> Vec<Passage> {
        assert!(*words.start() >= START, "passages are found by their first {START} words");
        let mut random = SplitMix64::new(seed);
        let mut order: Vec<usize> = (0..self.pages.len()).collect();
        random.shuffle(&mut order);
        let mut cuts = order.iter().filter_map(|&page| self.cut(page, words, &mut random));
        let mut passages = Vec::new();
        while passages.len() < count {
            // Draw more than are missing: usually a single search of all pages then suffices.
            let some: Vec<Cut> = cuts.by_ref().take(2 * (count - passages.len()) + 32).collect();
            if some.is_empty() {
                break;
            }
            let holders = self.holders(&some);
            let drawn = some.into_iter().zip(holders);
            passages.extend(
                drawn
                    .filter(|(_, holders)| holders.len() <= MAX_HOLDERS)
                    .map(|(cut, holders)| Passage { text: cut.text, holders }),
            );
        }
        passages.truncate(count);
        passages
    }

    /// Cuts a passage with this number of words at a random position; `None` if the page has fewer.
    fn cut(
        &self,
        page: usize,
        words: &RangeInclusive<usize>,
        random: &mut SplitMix64,
    ) -> Option<Cut> {
        let all = self.words[page].len();
        let most = all.min(*words.end());
        let spare = most.checked_sub(*words.start())?;
        let text = &self.pages[page].text;
        let places = word_places(text);
        (0..TRIES).find_map(|_| {
            let length = words.start() + random.below(spare as u32 + 1) as usize;
            let start = random.below((all - length + 1) as u32) as usize;
            let words = start..start + length;
            let place = places[start].start..places[words.end - 1].end;
            let cuts_a_word =
                text[..place.start].ends_with(in_word) || text[place.end..].starts_with(in_word);
            let spaced = || text[place].split_whitespace().collect::<Vec<_>>().join(" ");
            (!cuts_a_word).then(|| Cut { page, words, text: spaced() })
        })
    }

    /// Returns the pages that contain each passage.
    fn holders(&self, cuts: &[Cut]) -> Vec<Vec<usize>> {
        let words_of = |cut: &Cut| &self.words[cut.page][cut.words.clone()];
        let mut by_start: FxHashMap<&[u32], Vec<usize>> = FxHashMap::default();
        for (number, cut) in cuts.iter().enumerate() {
            by_start.entry(&words_of(cut)[..START]).or_default().push(number);
        }
        let held: Vec<BTreeSet<usize>> = self
            .words
            .par_iter()
            .map(|words| {
                let starts = words.windows(START).enumerate();
                let possible = starts.filter_map(|(at, start)| Some((at, by_start.get(start)?)));
                let each = possible.flat_map(|(at, cuts)| cuts.iter().map(move |&cut| (at, cut)));
                each.filter(|&(at, cut)| words[at..].starts_with(words_of(&cuts[cut])))
                    .map(|(_, cut)| cut)
                    .collect()
            })
            .collect();
        let mut holders = vec![Vec::new(); cuts.len()];
        for (page, held) in held.iter().enumerate() {
            for &cut in held {
                holders[cut].push(page);
            }
        }
        holders
    }
}

/// Whether words and identifiers contain this character. Visitors do not cut there.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Removes a random 40% of the words, and keeps the others in order.
#[must_use]
pub fn thinned(text: &str, random: &mut SplitMix64) -> String {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    random.shuffle(&mut order);
    let removed = (parts.len() * REMOVED_PERCENT + 50) / 100;
    let kept: BTreeSet<usize> = order.into_iter().skip(removed).collect();
    kept.into_iter().map(|at| parts[at]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::word;

    const LENGTH: RangeInclusive<usize> = 8..=15;

    /// Returns pages with words of their own, `holders` of which also contain `shared`.
    fn texts(pages: u64, holders: u64, shared: &str) -> Texts {
        let page = |at: u64| {
            let own: Vec<String> = (0..8).map(|n| word(1_000 + at * 8 + n)).collect();
            let (before, after) = own.split_at(4);
            let shared = if at < holders { shared } else { "" };
            let text = format!("{} {shared}\n {}", before.join(", "), after.join(" "));
            PageText { url: format!("/{at}"), lang: "en".to_owned(), text }
        };
        Texts::new((0..pages).map(page).collect())
    }

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn a_passage_is_on_the_pages_with_its_words_in_a_row() {
        let shared = "Red foxes (vulpes) JUMP over one lazy dog; pg_dump does not.";
        let texts = texts(9, 2, shared);
        // The only passage of 8 words on a page of 8 words is the whole page; the shared ones are
        // on two pages.
        let planted = Cut { page: 0, words: 5..14, text: String::new() };
        assert_eq!(texts.holders(&[planted]), [[0, 1]]);
        let passages = texts.draw(9, &LENGTH, 1);
        assert_eq!(passages.len(), 9);
        for passage in passages {
            let wanted = words(&passage.text);
            assert!(LENGTH.contains(&wanted.len()), "{}", passage.text);
            let has =
                |page: &PageText| words(&page.text).windows(wanted.len()).any(|w| w == wanted);
            let holders: Vec<usize> = (0..9).filter(|&page| has(&texts.pages[page])).collect();
            assert_eq!(passage.holders, holders, "{}", passage.text);
            assert!(!passage.text.contains('\n'));
        }
    }

    #[test]
    fn no_word_is_cut() {
        let texts = texts(1, 1, "red foxes pg_dump, brown dogs 2nd_place or hens");
        let drawn: Vec<Passage> = (0..200).flat_map(|seed| texts.draw(1, &LENGTH, seed)).collect();
        assert!(drawn.iter().any(|passage| passage.text.starts_with("pg_dump")));
        assert!(drawn.iter().any(|passage| passage.text.ends_with("pg_dump")));
        for Passage { text, .. } in drawn {
            assert!(!["dump", "nd", "place"].iter().any(|part| text.starts_with(part)), "{text}");
            assert!(!text.ends_with("pg") && !text.ends_with("nd"), "{text}");
        }
    }

    #[test]
    fn pages_with_only_the_beginning_of_a_passage_do_not_contain_it() {
        let begun: Vec<String> = (0..8).map(word).collect();
        let page = |at: usize, rest: &str| PageText {
            url: format!("/{at}"),
            lang: String::new(),
            text: format!("{} {rest}", begun.join(" ")),
        };
        let pages = [page(0, "red fox"), page(1, "red hen"), page(2, ""), page(3, "red fox ran")];
        let texts = Texts::new(pages.into());
        let cut = Cut { page: 0, words: 0..10, text: String::new() };
        assert_eq!(texts.holders(&[cut]), [[0, 3]]);
    }

    #[test]
    fn passages_on_too_many_pages_are_rejected() {
        let shared: Vec<String> = (0..40).map(word).collect();
        let shared = shared.join(" ");
        let on_pages = |holders: u64| {
            let texts = texts(6, holders, &shared);
            (0..20).flat_map(|seed| texts.draw(6, &LENGTH, seed)).collect::<Vec<_>>()
        };
        let most = on_pages(MAX_HOLDERS as u64);
        assert!(most.iter().any(|passage| passage.holders == [0, 1, 2]));
        let inside = |passage: &Passage| shared.contains(&passage.text);
        assert!(!on_pages(MAX_HOLDERS as u64 + 1).iter().any(inside));
    }

    #[test]
    fn passages_are_drawn_by_seed_from_long_enough_pages() {
        let texts = texts(30, 0, "");
        assert_eq!(texts.draw(10, &LENGTH, 3), texts.draw(10, &LENGTH, 3));
        assert_ne!(texts.draw(10, &LENGTH, 3), texts.draw(10, &LENGTH, 4));
        assert!(texts.draw(10, &(9..=15), 3).is_empty());
        let mut holders: Vec<_> =
            texts.draw(40, &LENGTH, 3).into_iter().flat_map(|passage| passage.holders).collect();
        holders.sort_unstable();
        assert_eq!(holders, (0..30).collect::<Vec<_>>(), "each page once");
    }

    #[test]
    fn removal_keeps_the_order() {
        let text = "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10";
        let parts: Vec<&str> = text.split(' ').collect();
        let mut seen = BTreeSet::new();
        for seed in 0..20 {
            let thin = thinned(text, &mut SplitMix64::new(seed));
            let mut rest = parts.iter();
            assert_eq!(thin.split(' ').count(), 6);
            assert!(thin.split(' ').all(|part| rest.any(|other| *other == part)), "{thin}");
            seen.insert(thin);
        }
        assert!(seen.len() > 10);
    }
}
