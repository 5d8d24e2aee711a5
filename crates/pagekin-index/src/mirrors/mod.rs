//! An index on several hosts: which of them has which files.
//!
//! ```text
//! layout   n subindices on m machines, none of whose loads is known
//! options  the hosts that an index is to be spread over, as their owner writes them down
//! list     pagekin.mirrors: the hosts, the group of each file, and the hosts of each group
//! ```
//!
//! What the layout calls a subindex is here a *group*: files of the index by their numbers. A
//! machine is a host, and a client is the scheduler.
//!
//! The preview names the list, and tests and benches compare layouts with the optimum: so this room
//! is open, but no part of the API beyond what the crate exports.

pub(crate) mod error;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod options;

pub use crate::mirrors::layout::{LayoutError, MirrorLayout, Share, TooFewPlaces};
pub use crate::mirrors::list::{MIRRORS_NAME, group_of, groups_for};
