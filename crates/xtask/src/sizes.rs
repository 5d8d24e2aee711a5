//! What the client costs to fetch, written down in www/sizes.txt, so that a change that makes it
//! dearer shows in its diff.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::bundle;
use crate::repo::Repo;
use crate::web::{self, DEMO, SCRIPTS, VARIANTS};

const FILE: &str = "www/sizes.txt";
/// What a size may differ from the one written down, in per cent: compilers differ a little.
const TOLERANCE: u64 = 2;
const ACCEPT: &str =
    "`cargo xtask web --accept-sizes` writes down the new sizes: commit them if they are meant";

/// Fails if a file of the client has another size than www/sizes.txt says.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let (expected, found) = (recorded(repo)?, measure(repo)?);
    let differences = differences(&expected, &found);
    if !differences.is_empty() {
        bail!(
            "the client has other sizes than {FILE} says, by more than {TOLERANCE} %: {}. {ACCEPT}",
            differences.join("; ")
        );
    }
    Ok(())
}

/// The sizes that www/sizes.txt has, by the names of the files.
pub(crate) fn recorded(repo: &Repo) -> Result<BTreeMap<String, u64>> {
    let text = fs::read_to_string(repo.path(FILE))
        .with_context(|| format!("cannot read {FILE}. {ACCEPT}"))?;
    parse(&text)
}

/// Writes the sizes of the client into www/sizes.txt.
pub(crate) fn accept(repo: &Repo) -> Result<()> {
    let mut text = String::from(
        "# Bytes of the client's files, by `cargo xtask web --accept-sizes`. `cargo xtask test --only js` compares.\n",
    );
    for (name, bytes) in measure(repo)? {
        writeln!(text, "{bytes:>7} {name}")?;
    }
    fs::write(repo.path(FILE), text).with_context(|| format!("cannot write {FILE}"))
}

/// The files by name. Of a module, what it is before it is packed, too: that is what a browser
/// compiles.
fn measure(repo: &Repo) -> Result<BTreeMap<String, u64>> {
    let raw = VARIANTS.iter().map(|of| (format!("{}.wasm", of.name), of.raw(repo)));
    let scripts = SCRIPTS.into_iter().chain(DEMO).chain([bundle::NAME]).map(str::to_owned);
    let published = web::packed().chain(scripts);
    let published = published.map(|name| (name.clone(), web::published(repo, &name)));
    let mut sizes = BTreeMap::new();
    for (name, path) in raw.chain(published) {
        let bytes = fs::metadata(&path)
            .with_context(|| format!("cannot read {}: `cargo xtask web` makes it", path.display()))?
            .len();
        sizes.insert(name, bytes);
    }
    Ok(sizes)
}

fn parse(text: &str) -> Result<BTreeMap<String, u64>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (bytes, name) = line.trim().split_once(' ').with_context(|| {
                format!("expected a number and a name in each line of {FILE}, found {line:?}")
            })?;
            Ok((name.to_owned(), bytes.parse()?))
        })
        .collect()
}

/// What differs by more than is tolerated, for people.
fn differences(expected: &BTreeMap<String, u64>, found: &BTreeMap<String, u64>) -> Vec<String> {
    let mut told = Vec::new();
    for (name, &bytes) in found {
        match expected.get(name) {
            Some(&expected) if bytes.abs_diff(expected) * 100 <= expected * TOLERANCE => {}
            Some(expected) => {
                told.push(format!("{name}: expected {expected} bytes, found {bytes}"));
            }
            None => told.push(format!("{name}: expected nothing, found {bytes} bytes")),
        }
    }
    for name in expected.keys().filter(|name| !found.contains_key(*name)) {
        told.push(format!("{name}: expected, found nothing"));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_differ_by_two_per_cent_and_names_not_at_all() {
        let expected = parse("# comment\n  1000 a.js\n  1000 b.js\n 1000 gone.js\n").unwrap();
        let found = parse("1020 a.js\n979 b.js\n5 new.js").unwrap();
        assert_eq!(
            differences(&expected, &found),
            [
                "b.js: expected 1000 bytes, found 979",
                "new.js: expected nothing, found 5 bytes",
                "gone.js: expected, found nothing",
            ]
        );
        assert!(parse("many a.js").is_err());
    }
}
