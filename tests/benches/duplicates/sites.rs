//! The folders of the measured sites, and the cost of building their index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use pagekin_index::{Assets, BuildOptions};
use pagekin_pages::{Observer, PageSource, Stage};
use pagekin_tests::collection::Collection;
use pagekin_tests::measuring::Failure;
use pagekin_tests::place::html;

use crate::report::Build;

/// Seed of generated pages.
const SEED: u64 = 1;

/// Writes generated pages below a folder, as HTML.
pub(crate) fn generate(pages: u64, folder: &Path) -> Result<PathBuf, Failure> {
    let collection = Collection::new(pages, SEED);
    for at in 0..pages {
        let page = collection.page(at)?;
        let file = folder.join(page.url.trim_start_matches('/'));
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, html(&page.title, &page.text))?;
    }
    Ok(folder.to_owned())
}

/// An index of all sites together.
pub(crate) struct Built {
    pub(crate) build: Build,
    /// The folder of all pages.
    pub(crate) site: PathBuf,
    pub(crate) index: PathBuf,
}

/// Combines all sites in one folder.
fn together(sites: &[PathBuf], folder: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir(folder)?;
    for (number, site) in sites.iter().enumerate() {
        std::os::unix::fs::symlink(fs::canonicalize(site)?, folder.join(number.to_string()))?;
    }
    Ok(folder.to_owned())
}

/// Builds an index of all sites together.
pub(crate) fn build(sites: &[PathBuf], place: &Path) -> Result<Built, Failure> {
    let all = match sites {
        [site] => site.clone(),
        several => together(several, &place.join("sites"))?,
    };
    let laps = Laps { start: Instant::now(), stages: Mutex::new(Vec::new()) };
    let index = place.join("index");
    let options = BuildOptions::new(&all, &index);
    let summary = pagekin_index::build(&options, &Assets::default(), &laps)?;
    let stages = laps.stages.into_inner().unwrap_or_default();
    let read = stages.iter().skip_while(|(stage, _)| *stage != Stage::Reading).nth(1);
    // It begins with listing, like the reading stage of `pagekin duplicates`.
    let reading = read.map_or(summary.seconds, |(_, at)| *at);
    let build = Build { pages: summary.pages, reading, all: summary.seconds };
    Ok(Built { build, site: all, index })
}

/// Start time of each stage, in seconds.
struct Laps {
    start: Instant,
    stages: Mutex<Vec<(Stage, f64)>>,
}

impl Observer for Laps {
    fn stage(&self, stage: Stage, _: u64) {
        if let Ok(mut stages) = self.stages.lock() {
            stages.push((stage, self.start.elapsed().as_secs_f64()));
        }
    }
    fn warn(&self, message: &str) {
        eprintln!("warning: {message}");
    }
}
