//! Pairs as a Parquet file.

use std::io::{self, Write};
use std::sync::Arc;

use pagekin_build::crawl_folder::StoredPair;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::Names;
use super::formats::similarity;

/// The columns, in the order in which they are written.
const SCHEMA: &str = "message pairs {
    required binary url (UTF8);
    required binary other_url (UTF8);
    required double similarity;
    optional binary title (UTF8);
    optional binary other_title (UTF8);
}";
/// Pairs of a row group, which are kept in memory.
const ROWS: usize = 1 << 20;
/// Values that are handed to a column at once.
const BATCH: usize = 1 << 12;

/// Writes pairs, a row group at a time.
pub(super) struct PairTable<'a, W: Write + Send> {
    names: &'a Names,
    rows: Vec<StoredPair>,
    file: SerializedFileWriter<W>,
}

impl<'a, W: Write + Send> PairTable<'a, W> {
    pub(super) fn new(names: &'a Names, into: W) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(as_io)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("pagekin {}", env!("CARGO_PKG_VERSION")))
            .build();
        let file = SerializedFileWriter::new(into, schema, Arc::new(properties)).map_err(as_io)?;
        Ok(Self { names, rows: Vec::new(), file })
    }

    pub(super) fn push(&mut self, pair: StoredPair) -> io::Result<()> {
        self.rows.push(pair);
        if self.rows.len() == ROWS { self.write_rows() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_rows()?;
        self.file.into_inner().map_err(as_io)?.flush()
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let Self { names, rows, file } = self;
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = file.next_row_group().map_err(as_io)?;
        texts(&mut group, rows, |pair| Some(names.url(pair.page))).map_err(as_io)?;
        texts(&mut group, rows, |pair| Some(names.url(pair.other))).map_err(as_io)?;
        numbers(&mut group, rows).map_err(as_io)?;
        texts(&mut group, rows, |pair| names.title(pair.page)).map_err(as_io)?;
        texts(&mut group, rows, |pair| names.title(pair.other)).map_err(as_io)?;
        group.close().map_err(as_io)?;
        rows.clear();
        Ok(())
    }
}

/// Writes the next column, of texts that may be missing.
fn texts<'n, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[StoredPair],
    text: impl Fn(&StoredPair) -> Option<&'n str>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    for batch in rows.chunks(BATCH) {
        let texts: Vec<Option<&str>> = batch.iter().map(&text).collect();
        let is_there: Vec<i16> = texts.iter().map(|text| i16::from(text.is_some())).collect();
        let values: Vec<ByteArray> = texts.into_iter().flatten().map(ByteArray::from).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&is_there), None)?;
    }
    column.close()
}

/// Writes the next column, of similarities.
fn numbers<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[StoredPair],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    for batch in rows.chunks(BATCH) {
        let values: Vec<f64> = batch.iter().map(|&pair| similarity(pair)).collect();
        column.typed::<DoubleType>().write_batch(&values, None, None)?;
    }
    column.close()
}

fn no_column() -> ParquetError {
    ParquetError::General("expected another column, found none".to_owned())
}

/// An error of the file itself as it is.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
