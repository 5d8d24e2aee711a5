//! An output whose index is spread over several hosts: a folder for each, to be published there,
//! and the list of who has what.
//!
//! What stays at home, which is the folder that a site publishes, are the manifest, the client, the
//! demo, the related pages and the list.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use pagekin_pages::output::files::write_file;
use pagekin_pages::progress::check;
use pagekin_pages::{FileError, Observer, OptionError, Part};
use walkdir::WalkDir;

use crate::build::bundle::index_files;
use crate::build::error::BuildError;
use crate::build::options::{AssetFile, BuildOptions};
use crate::mirrors::error::MirrorsError;
use crate::mirrors::layout::{Layout, LayoutError};
use crate::mirrors::list::{MIRRORS_NAME, MirrorList, folder_of, group_of, groups_for};
use crate::mirrors::options::Mirrors;

/// A script that fetches the index: that of a client of one host does not look for mirrors.
const CLIENT: &str = "engine.js";
const MEGABYTE: u64 = 1_000_000;

/// What a mirror has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorSize {
    /// Its address.
    pub url: String,
    /// The folder in the output that is published there: `mirrors/1`.
    pub folder: String,
    /// Its number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Refuses mirrors that do not go with other options.
pub(crate) fn check_options(options: &BuildOptions) -> Result<(), BuildError> {
    let Some(mirrors) = &options.mirrors else { return Ok(()) };
    mirrors.check()?;
    if options.offline && !mirrors.home {
        return Err(OptionError {
            option: "offline",
            expected: "an index that is whole at home, which visitors keep: set `home = true` in the file of mirrors",
            found: "given with mirrors alone".to_owned(),
        }.into());
    }
    Ok(())
}

/// Puts the scripts that know mirrors in the place of those that do not.
pub(crate) fn replace<'a>(
    assets: &mut [(&'a str, Cow<'a, [u8]>)],
    mirrored: &[AssetFile<'a>],
) -> Result<(), BuildError> {
    for (path, bytes) in &mut *assets {
        if let Some(other) = mirrored.iter().find(|other| other.path == *path) {
            *bytes = Cow::Borrowed(other.bytes);
        }
    }
    let knows_none = mirrored.is_empty() && assets.iter().any(|(path, _)| *path == CLIENT);
    if knows_none {
        return Err(OptionError {
            option: "mirrors",
            expected: "a program that carries a client for mirrors",
            found: "given to one without it".to_owned(),
        }
        .into());
    }
    Ok(())
}

/// Spreads the index in an output over mirrors; answers what that adds to the output, and what each
/// mirror has.
pub(crate) fn spread(
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
    // Where nothing is to be published, there is a folder all the same.
    for MirrorSize { folder, .. } in &sizes {
        let folder = output.join(folder);
        fs::create_dir_all(&folder).map_err(FileError::io("create", &folder))?;
    }
    part.bytes += write_file(output, MIRRORS_NAME, &list.encode())?;
    part.files += 1;
    Ok((part, sizes))
}

/// The layout of groups on hosts: what a host has room for, in groups as large as the largest, is
/// its places.
fn layout(
    mirrors: &Mirrors,
    urls: &[String],
    files: &[(&str, u64)],
) -> Result<Layout, MirrorsError> {
    let n = groups_for(urls.len() as u32);
    let mut sizes = vec![0; n as usize];
    for &(name, bytes) in files {
        if let Some(group) = group_of(name, n) {
            sizes[group as usize] += bytes;
        }
    }
    let largest = sizes.into_iter().max().unwrap_or(0).max(1);
    let rooms: Vec<Option<u64>> = mirrors.hosts.iter().map(|host| host.max_megabytes).collect();
    let places = |room: &Option<u64>| {
        room.map_or(u64::MAX, |megabytes| megabytes.saturating_mul(MEGABYTE) / largest)
    };
    let places: Vec<u64> = rooms.iter().map(places).collect();
    Layout::new(n, &places, mirrors.copies()).map_err(|error| match error {
        LayoutError::Places(few) => MirrorsError::Room {
            url: urls[few.machine as usize].clone(),
            expected: (few.expected * largest).div_ceil(MEGABYTE),
            found: rooms[few.machine as usize].unwrap_or(0),
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

/// Removes the folders in which nothing is left.
fn remove_empty(folder: &Path) {
    for entry in WalkDir::new(folder).contents_first(true).into_iter().flatten() {
        if entry.file_type().is_dir() {
            // One that is not empty stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}
