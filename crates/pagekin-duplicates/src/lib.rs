//! The pages of one site, or of several together, that nearly copy one another.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `texts` | the HTML files of folders | pages in the order in which they look like originals, and their texts |
//! | `links` (within `texts`) | links and canonical addresses | how often a page is pointed to |
//! | `features` | texts | sets of shingles, minvalues, projection sketches |
//! | [`pairs`] | features | pairs of texts that are near-duplicates by an algorithm, and quotations |
//! | `groups` | pairs of pages | groups around originals |
//! | `compare` | texts | all of that in turn |
//! | `from_index` | an index | which pages to read, or pairs by its sketches alone |
//! | [`Baseline`] | pairs of pages | a file of what is known, and which pairs are new |
//! | [`report`] | all that was found | an HTML file for people |
//!
//! # Rules
//!
//! 1. Pages are those of a build: redirects, pages that ask not to be indexed and pages whose
//!    canonical address is another are skipped, and of a page the text counts that a build counts.
//! 2. Pages with the same words in the same order are one text. They are found by a hash of their
//!    tokens, before anything is compared; all that follows is done once a text.
//! 3. Whatever an [`Algorithm`] finds is compared by shingles, exactly; kept is what has a
//!    resemblance of at least [`DuplicateOptions::min`]. Quotations ([`pairs::quotations`]) are
//!    exempt: their resemblance is low.
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
//!    it. How many comparisons were skipped is reported.
//! 7. **An index** in place of a site says by its sketches which pages may be near-duplicates. If
//!    these are at hand, in the folder that holds the index or where [`DuplicateOptions::pages`]
//!    says, they alone are read, and all else is as of a site; but only their links and canonical
//!    addresses count. If they are not, resemblances are estimates
//!    ([`pagekin_core::near::sketch`]), a copy is what has the sketch and as many shingles, the
//!    shortest address looks like the original, and quotations are not told.

mod baseline;
mod compare;
mod error;
mod features;
pub mod find;
mod found;
mod from_index;
#[doc(hidden)]
pub mod fuzzing;
mod groups;
pub mod moves;
mod options;
mod pair;
pub mod pairs;
pub mod report;
pub mod stream;
mod texts;

pub use crate::baseline::{Baseline, BaselineError, KnownPairs};
pub use crate::find::find;
pub use crate::found::{Duplicates, DuplicatesSeconds};
pub use crate::groups::{Group, Member};
pub use crate::options::{Algorithm, COMBINED_BITS, DuplicateOptions};
pub use crate::pair::{PagePair, PairKind, Similarities, UnknownPairKind};
pub use crate::texts::SitePage;
