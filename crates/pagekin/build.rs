//! Gathers what `pagekin build` puts beside an index, embedded so that one binary makes a whole
//! deployable folder: the JS client and the wasm, the demo page and the lab.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The types of the client, as they are read by people.
const TYPES: &str = "pagekin.d.ts";
/// The client, as `cargo xtask web` makes it.
const CLIENT: [&str; 3] = ["engine.js", "pagekin.js", "worker.js"];
/// The page of the demo as it is, and what it is made of.
const DEMO_PAGE: &str = "index.html";
const DEMO: [&str; 6] =
    ["demo-beside.js", "demo-judge.js", "demo-map.js", "demo-recent.js", "demo.css", "demo.js"];
/// The elements, each a script beside the client and its types.
const COMPONENTS: [&str; 3] = ["box", "related", "duplicates"];
/// The element whose texts are files by their language, and their folder.
const TRANSLATED: &str = "box";
const STRINGS: &str = "strings";
/// For visitors who keep the index: the service worker as it is, and the control as it is made.
const OFFLINE_WORKER: &str = "offline-worker.js";
const OFFLINE_CONTROL: &str = "offline.js";
/// The page to browse a site by: as it is, and its script as it is made.
const TREE_PAGE: [&str; 2] = ["browse.css", "browse.html"];
const TREE_SCRIPT: &str = "browse.js";
/// For an index on several hosts: the scripts that fetch of it, by their paths and by the names
/// under which they are made.
const MIRRORED: [(&str, &str); 3] = [
    ("engine.js", "mirrored/engine.js"),
    ("lab/core.js", "mirrored/lab-core.js"),
    ("worker.js", "mirrored/worker.js"),
];
/// The folder of the lab, which is published as it is but for its core.
const LAB: &str = "lab";
const LAB_CORE: &str = "lab/core.js";
/// What the module is called in an output, whatever it holds: no ending that a host knows and might
/// compress anew.
const MODULE: &str = "pagekin.wasm.bin";
/// The part of it that a lookup of a text does without.
const MODULE_REST: &str = "pagekin-rest.wasm.bin";
const LAB_MODULE: &str = "lab/lab.wasm.bin";

/// A variable that names the folder of another client than `www/dist`.
const CLIENT_FOLDER: &str = "XTASK_CLIENT";
/// A file in the folder of a quick client, whose scripts are modules that import one another.
const QUICK_SIGN: &str = "quick-client";

/// The stack of the first thread on Windows, as it is on Linux: there it would be an eighth.
const STACK_BYTES: u32 = 8 << 20;

fn main() {
    if env::var("CARGO_CFG_WINDOWS").is_ok() {
        let is_msvc = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "msvc");
        let argument = if is_msvc { "/STACK:" } else { "-Wl,--stack," };
        println!("cargo::rustc-link-arg-bins={argument}{STACK_BYTES}");
    }
    // Without commands for sites nothing is embedded.
    if env::var_os("CARGO_FEATURE_SITE").is_none() {
        return;
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // A link, in a checkout: where there are no links, the folder that it names.
    let www = ["www", "../../www"].map(|folder| manifest.join(folder));
    let www = www.iter().find(|folder| folder.is_dir()).expect("www/ is beside crates/");
    let www = www.canonicalize().expect("a folder that is there has a path");
    println!("cargo::rerun-if-env-changed={CLIENT_FOLDER}");
    let made = env::var_os(CLIENT_FOLDER).map_or_else(|| www.join("dist"), PathBuf::from);
    let is_quick = made.join(QUICK_SIGN).is_file();
    let beside = |folder: &Path, name: &str| (name.to_owned(), folder.join(name));
    let mut always = vec![beside(&www.join("client"), TYPES)];
    always.extend(CLIENT.map(|name| beside(&made, name)));
    if is_quick {
        always.extend(imported(&made));
    }
    let mut demo = vec![beside(&www.join("demo"), DEMO_PAGE)];
    demo.extend(DEMO.map(|name| beside(&made, name)));
    let mut lab = of_folder(&www, LAB);
    lab.retain(|(name, _)| name != LAB_CORE);
    lab.push(beside(&made, LAB_CORE));
    lab.push((LAB_MODULE.to_owned(), made.join("lab.wasm.gz")));
    let module = |name: &str| {
        [(MODULE, ""), (MODULE_REST, "-rest")]
            .map(|(path, part)| (path.to_owned(), made.join(format!("{name}{part}.wasm.gz"))))
    };
    let (english, all_languages) = (module("english"), module("all-languages"));
    let of_component = |name: &str| {
        let elements = www.join("elements");
        let script = beside(&made, &format!("{name}.js"));
        let mut files = vec![script, beside(&elements, &format!("{name}.d.ts"))];
        if name == TRANSLATED {
            files.extend(of_folder(&elements, STRINGS));
        }
        files
    };
    let mut assets = String::from("Assets {\n");
    let offline = [beside(&www.join("offline"), OFFLINE_WORKER), beside(&made, OFFLINE_CONTROL)];
    let tree = TREE_PAGE.map(|name| beside(&www.join("demo"), name)).into_iter();
    let tree: Vec<_> = tree.chain([beside(&made, TREE_SCRIPT)]).collect();
    // A quick client has neither these nor the bundle below: they are made by a bundler.
    let mirrored = MIRRORED.map(|(path, made_as)| (path.to_owned(), made.join(made_as)));
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
        let bundle = made.join("bundle.html");
        println!("cargo::rerun-if-changed={}", bundle.display());
        format!("include_str!({bundle:?})")
    };
    writeln!(assets, "bundle: {bundle},").expect("a string takes everything");
    let lab_module = made.join("lab.wasm.gz");
    writeln!(assets, "bundled_lab: include_bytes!({lab_module:?}),")
        .expect("a string takes everything");
    assets.push_str("components: COMPONENTS }");
    let mut components = String::from("&[\n");
    for name in COMPONENTS {
        let files = embedded(&of_component(name));
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

/// The scripts of a quick client that others import, and that a release has inside of these.
fn imported(made: &Path) -> Vec<(String, PathBuf)> {
    println!("cargo::rerun-if-changed={}", made.display());
    let is_published = |name: &str| {
        let components = COMPONENTS.map(|name| format!("{name}.js"));
        let own = CLIENT.iter().chain(&DEMO).chain([&OFFLINE_CONTROL, &TREE_SCRIPT]);
        components.iter().map(String::as_str).chain(own.copied()).any(|other| other == name)
    };
    let entries = fs::read_dir(made).expect("a folder that has a file can be listed");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "js"))
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .filter(|(name, _)| !is_published(name))
        .collect();
    files.sort();
    files
}

/// The code of a list of files with what they hold.
fn embedded(files: &[(String, PathBuf)]) -> String {
    let mut code = String::from("&[\n");
    for (name, path) in files {
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            println!(
                "cargo::error=the browser's part of pagekin is not built yet: expected {}. Run `cargo xtask web` first",
                path.display()
            );
        }
        writeln!(code, "    AssetFile {{ path: {name:?}, bytes: include_bytes!({path:?}) }},")
            .expect("a string takes everything");
    }
    code.push(']');
    code
}

/// All files of a folder, by their paths from where it is.
fn of_folder(place: &Path, name: &str) -> Vec<(String, PathBuf)> {
    let folder = place.join(name);
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).expect("a folder of the client is there");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("a folder that is there can be listed");
            (format!("{name}/{}", entry.file_name().display()), entry.path())
        })
        .collect();
    files.sort();
    files
}
