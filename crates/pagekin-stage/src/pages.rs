//! Reads pages from the rows of a table, with the fields of [JSONL](pagekin_pages::input::jsonl).

use std::io::Read;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use pagekin_pages::input::jsonl;
use pagekin_pages::input::jsonl::{Line, LineLink};
use pagekin_pages::{CrawlPage, InputOptions, SkipReason};

use crate::batches::Batches;
use crate::error::StageError;
use crate::rows::refused;

/// Text columns. `url` is required.
const TEXTS: [&str; 5] = ["url", "title", "text", "html", "lang"];
const LINKS: &str = "links";
/// Type of the column `links`.
const LINKS_TYPE: &str = "list<struct<url: Utf8, text: Utf8>>";

/// Reads pages in batches.
pub(crate) struct PageBatches<R: Read>(Batches<R>);

impl<R: Read> PageBatches<R> {
    /// Opens the input and checks its columns.
    pub(crate) fn open(input: R) -> Result<Self, StageError> {
        let batches = Batches::open(input)?;
        check(batches.schema())?;
        Ok(Self(batches))
    }

    /// Reads the pages of the next batch, or the reasons to skip them.
    pub(crate) fn next(
        &mut self,
        options: &InputOptions,
    ) -> Result<Option<Vec<Result<CrawlPage, SkipReason>>>, StageError> {
        let Some(batch) = self.0.next()? else { return Ok(None) };
        let page = |at| {
            let line = line(&batch, at)?;
            let bytes = [&line.html, &line.text].map(|text| text.as_ref().map_or(0, String::len));
            if bytes.iter().any(|&bytes| bytes as u64 > options.max_page_bytes) {
                return Ok(Err(SkipReason::TooLarge));
            }
            Ok(jsonl::page_of(line, options))
        };
        (0..batch.num_rows()).map(page).collect::<Result<_, _>>().map(Some)
    }
}

fn check(schema: &Schema) -> Result<(), StageError> {
    let wrong = |column: &str, expected: &str, found: &str| Err(refused(column, expected, found));
    for field in schema.fields() {
        let (name, found) = (field.name().as_str(), field.data_type().to_string());
        if name == LINKS {
            if !is_links(field.data_type()) {
                return wrong(name, LINKS_TYPE, &found);
            }
        } else if !TEXTS.contains(&name) {
            let known = format!("no columns other than {}, {LINKS}", TEXTS.join(", "));
            return wrong(name, &known, &found);
        } else if *field.data_type() != DataType::Utf8 {
            return wrong(name, "Utf8", &found);
        }
    }
    let has = |name| schema.field_with_name(name).is_ok();
    match (has("url"), ["text", "html", LINKS].into_iter().any(has)) {
        (true, true) => Ok(()),
        (false, _) => wrong("url", "Utf8", "no such column"),
        (true, false) => wrong("text", "Utf8, or a column `html` or `links`", "no such column"),
    }
}

fn is_links(data_type: &DataType) -> bool {
    let is_link = |fields: &Fields| {
        let mut named: Vec<(&str, &DataType)> =
            fields.iter().map(|field| (field.name().as_str(), field.data_type())).collect();
        named.sort_unstable_by_key(|&(name, _)| name);
        named == [("text", &DataType::Utf8), ("url", &DataType::Utf8)]
    };
    let of =
        |field: &Field| matches!(field.data_type(), DataType::Struct(fields) if is_link(fields));
    matches!(data_type, DataType::List(field) if of(field))
}

fn line(batch: &RecordBatch, at: usize) -> Result<Line, StageError> {
    let own = |name| text(batch.column_by_name(name)?, at);
    let links = batch.column_by_name(LINKS).filter(|links| !links.is_null(at));
    let links = links.map(|links| {
        let links = links.as_list::<i32>().value(at);
        let links = links.as_struct();
        let text = |name, at| text(links.column_by_name(name)?, at);
        let link = |at| Some(LineLink::Link { url: text("url", at)?, text: text("text", at) });
        (0..links.len()).filter_map(link).collect()
    });
    Ok(Line {
        url: own("url"),
        title: own("title"),
        text: own("text"),
        html: own("html"),
        lang: own("lang"),
        links,
    })
}

fn text(column: &ArrayRef, at: usize) -> Option<String> {
    (!column.is_null(at)).then(|| column.as_string::<i32>().value(at).to_owned())
}
