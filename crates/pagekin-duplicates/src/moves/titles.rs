//! Matches the pages of two sites by title, ignoring what each site adds to all its titles.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::texts::SitePage;

/// Returns the new page with the same title for each old page, if no other page of either site has
/// that title. Words in more than half of a site's titles are ignored: they are its name, its
/// version and the like.
pub(crate) fn shared(old: &[SitePage], new: &[SitePage]) -> FxHashMap<u32, u32> {
    let titles: [Vec<Vec<String>>; 2] =
        [old, new].map(|pages| pages.iter().map(|page| words(&page.title)).collect());
    let common: FxHashSet<&str> = titles.iter().flat_map(|titles| common(titles)).collect();
    let [old, new] = titles.each_ref().map(|titles| by_title(titles, &common));
    let both = old.iter().filter_map(|(title, &page)| Some((page?, (*new.get(title)?)?)));
    both.collect()
}

/// Returns the words that occur in more than half of the titles.
fn common(titles: &[Vec<String>]) -> impl Iterator<Item = &str> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for title in titles {
        let once: FxHashSet<&str> = title.iter().map(String::as_str).collect();
        once.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let half = titles.len() / 2;
    counts.into_iter().filter(move |&(_, n)| n > half).map(|(word, _)| word)
}

/// Returns the page of each title without common words, or `None` if several pages share it.
fn by_title(titles: &[Vec<String>], common: &FxHashSet<&str>) -> FxHashMap<String, Option<u32>> {
    let mut page_of = FxHashMap::default();
    for (page, title) in (0..).zip(titles) {
        let own = title.iter().map(String::as_str).filter(|word| !common.contains(word));
        let own: Vec<&str> = own.collect();
        if !own.is_empty() {
            page_of.entry(own.join(" ")).and_modify(|page| *page = None).or_insert(Some(page));
        }
    }
    page_of
}

/// Returns the words of a title in lower case, split at capitals: `SoupSession` and `Soup.Session`
/// have the same two words.
fn words(title: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lowercase = false;
    for letter in title.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lowercase) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        was_lowercase = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(titles: &[&str]) -> Vec<SitePage> {
        let page = |title: &&str| SitePage { title: (*title).to_owned(), ..SitePage::default() };
        titles.iter().map(page).collect()
    }

    #[test]
    fn titles_are_compared_without_common_words() {
        let old =
            ["KinJar: Kin 1 Manual", "KinJam: Kin 1 Manual", "Index: Kin 1 Manual", "Kin 1 Manual"];
        let new = ["Kin.Jar", "Kin.Jar.open", "Kin.Jam", "Kin.Jam", "Kin \u{2013} index", "Kin"];
        let mut found: Vec<_> = shared(&pages(&old), &pages(&new)).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [(0, 0), (2, 4)]);
    }
}
