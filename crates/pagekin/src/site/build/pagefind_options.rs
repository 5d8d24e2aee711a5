//! Turns the options of Pagefind into those of `pagekin.toml`, for a site that moves.

use std::fmt::Write as _;
use std::fs;

use pagekin_pages::Observer;
use serde_json::{Map, Value};

/// The files in which Pagefind looks for its options.
const FILES: [&str; 4] = ["pagefind.toml", "pagefind.yml", "pagefind.yaml", "pagefind.json"];

/// Warns about the files of Pagefind's options in the current folder, which are not read, and
/// prints the same options of pagekin.
pub(super) fn warn(observer: &dyn Observer) {
    for name in FILES {
        if let Ok(text) = fs::read_to_string(name) {
            observer.warn(&report(name, &text));
        }
    }
}

/// Returns the warning for a file.
fn report(name: &str, text: &str) -> String {
    let options: Option<Map<String, Value>> = match name.ends_with(".toml") {
        true => toml_edit::de::from_str(text).ok(),
        // JSON is YAML.
        false => serde_saphyr::from_str(text).ok(),
    };
    let mut out = format!("{name} is not read. ");
    let Some(options) = options else {
        out.push_str("Move its options to pagekin.toml: the guide Moving from Pagefind lists them");
        return out;
    };
    let (lines, others) = moved(&options);
    if !lines.is_empty() {
        out.push_str("The same options in pagekin.toml:\n\n[build]\n");
        lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        out.push('\n');
    }
    if !others.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "Without a counterpart there: {}. The guide Moving from Pagefind says what to do",
            others.join(", ")
        );
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns the lines of `pagekin.toml`, and the options that have none.
fn moved(options: &Map<String, Value>) -> (Vec<String>, Vec<&str>) {
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
            ("root_selector", Value::String(_)) => toml("root-selector", value),
            ("exclude_selectors", Value::Array(_)) => toml("exclude-selectors", value),
            ("force_language", Value::String(_)) => toml("lang", value),
            _ => {
                others.push(name.as_str());
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

    #[test]
    fn options_become_lines_of_the_configuration() {
        let expected = "The same options in pagekin.toml:\n\n[build]\nsite = \"public\"\n\
             output = \"public/find\"\nexclude-selectors = [\".ads\",\"nav\"]\nlang = \"de\"\n\n\
             Without a counterpart there: glob, keep_index_url. The guide Moving from Pagefind \
             says what to do";
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
            assert_eq!(report(name, text), format!("{name} is not read. {expected}"));
        }
    }

    #[test]
    fn a_file_that_is_no_list_of_options_leads_to_the_guide() {
        for text in ["- a\n- b", "site: [", "\0"] {
            let report = report("pagefind.yml", text);
            assert!(report.ends_with("the guide Moving from Pagefind lists them"), "{report}");
        }
        let odd = report("pagefind.yml", "site: 3\nexclude_selectors: .ads");
        assert!(odd.contains("Without a counterpart there: site, exclude_selectors"), "{odd}");
    }
}
