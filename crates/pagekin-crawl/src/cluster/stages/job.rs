//! A crawl on its way through its stages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use pagekin_core::IndexParams;
use pagekin_core::qgrams::QGrams;
use pagekin_core::vocabulary::TermId;
use pagekin_pages::{InputSummary, Observer, Stage};
use pagekin_pairs::disk::columns::{NumberFile, NumberWriter};
use pagekin_pairs::disk::records;
use pagekin_pairs::signatures::equal::Deduplicated;
use serde::{Deserialize, Serialize};

use crate::cluster::bags::collection::{Collection, Spread};
use crate::cluster::bags::columns::BagFiles;
use crate::cluster::bags::fragments::FragmentReport;
use crate::cluster::bags::frequencies::Frequencies;
use crate::cluster::bags::from_page::TermText;
use crate::cluster::error::CrawlError;
use crate::cluster::options::{ClusterOptions, Pairing};
use crate::cluster::pairs::candidate_files::Cells;
use crate::cluster::pairs::external_sort::PairFiles;
use crate::cluster::pairs::rules::Rules;
use crate::cluster::pairs::{candidate_files, external_sort};
use crate::cluster::stages::checkpoint::Workplace;
use crate::cluster::stages::search::Searched;
use crate::cluster::summary::{ClusterSummary, TableSummary};
use crate::folder::format::{CRAWL_VERSION, Description, IN_LINKS, StringRules};
use crate::folder::write::OfUrls;
use crate::folder::{urls, values, write};
use crate::rank::folder;
use crate::rank::folder::LinkFolder;

/// Bags that are read and signed, or measured, at once.
pub(crate) const BAGS: u32 = 1 << 16;
/// Names of files of stages.
pub(crate) const TERMS: &str = "terms";
pub(crate) const COLLAPSED: &str = "collapsed";
pub(crate) const FREQUENCIES: &str = "frequencies";
pub(crate) const SIGNATURES: &str = "signatures";
pub(crate) const BAG_COLUMNS: &str = "bags";
pub(crate) const BAG_HASHES: &str = "bag-hashes";
pub(crate) const LANGUAGES: &str = "languages";
pub(crate) const CLASSES: &str = "classes";
pub(crate) const TWINS: &str = "twins";
pub(crate) const CENTERS: &str = "centers";
/// A crawl on its way.
pub(crate) struct Job<'a> {
    pub(crate) options: &'a ClusterOptions,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) place: &'a mut Workplace,
}

/// What Reading found. Beside it: buckets of fragments, and terms in letters.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadPages {
    pub(crate) inputs: InputSummary,
    pub(crate) fragments: FragmentReport,
    pub(crate) languages: Vec<(String, u32)>,
}

/// What Weighing found. Beside it: `urls`, their index, the number of the language of each, and
/// bags.
#[derive(Serialize, Deserialize)]
pub(crate) struct WeightedCrawl {
    pub(crate) urls: u32,
    pub(crate) empty: u64,
    /// Languages by their numbers; the first is none.
    pub(crate) languages: Vec<String>,
}

/// What the first stages found, of pages or of strings.
pub(crate) struct Gathered {
    pub(crate) read: ReadPages,
    /// URLs or strings, those without a bag too.
    pub(crate) spoken_of: Spread,
    pub(crate) weighted: WeightedCrawl,
    /// How strings became bags.
    pub(crate) strings: Option<QGrams>,
}

/// What Pairing found. Beside it: the first twin of each URL, and candidates or pairs of those that
/// are no other's twins.
#[derive(Serialize, Deserialize)]
pub(crate) struct Paired {
    pub(crate) twins: u64,
    /// `None` if all were compared.
    pub(crate) searched: Option<Searched>,
    pub(crate) found: PairsOnDisk,
}

/// Where the pairs of Pairing are.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum PairsOnDisk {
    /// They are to be verified.
    Candidates { cells: Cells, count: u64 },
    /// They are pairs.
    Pairs(PairFiles),
}

impl Job<'_> {
    /// Runs all stages behind the bags that are not finished and puts the crawl's files into
    /// `output`.
    pub(crate) fn run(
        &mut self,
        gathered: Gathered,
        output: &Path,
    ) -> Result<ClusterSummary, CrawlError> {
        let Gathered { read, spoken_of, weighted, strings } = gathered;
        let signed_by = self.sign()?;
        let mut classes = self.classify(&weighted)?;
        let paired = self.pair(&signed_by, weighted.urls)?;
        if let (Some(classes), Some(searched)) = (&mut classes, &paired.searched) {
            classes.compared = searched.compared_classes;
        }
        let twins = self.twins()?;
        let stored_pairs = self.order(&paired, weighted.urls)?;
        let pairs = self.center(&twins, weighted.urls)?;
        let centers = self.numbers(Stage::Centering, CENTERS)?;
        let recall = self.measure(&paired, &twins, weighted.urls)?;
        if self.options.signatures {
            self.invert(&signed_by, weighted.urls)?;
        }
        let collection = Collection { preset: self.options.preset, all: spoken_of };
        let description = Description {
            version: CRAWL_VERSION,
            urls: weighted.urls,
            pairs,
            stored_pairs,
            threshold: self.options.threshold.thousandths(),
            bags: self.options.bags,
            preset: self.options.preset,
            seed: self.options.seed,
            rules: self.params().bag,
            spoken_of: collection.texts(),
            lang: self.options.lang.clone(),
            languages: read.languages,
            signatures: self.options.signatures,
            in_links: self.options.links && strings.is_none(),
            strings: strings.map(StringRules),
        };
        let of_urls = OfUrls { centers: &centers, twins: twins.lowest() };
        self.put_out(output, of_urls, &description, collection)?;
        let (clusters, clustered) = large_clusters(&centers);
        Ok(ClusterSummary {
            inputs: read.inputs,
            fragments: read.fragments,
            strings: description.strings.map(|StringRules(rules)| rules),
            errors: None,
            threshold: self.options.threshold,
            urls: weighted.urls,
            empty: weighted.empty,
            classes,
            twins: paired.twins,
            tables: self.tables(&paired),
            pairs,
            stored_pairs,
            clusters,
            clustered,
            recall,
            stages: self.place.costs().to_vec(),
        })
    }

    /// The pairs that were found, verified if they are candidates, both ways and in order; answers
    /// how many there are.
    fn order(&mut self, paired: &Paired, urls: u32) -> Result<u64, CrawlError> {
        let (stage, files) = match &paired.found {
            PairsOnDisk::Pairs(files) => (Stage::Pairing, files.clone()),
            PairsOnDisk::Candidates { cells, count } => {
                (Stage::Verifying, self.verify(*cells, *count, urls)?)
            }
        };
        self.place.remove(Stage::Pairing, candidate_files::NAME)?;
        self.sort(stage, &files, urls)?;
        self.place.remove(stage, external_sort::NAME)?;
        Ok(files.pairs)
    }

    /// Of the tables of a crawl, or of its largest class that has some.
    fn tables(&self, paired: &Paired) -> Option<TableSummary> {
        let Pairing::Tables(tables) = self.options.pairing else { return None };
        let searched = paired.searched.as_ref()?;
        let (class, _) = searched.largest?;
        let choice = *searched.choices.get(&class)?;
        let curve = Rules::new(self.options, tables, self.params().signature.m).curve(&choice);
        Some(TableSummary { choice, curve, pairing: searched.report })
    }

    /// The class of each URL, if there are classes.
    pub(crate) fn classes(&self) -> Result<Option<Vec<u32>>, CrawlError> {
        let is_classified = self.options.classes.is_some();
        is_classified.then(|| self.numbers(Stage::Classifying, CLASSES)).transpose()
    }

    pub(crate) fn params(&self) -> IndexParams {
        self.options.preset.params(self.options.seed)
    }

    /// A file of a stage.
    pub(crate) fn file(&self, stage: Stage, name: &str) -> PathBuf {
        self.place.folder(stage).join(name)
    }

    pub(crate) fn numbers(&self, stage: Stage, name: &str) -> Result<Vec<u32>, CrawlError> {
        let path = self.file(stage, name);
        NumberFile::open(&path).and_then(|mut file| file.all()).map_err(CrawlError::work(&path))
    }

    pub(crate) fn bags(&self) -> Result<BagFiles, CrawlError> {
        let folder = self.place.folder(Stage::Weighing);
        BagFiles::open(&folder, BAG_COLUMNS).map_err(CrawlError::work(&folder))
    }

    pub(crate) fn twins(&self) -> Result<Deduplicated, CrawlError> {
        let lowest = self.numbers(Stage::Pairing, TWINS)?;
        Deduplicated::from_lowest(lowest)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            .map_err(CrawlError::work(&self.file(Stage::Pairing, TWINS)))
    }

    /// Writes how many URLs link to each URL with a bag.
    fn count_in_links(&self, output: &Path) -> Result<(), CrawlError> {
        let [links, bags] = [Stage::Linking, Stage::Weighing].map(|stage| self.place.folder(stage));
        let keys = urls::url_keys(&bags).map_err(CrawlError::work(&bags))?;
        let counts = LinkFolder::open(&links)?.count_in_links(keys, self.observer)?;
        write::write_numbers(output, IN_LINKS, &counts).map_err(CrawlError::work(output))
    }

    /// Puts the crawl's files into `output`. Those of stages stay where they are, too.
    pub(crate) fn put_out(
        &self,
        output: &Path,
        of_urls: OfUrls<'_>,
        description: &Description,
        collection: Collection,
    ) -> Result<(), CrawlError> {
        let mut files: Vec<(Stage, &[&str])> = vec![
            (Stage::Weighing, &["urls", "urls.index"]),
            (Stage::Sorting, &["pairs", "pairs.index"]),
        ];
        if self.options.signatures {
            files.push((Stage::Inverting, &values::NAMES));
        }
        if description.in_links {
            files.push((Stage::Linking, &folder::NAMES));
            self.count_in_links(output)?;
        }
        for (stage, names) in files {
            for name in names {
                let (from, to) = (self.file(stage, name), output.join(name));
                // Some file systems have no links.
                fs::hard_link(&from, &to)
                    .or_else(|_| fs::copy(&from, &to).map(|_| ()))
                    .map_err(CrawlError::work(&to))?;
            }
        }
        if description.strings.is_some() {
            // q-grams are no words that anybody would read.
            return write::finish(output, &[], of_urls, description)
                .map_err(CrawlError::work(output));
        }
        let path = self.file(Stage::Reading, TERMS);
        let texts: Vec<(TermId, TermText)> =
            records::read_records(&path).map_err(CrawlError::work(&path))?;
        let frequencies = frequencies(&self.place.folder(Stage::Bagging), collection.all)?;
        let terms = frequencies.terms(texts.into_iter().collect(), collection);
        write::finish(output, &terms, of_urls, description).map_err(CrawlError::work(output))
    }
}

/// On how many URLs and texts of `all` each term is, as Bagging has counted.
pub(crate) fn frequencies(bagging: &Path, all: Spread) -> Result<Frequencies, CrawlError> {
    let path = bagging.join(FREQUENCIES);
    let terms: Vec<(TermId, Spread)> =
        records::read_records(&path).map_err(CrawlError::work(&path))?;
    Ok(Frequencies::from_counts(all, terms))
}

/// How many clusters have several URLs, and how many URLs are in these.
fn large_clusters(centers: &[u32]) -> (u64, u64) {
    let mut sizes = vec![0u64; centers.len()];
    centers.iter().for_each(|&center| sizes[center as usize] += 1);
    let large = || sizes.iter().filter(|&&size| size > 1);
    (large().count() as u64, large().sum())
}

/// Writes a number a URL.
pub(crate) fn write_numbers(path: &Path, numbers: &[u32]) -> io::Result<()> {
    let mut writer = NumberWriter::create(path)?;
    writer.extend(numbers)?;
    writer.finish()
}
