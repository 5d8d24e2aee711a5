//! The order in which pages are stored: neighbours share a block, so alike pages should be neighbours.

use crate::weighing::WeighedPage;

/// Puts pages in the order in which they are stored: that of their addresses, in which the pages of a
/// folder, and what was generated from one template, lie together.
pub(crate) fn order(pages: &mut [WeighedPage]) {
    pages.sort_by(|a, b| a.url.cmp(&b.url));
}
