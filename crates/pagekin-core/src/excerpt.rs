//! The passage of a page that best matches a text, with its words marked, for display and for
//! links.
//!
//! The words of a page include its identifiers, such as `2.14.3`.
//!
//! The passage is the stretch of at most [`MAX_WORDS`] words whose distinct terms of the text have
//! the highest total weight; of several, the shortest, then the first. If sentences alone have a
//! stretch of at least three quarters of this weight, it is preferred, because other words may be
//! in a table of contents. The stretch is extended to its whole sentence as far as the maximum
//! allows. Only the text of the page is needed, so an index contains no data for it.
//!
//! # Quirks
//!
//! 1. A single line break in the text of a page may be part of its source only, so it does not end
//!    a sentence. An empty line does.
//! 2. In a script without spaces, a passage may start and end within a word, and a browser may then
//!    not find it.
//! 3. The text of a page includes the `alt` texts of its images, which browsers do not scroll to.

use std::cmp::Reverse;
use std::ops::Range;

use litemap::LiteMap;

use crate::index::Index;
use crate::lookup::{analyzer, language_of, unknown_idf};
use crate::near::verbatim::has_verbatim;
use crate::sort;
use crate::terms::{self, Analyzer, Compound, for_each_compound, for_each_word, word_places};
use crate::vocabulary::{TermId, term_id};

/// Maximum number of words of a passage.
pub const MAX_WORDS: usize = 40;
/// A passage with fewer words is extended with the text after it.
const FEW_WORDS: usize = 20;
/// Minimum number of words of a sentence. Headings and entries of a table of contents are shorter,
/// or have no full stop.
const MIN_SENTENCE: usize = 5;
/// How much a word counts in a sentence, and elsewhere.
const IN_SENTENCE: u64 = 4;
const ELSEWHERE: u64 = 3;
/// Number of bytes between words, without ASCII white space, that count as one word, so that a
/// passage does not include a whole table of numbers.
const BYTES_PER_WORD: usize = 8;
/// Number of words in the text fragment that mark the start and the end of the passage.
const START_WORDS: usize = 10;
const END_WORDS: usize = 5;
/// The first words of a passage may also occur elsewhere, in a menu or a table of contents, which
/// is not in the text of a page. The fewer the words, the more likely this is. Preferred is a line
/// of at least `SURE_WORDS` words; otherwise one of at least `MIN_BYTES` bytes, such as an
/// identifier; then a later line of at least `MIN_WORDS` words.
const SURE_WORDS: usize = 4;
const MIN_BYTES: usize = 12;
const MIN_WORDS: usize = 3;
/// Maximum number of bytes that are shown before or after a word because no white space separates
/// them.
const MAX_AFFIXED: usize = 40;

/// A passage of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The passage in pieces: every second piece, starting with the second, is a word of the text.
    /// The first and last pieces may be empty. White space is collapsed to single spaces, and `…`
    /// marks a sentence that continues.
    pub pieces: Vec<String>,
    /// The byte position of the middle of the best stretch in the main text of the page, or `None`
    /// if it is in its other text. Its start may be the end of the section before.
    pub at: Option<usize>,
    /// The first words of the passage, for the text fragment that makes browsers scroll to it
    /// (`#:~:text=start,end`). They are on one line, so in one block of the page.
    pub text_start: String,
    /// The last words of the passage, after those of `text_start`; empty if there are no more.
    pub text_end: String,
    /// Whether the page contains the text verbatim ([`has_verbatim`]).
    pub verbatim: bool,
    /// Number of distinct terms of the text in the passage.
    pub terms: u32,
    /// Whether these terms are in sentences, and not in a heading, a list or a table of contents.
    pub in_sentence: bool,
}

/// Returns the passage of a page that best matches a text, or `None` if the page contains none of
/// its terms. `lang` is a language tag and may be empty.
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
    let terms = analyzer.counts(&words, terms::TermKinds::Words);
    let mut ids: Vec<TermId> = terms.iter().map(|term| term.id).collect();
    ids.extend(identifiers(text, &analyzer).into_iter().map(|(_, id)| id));
    // A long text has many, and each word of the page is looked up.
    sort::by_key(&mut ids, |&id| id);
    let unknown = unknown_idf(manifest);
    let passage = best_passage(page, &analyzer, |id| {
        ids.binary_search(&id).ok()?;
        Some(manifest.vocabulary.idf(id).unwrap_or(unknown).into())
    })?;
    Some(Passage { verbatim: has_verbatim(page, text), ..passage })
}

/// Returns the passage of a page from its main text, or, if that contains none of the terms, from
/// its [other text](crate::page::PageText::other). Otherwise like [`passage_of_text`].
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

/// Maximum number of terms marked in two texts. The heaviest are marked.
const MAX_TERMS: usize = 24;

/// The words that a text and a page share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonWords<'a> {
    /// The text in pieces: every second piece, starting with the second, is a word of the page.
    /// Other pieces may be empty.
    pub text: Vec<&'a str>,
    /// The page, in the same form.
    pub page: Vec<&'a str>,
    /// For each of these words of the text, the index of an equal word of the page: the one in the
    /// best passage, or else the first.
    pub twins_of_text: Vec<u32>,
    /// For each of these words of the page, the index of the first equal word of the text.
    pub twins_of_page: Vec<u32>,
}

/// Returns the words that a text and a page share, except very common ones: those of the 24
/// heaviest terms. `lang` is the language tag of the text and may be empty. Linear in both texts,
/// except for searches among these terms.
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
    let of_text = analyzer.counts(&words, terms::TermKinds::Words);
    let of_page = analyzer.counts(&terms::Words::new(page), terms::TermKinds::Words);
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
    let is_best = |hit: &Hit| best.is_some_and(|(from, to, _)| (from..=to).contains(&hit.word));
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

/// Returns the passage of a page with the highest weight. `weight_of` returns the weight of a term
/// of the text, and `None` for other terms. A term with weight 0 still counts a little. Linear in
/// the page, except for searches among the terms of the text.
fn best_passage(
    page: &str,
    analyzer: &Analyzer<'_>,
    weight_of: impl Fn(TermId) -> Option<u32>,
) -> Option<Passage> {
    let words = Words::new(page, analyzer, weight_of);
    let (first, last, in_sentence) = words.best()?;
    let (from, to) = words.with_context(first, last);
    Some(words.passage(from, to, first + (last - first) / 2, in_sentence))
}

/// Returns the places and the ids of the identifiers of a text, such as `2.14.3` and `UTF-8`.
fn identifiers(text: &str, analyzer: &Analyzer<'_>) -> Vec<(Range<usize>, TermId)> {
    let mut found = Vec::new();
    for_each_compound(text, |compound| {
        if let (Compound::Identifier(name), Some(term)) = (compound, analyzer.compound(compound)) {
            let start = name.as_ptr() as usize - text.as_ptr() as usize;
            found.push((start..start + name.len(), term_id(&term)));
        }
    });
    found
}

/// Replaces the words that are in an identifier by the identifier.
fn with_identifiers(
    words: Vec<Range<usize>>,
    names: &[(Range<usize>, TermId)],
) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    for (name, _) in names {
        while let Some(word) = words.next_if(|word| word.end <= name.start) {
            places.push(word);
        }
        while words.next_if(|word| word.start < name.end).is_some() {}
        match places.last_mut() {
            Some(last) if name.start < last.end => last.end = last.end.max(name.end),
            _ => places.push(name.clone()),
        }
    }
    places.extend(words);
    places
}

/// A word of the page that the text also contains.
#[derive(Debug, Clone, Copy)]
struct Hit {
    word: usize,
    term: TermId,
    weight: u32,
}

/// The words of a page.
struct Words<'a> {
    page: &'a str,
    /// Byte ranges of the words.
    places: Vec<Range<usize>>,
    /// Number of words before each, including the words that the bytes between words count as.
    positions: Vec<usize>,
    hits: Vec<Hit>,
}

impl<'a> Words<'a> {
    fn new(
        page: &'a str,
        analyzer: &Analyzer<'_>,
        weight_of: impl Fn(TermId) -> Option<u32>,
    ) -> Self {
        let mut names = identifiers(page, analyzer);
        names.retain(|&(_, id)| weight_of(id).is_some());
        let places = with_identifiers(word_places(page), &names);
        let mut names = names.into_iter().peekable();
        let mut positions = Vec::with_capacity(places.len());
        let mut hits = Vec::new();
        let (mut position, mut end) = (0, 0);
        for (word, place) in places.iter().enumerate() {
            // Ranges of pairs of characters overlap.
            let between = page.get(end..place.start).unwrap_or_default();
            let other = between.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
            position += usize::from(word > 0) + other / BYTES_PER_WORD;
            positions.push(position);
            end = place.end;
            let mut add = |term| {
                if let Some(weight) = weight_of(term) {
                    hits.push(Hit { word, term, weight: weight.max(1) });
                }
            };
            for_each_word(&page[place.clone()], |found| {
                if let Some(stem) = analyzer.term(found) {
                    add(term_id(&stem));
                }
            });
            while let Some((_, id)) = names.next_if(|(name, _)| name.start < place.end) {
                add(id);
            }
        }
        Self { page, places, positions, hits }
    }

    /// Returns the number of words from `first` to `last`, both included.
    fn span(&self, first: usize, last: usize) -> usize {
        self.positions[last] - self.positions[first] + 1
    }

    /// Returns the first and last word of the best stretch, and whether it is in sentences.
    fn best(&self) -> Option<(usize, usize, bool)> {
        let (max, (first, last)) = self.heaviest(&self.hits)?;
        let sentences = self.sentences();
        let inside = self.hits.iter().filter(|hit| sentences[hit.word]).copied();
        let inside: Vec<Hit> = inside.collect();
        match self.heaviest(&inside) {
            Some((weight, (first, last))) if IN_SENTENCE * weight >= ELSEWHERE * max => {
                Some((first, last, true))
            }
            _ => Some((first, last, false)),
        }
    }

    /// Returns the weight, and the first and last word, of the shortest of the heaviest stretches.
    fn heaviest(&self, hits: &[Hit]) -> Option<(u64, (usize, usize))> {
        let mut inside: LiteMap<TermId, u32> = LiteMap::new();
        let (mut left, mut weight) = (0, 0u64);
        let mut best: Option<(u64, (usize, usize))> = None;
        for &Hit { word: last, term, weight: own } in hits {
            match inside.get_mut(&term) {
                Some(count) => *count += 1,
                None => {
                    inside.insert(term, 1);
                    weight += u64::from(own);
                }
            }
            // Drop words that are too far away, and words that occur again.
            let first = loop {
                let Hit { word: first, term, weight: own } = hits[left];
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
            let better = best.is_none_or(|(max, (a, b))| {
                weight > max || weight == max && self.span(first, last) < self.span(a, b)
            });
            if better {
                best = Some((weight, (first, last)));
            }
        }
        best
    }

    /// Returns the words that the other text also contains, without those that overlap the previous
    /// one.
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

    /// Splits the text around each of these words.
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

    /// Returns whether a sentence or a block ends between a word and the one before it.
    fn begins(&self, word: usize) -> bool {
        word == 0
            || (self.page.get(self.places[word - 1].end..self.places[word].start))
                .is_some_and(is_end)
    }

    /// Returns for each word whether it is in a sentence: one of at least [`MIN_SENTENCE`] words
    /// that ends with a mark such as a full stop, after a word with letters. The number of a
    /// section also ends with a full stop.
    fn sentences(&self) -> Vec<bool> {
        let mut sentences = Vec::with_capacity(self.places.len());
        for word in 1..=self.places.len() {
            if word < self.places.len() && !self.begins(word) {
                continue;
            }
            let last = self.places[word - 1].clone();
            let after = self.page[last.end..].trim_start_matches(is_closing);
            let is_sentence = word - sentences.len() >= MIN_SENTENCE
                && after.starts_with(['.', '!', '?', ':', '。', '！', '？'])
                && self.page[last].chars().any(char::is_alphabetic);
            sentences.resize(word, is_sentence);
        }
        sentences
    }

    /// Returns the first word of the sentence of `word`, at most `max` words before the end of
    /// `word`.
    fn sentence_start(&self, word: usize, max: usize) -> usize {
        let mut first = word;
        while !self.begins(first) && self.span(first - 1, word) <= max {
            first -= 1;
        }
        first
    }

    /// Returns the last word of the sentence of `word`, at most `max` words after the start of
    /// `word`.
    fn sentence_end(&self, word: usize, max: usize) -> usize {
        let mut last = word;
        while last + 1 < self.places.len()
            && !self.begins(last + 1)
            && self.span(word, last + 1) <= max
        {
            last += 1;
        }
        last
    }

    /// Extends a stretch to its sentence, or as far as `MAX_WORDS` allows on each side. If the
    /// result is short, adds the text after it.
    fn with_context(&self, first: usize, last: usize) -> (usize, usize) {
        let room = MAX_WORDS - self.span(first, last);
        let before = self.span(self.sentence_start(first, room + 1), first) - 1;
        let after = self.span(last, self.sentence_end(last, room + 1)) - 1;
        // If there is too little room, each side gets half, or the rest that the other does not
        // need.
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

    /// Returns the end of a passage whose last word is `to`. What follows the last word of a
    /// sentence or block, such as a number, belongs to the passage unless it is long.
    fn end(&self, to: usize) -> usize {
        let last = self.places[to].end;
        let next = self.places.get(to + 1).map(|place| place.start);
        let between = self.page.get(last..next.unwrap_or(self.page.len())).unwrap_or_default();
        let rest = match (end_in(between), next) {
            (Some(end), _) => between[..end].trim_end(),
            (None, None) => between.trim_end(),
            (None, Some(_)) => "",
        };
        let end = if rest.len() > MAX_AFFIXED { last } else { last + rest.len() };
        affixed_end(self.page, end)
    }

    fn passage(&self, from: usize, to: usize, middle: usize, in_sentence: bool) -> Passage {
        let page = self.page;
        let start = affixed_start(page, self.places[from].start);
        let end = self.end(to);
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut terms: Vec<TermId> = Vec::new();
        for hit in self.hits.iter().filter(|hit| (from..=to).contains(&hit.word)) {
            if !terms.contains(&hit.term) {
                terms.push(hit.term);
            }
            let place = &self.places[hit.word];
            match marks.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => marks.push(place.clone()),
            }
        }
        let (text_start, text_end) = fragment(page, start..end, marks[0].start);
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
        let terms = terms.len() as u32;
        let at = Some(self.places[middle].start);
        Passage { pieces, at, text_start, text_end, verbatim: false, terms, in_sentence }
    }
}

/// Returns whether a sentence or a block ends in the text between two words.
fn is_end(between: &str) -> bool {
    end_in(between).is_some()
}

/// Returns the place in the text between two words at which a sentence or a block ends.
fn end_in(between: &str) -> Option<usize> {
    let (mut lines, mut stopped) = (0, false);
    for (at, c) in between.char_indices() {
        match c {
            '\n' => lines += 1,
            '。' | '！' | '？' => return Some(at + c.len_utf8()),
            _ if !c.is_whitespace() => lines = 0,
            _ => {}
        }
        if lines > 1 || stopped && c.is_whitespace() {
            return Some(at);
        }
        stopped = matches!(c, '.' | '!' | '?') || stopped && is_closing(c);
    }
    None
}

/// Returns whether a character may follow the end of a sentence directly.
fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | '”' | '’')
}

/// Returns the start of the characters directly before `place`, up to white space.
fn affixed_start(page: &str, place: usize) -> usize {
    let start = page[..place].trim_end_matches(|c: char| !c.is_whitespace()).len();
    if place - start > MAX_AFFIXED { place } else { start }
}

/// Returns the end of the characters directly after `place`, up to white space.
fn affixed_end(page: &str, place: usize) -> usize {
    let end = page.len() - page[place..].trim_start_matches(|c: char| !c.is_whitespace()).len();
    if end - place > MAX_AFFIXED { place } else { end }
}

/// Replaces each run of white space with one space.
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

/// Returns the words with which a browser finds a stretch of the page: its first words, starting
/// before its first mark if possible, and its last words.
fn fragment(page: &str, stretch: Range<usize>, mark: usize) -> (String, String) {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut at = stretch.start;
    for line in page[stretch].split('\n') {
        lines.push((at, collapsed(line.trim())));
        at += line.len() + 1;
    }
    let marked = lines.partition_point(|&(at, _)| at <= mark) - 1;
    // A browser uses the first occurrence of the words, so they must not occur earlier.
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

/// Returns the number of words of a text with one space between them.
fn word_count(text: &str) -> usize {
    if text.is_empty() { 0 } else { 1 + text.bytes().filter(|&byte| byte == b' ').count() }
}

/// Returns the end of the first `words` words.
fn words_end(text: &str, words: usize) -> usize {
    let mut spaces = text.bytes().enumerate().filter(|&(_, byte)| byte == b' ');
    spaces.nth(words - 1).map_or(text.len(), |(at, _)| at)
}

/// Returns the start of the last `words` words.
fn last_words_start(text: &str, words: usize) -> usize {
    let mut spaces = text.bytes().enumerate().rev().filter(|&(_, byte)| byte == b' ');
    spaces.nth(words - 1).map_or(0, |(at, _)| at + 1)
}

/// Equals `str::contains`, in less code.
fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len().max(1)).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests;
