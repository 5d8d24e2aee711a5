//! How the URLs of a crawl are paired: which tables, what passes them, and what that is expected to find.

use pagekin_core::Preset;
use pagekin_core::lsh::{TableRules, Tables};

use super::choosing::{self, Background, Choice, CurvePoint, Wish};
use super::clustering::{ClusterOptions, TableOptions, Verification};
use super::collapsing::Collapsed;
use super::error::CrawlError;
use super::extracting::{self, ExtractOptions, ExtractReport, PairBatch};
use super::signatures::SignatureColumns;
use super::threshold::Threshold;
use crate::observer::{Observer, Stage};

/// What is asked of tables, for signatures of `m` values.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    options: &'a ClusterOptions,
    tables: TableOptions,
    m: u16,
}

impl<'a> Rules<'a> {
    pub(super) fn new(options: &'a ClusterOptions, tables: TableOptions, m: u16) -> Self {
        Self { options, tables, m }
    }

    /// The values that are compared.
    pub(super) fn compared(self) -> u16 {
        self.tables.compared.unwrap_or(self.m)
    }

    /// In what part signatures must agree. They err: where bags have the last word, whoever agrees less than the threshold
    /// by a standard deviation, `sqrt(t (1 - t) / compared)`, may be similar enough.
    fn filter(self) -> Threshold {
        let threshold = self.options.threshold;
        if self.tables.verification == Verification::Signatures {
            return threshold;
        }
        let t = threshold.value();
        let deviation = (t * (1.0 - t) / f64::from(self.compared().max(1))).sqrt();
        let lower = threshold.thousandths().saturating_sub((1_000.0 * deviation).round() as u16);
        Threshold::of_thousandths(lower.max(1)).unwrap_or(threshold)
    }

    /// The predicted recall at some similarities.
    pub(super) fn curve(self, choice: &Choice) -> Vec<CurvePoint> {
        choosing::curve(choice, self.m, self.compared(), self.filter())
    }

    /// The part of the pairs of a similarity that is expected to be found.
    pub(super) fn found(self, choice: &Choice, similarity: f64) -> f64 {
        let (compared, filter) = (self.compared(), self.filter());
        choosing::curve_at(similarity, choice, self.m, compared, filter).found
    }

    /// The tables for some pages.
    pub(super) fn choose(
        self,
        columns: &SignatureColumns,
        pages: &[u32],
        observer: &dyn Observer,
    ) -> Result<Choice, CrawlError> {
        let ClusterOptions { threshold, seed, preset, .. } = *self.options;
        let (k, l) = match preset {
            Preset::Web => (None, None),
            Preset::Paper => (Wish::paper().k, Wish::paper().l),
        };
        let (k, l) = (self.tables.k.or(k), self.tables.l.or(l));
        let background = Background::sample(columns, pages, seed);
        let choice = choosing::choose(&background, &Wish { k, l, ..Wish::new(threshold) }, self.m)?;
        if !choice.is_enough && l.is_none() {
            observer.warn(&format!(
                "{} tables of {} values find only {:.0} % of the pairs at the threshold; more tables would cost too much. A higher \
                 --threshold improves recall",
                choice.l,
                choice.k,
                100.0 * choice.recall
            ));
        }
        Ok(choice)
    }

    /// Gives the pairs that pass to `push`: first each representative with each of its twins, then those of the tables,
    /// each once, with the number of values in which they agree.
    pub(super) fn extract(
        self,
        columns: &SignatureColumns,
        twins: &Collapsed,
        choice: &Choice,
        observer: &dyn Observer,
        mut push: impl FnMut(u32, u32, u16) -> Result<(), CrawlError>,
    ) -> Result<ExtractReport, CrawlError> {
        let rules = TableRules::Independent { k: choice.k, l: choice.l };
        let tables = Tables::new(rules, self.m, self.options.seed)
            .expect("tables are chosen of at most m values");
        let options = ExtractOptions {
            threshold: self.filter(),
            most_in_bucket: ExtractOptions::MOST_IN_BUCKET,
        };
        for (u, v) in twins.stars() {
            push(u, v, self.compared())?;
        }
        observer.stage(Stage::Pairing, choice.l.into());
        let mut through = 0;
        let sink = |batch: PairBatch<'_>| {
            observer.advance((batch.tables - through).into());
            through = batch.tables;
            if observer.cancelled() {
                return Err(CrawlError::Interrupted);
            }
            batch.pairs.iter().try_for_each(|pair| push(pair.u, pair.v, pair.agreeing))
        };
        extracting::extract(columns, &twins.representatives(), &tables, options, sink)
    }
}
