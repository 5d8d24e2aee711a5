//! Gathers what `pagekin build` puts beside an index: the demo page, the JS client and the wasm, embedded so
//! that one binary makes a whole deployable folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let www = manifest.join("../../www").canonicalize().expect("www/ is beside crates/");
    let pkg = www.join("pkg");
    let wasm = ["pagekin_wasm.js", "pagekin_wasm_bg.wasm"].map(|name| pkg.join(name));
    println!("cargo::rerun-if-changed={}", www.display());
    for path in &wasm {
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            println!(
                "cargo::error=the browser's part of pagekin is not built yet: expected {}. Run `cargo xtask web` first",
                path.display()
            );
            return;
        }
    }
    let mut files: Vec<PathBuf> = fs::read_dir(&www)
        .expect("www/ can be listed")
        .map(|entry| entry.expect("www/ can be listed").path())
        .filter(|path| is_published(path))
        .chain(wasm)
        .collect();
    files.sort();
    let mut code = String::from("&[\n");
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).expect("our names are UTF-8");
        writeln!(code, "    AssetFile {{ path: {name:?}, bytes: include_bytes!({path:?}) }},")
            .expect("a string takes everything");
    }
    code.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("assets.rs");
    fs::write(out, code).expect("cargo's output folder can be written");
}

fn is_published(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.is_file()
        && [".html", ".css", ".js", ".d.ts", ".svg"].iter().any(|end| name.ends_with(end))
}
