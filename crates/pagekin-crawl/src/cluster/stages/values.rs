//! The last stage, only for crawls that keep signatures: indexes URLs by the values of their
//! signatures.

use pagekin_pages::Stage;
use pagekin_pages::progress::check;
use pagekin_pairs::minhash::SignedBy;
use pagekin_pairs::signatures::file;
use rayon::prelude::*;

use crate::cluster::error::{At, CrawlError};
use crate::cluster::stages::files::SIGNATURES;
use crate::cluster::stages::job::Job;
use crate::folder::values::{Position, ValueWriter};

/// Memory per value of a URL: the value, its place, and its list entry.
const INVERTING: u64 = 12;

impl Job<'_> {
    /// Writes the lists of URLs by value, for as many positions at a time as memory allows.
    pub(crate) fn invert(&mut self, signed_by: &SignedBy, urls: u32) -> Result<(), CrawlError> {
        let (options, observer, root) = (self.options, self.observer, self.root());
        let signatures = SIGNATURES.path(&root);
        self.place.stage(Stage::Inverting, &(), observer, |folder| {
            let m = signed_by.params.m;
            observer.stage(Stage::Inverting, m.into());
            let mut writer = ValueWriter::create(folder).at(folder)?;
            let at_once = options.memory / (INVERTING * u64::from(urls).max(1));
            let positions: Vec<u16> = (0..m).collect();
            for some in positions.chunks(at_once.clamp(1, m.into()) as usize) {
                check(observer)?;
                let values = file::read_positions(&signatures, signed_by, some)
                    .map_err(CrawlError::signatures(&signatures))?;
                let inverted: Vec<Position> =
                    values.par_iter().map(|values| Position::new(values)).collect();
                inverted.iter().try_for_each(|of| writer.push(of)).at(folder)?;
                observer.advance(some.len() as u64);
            }
            writer.finish().at(folder)
        })
    }
}
