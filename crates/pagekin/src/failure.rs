//! The error type of commands.

/// An error whose message states the problem and the remedy.
pub(crate) type Failure = Box<dyn std::error::Error>;
