//! Chooses the tables and the filter that pair URLs, and predicts their recall.

use pagekin_core::Preset;
use pagekin_core::lsh::{TableRules, Tables};
use pagekin_pages::Observer;
use pagekin_pairs::pairs::bucket_join::{ExtractOptions, ExtractReport};
use pagekin_pairs::pairs::choose_tables::{Background, Requirements};
use pagekin_pairs::pairs::extract::PairBatch;
use pagekin_pairs::pairs::{choose_tables, extract};
use pagekin_pairs::signatures::columns::SignatureColumns;
use pagekin_pairs::{Choice, CurvePoint, PairsError, Threshold};

use crate::cluster::error::CrawlError;
use crate::cluster::options::{ClusterOptions, TableOptions};

/// How pairs are searched with tables, for signatures of `m` values.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    options: &'a ClusterOptions,
    tables: TableOptions,
    m: u16,
}

impl<'a> Rules<'a> {
    pub fn new(options: &'a ClusterOptions, tables: TableOptions, m: u16) -> Self {
        Self { options, tables, m }
    }

    /// Returns the minimum similarity of a pair of bags.
    pub(crate) fn threshold(self) -> Threshold {
        self.options.threshold
    }

    /// Returns the minimum share of equal values of two signatures. Signatures are estimates, so
    /// this is the threshold minus one standard deviation, `sqrt(t (1 - t) / m)`.
    pub fn filter(self) -> Threshold {
        let usual = self.options.threshold;
        let t = usual.value();
        let deviation = (t * (1.0 - t) / f64::from(self.m.max(1))).sqrt();
        let lower = usual.thousandths().saturating_sub((1_000.0 * deviation).round() as u16);
        Threshold::from_thousandths(lower.max(1)).unwrap_or(usual)
    }

    /// Returns the predicted recall at some similarities.
    pub(crate) fn curve(self, choice: &Choice) -> Vec<CurvePoint> {
        choose_tables::curve(choice, self.m, self.filter())
    }

    /// Returns the expected share of the pairs with a similarity that is found.
    pub(crate) fn found(self, choice: &Choice, similarity: f64) -> f64 {
        choose_tables::curve_at(similarity, choice, self.m, self.filter()).found
    }

    /// Chooses tables for some pages.
    pub(crate) fn choose(
        self,
        columns: &SignatureColumns,
        pages: &[u32],
    ) -> Result<Choice, CrawlError> {
        Ok(self.chosen(&Background::sample(columns, pages, self.options.seed))?)
    }

    /// Chooses tables for pages with this background.
    pub fn chosen(self, background: &Background) -> Result<Choice, PairsError> {
        let (k, l) = match self.options.preset {
            Preset::Web => (None, None),
            Preset::Paper => (Requirements::paper().k, Requirements::paper().l),
        };
        let (k, l) = (self.tables.k.or(k), self.tables.l.or(l));
        let wish = Requirements { k, l, ..Requirements::new(self.options.threshold) };
        choose_tables::choose(background, &wish, self.m)
    }

    /// Warns if tables find too few pairs, unless their number was requested.
    pub(crate) fn warn(self, choice: &Choice, observer: &dyn Observer) {
        let is_requested = self.tables.l.is_some() || self.options.preset == Preset::Paper;
        if !choice.is_enough && !is_requested {
            observer.warn(&format!(
                "{} tables of {} values find only {:.0}% of the pairs at the threshold; more tables would cost too much. A higher \
                 --threshold improves recall",
                choice.l,
                choice.k,
                100.0 * choice.recall
            ));
        }
    }

    /// Passes each pair of `pages` that passes the filter to `push` once. Calls `through` with the
    /// number of tables processed.
    pub(crate) fn extract(
        self,
        columns: &SignatureColumns,
        pages: &[u32],
        choice: &Choice,
        mut through: impl FnMut(u16) -> Result<(), CrawlError>,
        mut push: impl FnMut(u32, u32) -> Result<(), CrawlError>,
    ) -> Result<ExtractReport, CrawlError> {
        let rules = TableRules::Independent { k: choice.k, l: choice.l };
        let tables = Tables::new(rules, self.m, self.options.seed)
            .expect("tables are chosen of at most m values");
        let options =
            ExtractOptions { threshold: self.filter(), max_in_bucket: self.options.max_in_bucket };
        let sink = |batch: PairBatch<'_>| {
            through(batch.tables)?;
            batch.pairs.iter().try_for_each(|pair| push(pair.u, pair.v))
        };
        extract::extract(columns, pages, &tables, options, sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::progress::Warnings;

    #[test]
    fn tables_that_find_too_few_pairs_are_reported_unless_requested() {
        let warnings_of = |preset, l, is_enough| {
            let options = ClusterOptions { preset, ..ClusterOptions::new("") };
            let rules = Rules::new(&options, TableOptions { l, ..TableOptions::default() }, 80);
            let choice = Choice {
                k: 3,
                l: 7,
                recall: 0.614,
                cut: 0.0,
                candidates: 1.0,
                work: 1.0,
                is_enough,
            };
            let warnings = Warnings::default();
            rules.warn(&choice, &warnings);
            warnings.0.into_inner().unwrap()
        };
        let warnings = warnings_of(Preset::Web, None, false);
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("7 tables of 3 values find only 61%")
        );
        for (preset, l, is_enough) in [
            (Preset::Web, None, true),
            (Preset::Web, Some(7), false),
            (Preset::Paper, None, false),
            (Preset::Paper, Some(7), false),
        ] {
            assert_eq!(warnings_of(preset, l, is_enough), [""; 0]);
        }
    }

    #[test]
    fn signatures_may_agree_less_by_a_standard_deviation() {
        let filter = |thousandths, m| {
            let threshold = Threshold::from_thousandths(thousandths).unwrap();
            let options = ClusterOptions { threshold, ..ClusterOptions::new("") };
            Rules::new(&options, TableOptions::default(), m).filter().thousandths()
        };
        // The root of 0.5 * 0.5 / 100, and of 0.2 * 0.8 / 64.
        assert_eq!([filter(500, 100), filter(200, 64), filter(1_000, 9)], [450, 150, 1_000]);
        assert_eq!([filter(10, 1), filter(500, 0)], [1, 1]);
    }
}
