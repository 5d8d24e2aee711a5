//! Texts as cells of a CSV file: a program for spreadsheets takes a text that begins like a formula
//! for one, and the texts of a site are anybody's.

use std::borrow::Cow;

/// What a formula begins with, in any program (OWASP, CSV Injection): `=`, `+`, `-`, `@`, also in
/// their wide forms, and white space that a program may drop before these.
const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The mark of a text.
const MARK: char = '\'';

/// Whether a text begins like a formula, behind any number of marks.
fn is_like_formula(text: &str) -> bool {
    text.trim_start_matches(MARK).starts_with(STARTS)
}

/// A text as a cell: with a `'` before it if it begins like a formula, be that behind such marks of
/// its own. Numbers need none.
#[must_use]
pub fn cell(text: &str) -> Cow<'_, str> {
    if is_like_formula(text) { format!("{MARK}{text}").into() } else { text.into() }
}

/// The text of a cell.
#[must_use]
pub fn text_of_cell(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|text| is_like_formula(text)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_marked_and_nothing_else() {
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
        fn texts_are_read_back_and_never_begin_a_formula(text in "['=+@a \t\r\n-]{0,5}") {
            let cell = cell(&text);
            prop_assert!(!cell.starts_with(STARTS));
            prop_assert_eq!(text_of_cell(&cell), text.as_str());
        }
    }
}
