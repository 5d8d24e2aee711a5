//! Unpacks rows into the columns of tables.

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use pagekin_crawl::folder::CrawledUrl;

use crate::error::StageError;
use crate::rows::{Row, RowReader, of_kind};

/// The kind of rows to unpack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpacked {
    /// Numbered rows of kind `bags`: `number`, `url`, `title`, `fragments`.
    Urls,
    /// Rows of kind `pairs`: `number`, `other`, `thousandths`.
    Pairs,
    /// Rows of kind `twins`: `first`, `number`.
    Twins,
    /// Rows of kind `centers`: `number`, `center`.
    Centers,
}

impl Unpacked {
    fn kind(self) -> &'static str {
        match self {
            Self::Urls => "bags",
            Self::Pairs => "pairs",
            Self::Twins => "twins",
            Self::Centers => "centers",
        }
    }

    fn columns(self) -> &'static [(&'static str, DataType)] {
        match self {
            Self::Urls => &[
                ("number", DataType::Int64),
                ("url", DataType::Utf8),
                ("title", DataType::Utf8),
                ("fragments", DataType::Int64),
            ],
            Self::Pairs => &[
                ("number", DataType::Int64),
                ("other", DataType::Int64),
                ("thousandths", DataType::Int32),
            ],
            Self::Twins => &[("first", DataType::Int64), ("number", DataType::Int64)],
            Self::Centers => &[("number", DataType::Int64), ("center", DataType::Int64)],
        }
    }
}

/// Unpacks each row of a kind into a batch of columns.
pub(crate) fn unpack<R: Read, W: Write>(
    input: R,
    output: W,
    what: Unpacked,
) -> Result<(), StageError> {
    let mut rows = RowReader::open(input, what == Unpacked::Urls)?;
    let field = |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), false);
    let schema = Arc::new(Schema::new(what.columns().iter().map(field).collect::<Vec<_>>()));
    let mut stream = StreamWriter::try_new(output, &schema).map_err(StageError::writing)?;
    while let Some(row) = rows.next()? {
        if row.is_report() {
            continue;
        }
        of_kind(std::slice::from_ref(&row), what.kind())?;
        let columns = columns(&row, what)?;
        RecordBatch::try_new(Arc::clone(&schema), columns)
            .and_then(|batch| stream.write(&batch))
            .map_err(StageError::writing)?;
    }
    stream.finish().map_err(StageError::writing)
}

fn columns(row: &Row, what: Unpacked) -> Result<Vec<ArrayRef>, StageError> {
    let kind = what.kind();
    Ok(match what {
        Unpacked::Urls => {
            let urls: Vec<CrawledUrl> = row.decoded(kind)?;
            let end = row.first.saturating_add(urls.len() as u64);
            if end > u64::from(u32::MAX) {
                return Err(StageError::TooMany { found: end });
            }
            let (mut texts, mut titles) = (StringBuilder::new(), StringBuilder::new());
            let (mut numbers, mut fragments) = (Int64Builder::new(), Int64Builder::new());
            for (number, url) in (row.first as i64..).zip(urls) {
                numbers.append_value(number);
                texts.append_value(url.url);
                titles.append_value(url.title);
                fragments.append_value(url.fragments.into());
            }
            vec![
                Arc::new(numbers.finish()),
                Arc::new(texts.finish()),
                Arc::new(titles.finish()),
                Arc::new(fragments.finish()),
            ]
        }
        Unpacked::Pairs => {
            let (mut numbers, mut others) = (Int64Builder::new(), Int64Builder::new());
            let mut similarities = Int32Builder::new();
            for &[a, b, c, d, e, f, g, h, i, j] in row.fixed(kind)? {
                numbers.append_value(u32::from_le_bytes([a, b, c, d]).into());
                others.append_value(u32::from_le_bytes([e, f, g, h]).into());
                similarities.append_value(u16::from_le_bytes([i, j]).into());
            }
            vec![
                Arc::new(numbers.finish()),
                Arc::new(others.finish()),
                Arc::new(similarities.finish()),
            ]
        }
        Unpacked::Twins | Unpacked::Centers => {
            let (mut firsts, mut seconds) = (Int64Builder::new(), Int64Builder::new());
            for &[a, b, c, d, e, f, g, h] in row.fixed(kind)? {
                firsts.append_value(u32::from_le_bytes([a, b, c, d]).into());
                seconds.append_value(u32::from_le_bytes([e, f, g, h]).into());
            }
            vec![Arc::new(firsts.finish()), Arc::new(seconds.finish())]
        }
    })
}
