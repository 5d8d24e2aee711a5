//! Ranks the URLs of a crawl by its links.

use std::cmp::Reverse;

use pagekin_pages::site::normal_url;
use pagekin_pages::{Observer, OptionError, pool};
use rayon::prelude::*;

use crate::rank::error::RankError;
use crate::rank::folder::LinkFolder;
use crate::rank::iterate::{self, Convergence, Ranks, Walk};
use crate::rank::reset::Reset;

/// Options of ranking.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankOptions {
    /// Probability `d` that visitors restart instead of following a link, above 0 and below 1.
    pub reset_probability: f64,
    /// Where visitors restart.
    pub reset: Reset,
    /// Base of reset URLs that are relative, such as `/docs/`.
    pub base_url: String,
    /// The most iterations there may be, at least 1.
    pub max_iterations: u32,
    /// Number of threads, at least 1; by default one per processor.
    pub threads: Option<usize>,
}

impl Default for RankOptions {
    fn default() -> Self {
        let Walk { reset_probability, max_iterations, .. } = Walk::PAPER;
        Self {
            reset_probability,
            reset: Reset::Everywhere,
            base_url: normal_url::LOCALHOST.to_owned(),
            max_iterations,
            threads: None,
        }
    }
}

impl RankOptions {
    /// Returns these options after `change`:
    /// `RankOptions::default().with(|options| options.own = true)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn check(&self) -> Result<(), RankError> {
        let refuse =
            |option, expected, found: String| Err(OptionError { option, expected, found }.into());
        if !(self.reset_probability > 0.0 && self.reset_probability < 1.0) {
            let found = self.reset_probability.to_string();
            return refuse("the reset probability", "a number above 0 and below 1", found);
        }
        if self.max_iterations == 0 {
            return refuse("the number of iterations", "at least 1", "0".to_owned());
        }
        Ok(())
    }
}

/// The ranks of all URLs of a graph.
#[derive(Debug, Clone)]
pub struct Ranking {
    ranks: Ranks,
    urls: u64,
}

/// A URL with its rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedUrl {
    /// The URL in its normal form.
    pub url: String,
    /// Title of a page that was read, possibly empty; `None` if the URL was only linked to.
    pub title: Option<String>,
    /// PageRank. The ranks of all URLs add up to 1.
    pub rank: f64,
    /// Number of ranked URLs that link to this one.
    pub in_links: u32,
    /// Number of ranked URLs that this one links to.
    pub out_links: u32,
}

/// Ranks the URLs of a graph.
///
/// # Example
///
/// ```
/// use pagekin_crawl::cluster::{InputLinks, LinkOptions};
/// use pagekin_crawl::rank::{RankOptions, rank};
/// use pagekin_pages::Silent;
/// use pagekin_pages::input::Input;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = tempfile::tempdir()?;
/// let inputs = [Input::Path("../../tests/site".into())];
/// let mut read = InputLinks::read(&inputs, &LinkOptions::beside(place.path()), &Silent)?;
/// let ranking = rank(&mut read.links, &RankOptions::default(), &Silent)?;
/// assert!(ranking.convergence().reached);
/// let best = ranking.first(1, &read.links)?;
/// assert!(best[0].rank > 1.0 / ranking.urls() as f64);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If an option or a reset value is out of range, or the links cannot be read.
pub fn rank(
    links: &mut LinkFolder,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Ranking, RankError> {
    options.check()?;
    pool::in_pool(options.threads, || {
        let urls = links.counts().urls;
        if urls == 0 {
            return Err(RankError::NoUrls);
        }
        let reset = options.reset.values(&options.base_url, links)?;
        let walk = Walk {
            reset_probability: options.reset_probability,
            reset: reset.as_deref(),
            max_iterations: options.max_iterations,
            ..Walk::PAPER
        };
        let damaged = links.damaged();
        let ranks = iterate::iterate(&mut links.in_links, &walk, observer).map_err(damaged)?;
        Ok(Ranking { ranks, urls })
    })
}

/// Memory per URL that is looked up at a time: the URL, its title and its index.
const LOOKED_UP: u64 = 400;

impl Ranking {
    /// Returns the outcome of the iterations.
    #[must_use]
    pub fn convergence(&self) -> Convergence {
        self.ranks.convergence
    }

    /// Returns the number of ranked URLs.
    #[must_use]
    pub fn urls(&self) -> u64 {
        self.urls
    }

    /// Returns the rank of each URL by its number in the graph, including those that are not
    /// ranked.
    #[must_use]
    pub fn ranks(&self) -> &[f64] {
        &self.ranks.ranks
    }

    /// Returns the `max` URLs with the highest ranks, highest first.
    ///
    /// # Errors
    ///
    /// If the URLs cannot be read.
    pub fn first(&self, max: usize, links: &LinkFolder) -> Result<Vec<RankedUrl>, RankError> {
        let mut all = Vec::new();
        self.each(max, links, u64::MAX, |url| {
            all.push(url);
            Ok::<(), RankError>(())
        })?;
        Ok(all)
    }

    /// Passes the `max` URLs with the highest ranks to `each`, highest first, in the order of the
    /// graph for equal ranks. Looks up as many at a time as `memory` bytes allow.
    ///
    /// # Errors
    ///
    /// If the URLs cannot be read, or the first error of `each`.
    pub fn each<E: From<RankError>>(
        &self,
        max: usize,
        links: &LinkFolder,
        memory: u64,
        mut each: impl FnMut(RankedUrl) -> Result<(), E>,
    ) -> Result<(), E> {
        let Ranks { ranks, in_degrees, out_degrees, .. } = &self.ranks;
        let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
        // Ranks are not negative, so they sort like their bits.
        let place = |node: &u32| (Reverse(ranks[*node as usize].to_bits()), *node);
        if max < order.len() {
            order.select_nth_unstable_by_key(max, place);
            order.truncate(max);
        }
        order.par_sort_unstable_by_key(place);
        let at_once = usize::try_from(memory / LOOKED_UP).unwrap_or(usize::MAX).max(1);
        for part in order.chunks(at_once) {
            let mut wanted: Vec<(u32, u32)> = part.iter().copied().zip(0..).collect();
            wanted.sort_unstable();
            let mut found: Vec<Option<RankedUrl>> = vec![None; part.len()];
            let mut wanted = wanted.into_iter().peekable();
            for (number, url) in (0..).zip(links.urls()?) {
                let url = url?;
                if let Some((node, at)) = wanted.next_if(|&(node, _)| node == number) {
                    let node = node as usize;
                    found[at as usize] = Some(RankedUrl {
                        url: url.url,
                        title: url.title,
                        rank: ranks[node],
                        in_links: in_degrees[node],
                        out_links: out_degrees[node],
                    });
                }
                if wanted.peek().is_none() {
                    break;
                }
            }
            found.into_iter().flatten().try_for_each(&mut each)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::folder::checksums::seal;
    use crate::rank::assemble::tests::{folder_of, page};
    use pagekin_pages::Silent;
    use std::fs;

    pub(crate) fn ranked(links: &mut LinkFolder, reset: Reset) -> Result<Ranking, RankError> {
        let options = RankOptions::default().with(|options| {
            options.reset = reset;
            options.base_url = "https://x.org/".to_owned();
        });
        rank(links, &options, &Silent)
    }

    #[test]
    fn urls_are_in_the_order_of_their_ranks_for_any_memory() {
        // A chain: all earlier pages link to each page.
        let url = |n: usize| format!("https://x.org/{n}");
        let pages: Vec<_> = (0..20)
            .map(|n| {
                let later: Vec<String> = (n + 1..21).map(url).collect();
                page(&url(n), &later.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        let folder = folder_of(&pages, 1 << 20);
        let mut links = LinkFolder::open(folder.path()).unwrap();
        let ranking = ranked(&mut links, Reset::Everywhere).unwrap();
        let all = ranking.first(usize::MAX, &links).unwrap();
        let expected: Vec<String> = (0..21).rev().map(url).collect();
        assert_eq!(all.iter().map(|url| url.url.clone()).collect::<Vec<_>>(), expected);
        assert_eq!((all[0].in_links, all[0].out_links, &all[0].title), (20, 0, &None));
        assert_eq!(all[1].title.as_deref(), Some("Title of https://x.org/19"));
        assert!((all.iter().map(|url| url.rank).sum::<f64>() - 1.0).abs() < 1e-12);
        for (max, memory) in [(21, 1), (7, 3 * LOOKED_UP), (0, 1), (100, 8 * LOOKED_UP)] {
            let mut found = Vec::new();
            let each = |url| {
                found.push(url);
                Ok::<(), RankError>(())
            };
            ranking.each(max, &links, memory, each).unwrap();
            assert_eq!(found, all[..max.min(21)]);
        }
    }

    #[test]
    fn missing_or_damaged_files_are_reported() {
        let folder = folder_of(&[page("https://x.org/", &["https://x.org/1"])], 1 << 20);
        let refused_with = |expected: &str| {
            let open = LinkFolder::open(folder.path());
            let done = open.and_then(|mut links| {
                let ranking = ranked(&mut links, Reset::Everywhere)?;
                ranking.first(2, &links)
            });
            let error = done.unwrap_err().to_string();
            assert!(error.contains(expected), "expected {expected:?}, found {error:?}");
        };
        for (name, expected) in [
            ("links.json", "with --links"),
            ("links.urls", "Cluster the crawl again with --links"),
            ("links", "Cluster the crawl again with --links"),
        ] {
            let path = folder.path().join(name);
            let sound = fs::read(&path).unwrap();
            for end in 0..sound.len() {
                // A missing line end in the description is harmless.
                if name != "links.json" || end + 2 < sound.len() {
                    fs::write(&path, &sound[..end]).unwrap();
                    refused_with(expected);
                }
            }
            fs::remove_file(&path).unwrap();
            refused_with(expected);
            fs::write(&path, &sound).unwrap();
        }
        fs::write(
            folder.path().join("links.json"),
            "{\"version\":9,\"urls\":2,\"read\":1,\"links\":1}",
        )
        .unwrap();
        refused_with("found version 9");
        fs::remove_file(folder.path().join("links.json")).unwrap();
        refused_with("again with --links");
    }

    #[test]
    fn every_changed_bit_in_a_folder_with_checksums_is_detected() {
        let folder = folder_of(&[page("https://x.org/", &["https://x.org/1"])], 1 << 20);
        seal(folder.path()).unwrap();
        let answers = || {
            let mut links = LinkFolder::open(folder.path())?;
            links.urls()?.collect::<Result<Vec<_>, _>>()?;
            ranked(&mut links, Reset::Everywhere)?.first(2, &links)
        };
        let sound = answers().unwrap();
        for name in crate::rank::folder::NAMES {
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            for bit in 0..8 * bytes.len() {
                let mut other = bytes.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, other).unwrap();
                assert!(answers().is_err(), "bit {bit} of {name}");
            }
            fs::write(&path, bytes).unwrap();
        }
        assert_eq!(answers().unwrap(), sound);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let folder = folder_of(&[page("https://x.org/", &["https://x.org/1"])], 1 << 20);
        let mut links = LinkFolder::open(folder.path()).unwrap();
        let mut refused = |change: fn(&mut RankOptions), expected: &str| {
            let options = RankOptions::default().with(change);
            let error = rank(&mut links, &options, &Silent).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        refused(|options| options.reset_probability = 0.0, "above 0 and below 1");
        refused(|options| options.reset_probability = 1.0, "above 0 and below 1");
        refused(|options| options.reset_probability = f64::NAN, "above 0 and below 1");
        refused(|options| options.max_iterations = 0, "at least 1");
        refused(|options| options.threads = Some(0), "threads");
    }
}
