//! Internals that `pagekin-research` measures: weights of pages and terms, relatedness and order.
//! Not part of the API.

pub use crate::build::from_site::weigh_site;
pub use crate::build::pages::cluster_order::by_address;
pub use crate::build::pages::vocabulary::{WeightedPage, vocabulary};
pub use crate::build::pages::weigh::vocabulary_rules;
pub use crate::build::related::profiles::weigh as weigh_profiles;
pub use crate::build::related::ties::{Folders, Mentions, TieWeights, Ties};
