//! Words that name a page, or what a page defines.

use pagekin_core::terms::{Analyzer, TermKinds, Words, for_each_word};
use pagekin_core::vocabulary::TermId;

/// What separates the name of a page from its description in a title.
const SEPARATORS: [&str; 4] = [" — ", " – ", " - ", ": "];

/// Returns the term that names a page: the only word of its title, or of its title up to a
/// separator, as in "string — Common string operations". Otherwise that of its first heading.
/// Numbers of chapters do not count.
pub(crate) fn name_of_page(title: &str, heading: &str, analyzer: &Analyzer<'_>) -> Option<TermId> {
    let end = SEPARATORS.iter().filter_map(|separator| title.find(separator)).min();
    let title = &title[..end.unwrap_or(title.len())];
    only_word(title, analyzer).or_else(|| only_word(heading, analyzer))
}

/// Returns the term of the only word of a name that has letters, without stop words.
#[must_use]
pub fn only_word(name: &str, analyzer: &Analyzer<'_>) -> Option<TermId> {
    let terms = analyzer.counts(&Words::new(name), TermKinds::Words);
    let mut words = terms.iter().filter(|term| term.word.contains(char::is_alphabetic));
    words.next().filter(|_| words.next().is_none()).map(|term| term.id)
}

/// Whether a heading is a single word: usually a name that the page defines.
pub(crate) fn is_name(heading: &str) -> bool {
    let mut words = 0;
    for_each_word(heading, |_| words += 1);
    words == 1
}

/// Maximum number of words up to the name in a signature, such as `pub unsafe fn swap(`.
const MAX_SIGNATURE_WORDS: usize = 4;

/// Returns the names that a page defines, by its headings that are signatures, and by the
/// beginnings of its definition terms, one per line.
pub(crate) fn defined_names<'a>(
    headings: &'a str,
    definitions: &'a str,
) -> impl Iterator<Item = &'a str> {
    let signatures = headings.lines().filter(|heading| heading.contains('(') || is_name(heading));
    definitions.lines().chain(signatures).filter_map(defined)
}

/// Returns the name that a signature or a definition term defines: its last word before arguments,
/// a type, or a value, without the names of what contains it. `None` if it is a sentence.
fn defined(signature: &str) -> Option<&str> {
    let end = signature.find(['(', '[', '{', '<', '=', ',', ';', '¶', '→']);
    let head = signature[..end.unwrap_or(signature.len())].trim().trim_end_matches(':');
    let words = head.split_whitespace().count();
    let last = head.split_whitespace().next_back().filter(|_| words <= MAX_SIGNATURE_WORDS)?;
    last.rsplit(['.', ':']).next().filter(|name| name.contains(char::is_alphabetic))
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
    fn signatures_and_definition_terms_define_their_names() {
        for (signature, name) in [
            ("isinstance(object, classinfo)¶", "isinstance"),
            ("class collections.defaultdict(default_factory=None)", "defaultdict"),
            ("pub unsafe fn swap<T>(a: *mut T, b: *mut T)", "swap"),
            ("work_mem (integer)", "work_mem"),
            ("Returns:", "Returns"),
        ] {
            assert_eq!(defined(signature), Some(name), "{signature}");
        }
        for other in ["", "(1)", "What do you do if the server does not start?"] {
            assert_eq!(defined(other), None, "{other}");
        }
    }

    #[test]
    fn one_word_is_a_name() {
        assert_eq!(["assertTrue", "Rye bread", "", "—"].map(is_name), [true, false, false, false]);
    }
}
