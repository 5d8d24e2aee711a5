//! Reads the tags and texts of a page without syntax errors.
//!
//! The tokens equal those of the HTML standard. Where the standard states a parse error, or the
//! result depends on more than the text around it, reading ends with [`Unusual`] instead.

use std::ops::Range;

use html5ever::data::NAMED_ENTITIES;
use memchr::{memchr, memchr2, memmem};

/// Maximum number of bytes of a tag, a comment, or a text.
const MAX_TOKEN: usize = 256 << 10;
/// Maximum number of attributes of a tag. Each is compared with all before it.
pub(crate) const MAX_ATTRIBUTES: usize = 64;
/// Maximum number of bytes of the name of a character that may lack its semicolon.
const MAX_BARE_NAME: usize = 6;

/// What a page has that must be read by all rules of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unusual;

/// A part of a page. Names are as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A text without references to characters.
    Text(Range<usize>),
    /// The characters of a reference, of which the second is usually missing.
    Reference(char, Option<char>),
    /// A start tag, whose attributes are in [`Tags::attributes`], and whether it ends in `/>`.
    Start(&'a str, bool),
    End(&'a str),
    Comment,
    /// A document type, without `<!doctype` and `>`.
    Doctype(&'a str),
}

/// An attribute as written, which may contain references to characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawAttribute<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Range<usize>,
}

/// Reads a page token by token.
#[derive(Debug)]
pub(crate) struct Tags<'a> {
    page: &'a str,
    at: usize,
    /// The attributes of the last start tag.
    pub(crate) attributes: Vec<RawAttribute<'a>>,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c')
}

impl<'a> Tags<'a> {
    /// Starts to read a page, which contains no carriage returns.
    pub(crate) fn new(page: &'a str) -> Result<Self, Unusual> {
        if page.starts_with('\u{feff}') || memchr2(0, b'\r', page.as_bytes()).is_some() {
            return Err(Unusual);
        }
        Ok(Self { page, at: 0, attributes: Vec::new() })
    }

    /// Returns the next token, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, Unusual> {
        let start = self.at;
        let token = match self.peek(0) {
            None => return Ok(None),
            Some(b'<') => self.markup()?,
            Some(b'&') => {
                let (reference, end) = reference(self.page, start, self.page.len(), false)?;
                self.at = end;
                reference
            }
            Some(_) => {
                let end = memchr2(b'<', b'&', &self.page.as_bytes()[start..]);
                self.at = end.map_or(self.page.len(), |length| start + length);
                Token::Text(start..self.at)
            }
        };
        if self.at - start > MAX_TOKEN { Err(Unusual) } else { Ok(Some(token)) }
    }

    /// Reads the content of an element that contains no tags, and its end tag.
    pub(crate) fn raw_text(&mut self, name: &str) -> Result<Range<usize>, Unusual> {
        let (start, bytes) = (self.at, self.page.as_bytes());
        loop {
            self.at += memmem::find(&bytes[self.at..], b"</").ok_or(Unusual)?;
            let (end, after) = (self.at, self.at + 2 + name.len());
            self.at += 2;
            let is_name = bytes.get(end + 2..after).is_some_and(|found| {
                found.eq_ignore_ascii_case(name.as_bytes())
                    && bytes.get(after).is_some_and(|&byte| is_space(byte) || b"/>".contains(&byte))
            });
            if is_name {
                self.at = after;
                self.end_of_end_tag()?;
                return if end - start > MAX_TOKEN { Err(Unusual) } else { Ok(start..end) };
            }
        }
    }

    fn peek(&self, after: usize) -> Option<u8> {
        self.page.as_bytes().get(self.at + after).copied()
    }

    fn markup(&mut self) -> Result<Token<'a>, Unusual> {
        match self.peek(1) {
            Some(b'/') if self.peek(2).is_some_and(|byte| byte.is_ascii_alphabetic()) => {
                self.at += 2;
                let name = self.name_of_tag()?;
                self.end_of_end_tag()?;
                Ok(Token::End(name))
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.at += 1;
                self.start_tag()
            }
            Some(b'!') if self.page[self.at..].starts_with("<!--") => {
                self.at += 4;
                let rest = &self.page.as_bytes()[self.at..];
                let length = memmem::find(rest, b"-->").ok_or(Unusual)?;
                let is_unusual = rest.starts_with(b">") || rest.starts_with(b"->");
                if is_unusual || memmem::find(&rest[..length], b"--!>").is_some() {
                    return Err(Unusual);
                }
                self.at += length + 3;
                Ok(Token::Comment)
            }
            Some(b'!') => {
                self.at += 2;
                let rest = &self.page[self.at..];
                let length = memchr(b'>', rest.as_bytes()).ok_or(Unusual)?;
                self.at += length + 1;
                let (name, content) = rest[..length].split_at_checked(7).ok_or(Unusual)?;
                let is_doctype = name.eq_ignore_ascii_case("doctype");
                if is_doctype { Ok(Token::Doctype(content)) } else { Err(Unusual) }
            }
            Some(b'?') => {
                let rest = &self.page.as_bytes()[self.at..];
                self.at += memchr(b'>', rest).ok_or(Unusual)? + 1;
                Ok(Token::Comment)
            }
            _ => Err(Unusual),
        }
    }

    /// Reads up to the first byte for which `ends` holds.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Result<&'a str, Unusual> {
        let rest = &self.page[self.at..];
        let length = rest.bytes().position(ends).ok_or(Unusual)?;
        self.at += length;
        Ok(&rest[..length])
    }

    fn skip_space(&mut self) {
        while self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn name_of_tag(&mut self) -> Result<&'a str, Unusual> {
        self.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>'))
    }

    /// Reads the end of an end tag after its name.
    fn end_of_end_tag(&mut self) -> Result<(), Unusual> {
        self.skip_space();
        let ends = self.peek(0) == Some(b'>');
        self.at += 1;
        if ends { Ok(()) } else { Err(Unusual) }
    }

    fn start_tag(&mut self) -> Result<Token<'a>, Unusual> {
        let name = self.name_of_tag()?;
        self.attributes.clear();
        loop {
            self.skip_space();
            match self.peek(0) {
                Some(b'>') => {
                    self.at += 1;
                    return Ok(Token::Start(name, false));
                }
                Some(b'/') if self.peek(1) == Some(b'>') => {
                    self.at += 2;
                    return Ok(Token::Start(name, true));
                }
                Some(_) if self.attributes.len() < MAX_ATTRIBUTES => {
                    let attribute = self.attribute()?;
                    self.attributes.push(attribute);
                }
                _ => return Err(Unusual),
            }
        }
    }

    fn attribute(&mut self) -> Result<RawAttribute<'a>, Unusual> {
        let is_end = |byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>');
        let name = self.until(|byte| is_end(byte) || matches!(byte, b'"' | b'\'' | b'<'))?;
        if name.is_empty() || !self.peek(0).is_some_and(is_end) {
            return Err(Unusual);
        }
        self.skip_space();
        if self.peek(0) != Some(b'=') {
            return Ok(RawAttribute { name, value: self.at..self.at });
        }
        self.at += 1;
        self.skip_space();
        let value = match self.peek(0) {
            Some(quote @ (b'"' | b'\'')) => {
                let start = self.at + 1;
                let length = memchr(quote, &self.page.as_bytes()[start..]).ok_or(Unusual)?;
                self.at = start + length + 1;
                let is_separate =
                    self.peek(0).is_some_and(|byte| is_space(byte) || b"/>".contains(&byte));
                if !is_separate {
                    return Err(Unusual);
                }
                start..start + length
            }
            _ => {
                let start = self.at;
                let value = self.until(|byte| is_space(byte) || byte == b'>')?;
                if value.is_empty() || value.contains(['"', '\'', '<', '=', '`']) {
                    return Err(Unusual);
                }
                start..self.at
            }
        };
        Ok(RawAttribute { name, value })
    }
}

/// Reads a text with references to characters.
pub(crate) fn decode(
    page: &str,
    range: Range<usize>,
    in_attribute: bool,
    mut each: impl FnMut(Token<'_>),
) -> Result<(), Unusual> {
    let mut at = range.start;
    while at < range.end {
        let start = at;
        if page.as_bytes()[at] == b'&' {
            let (token, end) = reference(page, at, range.end, in_attribute)?;
            each(token);
            at = end;
        } else {
            let length = memchr(b'&', &page.as_bytes()[at..range.end]);
            at = length.map_or(range.end, |length| start + length);
            each(Token::Text(start..at));
        }
    }
    Ok(())
}

/// Reads a reference at `at`, before `end`. Returns it, or its `&` as text if it is none, and where
/// the rest starts.
fn reference(
    page: &str,
    at: usize,
    end: usize,
    in_attribute: bool,
) -> Result<(Token<'static>, usize), Unusual> {
    let rest = &page[at + 1..end];
    if let Some(number) = rest.strip_prefix('#') {
        let (digits, _) = number.split_once(';').ok_or(Unusual)?;
        return Ok((Token::Reference(numbered(digits)?, None), at + digits.len() + 3));
    }
    let length = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric());
    let length = length.unwrap_or(rest.len());
    let after = rest.as_bytes().get(length);
    if length > 0 && after == Some(&b';') {
        let &(first, second) = NAMED_ENTITIES.get(&rest[..=length]).ok_or(Unusual)?;
        let character = |code| char::from_u32(code).filter(|&c| c != '\0');
        let first = character(first).ok_or(Unusual)?;
        return Ok((Token::Reference(first, character(second)), at + length + 2));
    }
    let is_bare =
        |length: &usize| NAMED_ENTITIES.get(&rest[..*length]).is_some_and(|&(first, _)| first != 0);
    // The longest name counts.
    let bare = (1..=length.min(MAX_BARE_NAME)).rev().find(is_bare);
    let is_text = match bare {
        None => true,
        Some(bare) => in_attribute && (bare < length || after == Some(&b'=')),
    };
    if is_text { Ok((Token::Text(at..at + 1), at + 1)) } else { Err(Unusual) }
}

/// Returns the character with a valid number, as written after `#`.
fn numbered(digits: &str) -> Result<char, Unusual> {
    let (digits, base) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let is_number = digits.len() <= 7 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, base).ok().filter(|_| is_number).ok_or(Unusual)?;
    let is_valid = match number {
        0..=0x8 | 0xb | 0xd..=0x1f | 0x7f..=0x9f | 0xfdd0..=0xfdef => false,
        _ => number & 0xfffe != 0xfffe,
    };
    char::from_u32(number).filter(|_| is_valid).ok_or(Unusual)
}
