//! Computes the weights of terms from their frequencies, `(f(tf) g(df))^power`, and keeps the
//! heaviest.
//!
//! ```text
//! f    1, tf, sqrt(tf), 1 + ln(tf)
//! g    1
//!      ln(N / df)                              idf
//!      exp(-((ln df - mu) / sigma)^2 / 2)      NMDF
//! ```
//!
//! N is the number of pages, and df the number of pages that contain the term. mu and sigma are the
//! mean and the standard deviation of `ln df` over the terms that count: those on at least `min-df`
//! pages and at most `max-df` percent of the pages (Haveliwala, Gionis, Klein and Indyk 2002).

use rayon::prelude::*;

use crate::evaluate::represent::bags::Bags;
use crate::evaluate::settings::setting::{FrequencyWeight, RarityWeight, Setting};

/// Number of pages up to which a term always counts, as in a build.
const ALWAYS_COUNTS: u32 = 10;

/// Returns the weights of terms by their document frequencies; 0 if they do not count.
pub(crate) fn rarities(df: &[u32], pages: usize, setting: &Setting) -> Vec<f32> {
    let most = ((pages as f64 * f64::from(setting.max_df) / 100.0) as u32).max(ALWAYS_COUNTS);
    let counts = |df: u32| df >= setting.min_df && df <= most;
    let log = |df: u32| libm::log(f64::from(df));
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for &df in df.iter().filter(|&&df| counts(df)) {
        n += 1.0;
        sum += log(df);
        squares += log(df) * log(df);
    }
    let mu = sum / f64::max(n, 1.0);
    let sigma = f64::max(squares / f64::max(n, 1.0) - mu * mu, 0.0).sqrt();
    let weigh = |&df: &u32| {
        if !counts(df) {
            return 0.0;
        }
        let weight = match setting.rarity {
            RarityWeight::None => 1.0,
            RarityWeight::Idf => libm::log(pages as f64 / f64::from(df)),
            RarityWeight::Nmdf if sigma == 0.0 => 1.0,
            RarityWeight::Nmdf => {
                let z = (log(df) - mu) / sigma;
                libm::exp(-z * z / 2.0)
            }
        };
        weight as f32
    };
    // Each document frequency has one weight, and there are fewer of them than terms.
    let mut known = vec![f32::NAN; df.iter().max().map_or(0, |&most| most as usize + 1)];
    df.iter()
        .map(|df| {
            let weight = &mut known[*df as usize];
            if weight.is_nan() {
                *weight = weigh(df);
            }
            *weight
        })
        .collect()
}

/// Returns the weight of a frequency.
fn frequency(tf: f32, by: FrequencyWeight) -> f32 {
    match by {
        FrequencyWeight::Binary => 1.0,
        FrequencyWeight::Linear => tf,
        FrequencyWeight::SquareRoot => tf.sqrt(),
        FrequencyWeight::Logarithm if tf > 1.0 => 1.0 + libm::logf(tf),
        FrequencyWeight::Logarithm => tf,
    }
}

/// Returns the weights of the heaviest terms of each page; ties go to the first.
pub(crate) fn weigh(bags: &Bags, rarities: &[f32], setting: &Setting) -> Bags {
    let pages = (0..bags.len())
        .into_par_iter()
        .map(|page| {
            let mut weights: Vec<(u32, f32)> = bags
                .page(page)
                .iter()
                .filter(|(term, _)| rarities[*term as usize] > 0.0)
                .map(|&(term, tf)| {
                    let weight = frequency(tf, setting.frequency) * rarities[term as usize];
                    let power = setting.power;
                    (term, if power == 1.0 { weight } else { libm::powf(weight, power) })
                })
                .collect();
            let most = setting.most.map_or(usize::MAX, |most| most as usize);
            if weights.len() > most {
                weights
                    .select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                weights.truncate(most);
                weights.sort_unstable_by_key(|entry| entry.0);
            }
            weights
        })
        .collect();
    Bags::from_sorted(pages, bags.terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(text: &str) -> Setting {
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(found: &[f32], expected: &[f32]) {
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(found.len() == expected.len() && near, "{found:?}, {expected:?}");
    }

    #[test]
    fn rarities_match_the_formulas() {
        let df = [0, 1, 2, 8, 40, 51];
        check(&rarities(&df, 100, &setting("max-df=50")), &[0.0, 0.0, 3.9120, 2.5257, 0.9163, 0.0]);
        check(
            &rarities(&df, 100, &setting("rarity=none;min-df=1;max-df=8")),
            &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0],
        );
        // ln 2, ln 8 and ln 32 have the mean 3 ln 2 and the standard deviation 2 sqrt(2 / 3) ln 2.
        let edge = (-0.5f32 * 4.0 / (8.0 / 3.0)).exp();
        check(&rarities(&[2, 8, 32], 100, &setting("rarity=nmdf;max-df=100")), &[edge, 1.0, edge]);
        check(&rarities(&[3, 3], 100, &setting("rarity=nmdf")), &[1.0, 1.0]);
    }

    #[test]
    fn weights_match_the_formulas() {
        let bags = Bags::new(vec![vec![(0, 4.0), (1, 1.0), (2, 0.5), (3, 9.0)]], 4);
        let rarities = [2.0, 3.0, 4.0, 0.0];
        let weights = |text: &str| {
            let weighted = weigh(&bags, &rarities, &setting(text));
            weighted.page(0).iter().map(|entry| entry.1).collect::<Vec<_>>()
        };
        check(&weights("frequency=tf"), &[8.0, 3.0, 2.0]);
        check(&weights("frequency=sqrt"), &[4.0, 3.0, 4.0 * 0.5f32.sqrt()]);
        check(&weights("frequency=log"), &[2.0 * (1.0 + 4f32.ln()), 3.0, 2.0]);
        check(&weights("frequency=binary;power=2"), &[4.0, 9.0, 16.0]);
        check(&weights("frequency=tf;most=2"), &[8.0, 3.0]);
    }

    #[test]
    fn among_equally_heavy_terms_the_first_are_kept() {
        let bags = Bags::new(vec![vec![(0, 1.0), (1, 1.0), (2, 2.0), (3, 1.0)]], 4);
        let weighted = weigh(&bags, &[1.0; 4], &setting("most=2;frequency=tf"));
        assert_eq!(weighted.page(0), [(0, 1.0), (2, 2.0)]);
    }
}
