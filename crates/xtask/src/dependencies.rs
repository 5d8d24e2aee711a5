//! Checks the dependencies against `.cargo/deny.toml`, without a network.
//!
//! A workflow runs cargo-deny each week, which reads the same file and checks advisories. It takes
//! minutes to compile and fetches its database, so this checks the rest: licenses, sources, and
//! crates in more than one version.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use spdx::{Expression, ParseMode};

use crate::repo::Repo;
use crate::run;

const RULES: &str = ".cargo/deny.toml";
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

/// A version that is allowed in addition to another one of its crate.
#[derive(Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    version: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// None for a crate of this workspace.
    source: Option<String>,
}

/// Checks every crate in Cargo.lock, including those of the tests.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let path = repo.path(RULES);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rules: Rules = toml::from_str(&text).with_context(|| format!("cannot read {RULES}"))?;
    let arguments = ["metadata", "--format-version", "1", "--all-features", "--locked"];
    let metadata: Metadata = serde_json::from_str(&run::output(&mut repo.cargo(&arguments))?)?;
    let complaints = complaints(&rules, &metadata.packages);
    if !complaints.is_empty() {
        bail!("the dependencies break {RULES}:\n{}", complaints.join("\n"));
    }
    Ok(())
}

fn complaints(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        let Some(source) = &package.source else { continue };
        let id = format!("{}@{}", package.name, package.version);
        if source != REGISTRY {
            complaints.push(format!("{id} comes from {source}: use a release of the registry"));
        }
        let license = package.license.as_deref().unwrap_or_default();
        if !is_allowed(license, &rules.licenses.allow) {
            complaints.push(format!(
                "{id} has the license {license:?}: replace it, or add the license to `allow`"
            ));
        }
        versions.entry(&package.name).or_default().insert(id);
    }
    let skipped: BTreeSet<&str> =
        rules.bans.skip.iter().map(|skip| skip.version.as_str()).collect();
    let mut unused = skipped.clone();
    for versions in versions.into_values().filter(|versions| versions.len() > 1) {
        let others: Vec<_> =
            versions.iter().filter(|version| !skipped.contains(version.as_str())).collect();
        if others.len() > 1 {
            let names: Vec<_> = versions.iter().map(String::as_str).collect();
            let names = names.join(", ");
            complaints.push(format!("{names}: agree on one version, or add one to `skip`"));
        }
        unused.retain(|&version| !versions.contains(version));
    }
    complaints.extend(unused.into_iter().map(|version| {
        format!("{version} is in `skip`, but is the only version: remove it there")
    }));
    complaints
}

/// Whether allowed licenses alone satisfy a license expression.
fn is_allowed(license: &str, allowed: &BTreeSet<String>) -> bool {
    // Lax: some crates still use `MIT/Apache-2.0`.
    Expression::parse_mode(license, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|requirement| allowed.contains(&requirement.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn package(name: &str, version: &str, license: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: Some(license.to_owned()),
            source: Some(REGISTRY.to_owned()),
        }
    }

    fn rules(skip: &[&str]) -> Rules {
        let skip = skip.iter().map(|&version| Skip { version: version.to_owned() }).collect();
        let allow = ["MIT", "Apache-2.0", "BSD-3-Clause"].map(str::to_owned).into();
        Rules { licenses: Licenses { allow }, bans: Bans { skip } }
    }

    #[test]
    fn licenses_are_read_as_expressions() {
        let allow = rules(&[]).licenses.allow;
        let allowed = |license| is_allowed(license, &allow);
        assert!(allowed("MIT") && allowed("MIT/GPL-3.0") && allowed("GPL-2.0-only OR Apache-2.0"));
        assert!(allowed("(MIT OR GPL-2.0-only) AND BSD-3-Clause"));
        assert!(!allowed("GPL-3.0-only") && !allowed("MIT AND GPL-3.0-only"));
        assert!(!allowed("") && !allowed("my own"));
    }

    #[test]
    fn violations_are_reported() {
        let complaints = |skip: &[&str], packages: &[Package]| complaints(&rules(skip), packages);
        let two = [package("syn", "1.0.0", "MIT"), package("syn", "2.0.0", "MIT")];
        assert!(complaints(&[], &two)[0].starts_with("syn@1.0.0, syn@2.0.0: agree"));
        assert!(complaints(&["syn@1.0.0"], &two).is_empty());
        assert!(complaints(&["syn@1.0.0"], &two[1..])[0].starts_with("syn@1.0.0 is in `skip`"));
        let mut from_git = package("a", "1.0.0", "GPL-3.0-only");
        from_git.source = Some("git+https://example.org/a".to_owned());
        let both = complaints(&[], &[from_git]);
        assert!(
            both[0].contains("comes from git+") && both[1].contains("GPL-3.0-only"),
            "{both:?}"
        );
    }

    #[test]
    fn actions_are_pinned_and_only_read() {
        let workflows = Path::new("../../.github/workflows");
        let paths = fs::read_dir(workflows).unwrap().map(|entry| entry.unwrap().path());
        let mut scheduled = 0;
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            let uses = text
                .lines()
                .filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
            for action in uses {
                let commit = action.split(['@', ' ']).nth(1).unwrap_or_default();
                let is_commit = commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit());
                assert!(is_commit, "{}: {action}", path.display());
            }
            assert!(text.contains("permissions:\n  contents: read\n"), "{}", path.display());
            scheduled += usize::from(
                text.contains("- cron:") && text.contains("deny --locked check advisories"),
            );
        }
        assert_eq!(scheduled, 1);
    }
}
