//! A person's judgment of the teaching site: `truth.json`.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::checkout;

/// The truth about the teaching site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// The URLs of its pages with text.
    pub pages: Vec<String>,
    /// The URLs of its pages that have only a title.
    pub titles_alone: Vec<String>,
    /// The URLs of the HTML files that are not pages, by reason.
    pub skipped: BTreeMap<String, Vec<String>>,
    /// The pages of each subject, by the URL of the page that introduces it.
    pub areas: BTreeMap<String, Vec<String>>,
    /// The copies.
    pub copies: Vec<Copy>,
}

/// A page that is a copy of another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// The kind of copy.
    pub kind: String,
    /// The URL of the original.
    pub original: String,
    /// The URL of the copy.
    pub copy: String,
}

impl Truth {
    /// Returns the number of pages that an index of the site has.
    #[must_use]
    pub fn indexed(&self) -> usize {
        self.pages.len() + self.titles_alone.len()
    }

    /// Reads the file.
    #[must_use]
    pub fn load() -> Self {
        let path = checkout::of_tests("truth.json");
        let json = fs::read_to_string(path).expect("truth.json is next to this crate's Cargo.toml");
        serde_json::from_str(&json).expect("truth.json has the shape of `Truth`")
    }

    /// Returns the originals and copies of a page, including other copies of its original.
    #[must_use]
    pub fn copies_of<'a>(&'a self, page: &'a str) -> Vec<&'a str> {
        let original_of = |page: &'a str| {
            self.copies
                .iter()
                .find(|copy| copy.copy == page)
                .map_or(page, |copy| copy.original.as_str())
        };
        let family = original_of(page);
        let copies = self.copies.iter().filter(|copy| copy.original == family);
        let members = copies.map(|copy| copy.copy.as_str()).chain([family]);
        members.filter(|member| *member != page).collect()
    }

    /// Returns the pages of all subjects, each with its related pages: the other pages of its
    /// subject, the page that introduces it, and the copies of all of them.
    #[must_use]
    pub fn kin(&self) -> Vec<(&str, Vec<&str>)> {
        let mut all = Vec::new();
        for (introduction, pages) in &self.areas {
            for page in pages {
                let area = pages.iter().chain([introduction]).map(String::as_str);
                let kin =
                    area.flat_map(|member| self.copies_of(member).into_iter().chain([member]));
                all.push((page.as_str(), kin.filter(|kin| kin != page).collect()));
            }
        }
        all
    }
}
