//! The stage between bags and pairs: assigns URLs to classes.

use std::path::Path;
use std::{fs, io};

use pagekin_core::hash;
use pagekin_pages::site::{class_file, normal_url};
use pagekin_pages::{FileError, Stage};
use rustc_hash::FxHashMap;

use crate::cluster::classes::from_urls::{ByName, Names, folder, host};
use crate::cluster::classes::{ClassSource, ClassSummary, Classes};
use crate::cluster::error::{At, CrawlError};
use crate::cluster::stages::files::{CLASSES, LANGUAGES};
use crate::cluster::stages::job::{Job, WeightedCrawl};
use crate::folder::checksums::Checksums;
use crate::folder::format::url_key;
use crate::folder::places::Places;
use crate::folder::urls::CrawledUrls;

impl Job<'_> {
    /// Assigns a class to each URL, if requested.
    pub(crate) fn classify(
        &mut self,
        weighted: &WeightedCrawl,
    ) -> Result<Option<ClassSummary>, CrawlError> {
        let Some(source) = &self.options.classes else { return Ok(None) };
        // The content of a file may change while its name does not.
        let content = match source {
            ClassSource::File(path) => {
                let bytes = fs::read(path).map_err(FileError::io("read", path))?;
                hash::of_bytes(&bytes)
            }
            _ => 0,
        };
        let from = self.place.folder(Stage::Weighing);
        let (observer, root) = (self.observer, self.root());
        let summary = self.place.stage(Stage::Classifying, &(source, content), observer, |_| {
            observer.stage(Stage::Classifying, weighted.urls.into());
            let by_url = |class: &mut dyn FnMut(&mut ByName, &str)| {
                let mut sums = Checksums::open(&from)?;
                let mut places = |name| Places::open(&mut sums, name);
                let (urls, index) = (places("urls")?, places("urls.index")?);
                let mut classes = ByName::default();
                for url in CrawledUrls::new(&urls, &index, weighted.urls) {
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
                ClassSource::Language => by_language(&root, &weighted.languages)?,
                ClassSource::File(path) => by_file(path, by_url)?,
            };
            CLASSES.write(&root, &classes.of)?;
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

/// Classifies by the language of each URL, an index into `languages`. The first language is empty.
fn by_language(root: &Path, languages: &[String]) -> Result<Classes, CrawlError> {
    let mut classes = ByName::default();
    for language in LANGUAGES.read(root)? {
        let unknown = || {
            let what = "expected numbers of languages, found others";
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        let name = languages.get(usize::from(language)).ok_or_else(unknown);
        let name = name.at(&LANGUAGES.path(root))?;
        classes.push(Some(&**name).filter(|name| !name.is_empty()));
    }
    Ok(classes.finish())
}

/// Classifies by a file of URLs with their classes. `by_url` classifies the URLs of the crawl one
/// by one.
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
