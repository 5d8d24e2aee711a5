//! A block of page records.
//!
//! The length of its *head* (u32), then the deflated head, then the terms of its pages, through the
//! [`coder`](super::coder).
//!
//! The head is stored in columns, because similar values deflate best next to each other: the
//! number of pages; their slots; their URLs and titles, each front-coded against that of the
//! previous page; the classes of their lengths; their copies, languages and whether they are
//! listings; the number of terms of each; the number of words of
//! the block that are rarer than those of the vocabulary, and the number of identifiers; their
//! metadata, if any page has some.
//!
//! The terms of the vocabulary follow in its order, each with a bit that shows whether a page of
//! the block contains it, then the rarer ones by id. Each comes with a bit for each page, and with
//! the class of its frequency on each page that contains it. An index of bags alone stores the
//! count of the term in the bag instead. If the index has embeddings, those of the pages follow.

use std::ops::Range;

use super::coded::Coded;
use super::coder::{Bits, Counts, Decoder, Encoder, max_values, min_bytes};
use super::embeddings;
use super::page_contexts::{CONTEXTS, EMBEDDING_AT, RARE_AT, RARE_WORD, common_at, group_of};
use super::page_metadata::{self, PageMetadata};
use super::page_terms::{self, Coding, PageTerm, Value};
use super::sealed::{HEADER_BYTES, open};
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{Kind, Manifest, ReadError, slots, terms};
use crate::bag::{Bag, FREQUENCIES};
use crate::embedding::Embedding;
use crate::hash;
use crate::sort;
use crate::vocabulary::{TermId, Vocabulary, is_identifier};

/// The record of a page in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRecord {
    /// The URL of the page.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// The [`length_class`](crate::fit::length_class) of all of its terms.
    pub length: u8,
    /// The group of copies that it is in, or 0 if it has no copies. See [`group_of_copies`].
    pub copies: u32,
    /// The [number of its language](Manifest::language_number), or 0 if it is unknown.
    pub language: u32,
    /// Whether it mostly lists other pages of the site, or source code.
    pub is_listing: bool,
    /// What results show of it besides its title.
    pub metadata: PageMetadata,
    /// Its terms, ordered by id, at most [`MAX_TERMS_OF_PAGE`]. In an index of bags alone these are
    /// the terms of the bag, with class 0.
    pub terms: Vec<PageTerm>,
    /// Its whole bag.
    pub bag: Bag,
    /// Its embedding, if it has one.
    pub embedding: Option<Embedding>,
}

impl PageRecord {
    /// Returns the record of a term, or `None` if the page does not contain it.
    #[must_use]
    pub fn term(&self, id: TermId) -> Option<&PageTerm> {
        let at = self.terms.binary_search_by_key(&id, |term| term.id).ok()?;
        Some(&self.terms[at])
    }

    /// Whether the page is the original of its copies.
    #[must_use]
    pub fn is_original(&self) -> bool {
        self.copies & 1 == 1
    }
}

/// Returns [`PageRecord::copies`] for a page of a group: 16 bits of a hash of the original's URL,
/// so that it stays when other copies are added, and in the lowest bit whether it is the original.
#[must_use]
pub fn group_of_copies(original: &str, is_original: bool) -> u32 {
    let hash = hash::of_bytes(original.as_bytes()) as u32 & 0xffff;
    (hash + 1) << 1 | u32::from(is_original)
}

/// Returns the part of [`PageRecord::copies`] that all pages of a group have in common, or 0 if a
/// page has no copies.
#[must_use]
pub const fn group_number(copies: u32) -> u32 {
    copies >> 1
}

/// Maximum number of terms of a record. A page with more keeps the heaviest.
pub const MAX_TERMS_OF_PAGE: usize = 4_096;
/// Maximum number of terms of all pages of a block, and of bits that show which page contains
/// which.
const MAX_TERMS: usize = 1 << 20;
const MAX_BITS: u64 = 1 << 25;
/// Maximum number of terms of a vocabulary that blocks store by rank. With more terms, a bit for
/// each is too much, and all terms are stored by id.
const MAX_COMMON: u32 = 8_192;

/// Pages that are stored together.
///
/// Each has its slot, ascending: page `n` of an index is in slot `n % block_pages` of block `n /
/// block_pages`. A slot may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageBlock(pub Vec<(u32, PageRecord)>);

/// A borrowed [`PageRecord`] from which a block is written, as far as an index stores it.
#[derive(Debug, Clone)]
pub struct WrittenPage<'a> {
    /// See [`PageRecord::url`].
    pub url: &'a str,
    /// See [`PageRecord::title`].
    pub title: &'a str,
    /// See [`PageRecord::length`].
    pub length: u8,
    /// See [`PageRecord::copies`].
    pub copies: u32,
    /// See [`PageRecord::language`].
    pub language: u32,
    /// See [`PageRecord::is_listing`].
    pub is_listing: bool,
    /// See [`PageRecord::metadata`].
    pub metadata: &'a PageMetadata,
    /// Written if the index contains the terms of texts, see [`Manifest::texts`].
    pub terms: &'a [PageTerm],
    /// Written if the index contains bags alone.
    pub bag: &'a Bag,
    /// Written if the index has embeddings, see [`Manifest::embeddings`].
    pub embedding: Option<&'a Embedding>,
}

/// Pages that are written together, each with its slot, ascending.
#[derive(Debug, Clone)]
pub struct WrittenBlock<'a>(pub Vec<(u32, WrittenPage<'a>)>);

impl Coded for WrittenBlock<'_> {
    const CONTEXTS: usize = CONTEXTS;

    fn count(&self, counts: &mut Counts, manifest: &Manifest) {
        Terms::new(self, manifest).write(counts, manifest);
    }
}

/// Returns the number of terms of a vocabulary that blocks store by rank.
fn common_terms(vocabulary: &Vocabulary) -> u32 {
    if vocabulary.len() > MAX_COMMON { 0 } else { vocabulary.len() }
}

/// Returns the group of each page by its number of terms.
fn page_groups(sizes: &[usize]) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    let times = |size: usize| 4 * size * sizes.len();
    let group =
        |&size: &usize| [2, 4, 7].iter().filter(|&&least| times(size) >= least * all).count();
    sizes.iter().map(group).collect()
}

/// The terms of a block, and the pages that contain them.
struct Terms<'a> {
    sizes: Vec<usize>,
    /// The values of each term on pages, by their indexes in the block.
    values: Vec<(u32, Value)>,
    /// The ranks of common terms, ascending, each with its places in `values`.
    common: Vec<(u32, Range<usize>)>,
    /// The ids of rare terms, ascending, each with its places in `values`.
    rare: Vec<(TermId, Range<usize>)>,
    /// By page.
    embeddings: Vec<Option<&'a Embedding>>,
}

impl<'a> Terms<'a> {
    fn new(block: &WrittenBlock<'a>, manifest: &Manifest) -> Self {
        let vocabulary = &manifest.vocabulary;
        let n = common_terms(vocabulary);
        let (mut common, mut rare) = (Vec::new(), Vec::new());
        let mut sizes = Vec::with_capacity(block.0.len());
        for (at, (_, page)) in (0u32..).zip(&block.0) {
            let mut add = |term: TermId, value: Value| match vocabulary.rank(term).filter(|_| n > 0)
            {
                Some(rank) => common.push((rank, at, value)),
                None => rare.push((term, at, value)),
            };
            if manifest.texts {
                for &PageTerm { id, class, emphasis, is_outside } in page.terms {
                    add(id, Value { number: class.into(), emphasis, is_outside });
                }
                sizes.push(page.terms.len());
            } else {
                let bag = page.bag.entries();
                for &(term, copies) in bag {
                    add(term, Value { number: u32::from(copies) - 1, ..Value::default() });
                }
                sizes.push(bag.len());
            }
        }
        let mut values = Vec::with_capacity(common.len() + rare.len());
        let common = runs(common, &mut values);
        let rare = runs(rare, &mut values);
        let embeddings = block.0.iter().map(|(_, page)| page.embedding).collect();
        Self { sizes, values, common, rare, embeddings }
    }

    fn write(&self, bits: &mut impl Bits, manifest: &Manifest) {
        let (pages, texts) = (page_groups(&self.sizes), manifest.texts);
        let mut common = self.common.iter().peekable();
        for rank in 0..common_terms(&manifest.vocabulary) {
            let idf = manifest.vocabulary.get(rank).map_or(0, |(_, idf)| idf);
            let found = common.next_if(|(found, _)| *found == rank);
            bits.bit(common_at(pages.len(), idf), found.is_some());
            if let Some((_, places)) = found {
                let values = &self.values[places.clone()];
                page_terms::write(bits, Coding { texts, group: group_of(idf) }, values, &pages);
            }
        }
        let mut next = [0; 2];
        for (term, places) in &self.rare {
            let of = terms::write_id(bits, RARE_AT, *term, &mut next);
            let values = &self.values[places.clone()];
            page_terms::write(bits, Coding { texts, group: RARE_WORD + of }, values, &pages);
        }
        if manifest.embeddings {
            for &embedding in &self.embeddings {
                embeddings::write(bits, EMBEDDING_AT, embedding);
            }
        }
    }
}

/// Sorts the values of terms on pages, and appends them to `values`. Returns each term with its
/// places there.
fn runs<T: Copy + Ord>(
    mut terms: Vec<(T, u32, Value)>,
    values: &mut Vec<(u32, Value)>,
) -> Vec<(T, Range<usize>)> {
    terms.sort_unstable_by_key(|&(term, at, _)| (term, at));
    let run = |run: &[(T, u32, Value)]| {
        let start = values.len();
        values.extend(run.iter().map(|&(_, at, value)| (at, value)));
        (run[0].0, start..values.len())
    };
    terms.chunk_by(|a, b| a.0 == b.0).map(run).collect()
}

impl<'a> From<&'a PageRecord> for WrittenPage<'a> {
    fn from(record: &'a PageRecord) -> Self {
        let &PageRecord { length, copies, language, is_listing, .. } = record;
        let PageRecord { url, title, metadata, terms, bag, embedding, .. } = record;
        let embedding = embedding.as_ref();
        Self { url, title, length, copies, language, is_listing, metadata, terms, bag, embedding }
    }
}

impl<'a> From<&'a PageBlock> for WrittenBlock<'a> {
    fn from(block: &'a PageBlock) -> Self {
        Self(block.0.iter().map(|(slot, record)| (*slot, record.into())).collect())
    }
}

impl WrittenBlock<'_> {
    /// Returns the payload, in the index of `manifest`.
    #[must_use]
    pub fn encode(&self, manifest: &Manifest) -> Vec<u8> {
        let mut head = Writer::new();
        slots::write(&mut head, &self.0);
        let mut before = "";
        for (_, page) in &self.0 {
            head.front_coded(before, page.url);
            before = page.url;
        }
        before = "";
        for (_, page) in &self.0 {
            head.front_coded(before, page.title);
            before = page.title;
        }
        for (_, page) in &self.0 {
            head.u8(page.length);
        }
        for (_, page) in &self.0 {
            head.varint(page.copies);
        }
        for (_, page) in &self.0 {
            head.varint(page.language << 1 | u32::from(page.is_listing));
        }
        let terms = Terms::new(self, manifest);
        for &size in &terms.sizes {
            head.varint(size as u32);
        }
        let identifiers = terms.rare.iter().filter(|(term, _)| is_identifier(*term)).count();
        head.varint((terms.rare.len() - identifiers) as u32);
        head.varint(identifiers as u32);
        page_metadata::write(&mut head, self.0.iter().map(|(_, page)| page.metadata));
        let head = head.finish();
        let mut encoder = Encoder::new(&manifest.page_model);
        terms.write(&mut encoder, manifest);
        let mut writer = Writer::new();
        writer.u32(head.len() as u32);
        writer.bytes(&head);
        writer.bytes(&encoder.finish(min_bytes(terms.sizes.iter().sum())));
        writer.finish()
    }
}

impl PageBlock {
    /// Returns the record in a slot.
    #[must_use]
    pub fn page(&self, slot: u32) -> Option<&PageRecord> {
        slots::at(&self.0, slot)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let of_page = |(_, page): &(u32, PageRecord)| {
            let PageRecord { url, title, metadata, terms, bag, .. } = page;
            let texts = url.len() + title.len() + metadata.lines().len();
            size_of_val(page) + texts + size_of_val(&**terms) + size_of_val(bag.entries())
        };
        self.0.iter().map(of_page).sum()
    }

    /// Reads a block of the index of `manifest`, sealed by `generation`.
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
        let stored = bytes.len() - HEADER_BYTES;
        read_whole(name, &payload, |reader| Self::read(reader, manifest, stored))
    }

    fn read(reader: &mut Reader<'_>, manifest: &Manifest, stored: usize) -> Result<Self, Damaged> {
        let n = reader.u32("the bytes of a head")? as usize;
        let mut head = Reader::new(reader.bytes(n, "a head")?);
        let mut block = Self::default();
        let mut url = String::new();
        for slot in slots::read(&mut head, manifest.block_pages)? {
            head.front_coded(&mut url, "an address")?;
            manifest.check_address(&url)?;
            block.0.push((slot, PageRecord { url: url.clone(), ..PageRecord::default() }));
        }
        let mut title = String::new();
        for (_, page) in &mut block.0 {
            head.front_coded(&mut title, "a title")?;
            page.title.clone_from(&title);
        }
        for (_, page) in &mut block.0 {
            page.length = head.u8("the length of a page")?;
        }
        for (_, page) in &mut block.0 {
            page.copies = head.varint("the copies of a page")?;
        }
        for (_, page) in &mut block.0 {
            let kind = head.varint("the kind of a page")?;
            (page.language, page.is_listing) = (kind >> 1, kind & 1 == 1);
            if page.language as usize > manifest.languages.len() {
                return Err(Damaged("a language of the site"));
            }
        }
        block.read_terms(&mut head, reader, manifest, stored)?;
        page_metadata::read(&mut head, block.0.iter_mut().map(|(_, page)| &mut page.metadata))?;
        head.end()?;
        Ok(block)
    }

    fn read_terms(
        &mut self,
        head: &mut Reader<'_>,
        reader: &mut Reader<'_>,
        manifest: &Manifest,
        stored: usize,
    ) -> Result<(), Damaged> {
        let counts = TermCounts::read(head, self.0.len(), manifest, stored)?;
        let coded = reader.bytes(reader.rest().len(), "coded terms")?;
        let mut decoder = Decoder::new(&manifest.page_model, coded);
        let found = counts.read_terms(manifest, &mut decoder)?;
        if manifest.embeddings {
            for (_, page) in &mut self.0 {
                page.embedding = embeddings::read(&mut decoder, EMBEDDING_AT);
            }
        }
        if !decoder.is_at_end(min_bytes(counts.all)) {
            return Err(Damaged("nothing behind its terms"));
        }
        for (((_, page), mut terms), size) in self.0.iter_mut().zip(found).zip(counts.sizes) {
            sort::by_key(&mut terms, |term| term.0);
            if terms.len() != size || terms.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Damaged("as many terms as it says"));
            }
            if manifest.texts {
                let in_text = terms.iter().filter(|(_, value)| !value.is_outside);
                let tf = |&(term, value): &(TermId, Value)| {
                    (term, FREQUENCIES[value.number as usize].into())
                };
                let counts: Vec<_> = in_text.map(tf).collect();
                page.bag = Bag::weigh(&counts, &manifest.vocabulary, &manifest.params.bag);
                let term = |(id, Value { number, emphasis, is_outside })| PageTerm {
                    id,
                    class: number as u8,
                    emphasis,
                    is_outside,
                };
                page.terms = terms.into_iter().map(term).collect();
            } else {
                page.bag = bag_of(&terms, manifest)?;
                page.terms = terms.into_iter().map(|(id, _)| PageTerm::from_text(id, 0)).collect();
            }
        }
        Ok(())
    }
}

/// The numbers of terms in a block, from its head.
struct TermCounts {
    /// The number of terms of each page.
    sizes: Vec<usize>,
    all: usize,
    /// The numbers of words outside the vocabulary and of identifiers.
    rare: [u32; 2],
}

impl TermCounts {
    /// Reads those of a block with a number of pages and of stored bytes.
    fn read(
        head: &mut Reader<'_>,
        pages: usize,
        manifest: &Manifest,
        stored: usize,
    ) -> Result<Self, Damaged> {
        let most =
            if manifest.texts { MAX_TERMS_OF_PAGE } else { manifest.params.bag.max_terms.into() };
        let mut sizes = Vec::with_capacity(pages);
        for _ in 0..pages {
            let size = head.varint("the number of terms of a page")? as usize;
            if size > most {
                return Err(Damaged("no more terms of a page than the manifest allows"));
            }
            sizes.push(size);
        }
        let rare =
            [head.varint("the number of rare words")?, head.varint("the number of identifiers")?];
        let all: usize = sizes.iter().sum();
        let common = common_terms(&manifest.vocabulary);
        let rare_terms = u64::from(rare[0]) + u64::from(rare[1]);
        // Each rare term is on at least one page.
        if all > MAX_TERMS.min(max_values(stored))
            || rare_terms > all as u64
            || (rare_terms + u64::from(common)).saturating_mul(pages as u64) > MAX_BITS
        {
            return Err(Damaged("a sensible number of terms"));
        }
        Ok(Self { sizes, all, rare })
    }

    /// Reads the terms of each page with their values.
    fn read_terms(
        &self,
        manifest: &Manifest,
        decoder: &mut Decoder<'_>,
    ) -> Result<Vec<Vec<(TermId, Value)>>, Damaged> {
        let (pages, texts) = (page_groups(&self.sizes), manifest.texts);
        let mut found: Vec<Vec<(TermId, Value)>> = vec![Vec::new(); self.sizes.len()];
        let mut left = self.all;
        for rank in 0..common_terms(&manifest.vocabulary) {
            let Some((term, idf)) = manifest.vocabulary.get(rank) else { continue };
            if decoder.bit(common_at(pages.len(), idf)) {
                let add = |at: usize, value| found[at].push((term, value));
                let of = Coding { texts, group: group_of(idf) };
                let n = page_terms::read(decoder, of, &pages, add);
                left = left.checked_sub(n).ok_or(Damaged("as many terms as it says"))?;
            }
        }
        for (of, n) in self.rare.into_iter().enumerate() {
            let mut next = 0;
            for _ in 0..n {
                let term = terms::read_id(decoder, RARE_AT, of, &mut next)?;
                let add = |at: usize, value| found[at].push((term, value));
                let of = Coding { texts, group: RARE_WORD + of };
                let n = page_terms::read(decoder, of, &pages, add);
                left = left.checked_sub(n).ok_or(Damaged("as many terms as it says"))?;
            }
        }
        Ok(found)
    }
}

/// Returns a bag of terms with their counts minus one, if the manifest allows it.
fn bag_of(terms: &[(TermId, Value)], manifest: &Manifest) -> Result<Bag, Damaged> {
    let mut size = 0;
    let mut entries = Vec::with_capacity(terms.len());
    for &(term, value) in terms {
        let copies = u16::try_from(value.number).ok().and_then(|value| value.checked_add(1));
        let copies = copies.ok_or(Damaged("at most 65,535 copies"))?;
        size += usize::from(copies);
        entries.push((term, copies));
    }
    // Rounding may add 1 to the count of each term.
    if size > usize::from(manifest.params.bag.sum) + entries.len() {
        return Err(Damaged("no more copies in a bag than the manifest allows"));
    }
    Bag::from_sorted(entries).map_err(|_| Damaged("a term once in a bag"))
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::bag::BagRules;
    use crate::params::Preset;
    use crate::shard::embeddings::tests::any_embedding;
    use crate::shard::manifest::tests::manifest;
    use crate::vocabulary::term_id;
    use proptest::prelude::*;

    /// A stem by its number. Stems from 40 on are identifiers.
    fn stem(at: u32) -> String {
        let letters =
            format!("{}{}", char::from(b'a' + (at / 10) as u8), char::from(b'k' + (at % 10) as u8));
        if at < 40 { letters } else { letters + "_x" }
    }

    /// Returns a manifest whose vocabulary has the first ten stems. All others are rare.
    fn with_ten_terms(texts: bool) -> Manifest {
        let terms = (0..10).map(|at| (term_id(&stem(at)), 9 * at as u8 + 1));
        let vocabulary = Vocabulary::new(terms, 20);
        let preset = if texts { Preset::Web } else { Preset::Paper };
        let mut manifest = Manifest { vocabulary, texts, ..manifest(preset) };
        if !texts {
            manifest.params.bag = BagRules { sum: u16::MAX, ..manifest.params.bag };
        }
        manifest
    }

    /// Returns a bag by the numbers of stems.
    fn bag(entries: impl IntoIterator<Item = (u32, u16)>) -> Bag {
        let mut entries: Vec<_> =
            entries.into_iter().map(|(at, n)| (term_id(&stem(at)), n)).collect();
        entries.sort_unstable();
        Bag::from_sorted(entries).unwrap()
    }

    /// Returns a record in an index of bags alone.
    fn of_bag(bag: Bag) -> PageRecord {
        let terms = bag.entries().iter().map(|&(term, _)| PageTerm::from_text(term, 0)).collect();
        PageRecord { url: "/docs/a.html".to_owned(), bag, terms, ..PageRecord::default() }
    }

    fn sealed(block: &PageBlock, manifest: &Manifest) -> Vec<u8> {
        seal(Kind::Pages, 7, &WrittenBlock::from(block).encode(manifest))
    }

    #[test]
    fn bags_beyond_what_the_manifest_allows_are_refused() {
        let mut manifest = with_ten_terms(false);
        manifest.params.bag = Preset::Web.params(5).bag;
        let check = |entries: Vec<(u32, u16)>, allowed| {
            let block = PageBlock(vec![(0, of_bag(bag(entries)))]);
            let bytes = sealed(&block, &manifest);
            assert_eq!(PageBlock::decode("x", 7, &manifest, &bytes).is_ok(), allowed);
        };
        check((0..40).map(|term| (term, 11)).collect(), true);
        check((0..40).map(|term| (term, 12)).collect(), false);
        check(vec![(0, 402)], false);
        manifest.params.bag.max_terms = 39;
        let block = PageBlock(vec![(0, of_bag(bag((0..40).map(|term| (term, 1)))))]);
        assert!(PageBlock::decode("x", 7, &manifest, &sealed(&block, &manifest)).is_err());
    }

    #[test]
    fn urls_outside_the_site_are_refused() {
        let read = |url: &str, texts| {
            let manifest = with_ten_terms(texts);
            let page = PageRecord { url: url.to_owned(), ..of_bag(bag([(1, 1)])) };
            let bytes = sealed(&PageBlock(vec![(0, page)]), &manifest);
            PageBlock::decode("x", 7, &manifest, &bytes)
        };
        for texts in [true, false] {
            assert!(read("/docs/a.html", texts).is_ok());
            // Only a crawl contains pages with queries.
            assert_eq!(read("/docs/a.html?logout", texts).is_ok(), !texts);
            for url in ["javascript:alert(1)", "//evil.example/docs/", "/docs", "/docs/../logout"] {
                assert!(matches!(read(url, texts), Err(ReadError::Damaged { .. })), "{url}");
            }
        }
    }

    fn any_page()
    -> impl Strategy<Value = (String, String, std::collections::BTreeMap<u32, u32>, u8)> {
        (
            "/docs/[^\\x00-\\x1f?#\\\\./%]{0,20}",
            ".{0,20}",
            prop::collection::btree_map(0u32..80, 1u32..30, 0..60),
            any::<u8>(),
        )
    }

    proptest! {
        #[test]
        fn texts_that_are_written_are_read(
            pages in prop::collection::btree_map(0u32..16, any_page(), 0..16),
            learned: bool,
            embeddings: bool,
        ) {
            let mut manifest = Manifest { embeddings, ..with_ten_terms(true) };
            let rules = manifest.params.bag;
            let record = |(url, title, counts, length): (String, String, std::collections::BTreeMap<u32, u32>, u8)| {
                let mut counts: Vec<_> = counts.into_iter().map(|(at, tf)| (term_id(&stem(at)), tf)).collect();
                counts.sort_unstable();
                let term = |&(id, tf): &(TermId, u32)| match (id >> 3) as u8 % (crate::fit::DEFINED_CLASS + 1) {
                    emphasis @ 5.. if tf == 1 => PageTerm::outside(id, emphasis),
                    emphasis => {
                        let of_text = PageTerm::from_text(id, crate::bag::frequency_class(tf));
                        PageTerm { emphasis, ..of_text }
                    }
                };
                let terms: Vec<PageTerm> = counts.iter().map(term).collect();
                counts.retain(|&(id, _)| terms.iter().any(|term| term.id == id && !term.is_outside));
                let bag = Bag::weigh(&counts, &manifest.vocabulary, &rules);
                let pairs = [("title", &*title), ("url", &url)].into_iter();
                let metadata = PageMetadata::new(pairs.take(usize::from(length) % 3));
                PageRecord {
                    url,
                    title,
                    metadata,
                    length,
                    copies: u32::from(length) << 4,
                    language: 0,
                    is_listing: length & 1 == 1,
                    terms,
                    bag,
                    embedding: (embeddings && length % 3 > 0).then(|| any_embedding(length.into())),
                }
            };
            let block = PageBlock(pages.into_iter().map(|(slot, page)| (slot, record(page))).collect());
            if learned {
                let mut counts = Counts::for_coded::<WrittenBlock<'_>>();
                WrittenBlock::from(&block).count(&mut counts, &manifest);
                manifest.page_model = counts.model();
            }
            let bytes = sealed(&block, &manifest);
            prop_assert_eq!(PageBlock::decode("x", 7, &manifest, &bytes), Ok(block.clone()));
            for (slot, page) in &block.0 {
                prop_assert_eq!(block.page(*slot), Some(page));
                for term in &page.terms {
                    prop_assert_eq!(page.term(term.id), Some(term));
                }
            }
        }

        #[test]
        fn bags_that_are_written_are_read(
            pages in prop::collection::btree_map(0u32..16, prop::collection::btree_map(0u32..40, 1u16..30, 0..40), 0..16)
        ) {
            let manifest = with_ten_terms(false);
            let pages = pages.into_iter().map(|(slot, entries)| (slot, of_bag(bag(entries))));
            let block = PageBlock(pages.collect());
            prop_assert_eq!(PageBlock::decode("x", 7, &manifest, &sealed(&block, &manifest)), Ok(block));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>, head in 0u32..40) {
            for texts in [true, false] {
                let manifest = Manifest { embeddings: texts, ..with_ten_terms(texts) };
                let _ = PageBlock::decode("x", 7, &manifest, &seal(Kind::Pages, 7, &payload));
                let payload = [&head.to_le_bytes()[..], &payload].concat();
                let _ = PageBlock::decode("x", 7, &manifest, &seal(Kind::Pages, 7, &payload));
            }
        }

        #[test]
        fn a_changed_block_is_read_or_refused(at in 0usize..300, value: u8) {
            let manifest = with_ten_terms(false);
            let pages = (0..5).map(|slot| (slot, of_bag(bag((0..40).map(|term| (term, (slot + 1) as u16))))));
            let mut payload = WrittenBlock::from(&PageBlock(pages.collect())).encode(&manifest);
            let at = at % payload.len();
            payload[at] = value;
            let _ = PageBlock::decode("x", 7, &manifest, &seal(Kind::Pages, 7, &payload));
        }
    }

    #[test]
    fn copies_have_the_number_of_their_group_and_the_original_a_bit() {
        for at in 0..1_000 {
            let url = format!("/{at}.html");
            let [copy, original] = [false, true].map(|is| group_of_copies(&url, is));
            assert_eq!((copy + 1, copy % 2, group_number(copy)), (original, 0, copy / 2));
            let hash = hash::of_bytes(url.as_bytes()) % (1 << 16);
            assert_eq!(u64::from(group_number(copy)), hash + 1, "{url}");
        }
    }
}
