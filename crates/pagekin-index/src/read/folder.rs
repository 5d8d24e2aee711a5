//! An index in a folder, queried natively.

use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::near::sketch::Sketch;
use pagekin_core::shard::{
    AddressShard, FilterDirectory, FilterShard, Kind, MANIFEST_NAME, MAX_MANIFEST_BYTES,
    PACK_BYTES, PageBlock, PageMetadata, PageRecord, SketchShard, WordShard, file_and_range,
    max_bytes,
};
use pagekin_core::{Answer, Cost, Index, Lookup, LookupOptions, Refinement};
use pagekin_pages::output::file_list::{FILES_NAME, FileList};

use crate::mirrors::list::{MAX_LIST_BYTES, MIRRORS_NAME, MirrorList, folder_of};
use crate::read::by_address::page_by_address;
use crate::read::error::FolderError;
use crate::read::files;
use crate::read::related_shard::{ENTRY_NAME, RelatedEntry, RelatedPage};

/// Maximum length of the list of files in the folder, in bytes.
const MAX_FILE_LIST: usize = 2 << 20;

/// An open index in a folder.
#[derive(Debug)]
pub struct LocalIndex {
    pub(super) place: Place,
    pub(super) index: Index,
}

/// The location of an index's files.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// The mirrors that the index is spread over, whose folders are in the output too.
    mirrors: Option<MirrorList>,
}

/// A page as the index describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    /// The number of the page.
    pub number: u32,
    /// The URL.
    pub url: String,
    /// The title.
    pub title: String,
    /// What results show besides.
    pub metadata: PageMetadata,
    /// The words of its bag with their counts, highest counts first. For a rare word, which the
    /// index does not contain, its id.
    pub terms: Vec<(String, u16)>,
}

impl LocalIndex {
    /// Opens the index at `path`.
    ///
    /// # Errors
    ///
    /// If there is no index, or it cannot be read.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let no_index = |found| FolderError::NoIndex { path: path.to_owned(), found };
        let manifest = match files::read(&path.join(MANIFEST_NAME), None, MAX_MANIFEST_BYTES) {
            Ok(manifest) => manifest,
            Err(_) if path.is_file() => return Err(no_index("a file")),
            Err(_) if !path.exists() => return Err(no_index("nothing")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(no_index("a folder without it"));
            }
            Err(source) => return Err(FolderError::Io { path: path.join(MANIFEST_NAME), source }),
        };
        let index = Index::open(&manifest)?;
        let mirrors = match files::read(&path.join(MIRRORS_NAME), None, MAX_LIST_BYTES as usize) {
            Ok(list) => Some(MirrorList::decode(&list)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(FolderError::Io { path: path.join(MIRRORS_NAME), source }),
        };
        Ok(Self { place: Place { path: path.to_owned(), mirrors }, index })
    }

    /// The opened index, for lookups.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the folder of the site as the build recorded it, if it is still there. An index does
    /// not contain the texts of pages. A build records the folder if the output is in it, or if
    /// both are in the folder in which the build runs.
    #[must_use]
    pub fn site_folder(&self) -> Option<PathBuf> {
        let site = self.file_list().ok()??.site?;
        Some(self.place.path.join(site)).filter(|site| site.is_dir())
    }

    /// Reads the list of files, or returns `None` if it was not published.
    pub(super) fn file_list(&self) -> Result<Option<FileList>, FolderError> {
        let path = self.place.path.join(FILES_NAME);
        match files::read(&path, None, MAX_FILE_LIST) {
            Ok(bytes) => Ok(Some(FileList::decode(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FolderError::Io { path, source }),
        }
    }

    /// Reads a file of the index, or a range of one, which is written `path#offset+length`. Reads
    /// no more than an index may have there.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        self.place.read(name)
    }

    /// Finds pages similar to a text, see [`Lookup::from_text`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the text has no words.
    pub fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        self.answer(Lookup::from_text(&self.index, text, lang, options)?)
    }

    /// Finds pages by typed words, see [`Lookup::from_typed`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or there are no words.
    pub fn search(
        &mut self,
        words: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        self.answer(Lookup::from_typed(&self.index, words, lang, options)?)
    }

    /// Finds pages similar to the page at a URL, see [`Lookup::from_url`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or there is no page at this URL.
    pub fn similar_to_url(
        &mut self,
        url: &str,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        self.answer(Lookup::from_url(&self.index, url, options))
    }

    /// Lists the pages of a filter, see [`Lookup::from_filter`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn list_filtered(
        &mut self,
        refinement: Refinement,
        options: LookupOptions,
    ) -> Result<Answer, FolderError> {
        self.answer(Lookup::from_filter(&self.index, refinement, options))
    }

    /// Runs a lookup of this index, [refined](Lookup::refine) if requested.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or there is no page at a URL.
    pub fn answer_refined(
        &mut self,
        mut lookup: Lookup,
        refinement: Option<Refinement>,
    ) -> Result<Answer, FolderError> {
        if let Some(refinement) = refinement {
            lookup.refine(&self.index, refinement);
        }
        self.answer(lookup)
    }

    /// Reads the records of all pages, in the order in which they are stored.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn records(&self) -> Result<Vec<PageRecord>, FolderError> {
        Ok(self.numbered_records()?.into_iter().map(|(_, record)| record).collect())
    }

    /// Like [`records`](Self::records), with the numbers of the pages.
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

    /// Reads the sketches of all pages with the pages' numbers, ascending. Empty if the index has
    /// none.
    pub fn sketches(&self) -> Result<Vec<(u32, Sketch)>, FolderError> {
        let mut sketches = Vec::new();
        for number in 0..self.index.manifest().sketches.shards {
            sketches.extend(self.sketch_shard(number)?);
        }
        Ok(sketches)
    }

    pub(super) fn sketch_shard(
        &self,
        number: u32,
    ) -> Result<impl Iterator<Item = (u32, Sketch)> + use<>, FolderError> {
        let manifest = self.index.manifest();
        let (name, generation, bytes) = self.shard(Kind::Sketches, number)?;
        let first = number * manifest.sketch_pages;
        let shard = SketchShard::decode(&name, generation, manifest, &bytes)?;
        Ok(shard.0.into_iter().map(move |(at, sketch)| (first + at, sketch)))
    }

    /// Drops the cached shards, so that the next lookup includes the cost of all that it reads.
    pub fn forget(&mut self) {
        self.index.forget();
    }

    /// The mirrors that the index is spread over, if any.
    #[must_use]
    pub fn mirrors(&self) -> Option<&MirrorList> {
        self.place.mirrors.as_ref()
    }

    /// The cost of opening the index, until it has been included in the cost of an answer.
    #[must_use]
    pub fn opening_cost(&self) -> Cost {
        self.index.opening_cost()
    }

    /// Describes the page at a URL, see [`variants`](pagekin_core::address::variants).
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or there is no page at this URL.
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
        let PageRecord { url, title, metadata, .. } = record;
        Ok(PageView { number, url, title, metadata, terms })
    }

    /// Returns the URL of a page and its related pages in the index, most similar first. `url` may
    /// be any of its [`variants`](pagekin_core::address::variants).
    ///
    /// # Errors
    ///
    /// [`FolderError::NoRelated`] if the index stores no related pages; or if a file cannot be
    /// read, or no page has this URL.
    pub fn related(&self, url: &str) -> Result<(String, Vec<RelatedPage>), FolderError> {
        if !self.place.path_of(ENTRY_NAME).exists() {
            return Err(FolderError::NoRelated { path: self.place.path.clone() });
        }
        let manifest = self.index.manifest();
        let entry = RelatedEntry::decode(&self.read(ENTRY_NAME)?, &manifest.base_url)?;
        let (_, record) = page_by_address(manifest, url, |name| self.read(name))?;
        let name = entry.name_for(&record.url);
        let related = entry.related(&record.url, &name, &self.read(&name)?)?;
        Ok((record.url, related))
    }

    /// Reads a block of page records.
    ///
    /// # Errors
    ///
    /// If the block cannot be read.
    pub fn block(&self, number: u32) -> Result<PageBlock, FolderError> {
        let (name, generation, bytes) = self.shard(Kind::Pages, number)?;
        Ok(PageBlock::decode(&name, generation, self.index.manifest(), &bytes)?)
    }

    /// Reads which filters and sort keys the pages have. `None` if they have none.
    ///
    /// # Errors
    ///
    /// If the shard cannot be read.
    pub fn filters(&self) -> Result<Option<FilterDirectory>, FolderError> {
        let manifest = self.index.manifest();
        if manifest.filters.shards == 0 {
            return Ok(None);
        }
        let (name, generation, bytes) = self.shard(Kind::Filters, 0)?;
        Ok(FilterShard::decode(&name, generation, 0, manifest, &bytes)?.directory)
    }

    /// The words shown for terms.
    pub(super) fn words(&self) -> Result<WordShard, FolderError> {
        let (name, generation, bytes) = self.shard(Kind::Words, 0)?;
        Ok(WordShard::decode(&name, generation, &bytes)?)
    }

    pub(super) fn addresses(&self, number: u32) -> Result<AddressShard, FolderError> {
        let slots = self.index.manifest().slots();
        let (name, generation, bytes) = self.shard(Kind::Addresses, number)?;
        Ok(AddressShard::decode(&name, generation, slots, &bytes)?)
    }

    /// Reads a shard. Returns its name, generation and bytes.
    pub(super) fn shard(
        &self,
        kind: Kind,
        number: u32,
    ) -> Result<(String, u64, Vec<u8>), FolderError> {
        let manifest = self.index.manifest();
        let name = manifest.name(kind, number);
        let bytes = manifest.stored(kind, &self.read(&name)?).to_vec();
        Ok((name, manifest.generation_of(kind, number), bytes))
    }

    fn answer(&mut self, lookup: Lookup) -> Result<Answer, FolderError> {
        lookup.drive(&mut self.index, |name| self.place.read(name))
    }
}

impl Place {
    fn read(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        let (file, range) = file_and_range(name);
        // A build that reuses the index reads whole packs to compare them.
        let is_pack = range.is_none() && file.ends_with(".pack");
        let limit = if is_pack { PACK_BYTES as usize } else { max_bytes(name) };
        let path = self.path_of(file);
        files::read(&path, range.as_ref(), limit).map_err(|source| FolderError::Io { path, source })
    }

    /// The path of a file: in the index's own folder, or else in that of a mirror.
    pub(super) fn path_of(&self, file: &str) -> PathBuf {
        let home = self.path.join(file);
        let elsewhere = || self.copies(file).find(|path| path.exists());
        if home.exists() { home } else { elsewhere().unwrap_or(home) }
    }

    /// The paths of a file in the folders of mirrors.
    pub(super) fn copies(&self, file: &str) -> impl Iterator<Item = PathBuf> {
        let hosts = self.mirrors.as_ref().map_or(&[][..], |list| list.hosts_of(file));
        hosts.iter().map(move |&host| self.path.join(folder_of(host)).join(file))
    }
}
