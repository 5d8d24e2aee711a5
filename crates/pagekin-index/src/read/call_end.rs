//! The deadline of a call, shared by all its requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use url::Url;

use crate::read::published_error::RemoteIndexError;

/// The deadline of a call. The call ends then, or earlier if it is canceled, even if a host is
/// still sending. Clones belong to the same call.
#[derive(Debug, Clone)]
pub struct CallEnd {
    after: Duration,
    deadline: Instant,
    is_canceled: Arc<AtomicBool>,
}

impl CallEnd {
    /// Returns the deadline of a call that begins now and may take `after`.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        let deadline = Instant::now() + after;
        Self { after, deadline, is_canceled: Arc::default() }
    }

    /// Ends the call now.
    pub fn cancel(&self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    /// Returns the deadline of a step of the call, which may take one `share`th of the remaining
    /// time.
    #[must_use]
    pub fn part(&self, share: u32) -> Self {
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now) / share.max(1);
        Self { deadline: now + left, ..self.clone() }
    }

    /// Whether the call has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_canceled.load(Ordering::Relaxed) || self.deadline <= Instant::now()
    }

    /// Returns the remaining time, for fetching a URL.
    pub(super) fn left(&self, url: &Url) -> Result<Duration, RemoteIndexError> {
        if self.is_canceled.load(Ordering::Relaxed) {
            return Err(RemoteIndexError::Canceled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.late(url)) } else { Ok(left) }
    }

    /// The error for a URL that was not fetched in time.
    pub(super) fn late(&self, url: &Url) -> RemoteIndexError {
        let reason = format!("no answer within {} seconds", self.after.as_secs_f64());
        RemoteIndexError::Unreachable { url: url.to_string(), reason }
    }
}
