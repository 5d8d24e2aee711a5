//! Spreads an index over several hosts: one folder per host to publish there, and the list of which
//! host has which file.
//!
//! The site's own folder keeps the manifest, the client, the demo, the related pages and the list.

use std::fs;
use std::path::Path;

use pagekin_pages::output::files::write_file;
use pagekin_pages::progress::check;
use pagekin_pages::{FileError, Observer, OptionError, Part};
use walkdir::WalkDir;

use crate::build::error::BuildError;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::index_files::index_files;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::options::{AssetFile, BuildOptions};
use crate::build::summary::{MirrorSize, Summary};
use crate::mirrors::error::MirrorsError;
use crate::mirrors::layout::{LayoutError, MirrorLayout};
use crate::mirrors::list::{MIRRORS_NAME, MirrorList, folder_of, group_of, groups_for};
use crate::mirrors::options::Mirrors;

/// The script that fetches the index. Only its mirrored version uses mirrors.
const CLIENT: &str = "engine.js";
const MEGABYTE: u64 = 1_000_000;

/// Spreads the index over several hosts.
pub(crate) struct MirroredIndex<'a> {
    mirrors: &'a Mirrors,
    /// The scripts that use mirrors.
    client: &'a [AssetFile<'a>],
    /// The size of each host's folder, once written.
    sizes: Vec<MirrorSize>,
}

impl<'a> MirroredIndex<'a> {
    pub(crate) fn on(mirrors: &'a Mirrors, client: &'a [AssetFile<'a>]) -> Self {
        Self { mirrors, client, sizes: Vec::new() }
    }
}

impl<'a> Extra<'a> for MirroredIndex<'a> {
    fn check(&self, _options: &BuildOptions) -> Result<(), BuildError> {
        Ok(self.mirrors.check()?)
    }

    /// Replaces the scripts that fetch the index with their mirrored versions.
    fn begin(
        &mut self,
        _site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        if self.client.is_empty() && output.client_has(CLIENT) {
            return Err(OptionError {
                option: "mirrors",
                expected: "a build of pagekin that contains a client for mirrors",
                found: "not available in this build".to_owned(),
            }
            .into());
        }
        output.replace_in_client(self.client);
        output.list(MIRRORS_NAME);
        Ok(())
    }

    fn add(
        &mut self,
        site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        let (part, sizes) = spread(output.folder(), self.mirrors, site.observer)?;
        output.add_part(part);
        self.sizes = sizes;
        Ok(())
    }

    fn publish(&mut self, summary: &mut Summary) -> Result<(), BuildError> {
        summary.mirrors = std::mem::take(&mut self.sizes);
        Ok(())
    }
}

/// Spreads the index of an output over mirrors. Returns what this adds to the output, and the size
/// of each mirror.
fn spread(
    output: &Path,
    mirrors: &Mirrors,
    observer: &dyn Observer,
) -> Result<(Part, Vec<MirrorSize>), BuildError> {
    let names = index_files(output)?;
    let mut files = Vec::new();
    for name in &names {
        let path = output.join(name);
        files.push((&**name, fs::metadata(&path).map_err(FileError::io("read", &path))?.len()));
    }
    let urls = mirrors.urls();
    let layout = layout(mirrors, &urls, &files)?;
    let list = MirrorList::new(urls.clone(), mirrors.home, &layout, files.iter().copied());
    let size = |(host, url)| MirrorSize { url, folder: folder_of(host), files: 0, bytes: 0 };
    let mut sizes: Vec<MirrorSize> = (0..).zip(urls).map(size).collect();
    let mut part = Part { name: "mirrors", files: 0, bytes: 0 };
    for &(name, bytes) in &files {
        check(observer)?;
        let home = output.join(name);
        for &host in list.hosts_of(name) {
            let MirrorSize { folder, files, bytes: all, .. } = &mut sizes[host as usize];
            copy(&home, &output.join(folder).join(name))?;
            (*files, *all) = (*files + 1, *all + bytes);
            (part.files, part.bytes) = (part.files + 1, part.bytes + bytes);
        }
        if !mirrors.home {
            fs::remove_file(&home).map_err(FileError::io("remove", &home))?;
            (part.files, part.bytes) = (part.files - 1, part.bytes - bytes);
        }
    }
    remove_empty(&output.join("index"));
    // Every host gets a folder, even an empty one.
    for MirrorSize { folder, .. } in &sizes {
        let folder = output.join(folder);
        fs::create_dir_all(&folder).map_err(FileError::io("create", &folder))?;
    }
    part.bytes += write_file(output, MIRRORS_NAME, &list.encode())?;
    part.files += 1;
    Ok((part, sizes))
}

/// Assigns groups of files to hosts. A host's number of places is its space divided by the size of
/// the largest group.
fn layout(
    mirrors: &Mirrors,
    urls: &[String],
    files: &[(&str, u64)],
) -> Result<MirrorLayout, MirrorsError> {
    let n = groups_for(urls.len() as u32);
    let mut sizes = vec![0; n as usize];
    for &(name, bytes) in files {
        if let Some(group) = group_of(name, n) {
            sizes[group as usize] += bytes;
        }
    }
    let largest = sizes.into_iter().max().unwrap_or(0).max(1);
    let limits: Vec<Option<u64>> = mirrors.hosts.iter().map(|host| host.max_megabytes).collect();
    let places = |limit: &Option<u64>| {
        limit.map_or(u64::MAX, |megabytes| megabytes.saturating_mul(MEGABYTE) / largest)
    };
    let places: Vec<u64> = limits.iter().map(places).collect();
    MirrorLayout::new(n, &places, mirrors.copies()).map_err(|error| match error {
        LayoutError::Places(few) => MirrorsError::Room {
            url: urls[few.machine as usize].clone(),
            expected: (few.expected * largest).div_ceil(MEGABYTE),
            found: limits[few.machine as usize].unwrap_or(0),
        },
        LayoutError::Copies { .. } => OptionError {
            option: "mirrors",
            expected: "a file with 1 copy, or at most as many as there are hosts",
            found: error.to_string(),
        }
        .into(),
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), BuildError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(FileError::io("create", folder))?;
    }
    fs::copy(from, to).map_err(FileError::io("write", to))?;
    Ok(())
}

/// Removes empty folders.
fn remove_empty(folder: &Path) {
    for entry in WalkDir::new(folder).contents_first(true).into_iter().flatten() {
        if entry.file_type().is_dir() {
            // Removing a folder that is not empty fails, as it should.
            let _ = fs::remove_dir(entry.path());
        }
    }
}
