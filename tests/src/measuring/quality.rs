//! The quality of answers compared with the exact results.
//!
//! A query has *true kin* if the similarity of its tenth best page, or of its best page for
//! best-first, is at least 0.2. Quality is reported for those queries, and in bands of that
//! similarity also for queries with less similar results.
//!
//! *Tie-aware recall@10* is the share of the 10 results whose exact similarity is at least that of
//! the true tenth best minus 0.005. *Best first* means that the first result is as similar as the
//! true best, minus 0.005.

use std::fmt;

use serde::Serialize;

/// Number of results that are evaluated.
pub const TOP: usize = 10;
const TOLERANCE: f64 = 0.005;
/// The lower limits of the bands. The last band is that of true kin.
const BANDS: [f64; 3] = [0.03, 0.1, 0.2];

/// The quality of the answers to some queries.
#[derive(Debug, Clone, Serialize)]
pub struct Quality {
    /// The number of queries whose true best is true kin.
    pub with_kin: usize,
    /// The number of queries whose true tenth best is true kin.
    pub with_ten_kin: usize,
    /// The tie-aware recall@10.
    pub recall_at_10: f64,
    /// The share of the queries with true kin whose best result is first.
    pub best_first: f64,
    /// The quality by the similarity of the true results.
    pub bands: Vec<Band>,
}

/// The quality of the queries whose true tenth best, or true best, has a similarity of at least
/// `from` and less than `below`.
#[derive(Debug, Clone, Serialize)]
pub struct Band {
    /// The minimum similarity.
    pub from: f64,
    /// The minimum of the next band, if there is one.
    pub below: Option<f64>,
    /// The number of queries whose true tenth best is in the band.
    pub queries: usize,
    /// Their tie-aware recall@10.
    pub recall: f64,
    /// The number of queries whose true best is in the band.
    pub with_best: usize,
    /// The share of these whose best result is first.
    pub best_first: f64,
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below {
            Some(below) => write!(f, "{} to {below}", self.from),
            None => write!(f, "from {}", self.from),
        }
    }
}

impl Quality {
    /// Evaluates queries, given their highest true similarities and the exact similarities of their
    /// results, each in the order of the answer.
    #[must_use]
    pub fn new(truths: &[Vec<f64>], answers: impl IntoIterator<Item = Vec<f64>>) -> Self {
        // For each band, the number of queries and the sum of their quality.
        let mut recalls = BANDS.map(|_| (0, 0.0));
        let mut firsts = BANDS.map(|_| (0, 0.0));
        for (truth, answer) in truths.iter().zip(answers) {
            let found = |at: usize| answer.get(at).copied().unwrap_or(0.0);
            if let Some((tenth, band)) = band_of(truth.get(TOP - 1)) {
                let good = (0..TOP).filter(|&at| found(at) >= tenth - TOLERANCE).count();
                recalls[band].0 += 1;
                recalls[band].1 += good as f64 / TOP as f64;
            }
            if let Some((best, band)) = band_of(truth.first()) {
                firsts[band].0 += 1;
                firsts[band].1 += f64::from(u8::from(found(0) >= best - TOLERANCE));
            }
        }
        let mean = |(queries, sum): (usize, f64)| sum / queries.max(1) as f64;
        let band = |at: usize| Band {
            from: BANDS[at],
            below: BANDS.get(at + 1).copied(),
            queries: recalls[at].0,
            recall: mean(recalls[at]),
            with_best: firsts[at].0,
            best_first: mean(firsts[at]),
        };
        let kin = BANDS.len() - 1;
        Self {
            with_kin: firsts[kin].0,
            with_ten_kin: recalls[kin].0,
            recall_at_10: mean(recalls[kin]),
            best_first: mean(firsts[kin]),
            bands: (0..BANDS.len()).map(band).collect(),
        }
    }
}

/// Returns a similarity and its band, unless it is below all bands.
fn band_of(similarity: Option<&f64>) -> Option<(f64, usize)> {
    let similarity = *similarity?;
    let band = BANDS.iter().rposition(|from| similarity >= *from)?;
    Some((similarity, band))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_count_in_the_band_of_their_results() {
        let truth = |best: f64, tenth: f64| {
            let mut truth = vec![tenth; TOP];
            truth[0] = best;
            truth
        };
        let truths = [truth(0.9, 0.25), truth(0.15, 0.05), truth(0.02, 0.01), vec![0.1]];
        // The first query finds five of ten but not its best result, the second only its best, the
        // others nothing.
        let answers = [vec![0.25; 5], vec![0.15], vec![], vec![]];
        let quality = Quality::new(&truths, answers);
        let bands: Vec<_> = quality
            .bands
            .iter()
            .map(|band| (band.queries, band.recall, band.with_best, band.best_first))
            .collect();
        assert_eq!(bands, [(1, 0.1, 0, 0.0), (0, 0.0, 2, 0.5), (1, 0.5, 1, 0.0)]);
        assert_eq!((quality.with_ten_kin, quality.recall_at_10), (1, 0.5));
        assert_eq!((quality.with_kin, quality.best_first), (1, 0.0));
        assert_eq!(quality.bands[1].to_string(), "0.1 to 0.2");
    }
}
