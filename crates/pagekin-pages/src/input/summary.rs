//! Summaries of read inputs.

use serde::{Deserialize, Serialize};

use crate::ledger::{Ledger, Skipped};

/// A summary of read inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSummary {
    /// The files, lines and records, and their outcomes.
    pub ledger: Ledger,
    /// Number of links on pages.
    pub links: u64,
    /// Number of bytes of files, lines and records after decompression, including those that are
    /// not pages.
    pub bytes: u64,
    /// Pages that were truncated because they have too many words, links or elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Skipped>,
    /// Pages whose template names a dissimilar page as canonical. They remain separate pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_canonicals: Option<Skipped>,
}

impl InputSummary {
    pub(crate) fn truncate(&mut self, name: String) {
        self.truncated.get_or_insert_default().add(|| name);
    }
}
