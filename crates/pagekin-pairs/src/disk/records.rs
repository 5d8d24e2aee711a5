//! Records in files, one after the other.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::disk::partitions::BUFFER_BYTES;

/// Puts the bytes of a record into `bytes`, in place of what they hold.
pub fn encode<T: Serialize>(record: &T, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut empty = std::mem::take(bytes);
    empty.clear();
    *bytes = postcard::to_extend(record, empty).map_err(io::Error::other)?;
    Ok(())
}

/// The records in the bytes of a file, one after the other: those that were
/// [encoded](encode), or what [`write_records`] wrote. The first error is the last item.
pub fn records<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> impl Iterator<Item = io::Result<T>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = bytes.len() - rest.len();
        Some(match postcard::take_from_bytes(rest) {
            Ok((record, behind)) => {
                rest = behind;
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

/// All records of a file.
pub fn read_records<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    records(&fs::read(path)?).collect()
}

/// Writes records into a new file.
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
        fn what_is_written_is_read(written: Vec<(u32, String)>) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("records");
            write_records(&path, &written).unwrap();
            prop_assert_eq!(read_records::<(u32, String)>(&path).unwrap(), written.clone());
            // One after the other in the same bytes.
            let mut bytes = Vec::new();
            for record in &written {
                encode(record, &mut bytes).unwrap();
                let read: Vec<_> = records::<(u32, String)>(&bytes).map(Result::unwrap).collect();
                prop_assert_eq!(read, [record.clone()]);
            }
        }
    }

    #[test]
    fn a_record_that_is_cut_off_is_the_last() {
        let mut bytes = Vec::new();
        encode(&(7u32, "rye"), &mut bytes).unwrap();
        let two = [&bytes[..], &bytes[..bytes.len() - 1]].concat();
        let read: Vec<_> = records::<(u32, String)>(&two).collect();
        assert_eq!(read.len(), 2);
        assert!(read[0].is_ok() && read[1].is_err());
    }
}
