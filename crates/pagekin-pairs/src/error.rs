//! Why signatures or pairs were refused.

use crate::minhash::SignedBy;

/// Why signatures or pairs were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// Signatures of another algorithm, seed or size.
    #[error(
        "cannot compare these signatures: expected those of {expected}, found those of {found}. Sign all pages with the same \
         options"
    )]
    Unlike {
        /// What the first ones were made by.
        expected: Box<SignedBy>,
        /// What these were.
        found: Box<SignedBy>,
    },
    /// Values that are no whole signatures.
    #[error("expected signatures of {m} values each, found {found} values in all")]
    Ragged {
        /// Values of a signature.
        m: u16,
        /// Values that were given.
        found: usize,
    },
    /// Pages or pairs that do not come in ascending order.
    #[error(
        "{what} must come in ascending order, each once: found {found} after {last}. Sort them first"
    )]
    OutOfOrder {
        /// What was given.
        what: &'static str,
        /// What came before.
        last: String,
        /// What came then.
        found: String,
    },
    /// A number that is out of its range.
    #[error("{what} is {found}: expected {expected}")]
    Range {
        /// What it tells.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}
