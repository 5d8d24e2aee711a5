//! Packed rows: Arrow IPC rows with many records of a bucket each.
//!
//! Bringing rows together costs as much for small rows as for large ones, so records are packed
//! into rows of about 64 KiB.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pagekin_pairs::disk::records;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::Deserialize;

use crate::batches::Batches;
use crate::error::StageError;

/// Columns of packed rows.
pub(super) const COLUMNS: [(&str, DataType); 5] = [
    ("bucket", DataType::Int32),
    ("kind", DataType::Utf8),
    ("part", DataType::Int32),
    ("records", DataType::Int64),
    ("bytes", DataType::Binary),
];
/// Additional column of numbered rows: the number of the first record.
pub(super) const FIRST: (&str, DataType) = ("first", DataType::Int64);
/// Kind of the report of a stage.
const REPORT: &str = "report";
const OF_REPORTS: i32 = -1;
/// Size in bytes at which a row is written.
const ROW_BYTES: usize = 64 << 10;
/// Bytes collected for all buckets before all rows are written.
const GATHERED_BYTES: usize = 32 << 20;
/// Size in bytes at which a batch is written.
const BATCH_BYTES: usize = 4 << 20;

/// A packed row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) bucket: i32,
    pub(crate) kind: Box<str>,
    pub(crate) part: i32,
    pub(crate) records: u64,
    pub(crate) bytes: Vec<u8>,
    /// Number of the first record, in numbered rows.
    pub(crate) first: u64,
}

impl Row {
    /// Decodes the records, which are encoded back to back.
    pub(crate) fn decoded<'a, T: Deserialize<'a>>(
        &'a self,
        kind: &'static str,
    ) -> Result<Vec<T>, StageError> {
        let all: Result<Vec<T>, _> = records::records(&self.bytes).collect();
        let all = all.map_err(|error| self.wrong(kind, error.to_string()))?;
        self.check(kind, all.len())?;
        Ok(all)
    }

    /// Returns the records, each of `N` bytes.
    pub(crate) fn fixed<const N: usize>(
        &self,
        kind: &'static str,
    ) -> Result<&[[u8; N]], StageError> {
        let (all, rest) = self.bytes.as_chunks();
        if !rest.is_empty() {
            return Err(
                self.wrong(kind, format!("{} bytes, not a multiple of {N}", self.bytes.len()))
            );
        }
        self.check(kind, all.len())?;
        Ok(all)
    }

    /// Returns the records, each of `length` bytes.
    pub(crate) fn chunks(
        &self,
        kind: &'static str,
        length: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, StageError> {
        let bytes = self.bytes.len();
        if !bytes.is_multiple_of(length) {
            return Err(self.wrong(kind, format!("{bytes} bytes, not a multiple of {length}")));
        }
        self.check(kind, bytes / length)?;
        Ok(self.bytes.chunks_exact(length))
    }

    fn check(&self, kind: &'static str, found: usize) -> Result<(), StageError> {
        if found as u64 == self.records {
            return Ok(());
        }
        Err(self.wrong(kind, found.to_string()))
    }

    pub(crate) fn wrong(&self, kind: &'static str, found: String) -> StageError {
        StageError::Records { kind, bucket: self.bucket, expected: self.records, found }
    }

    /// Returns the error for a kind that the stage does not take.
    pub(crate) fn unexpected(&self, expected: &'static str) -> StageError {
        StageError::Kind { expected, found: self.kind.to_string() }
    }

    /// Returns whether the row is the report of a stage.
    pub(crate) fn is_report(&self) -> bool {
        &*self.kind == REPORT
    }

    /// Returns the sort key of the row.
    fn place(&self) -> (i32, &str, i32) {
        (self.bucket, &self.kind, self.part)
    }
}

/// Checks that all rows are of one kind.
pub(crate) fn of_kind<'a>(rows: &'a [Row], kind: &'static str) -> Result<&'a [Row], StageError> {
    match rows.iter().find(|row| &*row.kind != kind) {
        None => Ok(rows),
        Some(row) => Err(row.unexpected(kind)),
    }
}

/// Checks that all rows are of one of two kinds, which `expected` names.
pub(crate) fn of_kinds(
    rows: &[Row],
    kinds: [&str; 2],
    expected: &'static str,
) -> Result<(), StageError> {
    match rows.iter().find(|row| !kinds.contains(&&*row.kind)) {
        None => Ok(()),
        Some(row) => Err(row.unexpected(expected)),
    }
}

/// The report of a stage. The caller adds up the reports of all tasks.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    stage: &'static str,
    /// Number of records read, by kind.
    #[serde(rename = "in")]
    taken: BTreeMap<Box<str>, u64>,
    /// Number of records written, by kind.
    #[serde(rename = "out")]
    given: BTreeMap<Box<str>, u64>,
    /// Other numbers to be added up.
    #[serde(flatten)]
    pub(crate) others: BTreeMap<String, u64>,
}

/// Reads packed rows.
pub(crate) struct RowReader<R: Read> {
    batches: Batches<R>,
    batch: Option<RecordBatch>,
    at: usize,
    /// Whether there is a column `first`.
    is_numbered: bool,
}

impl<R: Read> RowReader<R> {
    /// Opens the input and checks its columns.
    pub(crate) fn open(input: R, is_numbered: bool) -> Result<Self, StageError> {
        let batches = Batches::open(input)?;
        let numbered = is_numbered.then_some(FIRST);
        check_columns(batches.schema(), COLUMNS.iter().cloned().chain(numbered))?;
        Ok(Self { batches, batch: None, at: 0, is_numbered })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row>, StageError> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.at < batch.num_rows()) {
                let row = row(batch, self.at, self.is_numbered)?;
                self.at += 1;
                return Ok(Some(row));
            }
            self.at = 0;
            self.batch = self.batches.next()?;
            if self.batch.is_none() {
                return Ok(None);
            }
        }
    }
}

/// Checks that the columns are the expected ones, in any order.
pub(crate) fn check_columns(
    schema: &Schema,
    expected: impl Iterator<Item = (&'static str, DataType)>,
) -> Result<(), StageError> {
    let mut known = Vec::new();
    for (column, data_type) in expected {
        let found = match schema.field_with_name(column) {
            Ok(field) if *field.data_type() == data_type => None,
            Ok(field) => Some(field.data_type().to_string()),
            Err(_) => Some("no such column".to_owned()),
        };
        if let Some(found) = found {
            return Err(refused(column, &data_type.to_string(), &found));
        }
        known.push(column);
    }
    let is_unknown = |field: &&Arc<Field>| !known.contains(&field.name().as_str());
    match schema.fields().iter().find(is_unknown) {
        None => Ok(()),
        Some(field) => {
            let expected = format!("no columns other than {}", known.join(", "));
            Err(refused(field.name(), &expected, &field.data_type().to_string()))
        }
    }
}

fn row(batch: &RecordBatch, at: usize, is_numbered: bool) -> Result<Row, StageError> {
    let column = |name: &str| -> Result<&ArrayRef, StageError> {
        let column = batch.column_by_name(name).expect("columns were checked");
        if column.is_null(at) {
            return Err(refused(name, "a value in each row", "null"));
        }
        Ok(column)
    };
    let number = |name| -> Result<i64, StageError> {
        Ok(column(name)?.as_primitive::<Int64Type>().value(at))
    };
    let whole = |name: &'static str, number: i64| {
        u64::try_from(number).map_err(|_| refused(name, "0 or more", &number.to_string()))
    };
    let first = if is_numbered { number("first")? } else { 0 };
    Ok(Row {
        bucket: column("bucket")?.as_primitive::<Int32Type>().value(at),
        kind: column("kind")?.as_string::<i32>().value(at).into(),
        part: column("part")?.as_primitive::<Int32Type>().value(at),
        records: whole("records", number("records")?)?,
        bytes: column("bytes")?.as_binary::<i32>().value(at).to_vec(),
        first: whole("first", first)?,
    })
}

pub(crate) fn refused(column: &str, expected: &str, found: &str) -> StageError {
    StageError::Column {
        column: column.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    }
}

/// Writes packed rows.
pub(crate) struct Out<W: Write> {
    stream: StreamWriter<W>,
    schema: SchemaRef,
    buckets: Int32Builder,
    kinds: StringBuilder,
    parts: Int32Builder,
    records: Int64Builder,
    bytes: BinaryBuilder,
    gathered: usize,
    pub(crate) report: Report,
}

impl<W: Write> Out<W> {
    pub(crate) fn new(output: W, stage: &'static str) -> Result<Self, StageError> {
        let fields = COLUMNS.map(|(name, data_type)| Field::new(name, data_type, false));
        let schema = Arc::new(Schema::new(fields.to_vec()));
        let stream = StreamWriter::try_new(output, &schema).map_err(StageError::writing)?;
        Ok(Self {
            stream,
            schema,
            buckets: Int32Builder::new(),
            kinds: StringBuilder::new(),
            parts: Int32Builder::new(),
            records: Int64Builder::new(),
            bytes: BinaryBuilder::new(),
            gathered: 0,
            report: Report { stage, ..Report::default() },
        })
    }

    /// Writes a row.
    pub(crate) fn put(
        &mut self,
        (bucket, kind, part): (i32, &str, i32),
        records: u64,
        bytes: &[u8],
    ) -> Result<(), StageError> {
        if kind != REPORT {
            let given = self.report.given.entry(kind.into()).or_default();
            *given = given.saturating_add(records);
        }
        self.buckets.append_value(bucket);
        self.kinds.append_value(kind);
        self.parts.append_value(part);
        self.records.append_value(records as i64);
        self.bytes.append_value(bytes);
        self.gathered += bytes.len() + 64;
        if self.gathered >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), StageError> {
        self.gathered = 0;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.buckets.finish()),
            Arc::new(self.kinds.finish()),
            Arc::new(self.parts.finish()),
            Arc::new(self.records.finish()),
            Arc::new(self.bytes.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        batch.and_then(|batch| self.stream.write(&batch)).map_err(StageError::writing)
    }

    /// Writes the report and the end of the stream.
    pub(crate) fn finish(mut self) -> Result<(), StageError> {
        let report = serde_json::to_vec(&self.report).expect("numbers by their names are JSON");
        self.put((OF_REPORTS, REPORT, 0), 1, &report)?;
        self.write()?;
        self.stream.finish().map_err(StageError::writing)
    }
}

/// Passes rows to `each` in any order. Copies reports to the output.
pub(crate) fn each_row<R: Read, W: Write>(
    rows: &mut RowReader<R>,
    out: &mut Out<W>,
    mut each: impl FnMut(Row, &mut Out<W>) -> Result<(), StageError>,
) -> Result<(), StageError> {
    while let Some(row) = rows.next()? {
        if row.is_report() {
            out.put(row.place(), row.records, &row.bytes)?;
            continue;
        }
        let taken = out.report.taken.entry(row.kind.clone()).or_default();
        // The number is checked when the bytes are decoded.
        *taken = taken.saturating_add(row.records);
        each(row, out)?;
    }
    Ok(())
}

/// Passes all rows of each bucket to `each`. The rows of a bucket must be adjacent and ascend.
pub(crate) fn each_bucket<R: Read, W: Write>(
    rows: &mut RowReader<R>,
    out: &mut Out<W>,
    mut each: impl FnMut(i32, &[Row], &mut Out<W>) -> Result<(), StageError>,
) -> Result<(), StageError> {
    let mut bucket: Vec<Row> = Vec::new();
    each_row(rows, out, |row, out| {
        if let Some(last) = bucket.last() {
            if row.place() < last.place() {
                let column = match row.bucket == last.bucket {
                    false => "bucket",
                    true if row.kind == last.kind => "part",
                    true => "kind",
                };
                let (last, found) = (format!("{:?}", last.place()), format!("{:?}", row.place()));
                return Err(StageError::Order { column, last, found });
            }
            if row.bucket != last.bucket {
                each(last.bucket, &bucket, out)?;
                bucket.clear();
            }
        }
        bucket.push(row);
        Ok(())
    })?;
    match bucket.last() {
        Some(last) => each(last.bucket, &bucket, out),
        None => Ok(()),
    }
}

/// Collects records of a kind by bucket.
pub(crate) struct RowSpread {
    kind: &'static str,
    buckets: FxHashMap<i32, (u64, Vec<u8>)>,
    gathered: usize,
}

impl RowSpread {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, buckets: FxHashMap::default(), gathered: 0 }
    }

    /// Adds a record, which `encode` appends to the others.
    pub(crate) fn push<W: Write>(
        &mut self,
        bucket: i32,
        out: &mut Out<W>,
        encode: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), StageError> {
        let (records, bytes) = self.buckets.entry(bucket).or_default();
        let before = bytes.len();
        encode(bytes);
        *records += 1;
        self.gathered += bytes.len() - before;
        if bytes.len() >= ROW_BYTES {
            out.put((bucket, self.kind, 0), *records, bytes)?;
            self.gathered -= bytes.len();
            *records = 0;
            bytes.clear();
        }
        if self.gathered >= GATHERED_BYTES { self.finish(out) } else { Ok(()) }
    }

    /// Adds a record of numbers.
    pub(crate) fn numbers<W: Write, const N: usize>(
        &mut self,
        bucket: i32,
        out: &mut Out<W>,
        numbers: [u32; N],
    ) -> Result<(), StageError> {
        self.push(bucket, out, |bytes| {
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        })
    }

    /// Adds a record that is serialized with serde.
    pub(crate) fn encode<W: Write>(
        &mut self,
        bucket: i32,
        out: &mut Out<W>,
        record: &impl Serialize,
    ) -> Result<(), StageError> {
        self.push(bucket, out, |bytes| encode(record, bytes))
    }

    /// Writes the remaining records, in the order of buckets.
    pub(crate) fn finish<W: Write>(&mut self, out: &mut Out<W>) -> Result<(), StageError> {
        let mut left: Vec<_> = std::mem::take(&mut self.buckets).into_iter().collect();
        left.sort_unstable_by_key(|&(bucket, _)| bucket);
        self.gathered = 0;
        for (bucket, (records, bytes)) in left {
            if records > 0 {
                out.put((bucket, self.kind, 0), records, &bytes)?;
            }
        }
        Ok(())
    }
}

/// Appends a serialized record.
pub(crate) fn encode(record: &impl Serialize, bytes: &mut Vec<u8>) {
    *bytes = postcard::to_extend(record, std::mem::take(bytes))
        .expect("what is in memory is encoded into memory");
}

/// Decodes a record of `N` numbers.
pub(crate) fn numbers<const BYTES: usize, const N: usize>(record: &[u8; BYTES]) -> [u32; N] {
    let (numbers, _) = record.as_chunks();
    std::array::from_fn(|at| u32::from_le_bytes(numbers[at]))
}

/// Writes consecutive rows of one bucket and kind, in parts.
pub(crate) struct RowParts {
    bucket: i32,
    kind: &'static str,
    part: i32,
    records: u64,
    bytes: Vec<u8>,
}

impl RowParts {
    pub(crate) fn new(bucket: i32, kind: &'static str) -> Self {
        Self { bucket, kind, part: 0, records: 0, bytes: Vec::new() }
    }

    pub(crate) fn push<W: Write>(
        &mut self,
        record: &impl Serialize,
        out: &mut Out<W>,
    ) -> Result<(), StageError> {
        encode(record, &mut self.bytes);
        self.records += 1;
        if self.bytes.len() >= 8 * ROW_BYTES { self.put(out) } else { Ok(()) }
    }

    fn put<W: Write>(&mut self, out: &mut Out<W>) -> Result<(), StageError> {
        out.put((self.bucket, self.kind, self.part), self.records, &self.bytes)?;
        self.part += 1;
        self.records = 0;
        self.bytes.clear();
        Ok(())
    }

    pub(crate) fn finish<W: Write>(mut self, out: &mut Out<W>) -> Result<(), StageError> {
        if self.records > 0 { self.put(out) } else { Ok(()) }
    }
}
