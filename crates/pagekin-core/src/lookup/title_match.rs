//! Compares the title of a page with the text of a query.

use super::query::{Subject, SubjectTerm};
use crate::vocabulary::TermId;

/// What a title has of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleMatch {
    /// It lacks a word of the text.
    Part,
    /// It contains each word or an alternative of it.
    Words,
    /// It also contains no others.
    Whole,
}

impl TitleMatch {
    pub(super) fn new(subject: &Subject, title: &[TermId]) -> Self {
        let has = |term: &SubjectTerm| title.contains(&term.id);
        let is_met = |term: &SubjectTerm| subject.alternatives(term).any(has);
        if title.is_empty() || !subject.terms.iter().all(is_met) {
            return Self::Part;
        }
        let is_whole = title.iter().all(|&id| subject.term(id).is_some());
        if is_whole { Self::Whole } else { Self::Words }
    }
}
