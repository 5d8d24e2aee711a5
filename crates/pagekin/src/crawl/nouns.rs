//! What is clustered, in words: URLs, reads of DNA or other strings.

use std::borrow::Cow;

use pagekin_core::qgrams::Alphabet;
use pagekin_crawl::folder::{CrawlFolder, StringRules};
use pagekin_pages::Stage;

/// What the things that are clustered are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nouns {
    pub(crate) one: &'static str,
    pub(crate) all: &'static str,
    /// Those that are told apart: the same line is one string.
    pub(crate) different: &'static str,
}

impl Nouns {
    const URLS: Self = Self { one: "URL", all: "URLs", different: "URLs" };
    const READS: Self = Self { one: "read", all: "reads", different: "reads" };
    const STRINGS: Self = Self { one: "string", all: "strings", different: "different strings" };

    /// Of pages, if there is no alphabet.
    pub(crate) fn new(alphabet: Option<Alphabet>) -> Self {
        match alphabet {
            None => Self::URLS,
            Some(Alphabet::Dna) => Self::READS,
            Some(Alphabet::Text) => Self::STRINGS,
        }
    }

    /// Of a crawl's folder.
    pub(crate) fn from_crawl(crawl: &CrawlFolder) -> Self {
        let strings = crawl.description().strings.as_ref();
        Self::new(strings.map(|StringRules(rules)| rules.alphabet))
    }

    /// Whether they are strings, which have a name and no words.
    pub(crate) fn are_strings(self) -> bool {
        self != Self::URLS
    }

    /// What a stage does with them.
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
    fn stages_are_described_by_what_is_clustered() {
        let of = |alphabet| {
            [Stage::Reading, Stage::Weighing, Stage::Pairing]
                .map(|stage| Nouns::new(alphabet).describe(stage))
        };
        assert_eq!(of(None), ["reading pages", "weighing terms", "pairing URLs"]);
        assert_eq!(of(Some(Alphabet::Dna)), ["reading reads", "counting q-grams", "pairing reads"]);
    }
}
