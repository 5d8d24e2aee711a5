//! Reads and validates the batches of an Arrow IPC stream.
//!
//! The Arrow library checks the content of columns, but not that their buffers are within the
//! message, and panics otherwise. So messages are validated here.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::RecordBatchDecoder;
use arrow_ipc::{Endianness, Message, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use crate::error::StageError;

/// Optional prefix of the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Maximum size of a message without its body. Rows have few columns, so real messages are smaller.
const MAX_HEADER_BYTES: u32 = 16 << 20;

pub(crate) struct Batches<R: Read> {
    input: R,
    schema: SchemaRef,
}

impl<R: Read> Batches<R> {
    /// Opens a stream and reads its schema.
    pub(crate) fn open(mut input: R) -> Result<Self, StageError> {
        let header = header(&mut input)?;
        let header = header.ok_or_else(|| wrong("a schema", "the end"))?;
        let message = message(&header)?;
        let schema = message.header_as_schema().ok_or_else(|| wrong("a schema", "no schema"))?;
        if schema.endianness() != Endianness::Little {
            return Err(wrong("numbers in little-endian", "big-endian"));
        }
        let schema = try_fb_to_schema(schema).map_err(StageError::reading)?;
        body(&mut input, &message)?;
        Ok(Self { input, schema: Arc::new(schema) })
    }

    /// Returns the columns of each batch. The caller must check them before reading batches.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Reads the next batch, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, StageError> {
        let Some(header) = header(&mut self.input)? else { return Ok(None) };
        let message = message(&header)?;
        let body = body(&mut self.input, &message)?;
        let batch = message.header_as_record_batch();
        let batch = batch.ok_or_else(|| wrong("a record batch", "another message"))?;
        for buffer in batch.buffers().into_iter().flatten() {
            let (start, length) = (buffer.offset(), buffer.length());
            let end = start.checked_add(length).filter(|_| start >= 0 && length >= 0);
            if end.is_none_or(|end| end as u64 > body.len() as u64) {
                return Err(wrong("columns within their message", "one beyond it"));
            }
        }
        let mut lengths = batch.buffers().into_iter().flatten().map(arrow_ipc::Buffer::length);
        if !self.schema.fields().iter().all(|field| are_whole(field.data_type(), &mut lengths)) {
            return Err(wrong("columns of whole numbers", "a part of one"));
        }
        let rows = batch.length();
        let nodes = batch.nodes().into_iter().flatten();
        let is_invalid = |length: i64, nulls: i64| length < 0 || !(0..=length).contains(&nulls);
        if rows < 0 || nodes.into_iter().any(|node| is_invalid(node.length(), node.null_count())) {
            return Err(wrong("numbers of rows", "an invalid number"));
        }
        let (dictionaries, version) = (Default::default(), message.version());
        let schema = Arc::clone(&self.schema);
        RecordBatchDecoder::try_new(&body, batch, schema, &dictionaries, &version)
            .and_then(RecordBatchDecoder::read_record_batch)
            .map(Some)
            .map_err(StageError::reading)
    }
}

/// Returns whether the buffers of offsets in a column have whole numbers, by the lengths of
/// buffers. The library detects missing buffers.
fn are_whole(column: &DataType, lengths: &mut impl Iterator<Item = i64>) -> bool {
    let _of_nulls = lengths.next();
    match column {
        DataType::Struct(fields) => {
            fields.iter().all(|field| are_whole(field.data_type(), lengths))
        }
        DataType::List(of) => is_multiple(lengths.next(), 4) && are_whole(of.data_type(), lengths),
        DataType::Utf8 | DataType::Binary => {
            let places = lengths.next();
            let _of_bytes = lengths.next();
            is_multiple(places, 4)
        }
        _ => is_multiple(lengths.next(), column.primitive_width().unwrap_or(1) as i64),
    }
}

fn is_multiple(length: Option<i64>, width: i64) -> bool {
    length.is_none_or(|length| length % width == 0)
}

/// Reads the next message without its body. A stream may end without an end marker.
fn header(input: &mut impl Read) -> Result<Option<Vec<u8>>, StageError> {
    let mut length = [0; 4];
    let reading = |error| StageError::reading(ArrowError::from(error));
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read.map_err(reading)?,
    }
    if length == CONTINUATION {
        input.read_exact(&mut length).map_err(reading)?;
    }
    match u32::from_le_bytes(length) {
        0 => Ok(None),
        length if length > MAX_HEADER_BYTES => Err(wrong("a message", "an invalid length")),
        length => taken(input, length.into()).map(Some),
    }
}

fn message(header: &[u8]) -> Result<Message<'_>, StageError> {
    let message = root_as_message(header);
    let message = message.map_err(|error| wrong("a message", &error.to_string()))?;
    match message.header_type() {
        MessageHeader::Schema | MessageHeader::RecordBatch => Ok(message),
        other => Err(wrong("a schema and record batches", &format!("{other:?}"))),
    }
}

fn body(input: &mut impl Read, message: &Message<'_>) -> Result<Buffer, StageError> {
    let bytes = message.bodyLength();
    let bytes = u64::try_from(bytes).map_err(|_| wrong("a message", "an invalid length"))?;
    taken(input, bytes).map(Buffer::from_vec)
}

/// Reads `bytes` bytes. Allocates while reading: the stream may end early.
fn taken(input: &mut impl Read, bytes: u64) -> Result<Vec<u8>, StageError> {
    let mut taken = Vec::new();
    let read = input.take(bytes).read_to_end(&mut taken);
    read.map_err(|error| StageError::reading(ArrowError::from(error)))?;
    if taken.len() as u64 == bytes {
        return Ok(taken);
    }
    Err(wrong(&format!("a message of {bytes} bytes"), "the end within it"))
}

fn wrong(expected: &str, found: &str) -> StageError {
    StageError::reading(ArrowError::IpcError(format!("expected {expected}, found {found}")))
}
