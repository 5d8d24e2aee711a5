//! Compares the title of a page with the text of a query.

use super::query::{Subject, SubjectTerm};
use crate::shard::{PageRecord, PageTerm};
use crate::vocabulary::TermId;

/// What a title has of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleMatch {
    /// It lacks a word of the text.
    Part,
    /// It contains each word or an alternative of it.
    Words,
    /// It also contains no others, or the text is the word that names the page.
    Whole,
}

impl TitleMatch {
    /// Compares the text with the title of a page.
    pub(super) fn new(subject: &Subject, record: &PageRecord, title: &[TermId]) -> Self {
        let is_name = |term: &SubjectTerm| record.term(term.id).is_some_and(PageTerm::is_name);
        if subject.is_one_word() && subject.terms.iter().any(is_name) {
            return Self::Whole;
        }
        let has = |term: &SubjectTerm| title.contains(&term.id);
        let is_met = |term: &SubjectTerm| subject.alternatives(term).any(has);
        if title.is_empty() || !subject.terms.iter().all(is_met) {
            return Self::Part;
        }
        let is_whole = title.iter().all(|&id| subject.term(id).is_some());
        if is_whole { Self::Whole } else { Self::Words }
    }
}
