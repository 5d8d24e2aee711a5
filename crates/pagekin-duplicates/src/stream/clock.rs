//! How far a stream has come, and which pages come too late.

use crate::stream::rule::Rule;

/// A page that came too late to be compared with all that it might make a pair with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLate {
    /// By how many milliseconds it is before the latest page.
    pub by: u64,
}

/// The time of a stream, which is that of its latest page.
#[derive(Debug, Default)]
pub(super) struct Clock {
    latest: Option<i64>,
}

impl Clock {
    /// A page of this time comes next.
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

    /// The time of the latest page.
    pub(super) fn latest(&self) -> i64 {
        self.latest.unwrap_or(0)
    }

    /// No page comes any more that is before this.
    pub(super) fn earliest(&self, rule: &Rule) -> i64 {
        self.latest().saturating_sub(rule.late())
    }
}
