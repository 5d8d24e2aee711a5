//! How far a `pagekin.toml` is obeyed that was found and not named on the command line: whoever can
//! write to a folder above the current one, or is the author of a repository that was cloned, can
//! put one there.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::settings::file::{Unreadable, unreadable};

/// Options that decide who gets what is served.
const EXPOSING: [&str; 2] = ["host", "follow-symlinks"];

/// Whether a file was named or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// By `--config`: all that is in it is obeyed.
    Named,
    /// In the current folder or in one above it.
    Found,
}

impl Trust {
    /// Opens the file. Of one that was found, neither the file nor a link in its place may be
    /// another user's, and not everybody may be able to write it.
    ///
    /// As with git's `safe.directory`, its group may: with a umask of 002 every file is so, and who
    /// shares a folder with a group lets it change what is built there.
    pub(crate) fn open(self, path: &Path) -> Result<File, Unreadable> {
        let failed = |error: io::Error| unreadable(path, &error);
        let file = File::open(path).map_err(failed)?;
        if self == Self::Found {
            let link = fs::symlink_metadata(path).map_err(failed)?;
            let found = file.metadata().map_err(failed)?;
            if let Some(why) = danger(&link).or_else(|| danger(&found)) {
                let path = path.display();
                return Err(Unreadable(format!(
                    "refusing to obey {path}: {why}. Pass --config {path} to obey it, or --no-config to ignore it"
                )));
            }
        }
        Ok(file)
    }

    /// Refuses an option that a file that was found may not set.
    pub(crate) fn check_option(self, key: &str) -> Result<(), String> {
        if self == Self::Named || !EXPOSING.contains(&key) {
            return Ok(());
        }
        Err(format!("{key} decides who gets what is served. {REMEDY}"))
    }

    /// Refuses a path that a file in `folder` that was found may not set: one that leads out of the
    /// folder, by its parts or by links.
    pub(crate) fn check_path(self, key: &str, folder: &Path, text: &str) -> Result<(), String> {
        if self == Self::Named || is_within(folder, Path::new(text)) {
            return Ok(());
        }
        Err(format!("{key}: expected a path in the folder of the file, found {text:?}. {REMEDY}"))
    }
}

/// What to do about an option that is refused.
const REMEDY: &str =
    "Pass it on the command line, or pass --config with the path of the file to obey all of it";

/// Why what was found is not to be obeyed.
#[cfg(unix)]
fn danger(found: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    /// The bit of a mode that lets everybody write.
    const OTHERS_WRITE: u32 = 0o002;
    let user = rustix::process::geteuid().as_raw();
    // Root by sudo is still the user who called it.
    let caller = || std::env::var("SUDO_UID").ok()?.parse::<u32>().ok();
    let owner = found.uid();
    let is_own = owner == user || owner == 0 || user == 0 && caller() == Some(owner);
    if !is_own {
        return Some(format!("it belongs to user {owner}, who is neither you nor root"));
    }
    // A link's own mode means nothing.
    let is_open = !found.is_symlink() && found.mode() & OTHERS_WRITE != 0;
    is_open.then(|| "every user of this machine can write it".to_owned())
}

/// Windows has no owner and no mode that could be asked without unsafe code.
#[cfg(not(unix))]
fn danger(_: &Metadata) -> Option<String> {
    None
}

/// Whether a path that is relative to a folder leads to a place in it. What is not there yet is
/// where it would be made.
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
            // A link to nothing: what is made there is elsewhere.
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
    fn paths_that_lead_out_of_a_folder_are_found() {
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
    fn links_that_lead_out_of_a_folder_are_found() {
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
    fn files_that_everybody_can_write_are_obeyed_only_by_name() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pagekin.toml");
        fs::write(&path, "").unwrap();
        for (mode, is_obeyed) in [(0o644, true), (0o664, true), (0o600, true), (0o646, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(Trust::Named.open(&path).is_ok());
            assert_eq!(Trust::Found.open(&path).is_ok(), is_obeyed, "{mode:o}");
        }
        let error = Trust::Found.open(&path).unwrap_err().0;
        assert!(
            error.contains("every user of this machine can write it. Pass --config"),
            "{error}"
        );
    }

    /// Only root can make files of others.
    #[cfg(unix)]
    #[test]
    fn files_and_links_of_other_users_are_obeyed_only_by_name() {
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
