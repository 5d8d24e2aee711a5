//! The checkout that is tested. It is found at run time: in a copy of a checkout with its target,
//! cargo runs what was compiled in the original, and paths of then would lead there.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of something that this crate has, such as `site`.
#[must_use]
pub fn of_tests(name: &str) -> PathBuf {
    root().join("tests").join(name)
}

/// The folder of the repository: that of the crate that cargo runs, or else around where this runs.
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
