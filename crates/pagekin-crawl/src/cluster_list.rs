//! Lists the clusters of a crawl, largest first, with their members and most important terms.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use pagekin_core::vocabulary::TermId;

use crate::folder::error::CrawlFolderError;
use crate::folder::format::CrawledUrl;
use crate::folder::read::CrawlFolder;

/// Number of top terms of a cluster.
const TOP_TERMS: usize = 8;
/// Number of members whose bags are used for the top terms.
const SAMPLED: usize = 50;

/// The clusters of a crawl, largest first.
#[derive(Debug, Clone)]
pub struct ClusterList {
    /// Pairs of center and URL, sorted.
    by_center: Vec<(u32, u32)>,
    clusters: Vec<Range<usize>>,
    words: BTreeMap<TermId, Box<str>>,
}

/// A cluster of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCluster {
    /// URL of the center.
    pub center: String,
    /// Title of the center.
    pub title: String,
    /// Number of URLs, including the center.
    pub size: usize,
    /// Words with the highest weights in the bags of a sample of the URLs.
    pub terms: Vec<String>,
    /// The members without the center, up to a maximum.
    pub members: Vec<CrawledUrl>,
}

impl ClusterList {
    /// Lists the clusters of at least `min_size` URLs. `centers` contains the number of the center
    /// of each URL's cluster.
    ///
    /// # Errors
    ///
    /// If the crawl's terms cannot be read.
    pub fn new(
        crawl: &CrawlFolder,
        centers: &[u32],
        min_size: usize,
    ) -> Result<Self, CrawlFolderError> {
        let mut by_center: Vec<(u32, u32)> =
            (0..).zip(centers).map(|(url, &of)| (of, url)).collect();
        by_center.sort_unstable();
        let mut clusters = Vec::new();
        let mut start = 0;
        for cluster in by_center.chunk_by(|a, b| a.0 == b.0) {
            let range = start..start + cluster.len();
            start = range.end;
            if range.len() >= min_size {
                clusters.push(range);
            }
        }
        clusters.sort_by_key(|range| (Reverse(range.len()), by_center[range.start].0));
        Ok(Self { by_center, clusters, words: crawl.words()? })
    }

    /// Returns the number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Returns whether there are no clusters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Returns the pairs of center and URL of the cluster at an index.
    fn cluster(&self, at: usize) -> &[(u32, u32)] {
        &self.by_center[self.clusters[at].clone()]
    }

    /// Reads the cluster at an index with at most `max` of its members.
    ///
    /// # Errors
    ///
    /// If its URLs cannot be read.
    pub fn read(
        &self,
        crawl: &mut CrawlFolder,
        at: usize,
        max: usize,
    ) -> Result<ListedCluster, CrawlFolderError> {
        let cluster = self.cluster(at);
        let center = crawl.url(cluster[0].0)?;
        let mut members = Vec::new();
        let mut counts = BTreeMap::<TermId, u64>::new();
        for (at, &(of, url)) in cluster.iter().enumerate().take(max.max(SAMPLED)) {
            let mut member = crawl.url(url)?;
            // A cluster may have millions of members: their bags are not kept.
            let bag = std::mem::take(&mut member.bag);
            if at < SAMPLED {
                for (term, n) in bag {
                    *counts.entry(term).or_default() += u64::from(n);
                }
            }
            if url != of && members.len() < max {
                members.push(member);
            }
        }
        let mut top: Vec<_> = counts.into_iter().collect();
        top.sort_by_key(|&(term, n)| (Reverse(n), term));
        let terms = top.iter().filter_map(|(term, _)| self.words.get(term));
        Ok(ListedCluster {
            center: center.url,
            title: center.title,
            size: cluster.len(),
            terms: terms.take(TOP_TERMS).map(ToString::to_string).collect(),
            members,
        })
    }

    /// Passes all URLs of the cluster at an index to `each`, center first, with their similarity to
    /// the center in thousandths; `None` if they are not a pair of the crawl, as in a component.
    ///
    /// # Errors
    ///
    /// If the URLs cannot be read, or the first error of `each`.
    pub fn each_url<E: From<CrawlFolderError>>(
        &self,
        crawl: &mut CrawlFolder,
        at: usize,
        mut each: impl FnMut(&CrawledUrl, Option<u16>) -> Result<(), E>,
    ) -> Result<(), E> {
        let cluster = self.cluster(at);
        let center = cluster[0].0;
        let related = crawl.related(center)?.into_iter();
        let similarities: BTreeMap<u32, u16> = related.chain([(center, 1_000)]).collect();
        let others = cluster.iter().map(|&(_, url)| url).filter(|&url| url != center);
        for url in std::iter::once(center).chain(others) {
            each(&crawl.url(url)?, similarities.get(&url).copied())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::fixtures::description;
    use crate::folder::format::{CrawledTerm, StoredPair, url_key};
    use crate::folder::write::{PairWriter, UrlResults, UrlWriter, finish};
    use pagekin_pages::site::word_ids::word_id;

    /// Five URLs. Each has `common` and its own term.
    fn crawl(folder: &std::path::Path) -> CrawlFolder {
        let mut urls: Vec<String> = (0..5).map(|n| format!("https://{n}.example/")).collect();
        urls.sort_by_key(|url| url_key(url));
        let mut terms: Vec<CrawledTerm> = ["common", "a", "b", "c", "d", "e"]
            .map(|word| CrawledTerm { df: 1, stem: word.into(), word: word.into() })
            .into();
        terms.sort_by_key(|term| word_id(&term.stem));
        let mut writer = UrlWriter::create(folder).unwrap();
        for (url, own) in urls.iter().zip(["a", "b", "c", "d", "e"]) {
            let mut bag = vec![(word_id("common"), 3), (word_id(own), 2)];
            bag.sort_unstable();
            let title = own.to_uppercase();
            writer.push(&CrawledUrl { url: url.clone(), title, fragments: 1, bag }).unwrap();
        }
        writer.finish().unwrap();
        let mut writer = PairWriter::create(folder, 5).unwrap();
        let pair = |page, other| StoredPair { page, other, thousandths: 600 };
        writer.push(&[pair(1, 2), pair(2, 1), pair(2, 3), pair(3, 2)]).unwrap();
        writer.finish().unwrap();
        let of_urls = UrlResults { centers: &[0, 2, 2, 2, 0], twins: &[0, 1, 2, 3, 4] };
        finish(folder, &terms, of_urls, &description(5, 2)).unwrap();
        CrawlFolder::open(folder).unwrap()
    }

    fn titles(members: &[CrawledUrl]) -> Vec<&str> {
        members.iter().map(|member| &*member.title).collect()
    }

    #[test]
    fn largest_clusters_are_first_with_their_common_terms() {
        let folder = tempfile::tempdir().unwrap();
        let mut crawl = crawl(folder.path());
        let centers = crawl.centers().unwrap();
        let list = ClusterList::new(&crawl, &centers, 2).unwrap();
        assert_eq!((list.len(), list.is_empty()), (2, false));
        let largest = list.read(&mut crawl, 0, usize::MAX).unwrap();
        assert_eq!((&*largest.title, largest.size, &*largest.terms[0]), ("C", 3, "common"));
        assert_eq!(titles(&largest.members), ["B", "D"]);
        assert_eq!(largest.terms.len(), 4);
        // The terms are those of all members, even if few are listed.
        let few = list.read(&mut crawl, 0, 1).unwrap();
        assert_eq!((titles(&few.members), &few.terms), (vec!["B"], &largest.terms));
        assert_eq!(titles(&list.read(&mut crawl, 1, usize::MAX).unwrap().members), ["E"]);
        assert_eq!(ClusterList::new(&crawl, &centers, 3).unwrap().len(), 1);
        assert!(ClusterList::new(&crawl, &centers, 4).unwrap().is_empty());
    }

    #[test]
    fn each_url_has_its_similarity_to_the_center_if_they_are_a_pair() {
        let folder = tempfile::tempdir().unwrap();
        let mut crawl = crawl(folder.path());
        let centers = crawl.centers().unwrap();
        let mut found = |centers: &[u32], at| {
            let list = ClusterList::new(&crawl, centers, 2).unwrap();
            let mut rows = Vec::new();
            let each = |url: &CrawledUrl, similarity| {
                rows.push((url.title.clone(), similarity));
                Ok::<(), CrawlFolderError>(())
            };
            list.each_url(&mut crawl, at, each).unwrap();
            rows
        };
        let row = |title: &str, similarity| (title.to_owned(), similarity);
        assert_eq!(
            found(&centers, 0),
            [row("C", Some(1_000)), row("B", Some(600)), row("D", Some(600))]
        );
        assert_eq!(
            found(&[0, 1, 1, 1, 4], 0),
            [row("B", Some(1_000)), row("C", Some(600)), row("D", None)]
        );
    }
}
