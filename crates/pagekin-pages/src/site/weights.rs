//! Marks in the text of a page for the weights of its elements: private-use characters that follow
//! those of [`blocks`](crate::site::blocks).
//!
//! A mark is before each piece of text, as soon as an element of the page has a weight. So text is
//! marked even if the text around it is in another class.

use std::borrow::Cow;

use crate::site::markup::{INDEX_ATTRS, MAX_WEIGHT, ONE, WEIGHT, weight};

/// The mark of text with weight 0. The others follow, in hundredths.
const FIRST: char = '\u{100001}';

/// Returns the weight of a mark, in hundredths.
pub(crate) fn weight_of(mark: char) -> Option<u16> {
    let weight = (mark as u32).checked_sub(FIRST as u32)?;
    u16::try_from(weight).ok().filter(|&weight| weight <= MAX_WEIGHT)
}

/// The weights of the open elements of a page.
#[derive(Debug, Default)]
pub(crate) struct OpenWeights {
    /// The weight in each open element, outermost first.
    weights: Vec<u16>,
    /// Whether an element had a weight of its own.
    are_used: bool,
    /// Whether an element has started or ended since the last mark.
    is_due: bool,
}

impl OpenWeights {
    /// Whether an element had a weight of its own.
    pub(crate) fn are_used(&self) -> bool {
        self.are_used
    }

    /// Starts an element, before its page does. Returns a mark for attributes that are part of its
    /// text.
    pub(crate) fn open<'a>(
        &mut self,
        attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> Option<char> {
        let own = WEIGHT.into_iter().find_map(attribute);
        let own = own.and_then(|own| weight(&own).0);
        self.are_used |= own.is_some();
        self.weights.push(own.unwrap_or(self.current()));
        self.is_due = true;
        let mut texts = INDEX_ATTRS.into_iter().chain(["alt"]);
        let has_texts = self.are_used && texts.any(|name| attribute(name).is_some());
        let mark = if has_texts { self.mark() } else { None };
        self.is_due = true;
        mark
    }

    /// Ends the innermost element.
    pub(crate) fn close(&mut self) {
        self.weights.pop();
        self.is_due = true;
    }

    /// Returns the mark for text that follows, if it may have another weight than the last text.
    pub(crate) fn mark(&mut self) -> Option<char> {
        let is_due = self.are_used && std::mem::take(&mut self.is_due);
        let mark = || char::from_u32(FIRST as u32 + u32::from(self.current()));
        is_due.then(mark).flatten()
    }

    fn current(&self) -> u16 {
        self.weights.last().copied().unwrap_or(ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_weights() {
        for weight in [0, 10, ONE, MAX_WEIGHT] {
            let mark = char::from_u32(FIRST as u32 + u32::from(weight)).unwrap();
            assert_eq!(weight_of(mark), Some(weight));
        }
        assert_eq!(['a', '\u{100000}', '\u{10ffff}'].map(weight_of), [None; 3]);
    }
}
