//! The quick client, for a demo on this machine: the files of [`crate::web`], built with Rust
//! alone. The modules are compiled like any other program, without wasm-opt and in one part. The
//! scripts are the sources, in the flat layout of a published folder.
//!
//! It gives the same answers as a release, but is larger. `--offline-bundle` and `--mirrors` need
//! bundled scripts, so a program with this client refuses them.

use std::collections::BTreeMap;
use std::env::consts::EXE_EXTENSION;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail};
use regex::{Captures, Regex};
use wasm_bindgen_cli_support::Bindgen;

use crate::files::{copy, mirror};
use crate::repo::{CLIENT_FOLDER, Repo};
use crate::web::{self, DEMO, Gzip, SCRIPTS, VARIANTS, Variant};
use crate::{run, sizes, tools};

/// The folder of the client below Cargo's target folder.
const FOLDER: &str = "quick";
/// The sources of the client.
const INPUTS: [&str; 12] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/pagekin-core",
    "crates/pagekin-lab-wasm",
    "crates/pagekin-wasm",
    "crates/xtask/src/quick.rs",
    "crates/xtask/src/web.rs",
    "www/client",
    "www/demo",
    "www/elements",
    "www/lab",
    "www/offline",
];
/// The Cargo profile of the modules.
const PROFILE: &str = "demo";
/// The file by which the build script of `pagekin` recognizes a quick client.
const SIGN: &str = "quick-client";
/// A script that imports another in the sources, and is replaced by it in the published folder.
const SAME: [(&str, &str); 1] = [("demo/pagekin.js", "client/pagekin.js")];
/// An empty WebAssembly module, for the second part.
const EMPTY_MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// Builds the quick client, unless its sources are unchanged, and returns its folder.
pub(crate) fn build(repo: &Repo) -> Result<PathBuf> {
    tools::rust_target(repo, tools::WASM_TARGET, "compile for the browser")?;
    let dist = repo.target(FOLDER).join("dist");
    let compiler = run::output(Command::new("rustc").arg("--version"))?;
    let outputs = || web::fingerprint([dist.clone()]);
    web::made(repo, "quick", &compiler, &INPUTS, outputs, || {
        let fresh = repo.emptied("quick/fresh")?;
        let bindings = repo.emptied("quick/pkg")?;
        modules(repo, &bindings, &fresh)?;
        scripts(&repo.path("www"), &bindings, &fresh)?;
        fs::write(fresh.join(SIGN), "")?;
        mirror(&fresh, &dist)
    })?;
    Ok(dist)
}

/// Builds the program as the tests use it, with the quick client, and returns the path of a copy:
/// the next build for tests replaces the original.
pub(crate) fn program_for_tests(repo: &Repo) -> Result<PathBuf> {
    let mut command = repo.build_for_tests()?;
    let built = repo.built(command.env(CLIENT_FOLDER, build(repo)?))?;
    let original = built.program("pagekin")?;
    let program = repo.target(FOLDER).join("bin").join("pagekin").with_extension(EXE_EXTENSION);
    copy(original, &program)?;
    // Cargo's list of its sources: tests refuse a program that is older than these.
    copy(&original.with_extension("d"), &program.with_extension("d"))?;
    Ok(program)
}

/// Checks that a program with this client refuses options that need bundled scripts.
pub(crate) fn expect_refusal(repo: &Repo, program: &Path) -> Result<()> {
    let mut build = Command::new(program);
    build.arg("build").arg(repo.path("tests/site")).args(["--quiet", "-o"]);
    build.arg(repo.emptied("quick/refused")?.join("index")).arg("--offline-bundle");
    let ended = build.arg(repo.target("quick/refused/bundle.html")).output()?;
    let message = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() || !message.contains("--offline-bundle needs scripts") {
        bail!("expected a refusal of `{}`, found {}: {message}", run::line(&build), ended.status);
    }
    Ok(())
}

/// A sentence that compares the size of this client with that of a release.
pub(crate) fn comparison(repo: &Repo) -> Result<String> {
    let dist = repo.target(FOLDER).join("dist");
    let sizes = sizes::recorded(repo)?;
    let [all, ..] = &VARIANTS;
    let names = || all.parts().into_iter().map(|part| format!("{part}.wasm.gz"));
    let released: u64 = names().filter_map(|name| sizes.get(&name)).sum();
    let mut quick = 0;
    for name in names() {
        quick += fs::metadata(dist.join(name))?.len();
    }
    Ok(format!(
        "This is the quick build. It gives the same answers, but its WebAssembly has {:.1} times the size of a release ({} kB instead of {} kB).",
        quick as f64 / released.max(1) as f64,
        quick / 1000,
        released / 1000
    ))
}

/// Builds the compressed modules in `dist`, and their bindings in `bindings`. The English module is
/// a copy of the one for all languages.
fn modules(repo: &Repo, bindings: &Path, dist: &Path) -> Result<()> {
    let [all_languages, lab, english] = &VARIANTS;
    let mut command = repo.cargo(&["build", "--lib", "--quiet", "--profile", PROFILE]);
    command.args(["--target", tools::WASM_TARGET]).arg("--target-dir");
    command.arg(repo.target(FOLDER).join("wasm"));
    run::visible(
        command.args([all_languages, lab].iter().flat_map(|of| ["--package", of.package])),
    )?;
    for variant in [all_languages, lab] {
        let name = variant.bindings();
        let compiled = repo.target(FOLDER).join("wasm").join(tools::WASM_TARGET).join(PROFILE);
        let mut bindgen = Bindgen::new();
        bindgen.input_path(compiled.join(&name).with_extension("wasm")).out_name(&name);
        bindgen.remove_name_section(true).remove_producers_section(true);
        bindgen.typescript(false).web(true)?.generate(bindings)?;
        let module = fs::read(bindings.join(format!("{name}_bg.wasm")))?;
        write_parts(variant, &module, dist)?;
    }
    for (part, all) in english.parts().iter().zip(all_languages.parts()) {
        let packed = |name: &str| dist.join(name).with_extension("wasm.gz");
        fs::copy(packed(&all), packed(part))?;
    }
    Ok(())
}

/// Writes the whole module as the first part, and an empty one as the rest.
fn write_parts(variant: &Variant, module: &[u8], dist: &Path) -> Result<()> {
    for (part, bytes) in variant.parts().iter().zip([module, &EMPTY_MODULE]) {
        web::pack(bytes, &dist.join(part).with_extension("wasm.gz"), Gzip::Fast)?;
    }
    Ok(())
}

/// Writes the published scripts and styles into `dist`, with their imports.
fn scripts(www: &Path, bindings: &Path, dist: &Path) -> Result<()> {
    let is_mirrored = |name: &&str| name.starts_with("mirrored/");
    let published = SCRIPTS.into_iter().filter(|name| !is_mirrored(name)).chain(DEMO);
    let mut waiting = Vec::new();
    for name in published {
        let source = web::source(www, name)?;
        waiting.push(source.strip_prefix(www)?.to_string_lossy().replace('\\', "/"));
    }
    let mut written = BTreeMap::new();
    while let Some(source) = waiting.pop() {
        let name = published_name(&source);
        if let Some(other) = written.insert(name.clone(), source.clone()) {
            if other != source {
                bail!("expected one script published as {name}, found {other} and {source}");
            }
            continue;
        }
        let path = match source.strip_prefix("pkg/") {
            Some(bindings_name) => bindings.join(bindings_name),
            None => www.join(&source),
        };
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (text, imports) = flattened(&source, &text);
        waiting.extend(imports);
        let target = dist.join(&name);
        fs::create_dir_all(target.parent().unwrap_or(dist))?;
        fs::write(target, text)?;
    }
    Ok(())
}

/// The path in the published folder of a file of `www/`: only the lab has a folder of its own.
fn published_name(source: &str) -> String {
    match source.split_once('/') {
        Some((folder, name)) if folder != "lab" => name.to_owned(),
        _ => source.to_owned(),
    }
}

/// An import, static or with `import(…)`; or a comment, whose types name files that no browser
/// fetches.
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)(?P<before>^(?:import|export)\b[^;"'`(=]*?|\bimport\()"(?P<path>\.[^"]+)"|/\*\*(?s:.)*?\*/|^\s*//.*$"#,
    )
    .expect("the pattern is constant")
});

/// A script with the imports of the published folder, and their paths in `www/`.
fn flattened(source: &str, text: &str) -> (String, Vec<String>) {
    let mut imports = Vec::new();
    let own_folder = published_name(source).matches('/').count();
    let text = IMPORT.replace_all(text, |found: &Captures<'_>| {
        let (Some(before), Some(path)) = (found.name("before"), found.name("path")) else {
            return found[0].to_owned();
        };
        let path = resolved(source, path.as_str());
        let published = published_name(&path);
        // It is in the published folder, or in the folder of the lab.
        let up = if own_folder == 0 { "./" } else { "../" };
        imports.push(path);
        format!("{}\"{up}{published}\"", before.as_str())
    });
    (text.into_owned(), imports)
}

/// The path in `www/` of a relative import in the file `source`.
fn resolved(source: &str, import: &str) -> String {
    let mut parts: Vec<_> = source.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    let same = SAME.iter().find(|(from, _)| *from == path);
    same.map_or(path.clone(), |(_, to)| (*to).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_use_the_paths_of_published_scripts() {
        let text = "/**\n * @typedef {import(\"./types.js\").A} A\n */\n// import(\"./old.js\")\n\
                    import start, * as glue from \"../pkg/glue.js\";\nimport {\n  a,\n  b,\n} from \"./b.js\";\n\
                    import \"./effect.js\";\nexport * from \"../client/pagekin.js\";\n\
                    const later = () => import(\"./pagekin.js\");\nconst name = import(name);\n";
        let (flat, imports) = flattened("demo/demo.js", text);
        assert_eq!(
            imports,
            [
                "pkg/glue.js",
                "demo/b.js",
                "demo/effect.js",
                "client/pagekin.js",
                "client/pagekin.js"
            ]
        );
        assert_eq!(
            flat,
            "/**\n * @typedef {import(\"./types.js\").A} A\n */\n// import(\"./old.js\")\n\
             import start, * as glue from \"./glue.js\";\nimport {\n  a,\n  b,\n} from \"./b.js\";\n\
             import \"./effect.js\";\nexport * from \"./pagekin.js\";\n\
             const later = () => import(\"./pagekin.js\");\nconst name = import(name);\n"
        );
        let (flat, imports) =
            flattened("lab/core.js", "import \"../client/a.js\";\nimport \"./b.js\";\n");
        assert_eq!(imports, ["client/a.js", "lab/b.js"]);
        assert_eq!(flat, "import \"../a.js\";\nimport \"../lab/b.js\";\n");
    }

    #[test]
    fn published_scripts_include_their_imports() {
        let www = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
        let (bindings, dist) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for variant in &VARIANTS {
            fs::write(bindings.path().join(format!("{}.js", variant.bindings())), "").unwrap();
        }
        scripts(&www, bindings.path(), dist.path()).unwrap();
        for file in crate::files::files(dist.path()).unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            let folder = file.parent().unwrap();
            for found in IMPORT.captures_iter(&text).filter_map(|found| found.name("path")) {
                assert!(
                    folder.join(found.as_str()).is_file(),
                    "{} imports {}",
                    file.display(),
                    found.as_str()
                );
            }
        }
    }
}
