//! `pagekin pairs`.

mod formats;

use std::io::{BufWriter, Write};
use std::sync::Arc;

use formats::PairWriter;
use pagekin_crawl::folder::{CrawlFolder, CrawlFolderError};
use pagekin_pairs::Threshold;

use crate::Failure;
use crate::args::crawl::PairsArgs;
use crate::crawl::rows::{Failed, write_out};

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

/// The URLs of a crawl with their titles: in memory, as pairs name them in any order.
struct Names {
    text: String,
    /// Where the URL and the title of each end.
    ends: Vec<[usize; 2]>,
}

impl Names {
    fn of(crawl: &CrawlFolder) -> Result<Self, CrawlFolderError> {
        let mut names = Self { text: String::new(), ends: Vec::new() };
        for url in crawl.urls()? {
            let url = url?;
            names.text += &url.url;
            let end = names.text.len();
            names.text += &url.title;
            names.ends.push([end, names.text.len()]);
        }
        Ok(names)
    }

    fn url(&self, number: u32) -> &str {
        &self.text[self.start(number)..self.ends[number as usize][0]]
    }

    /// `None` if the crawl has none.
    fn title(&self, number: u32) -> Option<&str> {
        let [start, end] = self.ends[number as usize];
        Some(&self.text[start..end]).filter(|title| !title.is_empty())
    }

    fn start(&self, number: u32) -> usize {
        (number as usize).checked_sub(1).map_or(0, |before| self.ends[before][1])
    }
}
