//! Weights the terms of fields: titles, headings, first paragraphs, addresses, the texts of links
//! from other pages, and terms assigned by a file. A term's total weight is its *emphasis*.
//!
//! The weights of fields and their formula ([`fit`]) were fitted on questions to two sites.
//! Everything that depends on other pages is rounded to steps, and nothing is divided by a mean of
//! the site, so that an edited page changes the records of few others.

use std::collections::BTreeSet;

use pagekin_core::address;
use pagekin_core::fit::{DEFINED_CLASS, NAME_CLASS, ONE, emphasis_class};
use pagekin_core::shard::{MAX_TERMS_OF_PAGE, PageTerm};
use pagekin_core::terms::{Analyzer, Language, StopLists, TermKinds, TextTerm, Words, lower_case};
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::fields::Fields;
use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pages::site::links::Paths;
use pagekin_pages::site::names::only_word;
use pagekin_pages::site::term_counts::WeightedTerm;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::build::external::terms::TermsOfPages;
use crate::build::pages::vocabulary::WeightedPage;

/// The weight of a field, and its usual length if terms of longer fields count less.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Field {
    /// The emphasis that a term approaches with its frequency in the field.
    gain: f64,
    /// The usual number of terms.
    usual: Option<f64>,
}

/// The title of a page.
const TITLE: Field = Field { gain: 2.0, usual: Some(4.0) };
/// The first heading of a page, as far as it is unlike the title. A word of the title of a result
/// counts as much as any repetition in a text, and so does one of such a heading.
const FIRST_HEADING: Field = Field { gain: 11.0, usual: Some(4.0) };
/// The headings of a page. Any of many headings may be what somebody searches for: manuals define
/// all names on a page.
const HEADINGS: Field = Field { gain: 1.2, usual: None };
/// The headings of one word. A name counts equally, however often it is defined.
const NAMES: Field = Field { gain: 1.0, usual: None };
/// A term that more pages define, or that more files are called, is no name of any of them.
const MAX_DEFINERS: u32 = 3;
/// A term with a higher class of emphasis, mostly of the title, keeps it.
const MAX_CLASS_OF_DEFINED: u8 = 4;
/// The texts of links to the page.
const LINKS: Field = Field { gain: 2.0, usual: Some(12.0) };
/// The first paragraph.
const FIRST_PARAGRAPH: Field = Field { gain: 0.5, usual: None };
/// The path of the URL below the base URL.
const ADDRESS: Field = Field { gain: 0.5, usual: None };
/// The text that is not main text: comments, teasers, side notes. A term that only occurs there
/// counts less than any in the main text, so it gets the lowest class of emphasis, however frequent
/// it is.
const OTHER: Field = Field { gain: 0.2, usual: None };
/// The text in elements with a low weight: terms that count less than one occurrence. One that
/// counts as a whole occurrence would have the saturation of a page of mean length.
const LIGHT: Field = Field { gain: 5.0, usual: None };
/// The minimum emphasis of such a term, so that the page is found next to better ones.
const MIN_LIGHT: f64 = 0.3;
/// How slowly a field saturates: a normalized frequency of `K` gives half of the gain.
const K: f64 = 4.0;

impl Field {
    /// The emphasis of a term that occurs `tf` times in a field of `length` terms.
    fn emphasis(&self, tf: f64, length: f64) -> f64 {
        let norm = self.usual.map_or(1.0, |usual| 0.7 + 0.3 * length / usual);
        let z = tf / norm;
        self.gain * z / (z + K)
    }
}

/// The links between pages whose texts are known.
pub(crate) fn links<'a>(pages: impl Iterator<Item = &'a WeightedPage> + Clone) -> LinkGraph {
    let paths = Paths::new(pages.clone().map(|page| (0, page.url.as_str())));
    let targets =
        |page: &WeightedPage| page.links.iter().filter_map(|&to| paths.page(to)).collect();
    let listings: Vec<bool> = pages.clone().map(|page| page.listing).collect();
    LinkGraph::new(pages.map(targets).collect(), &listings)
}

/// What the emphases of a site's pages depend on, except for pages and links.
pub(crate) struct FieldContext<'a> {
    pub(crate) stop: &'a StopLists,
    pub(crate) base_url: &'a str,
    /// By index into the pages.
    pub(crate) given: TermsOfPages<'a>,
}

/// Sets the emphases of the pages' terms, and clears the fields, which are not needed any more.
pub(crate) fn assign(pages: &mut [WeightedPage], links: &LinkGraph, context: &FieldContext<'_>) {
    let called = called(pages, links);
    let names = NamesOfPages::new(pages, context);
    let numbered = pages.par_iter_mut().enumerate();
    numbered.zip(called).for_each(|((number, page), called)| {
        let mut emphases: FxHashMap<TermId, f64> = FxHashMap::default();
        let mut add = |field: &Field, terms: &[(TermId, f64)]| {
            let length: f64 = terms.iter().map(|&(_, tf)| tf).sum();
            for &(term, tf) in terms {
                *emphases.entry(term).or_default() += field.emphasis(tf, length);
            }
        };
        let fields = &page.fields;
        let address = of_address(page, context);
        let in_text = |terms: Vec<(TermId, f64)>| with_factors(terms, &fields.weighted);
        add(&TITLE, &counted(fields.title.clone()));
        add(&FIRST_HEADING, &in_text(counted(fields.first_heading.clone())));
        add(&HEADINGS, &in_text(counted(fields.headings.clone())));
        let mut headings = counted(fields.names.clone());
        headings.iter_mut().for_each(|(_, tf)| *tf = 1.0);
        add(&NAMES, &in_text(headings));
        let once = |&term: &TermId| (term, 1.0);
        add(&FIRST_PARAGRAPH, &in_text(counted(fields.first_paragraph.clone())));
        add(&ADDRESS, &counted(address));
        add(&LINKS, &called);
        add(&OTHER, &fields.other.iter().map(once).collect::<Vec<_>>());
        let is_in_text = |id| page.terms.binary_search_by_key(&id, |term| term.id).is_ok();
        for term in fields.weighted.iter().filter(|term| !is_in_text(term.id)) {
            let light = LIGHT.emphasis(term.frequency(), 1.0).max(MIN_LIGHT);
            *emphases.entry(term.id).or_default() += light;
        }
        for (term, weight) in given(page, number, context) {
            *emphases.entry(term).or_default() += weight;
        }
        let class = |emphasis: f64| emphasis_class((emphasis * f64::from(ONE)) as u32);
        for term in &mut page.terms {
            term.emphasis = emphases.remove(&term.id).map_or(0, class);
        }
        let mut others: Vec<_> = emphases.into_iter().collect();
        others.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        others.truncate(MAX_TERMS_OF_PAGE - page.terms.len());
        let outside = |(id, emphasis)| PageTerm::outside(id, class(emphasis));
        page.terms.extend(others.into_iter().map(outside).filter(|term| term.emphasis > 0));
        for term in &mut page.terms {
            term.emphasis = names.class(number, fields, term);
        }
        page.terms.sort_unstable();
        page.fields = Default::default();
        page.link_terms = Vec::new();
    });
}

/// What the pages are called, and what they define.
struct NamesOfPages {
    /// The name of each page's file, and the number of files with each name.
    files: Vec<Option<TermId>>,
    of_files: FxHashMap<TermId, u32>,
    /// The number of pages that define each term.
    definers: FxHashMap<TermId, u32>,
}

impl NamesOfPages {
    fn new(pages: &[WeightedPage], context: &FieldContext<'_>) -> Self {
        let mut definers: FxHashMap<TermId, u32> = FxHashMap::default();
        for &term in pages.iter().flat_map(|page| &page.fields.definitions) {
            *definers.entry(term).or_default() += 1;
        }
        let files: Vec<_> = pages.par_iter().map(|page| file_name(page, context)).collect();
        let mut of_files: FxHashMap<TermId, u32> = FxHashMap::default();
        for &term in files.iter().flatten() {
            *of_files.entry(term).or_default() += 1;
        }
        Self { files, of_files, definers }
    }

    /// Returns the class of a term of a page: that of names or of definitions, or its own.
    fn class(&self, page: usize, fields: &Fields, term: &PageTerm) -> u8 {
        let is_file = self.files[page] == Some(term.id) && self.of_files[&term.id] <= MAX_DEFINERS;
        if is_file || fields.name == Some(term.id) {
            return NAME_CLASS;
        }
        let is_defined = term.emphasis <= MAX_CLASS_OF_DEFINED
            && fields.definitions.binary_search(&term.id).is_ok()
            && self.definers[&term.id] <= MAX_DEFINERS;
        if is_defined { DEFINED_CLASS } else { term.emphasis }
    }
}

/// Counts terms.
fn counted(mut terms: Vec<TermId>) -> Vec<(TermId, f64)> {
    terms.sort_unstable();
    terms.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)).collect()
}

/// Multiplies frequencies in a field of the text by the factors of weights.
fn with_factors(mut terms: Vec<(TermId, f64)>, weighted: &[WeightedTerm]) -> Vec<(TermId, f64)> {
    if !weighted.is_empty() {
        for (id, tf) in &mut terms {
            if let Ok(at) = weighted.binary_search_by_key(id, |term| term.id) {
                *tf *= weighted[at].factor();
            }
        }
    }
    terms
}

/// The terms of a URL's path below the base URL.
fn of_address(page: &WeightedPage, context: &FieldContext<'_>) -> Vec<TermId> {
    address_terms(page, context).into_iter().map(|term| term.id).collect()
}

fn address_terms(page: &WeightedPage, context: &FieldContext<'_>) -> Vec<TextTerm> {
    let path = page.url.strip_prefix(context.base_url).unwrap_or(&page.url);
    let words = address::clean(address::path(path)).replace(['/', '.', '-'], " ");
    analyzer(page, context).counts(&Words::new(&words), TermKinds::Text)
}

/// The term of a page's file, or of the folder whose index it is, if its name is a single word.
fn file_name(page: &WeightedPage, context: &FieldContext<'_>) -> Option<TermId> {
    let path = page.url.strip_prefix(context.base_url).unwrap_or(&page.url);
    let path = address::clean(address::path(address::normal(path)));
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    only_word(name, &analyzer(page, context))
}

/// The terms of URLs and those that a file assigns, with their words in lower case; ascending.
pub(crate) fn words(
    pages: &[WeightedPage],
    context: &FieldContext<'_>,
) -> BTreeSet<(TermId, String)> {
    let of_page = |(number, page): (usize, &WeightedPage)| {
        let given = context.given.of(number).map(|(text, _)| text);
        let given = given
            .flat_map(|text| analyzer(page, context).counts(&Words::new(text), TermKinds::Names));
        let terms: Vec<TextTerm> = given.chain(address_terms(page, context)).collect();
        terms.into_iter().map(|term| (term.id, lower_case(&term.word).collect::<String>()))
    };
    pages.par_iter().enumerate().flat_map_iter(of_page).collect()
}

/// The terms that a file assigns to a page, with their weights. Of several texts with the same
/// term, the largest weight counts, so that word forms and repeated lines do not add up.
fn given(page: &WeightedPage, number: usize, context: &FieldContext<'_>) -> Vec<(TermId, f64)> {
    let analyzer = analyzer(page, context);
    let mut terms: Vec<(TermId, f64)> = Vec::new();
    for (text, weight) in context.given.of(number) {
        let of_text = analyzer.counts(&Words::new(text), TermKinds::Names);
        terms.extend(of_text.into_iter().map(|term| (term.id, weight)));
    }
    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    terms.dedup_by_key(|term| term.0);
    terms
}

/// An analyzer for the language of a page.
fn analyzer<'a>(page: &WeightedPage, context: &FieldContext<'a>) -> Analyzer<'a> {
    let undetermined = Language::undetermined();
    Analyzer::new(page.language.as_ref().unwrap_or(&undetermined), context.stop)
}

/// For each page, the terms of links to it, each with weight `log2(1 + n)` if `n` pages use it.
/// Links on nearly all pages do not count.
fn called(pages: &[WeightedPage], links: &LinkGraph) -> Vec<Vec<(TermId, f64)>> {
    let paths = Paths::new(pages.iter().map(|page| (0, page.url.as_str())));
    let of_page = |(from, page): (usize, &WeightedPage)| calls(from, page, &paths, links);
    let mut all: Vec<(u32, TermId)> = pages.par_iter().enumerate().flat_map_iter(of_page).collect();
    all.par_sort_unstable();
    let mut called = vec![Vec::new(); pages.len()];
    for run in all.chunk_by(|a, b| a == b) {
        let (page, term) = run[0];
        called[page as usize].push((term, libm::log2(1.0 + run.len() as f64)));
    }
    called
}

/// The pages that page `from` links to, with the terms of these links. Links on nearly all pages do
/// not count.
fn calls(from: usize, page: &WeightedPage, paths: &Paths, links: &LinkGraph) -> Vec<(u32, TermId)> {
    let says = |&to: &u32| to as usize != from && !links.is_everywhere(to);
    let call = |&(to, term): &(u64, TermId)| Some((paths.page(to).filter(says)?, term));
    page.link_terms.iter().filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::fit::EMPHASES;
    use pagekin_core::vocabulary::term_id;
    use pagekin_pages::site::links;

    fn term(word: &str) -> TermId {
        term_id(word)
    }

    fn page(url: &str, words: &[&str]) -> WeightedPage {
        let mut terms: Vec<_> =
            words.iter().map(|word| PageTerm::from_text(term(word), 0)).collect();
        terms.sort_unstable();
        let language = Some(Language::undetermined());
        WeightedPage { url: url.to_owned(), language, terms, ..WeightedPage::default() }
    }

    /// A page with links to URLs, each with a word as its text.
    fn linking(url: &str, links: &[(&str, &str)]) -> WeightedPage {
        let hash = |url: &str| links::hash_of(0, url);
        let mut page = page(url, &["text"]);
        page.links = links.iter().map(|&(url, _)| hash(url)).collect();
        page.link_terms = links.iter().map(|&(url, word)| (hash(url), term(word))).collect();
        page
    }

    fn with_emphases(mut pages: Vec<WeightedPage>) -> Vec<WeightedPage> {
        let graph = super::links(pages.iter());
        let (stop, given) = (&StopLists::default(), TermsOfPages::default());
        assign(&mut pages, &graph, &FieldContext { stop, base_url: "", given });
        pages
    }

    fn emphasis(page: &WeightedPage, word: &str) -> Option<(u32, bool)> {
        let at = page.terms.binary_search_by_key(&term(word), |term| term.id).ok()?;
        let PageTerm { emphasis, is_outside, .. } = page.terms[at];
        Some((EMPHASES[usize::from(emphasis)], is_outside))
    }

    #[test]
    fn each_field_saturates() {
        // z = 2, so 2.0 * 2 / (2 + 4). In longer titles, each word counts less.
        let emphasis = |length| (1_000.0 * TITLE.emphasis(2.0, length)).round();
        assert_eq!([4.0, 8.0].map(emphasis), [667.0, 556.0]);
        assert_eq!((1_000.0 * ADDRESS.emphasis(1.0, 99.0)).round(), 100.0);
    }

    #[test]
    fn emphases_are_sums_over_fields_and_links() {
        let mut bread = page("/bake/loaf.html", &["rye", "loaf", "flour"]);
        bread.fields = Fields {
            title: vec![term("rye"), term("bread")],
            headings: vec![term("flour"), term("flour")],
            names: vec![term("flour"), term("flour")],
            first_paragraph: vec![term("rye")],
            ..Fields::default()
        };
        let links_to_loaf =
            |at: u32| linking(&format!("/{at}.html"), &[("/bake/loaf", "pumpernickel")]);
        let others =
            (0..3).map(links_to_loaf).chain((3..9).map(|at| page(&format!("/{at}"), &["text"])));
        let pages = with_emphases([bread].into_iter().chain(others).collect());
        let of = |word| emphasis(&pages[0], word);
        // 2 * 1.18 / 5.18 = 0.455, and 0.1 for the first paragraph.
        assert_eq!(of("rye"), Some((560, false)));
        assert_eq!(of("bread"), Some((560, true)), "the title has it, the text does not");
        // 1.2 * 2 / 6 = 0.4, and 0.2 as a name.
        assert_eq!(of("flour"), Some((560, false)));
        assert_eq!(
            (of("loaf"), of("bake")),
            (Some((2_300, false)), Some((130, true))),
            "its file, and its folder"
        );
        // Three pages: log2(4) = 2, and 2 * 2.67 / 6.67.
        assert_eq!(of("pumpernickel"), Some((850, true)));
        assert_eq!(emphasis(&pages[1], "text"), Some((0, false)));
        assert!(pages.iter().all(|page| page.terms.is_sorted() && page.link_terms.is_empty()));
    }

    #[test]
    fn a_first_heading_unlike_the_title_counts_as_much_as_repetition() {
        let mut tank = page("/", &["zebrafish", "tank"]);
        tank.fields.first_heading = vec![term("zebrafish")];
        tank.fields.headings = vec![term("zebrafish"), term("tank")];
        let pages = with_emphases(vec![tank]);
        assert_eq!(emphasis(&pages[0], "zebrafish"), Some((EMPHASES[6], false)));
        assert_eq!(emphasis(&pages[0], "tank"), Some((330, false)));
    }

    #[test]
    fn a_term_that_few_pages_define_has_the_class_of_definitions() {
        let defining = |url: &str, names: &[&str]| {
            let mut page = page(url, &["text"]);
            page.fields.definitions = names.iter().map(|name| term(name)).collect();
            page.fields.definitions.sort_unstable();
            page
        };
        let of = |pages: [(&str, &[&str]); 4]| {
            let mut pages = pages.map(|(url, names)| defining(url, names));
            pages[0].terms =
                [PageTerm::from_text(term("slug"), 2), PageTerm::from_text(term("save"), 2)].into();
            pages[0].terms.sort_unstable();
            pages[1].fields.first_heading = vec![term("text")];
            let pages = with_emphases(pages.into());
            let class = |page: &WeightedPage, word| {
                page.terms.iter().find(|one| one.id == term(word)).unwrap().emphasis
            };
            [class(&pages[0], "slug"), class(&pages[0], "save"), class(&pages[1], "text")]
        };
        let both: &[&str] = &["slug", "save"];
        assert_eq!(
            of([("/a", both), ("/b", &["save", "text"]), ("/c", &["save"]), ("/d", &[])]),
            [8, 8, 6]
        );
        assert_eq!(
            of([("/a", both), ("/b", &["save"]), ("/c", &["save"]), ("/d", &["save"])]),
            [8, 0, 6]
        );
    }

    #[test]
    fn the_term_that_names_a_page_has_the_class_of_names() {
        let mut settings = page("/", &["setting", "debug"]);
        settings.fields.title = vec![term("setting")];
        settings.fields.name = Some(term("setting"));
        let pages = with_emphases(vec![settings]);
        let named = pages[0].terms.iter().filter(|term| term.is_name());
        assert_eq!(named.map(|term| term.id).collect::<Vec<_>>(), [term("setting")]);
        assert_eq!(emphasis(&pages[0], "setting"), Some((EMPHASES[7], false)));
    }

    #[test]
    fn weights_change_emphases() {
        let weighted = |word: &str, tf, weight| WeightedTerm { id: term(word), tf, weight };
        let emphases = |weighted: &[WeightedTerm]| {
            let mut bread = page("/", &["rye"]);
            bread.terms.retain(|_| weighted.iter().all(|term| term.weight >= 100));
            bread.fields.headings = vec![term("rye"), term("rye")];
            bread.fields.weighted = weighted.to_vec();
            emphasis(&with_emphases(vec![bread])[0], "rye")
        };
        // 1.2 * 2 / 6 = 0.4; with z = 20, 1.2 * 20 / 24 = 1.
        assert_eq!(emphases(&[]), Some((330, false)));
        assert_eq!(emphases(&[weighted("rye", 2, 2_000)]), Some((850, false)));
        // 5 * 0.5 / 4.5 = 0.56, and with z = 0.5, 0.13.
        assert_eq!(emphases(&[weighted("rye", 2, 50)]), Some((560, true)));
        assert_eq!(emphases(&[weighted("rye", 2, 0)]), Some((330, true)));
    }

    #[test]
    fn external_terms_are_added_to_emphases() {
        let mut pages = vec![page("/a", &["rye", "bread"])];
        pages[0].language = Some(Language::english());
        pages[0].fields.first_paragraph = vec![term("rye")];
        let bag = pages[0].bag.clone();
        let lines = [("rye", 0.3), ("loafs", 0.5), ("loaf", 0.8), ("sour dough", 9.0)];
        let given = TermsOfPages::new(&lines.map(|(term, weight)| (0, term, weight)));
        let graph = super::links(pages.iter());
        assign(
            &mut pages,
            &graph,
            &FieldContext { stop: &StopLists::default(), base_url: "", given },
        );
        let of = |word| emphasis(&pages[0], word);
        // 0.1 for the first paragraph, and 0.3.
        assert_eq!(of("rye"), Some((330, false)));
        assert_eq!(of("bread"), Some((0, false)));
        assert_eq!(of("loaf"), Some((850, true)), "the heavier of two forms");
        assert_eq!([of("sour"), of("dough")], [Some((1_900, true)); 2]);
        assert_eq!(pages[0].bag, bag);
    }

    #[test]
    fn links_on_all_pages_and_links_to_the_page_itself_do_not_count() {
        let to_home = |at: u32| linking(&format!("/{at}.html"), &[("/home", "start")]);
        let own = linking("/home", &[("/home", "welcome")]);
        let pages = with_emphases((0..4).map(to_home).chain([own]).collect());
        assert_eq!([emphasis(&pages[4], "start"), emphasis(&pages[4], "welcome")], [None, None]);
    }
}
