//! Unpacks rows into the columns of tables.

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use pagekin_crawl::folder::CrawledUrl;

use crate::error::StageError;
use crate::rows::{Row, RowReader, numbers, of_kind};

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
            let numbers = Int64Array::from_iter_values(row.first as i64..end as i64);
            let texts = StringArray::from_iter_values(urls.iter().map(|url| &url.url));
            let titles = StringArray::from_iter_values(urls.iter().map(|url| &url.title));
            let fragments = urls.iter().map(|url| url.fragments.into());
            let fragments = Int64Array::from_iter_values(fragments);
            vec![Arc::new(numbers), Arc::new(texts), Arc::new(titles), Arc::new(fragments)]
        }
        Unpacked::Pairs => {
            let records = row.fixed::<10>(kind)?;
            let similarity = |record: &[u8; 10]| u16::from_le_bytes([record[8], record[9]]).into();
            let similarities = Int32Array::from_iter_values(records.iter().map(similarity));
            vec![column(records, 0), column(records, 1), Arc::new(similarities)]
        }
        Unpacked::Twins | Unpacked::Centers => {
            let records = row.fixed::<8>(kind)?;
            vec![column(records, 0), column(records, 1)]
        }
    })
}

/// Returns the first or second number of each record as a column.
fn column<const BYTES: usize>(records: &[[u8; BYTES]], at: usize) -> ArrayRef {
    let number = |record| i64::from(numbers::<BYTES, 2>(record)[at]);
    Arc::new(Int64Array::from_iter_values(records.iter().map(number)))
}
