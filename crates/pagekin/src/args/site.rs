//! The arguments of the commands for a site.

mod build;
mod duplicates;
mod inspect;
#[cfg(feature = "mcp")]
mod mcp;
mod read;
pub(crate) mod reading;
mod redirects;
mod refine;
mod related;
mod search;
mod serve;
mod similar;
mod values;

pub(crate) use build::{BuildArgs, NO_COMPONENTS, PagesArg};
pub(crate) use duplicates::{DuplicatesArgs, DuplicatesFormat, GateArgs};
pub(crate) use inspect::InspectArgs;
#[cfg(feature = "mcp")]
pub(crate) use mcp::McpArgs;
pub(crate) use read::ReadArgs;
pub(crate) use redirects::{RedirectsArgs, RedirectsFormat};
pub(crate) use related::RelatedArgs;
pub(crate) use search::SearchArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use similar::SimilarArgs;
