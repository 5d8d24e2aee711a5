//! Turns the options of Pagefind into those of `pagekin.toml`, for a site that moves.

use std::fmt::Write as _;
use std::fs;

use pagekin_pages::Observer;
use pagekin_pages::site::selectors::Selectors;
use serde_json::{Map, Value};

use crate::output::one_line;

/// The files in which Pagefind looks for its options.
const FILES: [&str; 4] = ["pagefind.toml", "pagefind.yml", "pagefind.yaml", "pagefind.json"];

/// The files of Pagefind's options in the current folder, by their names.
pub(super) struct PagefindOptions(Vec<(&'static str, Vec<u8>)>);

impl PagefindOptions {
    pub(super) fn read() -> Self {
        Self(FILES.into_iter().filter_map(|name| Some((name, fs::read(name).ok()?))).collect())
    }

    /// Warns that these files are not followed.
    pub(super) fn warn(&self, observer: &dyn Observer) {
        for (name, _) in &self.0 {
            observer.warn(&format!(
                "{name} is not read. Move its options to the section [build] of pagekin.toml, as the guide Moving from Pagefind shows, and remove it"
            ));
        }
    }

    /// Writes the options of these files as those of pagekin.
    pub(super) fn translate(&self, out: &mut String) -> std::fmt::Result {
        self.0.iter().try_for_each(|(name, bytes)| match str::from_utf8(bytes) {
            Ok(text) => translate_one(out, name, text),
            Err(_) => Ok(()),
        })
    }
}

fn translate_one(out: &mut String, name: &str, text: &str) -> std::fmt::Result {
    let options: Option<Map<String, Value>> = match name.ends_with(".toml") {
        true => toml_edit::de::from_str(text).ok(),
        // JSON is YAML.
        false => serde_saphyr::from_str(text).ok(),
    };
    let Some(options) = options else { return Ok(()) };
    let (lines, others) = moved(&options);
    if !lines.is_empty() {
        writeln!(out, "options of {name} in pagekin.toml:\n  [build]")?;
        for line in lines {
            writeln!(out, "  {}", one_line(&line))?;
        }
    }
    if !others.is_empty() {
        let others = others.join(", ");
        writeln!(out, "options of {name} without a counterpart there: {}", one_line(&others))?;
    }
    Ok(())
}

/// Returns the lines of `pagekin.toml`, and the options that have none.
fn moved(options: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    let text = |name: &str| options.get(name)?.as_str();
    let site = text("site").or(text("source"));
    for (name, value) in options {
        let line = match (name.as_str(), value) {
            ("site" | "source", Value::String(_)) => toml("site", value),
            ("output_path" | "bundle_dir", Value::String(_)) => toml("output", value),
            ("output_subdir", Value::String(folder)) => {
                let output = site.map_or(folder.clone(), |site| format!("{site}/{folder}"));
                toml("output", &output.into())
            }
            ("root_selector", Value::String(text)) if Selectors::check(text).is_ok() => {
                toml("root-selector", value)
            }
            ("exclude_selectors", Value::Array(selectors)) => {
                // A build would refuse the others.
                let (known, unknown): (Vec<_>, Vec<_>) =
                    selectors.iter().cloned().partition(|one| {
                        one.as_str().is_some_and(|text| Selectors::check(text).is_ok())
                    });
                others.extend(unknown.iter().map(|one| format!("{name} {one}")));
                if known.is_empty() {
                    continue;
                }
                toml("exclude-selectors", &known.into())
            }
            ("force_language", Value::String(_)) => {
                lines.push(toml("lang", value));
                toml("force-lang", &true.into())
            }
            _ => {
                others.push(name.clone());
                continue;
            }
        };
        lines.push(line);
    }
    (lines, others)
}

/// Returns a line of TOML. Strings of JSON, and lists of them, are the same in TOML.
fn toml(key: &str, value: &Value) -> String {
    format!("{key} = {value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(name: &str, text: &str) -> String {
        let mut out = String::new();
        translate_one(&mut out, name, text).unwrap();
        out
    }

    #[test]
    fn options_become_lines_of_the_configuration() {
        let files = [
            (
                "pagefind.yml",
                "# ours\nsite: public\noutput_subdir: find\nexclude_selectors:\n  - .ads\n  - nav\n\
                 force_language: de\nglob: '**/*.html'\nkeep_index_url: true\n",
            ),
            (
                "pagefind.toml",
                "site = 'public'\noutput_subdir = 'find'\nexclude_selectors = ['.ads', 'nav']\n\
                 force_language = 'de'\nglob = '**/*.html'\nkeep_index_url = true\n",
            ),
            (
                "pagefind.json",
                "{\"site\": \"public\", \"output_subdir\": \"find\", \"exclude_selectors\": [\".ads\", \
                 \"nav\"], \"force_language\": \"de\", \"glob\": \"**/*.html\", \"keep_index_url\": true}",
            ),
        ];
        for (name, text) in files {
            let expected = format!(
                "options of {name} in pagekin.toml:\n  [build]\n  site = \"public\"\n  output = \"public/find\"\n  \
                 exclude-selectors = [\".ads\",\"nav\"]\n  lang = \"de\"\n  force-lang = true\n\
                 options of {name} without a counterpart there: glob, keep_index_url\n"
            );
            assert_eq!(translated(name, text), expected);
        }
    }

    #[test]
    fn values_of_another_kind_are_named_and_other_files_ignored() {
        for text in ["- a\n- b", "site: [", "\0"] {
            assert_eq!(translated("pagefind.yml", text), "");
        }
        let odd = translated("pagefind.yml", "site: 3\nexclude_selectors: .ads\n\"a\\nb\": 1");
        let expected =
            "options of pagefind.yml without a counterpart there: site, exclude_selectors, a\\nb\n";
        assert_eq!(odd, expected);
    }

    #[test]
    fn selectors_that_a_build_refuses_are_named() {
        let text = "exclude_selectors: ['.ads', 'div > a', 3]\nroot_selector: 'main:first-child'";
        let expected = "options of pagefind.yml in pagekin.toml:\n  [build]\n  exclude-selectors = [\".ads\"]\n\
             options of pagefind.yml without a counterpart there: \
             exclude_selectors \"div > a\", exclude_selectors 3, root_selector\n";
        assert_eq!(translated("pagefind.yml", text), expected);
        let none = translated("pagefind.yml", "exclude_selectors: ['a b']");
        assert!(!none.contains("[build]"), "{none}");
    }
}
