//! Requests for parts of an index that is on several machines: how they are sent, and how much of
//! them each machine gets.
//!
//! | module | has |
//! | --- | --- |
//! | [`scheduling`] | schedulers, which send each request to one of the machines that have what it asks for |
//! | [`optimum`] | the least load that the busiest machine can have, by trying all layouts and all ways to send requests |

pub mod optimum;
pub mod scheduling;

/// A request for a subindex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// `j`, from 0.
    pub subindex: u32,
    /// `l(t, j)`.
    pub load: u64,
}
