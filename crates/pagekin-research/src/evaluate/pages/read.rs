//! A folder into its pages, with their words in one lexicon.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagekin_core::terms::Language;
use pagekin_pages::site::blocks::{BlockText, Repeated};
use pagekin_pages::site::exclude::Exclude;
use pagekin_pages::site::files::SiteFiles;
use pagekin_pages::site::html::read_html_by;
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::read::{read_file, set_aside};
use pagekin_pages::site::skipped::{SkippedFiles, reasons};
use pagekin_pages::site::{languages, repeated, shared_title};
use pagekin_pages::{Interrupted, Observer, SiteError, SkipReason, Skipped, Stage};
use rayon::prelude::*;

use crate::evaluate::error::EvaluateError;
use crate::evaluate::options::EvaluateOptions;
use crate::evaluate::pages::lexicon::{Lexicon, Met, combine};
use crate::evaluate::pages::marked_text::{MarkedText, MarkingReader};
use crate::evaluate::pages::page::Page;

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
    /// A page and its language.
    Page(Box<Page>, Language),
    Skipped(SkipReason),
    Unreadable(std::io::Error),
}

/// Reads the pages that a build would index.
pub(crate) fn read(
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<Site, EvaluateError> {
    observer.stage(Stage::Listing, 0);
    let EvaluateOptions { site, reading, .. } = options;
    let mut skipped = SkippedFiles::new(site);
    let mut exclude = Exclude::of(&reading.exclude)?;
    let output = Path::new("");
    let SiteFiles { files, html_files, mut unreadable } =
        SiteFiles::list(site, output, reading, &mut exclude, &mut skipped, observer)?;
    exclude.warn_of_unmatched(observer);
    let repeated = if options.keep_repeated {
        Repeated::default()
    } else {
        repeated::find(&files, reading.max_page_bytes, observer)?.0
    };
    observer.stage(Stage::Reading, files.len() as u64);
    let (outcomes, lexicon) = read_all(&files, options, &repeated, observer)?;
    let mut pages = Vec::with_capacity(outcomes.len());
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Outcome::Page(page, _) => pages.push(*page),
            Outcome::Skipped(reason) => skipped.add(reason, &file.path),
            Outcome::Unreadable(error) => unreadable.push((file.path.clone(), error)),
        }
    }
    skipped.add_unreadable(&unreadable, reading.skip_unreadable)?;
    let skipped = skipped.finish();
    if pages.is_empty() {
        let (path, found) = (options.site.clone(), reasons(&skipped));
        return Err(SiteError::NoPages { path, files: html_files, found }.into());
    }
    Ok(Site { pages, lexicon, html_files, skipped })
}

/// What a thread has read, by the places of the files.
#[derive(Default)]
struct Worker {
    met: Met,
    outcomes: Vec<(usize, Outcome)>,
}

/// Reads files on the threads of the pool this runs in. What comes out does not depend on who read
/// what.
fn read_all(
    files: &[HtmlFile],
    options: &EvaluateOptions,
    repeated: &Repeated,
    observer: &dyn Observer,
) -> Result<(Vec<Outcome>, Lexicon), EvaluateError> {
    let language = languages::named(&options.lang)?;
    let most = options.reading.max_page_bytes;
    let next = AtomicUsize::new(0);
    let mut workers = rayon::broadcast(|_| {
        let (mut worker, mut bytes) = (Worker::default(), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= files.len() || observer.cancelled() {
                return worker;
            }
            let outcome =
                read_page(&files[at], most, repeated, &language, &mut bytes, &mut worker.met);
            worker.outcomes.push((at, outcome));
            observer.advance(1);
        }
    });
    if observer.cancelled() {
        return Err(Interrupted.into());
    }
    leave_out_unmarked(&mut workers);
    name_pages(&mut workers, options.keep_title_suffix);
    let (met, outcomes): (Vec<Met>, Vec<_>) =
        workers.into_iter().map(|worker| (worker.met, worker.outcomes)).unzip();
    let (lexicon, numbers) = combine(&met);
    let mut all: Vec<(usize, Outcome)> = Vec::with_capacity(files.len());
    for (mut outcomes, numbers) in outcomes.into_iter().zip(&numbers) {
        outcomes.par_iter_mut().for_each(|(_, outcome)| {
            if let Outcome::Page(page, _) = outcome {
                page.renumber(numbers);
            }
        });
        all.append(&mut outcomes);
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    Ok((all.into_iter().map(|(_, outcome)| outcome).collect(), lexicon))
}

/// As in a build: a site that marks bodies says which pages have one.
fn leave_out_unmarked(workers: &mut [Worker]) {
    let is_marked = |outcome: &Outcome| matches!(outcome, Outcome::Page(page, _) if page.marked);
    let outcomes = || workers.iter().flat_map(|worker| &worker.outcomes);
    if outcomes().any(|(_, outcome)| is_marked(outcome)) {
        for (_, outcome) in workers.iter_mut().flat_map(|worker| &mut worker.outcomes) {
            if matches!(outcome, Outcome::Page(page, _) if !page.marked) {
                *outcome = Outcome::Skipped(SkipReason::Unmarked);
            }
        }
    }
}

/// Gives pages the words of their titles, without what nearly all titles share unless they are
/// `kept` whole.
fn name_pages(workers: &mut [Worker], kept: bool) {
    let outcomes = workers.iter().flat_map(|worker| &worker.outcomes);
    let titles = outcomes.filter_map(|(_, outcome)| match outcome {
        Outcome::Page(page, language) => Some((language, page.title.as_str())),
        Outcome::Skipped(_) | Outcome::Unreadable(_) => None,
    });
    let shared = shared_title::by_language(titles.filter(|_| !kept));
    workers.par_iter_mut().for_each(|Worker { met, outcomes }| {
        for (_, outcome) in outcomes {
            if let Outcome::Page(page, language) = outcome {
                let shared = shared.get(language);
                let title = std::mem::take(&mut page.title);
                page.name(shared.map_or(&title, |shared| shared.own(&title)), language, met);
            }
        }
    });
}

fn read_page(
    file: &HtmlFile,
    most: u64,
    repeated: &Repeated,
    language: &Language,
    bytes: &mut Vec<u8>,
    met: &mut Met,
) -> Outcome {
    match read_file(&file.path, most, bytes) {
        Ok(true) => {}
        Ok(false) => return Outcome::Skipped(SkipReason::TooLarge),
        Err(error) => return Outcome::Unreadable(error),
    }
    let (read, marked) = read_html_by(bytes, MarkingReader::default(), MarkingReader::finish);
    let page = &read.page;
    if let Some(reason) = set_aside(&file.url, page) {
        return Outcome::Skipped(reason);
    }
    let language = Language::from_tag(&page.lang).unwrap_or_else(|| language.clone());
    let blocks = BlockText::of(page, repeated);
    let marked = MarkedText::of(marked, &blocks);
    match Page::of(&file.url, page, &blocks, &marked, &language, met) {
        Some(page) => Outcome::Page(Box::new(page), language),
        None => Outcome::Skipped(SkipReason::Empty),
    }
}
