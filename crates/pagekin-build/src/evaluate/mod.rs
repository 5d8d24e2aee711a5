//! How good a measure of similarity is on a site: whether the pages it calls similar are those that people put into one
//! folder, or link to one another.
//!
//! After Haveliwala, Gionis, Klein and Indyk, *Evaluating Strategies for Similarity Search on the Web* (WWW 2002). What LSH
//! misses of the pairs of a crawl is another question, which [`crawl`](crate::crawl) answers.
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
mod evaluation;
mod figures;
mod measure;
mod options;
mod pages;
mod represent;
mod run;
mod scores;
mod settings;
mod terms;
mod trees;
mod truth;
mod varied;
mod weigh;

pub use evaluation::{Evaluation, Scored, Scores, Seconds};
pub use figures::{Figure, figures};
pub use options::{EvaluateOptions, Hierarchy};
pub use run::evaluate;
pub use settings::grid::Grid;
pub use settings::setting::{
    FrequencyWeight, Identifiers, KEYS, Measure, RarityWeight, Representation, Setting,
    SettingError, Stemming, Window,
};
pub use trees::{TreeEvaluation, TreeScores, evaluate_trees};
pub use truth::classes::UnknownUrls;
pub use varied::{Varied, vary};
