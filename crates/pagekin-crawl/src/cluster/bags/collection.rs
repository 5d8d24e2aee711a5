//! On how much terms are, and what they weigh by that.

use pagekin_core::Preset;
use pagekin_core::vocabulary::{DfLimits, quantised_idf};
use serde::{Deserialize, Serialize};

/// On how much a term is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spread {
    /// URLs.
    pub urls: u32,
    /// Different texts of these: a page and its copies are one.
    pub texts: u32,
}

impl Spread {
    /// The document frequency that decides what a term weighs: of different texts, so that a page
    /// weighs the same however many copies it has. What a text shares with its copies alone counts
    /// as on two.
    #[must_use]
    pub fn df(self) -> u32 {
        self.texts.max(self.urls.min(2))
    }

    /// That of other URLs too.
    pub fn add(&mut self, other: Self) {
        self.urls = self.urls.saturating_add(other.urls);
        self.texts = self.texts.saturating_add(other.texts);
    }
}

/// A crawl, as far as it decides what terms weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// The parameters of bags.
    pub preset: Preset,
    /// The URLs and different texts.
    pub all: Spread,
}

/// What becomes of the terms that no other URL has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// What each weighs.
    pub weight: u8,
    /// Whether they stay words, as in a small crawl, where a text is known by them.
    pub as_words: bool,
}

/// Terms on more than half of the texts weigh as one on half of them, one bit. Where all pages are
/// versions of one, all that they share is on nearly all of them, and it is what makes them alike.
const MIN_WEIGHT: u8 = 12;

impl Collection {
    /// The number of what document frequencies are out of.
    #[must_use]
    pub fn texts(&self) -> u32 {
        match self.preset {
            Preset::Web => self.all.texts,
            Preset::Paper => self.all.urls,
        }
    }

    /// The document frequency of a term.
    #[must_use]
    pub fn df(&self, spread: Spread) -> u32 {
        match self.preset {
            Preset::Web => spread.df().min(self.texts()),
            Preset::Paper => spread.urls,
        }
    }

    /// What a term weighs, 0 if bags are without it.
    ///
    /// By the paper words of few and of nearly all URLs are dropped (section 2). Otherwise a limit
    /// would change what a text is equal to: only what no other URL has is taken for the
    /// text's [own](Self::own).
    #[must_use]
    pub fn weight(&self, spread: Spread) -> u8 {
        match self.preset {
            Preset::Web if spread.urls < 2 => 0,
            Preset::Web => self.weight_of_df(self.df(spread)),
            Preset::Paper => {
                let allowed = self.limits().allow(spread.urls, self.all.urls);
                if allowed { quantised_idf(spread.urls, self.all.urls) } else { 0 }
            }
        }
    }

    /// What a term of a [df](Self::df) weighs by the preset of sites.
    pub(crate) fn weight_of_df(&self, df: u32) -> u8 {
        quantised_idf(df, self.texts()).max(MIN_WEIGHT)
    }

    /// What becomes of terms that no other URL has; by the paper nothing.
    #[must_use]
    pub fn own(&self) -> Option<Own> {
        let as_words = self.limits().min == 1;
        (self.preset == Preset::Web).then(|| Own { weight: self.weight_of_df(1), as_words })
    }

    /// The document frequencies of terms that a crawl keeps in letters.
    #[must_use]
    pub fn limits(&self) -> DfLimits {
        DfLimits::for_pages(self.texts())
    }
}
