//! Reads judgments of pairs of URLs from files.
//!
//! Two formats are read, as CSV with column names in the first line, in any order:
//!
//! - `url`, `other_url`, `similar`: whether two URLs are similar, `yes` or `no` (also `true`,
//!   `false`, `1`, `0`). This is a file of `pagekin crawl pairs` with one more column. A URL may be
//!   a path on the host of the crawl, as in judgments saved by the demo.
//! - `url`, `cluster`: which URLs belong together. Two URLs in the file are similar if their
//!   clusters are equal. If there are many pairs, a sample of each kind is used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use pagekin_core::address;
use pagekin_core::hash::SplitMix64;
use pagekin_pages::FileError;
use pagekin_pages::cells::text_of_cell;
use pagekin_pages::site::normal_url;

use crate::feedback::error::FeedbackError;
use crate::folder::error::CrawlFolderError;
use crate::folder::read::CrawlFolder;

/// Maximum number of URLs used from a file of clusters. Each is compared with each.
const MAX_URLS: usize = 20_000;
/// Maximum number of pairs of each kind used from a file of clusters.
const MAX_CLUSTERS_OF_URL: usize = 1_000;

/// A judgment of a pair of URLs, by their numbers in the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Judgment {
    /// The lower number.
    pub u: u32,
    /// The higher number.
    pub v: u32,
    /// Whether the pages are judged similar.
    pub similar: bool,
}

/// Judgments that are not used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnknownJudgments {
    /// Number of lines with a URL that is not in the crawl.
    pub urls: u32,
    /// The first such URL.
    pub first: String,
    /// Number of pairs with contradictory judgments.
    pub contradictory: u32,
}

/// The judgments of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Judgments {
    /// Sorted, each pair once.
    pub(crate) pairs: Vec<Judgment>,
    pub(crate) unknown: UnknownJudgments,
}

impl Judgments {
    pub(crate) fn read(
        path: &Path,
        crawl: &mut CrawlFolder,
        seed: u64,
    ) -> Result<Self, FeedbackError> {
        let opened = File::open(path).map_err(FileError::io("read", path))?;
        Self::read_from(opened, path, crawl, seed)
    }

    /// Reads the content of the file at `path`.
    pub(crate) fn read_from(
        opened: impl Read,
        path: &Path,
        crawl: &mut CrawlFolder,
        seed: u64,
    ) -> Result<Self, FeedbackError> {
        let refuse = |found: String| FeedbackError::Judgments { path: path.to_owned(), found };
        let failed = |error| unreadable(path, error);
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(opened);
        let names = reader.headers().map_err(failed)?.clone();
        let column = |name: &str| names.iter().position(|found| found.eq_ignore_ascii_case(name));
        let columns = (column("url"), column("other_url"), column("similar"), column("cluster"));
        let mut unknown = UnknownJudgments::default();
        let base = base_of(crawl)?;
        let mut number = |url: &str| number_of(crawl, &base, text_of_cell(url), &mut unknown);
        let mut votes: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
        let mut vote = |u: u32, v: u32, similar: bool| {
            if u != v {
                votes.entry((u.min(v), u.max(v))).or_default()[usize::from(similar)] += 1;
            }
        };
        match columns {
            (Some(url), Some(other), Some(similar), _) => {
                for record in reader.records() {
                    let record = record.map_err(failed)?;
                    let line = record.position().map_or(0, csv::Position::line);
                    let similar = match record[similar].to_ascii_lowercase().as_str() {
                        "yes" | "true" | "1" => true,
                        "no" | "false" | "0" => false,
                        other => return Err(refuse(format!("{other:?} in line {line}"))),
                    };
                    if let (Some(u), Some(v)) = (number(&record[url])?, number(&record[other])?) {
                        vote(u, v, similar);
                    }
                }
            }
            (Some(url), _, _, Some(cluster)) => {
                let mut clusters: BTreeMap<u32, String> = BTreeMap::new();
                for record in reader.records() {
                    let record = record.map_err(failed)?;
                    if let Some(number) = number(&record[url])? {
                        clusters.insert(number, record[cluster].to_owned());
                    }
                }
                pairs_of_clusters(&clusters, seed, &mut vote);
            }
            _ => {
                let names: Vec<&str> = names.iter().collect();
                return Err(refuse(format!("the columns {}", names.join(", "))));
            }
        }
        Ok(Self::new(votes, unknown))
    }

    /// Creates judgments from the number of votes per pair: not similar, similar.
    fn new(votes: BTreeMap<(u32, u32), [u32; 2]>, mut unknown: UnknownJudgments) -> Self {
        let mut pairs = Vec::new();
        for ((u, v), [no, yes]) in votes {
            if no > 0 && yes > 0 {
                unknown.contradictory += 1;
            } else {
                pairs.push(Judgment { u, v, similar: yes > 0 });
            }
        }
        Self { pairs, unknown }
    }
}

/// Converts an error from reading a file of judgments.
fn unreadable(path: &Path, error: csv::Error) -> FeedbackError {
    let line = error.position().map_or(1, csv::Position::line);
    let found = match error.into_kind() {
        csv::ErrorKind::Io(source) => return FileError::io("read", path)(source).into(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} instead of {expected_len} columns in line {line}")
        }
        _ => format!("something else in line {line}"),
    };
    FeedbackError::Judgments { path: path.to_owned(), found }
}

/// Returns the base URL of the crawl's first URL, for URLs that are given as paths.
fn base_of(crawl: &mut CrawlFolder) -> Result<String, CrawlFolderError> {
    let first = crawl.url(0)?.url;
    let host = first.strip_suffix(address::path(&first)).unwrap_or_default();
    Ok(format!("{host}/"))
}

/// Returns the number of a URL in the crawl.
fn number_of(
    crawl: &mut CrawlFolder,
    base: &str,
    url: &str,
    unknown: &mut UnknownJudgments,
) -> Result<Option<u32>, CrawlFolderError> {
    let variants = if url.starts_with('/') {
        address::variants(url, base)
    } else {
        vec![normal_url::normal(url).unwrap_or_else(|| url.to_owned())]
    };
    for variant in variants {
        match crawl.number_of(&variant) {
            Err(CrawlFolderError::UnknownUrl { .. }) => {}
            number => return number.map(Some),
        }
    }
    unknown.urls += 1;
    if unknown.first.is_empty() {
        url.clone_into(&mut unknown.first);
    }
    Ok(None)
}

/// Passes the pairs of URLs with clusters to `vote`, or a sample of each kind.
fn pairs_of_clusters(
    clusters: &BTreeMap<u32, String>,
    seed: u64,
    vote: &mut impl FnMut(u32, u32, bool),
) {
    let mut stream = SplitMix64::new(seed);
    // Per kind, the number of pairs so far, and a uniform sample of them.
    let mut kept: [(u64, Vec<(u32, u32)>); 2] = Default::default();
    let step = clusters.len().div_ceil(MAX_URLS).max(1);
    let urls: Vec<(&u32, &String)> = clusters.iter().step_by(step).collect();
    for (at, &(&v, of_v)) in urls.iter().enumerate() {
        for &(&u, of_u) in &urls[..at] {
            let (met, pairs) = &mut kept[usize::from(of_u == of_v)];
            *met += 1;
            if pairs.len() < MAX_CLUSTERS_OF_URL {
                pairs.push((u, v));
            } else if let Some(place) = usize::try_from(stream.next_u64() % *met)
                .ok()
                .filter(|&place| place < MAX_CLUSTERS_OF_URL)
            {
                pairs[place] = (u, v);
            }
        }
    }
    let [(_, different), (_, similar)] = kept;
    different.into_iter().for_each(|(u, v)| vote(u, v, false));
    similar.into_iter().for_each(|(u, v)| vote(u, v, true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the pairs of URLs whose clusters are their numbers divided by `size`.
    fn pairs(urls: u32, size: u32, seed: u64) -> Vec<(u32, u32, bool)> {
        let clusters = (0..urls).map(|url| (url, (url / size).to_string())).collect();
        let mut pairs = Vec::new();
        pairs_of_clusters(&clusters, seed, &mut |u, v, similar| pairs.push((u, v, similar)));
        for &(u, v, similar) in &pairs {
            assert!(u < v && similar == (u / size == v / size));
        }
        assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), pairs.len());
        pairs
    }

    #[test]
    fn all_pairs_of_a_few_urls_are_judged() {
        let few = pairs(12, 3, 1);
        assert_eq!(few.len(), 66);
        assert_eq!(few.iter().filter(|(.., similar)| *similar).count(), 12);
        assert!(pairs(0, 1, 1).is_empty() && pairs(1, 1, 1).is_empty());
    }

    #[test]
    fn a_sample_of_each_kind_is_drawn_by_the_seed() {
        let many = pairs(400, 40, 1);
        for kind in [true, false] {
            let of_kind: Vec<_> = many.iter().filter(|(.., similar)| *similar == kind).collect();
            assert_eq!(of_kind.len(), MAX_CLUSTERS_OF_URL);
            // From everywhere, not only from the first URLs.
            let late = of_kind.iter().filter(|(_, v, _)| *v >= 200).count();
            assert!(late > MAX_CLUSTERS_OF_URL / 3, "{late}");
        }
        assert_eq!(many, pairs(400, 40, 1));
        assert_ne!(many, pairs(400, 40, 2));
    }
}
