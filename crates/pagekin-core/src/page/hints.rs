//! Reads hints about elements from the words of their classes and ids.
//!
//! Content management systems everywhere use the same words for the same things, whatever language
//! their pages are in. A name is split at `-`, `_` and digits, and where a capital letter follows a
//! lower-case one. Case is ignored.

/// The meaning of an element's name, as a set of bits.
pub(super) type Hints = u16;

/// The text of an article: `entry-content`, `articleBody`.
pub(super) const BODY: Hints = 1;
/// The part of the page that contains its text: `content`, `main`.
pub(super) const CONTENT: Hints = 1 << 1;
/// Comments of readers.
pub(super) const COMMENTS: Hints = 1 << 2;
/// Links to other content, requests and promotions: related pages, share buttons, newsletters,
/// advertisements.
pub(super) const EXTRA: Hints = 1 << 3;
/// The surroundings of a page: sidebars, menus, banners, footers.
pub(super) const FRAME: Hints = 1 << 4;
/// Author, date, categories and tags of the text.
pub(super) const ABOUT: Hints = 1 << 5;
/// A notice about cookies, or a window in front of the page.
pub(super) const DIALOG: Hints = 1 << 6;
/// A panel of tabs or accordions that visitors can open.
pub(super) const PANEL: Hints = 1 << 7;
/// A section that its generator names after its heading.
pub(super) const SECTION: Hints = 1 << 8;
/// Links to other pages, and content that is not visible on screen.
pub(super) const PATH: Hints = 1 << 9;
/// Image galleries and captions.
pub(super) const GALLERY: Hints = 1 << 10;
/// States whether something is present, such as `has-sidebar`.
const STATE: Hints = 1 << 11;
/// Words for texts, and words for the inside of a text.
const TEXT: Hints = 1 << 12;
const INSIDE: Hints = 1 << 13;

/// All known words, sorted.
#[rustfmt::skip]
const WORDS: &[(&str, Hints)] = &[
    ("accordion", PANEL),
    ("ad", EXTRA),
    ("addthis", EXTRA),
    ("ads", EXTRA),
    ("adsbygoogle", EXTRA),
    ("adsense", EXTRA),
    ("adv", EXTRA),
    ("art", TEXT),
    ("article", TEXT),
    ("articlebody", BODY),
    ("articlecontent", BODY),
    ("articletext", BODY),
    ("author", ABOUT),
    ("authors", ABOUT),
    ("banner", FRAME),
    ("bio", ABOUT),
    ("blog", TEXT),
    ("body", INSIDE | TEXT),
    ("bodycopy", BODY),
    ("bodytext", BODY | INSIDE),
    ("byline", ABOUT),
    ("caption", GALLERY),
    ("captions", GALLERY),
    ("carousel", GALLERY),
    ("categories", ABOUT),
    ("category", ABOUT),
    ("closed", STATE),
    ("collapse", PANEL),
    ("collapsible", PANEL),
    ("colophon", FRAME),
    ("comentarios", COMMENTS),
    ("commentaires", COMMENTS),
    ("commenti", COMMENTS),
    ("commentlist", COMMENTS),
    ("comments", COMMENTS),
    ("consent", DIALOG),
    ("content", CONTENT | INSIDE),
    ("contentmain", CONTENT),
    ("contents", INSIDE),
    ("cookie", DIALOG),
    ("cookiebanner", DIALOG),
    ("cookiebar", DIALOG),
    ("cookies", DIALOG),
    ("copy", INSIDE),
    ("credit", ABOUT),
    ("credits", ABOUT),
    ("cta", EXTRA),
    ("dateline", ABOUT),
    ("detail", TEXT),
    ("disabled", STATE),
    ("disqus", COMMENTS),
    ("donate", EXTRA),
    ("donation", EXTRA),
    ("enabled", STATE),
    ("entry", TEXT),
    ("entrycontent", BODY),
    ("faq", PANEL),
    ("feedback", EXTRA),
    ("follow", EXTRA),
    ("footer", FRAME),
    ("fulltext", BODY | INSIDE),
    ("gallery", GALLERY),
    ("gdpr", DIALOG),
    ("has", STATE),
    ("hide", STATE),
    ("is", STATE),
    ("jp", EXTRA),
    ("js", STATE),
    ("komentar", COMMENTS),
    ("kommentar", COMMENTS),
    ("kommentare", COMMENTS),
    ("latest", EXTRA),
    ("leftmenu", FRAME),
    ("leftnav", FRAME),
    ("level", SECTION),
    ("lightbox", DIALOG),
    ("livefyre", COMMENTS),
    ("login", PATH),
    ("main", CONTENT),
    ("maincontent", CONTENT),
    ("mainmenu", FRAME),
    ("mainnav", FRAME),
    ("masthead", FRAME),
    ("menu", FRAME),
    ("menus", FRAME),
    ("meta", ABOUT),
    ("modal", DIALOG),
    ("mostpopular", EXTRA),
    ("mostread", EXTRA),
    ("nav", FRAME),
    ("navbar", FRAME),
    ("navbox", FRAME),
    ("navigation", FRAME),
    ("news", TEXT),
    ("newsletter", EXTRA),
    ("newsletters", EXTRA),
    ("no", STATE),
    ("open", STATE),
    ("outbrain", EXTRA),
    ("overlay", DIALOG),
    ("page", TEXT),
    ("pager", PATH),
    ("pagination", PATH),
    ("panel", PANEL),
    ("paywall", EXTRA),
    ("popular", EXTRA),
    ("popup", DIALOG),
    ("post", TEXT),
    ("postbody", BODY),
    ("postcontent", BODY),
    ("postmeta", ABOUT),
    ("rating", EXTRA),
    ("ratings", EXTRA),
    ("readmore", EXTRA),
    ("recent", EXTRA),
    ("recirc", EXTRA),
    ("recirculation", EXTRA),
    ("refsect", SECTION),
    ("replies", COMMENTS),
    ("respond", COMMENTS),
    ("revcontent", EXTRA),
    ("rich", TEXT),
    ("rightmenu", FRAME),
    ("rightnav", FRAME),
    ("sect", SECTION),
    ("section", SECTION),
    ("share", EXTRA),
    ("shareaholic", EXTRA),
    ("sharebar", EXTRA),
    ("sharedaddy", EXTRA),
    ("shares", EXTRA),
    ("sharethis", EXTRA),
    ("sharing", EXTRA),
    ("show", STATE),
    ("sidebar", FRAME),
    ("sidebars", FRAME),
    ("sidemenu", FRAME),
    ("sidenav", FRAME),
    ("siderail", FRAME),
    ("signup", EXTRA),
    ("simplesect", SECTION),
    ("single", TEXT),
    ("sitefooter", FRAME),
    ("siteheader", FRAME),
    ("skip", PATH),
    ("slick", GALLERY),
    ("slider", GALLERY),
    ("slideshow", GALLERY),
    ("sociable", EXTRA),
    ("social", EXTRA),
    ("socials", EXTRA),
    ("spoiler", PANEL),
    ("story", TEXT),
    ("storybody", BODY),
    ("storytext", BODY),
    ("submenu", FRAME),
    ("subnav", FRAME),
    ("swiper", GALLERY),
    ("tab", PANEL),
    ("taboola", EXTRA),
    ("tabpanel", PANEL),
    ("tabs", PANEL),
    ("tagcloud", EXTRA),
    ("taglist", ABOUT),
    ("tags", ABOUT),
    ("teaser", EXTRA),
    ("teasers", EXTRA),
    ("text", INSIDE),
    ("timestamp", ABOUT),
    ("toggle", PANEL),
    ("toolbar", FRAME),
    ("topbar", FRAME),
    ("topmenu", FRAME),
    ("topnav", FRAME),
    ("trending", EXTRA),
    ("upsell", EXTRA),
    ("widget", FRAME),
    ("widgets", FRAME),
    ("with", STATE),
    ("without", STATE),
    ("wysiwyg", BODY | TEXT),
    ("yorumlar", COMMENTS),
    ("zergnet", EXTRA),
];

/// Prefixes whose meaning does not depend on the rest of the word.
const PREFIXES: &[(&str, Hints)] = &[
    ("advert", EXTRA),
    ("breadcrumb", PATH),
    ("promo", EXTRA),
    ("recommend", EXTRA),
    ("related", EXTRA),
    ("sponsor", EXTRA),
    ("subscri", EXTRA),
];

/// Classes of elements that are not visible on screen.
const HIDDEN: &[&str] = &[
    "hidden",
    "hide",
    "sr-only",
    "screen-reader-text",
    "visually-hidden",
    "visuallyhidden",
    "element-invisible",
    "a11y-hidden",
];

/// The prefix of classes of notes. The heading of the note may follow.
const NOTE: &str = "admonition";

/// Maximum number of bytes that are read from a word.
const MAX_WORD: usize = 24;

fn from_word(word: &[u8]) -> Hints {
    if let Ok(at) = WORDS.binary_search_by(|(known, _)| known.as_bytes().cmp(word)) {
        return WORDS[at].1;
    }
    let begins = PREFIXES.iter().find(|(start, _)| word.starts_with(start.as_bytes()));
    begins.map_or(0, |&(_, hints)| hints)
}

/// Calls `each` with the lower-cased words of a name. Long words are cut. Short words after
/// lower-case letters and digits are skipped, because tools generate such names (`hAdJpR`).
fn words(name: &str, mut each: impl FnMut(&[u8])) {
    let mut word = [0u8; MAX_WORD];
    let (mut len, mut small, mut mixed) = (0, false, false);
    for byte in name.bytes() {
        let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
        let ends = !is_letter || small && byte.is_ascii_uppercase();
        if ends {
            if len > 3 || len > 0 && !mixed {
                each(&word[..len]);
            }
            len = 0;
            mixed = is_letter || byte.is_ascii_digit();
        }
        small = byte.is_ascii_lowercase();
        if is_letter && len < word.len() {
            word[len] = byte.to_ascii_lowercase();
            len += 1;
        }
    }
    if len > 3 || len > 0 && !mixed {
        each(&word[..len]);
    }
}

/// The hints of an `id`. Only its first word counts in full, since many ids are derived from
/// headings.
pub(super) fn from_id(id: &str) -> Hints {
    let mut first = None;
    words(id, |word| {
        first.get_or_insert(from_word(word));
    });
    from_class(id) & (BODY | FRAME | first.unwrap_or_default() & !(TEXT | INSIDE | STATE))
}

/// The hints of a `class`.
pub(super) fn from_class(names: &str) -> Hints {
    let mut all = 0;
    let mut each = names.split_ascii_whitespace();
    // Classes with a colon apply only to some screens.
    if each.any(|name| HIDDEN.contains(&name)) && !names.contains([':', '@']) {
        all |= PATH;
    }
    for name in names.split_ascii_whitespace().filter(|name| !name.starts_with(NOTE)) {
        all |= from_name(name);
    }
    all
}

fn from_name(name: &str) -> Hints {
    let is_comment = name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("comment"));
    let mut all = if is_comment { COMMENTS } else { 0 };
    let mut before = 0;
    words(name, |word| {
        let mut hints = from_word(word);
        if before & TEXT != 0 && hints & INSIDE != 0 {
            all |= BODY;
        }
        if before & STATE != 0 {
            hints &= TEXT | INSIDE;
        }
        if hints & STATE != 0 {
            // `comments-open` is a state of the page.
            all &= BODY | CONTENT;
        }
        all |= hints & !(STATE | TEXT | INSIDE);
        before = hints;
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(WORDS.iter().all(|(word, _)| word.len() <= MAX_WORD));
    }

    #[test]
    fn names_are_read_by_their_words() {
        for (names, hints) in [
            ("entry-content", BODY | CONTENT),
            ("articleBody", BODY),
            ("post__text wide", BODY),
            ("content", CONTENT),
            ("comment-list", COMMENTS),
            ("post-comments", COMMENTS),
            ("deprecation-comment", 0),
            ("comments-open single", 0),
            ("has-sidebar", 0),
            ("no-sidebar content", CONTENT),
            ("relatedPosts", EXTRA),
            ("Share-Bar", EXTRA),
            ("shareholders", 0),
            ("hAdJpR", 0),
            ("xNavAd css-1ad2", 0),
            ("ad-slot", EXTRA),
            ("breadcrumbs", PATH),
            ("sr-only", PATH),
            ("hidden md:block", 0),
            ("cookie-consent", DIALOG),
            ("tabItem_Ymn6", PANEL),
            ("admonition-you-can-t-share-pickles", 0),
            ("", 0),
            ("--", 0),
            ("\u{0424}ooter-\u{0424}", 0),
        ] {
            assert_eq!(from_class(names), hints, "{names}");
        }
    }

    #[test]
    fn only_the_first_word_of_an_id_counts() {
        assert_eq!(from_id("comments"), COMMENTS);
        assert_eq!(from_id("related-posts"), EXTRA);
        assert_eq!(from_id("articleBody"), BODY);
        assert_eq!(from_id("functions-info-comments-share"), 0);
    }
}
