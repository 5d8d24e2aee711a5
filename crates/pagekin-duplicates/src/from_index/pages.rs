//! The near-duplicates among the pages of an index.
//!
//! By its sketches it is known which pages may be near-duplicates
//! ([`estimates`](crate::from_index::estimates)). If the pages are at hand these alone
//! are read, and compared as those of a site; or else it is told what the sketches say.

use std::path::{Path, PathBuf};

use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::Manifest;
use pagekin_index::Folder;
use pagekin_pages::{Observer, OptionError, SkipReason, Stage};
use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compare::{Laps, compare};
use crate::error::DuplicatesError;
use crate::found::{Duplicates, DuplicatesSeconds};
use crate::from_index::estimates::{Estimates, with_doubt};
use crate::options::{Algorithm, DuplicateOptions};
use crate::pair::{PagePair, PairKind};
use crate::texts::SitePage;
use crate::{groups, texts};

/// The least resemblance that sketches can be asked for: below, most pages have too much in common
/// with others by their template.
pub(crate) const LEAST: f64 = 0.5;
/// Pages of at most this many runs of ten words are read, whatever their sketches say: they may be
/// compared by shorter runs.
const MAX_SHORT: u32 = 112;
/// So many pages are looked for in a folder, to see whether it is that of the site.
const LOOKED_FOR: usize = 32;

pub(crate) fn find(
    path: &Path,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Duplicates, DuplicatesError> {
    if options.min < LEAST {
        return Err(OptionError {
            option: "min",
            expected: "0.5 to 1 for an index, whose sketches cannot detect less. Pass the folder of the site",
            found: options.min.to_string(),
        }.into());
    }
    let mut laps = Laps::begin();
    observer.stage(Stage::Opening, 0);
    let index = Indexed::read(path)?;
    let reading = laps.lap();
    let site = match &options.pages {
        Some(site) => Some(site.clone()),
        None => index.site_around(path),
    };
    let indexed = Some(index.pages.len() as u64);
    let found = match site {
        Some(site) => index.by_their_pages(site, options, observer)?,
        None => index.by_sketches_alone(options, observer)?,
    };
    let seconds = DuplicatesSeconds { reading: found.seconds.reading + reading, ..found.seconds };
    Ok(Duplicates { indexed, seconds, ..found })
}

/// What an index knows.
struct Indexed {
    base_url: String,
    /// The most values of a sketch.
    values: u16,
    /// Those that have a text, by the shortest address and the alphabet.
    pages: Vec<IndexedPage>,
}

struct IndexedPage {
    url: String,
    title: String,
    sketch: Sketch,
}

impl Indexed {
    fn read(path: &Path) -> Result<Self, DuplicatesError> {
        let folder = Folder::open(path)?;
        let Manifest { base_url, sketch_values, sketches, .. } = folder.index().manifest();
        if sketches.shards == 0 {
            return Err(DuplicatesError::NoSketches { path: path.to_owned() });
        }
        let mut sketches: FxHashMap<u32, Sketch> = folder.sketches()?.into_iter().collect();
        let mut pages = Vec::with_capacity(sketches.len());
        for (number, record) in folder.numbered_records()? {
            if let Some(sketch) = sketches.remove(&number).filter(|sketch| sketch.shingles > 0) {
                pages.push(IndexedPage { url: record.url, title: record.title, sketch });
            }
        }
        let length = |page: &IndexedPage| texts::address_length(&page.url);
        pages.sort_by(|a, b| length(a).cmp(&length(b)).then_with(|| a.url.cmp(&b.url)));
        Ok(Self { base_url: base_url.clone(), values: *sketch_values, pages })
    }

    /// The folder that holds the index, if it has the pages of it.
    fn site_around(&self, path: &Path) -> Option<PathBuf> {
        let folder = std::path::absolute(path).ok()?.parent()?.to_owned();
        let looked_for = self.pages.iter().step_by(self.pages.len().div_ceil(LOOKED_FOR).max(1));
        let n = looked_for.clone().count();
        let is_there = |page: &&IndexedPage| {
            let below = page.url.strip_prefix(self.base_url.as_str()).unwrap_or(&page.url);
            let path = percent_decode_str(below.trim_start_matches('/')).decode_utf8_lossy();
            let file = folder.join(&*path);
            file.is_file()
                || (file.is_dir() && (below.is_empty() || below.ends_with('/')))
                || folder.join(format!("{path}.html")).is_file()
        };
        let found = looked_for.filter(is_there).count();
        (2 * found > n).then_some(folder)
    }

    /// The sketches, each once, and the pages that have each, ascending.
    fn different(&self) -> (Vec<&Sketch>, Vec<Vec<u32>>) {
        let (mut sketches, mut pages) = (Vec::new(), Vec::<Vec<u32>>::new());
        let mut numbers: FxHashMap<&Sketch, usize> = FxHashMap::default();
        for (number, IndexedPage { sketch, .. }) in (0..).zip(&self.pages) {
            let at = *numbers.entry(sketch).or_insert_with(|| {
                sketches.push(sketch);
                pages.push(Vec::new());
                pages.len() - 1
            });
            pages[at].push(number);
        }
        (sketches, pages)
    }

    /// Reads the pages that may be near-duplicates, from the folder of the site.
    fn by_their_pages(
        &self,
        site: PathBuf,
        options: &DuplicateOptions,
        observer: &dyn Observer,
    ) -> Result<Duplicates, DuplicatesError> {
        let mut laps = Laps::begin();
        let (sketches, copies) = self.different();
        let estimates = Estimates::of(&sketches);
        let mut pairs =
            estimates.near(with_doubt(options.min, self.values), options.min, observer)?;
        if options.algorithm == Algorithm::Copies {
            pairs.extend(estimates.quoting(observer)?);
        }
        let mut wanted: FxHashSet<&str> = FxHashSet::default();
        // Of short texts one word that is another is in most runs that a sketch has.
        let short = (0..).zip(&sketches).filter(|(_, sketch)| sketch.shingles <= MAX_SHORT);
        let short = short.map(|(text, _)| text);
        let in_pairs = pairs.iter().flat_map(|&(a, b)| [a, b]).chain(short);
        let in_pairs = in_pairs.map(|text: u32| &copies[text as usize]);
        for pages in in_pairs.chain(copies.iter().filter(|pages| pages.len() > 1)) {
            wanted.extend(pages.iter().map(|&page| self.pages[page as usize].url.as_str()));
        }
        let seen = laps.lap();

        let options = DuplicateOptions {
            sites: vec![site.clone()],
            reading: options.reading.clone().with(|reading| {
                reading.base_url.clone_from(&self.base_url);
                reading.clean_urls = !self.pages.iter().any(|page| page.url.ends_with(".html"));
            }),
            ..options.clone()
        };
        let mut listed = texts::list(&options, observer)?;
        let indexed: FxHashSet<_> = self.pages.iter().map(|page| page.url.as_str()).collect();
        listed.leave_out(|file| match file.url.as_str() {
            url if wanted.remove(url) => None,
            url if indexed.contains(url) => Some(SkipReason::Unlike),
            _ => Some(SkipReason::NotIndexed),
        });
        let example = wanted.iter().min();
        if let Some(example) = example {
            if listed.files().next().is_none() {
                let (pages, example) = (wanted.len() as u64, (*example).to_owned());
                return Err(DuplicatesError::OtherSite { path: site, pages, example });
            }
            observer.warn(&format!(
                "{} pages of the index are no longer in {}, for example {example}: skipped",
                wanted.len(),
                site.display()
            ));
        }
        let read = texts::read(listed, &options, observer)?;
        let reading = laps.lap();
        let mut found = compare(read, &options, reading, observer)?;
        found.seconds.pairing += seen;
        Ok(found)
    }

    /// What the sketches tell.
    fn by_sketches_alone(
        &self,
        options: &DuplicateOptions,
        observer: &dyn Observer,
    ) -> Result<Duplicates, DuplicatesError> {
        if !matches!(options.algorithm, Algorithm::Copies | Algorithm::Shingles) {
            return Err(OptionError {
                option: "algorithm",
                expected: "copies or shingles when only an index is available. Pass the folder of its pages with --site",
                found: format!("{:?}", options.algorithm).to_lowercase(),
            }.into());
        }
        let mut laps = Laps::begin();
        let (sketches, copies) = self.different();
        let estimates = Estimates::of(&sketches);
        let near = estimates.near(options.min, options.min, observer)?;
        let pairing = laps.lap();
        let pairs: Vec<PagePair> = near
            .par_iter()
            .map(|&(x, y)| {
                let [a, b] = [x, y].map(|text| copies[text as usize][0]);
                let shared = estimates.shared(x, y);
                let kind = match estimates.are_same_but_numbers(x, y) {
                    true => PairKind::SameButNumbers,
                    false => PairKind::NearDuplicate,
                };
                PagePair { a, b, kind, shared, similarities: None }
            })
            .collect();
        let alike = |text| (estimates.shared(text, text), None);
        let n = self.pages.len() as u32;
        let (pairs, groups) = groups::with_copies(pairs, &copies, alike, n);
        let page = |page: &IndexedPage| SitePage {
            url: page.url.clone(),
            title: page.title.clone(),
            // It has at least so many.
            tokens: u64::from(page.sketch.shingles),
            ..SitePage::default()
        };
        Ok(Duplicates {
            base_url: self.base_url.clone(),
            pages: self.pages.iter().map(page).collect(),
            estimated: true,
            pairs,
            groups,
            texts: copies.len() as u64,
            compared: near.len() as u64,
            seconds: DuplicatesSeconds {
                pairing,
                comparing: laps.lap(),
                ..DuplicatesSeconds::default()
            },
            ..Duplicates::default()
        })
    }
}
