//! Evaluates measures of similarity on a site: whether similar pages are in one folder, or link to
//! one another.
//!
//! The method follows Haveliwala, Gionis, Klein and Indyk, *Evaluating Strategies for Similarity
//! Search on the Web* (WWW 2002). The recall of LSH on a crawl is another question, which
//! [`crawl`](mod@pagekin_crawl::cluster) answers.
//!
//! ```text
//! settings    text -> the settings to compare
//! pages       a folder -> pages: words in order, with the positions of links, blocks and headings
//! truth       pages -> classes, and links between pages
//! terms       words -> terms
//! represent   pages -> bags of terms, from their text and from links to them
//! weigh       frequencies -> weights
//! measure     weights -> the similarities of a page to all others
//! scores      similarities and truth -> scores
//! run         all of these, for every setting of a grid
//! evaluation  the result
//! trees       trees of a site's pages, compared with the same truth
//! varied      settings that differ in one key, compared by its values
//! figures     charts of these comparisons
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
