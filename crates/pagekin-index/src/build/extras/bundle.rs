//! Writes an index, the demo, the lab and the texts of the pages as one file that works from disk.
//!
//! The page and its scripts are an asset. The build fills in inert elements,
//! `<script type="text/plain" data-file="…">`, each with a file in Base64. Texts are compressed in
//! blocks, so that a reader decompresses little more than it shows.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::output::output_file::OutputFile;
use pagekin_pages::progress::check;
use pagekin_pages::site::html::read_html;
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::read::read_file;
use pagekin_pages::{FileError, Observer, OptionError, Stage};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::build::error::BuildError;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::index_files::index_files;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::options::BuildOptions;
use crate::build::summary::{BundleSize, Summary};

/// Maximum number of pages in a bundle: a browser opens as many without a noticeable pause.
const MAX_PAGES: usize = 2_000;
/// A block of texts ends after this number of bytes.
const BLOCK: usize = 128 << 10;
/// The marker that the files replace.
const PLACE: &str = "<!--files-->";
/// The WebAssembly modules of an output. In a bundle, the lab's optional module has its own name.
const MODULES: [&str; 2] = ["pagekin.wasm.bin", "pagekin-rest.wasm.bin"];
const LAB_MODULE: &str = "lab.wasm.bin";

/// Writes the bundle.
pub(crate) struct OfflineBundle<'a> {
    path: &'a Path,
    /// The page, without its files.
    page: &'a str,
    lab: &'a [u8],
    made: Option<(OutputFile, BundleSize)>,
}

/// The site's settings that the page needs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BundledSite<'a> {
    base_url: &'a str,
    clean_urls: bool,
}

/// The title, language and text of a page.
type Text = (String, String, String);

impl<'a> OfflineBundle<'a> {
    pub(crate) fn at(path: &'a Path, page: &'a str, lab: &'a [u8]) -> Self {
        Self { path, page, lab, made: None }
    }
}

impl<'a> Extra<'a> for OfflineBundle<'a> {
    /// Refuses a path inside the output, and a path that is a folder.
    fn check(&self, options: &BuildOptions) -> Result<(), BuildError> {
        let (path, output) = (absolute(self.path)?, absolute(&options.output)?);
        OutputFile::place(&path)?;
        if path.starts_with(&output) {
            return Err(BuildError::BundleInOutput { path, output });
        }
        Ok(())
    }

    fn check_pages(&self, pages: usize) -> Result<(), BuildError> {
        if pages > MAX_PAGES {
            let (found, most) = (pages as u64, MAX_PAGES as u64);
            return Err(BuildError::BundleTooLarge { found, most });
        }
        Ok(())
    }

    /// Writes the bundle to a temporary file next to its path.
    fn add(
        &mut self,
        site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        let indexed: FxHashSet<&str> = site.pages.iter().map(|page| page.url.as_str()).collect();
        let files: Vec<&HtmlFile> =
            site.files.iter().filter(|file| indexed.contains(file.url.as_str())).collect();
        site.observer.stage(Stage::Bundling, files.len() as u64);
        let Some((start, end)) = self.page.split_once(PLACE) else {
            return Err(OptionError {
                option: "offline-bundle",
                expected: "a build of pagekin that contains the bundle page",
                found: "not available in this build".to_owned(),
            }
            .into());
        };
        let mut html = start.to_owned();
        put(&mut html, LAB_MODULE, self.lab);
        put_index(&mut html, site, output.folder())?;
        let before = html.len();
        put_texts(&mut html, texts(&files, site)?, site.observer)?;
        let text_bytes = (html.len() - before) as u64;
        html.push_str(end);

        let mut file = OutputFile::begin(self.path)?;
        let written = file.file().write_all(html.as_bytes());
        written.map_err(FileError::io("write", self.path))?;
        self.made = Some((file, BundleSize { bytes: html.len() as u64, text_bytes }));
        Ok(())
    }

    /// Moves the bundle to its path, replacing an earlier one.
    fn publish(&mut self, summary: &mut Summary) -> Result<(), BuildError> {
        let Some((file, size)) = self.made.take() else { return Ok(()) };
        file.publish()?;
        summary.bundle = Some(size);
        Ok(())
    }
}

fn absolute(path: &Path) -> Result<PathBuf, FileError> {
    std::path::absolute(path).map_err(FileError::io("write to", path))
}

/// Appends everything a lookup reads: the modules, and the index in the output folder.
fn put_index(html: &mut String, site: &IndexedSite<'_>, output: &Path) -> Result<(), BuildError> {
    let reading = &site.options.reading;
    let settings = BundledSite { base_url: &reading.base_url, clean_urls: reading.clean_urls };
    put(html, "site.json", &json(&settings));
    for name in MODULES {
        put(html, name, &read(&output.join(name))?);
    }
    put(html, MANIFEST_NAME, &read(&output.join(MANIFEST_NAME))?);
    for name in index_files(output)? {
        put(html, &name, &read(&output.join(&name))?);
        check(site.observer)?;
    }
    Ok(())
}

/// Appends the texts of the pages, and the block number of each.
fn put_texts(
    html: &mut String,
    texts: BTreeMap<String, Text>,
    observer: &dyn Observer,
) -> Result<(), BuildError> {
    let mut places = BTreeMap::new();
    for (number, block) in blocks(texts).into_iter().enumerate() {
        places.extend(block.keys().map(|url| (url.clone(), number)));
        put(html, &format!("texts/{number}"), &compressed(&block)?);
        check(observer)?;
    }
    put(html, "texts/places", &compressed(&places)?);
    Ok(())
}

/// Reads the texts of the pages, as a browser would, by URL. Skips files that can no longer be
/// read.
fn texts(
    files: &[&HtmlFile],
    site: &IndexedSite<'_>,
) -> Result<BTreeMap<String, Text>, BuildError> {
    let (most, observer) = (site.options.reading.max_page_bytes, site.observer);
    let text = |file: &&HtmlFile| -> Result<Option<(String, Text)>, BuildError> {
        check(observer)?;
        let mut bytes = Vec::new();
        let read = read_file(&file.path, most, &mut bytes).unwrap_or(false);
        let page = read.then(|| read_html(&bytes).page);
        observer.advance(1);
        Ok(page.map(|page| (file.url.clone(), (page.title, page.lang, page.text))))
    };
    let texts: Result<Vec<_>, BuildError> = files.par_iter().map(text).collect();
    Ok(texts?.into_iter().flatten().collect())
}

/// Splits texts into blocks, in the order of their URLs.
fn blocks(texts: BTreeMap<String, Text>) -> Vec<BTreeMap<String, Text>> {
    let (mut blocks, mut bytes) = (vec![BTreeMap::new()], usize::MAX);
    for (url, text) in texts {
        if bytes >= BLOCK {
            bytes = 0;
            blocks.push(BTreeMap::new());
        }
        bytes += text.2.len();
        if let Some(block) = blocks.last_mut() {
            block.insert(url, text);
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    Ok(fs::read(path).map_err(FileError::io("read", path))?)
}

/// Appends a file. `name` needs no escaping.
fn put(html: &mut String, name: &str, bytes: &[u8]) {
    html.push_str("<script type=\"text/plain\" data-file=\"");
    html.push_str(name);
    html.push_str("\">");
    BASE64_STANDARD.encode_string(bytes, html);
    html.push_str("</script>\n");
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers can be written as JSON")
}

fn compressed(value: &impl Serialize) -> Result<Vec<u8>, BuildError> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let written = gzip.write_all(&json(value)).and_then(|()| gzip.finish());
    Ok(written.map_err(FileError::io("compress", Path::new("the texts of pages")))?)
}
