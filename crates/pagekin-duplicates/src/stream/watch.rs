//! Finds the earlier pages that each page of a stream repeats, by URL.
//!
//! # Rules
//!
//! 1. Each earlier URL is reported once. If the page is similar to several versions of it, the most
//!    similar version counts.
//! 2. At most [`MAX_REPORTED`] such URLs are reported, most similar first.
//! 3. A page that is similar to an earlier version of itself is reported only with `same_url`.
//!    Earlier versions are kept in any case: another page may have copied one of them.

use std::collections::VecDeque;

use serde::Serialize;

use crate::stream::clock::TooLate;
use crate::stream::rule::Rule;
use crate::stream::streaming::{Match, Streaming};
use crate::stream::vector::Vector;

/// Maximum number of earlier URLs reported for a page.
pub const MAX_REPORTED: usize = 100;

/// A page that repeats an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeat<'a> {
    /// URL of the page.
    pub url: &'a str,
    /// URL of the earlier page.
    pub earlier: &'a str,
    /// The cosine of the two pages.
    pub similarity: f64,
    /// The cosine, decayed by the time between the pages.
    pub decayed: f64,
    /// The time between the pages in seconds; negative if this page has an earlier time.
    pub seconds: f64,
}

/// The pages of the last horizon.
#[derive(Debug)]
pub struct Watch {
    streaming: Streaming,
    /// The URLs of the stored pages, starting with page number `first`.
    urls: VecDeque<Box<str>>,
    first: u64,
    url_bytes: u64,
    matches: Vec<Match>,
    /// The number of pages whose matches were all compared, but not all reported.
    unreported: u64,
}

impl Watch {
    /// Creates a watch without pages. With `same_url`, earlier versions of a page itself are
    /// reported too.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            streaming: Streaming::new(rule),
            urls: VecDeque::new(),
            first: 0,
            url_bytes: 0,
            matches: Vec::new(),
            unreported: 0,
        }
    }

    /// Adds a page, and returns the earlier pages that it repeats, most similar first.
    ///
    /// # Errors
    ///
    /// Returns [`TooLate`] if the page arrives too late. It is not added then.
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
        // Keep the most similar page of each URL, the latest of equals. Sort the rest by
        // similarity, then the earliest first.
        self.matches.sort_by(|a, b| {
            let of_url = url_of(a.page).cmp(url_of(b.page));
            of_url.then(b.decayed.total_cmp(&a.decayed)).then(b.page.cmp(&a.page))
        });
        self.matches.dedup_by(|a, b| url_of(a.page) == url_of(b.page));
        self.matches.sort_by(|a, b| b.decayed.total_cmp(&a.decayed).then(a.page.cmp(&b.page)));
        self.unreported += u64::from(!is_cut && self.matches.len() > MAX_REPORTED);
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

    /// Adds a page without searching for earlier ones.
    ///
    /// # Errors
    ///
    /// Returns [`TooLate`] if the page arrives too late. It is not added then.
    pub fn take(&mut self, url: &str, page: &Vector, time: i64) -> Result<(), TooLate> {
        self.streaming.take(page, time)?;
        self.remember(url);
        Ok(())
    }

    /// Removes all pages, and resets the clock. Returns the number of removed pages.
    pub fn reset(&mut self) -> u64 {
        let gone = self.pages() - self.first();
        self.streaming.reset();
        self.forget();
        gone
    }

    /// Returns the number of pages that may repeat more earlier ones than reported: see
    /// [`MAX_REPORTED`] and [`Work::cut`](crate::stream::Work::cut).
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.unreported + self.streaming.work().cut
    }

    /// Returns the earliest time that a page may have now: see [`Streaming::earliest`].
    #[must_use]
    pub fn earliest(&self) -> i64 {
        self.streaming.earliest()
    }

    /// Removes the oldest pages while more than `bytes` bytes are in use. Returns the number of
    /// removed pages, and the time of the latest of them.
    pub fn bound(&mut self, bytes: u64) -> Option<(u64, i64)> {
        let mut gone: Option<(u64, i64)> = None;
        while self.bytes() > bytes
            && let Some((pages, newest)) = self.streaming.removed()
        {
            gone = Some((gone.map_or(0, |gone| gone.0) + pages, newest));
            self.forget();
        }
        gone
    }

    /// Returns the number of the first stored page. Pages are numbered in order of arrival, from 0.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.streaming.first()
    }

    /// Returns the number of the first page that will be removed together with the latest one.
    #[must_use]
    pub fn first_of_span(&self) -> u64 {
        self.streaming.first_of_span()
    }

    /// Returns the number of pages that have arrived.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.first + self.urls.len() as u64
    }

    /// Returns the approximate number of bytes in use.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.streaming.bytes() + self.url_bytes
    }

    /// Stores the URL of the latest page, and returns the number of the page.
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

    fn reported(watch: &mut Watch, url: &str, terms: &[u32], time: i64) -> Vec<(String, f64)> {
        let repeats = watch.push(url, &page(terms), time).unwrap();
        repeats.iter().map(|repeat| (repeat.earlier.to_owned(), repeat.seconds)).collect()
    }

    #[test]
    fn an_earlier_url_is_reported_once_and_the_own_url_never() {
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 5_000).unwrap());
        let mut reported = |url: &str, terms: &[u32], time| reported(&mut watch, url, terms, time);
        assert_eq!(reported("a", &[1, 2, 3, 4], 0), []);
        assert_eq!(reported("a", &[1, 2, 3, 5], 1_000), []);
        assert_eq!(reported("a", &[1, 2, 3, 4], 2_000), []);
        assert_eq!(reported("b", &[1, 2, 3, 5], 3_000), [("a".to_owned(), 2.0)]);
        let both = [("a".to_owned(), -1.0), ("b".to_owned(), -2.0)];
        assert_eq!(reported("c", &[1, 2, 3, 4], 1_000), both);
    }

    #[test]
    fn memory_is_bounded_by_removing_the_oldest_pages() {
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
        assert_eq!(reported(&mut watch, "y", &[9_999, 19_999], 10_000).len(), 1);
        assert_eq!(reported(&mut watch, "y", &[0, 10_000], 10_000).len(), 0);
    }

    #[test]
    fn pages_with_unreported_matches_are_counted() {
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 0).unwrap());
        let mut cut_after = |n: u32, url: &dyn Fn(u32) -> String| {
            for at in 0..n {
                let reported = watch.push(&url(at), &page(&[1, 2, 3]), 0).unwrap().len();
                assert!(reported <= MAX_REPORTED);
            }
            watch.cut()
        };
        // Each page reports up to the maximum number of earlier URLs.
        assert_eq!(cut_after(101, &|at| at.to_string()), 0);
        assert_eq!(cut_after(1, &|_| "x".to_owned()), 1);
        // Above a thousand pages, not all are compared, which counts once.
        assert_eq!(cut_after(908, &|at| format!("y{at}")), 909);
        // All earlier versions of a few URLs are reported.
        let mut watch = Watch::new(Rule::new(1_000_000, 0.5, 0).unwrap());
        for at in 0..300 {
            watch.push(&(at % 90).to_string(), &page(&[1, 2, 3]), 0).unwrap();
        }
        assert_eq!((watch.cut(), watch.pages(), watch.first()), (0, 300, 0));
        assert_eq!((watch.reset(), watch.pages(), watch.first()), (300, 300, 300));
    }
}
