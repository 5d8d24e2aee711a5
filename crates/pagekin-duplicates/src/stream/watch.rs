//! The pages of a stream, with their addresses, into what each repeats.
//!
//! # Rules
//!
//! 1. Of several versions of an earlier URL that a page is like, the one that it is most like now
//!    is told; so there is one line for each earlier URL.
//! 2. Of more than [`MAX_REPORTED`] such URLs the most alike are told.
//! 3. That a page is like an earlier version of itself is told only if asked for. Earlier versions
//!    stay: another page may have copied one of them.

use std::collections::VecDeque;

use serde::Serialize;

use crate::stream::clock::TooLate;
use crate::stream::rule::Rule;
use crate::stream::streaming::{Match, Streaming};
use crate::stream::vector::Vector;

/// The most earlier URLs that are told for a page.
pub const MAX_REPORTED: usize = 100;

/// A page that repeats an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeat<'a> {
    /// The page that came.
    pub url: &'a str,
    /// The page that came earlier.
    pub earlier: &'a str,
    /// Their cosine.
    pub similarity: f64,
    /// The same, decayed by the time between them.
    pub decayed: f64,
    /// The seconds between them; below 0 if the page that came later is of an earlier time.
    pub seconds: f64,
}

/// The pages of the last horizon.
#[derive(Debug)]
pub struct Watch {
    streaming: Streaming,
    /// Of the pages from the first that is known on.
    urls: VecDeque<Box<str>>,
    first: u64,
    url_bytes: u64,
    matches: Vec<Match>,
    /// Pages of which not all was told, though all that was looked at was compared.
    untold: u64,
}

impl Watch {
    /// Before the first page.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            streaming: Streaming::new(rule),
            urls: VecDeque::new(),
            first: 0,
            url_bytes: 0,
            matches: Vec::new(),
            untold: 0,
        }
    }

    /// Takes a page, and tells what it repeats: the most alike first.
    ///
    /// # Errors
    ///
    /// If it comes too late: then it is not taken.
    pub fn push<'a>(
        &'a mut self,
        url: &'a str,
        page: &Vector,
        time: i64,
    ) -> Result<Vec<Repeat<'a>>, TooLate> {
        self.matches.clear();
        let cut = self.streaming.work().cut;
        self.streaming.push(page, time, &mut self.matches)?;
        let is_cut = self.streaming.work().cut > cut;
        let newest = self.remember(url);
        let urls = &self.urls;
        let url_of = |page: u64| &*urls[(page - self.first) as usize];
        self.matches.retain(|found| url_of(found.page) != url_of(newest));
        // Of one URL the most alike, of equals the latest; of all the most alike, then the
        // earliest.
        self.matches.sort_by(|a, b| {
            let of_url = url_of(a.page).cmp(url_of(b.page));
            of_url.then(b.decayed.total_cmp(&a.decayed)).then(b.page.cmp(&a.page))
        });
        self.matches.dedup_by(|a, b| url_of(a.page) == url_of(b.page));
        self.matches.sort_by(|a, b| b.decayed.total_cmp(&a.decayed).then(a.page.cmp(&b.page)));
        self.untold += u64::from(!is_cut && self.matches.len() > MAX_REPORTED);
        self.matches.truncate(MAX_REPORTED);
        let repeat = |found: &Match| Repeat {
            url,
            earlier: url_of(found.page),
            similarity: found.cosine,
            decayed: found.decayed,
            seconds: (time - found.time) as f64 / 1_000.0,
        };
        Ok(self.matches.iter().map(repeat).collect())
    }

    /// Takes a page without asking what it repeats.
    ///
    /// # Errors
    ///
    /// If it comes too late: then it is not taken.
    pub fn take(&mut self, url: &str, page: &Vector, time: i64) -> Result<(), TooLate> {
        self.streaming.take(page, time)?;
        self.remember(url);
        Ok(())
    }

    /// Lets go of all pages, and of what time it is. Answers how many.
    pub fn begin_anew(&mut self) -> u64 {
        let gone = self.pages() - self.first();
        self.streaming.begin_anew();
        self.forget();
        gone
    }

    /// The pages that may be like more earlier ones than were told: see [`MAX_REPORTED`], and
    /// [`Work::cut`](crate::stream::Work::cut).
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.untold + self.streaming.work().cut
    }

    /// No page comes any more that is before this: see [`Streaming::earliest`].
    #[must_use]
    pub fn earliest(&self) -> i64 {
        self.streaming.earliest()
    }

    /// Lets go of the oldest pages as long as more than so many bytes are taken. Answers how many,
    /// and the time of the latest of them.
    pub fn bound(&mut self, bytes: u64) -> Option<(u64, i64)> {
        let mut gone: Option<(u64, i64)> = None;
        while self.bytes() > bytes
            && let Some((pages, newest)) = self.streaming.let_go()
        {
            gone = Some((gone.map_or(0, |gone| gone.0) + pages, newest));
            self.forget();
        }
        gone
    }

    /// The number of the first page that is still known: that of the pages that came before it.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.streaming.first()
    }

    /// The number of the first of the pages that will be let go with the latest one.
    #[must_use]
    pub fn first_of_span(&self) -> u64 {
        self.streaming.first_of_span()
    }

    /// The pages that came.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.first + self.urls.len() as u64
    }

    /// About the bytes that are taken.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.streaming.bytes() + self.url_bytes
    }

    /// Remembers the address of the latest page, and answers its number.
    fn remember(&mut self, url: &str) -> u64 {
        self.urls.push_back(url.into());
        self.url_bytes += bytes_of(url);
        self.forget();
        self.pages() - 1
    }

    fn forget(&mut self) {
        while self.first < self.streaming.first()
            && let Some(url) = self.urls.pop_front()
        {
            self.url_bytes -= bytes_of(&url);
            self.first += 1;
        }
    }
}

fn bytes_of(url: &str) -> u64 {
    (url.len() + size_of::<Box<str>>() + 16) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(terms: &[u32]) -> Vector {
        Vector::from_counts(&terms.iter().map(|&term| (term, 1)).collect::<Vec<_>>())
    }

    fn told(watch: &mut Watch, url: &str, terms: &[u32], time: i64) -> Vec<(String, f64)> {
        let repeats = watch.push(url, &page(terms), time).unwrap();
        repeats.iter().map(|repeat| (repeat.earlier.to_owned(), repeat.seconds)).collect()
    }

    #[test]
    fn an_earlier_url_is_told_once_and_the_own_not_at_all() {
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 5_000).unwrap());
        let mut told = |url: &str, terms: &[u32], time| told(&mut watch, url, terms, time);
        assert_eq!(told("a", &[1, 2, 3, 4], 0), []);
        assert_eq!(told("a", &[1, 2, 3, 5], 1_000), []);
        assert_eq!(told("a", &[1, 2, 3, 4], 2_000), []);
        assert_eq!(told("b", &[1, 2, 3, 5], 3_000), [("a".to_owned(), 2.0)]);
        let both = [("a".to_owned(), -1.0), ("b".to_owned(), -2.0)];
        assert_eq!(told("c", &[1, 2, 3, 4], 1_000), both);
    }

    #[test]
    fn memory_is_bounded_by_letting_go_of_the_oldest() {
        let mut watch = Watch::new(Rule::new(1 << 40, 0.5, 0).unwrap());
        let mut gone = 0;
        for n in 0..10_000u32 {
            watch
                .push(&format!("https://x.org/{n}"), &page(&[n, n + 10_000]), i64::from(n))
                .unwrap();
            if let Some((pages, newest)) = watch.bound(1_500_000) {
                gone += pages;
                assert_eq!((gone, newest), (watch.first(), watch.first() as i64 - 1));
            }
            assert!(watch.bytes() <= 1_500_000 || watch.first_of_span() == watch.first());
        }
        assert!(gone > 0 && watch.pages() == 10_000);
        assert_eq!(told(&mut watch, "y", &[9_999, 19_999], 10_000).len(), 1);
        assert_eq!(told(&mut watch, "y", &[0, 10_000], 10_000).len(), 0);
    }

    #[test]
    fn pages_are_counted_of_which_not_all_is_told() {
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 0).unwrap());
        let mut cut_after = |n: u32, url: &dyn Fn(u32) -> String| {
            for at in 0..n {
                let told = watch.push(&url(at), &page(&[1, 2, 3]), 0).unwrap().len();
                assert!(told <= MAX_REPORTED);
            }
            watch.cut()
        };
        // So many earlier URLs are told of each.
        assert_eq!(cut_after(101, &|at| at.to_string()), 0);
        assert_eq!(cut_after(1, &|_| "x".to_owned()), 1);
        // From a thousand pages on it is not all looked at, which counts once.
        assert_eq!(cut_after(908, &|at| format!("y{at}")), 909);
        // Earlier versions of few URLs are all told.
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 0).unwrap());
        for at in 0..300 {
            watch.push(&(at % 90).to_string(), &page(&[1, 2, 3]), 0).unwrap();
        }
        assert_eq!((watch.cut(), watch.pages(), watch.first()), (0, 300, 0));
        assert_eq!((watch.begin_anew(), watch.pages(), watch.first()), (300, 300, 300));
    }
}
