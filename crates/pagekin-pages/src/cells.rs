//! Texts as cells of a CSV file. Spreadsheets interpret a text that starts like a formula as one,
//! and the texts of a site are untrusted.

use std::borrow::Cow;

/// The characters that start a formula in any program (OWASP, CSV Injection): `=`, `+`, `-`, `@`,
/// also in their full-width forms, and white space that a program may drop before these.
const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The prefix that marks a text.
const MARK: char = '\'';

/// Returns whether a text starts like a formula, after any number of marks.
fn is_like_formula(text: &str) -> bool {
    text.trim_start_matches(MARK).starts_with(STARTS)
}

/// Converts a text to a cell: adds `'` if the text starts like a formula, even after such marks of
/// its own. Numbers need no conversion.
#[must_use]
pub fn cell(text: &str) -> Cow<'_, str> {
    if is_like_formula(text) { format!("{MARK}{text}").into() } else { text.into() }
}

/// Returns the text of a cell.
#[must_use]
pub fn text_of_cell(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|text| is_like_formula(text)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_formulas_are_marked() {
        for start in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "'=1", "''-"]
        {
            assert_eq!(cell(start), format!("'{start}"));
        }
        for plain in ["", "a=b", "'", "''", "'tis", "/a-b", "https://example.org/", "1-2", " x"] {
            assert_eq!((cell(plain).as_ref(), text_of_cell(plain)), (plain, plain));
        }
    }

    proptest! {
        #[test]
        fn texts_round_trip_and_never_start_a_formula(text in "['=+@a \t\r\n-]{0,5}") {
            let cell = cell(&text);
            prop_assert!(!cell.starts_with(STARTS));
            prop_assert_eq!(text_of_cell(&cell), text.as_str());
        }
    }
}
