//! Builds the files of a [`LinkFolder`](crate::rank::folder::LinkFolder) from buckets of URLs and
//! links.
//!
//! Keys of URLs are distributed evenly, so each bucket contains about a 256th of all. As many
//! buckets as memory allows are processed at a time. All keys, 8 bytes a URL, are in memory to find
//! the source of each link.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use pagekin_pages::{Observer, Stage};
use pagekin_pairs::disk::partitions::BUFFER_BYTES;
use pagekin_pairs::disk::{partitions, records};
use rayon::prelude::*;

use crate::folder::format::url_key;
use crate::rank::collect::{BUCKETS, LINK_BYTES, LINKS, LinkMention, URLS};
use crate::rank::folder::{
    DESCRIPTION_NAME, LINKS_NAME, LINKS_VERSION, LinkCounts, LinkDescription, LinkedUrl,
    LinkedUrlWriter, URLS_NAME,
};
use crate::rank::in_links::{EncodedLinks, InLinksWriter};

/// Maximum memory for a bucket, per byte on disk.
const WORKING: u64 = 4;

/// Writes the files of a link folder to `into` from the buckets in `from`.
///
/// # Errors
///
/// If the buckets cannot be read or the files cannot be written;
/// [`Interrupted`](io::ErrorKind::Interrupted) if `observer` cancels.
pub fn assemble(
    from: &Path,
    into: &Path,
    memory: u64,
    observer: &dyn Observer,
) -> io::Result<LinkCounts> {
    observer.stage(Stage::Linking, u64::from(2 * BUCKETS));
    let mut urls = LinkedUrlWriter::create(&into.join(URLS_NAME))?;
    let mut keys: Vec<u64> = Vec::new();
    // Start of the keys of each bucket, and the end of all.
    let mut starts = vec![0];
    let mut read = 0;
    in_waves(from, URLS, memory, observer, linked_urls, |bucket: Vec<(u64, LinkedUrl)>| {
        for (key, url) in &bucket {
            urls.push(url)?;
            keys.push(*key);
            read += u64::from(url.title.is_some());
        }
        starts.push(keys.len());
        Ok(())
    })?;
    urls.finish()?;
    let n = u32::try_from(keys.len()).map_err(|_| {
        io::Error::other(format!("expected fewer than 2^32 URLs, found {}", keys.len()))
    })?;
    let file = File::create_new(into.join(LINKS_NAME))?;
    let mut writer = InLinksWriter::new(BufWriter::with_capacity(BUFFER_BYTES, file));
    let of_bucket = |bucket: u32, bytes: &[u8]| {
        let (start, end) = (starts[bucket as usize], starts[bucket as usize + 1]);
        in_links(&keys, start..end, bytes)
    };
    in_waves(from, LINKS, memory, observer, of_bucket, |encoded| writer.extend(&encoded))?;
    let (_, links) = writer.finish()?;
    let counts = LinkCounts { urls: n.into(), read, links };
    let mut json = serde_json::to_vec_pretty(&LinkDescription { version: LINKS_VERSION, counts })?;
    json.push(b'\n');
    File::create_new(into.join(DESCRIPTION_NAME))?.write_all(&json)?;
    Ok(counts)
}

/// Processes the buckets with a name, several at a time, and passes the results to `take` in order.
fn in_waves<T: Send>(
    folder: &Path,
    name: &str,
    memory: u64,
    observer: &dyn Observer,
    work: impl Fn(u32, &[u8]) -> io::Result<T> + Sync,
    mut take: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    let path = |bucket| partitions::path(folder, name, bucket);
    let mut largest = 1;
    for bucket in 0..BUCKETS {
        largest = largest.max(fs::metadata(path(bucket))?.len());
    }
    let threads = rayon::current_num_threads() as u64;
    let wave = (memory / WORKING / largest).clamp(1, threads) as usize;
    let buckets: Vec<u32> = (0..BUCKETS).collect();
    for wave in buckets.chunks(wave) {
        if observer.cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let done: Vec<T> = wave
            .par_iter()
            .map(|&bucket| work(bucket, &fs::read(path(bucket))?))
            .collect::<io::Result<_>>()?;
        for done in done {
            take(done)?;
            observer.advance(1);
        }
    }
    Ok(())
}

/// Returns the URLs of a bucket in the order of their keys, each once.
fn linked_urls(_: u32, bytes: &[u8]) -> io::Result<Vec<(u64, LinkedUrl)>> {
    let mentions = records::records::<LinkMention<'_>>(bytes).map(|mention| {
        let mention = mention?;
        Ok((url_key(mention.url), mention.url, mention.title))
    });
    let mut mentions: Vec<(u64, &str, Option<&str>)> = mentions.collect::<io::Result<_>>()?;
    mentions.sort_unstable();
    let urls = mentions.chunk_by(|a, b| a.0 == b.0).map(|of_key| {
        // A page that was read twice gets the alphabetically first of its titles.
        let title = of_key.iter().filter_map(|&(_, _, title)| title).min();
        (of_key[0].0, LinkedUrl { url: of_key[0].1.to_owned(), title: title.map(str::to_owned) })
    });
    Ok(urls.collect())
}

/// Encodes the links of a bucket, whose targets are a range of URLs.
fn in_links(keys: &[u64], own: std::ops::Range<usize>, bytes: &[u8]) -> io::Result<EncodedLinks> {
    let (links, rest) = bytes.as_chunks::<LINK_BYTES>();
    if !rest.is_empty() {
        return Err(unknown());
    }
    let mut links: Vec<(u64, u64)> = links
        .iter()
        .map(|&[a, b, c, d, e, f, g, h, rest @ ..]| {
            (u64::from_ne_bytes([a, b, c, d, e, f, g, h]), u64::from_ne_bytes(rest))
        })
        .collect();
    links.sort_unstable();
    links.dedup();
    let mut target = own.start;
    let mut numbered = Vec::with_capacity(links.len());
    for (to, from) in links {
        while target < own.end && keys[target] < to {
            target += 1;
        }
        if target == own.end || keys[target] != to {
            return Err(unknown());
        }
        numbered.push((target as u32, position(keys, from).ok_or_else(unknown)? as u32));
    }
    Ok(EncodedLinks::from_links(own.start as u32..own.end as u32, &numbered))
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "expected links of URLs, found others")
}

/// Returns the index of a key. All keys are in ascending order and evenly distributed, so the
/// search starts around the expected index.
fn position(keys: &[u64], key: u64) -> Option<usize> {
    let expected = ((u128::from(key) * keys.len() as u128) >> 64) as usize;
    let (mut low, mut high, mut step) = (expected, expected, 16);
    while low > 0 && keys[low] > key {
        low = low.saturating_sub(step);
        step *= 4;
    }
    step = 16;
    while high < keys.len() && keys[high] < key {
        high = (high + step).min(keys.len());
        step *= 4;
    }
    let high = (high + 1).min(keys.len());
    keys.get(low..high)?.binary_search(&key).ok().map(|at| low + at)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rank::collect::{LinkBuckets, UrlLinks};
    use crate::rank::folder::LinkFolder;
    use pagekin_pages::Silent;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use tempfile::TempDir;

    /// Builds a link folder of pages, through buckets.
    pub(crate) fn folder_of(pages: &[UrlLinks], memory: u64) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("buckets");
        fs::create_dir(&from).unwrap();
        let mut buckets = LinkBuckets::create(&from).unwrap();
        pages.iter().try_for_each(|page| buckets.push(page)).unwrap();
        buckets.finish().unwrap();
        assemble(&from, folder.path(), memory, &Silent).unwrap();
        folder
    }

    pub(crate) fn page(url: &str, targets: &[&str]) -> UrlLinks {
        let targets = targets.iter().map(ToString::to_string).collect();
        UrlLinks { url: url.to_owned(), title: format!("Title of {url}"), targets }
    }

    /// The titles of pages that were read, by URL, and the links.
    type Graph = (BTreeMap<String, Option<String>>, BTreeSet<(String, String)>);

    fn read(folder: &TempDir) -> Graph {
        let mut links = LinkFolder::open(folder.path()).unwrap();
        let urls: Vec<LinkedUrl> = links.urls().unwrap().map(Result::unwrap).collect();
        let counts = links.counts();
        assert_eq!(counts.urls, urls.len() as u64);
        assert_eq!(counts.read, urls.iter().filter(|url| url.title.is_some()).count() as u64);
        let mut column = vec![Vec::new(); urls.len()];
        let pass = links.in_links.pass(&mut column, &Silent, |_, column, lists| {
            column.iter_mut().try_for_each(|sources| lists.next(|u| sources.push(u)).map(|_| ()))
        });
        pass.unwrap();
        let name = |number: u32| urls[number as usize].url.clone();
        let all = (0..)
            .zip(&column)
            .flat_map(|(v, sources)| sources.iter().map(move |&u| (name(u), name(v))));
        let all: Vec<_> = all.collect();
        assert_eq!(counts.links, all.len() as u64);
        (
            urls.iter().map(|url| (url.url.clone(), url.title.clone())).collect(),
            all.into_iter().collect(),
        )
    }

    #[test]
    fn keys_are_found_at_any_index() {
        let spread: Vec<u64> = (0..1_000u64).map(pagekin_core::hash::mix).collect();
        let low: Vec<u64> = (0..1_000).collect();
        let high: Vec<u64> = (0..1_000).map(|at| u64::MAX - at).collect();
        for mut keys in [spread, low, high, vec![7], vec![]] {
            keys.sort_unstable();
            for (at, &key) in keys.iter().enumerate() {
                assert_eq!(position(&keys, key), Some(at));
            }
            for other in [0x1234_5678_9abc, 0x7fff_ffff_ffff_ffff] {
                assert_eq!(position(&keys, other), None);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The definition: all links together in a set.
        #[test]
        fn links_of_pages_match_the_definition(
            drawn in prop::collection::vec((0u32..12, "[A-C]{0,2}", prop::collection::vec(0u32..16, 0..8)), 0..12),
            memory in prop_oneof![Just(1), Just(1 << 30)],
        ) {
            let url = |number: u32| format!("https://{number}.example/");
            let pages: Vec<UrlLinks> = drawn
                .iter()
                .map(|(u, title, to)| UrlLinks {
                    url: url(*u),
                    title: title.clone(),
                    targets: to.iter().map(|&v| url(v)).collect(),
                })
                .collect();
            let (mut urls, mut links) = Graph::default();
            for (u, title, to) in &drawn {
                for &v in to {
                    urls.entry(url(v)).or_default();
                    if v != *u {
                        links.insert((url(*u), url(v)));
                    }
                }
                let of_page = urls.entry(url(*u)).or_default();
                *of_page = of_page.take().into_iter().chain([title.clone()]).min();
            }
            prop_assert_eq!(read(&folder_of(&pages, memory)), (urls, links));
        }
    }
}
