//! Finds the new URLs of the pages of a site.

use std::cmp::Reverse;

use pagekin_pages::{Ledger, Observer, OptionError, Stage, pool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::DuplicatesError;
use crate::moves::addresses::{Label, UrlSimilarity, folder_of_stem};
use crate::moves::best::Best;
use crate::moves::options::MoveOptions;
use crate::moves::overlaps::{TextOverlap, TextOverlaps};
use crate::moves::site::Site;
use crate::moves::titles;
use crate::texts::SitePage;

/// Minimum share of an old page that a new page with a different title must contain to replace it.
const MIN_SHARE: f64 = 0.5;

/// Maximum number of pairs of old and new pages with one text that are matched one to one by URL.
const MAX_TWINS: usize = 1 << 22;

/// What became of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The new site has an HTML file at the same URL.
    Kept,
    /// The page has another URL.
    Moved,
    /// No page contains enough of it.
    Gone,
}

impl Fate {
    /// Returns the name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Moved => "moved",
            Self::Gone => "gone",
        }
    }
}

/// A new page that shares text with an old one, weighted as described in [`crate::moves`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovedPart {
    /// The new page.
    pub page: u32,
    /// The share of the old page's runs that the new page contains. 0 if all its runs are on too
    /// many texts.
    pub share_of_old: f64,
    /// The share of the new page's runs that come from the old page.
    pub share_of_new: f64,
}

/// What became of an old page.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The old page.
    pub page: u32,
    /// Whether it was kept, moved or removed.
    pub fate: Fate,
    /// The page at its URL, or the page that it moved to. `None` if the page is gone, if it was
    /// split into parts none of which replaces it, or if the file at its URL is not a page, such as
    /// a redirect.
    pub to: Option<MovedPart>,
    /// The other new pages that contain parts of it, largest part first.
    pub parts: Vec<MovedPart>,
    /// If the page is gone, the new page that shares most with it, if any.
    pub closest: Option<MovedPart>,
}

/// The new URLs of a site's pages.
#[derive(Debug, Clone)]
pub struct Moves {
    /// The pages of the old site.
    pub old: Vec<SitePage>,
    /// The pages of the new site.
    pub new: Vec<SitePage>,
    /// What became of each old page, ordered by URL.
    pub moves: Vec<Move>,
    /// The new pages that do not come from an old page, ordered by URL.
    pub arrived: Vec<u32>,
    /// Counts of the HTML files of the old site by what became of them.
    pub old_ledger: Ledger,
    /// The same for the new site.
    pub new_ledger: Ledger,
}

/// Finds the new URLs of the pages of a site.
///
/// Memory: 16 bytes per word of the distinct texts of both sites.
///
/// # Example
///
/// ```
/// use pagekin_duplicates::moves::{Fate, MoveOptions, find};
/// use pagekin_pages::Silent;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let site = "../../tests/site";
/// let found = find(&MoveOptions::new(site, site), &Silent)?;
/// assert!(found.moves.iter().all(|page| page.fate == Fate::Kept));
/// assert!(found.arrived.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns a [`DuplicatesError`] if a site cannot be read or has no pages, or an option is out of
/// range.
pub fn find(options: &MoveOptions, observer: &dyn Observer) -> Result<Moves, DuplicatesError> {
    if !(0.0..=1.0).contains(&options.min) {
        let (option, expected, found) = ("threshold", "0 to 1", options.min.to_string());
        return Err(OptionError { option, expected, found }.into());
    }
    pool::in_pool(options.threads, || {
        let base_url = options.old_base_url.as_ref().unwrap_or(&options.reading.base_url);
        let old_reading =
            options.reading.clone().with(|reading| reading.base_url.clone_from(base_url));
        let old = Site::read(&options.old, old_reading, observer)?;
        let new = Site::read(&options.new, options.reading.clone(), observer)?;
        observer.stage(Stage::Matching, TextOverlaps::STEPS);
        let overlaps = TextOverlaps::new(&old.shingles, &new.shingles, observer)?;
        Ok(matched(old, new, &overlaps, options.min))
    })
}

/// Returns what a new page, whose text is that of `pair`, shares with the old one.
fn part_of(overlaps: &TextOverlaps, pair: &TextOverlap, page: u32) -> MovedPart {
    let of = |total: u64| if total == 0 { 0.0 } else { pair.shared as f64 / total as f64 };
    MovedPart {
        page,
        share_of_old: of(overlaps.old[pair.old as usize]),
        share_of_new: of(overlaps.new[pair.new as usize]),
    }
}

/// Both sites and their matches.
struct Sites<'a> {
    old: &'a Site,
    new: &'a Site,
    overlaps: &'a TextOverlaps,
    /// The new pages by URL.
    at: FxHashMap<&'a str, u32>,
    /// The new page with the same title as an old one.
    titled: FxHashMap<u32, u32>,
    /// The new page of an old one, where several old and several new pages share a text.
    twins: FxHashMap<u32, u32>,
}

impl<'a> Sites<'a> {
    fn new(old: &'a Site, new: &'a Site, overlaps: &'a TextOverlaps) -> Self {
        let at = (0..new.pages.len() as u32).map(|page| (new.address(page), page)).collect();
        let titled = titles::shared(&old.pages, &new.pages);
        let mut sites = Self { old, new, overlaps, at, titled, twins: FxHashMap::default() };
        let equal = overlaps.pairs.iter().filter(|pair| sites.are_equal(pair.old, pair.new));
        let twins = equal.flat_map(|pair| sites.twins(pair)).collect();
        sites.twins = twins;
        sites
    }

    /// Matches the old pages of a text that are no longer at their URLs with the new pages of the
    /// same text at new URLs, one to one, most similar URLs first.
    fn twins(&self, pair: &TextOverlap) -> Vec<(u32, u32)> {
        let (old, new) = (self.old, self.new);
        let gone = old.pages_of[pair.old as usize].iter().copied();
        let gone: Vec<u32> = gone.filter(|&page| !old_is_at(old, page, new)).collect();
        let arrived = new.pages_of[pair.new as usize].iter().copied();
        let arrived = arrived.filter(|&page| !old.addresses.contains(new.address(page)));
        let arrived: Vec<u32> = arrived.collect();
        if gone.len() * arrived.len() > MAX_TWINS {
            return Vec::new();
        }
        let pairs = gone.iter().flat_map(|&a| arrived.iter().map(move |&b| (a, b)));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_by_cached_key(|&(a, b)| {
            let (a, b) = (old.address(a), new.address(b));
            let is_label = Label::from_url(a) == Label::from_url(b);
            (Reverse((is_label, UrlSimilarity::between(a, b))), a, b)
        });
        let (mut from, mut to) = (FxHashSet::default(), FxHashSet::default());
        pairs.retain(|(a, b)| {
            let is_free = !from.contains(a) && !to.contains(b);
            is_free && from.insert(*a) && to.insert(*b)
        });
        pairs
    }

    /// Returns whether an old and a new text are equal.
    fn are_equal(&self, old: u32, new: u32) -> bool {
        self.old.hashes[old as usize] == self.new.hashes[new as usize]
    }

    /// Returns whether a page may have moved to a text. Pages that differ only in numbers or words
    /// of one letter, such as release notes or sizes, are distinct pages, and none moves to a page
    /// with another label. A page whose texts differ otherwise may get another label, if the two
    /// texts are each other's best match.
    fn may_go(&self, page: u32, pair: &TextOverlap, is_mutual: bool) -> bool {
        if self.are_equal(pair.old, pair.new) {
            return true;
        }
        let is_other = self.has_another_label(page, pair.new);
        let label = self.old.label(page);
        match self.series(pair) {
            None => !is_other || is_mutual,
            Some(series) if self.is_alone(series) => !is_other,
            Some((0, _)) => self.new.labels(pair.new).any(|new| label.shares_numbers(&new)),
            Some(_) => self.new.labels(pair.new).any(|new| label.shares_letters(&new)),
        }
    }

    /// Returns whether the label of a page contradicts those of all pages of a new text.
    fn has_another_label(&self, page: u32, new: u32) -> bool {
        let label = self.old.label(page);
        self.new.labels(new).all(|new| label.contradicts(&new))
    }

    /// Returns the hash that is equal for two texts, and which of the hashes it is, if they differ
    /// only in numbers, or only in numbers and words of one letter.
    fn series(&self, pair: &TextOverlap) -> Option<(usize, u64)> {
        let new = self.new.words[pair.new as usize];
        let mut old = self.old.words[pair.old as usize].into_iter().enumerate();
        old.find(|&(at, hash)| new[at] == hash)
    }

    /// Returns whether at most one text of each site is of a series.
    fn is_alone(&self, series: (usize, u64)) -> bool {
        [self.old, self.new].iter().all(|site| site.series.get(&series).is_none_or(|&n| n == 1))
    }

    /// Returns whether two texts belong to a series: they differ only in numbers or words of one
    /// letter and are not the only such texts, or their pages have different labels.
    fn are_of_a_series(&self, pair: &TextOverlap, is_mutual: bool) -> bool {
        if self.are_equal(pair.old, pair.new) {
            return false;
        }
        let pages = &self.old.pages_of[pair.old as usize];
        let have_others = || pages.iter().all(|&page| self.has_another_label(page, pair.new));
        match self.series(pair) {
            Some(series) => !self.is_alone(series),
            None => !is_mutual && have_others(),
        }
    }

    /// Returns the new page of an old page, given the best match of its text: rule 6 of
    /// [`crate::moves`].
    fn place_of(
        &self,
        page: u32,
        pair: &TextOverlap,
        is_split: bool,
        is_mutual: bool,
    ) -> Option<u32> {
        let address = self.old.address(page);
        let overview = self.at.get(&*folder_of_stem(address)).copied().filter(|_| is_split);
        let shares = |to: &u32| self.overlaps.between(pair.old, self.new.text_of[*to as usize]) > 0;
        let titled = || self.titled.get(&page).copied().filter(shares);
        let has_most = pair.shared as f64
            >= MIN_SHARE * self.overlaps.old[pair.old as usize] as f64
            && self.overlaps.is_significant(pair);
        let is_it = has_most && self.may_go(page, pair, is_mutual);
        let namesake = || is_it.then(|| self.new.namesake(pair.new, address));
        let twin = self.twins.get(&page).copied();
        overview.or(twin).or_else(titled).or_else(namesake)
    }
}

/// Finds what became of each old page.
fn matched(old: Site, new: Site, overlaps: &TextOverlaps, min: f64) -> Moves {
    let sites = Sites::new(&old, &new, overlaps);
    let stayed = |page| sites.at.get(old.address(page)).copied();
    let is_same = |old_text: u32, new_text: u32| {
        let mut stayed = old.pages_of[old_text as usize].iter().filter_map(|&page| stayed(page));
        stayed.any(|page| new.text_of[page as usize] == new_text)
    };
    let best = Best::new(overlaps, is_same);
    let is_enough = |pair: &TextOverlap| {
        let shorter = overlaps.old[pair.old as usize].min(overlaps.new[pair.new as usize]);
        pair.shared as f64 >= min * shorter as f64
    };
    let matches = best.matches(|pair| {
        let is_series = || sites.are_of_a_series(pair, best.is_mutual(pair));
        is_enough(pair) && overlaps.is_significant(pair) && !is_series()
    });
    let part = |pair: &TextOverlap, page: u32| part_of(overlaps, pair, page);
    let first = |pair: &TextOverlap| part(pair, new.pages_of[pair.new as usize][0]);
    let mut came_from = vec![false; overlaps.new.len()];
    let mut moves = Vec::with_capacity(old.pages.len());
    for page in old.in_order() {
        let text = old.text_of[page as usize];
        let (pair, matched) = (best.share_of_old[text as usize], &matches[text as usize]);
        matched.iter().for_each(|pair| came_from[pair.new as usize] = true);
        let (is_split, is_kept) = (matched.len() > 1, old_is_at(&old, page, &new));
        let to = match pair.filter(is_enough) {
            _ if is_kept => stayed(page),
            Some(pair) => sites.place_of(page, &pair, is_split, best.is_mutual(&pair)),
            None => None,
        };
        let fate = match to {
            _ if is_kept => Fate::Kept,
            None if !is_split => Fate::Gone,
            _ => Fate::Moved,
        };
        let closest = pair.filter(|_| fate == Fate::Gone).map(|pair| first(&pair));
        let at = to.map(|to| new.text_of[to as usize]);
        at.iter().for_each(|&text| came_from[text as usize] = true);
        let to = to.map(|to| {
            let text_there = new.text_of[to as usize];
            let shared = overlaps.between(text, text_there);
            part(&TextOverlap { old: text, new: text_there, shared }, to)
        });
        let others = matched.iter().filter(|pair| Some(pair.new) != at && fate != Fate::Gone);
        let parts = others.map(first).collect();
        moves.push(Move { page, fate, to, parts, closest });
    }
    let arrived = new.in_order().into_iter().filter(|&page| {
        let is_new = !came_from[new.text_of[page as usize] as usize];
        is_new && !old.addresses.contains(new.address(page))
    });
    Moves {
        moves,
        arrived: arrived.collect(),
        old: old.pages,
        new: new.pages,
        old_ledger: old.ledger,
        new_ledger: new.ledger,
    }
}

/// Returns whether the new site has an HTML file at the URL of an old page.
fn old_is_at(old: &Site, page: u32, new: &Site) -> bool {
    new.addresses.contains(old.address(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use std::fs;

    /// A paragraph of `words` words that are unique to `number`.
    fn passage(number: u32, words: u32) -> String {
        let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
        (0..words).fold(String::new(), |mut text, word| {
            text.extend([letter(number), letter(word / 26), letter(word), 'm', ' ']);
            text
        })
    }

    fn site(pages: &[(&str, String)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in pages {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let page = format!("<!doctype html><title>{text:.9}</title><main><p>{text}</main>");
            fs::write(path, page).unwrap();
        }
        folder
    }

    /// What became of each page: its URL, its fate, and the URLs that it and its parts moved to.
    fn fates(old: &[(&str, String)], new: &[(&str, String)]) -> Vec<String> {
        let (old, new) = (site(old), site(new));
        let options = MoveOptions::new(old.path(), new.path());
        let found = find(&options, &Silent).unwrap();
        let url = |part: &MovedPart| found.new[part.page as usize].url.clone();
        let line = |page: &Move| {
            let parts = page.to.iter().chain(&page.parts).map(url).collect::<Vec<_>>().join(" ");
            let from = &found.old[page.page as usize].url;
            format!("{from} {} {parts}", page.fate.name()).trim_end().to_owned()
        };
        found.moves.iter().map(line).collect()
    }

    #[test]
    fn very_short_pages_only_move_to_equal_pages() {
        let page =
            |number| format!("{}the tracking issue for this feature is ", passage(number, 3));
        let old = [("pop-if.html", page(1)), ("trim.html", page(2))];
        let new = [("heap-pop-if.html", page(3)), ("strings/trim.html", page(2))];
        assert_eq!(fates(&old, &new), ["/pop-if.html gone", "/trim.html moved /strings/trim.html"]);
    }

    #[test]
    fn pages_that_differ_only_in_numbers_never_move_to_another_number() {
        let notes = |number: u32| format!("{} release {number}", passage(1, 80));
        let other = |number: u32| format!("{} {}", passage(1, 80), passage(number, 12));
        let old = [3, 4, 5].map(|number| (format!("notes-{number}.html"), notes(number)));
        let old: Vec<_> = old.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let new = [
            ("releases/3/index.html", notes(3)),
            ("releases/5/index.html", notes(5)),
            ("r/6.html", notes(6)),
        ];
        assert_eq!(
            fates(&old, &new),
            [
                "/notes-3.html moved /releases/3/",
                "/notes-4.html gone",
                "/notes-5.html moved /releases/5/"
            ]
        );
        // A year at the end adds another number to each page.
        let dated = |number: u32| format!("{} in 2026", notes(number));
        let new = [("r/5.html", dated(5)), ("r/13.html", dated(13)), ("r/3.html", dated(3))];
        assert_eq!(
            fates(&old, &new),
            [
                "/notes-3.html moved /r/3.html",
                "/notes-4.html gone",
                "/notes-5.html moved /r/5.html"
            ]
        );
        // A few words of its own do not allow a page to move to another number.
        let old = [("n-4.html", other(4)), ("n-5.html", other(5))];
        assert_eq!(
            fates(&old, &[("r/5.html", other(5))]),
            ["/n-4.html gone", "/n-5.html moved /r/5.html"]
        );
        // A chapter may get another number.
        let old = [("ch1.html", passage(1, 80)), ("ch2.html", passage(2, 80))];
        let new = [("book/ch2.html", passage(1, 81)), ("book/ch3.html", passage(2, 81))];
        assert_eq!(
            fates(&old, &new),
            ["/ch1.html moved /book/ch2.html", "/ch2.html moved /book/ch3.html"]
        );
        // So may the price on the only page with its words.
        let new = [("prices.html", notes(7))];
        assert_eq!(fates(&[("price.html", notes(6))], &new), ["/price.html moved /prices.html"]);
    }

    #[test]
    fn pages_that_differ_only_in_a_letter_never_move_to_another_letter() {
        let text = |of: &str| format!("{} size {of}", passage(1, 80));
        let shirt = |size: &str| (format!("shirt-{size}.html"), text(size));
        let old = ["l", "m", "s"].map(shirt);
        let old: Vec<_> = old.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let expected =
            ["/shirt-l.html moved /all/L.html", "/shirt-m.html gone", "/shirt-s.html gone"];
        assert_eq!(fates(&old, &[("all/L.html", text("L"))]), expected);
        // Nor if both the size and the price change.
        let new = [("all/L.html", text("L 30 EUR")), ("all/s.html", text("S 20 EUR"))];
        let expected = [
            "/shirt-l.html moved /all/L.html",
            "/shirt-m.html gone",
            "/shirt-s.html moved /all/s.html",
        ];
        assert_eq!(fates(&old, &new), expected);
        // Nor if the other page has changed otherwise.
        let new = [("all/L.html", text("L in green"))];
        let expected =
            ["/shirt-l.html moved /all/L.html", "/shirt-m.html gone", "/shirt-s.html gone"];
        assert_eq!(fates(&old, &new), expected);
        // Nor if their names show no letter.
        let old = [("small.html", text("S")), ("large.html", text("L"))];
        let expected = ["/large.html moved /all/large.html", "/small.html gone"];
        assert_eq!(fates(&old, &[("all/large.html", text("L"))]), expected);
        // A page of all sizes is where they went.
        let old = ["l", "m", "s"].map(shirt);
        let old: Vec<_> = old.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let expected = ["l", "m", "s"].map(|size| format!("/shirt-{size}.html moved /shirt.html"));
        assert_eq!(fates(&old, &[("shirt.html", text("from XXS to XXL"))]), expected);
    }

    #[test]
    fn equal_pages_move_to_the_most_similar_urls_one_to_one() {
        let text = || passage(1, 80);
        let old = ["x/a.html", "y/a.html", "y/kept.html"].map(|path| (path, text()));
        let new = ["u/y/a.html", "u/x/a.html", "y/kept.html"].map(|path| (path, text()));
        let expected = [
            "/x/a.html moved /u/x/a.html",
            "/y/a.html moved /u/y/a.html",
            "/y/kept.html kept /y/kept.html",
        ];
        assert_eq!(fates(&old, &new), expected);
        // The same with other names: no page is matched twice while another is free.
        let new = ["v/one.html", "v/two.html"].map(|path| (path, text()));
        assert_eq!(
            fates(&old[..2], &new),
            ["/x/a.html moved /v/one.html", "/y/a.html moved /v/two.html"]
        );
        let expected = ["/x/a.html moved /v/one.html", "/y/a.html moved /v/one.html"];
        assert_eq!(fates(&old[..2], &new[..1]), expected, "both");
    }

    #[test]
    fn pages_are_kept_moved_split_merged_and_gone() {
        let [a, b, c, d, e] = [1, 2, 3, 4, 5].map(|number| passage(number, 100));
        let old = [
            ("kept.html", a.clone()),
            ("moved.html", b.clone()),
            ("split.html", [passage(6, 200), passage(7, 150), passage(8, 100)].concat()),
            ("one.html", c.clone()),
            ("two.html", d.clone()),
            ("gone.html", e),
        ];
        let new = [
            ("kept.html", a),
            ("guide/moved.html", b),
            ("parts/first.html", passage(6, 200)),
            ("parts/second.html", passage(7, 150)),
            ("parts/third.html", passage(8, 100)),
            ("both.html", c + &d),
            ("other.html", passage(9, 100)),
        ];
        assert_eq!(
            fates(&old, &new),
            [
                "/gone.html gone",
                "/kept.html kept /kept.html",
                "/moved.html moved /guide/moved.html",
                "/one.html moved /both.html",
                "/split.html moved /parts/first.html /parts/second.html /parts/third.html",
                "/two.html moved /both.html",
            ]
        );
    }

    #[test]
    fn a_page_may_have_lost_parts() {
        let [a, b] = [1, 2].map(|number| passage(number, 100));
        let old = [("page.html", a.clone() + &b)];
        let new = [("page.html", a), ("more.html", b)];
        assert_eq!(fates(&old, &new), ["/page.html kept /page.html /more.html"]);
        // A page that was split moves to its overview.
        let [a, b] = [5, 6].map(|number| passage(number, 100));
        let old = [("guide.html", a.clone() + &b)];
        let overview = ("guide/index.html", passage(7, 100));
        let new = [overview, ("guide/a.html", a), ("guide/b.html", b)];
        let expected = "/guide.html moved /guide/ /guide/a.html /guide/b.html";
        assert_eq!(fates(&old, &new), [expected]);
        // A URL that has another text now is kept, and lists where its text went.
        let (text, other) = (passage(3, 100), passage(4, 100));
        let old = [("page.html", text.clone())];
        let new = [("page.html", other), ("more.html", text)];
        assert_eq!(fates(&old, &new), ["/page.html kept /page.html /more.html"]);
    }

    #[test]
    fn among_equal_pages_the_one_with_the_same_name_is_chosen() {
        let text = passage(1, 100);
        let new = [("a/x.html", text.clone()), ("b/page.html", text.clone())];
        assert_eq!(fates(&[("page.html", text)], &new), ["/page.html moved /b/page.html"]);
    }

    #[test]
    fn an_existing_redirect_is_kept() {
        let text = passage(1, 100);
        let (old, new) = (site(&[("a.html", text.clone())]), site(&[("b.html", text)]));
        let redirect = r#"<meta http-equiv="refresh" content="0; url=b.html"><p>Moved."#;
        fs::write(new.path().join("a.html"), redirect).unwrap();
        let found = find(&MoveOptions::new(old.path(), new.path()), &Silent).unwrap();
        assert_eq!((found.moves[0].fate, found.moves[0].to), (Fate::Kept, None));
        assert!(found.arrived.is_empty());
    }

    #[test]
    fn a_page_below_the_minimum_is_gone_and_has_a_closest_page() {
        let kept = ("kept.html", passage(4, 100));
        let old = [("a.html", passage(1, 10) + &passage(2, 90)), kept.clone()];
        let new = [("b.html", passage(1, 10) + &passage(3, 190)), kept];
        let (old, new) = (site(&old), site(&new));
        let options = MoveOptions::new(old.path(), new.path());
        let found = find(&options, &Silent).unwrap();
        // They share 6 runs, of 96 and of 196.
        let page = found.new.iter().position(|page| page.url == "/b.html").unwrap() as u32;
        let closest = MovedPart { page, share_of_old: 6.0 / 96.0, share_of_new: 6.0 / 196.0 };
        assert_eq!((found.moves[0].fate, found.moves[0].closest), (Fate::Gone, Some(closest)));
        // Above the minimum, the equal title decides.
        let found = find(&options.with(|options| options.min = 0.06), &Silent).unwrap();
        assert_eq!((found.moves[0].fate, found.moves[0].to), (Fate::Moved, Some(closest)));
    }

    #[test]
    fn a_page_with_another_title_needs_half_of_the_text() {
        let [a, b, c] = [1, 2, 3].map(|number| passage(number, 40));
        let kept = ("kept.html", passage(4, 100));
        let old = [("old.html", a.clone() + &b + &c), kept.clone()];
        let mut new = vec![("b.html", passage(5, 9) + &b), kept];
        assert_eq!(fates(&old, &new)[1], "/old.html gone");
        // Split into parts, none of which replaces the page.
        new.push(("c.html", passage(6, 9) + &c));
        let (old_site, new_site) = (site(&old), site(&new));
        let found = find(&MoveOptions::new(old_site.path(), new_site.path()), &Silent).unwrap();
        assert_eq!((found.moves[1].to, found.moves[1].parts.len()), (None, 2));
        new.push(("a.html", a + &passage(7, 100)));
        assert_eq!(fates(&old, &new)[1], "/old.html moved /a.html /b.html /c.html");
    }

    #[test]
    fn a_folder_without_pages_is_refused() {
        let (some, none) =
            (site(&[("a.html", passage(1, 10))]), site(&[("b.html", String::new())]));
        let error = find(&MoveOptions::new(some.path(), none.path()), &Silent).unwrap_err();
        assert!(
            matches!(error, DuplicatesError::Site(pagekin_pages::SiteError::NoPages { .. })),
            "{error}"
        );
        let options = MoveOptions::new(some.path(), some.path()).with(|options| options.min = 2.0);
        let error = find(&options, &Silent).unwrap_err();
        assert!(error.to_string().contains("0 to 1"), "{error}");
    }

    #[test]
    fn new_pages_have_arrived() {
        let arrived = |old: &[(&str, String)], new: &[(&str, String)]| {
            let (old, new) = (site(old), site(new));
            let found = find(&MoveOptions::new(old.path(), new.path()), &Silent).unwrap();
            let url = |&page: &u32| found.new[page as usize].url.clone();
            found.arrived.iter().map(url).collect::<Vec<_>>()
        };
        let notes = |number: u32| format!("{} release {number}", passage(1, 80));
        let old = [("notes-3.html", notes(3)), ("notes-4.html", notes(4))];
        // The notes of another release do not come from an old page.
        let new = [("r/3.html", notes(3)), ("r/6.html", notes(6)), ("other.html", passage(2, 80))];
        assert_eq!(arrived(&old, &new), ["/other.html", "/r/6.html"]);
        // Nor do pages with other numbers in their names, unless they are each other's best match.
        let chapter = |number, own| format!("{} {}", passage(3, 80), passage(number, own));
        let old = [("c-1.html", chapter(4, 20)), ("kept.html", passage(9, 80))];
        let new = [
            ("d/c-1.html", chapter(4, 21)),
            ("d/c-2.html", chapter(5, 40)),
            ("kept.html", passage(9, 80)),
        ];
        assert_eq!(arrived(&old, &new), ["/d/c-2.html"]);
        // A URL that existed before has not arrived, whatever its text is now.
        let new = [("c-1.html", passage(7, 80)), ("kept.html", passage(9, 80))];
        assert_eq!(arrived(&old, &new), [""; 0]);
    }
}
