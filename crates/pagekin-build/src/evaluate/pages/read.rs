//! A folder into its pages, with their words in one lexicon.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagekin_core::terms::Language;
use rayon::prelude::*;

use crate::error::BuildError;
use crate::evaluate::options::EvaluateOptions;
use crate::evaluate::pages::lexicon::{Lexicon, Met, combine};
use crate::evaluate::pages::marked_text::MarkingReader;
use crate::evaluate::pages::page::Page;
use crate::progress::{Observer, Stage};
use crate::site::exclude::Exclude;
use crate::site::files::SiteFiles;
use crate::site::html::read_html_by;
use crate::site::languages;
use crate::site::listing::HtmlFile;
use crate::site::read::{read_file, set_aside};
use crate::site::skipped::{SkipReason, Skipped, SkippedFiles};

/// The pages of a site.
#[derive(Debug, Default)]
pub(crate) struct Site {
    /// In the order of their addresses.
    pub(crate) pages: Vec<Page>,
    pub(crate) lexicon: Lexicon,
    pub(crate) html_files: u64,
    pub(crate) skipped: Vec<Skipped>,
}

/// What became of a file.
enum Outcome {
    Page(Box<Page>),
    Skipped(SkipReason),
    Unreadable(std::io::Error),
}

/// Reads the pages that a build would index.
pub(crate) fn read(options: &EvaluateOptions, observer: &dyn Observer) -> Result<Site, BuildError> {
    observer.stage(Stage::Listing, 0);
    let EvaluateOptions { site, reading, .. } = options;
    let mut skipped = SkippedFiles::new(site);
    let mut exclude = Exclude::of(&reading.exclude)?;
    let output = Path::new("");
    let SiteFiles { files, html_files, mut unreadable } =
        SiteFiles::list(site, output, reading, &mut exclude, &mut skipped, observer)?;
    exclude.warn_of_unmatched(observer);
    let language = languages::named(&options.lang)?;
    observer.stage(Stage::Reading, files.len() as u64);
    let (outcomes, lexicon) = read_all(&files, options, &language, observer)?;
    let mut pages = Vec::with_capacity(outcomes.len());
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Outcome::Page(page) => pages.push(*page),
            Outcome::Skipped(reason) => skipped.add(reason, &file.path),
            Outcome::Unreadable(error) => unreadable.push((file.path.clone(), error)),
        }
    }
    skipped.add_unreadable(&unreadable, reading.skip_unreadable)?;
    if pages.iter().any(|page| page.marked) {
        // As in a build: a site that marks bodies says which pages have one.
        pages.retain(|page| {
            if !page.marked {
                skipped.add(SkipReason::Unmarked, Path::new(&page.url));
            }
            page.marked
        });
    }
    let skipped = skipped.finish();
    if pages.is_empty() {
        let reasons =
            skipped.iter().map(|skipped| format!("{} that {}", skipped.count, skipped.reason));
        let found = reasons.collect::<Vec<_>>().join(", ");
        return Err(BuildError::NoPages { path: options.site.clone(), files: html_files, found });
    }
    Ok(Site { pages, lexicon, html_files, skipped })
}

/// Reads files on the threads of the pool this runs in. What comes out does not depend on who read what.
fn read_all(
    files: &[HtmlFile],
    options: &EvaluateOptions,
    language: &Language,
    observer: &dyn Observer,
) -> Result<(Vec<Outcome>, Lexicon), BuildError> {
    let next = AtomicUsize::new(0);
    let workers = rayon::broadcast(|_| {
        let (mut met, mut outcomes, mut bytes) = (Met::default(), Vec::new(), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= files.len() || observer.cancelled() {
                return (met, outcomes);
            }
            let outcome = read_page(&files[at], options, language, &mut bytes, &mut met);
            outcomes.push((at, outcome));
            observer.advance(1);
        }
    });
    if observer.cancelled() {
        return Err(BuildError::Interrupted);
    }
    let (met, outcomes): (Vec<Met>, Vec<Vec<(usize, Outcome)>>) = workers.into_iter().unzip();
    let (lexicon, numbers) = combine(&met);
    let mut all: Vec<(usize, Outcome)> = Vec::with_capacity(files.len());
    for (mut outcomes, numbers) in outcomes.into_iter().zip(&numbers) {
        outcomes.par_iter_mut().for_each(|(_, outcome)| {
            if let Outcome::Page(page) = outcome {
                page.renumber(numbers);
            }
        });
        all.append(&mut outcomes);
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    Ok((all.into_iter().map(|(_, outcome)| outcome).collect(), lexicon))
}

fn read_page(
    file: &HtmlFile,
    options: &EvaluateOptions,
    language: &Language,
    bytes: &mut Vec<u8>,
    met: &mut Met,
) -> Outcome {
    match read_file(&file.path, options.reading.max_page_bytes, bytes) {
        Ok(true) => {}
        Ok(false) => return Outcome::Skipped(SkipReason::TooLarge),
        Err(error) => return Outcome::Unreadable(error),
    }
    let (read, marked) = read_html_by(bytes, MarkingReader::default(), MarkingReader::finish);
    if let Some(reason) = set_aside(&file.url, &read.page) {
        return Outcome::Skipped(reason);
    }
    let own = Language::from_tag(&read.page.lang);
    let page = Page::of(&file.url, &read.page, &marked, own.as_ref().unwrap_or(language), met);
    page.map_or(Outcome::Skipped(SkipReason::Empty), |page| Outcome::Page(Box::new(page)))
}
