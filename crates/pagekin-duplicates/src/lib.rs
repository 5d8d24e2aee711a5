//! The pages of one site, or of several together, that nearly copy one another.
//!
//! ```
//! use pagekin_duplicates::{DuplicateOptions, find};
//! use pagekin_pages::Silent;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let found = find(&DuplicateOptions::new("../../tests/site"), &Silent)?;
//! for pair in &found.pairs {
//!     let [a, b] = [pair.a, pair.b].map(|page| &found.pages[page as usize].url);
//!     println!("{b} has {:.0} % of {a}", 100.0 * pair.shared.a_in_b());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`moves`] compares two versions of a site in the same way, [`stream`] (a feature of that name)
//! pages as they are published.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! error            why pages could not be compared
//! options          which sites, by which algorithm, from which resemblance on
//! pair             two pages that are near-duplicates, copies or quotations
//! groups           pairs of pages into groups around originals
//! stream           pages as they are published into those that repeat one another
//! texts            HTML files into pages in the order in which they look like originals, and texts
//! features         texts into sets of shingles, minvalues, projection sketches
//! found            what was found
//! baseline         pairs of pages into a file of what is known, and which pairs are new
//! moves            two versions of a site into where the pages of the earlier one went
//! pairs            features into pairs of texts by an algorithm, and quotations
//! compare          texts into all of that in turn
//! from_index       an index into which pages to read, or pairs by its sketches alone
//! find             the sites of some options into what was found
//! report           all that was found into an HTML file for people
//! fuzzing          readers of bytes that are not trusted, for the fuzz targets
//! ```
//!
//! # Rules
//!
//! 1. Pages are those of a build: redirects, pages that ask not to be indexed and pages whose
//!    canonical address is another are skipped, and of a page the text counts that a build counts;
//!    but what many pages have is left out of those alone that mark no body
//!    ([`DuplicateOptions::keep_repeated`]).
//! 2. Pages with the same words and numbers in the same order are one text. They are found by a
//!    hash of their tokens, before anything is compared; all that follows is done once a text.
//!    Texts that are the same but for numbers are pairs of the first of them and each other.
//! 3. Whatever an [`Algorithm`] finds is compared by shingles, exactly; kept is what has a
//!    resemblance of at least [`DuplicateOptions::min`]. Texts of fewer than 99 tokens are compared
//!    by shorter shingles too. Texts that differ never have the resemblance 1. Quotations
//!    ([`pairs::quotations`]) are exempt: their resemblance is low.
//! 4. **The original.** Of pages that are near-duplicates, that one looks like the original that
//!    most other files of the folder name as their canonical address; of equals, that most other
//!    pages link to; then the one with the shortest address; then that of the site which is given
//!    first; then the first in the alphabet.
//! 5. **Groups** are the clusters of CENTER ([`pagekin_core::center`]), pages taken in that order:
//!    those of near-duplicates, with their copies; and beside them, those of quotations, so that a
//!    page may be in one of each. So the center of a group looks like its original, and every
//!    member is a near-duplicate of it, or quotes it or is quoted. Connected components would put
//!    pages into one group that share nothing, by a chain of pages between them. A pair may reach
//!    from one group into another; it is among the pairs.
//! 6. **Large buckets.** In a bucket of pages that share a key, ordered by their numbers of
//!    shingles, a page is compared with so many that follow it,
//!    [`DuplicateOptions::most_compared`]: those nearest in length, which alone can be very like
//!    it; with fewer, if there were more than eight million comparisons in a table of keys. How
//!    many were skipped is reported.
//! 7. **An index** in place of a site says by its sketches which pages may be near-duplicates. If
//!    these are at hand, in the folder that holds the index or where [`DuplicateOptions::pages`]
//!    says, they alone are read, and all else is as of a site; but only their links and canonical
//!    addresses count. If they are not, resemblances are estimates
//!    ([`pagekin_core::near::sketch`]), a copy is what has the sketch with its identity, the
//!    shortest address looks like the original, numbers do not count in resemblances, and
//!    quotations are not told.

mod baseline;
mod compare;
mod error;
mod features;
mod find;
mod found;
mod from_index;
// For the fuzz targets of this workspace: no promise.
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
