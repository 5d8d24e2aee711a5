//! `pagekin pairs`.

mod formats;
mod names;

use std::io::{BufWriter, Write};
use std::sync::Arc;

use formats::PairWriter;
use names::Names;
use pagekin_crawl::folder::CrawlFolder;
use pagekin_pairs::Threshold;

use crate::args::crawl::PairsArgs;
use crate::crawl::rows::{Failed, write_out};
use crate::failure::Failure;

pub(crate) fn run(args: &PairsArgs) -> Result<(), Failure> {
    let crawl = CrawlFolder::open(&args.crawl)?;
    let names = Arc::new(Names::of(&crawl)?);
    write_out(args.output.as_deref(), |into| write(&crawl, names, args, into))
}

/// Writes all pairs that reach the minimum.
fn write(
    crawl: &CrawlFolder,
    names: Arc<Names>,
    args: &PairsArgs,
    into: Box<dyn Write + Send>,
) -> Result<(), Failed> {
    let least = args.min.map_or(0, Threshold::thousandths);
    let mut writer = PairWriter::new(args.format, names, BufWriter::new(into))?;
    crawl.each_pair(|pair| {
        if pair.thousandths < least {
            return Ok(());
        }
        Ok::<(), Failed>(writer.push(pair)?)
    })?;
    Ok(writer.finish()?)
}
