//! The files that one stage writes and later stages read: the writer and the content of each.
//!
//! Methods take the `root` folder of all stages ([`Workplace::root`]), so that a stage reads the
//! files of others in the same way as it writes its own.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::Stage;
use pagekin_pages::Stage::{
    Bagging, Centering, Classifying, Pairing, Reading, Sketching, Weighing,
};
use pagekin_pairs::disk::columns::{NumberFile, NumberWriter};
use pagekin_pairs::disk::{partitions, records};
use pagekin_pairs::signatures::columns::SignatureColumns;
use pagekin_pairs::signatures::equal::Deduplicated;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cluster::bags::collapse::UrlTerms;
use crate::cluster::bags::collection::Spread;
use crate::cluster::bags::columns::BagFiles;
use crate::cluster::bags::fragments;
use crate::cluster::bags::fragments::Fragment;
use crate::cluster::bags::from_page::TermText;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::pairs::candidate_files;
use crate::cluster::stages::checkpoint;
use crate::cluster::stages::checkpoint::Workplace;

/// Number of files that fragments or strings are distributed over, as in the paper.
pub(crate) const BUCKETS: u32 = 256;

pub(crate) const FRAGMENTS: StageFile<Buckets<Fragment>> = StageFile::new(Reading, fragments::NAME);
/// Names with their strings. A string that is its own name is empty.
pub(crate) const STRINGS: StageFile<Buckets<(String, String)>> = StageFile::new(Reading, "strings");
pub(crate) const TERMS: StageFile<Vec<(TermId, TermText)>> = StageFile::new(Reading, "terms");
pub(crate) const COLLAPSED: StageFile<Buckets<UrlTerms>> = StageFile::new(Bagging, "collapsed");
pub(crate) const FREQUENCIES: StageFile<Vec<(TermId, Spread)>> =
    StageFile::new(Bagging, "frequencies");
pub(crate) const BAGS: StageFile<BagFiles> = StageFile::new(Weighing, "bags");
/// The number of each URL's language.
pub(crate) const LANGUAGES: StageFile<NumberFile<u16>> = StageFile::new(Weighing, "languages");
pub(crate) const SIGNATURES: StageFile<SignatureColumns> = StageFile::new(Sketching, "signatures");
pub(crate) const BAG_HASHES: StageFile<NumberFile<u64>> = StageFile::new(Sketching, "bag-hashes");
/// The number of each URL's class.
pub(crate) const CLASSES: StageFile<NumberFile<u32>> = StageFile::new(Classifying, "classes");
/// The lowest twin of each URL.
pub(crate) const TWINS: StageFile<NumberFile<u32>> = StageFile::new(Pairing, "twins");
pub(crate) const CANDIDATES: StageFile<Buckets<u64>> =
    StageFile::new(Pairing, candidate_files::NAME);
/// The center of each URL's cluster.
pub(crate) const CENTERS: StageFile<NumberFile<u32>> = StageFile::new(Centering, "centers");

/// A file, or several files, with content of type `T`.
pub(crate) struct StageFile<T> {
    stage: Stage,
    pub(crate) name: &'static str,
    content: PhantomData<T>,
}

/// Records in one file per bucket.
pub(crate) struct Buckets<R>(PhantomData<R>);

impl<T> StageFile<T> {
    const fn new(stage: Stage, name: &'static str) -> Self {
        Self { stage, name, content: PhantomData }
    }

    pub(crate) fn path(&self, root: &Path) -> PathBuf {
        checkpoint::folder(root, self.stage).join(self.name)
    }

    /// Removes the file when no later stage needs it, if it still exists.
    pub(crate) fn remove(&self, place: &Workplace) -> Result<(), CrawlError> {
        place.remove(self.stage, self.name)
    }
}

impl<N: Pod> StageFile<NumberFile<N>> {
    pub(crate) fn read(&self, root: &Path) -> Result<Vec<N>, CrawlError> {
        let path = self.path(root);
        NumberFile::open(&path).and_then(|mut file| file.all()).at(&path)
    }

    pub(crate) fn write(&self, root: &Path, numbers: &[N]) -> Result<(), CrawlError> {
        let path = self.path(root);
        let write = |mut writer: NumberWriter<N>| {
            writer.extend(numbers)?;
            writer.finish()
        };
        NumberWriter::create(&path).and_then(write).at(&path)
    }
}

impl StageFile<NumberFile<u32>> {
    pub(crate) fn read_twins(&self, root: &Path) -> Result<Deduplicated, CrawlError> {
        Deduplicated::from_lowest(self.read(root)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            .at(&self.path(root))
    }
}

impl<R: Serialize + DeserializeOwned> StageFile<Vec<R>> {
    pub(crate) fn read(&self, root: &Path) -> Result<Vec<R>, CrawlError> {
        let path = self.path(root);
        records::read_records(&path).at(&path)
    }

    pub(crate) fn write(&self, root: &Path, records: &[R]) -> Result<(), CrawlError> {
        let path = self.path(root);
        records::write_records(&path, records).at(&path)
    }
}

impl<R: Serialize + DeserializeOwned> StageFile<Buckets<R>> {
    pub(crate) fn bucket_path(&self, root: &Path, bucket: u32) -> PathBuf {
        partitions::path(&checkpoint::folder(root, self.stage), self.name, bucket)
    }

    pub(crate) fn read_bucket(&self, root: &Path, bucket: u32) -> Result<Vec<R>, CrawlError> {
        let path = self.bucket_path(root, bucket);
        records::read_records(&path).at(&path)
    }
}

impl StageFile<BagFiles> {
    pub(crate) fn open(&self, root: &Path) -> Result<BagFiles, CrawlError> {
        let path = self.path(root);
        BagFiles::open(&path).at(&path)
    }
}
