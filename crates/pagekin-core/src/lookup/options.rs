//! The options of a lookup.

/// The number of results, and how good they must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupOptions {
    /// Maximum number of results.
    pub limit: u32,
    /// Minimum score ([`RankedBy`](super::RankedBy)) of a result, from 0 to 1. At 0 all results are
    /// returned, except those that are negligible compared with the best.
    pub min: f64,
    /// Whether copies and variants of a page are results of their own.
    pub copies: bool,
    /// How candidates are found. Used by measurements.
    #[doc(hidden)]
    pub candidates: Candidates,
    /// Which neighborhood to return, if any. Used by the map of the demo.
    #[doc(hidden)]
    pub around: Option<Surroundings>,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self { limit: 10, min: 0.0, copies: false, candidates: Candidates::Best, around: None }
    }
}

/// How candidates are found, as far as the index supports it. Only measurements use a value other
/// than [`Best`](Self::Best).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Candidates {
    /// By the lists of terms, and for a whole page also by the LSH tables.
    #[default]
    Best,
    /// By the lists alone.
    Lists,
    /// By the tables alone.
    Tables,
}

/// The pages of a neighborhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surroundings {
    /// The results, and the pages most similar to them.
    Results,
    /// The cluster whose center is the page of the query, and adjacent clusters. For a text the
    /// same as [`Results`](Self::Results).
    Center,
}
