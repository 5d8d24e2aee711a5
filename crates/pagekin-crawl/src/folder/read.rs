//! Opens and reads the folder of a clustered crawl: its URLs, terms and clusters. Only the terms
//! and, on request, the centers are read as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use pagekin_core::IndexParams;
use pagekin_core::terms::Language;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::site::word_ids::word_id;
use serde::Deserialize;

use crate::folder::checksums::Checksums;
use crate::folder::error::CrawlFolderError;
use crate::folder::format::{
    CRAWL_VERSION, CrawledTerm, CrawledUrl, DESCRIPTION_NAME, Description, GROUP_ENTRY, IN_LINKS,
    PAIR_ENTRY, StringRules, TERM_ENTRY, TERM_STEP, URL_ENTRY, url_key,
};
use crate::folder::places::{MAX_BYTES, Places};
use crate::folder::urls::CrawledUrls;
use crate::folder::values::ValueLists;

/// A crawl on disk.
#[derive(Debug)]
pub struct CrawlFolder {
    pub(super) description: Description,
    urls: Places,
    url_index: Places,
    pub(super) pairs: Places,
    pub(super) pair_index: Places,
    centers: Places,
    pub(super) twins: Places,
    pub(super) groups: Places,
    in_links: Option<Places>,
    pub(crate) values: Option<ValueLists>,
    terms: Places,
    folder: PathBuf,
}

impl CrawlFolder {
    /// Opens the output folder of a crawl.
    ///
    /// # Errors
    ///
    /// If the folder does not contain a crawl or a file has the wrong length.
    pub fn open(folder: &Path) -> Result<Self, CrawlFolderError> {
        let description = described(folder)?;
        let mut sums = Checksums::open(folder)?;
        // Checks that the description is the one that was written.
        Places::open(&mut sums, DESCRIPTION_NAME)?.whole()?;
        let m = description.preset.params(description.seed).signature.m;
        let values = match description.signatures {
            false => None,
            true => Some(ValueLists::open(&mut sums, description.urls, m)?),
        };
        let mut place = |name| Places::open(&mut sums, name);
        let in_links = description.in_links.then(|| place(IN_LINKS)).transpose()?;
        let crawl = Self {
            in_links,
            values,
            urls: place("urls")?,
            url_index: place("urls.index")?,
            pairs: place("pairs")?,
            pair_index: place("pairs.index")?,
            centers: place("centers")?,
            twins: place("twins")?,
            groups: place("twins.groups")?,
            terms: place("terms")?,
            folder: folder.to_owned(),
            description,
        };
        let n = u64::from(crawl.description.urls);
        let lengths = [
            (&crawl.url_index, URL_ENTRY * n, "an entry for each URL"),
            (&crawl.pair_index, 8 * (n + 1), "a place for each URL, and the end"),
            (&crawl.centers, 4 * n, "a center for each URL"),
            (&crawl.twins, 4 * n, "a twin for each URL"),
        ];
        let in_links = crawl.in_links.iter().map(|of| (of, 4 * n, "a number for each URL"));
        for (places, bytes, expected) in lengths.into_iter().chain(in_links) {
            if places.bytes != bytes {
                return Err(places.damaged(expected));
            }
        }
        if !crawl.groups.bytes.is_multiple_of(GROUP_ENTRY)
            || crawl.groups.bytes > GROUP_ENTRY * n.saturating_sub(1)
        {
            return Err(crawl
                .groups
                .damaged("an entry for each URL that is not the first of its twins"));
        }
        if crawl.description.pairs < crawl.description.stored_pairs {
            return Err(no_description(folder));
        }
        if crawl.description.stored_pairs.checked_mul(2 * PAIR_ENTRY) != Some(crawl.pairs.bytes) {
            return Err(crawl.pairs.damaged("each pair both ways"));
        }
        Ok(crawl)
    }

    /// Returns the description of the crawl.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the parameters of the bags of its pages and of their signatures.
    ///
    /// # Errors
    ///
    /// If this version's preset has other rules for bags.
    pub fn params(&self) -> Result<IndexParams, CrawlFolderError> {
        let Description { preset, seed, rules, .. } = self.description;
        let params = preset.params(seed);
        if params.bag == rules {
            return Ok(params);
        }
        Err(CrawlFolderError::OtherRules { path: self.path(), preset: preset.name() })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Checks that the crawl clustered pages.
    ///
    /// # Errors
    ///
    /// If it clustered strings.
    pub fn of_pages(&self) -> Result<(), CrawlFolderError> {
        match self.description.strings {
            Some(_) => Err(CrawlFolderError::OfStrings { path: self.path() }),
            None => Ok(()),
        }
    }

    /// Returns an iterator over all URLs in their order, which reads each URL once.
    ///
    /// # Errors
    ///
    /// None. If a URL cannot be read, is damaged or out of order, the error is the last item.
    pub fn urls(&self) -> Result<CrawledUrls<'_>, CrawlFolderError> {
        Ok(CrawledUrls::new(&self.urls, &self.url_index, self.description.urls))
    }

    /// Reads all files of the crawl, including those of links, and compares them with their
    /// checksums. Returns the number of files and their bytes.
    ///
    /// # Errors
    ///
    /// If a file differs from what was written.
    pub fn verify(&self) -> Result<(u64, u64), CrawlFolderError> {
        Checksums::open(&self.folder)?.verify()
    }

    /// Returns the bytes of the URLs with their titles and bags.
    #[must_use]
    pub fn url_bytes(&self) -> u64 {
        self.urls.bytes
    }

    /// Returns the error for URLs that differ from what was expected.
    #[doc(hidden)] // For the index that is built from a crawl, which is released with this crate.
    pub fn damaged_urls(&self, expected: &'static str) -> CrawlFolderError {
        self.urls.damaged(expected)
    }

    /// Reads a URL by its number.
    ///
    /// # Errors
    ///
    /// If the number is too large or the URL cannot be read.
    pub fn url(&mut self, number: u32) -> Result<CrawledUrl, CrawlFolderError> {
        let n = self.description.urls;
        if number >= n {
            return Err(self.url_index.damaged("numbers of URLs below their number"));
        }
        let place = |number| URL_ENTRY * u64::from(number) + 8;
        let [start] = self.url_index.numbers(place(number))?;
        let end = if number + 1 == n {
            self.urls.bytes
        } else {
            self.url_index.numbers::<1>(place(number + 1))?[0]
        };
        let record = self.urls.read(start, end)?;
        let mut url: CrawledUrl = postcard::from_bytes(&record)
            .map_err(|_| self.urls.damaged("a URL with its title and bag"))?;
        if let Some(StringRules(rules)) = &self.description.strings {
            let string = if url.title.is_empty() { &url.url } else { &url.title };
            url.bag = rules.bag(string).entries().to_vec();
        }
        Ok(url)
    }

    /// Returns the number of a URL in its normal form. Reads `O(log n)` entries.
    ///
    /// # Errors
    ///
    /// If the crawl does not contain the URL or cannot be read.
    pub fn number_of(&mut self, url: &str) -> Result<u32, CrawlFolderError> {
        let key = url_key(url);
        let (mut low, mut high) = (0, self.description.urls);
        while low < high {
            let middle = low + (high - low) / 2;
            let [found] = self.url_index.numbers(URL_ENTRY * u64::from(middle))?;
            if found < key { low = middle + 1 } else { high = middle }
        }
        // URLs with the same key are adjacent.
        while low < self.description.urls
            && self.url_index.numbers::<1>(URL_ENTRY * u64::from(low))? == [key]
        {
            if self.url(low)?.url == url {
                return Ok(low);
            }
            low += 1;
        }
        Err(CrawlFolderError::UnknownUrl { url: url.to_owned() })
    }

    /// Returns how many URLs link to a URL; `None` if the crawl was clustered without links.
    ///
    /// # Errors
    ///
    /// If the number is too large or the file cannot be read.
    pub fn in_links(&mut self, number: u32) -> Result<Option<u32>, CrawlFolderError> {
        let Some(in_links) = &mut self.in_links else { return Ok(None) };
        let place = 4 * u64::from(number);
        let bytes = in_links.read(place, place + 4)?;
        Ok(bytes.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes)))
    }

    /// Returns the document frequency of each of `terms`, which must ascend; 0 for terms that are
    /// too rare to count. Reads `O(log n)` entries per term.
    pub(crate) fn frequencies(&self, terms: &[TermId]) -> Result<Vec<u32>, CrawlFolderError> {
        let mut sums = Checksums::open(&self.folder)?;
        let mut index = Places::open(&mut sums, "terms.index")?;
        let mut records = Places::open(&mut sums, "terms")?;
        let entries = index.bytes / TERM_ENTRY;
        let mut entry = |at: u64| {
            let bytes = index.read(TERM_ENTRY * at, TERM_ENTRY * (at + 1))?;
            let (id, place) = bytes.split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
            let place = place.first_chunk::<8>().unwrap_or(&[0; 8]);
            Ok::<_, CrawlFolderError>((u32::from_le_bytes(*id), u64::from_le_bytes(*place)))
        };
        let (mut frequencies, mut first) = (Vec::with_capacity(terms.len()), 0);
        for &term in terms {
            // The first entry after the term. It is not before that of the previous term.
            let mut high = entries;
            while first < high {
                let middle = first + (high - first) / 2;
                if entry(middle)?.0 <= term { first = middle + 1 } else { high = middle }
            }
            let Some(own) = first.checked_sub(1) else {
                frequencies.push(0);
                continue;
            };
            let end = if first < entries { entry(first)?.1 } else { records.bytes };
            let bytes = records.read(entry(own)?.1, end)?;
            let (mut rest, mut df) = (&bytes[..], 0);
            for _ in 0..TERM_STEP {
                let Ok((found, after)) = postcard::take_from_bytes::<CrawledTerm>(rest) else {
                    break;
                };
                if word_id(&found.stem) == term {
                    df = found.df.min(self.description.mentioned);
                    break;
                }
                rest = after;
            }
            frequencies.push(df);
        }
        Ok(frequencies)
    }

    /// Returns the terms that are not too rare to count, in ascending order of their ids.
    ///
    /// # Errors
    ///
    /// If they cannot be read or are damaged.
    pub fn terms(&self) -> Result<Vec<(TermId, CrawledTerm)>, CrawlFolderError> {
        let bytes = self.terms.whole()?;
        let terms: Option<Vec<CrawledTerm>> = match postcard::take_from_bytes(&bytes) {
            Ok((terms, [])) => Some(terms),
            _ => None,
        };
        let terms = terms.map(|terms| {
            let with_id = |term: CrawledTerm| (word_id(&term.stem), term);
            terms.into_iter().map(with_id).collect::<Vec<_>>()
        });
        let max = self.description.mentioned;
        terms
            .filter(|terms| {
                terms.is_sorted_by(|a, b| a.0 < b.0)
                    && terms.iter().all(|(_, term)| (1..=max).contains(&term.df))
            })
            .ok_or_else(|| {
                let expected =
                    "terms in the order of their ids, each of no more URLs than there are";
                self.terms.damaged(expected)
            })
    }

    /// Returns the display word of each term.
    ///
    /// # Errors
    ///
    /// If the terms cannot be read or are damaged.
    pub fn words(&self) -> Result<BTreeMap<TermId, Box<str>>, CrawlFolderError> {
        Ok(self.terms()?.into_iter().map(|(id, term)| (id, term.word)).collect())
    }

    /// Returns the centers of all pages, as page numbers. Takes 4 bytes a page.
    ///
    /// # Errors
    ///
    /// If they cannot be read or a center is out of range.
    pub fn centers(&mut self) -> Result<Vec<u32>, CrawlFolderError> {
        let n = self.description.urls;
        let mut centers = Vec::with_capacity(n as usize);
        let step = MAX_BYTES;
        let mut start = 0;
        while start < self.centers.bytes {
            let end = (start + step).min(self.centers.bytes);
            let bytes = self.centers.read(start, end)?;
            let (chunks, _) = bytes.as_chunks::<4>();
            centers.extend(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)));
            start = end;
        }
        if centers.iter().any(|&center| center >= n) {
            return Err(self.centers.damaged("centers that are URLs of the crawl"));
        }
        Ok(centers)
    }
}

/// Reads the description of the crawl in a folder.
fn described(folder: &Path) -> Result<Description, CrawlFolderError> {
    let path = folder.join(DESCRIPTION_NAME);
    let json = fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CrawlFolderError::NoCrawl { path: folder.to_owned() },
        _ => CrawlFolderError::Unreadable { path: path.clone(), error },
    })?;
    // Other versions may have a different description.
    let Versioned { version } =
        serde_json::from_slice(&json).map_err(|_| no_description(folder))?;
    if version != CRAWL_VERSION {
        let (path, found) = (folder.to_owned(), version);
        return Err(CrawlFolderError::OtherVersion { path, found });
    }
    let description: Description =
        serde_json::from_slice(&json).map_err(|_| no_description(folder))?;
    let languages = || description.languages.iter().map(|(language, _)| language);
    if description.mentioned == 0
        || languages().chain([&description.lang]).any(|tag| Language::from_tag(tag).is_none())
    {
        return Err(no_description(folder));
    }
    Ok(description)
}

fn no_description(folder: &Path) -> CrawlFolderError {
    let path = folder.join(DESCRIPTION_NAME);
    CrawlFolderError::Damaged { path, expected: "the description of a crawl" }
}

/// The field that descriptions of all versions contain.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::checksums::{CHECKSUMS_NAME, seal};
    use crate::folder::fixtures::{crawl, crawled, description, terms, url};
    use crate::folder::format::{BagSource, StoredPair};
    use crate::folder::write::{PairWriter, UrlResults, UrlWriter, finish};
    use pagekin_core::Preset;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    #[test]
    fn written_data_is_found() {
        let (folder, urls) = crawl();
        let mut crawl = CrawlFolder::open(folder.path()).unwrap();
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(crawl.number_of(url).unwrap(), number);
            let found = crawl.url(number).unwrap();
            assert_eq!(found, crawled(url));
        }
        let related: Vec<_> = (0..5).map(|page| crawl.related(page).unwrap()).collect();
        assert_eq!(
            related,
            [
                vec![(3, 1_000), (1, 300)],
                vec![(0, 300), (3, 300)],
                vec![],
                vec![(0, 1_000), (1, 300)],
                vec![]
            ]
        );
        assert_eq!(crawl.centers().unwrap(), [0, 0, 2, 0, 4]);
        let all: Result<Vec<_>, _> = crawl.urls().unwrap().collect();
        assert_eq!(all.unwrap(), urls.iter().map(|url| crawled(url)).collect::<Vec<_>>());
        assert_eq!(&*crawl.words().unwrap()[&word_id("rye")], "rye");
        let described = crawl.description();
        assert_eq!((described.seed, described.bags), (u64::MAX, BagSource::Content));
        assert_eq!(crawl.params().unwrap(), Preset::Web.params(u64::MAX));
        let error = crawl.number_of("https://none.example/").unwrap_err().to_string();
        assert!(error.contains("https://none.example/"), "{error}");
        assert!(crawl.url(5).is_err() && crawl.related(5).is_err());
    }

    #[test]
    fn a_missing_or_damaged_folder_is_refused() {
        let error = |folder: &Path| CrawlFolder::open(folder).unwrap_err().to_string();
        let none = tempfile::tempdir().unwrap();
        assert!(error(none.path()).contains("contains no crawl.json"));
        for name in ["urls.index", "pairs", "pairs.index", "centers", "twins", "twins.groups"] {
            let (folder, _) = crawl();
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            let error = error(folder.path());
            assert!(error.contains(name) && error.contains("damaged"), "{error}");
        }
        let (folder, _) = crawl();
        let path = folder.path().join(DESCRIPTION_NAME);
        let json = fs::read_to_string(&path).unwrap();
        // Another version may have fewer fields.
        fs::write(&path, "{\"version\": 9, \"urls\": 5, \"pairs\": 2, \"threshold\": 200}")
            .unwrap();
        assert!(error(folder.path()).contains("found version 9"));
        for (written, other) in [
            ("\"version\": 1", "\"edition\": 1"),
            ("\"pairs\": 3", "\"pairs\": 0"),
            ("\"mentioned\": 6", "\"mentioned\": 0"),
            ("\"web\"", "\"wide\""),
            ("\"lang\": \"en\"", "\"lang\": \"7\""),
        ] {
            assert!(json.contains(written), "{json}");
            fs::write(&path, json.replace(written, other)).unwrap();
            seal(folder.path()).unwrap();
            assert!(error(folder.path()).contains("damaged"), "{other}");
        }
        fs::write(&path, json.replace("\"sum\": 400", "\"sum\": 300")).unwrap();
        seal(folder.path()).unwrap();
        let error = CrawlFolder::open(folder.path()).unwrap().params().unwrap_err().to_string();
        assert!(
            error.contains("preset web") && error.contains("Cluster the crawl again"),
            "{error}"
        );
    }

    /// Returns everything that readers return for a crawl, or the first error.
    fn answers(folder: &Path) -> Result<String, CrawlFolderError> {
        let mut crawl = CrawlFolder::open(folder)?;
        let urls = crawl.urls()?.collect::<Result<Vec<_>, _>>()?;
        let mut answers = format!("{:?} {urls:?} {:?}", crawl.description(), crawl.terms()?);
        for (number, url) in (0..).zip(&urls) {
            let related = crawl.related(number)?;
            answers +=
                &format!("{} {:?} {related:?}", crawl.number_of(&url.url)?, crawl.url(number)?);
        }
        let ids: Vec<TermId> = crawl.terms()?.iter().map(|(id, _)| *id).collect();
        answers += &format!("{:?}", crawl.frequencies(&ids)?);
        answers += &format!("{:?} {:?}", crawl.centers()?, crawl.twin_groups()?);
        crawl.each_pair(|pair| {
            answers += &format!("{pair:?}");
            Ok::<(), CrawlFolderError>(())
        })?;
        Ok(answers)
    }

    #[test]
    fn every_changed_bit_is_detected() {
        let (folder, _) = crawl();
        let sound = answers(folder.path()).unwrap();
        assert_eq!(CrawlFolder::open(folder.path()).unwrap().verify().unwrap().0, 10);
        let mut files = 0;
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            for bit in 0..8 * bytes.len() {
                let mut other = bytes.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, other).unwrap();
                assert!(answers(folder.path()).is_err(), "bit {bit} of {}", path.display());
            }
            fs::write(&path, bytes).unwrap();
            files += 1;
        }
        assert_eq!((files, answers(folder.path()).unwrap()), (11, sound));
        fs::remove_file(folder.path().join(CHECKSUMS_NAME)).unwrap();
        let error = answers(folder.path()).unwrap_err().to_string();
        assert!(error.contains(CHECKSUMS_NAME), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The definition: two URLs are a pair if they are twins, or if their first twins are a
        /// pair.
        #[test]
        fn twins_have_the_pairs_of_the_first_in_all_lists(
            first in prop::collection::vec(0u32..12, 1..12),
            stored in prop::collection::btree_map((0u32..12, 0u32..12), 200u16..1_000, 0..30),
        ) {
            let n = first.len() as u32;
            let drawn = |url: usize| first.iter().position(|&of| of == first[url]).unwrap() as u32;
            let twins: Vec<u32> = (0..first.len()).map(drawn).collect();
            let is_first = |url: u32| url < n && twins[url as usize] == url;
            let stored: BTreeMap<(u32, u32), u16> =
                stored.into_iter().filter(|&((u, v), _)| u < v && is_first(u) && is_first(v)).collect();
            let mut expected = BTreeMap::new();
            for v in 0..n {
                for u in 0..v {
                    let (a, b) = (twins[u as usize], twins[v as usize]);
                    let similarity = if a == b { Some(&1_000) } else { stored.get(&(a.min(b), a.max(b))) };
                    similarity.map(|&similarity| expected.insert((u, v), similarity));
                }
            }

            let folder = tempfile::tempdir().unwrap();
            let mut urls: Vec<String> = (0..n).map(url).collect();
            urls.sort_by_key(|url| url_key(url));
            let mut writer = UrlWriter::create(folder.path()).unwrap();
            urls.iter().for_each(|url| writer.push(&crawled(url)).unwrap());
            writer.finish().unwrap();
            let mut both: Vec<StoredPair> = stored
                .iter()
                .map(|(&(page, other), &thousandths)| StoredPair { page, other, thousandths })
                .flat_map(|pair| [pair, pair.turned()])
                .collect();
            both.sort_by_key(|pair| (pair.page, Reverse(pair.thousandths), pair.other));
            let mut writer = PairWriter::create(folder.path(), n).unwrap();
            writer.push(&both).unwrap();
            writer.finish().unwrap();
            let described = description(n, stored.len() as u64);
            let described = Description { pairs: expected.len() as u64, ..described };
            finish(folder.path(), &terms(), UrlResults { centers: &twins, twins: &twins }, &described).unwrap();

            let mut crawl = CrawlFolder::open(folder.path()).unwrap();
            let mut found = BTreeMap::new();
            crawl.each_pair(|pair| {
                let before = found.insert((pair.page, pair.other), pair.thousandths);
                assert!(before.is_none(), "once each");
                Ok::<(), CrawlFolderError>(())
            }).unwrap();
            prop_assert_eq!(&found, &expected);
            for url in 0..n {
                let of_url = |(&(u, v), &thousandths): (&(u32, u32), &u16)| {
                    [(u, v), (v, u)].into_iter().find(|pair| pair.0 == url).map(|pair| (pair.1, thousandths))
                };
                let mut list: Vec<(u32, u16)> = expected.iter().filter_map(of_url).collect();
                list.sort_by_key(|&(page, thousandths)| (Reverse(thousandths), page));
                prop_assert_eq!(crawl.related(url).unwrap(), list);
            }
        }
    }
}
