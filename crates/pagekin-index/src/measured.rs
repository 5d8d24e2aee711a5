//! Internals that `pagekin-research` and benches measure: weights of pages and terms, fields,
//! relatedness and order. Not part of the API.

pub use crate::build::from_site::weigh_site;
pub use crate::build::pages::cluster_order::by_address;
pub use crate::build::pages::emphasis::{
    ADDRESS, DescribedPage, FIRST_PARAGRAPH, Field, HEADINGS, K, LINKS, NAMES, TITLE,
};
pub use crate::build::pages::vocabulary::{VocabularyRules, WeightedPage, vocabulary};
pub use crate::build::pages::weigh::{WeightedSite, vocabulary_rules};
pub use crate::build::related::profiles::weigh as weigh_profiles;
pub use crate::build::related::ties::{Folders, Mentions, TieWeights, Ties};
pub use crate::build::stages::describe_site;
