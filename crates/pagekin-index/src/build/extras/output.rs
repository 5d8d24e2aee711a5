//! An output until it is published: the demo and the client that stand beside its index, and what
//! extras added.

use std::borrow::Cow;
use std::path::Path;

use pagekin_pages::Part;
use pagekin_pages::output::files::write_files;
use pagekin_pages::output::staging::Staging;

use crate::build::error::BuildError;
use crate::build::options::AssetFile;

/// The demo, where all that visitors may be offered is led to.
pub(crate) const DEMO: &str = "index.html";
/// What leads to the lab, a paragraph of the demo, and where the lab is.
pub(crate) const LAB_LINK: &str = "<p><a href=\"lab/\">";
const LAB: &str = "lab/index.html";
const PARAGRAPH_END: &str = "</p>\n";

/// An output whose index is written.
pub(crate) struct UnpublishedOutput<'a> {
    staging: Staging,
    /// The files of the demo and the client by their paths. They are written once.
    client: Vec<(&'a str, Cow<'a, [u8]>)>,
    parts: Vec<Part>,
    /// What stands beside the index, the client first of all.
    beside: Part,
    /// What is listed with its checksum, behind the client. The index has checksums of its own.
    listed: Vec<String>,
}

impl<'a> UnpublishedOutput<'a> {
    /// With an index of these parts, which is written, and a client, which is not.
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
        let beside = Part { name, files: 0, bytes: 0 };
        Self { staging, client, parts, beside, listed: Vec::new() }
    }

    /// Its folder, until it has its place.
    pub(crate) fn folder(&self) -> &Path {
        self.staging.path()
    }

    /// Adds files to the client, and `link` to its demo, before the first `mark`. `false`, and
    /// nothing is added, if there is no demo or there are no files.
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

    /// Puts files in the place of those of the client that have their paths.
    pub(crate) fn replace_in_client(&mut self, files: &[AssetFile<'a>]) {
        for (path, bytes) in &mut self.client {
            if let Some(other) = files.iter().find(|other| other.path == *path) {
                *bytes = Cow::Borrowed(other.bytes);
            }
        }
    }

    /// Whether the client has a file.
    pub(crate) fn client_has(&self, path: &str) -> bool {
        self.client.iter().any(|(of, _)| *of == path)
    }

    /// Writes the demo and the client.
    pub(crate) fn write_client(&mut self) -> Result<(), BuildError> {
        if !self.client_has(LAB) {
            self.unlink_lab();
        }
        let files = self.client.iter().map(|(path, bytes)| (path, bytes));
        let Part { files, bytes, .. } = write_files(self.beside.name, files, self.staging.path())?;
        self.beside.files += files;
        self.beside.bytes += bytes;
        Ok(())
    }

    /// Takes out of the demo what leads to the lab.
    fn unlink_lab(&mut self) {
        let demo = self.client.iter_mut().find(|(path, _)| *path == DEMO);
        let Some((_, bytes)) = demo else { return };
        let Ok(html) = std::str::from_utf8(bytes) else { return };
        let Some((before, rest)) = html.split_once(LAB_LINK) else { return };
        let Some((_, behind)) = rest.split_once(PARAGRAPH_END) else { return };
        *bytes = Cow::Owned(format!("{}{behind}", before.trim_end_matches(' ')).into_bytes());
    }

    /// Tells of files of a kind of their own.
    pub(crate) fn add_part(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Tells of a file that stands beside the client.
    pub(crate) fn add_beside(&mut self, bytes: u64) {
        self.beside.files += 1;
        self.beside.bytes += bytes;
    }

    /// Has a file listed with its checksum, once all files are there.
    pub(crate) fn list(&mut self, path: impl Into<String>) {
        self.listed.push(path.into());
    }

    /// Lists the files, and answers what there is and the folder, which is to be published next.
    pub(crate) fn finish(mut self) -> Result<(Vec<Part>, Staging), BuildError> {
        let client = self.client.iter().map(|(path, _)| *path);
        let listed = client.chain(self.listed.iter().map(String::as_str));
        let bytes = self.staging.list_files(listed)?;
        self.add_beside(bytes);
        let Self { staging, mut parts, beside, .. } = self;
        parts.push(beside);
        Ok((parts, staging))
    }
}
