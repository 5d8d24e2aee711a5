//! When a call ends: one time for all that it asks a host for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use url::Url;

use crate::read::published_error::RemoteIndexError;

/// When a call ends, whatever a host still has to send: at a time, or before, if it is canceled.
/// Its clones are of the same call.
#[derive(Debug, Clone)]
pub struct CallEnd {
    after: Duration,
    deadline: Instant,
    is_canceled: Arc<AtomicBool>,
}

impl CallEnd {
    /// The end of a call that begins now.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        let deadline = Instant::now() + after;
        Self { after, deadline, is_canceled: Arc::default() }
    }

    /// Ends the call now.
    pub fn cancel(&self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    /// The end of a part of the call that may take a `share` of the time that is left.
    #[must_use]
    pub fn part(&self, share: u32) -> Self {
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now) / share.max(1);
        Self { deadline: now + left, ..self.clone() }
    }

    /// Whether it has come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_canceled.load(Ordering::Relaxed) || self.deadline <= Instant::now()
    }

    /// The time that is left to fetch a URL.
    pub(super) fn left(&self, url: &Url) -> Result<Duration, RemoteIndexError> {
        if self.is_canceled.load(Ordering::Relaxed) {
            return Err(RemoteIndexError::Canceled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.late(url)) } else { Ok(left) }
    }

    /// That no time was left to fetch a URL.
    pub(super) fn late(&self, url: &Url) -> RemoteIndexError {
        let reason = format!("no answer within {} seconds", self.after.as_secs_f64());
        RemoteIndexError::Unreachable { url: url.to_string(), reason }
    }
}
