//! A block of page records.
//!
//! By columns, as like things deflate best beside each other: the number of pages; their slots; their addresses and
//! their titles, each front-coded against that of the page before; the low bytes of their signatures, if the parameters
//! store them; then the block's own dictionary: the ranks of the vocabulary's terms that its bags have, and the ids of
//! the rarer ones; then the numbers of terms of the bags; the terms of each, as places in the dictionary
//! in ascending order; and the copies of each less one.

use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, Manifest, ReadError, open, slots};
use crate::bag::Bag;
use crate::sort;
use crate::vocabulary::{TermId, Vocabulary};

/// What an index knows of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRecord {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The low bytes of its signature, or none (see [`crate::IndexParams::filter_percent`]).
    pub signature: Vec<u8>,
    /// Its bag, whole.
    pub bag: Bag,
}

/// Pages that lie together.
///
/// With their slots, ascending: page `n` of an index is in slot `n % block_pages` of block `n / block_pages`; a slot may
/// be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageBlock(pub Vec<(u32, PageRecord)>);

impl PageBlock {
    /// The record in a slot.
    #[must_use]
    pub fn page(&self, slot: u32) -> Option<&PageRecord> {
        slots::at(&self.0, slot)
    }

    /// The payload.
    #[must_use]
    pub fn encode(&self, vocabulary: &Vocabulary) -> Vec<u8> {
        let mut writer = Writer::new();
        slots::write(&mut writer, &self.0);
        let mut before = "";
        for (_, page) in &self.0 {
            writer.front_coded(before, &page.url);
            before = &page.url;
        }
        before = "";
        for (_, page) in &self.0 {
            writer.front_coded(before, &page.title);
            before = &page.title;
        }
        for (_, page) in &self.0 {
            writer.bytes(&page.signature);
        }
        let bags = || self.0.iter().map(|(_, page)| page.bag.entries());
        let mut rare: Vec<TermId> = bags().flatten().map(|entry| entry.0).collect();
        rare.sort_unstable();
        rare.dedup();
        let mut common: Vec<u32> = rare.iter().filter_map(|&term| vocabulary.rank(term)).collect();
        common.sort_unstable();
        rare.retain(|&term| vocabulary.rank(term).is_none());
        for terms in [&common, &rare] {
            writer.varint(terms.len() as u32);
            writer.ascending(terms.iter().copied());
        }
        let place = |term| match vocabulary.rank(term) {
            Some(rank) => common.partition_point(|&other| other < rank) as u32,
            None => (common.len() + rare.partition_point(|&other| other < term)) as u32,
        };
        let placed: Vec<Vec<(u32, u16)>> = bags()
            .map(|bag| {
                let mut placed: Vec<_> =
                    bag.iter().map(|&(term, copies)| (place(term), copies)).collect();
                placed.sort_unstable();
                placed
            })
            .collect();
        for bag in &placed {
            writer.varint(bag.len() as u32);
        }
        for bag in &placed {
            writer.ascending(bag.iter().map(|&(place, _)| place));
        }
        for &(_, copies) in placed.iter().flatten() {
            writer.varint(u32::from(copies) - 1);
        }
        writer.finish()
    }

    /// Reads a block of the index of `manifest`, sealed under `generation`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        manifest: &Manifest,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Pages, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| Self::read(reader, manifest))
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest) -> Result<Self, Damaged> {
        let mut block = Self::default();
        let mut url = String::new();
        for slot in slots::read(reader, manifest.block_pages)? {
            reader.front_coded(&mut url, "an address")?;
            block.0.push((slot, PageRecord { url: url.clone(), ..PageRecord::default() }));
        }
        let mut title = String::new();
        for (_, page) in &mut block.0 {
            reader.front_coded(&mut title, "a title")?;
            page.title.clone_from(&title);
        }
        let signature_bytes = manifest.params.stored_signature_bytes();
        for (_, page) in &mut block.0 {
            page.signature = reader.bytes(signature_bytes, "a signature")?.to_vec();
        }
        let terms = read_dictionary(reader, &manifest.vocabulary)?;
        let bags = read_bags(reader, block.0.len(), &terms, manifest)?;
        for ((_, page), bag) in block.0.iter_mut().zip(bags) {
            page.bag = bag;
        }
        Ok(block)
    }
}

/// The terms of a block by their places.
fn read_dictionary(
    reader: &mut Reader<'_>,
    vocabulary: &Vocabulary,
) -> Result<Vec<TermId>, Damaged> {
    let n = reader.count("the number of common terms")?;
    let mut terms = Vec::with_capacity(n);
    for rank in reader.ascending_run(n, "a common term")? {
        let term = vocabulary.id(rank);
        terms.push(term.ok_or(Damaged("a term of the vocabulary"))?);
    }
    let n = reader.count("the number of rare terms")?;
    terms.extend(reader.ascending_run(n, "a rare term")?);
    Ok(terms)
}

/// `n` bags over the terms of a block.
fn read_bags(
    reader: &mut Reader<'_>,
    n: usize,
    terms: &[TermId],
    manifest: &Manifest,
) -> Result<Vec<Bag>, Damaged> {
    let rules = manifest.params.bag;
    let mut sizes = Vec::with_capacity(n);
    for _ in 0..n {
        let size = reader.count("the number of terms of a bag")?;
        if size > usize::from(rules.max_terms) {
            return Err(Damaged("no more terms in a bag than the manifest allows"));
        }
        sizes.push(size);
    }
    let mut places = Vec::with_capacity(n);
    for &size in &sizes {
        places.push(reader.ascending_run(size, "a term of a bag")?);
    }
    let mut bags = Vec::with_capacity(n);
    for places in places {
        let mut entries = Vec::with_capacity(places.len());
        let mut size = 0;
        for place in places {
            let Some(&term) = terms.get(place as usize) else {
                return Err(Damaged("a term of the block's dictionary"));
            };
            let copies = reader.varint("the copies of a term")?;
            let copies = u16::try_from(copies).ok().and_then(|copies| copies.checked_add(1));
            let copies = copies.ok_or(Damaged("at most 65,535 copies"))?;
            size += usize::from(copies);
            entries.push((term, copies));
        }
        // Rounding may add a copy to each term.
        if size > usize::from(rules.sum) + entries.len() {
            return Err(Damaged("no more copies in a bag than the manifest allows"));
        }
        sort::by_key(&mut entries, |&(term, _)| term);
        bags.push(Bag::from_sorted(entries).ok_or(Damaged("a term once in a bag"))?);
    }
    Ok(bags)
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::bag::BagRules;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use crate::vocabulary::{Term, VocabularyBuilder, term_id};
    use proptest::prelude::*;

    /// Stems `s00` to `s09`; all others are rare.
    fn with_ten_terms(preset: Preset) -> Manifest {
        let mut builder = VocabularyBuilder::default();
        for at in 0..10 {
            let (stem, word) = (format!("s{at:02}"), format!("s{at:02}es"));
            assert!(builder.push(Term { stem: &stem, word: &word, idf: 9 }));
        }
        Manifest { vocabulary: builder.finish(20), ..manifest(preset) }
    }

    fn manifest_of_three_values() -> Manifest {
        let mut manifest = with_ten_terms(Preset::Paper);
        manifest.params.signature.m = 3;
        manifest.params.bag = BagRules { sum: u16::MAX, ..manifest.params.bag };
        manifest
    }

    /// A bag of terms `s00`, `s01` and so on by their numbers.
    fn bag(entries: impl IntoIterator<Item = (u32, u16)>) -> Bag {
        let mut entries: Vec<_> =
            entries.into_iter().map(|(at, n)| (term_id(&format!("s{at:02}")), n)).collect();
        entries.sort_unstable();
        Bag::from_sorted(entries).unwrap()
    }

    #[test]
    fn bags_beyond_what_the_manifest_allows_are_refused() {
        let manifest = with_ten_terms(Preset::Web);
        let check = |entries: Vec<(u32, u16)>, allowed| {
            let page = PageRecord { bag: bag(entries), ..PageRecord::default() };
            let block = PageBlock(vec![(0, page)]);
            let bytes = seal(Kind::Pages, 7, &block.encode(&manifest.vocabulary));
            assert_eq!(PageBlock::decode("x", 7, &manifest, &bytes).is_ok(), allowed);
        };
        check((0..64).map(|term| (term, 7)).collect(), true);
        check((0..65).map(|term| (term, 1)).collect(), false);
        check((0..64).map(|term| (term, 8)).collect(), false);
        check(vec![(0, 402)], false);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            pages in prop::collection::btree_map(0u32..16, (
                ".{0,20}", ".{0,20}", prop::collection::btree_map(0u32..60, 1u16..30, 0..40),
                prop::collection::vec(any::<u8>(), 3..=3),
            ), 0..16)
        ) {
            let pages = pages.into_iter().map(|(slot, (url, title, entries, signature))| {
                (slot, PageRecord { url, title, signature, bag: bag(entries) })
            });
            let block = PageBlock(pages.collect());
            let manifest = manifest_of_three_values();
            let bytes = seal(Kind::Pages, 7, &block.encode(&manifest.vocabulary));
            prop_assert_eq!(PageBlock::decode("x", 7, &manifest, &bytes), Ok(block.clone()));
            for (slot, page) in &block.0 {
                prop_assert_eq!(block.page(*slot), Some(page));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            for preset in [Preset::Web, Preset::Paper] {
                let manifest = with_ten_terms(preset);
                let _ = PageBlock::decode("x", 7, &manifest, &seal(Kind::Pages, 7, &payload));
            }
        }
    }
}
