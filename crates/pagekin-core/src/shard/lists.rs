//! A shard of the lists of terms: for each of its terms the pages that contain it.
//!
//! A list contains for each page the level of its [`fit`](crate::fit), and the approximate count of
//! the term in its bag. A list has at most the [`MAX_POSTINGS`] pages with the highest levels, and
//! the number of pages that it would have without this limit.
//!
//! The numbers of words, of identifiers and of all postings come first, as varints. The rest goes
//! through the [`coder`](super::coder): the terms, ordered by id, then their lists in this order.
//! If the index has embeddings, those of the words follow. Lists of an index that is read whole
//! have these alone.

use super::coded::Coded;
use super::coder::{Bits, Counts, Decoder, Encoder, NUMBER, max_values, min_bytes};
use super::embeddings;
use super::list_contexts::{
    BLOCK_AT, CONTEXTS, COUNT_BITS, CUT_AT, EMBEDDING_AT, LENGTH_AT, NEXT_SLOT_AT, SLOT_AT,
    TERM_AT, count_at, group_of, level_at,
};
use super::sealed::{HEADER_BYTES, open};
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, Manifest, ReadError};
use crate::embedding::Embedding;
use crate::fit::LEVEL_BITS;
use crate::vocabulary::{IDENTIFIER_BITS, TERM_BITS, TermId, is_identifier};

/// Maximum number of pages of a list.
pub(crate) const MAX_POSTINGS: usize = 4_096;
/// Maximum number of postings of a shard, and of its lists.
const MAX_SHARD_POSTINGS: u32 = 1 << 21;
const MAX_LISTS: usize = 1 << 17;

/// The minimum count of each class of counts.
const MIN_COUNTS: [u16; 1 << COUNT_BITS] = [0, 1, 3, 5, 8, 12, 18, 31];
/// The count that each class is read as.
const TYPICAL_COUNTS: [u16; 1 << COUNT_BITS] = [0, 1, 3, 6, 9, 14, 23, 40];

/// A page that contains a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The number of the page.
    pub page: u32,
    /// The level of the page's fit to the term.
    pub level: u8,
    /// The class of the term's count in the page's bag, 0 if the bag does not contain it.
    count: u8,
}

impl Posting {
    /// Creates the posting of a page whose bag has this `count` of the term.
    #[must_use]
    pub fn new(page: u32, level: u8, count: u16) -> Self {
        let count = MIN_COUNTS.iter().take_while(|&&least| least <= count).count() - 1;
        Self { page, level, count: count as u8 }
    }

    /// Returns the approximate count of the term in the page's bag.
    #[must_use]
    pub fn count(self) -> u16 {
        TYPICAL_COUNTS[usize::from(self.count)]
    }
}

/// The pages that contain a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermList {
    /// The term.
    pub term: TermId,
    /// The number of pages that contain it, including those that were cut. 0 if the index is read
    /// whole.
    pub df: u32,
    /// Ordered by page, at least one, unless the index is read whole.
    pub postings: Vec<Posting>,
    /// The embedding of the word, if it has one.
    pub embedding: Option<Box<Embedding>>,
}

impl TermList {
    /// Creates the list of a term from its postings, in any order. If there are too many, those of
    /// the highest levels are kept, then those with higher counts, then the lower pages.
    #[must_use]
    pub fn new(term: TermId, mut postings: Vec<Posting>) -> Self {
        let df = postings.len() as u32;
        if postings.len() > MAX_POSTINGS {
            let weight = |posting: &Posting| (posting.level, posting.count, !posting.page);
            postings.sort_unstable_by_key(|posting| std::cmp::Reverse(weight(posting)));
            postings.truncate(MAX_POSTINGS);
        }
        postings.sort_unstable();
        Self { term, df, postings, embedding: None }
    }
}

/// Lists, ordered by the ids of their terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostingsShard(pub Vec<TermList>);

/// Returns the minimum number of bytes of coded lists, which must justify the counts that a reader
/// expects.
fn min_coded(words: usize, identifiers: usize, postings: usize) -> usize {
    min_bytes(postings).max(words).max(identifiers)
}

impl Coded for PostingsShard {
    const CONTEXTS: usize = CONTEXTS;

    fn count(&self, counts: &mut Counts, manifest: &Manifest) {
        self.write(counts, manifest);
    }
}

impl PostingsShard {
    /// Returns the list of a term.
    #[must_use]
    pub fn list(&self, term: TermId) -> Option<&TermList> {
        let at = self.0.binary_search_by_key(&term, |list| list.term).ok()?;
        Some(&self.0[at])
    }

    /// Returns the approximate size in memory, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let of_list = |list: &TermList| {
            let embedding = list.embedding.as_deref().map_or(0, size_of_val);
            size_of_val(list) + size_of_val(&*list.postings) + embedding
        };
        self.0.iter().map(of_list).sum()
    }

    fn write(&self, bits: &mut impl Bits, manifest: &Manifest) {
        let mut before = [None; 2];
        for list in &self.0 {
            let of = usize::from(is_identifier(list.term));
            // The first id in the shard is written as it is.
            let step = before[of].map_or(list.term, |before| list.term - before - 1);
            match before[of] {
                None => bits.even_bits(list.term, IDENTIFIER_BITS + 1),
                Some(_) => bits.number(TERM_AT[of], step),
            }
            before[of] = Some(list.term);
        }
        for list in self.0.iter().filter(|_| !manifest.read_whole) {
            list.write(bits, manifest.block_pages);
        }
        if manifest.embeddings {
            for list in self.0.iter().filter(|list| !is_identifier(list.term)) {
                embeddings::write(bits, EMBEDDING_AT, list.embedding.as_deref());
            }
        }
    }

    /// Returns the payload, in the index of `manifest`.
    #[must_use]
    pub fn encode(&self, manifest: &Manifest) -> Vec<u8> {
        let mut writer = Writer::new();
        let identifiers = self.0.iter().filter(|list| is_identifier(list.term)).count();
        let postings: usize = self.0.iter().map(|list| list.postings.len()).sum();
        let words = self.0.len() - identifiers;
        for n in [words, identifiers, postings] {
            writer.varint(n as u32);
        }
        let mut encoder = Encoder::new(&manifest.list_model);
        self.write(&mut encoder, manifest);
        writer.bytes(&encoder.finish(min_coded(words, identifiers, postings)));
        writer.finish()
    }

    /// Reads a shard of the index of `manifest`, sealed by `generation`.
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
        let (_, payload) = open(name, Kind::Lists, Some(generation), bytes)?;
        let stored = bytes.len() - HEADER_BYTES;
        read_whole(name, &payload, |reader| Self::read(reader, manifest, stored))
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest, stored: usize) -> Result<Self, Damaged> {
        let words = reader.count("the number of words")?;
        let identifiers = reader.count("the number of identifiers")?;
        let postings = reader.varint("the number of postings")?;
        let most =
            ((words + identifiers) as u64 * MAX_POSTINGS as u64).min(MAX_SHARD_POSTINGS.into());
        if u64::from(postings) > most
            || postings as usize > max_values(stored)
            || words + identifiers > MAX_LISTS
        {
            return Err(Damaged("a sensible number of lists and postings"));
        }
        let coded = reader.bytes(reader.rest().len(), "coded lists")?;
        let mut decoder = Decoder::new(&manifest.list_model, coded);
        let mut lists = Vec::with_capacity(words + identifiers);
        for (of, n) in [words, identifiers].into_iter().enumerate() {
            let mut before: Option<TermId> = None;
            for _ in 0..n {
                let term = match before {
                    None => decoder.even_bits(IDENTIFIER_BITS + 1),
                    Some(before) => (before + 1).saturating_add(decoder.number(TERM_AT[of])),
                };
                let most = [1 << TERM_BITS, 2 << IDENTIFIER_BITS][of];
                if term >= most || usize::from(is_identifier(term)) != of {
                    return Err(Damaged("ids of terms"));
                }
                before = Some(term);
                lists.push(TermList { term, df: 0, postings: Vec::new(), embedding: None });
            }
        }
        let mut left = postings as usize;
        for list in lists.iter_mut().filter(|_| !manifest.read_whole) {
            list.read(&mut decoder, manifest, left)?;
            left -= list.postings.len();
        }
        if manifest.embeddings {
            for list in &mut lists[..words] {
                list.embedding = embeddings::read(&mut decoder, EMBEDDING_AT).map(Box::new);
            }
        }
        let least = min_coded(words, identifiers, postings as usize);
        if left > 0 || !decoder.is_at_end(least) {
            return Err(Damaged("as many postings as it says"));
        }
        Ok(Self(lists))
    }
}

impl TermList {
    fn write(&self, bits: &mut impl Bits, block_pages: u32) {
        let n = self.postings.len();
        let group = group_of(n);
        let of = usize::from(is_identifier(self.term));
        bits.number(LENGTH_AT[of], n as u32 - 1);
        if n == MAX_POSTINGS {
            bits.number(CUT_AT, self.df - n as u32);
        }
        let mut before: Option<(u32, u32)> = None;
        let mut level_before = None;
        for posting in &self.postings {
            let (block, slot) = (posting.page / block_pages, posting.page % block_pages);
            let step = before.map_or(block, |(before, _)| block - before);
            bits.number(BLOCK_AT + group * NUMBER, step);
            match before {
                Some((_, slot_before)) if step == 0 => {
                    bits.number(NEXT_SLOT_AT + group / 2 * NUMBER, slot - slot_before - 1);
                }
                _ => bits.number(SLOT_AT, slot),
            }
            before = Some((block, slot));
            bits.symbol(level_at(group, level_before), LEVEL_BITS, posting.level.into());
            level_before = Some(posting.level);
            if of == 0 {
                bits.symbol(count_at(group, posting.level), COUNT_BITS, posting.count.into());
            }
        }
    }

    /// Reads the output of [`write`](Self::write), of at most `most` postings.
    fn read(
        &mut self,
        decoder: &mut Decoder<'_>,
        manifest: &Manifest,
        most: usize,
    ) -> Result<(), Damaged> {
        let block_pages = manifest.block_pages;
        let of = usize::from(is_identifier(self.term));
        let n = decoder.number(LENGTH_AT[of]) as usize + 1;
        if n > most.min(MAX_POSTINGS) {
            return Err(Damaged("as many postings as it says"));
        }
        let cut = if n == MAX_POSTINGS { decoder.number(CUT_AT) } else { 0 };
        self.df = (n as u32).checked_add(cut).ok_or(Damaged("a document frequency"))?;
        let group = group_of(n);
        let mut before: Option<(u32, u32)> = None;
        let mut level_before = None;
        self.postings.reserve_exact(n);
        for _ in 0..n {
            let step = decoder.number(BLOCK_AT + group * NUMBER);
            let block = before.map_or(0, |(block, _)| block).checked_add(step);
            let slot = match before {
                Some((_, slot_before)) if step == 0 => {
                    let step = decoder.number(NEXT_SLOT_AT + group / 2 * NUMBER);
                    step.checked_add(slot_before + 1)
                }
                _ => Some(decoder.number(SLOT_AT)),
            };
            let (Some(block), Some(slot)) = (block, slot) else {
                return Err(Damaged("a page of the index"));
            };
            if block >= manifest.blocks.shards || slot >= block_pages {
                return Err(Damaged("a page of the index"));
            }
            before = Some((block, slot));
            let level = decoder.symbol(level_at(group, level_before), LEVEL_BITS) as u8;
            level_before = Some(level);
            let count = match of {
                0 => decoder.symbol(count_at(group, level), COUNT_BITS) as u8,
                _ => 0,
            };
            self.postings.push(Posting { page: block * block_pages + slot, level, count });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::params::Preset;
    use crate::shard::embeddings::tests::any_embedding;
    use crate::shard::manifest::tests::manifest;
    use crate::shard::{Shards, shard_of_list};
    use proptest::prelude::*;

    fn of_blocks(blocks: u32) -> Manifest {
        Manifest { blocks: Shards::from_files(blocks), ..manifest(Preset::Web) }
    }

    fn any_shard() -> impl Strategy<Value = PostingsShard> {
        let term = prop_oneof![0u32..1 << 24, (1u32 << 26)..(1 << 27)];
        let posting = (0u8..8, 0u16..100);
        let postings = prop::collection::btree_map(0u32..16_000, posting, 1..60);
        prop::collection::btree_map(term, postings, 1..20).prop_map(|lists| {
            let list = |(term, postings): (u32, std::collections::BTreeMap<u32, (u8, u16)>)| {
                let count = |n| if is_identifier(term) { 0 } else { n };
                let posting = |(page, (level, n))| Posting::new(page, level, count(n));
                let has_embedding = !is_identifier(term) && term % 3 > 0;
                let embedding = has_embedding.then(|| Box::new(any_embedding(term.into())));
                let list = TermList::new(term, postings.into_iter().map(posting).collect());
                TermList { embedding, ..list }
            };
            PostingsShard(lists.into_iter().map(list).collect())
        })
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(
            shard in any_shard(), learned: bool, embeddings: bool, read_whole: bool,
        ) {
            let mut manifest = Manifest { embeddings, read_whole, ..of_blocks(1_000) };
            let mut shard = shard;
            for list in &mut shard.0 {
                list.embedding.take_if(|_| !embeddings);
                if read_whole {
                    *list = TermList { df: 0, postings: Vec::new(), ..list.clone() };
                }
            }
            if learned {
                let mut counts = Counts::for_coded::<PostingsShard>();
                shard.count(&mut counts, &manifest);
                manifest.list_model = counts.model();
            }
            let bytes = seal(Kind::Lists, 1, &shard.encode(&manifest));
            prop_assert_eq!(PostingsShard::decode("x", 1, &manifest, &bytes), Ok(shard.clone()));
            for list in &shard.0 {
                prop_assert_eq!(shard.list(list.term), Some(list));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>, counts in (0u8..9, 0u8..9, 0u8..127)) {
            let payload = [&[counts.0, counts.1, counts.2][..], &payload].concat();
            for (embeddings, read_whole) in [(true, false), (false, false), (true, true)] {
                let manifest = Manifest { embeddings, read_whole, ..of_blocks(9) };
                let _ = PostingsShard::decode("x", 1, &manifest, &seal(Kind::Lists, 1, &payload));
            }
        }

        #[test]
        fn each_shard_has_a_range_of_ids(a: u32, b: u32, shards in 1u32..10_000) {
            let (a, b) = (a % (1 << 24), b % (1 << 24));
            prop_assert!(shard_of_list(a.max(b), shards) < shards);
            prop_assert!(shard_of_list(a.min(b), shards) <= shard_of_list(a.max(b), shards));
            prop_assert!(shard_of_list(a | 1 << 26, shards) < shards);
        }
    }

    #[test]
    fn the_lightest_of_too_many_pages_are_cut() {
        let level = |page: u32| if page.is_multiple_of(5) { 1 } else { 3 };
        let list =
            TermList::new(7, (0..5_000).map(|page| Posting::new(page, level(page), 9)).collect());
        assert_eq!((list.df, list.postings.len()), (5_000, MAX_POSTINGS));
        let light = list.postings.iter().filter(|posting| posting.level == 1);
        assert_eq!(light.map(|posting| posting.page).max(), Some(5 * 95));
        let manifest = of_blocks(400);
        let shard = PostingsShard(vec![list]);
        let bytes = seal(Kind::Lists, 1, &shard.encode(&manifest));
        assert_eq!(PostingsShard::decode("x", 1, &manifest, &bytes), Ok(shard));
    }

    #[test]
    fn a_few_bytes_of_many_postings_are_refused() {
        // All pages have equal values and are in one block, so a posting takes almost no space.
        let mut manifest = Manifest { block_pages: 4_096, ..of_blocks(1) };
        let postings: Vec<_> = (0..4_096).map(|page| Posting::new(page, 3, 1)).collect();
        let list = |term: u32| TermList::new(1 + term, postings.clone());
        let shard = PostingsShard((0..200).map(list).collect());
        let mut counts = Counts::for_coded::<PostingsShard>();
        shard.count(&mut counts, &manifest);
        manifest.list_model = counts.model();
        let payload = shard.encode(&manifest);
        let all = 200 * postings.len();
        // The counts, and the minimum number of bytes of the postings.
        assert_eq!(payload.len(), 6 + (all - 65_536).div_ceil(64));
        let sealed = seal(Kind::Lists, 1, &payload);
        assert_eq!(sealed.len(), HEADER_BYTES + payload.len(), "nothing is deflated");
        assert_eq!(PostingsShard::decode("x", 1, &manifest, &sealed), Ok(shard));
        let end = payload.iter().rposition(|&byte| byte > 0).unwrap() + 1;
        assert!(end < payload.len() - 1_000, "the rest is padding");
        for payload in [&payload[..end], &[&payload[..], &[0]].concat()] {
            let sealed = seal(Kind::Lists, 1, payload);
            assert!(PostingsShard::decode("x", 1, &manifest, &sealed).is_err());
        }
    }

    #[test]
    fn lists_that_take_less_than_a_byte_each_are_read() {
        let mut manifest = of_blocks(1);
        let list = |term| TermList::new(term, vec![Posting::new(0, 0, 0)]);
        let shard = PostingsShard((0..100).map(list).collect());
        let mut counts = Counts::for_coded::<PostingsShard>();
        shard.count(&mut counts, &manifest);
        manifest.list_model = counts.model();
        let bytes = seal(Kind::Lists, 1, &shard.encode(&manifest));
        assert_eq!(bytes.len(), HEADER_BYTES + 3 + 100);
        assert_eq!(PostingsShard::decode("x", 1, &manifest, &bytes), Ok(shard));
    }

    #[test]
    fn counts_are_stored_by_class() {
        let typical = [0, 1, 2, 4, 10, 17, 400].map(|n| Posting::new(0, 0, n).count());
        assert_eq!(typical, [0, 1, 1, 3, 9, 14, 40]);
    }
}
