//! Encodes and writes the shards of related pages, and their entry.
//!
//! They are gzipped JSON, unlike the other shards of the index, because a few lines of JavaScript
//! on the site's own pages read them without the core. FORMAT.md describes them.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use pagekin_pages::Part;
use pagekin_pages::output::files::write_files;
use rayon::prelude::*;

use crate::build::error::BuildError;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::related::copies::CopyOf;
use crate::build::related::similar_pages::{Related, RelatedPage};
use crate::read::related_shard::{ENTRY_NAME, RelatedEntry, RelatedShard, base_of, shard_of};

/// The pages of an index by their numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredPages<'a> {
    pub(crate) pages: &'a [&'a WeightedPage],
    pub(crate) base_url: &'a str,
}

impl StoredPages<'_> {
    pub(crate) fn url(&self, page: u32) -> &str {
        &self.pages[page as usize].url
    }

    /// The URL of a page without the base.
    pub(crate) fn path(&self, page: u32) -> &str {
        let url = self.url(page);
        url.strip_prefix(&base_of(self.base_url)).unwrap_or(url)
    }

    pub(crate) fn title(&self, page: u32) -> &str {
        &self.pages[page as usize].title
    }

    /// Encodes the related pages in `shards` shards.
    pub(crate) fn encode(&self, related: &Related, shards: u32) -> Vec<Vec<u8>> {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); shards as usize];
        for (number, page) in (0..).zip(self.pages) {
            members[shard_of(&page.url, shards) as usize].push(number);
        }
        members.into_par_iter().map(|members| self.encode_shard(related, &members)).collect()
    }

    fn encode_shard(&self, related: &Related, members: &[u32]) -> Vec<u8> {
        let row = |related: &RelatedPage| {
            (self.path(related.page), self.title(related.page), related.cosine.thousandths())
        };
        let lists = members
            .iter()
            .map(|&page| (self.path(page), related.pages[page as usize].iter().map(row).collect()));
        let copies = members.iter().filter_map(|&page| {
            let CopyOf { original, same_words, others, examples } =
                related.copies[page as usize].as_ref()?;
            let pages = [original].into_iter().chain(examples);
            let rows = pages.map(|&page| (self.path(page), self.title(page))).collect();
            Some((self.path(page), (u8::from(*same_words), *others, rows)))
        });
        let shard: RelatedShard<&str> =
            RelatedShard { copies: copies.collect(), related: lists.collect() };
        let json = serde_json::to_vec(&shard).expect("texts and numbers are JSON");
        // The header has no name and no time, so that equal pages yield equal bytes.
        let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
        gzip.write_all(&json).and_then(|()| gzip.finish()).expect("memory takes everything")
    }
}

/// Writes shards and their entry into an output.
pub(crate) fn write(
    entry: &RelatedEntry,
    shards: &[Vec<u8>],
    into: &Path,
) -> Result<Part, BuildError> {
    let json = serde_json::to_vec(entry).expect("texts and numbers are JSON");
    let files = entry.names().zip(shards.iter().map(Vec::as_slice));
    Ok(write_files("related", files.chain([(ENTRY_NAME.to_owned(), json.as_slice())]), into)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::GzDecoder;
    use pagekin_core::hash;
    use pagekin_pairs::cosine::Cosine;
    use rustc_hash::FxHashSet;
    use std::io::Read;

    #[test]
    fn a_shard_is_decoded_and_damaged_ones_are_refused() {
        let page = |url: &str| WeightedPage {
            url: url.to_owned(),
            title: format!("Title of {url}"),
            ..WeightedPage::default()
        };
        let pages = [page("/docs/a.html"), page("/docs/"), page("/docs/b/")];
        let stored: Vec<_> = pages.iter().collect();
        let related =
            |page, thirds| RelatedPage { page, cosine: Cosine(Cosine::EQUAL.0 / 3 * thirds) };
        let lists = vec![vec![related(1, 2), related(2, 1)], vec![related(0, 2)], vec![]];
        let copy = CopyOf { original: 1, same_words: true, others: 3, examples: vec![2] };
        let related =
            Related { pages: lists, copies: vec![Some(copy), None, None], unknown: Vec::new() };
        let shards = StoredPages { pages: &stored, base_url: "/docs" }.encode(&related, 1);
        let mut json = String::new();
        GzDecoder::new(&shards[0][..]).read_to_string(&mut json).unwrap();
        let expected = r##"{"#copies":{"a.html":[1,3,[["","Title of /docs/"],["b/","Title of /docs/b/"]]]},"":[["a.html","Title of /docs/a.html",667]],"a.html":[["","Title of /docs/",667],["b/","Title of /docs/b/",333]],"b/":[]}"##;
        assert_eq!(json, expected);

        let entry = RelatedEntry::new(1, "/docs", 1);
        let hash = |page: &WeightedPage| hash::of_bytes(page.url.as_bytes());
        let urls: FxHashSet<_> = pages.iter().map(hash).collect();
        let check = |bytes: &[u8], urls| entry.check_shard(0, "x.kin", bytes, urls);
        assert_eq!(check(&shards[0], &urls), Ok(3));
        let fewer: FxHashSet<_> = pages[..2].iter().map(hash).collect();
        assert!(check(&shards[0], &fewer).is_err());
        assert!(check(&shards[0][..shards[0].len() - 1], &urls).is_err());
        assert!(check(&[&shards[0][..], b"x"].concat(), &urls).is_err());
        assert!(check(expected.as_bytes(), &urls).is_err());
        // The checksum of gzip does not cover the header.
        for bit in 0..80 {
            let mut flipped = shards[0].clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&flipped, &urls).is_err(), "bit {bit}");
        }
    }
}
