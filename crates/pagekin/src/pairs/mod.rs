//! `pagekin pairs`.

mod formats;
mod parquet;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use pagekin_build::crawl::Threshold;
use pagekin_build::crawl_folder::{CrawlFolder, CrawlFolderError};
use pagekin_build::replace_file;

use crate::Failure;
use crate::args::PairsArgs;
use formats::PairWriter;

pub(crate) fn run(args: &PairsArgs) -> Result<(), Failure> {
    let crawl = CrawlFolder::open(&args.crawl)?;
    let names = Names::of(&crawl)?;
    let Some(path) = &args.output else {
        return match write(&crawl, &names, args, Box::new(io::stdout())) {
            Err(Failed::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written.map_err(|failed| failed.at(None))?),
        };
    };
    replace_file(path, |file| {
        let file = Box::new(file.try_clone()?);
        write(&crawl, &names, args, file).map_err(|failed| failed.at(Some(path)))
    })
}

/// Writes all pairs that reach the minimum.
fn write(
    crawl: &CrawlFolder,
    names: &Names,
    args: &PairsArgs,
    into: Box<dyn Write + Send>,
) -> Result<(), Failed> {
    let least = args.min.map_or(0, Threshold::thousandths);
    let mut writer = PairWriter::new(args.format, names, BufWriter::new(into))?;
    crawl.each_pair(|pair| {
        if pair.thousandths >= least { Ok(writer.push(pair)?) } else { Ok::<(), Failed>(()) }
    })?;
    Ok(writer.finish()?)
}

/// Why pairs could not be written.
enum Failed {
    Crawl(CrawlFolderError),
    Output(io::Error),
}

impl Failed {
    /// For people; `path` is that of the output.
    fn at(self, path: Option<&Path>) -> Failure {
        match (self, path) {
            (Self::Crawl(error), _) => error.into(),
            (Self::Output(error), None) => error.into(),
            (Self::Output(error), Some(path)) => {
                let path = path.display();
                format!("cannot write {path}: {error}. Expected enough space; nothing was changed")
                    .into()
            }
        }
    }
}

impl From<CrawlFolderError> for Failed {
    fn from(error: CrawlFolderError) -> Self {
        Self::Crawl(error)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
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
