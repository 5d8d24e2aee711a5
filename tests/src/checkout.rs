//! The checkout under test. It is located at run time, because cargo may run binaries in a copy of
//! a checkout with its target folder, and compiled-in paths would lead to the original.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns the path of a part of this crate, such as `site`.
#[must_use]
pub fn of_tests(name: &str) -> PathBuf {
    root().join("tests").join(name)
}

/// Returns the folder of the repository: that of the crate that cargo runs, or else the one around
/// the current folder.
#[must_use]
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let crate_folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let start = crate_folder.or_else(|| env::current_dir().ok()).expect("this runs somewhere");
        let mut around = start.ancestors();
        around
            .find(|folder| folder.join("crates/xtask").is_dir())
            .unwrap_or_else(|| panic!("expected a checkout of pagekin around {}", start.display()))
            .to_owned()
    })
}
