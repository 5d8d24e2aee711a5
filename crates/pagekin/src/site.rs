//! The commands for a site.

pub(crate) mod build;
pub(crate) mod duplicates;
pub(crate) mod inspect;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
mod passages;
pub(crate) mod read;
pub(crate) mod redirects;
pub(crate) mod related;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod similar;
mod watch;
