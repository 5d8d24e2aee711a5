//! A text with marks into words with places.

use std::ops::Range;

use pagekin_core::page::PageText;
use pagekin_core::terms::{Compound, Language, for_each_compound, for_each_word, word_places};
use pagekin_pages::site::blocks::BlockText;
use pagekin_pages::site::links::{Pointing, hash_of};

use crate::evaluate::pages::lexicon::{Met, WordId};
use crate::evaluate::pages::marked_text::{Mark, MarkedText};

/// A page as its representations are made of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EvaluatedPage {
    pub(crate) url: String,
    pub(crate) title: String,
    /// The words of its text, in order.
    pub(crate) words: Vec<WordId>,
    /// Its compounds, in order: the parts of words such as `HashMap`, and identifiers, whole; each
    /// with the place of the word that it begins in, or that follows it.
    pub(crate) compounds: Vec<(u32, WordId)>,
    /// The words of its title.
    pub(crate) title_words: Written,
    /// Those of its headings of the first three levels. They are among `words` too.
    pub(crate) heading_words: Written,
    /// The links in its text, in order.
    pub(crate) links: Vec<EvaluatedLink>,
    /// Where its text is divided, by places of words, in order.
    pub(crate) borders: Vec<(u32, Border)>,
    /// Those of these where a heading begins or a list or table ends, by their places.
    pub(crate) topics: Vec<u32>,
    /// The words of its headings of all levels, up to the next end of one, in order.
    pub(crate) headings: Vec<Range<u32>>,
    /// Some element says that it is the body.
    pub(crate) marked: bool,
    /// It is contents, an index or a list of all there is, by the rule of a build.
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
    /// The path that it leads to, by its hash.
    pub(crate) to: u64,
    /// Its words; of one without words, the place of the word behind it.
    pub(crate) words: Range<u32>,
    /// It is in a list or table most of whose words are in links.
    pub(crate) in_listing: bool,
}

/// What divides a text in front of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Border {
    /// A sentence begins.
    Sentence,
    /// A paragraph, cell, item or the like begins or ends.
    Block,
    /// A list or table ends.
    ListEnd,
    /// A heading begins.
    Heading,
    /// A heading ends.
    HeadingEnd,
}

/// A list or table most of whose words are in so many links or more is a listing.
const LISTING_LINKS: usize = 3;

impl EvaluatedPage {
    /// The page at `url`, without the words of its title. `None` if it has no words.
    pub(crate) fn new(
        url: &str,
        read: &PageText,
        blocks: &BlockText,
        marked: &MarkedText,
        language: &Language,
        met: &mut Met,
    ) -> Option<Self> {
        let text = &marked.text;
        let language = met.language(language);
        let places = word_places(text);
        let mut words = Vec::with_capacity(places.len());
        for_each_word(text, |word| words.push(met.word(language, word)));
        if words.is_empty() {
            return None;
        }
        let mut page = Self {
            url: url.to_owned(),
            title: read.title.clone(),
            listing: blocks.is_listing(words.len()),
            words,
            heading_words: Written::new(&blocks.headings, language, met),
            marked: read.marked,
            ..Self::default()
        };
        for_each_compound(text, |compound| {
            // Compounds are slices of the text.
            let written = compound.written();
            let start = written.as_ptr() as usize - text.as_ptr() as usize;
            let at = places.partition_point(|word| word.end <= start);
            page.compounds.push((at as u32, compound_of(compound, language, met)));
        });
        page.divide(text, &places, marked);
        Some(page)
    }

    /// Puts in its title.
    pub(crate) fn name(&mut self, title: &str, language: &Language, met: &mut Met) {
        title.clone_into(&mut self.title);
        let language = met.language(language);
        self.title_words = Written::new(title, language, met);
    }

    /// Puts in links and borders.
    fn divide(&mut self, text: &str, places: &[Range<usize>], marked: &MarkedText) {
        let before = |at: usize| places.partition_point(|word| word.end <= at) as u32;
        let behind = |at: usize| places.partition_point(|word| word.start < at) as u32;
        let pointing = Pointing::from(&self.url, marked.base.as_deref());
        let mut open: Vec<(u16, u32)> = Vec::new();
        let mut lists: Vec<List> = Vec::new();
        // What is in no list.
        let mut outside = List::default();
        for &(at, mark) in &marked.marks {
            let place = behind(at);
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
            // Of a script without spaces, one word begins in the word before.
            let between = text.get(pair[0].end..pair[1].start).unwrap_or_default();
            if ends_sentence(between) {
                self.borders.push((at, Border::Sentence));
            }
        }
        // They are told at their ends: one that holds another came behind it.
        self.links.sort_by_key(|link| (link.words.start, link.words.end));
        self.borders.sort_unstable();
        self.borders.dedup();
        self.find_headings();
    }

    /// Puts in what its borders say, in their order: where headings are, and topics begin.
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

    /// Takes other numbers for its words.
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
    fn new(text: &str, language: u16, met: &mut Met) -> Self {
        let mut written = Self::default();
        for_each_word(text, |word| written.words.push(met.word(language, word)));
        for_each_compound(text, |compound| {
            written.compounds.push(compound_of(compound, language, met));
        });
        written
    }
}

/// A list or table while it is open; what is in a list inside it counts there only.
#[derive(Default)]
struct List {
    start: u32,
    inner_words: usize,
    link_words: usize,
    links: usize,
    /// By their places among the links of the page.
    members: Vec<usize>,
}

/// Whether what is between two words ends a sentence.
fn ends_sentence(between: &str) -> bool {
    let mut rest = between.trim_start_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}']);
    rest = rest.strip_prefix(['.', '?', '!', '\u{3002}', '\u{2026}']).unwrap_or_default();
    rest.trim_start_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}'])
        .starts_with(char::is_whitespace)
}

fn compound_of(compound: Compound<'_>, language: u16, met: &mut Met) -> WordId {
    match compound {
        Compound::Part(part) => met.word(language, &part.to_ascii_lowercase()),
        Compound::Identifier(name) => met.identifier(&name.to_ascii_lowercase()),
    }
}

/// An English page of a site of which nothing is repeated.
#[cfg(test)]
pub(crate) fn of_html(url: &str, html: &str, met: &mut Met) -> EvaluatedPage {
    use crate::evaluate::pages::marked_text::MarkingReader;
    use pagekin_pages::site::blocks::Repeated;
    use pagekin_pages::site::html::read_html_by;

    let (read, marked) =
        read_html_by(html.as_bytes(), MarkingReader::default(), MarkingReader::finish);
    let blocks = BlockText::new(&read.page, &Repeated::default());
    let (marked, english) = (MarkedText::new(marked, &blocks), Language::english());
    let mut page = EvaluatedPage::new(url, &read.page, &blocks, &marked, &english, met).unwrap();
    page.name(&read.page.title, &english, met);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::pages::lexicon::combine;

    fn page(html: &str) -> (EvaluatedPage, Vec<String>) {
        let mut met = Met::default();
        let mut page = of_html("/a/b.html", html, &mut met);
        let (lexicon, numbers) = combine(&[met]);
        page.renumber(&numbers[0]);
        (page, lexicon.words.iter().map(|word| word.text.to_string()).collect())
    }

    fn written(words: &[WordId], lexicon: &[String]) -> String {
        let words: Vec<&str> = words.iter().map(|&word| &*lexicon[word as usize]).collect();
        words.join(" ")
    }

    #[test]
    fn links_have_words_and_lead_somewhere() {
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
    fn listings_are_lists_of_links() {
        let (page, _) = page(
            "<ul><li><a href=a>one two</a><li><a href=b>three</a><li><a href=c>four</a> five</ul>\
             <ul><li><a href=d>one</a> with many words behind <li><a href=e>two</a> as well<li><a href=f>three</a> here</ul>\
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
    fn texts_are_divided_by_what_readers_see() {
        let (page, _) = page(
            "<h2>One two</h2><p>Three four. Five e.g.six (seven.) Eight<ul><li>nine<li>ten</ul>eleven",
        );
        let at = |border| {
            let places = page.borders.iter().filter(|(_, kind)| *kind == border);
            places.map(|&(at, _)| at).collect::<Vec<_>>()
        };
        // "e.g.six" has words of one letter, which are none.
        assert_eq!(at(Border::Sentence), [4, 7]);
        assert_eq!(at(Border::Heading), [0]);
        assert_eq!(at(Border::HeadingEnd), [2]);
        assert_eq!(at(Border::ListEnd), [10]);
        assert_eq!(at(Border::Block), [0, 2, 8, 9, 10]);
    }
}
