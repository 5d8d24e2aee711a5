//! Nouns for the items of a crawl: URLs, reads of DNA or other strings.

use std::borrow::Cow;

use pagekin_core::qgrams::Alphabet;
use pagekin_crawl::folder::{CrawlFolder, StringRules};
use pagekin_pages::Stage;

/// The nouns for clustered items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nouns {
    pub(crate) one: &'static str,
    pub(crate) all: &'static str,
    /// Distinct items: equal lines are one string.
    pub(crate) different: &'static str,
}

impl Nouns {
    const URLS: Self = Self { one: "URL", all: "URLs", different: "URLs" };
    const READS: Self = Self { one: "read", all: "reads", different: "reads" };
    const STRINGS: Self = Self { one: "string", all: "strings", different: "different strings" };

    /// Returns the nouns for an alphabet; without one, those for pages.
    pub(crate) fn new(alphabet: Option<Alphabet>) -> Self {
        match alphabet {
            None => Self::URLS,
            Some(Alphabet::Dna) => Self::READS,
            Some(Alphabet::Text) => Self::STRINGS,
        }
    }

    pub(crate) fn from_crawl(crawl: &CrawlFolder) -> Self {
        let strings = crawl.description().strings.as_ref();
        Self::new(strings.map(|StringRules(rules)| rules.alphabet))
    }

    /// Returns whether the items are strings, which have names but no words.
    pub(crate) fn are_strings(self) -> bool {
        self != Self::URLS
    }

    /// Describes a stage with these nouns.
    pub(crate) fn describe(self, stage: Stage) -> Cow<'static, str> {
        let of_pages = stage.describe();
        match stage {
            _ if !self.are_strings() => of_pages.into(),
            Stage::Weighing => "counting q-grams".into(),
            _ => of_pages.replace("pages", self.all).replace("URLs", self.all).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_described_with_the_clustered_items() {
        let of = |alphabet| {
            [Stage::Reading, Stage::Weighing, Stage::Pairing]
                .map(|stage| Nouns::new(alphabet).describe(stage))
        };
        assert_eq!(of(None), ["reading pages", "weighing terms", "pairing URLs"]);
        assert_eq!(of(Some(Alphabet::Dna)), ["reading reads", "counting q-grams", "pairing reads"]);
    }
}
