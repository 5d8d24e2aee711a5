//! Readers of untrusted bytes that are not part of the API, for the fuzz targets in `tests/fuzz`.

use std::io;
use std::path::Path;

use pagekin_pages::Silent;

use crate::cluster::error::CrawlError;
use crate::cluster::learned::LearnedWeights;
pub use crate::cluster::strings::records::strings;
use crate::feedback::error::FeedbackError;
use crate::feedback::judgments::{Judgment, Judgments, UnknownJudgments};
use crate::folder::read::CrawlFolder;
use crate::folder::values::{Position, ValueWriter};
use crate::rank::error::RankError;
use crate::rank::in_links;
use crate::rank::in_links::InLinks;
use crate::rank::iterate::{Walk, iterate};
use crate::rank::reset::{self, Reset};

/// Writes the URLs by the values at some positions of their signatures.
///
/// # Errors
///
/// If writing fails.
pub fn write_signatures(folder: &Path, positions: &[Vec<u16>]) -> io::Result<()> {
    let mut writer = ValueWriter::create(folder)?;
    positions.iter().try_for_each(|values| writer.push(&Position::new(values)))?;
    writer.finish()
}

/// Returns the end of a file of links whose data is one block.
#[must_use]
pub fn link_end(nodes: u64, links: u64, bytes: u64) -> Vec<u8> {
    let numbers = |numbers: &[u64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    [numbers(&[nodes, bytes]), in_links::MAGIC.to_vec(), numbers(&[nodes, links, 1])].concat()
}

/// Reads the links of a file, as (target, source), and the ranks of its nodes after some
/// iterations.
///
/// # Errors
///
/// If the file is damaged.
#[allow(clippy::type_complexity)] // Two lists of numbers.
pub fn ranked_links(file: Vec<u8>, iterations: u32) -> io::Result<(Vec<(u32, u32)>, Vec<f64>)> {
    let mut links = InLinks::open(io::Cursor::new(file))?;
    let mut column = vec![Vec::new(); links.nodes() as usize];
    links.pass(&mut column, &Silent, |_, column, lists| {
        column.iter_mut().try_for_each(|sources| lists.next(|u| sources.push(u)).map(|_| ()))
    })?;
    let walk = Walk { max_iterations: iterations, ..Walk::PAPER };
    let ranks = iterate(&mut links, &walk, &Silent)?.ranks;
    let links = (0..).zip(column);
    let links =
        links.flat_map(|(to, from): (u32, Vec<u32>)| from.into_iter().map(move |u| (to, u)));
    Ok((links.collect(), ranks))
}

/// Reads a file of learned weights.
///
/// # Errors
///
/// If the file has other content.
pub fn learned(json: &[u8]) -> Result<LearnedWeights, CrawlError> {
    LearnedWeights::new(json, Path::new("-"))
}

/// Reads a file of judgments of pairs or clusters. Also returns those that are not used.
///
/// # Errors
///
/// If the file has other content.
pub fn judgments(
    csv: &[u8],
    crawl: &mut CrawlFolder,
) -> Result<(Vec<Judgment>, UnknownJudgments), FeedbackError> {
    let Judgments { pairs, unknown } = Judgments::read_from(csv, Path::new("-"), crawl, 1)?;
    Ok((pairs, unknown))
}

/// Reads a file of reset values.
///
/// # Errors
///
/// If the file has other content.
pub fn reset_values(csv: &[u8]) -> Result<Reset, RankError> {
    reset::read_from(csv, Path::new("-"))
}
