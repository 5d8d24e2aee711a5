//! The arguments of the commands of whoever has a site.

mod build;
mod duplicates;
mod inspect;
#[cfg(feature = "mcp")]
mod mcp;
mod moves;
mod read;
pub(crate) mod reading;
mod search;
mod serve;
mod similar;
mod values;

pub(crate) use build::{BuildArgs, NO_COMPONENTS, RelatedArg};
pub(crate) use duplicates::{DuplicatesArgs, DuplicatesFormat, GateArgs};
pub(crate) use inspect::InspectArgs;
#[cfg(feature = "mcp")]
pub(crate) use mcp::McpArgs;
pub(crate) use moves::{MovesArgs, MovesFormat};
pub(crate) use read::ReadArgs;
pub(crate) use search::SearchArgs;
pub(crate) use serve::{PreviewArgs, ServeArgs};
pub(crate) use similar::SimilarArgs;
