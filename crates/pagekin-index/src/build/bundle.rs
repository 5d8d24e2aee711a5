//! An index as one file that works from disk, with the demo, the lab and the texts of the pages.
//!
//! The page and its scripts are an asset; what is filled in are elements that do nothing by
//! themselves, `<script type="text/plain" data-file="…">`, each with a file in Base64. Texts are
//! compressed, in blocks, so that a reader takes apart no more than it shows.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::output::temporary;
use pagekin_pages::progress::check;
use pagekin_pages::site::html::read_html;
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::read::read_file;
use pagekin_pages::{FileError, Observer, OptionError, OutputError, Stage};
use rayon::prelude::*;
use serde::Serialize;
use tempfile::NamedTempFile;
use walkdir::WalkDir;

use crate::build::error::BuildError;
use crate::build::options::BuildOptions;

/// The most pages of a bundle: what a browser opens at once without a pause.
pub(crate) const MOST_PAGES: usize = 2_000;
/// Bytes of texts after which a block ends.
const BLOCK: usize = 128 << 10;
/// Where the files go.
const PLACE: &str = "<!--files-->";
/// The modules, by their paths in an output, and their names in a bundle.
const MODULES: [(&str, &str); 2] =
    [("pagekin.wasm.bin", "pagekin.wasm.bin"), ("lab/lab.wasm.bin", "lab.wasm.bin")];

/// What a bundle is made of.
pub(crate) struct Source<'a> {
    pub(crate) options: &'a BuildOptions,
    /// The page, without files.
    pub(crate) page: &'a str,
    /// The output that is not published yet.
    pub(crate) output: &'a Path,
    /// The pages of the index, by their files.
    pub(crate) pages: Vec<&'a HtmlFile>,
}

/// A bundle beside its place.
pub(crate) struct Bundle {
    file: NamedTempFile,
    path: PathBuf,
    pub(crate) size: BundleSize,
}

/// How large a bundle is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BundleSize {
    /// Bytes of the file.
    pub bytes: u64,
    /// Of these, bytes of the texts of pages.
    pub text_bytes: u64,
}

/// What the page is told of the site.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Site<'a> {
    base_url: &'a str,
    clean_urls: bool,
}

/// The title, language and text of a page.
type Text = (String, String, String);

/// Refuses a place that an output or a folder has.
pub(crate) fn check_path(options: &BuildOptions) -> Result<(), BuildError> {
    let Some(bundle) = &options.offline_bundle else { return Ok(()) };
    let absolute = |path: &Path| std::path::absolute(path).map_err(FileError::io("write to", path));
    let (path, output) = (absolute(bundle)?, absolute(&options.output)?);
    if path.is_dir() {
        return Err(OutputError::FileTaken { path, found: "a folder".to_owned() }.into());
    }
    if path.starts_with(&output) {
        return Err(BuildError::BundleInOutput { path, output });
    }
    Ok(())
}

/// Refuses more pages than a bundle holds.
pub(crate) fn check_pages(options: &BuildOptions, pages: usize) -> Result<(), BuildError> {
    if options.offline_bundle.is_some() && pages > MOST_PAGES {
        return Err(BuildError::BundleTooLarge { found: pages as u64, most: MOST_PAGES as u64 });
    }
    Ok(())
}

/// Makes the bundle at `path`, beside its place.
pub(crate) fn make(
    source: &Source<'_>,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Bundle, BuildError> {
    observer.stage(Stage::Bundling, source.pages.len() as u64);
    let Some((start, end)) = source.page.split_once(PLACE) else {
        return Err(OptionError {
            option: "offline-bundle",
            expected: "a program that carries the page of bundles",
            found: "given to one without it".to_owned(),
        }
        .into());
    };
    let mut html = start.to_owned();
    let reading = &source.options.reading;
    let site = Site { base_url: &reading.base_url, clean_urls: reading.clean_urls };
    put(&mut html, "site.json", &json(&site));
    for (name, called) in MODULES {
        put(&mut html, called, &read(&source.output.join(name))?);
    }
    put(&mut html, MANIFEST_NAME, &read(&source.output.join(MANIFEST_NAME))?);
    for name in index_files(source.output)? {
        put(&mut html, &name, &read(&source.output.join(&name))?);
        check(observer)?;
    }
    let before = html.len();
    let mut places = BTreeMap::new();
    for (number, block) in blocks(texts(source, observer)?).into_iter().enumerate() {
        places.extend(block.keys().map(|url| (url.clone(), number)));
        put(&mut html, &format!("texts/{number}"), &compressed(&block)?);
        check(observer)?;
    }
    put(&mut html, "texts/places", &compressed(&places)?);
    let text_bytes = (html.len() - before) as u64;
    html.push_str(end);

    let path = std::path::absolute(path).map_err(FileError::io("write to", path))?;
    let parent = path.parent().unwrap_or(&path);
    fs::create_dir_all(parent).map_err(FileError::io("create", parent))?;
    temporary::sweep(parent);
    let mut file = temporary::file(parent).map_err(FileError::io("write to", parent))?;
    file.write_all(html.as_bytes()).map_err(FileError::io("write", &path))?;
    let size = BundleSize { bytes: html.len() as u64, text_bytes };
    Ok(Bundle { file, path, size })
}

impl Bundle {
    /// Puts it in its place. An earlier one is gone then.
    pub(crate) fn publish(self) -> Result<BundleSize, BuildError> {
        let Self { file, path, size } = self;
        file.persist(&path).map_err(|error| FileError::io("write", &path)(error.error))?;
        Ok(size)
    }
}

/// The names of the files of the index that lookups read, sorted.
pub(crate) fn index_files(output: &Path) -> Result<Vec<String>, BuildError> {
    let folder = output.join("index");
    let mut names = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.map_err(|error| FileError::io("list", &folder)(error.into()))?;
        let below = entry.path().strip_prefix(output).unwrap_or(entry.path());
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        // Related pages are for pages of the site.
        if entry.file_type().is_file() && !parts.iter().any(|part| part == "related") {
            names.push(parts.join("/"));
        }
    }
    Ok(names)
}

/// The texts of the pages, by their addresses, as a browser would read them. What cannot be read
/// any more has none.
fn texts(
    source: &Source<'_>,
    observer: &dyn Observer,
) -> Result<BTreeMap<String, Text>, BuildError> {
    let most = source.options.reading.max_page_bytes;
    let text = |file: &&HtmlFile| -> Result<Option<(String, Text)>, BuildError> {
        check(observer)?;
        let mut bytes = Vec::new();
        let read = read_file(&file.path, most, &mut bytes).unwrap_or(false);
        let page = read.then(|| read_html(&bytes).page);
        observer.advance(1);
        Ok(page.map(|page| (file.url.clone(), (page.title, page.lang, page.text))))
    };
    let texts: Result<Vec<_>, BuildError> = source.pages.par_iter().map(text).collect();
    Ok(texts?.into_iter().flatten().collect())
}

/// Texts, a block of them after the other.
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

/// Puts a file at the end. Its name is ours.
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
