//! Temporary folders with small sites.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_index::{Assets, BuildOptions, build};
use pagekin_pages::Silent;
use tempfile::TempDir;

use crate::checkout;
use crate::program::{Answer, Done, Summary, arguments, pagekin, run};

/// Returns the path of the teaching site.
#[must_use]
pub fn teaching_site() -> PathBuf {
    checkout::of_tests("site")
}

/// The content of a folder: paths below it and the bytes of the files. The path of a folder ends in
/// `/`.
pub type Snapshot = BTreeMap<String, Vec<u8>>;

/// Returns the current content of `folder`.
#[must_use]
pub fn snapshot(folder: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).expect("the folder can be listed") {
            let path = entry.expect("the folder can be listed").path();
            let below = path.strip_prefix(folder).expect("it is below");
            let name = below.to_str().expect("tests use UTF-8").to_owned();
            if path.is_dir() && !path.is_symlink() {
                found.insert(name + "/", Vec::new());
                folders.push(path);
            } else {
                // A dangling link has no content, and reading a pipe may never end.
                let bytes = if path.is_file() { fs::read(&path) } else { Ok(Vec::new()) };
                found.insert(name, bytes.unwrap_or_default());
            }
        }
    }
    found
}

/// A temporary folder with a site in `site/`, whose index is built in `out/`.
#[derive(Debug)]
pub struct Place(TempDir);

impl Place {
    /// Creates an empty site.
    #[must_use]
    pub fn empty() -> Self {
        let place = Self(tempfile::tempdir().expect("there is room for a folder"));
        fs::create_dir(place.site()).expect("it is empty");
        place
    }

    /// Creates a site of these pages, given as paths and HTML.
    #[must_use]
    pub fn with(pages: &[(&str, &str)]) -> Self {
        let place = Self::empty();
        for (path, html) in pages {
            place.write(&format!("site/{path}"), html);
        }
        place
    }

    /// Copies another site.
    #[must_use]
    pub fn with_copy_of(site: &Path) -> Self {
        let place = Self::empty();
        for (name, bytes) in snapshot(site) {
            if !name.ends_with('/') {
                place.write(&format!("site/{name}"), bytes);
            }
        }
        place
    }

    /// Creates a site of `n` pages with words of their own, each of which shares some words with
    /// its neighbors.
    #[must_use]
    pub fn with_pages(n: u32) -> Self {
        let place = Self::empty();
        for number in 0..n {
            place.write(
                &format!("site/{number:04}.html"),
                html(&format!("Page {number}"), &words(number * 10, 40)),
            );
        }
        place
    }

    /// Creates the same site and a copy of its first page.
    #[must_use]
    pub fn with_a_copy(n: u32) -> Self {
        let place = Self::with_pages(n);
        place.write("site/copy.html", html("A copy", &words(0, 40)));
        place
    }

    /// Returns a path in the place.
    #[must_use]
    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Returns the folder of the site.
    #[must_use]
    pub fn site(&self) -> PathBuf {
        self.path("site")
    }

    /// Returns the folder of the index.
    #[must_use]
    pub fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// Writes a file and creates its parent folders.
    pub fn write(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
        fs::write(path, bytes).expect("there is room");
    }

    /// Returns the names of its direct entries, including hidden ones.
    #[must_use]
    pub fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder can be listed");
        let name =
            |entry: fs::DirEntry| entry.file_name().to_str().expect("tests use UTF-8").to_owned();
        let mut names: Vec<_> =
            entries.map(|entry| name(entry.expect("it can be listed"))).collect();
        names.sort();
        names
    }

    /// Tries to build the index of the site.
    #[track_caller]
    pub fn try_build(&self, options: &[&str]) -> Done {
        self.try_build_to(&self.out(), options)
    }

    /// Tries to build the index of the site in another folder.
    #[track_caller]
    pub fn try_build_to(&self, out: &Path, options: &[&str]) -> Done {
        let site = self.site();
        pagekin(arguments(
            &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()],
            options,
        ))
    }

    /// Builds the index of the site and returns the summary.
    #[track_caller]
    pub fn build(&self, options: &[&str]) -> Summary {
        let json = self.try_build(&[options, &["--json", "--quiet"]].concat()).ok();
        serde_json::from_str(&json).expect("the summary has the shape of `Summary`")
    }

    /// Runs a command on the index.
    #[track_caller]
    pub fn on_index(&self, command: &str, options: &[&str]) -> Done {
        on_index(command, &self.out(), options)
    }

    /// Runs `similar` on the index.
    #[track_caller]
    pub fn similar(&self, options: &[&str]) -> Answer {
        similar(&self.out(), options, "")
    }

    /// Tries to find the pages that are similar to a text.
    #[track_caller]
    pub fn try_similar_to(&self, text: &str, options: &[&str]) -> Done {
        let out = self.out();
        let first: &[&OsStr] = &["similar".as_ref(), out.as_os_str(), "-".as_ref()];
        run(&mut crate::program::command(arguments(first, options)), text.as_bytes())
    }

    /// Finds the pages that are similar to a text.
    #[track_caller]
    pub fn similar_to(&self, text: &str, options: &[&str]) -> Answer {
        similar(&self.out(), &[&["-"], options].concat(), text)
    }
}

/// Builds the index of a site with the library, which has options that the command lacks.
#[track_caller]
pub fn build_with(site: &Path, out: &Path, change: impl FnOnce(&mut BuildOptions)) {
    let options = BuildOptions::new(site, out).with(change);
    build(&options, &Assets::default(), &Silent).expect("it is built");
}

/// Runs a command on an index.
#[track_caller]
pub fn on_index(command: &str, out: &Path, options: &[&str]) -> Done {
    pagekin(arguments(&[command.as_ref(), out.as_os_str()], options))
}

/// Queries an index; `text` is the standard input.
#[track_caller]
pub fn similar(out: &Path, options: &[&str], text: &str) -> Answer {
    let first: &[&OsStr] = &["similar".as_ref(), out.as_os_str(), "--json".as_ref()];
    let json = run(&mut crate::program::command(arguments(first, options)), text.as_bytes()).ok();
    serde_json::from_str(&json).expect("the answer has the shape of `Answer`")
}

/// Returns a page with a title and a text in its `main`.
#[must_use]
pub fn html(title: &str, text: &str) -> String {
    format!("<!doctype html><html lang=en><title>{title}</title><main><p>{text}</p></main></html>")
}

/// Returns `n` generated words from number `first` on, which are distinct, equal to their stems and
/// not stop words.
#[must_use]
pub fn words(first: u32, n: u32) -> String {
    let word = |number: u32| {
        let syllable = |of: u32| {
            let (consonant, vowel) = (of % 12, of / 12 % 4);
            [b"bdfgklmnprtv"[consonant as usize], b"aiou"[vowel as usize]]
        };
        let syllables = [syllable(number), syllable(number / 48), syllable(number / 2_304)];
        String::from_utf8(syllables.concat()).expect("it is ASCII") + "zok"
    };
    (first..first + n).map(word).collect::<Vec<_>>().join(" ")
}
