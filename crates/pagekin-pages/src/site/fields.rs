//! The fields of a page, whose terms are emphasized.

use pagekin_core::vocabulary::TermId;

use crate::site::term_counts::WeightedTerm;

/// The terms of the fields of a page, in document order and with repetitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// The terms of its title, once it is known what all titles share.
    pub title: Vec<TermId>,
    pub first_heading: Vec<TermId>, // those that its title lacks
    /// The term that names the page.
    pub name: Option<TermId>,
    pub headings: Vec<TermId>,
    /// The terms of headings that are names.
    pub names: Vec<TermId>,
    /// The terms that it defines, ascending and distinct.
    pub definitions: Vec<TermId>,
    pub first_paragraph: Vec<TermId>,
    /// The terms of other text and metadata that the main text lacks, ascending and distinct.
    pub other: Vec<TermId>,
    /// The terms of the text that occur in elements with a weight, ascending.
    pub weighted: Vec<WeightedTerm>,
}
