//! Excludes files of a site by glob.
//!
//! # Rules
//!
//! 1. A glob has the syntax of the `glob` crate: `?` is one character and `*` any number of them,
//!    but neither matches `/`; `**` is any number of folders; `[ab]` is one of these characters.
//! 2. It is matched against the whole path of a file below its site's folder, with `/` between
//!    folders, or, for a page that is not in a folder, against the path of its URL after the base
//!    URL.
//! 3. A leading slash has no effect. A glob that ends with a slash matches everything below it.

use std::ffi::OsStr;
use std::path::Path;

use glob::{MatchOptions, Pattern};

use crate::error::OptionError;
use crate::progress::Observer;
use crate::site::error::SiteError;

/// Globs, and which of them have matched.
#[derive(Debug)]
pub struct Exclude<'a> {
    globs: &'a [String],
    patterns: Vec<Pattern>,
    matched: Vec<bool>,
}

impl<'a> Exclude<'a> {
    /// Parses globs.
    pub fn new(globs: &'a [String]) -> Result<Self, SiteError> {
        let mut patterns = Vec::with_capacity(globs.len());
        for glob in globs {
            let mut pattern = glob.trim_start_matches('/').to_owned();
            if pattern.ends_with('/') {
                pattern.push_str("**");
            }
            // A folder of any depth is followed by a name, which is any name at the end of the
            // glob.
            if pattern.ends_with("/**") || pattern == "**" {
                pattern.push_str("/*");
            }
            patterns.push(Pattern::new(&pattern).map_err(|error| OptionError {
                option: "exclude",
                expected: "a glob such as drafts/** or **/print.html",
                found: format!("{glob:?} ({})", error.msg),
            })?);
        }
        Ok(Self { globs, patterns, matched: vec![false; globs.len()] })
    }

    /// Returns whether a file is excluded.
    pub(crate) fn has_file(&mut self, file: &Path, site: &Path) -> bool {
        let below = file.strip_prefix(site).unwrap_or(file);
        self.has(below.as_os_str())
    }

    /// Returns whether the page at a URL is excluded.
    pub fn has_url(&mut self, url: &str, base_url: &str) -> bool {
        let below = url.strip_prefix(base_url.trim_end_matches('/')).unwrap_or(url);
        self.has(below.trim_start_matches('/').as_ref())
    }

    fn has(&mut self, path: &OsStr) -> bool {
        let by = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let mut excluded = false;
        for (pattern, matched) in self.patterns.iter().zip(&mut self.matched) {
            if pattern.matches_path_with(Path::new(path), by) {
                (*matched, excluded) = (true, true);
            }
        }
        excluded
    }

    /// Warns of globs that matched nothing, which may be mistyped.
    pub fn warn_of_unmatched(&self, observer: &dyn Observer) {
        for (glob, _) in self.globs.iter().zip(&self.matched).filter(|(_, matched)| !**matched) {
            observer.warn(&format!(
                "--exclude {glob:?} matches no file: globs are matched against whole paths below the site's folder, so that a \
                 file in any folder is **/name.html"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, path: &str, expected: bool) {
        let globs = [glob.to_owned()];
        let mut exclude = Exclude::new(&globs).unwrap();
        let file = Path::new("/site").join(path);
        assert_eq!(exclude.has_file(&file, Path::new("/site")), expected);
        assert_eq!(exclude.matched, [expected]);
        assert_eq!(exclude.has_url(&format!("https://x.org/{path}"), "https://x.org/"), expected);
    }

    #[test]
    fn globs_are_matched_against_whole_paths() {
        check("genindex.html", "genindex.html", true);
        check("genindex.html", "c/genindex.html", false);
        check("**/genindex.html", "genindex.html", true);
        check("**/genindex.html", "c/d/genindex.html", true);
        check("c/*.html", "c/a.html", true);
        check("c/*.html", "c/d/a.html", false);
        check("c/**", "c/d/a.html", true);
        check("c/", "c/d/a.html", true);
        check("/c/", "c/a.html", true);
        check("c/", "cd/a.html", false);
        check("[cd]/[ab].html", "d/b.html", true);
        check("[cd]/[ab].html", "d/c.html", false);
        check("*.html", "A.HTML", false);
    }

    #[test]
    fn invalid_globs_are_rejected() {
        let globs = ["c/**".to_owned(), "[a".to_owned()];
        let error = Exclude::new(&globs).unwrap_err().to_string();
        assert!(error.starts_with("exclude is \"[a\" ("), "{error}");
        assert!(error.ends_with("expected a glob such as drafts/** or **/print.html"), "{error}");
    }
}
