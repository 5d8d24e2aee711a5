//! Sites of random pages, indexed with all options: the indexes are valid, and each page finds
//! itself.

use pagekin_core::LookupOptions;
use pagekin_core::hash::SplitMix64;
use pagekin_index::{Assets, BuildOptions, Layout, LocalIndex, build_pages};
use pagekin_pages::{Silent, SourcePage};

use crate::Row;

/// Minimum number of words of a page, and of distinct words of a site, for queries.
const MIN_WORDS: usize = 30;
const MIN_VOCABULARY: u32 = 500;

/// Builds and verifies the indexes of `sites` random sites. LSH tables are built even for small
/// sites.
pub(crate) fn verify(sites: u64, random: &mut SplitMix64) -> Row {
    let (mut pages, mut asked) = (0, 0);
    for site in 0..sites {
        let vocabulary = 200 + random.below(3_000);
        let source = random_pages(vocabulary, random);
        let place = tempfile::tempdir().expect("there is room for a folder");
        let options = BuildOptions::new("", place.path().join("out")).with(|options| {
            options.tables = Some(true);
            options.seed = random.next_u64();
            options.block_pages = [None, Some(1), Some(3)][random.below(3) as usize];
            options.layout = [Layout::Files, Layout::Packs][random.below(2) as usize];
        });
        let built = build_pages(&options, &source, &Assets::default(), &Silent);
        let built = built.unwrap_or_else(|error| panic!("site {site}: {error}"));
        pages += built.pages;
        let mut index = LocalIndex::open(&options.output).expect("it opens");
        index.verify().unwrap_or_else(|error| panic!("site {site}: {error}"));
        let page = &source[random.below(source.len() as u32) as usize];
        // A page with few words, or with only ubiquitous ones, is similar to more pages than are
        // read.
        if page.text.split(' ').count() < MIN_WORDS || vocabulary < MIN_VOCABULARY {
            continue;
        }
        asked += 1;
        let lookup = LookupOptions { limit: 1_000, ..LookupOptions::default() };
        let answer = index.similar_to_text(&page.text, "en", lookup).expect("it answers");
        let found = answer.results.iter().any(|kin| kin.similarity > 0.999);
        assert!(found, "site {site}: {} does not find itself", page.url);
    }
    let outcome = format!("all sound, of {pages} pages in all; {asked} pages found themselves");
    Row::new("an index of a random site, with tables", sites, outcome)
}

/// Returns up to 200 pages whose words are shared by few to many of them. Some pages are copies.
fn random_pages(vocabulary: u32, random: &mut SplitMix64) -> Vec<SourcePage> {
    let count = 2 + random.below(200);
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..count {
        if !texts.is_empty() && random.below(10) == 0 {
            texts.push(texts[random.below(texts.len() as u32) as usize].clone());
            continue;
        }
        let word = |random: &mut SplitMix64| {
            // The minimum of two draws makes some words frequent.
            let number = random.below(vocabulary).min(random.below(vocabulary));
            format!("{}ak", pagekin_tests::collection::word(u64::from(number)))
        };
        let length = 1 + random.below(150);
        texts.push((0..length).map(|_| word(random)).collect::<Vec<_>>().join(" "));
    }
    let page = |(at, text)| SourcePage {
        url: format!("/{at}.html"),
        title: format!("Page {at}"),
        lang: "en".to_owned(),
        text,
    };
    texts.into_iter().enumerate().map(page).collect()
}
