//! The elements that controls of a page can open, by their ids.
//!
//! A control references an element in `aria-controls`, `data-target` or `data-bs-target`, in the
//! script of its `onclick`, or by a link to its place in the page.

use std::borrow::Cow;

use crate::hash;

/// Maximum number of ids that are kept. Elements that only later controls reference stay hidden.
const MAX_IDS: usize = 1 << 14;
/// Maximum number of bytes of an attribute that are read.
const MAX_BYTES: usize = 1_024;

pub(super) fn hash_of(id: &str) -> u64 {
    hash::of_bytes(id.as_bytes())
}

/// The hashes of the ids that controls reference.
#[derive(Debug, Default)]
pub(super) struct Controls(Vec<u64>);

impl Controls {
    /// Adds the ids that an element references if it is a control.
    pub(super) fn collect<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
        for name in ["aria-controls", "data-bs-target", "data-target", "onclick"] {
            if let Some(value) = attribute(name) {
                let value = &value[..value.floor_char_boundary(MAX_BYTES)];
                value
                    .split(|c: char| !(c.is_alphanumeric() || "-_:".contains(c)))
                    .for_each(|id| self.add(id));
            }
        }
        if let Some(href) = attribute("href")
            && let Some(id) = href.strip_prefix('#')
        {
            self.add(id);
        }
    }

    fn add(&mut self, id: &str) {
        if !id.is_empty() && self.0.len() < MAX_IDS {
            self.0.push(hash_of(id));
        }
    }

    /// Sorts the ids after all controls were collected.
    pub(super) fn finish(&mut self) {
        self.0.sort_unstable();
    }

    /// Whether a control references the id with this hash. Call [`finish`](Self::finish) first.
    pub(super) fn names(&self, id: u64) -> bool {
        self.0.binary_search(&id).is_ok()
    }
}
