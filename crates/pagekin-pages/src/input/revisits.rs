//! Revisit records: captures with the content of another record, either an earlier one of the same
//! URL or one of another URL.
//!
//! Those of another URL are pages. They are kept until all inputs have been read. Then the records
//! that they refer to are searched for once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::input::warc::{Content, Record};

/// Maximum number of revisits that are kept. Others are only counted.
const MAX_REVISITS: usize = 1 << 18;

/// A revisit whose content is searched for.
#[derive(Debug)]
pub(super) struct Revisit {
    record: Record,
    /// Its input and its number in it, for messages.
    pub(super) place: (Arc<str>, u64),
}

/// The revisits of some inputs.
#[derive(Debug, Default)]
pub(super) struct Revisits {
    by_digest: FxHashMap<String, Vec<Revisit>>,
    by_url: FxHashMap<String, Vec<Revisit>>,
    count: usize,
}

impl Revisits {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keeps the record if it is a revisit whose content another record may have. Returns other
    /// records.
    pub(super) fn take(
        &mut self,
        record: Record,
        place: impl FnOnce() -> (Arc<str>, u64),
    ) -> Option<Record> {
        let Content::Revisit(refers_to) = &record.content else { return Some(record) };
        let refers_to = refers_to.clone().unwrap_or_default();
        let is_own = refers_to == record.url;
        if is_own || self.count == MAX_REVISITS || refers_to.is_empty() && record.digest.is_empty()
        {
            return Some(record);
        }
        self.count += 1;
        let (map, key) = match record.digest.is_empty() {
            true => (&mut self.by_url, refers_to),
            false => (&mut self.by_digest, record.digest.clone()),
        };
        map.entry(key).or_default().push(Revisit { record, place: place() });
        None
    }

    /// Returns the revisits with the content of `record`, each as a complete record, or `None` if
    /// it has the same URL.
    pub(super) fn find(&mut self, record: &Record) -> Vec<(Revisit, Option<Record>)> {
        if matches!(record.content, Content::Revisit(_)) {
            return Vec::new();
        }
        let mut found = self.by_digest.remove(&record.digest).unwrap_or_default();
        if let Some(all) = self.by_url.remove(&record.url) {
            found.extend(all);
        }
        self.count -= found.len();
        let whole = |revisit: Revisit| {
            let copy = (revisit.record.url != record.url).then(|| Record {
                url: revisit.record.url.clone(),
                content: record.content.clone(),
                body: record.body.clone(),
                captured: revisit.record.captured.clone(),
                digest: String::new(),
            });
            (revisit, copy)
        };
        found.into_iter().map(whole).collect()
    }

    /// Returns the revisits whose content was not found.
    pub(super) fn rest(self) -> impl Iterator<Item = Revisit> {
        let all = self.by_digest.into_values().chain(self.by_url.into_values()).flatten();
        let mut all: Vec<_> = all.collect();
        all.sort_by(|a, b| a.place.cmp(&b.place));
        all.into_iter()
    }
}
