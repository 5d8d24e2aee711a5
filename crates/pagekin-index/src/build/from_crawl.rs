//! The folder of a crawl into the pages of a static index: URLs become pages with the bags they
//! have, and terms the vocabulary that a visitor's text is weighed by.
//!
//! An index has shorter ids than a crawl, so that some rare words become one.
//!
//! A term weighs what it weighed when the bags were made, by the same frequencies and limits. But a
//! browser fetches the vocabulary first, so it may be bounded: then only the commonest terms are in
//! it, and for a visitor's text the rarer ones share one weight, as in
//! [vocabulary](mod@vocabulary).

use std::collections::hash_map::Entry;
use std::fs;
use std::path::Path;
use std::time::Instant;

use pagekin_core::address;
use pagekin_core::bag::{Bag, BagRules, Frequency};
use pagekin_core::shard::WordShard;
use pagekin_core::terms::{Analyzer, Language, StopLists, Words, of_script};
use pagekin_core::vocabulary::{TermId, Vocabulary};
use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError, CrawledTerm, CrawledUrl, Description};
use pagekin_pages::progress::check;
use pagekin_pages::site::read::{Lexicon, LexiconTerm};
use pagekin_pages::site::word_ids::index_term;
use pagekin_pages::site::{languages, normal_url};
use pagekin_pages::{FileError, Observer, Stage};
use rustc_hash::{FxHashMap, FxHashSet};
use url::{Position, Url};

use crate::build::error::BuildError;
use crate::build::layout::previous;
use crate::build::options;
use crate::build::options::{Assets, BuildOptions};
use crate::build::pages::vocabulary;
use crate::build::pages::vocabulary::{VocabularyRules, WeightedPage};
use crate::build::pages::weigh::{WeightedSite, vocabulary_rules};
use crate::build::stages;
use crate::build::stages::InputCounts;
use crate::build::summary::Summary;
use crate::build::work;
use crate::build::work::Work;

/// Builds the index of a clustered crawl: of all URLs with a bag, whether they were crawled or only
/// linked to. No page is read again; bags are used as they are.
///
/// So the rules of bags, the seed, the language and the document frequencies are those of the
/// crawl, whatever `options` says. The base URL is the origin that all URLs share, or empty if they
/// share none: URLs are then absolute. Folders without a base URL are below `/`. An index in
/// `options.previous` gives pages their places, but not terms their weights.
///
/// # Errors
///
/// A [`BuildError`]; the earlier output is unchanged in every case.
pub fn build_crawl(
    options: &BuildOptions,
    assets: &Assets<'_>,
    observer: &dyn Observer,
) -> Result<Summary, BuildError> {
    work::run(options, || {
        options::check_without_texts(options)?;
        let start = Instant::now();
        let mut crawl = CrawlFolder::open(&options.site)?;
        crawl.of_pages()?;
        apart(&options.output, &options.site)?;
        let staging = work::begin_output(options)?;
        let Description { seed, spoken_of, urls, .. } = *crawl.description();
        let mut options = BuildOptions { seed, ..options.clone() };
        let rules = vocabulary_rules(spoken_of);
        let crawled = as_pages(&mut crawl, rules, options.tree, observer)?;
        options.reading.base_url = crawled.base_url;
        let addresses = crawled.weighted.pages.iter().map(|page| page.url.as_str());
        let previous = previous::followed(&options, crawled.weighted.params, addresses, observer);
        let inputs =
            InputCounts { count: u64::from(urls), bytes: crawl.url_bytes(), without_body: 0 };
        let mut work = Work { start, ..Work::begin(&options, assets, observer)? };
        work.skipped.came_in(inputs.count);
        stages::store(work, crawled.weighted, inputs, previous, staging)
    })
}

/// Refuses an output that holds a crawl or is in it: clustering anew would replace it, or it the
/// crawl.
fn apart(output: &Path, crawl: &Path) -> Result<(), BuildError> {
    let place = std::path::absolute(output).map_err(FileError::io("write to", output))?;
    let crawl = fs::canonicalize(crawl).map_err(FileError::io("read", crawl))?;
    // As much of it as there is.
    let known = place.ancestors().find_map(|part| fs::canonicalize(part).ok());
    let lies_in = known.is_some_and(|known| known.starts_with(&crawl));
    let holds = fs::canonicalize(&place).is_ok_and(|place| crawl.starts_with(place));
    if lies_in || holds {
        return Err(BuildError::OutputAndCrawl { output: output.to_owned(), crawl });
    }
    Ok(())
}

/// A crawl as pages.
pub(crate) struct CrawlAsPages {
    pub(crate) weighted: WeightedSite,
    /// The origin that all URLs share, such as `https://example.org/`; empty if they share none,
    /// and `/` for a folder of which nobody told where it is published.
    pub(crate) base_url: String,
}

/// Reads the URLs and terms of a crawl; `rules` are for as many pages as something is said of, and
/// `with_words` asks for the words of terms.
pub(crate) fn as_pages(
    crawl: &mut CrawlFolder,
    rules: VocabularyRules,
    with_words: bool,
    observer: &dyn Observer,
) -> Result<CrawlAsPages, BuildError> {
    let params = crawl.params()?;
    observer.stage(Stage::Reading, u64::from(crawl.description().urls));
    let languages = languages(crawl.description());
    let titles = Titles::new(&languages);
    let (vocabulary, shown) = vocabulary(crawl, rules)?;
    let known: FxHashSet<TermId> =
        crawl.terms()?.into_iter().map(|(word, _)| index_term(word)).collect();
    let counts = |term| known.contains(&term) && vocabulary.weight(term) > 0;
    let mut pages = Vec::new();
    let mut base_url: Option<String> = None;
    for url in crawl.urls()? {
        let url = url?;
        let origin = origin_of(&url.url).filter(|_| address::is_of_index(&url.url, "", true));
        let origin = origin.ok_or_else(|| crawl.damaged_urls(ADDRESSES))?;
        match &mut base_url {
            Some(shared) if shared != origin => shared.clear(),
            Some(_) => {}
            None => base_url = Some(origin.to_owned()),
        }
        let page = page(url, &params.bag, counts, &titles);
        pages.push(page.ok_or_else(|| crawl.damaged_urls(BAGS))?);
        observer.advance(1);
        check(observer)?;
    }
    let origin = base_url.ok_or_else(|| crawl.damaged_urls("at least one URL"))?;
    // That host was made up: addresses are those of a site that is published anywhere.
    let anywhere = origin == normal_url::LOCALHOST;
    let base_url = if anywhere { "/".to_owned() } else { origin };
    if anywhere {
        pages.iter_mut().for_each(|page| drop(page.url.drain(..normal_url::LOCALHOST.len() - 1)));
    }
    let mut words = FxHashMap::default();
    if with_words {
        let named = crawl.words()?.into_iter();
        words = named.map(|(word, written)| (index_term(word), written)).collect();
    }
    let centers = Some(crawl.centers()?);
    let weighted = WeightedSite {
        vocabulary,
        shown,
        languages,
        pages,
        texts: false,
        params,
        words,
        centers,
        completions: Vec::new(),
    };
    Ok(CrawlAsPages { weighted, base_url })
}

const ADDRESSES: &str = "http and https addresses in their normal form";
const BAGS: &str =
    "in each bag at least one term, and no more terms and copies than its preset has";

/// The origin of an address with a slash behind it; `None` if it is none that a crawl has.
/// Addresses become links: what is no address of a page must not.
fn origin_of(address: &str) -> Option<&str> {
    let normal = normal_url::normal(address).filter(|normal| normal == address);
    let end = Url::parse(&normal?).ok()?[..Position::BeforePath].len() + 1;
    address.get(..end)
}

/// What finds the terms of titles, as a browser finds those of the words that a page is looked for
/// by.
///
/// A title may have words that no bag has, as nearly all URLs have them, and they name it still.
struct Titles {
    /// The commonest first.
    languages: Vec<Language>,
    stop: StopLists,
}

impl Titles {
    /// Of pages in these languages.
    fn new(languages: &[(Language, u32)]) -> Self {
        let languages = languages::commonest_first(languages.iter().cloned());
        let languages: Vec<_> = languages.into_iter().map(|(language, _)| language).collect();
        Self { stop: languages::only(languages.iter().cloned()), languages }
    }

    /// Of a title, ascending.
    fn terms(&self, title: &str) -> Vec<TermId> {
        let words = Words::new(title);
        let among = of_script(&words, &self.languages);
        let undetermined = Language::undetermined();
        let guessed = self.stop.guess(&words, among.iter().copied()).or(among.first().copied());
        let terms =
            Analyzer::new(guessed.unwrap_or(&undetermined), &self.stop).counts(&words, false);
        terms.into_iter().map(|term| term.id).collect()
    }
}

/// A URL as a page; `None` if its bag is none of these rules.
///
/// What does not count in an index, as no other page has it or too many do, is not in the page's
/// bag, and the copies of the rest sum to as many as without it.
fn page(
    url: CrawledUrl,
    rules: &BagRules,
    counts: impl Fn(TermId) -> bool,
    titles: &Titles,
) -> Option<WeightedPage> {
    let CrawledUrl { url, title, bag, .. } = url;
    let mut terms: Vec<(TermId, u16)> = Bag::from_sorted(bag).ok()?.entries().to_vec();
    terms.iter_mut().for_each(|(word, _)| *word = index_term(*word));
    // Words that an index takes for one.
    terms.dedup_by(|other, kept| {
        let same = other.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(other.1);
        }
        same
    });
    let bag = Bag::from_sorted(terms).ok()?;
    let terms = bag.entries().len();
    // Rounding may add a copy to each term.
    let most = u64::from(rules.sum) + terms as u64;
    let copies: u64 = bag.entries().iter().map(|&(_, copies)| u64::from(copies)).sum();
    let sound = (1..=usize::from(rules.max_terms)).contains(&terms) && copies <= most;
    let kept: Vec<(TermId, u32)> = bag
        .entries()
        .iter()
        .filter(|entry| counts(entry.0))
        .map(|&(term, copies)| (term, u32::from(copies)))
        .collect();
    // A page of nothing else is still a page.
    let bag = match kept.len() {
        0 => bag,
        all if all == terms => bag,
        _ => Bag::weigh_by(&kept, |_| 1, &BagRules { frequency: Frequency::Linear, ..*rules }),
    };
    // Its text is not kept.
    sound.then(|| {
        let title_terms = titles.terms(&title);
        WeightedPage { url, title, bag, title_terms, ..WeightedPage::default() }
    })
}

/// The vocabulary of a crawl, and the words that its terms are shown as.
fn vocabulary(
    crawl: &CrawlFolder,
    rules: VocabularyRules,
) -> Result<(Vocabulary, WordShard), CrawlFolderError> {
    let urls = crawl.description().spoken_of;
    let mut lexicon = Lexicon::default();
    for (word, CrawledTerm { df, stem, word: written }) in crawl.terms()? {
        let term = LexiconTerm { stem, df, word: (written, u64::from(df)) };
        match lexicon.terms.entry(index_term(word)) {
            Entry::Vacant(place) => {
                place.insert(term);
            }
            Entry::Occupied(mut place) => {
                // Words that an index takes for one. How many URLs have both is not known.
                let known = place.get_mut();
                known.df = known.df.saturating_add(term.df).min(urls);
                known.stem = term.stem.min(std::mem::take(&mut known.stem));
                if term.word.1 > known.word.1 {
                    known.word = term.word;
                }
            }
        }
    }
    let vocabulary = vocabulary::vocabulary(&lexicon, urls, rules);
    let shown = vocabulary::shown(&lexicon, &vocabulary);
    Ok((vocabulary, shown))
}

/// Of a crawl of redirects only, the language they were taken for.
fn languages(description: &Description) -> Vec<(Language, u32)> {
    let language = |tag: &str, pages: u32| Some((Language::from_tag(tag)?, pages));
    let read = description.languages.iter();
    let mut languages: Vec<_> = read.filter_map(|(tag, pages)| language(tag, *pages)).collect();
    if languages.is_empty() {
        languages.extend(language(&description.lang, 0));
    }
    languages
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::Preset;
    use pagekin_core::vocabulary::{DfLimits, term_id};
    use pagekin_crawl::cluster::BagSource;
    use pagekin_crawl::folder::checksums::seal;
    use pagekin_crawl::folder::format::{CRAWL_VERSION, url_key};
    use pagekin_crawl::folder::write::{OfUrls, PairWriter, UrlWriter, finish};
    use pagekin_crawl::folder::{CrawlFolderError, StoredPair};
    use pagekin_pages::Silent;
    use pagekin_pages::site::word_ids::word_id;
    use std::fs;
    use tempfile::TempDir;

    /// Of a crawl with so many URLs and pairs.
    fn description(urls: u32, pairs: u64) -> Description {
        Description {
            version: CRAWL_VERSION,
            urls,
            pairs,
            stored_pairs: pairs,
            threshold: 200,
            bags: BagSource::Content,
            preset: Preset::Web,
            seed: u64::MAX,
            rules: Preset::Web.params(1).bag,
            spoken_of: urls + 1,
            lang: "en".to_owned(),
            languages: vec![("de".to_owned(), 4), ("en".to_owned(), 1)],
            signatures: false,
            in_links: false,
            strings: None,
        }
    }

    /// In the order of their ids.
    fn terms() -> Vec<CrawledTerm> {
        let term = |stem: &str| CrawledTerm { df: 2, stem: stem.into(), word: stem.into() };
        let mut terms: Vec<_> = ["rye", "wheat"].map(term).into();
        terms.sort_by_key(|term| word_id(&term.stem));
        terms
    }

    fn url(number: u32) -> String {
        format!("https://{number}.example/")
    }

    fn crawled(url: &str) -> CrawledUrl {
        let bag = terms().into_iter().zip([1, url.len() as u16]);
        let bag = bag.map(|(term, copies)| (word_id(&term.stem), copies)).collect();
        CrawledUrl { url: url.to_owned(), title: format!("Title of {url}"), fragments: 3, bag }
    }

    /// Five URLs, of which the first in their order is like the second, and the fourth is a twin of
    /// the first.
    fn crawl() -> (TempDir, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let mut urls: Vec<String> = (0..5).map(url).collect();
        urls.sort_by_key(|url| url_key(url));
        let mut writer = UrlWriter::create(folder.path()).unwrap();
        for url in &urls {
            writer.push(&crawled(url)).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), 5);
        let mut writer = PairWriter::create(folder.path(), 5).unwrap();
        let pair = |page, other, thousandths| StoredPair { page, other, thousandths };
        writer.push(&[pair(0, 1, 300), pair(1, 0, 300)]).unwrap();
        assert_eq!(writer.finish().unwrap(), 2);
        let description = Description { pairs: 3, ..description(5, 1) };
        let of_urls = OfUrls { centers: &[0, 0, 2, 0, 4], twins: &[0, 1, 2, 0, 4] };
        finish(folder.path(), &terms(), of_urls, &description).unwrap();
        (folder, urls)
    }

    fn as_pages(crawl: &mut CrawlFolder) -> Result<CrawlAsPages, BuildError> {
        let limits = DfLimits { min: 1, max_percent: 100.0, never_too_high: 0 };
        super::as_pages(
            crawl,
            VocabularyRules { limits, texts: 5, most: 1, key_df: 5 },
            false,
            &Silent,
        )
    }

    #[test]
    fn a_crawl_becomes_pages_with_a_vocabulary() {
        let (folder, urls) = crawl();
        let read = as_pages(&mut CrawlFolder::open(folder.path()).unwrap()).unwrap();
        assert_eq!(read.base_url, "", "they have no origin in common");
        let pages = &read.weighted.pages;
        for (page, url) in pages.iter().zip(&urls) {
            let bag = crawled(url).bag.into_iter().map(|(word, copies)| (index_term(word), copies));
            assert_eq!((&page.url, page.bag.entries()), (url, &bag.collect::<Vec<_>>()[..]));
        }
        assert_eq!(pages.len(), 5);
        let codes: Vec<_> =
            read.weighted.languages.iter().map(|(of, pages)| (of.code(), *pages)).collect();
        assert_eq!(codes, [("de", 4), ("en", 1)]);
        // 12 log2(6 / 2), of the only term that has a place and of all others.
        let vocabulary = &read.weighted.vocabulary;
        assert_eq!((vocabulary.len(), vocabulary.rare_weight()), (1, 19));
        assert_eq!(vocabulary.weight(term_id("rye")), 19);
    }

    #[test]
    fn any_flipped_byte_is_an_answer_or_an_error() {
        let (folder, urls) = crawl();
        let names =
            ["urls", "urls.index", "pairs", "pairs.index", "centers", "twins", "twins.groups"];
        for name in names.into_iter().chain(["terms"]) {
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            for at in 0..bytes.len() {
                for flip in [0xff, 0x01, 0x80] {
                    let mut flipped = bytes.clone();
                    flipped[at] ^= flip;
                    fs::write(&path, &flipped).unwrap();
                    let mut crawl = CrawlFolder::open(folder.path()).unwrap();
                    for (number, url) in (0..).zip(&urls) {
                        let _ = (crawl.url(number), crawl.number_of(url), crawl.related(number));
                    }
                    let _ = (crawl.centers(), crawl.words(), crawl.twin_groups());
                    let _ = crawl.each_pair(|_| Ok::<(), CrawlFolderError>(()));
                    let Ok(read) = as_pages(&mut crawl) else { continue };
                    // What comes out is whole: addresses by their keys, and bags that an index
                    // takes.
                    let addresses = read.weighted.pages.iter().map(|page| &page.url);
                    assert!(addresses.eq(&urls), "{name} {at}");
                    let bags = read.weighted.pages.iter().map(|page| page.bag.size());
                    assert!(bags.max() <= Some(402), "{name} {at}");
                }
            }
            fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn addresses_that_are_no_pages_are_refused() {
        for address in ["javascript:alert(1)", "https://x.example", "/a", "HTTPS://x.example/"] {
            let (folder, _) = crawl();
            let path = |name: &str| folder.path().join(name);
            fs::remove_file(path("urls")).unwrap();
            fs::remove_file(path("urls.index")).unwrap();
            let mut urls: Vec<String> = (1..5).map(url).collect();
            urls.push(address.to_owned());
            urls.sort_by_key(|url| url_key(url));
            let mut writer = UrlWriter::create(folder.path()).unwrap();
            for url in &urls {
                writer.push(&crawled(url)).unwrap();
            }
            writer.finish().unwrap();
            seal(folder.path()).unwrap();
            let error = as_pages(&mut CrawlFolder::open(folder.path()).unwrap()).err().unwrap();
            assert!(error.to_string().contains("http and https addresses"), "{error}");
        }
    }
}
