//! How good a measure of similarity is on a site: whether the pages it calls similar are those that
//! people put into one folder, or link to one another.
//!
//! After Haveliwala, Gionis, Klein and Indyk, *Evaluating Strategies for Similarity Search on the
//! Web* (WWW 2002). What LSH misses of the pairs of a crawl is another question, which
//! [`crawl`](mod@pagekin_crawl::cluster) answers.
//!
//! ```text
//! settings    text into the settings to be compared
//! pages       a folder into pages: words in order, with the places of links, blocks and headings
//! truth       pages into classes, and into what links to what
//! terms       words into terms
//! represent   pages into bags of terms, by what is said on them and about them
//! weigh       frequencies into weights
//! measure     weights into the similarities of a page to all others
//! scores      similarities, held against the truth
//! run         all of these, for every setting of a grid
//! evaluation  what was measured
//! trees       trees of a site's pages, held against the same truth
//! varied      settings that differ in one key, compared by its values
//! figures     these comparisons, drawn
//! ```

pub(crate) mod error;
pub(crate) mod evaluation;
pub(crate) mod figures;
pub(crate) mod measure;
pub(crate) mod options;
pub(crate) mod pages;
pub(crate) mod represent;
pub(crate) mod run;
pub(crate) mod scores;
pub(crate) mod settings;
pub(crate) mod terms;
pub(crate) mod trees;
pub(crate) mod truth;
pub(crate) mod varied;
pub(crate) mod weigh;

pub use crate::evaluate::error::EvaluateError;
pub use crate::evaluate::evaluation::{Evaluation, EvaluationSeconds, Scored, Scores};
pub use crate::evaluate::figures::{Figure, figures};
pub use crate::evaluate::options::{EvaluateOptions, Hierarchy};
pub use crate::evaluate::run::evaluate;
pub use crate::evaluate::settings::grid::Grid;
pub use crate::evaluate::settings::setting::{
    FrequencyWeight, Identifiers, KEYS, Measure, RarityWeight, Representation, Setting,
    SettingError, Stemming, Window,
};
pub use crate::evaluate::trees::{TreeEvaluation, TreeScores, evaluate_trees};
pub use crate::evaluate::truth::classes::UnknownUrls;
pub use crate::evaluate::varied::{Varied, vary};
