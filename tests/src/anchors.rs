//! Generated crawls of any size, for the benchmark of the paper's table: the anchor texts of links
//! to URLs.
//!
//! A crawl of `n` URLs has `5 n` links. One link leads to each URL, so that every URL has a bag.
//! The targets of the other `4 n` are drawn by a power law, the URL of rank `r` with probability
//! proportional to `r^-0.9`, in the order in which they are drawn. In-links are thus distributed as
//! on the web, where the number of URLs with `d` of them falls as about `d^-2.1` (Broder et al.,
//! *Graph structure in the web*, 2000): at 20 million URLs the first has over a million, and half
//! have one or two.
//!
//! A fragment is an anchor with its window of 8 words before and after, without stop words: 10 to
//! 14 words. *Planted* groups: 40 of each 100 URLs are in groups of 2 to 20, most of them small. A
//! group has 14 words. A fragment about a member contains each of them with the member's
//! faithfulness, drawn uniformly from 0.5 to 1, and is filled up with words of the linking page. A
//! single URL has 6 words of its own that every link repeats. All other words are drawn by the law
//! of Zipf and Mandelbrot, as in [`collection`](crate::collection). So are those of groups and
//! URLs, except for the 300 most common words.
//!
//! Each fragment is a function of the seed and its number. Nothing is stored, and any thread can
//! generate any fragment.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use pagekin_core::hash::{self, SplitMix64};
use pagekin_core::vocabulary::TermId;
use pagekin_crawl::cluster::{
    CrawlError, Fragment, FragmentSource, Learned, SourceStep, SourceSummary, Take, TermText,
};
use pagekin_pages::InputSummary;
use pagekin_pages::site::word_ids::word_id;
use rayon::prelude::*;

use crate::collection::{background, power_law, unit, word};

/// Links per URL.
const LINKS: u64 = 5;
const RANK_EXPONENT: f64 = 0.9;
/// Number of URLs per lot, and number of those that are in groups.
const LOT: u64 = 100;
const GROUPED: u64 = 40;
const GROUP_SIZES: Range<f64> = 2.0..21.0;
const GROUP_WORDS: u64 = 14;
const OWN_WORDS: u64 = 6;
const FAITHFULNESS: Range<f64> = 0.5..1.0;
/// Number of the most common words, which groups and URLs do not use.
const COMMON: u64 = 300;
/// Number of fragments that are generated at a time.
const BATCH: u64 = 1 << 18;
/// Number of ranks whose words are precomputed.
const NAMED: u64 = 200_000;

/// A generated crawl.
#[derive(Clone)]
pub struct AnchorCrawl {
    urls: u64,
    seed: u64,
    /// The terms of the first ranks.
    named: Vec<TermId>,
}

/// The purpose of a stream of random numbers.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Link,
    Lot,
    Group,
    Own,
    Faithfulness,
    Fragment,
    Host,
    Class,
}

impl AnchorCrawl {
    /// Returns a crawl of `urls` URLs, at most 2^32.
    #[must_use]
    pub fn new(urls: u64, seed: u64) -> Self {
        Self { urls, seed, named: (1..=NAMED).map(|rank| word_id(&word(rank))).collect() }
    }

    /// Returns the number of fragments.
    #[must_use]
    pub fn fragments(&self) -> u64 {
        LINKS * self.urls
    }

    /// Returns the text of one link.
    #[must_use]
    pub fn fragment(&self, number: u64) -> Fragment {
        let url = self.url(self.target(number));
        Fragment {
            url,
            title: None,
            language: None,
            terms: self.terms(self.ranks(number)),
            print: 0,
            capture: None,
        }
    }

    /// Returns the fragment as text.
    #[must_use]
    pub fn text(&self, number: u64) -> String {
        self.ranks(number).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Returns the links of a page. They start with a link to the next page, so that no URL links
    /// to itself.
    #[must_use]
    pub fn links(&self, url: u64) -> Range<u64> {
        let next = (url + 1) % self.urls;
        LINKS * next..LINKS * (next + 1)
    }

    /// Returns the ranks of the words of a link.
    fn ranks(&self, number: u64) -> Vec<u64> {
        let url = self.target(number);
        let mut random = self.random(Purpose::Fragment, number);
        let mut ranks = Vec::with_capacity(GROUP_WORDS as usize);
        let fill = match self.group(url) {
            Some(group) => {
                let faithfulness = &mut self.random(Purpose::Faithfulness, url);
                let part = FAITHFULNESS.start
                    + (FAITHFULNESS.end - FAITHFULNESS.start) * unit(faithfulness);
                let mut of_group = self.random(Purpose::Group, group);
                for _ in 0..GROUP_WORDS {
                    let rank = characteristic(&mut of_group);
                    if unit(&mut random) < part {
                        ranks.push(rank);
                    }
                }
                GROUP_WORDS - ranks.len() as u64
            }
            None => {
                let mut own = self.random(Purpose::Own, url);
                ranks.extend((0..OWN_WORDS).map(|_| characteristic(&mut own)));
                4 + u64::from(random.below(5))
            }
        };
        ranks.extend((0..fill).map(|_| background(&mut random)));
        ranks
    }

    /// Writes the classes that a classifier would find, as CSV with the columns `url` and `class`.
    /// Each group and each single URL is in one of `classes`, and a share `wrong` of the URLs is in
    /// a random class.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` cannot be written.
    pub fn write_classes(
        &self,
        classes: u32,
        wrong: f64,
        out: &mut impl io::Write,
    ) -> io::Result<()> {
        writeln!(out, "url,class")?;
        for url in 0..self.urls {
            let mut of_thing = self.random(Purpose::Class, self.group(url).unwrap_or(url));
            let of_thing = of_thing.below(classes);
            let mut of_url = self.random(Purpose::Class, !url);
            let class = if unit(&mut of_url) < wrong { of_url.below(classes) } else { of_thing };
            writeln!(out, "{},{class}", self.url(url))?;
        }
        Ok(())
    }

    /// Returns the number of the URL that a link leads to.
    #[must_use]
    pub fn target(&self, number: u64) -> u64 {
        if number.is_multiple_of(LINKS) {
            return number / LINKS;
        }
        let mut random = self.random(Purpose::Link, number);
        let max = self.urls as f64 + 1.0;
        let rank = power_law(unit(&mut random), 1.0, max, RANK_EXPONENT) as u64;
        // Spreads popular URLs. The factor has no common divisor with any number below 2^32.
        ((u128::from(rank) * 0xffff_ffff_ffff_ffc5) % u128::from(self.urls)) as u64
    }

    /// Returns the first URL of the group that contains a URL.
    fn group(&self, url: u64) -> Option<u64> {
        let (lot, place) = (url / LOT * LOT, url % LOT);
        if place >= GROUPED {
            return None;
        }
        let mut random = self.random(Purpose::Lot, lot);
        let mut first = 0;
        loop {
            let size = power_law(unit(&mut random), GROUP_SIZES.start, GROUP_SIZES.end, 1.5) as u64;
            // A single URL is not a group.
            let end = if first + size + 1 >= GROUPED { GROUPED } else { first + size };
            if place < end {
                return Some(lot + first);
            }
            first = end;
        }
    }

    /// Returns a URL.
    #[must_use]
    pub fn url(&self, url: u64) -> String {
        let host = self.random(Purpose::Host, url).below((self.urls / 20 + 1) as u32);
        format!("https://{}.example/{}/{url}", word(u64::from(host) + 1), word(url % 977 + 1))
    }

    /// Returns the terms of words with their counts.
    fn terms(&self, ranks: Vec<u64>) -> Vec<(TermId, u32)> {
        let term = |rank: u64| {
            // A rare word needs no name, and its term need not be the hash of a word.
            let named = self.named.get(rank as usize - 1).copied();
            named.unwrap_or_else(|| (hash::mix(rank) >> 32) as TermId)
        };
        let mut terms: Vec<_> = ranks.into_iter().map(|rank| (term(rank), 1)).collect();
        terms.sort_unstable();
        terms.dedup_by(|other, kept| {
            let same = other.0 == kept.0;
            kept.1 += u32::from(same);
            same
        });
        terms
    }

    fn random(&self, purpose: Purpose, of: u64) -> SplitMix64 {
        let stream = hash::mix(self.seed ^ hash::mix(purpose as u64 + 1));
        SplitMix64::new(stream ^ hash::mix(of.wrapping_add(1)))
    }

    /// Generates fragments and passes them to `take`, batch by batch, in parallel within a batch.
    ///
    /// # Errors
    ///
    /// Returns the first error of `take`, immediately.
    pub fn make<E>(
        &self,
        fragments: Range<u64>,
        mut take: impl FnMut(Vec<Fragment>) -> Result<(), E>,
    ) -> Result<(), E> {
        for first in fragments.clone().step_by(BATCH as usize) {
            let batch = first..fragments.end.min(first + BATCH);
            take(batch.into_par_iter().map(|number| self.fragment(number)).collect())?;
        }
        Ok(())
    }
}

impl FragmentSource for AnchorCrawl {
    fn identity(&self) -> Result<Option<String>, CrawlError> {
        Ok(Some(format!("{} made up with seed {}", self.urls, self.seed)))
    }

    fn paths(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn read(&self, take: &mut Take<'_>) -> Result<SourceSummary, CrawlError> {
        let (all, mut made) = (self.fragments(), 0);
        self.make(0..all, |fragments| {
            made += fragments.len() as u64;
            let behind = Some(made as f64 / all as f64);
            let pages = fragments.len() as u64;
            take(SourceStep { pages, behind, ..SourceStep::default() }, fragments)
        })?;
        let inputs = InputSummary { links: self.fragments(), ..InputSummary::default() };
        let text = |(rank, &term)| {
            let word: Box<str> = word(rank).into();
            (term, TermText { stem: word.clone(), word })
        };
        let terms = (1..).zip(&self.named).map(text).collect();
        let learned = Learned { terms, languages: vec![("en".to_owned(), 1)] };
        Ok(SourceSummary { inputs, learned })
    }
}

/// Draws the rank of a word that is characteristic of a subject.
fn characteristic(random: &mut SplitMix64) -> u64 {
    loop {
        let rank = background(random);
        if rank > COMMON {
            return rank;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_url_has_a_link_and_some_are_popular() {
        let crawl = AnchorCrawl::new(2_000, 1);
        let mut linked: BTreeMap<u64, u32> = BTreeMap::new();
        for number in 0..crawl.fragments() {
            *linked.entry(crawl.target(number)).or_default() += 1;
        }
        assert!(linked.keys().copied().eq(0..2_000));
        let once = linked.values().filter(|&&links| links <= 2).count();
        assert!((500..1_500).contains(&once), "{once}");
        assert!(linked.values().max() > Some(&200), "{:?}", linked.values().max());
        let urls: BTreeSet<String> = (0..2_000).map(|url| crawl.url(url)).collect();
        assert_eq!(urls.len(), 2_000);
    }

    #[test]
    fn fragments_about_a_group_are_similar() {
        let crawl = AnchorCrawl::new(1_000, 2);
        let terms_of = |url: u64| -> BTreeSet<TermId> {
            crawl.fragment(url * LINKS).terms.into_iter().map(|(term, _)| term).collect()
        };
        let (mut in_group, mut others) = (Vec::new(), Vec::new());
        for url in 0..999 {
            let shared = terms_of(url).intersection(&terms_of(url + 1)).count();
            let group = crawl.group(url);
            let of_group = group.is_some() && group == crawl.group(url + 1);
            if of_group { &mut in_group } else { &mut others }.push(shared);
        }
        let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        assert!(in_group.len() > 200 && mean(&in_group) > 5.0, "{}", mean(&in_group));
        assert!(mean(&others) < 1.0, "{}", mean(&others));
        assert_eq!(crawl.fragment(77), crawl.fragment(77));
    }
}
