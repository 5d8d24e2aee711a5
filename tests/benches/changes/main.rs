//! What a change of a site costs to publish, if each build follows the last, and what following
//! costs its answers.
//!
//! `cargo xtask bench changes SITE_DIR…` runs it on copies of sites, each by itself, `cargo xtask
//! bench changes --generated N` on a collection of N pages that [`pagekin_tests::collection`] makes
//! up.
//!
//! *One page*: a page gets a paragraph of 60 words of another page; or a page is added that has
//! words of two others; or one is removed. Each is compared with the build before, over a few pages
//! drawn by a fixed seed. With `--pagefind`, Pagefind indexes the site before and after each of
//! these edits too.
//!
//! *5 % of the pages*: 2 % are edited, 1.5 % added and 1.5 % removed, in five builds that each
//! follow the last. Then the same site is built anew, and both indexes are asked the same queries,
//! which are made of its pages. The followed index weighs words as the site was: its answers are
//! judged by its own bags, which tells what its order costs, and by those of the new index, to
//! which words may be known that the followed one never heard of.

mod difference;
mod drawing;
mod report;
mod site;

use std::collections::BTreeMap;
use std::fs;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser;
use difference::{Difference, size};
use drawing::Drawing;
use pagekin_core::LookupOptions;
use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_index::{BuildOptions, LocalIndex};
use pagekin_tests::collection::Collection;
use pagekin_tests::measuring::asking::{Asked, Shards};
use pagekin_tests::measuring::quality::{Quality, TOP};
use pagekin_tests::measuring::queries::{self, Query};
use pagekin_tests::measuring::{Failure, On, exact};
use pagekin_tests::place::{Snapshot, snapshot};
use report::{Index, Pagefind, Report};
use site::{Changes, Copy, Site};

const SEED: u64 = 1;
const QUERIES: usize = 500;
/// The builds in which the pages change, and in each of them how many of a thousand.
const STEPS: u64 = 5;
const EDITED: u64 = 4;
const ADDED: u64 = 3;
const REMOVED: u64 = 3;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    on: On,
    /// How many pages are changed, each by itself
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pages: u32,
    /// The program of Pagefind, to measure beside
    #[arg(long, hide = true)]
    pagefind: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let mut reports = Vec::new();
    if let Some(pages) = arguments.on.generated {
        let place = tempfile::tempdir()?;
        let site = Site::Generated(Collection::new(pages, SEED));
        reports.push(measure("generated".to_owned(), site, place.path(), &arguments)?);
    }
    for folder in &arguments.on.sites {
        let place = tempfile::tempdir()?;
        let site = Site::Folder(Copy::new(folder, place.path().join("site"))?);
        reports.push(measure(short_name(folder), site, place.path(), &arguments)?);
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    } else {
        print!("{}", report::tables(&reports)?);
    }
    Ok(())
}

/// The last two parts of a path: sites are often in folders called `html` or `public`.
fn short_name(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn measure(
    name: String,
    mut site: Site,
    place: &Path,
    arguments: &Arguments,
) -> Result<Report, Failure> {
    let say = |what: &str| eprintln!("{name}: {what}");
    say("as it is");
    let first = BuildOptions::new("", place.join("first"));
    let summary = site.build(&Changes::default(), &first)?;
    let before = snapshot(&first.output);
    let records = LocalIndex::open(&first.output)?.records()?;
    let mut urls: Vec<String> = records.into_iter().map(|record| record.url).collect();
    urls.sort_unstable();

    let mut drawing = Drawing::new(&site, &urls, SEED);
    let (mut edits, mut additions, mut removals) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..arguments.pages {
        drawing.edit()?;
        edits.push(take(&mut drawing.changes));
        drawing.add()?;
        additions.push(take(&mut drawing.changes));
        drawing.remove()?;
        removals.push(take(&mut drawing.changes));
    }
    let steps = steps(&site, &urls)?;

    let after = BuildOptions::new("", place.join("after"))
        .with(|options| options.previous = Some(first.output.clone()));
    let mut each = |what: &str, changes: &[Changes]| -> Result<Vec<Difference>, Failure> {
        let mut differences = Vec::new();
        for changes in changes {
            say(what);
            follow(&mut site, changes, &after)?;
            differences.push(Difference::new(&before, &snapshot(&after.output)));
        }
        Ok(differences)
    };
    let edited = each("a page edited", &edits)?;
    let added = each("a page added", &additions)?;
    let removed = each("a page removed", &removals)?;
    let pagefind = match (&arguments.pagefind, &mut site) {
        (Some(program), Site::Folder(copy)) => Some(pagefind(program, copy, &edits, place)?),
        _ => None,
    };

    let (mut last, mut was) = (first.output, before.clone());
    let mut builds = Vec::new();
    for (number, changes) in steps.iter().enumerate() {
        say("one per cent more of the pages changed");
        let output = place.join(format!("followed-{number}"));
        let options = BuildOptions::new("", &output).with(|options| options.previous = Some(last));
        follow(&mut site, changes, &options)?;
        let is = snapshot(&output);
        builds.push(Difference::new(&was, &is));
        (last, was) = (output, is);
    }
    say("built anew");
    let changed = steps.last().cloned().unwrap_or_default();
    let anew = BuildOptions::new("", place.join("anew"));
    site.build(&changed, &anew)?;
    say("asked");
    let (anew, followed, followed_by_its_own_bags) = ask(&site, &changed, &anew.output, &last)?;

    let (files, bytes) = size(&before);
    Ok(Report {
        name,
        pages: summary.pages,
        files,
        bytes,
        edited,
        added,
        removed,
        pagefind,
        builds,
        anew,
        followed,
        followed_by_its_own_bags,
    })
}

/// Builds what must follow the previous index.
fn follow(site: &mut Site, changes: &Changes, options: &BuildOptions) -> Result<(), Failure> {
    let summary = site.build(changes, options)?;
    if !summary.followed {
        return Err("the build did not follow the one before".into());
    }
    Ok(())
}

/// The site at each step to where 5 % of it have changed.
fn steps(site: &Site, urls: &[String]) -> Result<Vec<Changes>, Failure> {
    let mut drawing = Drawing::new(site, urls, SEED + 1);
    let mut steps = Vec::new();
    for _ in 0..STEPS {
        let some = |thousandths: u64| (urls.len() as u64 * thousandths).div_ceil(1_000);
        (0..some(EDITED)).try_for_each(|_| drawing.edit())?;
        (0..some(ADDED)).try_for_each(|_| drawing.add())?;
        (0..some(REMOVED)).try_for_each(|_| drawing.remove())?;
        steps.push(drawing.changes.clone());
    }
    Ok(steps)
}

/// Asks the index that was built anew and the one that followed; answers what they are worth, of
/// the latter also by its own bags.
fn ask(
    site: &Site,
    changes: &Changes,
    anew: &Path,
    followed: &Path,
) -> Result<(Index, Index, Quality), Failure> {
    let records = LocalIndex::open(anew)?.records()?;
    let mut shards = Shards::open(anew)?;
    let urls = records.iter().map(|record| &*record.url);
    let read = |url: &str| site.text(changes, url);
    let queries = queries::draw(QUERIES, urls, &shards.index.manifest().stop, read)?;
    let bags = shards.bags(&queries)?;
    let truths = exact::best(&bags, &records, TOP);
    let asked = answers(&queries, &mut shards)?;
    let quality = Quality::new(&truths, asked.iter().map(Asked::similarities));
    let new = Index::new(anew, &asked, quality);

    let mut shards = Shards::open(followed)?;
    let asked = answers(&queries, &mut shards)?;
    let by_url: BTreeMap<&str, &Bag> =
        records.iter().map(|record| (&*record.url, &record.bag)).collect();
    let worth = |(asked, bag): (&Asked, &Bag)| {
        let urls = asked.answer.results.iter().map(|kin| &*kin.url);
        let worth =
            |url| by_url.get(url).map_or(0.0, |other| Overlap::between(bag, other).jaccard());
        urls.map(worth).collect()
    };
    let quality = Quality::new(&truths, asked.iter().zip(&bags).map(worth));
    let old = Index::new(followed, &asked, quality);
    let records = LocalIndex::open(followed)?.records()?;
    let truths = exact::best(&shards.bags(&queries)?, &records, TOP);
    let own = Quality::new(&truths, asked.iter().map(Asked::similarities));
    Ok((new, old, own))
}

fn answers(queries: &[Query], shards: &mut Shards) -> Result<Vec<Asked>, Failure> {
    let options = LookupOptions { limit: TOP as u32, ..LookupOptions::default() };
    queries.iter().map(|query| shards.ask(query, options)).collect()
}

/// What of Pagefind's output each of the edits changes.
fn pagefind(
    program: &Path,
    copy: &mut Copy,
    edits: &[Changes],
    place: &Path,
) -> Result<Pagefind, Failure> {
    let mut index = |changes: &Changes| -> Result<Snapshot, Failure> {
        eprintln!("Pagefind, {} pages edited", changes.edited.len());
        copy.change(changes)?;
        let output = place.join("pagefind");
        let mut command = Command::new(program);
        command.arg("--site").arg(&copy.folder).arg("--output-path").arg(&output);
        let done = command.stdin(Stdio::null()).output()?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{} failed ({}): {said}", program.display(), done.status).into());
        }
        let found = snapshot(&output);
        fs::remove_dir_all(&output)?;
        Ok(found)
    };
    let before = index(&Changes::default())?;
    let edited = edits.iter().map(|changes| Ok(Difference::new(&before, &index(changes)?)));
    let edited = edited.collect::<Result<_, Failure>>()?;
    let (files, bytes) = size(&before);
    Ok(Pagefind { files, bytes, edited })
}
