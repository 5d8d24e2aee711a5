//! Builds rows of any bytes, for tests and fuzz targets.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Fields, Schema};
use pagekin_core::Preset;
use pagekin_pairs::Threshold;

use crate::bags::TextCounts;
use crate::centers::CenterStep;
use crate::joins::JoinStep;
use crate::plan::{PlanOptions, SampleOptions};
use crate::rows::{COLUMNS, FIRST, Row};
use crate::signatures::SignOptions;
use crate::step::JobStep;
use crate::unpack::Unpacked;

const IN_MEMORY: &str = "columns are of the schema, and memory takes them";

/// Returns stages that take packed rows without a file or a plan, with the kinds of these rows in
/// order.
#[must_use]
pub fn takers() -> Vec<(JobStep, &'static [&'static str])> {
    vec![
        (JobStep::Collapse, &["fragments"]),
        (JobStep::Copies, &["texts"]),
        (JobStep::Terms, &["copies", "urls"]),
        (JobStep::Frequencies(TextCounts::new(9, 1)), &["terms"]),
        (JobStep::Sign(SignOptions::new(4)), &["bags"]),
        (JobStep::Twins(Preset::Web), &["signed"]),
        (JobStep::Sample(SampleOptions::new(9)), &["rows"]),
        (JobStep::Plan(PlanOptions::new(9)), &["sample"]),
        (JobStep::Meet(Threshold::PAPER), &["candidates", "groups"]),
        (JobStep::Verify(Threshold::PAPER), &["groups", "halves"]),
        (JobStep::Edges, &["pairs", "twins"]),
        (JobStep::Center(CenterStep::Begin), &["edges", "founded"]),
        (JobStep::Center(CenterStep::Round), &["live", "messages"]),
        (JobStep::Center(CenterStep::Rest), &["live", "messages"]),
        (JobStep::Join(JoinStep::Members), &["centers"]),
        (JobStep::Join(JoinStep::Sizes), &["members"]),
        (JobStep::Join(JoinStep::Ends), &["edges", "sized"]),
        (JobStep::Join(JoinStep::Whole), &["ends", "sized"]),
        (JobStep::Join(JoinStep::Close), &["whole"]),
        (JobStep::Join(JoinStep::All), &["close"]),
        (JobStep::Join(JoinStep::Centers), &["joined", "members"]),
        (JobStep::Clusters, &["centers", "twins"]),
        (JobStep::Unpack(Unpacked::Pairs), &["pairs"]),
        (JobStep::Unpack(Unpacked::Urls), &["bags"]),
    ]
}

/// Returns whether the rows of a stage have the numbers of their first records.
pub(super) fn is_numbered(stage: &JobStep) -> bool {
    matches!(stage, JobStep::Sign(_) | JobStep::Unpack(Unpacked::Urls))
}

/// Returns rows of bucket 0 as the input of a stage: kind, number of records and bytes of each.
/// Their first records have the number 0.
#[must_use]
pub fn packed(stage: &JobStep, rows: &[(&str, u64, &[u8])]) -> Vec<u8> {
    let row = |&(kind, records, bytes): &(&str, u64, &[u8])| Row {
        bucket: 0,
        kind: kind.into(),
        part: 0,
        records,
        bytes: bytes.to_vec(),
        first: 0,
    };
    stream(&rows.iter().map(row).collect::<Vec<_>>(), is_numbered(stage))
}

/// Returns some pages as input of [`JobStep::Fragments`], with all its columns.
#[must_use]
pub fn some_pages() -> Vec<u8> {
    let texts = ["https://a.example/", "https://b.example/"];
    let fields = Fields::from(vec![
        Field::new("url", DataType::Utf8, true),
        Field::new("text", DataType::Utf8, true),
    ]);
    let column = || Arc::new(StringArray::from_iter_values(texts)) as ArrayRef;
    let links = StructArray::new(fields.clone(), vec![column(), column()], None);
    let item = Arc::new(Field::new("item", DataType::Struct(fields), true));
    let ends = OffsetBuffer::from_lengths([2, 0]);
    let links = ListArray::new(item, ends, Arc::new(links), None);
    let named: [(&str, ArrayRef); 6] = [
        ("url", column()),
        ("title", column()),
        ("text", column()),
        ("html", Arc::new(StringArray::from(vec![None::<&str>; 2]))),
        ("lang", Arc::new(StringArray::from(vec![Some("de"), None]))),
        ("links", Arc::new(links)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        named.into_iter().map(|(name, column)| (name, column, true)),
    )
    .expect(IN_MEMORY);
    let mut bytes = Vec::new();
    let mut stream = StreamWriter::try_new(&mut bytes, &batch.schema()).expect(IN_MEMORY);
    stream.write(&batch).and_then(|()| stream.finish()).expect(IN_MEMORY);
    drop(stream);
    bytes
}

/// Returns rows as an IPC stream with several batches.
pub(super) fn stream(rows: &[Row], is_numbered: bool) -> Vec<u8> {
    let mut fields = COLUMNS.to_vec();
    fields.extend(is_numbered.then_some(FIRST));
    let field = |(name, data_type)| Field::new(name, data_type, true);
    let schema = Arc::new(Schema::new(fields.into_iter().map(field).collect::<Vec<_>>()));
    let mut bytes = Vec::new();
    let mut stream = StreamWriter::try_new(&mut bytes, &schema).expect(IN_MEMORY);
    for rows in rows.chunks(5) {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.bucket))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.kind))),
            Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.part))),
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.records as i64))),
            Arc::new(BinaryArray::from_iter_values(rows.iter().map(|row| &row.bytes))),
        ];
        if is_numbered {
            let firsts = rows.iter().map(|row| row.first as i64);
            columns.push(Arc::new(Int64Array::from_iter_values(firsts)));
        }
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).expect(IN_MEMORY);
        stream.write(&batch).expect(IN_MEMORY);
    }
    stream.finish().expect(IN_MEMORY);
    drop(stream);
    bytes
}
