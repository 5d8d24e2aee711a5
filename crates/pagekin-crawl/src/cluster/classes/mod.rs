//! Classes of URLs. Only URLs of the same class are compared.
//!
//! This is the paper's future work (Haveliwala, Gionis and Indyk 2000, section 7): "first using
//! standard supervised classification algorithms to pre-classify our set of urls into several
//! hundred classes, and then applying LSH-based clustering to the urls of each of the resulting
//! classes". It hopes for less ambiguity of words. The gain and the loss can be calculated:
//!
//! - The number of pairs that meet by chance in a table grows as `n^2`. With `c` classes of equal
//!   size, it is `c (n / c)^2 = n^2 / c`, and tables with fewer values suffice.
//! - Only the signatures of one class, or of as many classes as fit, are in memory.
//! - Two similar URLs of different classes are never compared. The number of such pairs is measured
//!   on a sample, like recall.
//!
//! | module | purpose |
//! | --- | --- |
//! | `from_urls` | classes by host, by first folders, by language or from a file |
//! | `parts` | which classes are in memory together, with their URLs |

pub(crate) mod from_urls;
pub(crate) mod parts;

use std::cmp::Reverse;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Number of classes named in a summary, largest first.
const NAMED: usize = 12;

/// The source of the class of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum ClassSource {
    /// The host.
    Host,
    /// The host and the first folders.
    Folder {
        /// Maximum number of folders, at least 1.
        depth: u8,
    },
    /// The language of the page. URLs without a page form one class.
    Language,
    /// A CSV file with the columns `url` and `class`. URLs that are not in it form one class.
    File(PathBuf),
}

/// Summary of the classes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassSummary {
    /// Number of classes.
    pub classes: u32,
    /// The largest classes with their numbers of URLs.
    pub largest: Vec<(String, u32)>,
    /// Number of small classes whose pairs were all compared.
    pub compared: u32,
    /// Number of URLs without a known class, which form one class.
    pub unclassified: u32,
    /// Number of URLs in the file that are not in the crawl.
    pub unknown: u64,
}

/// The class of each URL, and a summary.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Classes {
    pub(crate) of: Vec<u32>,
    pub(crate) summary: ClassSummary,
}

impl Classes {
    /// Counts the URLs of each class. `of` contains indices into `names`.
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
