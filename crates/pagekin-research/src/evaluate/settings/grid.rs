//! Expands lines with several values per key to settings.
//!
//! A line is a setting whose keys may have several values, separated by commas. It represents all
//! combinations. A file contains one such line per line; text after `#` is a comment.

use rustc_hash::FxHashSet;

use crate::evaluate::settings::setting::{Setting, SettingError, parts};

/// Maximum number of settings in a grid.
const MAX: u64 = 100_000;

/// The settings of the paper's figures: representations, hybrids, distance, weights, stemming, the
/// measure, and the cocitation of Dean and Henzinger. Weights and stemming are varied for windows
/// of 32 words weighted by distance, and for content. All terms of a page count, including those on
/// one page and those on all pages, as in the paper.
const PAPER: &str = "
representation=anchor:0,anchor:4,anchor:8,anchor:16,anchor:32,anchor:syntactic,anchor:topical,link,content;min-df=1;max-df=100;most=all
representation=content,anchor:32,content+anchor:32,content+link,anchor:32+link,content+anchor:32+link;min-df=1;max-df=100;most=all
representation=anchor:8,anchor:16,anchor:32,anchor:topical,content+anchor:32;distance=none,log;min-df=1;max-df=100;most=all
representation=anchor:32,content+anchor:32;distance=log;frequency=tf,sqrt,log;rarity=none,idf,nmdf;min-df=1;max-df=100;most=all
representation=content;frequency=tf,sqrt,log;rarity=none,idf,nmdf;min-df=1;max-df=100;most=all
representation=anchor:32,content+anchor:32;distance=log;stemming=none,stop-stem,stem,stem-stop;min-df=1;max-df=100;most=all
representation=content;stemming=none,stop-stem,stem,stem-stop;min-df=1;max-df=100;most=all
representation=content,anchor:32;measure=jaccard,cosine;min-df=1;max-df=100;most=all
representation=link;measure=common;rarity=none;frequency=binary;min-df=1;max-df=100;most=all
";

/// An overview for a site: what its related pages are, and what else they could be.
const DEFAULT: &str = "
measure=bag;floor=0.05,0
measure=jaccard,cosine,bm25
measure=jaccard,cosine,bm25;identifiers=no,whole
measure=jaccard,cosine,bm25;stemming=none
measure=jaccard,cosine,bm25;frequency=tf,log
measure=jaccard,cosine,bm25;rarity=nmdf
measure=jaccard,cosine,bm25;power=1.5,2
measure=jaccard,cosine,bm25;most=128,256,all
measure=jaccard,cosine,bm25;min-df=1
measure=jaccard,cosine,bm25;titles=2,4
measure=jaccard,cosine,bm25;identifiers=whole;titles=8;power=0.5,0.7,1;most=64,256,all;max-df=20,50,100
representation=content,content+anchor:8,content+anchor:32,content+link;measure=cosine;identifiers=whole;titles=8;power=0.6;most=256;max-df=100
measure=cosine;identifiers=whole;titles=8;power=0.6;most=256;max-df=100;folder=0,0.2;linked=0,0.4;cocited=0,0.5
";

/// Settings to compare, without duplicates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    settings: Vec<Setting>,
    /// The settings in written form, to detect duplicates.
    known: FxHashSet<String>,
}

impl Grid {
    /// Returns the settings of the figures of Haveliwala, Gionis, Klein and Indyk, *Evaluating
    /// Strategies for Similarity Search on the Web* (2002).
    #[must_use]
    pub fn paper() -> Self {
        PAPER.parse().unwrap_or_default()
    }

    /// Returns an overview grid for a site.
    #[must_use]
    pub fn overview() -> Self {
        DEFAULT.parse().unwrap_or_default()
    }

    /// Returns the settings in the order in which they were first added.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// Adds the settings of a line, except those already in the grid.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is invalid, or expands to too many settings.
    pub fn push(&mut self, line: &str) -> Result<(), SettingError> {
        let parts: Vec<(&'static str, Vec<&str>)> = parts(line)?
            .into_iter()
            .map(|(key, values)| (key, values.split(',').map(str::trim).collect()))
            .collect();
        let combinations =
            |all: u64, (_, values): &(&str, Vec<&str>)| all.saturating_mul(values.len() as u64);
        let found = parts.iter().fold(1, combinations).saturating_add(self.settings.len() as u64);
        if found > MAX {
            return Err(SettingError::TooMany { found, most: MAX });
        }
        let mut settings = vec![Setting::default()];
        for (key, values) in parts {
            let mut varied = Vec::with_capacity(settings.len() * values.len());
            for setting in &settings {
                for value in &values {
                    let mut setting = *setting;
                    setting.set(key, value)?;
                    varied.push(setting);
                }
            }
            settings = varied;
        }
        for setting in settings {
            if self.known.insert(setting.to_string()) {
                self.settings.push(setting);
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for Grid {
    type Err = SettingError;

    /// Parses a file with a grid.
    fn from_str(text: &str) -> Result<Self, SettingError> {
        let mut grid = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let in_line = |error| SettingError::Line { line: number, error: Box::new(error) };
                grid.push(line).map_err(in_line)?;
            }
        }
        if grid.settings.is_empty() { Err(SettingError::Empty) } else { Ok(grid) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(grid: &Grid) -> Vec<String> {
        grid.settings().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_expand_to_all_combinations_without_duplicates() {
        let grid: Grid = "measure=jaccard, cosine;most=64,all # two by two\n\n  # nothing\nmost=all;power=2\nmeasure=cosine"
            .parse()
            .unwrap();
        let expected = [
            "representation=content",
            "most=all",
            "measure=cosine",
            "most=all;measure=cosine",
            "power=2;most=all",
        ];
        assert_eq!(written(&grid), expected);
    }

    #[test]
    fn errors_contain_the_line_number() {
        let error = |text: &str| text.parse::<Grid>().unwrap_err().to_string();
        assert_eq!(
            error("most=all\n# x\nmeasure=cosine,dice"),
            "line 3 of the grid: measure is \"dice\": expected bag, jaccard, cosine, bm25 or common"
        );
        assert!(error(" # nothing").starts_with("the grid has no settings"));
        let values: Vec<String> = (1..=400).map(|n| n.to_string()).collect();
        let values = values.join(",");
        assert!(
            error(&format!("most={values};min-df={values}"))
                .contains("has 160000 settings: expected at most 100000")
        );
    }

    #[test]
    fn every_setting_of_the_paper_uses_all_terms() {
        for setting in Grid::paper().settings() {
            let limits = (setting.min_df, setting.max_df, setting.most);
            assert_eq!(limits, (1, 100.0, None), "{setting}");
        }
    }

    #[test]
    fn named_grids_are_valid() {
        for (grid, lines) in [(Grid::paper(), PAPER), (Grid::overview(), DEFAULT)] {
            assert_eq!(Ok(&grid), lines.parse().as_ref());
            assert!(grid.settings().len() >= 50, "{}", grid.settings().len());
        }
    }
}
