//! Reads the pages of an index with their bags: all pages of a small site, or a sample.

use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::{Kind, Manifest, PageBlock, PageRecord, ReadError};
use pagekin_core::sort;

use crate::steps::meetings::MetPair;

/// Pairs with at least this similarity are nearly equal, which leaves little to explain.
const NEARLY_EQUAL: f64 = 0.6;

/// Returns the blocks of pages to show: all if the index has at most `max` pages, otherwise as many
/// as contain about `max` pages, chosen by `seed`. Pages of a block are similar, so a sample of
/// blocks contains similar pages, unlike a sample of pages.
#[must_use]
pub fn blocks(manifest: &Manifest, max: u32, seed: u64) -> Vec<u32> {
    let shards = manifest.blocks.shards;
    let mut blocks: Vec<u32> = (0..shards).collect();
    if manifest.pages <= max {
        return blocks;
    }
    let enough = u64::from(shards) * u64::from(max) / u64::from(manifest.pages.max(1));
    let enough = (enough as usize).clamp(1, blocks.len());
    let mut stream = SplitMix64::new(seed);
    for at in 0..enough {
        let other = at + stream.below((blocks.len() - at) as u32) as usize;
        blocks.swap(at, other);
    }
    blocks.truncate(enough);
    sort::by_key(&mut blocks, |&block| block);
    blocks
}

/// Returns the pages of a block, in order.
///
/// # Errors
///
/// If the bytes are not those of the block.
pub fn of_block(
    manifest: &Manifest,
    block: u32,
    bytes: &[u8],
) -> Result<Vec<PageRecord>, ReadError> {
    let name = manifest.name(Kind::Pages, block);
    let generation = manifest.generation_of(Kind::Pages, block);
    let stored = manifest.stored(Kind::Pages, bytes);
    let block = PageBlock::decode(&name, generation, manifest, stored)?;
    Ok(block.0.into_iter().map(|(_, page)| page).collect())
}

/// Whether a URL says that its page is in a language other than English, the lab's, by a part of
/// its path: `/tr/`, `/pt-br/`, or `.tr.` as in `index.html.tr.utf8`.
fn is_translation(url: &str, languages: &[&str]) -> bool {
    let parts = url.split(['/', '.', '?', '=', '&']);
    parts.map(str::to_ascii_lowercase).any(|part| {
        let code = part.split('-').next().unwrap_or_default();
        let is_code = part.len() == code.len() || (part.len() == 5 && code.len() == 2);
        is_code && code != "en" && languages.contains(&code)
    })
}

/// Returns the words of a title: two titles that differ only in numbers are equal.
fn letters(title: &str) -> String {
    let is_kept = |letter: &char| !letter.is_ascii_digit() && !letter.is_ascii_punctuation();
    title.chars().filter(is_kept).collect()
}

/// Returns the pair of pages that the lab starts with: the most similar pair
///
/// 1. that is not nearly equal,
/// 2. in English as far as the URLs say, because the lab is (`is_translation`), with codes out of
///    `languages`,
/// 3. with different titles, except for numbers,
/// 4. with at least the median number of different terms in both pages, which excludes tables of
///    contents.
///
/// If there is no such pair, returns one that satisfies the first of these conditions. `pairs` are
/// all pairs, the most similar first.
#[must_use]
pub fn instructive_pair(
    pages: &[PageRecord],
    pairs: &[MetPair],
    languages: &[&str],
) -> Option<(u32, u32)> {
    let mut lengths: Vec<usize> = pages.iter().map(|page| page.terms.len()).collect();
    sort::by_key(&mut lengths, |&length| length);
    let half = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let read: Vec<(bool, String)> = pages
        .iter()
        .map(|page| (!is_translation(&page.url, languages), letters(&page.title)))
        .collect();
    let (mut best, mut found) = ((false, false, false, false), None);
    for &MetPair { u, v, overlap } in pairs.iter().take_while(|one| one.overlap.intersection > 0) {
        let [a, b] = [u, v].map(|page| &pages[page as usize]);
        let [(a_english, a_title), (b_english, b_title)] = [u, v].map(|page| &read[page as usize]);
        let is_near = overlap.jaccard() < NEARLY_EQUAL;
        let are_long = a.terms.len().min(b.terms.len()) >= half;
        let differ = a_title != b_title || a_title.is_empty();
        let rank = (is_near, *a_english && *b_english, differ, are_long);
        if found.is_none() || rank > best {
            (best, found) = (rank, Some((u, v)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::meetings::pairs;
    use crate::steps::tests::manifest;
    use pagekin_core::bag::Bag;
    use pagekin_core::shard::PageTerm;

    fn page(entries: &[(u32, u16)]) -> PageRecord {
        let bag = Bag::from_sorted(entries.to_vec()).unwrap();
        PageRecord { bag, ..PageRecord::default() }
    }

    fn pair_of(pages: &[PageRecord], languages: &[&str]) -> Option<(u32, u32)> {
        let bags: Vec<Bag> = pages.iter().map(|page| page.bag.clone()).collect();
        instructive_pair(pages, &pairs(&bags), languages)
    }

    #[test]
    fn the_starting_pair_is_the_most_similar_that_is_not_nearly_equal() {
        let copied = [(1, 10), (2, 10)];
        let pages = [page(&copied), page(&[(1, 10), (3, 9)]), page(&copied), page(&[(1, 1)])];
        assert_eq!(pair_of(&pages, &[]), Some((0, 1)));
        assert_eq!(pair_of(&[page(&copied), page(&copied)], &[]), Some((0, 1)));
        assert_eq!(pair_of(&[page(&copied), page(&[(7, 1)])], &[]), None);
        assert_eq!(pair_of(&[], &[]), None);
    }

    #[test]
    fn the_starting_pair_has_long_texts() {
        let page = |entries: &[(u32, u16)], terms| {
            let terms = (0..terms).map(|id| PageTerm { id, ..PageTerm::default() }).collect();
            PageRecord { terms, ..page(entries) }
        };
        let short = [page(&[(1, 10), (2, 9)], 3), page(&[(1, 10), (3, 9)], 3)];
        let long = [page(&[(4, 10), (5, 20)], 30), page(&[(4, 10), (6, 20)], 40)];
        let [a, b] = short;
        let [c, d] = long;
        assert_eq!(pair_of(&[a.clone(), b.clone(), c, d.clone()], &[]), Some((2, 3)));
        assert_eq!(pair_of(&[a, b, d], &[]), Some((0, 1)));
    }

    #[test]
    fn the_starting_pair_is_in_english_and_has_two_titles() {
        let page = |url: &str, title: &str, entries: &[(u32, u16)]| {
            let (url, title) = (url.to_owned(), title.to_owned());
            PageRecord { url, title, ..page(entries) }
        };
        let (near, far) = ([(1, 10), (2, 8)], [(1, 10), (2, 1), (3, 9)]);
        let turkish = |url| page(url, "Modüller", &near);
        let pages = |first: PageRecord, second: PageRecord| {
            let far = [page("/en/a.html", "Modules", &far), page("/b/c.html", "Hosts", &far)];
            [first, second, far[0].clone(), page(&far[1].url, "Hosts", &[(1, 10), (2, 2), (4, 9)])]
        };
        let languages = ["en", "tr", "pt"];
        for (one, other) in
            [("/tr/a", "/tr/b"), ("/a.html.tr.utf8", "/b.html.tr.utf8"), ("/pt-br/a", "/pt-br/b")]
        {
            let mut second = turkish(other);
            (second.title, second.bag) =
                ("Konaklar".to_owned(), page("", "", &[(1, 10), (2, 2), (5, 7)]).bag);
            let pages = pages(turkish(one), second);
            assert_eq!(pair_of(&pages, &languages), Some((2, 3)), "{one}");
            assert_eq!(pair_of(&pages, &["en"]), Some((0, 1)), "{one}");
        }
        let release =
            |at| page(&format!("/{at}"), &format!("Release 3.40.{at}"), &[(7, 10), (8, at)]);
        assert_eq!(pair_of(&pages(release(1), release(9)), &[]), Some((2, 3)));
        assert!(!is_translation("/internal/pool.html", &["in", "po", "en"]));
    }

    #[test]
    fn a_large_index_is_sampled_by_blocks_and_a_small_one_is_read_completely() {
        let mut manifest = manifest();
        (manifest.pages, manifest.blocks.shards) = (10_000, 500);
        let some = blocks(&manifest, 200, 1);
        assert_eq!(some.len(), 10);
        assert!(some.is_sorted_by(|a, b| a < b) && some.iter().all(|&block| block < 500));
        assert_eq!(blocks(&manifest, 200, 1), some);
        assert_ne!(blocks(&manifest, 200, 2), some);
        assert_eq!(blocks(&manifest, 10_000, 1), (0..500).collect::<Vec<_>>());
        assert_eq!(blocks(&manifest, 1, 1).len(), 1);
    }
}
