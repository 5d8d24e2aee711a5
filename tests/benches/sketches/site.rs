//! Bags of the pages of a site, as a crawl weighs them, and errors on their pairs.

use std::fs;
use std::path::Path;

use pagekin_core::Preset;
use pagekin_core::bag::{Bag, BagRules, Rounding};
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::{Analyzer, Language, StopLists, for_each_word};
use pagekin_core::vocabulary::{DfLimits, TermId};
use pagekin_crawl::cluster::bags::collapse::UrlTerms;
use pagekin_crawl::cluster::bags::frequencies::Frequencies;
use pagekin_crawl::cluster::bags::from_fragments::weigh;
use pagekin_crawl::cluster::bags::weights::Weights;
use pagekin_crawl::folder::format::url_key;
use pagekin_pages::site::html::{is_html_name, read_html};
use pagekin_pages::site::word_ids::word_id;
use pagekin_research::sketch::measures::generalised_jaccard;
use pagekin_research::sketch::weights::WeightedBag;
use pagekin_tests::measuring::Failure;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;
use walkdir::WalkDir;

use crate::VALUES;
use crate::errors::Errors;
use crate::ways::Way;

/// Pairs that are sketched.
const PAIRS: usize = 2_000;
/// Pairs are those from here on.
const ALIKE: f64 = 0.1;
const SEED: u64 = 7;

#[derive(Debug, Serialize)]
pub(crate) struct SiteErrors {
    pub(crate) site: String,
    pub(crate) pages: usize,
    pub(crate) mean_terms: f64,
    pub(crate) pairs: usize,
    pub(crate) errors: Vec<Errors>,
    /// How far the similarity of copies is from that of weights, before anything is sketched.
    pub(crate) rounding: Errors,
}

/// The bags of a site by the preset `web`: copies and weights.
fn bags(folder: &Path) -> Result<(Vec<Bag>, Vec<Bag>), Failure> {
    let mut paths: Vec<_> = WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file() && is_html_name(entry.path()))
        .map(walkdir::DirEntry::into_path)
        .collect();
    paths.sort_unstable();
    // Words that nearly all pages have are left out by their frequency.
    let stop = StopLists::new();
    let of_page = |path: &std::path::PathBuf| -> Result<UrlTerms, String> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let page = read_html(&bytes).page;
        let language = Language::from_tag(&page.lang).unwrap_or_else(Language::english);
        let analyzer = Analyzer::new(&language, &stop);
        let mut counts: FxHashMap<TermId, u32> = FxHashMap::default();
        for_each_word(&page.text, |word| {
            if let Some(term) = analyzer.term(word) {
                *counts.entry(word_id(&term)).or_default() += 1;
            }
        });
        let mut terms: Vec<(TermId, u32)> = counts.into_iter().collect();
        terms.sort_unstable();
        let url = format!("https://localhost/{}", path.display());
        let (title, language) = (page.title, String::new());
        Ok(UrlTerms { url, title, language, fragments: 1, terms })
    };
    let mut urls: Vec<UrlTerms> = paths.par_iter().map(of_page).collect::<Result<_, _>>()?;
    urls.sort_by_cached_key(|url| (url_key(&url.url), url.url.clone()));
    let mut frequencies = Frequencies::default();
    frequencies.count(&urls);
    let weights = Weights::new(&frequencies, DfLimits::for_pages(frequencies.urls()));
    let rules = Preset::Web.params(SEED).bag;
    // The same terms weigh as much, but no weight is off by more than a 65,535th.
    let exact = BagRules { sum: u16::MAX, rounding: Rounding::LargestRemainder, ..rules };
    let copies = weigh(urls.clone(), &weights, &rules)?;
    Ok((copies.bags, weigh(urls, &weights, &exact)?.bags))
}

pub(crate) fn measure(folder: &Path) -> Result<SiteErrors, Failure> {
    let (copies, exact) = bags(folder)?;
    let weighted: Vec<WeightedBag> = exact.iter().map(WeightedBag::from).collect();
    let alike: Vec<(usize, usize)> = (0..exact.len())
        .into_par_iter()
        .flat_map_iter(|u| {
            let similarity = |v: usize| Overlap::of(&exact[u], &exact[v]).jaccard();
            let is_alike = |v: &usize| (ALIKE..1.0).contains(&similarity(*v));
            (u + 1..exact.len()).filter(is_alike).map(|v| (u, v)).collect::<Vec<_>>()
        })
        .collect();
    let apart = alike.len().div_ceil(PAIRS).max(1);
    let pairs: Vec<(usize, usize)> = alike.into_iter().step_by(apart).collect();
    let of_way = |way: Way| {
        let of_pair = |(at, &(u, v)): (usize, &(usize, usize))| {
            // Another seed for each pair, so that errors are independent.
            let ready = way.ready(VALUES, SEED ^ (at as u64) << 16);
            let (a, b) = (&weighted[u], &weighted[v]);
            (way.exact(a, b), ready.estimate(a, b))
        };
        let found: Vec<(f64, f64)> =
            pairs.par_iter().enumerate().map(|(at, pair)| of_pair((at, pair))).collect();
        Errors::of(way.name(), &found, VALUES)
    };
    let rounded: Vec<(f64, f64)> = pairs
        .par_iter()
        .map(|&(u, v)| {
            let exact = generalised_jaccard(&weighted[u], &weighted[v]);
            (exact, Overlap::of(&copies[u], &copies[v]).jaccard())
        })
        .collect();
    let terms: usize = exact.iter().map(|bag| bag.entries().len()).sum();
    Ok(SiteErrors {
        site: folder.display().to_string(),
        pages: exact.len(),
        mean_terms: terms as f64 / exact.len().max(1) as f64,
        pairs: pairs.len(),
        errors: Way::ALL.into_iter().map(of_way).collect(),
        rounding: Errors::of("copies, not sketched".to_owned(), &rounded, VALUES),
    })
}
