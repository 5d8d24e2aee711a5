//! Converts a text with marks to words with positions.

use std::ops::Range;

use pagekin_core::page::PageText;
use pagekin_core::terms::{Compound, Language, for_each_compound, for_each_word, word_places};
use pagekin_pages::site::blocks::BlockText;
use pagekin_pages::site::links::{Pointing, hash_of};

use crate::evaluate::pages::lexicon::{SeenWords, WordId};
use crate::evaluate::pages::marked_text::{Mark, MarkedText};

/// A page, ready for its representations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EvaluatedPage {
    pub(crate) url: String,
    pub(crate) title: String,
    /// The words of the text, in order.
    pub(crate) words: Vec<WordId>,
    /// Compounds in order: the parts of words such as `HashMap`, and complete identifiers. Each has
    /// the position of the word that it starts in, or that follows it.
    pub(crate) compounds: Vec<(u32, WordId)>,
    /// The words of the title.
    pub(crate) title_words: Written,
    /// The words of headings of the first three levels, which are also in `words`.
    pub(crate) heading_words: Written,
    /// The links in the text, in order.
    pub(crate) links: Vec<EvaluatedLink>,
    /// The borders in the text by word position, in order.
    pub(crate) borders: Vec<(u32, Border)>,
    /// The positions of borders at which a heading starts, or a list or table ends.
    pub(crate) topics: Vec<u32>,
    /// The words of headings of all levels, up to the next end of a heading, in order.
    pub(crate) headings: Vec<Range<u32>>,
    /// Whether an element marks the main text.
    pub(crate) marked: bool,
    /// Whether the page is a table of contents, an index or another listing, by the rule of a
    /// build.
    pub(crate) listing: bool,
}

/// The words of a text and its compounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) words: Vec<WordId>,
    pub(crate) compounds: Vec<WordId>,
}

/// A link in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvaluatedLink {
    /// The hash of the target path.
    pub(crate) to: u64,
    /// The words of the link. If it has none, an empty range at the position of the next word.
    pub(crate) words: Range<u32>,
    /// Whether the link is in a list or table with at least half of its words in links.
    pub(crate) in_listing: bool,
}

/// A border before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Border {
    /// The start of a sentence.
    Sentence,
    /// The start or end of a block such as a paragraph, cell or item.
    Block,
    /// The end of a list or table.
    ListEnd,
    /// The start of a heading.
    Heading,
    /// The end of a heading.
    HeadingEnd,
}

/// Minimum number of links in a list or table that is a listing.
const LISTING_LINKS: usize = 3;

impl EvaluatedPage {
    /// Creates the page at `url`, without the words of its title. Returns `None` if it has no
    /// words.
    pub(crate) fn new(
        url: &str,
        read: &PageText,
        blocks: &BlockText,
        marked: &MarkedText,
        language: &Language,
        seen: &mut SeenWords,
    ) -> Option<Self> {
        let text = &marked.text;
        let language = seen.language(language);
        let places = word_places(text);
        let mut words = Vec::with_capacity(places.len());
        for_each_word(text, |word| words.push(seen.word(language, word)));
        if words.is_empty() {
            return None;
        }
        let mut page = Self {
            url: url.to_owned(),
            title: read.title.clone(),
            listing: blocks.is_listing(words.len()),
            words,
            heading_words: Written::new(&blocks.headings, language, seen),
            marked: read.marked,
            ..Self::default()
        };
        for_each_compound(text, |compound| {
            // Compounds are slices of the text, so their position follows from their address.
            let written = compound.written();
            let start = written.as_ptr() as usize - text.as_ptr() as usize;
            let at = places.partition_point(|word| word.end <= start);
            page.compounds.push((at as u32, compound_of(compound, language, seen)));
        });
        page.divide(text, &places, marked);
        Some(page)
    }

    /// Sets the title and its words.
    pub(crate) fn name(&mut self, title: &str, language: &Language, seen: &mut SeenWords) {
        title.clone_into(&mut self.title);
        let language = seen.language(language);
        self.title_words = Written::new(title, language, seen);
    }

    /// Adds links and borders.
    fn divide(&mut self, text: &str, places: &[Range<usize>], marked: &MarkedText) {
        let before = |at: usize| places.partition_point(|word| word.end <= at) as u32;
        let at_or_after = |at: usize| places.partition_point(|word| word.start < at) as u32;
        let pointing = Pointing::from(&self.url, marked.base.as_deref());
        let mut open: Vec<(u16, u32)> = Vec::new();
        let mut lists: Vec<List> = Vec::new();
        // Links outside of lists.
        let mut outside = List::default();
        for &(at, mark) in &marked.marks {
            let place = at_or_after(at);
            match mark {
                Mark::Link(number) => open.push((number, before(at))),
                Mark::LinkEnd => {
                    let Some((number, start)) = open.pop() else { continue };
                    let words = start..place.max(start);
                    let href = &marked.hrefs[usize::from(number)];
                    let list = lists.last_mut().unwrap_or(&mut outside);
                    list.link_words += words.len();
                    list.links += 1;
                    if let Some(path) = pointing.as_ref().and_then(|pointing| pointing.to(href)) {
                        list.members.push(self.links.len());
                        self.links.push(EvaluatedLink {
                            to: hash_of(0, &path),
                            words,
                            in_listing: false,
                        });
                    }
                }
                Mark::Block => self.borders.push((place, Border::Block)),
                Mark::Heading => self.borders.push((place, Border::Heading)),
                Mark::HeadingEnd => self.borders.push((place, Border::HeadingEnd)),
                Mark::List => lists.push(List { start: place, ..List::default() }),
                Mark::ListEnd => {
                    self.borders.push((place, Border::ListEnd));
                    let Some(list) = lists.pop() else { continue };
                    let words = place.saturating_sub(list.start) as usize - list.inner_words;
                    if list.links >= LISTING_LINKS && 2 * list.link_words >= words {
                        for &link in &list.members {
                            self.links[link].in_listing = true;
                        }
                    }
                    if let Some(outer) = lists.last_mut() {
                        outer.inner_words += words + list.inner_words;
                    }
                }
            }
        }
        for (at, pair) in (1..).zip(places.windows(2)) {
            // In scripts without spaces, a word may start inside the previous one.
            let between = text.get(pair[0].end..pair[1].start).unwrap_or_default();
            if ends_sentence(between) {
                self.borders.push((at, Border::Sentence));
            }
        }
        // Links were added when they ended, so a link that contains another was added after it.
        self.links.sort_by_key(|link| (link.words.start, link.words.end));
        self.borders.sort_unstable();
        self.borders.dedup();
        self.find_headings();
    }

    /// Adds headings and topics, given the borders in order.
    fn find_headings(&mut self) {
        let mut end = None;
        for &(at, border) in self.borders.iter().rev() {
            match border {
                Border::HeadingEnd => end = Some(at),
                Border::Heading => self.headings.push(at..end.unwrap_or(at)),
                Border::Sentence | Border::Block | Border::ListEnd => {}
            }
            if matches!(border, Border::Heading | Border::ListEnd) {
                self.topics.push(at);
            }
        }
        self.headings.reverse();
        self.topics.reverse();
    }

    /// Renumbers all words.
    pub(crate) fn renumber(&mut self, numbers: &[WordId]) {
        let compounds = self.compounds.iter_mut().map(|(_, word)| word);
        let written = [&mut self.title_words, &mut self.heading_words];
        let written =
            written.into_iter().flat_map(|of| of.words.iter_mut().chain(&mut of.compounds));
        for word in self.words.iter_mut().chain(compounds).chain(written) {
            *word = numbers[*word as usize];
        }
    }
}

impl Written {
    fn new(text: &str, language: u16, seen: &mut SeenWords) -> Self {
        let mut written = Self::default();
        for_each_word(text, |word| written.words.push(seen.word(language, word)));
        for_each_compound(text, |compound| {
            written.compounds.push(compound_of(compound, language, seen));
        });
        written
    }
}

/// An open list or table. The content of a nested list only counts for that list.
#[derive(Default)]
struct List {
    start: u32,
    inner_words: usize,
    link_words: usize,
    links: usize,
    /// The positions of its links among those of the page.
    members: Vec<usize>,
}

/// Returns whether the text between two words ends a sentence.
fn ends_sentence(between: &str) -> bool {
    let mut rest = between.trim_start_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}']);
    rest = rest.strip_prefix(['.', '?', '!', '\u{3002}', '\u{2026}']).unwrap_or_default();
    rest.trim_start_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}'])
        .starts_with(char::is_whitespace)
}

fn compound_of(compound: Compound<'_>, language: u16, seen: &mut SeenWords) -> WordId {
    match compound {
        Compound::Part(part) => seen.word(language, &part.to_ascii_lowercase()),
        Compound::Identifier(name) => seen.identifier(&name.to_ascii_lowercase()),
    }
}

/// An English page of a site without repeated blocks.
#[cfg(test)]
pub(crate) fn of_html(url: &str, html: &str, seen: &mut SeenWords) -> EvaluatedPage {
    use crate::evaluate::pages::marked_text::MarkingReader;
    use pagekin_pages::site::blocks::Repeated;
    use pagekin_pages::site::html::read_html_by;

    let (read, marked) =
        read_html_by(html.as_bytes(), MarkingReader::default(), MarkingReader::finish);
    let blocks = BlockText::new(&read.page, &Repeated::default());
    let (marked, english) = (MarkedText::new(marked, &blocks), Language::english());
    let mut page = EvaluatedPage::new(url, &read.page, &blocks, &marked, &english, seen).unwrap();
    page.name(&read.page.title, &english, seen);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::lexicon::combine;

    fn page(html: &str) -> (EvaluatedPage, Vec<String>) {
        let mut seen = SeenWords::default();
        let mut page = of_html("/a/b.html", html, &mut seen);
        let (lexicon, numbers) = combine(&[seen]);
        page.renumber(&numbers[0]);
        (page, lexicon.words.iter().map(|word| word.text.to_string()).collect())
    }

    fn written(words: &[WordId], lexicon: &[String]) -> String {
        let words: Vec<&str> = words.iter().map(|&word| &*lexicon[word as usize]).collect();
        words.join(" ")
    }

    #[test]
    fn links_have_words_and_targets() {
        let (page, lexicon) = page(
            "<title>The Title</title><main><h1>A heading</h1>See <a href='c.html#x'>the <b>Hash</b>Map</a>s, \
             <a href=''>not</a> <a href='/d'><img></a> now</main>",
        );
        assert_eq!(written(&page.words, &lexicon), "heading see the hashmaps not now");
        assert_eq!(written(&page.title_words.words, &lexicon), "the title");
        assert_eq!(written(&page.heading_words.words, &lexicon), "heading");
        let links: Vec<_> = page.links.iter().map(|link| (link.to, link.words.clone())).collect();
        assert_eq!(links, [(hash_of(0, "/a/c.html"), 2..4), (hash_of(0, "/d"), 5..5)]);
        let compounds: Vec<_> =
            page.compounds.iter().map(|&(at, word)| (at, &*lexicon[word as usize])).collect();
        assert_eq!(compounds, [(3, "hash"), (3, "maps")]);
    }

    #[test]
    fn lists_of_links_are_listings() {
        let (page, _) = page(
            "<ul><li><a href=a>one two</a><li><a href=b>three</a><li><a href=c>four</a> five</ul>\
             <ul><li><a href=d>one</a> with many words at_or_after <li><a href=e>two</a> as well<li><a href=f>three</a> here</ul>\
             <p>and <a href=g>then</a> some more words",
        );
        let listed: Vec<bool> = page.links.iter().map(|link| link.in_listing).collect();
        assert_eq!(listed, [true, true, true, false, false, false, false]);
        assert!(!page.listing);
        let (page, _) =
            self::page("<p><a href=a>one two</a> <a href=b>three</a> <a href=c>x</a> four");
        assert!(page.listing);
    }

    #[test]
    fn texts_are_divided_by_visible_borders() {
        let (page, _) = page(
            "<h2>One two</h2><p>Three four. Five e.g.six (seven.) Eight<ul><li>nine<li>ten</ul>eleven",
        );
        let at = |border| {
            let places = page.borders.iter().filter(|(_, kind)| *kind == border);
            places.map(|&(at, _)| at).collect::<Vec<_>>()
        };
        // "e.g.six" contains words of one letter, which do not count.
        assert_eq!(at(Border::Sentence), [4, 7]);
        assert_eq!(at(Border::Heading), [0]);
        assert_eq!(at(Border::HeadingEnd), [2]);
        assert_eq!(at(Border::ListEnd), [10]);
        assert_eq!(at(Border::Block), [0, 2, 8, 9, 10]);
    }
}
