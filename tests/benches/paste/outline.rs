//! The outline of a page by a plain walk over its tags, without the rules of the core: its letters
//! and digits, and its headings with ids. The ids of a heading are its own, those in it, and those
//! of tags after the last letter before it.

use std::cell::{Cell, RefCell};
use std::mem;
use std::ops::Range;

use html5ever::TokenizerResult;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Returns the letters and digits of a text.
pub(crate) fn letters_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The letters and digits of a page, and its headings with ids.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) letters: String,
    /// The places and ids of the headings, after the text before the first of them.
    headings: Vec<(usize, Vec<String>)>,
    /// The ids since the last letter, and the heading that is open.
    recent: Vec<String>,
    open: Option<(usize, Vec<String>)>,
}

impl Outline {
    pub(crate) fn new(html: &str) -> Self {
        let outline = Self { headings: vec![(0, Vec::new())], ..Self::default() };
        let walk = Walk(RefCell::new(outline), Cell::default());
        let tokenizer = Tokenizer::new(walk, TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(html.into());
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        tokenizer.end();
        tokenizer.sink.0.into_inner()
    }

    /// Whether a URL can link to a section of the page.
    pub(crate) fn has_sections(&self) -> bool {
        self.headings.len() > 1
    }

    /// Returns the places of a passage among the letters.
    pub(crate) fn places(&self, passage: &str) -> Vec<Range<usize>> {
        let passage = letters_of(passage);
        self.letters.match_indices(&passage).map(|(at, found)| at..at + found.len()).collect()
    }

    /// Returns the ids of the section with most letters of a place; none before the first.
    pub(crate) fn ids_at(&self, place: &Range<usize>) -> &[String] {
        let (mut most, mut best): (usize, &[String]) = (0, &[]);
        let mut end = self.letters.len();
        for (start, ids) in self.headings.iter().rev() {
            let letters = end.min(place.end).saturating_sub(*start.max(&place.start));
            if letters > 0 && letters >= most {
                (most, best) = (letters, ids);
            }
            end = *start;
        }
        best
    }

    fn start(&mut self, tag: &Tag) {
        let value = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
            Some(found.value.to_string()).filter(|value| !value.is_empty())
        };
        let name = value("name").filter(|_| &*tag.name == "a");
        self.recent.extend(value("id").or(name));
        if let Some(alt) = value("alt").filter(|_| &*tag.name == "img") {
            self.letters.push_str(&letters_of(&alt));
        }
        if is_heading(tag) {
            self.open = Some((self.letters.len(), mem::take(&mut self.recent)));
        }
    }

    fn end(&mut self, tag: &Tag) {
        if is_heading(tag)
            && let Some((at, mut ids)) = self.open.take()
        {
            ids.append(&mut self.recent);
            if !ids.is_empty() && at < self.letters.len() {
                self.headings.push((at, ids));
            }
        }
    }

    fn text(&mut self, text: &str) {
        let letters = letters_of(text);
        if self.open.is_none() && !letters.is_empty() {
            self.recent.clear();
        }
        self.letters.push_str(&letters);
    }
}

fn is_heading(tag: &Tag) -> bool {
    matches!(&*tag.name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// A walk over the tags, and whether it is in a script or the like.
struct Walk(RefCell<Outline>, Cell<bool>);

impl TokenSink for Walk {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Self(outline, is_raw) = self;
        match token {
            Token::CharacterTokens(text) if !is_raw.get() => outline.borrow_mut().text(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                outline.borrow_mut().start(&tag);
                let raw = match &*tag.name {
                    "script" => RawKind::ScriptData,
                    "style" => RawKind::Rawtext,
                    "title" => RawKind::Rcdata,
                    _ => return TokenSinkResult::Continue,
                };
                is_raw.set(true);
                return TokenSinkResult::RawData(raw);
            }
            Token::TagToken(tag) => {
                is_raw.set(false);
                outline.borrow_mut().end(&tag);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
