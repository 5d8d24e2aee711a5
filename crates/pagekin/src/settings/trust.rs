//! Restricts a `pagekin.toml` that was found instead of named on the command line. Anyone who can
//! write to a folder above the current one, or the author of a cloned repository, can put a file
//! there.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::settings::file::{Unreadable, unreadable};

/// Options that decide who can access which files.
const EXPOSING: [&str; 2] = ["host", "follow-symlinks"];

/// How a file was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Named with `--config`: everything in it applies.
    Named,
    /// Found in the current folder or above it.
    Found,
}

impl Trust {
    /// Opens the file. A found file must not belong to another user, nor may a link in its place,
    /// and it must not be writable by everyone.
    ///
    /// Like git's `safe.directory`, this allows group-writable files: with a umask of 002 every
    /// file is group-writable, and a folder shared with a group lets the group change what is built
    /// there.
    pub(crate) fn open(self, path: &Path) -> Result<File, Unreadable> {
        let failed = |error: io::Error| unreadable(path, &error);
        let file = File::open(path).map_err(failed)?;
        if self == Self::Found {
            let link = fs::symlink_metadata(path).map_err(failed)?;
            let found = file.metadata().map_err(failed)?;
            if let Some(why) = distrust_reason(&link).or_else(|| distrust_reason(&found)) {
                let path = path.display();
                return Err(Unreadable(format!(
                    "{path} is not trusted: {why}. Pass --config {path} to use it, or --no-config to ignore it"
                )));
            }
        }
        Ok(file)
    }

    /// Refuses an option that a found file must not set.
    pub(crate) fn check_option(self, key: &str) -> Result<(), String> {
        if self == Self::Named || !EXPOSING.contains(&key) {
            return Ok(());
        }
        Err(format!("{key} decides who can access which files. {REMEDY}"))
    }

    /// Refuses a path that leads out of `folder`, the folder of a found file, directly or through
    /// links.
    pub(crate) fn check_path(self, key: &str, folder: &Path, text: &str) -> Result<(), String> {
        if self == Self::Named || is_within(folder, Path::new(text)) {
            return Ok(());
        }
        Err(format!("{key}: {text:?} is not in the folder of the file. {REMEDY}"))
    }
}

/// The remedy for a refused option.
const REMEDY: &str =
    "Pass it on the command line, or name the file with --config to trust all of it";

/// Returns why a found file is not trusted.
#[cfg(unix)]
fn distrust_reason(found: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    /// The mode bit that lets everyone write.
    const OTHERS_WRITE: u32 = 0o002;
    let user = rustix::process::geteuid().as_raw();
    // With sudo, root acts for the user who called it.
    let caller = || std::env::var("SUDO_UID").ok()?.parse::<u32>().ok();
    let owner = found.uid();
    let is_own = owner == user || owner == 0 || user == 0 && caller() == Some(owner);
    if !is_own {
        return Some(format!("it belongs to user {owner}, who is neither you nor root"));
    }
    // The mode of a link itself has no meaning.
    let is_open = !found.is_symlink() && found.mode() & OTHERS_WRITE != 0;
    is_open.then(|| "every user of this machine can write to it".to_owned())
}

/// On Windows, owner and permissions cannot be read without unsafe code.
#[cfg(not(unix))]
fn distrust_reason(_: &Metadata) -> Option<String> {
    None
}

/// Returns whether a path, relative to a folder, is in the folder. A path that does not exist yet
/// counts as where it would be created.
fn is_within(folder: &Path, path: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    let mut real = folder.clone();
    for part in path.components() {
        match part {
            Component::Prefix(prefix) => real = PathBuf::from(prefix.as_os_str()),
            Component::ParentDir => _ = real.pop(),
            Component::CurDir => {}
            Component::RootDir | Component::Normal(_) => real.push(part),
        }
        match fs::canonicalize(&real) {
            Ok(found) => real = found,
            // A dangling link: a file created through it would be elsewhere.
            Err(_) if real.is_symlink() => return false,
            Err(_) => {}
        }
    }
    real.starts_with(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_out_of_a_folder_are_detected() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("site");
        fs::create_dir_all(folder.join("public/deep")).unwrap();
        fs::create_dir(place.path().join("site-b")).unwrap();
        let absolute = folder.join("public");
        for inside in ["public", ".", "public/../public", "new/x", "public/deep/..", "a/../b"] {
            assert!(is_within(&folder, Path::new(inside)), "{inside}");
        }
        assert!(is_within(&folder, &absolute));
        for outside in ["..", "../site-b", "public/../..", "a/../../b", "/", "/none/x"] {
            assert!(!is_within(&folder, Path::new(outside)), "{outside}");
        }
        assert!(!is_within(&folder, place.path()));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_folder_are_detected() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("site");
        fs::create_dir_all(folder.join("public")).unwrap();
        fs::create_dir(place.path().join("other")).unwrap();
        for (link, to) in [("in", "public"), ("out", "../other"), ("nothing", "../new")] {
            symlink(to, folder.join(link)).unwrap();
        }
        for (path, expected) in [
            ("in", true),
            ("in/new", true),
            ("out", false),
            ("out/new", false),
            ("out/../x", false),
            ("nothing", false),
            ("nothing/x", false),
        ] {
            assert_eq!(is_within(&folder, Path::new(path)), expected, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn world_writable_files_are_trusted_only_if_named() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pagekin.toml");
        fs::write(&path, "").unwrap();
        for (mode, is_trusted) in [(0o644, true), (0o664, true), (0o600, true), (0o646, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(Trust::Named.open(&path).is_ok());
            assert_eq!(Trust::Found.open(&path).is_ok(), is_trusted, "{mode:o}");
        }
        let error = Trust::Found.open(&path).unwrap_err().0;
        assert!(
            error.contains("every user of this machine can write to it. Pass --config"),
            "{error}"
        );
    }

    /// Only root can create files of other users.
    #[cfg(unix)]
    #[test]
    fn files_and_links_of_other_users_are_trusted_only_if_named() {
        use std::os::unix::fs::{chown, lchown, symlink};
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pagekin.toml");
        fs::write(&path, "").unwrap();
        assert!(Trust::Found.open(&path).is_ok());
        if chown(&path, Some(12_345), None).is_err() {
            return;
        }
        assert!(Trust::Named.open(&path).is_ok());
        let error = Trust::Found.open(&path).unwrap_err().0;
        assert!(error.contains("it belongs to user 12345, who is neither you nor root"), "{error}");
        fs::write(place.path().join("mine.toml"), "").unwrap();
        fs::remove_file(&path).unwrap();
        symlink("mine.toml", &path).unwrap();
        assert!(Trust::Found.open(&path).is_ok());
        lchown(&path, Some(12_345), None).unwrap();
        assert!(Trust::Found.open(&path).is_err());
    }
}
