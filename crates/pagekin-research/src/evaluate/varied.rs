//! Compares settings that differ in one key by its values: the effect of one choice, all else being
//! equal.

use std::collections::BTreeMap;

use crate::evaluate::evaluation::{Evaluation, Scored, Scores};
use crate::evaluate::settings::setting::KEYS;

/// A key with several values among the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// One of [`KEYS`].
    pub key: &'static str,
    /// The values in the order of the grid, with the mean of each score over all groups.
    pub values: Vec<(String, Scores)>,
    /// Number of groups of settings that are equal in all other keys and have each of these values.
    pub groups: u64,
}

/// Returns the keys with several values among an evaluation's settings.
///
/// Settings that are equal in all other keys form a group. The values of a key are those of the
/// first of its largest groups, and only groups with all of these values count.
#[must_use]
pub fn vary(evaluation: &Evaluation) -> Vec<Varied> {
    KEYS.into_iter().filter_map(|key| vary_key(key, &evaluation.scored)).collect()
}

fn vary_key(key: &'static str, scored: &[Scored]) -> Option<Varied> {
    let mut groups: BTreeMap<Vec<String>, Vec<(String, Scores)>> = BTreeMap::new();
    // The groups in order of their first occurrence.
    let mut seen: Vec<Vec<String>> = Vec::new();
    for Scored { setting, scores } in scored {
        let others: Vec<String> =
            KEYS.iter().filter(|other| **other != key).map(|other| setting.get(other)).collect();
        let group = groups.entry(others.clone()).or_default();
        if group.is_empty() {
            seen.push(others);
        }
        group.push((setting.get(key), *scores));
    }
    let most = groups.values().map(Vec::len).max().filter(|&most| most > 1)?;
    let first = seen.iter().find(|others| groups[*others].len() == most)?;
    let values: Vec<String> = groups[first].iter().map(|(value, _)| value.clone()).collect();
    let of = |group: &[(String, Scores)], value: &String| {
        group.iter().find(|(other, _)| other == value).map(|&(_, scores)| scores)
    };
    let whole: Vec<Vec<Scores>> = groups
        .values()
        .filter_map(|group| values.iter().map(|value| of(group, value)).collect())
        .collect();
    let column = |at: usize| Scores::mean(whole.iter().map(|group| group[at]));
    let means = (0..values.len()).map(column).collect::<Vec<_>>();
    let groups = whole.len() as u64;
    Some(Varied { key, values: values.into_iter().zip(means).collect(), groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluation::EvaluationSeconds;
    use crate::evaluate::settings::grid::Grid;
    use crate::evaluate::truth::classes::UnknownUrls;

    #[test]
    fn values_are_compared_with_all_else_being_equal() {
        let grid: Grid =
            "measure=jaccard,cosine;power=1,2\nmeasure=bm25;power=1\nmost=all".parse().unwrap();
        let scores = |at: u32| Scores { linked: Some(f64::from(at)), ..Scores::default() };
        let scored = grid.settings().iter().zip(0..);
        let evaluation = Evaluation {
            html_files: 0,
            ledger: pagekin_pages::Ledger::default(),
            pages: 0,
            sources: 0,
            words: 0,
            classes: None,
            unknown_urls: UnknownUrls::default(),
            links: None,
            listings: 0,
            scored: scored.map(|(&setting, at)| Scored { setting, scores: scores(at) }).collect(),
            seconds: EvaluationSeconds { reading: 0.0, measuring: 0.0 },
        };
        let found: Vec<String> = vary(&evaluation)
            .iter()
            .map(|varied| {
                let values = varied.values.iter();
                let values = values.map(|(value, scores)| format!("{value} {:?}", scores.linked));
                format!("{} {} {}", varied.key, varied.groups, values.collect::<Vec<_>>().join(" "))
            })
            .collect();
        // The scores: jaccard 0 and 1, cosine 2 and 3, bm25 4, all terms 5.
        assert_eq!(
            found,
            [
                "power 2 1 Some(1.0) 2 Some(2.0)",
                "most 1 64 Some(0.0) all Some(5.0)",
                "measure 1 jaccard Some(0.0) cosine Some(2.0) bm25 Some(4.0)",
            ]
        );
    }
}
