//! The last stages: pairs to clusters, and recall.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use pagekin_core::center;
use pagekin_core::center::by_similarity::SimilarityScan;
use pagekin_core::center::{ClusterLinks, WholeClusters};
use pagekin_pages::Stage;
use pagekin_pairs::Threshold;
use pagekin_pairs::pairs::verify::SimilarPair;
use pagekin_pairs::signatures::equal::Deduplicated;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::error::{At, CrawlError};
use crate::cluster::options::Pairing;
use crate::cluster::pairs::by_similarity::BySimilarity;
use crate::cluster::pairs::rules::Rules;
use crate::cluster::recall;
use crate::cluster::recall::Recall;
use crate::cluster::stages::files::{BAGS, CENTERS};
use crate::cluster::stages::job::{Job, Paired};
use crate::cluster::stages::sample::Truth;
use crate::folder::format::StoredPair;
use crate::folder::write;

impl Job<'_> {
    /// Finds the center of each URL from the pairs; returns the number of pairs, including those of
    /// twins.
    pub(crate) fn center(&mut self, twins: &Deduplicated, urls: u32) -> Result<u64, CrawlError> {
        let from = self.place.folder(Stage::Sorting);
        let (options, observer, root) = (self.options, self.observer, self.root());
        let join = options.joined_from();
        // Marks the order of the pairs, which was different in earlier versions.
        let depends_on = (join.map(Threshold::thousandths), "by similarity");
        self.place.stage(Stage::Centering, &depends_on, observer, |_| {
            observer.stage(Stage::Centering, 0);
            let (mut centers, pairs) = centers(&from, twins, urls, options.memory).at(&from)?;
            if let Some(join) = join {
                let joined = joined(&from, twins, &centers, join).at(&from)?;
                centers.iter_mut().for_each(|center| *center = joined[*center as usize]);
            }
            CENTERS.write(&root, &centers)?;
            Ok(pairs)
        })
    }

    /// Measures the share of pairs found, for a sample of URLs.
    pub(crate) fn measure(
        &mut self,
        paired: &Paired,
        twins: &Deduplicated,
        urls: u32,
    ) -> Result<Vec<Recall>, CrawlError> {
        let pairs = self.place.folder(Stage::Sorting);
        let mut bags = BAGS.open(&self.root())?;
        let classes = self.classes()?;
        let class = |url: u32| classes.as_ref().map_or(0, |classes| classes[url as usize]);
        let rules = match self.options.pairing {
            Pairing::Tables(tables) => {
                Some(Rules::new(self.options, tables, self.params().signature.m))
            }
            Pairing::Exact => None,
        };
        let no_choices = BTreeMap::new();
        let choices = paired.searched.as_ref().map_or(&no_choices, |searched| &searched.choices);
        // By class and similarity in thousandths.
        let mut known: FxHashMap<(u32, u16), f64> = FxHashMap::default();
        let mut predict = |class: u32, thousandths: u16| {
            let Some(rules) = rules else { return 1.0 };
            *known.entry((class, thousandths)).or_insert_with(|| {
                let similarity = f64::from(thousandths) / 1_000.0;
                choices.get(&class).map_or(1.0, |choice| rules.found(choice, similarity))
            })
        };
        let (options, observer) = (self.options, self.observer);
        self.place.stage(Stage::Measuring, &(), observer, |folder| {
            observer.stage(Stage::Measuring, urls.into());
            let through = |bags: u32| observer.advance(bags.into());
            let truth = Truth::new(&mut bags, folder, options, observer, through)?;
            // Twins have the pairs of their representative.
            let representative = |url: u32| twins.representative(url);
            let sampled: FxHashSet<u32> =
                truth.drawn.iter().flat_map(|&url| [url, representative(url)]).collect();
            let mut found: FxHashSet<(u32, u32)> = FxHashSet::default();
            write::read_pairs(&pairs, urls, |pair| {
                if sampled.contains(&pair.page) {
                    found.insert((pair.page, pair.other));
                }
            })
            .at(&pairs)?;
            let is_found = |pair: &SimilarPair| {
                let (u, v) = (representative(pair.u), representative(pair.v));
                u == v || found.contains(&(u, v)) || found.contains(&(pair.u, pair.v))
            };
            let is_across = |pair: &SimilarPair| class(pair.u) != class(pair.v);
            let predicted = |pair: &SimilarPair| {
                if is_across(pair) { 0.0 } else { predict(class(pair.u), pair.thousandths()) }
            };
            Ok(recall::recall(&truth.pairs, is_found, is_across, predicted))
        })
    }
}

/// Returns the center of each URL by the pairs of a folder, most similar first, and the number of
/// pairs, including those of twins. Holds about `memory` bytes of pairs at a time.
fn centers(
    folder: &Path,
    twins: &Deduplicated,
    urls: u32,
    memory: u64,
) -> io::Result<(Vec<u32>, u64)> {
    let sizes = twins.sizes();
    let mut pairs: u64 = sizes.iter().map(|&size| pairs_within(size)).sum();
    let by_similarity =
        BySimilarity::new(folder, urls, |pair| pairs += pairs_between(&sizes, pair))?;
    let mut scan = SimilarityScan::new(urls);
    // Pairs of twins come first: the first twin takes the others, whose pairs then have no effect.
    for (url, _) in (0..).zip(&sizes).filter(|&(_, &size)| size > 1) {
        scan.found(url);
    }
    by_similarity.each(memory, |u, v| scan.next(u, v))?;
    let mut centers = scan.finish();
    twins.spread(&mut centers);
    Ok((centers, pairs))
}

/// Returns the new center of each center after joining clusters with at least the share `part` of
/// all pairs between them.
fn joined(
    folder: &Path,
    twins: &Deduplicated,
    centers: &[u32],
    part: Threshold,
) -> io::Result<Vec<u32>> {
    let urls = centers.len() as u32;
    let center = |url: u32| centers[url as usize];
    let is_close = |pairs: u64, all: u64| part.is_reached_by_counts(pairs, all);
    if part < Threshold::ALL {
        let (sizes, mut links) = (twins.sizes(), ClusterLinks::default());
        write::read_pairs_once(folder, urls, |pair| {
            links.add(center(pair.page), center(pair.other), pairs_between(&sizes, pair));
        })?;
        let sizes = center::sizes(centers.len(), centers.iter().copied());
        return Ok(center::join(sizes, links, is_close));
    }
    // Few linked clusters have all pairs. Twins have the same pairs.
    let different = (0..urls).filter(|&url| twins.representative(url) == url);
    let mut whole = WholeClusters::new(center::sizes(centers.len(), different.map(center)));
    let (mut page, mut others) = (0, Vec::new());
    write::read_pairs(folder, urls, |pair| {
        if pair.page != page {
            whole.add(center(page), others.drain(..));
            page = pair.page;
        }
        others.push(center(pair.other));
    })?;
    whole.add(center(page), others.drain(..));
    let (sizes, links) = whole.finish();
    Ok(center::join(sizes, links, is_close))
}

/// Returns the number of pairs that a stored pair represents: each twin of one with each twin of
/// the other.
fn pairs_between(sizes: &[u32], pair: StoredPair) -> u64 {
    u64::from(sizes[pair.page as usize]) * u64::from(sizes[pair.other as usize])
}

/// Returns the number of pairs among URLs that are all similar.
fn pairs_within(urls: u32) -> u64 {
    let urls = u64::from(urls);
    urls * urls.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::pairs::by_similarity::tests::folder_of;
    use pagekin_core::center::by_similarity::center_by_similarity;
    use proptest::prelude::*;

    const URLS: u32 = 24;
    /// Similarity of twins, above all others.
    const OF_TWINS: u16 = 1_001;

    proptest! {
        /// Twins change nothing: the clusters are those of all pairs of all URLs, in order.
        #[test]
        fn clusters_are_those_of_all_pairs_of_all_urls(
            pairs in prop::collection::btree_map((0..URLS, 0..URLS), 997u16..=1_000, 0..60),
            groups in prop::collection::vec(0..2 * URLS, URLS as usize), memory in 0u64..400,
        ) {
            let lowest = |url: usize| {
                let is_twin = |&other: &usize| groups[other] == groups[url];
                // Half of the groups have a single URL.
                if groups[url] < URLS { (0..url).find(is_twin).unwrap_or(url) } else { url }
            };
            let twins = Deduplicated::from_lowest((0..groups.len()).map(|url| lowest(url) as u32).collect()).unwrap();
            let stored: Vec<StoredPair> = pairs
                .into_iter()
                .filter(|&((u, v), _)| u < v && [u, v].iter().all(|&url| twins.representative(url) == url))
                .map(|((page, other), thousandths)| StoredPair { page, other, thousandths })
                .collect();
            let mut all = Vec::new();
            for v in 0..URLS {
                for u in 0..v {
                    let (a, b) = (twins.representative(u), twins.representative(v));
                    let is = |pair: &&StoredPair| (pair.page, pair.other) == (a.min(b), a.max(b));
                    if a == b {
                        all.push((u, v, OF_TWINS));
                    } else if let Some(pair) = stored.iter().find(is) {
                        all.push((u, v, pair.thousandths));
                    }
                }
            }
            let folder = folder_of(URLS, &stored);
            let (found, pairs) = centers(folder.path(), &twins, URLS, memory).unwrap();
            prop_assert_eq!(pairs, all.len() as u64);
            prop_assert_eq!(found, center_by_similarity(URLS, all));
        }
    }
}
