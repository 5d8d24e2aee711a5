//! What was read, and what was skipped.

use serde::{Deserialize, Serialize};

use crate::ledger::{Ledger, Skipped};

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSummary {
    /// The files, lines and records that came in, and what became of them.
    pub ledger: Ledger,
    /// Links on pages.
    pub links: u64,
    /// Bytes of files, lines and records, unpacked from gzip, pages or not.
    pub bytes: u64,
    /// Pages of which only the beginning was read, because they have too many words, links or
    /// elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Skipped>,
    /// Pages whose template names a page unlike them as canonical. They are pages of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_canonicals: Option<Skipped>,
}

impl InputSummary {
    pub(crate) fn truncate(&mut self, name: String) {
        self.truncated.get_or_insert_default().add(|| name);
    }
}
