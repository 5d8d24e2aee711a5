//! Verifies that all files of a local index are consistent.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pagekin_core::ReadError;
use pagekin_core::hash;
use pagekin_core::shard::{
    AddressShard, CompletionShard, FilterShard, Kind, MANIFEST_NAME, Manifest, PageBlock,
    PageMetadata, PageRecord, PageSample, PostingsShard, TableShard, TermList, WrittenBlock,
    file_and_range, seal,
};
use pagekin_core::terms::folded;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::error::FolderError;
use crate::read::files;
use crate::read::folder::LocalIndex;
use crate::read::related_shard;

/// The lists and tables in memory take about this many bytes, or this many for each of their bytes
/// on disk, whichever is more. On real sites, a byte on disk takes six to eight in memory.
const MAX_MEMORY: usize = 32 << 20;
const MEMORY_OF_BYTE: usize = 8;

/// The result of [`LocalIndex::verify`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Number of files of the index.
    pub files: u64,
    /// Length of these files in bytes.
    pub bytes: u64,
    /// Number of copies of these files in the folders of mirrors.
    pub copies: u64,
    /// Number of files of the client and others next to the index whose checksums match. `None` if
    /// the build recorded no checksums.
    pub client_files: Option<u64>,
    /// Number of buckets of the LSH tables.
    pub buckets: u64,
    /// Number of lists of terms.
    pub lists: u64,
    /// Minimum number of terms in a shard of lists. A request for a shard reveals only that one of
    /// its terms is meant.
    pub fewest_lists: u64,
    /// Number of pages with metadata for results.
    pub pages_with_metadata: u64,
    /// The bytes of the index that it takes.
    pub metadata_bytes: u64,
}

impl LocalIndex {
    /// Reads every file of the index and checks that they are consistent. Each page must be found
    /// by its URL, occur in the list of each of its terms and in the bucket of each of its keys
    /// (unless these are full), have a sketch if the index has sketches, and be in its shard of
    /// related pages if these were built.
    ///
    /// # Errors
    ///
    /// Reports the first file that cannot be read or is inconsistent.
    pub fn verify(&self) -> Result<VerifyReport, FolderError> {
        self.verify_in_parts(MAX_MEMORY)
    }

    /// Like [`verify`](Self::verify), but keeps the lists and tables in memory below a number of
    /// bytes, or [`MEMORY_OF_BYTE`] per byte on disk if that is more.
    #[doc(hidden)]
    pub fn verify_in_parts(&self, memory: usize) -> Result<VerifyReport, FolderError> {
        let manifest = self.index.manifest();
        let client_files = self.verify_client()?;
        let mut sound = VerifyReport { client_files, ..VerifyReport::default() };
        self.count_files(&mut sound)?;
        for number in 0..manifest.sample.shards {
            let (name, generation, bytes) = self.shard(Kind::Sample, number)?;
            PageSample::decode(&name, generation, manifest, &bytes)?;
        }
        self.words()?;
        self.verify_completions()?;
        self.verify_filters()?;
        let mut addresses = Vec::new();
        for number in 0..manifest.addresses.shards {
            addresses.push(self.addresses(number)?);
        }
        let urls = self.verify_records(&addresses, &mut sound)?;
        self.verify_listings(memory, &mut sound)?;
        self.verify_related(&urls, &mut sound)?;
        Ok(sound)
    }

    /// Checks that each page is found by its URL and has a sketch if there are any, and measures
    /// metadata. Returns the hashes of all URLs.
    fn verify_records(
        &self,
        addresses: &[AddressShard],
        sound: &mut VerifyReport,
    ) -> Result<FxHashSet<u64>, FolderError> {
        let manifest = self.index.manifest();
        let mut sketched = FxHashSet::default();
        for number in 0..manifest.sketches.shards {
            sketched.extend(self.sketch_shard(number)?.map(|(page, _)| page));
        }
        let mut urls = FxHashSet::default();
        let each = |page: u32, record: &PageRecord| {
            if manifest.sketches.shards > 0 && !sketched.remove(&page) {
                let name = manifest.name(Kind::Sketches, page / manifest.sketch_pages);
                return Err(damaged(&name, "a sketch of every page"));
            }
            let shard = manifest.address_shard(&record.url);
            let mut found = addresses[shard as usize].candidates(&record.url);
            if !found.any(|found| found == page) {
                let name = manifest.name(Kind::Addresses, shard);
                return Err(damaged(&name, "the URL of every page"));
            }
            urls.insert(hash::of_bytes(record.url.as_bytes()));
            Ok(())
        };
        self.each_block(each, |block| count_metadata(block, manifest, sound))?;
        if !sketched.is_empty() {
            return Err(damaged(MANIFEST_NAME, "sketches of its pages only"));
        }
        if urls.len() as u32 != manifest.pages {
            return Err(damaged(MANIFEST_NAME, "the number of pages in the blocks"));
        }
        Ok(urls)
    }

    /// Checks that each page is in the lists of its terms and the buckets of its keys. If lists and
    /// tables take much memory, reads the pages several times, each time with some of the shards.
    fn verify_listings(&self, memory: usize, sound: &mut VerifyReport) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        sound.fewest_lists = u64::from(u32::MAX) * u64::from(manifest.lists.shards.min(1));
        let of_tables = (0..manifest.tables.shards).map(|number| (Kind::Tables, number));
        let of_lists = (0..manifest.lists.shards).map(|number| (Kind::Lists, number));
        let mut left = of_tables.chain(of_lists).peekable();
        let mut pages = PagesInLists::default();
        while left.peek().is_some() {
            let mut some = Listings::default();
            while let Some((kind, number)) = left.next_if(|_| !some.is_full(memory)) {
                self.list(&mut some, kind, number, sound)?;
            }
            self.each_record(|page, record| {
                self.verify_lists(page, record, &some, &mut pages)?;
                self.verify_buckets(page, record, &some)
            })?;
        }
        match pages.0.into_values().find(|of| of.is_in_some) {
            Some(InLists { missing: Some(shard), .. }) => Err(self.not_in_lists(shard)),
            _ => Ok(()),
        }
    }

    /// Reads a shard of lists or tables.
    fn list(
        &self,
        into: &mut Listings,
        kind: Kind,
        number: u32,
        sound: &mut VerifyReport,
    ) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        let (name, generation, bytes) = self.shard(kind, number)?;
        into.stored += bytes.len();
        if kind == Kind::Tables {
            let partners = manifest.params.tables.partners();
            let shard = TableShard::decode(&name, generation, manifest.slots(), partners, &bytes)?;
            sound.buckets += shard.buckets() as u64;
            into.memory += shard.memory();
            into.tables.insert(number, shard);
            return Ok(());
        }
        let shard = PostingsShard::decode(&name, generation, manifest, &bytes)?;
        let other = |list: &TermList| manifest.list_shard(list.term) != number;
        if shard.0.iter().any(other) {
            return Err(damaged(&name, "lists of its own terms only"));
        }
        if manifest.read_whole && shard.0.iter().any(|list| list.embedding.is_none()) {
            return Err(damaged(&name, "an embedding of each word"));
        }
        let lists = shard.0.len() as u64;
        sound.lists += lists;
        sound.fewest_lists = sound.fewest_lists.min(lists);
        into.memory += shard.memory();
        into.lists.insert(number, shard);
        Ok(())
    }

    /// Checks that the listed files exist, and that those next to the index are unchanged. Returns
    /// the number of checksums, or `None` if there are none or the list was not published.
    fn verify_client(&self) -> Result<Option<u64>, FolderError> {
        let Some(list) = self.file_list()? else { return Ok(None) };
        let metadata = |name: &str| {
            let path = self.place.path.join(name);
            fs::metadata(&path).map_err(|source| FolderError::Io { path, source })
        };
        for name in &list.names {
            metadata(name)?;
        }
        for (name, checksum) in &list.checksums {
            if !metadata(name)?.is_file() {
                return Err(damaged(name, "a file"));
            }
            let (_, found) = self.hash(&self.place.path_of(name))?;
            let (expected, found) = (*checksum, found as u32);
            if found != expected {
                return Err(ReadError::Checksum { shard: name.clone(), expected, found }.into());
            }
        }
        Ok((!list.checksums.is_empty()).then_some(list.checksums.len() as u64))
    }

    /// Counts the files of the index. Fails at the first missing file, so that a forged number in
    /// the manifest does no harm.
    fn count_files(&self, sound: &mut VerifyReport) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        let mut seen = BTreeSet::new();
        let mut count = |name: &str| {
            if !seen.contains(name) {
                let file = self.hash(&self.place.path_of(name))?;
                sound.files += 1;
                sound.bytes += file.0;
                for copy in self.place.copies(name) {
                    if self.hash(&copy)? != file {
                        return Err(damaged(
                            &copy.to_string_lossy(),
                            "the same bytes as its other copies",
                        ));
                    }
                    sound.copies += 1;
                }
                seen.insert(name.to_owned());
            }
            Ok::<_, FolderError>(())
        };
        count(MANIFEST_NAME)?;
        for kind in Kind::NUMBERED {
            let Some(part) = manifest.part(kind) else { continue };
            let mut next = 0;
            while next < part.shards {
                count(file_and_range(&manifest.name(kind, next)).0)?;
                next = part.shards_of(part.file_of(next)).end.max(next + 1);
            }
        }
        Ok(())
    }

    /// If related pages were built, checks that they are complete and belong to this index. `urls`
    /// has the hashes of its URLs.
    fn verify_related(
        &self,
        urls: &FxHashSet<u64>,
        sound: &mut VerifyReport,
    ) -> Result<(), FolderError> {
        if !self.place.path.join(related_shard::ENTRY_NAME).exists() {
            return Ok(());
        }
        let mut take = |name: &str| {
            let bytes = self.read(name)?;
            sound.files += 1;
            sound.bytes += bytes.len() as u64;
            Ok::<_, FolderError>(bytes)
        };
        let Manifest { generations, base_url, .. } = self.index.manifest();
        let entry =
            related_shard::RelatedEntry::decode(&take(related_shard::ENTRY_NAME)?, base_url)?;
        if !entry.generations().all(|of| generations.contains(&of)) {
            return Err(damaged(related_shard::ENTRY_NAME, "generations of this index"));
        }
        let mut pages = 0;
        for (number, name) in (0..).zip(entry.names()) {
            pages += entry.check_shard(number, &name, &take(&name)?, urls)?;
        }
        if pages != urls.len() {
            let what = "every page of the index in its shard of related pages";
            return Err(damaged(related_shard::ENTRY_NAME, what));
        }
        Ok(())
    }

    /// Checks that a page is in those `lists` that belong to its terms. For a page that its group
    /// may represent, collects the result in `pages` instead.
    fn verify_lists(
        &self,
        page: u32,
        record: &PageRecord,
        Listings { lists, .. }: &Listings,
        pages: &mut PagesInLists,
    ) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        if !manifest.has_postings() {
            return Ok(());
        }
        let is_in = |list: &TermList| {
            list.postings.binary_search_by_key(&page, |posting| posting.page).is_ok()
        };
        let may_be_in = |list: &TermList| list.df as usize > list.postings.len() || is_in(list);
        let mut found = InLists::default();
        for term in &record.terms {
            let number = manifest.list_shard(term.id);
            let Some(shard) = lists.get(&number) else { continue };
            let list = shard.list(term.id);
            found.is_in_some |= list.is_some_and(is_in);
            if !list.is_some_and(may_be_in) {
                found.missing.get_or_insert(number);
            }
        }
        // Lists may contain another page of its group instead, but then for all of its terms.
        if record.copies > 0 && !record.is_original() {
            let before = pages.0.entry(page).or_default();
            before.is_in_some |= found.is_in_some;
            before.missing = before.missing.or(found.missing);
            return Ok(());
        }
        found.missing.map_or(Ok(()), |shard| Err(self.not_in_lists(shard)))
    }

    fn not_in_lists(&self, shard: u32) -> FolderError {
        let name = self.index.manifest().name(Kind::Lists, shard);
        damaged(&name, "every page in the lists of its terms")
    }

    /// Checks that a page is in those buckets of `tables` that belong to its keys.
    fn verify_buckets(
        &self,
        page: u32,
        record: &PageRecord,
        Listings { tables, .. }: &Listings,
    ) -> Result<(), FolderError> {
        if tables.is_empty() {
            return Ok(());
        }
        let manifest = self.index.manifest();
        let Some(signature) = self.index.key_signature(&record.bag) else {
            let name = manifest.name(Kind::Pages, page / manifest.block_pages);
            return Err(damaged(&name, "a bag in every record"));
        };
        for key in self.index.tables().keys(&signature) {
            let shard = manifest.table_shard(&key);
            let agreeing = key.partners.len() as u32;
            let Some(table) = tables.get(&shard) else { continue };
            if !table.is_cut(&key) && !table.matches(&key).any(|found| found == (page, agreeing)) {
                let name = manifest.name(Kind::Tables, shard);
                return Err(damaged(&name, "every page in the buckets of its keys"));
            }
        }
        Ok(())
    }

    /// Calls `each` with the number and the record of each page, a block at a time.
    fn each_record(
        &self,
        each: impl FnMut(u32, &PageRecord) -> Result<(), FolderError>,
    ) -> Result<(), FolderError> {
        self.each_block(each, |_| {})
    }

    /// Like [`each_record`](Self::each_record), and hands over each block after its records.
    fn each_block(
        &self,
        mut each: impl FnMut(u32, &PageRecord) -> Result<(), FolderError>,
        mut done: impl FnMut(PageBlock),
    ) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        for number in 0..manifest.blocks.shards {
            let first = number * manifest.block_pages;
            let block = self.block(number)?;
            for (at, record) in &block.0 {
                each(first + at, record)?;
            }
            done(block);
        }
        Ok(())
    }

    /// Checks that the shards of filters have as many pages as their directory says.
    fn verify_filters(&self) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        let (mut pages, mut listed) = (0, 0);
        for number in 0..manifest.filters.shards {
            let (name, generation, bytes) = self.shard(Kind::Filters, number)?;
            let shard = FilterShard::decode(&name, generation, number, manifest, &bytes)?;
            pages += shard.pages();
            listed += shard.directory.as_ref().map_or(0, |directory| directory.pages);
        }
        let name = || manifest.name(Kind::Filters, 0);
        let is_sound = pages == listed;
        is_sound.then_some(()).ok_or_else(|| damaged(&name(), "as many pages as in its directory"))
    }

    fn hash(&self, path: &Path) -> Result<(u64, u64), FolderError> {
        files::hash(path).map_err(|source| FolderError::Io { path: path.to_owned(), source })
    }

    /// Checks that completions are in order over all shards, each in the right one.
    fn verify_completions(&self) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        for number in 0..manifest.completions.shards {
            let (name, generation, bytes) = self.shard(Kind::Completions, number)?;
            let shard = CompletionShard::decode(&name, generation, manifest, &bytes)?;
            let is_here = |word: &str| manifest.completion_shards(&folded(word)).start == number;
            if !shard.0.iter().all(|one| is_here(&one.word)) {
                return Err(damaged(
                    &name,
                    "only words between its start and that of the next shard",
                ));
            }
        }
        Ok(())
    }
}

/// Shards of lists and tables, by their numbers.
#[derive(Default)]
struct Listings {
    tables: FxHashMap<u32, TableShard>,
    lists: FxHashMap<u32, PostingsShard>,
    /// The bytes that they take in memory, and on disk.
    memory: usize,
    stored: usize,
}

impl Listings {
    /// Whether these shards take so much memory that no more are read. On most sites, all shards
    /// together take less.
    fn is_full(&self, memory: usize) -> bool {
        self.memory > memory.max(MEMORY_OF_BYTE * self.stored)
    }
}

/// The pages that their groups may represent in lists, by number.
#[derive(Default)]
struct PagesInLists(FxHashMap<u32, InLists>);

/// Which lists of its terms a page is in.
#[derive(Default)]
struct InLists {
    is_in_some: bool,
    /// The shard of a list that should contain the page, and does not.
    missing: Option<u32>,
}

/// Measures the metadata of the pages of a block by encoding it again, with and without it.
fn count_metadata(mut block: PageBlock, manifest: &Manifest, sound: &mut VerifyReport) {
    let pages = block.0.iter().filter(|(_, record)| !record.metadata.is_empty()).count() as u64;
    if pages == 0 {
        return;
    }
    let bytes = |block: &PageBlock| {
        seal(Kind::Pages, 0, &WrittenBlock::from(block).encode(manifest)).len() as u64
    };
    let with = bytes(&block);
    for (_, record) in &mut block.0 {
        record.metadata = PageMetadata::default();
    }
    sound.pages_with_metadata += pages;
    sound.metadata_bytes += with.saturating_sub(bytes(&block));
}

fn damaged(shard: &str, what: &'static str) -> FolderError {
    ReadError::Damaged { shard: shard.to_owned(), what }.into()
}
