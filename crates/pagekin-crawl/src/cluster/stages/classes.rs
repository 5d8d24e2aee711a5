//! The stage between bags and pairs: URLs into classes.

use std::path::Path;
use std::{fs, io};

use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_pages::progress::check;
use pagekin_pages::site::{class_file, normal_url};
use pagekin_pages::{FileError, Observer, Stage};
use pagekin_pairs::disk::columns::NumberFile;
use rustc_hash::FxHashMap;

use crate::cluster::bags::columns::BagFiles;
use crate::cluster::classes::by_bags::Centers;
use crate::cluster::classes::of_urls::{ByName, Names, folder, host};
use crate::cluster::classes::{ClassSource, ClassSummary, Classes, by_bags};
use crate::cluster::error::CrawlError;
use crate::cluster::stages::job::{BAGS, CLASSES, Job, LANGUAGES, WeighedCrawl, write_numbers};
use crate::folder::format::url_key;
use crate::folder::places::Places;
use crate::folder::urls::CrawledUrls;

impl Job<'_> {
    /// URLs into classes, if there are to be some.
    pub(crate) fn classify(
        &mut self,
        weighed: &WeighedCrawl,
    ) -> Result<Option<ClassSummary>, CrawlError> {
        let Some(source) = &self.options.classes else { return Ok(None) };
        // What a file says may change while its name does not.
        let said = match source {
            ClassSource::File(path) => {
                let bytes = fs::read(path).map_err(FileError::io("read", path))?;
                hash::of_bytes(&bytes)
            }
            _ => 0,
        };
        let from = self.place.folder(Stage::Weighing);
        let mut bags = self.bags()?;
        let Self { options, observer, place, .. } = self;
        let summary = place.stage(Stage::Classifying, &(source, said), *observer, |folder_of| {
            observer.stage(Stage::Classifying, weighed.urls.into());
            let error = CrawlError::work(folder_of);
            let by_url = |class: &mut dyn FnMut(&mut ByName, &str)| {
                let places = |name| Places::open(&from, name);
                let (urls, index) = (places("urls")?, places("urls.index")?);
                let mut classes = ByName::default();
                for url in CrawledUrls::of(&urls, &index, weighed.urls)? {
                    class(&mut classes, &url?.url);
                    observer.advance(1);
                }
                Ok::<_, CrawlError>(classes.finish())
            };
            let classes = match source {
                ClassSource::Host => by_url(&mut |of, url| of.push(Some(host(url))))?,
                ClassSource::Folder { depth } => {
                    by_url(&mut |of, url| of.push(Some(folder(url, *depth))))?
                }
                ClassSource::Language => by_language(&from.join(LANGUAGES), &weighed.languages)?,
                ClassSource::File(path) => by_file(path, by_url)?,
                &ClassSource::Bags { classes } => {
                    by_bags(&mut bags, classes, options.seed, *observer, &error)?
                }
            };
            write_numbers(&folder_of.join(CLASSES), &classes.of).map_err(&error)?;
            Ok(classes.summary)
        })?;
        if summary.unknown > 0 {
            self.observer.warn(&format!(
                "{} URLs of the file of classes are not in the crawl",
                summary.unknown
            ));
        }
        Ok(Some(summary))
    }
}

/// By the language of each URL: its place among `languages`, of which the first is none.
fn by_language(path: &Path, languages: &[String]) -> Result<Classes, CrawlError> {
    let damaged = CrawlError::work(path);
    let of = NumberFile::<u16>::open(path).and_then(|mut file| file.all());
    let mut classes = ByName::default();
    for language in of.map_err(&damaged)? {
        let name = languages.get(usize::from(language)).ok_or_else(|| {
            let what = "expected numbers of languages, found others";
            damaged(io::Error::new(io::ErrorKind::InvalidData, what))
        })?;
        classes.push(Some(&**name).filter(|name| !name.is_empty()));
    }
    Ok(classes.finish())
}

/// By a file of URLs with their classes. `by_url` classifies the URLs of the crawl one by one.
fn by_file(
    path: &Path,
    by_url: impl FnOnce(&mut dyn FnMut(&mut ByName, &str)) -> Result<Classes, CrawlError>,
) -> Result<Classes, CrawlError> {
    let mut names = Names::default();
    let mut listed: FxHashMap<u64, u32> = FxHashMap::default();
    class_file::read(path, |url, class| {
        let normal = normal_url::normal(url);
        let key = url_key(normal.as_deref().unwrap_or(url));
        listed.insert(key, names.number(class));
    })?;
    let mut known = 0;
    let mut classes = by_url(&mut |of, url| {
        let class = listed.get(&url_key(url));
        known += u64::from(class.is_some());
        of.push(class.map(|&class| names.name(class)));
    })?;
    classes.summary.unknown = (listed.len() as u64).saturating_sub(known);
    Ok(classes)
}

/// By spherical k-means on the bags.
fn by_bags(
    bags: &mut BagFiles,
    classes: u16,
    seed: u64,
    observer: &dyn Observer,
    error: &dyn Fn(io::Error) -> CrawlError,
) -> Result<Classes, CrawlError> {
    let urls = bags.len();
    let bag = |url: u32| Ok(bags.range(url..url + 1)?.bag(0));
    let drawn = by_bags::draw(urls, classes, seed);
    let sample: Vec<Bag> = drawn.into_iter().map(bag).collect::<io::Result<_>>().map_err(error)?;
    check(observer)?;
    let centers = Centers::learn(&sample, classes, seed);
    let mut of = Vec::with_capacity(urls as usize);
    for first in (0..urls).step_by(BAGS as usize) {
        check(observer)?;
        let end = urls.min(first.saturating_add(BAGS));
        let columns = bags.range(first..end).map_err(error)?;
        of.extend(centers.classes(&columns));
        observer.advance((end - first).into());
    }
    let names = (1..=centers.count()).map(|class| format!("class {class}"));
    Ok(Classes::new(of, names.collect()))
}
