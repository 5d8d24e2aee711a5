//! The hosts to spread an index over, and the file that configures them.

use std::fs;
use std::path::Path;

use pagekin_pages::{FileError, OptionError};
use serde::Deserialize;
use url::Url;

use crate::mirrors::error::MirrorsError;
use crate::mirrors::list::MAX_HOSTS;

/// The hosts to spread an index over.
///
/// ```
/// use pagekin_index::{BuildOptions, Mirrors};
///
/// let mirrors = Mirrors::new(["https://one.example.org/kin/", "https://two.example.org/kin/"]);
/// assert_eq!(mirrors.copies(), 2);
/// let options = BuildOptions::new("site", "out").with(|options| options.mirrors = Some(mirrors));
/// # assert!(options.mirrors.is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Mirrors {
    /// Minimum number of hosts with each file. With 2, any one host may fail. By default 2, or 1 if
    /// there is only one host.
    pub copies: Option<u32>,
    /// Whether the folder of the manifest also has all files, as a last resort.
    #[serde(default)]
    pub home: bool,
    /// The hosts; at least one.
    #[serde(rename = "host", default)]
    pub hosts: Vec<MirrorHost>,
}

/// A host of [`Mirrors`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct MirrorHost {
    /// The URL where its folder is published, such as `https://mirror.example.org/kin/`.
    pub url: String,
    /// The space on the host, in MB.
    pub max_megabytes: Option<u64>,
}

impl Mirrors {
    /// Takes hosts by their URLs, with the defaults.
    #[must_use]
    pub fn new<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Self {
        let host = |url: U| MirrorHost { url: url.into(), max_megabytes: None };
        Self { copies: None, home: false, hosts: urls.into_iter().map(host).collect() }
    }

    /// Reads a TOML file:
    ///
    /// ```toml
    /// copies = 2
    /// home = false
    ///
    /// [[host]]
    /// url = "https://one.example.org/kin/"
    /// max-megabytes = 900
    ///
    /// [[host]]
    /// url = "https://two.example.org/kin/"
    /// ```
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Self, MirrorsError> {
        Self::parse(&fs::read_to_string(path).map_err(FileError::io("read", path))?, path)
    }

    /// Parses the contents of the file at `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, MirrorsError> {
        toml::from_str(text).map_err(|error| MirrorsError::Described {
            path: path.to_owned(),
            found: error.to_string().trim_end().to_owned(),
        })
    }

    /// The minimum number of hosts with each file.
    #[must_use]
    pub fn copies(&self) -> u32 {
        self.copies.unwrap_or((self.hosts.len() as u32).min(2))
    }

    /// The URLs, each with a slash at its end.
    pub(crate) fn urls(&self) -> Vec<String> {
        let whole = |host: &MirrorHost| format!("{}/", host.url.trim_end_matches('/'));
        self.hosts.iter().map(whole).collect()
    }

    /// Refuses settings for which there is no layout.
    pub(crate) fn check(&self) -> Result<(), MirrorsError> {
        let refuse = |expected, found: String| {
            Err(OptionError { option: "mirrors", expected, found }.into())
        };
        let hosts = self.hosts.len();
        if !(1..=MAX_HOSTS).contains(&hosts) {
            return refuse(
                "a file with 1 to 256 hosts, each a [[host]] with its url",
                format!("one with {hosts}"),
            );
        }
        if !(1..=hosts as u32).contains(&self.copies()) {
            let found = format!("copies = {} on {hosts} hosts", self.copies());
            return refuse("a file with 1 copy, or at most as many as there are hosts", found);
        }
        for host in &self.hosts {
            let usable = Url::parse(&host.url).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.username().is_empty()
                    && url.query().is_none()
                    && url.fragment().is_none()
            });
            if !usable {
                let expected = "hosts with URLs such as https://mirror.example.org/kin/";
                return refuse(expected, format!("one with {:?}", host.url));
            }
        }
        let mut urls = self.urls();
        urls.sort_unstable();
        if let Some(twice) = urls.windows(2).find(|pair| pair[0] == pair[1]) {
            return refuse("hosts at different URLs", format!("two at {}", twice[0]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Mirrors, String> {
        let mirrors: Mirrors = toml::from_str(text).map_err(|error| error.to_string())?;
        mirrors.check().map_err(|error| error.to_string())?;
        Ok(mirrors)
    }

    #[test]
    fn hosts_are_parsed() {
        let mirrors = read(
            "[[host]]\nurl = \"https://a.org/kin\"\n[[host]]\nurl = \"https://b.org/\"\nmax-megabytes = 9\n",
        )
        .unwrap();
        assert_eq!((mirrors.copies(), mirrors.home), (2, false));
        assert_eq!(mirrors.urls(), ["https://a.org/kin/", "https://b.org/"]);
        assert_eq!(mirrors.hosts[1].max_megabytes, Some(9));
        assert_eq!(read("[[host]]\nurl = \"https://a.org\"").unwrap().copies(), 1);
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn invalid_settings_are_refused() {
        let two = "[[host]]\nurl = \"https://a.org\"\n[[host]]\nurl = \"https://a.org/\"\n";
        check_refused("", "1 to 256 hosts");
        check_refused(two, "two at https://a.org/");
        check_refused(&format!("copies = 3\n{two}"), "copies = 3 on 2 hosts");
        check_refused(&format!("copies = 0\n{two}"), "copies = 0 on 2 hosts");
        check_refused("[[host]]\nurl = \"a.org\"", "is one with \"a.org\"");
        check_refused("[[host]]\nurl = \"https://a.org/?x\"", "https://a.org/?x");
        check_refused("[[host]]\nuri = \"https://a.org\"", "unknown field `uri`");
        check_refused("copy = 2", "unknown field `copy`");
    }
}
