//! Finds the near-duplicates among the pages of an index.
//!
//! The sketches of the index show which pages may be near-duplicates
//! ([`estimates`](crate::from_index::estimates)). If the files of the pages are available, only
//! these pages are read, and compared like those of a site. Otherwise, the result is estimated from
//! the sketches.

use std::path::{Path, PathBuf};

use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::Manifest;
use pagekin_index::LocalIndex;
use pagekin_pages::{Observer, OptionError, SkipReason, Stage};
use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compare::{Laps, compare};
use crate::error::DuplicatesError;
use crate::found::{Duplicates, DuplicatesSeconds};
use crate::from_index::estimates::{Estimates, with_margin};
use crate::options::{Algorithm, DuplicateOptions};
use crate::pair::{PagePair, PairKind};
use crate::texts::SitePage;
use crate::{groups, texts};

/// Minimum resemblance that sketches can detect. Below it, most pages share too much of their
/// template with others.
pub(crate) const MIN: f64 = 0.5;
/// Pages with at most this many runs of ten words are always read, since they may be compared by
/// shorter runs.
const MAX_SHORT: u32 = 112;
/// Number of pages that are checked to find out whether a folder is that of the site.
const SAMPLE: usize = 32;

pub(crate) fn find(
    path: &Path,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Duplicates, DuplicatesError> {
    if options.min < MIN {
        return Err(OptionError {
            option: "threshold",
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

/// The pages of an index.
struct Indexed {
    base_url: String,
    /// Maximum number of values per sketch.
    values: u16,
    /// Pages with a text, shortest URLs first, then in alphabetical order.
    pages: Vec<IndexedPage>,
}

struct IndexedPage {
    url: String,
    title: String,
    sketch: Sketch,
}

impl Indexed {
    fn read(path: &Path) -> Result<Self, DuplicatesError> {
        let folder = LocalIndex::open(path)?;
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

    /// Returns the folder that contains the index, if it contains most of the pages.
    fn site_around(&self, path: &Path) -> Option<PathBuf> {
        let folder = std::path::absolute(path).ok()?.parent()?.to_owned();
        let sample = self.pages.iter().step_by(self.pages.len().div_ceil(SAMPLE).max(1));
        let n = sample.clone().count();
        let is_there = |page: &&IndexedPage| {
            let below = page.url.strip_prefix(self.base_url.as_str()).unwrap_or(&page.url);
            let path = percent_decode_str(below.trim_start_matches('/')).decode_utf8_lossy();
            let file = folder.join(&*path);
            file.is_file()
                || (file.is_dir() && (below.is_empty() || below.ends_with('/')))
                || folder.join(format!("{path}.html")).is_file()
        };
        let found = sample.filter(is_there).count();
        (2 * found > n).then_some(folder)
    }

    /// Returns the distinct sketches, and the pages with each, ascending.
    fn distinct_sketches(&self) -> (Vec<&Sketch>, Vec<Vec<u32>>) {
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

    /// Reads the pages that may be near-duplicates from the folder of the site, and compares them.
    fn by_their_pages(
        &self,
        site: PathBuf,
        options: &DuplicateOptions,
        observer: &dyn Observer,
    ) -> Result<Duplicates, DuplicatesError> {
        let mut laps = Laps::begin();
        let (sketches, copies) = self.distinct_sketches();
        let estimates = Estimates::new(&sketches);
        let mut pairs =
            estimates.near(with_margin(options.min, self.values), options.min, observer)?;
        if options.algorithm == Algorithm::Copies {
            pairs.extend(estimates.quoting(observer)?);
        }
        let mut wanted: FxHashSet<&str> = FxHashSet::default();
        // In a short text, one changed word affects most runs of a sketch.
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
        listed.skip(|file| match file.url.as_str() {
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

    /// Estimates near-duplicates from the sketches.
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
        let (sketches, copies) = self.distinct_sketches();
        let estimates = Estimates::new(&sketches);
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
        let shared_by_copies = |text| (estimates.shared(text, text), None);
        let n = self.pages.len() as u32;
        let (pairs, groups) = groups::with_copies(pairs, &copies, shared_by_copies, n);
        let page = |page: &IndexedPage| SitePage {
            url: page.url.clone(),
            title: page.title.clone(),
            // The text has at least this many.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::passage;
    use pagekin_index::{Assets, BuildOptions, build};
    use pagekin_pages::Silent;
    use pagekin_pages::progress::Warnings;
    use std::fs;

    /// Paths and texts of pages: copies, near-duplicates, a quotation of half of a page, different
    /// numbers, short pages with one word changed, and an unrelated page.
    fn texts() -> Vec<(&'static str, String)> {
        let release = |number: u32| passage(3_000..3_150) + &format!("release {number}");
        vec![
            ("a.html", passage(0..200)),
            ("copies/index.html", passage(0..200)),
            ("near.html", passage(0..199) + "other"),
            ("quotes.html", passage(0..100) + &passage(1_000..1_080)),
            ("r/1.html", release(1)),
            ("r/2.html", release(2)),
            ("short.html", passage(4_000..4_040)),
            ("short-too.html", passage(4_000..4_020) + "other " + &passage(4_021..4_040)),
            ("unlike.html", passage(2_000..2_200)),
        ]
    }

    /// Creates a site in the folder `site` and its index in `index`, inside or next to it.
    fn indexed(index: &str, change: impl FnOnce(&mut BuildOptions)) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for (path, text) in texts() {
            let path = place.path().join("site").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let html = format!("<html lang=en><title>T {text:.4}</title><main><p>{text}</main>");
            fs::write(path, html).unwrap();
        }
        let options = BuildOptions::new(place.path().join("site"), place.path().join(index));
        build(&options.with(change), &Assets::default(), &Silent).unwrap();
        place
    }

    fn options(place: &tempfile::TempDir, index: &str) -> DuplicateOptions {
        DuplicateOptions::new(place.path().join(index))
    }

    fn find(
        options: &DuplicateOptions,
        observer: &dyn Observer,
    ) -> Result<Duplicates, DuplicatesError> {
        super::find(&options.sites[0], options, observer)
    }

    /// Returns the pairs by URL.
    fn pairs(found: &Duplicates) -> Vec<(&str, &str, PairKind)> {
        let url = |page: u32| found.pages[page as usize].url.as_str();
        let mut pairs: Vec<_> =
            found.pairs.iter().map(|pair| (url(pair.a), url(pair.b), pair.kind)).collect();
        pairs.sort_unstable();
        pairs
    }

    fn addresses(found: &Duplicates) -> Vec<&str> {
        let mut urls: Vec<_> = found.pages.iter().map(|page| page.url.as_str()).collect();
        urls.sort_unstable();
        urls
    }

    const CLOSE: [(&str, &str, PairKind); 3] = [
        ("/a.html", "/copies/", PairKind::Copy),
        ("/a.html", "/near.html", PairKind::NearDuplicate),
        ("/r/1.html", "/r/2.html", PairKind::SameButNumbers),
    ];

    #[test]
    fn an_index_within_its_site_selects_the_pages_to_read() {
        let place = indexed("site/index", |_| {});
        let site = place.path().join("site");
        fs::write(site.join("later.html"), format!("<main>{}", passage(0..200))).unwrap();
        let found = find(&options(&place, "site/index"), &Silent).unwrap();
        let short = ("/short.html", "/short-too.html", PairKind::NearDuplicate);
        let quoting = [
            ("/a.html", "/quotes.html", PairKind::Passages),
            ("/near.html", "/quotes.html", PairKind::Passages),
            short,
        ];
        let mut expected = [&CLOSE[..], &quoting].concat();
        expected.sort_unstable();
        assert_eq!(pairs(&found), expected);
        assert_eq!((found.indexed, found.estimated), (Some(9), false));
        assert_eq!((found.base_url.as_str(), &found.sites[..]), ("/", &[site.clone()][..]));
        let skipped = |reason| {
            found.ledger.skipped.get(&reason).map(|skipped| (skipped.count, skipped.first()))
        };
        assert_eq!(skipped(SkipReason::Unlike), Some((1, "unlike.html")));
        assert_eq!(skipped(SkipReason::NotIndexed), Some((1, "later.html")));
        // Without quotations, the quoting page is not similar to any other.
        let shingles =
            options(&place, "site/index").with(|options| options.algorithm = Algorithm::Shingles);
        let found = find(&shingles, &Silent).unwrap();
        assert_eq!(pairs(&found), [&CLOSE[..2], &[CLOSE[2], short]].concat());
        assert!(!addresses(&found).contains(&"/quotes.html"));
    }

    #[test]
    fn an_index_elsewhere_gives_estimates() {
        let place = indexed("index", |_| {});
        let found = find(&options(&place, "index"), &Silent).unwrap();
        assert_eq!(pairs(&found), CLOSE);
        let number = |url: &str| found.pages.iter().position(|page| page.url == url).unwrap();
        let page = &found.pages[number("/quotes.html")];
        let (url, title) = ("/quotes.html".to_owned(), "T waaa".to_owned());
        let expected = SitePage { url, title, tokens: 171, ..SitePage::default() };
        assert_eq!((page, found.pages.len()), (&expected, 9));
        // A copy shares the whole sample; near-duplicates share 190 of 192 runs of ten words.
        let copy = found.pairs.iter().find(|pair| pair.kind == PairKind::Copy).unwrap();
        assert_eq!((copy.shared.resemblance(), copy.similarities), (1.0, None));
        let near = found.pairs.iter().find(|pair| pair.kind == PairKind::NearDuplicate).unwrap();
        assert!((0.9..=1.0).contains(&near.shared.resemblance()), "{near:?}");
        let sizes: Vec<_> = found.groups.iter().map(|group| group.members.len()).collect();
        assert_eq!(sizes, [2, 1]);
        let rest = Duplicates {
            base_url: "/".to_owned(),
            indexed: Some(9),
            estimated: true,
            texts: 8,
            compared: 2,
            pages: found.pages.clone(),
            pairs: found.pairs.clone(),
            groups: found.groups.clone(),
            seconds: found.seconds,
            ..Duplicates::default()
        };
        assert_eq!(found, rest);
        assert!(found.seconds.reading > 0.0 && found.seconds.pairing > 0.0);
        assert!(found.seconds.comparing > 0.0 && found.seconds.sketching == 0.0);
        // With the folder of the pages, the result is as if the index were in it.
        let site = place.path().join("site");
        let with_pages = options(&place, "index").with(|options| options.pages = Some(site));
        let found = find(&with_pages, &Silent).unwrap();
        assert_eq!((found.estimated, pairs(&found).len()), (false, 6));
    }

    #[test]
    fn pages_have_the_urls_of_the_index() {
        for clean_urls in [false, true] {
            let place = indexed("site/index", |options| {
                options.reading.base_url = "https://x.org/docs/".to_owned();
                options.reading.clean_urls = clean_urls;
            });
            let found = find(&options(&place, "site/index"), &Silent).unwrap();
            let end = if clean_urls { "" } else { ".html" };
            assert_eq!((pairs(&found).len(), found.estimated), (6, false));
            assert_eq!(found.base_url, "https://x.org/docs/");
            assert_eq!(pairs(&found)[0].0, format!("https://x.org/docs/a{end}"));
        }
    }

    #[test]
    fn a_folder_with_more_than_half_of_the_pages_is_the_site() {
        let place = indexed("site/index", |_| {});
        let site = place.path().join("site");
        let mut urls = ["", "copies/", "a.html", "near", "r/1.html", "r/2"].map(str::to_owned);
        let around = |urls: &[String]| {
            let page = |url: &String| IndexedPage {
                url: format!("/{url}"),
                title: String::new(),
                sketch: Sketch::default(),
            };
            let pages = urls.iter().map(page).collect();
            let indexed = Indexed { base_url: "/".to_owned(), values: 64, pages };
            indexed.site_around(&site.join("index"))
        };
        assert_eq!(around(&urls), Some(site.clone()));
        for url in &mut urls[..2] {
            url.insert_str(0, "no-");
        }
        assert_eq!(around(&urls), Some(site.clone()));
        urls[2] = "copies".to_owned();
        assert_eq!(around(&urls), None, "half, as the folder is not the page without a slash");
        assert_eq!(around(&[]), None);
        // Only a sample of many pages is checked.
        let many: Vec<_> = (0..1_000).map(|at| format!("{at}.html")).collect();
        assert_eq!(around(&many), None);
    }

    #[test]
    fn removed_pages_are_reported() {
        let place = indexed("site/index", |_| {});
        let site = place.path().join("site");
        fs::remove_file(site.join("near.html")).unwrap();
        fs::remove_file(site.join("r/2.html")).unwrap();
        let warnings = Warnings::default();
        let found = find(&options(&place, "site/index"), &warnings).unwrap();
        assert_eq!((pairs(&found).len(), pairs(&found)[0]), (3, CLOSE[0]));
        let warnings = warnings.0.into_inner().unwrap();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("2 pages of the index are no longer in "), "{warnings:?}");
        assert!(warnings[0].ends_with("for example /near.html: skipped"), "{warnings:?}");
        // All pages are missing.
        let none = tempfile::tempdir().unwrap();
        fs::write(none.path().join("other.html"), "<main>Another site.").unwrap();
        let other = options(&place, "site/index")
            .with(|options| options.pages = Some(none.path().to_owned()));
        match find(&other, &Silent) {
            Err(DuplicatesError::OtherSite { path, pages: 8, example }) => {
                assert_eq!((path.as_path(), example.as_str()), (none.path(), "/a.html"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_that_an_index_does_not_support_are_refused() {
        let place = indexed("index", |_| {});
        let with = |change: &dyn Fn(&mut DuplicateOptions)| {
            find(&options(&place, "index").with(change), &Silent).map(|found| found.pairs.len())
        };
        let refused = |change: &dyn Fn(&mut DuplicateOptions), part: &str| {
            let error = with(change).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        assert_eq!(with(&|options| options.min = 0.5).unwrap(), 4);
        assert_eq!(with(&|options| options.algorithm = Algorithm::Shingles).unwrap(), 3);
        refused(&|options| options.min = 0.49, "0.5 to 1 for an index");
        refused(&|options| options.algorithm = Algorithm::B, "algorithm is b");
        refused(&|options| options.algorithm = Algorithm::Exact, "algorithm is exact");
        let without = indexed("index", |options| options.sketches = false);
        let error = find(&options(&without, "index"), &Silent).unwrap_err();
        assert!(matches!(error, DuplicatesError::NoSketches { .. }), "{error}");
    }
}
