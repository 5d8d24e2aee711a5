//! Words that name a page, or what a page defines.

use pagekin_core::terms::{Analyzer, TermKinds, Words, for_each_word};
use pagekin_core::vocabulary::TermId;

/// What separates the name of a page from its description in a title.
const SEPARATORS: [&str; 4] = [" — ", " – ", " - ", ": "];

/// Returns the term that names a page: the only word of its title, or of its title up to a
/// separator, as in "string — Common string operations". Otherwise that of its first heading.
/// Numbers of chapters do not count.
pub(crate) fn name_of_page(title: &str, heading: &str, analyzer: &Analyzer<'_>) -> Option<TermId> {
    let only_word = |text: &str| {
        let terms = analyzer.counts(&Words::new(text), TermKinds::Words);
        let mut words = terms.iter().filter(|term| term.word.contains(char::is_alphabetic));
        words.next().filter(|_| words.next().is_none()).map(|term| term.id)
    };
    let end = SEPARATORS.iter().filter_map(|separator| title.find(separator)).min();
    only_word(&title[..end.unwrap_or(title.len())]).or_else(|| only_word(heading))
}

/// Whether a heading is a single word: usually a name that the page defines.
pub(crate) fn is_name(heading: &str) -> bool {
    let mut words = 0;
    for_each_word(heading, |_| words += 1);
    words == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::terms::{Language, StopLists};
    use pagekin_core::vocabulary::term_id;

    #[test]
    fn a_page_is_named_by_the_only_word_of_its_title_or_heading() {
        let stop = StopLists::default();
        let language = Language::from_tag("en").unwrap();
        let analyzer = Analyzer::new(&language, &stop);
        let name = |title: &str, heading: &str| name_of_page(title, heading, &analyzer);
        let setting = Some(term_id("set"));
        for title in ["Settings", "5. Settings", "Settings: all of them", "settings — what they do"]
        {
            assert_eq!(name(title, ""), setting, "{title}");
        }
        assert_eq!(name("Database settings", "Settings"), setting);
        assert_eq!(name("SQLite", ""), Some(term_id("sqlite")));
        assert_eq!(name("Database settings", "All settings"), None);
        assert_eq!(name("14.2", ""), None);
        assert_eq!(name("", ""), None);
    }

    #[test]
    fn one_word_is_a_name() {
        assert_eq!(["assertTrue", "Rye bread", "", "—"].map(is_name), [true, false, false, false]);
    }
}
