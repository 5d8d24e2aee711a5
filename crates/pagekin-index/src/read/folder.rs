//! An index in a folder, as the lookup is fed from it natively.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::{
    AddressShard, CompletionShard, Kind, ListShard, MANIFEST_NAME, Manifest, PageBlock, PageRecord,
    PageSample, SketchShard, TableShard, TermList, WordShard, file_and_range,
};
use pagekin_core::{Answer, Cost, Index, Lookup, LookupOptions, ReadError};
use pagekin_pages::output::file_list;
use pagekin_pages::output::file_list::{FILES_NAME, FileList};
use rustc_hash::FxHashSet;

use crate::mirrors::list::{MIRRORS_NAME, MirrorList, folder_of};
use crate::read::by_address::page_by_address;
use crate::read::error::FolderError;
use crate::read::related_shard;

/// An index in a folder, opened.
#[derive(Debug)]
pub struct Folder {
    place: Place,
    index: Index,
}

/// Where the files of an index are.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    /// If it is spread over several hosts, whose folders are in the output, too.
    mirrors: Option<MirrorList>,
}

/// What an index knows of a page, readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    /// Its number.
    pub number: u32,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The words of its bag with their copies, most copies first; of a rare word, which an index
    /// does not have, its id.
    pub terms: Vec<(String, u16)>,
}

/// What [`Folder::verify`] read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Files of the index.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of these, how often they are in the folders of mirrors, all the same.
    pub copies: u64,
    /// Files of the client and others beside the index that are as the build wrote them; `None` if
    /// no checksums of them were recorded.
    pub client_files: Option<u64>,
    /// Buckets of the LSH tables.
    pub buckets: u64,
    /// Lists of terms.
    pub lists: u64,
    /// The fewest terms of a shard of lists: a request for a list says no more than that one of so
    /// many is meant.
    pub fewest_lists: u64,
}

impl Folder {
    /// Opens the index at `path`.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let no_index = |found| FolderError::NoIndex { path: path.to_owned(), found };
        let manifest = match fs::read(path.join(MANIFEST_NAME)) {
            Ok(manifest) => manifest,
            Err(_) if path.is_file() => return Err(no_index("a file")),
            Err(_) if !path.exists() => return Err(no_index("nothing")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(no_index("a folder without it"));
            }
            Err(source) => return Err(FolderError::Io { path: path.join(MANIFEST_NAME), source }),
        };
        let index = Index::open(&manifest)?;
        let mirrors = match fs::read(path.join(MIRRORS_NAME)) {
            Ok(list) => Some(MirrorList::decode(&list)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(FolderError::Io { path: path.join(MIRRORS_NAME), source }),
        };
        Ok(Self { place: Place { path: path.to_owned(), mirrors }, index })
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The bytes of one of its files, or of a place in one: `path#offset+length`.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        self.place.read(name)
    }

    /// The kin of a text, see [`Lookup::of_text`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read or the text has no words.
    pub fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        let lookup = Lookup::of_text(&self.index, text, lang, options)?;
        self.answer(lookup)
    }

    /// The pages that are meant by words as they are typed, see [`Lookup::of_typed`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read or there are no words.
    pub fn search(
        &mut self,
        words: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        let lookup = Lookup::of_typed(&self.index, words, lang, options)?;
        self.answer(lookup)
    }

    /// The kin of a page, see [`Lookup::of_url`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read or no page has this address.
    pub fn similar_to_url(
        &mut self,
        url: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        let lookup = Lookup::of_url(&self.index, url, options);
        self.answer(lookup)
    }

    /// The records of all pages, in the order in which they are stored.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn records(&self) -> Result<Vec<PageRecord>, FolderError> {
        Ok(self.numbered_records()?.into_iter().map(|(_, record)| record).collect())
    }

    /// The same, each with its page's number.
    pub fn numbered_records(&self) -> Result<Vec<(u32, PageRecord)>, FolderError> {
        let manifest = self.index.manifest();
        let mut records = Vec::new();
        for number in 0..manifest.blocks.shards {
            let first = number * manifest.block_pages;
            records
                .extend(self.block(number)?.0.into_iter().map(|(at, record)| (first + at, record)));
        }
        Ok(records)
    }

    /// The sketches of all pages by their numbers, ascending; none if the index has none.
    pub fn sketches(&self) -> Result<Vec<(u32, Sketch)>, FolderError> {
        let manifest = self.index.manifest();
        let mut sketches = Vec::new();
        for number in 0..manifest.sketches.shards {
            let (name, generation, bytes) = self.shard(Kind::Sketches, number)?;
            let first = number * manifest.sketch_pages;
            let shard = SketchShard::decode(&name, generation, manifest, &bytes)?;
            sketches.extend(shard.0.into_iter().map(|(at, sketch)| (first + at, sketch)));
        }
        Ok(sketches)
    }

    /// Gives up the shards kept for later lookups, so that the next one pays for all it reads.
    pub fn forget(&mut self) {
        self.index.forget();
    }

    /// The hosts that the index is spread over, if it is.
    #[must_use]
    pub fn mirrors(&self) -> Option<&MirrorList> {
        self.place.mirrors.as_ref()
    }

    /// What opening the index has cost, as long as no answer was charged with it.
    #[must_use]
    pub fn opening_cost(&self) -> Cost {
        self.index.opening_cost()
    }

    /// What the index knows of the page with an address, see
    /// [`variants`](pagekin_core::address::variants).
    ///
    /// # Errors
    ///
    /// If a file cannot be read or no page has this address.
    pub fn page(&self, url: &str) -> Result<PageView, FolderError> {
        let manifest = self.index.manifest();
        let (number, record) = page_by_address(manifest, url, |name| self.read(name))?;
        let shown = self.words()?;
        let words = record.bag.entries().iter().map(|&(term, copies)| {
            let word = shown.word(term).map(str::to_owned);
            (word.unwrap_or_else(|| format!("(rare word {term:06x})")), copies)
        });
        let mut terms: Vec<_> = words.collect();
        terms.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(PageView { number, url: record.url, title: record.title, terms })
    }

    /// Reads every file of the index and checks that they fit together: each page is found by its
    /// address, stands in the list of each of its terms and in the bucket of each of its keys,
    /// unless these are full, has a sketch, and is in its shard of related pages, if these were
    /// built.
    ///
    /// # Errors
    ///
    /// The first file that cannot be read or does not fit.
    pub fn verify(&self) -> Result<Soundness, FolderError> {
        let manifest = self.index.manifest();
        let client_files = self.verify_client()?;
        let mut sound = Soundness { client_files, ..Soundness::default() };
        self.count_files(&mut sound)?;
        for number in 0..manifest.sample.shards {
            let (name, generation, bytes) = self.shard(Kind::Sample, number)?;
            PageSample::decode(&name, generation, manifest, &bytes)?;
        }
        self.words()?;
        self.verify_completions()?;
        let mut tables = Vec::new();
        for number in 0..manifest.tables.shards {
            let (name, generation, bytes) = self.shard(Kind::Tables, number)?;
            let partners = manifest.params.tables.partners();
            let shard = TableShard::decode(&name, generation, manifest.slots(), partners, &bytes)?;
            sound.buckets += shard.buckets() as u64;
            tables.push(shard);
        }
        let mut lists = Vec::new();
        for number in 0..manifest.lists.shards {
            let (name, generation, bytes) = self.shard(Kind::Lists, number)?;
            let shard = ListShard::decode(&name, generation, manifest, &bytes)?;
            let other = |list: &TermList| manifest.list_shard(list.term) != number;
            if shard.0.iter().any(other) {
                return Err(damaged(&name, "no lists but those of its terms"));
            }
            sound.lists += shard.0.len() as u64;
            lists.push(shard);
        }
        sound.fewest_lists = lists.iter().map(|shard| shard.0.len() as u64).min().unwrap_or(0);
        let shards = Listings { tables, lists };
        let mut addresses = Vec::new();
        for number in 0..manifest.addresses.shards {
            addresses.push(self.addresses(number)?);
        }
        let sketches = self.sketches()?.into_iter();
        let mut sketched: FxHashSet<u32> = sketches.map(|(page, _)| page).collect();
        let mut urls = FxHashSet::default();
        for (page, record) in self.numbered_records()? {
            if manifest.sketches.shards > 0 && !sketched.remove(&page) {
                let name = manifest.name(Kind::Sketches, page / manifest.sketch_pages);
                return Err(damaged(&name, "a sketch of every page"));
            }
            self.verify_page(page, &record, &shards, &addresses)?;
            urls.insert(record.url);
        }
        if !sketched.is_empty() {
            return Err(damaged(MANIFEST_NAME, "no sketches but those of its pages"));
        }
        if urls.len() as u32 != manifest.pages {
            return Err(damaged(MANIFEST_NAME, "as many pages as there are in the blocks"));
        }
        self.verify_related(&urls, &mut sound)?;
        Ok(sound)
    }

    /// What the build listed is there, and the files beside the index are as they were written. How
    /// many have a checksum; `None` if none has, or the list was not published.
    fn verify_client(&self) -> Result<Option<u64>, FolderError> {
        let path = self.place.path.join(FILES_NAME);
        let list = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FolderError::Io { path, source }),
            Ok(bytes) => FileList::decode(&bytes)?,
        };
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
            let (expected, found) = (*checksum, file_list::checksum(&self.read(name)?));
            if found != expected {
                return Err(ReadError::Checksum { shard: name.clone(), expected, found }.into());
            }
        }
        Ok((!list.checksums.is_empty()).then_some(list.checksums.len() as u64))
    }

    /// Counts the files of the index. What the manifest says of their number ends with the first
    /// that is not there.
    fn count_files(&self, sound: &mut Soundness) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        let mut seen = BTreeSet::new();
        let mut count = |name: &str| {
            if !seen.contains(name) {
                let bytes = self.read(name)?;
                sound.files += 1;
                sound.bytes += bytes.len() as u64;
                for copy in self.place.copies(name) {
                    if read(&copy, None)? != bytes {
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

    /// Related pages may not have been built; if they were, all is there and of this index, whose
    /// addresses are `urls`.
    fn verify_related(
        &self,
        urls: &FxHashSet<String>,
        sound: &mut Soundness,
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

    fn verify_page(
        &self,
        page: u32,
        record: &PageRecord,
        Listings { tables, lists }: &Listings,
        addresses: &[AddressShard],
    ) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        let url = &record.url;
        let shard = manifest.address_shard(url);
        if !addresses[shard as usize].candidates(url).any(|found| found == page) {
            let name = manifest.name(Kind::Addresses, shard);
            return Err(damaged(&name, "the address of every page"));
        }
        let terms = if lists.is_empty() { &[][..] } else { &record.terms };
        let list = |term: u32| lists[manifest.list_shard(term) as usize].list(term);
        let is_in = |list: &TermList| {
            list.postings.binary_search_by_key(&page, |posting| posting.page).is_ok()
        };
        let may_be_in = |list: &TermList| list.df as usize > list.postings.len() || is_in(list);
        let missing = terms.iter().find(|term| !list(term.id).is_some_and(may_be_in));
        // Another of its group may stand in lists for it, but not for some of its terms only.
        let may_repeat = record.copies > 0 && !record.is_original();
        let repeats = || may_repeat && !terms.iter().any(|term| list(term.id).is_some_and(is_in));
        if let Some(term) = missing
            && !repeats()
        {
            let name = manifest.name(Kind::Lists, manifest.list_shard(term.id));
            return Err(damaged(&name, "every page in the lists of its terms"));
        }
        if tables.is_empty() {
            return Ok(());
        }
        let Some(signature) = self.index.key_signature(&record.bag) else {
            let name = manifest.name(Kind::Pages, page / manifest.block_pages);
            return Err(damaged(&name, "a bag in every record"));
        };
        for key in self.index.tables().keys(&signature) {
            let shard = manifest.table_shard(&key);
            let agreeing = key.partners.len() as u32;
            let table = &tables[shard as usize];
            if !table.is_cut(&key) && !table.matches(&key).any(|found| found == (page, agreeing)) {
                let name = manifest.name(Kind::Tables, shard);
                return Err(damaged(&name, "every page in the buckets of its keys"));
            }
        }
        Ok(())
    }

    /// A block of page records.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn block(&self, number: u32) -> Result<PageBlock, FolderError> {
        let (name, generation, bytes) = self.shard(Kind::Pages, number)?;
        Ok(PageBlock::decode(&name, generation, self.index.manifest(), &bytes)?)
    }

    /// Checks that completions are in their order over all shards, each in its own.
    fn verify_completions(&self) -> Result<(), FolderError> {
        let manifest = self.index.manifest();
        for number in 0..manifest.completions.shards {
            let (name, generation, bytes) = self.shard(Kind::Completions, number)?;
            let shard = CompletionShard::decode(&name, generation, &bytes)?;
            let is_here = |word: &str| manifest.completion_shards(word).start == number;
            if !shard.0.iter().all(|one| is_here(&one.word)) {
                return Err(damaged(&name, "only words between where it and the next shard begin"));
            }
        }
        Ok(())
    }

    /// The words that terms are shown as.
    fn words(&self) -> Result<WordShard, FolderError> {
        let (name, generation, bytes) = self.shard(Kind::Words, 0)?;
        Ok(WordShard::decode(&name, generation, &bytes)?)
    }

    fn addresses(&self, number: u32) -> Result<AddressShard, FolderError> {
        let slots = self.index.manifest().slots();
        let (name, generation, bytes) = self.shard(Kind::Addresses, number)?;
        Ok(AddressShard::decode(&name, generation, slots, &bytes)?)
    }

    /// The name, generation and bytes of a shard.
    fn shard(&self, kind: Kind, number: u32) -> Result<(String, u64, Vec<u8>), FolderError> {
        let manifest = self.index.manifest();
        let name = manifest.name(kind, number);
        let bytes = manifest.stored(kind, &self.read(&name)?).to_vec();
        Ok((name, manifest.generation_of(kind, number), bytes))
    }

    fn answer(&mut self, lookup: Lookup) -> Result<Answer, FolderError> {
        lookup.drive(&mut self.index, |name| self.place.read(name))
    }
}

/// The shards by which pages are found.
struct Listings {
    tables: Vec<TableShard>,
    lists: Vec<ListShard>,
}

fn damaged(shard: &str, what: &'static str) -> FolderError {
    ReadError::Damaged { shard: shard.to_owned(), what }.into()
}

impl Place {
    fn read(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        let (file, range) = file_and_range(name);
        let home = self.path.join(file);
        let elsewhere = || self.copies(file).find(|path| path.exists());
        let path = if home.exists() { home } else { elsewhere().unwrap_or(home) };
        read(&path, range.as_ref())
    }

    /// Where the folders of mirrors have a file.
    fn copies(&self, file: &str) -> impl Iterator<Item = PathBuf> {
        let hosts = self.mirrors.as_ref().map_or(&[][..], |list| list.hosts_of(file));
        hosts.iter().map(move |&host| self.path.join(folder_of(host)).join(file))
    }
}

fn read(path: &Path, range: Option<&Range<u64>>) -> Result<Vec<u8>, FolderError> {
    let read = || match range {
        None => fs::read(path),
        Some(&Range { start, end }) => {
            let mut file = fs::File::open(path)?;
            file.seek(SeekFrom::Start(start))?;
            // Allocates as it reads: the length is the manifest's, which may lie.
            let mut bytes = Vec::new();
            file.take(end - start).read_to_end(&mut bytes)?;
            Ok(bytes)
        }
    };
    read().map_err(|source| FolderError::Io { path: path.to_owned(), source })
}
