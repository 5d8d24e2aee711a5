//! What the controls of a page can open: the elements whose ids they name.
//!
//! A control names an element in `aria-controls`, in `data-target` or `data-bs-target`, in the
//! script of its `onclick`, or by a link to its place in the page.

use std::borrow::Cow;

use crate::hash;

/// Maximum number of ids that are kept; those of later controls open nothing.
const MAX_IDS: usize = 1 << 14;
/// Maximum number of bytes of an attribute that are read.
const MAX_BYTES: usize = 1_024;

/// An id in few bytes.
pub(super) fn hash_of(id: &str) -> u64 {
    hash::of_bytes(id.as_bytes())
}

/// The ids that controls name.
#[derive(Debug, Default)]
pub(super) struct Controls(Vec<u64>);

impl Controls {
    /// An element, which may be a control.
    pub(super) fn hear<'a>(&mut self, attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) {
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

    /// All controls were heard.
    pub(super) fn finish(&mut self) {
        self.0.sort_unstable();
    }

    /// Whether a control names the id of this hash. Only once it is finished.
    pub(super) fn names(&self, id: u64) -> bool {
        self.0.binary_search(&id).is_ok()
    }
}
