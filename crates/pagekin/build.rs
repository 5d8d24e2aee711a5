//! Embeds the files that `pagekin build` writes next to an index, so that a single binary creates a
//! complete, deployable folder: the JavaScript client, the WebAssembly, the demo and the lab.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The type declarations of the client.
const TYPES: &str = "pagekin.d.ts";
/// The scripts of the client, built by `cargo xtask web`.
const CLIENT: [&str; 6] =
    ["engine.js", "filters.js", "pagekin.js", "phrases.js", "several.js", "worker.js"];
/// The page of the demo, which is copied, and its built files.
const DEMO_PAGE: &str = "index.html";
const DEMO: [&str; 6] =
    ["demo-beside.js", "demo-judge.js", "demo-map.js", "demo-recent.js", "demo.css", "demo.js"];
/// The custom elements, each with a script and type declarations.
const COMPONENTS: [&str; 3] = ["box", "related", "duplicates"];
/// The element with translations, and the folder of its translations by language.
const TRANSLATED: &str = "box";
const STRINGS: &str = "strings";
/// For offline use: the service worker, which is copied, and the built control.
const OFFLINE_WORKER: &str = "offline-worker.js";
const OFFLINE_CONTROL: &str = "offline.js";
/// The browse page, which is copied, and its built script.
const TREE_PAGE: [&str; 2] = ["browse.css", "browse.html"];
const TREE_SCRIPT: &str = "browse.js";
/// The scripts that support an index on several hosts: their paths in an output, and the names of
/// the built files.
const MIRRORED: [(&str, &str); 3] = [
    ("engine.js", "mirrored/engine.js"),
    ("lab/core.js", "mirrored/lab-core.js"),
    ("worker.js", "mirrored/worker.js"),
];
/// The folder of the lab. Its pages and its notebook are copied. Its scripts and its style are
/// built.
const LAB: &str = "lab";
const LAB_CORE: &str = "lab/core.js";
/// The name of the WebAssembly module in an output, for all languages. It has no extension that
/// hosts know and might compress again.
const MODULE: &str = "pagekin.wasm.bin";
/// The part of the module that a lookup of a text does not need.
const MODULE_REST: &str = "pagekin-rest.wasm.bin";
const LAB_MODULE: &str = "lab/lab.wasm.bin";

/// The variable with the folder of a client other than `www/dist`.
const CLIENT_FOLDER: &str = "XTASK_CLIENT";
/// A file that marks the folder of a quick client, whose scripts are not bundled.
const QUICK_SIGN: &str = "quick-client";

/// The stack size of the main thread on Windows, equal to that on Linux. The default is an eighth.
const STACK_BYTES: u32 = 8 << 20;

fn main() {
    if env::var("CARGO_CFG_WINDOWS").is_ok() {
        let is_msvc = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "msvc");
        let argument = if is_msvc { "/STACK:" } else { "-Wl,--stack," };
        println!("cargo::rustc-link-arg-bins={argument}{STACK_BYTES}");
    }
    // Only the commands for sites need embedded files.
    if env::var_os("CARGO_FEATURE_SITE").is_none() {
        return;
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // In a checkout, `www` is a link. Where links are not supported, use its target.
    let www = ["www", "../../www"].map(|folder| manifest.join(folder));
    let www = www.iter().find(|folder| folder.is_dir()).expect("www/ is next to crates/");
    let www = www.canonicalize().expect("an existing folder has a path");
    println!("cargo::rerun-if-env-changed={CLIENT_FOLDER}");
    let built = env::var_os(CLIENT_FOLDER).map_or_else(|| www.join("dist"), PathBuf::from);
    let is_quick = built.join(QUICK_SIGN).is_file();
    let file_in = |folder: &Path, name: &str| (name.to_owned(), folder.join(name));
    let mut always = vec![file_in(&www.join("client"), TYPES)];
    always.extend(CLIENT.map(|name| file_in(&built, name)));
    if is_quick {
        always.extend(imported(&built));
    }
    let mut demo = vec![file_in(&www.join("demo"), DEMO_PAGE)];
    demo.extend(DEMO.map(|name| file_in(&built, name)));
    let mut lab = folder_files(&www, LAB);
    for (name, path) in &mut lab {
        let is_built = name.ends_with(".js") || name.ends_with(".css");
        if is_built && (!is_quick || name == LAB_CORE) {
            *path = built.join(&*name);
        }
    }
    lab.push((LAB_MODULE.to_owned(), built.join("lab.wasm.gz")));
    let module = |name: &str| {
        [(MODULE, ""), (MODULE_REST, "-rest")]
            .map(|(path, part)| (path.to_owned(), built.join(format!("{name}{part}.wasm.gz"))))
    };
    let (english, all_languages) = (module("english"), module("all-languages"));
    let component_files = |name: &str| {
        let elements = www.join("elements");
        let script = file_in(&built, &format!("{name}.js"));
        let mut files = vec![script, file_in(&elements, &format!("{name}.d.ts"))];
        if name == TRANSLATED {
            files.extend(folder_files(&elements, STRINGS));
        }
        files
    };
    let mut assets = String::from("Assets {\n");
    let offline = [file_in(&www.join("offline"), OFFLINE_WORKER), file_in(&built, OFFLINE_CONTROL)];
    let tree = TREE_PAGE.map(|name| file_in(&www.join("demo"), name)).into_iter();
    let tree: Vec<_> = tree.chain([file_in(&built, TREE_SCRIPT)]).collect();
    // A quick client has neither these scripts nor the bundle below, because they need a bundler.
    let mirrored = MIRRORED.map(|(path, built_name)| (path.to_owned(), built.join(built_name)));
    for (field, files) in [
        ("always", &always[..]),
        ("english", &english),
        ("all_languages", &all_languages),
        ("offline", &offline),
        ("tree", &tree),
        ("mirrored", if is_quick { &[] } else { &mirrored }),
    ] {
        writeln!(assets, "{field}: {},", embedded(files)).expect("a string takes everything");
    }
    let bundle = if is_quick {
        "\"\"".to_owned()
    } else {
        let bundle = built.join("bundle.html");
        println!("cargo::rerun-if-changed={}", bundle.display());
        format!("include_str!({bundle:?})")
    };
    writeln!(assets, "bundle: {bundle},").expect("a string takes everything");
    let lab_module = built.join("lab.wasm.gz");
    writeln!(assets, "bundled_lab: include_bytes!({lab_module:?}),")
        .expect("a string takes everything");
    assets.push_str("components: COMPONENTS }");
    let mut components = String::from("&[\n");
    for name in COMPONENTS {
        let files = embedded(&component_files(name));
        writeln!(components, "Component {{ name: {name:?}, files: {files} }},")
            .expect("a string takes everything");
    }
    components.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for (name, code) in [
        ("assets.rs", assets),
        ("components.rs", components),
        ("demo.rs", embedded(&demo)),
        ("lab.rs", embedded(&lab)),
        ("is_quick.rs", is_quick.to_string()),
    ] {
        fs::write(out.join(name), code).expect("cargo's output folder can be written");
    }
}

/// Returns the scripts of a quick client that its other scripts import. In a release, they are
/// bundled.
fn imported(built: &Path) -> Vec<(String, PathBuf)> {
    println!("cargo::rerun-if-changed={}", built.display());
    let is_published = |name: &str| {
        let components = COMPONENTS.map(|name| format!("{name}.js"));
        let own = CLIENT.iter().chain(&DEMO).chain([&OFFLINE_CONTROL, &TREE_SCRIPT]);
        components.iter().map(String::as_str).chain(own.copied()).any(|other| other == name)
    };
    let entries = fs::read_dir(built).expect("a folder with a file can be listed");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "js"))
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .filter(|(name, _)| !is_published(name))
        .collect();
    files.sort();
    files
}

/// Returns the source code of a list of embedded files.
fn embedded(files: &[(String, PathBuf)]) -> String {
    let mut code = String::from("&[\n");
    for (name, path) in files {
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            println!(
                "cargo::error=the browser client of pagekin is not built: {} is missing. Run `cargo xtask web` first",
                path.display()
            );
        }
        writeln!(code, "    AssetFile {{ path: {name:?}, bytes: include_bytes!({path:?}) }},")
            .expect("a string takes everything");
    }
    code.push(']');
    code
}

/// Returns all files of a folder with their paths relative to `place`.
fn folder_files(place: &Path, name: &str) -> Vec<(String, PathBuf)> {
    let folder = place.join(name);
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).expect("a folder of the client exists");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("an existing folder can be listed");
            (format!("{name}/{}", entry.file_name().display()), entry.path())
        })
        .collect();
    files.sort();
    files
}
