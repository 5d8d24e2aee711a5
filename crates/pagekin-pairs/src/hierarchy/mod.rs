//! Builds trees of nested clusters, by which a site or a crawl can be browsed.
//!
//! The paper ends with flat clusters, and mentions hierarchies as future work (Haveliwala, Gionis
//! and Indyk 2000, section 5 and its footnote). Here each level is built from the one below in the
//! same way as flat clusters are built from pages: pairs of similar clusters, then CENTER, with a
//! threshold that decreases from level to level.
//!
//! ```text
//! level     profiles of clusters -> clusters of these
//! tree      levels -> a tree
//! labels    a node, its parent and its siblings -> words
//! ```

pub(crate) mod labels;
pub(crate) mod level;
mod tree;

pub use crate::rows::add_up;
pub use tree::{Node, Tree, TreeCluster, TreeItems};
