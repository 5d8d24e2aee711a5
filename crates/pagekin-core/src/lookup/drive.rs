//! The loop that supplies a lookup, for callers that wait for what they read. Where reading is
//! asynchronous, as in a browser, the caller writes it: `wanted`, fetch side by side, `supply`.

use super::{Answer, Lookup, QueryError};
use crate::index::Index;
use crate::shard::ReadError;

impl Lookup {
    /// Drives the lookup to its answer: reads what it [wants](Self::wanted) with `read`, which is
    /// given the name of a shard, and [supplies](Self::supply) it. Where a name is in which file
    /// says [`file_and_range`](crate::shard::file_and_range).
    ///
    /// # Errors
    ///
    /// Those of `read`, of a shard that is damaged, and [`QueryError::UnknownAddress`].
    ///
    /// ```
    /// # use std::{error::Error, fs, path::Path};
    /// # use pagekin_core::{Answer, Index, Lookup, LookupOptions};
    /// /// Asks an index whose shards are files of their own.
    /// fn ask(index: &mut Index, folder: &Path, text: &str) -> Result<Answer, Box<dyn Error>> {
    ///     let lookup = Lookup::of_text(index, text, "en", LookupOptions::default())?;
    ///     lookup.drive(index, |name| Ok(fs::read(folder.join(name))?))
    /// }
    /// ```
    pub fn drive<E: From<QueryError> + From<ReadError>>(
        mut self,
        index: &mut Index,
        mut read: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<Answer, E> {
        loop {
            for name in self.wanted(index)? {
                self.supply(index, &name, &read(&name)?)?;
            }
            if let Some(answer) = self.answer() {
                return Ok(answer.clone());
            }
        }
    }
}
