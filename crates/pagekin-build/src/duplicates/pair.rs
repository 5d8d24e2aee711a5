//! Two pages that are near-duplicates.

use pagekin_core::near::shingles::Shared;

/// Two pages that are near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The one that looks more like the original.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// What they are to each other.
    pub kind: PairKind,
    /// The shingles of both; of samples of both, if [estimated](crate::duplicates::Duplicates::estimated).
    pub shared: Shared,
    /// What the paper's algorithms say of them, unless estimated.
    pub similarities: Option<Similarities>,
}

/// What two pages of a pair are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// They have the same words in the same order. Of such pages only the pairs with the original among them are told, and
    /// of other pairs only that between the originals.
    Copy,
    /// They have the least resemblance.
    NearDuplicate,
    /// They have not, but one quotes the other, or was made of it by much editing: the rule of [`quotations`](crate::duplicates::pairs::quotations).
    Quotation,
}

impl PairKind {
    /// Its name for programs: `copy`, `near-duplicate` or `quotation`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::NearDuplicate => "near-duplicate",
            Self::Quotation => "quotation",
        }
    }
}

/// How similar two pages are to the paper's algorithms, by its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Similarities {
    /// The supershingles they agree in, of 6.
    pub b: u32,
    /// The bits of their projection sketches that agree, of 384.
    pub c: u32,
}
