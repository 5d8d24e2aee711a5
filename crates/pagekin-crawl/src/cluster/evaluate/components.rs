//! CENTER clusters compared with connected components, by the similarity of the URLs within a
//! cluster.

use std::io;
use std::path::Path;

use pagekin_core::bag::Bag;
use pagekin_core::center::ComponentScan;
use pagekin_core::hash::SplitMix64;
use pagekin_core::similarity::Overlap;

use crate::folder::error::CrawlFolderError;
use crate::folder::read::CrawlFolder;
use crate::folder::write;

/// Pairs that are drawn.
const DRAWN: u32 = 2_000;

/// What clusters are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clustered {
    /// Clusters of at least two URLs.
    pub clusters: u64,
    /// The URLs in them.
    pub urls: u64,
    /// Those of the largest.
    pub largest: u64,
    /// The mean similarity of two URLs of a cluster, drawn at random.
    pub similarity: f64,
    /// The part of such pairs whose similarity is below the threshold.
    pub below: f64,
}

/// The lowest URL of each URL's component, by the pairs of a crawl's folder.
///
/// # Errors
///
/// If they cannot be read.
pub fn components(folder: &Path, crawl: &CrawlFolder) -> io::Result<Vec<u32>> {
    let urls = crawl.description().urls;
    let mut scan = ComponentScan::new(urls);
    write::read_pairs(folder, urls, |pair| {
        scan.next(pair.page, pair.other);
    })?;
    for (first, twin) in crawl.twin_groups().map_err(io::Error::other)? {
        scan.next(first, twin);
    }
    Ok(scan.finish())
}

/// Looks at clusters: `centers` has a number for each URL, which those of a cluster share. The
/// similarities are of 2,000 pairs, of which each pair that is in a cluster is as likely as any
/// other.
///
/// # Errors
///
/// If URLs cannot be read.
pub fn look(crawl: &mut CrawlFolder, centers: &[u32]) -> Result<Clustered, CrawlFolderError> {
    let mut members: Vec<(u32, u32)> = (0..).zip(centers).map(|(url, &of)| (of, url)).collect();
    members.sort_unstable();
    let clusters: Vec<&[(u32, u32)]> =
        members.chunk_by(|a, b| a.0 == b.0).filter(|cluster| cluster.len() > 1).collect();
    // The pairs of the clusters up to each.
    let ends: Vec<u64> = clusters
        .iter()
        .scan(0, |all, cluster| {
            *all += cluster.len() as u64 * (cluster.len() as u64 - 1) / 2;
            Some(*all)
        })
        .collect();
    let mut stream = SplitMix64::new(u64::from(DRAWN));
    let (mut similarity, mut below, mut drawn) = (0.0, 0u32, 0u32);
    while let Some(&pairs) = ends.last()
        && drawn < DRAWN
    {
        let pair = stream.next_u64() % pairs;
        let cluster = clusters[ends.partition_point(|&end| end <= pair)];
        let mut bag = || {
            let (_, url) = cluster[stream.below(cluster.len() as u32) as usize];
            let bag = Bag::from_sorted(crawl.url(url)?.bag).unwrap_or_default();
            Ok::<_, CrawlFolderError>((url, bag))
        };
        let ((u, a), (v, b)) = (bag()?, bag()?);
        if u == v {
            continue;
        }
        let overlap = Overlap::of(&a, &b);
        let thousandths = (overlap.jaccard() * 1_000.0) as u16;
        similarity += overlap.jaccard();
        below += u32::from(thousandths < crawl.description().threshold);
        drawn += 1;
    }
    let part = |of: f64| of / f64::from(drawn.max(1));
    let sizes = || clusters.iter().map(|cluster| cluster.len() as u64);
    Ok(Clustered {
        clusters: clusters.len() as u64,
        urls: sizes().sum(),
        largest: sizes().max().unwrap_or(0),
        similarity: part(similarity),
        below: part(below.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::format::{CrawledUrl, StoredPair, url_key};
    use crate::folder::write::tests::description;
    use crate::folder::write::{OfUrls, PairWriter, UrlWriter, finish};

    #[test]
    fn a_chain_is_a_component_of_pages_that_share_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut urls: Vec<String> = (0..4).map(|n| format!("https://{n}.example/")).collect();
        urls.sort_by_key(|url| url_key(url));
        let mut writer = UrlWriter::create(folder.path()).unwrap();
        for (at, url) in (0..).zip(&urls) {
            // Each has a term of the one before and one of the next.
            let bag = vec![(at, 1), (at + 1, 1)];
            let crawled = CrawledUrl { url: url.clone(), bag, ..CrawledUrl::default() };
            writer.push(&crawled).unwrap();
        }
        writer.finish().unwrap();
        let mut writer = PairWriter::create(folder.path(), 4).unwrap();
        let pair = |page, other| StoredPair { page, other, thousandths: 333 };
        let pairs = [pair(0, 1), pair(1, 0), pair(1, 2), pair(2, 1), pair(2, 3), pair(3, 2)];
        writer.push(&pairs).unwrap();
        writer.finish().unwrap();
        let of_urls = OfUrls { centers: &[0, 0, 2, 2], twins: &[0, 1, 2, 3] };
        finish(folder.path(), &[], of_urls, &description(4, 3)).unwrap();

        let mut crawl = CrawlFolder::open(folder.path()).unwrap();
        let chain = components(folder.path(), &crawl).unwrap();
        assert_eq!(chain, [0; 4]);
        let of_chain = look(&mut crawl, &chain).unwrap();
        assert_eq!((of_chain.clusters, of_chain.urls, of_chain.largest), (1, 4, 4));
        // Three of its six pairs share a term.
        assert!((of_chain.below - 0.5).abs() < 0.05, "{of_chain:?}");
        let of_center = look(&mut crawl, &[0, 0, 2, 2]).unwrap();
        assert_eq!((of_center.clusters, of_center.largest, of_center.below), (2, 2, 0.0));
        assert!((of_center.similarity - 1.0 / 3.0).abs() < 1e-9);
        let alone = look(&mut crawl, &[0, 1, 2, 3]).unwrap();
        assert_eq!((alone.clusters, alone.urls, alone.below), (0, 0, 0.0));
    }
}
