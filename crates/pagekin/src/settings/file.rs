//! Reads `pagekin.toml`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, Value};

pub(crate) const NAME: &str = "pagekin.toml";
/// Maximum size of the file, far more than all options need.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileValue {
    Switch(bool),
    One(String),
    /// Formatted as on a command line.
    Number(String),
    List(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileEntry {
    pub(crate) key: String,
    pub(crate) found: FileValue,
    /// Line number, starting at 1.
    pub(crate) line: usize,
}

/// The sections of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Settings {
    pub(crate) path: PathBuf,
    /// Command name, line number and entries of each section.
    pub(crate) sections: Vec<(String, usize, Vec<FileEntry>)>,
}

/// The message of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

impl Settings {
    /// Reads the opened file at `path`.
    pub(crate) fn read(path: &Path, file: impl Read) -> Result<Self, Unreadable> {
        let mut text = String::new();
        let read = file
            .take(MAX_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(|error| unreadable(path, &error))?;
        if read as u64 > MAX_BYTES {
            let path = path.display();
            return Err(Unreadable(format!(
                "cannot read {path}: it has more than {MAX_BYTES} bytes"
            )));
        }
        Self::parse(path, &text)
    }

    /// Parses the content of the file at `path`.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, Unreadable> {
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |at: usize| 1 + ends.partition_point(|&end| end < at);
        let refuse =
            |line: usize, why: String| Unreadable(format!("{}:{line}: {why}", path.display()));
        let document = Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            refuse(line(at), error.message().to_owned())
        })?;
        let mut sections = Vec::new();
        for (name, item) in document.iter() {
            let key = document.key(name);
            let at = key.and_then(toml_edit::Key::span).map_or(1, |span| line(span.start));
            let Item::Table(table) = item else {
                let why =
                    format!("{name} is not in a section. Put it in a section such as [build]");
                return Err(refuse(at, why));
            };
            let mut entries = Vec::new();
            for (key, item) in table {
                let span = table.key(key).and_then(toml_edit::Key::span);
                let line = span.map_or(at, |span| line(span.start));
                let value = item.as_value().and_then(found);
                let found = value.ok_or_else(|| {
                    let why = "expected a string, a number, true, false or a list of strings";
                    refuse(line, format!("{key}: {why}, found {}", item.type_name()))
                })?;
                entries.push(FileEntry { key: key.to_owned(), found, line });
            }
            sections.push((name.to_owned(), at, entries));
        }
        Ok(Self { path: path.to_owned(), sections })
    }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    Unreadable(format!("cannot read {}: {error}", path.display()))
}

/// Finds the file in `from` or in the nearest folder above it, up to the root of a repository.
pub(crate) fn nearest(from: &Path) -> Option<PathBuf> {
    for folder in from.ancestors() {
        let path = folder.join(NAME);
        if path.is_file() {
            return Some(path);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn found(value: &Value) -> Option<FileValue> {
    Some(match value {
        Value::Boolean(switch) => FileValue::Switch(*switch.value()),
        Value::Array(array) => FileValue::List({
            array.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<_>>()?
        }),
        Value::String(text) => FileValue::One(text.value().clone()),
        Value::Integer(number) => FileValue::Number(number.value().to_string()),
        Value::Float(number) => FileValue::Number(number.value().to_string()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    fn read(text: &str) -> Result<Settings, String> {
        Settings::parse(Path::new("pagekin.toml"), text).map_err(|error| error.0)
    }

    #[test]
    fn values_are_read_with_their_lines() {
        let text = "# A site\n[build]\nsite = \"public\"\nrelated-count = 20\nwatch = false\n\n[serve]\nhost = [\"a\", \"b\"]\n";
        let entry = |key: &str, found, line| FileEntry { key: key.to_owned(), found, line };
        let found = read(text).unwrap();
        let [(build, 2, of_build), (serve, 7, of_serve)] = &found.sections[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&**build, &**serve), ("build", "serve"));
        assert_eq!(
            *of_build,
            [
                entry("site", FileValue::One("public".into()), 3),
                entry("related-count", FileValue::Number("20".into()), 4),
                entry("watch", FileValue::Switch(false), 5),
            ]
        );
        let hosts = FileValue::List(vec!["a".into(), "b".into()]);
        assert_eq!(*of_serve, [entry("host", hosts, 8)]);
        assert_eq!(read("").unwrap().sections, []);
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        check_refused("[build]\nsite = public\n", "pagekin.toml:2: ");
        check_refused("site = \"public\"\n", "pagekin.toml:1: site is not in a section");
        check_refused("[build]\n\nsite = { a = 1 }\n", "pagekin.toml:3: site: expected a string");
        check_refused("[build]\nexclude = [true]\n", "pagekin.toml:2: exclude: expected a string");
        check_refused("[build]\nexclude = [3]\n", "pagekin.toml:2: exclude: expected a string");
        check_refused("[build.site]\na = 1\n", "site: expected a string");
    }

    #[test]
    fn a_huge_file_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(NAME);
        fs::write(&path, " ".repeat(MAX_BYTES as usize)).unwrap();
        let read = || Settings::read(&path, File::open(&path).unwrap());
        assert_eq!(read().unwrap().sections, []);
        // A sparse file.
        File::create(&path).unwrap().set_len(1 << 36).unwrap();
        let error = read().unwrap_err().0;
        assert!(error.contains("it has more than 1048576 bytes"), "{error}");
    }

    #[test]
    fn the_nearest_file_in_the_repository_is_found() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("site/content/posts");
        fs::create_dir_all(&deep).unwrap();
        let file = place.path().join("site").join(NAME);
        assert_eq!(nearest(&deep).filter(|path| path.starts_with(place.path())), None);
        fs::write(&file, "").unwrap();
        assert_eq!(nearest(&deep), Some(file));
        fs::create_dir(place.path().join("site/content/.git")).unwrap();
        assert_eq!(nearest(&deep), None);
    }
}
