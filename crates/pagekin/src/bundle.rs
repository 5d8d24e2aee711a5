//! The demo page, the JS client and the wasm, embedded by the build script.

use pagekin_index::{AssetFile, Assets};

/// Everything that goes into an output beside the index and the components.
pub(crate) const ASSETS: Assets<'static> = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The elements that a site may have, by their names, with their scripts and types.
pub(crate) const COMPONENTS: &[(&str, &[AssetFile<'static>])] =
    include!(concat!(env!("OUT_DIR"), "/components.rs"));
