//! Finds pages of one or several sites that are nearly copies of one another.
//!
//! ```
//! use pagekin_duplicates::{DuplicateOptions, find};
//! use pagekin_pages::Silent;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let found = find(&DuplicateOptions::new("../../tests/site"), &Silent)?;
//! for pair in &found.pairs {
//!     let [a, b] = [pair.a, pair.b].map(|page| &found.pages[page as usize].url);
//!     println!("{b} contains {:.0}% of {a}", 100.0 * pair.shared.a_in_b());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`moves`] compares two versions of a site with the same methods, and [`stream`] (behind the
//! feature `stream`) compares pages as they are published.
//!
//! The modules, each of which needs only those above it:
//!
//! ```text
//! error            errors of a comparison
//! options          sites, algorithm, minimum resemblance
//! pair             two near-duplicate pages, and how they are related
//! groups           pairs of pages -> groups around originals
//! stream           pages as they are published -> those that repeat an earlier one
//! texts            HTML files -> pages, probable originals first, and their distinct texts
//! features         texts -> sets of shingles, MinHash values, projection sketches
//! found            the result
//! baseline         a file of known pairs, and which pairs are new
//! moves            two versions of a site -> the new URLs of the old pages
//! pairs            features -> pairs of texts by an algorithm, and quotations
//! compare          texts -> the result, through the modules above
//! from_index       an index -> the pages to read, or pairs estimated from its sketches
//! find             options -> the result
//! report           the result -> an HTML file for people
//! fuzzing          readers of untrusted bytes, for the fuzz targets
//! ```
//!
//! # Rules
//!
//! 1. **Pages** are those of a build: redirects, pages with `noindex` and pages whose canonical URL
//!    is another page are skipped, and the text of a page is the text that a build indexes.
//!    There is one difference: blocks that many pages contain are removed only from pages that do
//!    not mark their main text ([`DuplicateOptions::keep_repeated`]).
//! 2. **Texts.** Pages with the same words and numbers in the same order share one text. A hash of
//!    their tokens finds them before anything is compared, and all later steps run once per text.
//!    Each text that differs from an earlier one only in numbers is paired with the first of them.
//! 3. **Resemblance.** The candidates of an [`Algorithm`] are compared exactly, by their shingles.
//!    Pairs with a resemblance of at least [`DuplicateOptions::min`] are kept. Texts of fewer than
//!    99 tokens are also compared by shorter shingles. Different texts never have a resemblance of
//!    1. Quotations ([`pairs::quotations`]) are exempt from the minimum: their resemblance is low.
//! 4. **The original.** The probable original among near-duplicates is the page that most other
//!    files of the folder name as their canonical URL. Ties are broken by the number of pages that
//!    link to it, then by the shortest URL, then by the order of the sites in the options, then by
//!    alphabetical order.
//! 5. **Groups** are CENTER clusters ([`pagekin_core::center`]) of the pages in that order. One
//!    set of groups is for near-duplicates with their copies, and another for quotations, so a
//!    page may be in one group of each. The center of a group is therefore its probable original,
//!    and every member is a near-duplicate of it, quotes it or is quoted by it. Connected
//!    components would instead chain pages together that share nothing. A pair may connect pages
//!    of two groups; it is still listed among the pairs.
//! 6. **Large buckets.** A bucket of pages that share a key is ordered by number of shingles. Each
//!    page is compared with the [`DuplicateOptions::max_compared`] pages that follow it: those
//!    nearest in length, since only these can be very similar. The number is reduced if a table
//!    of keys would need more than eight million comparisons. The skipped pairs are counted.
//! 7. **An index** in place of a site selects candidate pages by its sketches. If their files are
//!    available, in the folder that contains the index or in [`DuplicateOptions::pages`], only
//!    these files are read, and everything else is as for a site, except that only their own
//!    links and canonical URLs count. Otherwise resemblances are estimates
//!    ([`pagekin_core::near::sketch`]), copies are pages whose sketches have the same identity,
//!    the page with the shortest URL is the probable original, numbers do not count in
//!    resemblances, and quotations are not reported.

mod baseline;
mod compare;
mod error;
mod features;
mod find;
mod found;
mod from_index;
// For the fuzz targets of this workspace. Not part of the stable API.
#[doc(hidden)]
pub mod fuzzing;
mod groups;
pub mod moves;
mod options;
mod pair;
pub mod pairs;
pub mod report;
#[cfg(feature = "stream")]
pub mod stream;
mod texts;

pub use crate::baseline::{Baseline, BaselineError, KnownPairs};
pub use crate::error::DuplicatesError;
pub use crate::find::find;
pub use crate::found::{Duplicates, DuplicatesSeconds};
pub use crate::groups::{Group, Member};
pub use crate::options::{Algorithm, COMBINED_BITS, DuplicateOptions};
pub use crate::pair::{PagePair, PairKind, Similarities, UnknownPairKind};
pub use crate::texts::SitePage;
