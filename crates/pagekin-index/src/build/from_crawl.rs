//! Builds an index from the folder of a crawl. URLs become pages with their bags, and terms become
//! the vocabulary that weights visitors' texts.
//!
//! Term ids are shorter in an index than in a crawl, so that a few rare words share an id.
//!
//! Terms have the same weights as in the bags, from the same frequencies and limits. But browsers
//! fetch the vocabulary before anything else, so its size may be limited: then it contains the most
//! common terms only, and the rarer terms of a visitor's text share a weight, as in
//! [vocabulary](mod@vocabulary).

use std::collections::hash_map::Entry;
use std::fs;
use std::path::Path;
use std::time::Instant;

use pagekin_core::address;
use pagekin_core::bag::{Bag, BagRules, Frequency};
use pagekin_core::shard::WordShard;
use pagekin_core::terms::{Analyzer, Language, StopLists, TermKinds, Words, languages_of_script};
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
use crate::build::pages::vocabulary::{Completions, VocabularyRules, WeightedPage};
use crate::build::pages::weigh::{WeightedSite, vocabulary_rules};
use crate::build::stages;
use crate::build::stages::InputCounts;
use crate::build::summary::Summary;
use crate::build::work;
use crate::build::work::Work;

/// Builds the index of a clustered crawl. It contains all URLs with a bag, both crawled and linked
/// ones. Pages are not read again; the bags are used as they are.
///
/// So the rules of bags, the seed, the language and the document frequencies are those of the
/// crawl; `options` cannot change them. The base URL is the origin shared by all URLs, or empty if
/// there are several; URLs are then absolute. URLs of folders without a base URL are below `/`. An
/// index in `options.previous` determines the places of pages, but not the weights of terms.
///
/// # Errors
///
/// Returns a [`BuildError`]. The earlier output is unchanged in every case.
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
        check_separate(&options.output, &options.site)?;
        let staging = work::begin_output(options)?;
        let Description { seed, mentioned, urls, .. } = *crawl.description();
        let mut options = BuildOptions { seed, ..options.clone() };
        let rules = vocabulary_rules(mentioned);
        let crawled = as_pages(&mut crawl, rules, options.tree, observer)?;
        options.reading.base_url = crawled.base_url;
        let page_urls = crawled.weighted.pages.iter().map(|page| page.url.as_str());
        let previous = previous::followed(&options, crawled.weighted.params, page_urls, observer);
        let inputs =
            InputCounts { count: u64::from(urls), bytes: crawl.url_bytes(), without_body: 0 };
        let mut work = Work { start, ..Work::begin(&options, assets, observer)? };
        work.skipped.came_in(inputs.count);
        stages::store(work, crawled.weighted, inputs, previous, staging)
    })
}

/// Refuses an output that contains the crawl or is inside it: publishing the output would replace
/// the crawl, and clustering again would replace the output.
fn check_separate(output: &Path, crawl: &Path) -> Result<(), BuildError> {
    let place = std::path::absolute(output).map_err(FileError::io("write to", output))?;
    let crawl = fs::canonicalize(crawl).map_err(FileError::io("read", crawl))?;
    // The deepest ancestor that exists.
    let known = place.ancestors().find_map(|part| fs::canonicalize(part).ok());
    let lies_in = known.is_some_and(|known| known.starts_with(&crawl));
    let holds = fs::canonicalize(&place).is_ok_and(|place| crawl.starts_with(place));
    if lies_in || holds {
        return Err(BuildError::OutputAndCrawl { output: output.to_owned(), crawl });
    }
    Ok(())
}

/// The pages of a crawl.
pub(crate) struct CrawlAsPages {
    pub(crate) weighted: WeightedSite,
    /// The origin shared by all URLs, such as `https://example.org/`. Empty if there are several,
    /// and `/` for a folder without a known URL.
    pub(crate) base_url: String,
}

/// Converts the URLs and terms of a crawl. `rules` are for the number of URLs that have text or are
/// linked to. The words of terms are only read `with_words`.
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
        let origin = origin.ok_or_else(|| crawl.damaged_urls(URLS))?;
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
    // That host is a placeholder: the site may be published anywhere.
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
        completions: Completions::default(),
    };
    Ok(CrawlAsPages { weighted, base_url })
}

const URLS: &str = "http and https URLs in their normal form";
const BAGS: &str =
    "in each bag at least one term, and no more terms and counts than its preset allows";

/// The origin of a URL with a slash at its end. `None` if it is not a URL of a page in a crawl:
/// URLs become links, so others must be refused.
fn origin_of(address: &str) -> Option<&str> {
    let normal = normal_url::normal(address).filter(|normal| normal == address);
    let end = Url::parse(&normal?).ok()?[..Position::BeforePath].len() + 1;
    address.get(..end)
}

/// Finds the terms of titles, in the same way as browsers find those of queries.
///
/// Titles may contain words that are in no bag because nearly all URLs have them. They still
/// identify the page.
struct Titles {
    /// Most common first.
    languages: Vec<Language>,
    stop: StopLists,
}

impl Titles {
    /// Takes languages with their numbers of pages.
    fn new(languages: &[(Language, u32)]) -> Self {
        let languages = languages::most_common_first(languages.iter().cloned());
        let languages: Vec<_> = languages.into_iter().map(|(language, _)| language).collect();
        Self { stop: languages::only(languages.iter().cloned()), languages }
    }

    /// The terms of a title, ascending.
    fn terms(&self, title: &str) -> Vec<TermId> {
        let words = Words::new(title);
        let among = languages_of_script(&words, &self.languages);
        let undetermined = Language::undetermined();
        let guessed = self.stop.guess(&words, among.iter().copied()).or(among.first().copied());
        let terms = Analyzer::new(guessed.unwrap_or(&undetermined), &self.stop)
            .counts(&words, TermKinds::Words);
        terms.into_iter().map(|term| term.id).collect()
    }
}

/// Converts a URL. Returns `None` if its bag violates the rules.
///
/// Terms that do not count in an index, because too few or too many pages have them, are removed
/// from the bag. The counts of the others are scaled to the same sum.
fn page(
    url: CrawledUrl,
    rules: &BagRules,
    counts: impl Fn(TermId) -> bool,
    titles: &Titles,
) -> Option<WeightedPage> {
    let CrawledUrl { url, title, bag, .. } = url;
    let mut terms: Vec<(TermId, u16)> = Bag::from_sorted(bag).ok()?.entries().to_vec();
    terms.iter_mut().for_each(|(word, _)| *word = index_term(*word));
    // Words with the same id in an index.
    terms.dedup_by(|other, kept| {
        let same = other.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(other.1);
        }
        same
    });
    let bag = Bag::from_sorted(terms).ok()?;
    let terms = bag.entries().len();
    // Rounding may add one to the count of each term.
    let max_count = u64::from(rules.sum) + terms as u64;
    let count: u64 = bag.entries().iter().map(|&(_, count)| u64::from(count)).sum();
    let sound = (1..=usize::from(rules.max_terms)).contains(&terms) && count <= max_count;
    let kept: Vec<(TermId, u32)> = bag
        .entries()
        .iter()
        .filter(|entry| counts(entry.0))
        .map(|&(term, copies)| (term, u32::from(copies)))
        .collect();
    // A page without other terms keeps its bag.
    let bag = match kept.len() {
        0 => bag,
        all if all == terms => bag,
        _ => Bag::weigh_by(&kept, |_| 1, &BagRules { frequency: Frequency::Linear, ..*rules }),
    };
    // The text of the page is unknown.
    sound.then(|| {
        let title_terms = titles.terms(&title);
        WeightedPage { url, title, bag, title_terms, ..WeightedPage::default() }
    })
}

/// Builds the vocabulary of a crawl. Also returns the words shown for its terms.
fn vocabulary(
    crawl: &CrawlFolder,
    rules: VocabularyRules,
) -> Result<(Vocabulary, WordShard), CrawlFolderError> {
    let urls = crawl.description().mentioned;
    let mut lexicon = Lexicon::default();
    for (word, CrawledTerm { df, stem, word: written }) in crawl.terms()? {
        let term = LexiconTerm { stem, df, word: (written, u64::from(df)) };
        match lexicon.terms.entry(index_term(word)) {
            Entry::Vacant(place) => {
                place.insert(term);
            }
            Entry::Occupied(mut place) => {
                // Words with the same id in an index. The number of URLs with both is unknown.
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

/// The languages of a crawl. If it only has redirects, the language that was assumed.
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
    use pagekin_core::vocabulary::{DfLimits, term_id};
    use pagekin_crawl::folder::CrawlFolderError;
    use pagekin_crawl::folder::checksums::seal;
    use pagekin_crawl::folder::fixtures::{crawl, crawled, url};
    use pagekin_crawl::folder::format::url_key;
    use pagekin_crawl::folder::write::UrlWriter;
    use pagekin_pages::Silent;
    use std::fs;

    fn as_pages(crawl: &mut CrawlFolder) -> Result<CrawlAsPages, BuildError> {
        let limits = DfLimits { min: 1, max_percent: 100.0, always_allowed: 0 };
        super::as_pages(
            crawl,
            VocabularyRules { limits, texts: 5, max_terms: 1, key_df: 5 },
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
        // 12 log2(6 / 2), for the only term in the vocabulary and for all others.
        let vocabulary = &read.weighted.vocabulary;
        assert_eq!((vocabulary.len(), vocabulary.rare_weight()), (1, 19));
        assert_eq!(vocabulary.weight(term_id("rye")), 19);
    }

    #[test]
    fn any_flipped_byte_is_accepted_or_an_error() {
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
                    // Accepted results are valid: URLs match their keys, and an index accepts the
                    // bags.
                    let found = read.weighted.pages.iter().map(|page| &page.url);
                    assert!(found.eq(&urls), "{name} {at}");
                    let bags = read.weighted.pages.iter().map(|page| page.bag.size());
                    assert!(bags.max() <= Some(402), "{name} {at}");
                }
            }
            fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn invalid_urls_are_refused() {
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
            assert!(error.to_string().contains("http and https URLs"), "{error}");
        }
    }
}
