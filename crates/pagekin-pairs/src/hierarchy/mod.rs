//! Clusters of clusters, until few are left: a tree by which a site or a crawl can be browsed.
//!
//! The paper stops at flat clusters, of which it says that hierarchies would be made (Haveliwala,
//! Gionis and Indyk 2000, section 5 and its footnote). Here each level is made of the one below it
//! as flat clusters are made of pages: pairs of similar clusters, and CENTER over them, at a
//! threshold that falls from level to level.
//!
//! ```text
//! level     profiles of clusters into clusters of them
//! tree      level upon level into a tree
//! labels    what is heavy in a node, light in those around it, and on many of its pages, as words
//! ```

pub(crate) mod labels;
pub(crate) mod level;
mod tree;

pub use tree::{Node, Tree, TreeCluster, TreeItems, add_up};
