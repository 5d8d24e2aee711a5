//! What constants find, and whether other constants find more than by chance.

use pagekin_core::hash::SplitMix64;
use rayon::prelude::*;

use crate::collection::Scores;
use crate::constants::Constants;
use crate::drawing::{Kind, Site};

/// What a site holds itself, by which constants are chosen.
pub(crate) const OWN: [Kind; 3] = [Kind::Headings, Kind::Questions, Kind::Links];

/// So often sites and queries are drawn anew.
const RESAMPLED: usize = 1_000;

/// The ranks of the right pages of a site's queries of a kind; none behind the tenth.
#[derive(Debug)]
pub(crate) struct Ranks {
    site: usize,
    kind: Kind,
    ranks: Vec<Option<usize>>,
}

/// What constants find on sites.
#[derive(Debug)]
pub(crate) struct Outcome(Vec<Ranks>);

/// The shares of queries whose page is the first, one of three, one of ten; and the mean of the
/// inverse ranks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) top: [f64; 3],
    pub(crate) mrr: f64,
}

/// A difference of inverse ranks, and between which it lies with a probability of 95 %.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Outcome {
    pub(crate) fn new(sites: &[Site], constants: &Constants) -> Self {
        let kinds = sites.iter().enumerate().flat_map(|(number, site)| {
            site.queries.iter().map(move |(&kind, queries)| (number, site, kind, queries))
        });
        let ranks = kinds.map(|(number, site, kind, queries)| Ranks {
            site: number,
            kind,
            ranks: queries
                .par_iter()
                .map_init(Scores::default, |scores, query| {
                    site.collection.rank(query, constants, scores)
                })
                .collect(),
        });
        Self(ranks.collect())
    }

    fn of_kinds(&self, kinds: &[Kind]) -> Vec<&Ranks> {
        self.0.iter().filter(|ranks| kinds.contains(&ranks.kind)).collect()
    }

    /// The mean over sites of the means over kinds, so that each site counts as much.
    pub(crate) fn found(&self, kinds: &[Kind]) -> Found {
        let of = |value: &dyn Fn(usize) -> f64| {
            let mean = |ranks: &Ranks| {
                let sum: f64 = ranks.ranks.iter().map(|rank| rank.map_or(0.0, value)).sum();
                sum / ranks.ranks.len() as f64
            };
            mean_by_site(self.of_kinds(kinds).into_iter().map(|ranks| (ranks.site, mean(ranks))))
        };
        let among = |most: usize| of(&|rank| f64::from(u8::from(rank <= most)));
        Found { top: [1, 3, 10].map(among), mrr: of(&|rank| 1.0 / rank as f64) }
    }

    /// By how much the inverse ranks are better than another's, of the same queries. Sites are
    /// drawn with replacement, and queries of each.
    pub(crate) fn gain(&self, over: &Self, kinds: &[Kind]) -> Difference {
        let value = |rank: &Option<usize>| rank.map_or(0.0, |rank| 1.0 / rank as f64);
        let pairs = self.of_kinds(kinds).into_iter().zip(over.of_kinds(kinds));
        let gains: Vec<(usize, Vec<f64>)> = pairs
            .map(|(new, old)| {
                let pairs = new.ranks.iter().zip(&old.ranks);
                (new.site, pairs.map(|(new, old)| value(new) - value(old)).collect())
            })
            .collect();
        let mean = |gains: &[f64]| gains.iter().sum::<f64>() / gains.len() as f64;
        let all = mean_by_site(gains.iter().map(|(site, gains)| (*site, mean(gains))));
        let mut sites: Vec<usize> = gains.iter().map(|(site, _)| *site).collect();
        sites.dedup();
        let mut random = SplitMix64::new(1);
        let mut drawn: Vec<f64> = (0..RESAMPLED)
            .map(|_| {
                let mut of_kinds = Vec::new();
                for number in 0..sites.len() {
                    let site = sites[random.below(sites.len() as u32) as usize];
                    for (_, gains) in gains.iter().filter(|(of, _)| *of == site) {
                        let n = gains.len() as u32;
                        let sum: f64 = (0..n).map(|_| gains[random.below(n) as usize]).sum();
                        of_kinds.push((number, sum / f64::from(n)));
                    }
                }
                mean_by_site(of_kinds.into_iter())
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let at = |part: f64| drawn[(part * (drawn.len() - 1) as f64) as usize];
        Difference { mean: all, low: at(0.025), high: at(0.975) }
    }

    /// How many queries of a kind there are.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.of_kinds(&[kind]).iter().map(|ranks| ranks.ranks.len()).sum()
    }
}

/// The mean over sites of the mean of what each has; sites stand together.
fn mean_by_site(values: impl Iterator<Item = (usize, f64)>) -> f64 {
    let values: Vec<(usize, f64)> = values.collect();
    let sites: Vec<f64> = values
        .chunk_by(|a, b| a.0 == b.0)
        .map(|of_site| of_site.iter().map(|(_, value)| value).sum::<f64>() / of_site.len() as f64)
        .collect();
    sites.iter().sum::<f64>() / sites.len().max(1) as f64
}
