//! `cargo xtask bench published`: measures the numbers in the documents again, before a release.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::repo::Repo;
use crate::run;
use crate::site::Site;

/// The cited texts, and the paths of their numbers in the output of benches.
const TABLE: &str = include_str!("published.toml");

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The documentation of Python, PostgreSQL and Boost in the versions of `crates/BENCHMARKS.md`;
    /// the documentation of Rust is that of this toolchain
    #[arg(required = true, num_args = 3, value_name = "SITE_DIR")]
    sites: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Table {
    cited: Vec<Cited>,
}

#[derive(Deserialize)]
struct Cited {
    file: String,
    text: String,
    bench: String,
    /// One for each number of the text.
    numbers: Vec<Number>,
}

/// The path of a number, and its tolerance.
#[derive(Deserialize)]
struct Number {
    path: String,
    per: Option<String>,
    times: Option<f64>,
    pick: Pick,
    within: f64,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Pick {
    Least,
    Most,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let Table { cited } = table(repo)?;
    let mut sites = Vec::new();
    for folder in &arguments.sites {
        sites.push(Site::open(folder)?);
    }
    sites.push(Site::local_rust_docs(repo)?);
    let mut measured: BTreeMap<&str, Value> = BTreeMap::new();
    for Cited { bench, .. } in &cited {
        if !measured.contains_key(bench.as_str()) {
            measured.insert(bench, measure(repo, bench, &sites)?);
        }
    }
    println!(
        "| document | text | cited | measured | within | |\n| --- | --- | ---: | ---: | ---: | --- |"
    );
    let mut differ = 0;
    for Cited { file, text, bench, numbers } in &cited {
        for (number, cited) in numbers.iter().zip(numbers_of(text)) {
            let found = number.find(&measured[bench.as_str()])?;
            let holds = (found - cited).abs() <= number.within;
            differ += u32::from(!holds);
            let mark = if holds { "" } else { "**differs**" };
            println!("| {file} | {text} | {cited} | {found:.2} | {} | {mark} |", number.within);
        }
    }
    ensure!(differ == 0, "{differ} numbers differ. Change the documents, or fix the cause");
    Ok(())
}

/// The table. Fails if a document does not contain a cited text.
fn table(repo: &Repo) -> Result<Table> {
    let table: Table = toml::from_str(TABLE)?;
    for Cited { file, text, numbers, .. } in &table.cited {
        let document = fs::read_to_string(repo.path(file)).with_context(|| file.clone())?;
        if !in_one_line(&document).contains(&in_one_line(text)) {
            bail!("{file} does not contain {text:?}. Change published.toml with it");
        }
        let (found, expected) = (numbers_of(text).len(), numbers.len());
        ensure!(found == expected, "{text:?} has {found} numbers, published.toml has {expected}");
    }
    Ok(table)
}

/// Documents break their lines anywhere.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The numbers in digits: `1,735` and `0.97` are one each.
fn numbers_of(text: &str) -> Vec<f64> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let parts = text.split(|c| !is_of_number(c)).map(|part| part.trim_end_matches([',', '.']));
    parts.filter_map(|part| part.replace(',', "").parse().ok()).collect()
}

/// The output of a bench for each site.
fn measure(repo: &Repo, bench: &str, sites: &[Site]) -> Result<Value> {
    let program = repo.optimized_bench(bench)?;
    let mut all = Vec::new();
    for site in sites {
        let mut command = Command::new(&program);
        let printed = run::output(command.arg(&site.folder).arg("--json"))?;
        // Benches that take several sites print a list.
        all.extend(match serde_json::from_str(&printed)? {
            Value::Array(sites) => sites,
            site => vec![site],
        });
    }
    Ok(Value::Array(all))
}

impl Number {
    fn find(&self, measured: &Value) -> Result<f64> {
        let numbers = |path: &str| -> Result<Vec<f64>> {
            let values = at(measured, path).into_iter().map(Value::as_f64);
            values.collect::<Option<_>>().with_context(|| format!("no numbers at {path}"))
        };
        let mut found = numbers(&self.path)?;
        if let Some(per) = &self.per {
            let by = numbers(per)?;
            ensure!(by.len() == found.len(), "{} values at {per}", by.len());
            found.iter_mut().zip(by).for_each(|(found, by)| *found /= by);
        }
        let pick = match self.pick {
            Pick::Least => f64::min,
            Pick::Most => f64::max,
        };
        let found =
            found.into_iter().reduce(pick).with_context(|| format!("nothing at {}", self.path))?;
        Ok(found * self.times.unwrap_or(1.0))
    }
}

/// The values at a path.
fn at<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let Some((first, rest)) =
        path.split_once('/').or(Some((path, ""))).filter(|_| !path.is_empty())
    else {
        return vec![value];
    };
    let below: Vec<&Value> = match value {
        Value::Array(all) => {
            let (from, to) = first.split_once('-').unwrap_or((first, first));
            let (from, to) = (from.parse().unwrap_or(0), to.parse().unwrap_or(usize::MAX));
            all.iter()
                .enumerate()
                .filter(|(n, _)| (from..=to).contains(n))
                .map(|(_, v)| v)
                .collect()
        }
        value => value.get(first).into_iter().collect(),
    };
    below.into_iter().flat_map(|value| at(value, rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_contain_the_cited_texts() {
        let repo = Repo::locate().unwrap();
        assert!(!table(&repo).unwrap().cited.is_empty());
    }

    #[test]
    fn numbers_are_parsed() {
        assert_eq!(
            numbers_of("**97 to 100%**, of 1,735.5 at (.5 or 2)."),
            [97.0, 100.0, 1735.5, 0.5, 2.0]
        );
        let measured = json!([{"n": [1, 2, 3], "of": 4}, {"n": [5], "of": 10}]);
        let find = |path: &str, per: Option<&str>, pick| {
            let (path, per) = (path.to_owned(), per.map(str::to_owned));
            Number { path, per, times: Some(100.0), pick, within: 0.0 }.find(&measured).ok()
        };
        assert_eq!(find("*/n/1-2", None, Pick::Least), Some(200.0));
        assert_eq!(find("*/n/0", Some("*/of"), Pick::Most), Some(50.0));
        assert_eq!(find("1/of", None, Pick::Most), Some(1000.0));
        assert_eq!(find("2/of", None, Pick::Most), None);
        assert_eq!(find("0/none", None, Pick::Most), None);
    }
}
