//! What a person says of the teaching site: `truth.json`.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::checkout;

/// The truth about the teaching site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// The addresses of its pages.
    pub pages: Vec<String>,
    /// The addresses of the HTML files that are no pages, by reason.
    pub skipped: BTreeMap<String, Vec<String>>,
    /// The pages about one thing, by the address of the page that introduces them.
    pub areas: BTreeMap<String, Vec<String>>,
    /// The copies.
    pub copies: Vec<Copy>,
}

/// A page that copies another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// In which way.
    pub kind: String,
    /// The page it copies.
    pub original: String,
    /// The copy.
    pub copy: String,
}

impl Truth {
    /// Reads it.
    #[must_use]
    pub fn load() -> Self {
        let path = checkout::of_tests("truth.json");
        let json = fs::read_to_string(path).expect("truth.json is beside this crate's Cargo.toml");
        serde_json::from_str(&json).expect("truth.json has the shape of `Truth`")
    }

    /// The pages that copy a page or that it copies, or that copy what it copies.
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

    /// The areas' pages, each with its kin: the other pages of its area, the one that introduces
    /// the area, and the copies of all of them.
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
