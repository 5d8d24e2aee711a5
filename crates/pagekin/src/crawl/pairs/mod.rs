//! `pagekin crawl pairs`.

mod formats;
mod names;

use std::io::{BufWriter, Write};
use std::sync::Arc;

use clap::CommandFactory;
use clap::error::ErrorKind;
use formats::PairWriter;
use names::Names;
use pagekin_crawl::folder::CrawlFolder;
use pagekin_pairs::Threshold;

use crate::args::Args;
use crate::args::crawl::{PairsArgs, PairsFormat};
use crate::args::running::format_of;
use crate::crawl::rows::{RowError, write_out};
use crate::failure::Failure;
use crate::output::Reader;

pub(crate) fn run(args: &PairsArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let crawl = CrawlFolder::open(&args.crawl)?;
    let names = Arc::new(Names::new(&crawl)?);
    write_out(args.output.file.as_deref(), Reader::Programs, |into| {
        write(&crawl, names, (format, args.threshold), into)
    })
}

/// Returns the requested format, or the one that the output's name implies.
fn format(args: &PairsArgs) -> Result<PairsFormat, clap::Error> {
    let named = || format_of(args.output.file.as_deref()?);
    args.format.or_else(named).ok_or_else(|| {
        let what = "no output format. Pass --format, or an --output whose name ends in one, such as pairs.csv";
        Args::command().error(ErrorKind::MissingRequiredArgument, what)
    })
}

/// Writes all pairs with at least the minimum similarity.
fn write(
    crawl: &CrawlFolder,
    names: Arc<Names>,
    (format, min): (PairsFormat, Option<Threshold>),
    into: Box<dyn Write + Send>,
) -> Result<(), RowError> {
    let min = min.map_or(0, Threshold::thousandths);
    let mut writer = PairWriter::new(format, names, BufWriter::new(into))?;
    crawl.each_pair(|pair| {
        if pair.thousandths < min {
            return Ok(());
        }
        Ok::<(), RowError>(writer.push(pair)?)
    })?;
    Ok(writer.finish()?)
}
