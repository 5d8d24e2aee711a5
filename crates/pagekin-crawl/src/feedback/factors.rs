//! Learns how much more or less each term should weigh.
//!
//! For each term `t`, `a(t)` is the mean of its shared weight in similar pairs (see
//! `Judged::shared`), and `b(t)` that in other pairs. `A` and `B` are their sums over all terms.
//! The factor of a term is
//!
//! ```text
//! f(t) = ((a(t) + prior A) / (b(t) + prior B) * B / A) ^ strength     between 1/4 and 4
//! ```
//!
//! So a term gets a higher weight if similar pairs share it more than they share terms on average,
//! and a lower one if all pairs share it equally, such as the words of a frame. A term with little
//! evidence stays unchanged, because the prior outweighs the shares of few pairs. This is the
//! relevance weight of Robertson and Sparck Jones (1976), with shared weights instead of counts.

use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

use crate::cluster::learned::TermFactor;
use crate::feedback::judged::Judged;
use crate::folder::error::CrawlFolderError;
use crate::folder::read::CrawlFolder;

/// Factors closer to 1 are omitted.
const MIN: f64 = 0.05;

/// Parameters of the factors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FactorOptions {
    /// Exponent, above 0 and up to 1.
    pub strength: f64,
    /// Additional share of every term, relative to the sum over all terms. Above 0.
    pub prior: f64,
}

impl FactorOptions {
    /// The options that are tested.
    pub(crate) const GRID: [Self; 6] = [
        Self { strength: 0.5, prior: 0.03 },
        Self { strength: 1.0, prior: 0.03 },
        Self { strength: 0.5, prior: 0.01 },
        Self { strength: 1.0, prior: 0.01 },
        Self { strength: 0.5, prior: 0.003 },
        Self { strength: 1.0, prior: 0.003 },
    ];
}

/// The factors of terms; 1 for all others.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Factors(FxHashMap<TermId, f64>);

impl FromIterator<(TermId, f64)> for Factors {
    fn from_iter<I: IntoIterator<Item = (TermId, f64)>>(factors: I) -> Self {
        Self(factors.into_iter().collect())
    }
}

impl Factors {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of(&self, term: TermId) -> f64 {
        self.0.get(&term).copied().unwrap_or(1.0)
    }

    /// Learns factors from some pairs.
    pub(crate) fn learn(judged: &Judged, pairs: &[usize], options: FactorOptions) -> Self {
        let FactorOptions { strength, prior } = options;
        let none = Self::none();
        let mut counts = [0.0f64; 2];
        let mut shared: FxHashMap<TermId, [f64; 2]> = FxHashMap::default();
        for &at in pairs {
            let pair = &judged.pairs[at];
            let kind = usize::from(pair.similar);
            counts[kind] += 1.0;
            judged.shared(
                pair,
                |_| 1.0,
                |term, part| {
                    shared.entry(term).or_default()[kind] += part;
                },
            );
        }
        let mean = |sum: f64, kind: usize| sum / counts[kind].max(1.0);
        let all = |kind: usize| mean(shared.values().map(|sums| sums[kind]).sum(), kind);
        let (of_similar, of_different) = (all(1), all(0));
        if of_similar <= 0.0 || of_different <= 0.0 {
            return none;
        }
        let factor = |[different, similar]: [f64; 2]| {
            let ratio = (mean(similar, 1) / of_similar + prior)
                / (mean(different, 0) / of_different + prior);
            libm::pow(ratio, strength).clamp(TermFactor::MIN, TermFactor::MAX)
        };
        let factors = shared.into_iter().map(|(term, shared)| (term, factor(shared)));
        factors.filter(|(_, factor)| (factor - 1.0).abs() >= MIN).collect()
    }

    /// Returns the factors with the texts of terms, largest changes first. Terms without texts in
    /// the crawl are omitted.
    pub(crate) fn named(&self, crawl: &CrawlFolder) -> Result<Vec<TermFactor>, CrawlFolderError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let terms = crawl.terms()?.into_iter().filter_map(|(id, term)| {
            let &factor = self.0.get(&id)?;
            // Rounded to thousandths, so that the file has the precision that is reported.
            let factor = (factor * 1_000.0).round() / 1_000.0;
            Some(TermFactor { stem: term.stem.into(), word: term.word.into(), factor })
        });
        let mut named: Vec<TermFactor> = terms.collect();
        let change = |factor: f64| libm::log(factor).abs();
        named.sort_by(|a, b| {
            change(b.factor).total_cmp(&change(a.factor)).then_with(|| a.stem.cmp(&b.stem))
        });
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_known_values() {
        // Similar pairs share half of their bags in term 1, others half in term 2, and all a tenth
        // in 3.
        let bag = |shared: TermId, own: TermId| vec![(shared, 5), (3, 1), (own, 4)];
        let bags = vec![bag(1, 10), bag(1, 11), bag(2, 12), bag(2, 13)];
        let bags: Vec<_> = bags
            .into_iter()
            .map(|mut bag| {
                bag.sort_unstable();
                bag
            })
            .collect();
        let judged = Judged::from_bags(bags, &[(0, 1, true), (2, 3, false)]);
        // A and B are both 0.6.
        let options = FactorOptions { strength: 0.5, prior: 1.0 / 6.0 };
        let factors = Factors::learn(&judged, &[0, 1], options);
        // sqrt(0.6 / 0.1), sqrt(0.1 / 0.6), and 1, which is omitted.
        assert!((factors.of(1) - 6.0f64.sqrt()).abs() < 1e-12);
        assert!((factors.of(2) - (1.0 / 6.0f64).sqrt()).abs() < 1e-12);
        assert_eq!((factors.of(3), factors.of(10), factors.0.len()), (1.0, 1.0, 2));
        let bold = FactorOptions { strength: 1.0, prior: 0.01 };
        assert_eq!(Factors::learn(&judged, &[0, 1], bold).of(1), TermFactor::MAX);
        assert_eq!(Factors::learn(&judged, &[0, 1], bold).of(2), TermFactor::MIN);
    }
}
