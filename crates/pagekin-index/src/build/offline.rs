//! An output that visitors can keep in their browsers: the demo with a control for it, a service
//! worker, and the list of the files to keep.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::output::file_list::checksum;
use pagekin_pages::output::files::write_file;
use pagekin_pages::{FileError, OptionError};
use serde::Serialize;

use crate::build::bundle::index_files;
use crate::build::error::BuildError;
use crate::build::options::AssetFile;
use crate::mirrors::list::MIRRORS_NAME;

/// The list of the files.
pub(crate) const LIST_NAME: &str = "offline.json";
const DEMO: &str = "index.html";
/// What makes the demo offer it.
const SCRIPT: &str = "  <script type=\"module\" src=\"offline.js\"></script>\n</head>";
/// Not of the page that is kept.
const NOT_KEPT: [&str; 2] = ["offline-worker.js", "related.js"];

/// What visitors keep.
#[derive(Serialize)]
struct List<'a> {
    /// Another if any of the files is.
    generation: String,
    pages: u64,
    bytes: u64,
    files: Vec<(&'a str, u64)>,
}

/// Adds the control and the worker to the files beside an index.
pub(crate) fn add<'a>(
    assets: &mut Vec<(&'a str, Cow<'a, [u8]>)>,
    offline: &[AssetFile<'a>],
) -> Result<(), BuildError> {
    let demo = assets.iter_mut().find(|(path, _)| *path == DEMO);
    let html = demo.as_ref().and_then(|(_, html)| std::str::from_utf8(html).ok());
    let with_script = html.map(|html| html.replacen("</head>", SCRIPT, 1));
    let (Some((_, html)), Some(with_script), false) = (demo, with_script, offline.is_empty())
    else {
        return Err(OptionError {
            option: "offline",
            expected: "a program that carries the demo and its service worker",
            found: "given to one without them".to_owned(),
        }
        .into());
    };
    *html = Cow::Owned(with_script.into_bytes());
    assets.extend(offline.iter().map(|asset| (asset.path, Cow::Borrowed(asset.bytes))));
    Ok(())
}

/// Writes the list of the files of an output, which are there already; answers its bytes.
pub(crate) fn list(output: &Path, generation: u64, pages: u64) -> Result<u64, BuildError> {
    let mut names = index_files(output)?;
    for entry in fs::read_dir(output).map_err(FileError::io("list", output))? {
        let entry = entry.map_err(FileError::io("list", output))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    for folder in ["lab", "browse"] {
        let path = output.join(folder);
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(FileError::io("list", &path))? {
                let entry = entry.map_err(FileError::io("list", &path))?;
                names.push(format!("{folder}/{}", entry.file_name().to_string_lossy()));
            }
        }
    }
    let is_kept = |name: &String| {
        let shown = [".html", ".css", ".js", ".wasm.bin"].iter().any(|end| name.ends_with(end));
        let of_index = ["index/", "browse/"].iter().any(|folder| name.starts_with(folder))
            || [MANIFEST_NAME, MIRRORS_NAME].contains(&&**name);
        (shown || of_index) && !NOT_KEPT.contains(&name.as_str())
    };
    names.retain(is_kept);
    names.sort();
    // Of the client's files too: an update of pagekin changes nothing else.
    let mut made_of = generation.to_be_bytes().to_vec();
    let mut files = Vec::new();
    for name in &names {
        let path = output.join(name);
        let bytes = fs::read(&path).map_err(FileError::io("read", &path))?;
        if !name.starts_with("index/") {
            made_of.extend(checksum(&bytes).to_be_bytes());
        }
        files.push((name.as_str(), bytes.len() as u64));
    }
    let bytes = files.iter().map(|(_, bytes)| bytes).sum();
    let list = List { generation: format!("{:08x}", checksum(&made_of)), pages, bytes, files };
    let json = serde_json::to_vec(&list).expect("texts and numbers can be written as JSON");
    Ok(write_file(output, LIST_NAME, &json)?)
}
