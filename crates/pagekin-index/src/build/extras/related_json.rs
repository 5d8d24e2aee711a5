//! Writes the related pages of every page to one file, `related.json`, for site generators.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use pagekin_pages::{FileError, OptionError, Part};
use serde::Serialize;

use crate::build::error::BuildError;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::output::UnpublishedOutput;
use crate::build::options::BuildOptions;
use crate::build::related::similar_pages::RelatedPage;
use crate::read::related_shard::base_of;

const NAME: &str = "related.json";

/// Writes the file.
pub(crate) struct RelatedJson;

#[derive(Serialize)]
struct JsonRelatedPage<'a> {
    url: &'a str,
    path: &'a str,
    title: &'a str,
    similarity: f64,
}

impl<'a> Extra<'a> for RelatedJson {
    fn check(&self, options: &BuildOptions) -> Result<(), BuildError> {
        if options.related_count > 0 {
            return Ok(());
        }
        Err(OptionError {
            option: "related-count",
            expected: "at least 1 with related-json",
            found: "0".to_owned(),
        }
        .into())
    }

    fn begin(
        &mut self,
        site: &IndexedSite<'_>,
        output: &mut UnpublishedOutput<'a>,
    ) -> Result<(), BuildError> {
        let path = output.folder().join(NAME);
        let written = File::create(&path).and_then(|file| write(site, file));
        let bytes = written.map_err(FileError::io("write", &path))?;
        output.add_part(Part { name: NAME, files: 1, bytes });
        output.list(NAME);
        Ok(())
    }
}

/// Writes the base, then one page per line in the order of their URLs. Returns the file's length.
fn write(site: &IndexedSite<'_>, file: File) -> io::Result<u64> {
    let stored = &site.stored;
    let mut out = BufWriter::new(file);
    out.write_all(b"{\n\"base\":")?;
    serde_json::to_writer(&mut out, &base_of(stored.base_url))?;
    let mut order: Vec<u32> = (0..stored.pages.len() as u32).collect();
    order.sort_unstable_by_key(|&page| stored.url(page));
    for page in order {
        out.write_all(b",\n")?;
        serde_json::to_writer(&mut out, stored.url(page))?;
        out.write_all(b":")?;
        let row = |related: &RelatedPage| JsonRelatedPage {
            url: stored.url(related.page),
            path: stored.path(related.page),
            title: stored.title(related.page),
            similarity: f64::from(related.cosine.thousandths()) / 1_000.0,
        };
        let rows: Vec<_> = site.related.pages[page as usize].iter().map(row).collect();
        serde_json::to_writer(&mut out, &rows)?;
    }
    out.write_all(b"\n}\n")?;
    out.flush()?;
    Ok(out.get_ref().metadata()?.len())
}
