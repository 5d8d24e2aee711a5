//! The values of a term on the pages of a block: which pages contain it, how often, and with which
//! emphasis.

use super::coder::{Bits, Decoder};
use super::page_contexts::{
    COUNT_AT, DEFINED_AT, FREQUENCY_BITS, OUTSIDE_AT, class_at, emphasis_at, place_at,
};
use crate::fit::{
    DEFINED_CLASS, EMPHASES, EMPHASIS_BITS, MAX_SATURATION, NAME_CLASS, NAME_LEVEL, ONE, level,
    saturation,
};
use crate::vocabulary::TermId;

/// A term of a page, with its frequency and emphasis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageTerm {
    /// The term.
    pub id: TermId,
    /// The [`frequency_class`](crate::bag::frequency_class) in the text.
    pub class: u8,
    /// The [`emphasis_class`](crate::fit::emphasis_class), [`NAME_CLASS`] or [`DEFINED_CLASS`].
    pub emphasis: u8,
    /// Whether the text does not contain it, but the title, the URL or links to the page do. Then
    /// it has an emphasis, and its class is 0.
    pub is_outside: bool,
}

impl PageTerm {
    /// Creates a term of the text without emphasis.
    #[must_use]
    pub fn from_text(id: TermId, class: u8) -> Self {
        Self { id, class, emphasis: 0, is_outside: false }
    }

    /// Returns the fit of a page of a [`length_class`](crate::fit::length_class) to the term, for a
    /// mean number of `mean` terms of a page: saturation and emphasis, in 1,024ths.
    #[must_use]
    pub fn fit(&self, length: u8, mean: u32) -> u32 {
        let in_text = if self.is_outside { 0 } else { saturation(self.class, length, mean) };
        in_text + EMPHASES[usize::from(self.emphasis) % EMPHASES.len()]
    }

    /// Returns the fit of a page to a term that was typed: one that the page defines counts like
    /// its name.
    #[must_use]
    pub fn fit_of_typed(&self, length: u8, mean: u32) -> u32 {
        let emphasis = if self.emphasis == DEFINED_CLASS { NAME_CLASS } else { self.emphasis };
        Self { emphasis, ..*self }.fit(length, mean)
    }

    /// Returns the level of the term in its list: that of its [`fit`](Self::fit), or the
    /// [`NAME_LEVEL`] if it names the page or is defined there.
    #[must_use]
    pub fn level(&self, length: u8, mean: u32) -> u8 {
        if self.emphasis >= NAME_CLASS { NAME_LEVEL } else { level(self.fit(length, mean)) }
    }

    /// Whether the term names the page.
    #[must_use]
    pub fn is_name(&self) -> bool {
        self.emphasis == NAME_CLASS
    }

    /// Returns the fit of a page whose title contains the term: as if its text and first
    /// paragraph repeated the term without end, and half of its [`fit`](Self::fit), which ranks
    /// several such pages.
    #[must_use]
    pub fn fit_in_title(&self, length: u8, mean: u32) -> u32 {
        MAX_SATURATION + ONE / 2 + self.fit(length, mean) / 2
    }

    /// Creates a term that the text does not contain.
    #[must_use]
    pub fn outside(id: TermId, emphasis: u8) -> Self {
        Self { id, class: 0, emphasis, is_outside: true }
    }
}

/// How a term of a block is coded: as that of a text or of a bag, and by its group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coding {
    pub(super) texts: bool,
    pub(super) group: usize,
}

/// The value of a term on a page: that of a [`PageTerm`], or the count in a bag minus one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) number: u32,
    pub(super) emphasis: u8,
    pub(super) is_outside: bool,
}

/// Writes which pages contain a term, of which there is at least one, and its values on them.
/// `values` are ordered by page, and `pages` contains the group of each.
pub(super) fn write(bits: &mut impl Bits, of: Coding, values: &[(u32, Value)], pages: &[usize]) {
    let mut values = values.iter().peekable();
    let (mut before, mut largest) = (0, None);
    for (at, &page) in pages.iter().enumerate() {
        let value = values.next_if(|&&(of, _)| of as usize == at).map(|&(_, value)| value);
        // If no other page contains it, the last one does.
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
        let coded = emphasis.min(NAME_CLASS);
        bits.symbol(emphasis_at(of.group, number), EMPHASIS_BITS, coded.into());
        if coded == NAME_CLASS {
            bits.bit(DEFINED_AT, emphasis == DEFINED_CLASS);
        }
        if number == 0 && emphasis > 0 {
            bits.bit(OUTSIDE_AT + usize::from(coded), is_outside);
        }
    }
}

/// Calls `each` with each page that contains a term and its value there, as written by [`write`].
/// Returns the number of these pages.
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
            let coded = value.emphasis;
            if coded == NAME_CLASS && decoder.bit(DEFINED_AT) {
                value.emphasis = DEFINED_CLASS;
            }
            value.is_outside =
                value.number == 0 && coded > 0 && decoder.bit(OUTSIDE_AT + usize::from(coded));
        } else {
            value.number = decoder.number(COUNT_AT);
        }
        each(at, value);
    }
    before
}
