//! The loop that supplies a lookup, for callers with blocking I/O. Where reading is asynchronous,
//! as in a browser, the caller writes this loop: call `wanted`, fetch in parallel, call `supply`.

use super::{Answer, Lookup, QueryError};
use crate::index::Index;
use crate::shard::ReadError;

impl Lookup {
    /// Approximate maximum memory in bytes of a lookup and of the shards kept for later ones, if it
    /// is [supplied within](Self::supply_within) this limit. Lookups on real sites take a few MiB.
    pub const MAX_MEMORY: usize = 32 << 20;

    /// [Supplies](Self::supply) a shard, unless it and the other shards of the lookup would take
    /// more than [`MAX_MEMORY`](Self::MAX_MEMORY). Shards that are kept for later lookups are
    /// dropped first. For callers that do not trust the index, because a few bytes can expand to
    /// many.
    ///
    /// # Errors
    ///
    /// If the shard cannot be read, or takes too much memory in addition to the others.
    pub fn supply_within(
        &mut self,
        index: &mut Index,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), ReadError> {
        self.supply(index, name, bytes)?;
        if index.memory() > Self::MAX_MEMORY {
            index.forget();
        }
        if self.memory(index) > Self::MAX_MEMORY {
            index.forget();
            let what = "shards that take at most 32 MiB of memory together";
            return Err(ReadError::Damaged { shard: name.to_owned(), what });
        }
        Ok(())
    }

    /// Runs the lookup to its answer. Calls `read` with the name of each shard that the lookup
    /// [wants](Self::wanted), and [supplies](Self::supply) the result. Use
    /// [`file_and_range`](crate::shard::file_and_range) to find the file of a name.
    ///
    /// # Errors
    ///
    /// Those of `read`, those of a damaged shard, and [`QueryError::UnknownUrl`].
    ///
    /// ```
    /// # use std::{error::Error, fs, path::Path};
    /// # use pagekin_core::{Answer, Index, Lookup, LookupOptions};
    /// /// Asks an index whose shards are separate files.
    /// fn ask(index: &mut Index, folder: &Path, text: &str) -> Result<Answer, Box<dyn Error>> {
    ///     let lookup = Lookup::from_text(index, text, "en", LookupOptions::default())?;
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
                self.supply_within(index, &name, &read(&name)?)?;
            }
            if let Some(answer) = self.answer() {
                return Ok(answer.clone());
            }
        }
    }
}
