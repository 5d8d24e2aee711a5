//! The middle stages: signatures to sorted similar pairs.

use std::io;
use std::path::Path;

use pagekin_core::bag::Bag;
use pagekin_core::similarity::Overlap;
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::disk::columns::NumberFile;
use pagekin_pairs::minhash::SignedBy;
use pagekin_pairs::pairs::exact_join;
use pagekin_pairs::pairs::verify::{SimilarPair, verify};
use rayon::prelude::*;

use crate::cluster::bags::columns::{BagColumns, BagFiles};
use crate::cluster::classes::parts::{ClassPart, parts};
use crate::cluster::error::{At, CrawlError};
use crate::cluster::options::{ClusterOptions, Pairing};
use crate::cluster::pairs::candidate_files;
use crate::cluster::pairs::candidate_files::{CandidateWriter, Cells};
use crate::cluster::pairs::external_sort::{PairFiles, PairSorter};
use crate::cluster::pairs::rules::Rules;
use crate::cluster::stages::files::{BAG_HASHES, BAGS, SIGNATURES, TWINS};
use crate::cluster::stages::job::{Job, Paired, PairsOnDisk};
use crate::cluster::stages::search::Search;
use crate::folder::format::StoredPair;
use crate::folder::write::PairWriter;

/// Memory per verified pair: its number, the pair, and its result.
const VERIFYING: u64 = 40;

impl Job<'_> {
    /// Finds candidate pairs by signatures, or similar pairs by bags.
    pub(crate) fn pair(&mut self, signed_by: &SignedBy, urls: u32) -> Result<Paired, CrawlError> {
        let is_exact = self.options.pairing == Pairing::Exact;
        let (k, l) = match self.options.pairing {
            Pairing::Tables(tables) => (tables.k, tables.l),
            Pairing::Exact => (None, None),
        };
        let depends_on = (self.options.threshold.thousandths(), is_exact, k, l);
        let classes = self.classes()?;
        let (options, observer, root) = (self.options, self.observer, self.root());
        let (signatures, hashes) = (SIGNATURES.path(&root), BAG_HASHES.path(&root));
        let mut bags = BAGS.open(&root)?;
        self.place.stage(Stage::Pairing, &depends_on, observer, |folder| {
            observer.stage(Stage::Pairing, 0);
            let Pairing::Tables(tables) = options.pairing else {
                return compare_all(&mut bags, classes, options, observer, folder, &root);
            };
            let rules = Rules::new(options, tables, signed_by.params.m);
            let search =
                Search { rules, signatures: &signatures, hashes: &hashes, signed_by, observer };
            let parts = match &classes {
                Some(classes) => {
                    let max = options.memory / Search::bytes_of_url(signed_by.params.m);
                    parts(classes, u32::try_from(max).unwrap_or(u32::MAX))
                }
                None => vec![ClassPart::whole()],
            };
            let cells = Cells::new(urls, bags.bytes(), options.memory / 2);
            let mut writer = CandidateWriter::create(folder, cells).at(folder)?;
            let push = &mut |u, v| writer.push(u, v).at(folder);
            let (searched, twins) = search.all(&parts, &mut bags, push)?;
            let count = writer.finish().at(folder)?;
            let found = PairsOnDisk::Candidates { cells, count };
            TWINS.write(&root, &twins)?;
            let twins = (0..).zip(&twins).filter(|&(url, &lowest)| url != lowest).count() as u64;
            Ok(Paired { twins, searched: Some(searched), found })
        })
    }

    /// Compares the bags of candidates and keeps the similar pairs.
    pub(crate) fn verify(
        &mut self,
        cells: Cells,
        count: u64,
        urls: u32,
    ) -> Result<PairFiles, CrawlError> {
        let from = self.place.folder(Stage::Pairing);
        let (options, observer, root) = (self.options, self.observer, self.root());
        let mut files = BAGS.open(&root)?;
        self.place.stage(Stage::Verifying, &(), observer, |folder| {
            observer.stage(Stage::Verifying, count);
            let mut sorter = PairSorter::create(folder, urls, count, options.memory).at(folder)?;
            let mut low_bags: Option<(u32, BagColumns)> = None;
            for cell in cells.all() {
                let (low, high) = (cells.range(cell.low), cells.range(cell.high));
                if low_bags.as_ref().is_none_or(|(of, _)| *of != cell.low) {
                    // Freed before the next bags are read.
                    drop(low_bags.take());
                    low_bags = Some((cell.low, files.range(low.clone()).at(folder)?));
                }
                let Some((_, lows)) = &low_bags else { unreachable!("they were just read") };
                let other = (cell.low != cell.high).then(|| files.range(high.clone()));
                let other = other.transpose().at(folder)?;
                let highs = other.as_ref().unwrap_or(lows);
                let path = cells.path(&from, cell);
                let mut candidates = NumberFile::<u64>::open(&path).at(&path)?;
                for part in candidates.ranges(options.memory / 2 / VERIFYING) {
                    check(observer)?;
                    let mut words = candidates.range(part).at(&path)?;
                    words.par_sort_unstable();
                    let pairs: Vec<(u32, u32)> =
                        words.into_iter().map(candidate_files::pair).collect();
                    if pairs.iter().any(|(u, v)| !low.contains(u) || !high.contains(v)) {
                        let what = "expected pairs of the cell's ranges, found others";
                        return Err(io::Error::new(io::ErrorKind::InvalidData, what)).at(&path);
                    }
                    let overlap = |u: u32, v: u32| {
                        let (u, v) = ((u - low.start) as usize, (v - high.start) as usize);
                        Overlap::from_columns(lows.columns(u), highs.columns(v))
                    };
                    for pair in verify(&pairs, overlap, options.threshold)? {
                        sorter.push(stored(&pair)).at(folder)?;
                    }
                    observer.advance(pairs.len() as u64);
                }
            }
            sorter.finish().at(folder)
        })
    }

    /// Sorts pairs in both directions.
    pub(crate) fn sort(
        &mut self,
        stage: Stage,
        files: &PairFiles,
        urls: u32,
    ) -> Result<(), CrawlError> {
        let (observer, from) = (self.observer, self.place.folder(stage));
        self.place.stage(Stage::Sorting, &(), observer, |folder| {
            observer.stage(Stage::Sorting, files.files.into());
            let mut writer = PairWriter::create(folder, urls).at(folder)?;
            let sorted = files.sorted(&from, |pairs| {
                if observer.cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                observer.advance(1);
                writer.push(pairs)
            });
            check(observer)?;
            sorted.at(folder)?;
            writer.finish().at(folder)?;
            Ok(())
        })
    }
}

/// Compares all bags of a class exactly and returns the similar pairs.
fn compare_all(
    bags: &mut BagFiles,
    classes: Option<Vec<u32>>,
    options: &ClusterOptions,
    observer: &dyn Observer,
    folder: &Path,
    root: &Path,
) -> Result<Paired, CrawlError> {
    let urls = bags.len();
    let part = classes.map_or_else(ClassPart::whole, ClassPart::new);
    let columns = bags.range(0..urls).at(folder)?;
    let of_url = |&url: &u32| (url, columns.bag(url as usize));
    let mut sorter =
        PairSorter::create(folder, urls, 20 * u64::from(urls), options.memory).at(folder)?;
    for (_, urls) in part.by_class((0..urls).collect()) {
        let bags: Vec<(u32, Bag)> = urls.par_iter().map(of_url).collect();
        let pairs = exact_join::join_while(&bags, options.threshold, || check(observer))?;
        pairs.iter().try_for_each(|pair| sorter.push(stored(pair))).at(folder)?;
    }
    let alone: Vec<u32> = (0..urls).collect();
    TWINS.write(root, &alone)?;
    let found = PairsOnDisk::Pairs(sorter.finish().at(folder)?);
    Ok(Paired { twins: 0, searched: None, found })
}

fn stored(pair: &SimilarPair) -> StoredPair {
    StoredPair { page: pair.u, other: pair.v, thousandths: pair.thousandths() }
}
