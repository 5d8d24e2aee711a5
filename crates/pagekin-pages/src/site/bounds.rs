//! Bounds on the amount of text read from a page, so that no page costs much more than an ordinary
//! page of its size.
//!
//! Each different word has a cost, and each pair of consecutive words again. A novel has about
//! 20,000 different words, and the single-page HTML standard about as many terms; a megabyte of
//! random characters has a million.

use std::hash::Hasher;

use pagekin_core::page::PageText;
use pagekin_core::terms::{for_each_compound, for_each_word};
use rustc_hash::{FxHashSet, FxHasher};

/// Maximum number of different words, including identifiers.
const MAX_DIFFERENT: usize = 100_000;
/// Maximum number of words. An ordinary page of 16 MiB has fewer.
const MAX_WORDS: usize = 2_500_000;
/// Maximum number of bytes of headings.
const MAX_HEADING_BYTES: usize = 64 << 10;
/// Number of bytes after which the number of words is checked. A text may exceed the maximum by as
/// many.
const STEP: usize = 16 << 10;

/// Truncates the texts and headings of a page. Returns why anything was truncated, if so.
pub(crate) fn cut(page: &mut PageText) -> Option<&'static str> {
    let headings = &mut page.headings;
    headings.truncate(headings.floor_char_boundary(MAX_HEADING_BYTES));
    let why = cut_text(&mut page.text).or(cut_text(&mut page.other));
    why.or(page.title_is_cut.then_some("a title of more than 4,096 bytes"))
}

/// Truncates a text. Returns why, if it did.
pub(crate) fn cut_text(text: &mut String) -> Option<&'static str> {
    let (end, why) = overfull(text)?;
    text.truncate(end);
    text.shrink_to_fit();
    Some(why)
}

/// Returns where a text exceeds a maximum, and which one.
fn overfull(text: &str) -> Option<(usize, &'static str)> {
    // No two words start at the same byte.
    if text.len() <= MAX_DIFFERENT {
        return None;
    }
    let (mut different, mut words) = (FxHashSet::default(), 0);
    let mut at = 0;
    while at < text.len() {
        let end = step_end(text, at);
        let step = &text[at..end];
        for_each_word(step, |word| {
            words += 1;
            different.insert(hash(word));
        });
        for_each_compound(step, |compound| {
            let word = compound.written();
            different.insert(hash(word));
        });
        if end < text.len() {
            if different.len() > MAX_DIFFERENT {
                return Some((end, "more than 100,000 different words"));
            }
            if words > MAX_WORDS {
                return Some((end, "more than 2,500,000 words"));
            }
        }
        at = end;
    }
    None
}

/// Returns the end of a step, between words if possible.
fn step_end(text: &str, at: usize) -> usize {
    let end = text.floor_char_boundary(at + STEP);
    if end == text.len() {
        return end;
    }
    text[at..end]
        .rfind(char::is_whitespace)
        .filter(|&space| space > 0)
        .map_or(end, |space| at + space)
}

fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a different word of letters for each number.
    fn word(mut number: usize) -> String {
        let mut word = String::from("z");
        loop {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
            if number == 0 {
                return word + " ";
            }
        }
    }

    #[track_caller]
    fn check(text: &str, max_words: usize, expected: &str) {
        let mut cut = text.to_owned();
        assert_eq!(cut_text(&mut cut), Some(expected));
        assert!(text.starts_with(&cut));
        let mut words = 0;
        for_each_word(&cut, |_| words += 1);
        assert!((max_words..max_words + STEP).contains(&words), "{words}");
        assert!(cut.len() < text.len());
    }

    #[test]
    fn ordinary_texts_are_kept_whole() {
        let mut page = (0..1_000_000).map(|at| word(at % 20_000)).collect::<String>();
        assert_eq!(cut_text(&mut page), None);
        let mut giant = "a".repeat(10 << 20);
        assert_eq!(cut_text(&mut giant), None);
        assert_eq!(giant.len(), 10 << 20);
    }

    #[test]
    fn texts_with_too_many_words_are_truncated() {
        let different: String = (0..200_000).map(word).collect();
        check(&different, 100_000, "more than 100,000 different words");
        check(&word(0).repeat(2_600_000), 2_500_000, "more than 2,500,000 words");
        let mut state = 1u64;
        let han: String = (0..200_000)
            .filter_map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from_u32(0x4e00 + (state >> 40) as u32 % 0x5000)
            })
            .collect();
        check(&han, 100_000, "more than 100,000 different words");
        let identifiers: String = (0..200_000).map(|at| format!("x_{at} ")).collect();
        let mut cut = identifiers.clone();
        assert_eq!(cut_text(&mut cut), Some("more than 100,000 different words"));
        assert!((100_000..100_000 + STEP).contains(&cut.matches('x').count()));
    }

    #[test]
    fn headings_are_truncated() {
        let mut page = PageText { headings: "é\n".repeat(100_000), ..PageText::default() };
        assert_eq!(cut(&mut page), None);
        assert_eq!(page.headings.len(), MAX_HEADING_BYTES - 1);
    }
}
