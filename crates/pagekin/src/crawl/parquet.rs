//! A Parquet writer that writes a row group at a time.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// Rows per row group, all of which are kept in memory.
const ROWS: usize = 1 << 20;
/// Values per write to a column.
const BATCH: usize = 1 << 12;

/// A row group, whose columns are written one after the other.
pub(crate) type Group<'g, W> = SerializedRowGroupWriter<'g, W>;

type Columns<'c, R, W> =
    Box<dyn Fn(&[R], &mut Group<'_, W>) -> Result<(), ParquetError> + Send + 'c>;

pub(crate) struct ParquetRows<'c, R, W: Write + Send> {
    rows: Vec<R>,
    columns: Columns<'c, R, W>,
    file: SerializedFileWriter<W>,
}

impl<'c, R, W: Write + Send> ParquetRows<'c, R, W> {
    /// Creates a writer with this schema. `columns` writes the columns of a row group in schema
    /// order.
    pub(crate) fn new(
        schema: &str,
        columns: impl Fn(&[R], &mut Group<'_, W>) -> Result<(), ParquetError> + Send + 'c,
        into: W,
    ) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(schema).map_err(as_io)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("pagekin {}", env!("CARGO_PKG_VERSION")))
            .build();
        let file = SerializedFileWriter::new(into, schema, Arc::new(properties)).map_err(as_io)?;
        Ok(Self { rows: Vec::new(), columns: Box::new(columns), file })
    }

    pub(crate) fn push(&mut self, row: R) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() == ROWS { self.write_rows() } else { Ok(()) }
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write_rows()?;
        self.file.into_inner().map_err(as_io)?.flush()
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let Self { rows, columns, file } = self;
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = file.next_row_group().map_err(as_io)?;
        columns(rows, &mut group).map_err(as_io)?;
        group.close().map_err(as_io)?;
        rows.clear();
        Ok(())
    }
}

/// Writes the next column, of optional texts.
pub(crate) fn texts<'n, R, W: Write + Send>(
    group: &mut Group<'_, W>,
    rows: &'n [R],
    text: impl Fn(&'n R) -> Option<&'n str>,
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

/// Writes the next column, of floating-point numbers.
pub(crate) fn doubles<R, W: Write + Send>(
    group: &mut Group<'_, W>,
    rows: &[R],
    number: impl Fn(&R) -> f64,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    for batch in rows.chunks(BATCH) {
        let values: Vec<f64> = batch.iter().map(&number).collect();
        column.typed::<DoubleType>().write_batch(&values, None, None)?;
    }
    column.close()
}

/// Writes the next column, of integers.
pub(crate) fn integers<R, W: Write + Send>(
    group: &mut Group<'_, W>,
    rows: &[R],
    number: impl Fn(&R) -> i64,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    for batch in rows.chunks(BATCH) {
        let values: Vec<i64> = batch.iter().map(&number).collect();
        column.typed::<Int64Type>().write_batch(&values, None, None)?;
    }
    column.close()
}

fn no_column() -> ParquetError {
    ParquetError::General("expected another column, found none".to_owned())
}

/// Converts an error; an I/O error of the file itself is unwrapped.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
