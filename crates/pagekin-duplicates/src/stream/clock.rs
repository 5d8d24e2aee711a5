//! Tracks the time of a stream, and refuses pages that arrive too late.

use crate::stream::rule::Rule;

/// A page arrived too late to be compared with all pages that it might form a pair with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLate {
    /// How many milliseconds it is before the latest page.
    pub by: u64,
}

/// The time of a stream, which is the time of its latest page.
#[derive(Debug, Default)]
pub(super) struct Clock {
    latest: Option<i64>,
}

impl Clock {
    /// Advances the clock by a page.
    pub(super) fn take(&mut self, time: i64, rule: &Rule) -> Result<(), TooLate> {
        match self.latest {
            Some(latest) if time < latest.saturating_sub(rule.late()) => {
                Err(TooLate { by: latest.abs_diff(time) })
            }
            latest => {
                self.latest = latest.max(Some(time));
                Ok(())
            }
        }
    }

    /// Returns the time of the latest page.
    pub(super) fn latest(&self) -> i64 {
        self.latest.unwrap_or(0)
    }

    /// Returns the earliest time that a page may have now.
    pub(super) fn earliest(&self, rule: &Rule) -> i64 {
        self.latest().saturating_sub(rule.late())
    }
}
