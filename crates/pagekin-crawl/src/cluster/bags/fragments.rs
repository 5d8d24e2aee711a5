//! Fragments about URLs, in buckets on disk.
//!
//! A page contributes fragments to its own URL and to every URL it links to, and the fragments of
//! one URL come from anywhere in a crawl. So each [`Fragment`] is written to one of M files, by a
//! hash of its URL. Afterwards, one file at a time fits into memory, where `from_fragments` sorts
//! it (Haveliwala, Gionis and Indyk 2000, section 2.2, with M = 256).
//!
//! The hash also defines the order: each bucket contains a range of hashes, so that the sorted
//! buckets, back to back, contain all URLs in the order of the hash.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::vocabulary::TermId;
use pagekin_pairs::disk::partitions;
use pagekin_pairs::disk::partitions::{Spread, bucket_of};
use pagekin_pairs::disk::records::encode;
use serde::{Deserialize, Serialize};

use crate::folder::format::url_key;

/// Prefix of the names of the files.
pub(crate) const NAME: &str = "fragments";

/// The text of a page about a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// The URL in its normal form.
    pub url: String,
    /// Title of the page, if the fragment is from the page itself.
    pub title: Option<String>,
    /// Language code of the page, if the fragment is from the page itself.
    pub language: Option<String>,
    /// Terms in ascending order, with their frequencies.
    pub terms: Vec<(TermId, u32)>,
    /// Hash of the page's words in order, including numbers and words of one letter, if the
    /// fragment contains the page's text; otherwise 0.
    pub print: u64,
    /// For a fragment from the page itself: whether the page has this URL, and does not only name
    /// it as canonical; and the time of the capture. Of several captures, the greatest counts.
    pub capture: Option<(bool, String)>,
}

/// A [`Fragment`] that borrows its texts from the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FragmentRef<'a> {
    /// See [`Fragment`].
    pub url: &'a str,
    /// See [`Fragment`].
    pub title: Option<&'a str>,
    /// See [`Fragment`].
    pub language: Option<&'a str>,
    /// See [`Fragment`].
    pub terms: Vec<(TermId, u32)>,
    /// See [`Fragment`].
    pub print: u64,
    /// See [`Fragment`].
    pub capture: Option<(bool, &'a str)>,
}

/// Writes fragments to buckets.
#[derive(Debug)]
pub struct FragmentBuckets {
    buckets: Spread,
    bytes: Vec<u8>,
    report: FragmentReport,
}

/// Summary of written fragments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentReport {
    /// Number of fragments.
    pub fragments: u64,
    /// Bytes of the fragments on disk.
    pub bytes: u64,
}

impl FragmentBuckets {
    /// Creates `buckets` empty buckets, at least one, as files `fragments-0000` and so on in a
    /// folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(folder: &Path, buckets: u32) -> io::Result<Self> {
        Ok(Self {
            buckets: Spread::create(folder, NAME, buckets.max(1))?,
            bytes: Vec::new(),
            report: FragmentReport::default(),
        })
    }

    /// Writes a fragment to its bucket.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn push(&mut self, fragment: &Fragment) -> io::Result<()> {
        encode(fragment, &mut self.bytes)?;
        let bucket = bucket_of(url_key(&fragment.url), self.buckets.files());
        self.buckets.write(bucket, &self.bytes)?;
        self.report.fragments += 1;
        self.report.bytes += self.bytes.len() as u64;
        Ok(())
    }

    /// Writes the remaining data and returns the summary.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(self) -> io::Result<FragmentReport> {
        self.buckets.close()?;
        Ok(self.report)
    }
}

/// Returns the path of a bucket.
#[must_use]
pub fn bucket_path(folder: &Path, bucket: u32) -> PathBuf {
    partitions::path(folder, NAME, bucket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pairs::disk::records::read_records;
    use proptest::prelude::*;

    pub(crate) fn any_fragment() -> impl Strategy<Value = Fragment> {
        let terms = prop::collection::btree_map(any::<u32>(), 1u32..1_000, 0..6);
        ("[a-e]{1,2}", prop::option::of("[A-Z]{0,3}"), terms).prop_map(|(url, title, terms)| {
            Fragment {
                url: format!("https://{url}.example/"),
                title,
                terms: terms.into_iter().collect(),
                ..Fragment::default()
            }
        })
    }

    #[test]
    fn a_truncated_bucket_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut buckets = FragmentBuckets::create(folder.path(), 1).unwrap();
        let fragment = Fragment {
            url: "https://a.example/".into(),
            terms: vec![(7, 1)],
            capture: Some((true, "2026".into())),
            ..Fragment::default()
        };
        buckets.push(&fragment).unwrap();
        let report = buckets.finish().unwrap();
        let path = bucket_path(folder.path(), 0);
        assert_eq!(read_records::<Fragment>(&path).unwrap(), [fragment]);
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(report.bytes - 1)
            .unwrap();
        let error = read_records::<Fragment>(&path).unwrap_err().to_string();
        assert!(error.contains("expected a record at byte 0"), "{error}");
    }

    proptest! {
        #[test]
        fn buckets_return_all_fragments_in_the_order_of_keys(
            fragments in prop::collection::vec(any_fragment(), 0..40), n in 1u32..5,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut buckets = FragmentBuckets::create(folder.path(), n).unwrap();
            for fragment in &fragments {
                buckets.push(fragment).unwrap();
            }
            let report = buckets.finish().unwrap();
            prop_assert_eq!(report.fragments, fragments.len() as u64);
            let read = |bucket| read_records(&bucket_path(folder.path(), bucket)).unwrap();
            let read: Vec<Vec<Fragment>> = (0..n).map(read).collect();
            let keys = |bucket: &[Fragment]| bucket.iter().map(|f| url_key(&f.url)).collect::<Vec<_>>();
            for pair in read.windows(2) {
                let (before, after) = (keys(&pair[0]), keys(&pair[1]));
                prop_assert!(before.iter().all(|key| after.iter().all(|other| key < other)));
            }
            let sorted = |mut all: Vec<Fragment>| {
                all.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
                all
            };
            prop_assert_eq!(sorted(read.concat()), sorted(fragments));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("bucket");
            std::fs::write(&path, bytes).unwrap();
            let _ = read_records::<Fragment>(&path);
        }
    }
}
