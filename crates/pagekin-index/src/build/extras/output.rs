//! An output before it is published: its demo, its client, and what extras add.

use std::borrow::Cow;
use std::path::Path;

use pagekin_pages::Part;
use pagekin_pages::output::files::write_files;
use pagekin_pages::output::staging::Staging;

use crate::build::error::BuildError;
use crate::build::options::AssetFile;

/// The demo, which links to everything that visitors may be offered.
pub(crate) const DEMO: &str = "index.html";
/// The demo's link to the lab, which is a paragraph of its own.
pub(crate) const LAB_LINK: &str = "<p><a href=\"lab/\">";
const LAB: &str = "lab/index.html";
const PARAGRAPH_END: &str = "</p>\n";

/// An output whose index is written.
pub(crate) struct UnpublishedOutput<'a> {
    staging: Staging,
    /// The files of the demo and the client, by path. They are written once.
    client: Vec<(&'a str, Cow<'a, [u8]>)>,
    parts: Vec<Part>,
    /// The size of the files next to the index, starting with the client.
    client_size: Part,
    /// Files to list with their checksums, after the client's. The index has its own checksums.
    listed: Vec<String>,
}

impl<'a> UnpublishedOutput<'a> {
    /// Starts with the parts of an index, which is written, and a client, which is not.
    pub(crate) fn new(
        staging: Staging,
        parts: Vec<Part>,
        client: impl Iterator<Item = &'a AssetFile<'a>>,
    ) -> Self {
        let client: Vec<_> = client.map(|file| (file.path, Cow::Borrowed(file.bytes))).collect();
        let name = match client.iter().any(|(path, _)| *path == DEMO) {
            true => "page and client",
            false => "client",
        };
        let client_size = Part { name, files: 0, bytes: 0 };
        Self { staging, client, parts, client_size, listed: Vec::new() }
    }

    /// The staging folder.
    pub(crate) fn folder(&self) -> &Path {
        self.staging.path()
    }

    /// Adds files to the client, and inserts `link` before the first `mark` in its demo. Returns
    /// `false`, and adds nothing, if there is no demo or there are no files.
    #[must_use]
    pub(crate) fn add_to_client(
        &mut self,
        files: &[AssetFile<'a>],
        mark: &str,
        link: &str,
    ) -> bool {
        let demo = self.client.iter_mut().find(|(path, _)| *path == DEMO);
        let Some((_, bytes)) = demo.filter(|_| !files.is_empty()) else { return false };
        let Ok(html) = std::str::from_utf8(bytes) else { return false };
        let linking = html.replacen(mark, &format!("{link}{mark}"), 1);
        *bytes = Cow::Owned(linking.into_bytes());
        self.client.extend(files.iter().map(|file| (file.path, Cow::Borrowed(file.bytes))));
        true
    }

    /// Replaces the client's files that have the same paths as `files`.
    pub(crate) fn replace_in_client(&mut self, files: &[AssetFile<'a>]) {
        for (path, bytes) in &mut self.client {
            if let Some(other) = files.iter().find(|other| other.path == *path) {
                *bytes = Cow::Borrowed(other.bytes);
            }
        }
    }

    pub(crate) fn client_has(&self, path: &str) -> bool {
        self.client.iter().any(|(of, _)| *of == path)
    }

    /// Writes the demo and the client.
    pub(crate) fn write_client(&mut self) -> Result<(), BuildError> {
        if !self.client_has(LAB) {
            self.unlink_lab();
        }
        let files = self.client.iter().map(|(path, bytes)| (path, bytes));
        let Part { files, bytes, .. } =
            write_files(self.client_size.name, files, self.staging.path())?;
        self.client_size.files += files;
        self.client_size.bytes += bytes;
        Ok(())
    }

    /// Removes the link to the lab from the demo.
    fn unlink_lab(&mut self) {
        let demo = self.client.iter_mut().find(|(path, _)| *path == DEMO);
        let Some((_, bytes)) = demo else { return };
        let Ok(html) = std::str::from_utf8(bytes) else { return };
        let Some((before, rest)) = html.split_once(LAB_LINK) else { return };
        let Some((_, after)) = rest.split_once(PARAGRAPH_END) else { return };
        *bytes = Cow::Owned(format!("{}{after}", before.trim_end_matches(' ')).into_bytes());
    }

    /// Adds files of a separate kind to the summary.
    pub(crate) fn add_part(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Adds a file to the summary of the client.
    pub(crate) fn add_to_client_size(&mut self, bytes: u64) {
        self.client_size.files += 1;
        self.client_size.bytes += bytes;
    }

    /// Registers a file to be listed with its checksum once all files are written.
    pub(crate) fn list(&mut self, path: impl Into<String>) {
        self.listed.push(path.into());
    }

    /// Lists the files, and the folder of the `site`. Returns what was written, and the output,
    /// which may be published.
    pub(crate) fn finish(
        mut self,
        site: Option<String>,
    ) -> Result<(Vec<Part>, Staging), BuildError> {
        let client = self.client.iter().map(|(path, _)| *path);
        let listed = client.chain(self.listed.iter().map(String::as_str));
        let bytes = self.staging.list_files(listed, site)?;
        self.add_to_client_size(bytes);
        let Self { staging, mut parts, client_size, .. } = self;
        parts.push(client_size);
        Ok((parts, staging))
    }
}
