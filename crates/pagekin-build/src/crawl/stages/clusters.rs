//! The last stages: from pairs to clusters, and what was found of all pairs.

use std::collections::BTreeMap;

use pagekin_core::center;
use pagekin_core::center::{CenterScan, Links};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::crawl::error::CrawlError;
use crate::crawl::evaluate::recall;
use crate::crawl::evaluate::recall::Recall;
use crate::crawl::options::Pairing;
use crate::crawl::pairs::rules::Rules;
use crate::crawl::pairs::verify::SimilarPair;
use crate::crawl::signatures::equal::Collapsed;
use crate::crawl::stages::job::{CENTERS, Job, Paired, write_numbers};
use crate::crawl::stages::sample::Truth;
use crate::crawl::threshold::Threshold;
use crate::crawl_folder::write;
use crate::progress::Stage;

impl Job<'_> {
    /// Pairs into the center of each URL; answers how many pairs there are, those of twins too.
    pub(crate) fn center(&mut self, twins: &Collapsed, urls: u32) -> Result<u64, CrawlError> {
        let from = self.place.folder(Stage::Sorting);
        let Self { options, observer, place } = self;
        let join = options.join;
        place.stage(Stage::Centering, &join.map(Threshold::thousandths), *observer, |folder| {
            observer.stage(Stage::Centering, 0);
            let mut scan = CenterScan::new(urls);
            let sizes = twins.sizes();
            let size = |url: u32| u64::from(sizes[url as usize]);
            let mut pairs: u64 = sizes.iter().map(|&size| pairs_within(size)).sum();
            // Of twins the first is scanned first, and all have the same partners: each would go
            // where that goes.
            write::read_pairs(&from, urls, |pair| {
                scan.next(pair.page, pair.other);
                if pair.page < pair.other {
                    pairs += size(pair.page) * size(pair.other);
                }
            })
            .map_err(CrawlError::work(&from))?;
            let mut centers = scan.finish();
            twins.spread(&mut centers);
            if let Some(join) = join {
                let mut links = Links::default();
                write::read_pairs(&from, urls, |pair| {
                    if pair.page < pair.other {
                        let [a, b] = [pair.page, pair.other].map(|url| centers[url as usize]);
                        links.add(a, b, size(pair.page) * size(pair.other));
                    }
                })
                .map_err(CrawlError::work(&from))?;
                let is_close = |pairs: u64, all: u64| join.is_reached_by_counts(pairs, all);
                center::join(&mut centers, links, is_close);
            }
            let path = folder.join(CENTERS);
            write_numbers(&path, &centers).map_err(CrawlError::work(&path))?;
            Ok(pairs)
        })
    }

    /// How many pairs of some URLs were found, of all that they have.
    pub(crate) fn measure(
        &mut self,
        paired: &Paired,
        twins: &Collapsed,
        urls: u32,
    ) -> Result<Vec<Recall>, CrawlError> {
        let pairs = self.place.folder(Stage::Sorting);
        let mut files = self.bags()?;
        let classes = self.classes()?;
        let class = |url: u32| classes.as_ref().map_or(0, |classes| classes[url as usize]);
        let rules = match self.options.pairing {
            Pairing::Tables(tables) => {
                Some(Rules::new(self.options, tables, self.params().signature.m, paired.agreement))
            }
            Pairing::Exact => None,
        };
        let no_choices = BTreeMap::new();
        let choices = paired.searched.as_ref().map_or(&no_choices, |searched| &searched.choices);
        // Of the pairs of a class, by their similarity in thousandths.
        let mut known: FxHashMap<(u32, u16), f64> = FxHashMap::default();
        let mut predict = |class: u32, thousandths: u16| {
            let Some(rules) = rules else { return 1.0 };
            *known.entry((class, thousandths)).or_insert_with(|| {
                let similarity = f64::from(thousandths) / 1_000.0;
                match choices.get(&class) {
                    Some(choice) => rules.found(choice, similarity),
                    None => rules.passing(similarity),
                }
            })
        };
        let Self { options, observer, place, .. } = self;
        place.stage(Stage::Measuring, &(), *observer, |folder| {
            observer.stage(Stage::Measuring, urls.into());
            let error = CrawlError::work(folder);
            let through = |bags: u32| observer.advance(bags.into());
            let truth = Truth::of(&mut files, options, *observer, &error, through)?;
            // What is known of a twin's representative is known of the twin.
            let standing = |url: u32| twins.representative(url);
            let asked: FxHashSet<u32> =
                truth.drawn.iter().flat_map(|&url| [url, standing(url)]).collect();
            let mut found: FxHashSet<(u32, u32)> = FxHashSet::default();
            write::read_pairs(&pairs, urls, |pair| {
                if asked.contains(&pair.page) {
                    found.insert((pair.page, pair.other));
                }
            })
            .map_err(CrawlError::work(&pairs))?;
            let is_found = |pair: &SimilarPair| {
                let (u, v) = (standing(pair.u), standing(pair.v));
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

/// The pairs of so many URLs that are all similar.
fn pairs_within(urls: u32) -> u64 {
    let urls = u64::from(urls);
    urls * urls.saturating_sub(1) / 2
}
