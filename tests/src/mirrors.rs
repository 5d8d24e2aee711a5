//! Requests for parts of an index on several machines: how they are distributed, and the load of
//! each machine.
//!
//! | module | contents |
//! | --- | --- |
//! | [`scheduling`] | schedulers, which send each request to one of the machines with the requested part |
//! | [`optimum`] | the minimum load of the busiest machine, over all layouts and all schedules |

pub mod optimum;
pub mod scheduling;

/// A request for a subindex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The subindex `j`, from 0.
    pub subindex: u32,
    /// The load `l(t, j)`.
    pub load: u64,
}
