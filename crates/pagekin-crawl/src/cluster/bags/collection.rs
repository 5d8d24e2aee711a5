//! Document frequencies of terms, and the weights derived from them.

use pagekin_core::Preset;
use pagekin_core::vocabulary::{DfLimits, quantized_idf};
use serde::{Deserialize, Serialize};

/// The numbers of URLs and texts that contain a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spread {
    /// Number of URLs.
    pub urls: u32,
    /// Number of different texts of these URLs. A page and its copies share one.
    pub texts: u32,
}

impl Spread {
    /// Returns the document frequency for the weight of the term: the number of different texts, so
    /// that a page has the same weight however many copies it has. A term that a text only shares
    /// with its copies counts as in two.
    #[must_use]
    pub fn df(self) -> u32 {
        self.texts.max(self.urls.min(2))
    }

    /// Adds the numbers of other URLs.
    pub fn add(&mut self, other: Self) {
        self.urls = self.urls.saturating_add(other.urls);
        self.texts = self.texts.saturating_add(other.texts);
    }
}

/// The properties of a crawl that determine the weights of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Preset of the parameters of bags.
    pub preset: Preset,
    /// Numbers of all URLs and different texts.
    pub all: Spread,
}

/// The weighting of terms that no other URL has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// Weight of each such term.
    pub weight: u8,
    /// Whether they remain separate words, as in a small crawl, where they identify a text.
    pub as_words: bool,
}

/// Minimum weight: terms in more than half of the texts have the weight of one bit, as a term in
/// half of them. If all pages are versions of one page, the terms they share are in nearly all of
/// them, and make them similar.
const MIN_WEIGHT: u8 = 12;

impl Collection {
    /// Returns the number of texts that document frequencies are out of.
    #[must_use]
    pub fn texts(&self) -> u32 {
        match self.preset {
            Preset::Web => self.all.texts,
            Preset::Paper => self.all.urls,
        }
    }

    /// Returns the document frequency of a term.
    #[must_use]
    pub fn df(&self, spread: Spread) -> u32 {
        match self.preset {
            Preset::Web => spread.df().min(self.texts()),
            Preset::Paper => spread.urls,
        }
    }

    /// Returns the weight of a term, 0 if bags do not contain it.
    ///
    /// With the paper's preset, words on few or nearly all URLs are dropped (section 2). Otherwise,
    /// such a limit would change which texts are equal. Only terms that no other URL has are
    /// treated as the text's [own](Self::own).
    #[must_use]
    pub fn weight(&self, spread: Spread) -> u8 {
        match self.preset {
            Preset::Web if spread.urls < 2 => 0,
            Preset::Web => self.weight_of_df(self.df(spread)),
            Preset::Paper => {
                let allowed = self.limits().allow(spread.urls, self.all.urls);
                if allowed { quantized_idf(spread.urls, self.all.urls) } else { 0 }
            }
        }
    }

    /// Returns the weight of a term with this [df](Self::df) in the preset for sites.
    pub(crate) fn weight_of_df(&self, df: u32) -> u8 {
        quantized_idf(df, self.texts()).max(MIN_WEIGHT)
    }

    /// Returns how terms that no other URL has are weighted; `None` with the paper's preset.
    #[must_use]
    pub fn own(&self) -> Option<Own> {
        let as_words = self.limits().min == 1;
        (self.preset == Preset::Web).then(|| Own { weight: self.weight_of_df(1), as_words })
    }

    /// Returns the limits of document frequencies for the terms whose texts a crawl keeps.
    #[must_use]
    pub fn limits(&self) -> DfLimits {
        DfLimits::for_pages(self.texts())
    }
}
