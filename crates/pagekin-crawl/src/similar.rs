//! Finds the URLs of a crawl that are similar to a URL or to a text of any length.
//!
//! ```text
//! URL or text -> bag                        stored, or weighted like the bags of the crawl
//!             -> signature
//!             -> URLs that agree most       by the lists of the values of signatures
//!             -> the most similar of these  by their stored bags, exactly
//! ```
//!
//! Signatures find candidates and stored bags verify them. Agreement does not separate URLs with
//! nearly equal similarity, but usually the best ten are among the best hundred.

use std::cmp::Reverse;

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::{Language, Words, languages_of_script};
use pagekin_pages::site::languages;
use pagekin_pages::site::term_counts::Counter;
use pagekin_pages::site::word_ids::word_id;
use pagekin_pairs::minhash::{Algorithm, Signer};
use pagekin_pairs::pairs::verify::SimilarPair;

use crate::cluster::bags::collection::{Collection, Spread};
use crate::cluster::bags::from_fragments;
use crate::cluster::bags::from_page::print_of;
use crate::folder::error::CrawlFolderError;
use crate::folder::format::StringRules;
use crate::folder::read::CrawlFolder;
use crate::folder::values::ValueLists;

/// Number of URLs that are compared per requested URL.
const COMPARED: usize = 10;
/// Minimum number of URLs that are compared.
const MIN_COMPARED: usize = 100;

/// Options of searching similar URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimilarOptions {
    /// Maximum number of results.
    pub limit: usize,
    /// Minimum number of URLs that link to a result; 0 for all.
    pub min_in_links: u32,
}

impl Default for SimilarOptions {
    /// Returns up to 10 URLs without a minimum number of in-links.
    fn default() -> Self {
        Self { limit: 10, min_in_links: 0 }
    }
}

impl CrawlFolder {
    /// Returns the URLs most similar to a URL, best first, of equal ones the lower number first,
    /// with their similarity in thousandths. At least ten times `limit` URLs are compared, those
    /// whose signatures agree most. In a crawl without signatures, only the pairs of the URL are
    /// considered.
    ///
    /// # Errors
    ///
    /// [`CrawlFolderError::NoInLinks`] if the crawl lacks the data for `options`. Other errors if
    /// the URL does not exist or cannot be read.
    pub fn similar_to_url(
        &mut self,
        number: u32,
        options: SimilarOptions,
    ) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        if self.description().signatures {
            let bag = bag_of(self.url(number)?.bag, self)?;
            return self.similar_to(&bag, Some(number), options);
        }
        self.check(options)?;
        let mut found = Vec::new();
        for pair in self.related(number)? {
            if found.len() == options.limit {
                break;
            }
            if self.accepts(pair.0, options)? {
                found.push(pair);
            }
        }
        Ok(found)
    }

    /// Returns the URLs most similar to a text, like [`similar_to_url`](Self::similar_to_url).
    /// Words are weighted as in the crawl, but without learned weights. `lang` is the language of
    /// the text; if it is not a language of the crawl, the language is guessed among those. In a
    /// crawl of strings, the text is a string.
    ///
    /// # Errors
    ///
    /// Those of `similar_to_url`, and [`CrawlFolderError::NoSignatures`] if the crawl was clustered
    /// without signatures.
    pub fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: SimilarOptions,
    ) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        let bag = match &self.description().strings {
            Some(StringRules(rules)) => rules.bag(text.trim()),
            None => self.bag_of_text(text, lang)?,
        };
        self.similar_to(&bag, None, options)
    }

    /// Checks that the crawl has the data for `options`.
    fn check(&self, options: SimilarOptions) -> Result<(), CrawlFolderError> {
        if options.min_in_links > 0 && !self.description().in_links {
            return Err(CrawlFolderError::NoInLinks { path: self.path() });
        }
        Ok(())
    }

    /// Returns whether a URL has enough in-links for `options`.
    fn accepts(&mut self, number: u32, options: SimilarOptions) -> Result<bool, CrawlFolderError> {
        let min = options.min_in_links;
        Ok(min == 0 || self.in_links(number)?.is_some_and(|in_links| in_links >= min))
    }

    /// Returns the bag of a text, in the terms of the crawl.
    fn bag_of_text(&self, text: &str, lang: &str) -> Result<Bag, CrawlFolderError> {
        let rules = self.params()?.bag;
        let described = self.description();
        let of_crawl = described.languages.iter().map(|(code, _)| code);
        let among: Vec<Language> =
            of_crawl.chain([&described.lang]).filter_map(|code| Language::from_tag(code)).collect();
        let stop = languages::only(among.iter().cloned());
        let given = Language::from_tag(lang).filter(|given| among.contains(given));
        let guess = || {
            let words = Words::new(text);
            let among = languages_of_script(&words, &among);
            let guessed = stop.guess(&words, among.iter().copied());
            guessed.or(among.first().copied()).cloned().unwrap_or_else(Language::undetermined)
        };
        let language = given.unwrap_or_else(guess);
        let counts = Counter::with_ids(&stop, word_id).count(&language, text);
        let terms: Vec<u32> = counts.iter().map(|&(term, _)| term).collect();
        let frequencies = self.frequencies(&terms)?;
        let (urls, texts) = (described.mentioned, described.mentioned);
        let collection = Collection { preset: described.preset, all: Spread { urls, texts } };
        let weight = |term| {
            let df = terms.binary_search(&term).map_or(0, |at| frequencies[at]);
            if df == 0 { 0 } else { collection.weight(Spread { urls: df, texts: df }) }
        };
        let print = if described.bags.takes_content() { print_of(text) } else { 0 };
        Ok(from_fragments::bag_of_text(&counts, print, weight, collection.own(), &rules))
    }

    fn similar_to(
        &mut self,
        bag: &Bag,
        but: Option<u32>,
        options: SimilarOptions,
    ) -> Result<Vec<(u32, u16)>, CrawlFolderError> {
        self.check(options)?;
        let Some(mut lists) = self.values.take() else {
            return Err(CrawlFolderError::NoSignatures { path: self.path() });
        };
        let best = self.agreeing(&mut lists, bag, but, options);
        self.values = Some(lists);
        let mut found = Vec::new();
        for other in best? {
            let others = bag_of(self.url(other)?.bag, self)?;
            let overlap = Overlap::between(bag, &others);
            if overlap.intersection > 0 {
                found.push((other, SimilarPair { u: 0, v: 1, overlap }.thousandths()));
            }
        }
        found.sort_unstable_by_key(|&(url, thousandths)| (Reverse(thousandths), url));
        found.truncate(options.limit);
        Ok(found)
    }

    /// Returns the URLs whose signatures agree most with that of a bag.
    fn agreeing(
        &mut self,
        lists: &mut ValueLists,
        bag: &Bag,
        but: Option<u32>,
        options: SimilarOptions,
    ) -> Result<Vec<u32>, CrawlFolderError> {
        if bag.is_empty() {
            return Ok(Vec::new());
        }
        let algorithm = Algorithm::new(self.description().preset);
        let signer = Signer::new(algorithm, self.params()?.signature);
        let compared = options.limit.saturating_mul(COMPARED).max(MIN_COMPARED);
        lists.best(&signer.rows(std::slice::from_ref(bag)), compared, |url| {
            Ok(Some(url) != but && self.accepts(url, options)?)
        })
    }
}

fn bag_of(entries: Vec<(u32, u16)>, crawl: &CrawlFolder) -> Result<Bag, CrawlFolderError> {
    Bag::from_sorted(entries).map_err(|_| crawl.damaged_urls("terms of bags in ascending order"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterOptions, cluster};
    use crate::folder::format::{BagSource, CrawledUrl};
    use pagekin_core::Preset;
    use pagekin_pages::{Input, Silent};
    use std::fmt::Write as _;
    use std::fs;
    use tempfile::TempDir;

    const PAGES: u32 = 300;

    fn word(number: u32) -> String {
        let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
        [number / 100, number / 10, number].map(|digit| syllables[(digit % 10) as usize]).concat()
    }

    /// Returns the text of a page. Neighbors share some words, and every seventh page is a copy of
    /// the previous one.
    fn text(page: u32) -> String {
        let page = if page % 7 == 6 { page - 1 } else { page };
        let words: Vec<String> =
            (0..12).map(|at| word(page / 2 * 5 + (page * 7 + at) % 17)).collect();
        words.join(" ")
    }

    fn url(page: u32) -> String {
        format!("https://{page}.example/")
    }

    /// Returns the links of a page: pages with lower numbers that divide its own.
    fn links(page: u32) -> Vec<u32> {
        (2..page).filter(|&other| page.is_multiple_of(other)).collect()
    }

    fn crawl(change: impl FnOnce(&mut ClusterOptions)) -> (TempDir, CrawlFolder) {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = String::new();
        for page in 0..PAGES {
            let (url, text) = (url(page), text(page));
            let links: Vec<String> = links(page).into_iter().map(self::url).collect();
            let line = "\"title\": \"\", \"lang\": \"en\"";
            writeln!(
                lines,
                "{{\"url\": {url:?}, {line}, \"text\": {text:?}, \"links\": {links:?}}}"
            )
            .unwrap();
        }
        let input = folder.path().join("pages.jsonl");
        fs::write(&input, lines).unwrap();
        let options = ClusterOptions::new(folder.path().join("crawl")).with(|options| {
            options.bags = BagSource::Content;
            options.signatures = true;
            options.links = true;
            change(options);
        });
        cluster(&[Input::Path(input)], &options, &Silent).unwrap();
        let crawl = CrawlFolder::open(&options.output).unwrap();
        (folder, crawl)
    }

    /// Compares all signatures, then the bags of the best: slow but obvious.
    struct Scan {
        signer: Signer,
        bags: Vec<Bag>,
        rows: Vec<u16>,
    }

    impl Scan {
        fn new(crawl: &CrawlFolder) -> Self {
            let algorithm = Algorithm::new(crawl.description().preset);
            let signer = Signer::new(algorithm, crawl.params().unwrap().signature);
            let bag = |url: CrawledUrl| Bag::from_sorted(url.bag).unwrap();
            let bags: Vec<Bag> = crawl.urls().unwrap().map(|url| bag(url.unwrap())).collect();
            let rows = signer.rows(&bags);
            Self { signer, bags, rows }
        }

        fn best(&self, bag: &Bag, takes: impl Fn(u32) -> bool) -> Vec<(u32, u16)> {
            let own = self.signer.rows(std::slice::from_ref(bag));
            let agreement = |row: &[u16]| row.iter().zip(&own).filter(|(a, b)| a == b).count();
            let mut all: Vec<(u32, usize)> =
                (0..).zip(self.rows.chunks(own.len()).map(agreement)).collect();
            all.retain(|&(url, agreement)| agreement > 0 && takes(url));
            all.sort_by_key(|&(url, agreement)| (Reverse(agreement), url));
            let overlap = |(url, _)| (url, Overlap::between(bag, &self.bags[url as usize]));
            let shares = |&(_, overlap): &(u32, Overlap)| overlap.intersection > 0;
            let similarity = |(url, overlap): (u32, Overlap)| {
                (url, (1_000 * overlap.intersection / overlap.union) as u16)
            };
            let compared = all.into_iter().take(100).map(overlap).filter(shares);
            let mut found: Vec<(u32, u16)> = compared.map(similarity).collect();
            found.sort_by_key(|&(url, thousandths)| (Reverse(thousandths), url));
            found.truncate(10);
            found
        }
    }

    #[test]
    fn similar_urls_match_a_scan_of_all_signatures() {
        for preset in [Preset::Web, Preset::Paper] {
            let (_folder, mut crawl) = crawl(|options| options.preset = preset);
            let scan = Scan::new(&crawl);
            let in_links = |url| crawl.in_links(url).unwrap().unwrap();
            let counts: Vec<u32> = (0..PAGES).map(in_links).collect();
            for number in (0..PAGES).step_by(41) {
                for min_in_links in [0, 1, 5] {
                    let options = SimilarOptions { min_in_links, ..SimilarOptions::default() };
                    let found = crawl.similar_to_url(number, options).unwrap();
                    let takes = |url: u32| url != number && counts[url as usize] >= min_in_links;
                    let expected = scan.best(&scan.bags[number as usize], takes);
                    assert_eq!(found, expected, "{number}, {min_in_links}");
                    assert!(min_in_links > 0 || found.len() > 2);
                }
            }
        }
    }

    #[test]
    fn a_text_is_weighted_like_a_page() {
        let (_folder, mut crawl) = crawl(|_| {});
        let scan = Scan::new(&crawl);
        for page in (0..PAGES).step_by(43) {
            let own = crawl.number_of(&url(page)).unwrap();
            let bag = &scan.bags[own as usize];
            assert_eq!(crawl.bag_of_text(&text(page), "").unwrap(), *bag);
            let found =
                crawl.similar_to_text(&text(page), "en", SimilarOptions::default()).unwrap();
            assert!(found.contains(&(own, 1_000)), "{found:?}");
            assert_eq!(found, scan.best(bag, |_| true));
        }
        let unknown = crawl.similar_to_text("zzz yyy", "", SimilarOptions::default()).unwrap();
        assert!(unknown.is_empty());
    }

    #[test]
    fn in_links_are_counted() {
        let (_folder, mut crawl) = crawl(|options| options.memory = 3_000);
        for page in 0..PAGES {
            let number = crawl.number_of(&url(page)).unwrap();
            let linking = (0..PAGES).filter(|&other| links(other).contains(&page)).count() as u32;
            assert_eq!(crawl.in_links(number).unwrap(), Some(linking));
        }
    }

    #[test]
    fn missing_data_is_reported() {
        let (_folder, mut without) = crawl(|options| {
            options.links = false;
            options.signatures = false;
        });
        let text = without.similar_to_text("bak", "en", SimilarOptions::default());
        let error = text.unwrap_err().to_string();
        assert!(error.contains("again with --signatures"), "{error}");
        let options = SimilarOptions { min_in_links: 1, ..SimilarOptions::default() };
        let error = without.similar_to_url(0, options).unwrap_err().to_string();
        assert!(error.contains("again with --links"), "{error}");
        let options = SimilarOptions { limit: 2, ..SimilarOptions::default() };
        for number in 0..PAGES {
            let mut pairs = without.related(number).unwrap();
            pairs.truncate(2);
            assert_eq!(without.similar_to_url(number, options).unwrap(), pairs);
        }
    }
}
