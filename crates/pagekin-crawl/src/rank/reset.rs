//! Reset values of URLs: where visitors restart.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use pagekin_pages::cells::text_of_cell;
use pagekin_pages::site::normal_url::Place;
use serde::Deserialize;

use crate::folder::format::url_key;
use crate::rank::error::RankError;
use crate::rank::folder::LinkFolder;

/// Where visitors restart. Only the proportions of values matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Reset {
    /// Anywhere with equal probability: plain PageRank.
    #[default]
    Everywhere,
    /// At these URLs with their values. Values of duplicate URLs are added up.
    Urls(Vec<(String, f64)>),
}

impl Reset {
    /// The reset values of all URLs, which add up to 1; `None` if they are equal.
    pub(crate) fn values(
        &self,
        base_url: &str,
        links: &LinkFolder,
    ) -> Result<Option<Vec<f64>>, RankError> {
        let mut values = match self {
            Self::Everywhere => return Ok(None),
            Self::Urls(urls) => of_urls(urls, base_url, links)?,
        };
        let total: f64 = values.iter().sum();
        if total == 0.0 {
            return Err(RankError::NoValue);
        }
        if !total.is_finite() {
            let (url, found) = ("all URLs together".to_owned(), total.to_string());
            return Err(RankError::Value { url, found });
        }
        values.iter_mut().for_each(|value| *value /= total);
        Ok(Some(values))
    }
}

/// The values that are given for some URLs, all of which must be there.
fn of_urls(
    urls: &[(String, f64)],
    base_url: &str,
    links: &LinkFolder,
) -> Result<Vec<f64>, RankError> {
    let mut values = vec![0.0; links.counts().urls as usize];
    let mut wanted = Vec::with_capacity(urls.len());
    for (given, value) in urls {
        if !(value.is_finite() && *value >= 0.0) {
            let (url, found) = (given.clone(), value.to_string());
            return Err(RankError::Value { url, found });
        }
        let url = resolved(given, base_url)?;
        wanted.push((url_key(&url), url, *value));
    }
    wanted.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut unknown: Option<(String, u64)> = None;
    let mut miss = |url: &str| {
        unknown.get_or_insert_with(|| (url.to_owned(), 0)).1 += 1;
    };
    let mut wanted = wanted.iter().peekable();
    for (node, url) in links.urls()?.enumerate() {
        // URLs and wanted URLs both ascend by their keys.
        let url = url?.url;
        let key = url_key(&url);
        while let Some((_, other, value)) = wanted.next_if(|wanted| wanted.0 <= key) {
            if *other == url {
                values[node] += value;
            } else {
                miss(other);
            }
        }
    }
    wanted.for_each(|(_, url, _)| miss(url));
    match unknown {
        Some((first, count)) => Err(RankError::UnknownUrls { first, count }),
        None => Ok(values),
    }
}

/// Returns the normal form of a given URL, relative to `base_url`.
fn resolved(given: &str, base_url: &str) -> Result<String, RankError> {
    let place = Place::new(base_url, None);
    let url = place.and_then(|place| place.resolve(given));
    url.ok_or_else(|| RankError::NoUrl { found: given.to_owned() })
}

/// A line of a file of reset values.
#[derive(Deserialize)]
struct Line {
    pub url: String,
    value: f64,
}

/// Reads URLs with their values from a CSV file.
///
/// # Errors
///
/// If the file cannot be read, or does not contain the columns `url` and `value`.
pub fn read_csv(path: &Path) -> Result<Reset, RankError> {
    let failed =
        |error: io::Error| RankError::Values { path: path.to_owned(), found: error.to_string() };
    read_from(File::open(path).map_err(failed)?, path)
}

/// Reads the content of the file at `path`.
pub(crate) fn read_from(opened: impl Read, path: &Path) -> Result<Reset, RankError> {
    let values = |found: String| RankError::Values { path: path.to_owned(), found };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(opened);
    let urls = reader.deserialize::<Line>().map(|line| {
        let line = line.map_err(|error| values(error.to_string()))?;
        Ok((text_of_cell(&line.url).to_owned(), line.value))
    });
    Ok(Reset::Urls(urls.collect::<Result<_, RankError>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::assemble::tests::{folder_of, page};

    const BASE: &str = "https://x.org/";

    fn links() -> (tempfile::TempDir, LinkFolder) {
        let pages = [
            page("https://x.org/", &["https://x.org/a/1", "https://y.org/"]),
            page("https://x.org/a/1", &["https://x.org/a/2"]),
            page("https://x.org/a/2", &["https://x.org/"]),
        ];
        let folder = folder_of(&pages, 1 << 20);
        let links = LinkFolder::open(folder.path()).unwrap();
        (folder, links)
    }

    /// Returns the nonzero reset values by URL, in order.
    fn values(reset: &Reset) -> Result<Vec<(String, f64)>, RankError> {
        let (_folder, links) = links();
        let values = reset.values(BASE, &links)?.unwrap();
        let urls = links.urls()?.map(|url| url.unwrap().url);
        let mut all: Vec<_> = urls.zip(values).filter(|&(_, value)| value > 0.0).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }

    fn urls(values: &[(&str, f64)]) -> Reset {
        Reset::Urls(values.iter().map(|&(url, value)| (url.to_owned(), value)).collect())
    }

    #[test]
    fn values_are_divided_by_their_sum() {
        let given = urls(&[("/a/2", 1.0), ("https://x.org/index.html#top", 2.0), ("/a/2", 1.0)]);
        let expected = [("https://x.org/".to_owned(), 0.5), ("https://x.org/a/2".to_owned(), 0.5)];
        assert_eq!(values(&given).unwrap(), expected);
    }

    #[test]
    fn invalid_values_are_refused() {
        let refused = |given: &[(&str, f64)], expected: &str| {
            let error = values(&urls(given)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        refused(
            &[("/a/1", 1.0), ("/none", 1.0)],
            "to https://x.org/none, which is not a ranked URL",
        );
        refused(&[("/n1", 1.0), ("/n2", 1.0), ("/n3", 0.0)], "and 2 others");
        refused(&[("/a/1", -1.0)], "the reset value of /a/1 is -1");
        refused(&[("/a/1", f64::NAN)], "is NaN");
        refused(&[("/a/1", f64::MAX), ("/a/2", f64::MAX)], "is inf");
        refused(&[("/a/1", 0.0)], "all reset values are 0");
        refused(&[], "all reset values are 0");
        refused(&[("mailto:a@x.org", 1.0)], "is not a URL");
    }

    #[test]
    fn a_file_of_values_is_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_csv(&path)
        };
        let expected = urls(&[("/a,b", 2.0), ("https://x.org/", 0.5)]);
        assert_eq!(read("value,url\n2,\"/a,b\"\n 0.5 , https://x.org/\n").unwrap(), expected);
        for (text, expected) in [
            ("url,weight\n/a,1\n", "missing field `value`"),
            ("url,value\n/a,many\n", "invalid float literal"),
            ("url,value\n/a\n", "found record with 1 fields"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("values.csv"), "{error}");
        }
        assert!(read_csv(&folder.path().join("none")).is_err());
    }
}
