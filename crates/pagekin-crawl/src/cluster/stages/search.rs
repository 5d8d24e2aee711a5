//! Searches candidate pairs by signatures, in each class with tables chosen for it. In small
//! classes, all bags are compared.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_core::bag::Bag;
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::Choice;
use pagekin_pairs::disk::columns::NumberFile;
use pagekin_pairs::minhash::SignedBy;
use pagekin_pairs::pairs::bucket_join::ExtractReport;
use pagekin_pairs::pairs::exact_join;
use pagekin_pairs::pairs::verify::SimilarPair;
use pagekin_pairs::signatures::columns::SignatureColumns;
use pagekin_pairs::signatures::equal::Deduplicated;
use pagekin_pairs::signatures::{equal, file};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::columns::BagFiles;
use crate::cluster::classes::parts::ClassPart;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::pairs::rules::Rules;

/// Maximum number of URLs in a class whose pairs are all compared: 2 million comparisons cost as
/// much as choosing tables. Tests have classes of both kinds.
const SMALL: usize = if cfg!(test) { 40 } else { 2_048 };
/// URLs of small classes whose bags are in memory at a time, plus one class.
const WAVE: usize = 1 << 16;

/// Takes a candidate pair, with the lower URL first.
pub(crate) type Push<'a> = dyn FnMut(u32, u32) -> Result<(), CrawlError> + 'a;

/// How pairs were searched.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Searched {
    /// Tables per class that has some. Without classes, only number 0.
    pub(crate) choices: BTreeMap<u32, Choice>,
    /// The largest class with tables, and its number of paired URLs.
    pub(crate) largest: Option<(u32, u64)>,
    /// Number of classes whose pairs were all compared.
    pub(crate) compared_classes: u32,
    /// Totals of all classes.
    pub(crate) report: ExtractReport,
}

/// The parameters of a search.
pub(crate) struct Search<'a> {
    pub(crate) rules: Rules<'a>,
    pub(crate) signatures: &'a Path,
    pub(crate) hashes: &'a Path,
    pub(crate) signed_by: &'a SignedBy,
    pub(crate) observer: &'a dyn Observer,
}

impl Search<'_> {
    /// Returns the memory per URL for its signature of `m` values and for grouping.
    pub(crate) fn bytes_of_url(m: u16) -> u64 {
        2 * u64::from(m) + 80
    }

    /// Searches the pairs of all parts of the crawl with these bags. Returns how they were found
    /// and the lowest twin of each URL.
    pub(crate) fn all(
        &self,
        parts: &[ClassPart],
        bags: &mut BagFiles,
        push: &mut Push<'_>,
    ) -> Result<(Searched, Vec<u32>), CrawlError> {
        let mut searched = Searched::default();
        let mut lowest: Vec<u32> = (0..bags.len()).collect();
        for part in parts {
            let twins = self.part(part, bags, &mut searched, push)?;
            for (first, twin) in twins.stars() {
                lowest[part.url(twin) as usize] = part.url(first);
            }
        }
        let choice = searched.largest.and_then(|(class, _)| searched.choices.get(&class));
        if let Some(choice) = choice {
            self.rules.warn(choice, self.observer);
        }
        Ok((searched, lowest))
    }

    /// Searches the pairs of a part. Returns its twins, numbered within the part.
    fn part(
        &self,
        part: &ClassPart,
        bags: &mut BagFiles,
        searched: &mut Searched,
        push: &mut Push<'_>,
    ) -> Result<Deduplicated, CrawlError> {
        let columns = file::read(self.signatures, self.signed_by, part.urls())
            .map_err(CrawlError::signatures(self.signatures))?;
        let is_all = part.classes().is_empty();
        let mut equal = equal::collapse(&columns);
        if !is_all {
            let classes: Vec<u64> = part.classes().iter().copied().map(u64::from).collect();
            equal = equal.divided(&classes);
        }
        let twins = equal.divided(&self.hashes(part)?);
        let classes = part.by_class(twins.representatives());
        if !is_all {
            self.observer.stage(Stage::Pairing, classes.len() as u64);
        }
        let (small, large): (Vec<_>, Vec<_>) =
            classes.into_iter().partition(|(_, pages)| !is_all && pages.len() <= SMALL);
        self.compare(part, &small, bags, searched, push)?;

        let large: FxHashSet<u32> = large.into_iter().map(|(class, _)| class).collect();
        let parts = equal.parts(&twins);
        let mut push = |u, v| push(part.url(u), part.url(v));
        let mut of_large = parts.pairs().filter(|&(u, _)| large.contains(&part.class(u)));
        of_large.try_for_each(|(u, v)| push(u, v))?;
        let mut push = |u, v| parts.expand(u, v, &mut push);
        for (class, pages) in part.by_class(equal.representatives()) {
            if large.contains(&class) {
                self.by_tables(&columns, class, &pages, is_all, searched, &mut push)?;
                self.observer.advance(u64::from(!is_all));
            }
        }
        Ok(twins)
    }

    /// Compares all bags in small classes, because signatures would miss some pairs.
    fn compare(
        &self,
        part: &ClassPart,
        small: &[(u32, Vec<u32>)],
        bags: &mut BagFiles,
        searched: &mut Searched,
        push: &mut Push<'_>,
    ) -> Result<(), CrawlError> {
        let mut rest = small;
        while !rest.is_empty() {
            check(self.observer)?;
            let mut urls = 0;
            let fits = |(_, pages): &&(u32, Vec<u32>)| {
                let fits = urls < WAVE;
                urls += pages.len();
                fits
            };
            let (wave, after) = rest.split_at(rest.iter().take_while(fits).count());
            rest = after;
            let mut of_class = Vec::with_capacity(wave.len());
            for (_, pages) in wave {
                let urls = pages.iter().map(|&page| part.url(page));
                of_class.push(bags.each(urls).at(self.signatures)?);
            }
            let join = |bags: &Vec<(u32, Bag)>| exact_join::join(bags, self.rules.threshold());
            let found: Vec<Vec<SimilarPair>> = of_class.par_iter().map(join).collect();
            for ((_, pages), pairs) in wave.iter().zip(found) {
                let (urls, made) = (pages.len() as u64, pairs.len() as u64);
                let tried = pairs_among(urls);
                let report = ExtractReport { tried, passed: made, made, ..Default::default() };
                searched.report.add(&report);
                pairs.iter().try_for_each(|pair| push(pair.u, pair.v))?;
            }
            searched.compared_classes += wave.len() as u32;
            self.observer.advance(wave.len() as u64);
        }
        Ok(())
    }

    /// Searches pairs of `pages` with tables chosen for them. If these are all pages, each table is
    /// a step of the stage.
    fn by_tables(
        &self,
        columns: &SignatureColumns,
        class: u32,
        pages: &[u32],
        is_all: bool,
        searched: &mut Searched,
        push: &mut Push<'_>,
    ) -> Result<(), CrawlError> {
        let choice = self.rules.choose(columns, pages)?;
        if is_all {
            self.observer.stage(Stage::Pairing, choice.l.into());
        }
        let mut before = 0;
        let through = |tables: u16| {
            if is_all {
                self.observer.advance((tables - before).into());
                before = tables;
            }
            Ok(check(self.observer)?)
        };
        let report = self.rules.extract(columns, pages, &choice, through, push)?;
        searched.report.add(&report);
        searched.choices.insert(class, choice);
        let urls = pages.len() as u64;
        if searched.largest.is_none_or(|(_, max)| urls > max) {
            searched.largest = Some((class, urls));
        }
        Ok(())
    }

    /// Returns a hash of the bag of each URL in a part.
    fn hashes(&self, part: &ClassPart) -> Result<Vec<u64>, CrawlError> {
        let all = NumberFile::<u64>::open(self.hashes).and_then(|mut file| file.all());
        let all = all.at(self.hashes)?;
        let missing = || {
            let what = "expected a hash of each URL, found fewer";
            std::io::Error::new(std::io::ErrorKind::InvalidData, what)
        };
        let Some(urls) = part.urls() else { return Ok(all) };
        let hash = |&url: &u32| all.get(url as usize).copied().ok_or_else(missing);
        urls.iter().map(hash).collect::<Result<_, _>>().at(self.hashes)
    }
}

/// Returns the number of pairs of `urls` URLs.
fn pairs_among(urls: u64) -> u64 {
    urls * urls.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        for urls in 0..20 {
            let counted = (0..urls).flat_map(|a| a + 1..urls).count();
            assert_eq!(pairs_among(urls), counted as u64);
        }
    }
}
