//! Checks whether a program was built from the current sources, using cargo's list of its source
//! files. Otherwise a test of an earlier program would pass on broken code and fail on fixed code.
//! `browser/freshness.mjs` applies the same rule.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

/// The remedy for an outdated program.
pub const ADVICE: &str = "run `cargo xtask test NAME`, which builds what a test needs";

/// Checks that a program was built after the last change of its sources. Otherwise returns the
/// problem and the remedy. A program without a list of sources, such as an installed one, is
/// accepted.
pub fn check(program: &Path) -> Result<(), String> {
    let Some(sources) = sources(program) else { return Ok(()) };
    let made = changed(program).ok_or_else(|| format!("{} is not there", program.display()))?;
    let newer = sources.iter().filter(|source| changed(source).is_none_or(|time| time > made));
    let newer: Vec<_> = newer.collect();
    let Some(first) = newer.first() else { return Ok(()) };
    let happened = if first.exists() { "was changed" } else { "was removed" };
    Err(format!(
        "{} is older than its sources: {} {happened} after it was built, and so were {} others; {ADVICE}",
        program.display(),
        first.display(),
        newer.len() - 1,
    ))
}

/// Returns the path where cargo lists the sources of a program, if that file exists.
#[must_use]
pub fn list(program: &Path) -> Option<PathBuf> {
    Some(program.with_extension("d")).filter(|list| list.is_file())
}

/// Returns the files and folders that a program was built from. The list is a make rule: the
/// program, a colon, and paths, in which a space is escaped by a backslash.
fn sources(program: &Path) -> Option<Vec<PathBuf>> {
    let rule = fs::read_to_string(list(program)?).expect("cargo writes UTF-8");
    let (_, paths) = rule.lines().next()?.split_once(": ")?;
    let whole = paths.replace("\\ ", "\0");
    Some(whole.split(' ').map(|path| PathBuf::from(path.replace('\0', " "))).collect())
}

/// Returns the time of the last change of a file, or as in cargo, of any file in a folder. Returns
/// `None` if it was removed.
fn changed(path: &Path) -> Option<SystemTime> {
    let times = WalkDir::new(path).follow_links(true).into_iter();
    times.map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max().flatten()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    /// Creates or changes a file a number of seconds after the first.
    fn write(path: &Path, second: u64) {
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
        fs::write(path, "").expect("there is room");
        touch(path, second);
    }

    fn touch(path: &Path, second: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + second);
        File::open(path).and_then(|file| file.set_modified(time)).expect("it can be changed");
    }

    /// Returns a program of second 5 and its sources: a file next to it with a space in its name,
    /// and a folder with a file in it.
    fn made() -> (TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("there is room for a folder");
        let at = |name: &str| place.path().join(name);
        let program = at("pagekin").with_extension(std::env::consts::EXE_EXTENSION);
        write(&at("src/main.rs"), 1);
        write(&at("with space.rs"), 5);
        write(&at("lab/deep/a.js"), 2);
        touch(&at("lab/deep"), 2);
        touch(&at("lab"), 2);
        write(&program, 5);
        let escaped = |name: &str| at(name).display().to_string().replace(' ', "\\ ");
        let sources = ["src/main.rs", "with space.rs", "lab"].map(escaped).join(" ");
        let rule = format!("{}: {sources}\n", program.display());
        fs::write(at("pagekin.d"), rule).expect("there is room");
        (place, program)
    }

    #[track_caller]
    fn check_fails(program: &Path, parts: &[&str]) {
        let message = check(program).expect_err("it is older than its sources");
        for part in parts.iter().chain(&["pagekin", "older than its sources", ADVICE]) {
            assert!(message.contains(part), "expected {part:?} in: {message}");
        }
    }

    #[test]
    fn a_program_not_older_than_its_sources_is_accepted() {
        let (_place, program) = made();
        assert_eq!(check(&program), Ok(()));
    }

    #[test]
    fn files_changed_or_removed_after_the_build_are_reported() {
        for (name, changed) in [
            ("src/main.rs", "src/main.rs"),
            ("with space.rs", "with space.rs"),
            ("lab/deep/a.js", "lab"),
        ] {
            let (place, program) = made();
            touch(&place.path().join(name), 6);
            check_fails(&program, &[changed, "was changed", "0 others"]);
        }
        let (place, program) = made();
        fs::remove_file(place.path().join("with space.rs")).expect("it is there");
        touch(&place.path().join("lab"), 6);
        check_fails(&program, &["with space.rs", "was removed", "1 others"]);
        // Only the time of the folder reveals that a file was removed.
        let (place, program) = made();
        fs::remove_file(place.path().join("lab/deep/a.js")).expect("it is there");
        check_fails(&program, &["lab", "was changed"]);
    }

    #[test]
    fn a_program_without_a_list_is_accepted() {
        let (place, program) = made();
        touch(&place.path().join("src/main.rs"), 6);
        fs::remove_file(place.path().join("pagekin.d")).expect("it is there");
        assert_eq!((check(&program), list(&program)), (Ok(()), None));
    }

    #[test]
    fn the_lists_of_cargo_are_read() {
        // The list of this test itself.
        let test = std::env::current_exe().expect("a test knows where it is");
        let sources = sources(&test).expect("cargo lists its sources");
        assert!(sources.iter().any(|path| path.ends_with("src/freshness.rs")), "{sources:?}");
    }
}
