//! How the URLs of a crawl are paired: which tables, what passes them, and what that is expected to
//! find.

use pagekin_core::Preset;
use pagekin_core::lsh::{TableRules, Tables};

use crate::crawl::error::CrawlError;
use crate::crawl::options::{ClusterOptions, TableOptions, Verification};
use crate::crawl::pairs::bucket_join::{ExtractOptions, ExtractReport};
use crate::crawl::pairs::choose_tables;
use crate::crawl::pairs::choose_tables::{Background, Choice, CurvePoint, Wish};
use crate::crawl::pairs::extract;
use crate::crawl::pairs::extract::PairBatch;
use crate::crawl::signatures::columns::SignatureColumns;
use crate::crawl::threshold::Threshold;
use crate::progress::{Observer, Stage};

/// What is asked of tables, for signatures of `m` values.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    options: &'a ClusterOptions,
    tables: TableOptions,
    m: u16,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(options: &'a ClusterOptions, tables: TableOptions, m: u16) -> Self {
        Self { options, tables, m }
    }

    /// The values that are compared.
    pub(crate) fn compared(self) -> u16 {
        self.tables.compared.unwrap_or(self.m)
    }

    /// In what part signatures must agree. They err: where bags have the last word, whoever agrees
    /// less than the threshold by a standard deviation, `sqrt(t (1 - t) / compared)`, may be
    /// similar enough.
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
    pub(crate) fn curve(self, choice: &Choice) -> Vec<CurvePoint> {
        choose_tables::curve(choice, self.m, self.compared(), self.filter())
    }

    /// The part of the pairs of a similarity that is expected to be found.
    pub(crate) fn found(self, choice: &Choice, similarity: f64) -> f64 {
        let (compared, filter) = (self.compared(), self.filter());
        choose_tables::curve_at(similarity, choice, self.m, compared, filter).found
    }

    /// The tables for some pages.
    pub(crate) fn choose(
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
        let choice =
            choose_tables::choose(&background, &Wish { k, l, ..Wish::new(threshold) }, self.m)?;
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

    /// Gives the pairs of some pages that pass to `push`, each once, with the number of values in
    /// which they agree.
    pub(crate) fn extract(
        self,
        columns: &SignatureColumns,
        pages: &[u32],
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
        extract::extract(columns, pages, &tables, options, sink)
    }
}
