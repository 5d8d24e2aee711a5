//! Reads a folder as pages, with their words in one lexicon.

use std::path::Path;

use pagekin_core::terms::Language;
use pagekin_pages::site::blocks::{BlockText, Repeated};
use pagekin_pages::site::exclude::Exclude;
use pagekin_pages::site::files::SiteFiles;
use pagekin_pages::site::html::{ReadPage, read_selected};
use pagekin_pages::site::listing::HtmlFile;
use pagekin_pages::site::on_threads::in_order;
use pagekin_pages::site::reader::{
    FileReader, PageExtractor, PageOutcome, PageRead, SiteOutline, kept, read_files,
};
use pagekin_pages::site::skipped::SkippedFiles;
use pagekin_pages::site::{languages, repeated, shared_title};
use pagekin_pages::{Ledger, Observer, SiteError, SkipReason, Stage};
use rayon::prelude::*;

use crate::evaluate::error::EvaluateError;
use crate::evaluate::options::EvaluateOptions;
use crate::evaluate::pages::lexicon::{Lexicon, SeenWords, combine};
use crate::evaluate::pages::marked_text::{Marked, MarkedText, MarkingReader};
use crate::evaluate::pages::page::EvaluatedPage;

/// The pages of a site.
#[derive(Debug, Default)]
pub(crate) struct Site {
    /// Ordered by URL.
    pub(crate) pages: Vec<EvaluatedPage>,
    pub(crate) lexicon: Lexicon,
    pub(crate) html_files: u64,
    pub(crate) ledger: Ledger,
}

/// Reads the pages that a build would index.
pub(crate) fn read(
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<Site, EvaluateError> {
    observer.stage(Stage::Listing, 0);
    let EvaluateOptions { site, reading, .. } = options;
    let mut skipped = SkippedFiles::new(site);
    let mut exclude = Exclude::new(&reading.exclude)?;
    let output = Path::new("");
    let SiteFiles { files, html_files, mut unreadable } =
        SiteFiles::list(site, output, reading, &mut exclude, &mut skipped, observer)?;
    exclude.warn_of_unmatched(observer);
    let mut outline = SiteOutline::new(&files, reading.max_page_bytes);
    outline.selectors = reading.selectors()?;
    let repeated = if options.keep_repeated {
        Repeated::default()
    } else {
        repeated::find(&files, &outline, observer)?.0
    };
    observer.stage(Stage::Reading, files.len() as u64);
    let (read, lexicon) = read_all(&files, &outline, options, &repeated, observer)?;
    let pages = kept(&files, read, &mut skipped, &mut unreadable);
    let pages: Vec<EvaluatedPage> = pages.into_iter().map(|(page, _)| *page).collect();
    SiteError::check_readable(&unreadable)?;
    let ledger = skipped.finish(pages.len() as u64)?;
    if pages.is_empty() {
        let (path, found) = (options.site.clone(), ledger.list());
        return Err(SiteError::NoPages { path, files: html_files, found }.into());
    }
    Ok(Site { pages, lexicon, html_files, ledger })
}

/// A page and its language.
type WithLanguage = (Box<EvaluatedPage>, Language);

/// The files read by one thread.
type Reader<'a> = FileReader<WordExtractor<'a>>;

/// Reads files on the threads of the current pool. The result does not depend on how files are
/// distributed.
fn read_all(
    files: &[HtmlFile],
    site: &SiteOutline,
    options: &EvaluateOptions,
    repeated: &Repeated,
    observer: &dyn Observer,
) -> Result<(Vec<PageRead<WithLanguage>>, Lexicon), EvaluateError> {
    let language = &languages::named(&options.lang)?;
    let extractor = || WordExtractor { seen: SeenWords::default(), repeated, language };
    let mut readers = read_files(files, site, extractor, observer)?;
    skip_unmarked(&mut readers);
    set_titles(&mut readers, options.keep_title_suffix);
    let seen: Vec<SeenWords> =
        readers.iter_mut().map(|reader| std::mem::take(&mut reader.state.seen)).collect();
    let (lexicon, numbers) = combine(&seen);
    for (reader, numbers) in readers.iter_mut().zip(&numbers) {
        reader.done.par_iter_mut().for_each(|(_, read)| {
            if let PageOutcome::Page((page, _)) = &mut read.outcome {
                page.renumber(numbers);
            }
        });
    }
    Ok((in_order(readers).1, lexicon))
}

/// Skips pages without a marked main text if any page has one, as in a build.
fn skip_unmarked(readers: &mut [Reader<'_>]) {
    let marks = |read: &PageRead<WithLanguage>, marked: bool| matches!(&read.outcome, PageOutcome::Page((page, _)) if page.marked == marked);
    let mut all = readers.iter().flat_map(|reader| &reader.done);
    if all.any(|(_, read)| marks(read, true)) {
        for (_, read) in readers.iter_mut().flat_map(|reader| &mut reader.done) {
            if marks(read, false) {
                read.outcome = PageOutcome::Skipped(SkipReason::Unmarked);
            }
        }
    }
}

/// Sets the titles of pages, without the part that nearly all titles share unless titles are `kept`
/// as they are.
fn set_titles(readers: &mut [Reader<'_>], kept: bool) {
    let all = readers.iter().flat_map(|reader| &reader.done);
    let titles = all.filter_map(|(_, read)| match &read.outcome {
        PageOutcome::Page((page, language)) => Some((language, page.title.as_str())),
        PageOutcome::Skipped(_) | PageOutcome::Unreadable(_) => None,
    });
    let shared = shared_title::by_language(titles.filter(|_| !kept));
    readers.par_iter_mut().for_each(|Reader { state, done }| {
        for (_, read) in done {
            if let PageOutcome::Page((page, language)) = &mut read.outcome {
                let shared = shared.get(language);
                let title = std::mem::take(&mut page.title);
                let own = shared.map_or(&*title, |shared| shared.own(&title));
                page.name(own, language, &mut state.seen);
            }
        }
    });
}

/// Extracts the words of pages in order, and collects those seen by a thread.
struct WordExtractor<'a> {
    seen: SeenWords,
    repeated: &'a Repeated,
    /// The language of pages that do not declare one.
    language: &'a Language,
}

impl PageExtractor for WordExtractor<'_> {
    type Around = Marked;
    type Kept = WithLanguage;

    fn parse(
        &mut self,
        _: &HtmlFile,
        bytes: &[u8],
        site: &SiteOutline,
    ) -> (ReadPage, Self::Around) {
        let reader = MarkingReader::default();
        read_selected(bytes, &site.selectors, reader, MarkingReader::finish)
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        marked: Self::Around,
    ) -> Result<WithLanguage, SkipReason> {
        let page = &read.page;
        let language = Language::from_tag(&page.lang).unwrap_or_else(|| self.language.clone());
        let blocks = BlockText::new(page, self.repeated);
        let marked = MarkedText::new(marked, &blocks);
        let page = EvaluatedPage::new(&file.url, page, &blocks, &marked, &language, &mut self.seen);
        Ok((Box::new(page.ok_or(SkipReason::Empty)?), language))
    }
}
