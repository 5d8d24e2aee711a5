//! Reads the inputs of a build, files or the pages of a source, into parsed pages: their terms are
//! counted but not yet weighted.
//!
//! Each thread has its own lexicon. These are then merged, so the result does not depend on the
//! threads. Texts are not kept: a parsed page contains the ids of its terms.

use std::io;
use std::path::PathBuf;

use pagekin_core::address;
use pagekin_core::near::identity::Identity;
use pagekin_core::near::shingles::Shingler;
use pagekin_core::near::sketch::Sketch;
use pagekin_core::terms::{Analyzer, Language, StopLists, TermKinds, Words, lower_case};
use pagekin_core::vocabulary::TermId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ledger::SkipReason;
use crate::progress::{Interrupted, Observer};
use crate::site::blocks::{BlockReader, BlockText, PageSurroundings, Repeated};
use crate::site::fields::Fields;
use crate::site::html::{ReadPage, read_selected};
use crate::site::languages::Undeclared;
use crate::site::links::{Pointing, own_url};
use crate::site::listing::HtmlFile;
use crate::site::markup::{self, SiteRemarks};
use crate::site::metadata::PageValues;
use crate::site::names::{defined_names, is_name, name_of_page};
use crate::site::on_threads::{in_order, on_threads};
use crate::site::own_related::{NamedPage, named};
use crate::site::own_scripts::{UnwrittenScripts, UnwrittenUses};
use crate::site::reader::{
    PageExtractor, PageOutcome, PageRead, ParsedFiles, SiteOutline, keep_page, read_page,
};
use crate::site::shared_title::{self, MAX_HEADINGS, PageNames, SettledTitles};
use crate::site::source::PageSource;
use crate::site::term_counts::{
    Counter, WeightedTerm, counted_words, keep_first, most_frequent_words,
};
use crate::site::{alternates, bounds};

pub use crate::site::reader::read_file;

/// The number of values of a sketch. The standard error of an estimated share is then at most 1/16.
pub const SKETCH_VALUES: u16 = 64;

/// Maximum number of bytes of a heading that can serve as a title.
const MAX_NAME_BYTES: usize = 256;

/// A page before its terms are weighted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedPage {
    pub url: String,
    pub title: String,
    /// Its first headings, which may replace its title if other pages have the same one.
    pub first_headings: Vec<Box<str>>,
    pub language: Language,
    /// Whether it has no text, so that its title is its text.
    pub is_title_alone: bool,
    /// Whether an element is marked as the body.
    pub marked: bool,
    /// Whether an element marks its body, as `main` does. Pages of a source are all body.
    pub has_body: bool,
    /// Whether the page is a listing: see [`BlockText::is_listing`].
    pub listing: bool,
    /// Whether the page is a file of source code: see `PageSurroundings::is_source_file`.
    pub is_source_file: bool,
    /// Hashes of the paths that it may be a list of teasers of: see `BlockText::teasers`.
    pub teased: Vec<u64>,
    /// The hashes of the target paths of the links in its text, ascending.
    pub links: Vec<u64>,
    /// The related pages that the page lists itself, if any.
    pub own_related: Option<Vec<NamedPage>>,
    /// The hashes of the URLs of its translations: see [`alternates::hashes`].
    pub alternates: Vec<u64>,
    /// Its terms with their frequencies, ascending.
    pub terms: Vec<(TermId, u32)>,
    /// The terms of its headings, ascending. The terms of its title are added once it is known what
    /// all titles share.
    pub title_terms: Vec<TermId>,
    /// Its fields that count more or less than its text.
    pub fields: Fields,
    /// The terms of the texts of its links, with the hashes of the target paths; ascending and
    /// distinct.
    pub link_terms: Vec<(u64, TermId)>,
    pub values: PageValues, // what it is filtered and sorted by
    pub sketch: Sketch,     // of all its words
}

/// The inputs of a build, which any thread can read.
pub trait Inputs: Sync {
    fn count(&self) -> usize;
    /// Returns the name of an input for messages.
    fn name(&self, at: usize) -> PathBuf;
    fn read(&self, at: usize, drafter: &mut PageParser<'_>) -> PageRead<ParsedPage>;
}

/// The HTML files of a folder.
pub struct HtmlFiles<'a> {
    pub files: &'a [HtmlFile],
    pub site: &'a SiteOutline,
    /// The URL that page URLs start with.
    pub base_url: &'a str,
    /// Repeated blocks to remove.
    pub repeated: &'a Repeated,
    /// The files that a sample has parsed.
    pub parsed: &'a ParsedFiles,
    /// Scripts that pages may use but that will not be written.
    pub unwritten: &'a UnwrittenScripts,
}

/// The pages of a source.
pub struct SourcePages<'a> {
    pub source: &'a dyn PageSource,
    /// The prefix of their URLs.
    pub base_url: &'a str,
}

/// The parsed pages of a site.
#[derive(Debug, Default)]
pub struct ParsedSite {
    /// The pages, in the order of the inputs.
    pub drafts: Vec<ParsedPage>,
    pub skipped: Vec<(SkipReason, PathBuf)>,
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// The total size of the files or texts.
    pub bytes: u64,
    /// The number of blocks removed as repeated text.
    pub left_out: u64,
    pub lexicon: Lexicon,
    /// Pages read with replaced bytes, and pages read only in part, with the reason.
    pub malformed: Vec<PathBuf>,
    pub cut: Vec<(PathBuf, &'static str)>,
    /// The pages that use scripts that will not be written.
    pub unwritten: UnwrittenUses,
    /// The markup for search tools that has no effect, or not the expected one.
    pub remarks: SiteRemarks,
}

/// The terms of a site.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// The terms by id. If several stems share an id, the first one alphabetically represents them.
    pub terms: FxHashMap<TermId, LexiconTerm>,
    /// The words of terms that titles, links and other fields have but no text.
    pub of_fields: FxHashMap<TermId, Box<str>>,
}

/// One term of a [`Lexicon`].
#[derive(Debug)]
pub struct LexiconTerm {
    pub stem: Box<str>,
    /// The number of pages that contain it.
    pub df: u32,
    /// The most frequent word for the term, with its count; of equally frequent words the first
    /// alphabetically.
    pub word: (Box<str>, u64),
}

impl Lexicon {
    /// Merges the counters of several threads.
    fn new(mut counters: Vec<Counter<'_>>) -> Self {
        let mut lexicon = Self::default();
        for counter in &mut counters {
            for (id, word) in std::mem::take(&mut counter.of_fields) {
                keep_first(&mut lexicon.of_fields, id, &word);
            }
            for (id, (stem, df)) in std::mem::take(&mut counter.stems) {
                let term = lexicon.terms.entry(id).or_insert_with(|| LexiconTerm {
                    stem: stem.clone(),
                    df: 0,
                    word: (Box::default(), 0),
                });
                term.df += df;
                if stem < term.stem {
                    term.stem = stem;
                }
            }
        }
        for (term, word) in most_frequent_words(counted_words(counters)) {
            if let Some(term) = lexicon.terms.get_mut(&term) {
                term.word = word;
            }
        }
        let Self { terms, of_fields } = &mut lexicon;
        of_fields.retain(|id, _| !terms.contains_key(id));
        lexicon
    }

    /// Removes a page's terms from the counts.
    pub fn leave_out(&mut self, draft: &ParsedPage) {
        for (id, _) in &draft.terms {
            if let Some(term) = self.terms.get_mut(id) {
                term.df -= 1;
            }
        }
    }

    /// Returns the word to show for each term that occurs on at least two pages.
    pub fn into_words(self) -> FxHashMap<TermId, Box<str>> {
        let shared = self.terms.into_iter().filter(|(_, term)| term.df > 1);
        let word = |term: LexiconTerm| if term.word.0.is_empty() { term.stem } else { term.word.0 };
        shared.map(|(id, term)| (id, word(term))).collect()
    }
}

impl ParsedSite {
    /// Reduces titles to the part that distinguishes a page from the others of its language, by the
    /// rules of [`shared_title`], unless `kept`. Then adds the terms of titles to those of
    /// headings. `stop` contains the lists of all languages.
    pub fn settle_titles(&mut self, kept: bool, stop: &StopLists) -> SettledTitles {
        let mut settled = SettledTitles::default();
        if !kept {
            settled = self.remove_shared_titles();
        }
        let lexicon = &self.lexicon.terms;
        let new_words = self.drafts.par_iter_mut().flat_map_iter(|draft| {
            let analyzer = Analyzer::new(&draft.language, stop);
            let terms_of = |text: &str| analyzer.counts(&Words::new(text), TermKinds::Names);
            let terms = terms_of(&draft.title);
            draft.fields.title = terms.iter().map(|term| term.id).collect();
            let first_headings = std::mem::take(&mut draft.first_headings);
            let heading = first_headings.first().map_or("", |heading| heading);
            draft.fields.name = name_of_page(&draft.title, heading, &analyzer);
            let first = terms_of(heading).into_iter();
            draft.fields.first_heading = first.map(|term| term.id).collect();
            draft.fields.first_heading.retain(|id| !draft.fields.title.contains(id));
            draft.title_terms.extend(&draft.fields.title);
            draft.title_terms.sort_unstable();
            draft.title_terms.dedup();
            let new = terms.into_iter().filter(|term| !lexicon.contains_key(&term.id));
            new.map(|term| (term.id, lower_case(&term.word).collect()))
        });
        // The first word alphabetically counts, whichever thread was first.
        let new_words: Vec<(TermId, String)> = new_words.collect();
        for (id, word) in new_words {
            keep_first(&mut self.lexicon.of_fields, id, &word);
        }
        self.reduce_titles_alone();
        settled
    }

    /// Leaves pages without text the terms of their reduced titles.
    fn reduce_titles_alone(&mut self) {
        for draft in self.drafts.iter_mut().filter(|draft| draft.is_title_alone) {
            let ParsedPage { terms, fields, .. } = draft;
            terms.retain(|(id, _)| {
                let is_own = fields.title.contains(id);
                if !is_own && let Some(term) = self.lexicon.terms.get_mut(id) {
                    term.df -= 1;
                }
                is_own
            });
        }
    }

    fn remove_shared_titles(&mut self) -> SettledTitles {
        let titles = self.drafts.iter().map(|draft| (&draft.language, draft.title.as_str()));
        let shared = shared_title::by_language(titles);
        for draft in &mut self.drafts {
            if let Some(shared) = shared.get(&draft.language) {
                draft.title = shared.own(&draft.title).to_owned();
            }
        }
        let names = self.drafts.iter().map(|draft| PageNames {
            language: &draft.language,
            title: &draft.title,
            headings: &draft.first_headings,
        });
        let names: Vec<_> = names.collect();
        let instead = shared_title::headings_instead(&names);
        let instead: Vec<_> =
            instead.into_iter().map(|heading| heading.map(str::to_owned)).collect();
        let mut by_heading = 0;
        for (draft, heading) in self.drafts.iter_mut().zip(instead) {
            if let Some(heading) = heading {
                draft.title = heading;
                by_heading += 1;
            }
        }
        SettledTitles { shared, by_heading }
    }

    /// Skips pages without text whose title other such pages have, too: they are not named by it. A
    /// script may write their text.
    fn leave_out_shells(&mut self) {
        let mut titles: FxHashMap<String, u32> = FxHashMap::default();
        for draft in self.drafts.iter().filter(|draft| draft.is_title_alone) {
            *titles.entry(draft.title.clone()).or_default() += 1;
        }
        let is_shell = |draft: &ParsedPage| draft.is_title_alone && titles[&draft.title] > 1;
        let shells = self.retain(|draft| !is_shell(draft)).into_iter();
        self.skipped.extend(shells.map(|url| (SkipReason::Empty, PathBuf::from(url))));
    }

    /// Removes the pages that `keep` rejects, and their terms from the lexicon. Returns their URLs.
    pub fn retain(&mut self, mut keep: impl FnMut(&ParsedPage) -> bool) -> Vec<String> {
        let mut left_out = Vec::new();
        self.drafts.retain(|draft| {
            let kept = keep(draft);
            if !kept {
                left_out.push(draft.url.clone());
                self.lexicon.leave_out(draft);
            }
            kept
        });
        left_out
    }
}

/// Reads `inputs` on the threads of the current pool. `undeclared` is the language of pages that
/// declare none; `stop` contains the lists of all languages.
pub fn read(
    inputs: &dyn Inputs,
    undeclared: &Undeclared,
    stop: &StopLists,
    observer: &dyn Observer,
) -> Result<ParsedSite, Interrupted> {
    let drafter = || PageParser::new(undeclared, stop);
    let one = |drafter: &mut PageParser<'_>, at: usize| inputs.read(at, drafter);
    let (mut drafters, read) = in_order(on_threads(inputs.count(), drafter, one, observer)?);
    let mut reading = ParsedSite::default();
    for (at, read) in read.into_iter().enumerate() {
        let path = || inputs.name(at);
        reading.bytes += read.bytes;
        if read.malformed {
            reading.malformed.push(path());
        }
        reading.cut.extend(read.cut.map(|why| (path(), why)));
        match read.outcome {
            PageOutcome::Page(draft) => reading.drafts.push(draft),
            PageOutcome::Skipped(reason) => reading.skipped.push((reason, path())),
            PageOutcome::Unreadable(error) => reading.unreadable.push((path(), error)),
        }
    }
    reading.malformed.sort();
    reading.cut.sort();
    for drafter in &mut drafters {
        reading.unwritten.extend(std::mem::take(&mut drafter.unwritten));
        reading.remarks.extend(std::mem::take(&mut drafter.remarks));
    }
    reading.left_out = drafters.iter().map(|drafter| drafter.left_out).sum();
    reading.lexicon = Lexicon::new(drafters.into_iter().map(|drafter| drafter.counter).collect());
    reading.leave_out_shells();
    Ok(reading)
}

/// The texts of a page; `lang` is its language tag.
#[derive(Clone, Copy, Default)]
struct TextOfPage<'a> {
    title: &'a str,
    headings: &'a str,
    definitions: &'a str,
    first_paragraph: &'a str,
    lang: &'a str,
    text: &'a str,
    /// The text of the page that is not main text.
    other: &'a str,
    /// The words of its metadata.
    metadata: &'a str,
}

/// Parses the pages that one thread reads, and counts their words.
pub struct PageParser<'a> {
    undeclared: &'a Undeclared,
    stop: &'a StopLists,
    counter: Counter<'a>,
    left_out: u64,
    unwritten: UnwrittenUses,
    remarks: SiteRemarks,
    bytes: Vec<u8>,
    shingler: Shingler,
    tokens: Vec<u64>,
}

impl<'a> PageParser<'a> {
    fn new(undeclared: &'a Undeclared, stop: &'a StopLists) -> Self {
        Self {
            undeclared,
            stop,
            counter: Counter::new(stop),
            left_out: 0,
            unwritten: UnwrittenUses::default(),
            remarks: SiteRemarks::default(),
            bytes: Vec::new(),
            shingler: Shingler::default(),
            tokens: Vec::new(),
        }
    }

    /// Returns the language in which a page without a tag is read. Remarks on it if the text looks
    /// like another.
    fn assumed(&mut self, url: &str, text: &str) -> Language {
        let read = self.undeclared.language_of(text);
        if let Some(other) = self.undeclared.resembled(text, &read, self.stop) {
            let problem = "is read in another language. Declare it, or pass --lang to the build";
            self.remarks.add_one(url, format!("<html> without lang=\"{}\"", other.code()), problem);
        }
        read
    }

    /// Parses a page whose texts are known. Its other text is its text if it has no other words,
    /// and then its title, because it may show pictures.
    fn draft(&mut self, url: &str, page: TextOfPage<'_>) -> Result<ParsedPage, SkipReason> {
        for (text, other) in [(page.text, page.other), (page.other, "")] {
            if let Some(draft) = self.draft_of_text(url, TextOfPage { text, other, ..page }) {
                return Ok(draft);
            }
        }
        let page = TextOfPage { text: page.title, other: "", ..page };
        let draft = self.draft_of_text(url, page).ok_or(SkipReason::Empty)?;
        Ok(ParsedPage { is_title_alone: true, ..draft })
    }

    /// Parses a page whose text is known. Returns `None` if it has no words.
    fn draft_of_text(&mut self, url: &str, page: TextOfPage<'_>) -> Option<ParsedPage> {
        let TextOfPage { title, headings, definitions, first_paragraph, .. } = page;
        let TextOfPage { lang, text, other, metadata, .. } = page;
        let declared = self.undeclared.declared(lang);
        let language = declared.unwrap_or_else(|| self.assumed(url, text));
        self.tokens.clear();
        let each_token = |token| self.tokens.push(token);
        let terms = self.counter.count_all(&language, text, each_token);
        if terms.is_empty() {
            return None;
        }
        let shingles = self.shingler.set(&self.tokens);
        let sketch = Sketch::new(&shingles, SKETCH_VALUES, Identity::from_text(text));
        let mut fields = Fields::default();
        self.counter.terms_of(&language, headings, |term| fields.headings.push(term));
        self.counter.short_names_of(headings, |term| fields.headings.push(term));
        for line in headings.lines().filter(|line| is_name(line)) {
            self.counter.terms_of(&language, line, |term| fields.names.push(term));
        }
        for name in defined_names(headings, definitions) {
            // Without capitals, a name has no parts, and the last term is that of the whole.
            let mut last = None;
            self.counter.terms_of(&language, &name.to_lowercase(), |term| last = Some(term));
            fields.definitions.extend(last);
        }
        fields.definitions.sort_unstable();
        fields.definitions.dedup();
        let first_terms = &mut fields.first_paragraph;
        self.counter.terms_of(&language, first_paragraph, |term| first_terms.push(term));
        fields.other = self.other_terms(&language, [other, metadata], &terms);
        let first = headings.lines().filter(|line| !line.is_empty()).take(MAX_HEADINGS);
        let first = first.filter(|line| line.len() <= MAX_NAME_BYTES).map(Into::into);
        let mut title_terms = fields.headings.clone();
        title_terms.sort_unstable();
        title_terms.dedup();
        Some(ParsedPage {
            url: url.to_owned(),
            title: title.to_owned(),
            first_headings: first.collect(),
            language,
            is_title_alone: false,
            marked: false,
            has_body: true,
            listing: false,
            is_source_file: false,
            teased: Vec::new(),
            links: Vec::new(),
            own_related: None,
            alternates: Vec::new(),
            terms,
            title_terms,
            fields,
            link_terms: Vec::new(),
            values: PageValues::default(),
            sketch,
        })
    }

    /// Returns the terms of `texts` that are not in `main`, ascending.
    fn other_terms(
        &mut self,
        language: &Language,
        texts: [&str; 2],
        main: &[(TermId, u32)],
    ) -> Vec<TermId> {
        let mut terms = Vec::new();
        for text in texts {
            self.counter.terms_of(language, text, |term| terms.push(term));
        }
        terms.sort_unstable();
        terms.dedup();
        terms.retain(|term| main.binary_search_by_key(term, |&(id, _)| id).is_err());
        terms.shrink_to_fit();
        terms
    }

    /// Returns the terms of parts of a page's text that have a weight.
    fn weighted<'t>(
        &mut self,
        page: &ParsedPage,
        parts: impl Iterator<Item = (&'t str, u16)>,
    ) -> Vec<WeightedTerm> {
        let mut changes: FxHashMap<TermId, i64> = FxHashMap::default();
        for (text, weight) in parts {
            let change = i64::from(weight) - i64::from(markup::ONE);
            let each = |term| *changes.entry(term).or_default() += change;
            self.counter.terms_of(&page.language, text, each);
        }
        let weighted = page.terms.iter().filter_map(|&(id, tf)| {
            let plain = i64::from(tf) * i64::from(markup::ONE);
            let weight = (plain + changes.get(&id)?).clamp(0, i64::from(u32::MAX)) as u32;
            Some(WeightedTerm { id, tf, weight })
        });
        weighted.collect()
    }

    /// Returns the URL that a page names as its own, if it is below the base URL.
    fn own_url(
        &mut self,
        file: &HtmlFile,
        base: Option<&str>,
        own: &str,
        base_url: &str,
    ) -> Option<String> {
        let url = own_url(&file.url, base, own, base_url);
        if url.is_none() {
            let problem = "is not below the base URL of the site, and has no effect";
            let markup = "the key url of data-pagefind-meta".to_owned();
            self.remarks.add_one(&file.url, markup, problem);
        }
        url
    }
}

/// Sorts values, and removes repetitions and spare capacity.
fn keep_distinct<T: Ord>(values: &mut Vec<T>) {
    values.sort_unstable();
    values.dedup();
    values.shrink_to_fit();
}

/// Parses HTML files, without repeated blocks.
struct ParsedPageExtractor<'a, 'b> {
    drafter: &'a mut PageParser<'b>,
    base_url: &'a str,
    repeated: &'a Repeated,
    unwritten: &'a UnwrittenScripts,
}

impl ParsedPageExtractor<'_, '_> {
    /// Notes what a file says about the site, whether it is a page or not.
    fn note(&mut self, file: &HtmlFile, read: &mut ReadPage, surroundings: &PageSurroundings) {
        let (base, has) = (surroundings.base.as_deref(), &surroundings.scripts);
        self.drafter.unwritten.add(&file.url, base, has, self.unwritten);
        self.drafter.remarks.add(&file.url, std::mem::take(&mut read.remarks));
    }
}

impl PageExtractor for ParsedPageExtractor<'_, '_> {
    type Around = PageSurroundings;
    type Kept = ParsedPage;

    fn parse(
        &mut self,
        file: &HtmlFile,
        bytes: &[u8],
        site: &SiteOutline,
    ) -> (ReadPage, PageSurroundings) {
        let reader = BlockReader::default();
        let (mut read, surroundings) =
            read_selected(bytes, &site.selectors, reader, BlockReader::finish);
        self.note(file, &mut read, &surroundings);
        (read, surroundings)
    }

    fn keep(
        &mut self,
        file: &HtmlFile,
        read: ReadPage,
        surroundings: PageSurroundings,
    ) -> Result<ParsedPage, SkipReason> {
        let page = read.page;
        let mut blocks = BlockText::new(&page, self.repeated);
        self.drafter.left_out += blocks.left_out;
        let mut other = std::mem::take(&mut blocks.other);
        if surroundings.marks_body {
            // It is in the body, so it is not frame: the site merely repeats it on many pages.
            other.push_str(&blocks.repeated);
        }
        let text = TextOfPage {
            title: &page.title,
            headings: &blocks.headings,
            definitions: &surroundings.definitions,
            first_paragraph: blocks.first_paragraph(),
            lang: &page.lang,
            text: &blocks.text,
            other: &other,
            metadata: &read.metadata.words,
        };
        let base = surroundings.base.as_deref();
        let own = read.metadata.url.as_deref();
        let own = own.and_then(|own| self.drafter.own_url(file, base, own, self.base_url));
        let url = own.as_deref().unwrap_or(&file.url);
        let mut draft = self.drafter.draft(url, text)?;
        draft.fields.weighted = self.drafter.weighted(&draft, blocks.weighted());
        let pointing = Pointing::from(&file.url, surroundings.base.as_deref());
        let own_related = surroundings.related.as_deref().map(|it| named(it, pointing.as_ref()));
        let alternates = alternates::hashes(&file.url, &surroundings.alternates, pointing.as_ref());
        // All pages belong to site 0.
        let (mut links, mut link_terms) = (Vec::new(), Vec::new());
        let mut teased = Vec::new();
        if let Some(pointing) = pointing {
            teased = pointing.to_each(0, blocks.teasers(&surroundings));
            pointing.each_to(0, blocks.links(&surroundings), |to, text| {
                links.push(to);
                let counter = &mut self.drafter.counter;
                counter.terms_of(&draft.language, text, |term| link_terms.push((to, term)));
            });
        }
        keep_distinct(&mut links);
        keep_distinct(&mut link_terms);
        Ok(ParsedPage {
            marked: page.marked,
            has_body: surroundings.marks_body,
            listing: blocks.is_listing(self.drafter.tokens.len()),
            is_source_file: surroundings.is_source_file(&blocks.text),
            teased,
            links,
            link_terms,
            own_related,
            alternates,
            values: read.metadata.values,
            ..draft
        })
    }
}

impl Inputs for HtmlFiles<'_> {
    fn count(&self) -> usize {
        self.files.len()
    }

    fn name(&self, at: usize) -> PathBuf {
        self.files[at].path.clone()
    }

    fn read(&self, at: usize, drafter: &mut PageParser<'_>) -> PageRead<ParsedPage> {
        let mut bytes = std::mem::take(&mut drafter.bytes);
        let keeper = &mut ParsedPageExtractor {
            drafter,
            base_url: self.base_url,
            repeated: self.repeated,
            unwritten: self.unwritten,
        };
        let file = &self.files[at];
        let read = match self.parsed.take(at) {
            Some(mut parsed) => {
                keeper.note(file, &mut parsed.read, &parsed.around);
                keep_page(file, self.site, parsed, keeper)
            }
            None => read_page(file, self.site, &mut bytes, keeper),
        };
        drafter.bytes = bytes;
        read
    }
}

impl Inputs for SourcePages<'_> {
    fn count(&self) -> usize {
        self.source.count() as usize
    }

    fn name(&self, at: usize) -> PathBuf {
        self.source.name(at as u64)
    }

    fn read(&self, at: usize, drafter: &mut PageParser<'_>) -> PageRead<ParsedPage> {
        let mut page = match self.source.page(at as u64) {
            Ok(page) => page,
            Err(error) => return PageOutcome::Unreadable(error).into(),
        };
        let url = address::normal(&page.url);
        if !address::is_of_index(url, self.base_url, false) {
            let base = self.base_url.trim_end_matches('/');
            let other = format!(
                "its URL is {url:?}, expected one that starts with {base}/ and has no control characters, \\, . or .. in its path"
            );
            return PageOutcome::Unreadable(io::Error::other(other)).into();
        }
        let bytes = page.text.len() as u64;
        let cut = bounds::cut_text(&mut page.text);
        let (title, lang, text) = (&page.title, &page.lang, &page.text);
        let text = TextOfPage { title, lang, text, ..TextOfPage::default() };
        let outcome = match drafter.draft(url, text) {
            Ok(draft) => PageOutcome::Page(draft),
            Err(reason) => PageOutcome::Skipped(reason),
        };
        PageRead { outcome, bytes, malformed: false, cut }
    }
}

#[cfg(test)]
mod tests;
