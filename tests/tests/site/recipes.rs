//! Compares the guides for site generators with the projects of `cargo xtask recipes`: each part of
//! a file that a guide shows is in that file.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use pagekin_tests::checkout::root;

/// A part of a file that a guide shows.
struct Shown {
    file: String,
    text: String,
}

/// Returns the fenced code of a guide. The file's name is in the last paragraph that starts with
/// one; shell code is the command of the recipe.
fn shown(guide: &str) -> Vec<Shown> {
    let mut pieces = Vec::new();
    let (mut file, mut fence) = (String::new(), None);
    for line in guide.lines() {
        match (&mut fence, line.strip_prefix("```")) {
            (None, Some(language)) => {
                fence = Some((
                    if language == "sh" { "build" } else { &*file }.to_owned(),
                    String::new(),
                ));
            }
            (Some(_), Some(_)) => {
                let (file, text) = fence.take().expect("it is open");
                pieces.push(Shown { file, text });
            }
            (Some((_, text)), None) => *text += &format!("{line}\n"),
            (None, None) => {
                let named = line.strip_prefix('`').and_then(|rest| rest.split_once('`'));
                if let Some((name, _)) = named.filter(|(name, _)| name.contains('.')) {
                    name.clone_into(&mut file);
                }
            }
        }
    }
    pieces
}

/// Removes the spaces at the ends of lines.
fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim())).collect()
}

/// Returns the projects of a guide: its own, and the one without JavaScript.
fn projects(name: &str) -> Vec<PathBuf> {
    let all = [name.to_owned(), format!("{name}-static")]
        .map(|name| root().join("tests/recipes").join(name));
    all.into_iter().filter(|project| project.is_dir()).collect()
}

#[test]
fn guides_match_the_recipes() {
    let guides = root().join("crates/pagekin/docs/generators");
    let mut tried = BTreeSet::new();
    for entry in fs::read_dir(guides).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        // A browser test, html.test.mjs, covers the guide without a generator.
        if ["README", "html"].contains(&name.as_str()) {
            continue;
        }
        let pieces = shown(&fs::read_to_string(&path).unwrap());
        assert!(pieces.len() >= 2, "{name}: expected what to add to a project");
        for Shown { file, text } in pieces {
            let found = projects(&name).into_iter().any(|project| {
                if file != "build" {
                    return fs::read_to_string(project.join(&file))
                        .is_ok_and(|whole| trimmed(&whole).contains(&trimmed(&text)));
                }
                let recipe: toml::Table =
                    fs::read_to_string(project.join("recipe.toml")).unwrap().parse().unwrap();
                recipe["build"].as_str() == Some(text.trim())
            });
            assert!(found, "{name}.md: expected this in {file} of its recipe:\n{text}");
        }
        tried.insert(name);
    }
    let recipes: BTreeSet<String> = fs::read_dir(root().join("tests/recipes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| {
            path.file_name().unwrap().to_str().unwrap().trim_end_matches("-static").to_owned()
        })
        .collect();
    assert_eq!(tried, recipes, "each recipe has a guide");
}
