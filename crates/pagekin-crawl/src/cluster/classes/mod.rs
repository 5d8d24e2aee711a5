//! URLs into classes, before they are paired: only URLs of one class are.
//!
//! The paper's future work (Haveliwala, Gionis and Indyk 2000, section 7): "first using standard
//! supervised classification algorithms to pre-classify our set of urls into several hundred
//! classes, and then applying LSH-based clustering to the urls of each of the resulting classes".
//! It hopes for less ambiguity of words. What it saves, and what it loses, is arithmetic:
//!
//! - The pairs that meet by chance in a table grow as `n^2`. Of `c` classes of equal size they are
//!   `c (n / c)^2 = n^2 / c`, and tables of fewer values are enough.
//! - Signatures of one class at a time are in memory, or of as many classes as fit.
//! - Two similar URLs of different classes are never compared. How many such pairs there are is
//!   measured on a sample, as recall is.
//!
//! | room | classes by |
//! | --- | --- |
//! | `of_urls` | the host, the first folders, the language or a file of classes |
//! | `parts` | which classes are in memory at once, and which URLs are of each |

pub(crate) mod from_urls;
pub(crate) mod parts;

use std::cmp::Reverse;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Classes that are named in a summary, the largest.
const NAMED: usize = 12;

/// What decides which class a URL is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum ClassSource {
    /// Its host.
    Host,
    /// Its host and its first folders, at most `depth`, at least 1.
    Folder {
        /// How many folders count.
        depth: u8,
    },
    /// The language of its page. URLs of which no page was read are a class too.
    Language,
    /// A CSV file with the columns `url` and `class`. All URLs that are not in it are a class too.
    File(PathBuf),
}

/// What became of the classes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassSummary {
    /// How many there are.
    pub classes: u32,
    /// The largest, each with its URLs.
    pub largest: Vec<(String, u32)>,
    /// Small ones, of which all pairs were compared.
    pub compared: u32,
    /// URLs of which nothing says the class, which are one.
    pub unclassified: u32,
    /// URLs of a file that the crawl does not have.
    pub unknown: u64,
}

/// The class of each URL, with what is to be said of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Classes {
    pub(crate) of: Vec<u32>,
    pub(crate) summary: ClassSummary,
}

impl Classes {
    /// From the class of each URL, by the place of its name.
    pub(crate) fn new(of: Vec<u32>, names: Vec<String>) -> Self {
        let mut sizes = vec![0u32; names.len()];
        of.iter().for_each(|&class| sizes[class as usize] += 1);
        let classes = sizes.iter().filter(|&&size| size > 0).count() as u32;
        let mut largest: Vec<(String, u32)> = names.into_iter().zip(sizes).collect();
        largest.retain(|&(_, size)| size > 0);
        largest.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        largest.truncate(NAMED);
        Self { of, summary: ClassSummary { classes, largest, ..ClassSummary::default() } }
    }
}
