//! An index that is spread over several hosts.
//!
//! ```text
//! layout   assigns n subindices to m machines with unknown loads
//! options  the hosts to spread an index over, as configured by the site owner
//! list     pagekin.mirrors: the hosts, the group of each file, and the hosts of each group
//! ```
//!
//! A subindex of the layout is a *group* here: files of the index, chosen by their numbers. A
//! machine is a host, and each client is a scheduler.
//!
//! This module is public for the preview, which needs the list's name, and for tests and benches,
//! which compare layouts with the optimum. Only what the crate exports is part of the API.

pub(crate) mod error;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod options;

pub use crate::mirrors::layout::{LayoutError, MirrorLayout, Share, TooFewPlaces};
pub use crate::mirrors::list::{MIRRORS_NAME, group_of, groups_for};
