//! An index in a folder, as the lookup is fed from it natively.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pagekin_core::address;
use pagekin_core::shard::{
    AddressShard, MANIFEST_NAME, Manifest, PageBlock, PageRecord, Sample, TableShard,
};
use pagekin_core::{Answer, Cost, Index, Lookup, LookupOptions, QueryError, ReadError};
use rustc_hash::FxHashSet;

use crate::related;

/// An index in a folder, opened.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    index: Index,
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
    /// The words of its bag with their copies, most copies first.
    pub terms: Vec<(String, u16)>,
}

/// What [`Folder::verify`] read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Buckets of the LSH tables.
    pub buckets: u64,
}

/// Why a folder could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is no index.
    #[error("there is no index at {}: expected a folder with {MANIFEST_NAME}, as `pagekin build` writes it, found {found}", path.display())]
    NoIndex {
        /// The path that was given.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// A file of it is missing or cannot be read.
    #[error("cannot read {}: {source}. Upload or build the index again", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file of it is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The query has no answer.
    #[error(transparent)]
    Query(#[from] QueryError),
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
        let mut index = Index::open(&manifest)?;
        for name in index.wanted() {
            let bytes = read(path, &name)?;
            index.supply(&name, &bytes)?;
        }
        Ok(Self { path: path.to_owned(), index })
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The bytes of one of its files.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        read(&self.path, name)
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
        let lookup = Lookup::of_text(&mut self.index, text, lang, options)?;
        self.finish(lookup)
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
        let lookup = Lookup::of_url(&mut self.index, url, options)?;
        self.finish(lookup)
    }

    /// The records of all pages, in the order in which they are stored.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn records(&self) -> Result<Vec<PageRecord>, FolderError> {
        let mut records = Vec::new();
        for number in 0..self.index.manifest().blocks() {
            records.extend(self.block(number, &mut Soundness::default())?.0);
        }
        Ok(records)
    }

    /// Gives up the shards kept for later lookups, so that the next one pays for all it reads.
    pub fn forget(&mut self) {
        self.index.forget();
    }

    /// What opening the index has cost, as long as no answer was charged with it.
    #[must_use]
    pub fn opening_cost(&self) -> Cost {
        self.index.opening_cost()
    }

    /// What the index knows of the page with an address, see [`address::variants`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read or no page has this address.
    pub fn page(&self, url: &str) -> Result<PageView, FolderError> {
        let manifest = self.index.manifest();
        for variant in address::variants(url, &manifest.base_url) {
            let name = manifest.address_name(manifest.address_shard(&variant));
            let bytes = self.read(&name)?;
            let shard = AddressShard::decode(&name, manifest.generation, manifest.pages, &bytes)?;
            for number in shard.candidates(&variant) {
                let block = self.block(number / manifest.block_pages, &mut Soundness::default())?;
                let record = block.0.get((number % manifest.block_pages) as usize);
                if let (Some(record), Some(vocabulary)) = (record, self.index.vocabulary())
                    && record.url == variant
                {
                    let mut terms: Vec<_> = record
                        .bag
                        .entries()
                        .iter()
                        .map(|&(id, copies)| (vocabulary.get(id).word.to_owned(), copies))
                        .collect();
                    terms.sort_by_key(|(_, copies)| std::cmp::Reverse(*copies));
                    let (url, title) = (record.url.clone(), record.title.clone());
                    return Ok(PageView { number, url, title, terms });
                }
            }
        }
        let (address, base_url) = (url.to_owned(), manifest.base_url.clone());
        Err(QueryError::UnknownAddress { address, base_url }.into())
    }

    /// Reads every file of the index and checks that they fit together: each page is found by its address,
    /// stands in the bucket of each of its keys, and is in its shard of related pages, if they were built.
    ///
    /// # Errors
    ///
    /// The first file that cannot be read or does not fit.
    pub fn verify(&self) -> Result<Soundness, FolderError> {
        let manifest = self.index.manifest();
        let Manifest { generation, pages, .. } = *manifest;
        let mut sound = Soundness::default();
        let damaged = |shard: &str, what| ReadError::Damaged { shard: shard.to_owned(), what };
        let sample = manifest.sample_name();
        Sample::decode(&sample, generation, &self.take(&sample, &mut sound)?)?;
        for name in [MANIFEST_NAME.to_owned(), manifest.terms_name(), manifest.stop_name()] {
            // Read when the folder was opened.
            self.take(&name, &mut sound)?;
        }
        let partners = manifest.params.tables.partners();
        let mut tables = Vec::new();
        for number in 0..manifest.table_shards {
            let name = manifest.table_name(number);
            let bytes = self.take(&name, &mut sound)?;
            let shard = TableShard::decode(&name, generation, pages, partners, &bytes)?;
            sound.buckets += shard.buckets() as u64;
            tables.push(shard);
        }
        let mut addresses = Vec::new();
        for number in 0..manifest.address_shards {
            let name = manifest.address_name(number);
            let bytes = self.take(&name, &mut sound)?;
            addresses.push(AddressShard::decode(&name, generation, pages, &bytes)?);
        }
        let mut urls = FxHashSet::default();
        for number in 0..manifest.blocks() {
            let name = manifest.block_name(number);
            let block = self.block(number, &mut sound)?;
            urls.extend(block.0.iter().map(|record| record.url.clone()));
            for (page, record) in (number * manifest.block_pages..).zip(&block.0) {
                let url = address::normal(&record.url);
                let shard = manifest.address_shard(url);
                if !addresses[shard as usize].candidates(url).any(|found| found == page) {
                    let name = manifest.address_name(shard);
                    return Err(damaged(&name, "the address of every page").into());
                }
                if manifest.table_shards == 0 {
                    continue;
                }
                let vocabulary = self.index.vocabulary();
                let signature = vocabulary
                    .and_then(|vocabulary| self.index.family().sign(&record.bag, vocabulary))
                    .ok_or_else(|| damaged(&name, "a bag in every record"))?;
                for key in self.index.tables().keys(&signature) {
                    let shard = manifest.table_shard(&key);
                    let agreeing = key.partners.len() as u32;
                    if !tables[shard as usize].matches(&key).any(|found| found == (page, agreeing))
                    {
                        let name = manifest.table_name(shard);
                        return Err(damaged(&name, "every page in the buckets of its keys").into());
                    }
                }
            }
        }
        self.verify_related(&urls, &mut sound)?;
        Ok(sound)
    }

    /// Related pages may not have been built; if they were, all is there and of this index, whose addresses are `urls`.
    fn verify_related(
        &self,
        urls: &FxHashSet<String>,
        sound: &mut Soundness,
    ) -> Result<(), FolderError> {
        if !self.path.join(related::ENTRY_NAME).exists() {
            return Ok(());
        }
        let Manifest { generation, base_url, .. } = self.index.manifest();
        let bytes = self.take(related::ENTRY_NAME, sound)?;
        let entry = related::Entry::decode(&bytes, *generation, base_url)?;
        let mut pages = 0;
        for (number, name) in (0..).zip(entry.names()) {
            let bytes = self.take(&name, sound)?;
            pages += entry.check_shard(number, &name, &bytes, urls)?;
        }
        if pages != urls.len() {
            let shard = related::ENTRY_NAME.to_owned();
            let what = "every page of the index in its shard of related pages";
            return Err(ReadError::Damaged { shard, what }.into());
        }
        Ok(())
    }

    fn block(&self, number: u32, sound: &mut Soundness) -> Result<PageBlock, FolderError> {
        let manifest = self.index.manifest();
        let name = manifest.block_name(number);
        let bytes = self.take(&name, sound)?;
        Ok(PageBlock::decode(&name, manifest, &bytes)?)
    }

    fn take(&self, name: &str, sound: &mut Soundness) -> Result<Vec<u8>, FolderError> {
        let bytes = self.read(name)?;
        sound.files += 1;
        sound.bytes += bytes.len() as u64;
        Ok(bytes)
    }

    fn finish(&mut self, mut lookup: Lookup) -> Result<Answer, FolderError> {
        loop {
            let wanted = lookup.wanted(&mut self.index)?;
            if wanted.is_empty() {
                return Ok(lookup.answer().cloned().unwrap_or_default());
            }
            for name in wanted {
                let bytes = read(&self.path, &name)?;
                lookup.supply(&mut self.index, &name, &bytes)?;
            }
        }
    }
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, FolderError> {
    let path = folder.join(name);
    fs::read(&path).map_err(|source| FolderError::Io { path, source })
}
