//! Terms that a file assigns to pages, with weights: from a learned sparse retrieval model, or from
//! a list of synonyms.

use std::path::Path;

use pagekin_pages::Observer;
use serde::Deserialize;

use crate::build::error::BuildError;
use crate::build::external::lines::{ExternalFile, Names};

/// Lighter terms are ignored. This is less than half of the lowest class of emphasis.
const MIN: f32 = 1.0 / 16.0;

#[derive(Deserialize)]
struct Line {
    page: String,
    term: String,
    weight: f32,
}

/// The terms of a file.
#[derive(Debug)]
pub(crate) struct ExternalTerms {
    file: ExternalFile,
    terms: Names,
    /// Numbers of page names and of terms, and weights: 12 bytes per line.
    lines: Vec<(u32, u32, f32)>,
}

impl ExternalTerms {
    pub(crate) fn read(path: &Path) -> Result<Self, BuildError> {
        let (mut terms, mut lines) = (Names::default(), Vec::new());
        let expected = "{\"page\": …, \"term\": …, \"weight\": a number that is at least 0}";
        let each = |page: Option<u32>, line: &Line| {
            // JSON has no NaN, but numbers too large for a float become infinite.
            if !(line.weight >= 0.0 && line.weight.is_finite()) {
                return Err(format!("the weight {}", line.weight));
            }
            if let Some(page) = page.filter(|_| line.weight >= MIN) {
                lines.push((page, terms.number(&line.term), line.weight));
            }
            Ok(())
        };
        let file =
            ExternalFile::read("terms", expected, path, |line: &Line| Some(&line.page), each)?;
        Ok(Self { file, terms, lines })
    }

    /// Assigns the terms to pages with these URLs.
    pub(crate) fn of_pages<'a>(
        &self,
        urls: impl Iterator<Item = &'a str>,
        base_url: &str,
        observer: &dyn Observer,
    ) -> Result<TermsOfPages<'_>, BuildError> {
        let pages = self.file.pages(urls, base_url, observer)?;
        let of_page =
            |&(page, term, weight): &(u32, u32, f32)| Some((pages[page as usize]?, term, weight));
        let mut lines: Vec<_> = self.lines.iter().filter_map(of_page).collect();
        lines.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        Ok(TermsOfPages { terms: self.terms.in_order(), lines })
    }
}

/// The assigned terms of pages, unanalyzed.
#[derive(Debug, Default)]
pub(crate) struct TermsOfPages<'a> {
    terms: Vec<&'a str>,
    /// Page, term and weight, in the order of the pages.
    lines: Vec<(u32, u32, f32)>,
}

impl<'a> TermsOfPages<'a> {
    /// Takes pages with terms and weights, in the order of the pages.
    #[cfg(test)]
    pub(crate) fn new(given: &[(u32, &'a str, f32)]) -> Self {
        let terms = given.iter().map(|&(_, term, _)| term).collect();
        Self {
            terms,
            lines: (0..).zip(given).map(|(at, &(page, _, weight))| (page, at, weight)).collect(),
        }
    }

    /// The terms of a page, with their weights.
    pub(crate) fn of(&self, page: usize) -> impl Iterator<Item = (&str, f64)> {
        let start = self.lines.partition_point(|line| (line.0 as usize) < page);
        let of_page = self.lines[start..].iter().take_while(move |line| line.0 as usize == page);
        of_page.map(|&(_, term, weight)| (self.terms[term as usize], f64::from(weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;

    fn read(lines: &str) -> Result<ExternalTerms, BuildError> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("terms");
        std::fs::write(&path, lines).unwrap();
        ExternalTerms::read(&path)
    }

    #[test]
    fn terms_are_assigned_to_their_pages_and_light_ones_are_dropped() {
        let line = |page, term, weight| {
            format!("{{\"page\":\"{page}\",\"term\":\"{term}\",\"weight\":{weight}}}\n")
        };
        let lines = [
            line("/b", "rye", "2"),
            line("/gone", "oats", "1"),
            line("/a", "rye", "0.5"),
            line("/b", "bread", "1"),
            line("/b", "malt", "0.06"),
        ];
        let terms = read(&lines.concat()).unwrap();
        let terms = terms.of_pages(["/a", "/b", "/c"].into_iter(), "/", &Silent).unwrap();
        let of = |page| terms.of(page).collect::<Vec<_>>();
        assert_eq!(of(0), [("rye", 0.5)]);
        assert_eq!(of(1), [("rye", 2.0), ("bread", 1.0)]);
        assert_eq!((of(2), of(3)), (vec![], vec![]));
        for (weight, found) in
            [("-1", "the weight -1"), ("1e99", "the weight inf"), ("NaN", "expected value")]
        {
            let error = read(&[&lines[0], &line("/a", "x", weight)[..]].concat()).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("line 2") && error.contains(found), "{error}");
        }
    }
}
