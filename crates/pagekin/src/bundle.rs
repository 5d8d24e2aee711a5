//! The demo page, the JS client and the wasm, embedded by the build script.

use pagekin_index::{AssetFile, Assets, Component};

/// What goes into an output in addition to the index, except the demo and the lab.
pub(crate) const ASSETS: Assets<'static> = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The demo: a page for visitors.
pub(crate) const DEMO: &[AssetFile<'static>] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// The lab, to which the demo leads.
pub(crate) const LAB: &[AssetFile<'static>] = include!(concat!(env!("OUT_DIR"), "/lab.rs"));

/// The elements that a site may have, with their scripts and types.
pub(crate) const COMPONENTS: &[Component<'static>] =
    include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// Whether the client is a quick one, which has no scripts that a bundler makes.
pub(crate) const IS_QUICK: bool = include!(concat!(env!("OUT_DIR"), "/is_quick.rs"));
