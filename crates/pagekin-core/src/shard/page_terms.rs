//! What the pages of a block have of a term: which have it, how often, and how it stands out there.

use super::coder::{Bits, Decoder};
use super::page_contexts::{COUNT_AT, FREQUENCY_BITS, OUTSIDE_AT, class_at, emphasis_at, place_at};
use crate::fit::{EMPHASES, EMPHASIS_BITS, saturation};
use crate::vocabulary::TermId;

/// A term of a page, by its frequency and where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageTerm {
    /// The term.
    pub id: TermId,
    /// The [`frequency_class`](crate::bag::frequency_class) in the text.
    pub class: u8,
    /// The [`emphasis_class`](crate::fit::emphasis_class).
    pub emphasis: u8,
    /// The text does not have it, but the title, the address or links that lead here; then it
    /// stands out, and its class is 0.
    pub is_outside: bool,
}

impl PageTerm {
    /// A term of the text that does not stand out.
    #[must_use]
    pub fn from_text(id: TermId, class: u8) -> Self {
        Self { id, class, emphasis: 0, is_outside: false }
    }

    /// How well a page of a [`length_class`](crate::fit::length_class) fits the term, where pages
    /// have `mean` terms: saturation and emphasis, in 1,024ths.
    #[must_use]
    pub fn fit(&self, length: u8, mean: u32) -> u32 {
        let in_text = if self.is_outside { 0 } else { saturation(self.class, length, mean) };
        in_text + EMPHASES[usize::from(self.emphasis) % EMPHASES.len()]
    }

    /// A term that the text does not have.
    #[must_use]
    pub fn outside(id: TermId, emphasis: u8) -> Self {
        Self { id, class: 0, emphasis, is_outside: true }
    }
}

/// How a term of a block is coded: by the terms of texts or by bags alone, and by its group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coding {
    pub(super) texts: bool,
    pub(super) group: usize,
}

/// What a page has of a term: of a text as in a [`PageTerm`], of a bag the copies less one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) number: u32,
    pub(super) emphasis: u8,
    pub(super) is_outside: bool,
}

/// Which pages have a term, and what they have of it; at least one does. `values` are by pages, and
/// `pages` are the groups of these.
pub(super) fn write(bits: &mut impl Bits, of: Coding, values: &[(u32, Value)], pages: &[usize]) {
    let mut values = values.iter().peekable();
    let (mut before, mut largest) = (0, None);
    for (at, &page) in pages.iter().enumerate() {
        let value = values.next_if(|&&(of, _)| of as usize == at).map(|&(_, value)| value);
        // That somebody has it is known.
        if before > 0 || at + 1 < pages.len() {
            bits.bit(place_at(of.group, before, page), value.is_some());
        }
        let Some(Value { number, emphasis, is_outside }) = value else { continue };
        before += 1;
        if !of.texts {
            bits.number(COUNT_AT, number);
            continue;
        }
        bits.symbol(class_at(largest, page), FREQUENCY_BITS, number);
        largest = largest.max(Some(number as u8));
        bits.symbol(emphasis_at(of.group, number), EMPHASIS_BITS, emphasis.into());
        if number == 0 && emphasis > 0 {
            bits.bit(OUTSIDE_AT + usize::from(emphasis), is_outside);
        }
    }
}

/// Calls `each` with the page and what it has of a term, as [`write`] wrote it. Answers how many
/// pages have it.
pub(super) fn read(
    decoder: &mut Decoder<'_>,
    of: Coding,
    pages: &[usize],
    mut each: impl FnMut(usize, Value),
) -> usize {
    let (mut before, mut largest) = (0, None);
    for (at, &page) in pages.iter().enumerate() {
        let is_known = before == 0 && at + 1 == pages.len();
        if !is_known && !decoder.bit(place_at(of.group, before, page)) {
            continue;
        }
        before += 1;
        let mut value = Value::default();
        if of.texts {
            value.number = decoder.symbol(class_at(largest, page), FREQUENCY_BITS);
            largest = largest.max(Some(value.number as u8));
            value.emphasis =
                decoder.symbol(emphasis_at(of.group, value.number), EMPHASIS_BITS) as u8;
            value.is_outside = value.number == 0
                && value.emphasis > 0
                && decoder.bit(OUTSIDE_AT + usize::from(value.emphasis));
        } else {
            value.number = decoder.number(COUNT_AT);
        }
        each(at, value);
    }
    before
}
