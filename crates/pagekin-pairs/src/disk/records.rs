//! Files of consecutive records.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::disk::partitions::BUFFER_BYTES;

/// Encodes a record into `bytes`, replacing the contents.
pub fn encode<T: Serialize>(record: &T, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut empty = std::mem::take(bytes);
    empty.clear();
    *bytes = postcard::to_extend(record, empty).map_err(io::Error::other)?;
    Ok(())
}

/// Decodes the consecutive records in the bytes of a file, which were [encoded](encode) or written
/// by [`write_records`]. Stops after the first error.
pub fn records<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> impl Iterator<Item = io::Result<T>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = bytes.len() - rest.len();
        Some(match postcard::take_from_bytes(rest) {
            Ok((record, after)) => {
                rest = after;
                Ok(record)
            }
            Err(_) => {
                rest = &[];
                let what = format!("expected a record at byte {at}, found none");
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
        })
    })
}

/// Reads all records of a file.
pub fn read_records<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    records(&fs::read(path)?).collect()
}

/// Writes records to a new file.
pub fn write_records<T: Serialize>(path: &Path, records: &[T]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER_BYTES, File::create_new(path)?);
    let mut bytes = Vec::new();
    for record in records {
        encode(record, &mut bytes)?;
        file.write_all(&bytes)?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_records_are_read(written: Vec<(u32, String)>) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("records");
            write_records(&path, &written).unwrap();
            prop_assert_eq!(read_records::<(u32, String)>(&path).unwrap(), written.clone());
            // Reuse the same buffer for each record.
            let mut bytes = Vec::new();
            for record in &written {
                encode(record, &mut bytes).unwrap();
                let read: Vec<_> = records::<(u32, String)>(&bytes).map(Result::unwrap).collect();
                prop_assert_eq!(read, [record.clone()]);
            }
        }
    }

    #[test]
    fn a_truncated_record_is_the_last_item() {
        let mut bytes = Vec::new();
        encode(&(7u32, "rye"), &mut bytes).unwrap();
        let two = [&bytes[..], &bytes[..bytes.len() - 1]].concat();
        let read: Vec<_> = records::<(u32, String)>(&two).collect();
        assert_eq!(read.len(), 2);
        assert!(read[0].is_ok() && read[1].is_err());
    }
}
