//! Pairs of near-duplicate pages.

use std::str::FromStr;

use pagekin_core::near::shingles::Shared;

/// Two near-duplicate pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagePair {
    /// The more probable original.
    pub a: u32,
    /// The other page.
    pub b: u32,
    /// How the pages are related.
    pub kind: PairKind,
    /// The shingles of both pages, or of samples of them if
    /// [estimated](crate::found::Duplicates::estimated).
    pub shared: Shared,
    /// Similarities by the paper's algorithms; `None` if estimated.
    pub similarities: Option<Similarities>,
}

/// How the two pages of a pair are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// The same words and numbers in the same order. Copies are paired only with their original,
    /// and only the original appears in pairs with other pages.
    Copy,
    /// The same words in the same order, with other numbers: two releases, offers or dates. Numbers
    /// count in the resemblance, so it may be low. Each such page is paired with its probable
    /// original; other pairs among them need the minimum resemblance.
    SameButNumbers,
    /// At least the minimum resemblance.
    NearDuplicate,
    /// A lower resemblance, but one page quotes the other or is a heavily edited copy of it: see
    /// [`quotations`](crate::pairs::quotations).
    Passages,
}

impl PairKind {
    /// All kinds, in order.
    pub const ALL: [Self; 4] =
        [Self::Copy, Self::SameButNumbers, Self::NearDuplicate, Self::Passages];

    /// Returns the name for programs: `copy`, `same-but-numbers`, `near-duplicate` or `passages`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::SameButNumbers => "same-but-numbers",
            Self::NearDuplicate => "near-duplicate",
            Self::Passages => "passages",
        }
    }
}

/// The error of parsing an unknown kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the kind copy, same-but-numbers, near-duplicate or passages, found {found:?}")]
#[non_exhaustive]
pub struct UnknownPairKind {
    /// The unknown name.
    pub found: String,
}

impl FromStr for PairKind {
    type Err = UnknownPairKind;

    /// Parses a [name](PairKind::name).
    fn from_str(name: &str) -> Result<Self, UnknownPairKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownPairKind { found: name.to_owned() })
    }
}

/// The similarities of two pages by the paper's algorithms and parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Similarities {
    /// Number of equal supershingles, of 6.
    pub b: u32,
    /// Number of equal bits of the projection sketches, of 384.
    pub c: u32,
}
