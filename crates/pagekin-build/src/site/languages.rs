//! Languages by their tags, and their stop lists from the library that keeps them.

use pagekin_core::terms::{Language, StopLists};

use crate::error::BuildError;

/// The lists of all languages there are lists for.
pub(crate) fn all() -> StopLists {
    only(stop_words::available_languages().iter().filter_map(|code| Language::from_tag(code)))
}

/// The lists of some languages.
pub(crate) fn only(languages: impl IntoIterator<Item = Language>) -> StopLists {
    let mut lists = StopLists::new();
    for language in languages {
        // Both written norms of Norwegian are under one code there.
        let code = match language.code() {
            "nb" | "nn" => "no",
            code => code,
        };
        if let Some(words) = stop_words::lookup(code) {
            lists.insert(language.clone(), words.iter().copied());
        }
    }
    lists
}

/// The language of a tag, such as that of pages that name none.
pub(crate) fn named(tag: &str) -> Result<Language, BuildError> {
    Language::from_tag(tag).ok_or_else(|| BuildError::Option {
        option: "lang",
        expected: "a language tag such as en or pt-BR",
        found: format!("{tag:?}"),
    })
}
