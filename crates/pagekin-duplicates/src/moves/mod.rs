//! Where the pages of a site went that was published anew: for redirects.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `overlaps` | the shingles of two sites' texts | how much of what few texts have each two share |
//! | `titles` | the pages of two sites | those that alone have one title |
//! | `addresses` | two addresses | whether they are of one page |
//! | `best` | overlaps | the text of the other site that shares most with each |
//! | `find` | two folders | pages that stayed, moved or are gone, and the pages that took parts of them |
//!
//! # Rules
//!
//! 1. Pages are read as [`crate`] reads them, and those with the same words and numbers in the same
//!    order are one text.
//! 2. **What two texts share** are runs of [`SHINGLE_TOKENS`] words. A run weighs 1 over the number
//!    of texts that have it, on that of the two sites where more have it; with more than
//!    [`MAX_TEXTS`] it weighs nothing. So menus and licenses say little about where a page went.
//! 3. **The best of both sides.** A text belongs to the text of the other site with which it shares
//!    most, asked from either side: so a page that was split belongs to several, and several that
//!    were merged to one. Of equals, that with a page of the same address is best, then the
//!    shorter.
//! 4. They belong together if the shared runs are at least [`MoveOptions::min`] of those of the
//!    shorter text, as a part is as long as it likes, and weigh [`MIN_RUNS`] or are all runs of
//!    both: pages of a sentence share half of it with strangers.
//! 5. A page whose address is still that of an HTML file stayed, whatever stands there now.
//! 6. Another, if it was split and there is a page of the folder of its name, such as `/guide/` for
//!    `/guide.html`, moved there. Else to the one page that has its title and shares something.
//!    Else to the text that it belongs to, if that has half of it; of equal pages to the one whose
//!    address is most like its own. Else it has no one place, as a wrong redirect is worse than
//!    none: it is gone, or in parts if it was split.
//! 7. Several old pages with one text go to several new pages with it one to one, those first whose
//!    addresses are most alike.
//! 8. Pages that are the same but for numbers, such as the notes of releases, never go to the page
//!    of another number. Others may, if the number in their name became another and each of the two
//!    texts belongs to the other.
//!
//! # Source
//!
//! Matching entities of different granularity, where one matches many and either side may have the
//! one, is a problem of its own, and hard to solve best. `crates/BENCHMARKS.md` compares rule 3
//! with one to one matching and with thresholds, on manuals in which the ids of sections say where
//! they went.

mod addresses;
mod best;
pub(crate) mod find;
pub(crate) mod options;
pub(crate) mod overlaps;
pub(crate) mod titles;

pub use crate::moves::find::{Fate, Move, MovedPart, Moves, find};
pub use crate::moves::options::MoveOptions;
pub use crate::moves::overlaps::{MAX_TEXTS, MIN_RUNS, SHINGLE_TOKENS};
