//! The loop that supplies a lookup, for callers that wait for what they read. Where reading is
//! asynchronous, as in a browser, the caller writes it: `wanted`, fetch side by side, `supply`.

use super::{Answer, Lookup, QueryError};
use crate::index::Index;
use crate::shard::ReadError;

impl Lookup {
    /// The most bytes of memory, about, that a lookup and the shards kept for later ones take, if
    /// it is [supplied within](Self::supply_within) them. Lookups on real sites take a few MiB.
    pub const MAX_MEMORY: usize = 32 << 20;

    /// [Supplies](Self::supply) a shard, unless it and the others that the lookup holds would take
    /// more than [`MAX_MEMORY`](Self::MAX_MEMORY). Shards that are kept for later lookups go first.
    /// For callers who do not trust the index: a few bytes stand for many.
    ///
    /// # Errors
    ///
    /// If the shard cannot be read, or takes too much memory beside the others.
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

    /// Drives the lookup to its answer: reads what it [wants](Self::wanted) with `read`, which is
    /// given the name of a shard, and [supplies](Self::supply) it. Where a name is in which file
    /// says [`file_and_range`](crate::shard::file_and_range).
    ///
    /// # Errors
    ///
    /// Those of `read`, of a shard that is damaged, and [`QueryError::UnknownUrl`].
    ///
    /// ```
    /// # use std::{error::Error, fs, path::Path};
    /// # use pagekin_core::{Answer, Index, Lookup, LookupOptions};
    /// /// Asks an index whose shards are files of their own.
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
