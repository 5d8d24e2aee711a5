//! Where on a page a text is found: the passage with most of the text, to be shown with its words
//! marked and linked to.
//!
//! The passage is the stretch of at most [`MAX_WORDS`] words in which the different terms of the
//! text weigh most together; the shortest of these, the first of those. Around it the sentence it
//! stands in is taken along, as far as there is room. It is found from the page's text alone, so
//! nothing of it is in an index.
//!
//! # Quirks
//!
//! 1. A single line break in the text of a page may be one of its source only, so it ends no
//!    sentence; an empty line does.
//! 2. In a script without spaces a passage may begin and end within a word, and a browser may not
//!    find it then.
//! 3. The text of a page has the `alt` texts of its images, which browsers do not scroll to.

use std::cmp::Reverse;
use std::ops::Range;

use litemap::LiteMap;

use crate::index::Index;
use crate::lookup::{analyzer, language_of, unknown_idf};
use crate::near::verbatim::has_verbatim;
use crate::sort;
use crate::terms::{self, Analyzer, for_each_word, word_places};
use crate::vocabulary::{TermId, term_id};

/// The most words of a passage.
pub const MAX_WORDS: usize = 40;
/// A passage of fewer words is followed by what comes next.
const FEW_WORDS: usize = 20;
/// Between words, so many bytes that are no white space of ASCII count as one: a passage shall not
/// bring a table of numbers along.
const BYTES_OF_A_WORD: usize = 8;
/// The words by which a browser is told where a passage begins, and where it ends.
const START_WORDS: usize = 10;
const END_WORDS: usize = 5;
/// Words that begin a passage may stand elsewhere too, in a menu or a list of contents, of which
/// the text of a page tells nothing: the fewer they are the likelier. Best is a line of so many;
/// else it shall have so many bytes, as an identifier has; a later line of so many words comes
/// next.
const SURE_WORDS: usize = 4;
const MIN_BYTES: usize = 12;
const MIN_WORDS: usize = 3;
/// A word is shown with what stands before it or behind it without white space, if these are not
/// more bytes.
const MAX_AFFIXED: usize = 40;

/// A passage of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The passage in pieces: every second piece, starting with the second, is a word of the text.
    /// The first and the last piece may be empty. White space is a single space, and `…` marks a
    /// sentence that continues.
    pub pieces: Vec<String>,
    /// Where the first of these words is in the main text of the page, in bytes; `None` if it is in
    /// its other text.
    pub at: Option<usize>,
    /// The first words of the passage, for the text fragment that makes browsers scroll to it
    /// (`#:~:text=start,end`). They are in one line, so in one block of the page.
    pub text_start: String,
    /// The last words of the passage, after those of `text_start`; empty if those are all of it.
    pub text_end: String,
    /// Whether the page has the text word for word ([`has_verbatim`]).
    pub verbatim: bool,
}

/// The passage of a page that has most of a text; `None` if the page has none of its terms. `lang`
/// is a language tag and may be empty.
///
/// # Example
///
/// ```
/// use pagekin_core::passage_of_text;
/// # use pagekin_core::{FORMAT_VERSION, Index, MANIFEST_NAME};
/// # let manifest = format!("../../tests/formats/{FORMAT_VERSION}/{MANIFEST_NAME}");
/// # let index = Index::open(&std::fs::read(manifest).unwrap()).unwrap();
///
/// let page = "Bread takes time. Feed the starter the evening before.";
/// let passage = passage_of_text(&index, "feeding starters", "en", page).unwrap();
/// assert_eq!(passage.pieces[1], "Feed");
/// assert_eq!(passage.pieces[3], "starter");
/// assert!(!passage.verbatim);
/// ```
#[must_use]
pub fn passage_of_text(index: &Index, text: &str, lang: &str, page: &str) -> Option<Passage> {
    let manifest = index.manifest();
    let words = terms::Words::new(text);
    let analyzer = analyzer(index, language_of(index, &words, lang).as_ref());
    let terms = analyzer.counts(&words, false);
    let unknown = unknown_idf(manifest);
    let passage = best_passage(page, &analyzer, |id| {
        terms.binary_search_by_key(&id, |term| term.id).ok()?;
        Some(manifest.vocabulary.idf(id).unwrap_or(unknown).into())
    })?;
    Some(Passage { verbatim: has_verbatim(page, text), ..passage })
}

/// The passage of a page, by its main text; if that has none of the terms of a text, the one of its
/// [other text](crate::page::PageText::other). Otherwise as [`passage_of_text`].
#[must_use]
pub fn passage_of_page(
    index: &Index,
    text: &str,
    lang: &str,
    main: &str,
    other: &str,
) -> Option<Passage> {
    let of_other = || passage_of_text(index, text, lang, other);
    passage_of_text(index, text, lang, main)
        .or_else(|| of_other().map(|passage| Passage { at: None, ..passage }))
}

/// The most terms that are marked in both of two texts: the heaviest.
const MAX_TERMS: usize = 24;

/// The words that a text and a page have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonWords<'a> {
    /// The text in pieces: every second piece, starting with the second, is a word of the page.
    /// Other pieces may be empty.
    pub text: Vec<&'a str>,
    /// The page, likewise.
    pub page: Vec<&'a str>,
    /// Of each such word of the text the same word of the page: in the passage that has most of the
    /// text, or else the first.
    pub twins_of_text: Vec<u32>,
    /// Of each such word of the page the first of the text.
    pub twins_of_page: Vec<u32>,
}

/// The words that a text in the language of a tag, which may be empty, and a page have in common,
/// without very common ones: those of the 24 terms that weigh most. Linear in both, but for
/// searches among these.
#[must_use]
pub fn common_words<'a>(
    index: &Index,
    text: &'a str,
    lang: &str,
    page: &'a str,
) -> CommonWords<'a> {
    let manifest = index.manifest();
    let words = terms::Words::new(text);
    let analyzer = analyzer(index, language_of(index, &words, lang).as_ref());
    let of_text = analyzer.counts(&words, false);
    let of_page = analyzer.counts(&terms::Words::new(page), false);
    let unknown = unknown_idf(manifest);
    let mut shared: Vec<(Reverse<u32>, TermId)> = Vec::new();
    for term in &of_text {
        if of_page.binary_search_by_key(&term.id, |other| other.id).is_ok() {
            let weight = manifest.vocabulary.idf(term.id).unwrap_or(unknown);
            shared.push((Reverse(weight.into()), term.id));
        }
    }
    sort::by_key(&mut shared, |&entry| entry);
    shared.truncate(MAX_TERMS);
    let weight_of = |id| {
        let found = shared.iter().find(|&&(_, term)| term == id);
        found.map(|&(Reverse(weight), _)| weight)
    };
    let of_text = Words::new(text, &analyzer, weight_of);
    let of_page = Words::new(page, &analyzer, weight_of);
    let best = of_page.best();
    let is_best = |hit: &Hit| best.is_some_and(|(from, to)| (from..=to).contains(&hit.word));
    let (marks_of_text, marks_of_page) = (of_text.marks(), of_page.marks());
    let twin = |term, hits: &[Hit]| {
        let of_term = || hits.iter().enumerate().filter(|(_, hit)| hit.term == term);
        let at = of_term().find(|(_, hit)| is_best(hit)).or_else(|| of_term().next());
        at.map_or(0, |(at, _)| at as u32)
    };
    let first =
        |term, hits: &[Hit]| hits.iter().position(|hit| hit.term == term).map_or(0, |at| at as u32);
    let marks = |hits: &[Hit], other: &[Hit], find: &dyn Fn(TermId, &[Hit]) -> u32| {
        hits.iter().map(|hit| find(hit.term, other)).collect()
    };
    CommonWords {
        twins_of_text: marks(&marks_of_text, &marks_of_page, &twin),
        twins_of_page: marks(&marks_of_page, &marks_of_text, &first),
        text: of_text.cut(&marks_of_text),
        page: of_page.cut(&marks_of_page),
    }
}

/// The passage of a page whose terms weigh most. `weight_of` tells what a term of the text weighs,
/// and nothing of other terms; one that does not count on the site still counts a little. Linear in
/// the page, but for a search among the terms of the text.
fn best_passage(
    page: &str,
    analyzer: &Analyzer<'_>,
    weight_of: impl Fn(TermId) -> Option<u32>,
) -> Option<Passage> {
    let words = Words::new(page, analyzer, weight_of);
    let (first, last) = words.best()?;
    let (from, to) = words.with_context(first, last);
    Some(words.passage(from, to))
}

/// A word of the page that the text has too.
#[derive(Debug, Clone, Copy)]
struct Hit {
    word: usize,
    term: TermId,
    weight: u32,
}

/// A page as its words.
struct Words<'a> {
    page: &'a str,
    /// Where they stand, in bytes.
    places: Vec<Range<usize>>,
    /// How many words there are before each, with what counts as words between them.
    positions: Vec<usize>,
    hits: Vec<Hit>,
}

impl<'a> Words<'a> {
    fn new(
        page: &'a str,
        analyzer: &Analyzer<'_>,
        weight_of: impl Fn(TermId) -> Option<u32>,
    ) -> Self {
        let places = word_places(page);
        let mut positions = Vec::with_capacity(places.len());
        let mut hits = Vec::new();
        let (mut position, mut end) = (0, 0);
        for (word, place) in places.iter().enumerate() {
            // The places of pairs of characters overlap.
            let between = page.get(end..place.start).unwrap_or_default();
            let other = between.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
            position += usize::from(word > 0) + other / BYTES_OF_A_WORD;
            positions.push(position);
            end = place.end;
            for_each_word(&page[place.clone()], |found| {
                if let Some(stem) = analyzer.term(found) {
                    let term = term_id(&stem);
                    if let Some(weight) = weight_of(term) {
                        hits.push(Hit { word, term, weight: weight.max(1) });
                    }
                }
            });
        }
        Self { page, places, positions, hits }
    }

    /// The words from one to another, both included.
    fn span(&self, first: usize, last: usize) -> usize {
        self.positions[last] - self.positions[first] + 1
    }

    /// The first and the last word of the shortest stretch of the heaviest.
    fn best(&self) -> Option<(usize, usize)> {
        let mut inside: LiteMap<TermId, u32> = LiteMap::new();
        let (mut left, mut weight) = (0, 0u64);
        let mut best: Option<(u64, (usize, usize))> = None;
        for &Hit { word: last, term, weight: own } in &self.hits {
            match inside.get_mut(&term) {
                Some(count) => *count += 1,
                None => {
                    inside.insert(term, 1);
                    weight += u64::from(own);
                }
            }
            // What is too far away leaves, and what comes again.
            let first = loop {
                let Hit { word: first, term, weight: own } = self.hits[left];
                let count = inside.get_mut(&term)?;
                if *count == 1 && self.span(first, last) <= MAX_WORDS {
                    break first;
                }
                *count -= 1;
                if *count == 0 {
                    inside.remove(&term);
                    weight -= u64::from(own);
                }
                left += 1;
            };
            let better = best.is_none_or(|(most, (a, b))| {
                weight > most || weight == most && self.span(first, last) < self.span(a, b)
            });
            if better {
                best = Some((weight, (first, last)));
            }
        }
        best.map(|(_, stretch)| stretch)
    }

    /// The words that the other text has too, each once, without those that overlap one before.
    fn marks(&self) -> Vec<Hit> {
        let mut marks: Vec<Hit> = Vec::new();
        for &hit in &self.hits {
            let start = self.places[hit.word].start;
            if marks.last().is_none_or(|last| self.places[last.word].end <= start) {
                marks.push(hit);
            }
        }
        marks
    }

    /// The text, cut around each of these words.
    fn cut(&self, marks: &[Hit]) -> Vec<&'a str> {
        let mut pieces = Vec::with_capacity(2 * marks.len() + 1);
        let mut end = 0;
        for mark in marks {
            let place = self.places[mark.word].clone();
            pieces.extend([&self.page[end..place.start], &self.page[place.clone()]]);
            end = place.end;
        }
        pieces.push(&self.page[end..]);
        pieces
    }

    /// Whether a sentence or a block ends between a word and the one before it.
    fn begins(&self, word: usize) -> bool {
        word == 0
            || (self.page.get(self.places[word - 1].end..self.places[word].start))
                .is_some_and(is_end)
    }

    /// The first word of the sentence of a word, or the first from which on there are no more than
    /// so many.
    fn sentence_start(&self, word: usize, most: usize) -> usize {
        let mut first = word;
        while !self.begins(first) && self.span(first - 1, word) <= most {
            first -= 1;
        }
        first
    }

    /// The last word of the sentence of a word, or the last up to which there are no more than so
    /// many.
    fn sentence_end(&self, word: usize, most: usize) -> usize {
        let mut last = word;
        while last + 1 < self.places.len()
            && !self.begins(last + 1)
            && self.span(word, last + 1) <= most
        {
            last += 1;
        }
        last
    }

    /// A stretch with its sentence, or with as much of it on either side as there is room for, and
    /// if that is little, with what follows.
    fn with_context(&self, first: usize, last: usize) -> (usize, usize) {
        let room = MAX_WORDS - self.span(first, last);
        let before = self.span(self.sentence_start(first, room + 1), first) - 1;
        let after = self.span(last, self.sentence_end(last, room + 1)) - 1;
        // Of too little room, each side has a half, or what the other leaves.
        let before = before.min((room / 2).max(room.saturating_sub(after)));
        let from = self.sentence_start(first, before + 1);
        let mut to = self.sentence_end(last, room - before + 1);
        while self.span(from, to) < FEW_WORDS
            && to + 1 < self.places.len()
            && self.span(from, to + 1) <= MAX_WORDS
        {
            to = self.sentence_end(to + 1, MAX_WORDS - self.span(from, to + 1) + 1);
        }
        (from, to)
    }

    fn passage(&self, from: usize, to: usize) -> Passage {
        let page = self.page;
        let start = affixed_start(page, self.places[from].start);
        let end = affixed_end(page, self.places[to].end);
        let mut marks: Vec<Range<usize>> = Vec::new();
        for hit in self.hits.iter().filter(|hit| (from..=to).contains(&hit.word)) {
            let place = &self.places[hit.word];
            match marks.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => marks.push(place.clone()),
            }
        }
        let at = marks[0].start;
        let (text_start, text_end) = fragment(page, start..end, at);
        let mut pieces = Vec::with_capacity(2 * marks.len() + 1);
        let mut marked = start;
        for mark in marks {
            pieces.extend([collapsed(&page[marked..mark.start]), page[mark.clone()].to_owned()]);
            marked = mark.end;
        }
        pieces.push(collapsed(&page[marked..end]));
        if !self.begins(from) {
            pieces[0].insert_str(0, "… ");
        }
        if to + 1 < self.places.len()
            && !self.begins(to + 1)
            && let Some(last) = pieces.last_mut()
        {
            last.push_str(" …");
        }
        Passage { pieces, at: Some(at), text_start, text_end, verbatim: false }
    }
}

/// Whether a sentence or a block ends in what stands between two words.
fn is_end(between: &str) -> bool {
    let (mut lines, mut stopped) = (0, false);
    for c in between.chars() {
        match c {
            '\n' => lines += 1,
            '。' | '！' | '？' => return true,
            _ if !c.is_whitespace() => lines = 0,
            _ => {}
        }
        if lines > 1 || stopped && c.is_whitespace() {
            return true;
        }
        stopped =
            matches!(c, '.' | '!' | '?') || stopped && matches!(c, '"' | '\'' | ')' | '”' | '’');
    }
    false
}

/// Where the characters begin that stand before a place without white space.
fn affixed_start(page: &str, place: usize) -> usize {
    let start = page[..place].trim_end_matches(|c: char| !c.is_whitespace()).len();
    if place - start > MAX_AFFIXED { place } else { start }
}

/// Where those end that stand behind it.
fn affixed_end(page: &str, place: usize) -> usize {
    let end = page.len() - page[place..].trim_start_matches(|c: char| !c.is_whitespace()).len();
    if end - place > MAX_AFFIXED { place } else { end }
}

/// With one space for all white space that stands together.
fn collapsed(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            result.push(c);
        } else if !result.ends_with(' ') {
            result.push(' ');
        }
    }
    result
}

/// The words by which a browser finds a stretch of the page: those that begin it, as far as can be
/// before its first mark, and those that end it.
fn fragment(page: &str, stretch: Range<usize>, mark: usize) -> (String, String) {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut at = stretch.start;
    for line in page[stretch].split('\n') {
        lines.push((at, collapsed(line.trim())));
        at += line.len() + 1;
    }
    let marked = lines.partition_point(|&(at, _)| at <= mark) - 1;
    // A browser takes the first place that has the words, so they must not stand before.
    let position = |lines: &[(usize, String)], words, bytes| {
        lines.iter().position(|(at, line)| {
            word_count(line) >= words
                && line.len() >= bytes
                && !contains(&page[..*at], &line[..words_end(line, START_WORDS)])
        })
    };
    let begun = position(&lines[..=marked], SURE_WORDS, 0)
        .or_else(|| position(&lines[..=marked], 1, MIN_BYTES))
        .or_else(|| position(&lines, MIN_WORDS, 0))
        .unwrap_or(marked);
    let first = &lines[begun].1;
    let start_end = words_end(first, START_WORDS);
    let end = lines[begun + 1..].iter().map(|(_, line)| line.as_str()).rev();
    let end = end.filter(|line| word_count(line) >= MIN_WORDS).chain([first[start_end..].trim()]);
    let end = end.map(|line| &line[last_words_start(line, END_WORDS)..]).next();
    (first[..start_end].to_owned(), end.unwrap_or_default().to_owned())
}

/// The number of words of a text with one space between them.
fn word_count(text: &str) -> usize {
    if text.is_empty() { 0 } else { 1 + text.bytes().filter(|&byte| byte == b' ').count() }
}

/// Where its first `words` words end.
fn words_end(text: &str, words: usize) -> usize {
    let mut spaces = text.bytes().enumerate().filter(|&(_, byte)| byte == b' ');
    spaces.nth(words - 1).map_or(text.len(), |(at, _)| at)
}

/// Where its last `words` words start.
fn last_words_start(text: &str, words: usize) -> usize {
    let mut spaces = text.bytes().enumerate().rev().filter(|&(_, byte)| byte == b' ');
    spaces.nth(words - 1).map_or(0, |(at, _)| at + 1)
}

/// As `str::contains`, in less code.
fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len().max(1)).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests;
