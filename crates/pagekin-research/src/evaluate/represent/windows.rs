//! Finds the words around a link.

use std::ops::Range;

use crate::evaluate::pages::page::{EvaluatedLink, EvaluatedPage};
use crate::evaluate::settings::setting::Window;

/// Maximum number of words of a link that count. Longer links usually lack an end tag.
const MAX_ANCHOR_WORDS: u32 = 100;
/// Maximum number of words on either side in a syntactic and in a topical window.
const MAX_SYNTACTIC_WORDS: u32 = 1_000;
const MAX_TOPICAL_WORDS: u32 = 64;

/// The positions of the words of an anchor window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnchorWindow {
    /// The words of the link.
    pub(crate) anchor: Range<u32>,
    /// The words of the link and around it.
    pub(crate) around: Range<u32>,
    /// The words of the heading above, except those in `around`.
    pub(crate) header: Range<u32>,
}

impl AnchorWindow {
    pub(crate) fn new(page: &EvaluatedPage, link: &EvaluatedLink, window: Window) -> Self {
        let words = page.words.len() as u32;
        let start = link.words.start.min(words);
        let end = link.words.end.clamp(start, words).min(start + MAX_ANCHOR_WORDS);
        let anchor = start..end;
        let no_header = 0..0;
        let within = |borders: &dyn Fn(Side) -> Option<u32>, max: u32| {
            let from = borders(Side::Before(start)).unwrap_or(0);
            let to = borders(Side::From(end.max(start + 1))).unwrap_or(words);
            from.max(start.saturating_sub(max))..to.max(end).min(end + max)
        };
        match window {
            Window::Words(around) => {
                let around = u32::from(around);
                let around = start.saturating_sub(around)..words.min(end + around);
                Self { anchor, around, header: no_header }
            }
            Window::Syntactic => {
                let borders = |side: Side| side.nearest(&page.borders, |border| border.0);
                let around = within(&borders, MAX_SYNTACTIC_WORDS);
                Self { anchor, around, header: no_header }
            }
            Window::Topical => {
                let topics = |side: Side| side.nearest(&page.topics, |&at| at);
                let around = within(&topics, MAX_TOPICAL_WORDS);
                let above = page.headings.partition_point(|heading| heading.start <= start);
                let header = above.checked_sub(1).map_or(0..0, |at| page.headings[at].clone());
                let header = header.start.min(around.start)..header.end.min(around.start);
                Self { anchor, around, header }
            }
        }
    }

    /// Returns the distance of the word at a position from the link, which is 0 inside it.
    pub(crate) fn distance(&self, at: u32) -> u32 {
        if at < self.anchor.start {
            self.anchor.start - at
        } else {
            (at + 1).saturating_sub(self.anchor.end)
        }
    }
}

/// Where to search for a border. A border precedes the word at its position, so a border at the
/// start of a link is before it. A border after an empty link at its position is on both sides.
#[derive(Clone, Copy)]
enum Side {
    Before(u32),
    From(u32),
}

impl Side {
    /// Returns the nearest border on this side. `borders` must be in order.
    fn nearest<T>(self, borders: &[T], place: impl Fn(&T) -> u32) -> Option<u32> {
        let found = match self {
            Self::Before(end) => {
                borders[..borders.partition_point(|border| place(border) <= end)].last()
            }
            Self::From(start) => {
                borders[borders.partition_point(|border| place(border) < start)..].first()
            }
        };
        found.map(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::lexicon::{SeenWords, combine};
    use crate::evaluate::pages::page::of_html;

    /// Checks the window of the first link, written with `|` around it and the header first.
    #[track_caller]
    fn check(html: &str, window: Window, expected: &str) {
        let mut seen = SeenWords::default();
        let mut page = of_html("/", html, &mut seen);
        let (lexicon, numbers) = combine(&[seen]);
        page.renumber(&numbers[0]);
        let found = AnchorWindow::new(&page, &page.links[0], window);
        let written = |range: Range<u32>| {
            let words = &page.words[range.start as usize..range.end as usize];
            let words = words.iter().map(|&word| &*lexicon.words[word as usize].text);
            words.collect::<Vec<_>>().join(" ")
        };
        let (before, after) =
            (found.around.start..found.anchor.start, found.anchor.end..found.around.end);
        let parts = [found.header.clone(), before, found.anchor.clone(), after].map(written);
        assert_eq!(parts.join("|"), expected);
        for at in found.around.clone() {
            assert_eq!(found.distance(at) == 0, found.anchor.contains(&at));
        }
    }

    const PAGE: &str = "<main><h1>My breads</h1><p>One two. Three four <a href=/x>the link</a> five six. Seven.<p>Eight<br>nine\
                        <h2>Other</h2>ten</main>";

    #[test]
    fn fixed_windows_cross_borders() {
        check(PAGE, Window::Words(0), "||the link|");
        check(PAGE, Window::Words(3), "|two three four|the link|five six seven");
        check(
            PAGE,
            Window::Words(99),
            "|my breads one two three four|the link|five six seven eight nine other ten",
        );
    }

    #[test]
    fn syntactic_windows_stop_at_the_nearest_border() {
        check(PAGE, Window::Syntactic, "|three four|the link|five six");
        check("aa<br>bb <a href=/x>cc</a> dd<br>ee", Window::Syntactic, "|bb|cc|dd");
        check(
            "<table><tr><td>aa<td>bb <a href=/x>cc</a><td>dd</table>",
            Window::Syntactic,
            "|bb|cc|",
        );
        check("<ul><li>aa<li><a href=/x>bb</a> cc<li>dd</ul>", Window::Syntactic, "||bb|cc");
        check("aa. <a href=/x><img></a> bb cc. dd", Window::Syntactic, "|||bb cc");
    }

    #[test]
    fn topical_windows_stop_at_headings_and_ends_of_lists() {
        check(
            PAGE,
            Window::Topical,
            "|my breads one two three four|the link|five six seven eight nine",
        );
        let list = "<h2>Ryes</h2><p>aa<ul><li>bb</ul>cc<ul><li><a href=/x>dd</a><li>ee</ul>ff";
        check(list, Window::Topical, "ryes|cc|dd|ee");
        let far = format!("<h2>Ryes</h2>{}<a href=/x>link</a>", "word ".repeat(70));
        check(&far, Window::Topical, &format!("ryes|{}|link|", ["word"; 64].join(" ")));
    }
}
