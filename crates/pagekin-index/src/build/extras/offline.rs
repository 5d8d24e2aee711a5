//! Lets visitors store an output in their browsers: adds a control to the demo, a service worker,
//! and the list of files to store.

use std::fs;
use std::path::Path;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::output::file_list::checksum;
use pagekin_pages::output::files::write_file;
use pagekin_pages::{FileError, OptionError};
use serde::Serialize;

use crate::build::error::BuildError;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::index_files::index_files;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::options::{AssetFile, BuildOptions};
use crate::mirrors::list::MIRRORS_NAME;

const LIST_NAME: &str = "offline.json";
/// Loads the control in the demo, before the end of its head.
const SCRIPT: &str = "  <script type=\"module\" src=\"offline.js\"></script>\n";
const HEAD_END: &str = "</head>";
/// Not stored. Neither are the scripts of elements, which are for other pages.
const NOT_STORED: &str = "offline-worker.js";

/// The contents of `offline.json`.
#[derive(Serialize)]
struct List<'a> {
    /// Changes whenever a file changes.
    generation: String,
    pages: u64,
    bytes: u64,
    files: Vec<(&'a str, u64)>,
}

/// Writes the control, the worker and the list.
pub(crate) struct OfflineOutput<'a> {
    pub(crate) client: &'a [AssetFile<'a>],
}

impl<'a> Extra<'a> for OfflineOutput<'a> {
    fn check(&self, options: &BuildOptions) -> Result<(), BuildError> {
        if options.mirrors.as_ref().is_none_or(|mirrors| mirrors.home) {
            return Ok(());
        }
        Err(OptionError {
            option: "offline",
            expected: "an index whose own host has all files, because visitors store it from there: set `home = true` in the file of mirrors",
            found: "used with mirrors only".to_owned(),
        }
        .into())
    }

    fn begin(
        &mut self,
        _site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        if !output.add_to_client(self.client, HEAD_END, SCRIPT) {
            return Err(OptionError {
                option: "offline",
                expected: "a build of pagekin that contains the demo and its service worker",
                found: "not available in this build".to_owned(),
            }
            .into());
        }
        output.list(LIST_NAME);
        Ok(())
    }

    fn add(
        &mut self,
        site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        let bytes = list(output.folder(), site)?;
        output.add_to_client_size(bytes);
        Ok(())
    }
}

/// Lists the files already written to an output in `offline.json`. Returns its length in bytes.
fn list(output: &Path, site: &IndexedSite<'_>) -> Result<u64, BuildError> {
    let (generation, pages) = (site.generation, site.pages.len() as u64);
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
    let is_of_element = |name: &str| {
        let names = &site.options.components;
        name.strip_suffix(".js").is_some_and(|name| names.iter().any(|one| one == name))
    };
    let is_stored = |name: &String| {
        let shown = [".html", ".css", ".js", ".wasm.bin"].iter().any(|end| name.ends_with(end));
        let of_index = ["index/", "browse/"].iter().any(|folder| name.starts_with(folder))
            || [MANIFEST_NAME, MIRRORS_NAME].contains(&&**name);
        (shown || of_index) && name != NOT_STORED && !is_of_element(name)
    };
    names.retain(is_stored);
    names.sort();
    // Includes the client's files: an update of pagekin may change nothing else.
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
