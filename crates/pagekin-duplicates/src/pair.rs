//! Two pages that are near-duplicates.

use std::str::FromStr;

use pagekin_core::near::shingles::Shared;

/// Two pages that are near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagePair {
    /// The more probable original.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// How they are related.
    pub kind: PairKind,
    /// The shingles of both; of samples of both, if
    /// [estimated](crate::found::Duplicates::estimated).
    pub shared: Shared,
    /// Their similarities by the paper's algorithms, unless estimated.
    pub similarities: Option<Similarities>,
}

/// How the two pages of a pair are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// The same words and numbers in the same order. Of such pages only the pairs with their
    /// original are reported, and of other pairs only the one between originals.
    Copy,
    /// The same words in the same order, and other numbers: two releases, offers or dates. Their
    /// resemblance, in which numbers count, may be low. Each such page has a pair with the one that
    /// looks most like their original, and others have one that have the minimum resemblance.
    SameButNumbers,
    /// At least the minimum resemblance.
    NearDuplicate,
    /// A lower resemblance, but one quotes the other or is a heavily edited copy: the rule of
    /// [`quotations`](crate::pairs::quotations).
    Passages,
}

impl PairKind {
    /// All kinds, in order.
    pub const ALL: [Self; 4] =
        [Self::Copy, Self::SameButNumbers, Self::NearDuplicate, Self::Passages];

    /// Its name for programs: `copy`, `same-but-numbers`, `near-duplicate` or `passages`.
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

/// Why a name is no kind's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the kind copy, same-but-numbers, near-duplicate or passages, found {found:?}")]
#[non_exhaustive]
pub struct UnknownPairKind {
    /// The name.
    pub found: String,
}

impl FromStr for PairKind {
    type Err = UnknownPairKind;

    /// The kind of this [name](PairKind::name).
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
    /// Equal supershingles, of 6.
    pub b: u32,
    /// Equal bits of the projection sketches, of 384.
    pub c: u32,
}
