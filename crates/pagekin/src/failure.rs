//! What a command failed with.

/// For people: an error whose text says what was expected and what was found.
pub(crate) type Failure = Box<dyn std::error::Error>;
