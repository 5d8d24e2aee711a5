//! What a caller may ask for besides the text.

/// How many results, and how good they must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupOptions {
    /// Maximum number of results.
    pub limit: u32,
    /// Minimum score ([`RankedBy`](super::RankedBy)) of a result, from 0 (all, except those that
    /// are negligible compared with the best) to 1.
    pub min: f64,
    /// Whether copies and other editions of a page are results of their own.
    pub copies: bool,
    /// How candidates are found: for measurements.
    #[doc(hidden)]
    pub candidates: Candidates,
    /// Whether the neighborhood is told of too, and which: for the map of the demo.
    #[doc(hidden)]
    pub around: Option<Surroundings>,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self { limit: 10, min: 0.0, copies: false, candidates: Candidates::Best, around: None }
    }
}

/// How candidates are found, as far as the index supports it. All but [`Best`](Self::Best) are for
/// measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Candidates {
    /// By the lists of terms; for a whole page also by the LSH tables.
    #[default]
    Best,
    /// By the lists only.
    Lists,
    /// By the tables only.
    Tables,
}

/// Which pages are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surroundings {
    /// The results, and the pages most like them.
    Results,
    /// The cluster of which the page that is asked for is the center, and clusters beside it. For a
    /// text the same as [`Results`](Self::Results).
    Center,
}
