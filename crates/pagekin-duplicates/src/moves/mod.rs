//! Finds the new URLs of pages between two versions of a site, for redirects.
//!
//! | module | input | output |
//! | --- | --- | --- |
//! | `overlaps` | the shingles of both sites' texts | how much each two texts share, rare runs weighing more |
//! | `titles` | the pages of both sites | pairs of pages with the same unique title |
//! | `addresses` | two URLs | how likely they belong to one page |
//! | `site` | a folder | its pages, texts, and labels |
//! | `best` | overlaps | the best match of each text on the other site |
//! | `find` | two folders | pages that were kept, moved or removed, and the pages that contain their parts |
//!
//! # Rules
//!
//! 1. Pages are read as described in [`crate`]. Pages with the same words and numbers in the same
//!    order share one text.
//! 2. **Shared runs.** Two texts share runs of [`SHINGLE_TOKENS`] words. The weight of a run is 1 /
//!    n if n texts contain it, on the site where n is larger. A run on more than [`MAX_TEXTS`]
//!    texts weighs nothing. So menus and licenses hardly affect matches.
//! 3. **Best matches from both sides.** A text matches the text of the other site with which it
//!    shares most. Matches from either side count, so a page that was split matches several pages,
//!    and several pages that were merged match one. Ties are won by the text with a page at the
//!    same URL, then by the shorter text.
//! 4. **Minimum.** The weight of the shared runs must be at least [`MoveOptions::min`] of that of
//!    the shorter text, since a part may have any length. They must also weigh at least
//!    [`MIN_RUNS`], or be all the runs of both texts: very short pages share half of their text
//!    with unrelated pages.
//! 5. A page is kept if the new site has an HTML file at its URL, whatever it contains now.
//! 6. Otherwise a page that was split moves to the index page of the folder with its name, such as
//!    `/guide/` for `/guide.html`, if there is one. Otherwise a page moves to the only page with
//!    its title, if they share something; otherwise to the text that it matches, if that contains
//!    half of it. Among pages of one text, it moves to the one with the most similar URL. Otherwise
//!    it has no new URL, since a wrong redirect is worse than none: it is gone, or only in parts if
//!    it was split.
//! 7. Several old pages with one text move to several new pages with that text one to one, most
//!    similar URLs first.
//! 8. Pages that differ only in numbers or words of one letter, such as release notes or sizes,
//!    never move to a page with another number or letter. Other pages may get another number or
//!    letter in their names if their texts are each other's best match.
//!
//! # Source
//!
//! Matching entities of different granularity, with one-to-many matches in either direction, is a
//! hard problem of its own. `crates/BENCHMARKS.md` compares rule 3 with one-to-one matching and
//! with thresholds, on manuals whose section ids show where sections moved.

mod addresses;
mod best;
pub(crate) mod find;
pub(crate) mod options;
pub(crate) mod overlaps;
mod site;
pub(crate) mod titles;

pub use crate::moves::find::{Fate, Move, MovedPart, Moves, find};
pub use crate::moves::options::MoveOptions;
pub use crate::moves::overlaps::{MAX_TEXTS, MIN_RUNS, SHINGLE_TOKENS};
