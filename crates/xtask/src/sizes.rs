//! The sizes of the client's files, recorded in www/sizes.txt: the diff of a change that makes them
//! larger shows it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::bundle;
use crate::repo::Repo;
use crate::web::{self, DEMO, LAB, SCRIPTS, VARIANTS};

const FILE: &str = "www/sizes.txt";
/// Maximum difference from the recorded size, in percent: compilers differ a little.
const TOLERANCE: u64 = 2;
const ACCEPT: &str =
    "`cargo xtask web --accept-sizes` records the new sizes: commit them if they are intended";

/// Fails if the size of a file differs from the recorded one.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let (expected, found) = (recorded(repo)?, measure(repo)?);
    let differences = differences(&expected, &found);
    if !differences.is_empty() {
        bail!(
            "the sizes of the client differ from {FILE} by more than {TOLERANCE}%: {}. {ACCEPT}",
            differences.join("; ")
        );
    }
    Ok(())
}

/// The recorded sizes by the names of the files.
pub(crate) fn recorded(repo: &Repo) -> Result<BTreeMap<String, u64>> {
    let text = fs::read_to_string(repo.path(FILE))
        .with_context(|| format!("cannot read {FILE}. {ACCEPT}"))?;
    parse(&text)
}

pub(crate) fn accept(repo: &Repo) -> Result<()> {
    let mut text = String::from(
        "# Bytes of the client's files, by `cargo xtask web --accept-sizes`. `cargo xtask test --only js` compares.\n",
    );
    for (name, bytes) in measure(repo)? {
        writeln!(text, "{bytes:>7} {name}")?;
    }
    fs::write(repo.path(FILE), text).with_context(|| format!("cannot write {FILE}"))
}

/// The sizes by the names of the files, including modules before compression: a browser compiles
/// those.
fn measure(repo: &Repo) -> Result<BTreeMap<String, u64>> {
    let raw = VARIANTS.iter().map(|of| (format!("{}.wasm", of.name), of.raw(repo)));
    let scripts =
        SCRIPTS.into_iter().chain(DEMO).chain(LAB).chain([bundle::NAME]).map(str::to_owned);
    let published = web::packed().chain(scripts);
    let published = published.map(|name| (name.clone(), web::published(repo, &name)));
    let mut sizes = BTreeMap::new();
    for (name, path) in raw.chain(published) {
        let bytes = fs::metadata(&path)
            .with_context(|| {
                format!("cannot read {}: `cargo xtask web` builds it", path.display())
            })?
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

fn differences(expected: &BTreeMap<String, u64>, found: &BTreeMap<String, u64>) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, &bytes) in found {
        match expected.get(name) {
            Some(&expected) if bytes.abs_diff(expected) * 100 <= expected * TOLERANCE => {}
            Some(expected) => {
                differences.push(format!("{name}: expected {expected} bytes, found {bytes}"));
            }
            None => differences.push(format!("{name}: expected nothing, found {bytes} bytes")),
        }
    }
    for name in expected.keys().filter(|name| !found.contains_key(*name)) {
        differences.push(format!("{name}: expected, found nothing"));
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_differ_by_two_percent() {
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
