//! Gathers what `pagekin build` puts beside an index: the demo page, the JS client and the wasm,
//! embedded so that one binary makes a whole deployable folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The demo and the types, as they are read by people.
const SOURCES: [&str; 11] = [
    "demo-draw.js",
    "demo-file.js",
    "demo-find.js",
    "demo-near.js",
    "demo-pages.js",
    "demo-where.js",
    "demo.css",
    "demo.js",
    "index.html",
    "pagekin.d.ts",
    "related.d.ts",
];
/// The client, as `cargo xtask web` makes it.
const CLIENT: [&str; 4] = ["engine.js", "pagekin.js", "related.js", "worker.js"];
/// What the module is called in an output, whatever it holds: no ending that a host knows and might
/// compress anew.
const MODULE: &str = "pagekin.wasm.bin";

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // A link, in a checkout: where there are no links, the folder that it names.
    let www = ["www", "../../www"].map(|folder| manifest.join(folder));
    let www = www.iter().find(|folder| folder.is_dir()).expect("www/ is beside crates/");
    let www = www.canonicalize().expect("a folder that is there has a path");
    let made = www.join("dist");
    let beside = |folder: &Path, name: &'static str| (name, folder.join(name));
    let always: Vec<_> = SOURCES
        .map(|name| beside(&www, name))
        .into_iter()
        .chain(CLIENT.map(|name| beside(&made, name)))
        .collect();
    let english = [(MODULE, made.join("english.wasm.gz"))];
    let all_languages = [(MODULE, made.join("all-languages.wasm.gz"))];
    let mut code = String::from("Assets {\n");
    for (field, files) in
        [("always", &always[..]), ("english", &english), ("all_languages", &all_languages)]
    {
        writeln!(code, "{field}: &[").expect("a string takes everything");
        for (name, path) in files {
            println!("cargo::rerun-if-changed={}", path.display());
            if !path.is_file() {
                println!(
                    "cargo::error=the browser's part of pagekin is not built yet: expected {}. Run `cargo xtask web` first",
                    path.display()
                );
                return;
            }
            writeln!(code, "    AssetFile {{ path: {name:?}, bytes: include_bytes!({path:?}) }},")
                .expect("a string takes everything");
        }
        code.push_str("],\n");
    }
    code.push('}');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("assets.rs");
    fs::write(out, code).expect("cargo's output folder can be written");
}
