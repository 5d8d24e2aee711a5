//! The demo, the lab, the JavaScript client and the WebAssembly, embedded by the build script.

use pagekin_index::{AssetFile, Assets, Component};

/// The files written next to an index, except the demo and the lab.
pub(crate) const ASSETS: Assets<'static> = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The demo, a search page for visitors.
pub(crate) const DEMO: &[AssetFile<'static>] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// The lab, which the demo links to.
pub(crate) const LAB: &[AssetFile<'static>] = include!(concat!(env!("OUT_DIR"), "/lab.rs"));

/// The custom elements, with their scripts and types.
pub(crate) const COMPONENTS: &[Component<'static>] =
    include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// Whether this is a quick build, whose client lacks the scripts that need a bundler.
pub(crate) const IS_QUICK: bool = include!(concat!(env!("OUT_DIR"), "/is_quick.rs"));
