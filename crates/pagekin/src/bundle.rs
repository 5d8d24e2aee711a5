//! The demo page, the JS client and the wasm, embedded by the build script.

use pagekin_build::AssetFile;

/// Everything that goes into an output beside the index.
pub(crate) const ASSETS: &[AssetFile<'static>] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));
