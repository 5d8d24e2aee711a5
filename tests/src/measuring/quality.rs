//! How good answers are beside the exact truth.
//!
//! A query has *true kin* if its tenth best page, or its best if asked for that, has a similarity of at least 0.2;
//! quality is told for those.
//!
//! *Tie-aware recall@10*: of the 10 answers, the part whose exact similarity is at least that of the true tenth best
//! less 0.005. *Best first*: the first answer is as similar as the true best, less 0.005.

use serde::Serialize;

/// The answers that are looked at.
pub const TOP: usize = 10;
const TOLERANCE: f64 = 0.005;
const TRUE_KIN: f64 = 0.2;
/// From which similarity of the true tenth best on recall is told apart.
const BANDS: [f64; 3] = [TRUE_KIN, 0.3, 0.5];

/// How good the answers to some queries are.
#[derive(Debug, Clone, Serialize)]
pub struct Quality {
    /// Queries whose true best is true kin.
    pub with_kin: usize,
    /// Queries whose true tenth best is.
    pub with_ten_kin: usize,
    /// Tie-aware.
    pub recall_at_10: f64,
    /// By the similarity of the true tenth best.
    pub recall_by_tenth: Vec<Band>,
    /// Of the queries with true kin, the part whose best comes first.
    pub best_first: f64,
}

/// The recall of the queries whose true tenth best has at least the similarity `from`, and less than that of the next
/// band.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs)]
pub struct Band {
    pub from: f64,
    pub queries: usize,
    pub recall: f64,
}

impl Quality {
    /// Of queries with these greatest true similarities, and of the exact similarities of their answers, each in the
    /// order of the answer.
    #[must_use]
    pub fn of(truths: &[Vec<f64>], answers: impl IntoIterator<Item = Vec<f64>>) -> Self {
        let mut bands = BANDS.map(|from| Band { from, queries: 0, recall: 0.0 });
        let (mut recall, mut ten, mut first, mut one) = (0.0, 0, 0, 0);
        for (truth, answer) in truths.iter().zip(answers) {
            let found = |at: usize| answer.get(at).copied().unwrap_or(0.0);
            if let Some(&tenth) = truth.get(TOP - 1)
                && tenth >= TRUE_KIN
            {
                let good = (0..TOP).filter(|&at| found(at) >= tenth - TOLERANCE).count();
                let part = good as f64 / TOP as f64;
                recall += part;
                ten += 1;
                if let Some(band) = bands.iter_mut().rfind(|band| tenth >= band.from) {
                    band.recall += part;
                    band.queries += 1;
                }
            }
            if let Some(&best) = truth.first()
                && best >= TRUE_KIN
            {
                first += usize::from(found(0) >= best - TOLERANCE);
                one += 1;
            }
        }
        for band in &mut bands {
            band.recall /= band.queries.max(1) as f64;
        }
        Self {
            with_kin: one,
            with_ten_kin: ten,
            recall_at_10: recall / ten.max(1) as f64,
            recall_by_tenth: bands.into(),
            best_first: first as f64 / one.max(1) as f64,
        }
    }
}
