//! The manifest: what an index is, where its shards are, and everything else that is needed before
//! the first query.

use std::ops::Range;

use super::coder::Model;
use super::sealed::{open, seal, unpadded};
use super::wire::{Damaged, Reader, Writer, read_whole};
use super::{
    Kind, ReadError, Shards, completion_contexts, list_contexts, page_contexts, stop, terms,
};
use crate::address;
use crate::bag::{BagRules, Frequency, Rounding};
use crate::hash;
use crate::lsh::{TableKey, TableRules, Tables};
use crate::minhash::SignatureParams;
use crate::params::IndexParams;
use crate::terms::{Language, StopLists};
use crate::vocabulary::{IDENTIFIER_BITS, TERM_BITS, TermId, Vocabulary, is_identifier};

/// The file name of the manifest in the folder of an index.
pub const MANIFEST_NAME: &str = "pagekin.manifest";

/// Maximum number of files in a folder, because some hosts and tools are slow with more.
pub const FOLDER_FILES: u32 = 500;
/// Maximum number of files that an index may list as written after its base generation, so that a
/// manifest stays small.
pub const MAX_REVISED: usize = 1_024;
/// Maximum number of shards of completions: 65,536 words take 128, and more words larger shards.
const MAX_COMPLETION_SHARDS: u32 = 1_024;
/// Maximum number of slots of a block, and of a shard of sketches.
const MAX_SLOTS: u32 = 1 << 15;
/// Maximum number of blocks of an index that is read whole.
pub(crate) const MAX_READ_WHOLE: usize = 16;

/// The overview of an index. Its size does not depend on the number of pages, except in packs,
/// whose manifest contains the lengths of shards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The parameters of bags, signatures and keys.
    pub params: IndexParams,
    /// The number of pages.
    pub pages: u32,
    /// The number of slots of a block of page records, at least 1. Page `n` is in slot `n %
    /// block_pages` of block `n / block_pages`. Slots may be empty, so a page keeps its number when
    /// others are removed.
    pub block_pages: u32,
    /// The generations whose files are in use, at least one. The last is that of this build, a hash
    /// of all its payloads. The first is that of the build that wrote all files that were not
    /// revised.
    pub generations: Vec<u64>,
    /// The LSH tables. Without shards if the lists are enough, or a lookup reads all blocks.
    pub tables: Shards,
    /// The lists of terms. If the index is read whole, those of the words that have embeddings,
    /// without postings.
    pub lists: Shards,
    /// The blocks of page records.
    pub blocks: Shards,
    /// The addresses: at least one shard.
    pub addresses: Shards,
    /// The sample of pages: one shard.
    pub sample: Shards,
    /// The sketches of pages. Without shards if the texts of the pages were not available.
    pub sketches: Shards,
    /// The words to show for terms: one shard.
    pub words: Shards,
    /// The words that typed words are completed or corrected to. Without shards if the texts of the
    /// pages were not available.
    pub completions: Shards,
    /// The filters and sort keys. Without shards if no page has any.
    pub filters: Shards,
    /// The beginnings of the words of all shards of completions but the first, ascending: each at
    /// most the first word of its shard, and greater than the last word of the previous shard.
    pub completion_starts: Vec<String>,
    /// The number of slots of a shard of sketches: page `n` is in slot `n % sketch_pages` of shard
    /// `n / sketch_pages`.
    pub sketch_pages: u32,
    /// Maximum number of values of a sketch, 1 to 1,024. A page with fewer shingles has one for
    /// each.
    pub sketch_values: u16,
    /// Whether records contain all terms of the pages' texts, including identifiers, and not those
    /// of their bags alone.
    pub texts: bool,
    /// Whether pages and words have [embeddings](crate::embedding).
    pub embeddings: bool,
    /// Whether the site is so small that a lookup reads all its blocks. It has no tables.
    pub read_whole: bool,
    /// The mean number of terms of a page, at least 1, to which the lengths of pages are compared.
    pub mean_length: u32,
    /// The similarity of two random pages, in 65,536ths. A similarity that is not above it means
    /// nothing.
    pub background: u16,
    /// The probabilities of bits in lists, blocks, and completions.
    pub list_model: Model,
    /// See [`list_model`](Self::list_model).
    pub page_model: Model,
    /// See [`list_model`](Self::list_model).
    pub completion_model: Model,
    /// The common start of all URLs, as given to the build. Empty if URLs are absolute, of several
    /// hosts.
    pub base_url: String,
    /// The path of the folder of the index below the root of the site, such as `pagekin/`. From it
    /// and its own URL, a browser knows where the site is. Empty if the index is outside the site's
    /// folder, or if URLs have a host.
    pub place: String,
    /// The languages of the pages, each with its number of pages, most pages first.
    pub languages: Vec<(Language, u32)>,
    /// The weights of terms.
    pub vocabulary: Vocabulary,
    /// The stop words of the languages.
    pub stop: StopLists,
}

impl Manifest {
    /// Returns the number of a language in records: its place, from 1, among the site's languages
    /// in the order of their codes, or 0 if no page is in it. So a page keeps its number when
    /// another language becomes the most common.
    #[must_use]
    pub fn language_number(&self, language: &Language) -> u32 {
        language_number(&self.languages, language)
    }

    /// Returns the manifest as the bytes of its file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut head = Writer::new();
        let BagRules { sum, rounding, frequency, max_terms } = self.params.bag;
        head.u16(sum);
        head.u8(match rounding {
            Rounding::LargestRemainder => 0,
            Rounding::Dithered => 1,
        });
        head.u8(match frequency {
            Frequency::Linear => 0,
            Frequency::SquareRoot => 1,
        });
        head.u16(max_terms);
        let SignatureParams { m, bits, seed } = self.params.signature;
        head.u16(m);
        head.u8(bits);
        head.u64(seed);
        let (rule, first, second) = match self.params.tables {
            TableRules::Independent { k, l } => (0, k, l),
            TableRules::Anchored { anchors, partners } => (1, anchors, u16::from(partners)),
        };
        head.u8(rule);
        head.u8(first);
        head.u16(second);
        head.u8(0);
        head.u32(self.pages);
        head.u32(self.block_pages);
        head.varint(self.generations.len() as u32);
        for &generation in &self.generations {
            head.u64(generation);
        }
        self.write_parts(&mut head);
        head.u32(self.sketch_pages);
        head.u16(self.sketch_values);
        let lacks_postings = self.read_whole && self.lists.shards > 0;
        let kinds = [self.texts, self.embeddings, lacks_postings];
        head.u8((0..).zip(kinds).map(|(bit, has)| u8::from(has) << bit).sum());
        head.u32(self.mean_length);
        head.u16(self.background);
        for model in [&self.list_model, &self.page_model, &self.completion_model] {
            head.varint(model.bytes().len() as u32);
            head.bytes(model.bytes());
        }
        head.text(&self.base_url);
        head.varint(self.languages.len() as u32);
        for (language, pages) in &self.languages {
            head.text(language.code());
            head.varint(*pages);
        }
        let coded = terms::write(&mut head, &self.vocabulary);
        stop::write(&mut head, &self.stop);
        self.write_end(&mut head);
        let head = head.finish();
        let mut writer = Writer::new();
        writer.u32(head.len() as u32);
        writer.bytes(&head);
        writer.bytes(&coded);
        seal(Kind::Manifest, self.generation(), &writer.finish())
    }

    /// Writes what most indexes lack.
    fn write_end(&self, head: &mut Writer) {
        if !self.place.is_empty() || self.filters.shards > 0 {
            head.text(&self.place);
        }
        if self.filters.shards > 0 {
            self.filters.write(head);
        }
    }

    fn write_parts(&self, head: &mut Writer) {
        let kinds = Kind::NUMBERED.into_iter().filter(|&kind| kind != Kind::Filters);
        for part in kinds.filter_map(|kind| self.part(kind)) {
            part.write(head);
        }
        let mut before = "";
        for start in &self.completion_starts {
            head.front_coded(before, start);
            before = start;
        }
    }

    /// Reads the bytes of [`encode`](Self::encode).
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind but `WrongGeneration`.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReadError> {
        let (generation, payload) = open(MANIFEST_NAME, Kind::Manifest, None, bytes)?;
        read_whole(MANIFEST_NAME, &payload, |reader| Self::read(reader, generation))
    }

    // The functions that it calls are inlined, as each is called once. Otherwise they take more
    // bytes in a browser.
    fn read(whole: &mut Reader<'_>, generation: u64) -> Result<Self, Damaged> {
        let n = whole.u32("the bytes of a head")? as usize;
        let reader = &mut Reader::new(whole.bytes(n, "a head")?);
        let params = read_params(reader)?;
        let pages = reader.u32("the number of pages")?;
        let block_pages = reader.u32("the slots of a block")?;
        let generations = read_generations(reader, generation)?;
        let mut shards = || Shards::read(reader, generations.len());
        let (tables, lists, blocks, addresses) = (shards()?, shards()?, shards()?, shards()?);
        let (sample, sketches, words, completions) = (shards()?, shards()?, shards()?, shards()?);
        let completion_starts = read_starts(reader, completions.shards)?;
        let sketch_pages = reader.u32("the slots of a shard of sketches")?;
        let sketch_values = reader.u16("the values of a sketch")?;
        let [texts, embeddings, lacks_postings] = read_kinds(reader)?;
        let read_whole = tables.shards == 0 && (lists.shards == 0 || lacks_postings);
        let mean_length = reader.u32("the mean length of a page")?;
        let background = reader.u16("the similarity of two random pages")?;
        let [list_model, page_model, completion_model] = read_models(reader)?;
        let base_url = reader.text("a base address")?.to_owned();
        let languages = read_languages(reader)?;
        let coded = whole.bytes(whole.rest().len(), "coded terms")?;
        let vocabulary = terms::read(reader, coded)?;
        let stop = stop::read(reader)?;
        let (place, filters) = (read_place(reader)?, read_filters(reader, generations.len())?);
        if !reader.rest().is_empty() {
            return Err(Damaged("nothing behind its filters"));
        }
        let manifest = Self {
            params,
            pages,
            block_pages,
            generations,
            tables,
            lists,
            blocks,
            addresses,
            sample,
            sketches,
            words,
            completions,
            filters,
            completion_starts,
            sketch_pages,
            sketch_values,
            texts,
            embeddings,
            read_whole,
            mean_length,
            background,
            list_model,
            page_model,
            completion_model,
            base_url,
            place,
            languages,
            vocabulary,
            stop,
        };
        manifest.check().map(|()| manifest)
    }

    /// Whether the numbers of shards and slots are consistent.
    #[inline(always)]
    fn check(&self) -> Result<(), Damaged> {
        let Self { blocks, addresses, sample, sketches, words, .. } = self;
        let Self { pages, block_pages, sketch_pages, sketch_values, .. } = *self;
        if block_pages == 0 || addresses.shards * sample.shards * words.shards == 0 {
            return Err(Damaged("slots in a block, and shards of addresses, samples and words"));
        }
        if blocks.shards.checked_mul(block_pages).is_none_or(|slots| slots < pages) {
            return Err(Damaged("a slot for each page"));
        }
        if block_pages.max(sketch_pages) > MAX_SLOTS {
            return Err(Damaged("at most 32,768 slots in a block or a shard of sketches"));
        }
        if sketch_pages == 0 || !(1..=1_024).contains(&sketch_values) {
            return Err(Damaged("slots in a shard of sketches, and 1 to 1,024 values in a sketch"));
        }
        if sketches.shards > 0
            && sketches.shards != (blocks.shards * block_pages).div_ceil(sketch_pages)
        {
            return Err(Damaged("a slot of a sketch for each slot of a page"));
        }
        if self.read_whole && blocks.shards as usize > MAX_READ_WHOLE {
            return Err(Damaged("lists or tables for this number of blocks"));
        }
        Ok(())
    }

    /// Returns the generation of this build.
    ///
    /// # Panics
    ///
    /// If there is none. A manifest that was read has one.
    #[must_use]
    pub fn generation(&self) -> u64 {
        *self.generations.last().expect("a manifest has a generation")
    }

    /// Returns the common start of all URLs, for display.
    #[must_use]
    pub fn shown_base_url(&self) -> &str {
        if self.base_url.is_empty() { "http:// or https://" } else { &self.base_url }
    }

    /// Refuses a string that is not the URL of a page of this index. Links lead to these URLs, and
    /// the sender of a shard must not choose where to. Only pages of a crawl have a query.
    pub(super) fn check_address(&self, address: &str) -> Result<(), Damaged> {
        let is_sound = address::is_of_index(address, &self.base_url, !self.texts);
        is_sound.then_some(()).ok_or(Damaged("addresses below the base address of the index"))
    }

    /// Whether lists have the pages that contain their terms.
    #[must_use]
    pub fn has_postings(&self) -> bool {
        self.lists.shards > 0 && !self.read_whole
    }

    /// Returns the number of slots of all blocks, which is an upper bound of page numbers.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.blocks.shards * self.block_pages
    }

    /// Returns the shards of a kind. The manifest has none.
    #[must_use]
    pub fn part(&self, kind: Kind) -> Option<&Shards> {
        match kind {
            Kind::Manifest => None,
            Kind::Tables => Some(&self.tables),
            Kind::Lists => Some(&self.lists),
            Kind::Pages => Some(&self.blocks),
            Kind::Addresses => Some(&self.addresses),
            Kind::Sample => Some(&self.sample),
            Kind::Sketches => Some(&self.sketches),
            Kind::Words => Some(&self.words),
            Kind::Completions => Some(&self.completions),
            Kind::Filters => Some(&self.filters),
        }
    }

    /// Returns the generation that wrote a shard.
    #[must_use]
    pub fn generation_of(&self, kind: Kind, shard: u32) -> u64 {
        let file = self.part(kind).map_or(0, |part| part.file_of(shard));
        self.generation_of_file(kind, file)
    }

    /// Returns the generation that wrote a file.
    #[must_use]
    pub fn generation_of_file(&self, kind: Kind, file: u32) -> u64 {
        let place = self.part(kind).and_then(|part| {
            let at = part.revised.binary_search_by_key(&file, |&(file, _)| file);
            at.ok().map(|at| part.revised[at].1 as usize)
        });
        match (kind, place) {
            (Kind::Manifest, _) => self.generation(),
            (_, place) => self.generations[place.unwrap_or(0)],
        }
    }

    /// Returns the name of a shard: the path of its file, and, in a pack, its range as
    /// `#offset+length`.
    ///
    /// ```text
    /// index/0123456789abcdef/pages/02/1234.shard
    /// index/0123456789abcdef/pages-003.pack#8192+4096
    /// ```
    #[must_use]
    pub fn name(&self, kind: Kind, shard: u32) -> String {
        let Some(part) = self.part(kind) else { return MANIFEST_NAME.to_owned() };
        let path = self.file_name(kind, part.file_of(shard), self.generation_of(kind, shard));
        match part.place_in_pack(shard) {
            None => path,
            Some((offset, bytes)) => format!("{path}#{offset}+{bytes}"),
        }
    }

    /// Returns a shard as it was sealed, from the bytes of its name. Those of a pack end in zeros.
    #[must_use]
    pub fn stored<'a>(&self, kind: Kind, bytes: &'a [u8]) -> &'a [u8] {
        match self.part(kind) {
            Some(part) if part.is_packed() => unpadded(bytes),
            _ => bytes,
        }
    }

    /// Returns the path of a file of a kind of shards, as written by `generation`.
    #[must_use]
    pub fn file_name(&self, kind: Kind, file: u32, generation: u64) -> String {
        let folder = kind.folder();
        if self.part(kind).is_some_and(Shards::is_packed) {
            return format!("index/{generation:016x}/{folder}-{file:03}.pack");
        }
        format!("index/{generation:016x}/{folder}/{:02}/{file:04}.shard", file / FOLDER_FILES)
    }

    /// Returns the shard of the LSH tables that contains the bucket of a key.
    ///
    /// # Panics
    ///
    /// If the index has no tables.
    #[must_use]
    pub fn table_shard(&self, key: &TableKey) -> u32 {
        key.shard(self.tables.shards)
    }

    /// Returns the shard of the lists that contains the list of a term.
    ///
    /// # Panics
    ///
    /// If the index has no lists.
    #[must_use]
    pub fn list_shard(&self, term: TermId) -> u32 {
        assert!(self.lists.shards > 0, "an index with lists");
        shard_of_list(term, self.lists.shards)
    }

    /// Returns the shards of completions that may contain words whose folded forms have this
    /// `beginning`.
    #[must_use]
    pub fn completion_shards(&self, beginning: &str) -> Range<u32> {
        let starts = &self.completion_starts;
        let first = starts.partition_point(|start| **start <= *beginning);
        let is_before = |start: &String| **start < *beginning || start.starts_with(beginning);
        let last = starts.partition_point(is_before);
        first as u32..(last as u32 + 1).min(self.completions.shards)
    }

    /// Returns the shard of the addresses that contains the URL of a page.
    #[must_use]
    pub fn address_shard(&self, address: &str) -> u32 {
        (hash::of_bytes(address.as_bytes()) >> 32) as u32 % self.addresses.shards
    }
}

/// Reads the place of the index, if anything follows. It is a path below a folder, so that a forged
/// manifest cannot make the site begin anywhere else than in a folder above the index.
#[inline(always)]
fn read_place(reader: &mut Reader<'_>) -> Result<String, Damaged> {
    if reader.rest().is_empty() {
        return Ok(String::new());
    }
    let place = reader.text("the place of the index")?;
    if place.is_empty() && !reader.rest().is_empty() {
        return Ok(String::new());
    }
    let is_sound = place.ends_with('/') && address::is_of_index(&format!("/{place}"), "/", false);
    is_sound.then(|| place.to_owned()).ok_or(Damaged("the place of the index below its site"))
}

/// Reads the shards of filters, if anything follows.
#[inline(always)]
fn read_filters(reader: &mut Reader<'_>, generations: usize) -> Result<Shards, Damaged> {
    if reader.rest().is_empty() {
        return Ok(Shards::default());
    }
    let filters = Shards::read(reader, generations)?;
    let is_there = filters.shards > 0;
    is_there.then_some(filters).ok_or(Damaged("shards of filters, or nothing"))
}

/// Returns whether records have texts, whether there are embeddings, and whether lists lack
/// postings.
#[inline(always)]
fn read_kinds(reader: &mut Reader<'_>) -> Result<[bool; 3], Damaged> {
    let kinds = reader.u8("what records have")?;
    (kinds < 8)
        .then(|| [1, 2, 4].map(|bit| kinds & bit > 0))
        .ok_or(Damaged("known kinds of records"))
}

#[inline(always)]
fn read_params(reader: &mut Reader<'_>) -> Result<IndexParams, Damaged> {
    let bag = BagRules {
        sum: reader.u16("the sum of a bag")?,
        rounding: match reader.u8("a rounding")? {
            0 => Rounding::LargestRemainder,
            1 => Rounding::Dithered,
            _ => return Err(Damaged("a known rounding")),
        },
        frequency: match reader.u8("a frequency")? {
            0 => Frequency::Linear,
            1 => Frequency::SquareRoot,
            _ => return Err(Damaged("a known frequency")),
        },
        max_terms: reader.u16("the most terms of a bag")?,
    };
    let signature = SignatureParams {
        m: reader.u16("the values of a signature")?,
        bits: reader.u8("the bits of a value")?,
        seed: reader.u64("a seed")?,
    };
    let (rule, first, second) =
        (reader.u8("a table rule")?, reader.u8("a table rule")?, reader.u16("a table rule")?);
    let tables = match (rule, u8::try_from(second)) {
        (0, _) => TableRules::Independent { k: first, l: second },
        (1, Ok(partners)) => TableRules::Anchored { anchors: first, partners },
        _ => return Err(Damaged("a known table rule")),
    };
    let reserved = reader.u8("a reserved byte")?;
    let params = IndexParams { bag, signature, tables };
    let sensible = bag.sum > 0
        && bag.max_terms > 0
        && (1..=1_024).contains(&signature.m)
        && matches!(signature.bits, 8 | 16 | 24)
        && reserved == 0
        // Checked before any hash function is drawn.
        && first > 0
        && (1..=1_024).contains(&second)
        && Tables::count_of(tables, signature.m).is_ok_and(|count| (1..=1_024).contains(&count));
    if !sensible {
        return Err(Damaged("parameters within their ranges"));
    }
    Ok(params)
}

/// Reads generations, of which the last must be `own`.
#[inline(always)]
fn read_generations(reader: &mut Reader<'_>, own: u64) -> Result<Vec<u64>, Damaged> {
    let mut generations = Vec::new();
    for _ in 0..reader.count("the number of generations")? {
        generations.push(reader.u64("a generation")?);
    }
    if generations.last() != Some(&own) {
        return Err(Damaged("its own generation as the last"));
    }
    Ok(generations)
}

/// Reads the beginnings of all shards of completions but the first.
#[inline(always)]
fn read_starts(reader: &mut Reader<'_>, shards: u32) -> Result<Vec<String>, Damaged> {
    if shards > MAX_COMPLETION_SHARDS {
        return Err(Damaged("a sensible number of shards of completions"));
    }
    let (mut starts, mut start) = (Vec::new(), String::new());
    for _ in 1..shards {
        reader.front_coded(&mut start, "where a shard of completions begins")?;
        if starts.last().is_some_and(|last| *last >= start) {
            return Err(Damaged("shards of completions in order"));
        }
        starts.push(start.clone());
    }
    Ok(starts)
}

/// Reads the models of lists and of blocks.
#[inline(always)]
fn read_models(reader: &mut Reader<'_>) -> Result<[Model; 3], Damaged> {
    let mut model = |contexts| {
        let n = reader.count("the contexts of a model")?;
        let model = Model::read(contexts, reader.bytes(n, "a model")?);
        model.ok_or(Damaged("probabilities of as many contexts as there are"))
    };
    Ok([
        model(list_contexts::CONTEXTS)?,
        model(page_contexts::CONTEXTS)?,
        model(completion_contexts::CONTEXTS)?,
    ])
}

#[inline(always)]
/// Returns the [number](Manifest::language_number) of a language among those of a site.
#[must_use]
pub fn language_number(languages: &[(Language, u32)], language: &Language) -> u32 {
    let code = language.code();
    let before = languages.iter().filter(|(other, _)| other.code() < code).count();
    let is_there = languages.iter().any(|(other, _)| other.code() == code);
    if is_there { before as u32 + 1 } else { 0 }
}

fn read_languages(reader: &mut Reader<'_>) -> Result<Vec<(Language, u32)>, Damaged> {
    let mut languages = Vec::new();
    for _ in 0..reader.count("the number of languages")? {
        let language =
            Language::from_tag(reader.text("a language")?).ok_or(Damaged("a language"))?;
        languages.push((language, reader.varint("the pages of a language")?));
    }
    Ok(languages)
}

/// Returns the shard, of `shards`, that contains the list of a term. Words and identifiers are each
/// spread over all shards by their ids.
#[must_use]
pub fn shard_of_list(term: TermId, shards: u32) -> u32 {
    let (id, bits) = match is_identifier(term) {
        true => (term - (1 << IDENTIFIER_BITS), IDENTIFIER_BITS),
        false => (term, TERM_BITS),
    };
    ((u64::from(id) * u64::from(shards)) >> bits) as u32
}

/// Returns the maximum number of bytes to read for the [name](Manifest::name) of a shard or of the
/// manifest. More would be refused. See [`Kind::max_bytes`].
#[must_use]
pub fn max_bytes(name: &str) -> usize {
    let kind = if name == MANIFEST_NAME { Kind::Manifest } else { Kind::Tables };
    kind.max_bytes()
}

/// Returns the file of the [name](Manifest::name) of a shard, and the range of bytes to read:
/// `None` for the whole file, unless it is a pack.
///
/// ```
/// use pagekin_core::file_and_range;
///
/// let name = "index/0f/pages/02/1234.shard";
/// assert_eq!(file_and_range(name), (name, None));
/// let (file, range) = file_and_range("index/0f/pages-003.pack#8192+4096");
/// assert_eq!((file, range), ("index/0f/pages-003.pack", Some(8192..12288)));
/// ```
#[must_use]
pub fn file_and_range(name: &str) -> (&str, Option<Range<u64>>) {
    let place = name.split_once('#').and_then(|(file, place)| {
        let (offset, length) = place.split_once('+')?;
        let offset: u64 = offset.parse().ok()?;
        Some((file, offset..offset.checked_add(length.parse().ok()?)?))
    });
    place.map_or((name, None), |(file, range)| (file, Some(range)))
}

#[cfg(test)]
pub(crate) mod tests;
