//! Files with the classes of pages: CSV with the columns `url` and `class`, in any order.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::cells::text_of_cell;
use crate::error::FileError;
use crate::site::error::SiteError;

/// Calls `each` with the URL and the class of each line.
///
/// # Errors
///
/// Returns [`SiteError::Classes`] if a column is missing or a line has a different number of
/// columns, or another error if the file cannot be read.
pub fn read(file: &Path, each: impl FnMut(&str, &str)) -> Result<(), SiteError> {
    let opened = File::open(file).map_err(FileError::io("read", file))?;
    read_from(opened, file, each)
}

/// Like [`read`], from the opened content of `file`.
pub(crate) fn read_from(
    opened: impl Read,
    file: &Path,
    mut each: impl FnMut(&str, &str),
) -> Result<(), SiteError> {
    let invalid = |found: String| SiteError::Classes { path: file.to_owned(), found };
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => FileError::io("read", file)(error).into(),
        kind => invalid(format!("{kind:?}")),
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(opened);
    let names = reader.headers().map_err(failed)?.clone();
    let column = |name: &str| {
        let place = names.iter().position(|found| found.eq_ignore_ascii_case(name));
        place.ok_or_else(|| {
            let found: Vec<&str> = names.iter().collect();
            invalid(format!("the columns {}", found.join(", ")))
        })
    };
    let (url, class) = (column("url")?, column("class")?);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(failed)? {
        each(text_of_cell(&record[url]), text_of_cell(&record[class]));
    }
    Ok(())
}
