//! What a crawl of any size says of its URLs, made up: the fragments of links, for the benchmark of
//! the paper's table.
//!
//! A crawl of `n` URLs has `5 n` links: of each URL one, so that every URL has a bag, and `4 n`
//! whose targets are drawn by a power law, the URL of rank `r` with probability `r^-0.9`, in the
//! order in which they are drawn. So in-links are as on the web, where the number of URLs with `d`
//! of them falls as about `d^-2.1` (Broder et al., *Graph structure in the web*, 2000): at 20
//! million URLs the first has over a million, and half have one or two.
//!
//! A fragment is what is left of an anchor and its window of 8 words before and after, once stop
//! words are gone: 10 to 14 words. *Planted*: of each 100 URLs 40 are in groups of 2 to 20, small
//! ones many. A group has 14 words; what is said of a member takes each of them with the member's
//! faithfulness, drawn evenly from 0.5 to 1, and fills up with words of the page that links. A URL
//! alone has 6 words of its own that every link repeats. All other words are drawn by the law of
//! Zipf and Mandelbrot, as in [`collection`](crate::collection), and so are those of groups and
//! URLs, but for the commonest 300.
//!
//! Each fragment is a function of the seed and its number. Nothing is kept, and any thread makes
//! any.

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

/// Links for each URL.
const LINKS: u64 = 5;
const RANK_EXPONENT: f64 = 0.9;
/// URLs for which groups are shared out, and those of them that are in some.
const LOT: u64 = 100;
const GROUPED: u64 = 40;
const GROUP_SIZES: Range<f64> = 2.0..21.0;
const GROUP_WORDS: u64 = 14;
const OWN_WORDS: u64 = 6;
const FAITHFULNESS: Range<f64> = 0.5..1.0;
/// No word of a group or a URL is as common as these.
const COMMON: u64 = 300;
/// Fragments that are made at once.
const BATCH: u64 = 1 << 18;
/// The number of ranks whose words are known by their names.
const NAMED: u64 = 200_000;

/// A crawl that is made up.
#[derive(Clone)]
pub struct AnchorCrawl {
    urls: u64,
    seed: u64,
    /// The terms of the first ranks.
    named: Vec<TermId>,
}

/// What a stream of random numbers is for.
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
    /// A crawl of `urls` URLs, at most 2^32.
    #[must_use]
    pub fn new(urls: u64, seed: u64) -> Self {
        Self { urls, seed, named: (1..=NAMED).map(|rank| word_id(&word(rank))).collect() }
    }

    /// The number of fragments.
    #[must_use]
    pub fn fragments(&self) -> u64 {
        LINKS * self.urls
    }

    /// What one link says.
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

    /// The same as text.
    #[must_use]
    pub fn text(&self, number: u64) -> String {
        self.ranks(number).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// The links of a page: so that no URL links to itself, those of which the first leads to the
    /// next one.
    #[must_use]
    pub fn links(&self, url: u64) -> Range<u64> {
        let next = (url + 1) % self.urls;
        LINKS * next..LINKS * (next + 1)
    }

    /// The ranks of the words of a link.
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

    /// The classes that a classifier finds, as CSV with the columns `url` and `class`: each group
    /// and each URL alone is of one of `classes`, and the part `wrong` of the URLs are put into
    /// any.
    ///
    /// # Errors
    ///
    /// If `out` does not take it.
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

    /// The URL that a link leads to, by its number.
    #[must_use]
    pub fn target(&self, number: u64) -> u64 {
        if number.is_multiple_of(LINKS) {
            return number / LINKS;
        }
        let mut random = self.random(Purpose::Link, number);
        let most = self.urls as f64 + 1.0;
        let rank = power_law(unit(&mut random), 1.0, most, RANK_EXPONENT) as u64;
        // Popular URLs lie anywhere. A factor that has no divisor in common with any number below
        // 2^32.
        ((u128::from(rank) * 0xffff_ffff_ffff_ffc5) % u128::from(self.urls)) as u64
    }

    /// The first URL of the group that a URL is in.
    fn group(&self, url: u64) -> Option<u64> {
        let (lot, place) = (url / LOT * LOT, url % LOT);
        if place >= GROUPED {
            return None;
        }
        let mut random = self.random(Purpose::Lot, lot);
        let mut first = 0;
        loop {
            let size = power_law(unit(&mut random), GROUP_SIZES.start, GROUP_SIZES.end, 1.5) as u64;
            // One URL alone is no group.
            let end = if first + size + 1 >= GROUPED { GROUPED } else { first + size };
            if place < end {
                return Some(lot + first);
            }
            first = end;
        }
    }

    /// A URL.
    #[must_use]
    pub fn url(&self, url: u64) -> String {
        let host = self.random(Purpose::Host, url).below((self.urls / 20 + 1) as u32);
        format!("https://{}.example/{}/{url}", word(u64::from(host) + 1), word(url % 977 + 1))
    }

    /// The terms of words, each with how often it is there.
    fn terms(&self, ranks: Vec<u64>) -> Vec<(TermId, u32)> {
        let term = |rank: u64| {
            // What a rare word is called is not known, nor that it has the hash of a word.
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

    /// Makes some fragments and gives them to `take`, batch by batch, in parallel within a batch.
    ///
    /// # Errors
    ///
    /// What `take` returns, at once.
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

/// The rank of a word that says what something is about.
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
    fn every_url_is_linked_to_and_some_are_popular() {
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
    fn what_is_said_of_a_group_is_alike() {
        let crawl = AnchorCrawl::new(1_000, 2);
        let said = |url: u64| -> BTreeSet<TermId> {
            crawl.fragment(url * LINKS).terms.into_iter().map(|(term, _)| term).collect()
        };
        let (mut similar, mut others) = (Vec::new(), Vec::new());
        for url in 0..999 {
            let shared = said(url).intersection(&said(url + 1)).count();
            let group = crawl.group(url);
            let of_group = group.is_some() && group == crawl.group(url + 1);
            if of_group { &mut similar } else { &mut others }.push(shared);
        }
        let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        assert!(similar.len() > 200 && mean(&similar) > 5.0, "{}", mean(&similar));
        assert!(mean(&others) < 1.0, "{}", mean(&others));
        assert_eq!(crawl.fragment(77), crawl.fragment(77));
    }
}
