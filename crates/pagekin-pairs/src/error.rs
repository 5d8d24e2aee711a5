//! Errors of signatures and pairs.

use crate::minhash::SignedBy;

/// Why signatures or pairs were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// The signatures have another algorithm, seed or size.
    #[error(
        "cannot compare these signatures: expected {expected}, found {found}. Sign all pages with the same \
         options"
    )]
    Unlike {
        /// How the first signatures were computed.
        expected: Box<SignedBy>,
        /// How these signatures were computed.
        found: Box<SignedBy>,
    },
    /// The number of values is not a multiple of the length of a signature.
    #[error("expected signatures of {m} values each, found {found} values in all")]
    Ragged {
        /// The number of values per signature.
        m: u16,
        /// The number of values passed.
        found: usize,
    },
    /// Pages or pairs are not in ascending order.
    #[error(
        "{what} must be in ascending order without duplicates: found {found} after {last}. Sort them first"
    )]
    OutOfOrder {
        /// What was passed.
        what: &'static str,
        /// The previous item.
        last: String,
        /// The item after it.
        found: String,
    },
    /// A number is out of range.
    #[error("{what} is {found}: expected {expected}")]
    Range {
        /// The name of the number.
        what: &'static str,
        /// The allowed range.
        expected: &'static str,
        /// The number passed.
        found: String,
    },
}
