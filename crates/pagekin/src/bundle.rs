//! The demo page, the JS client and the wasm, embedded by the build script.

use pagekin_build::{AssetFile, Assets};

/// Everything that goes into an output beside the index.
pub(crate) const ASSETS: Assets<'static> = include!(concat!(env!("OUT_DIR"), "/assets.rs"));
