//! The groups as the script of a report reads them: arrays instead of objects, as there may be
//! many.

use pagekin_core::address;
use pagekin_core::near::shingles::Shared;
use rustc_hash::FxHashMap;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use crate::found::Duplicates;
use crate::groups::Group;
use crate::pair::{PagePair, PairKind};
use crate::texts::SitePage;

/// Why the original looks like one, and its pages, itself first.
#[derive(Serialize)]
pub(super) struct StoredGroup<'a>(Why, Vec<Row<'a>>);

/// By which part of the rule a page is its group's original: the first in which it differs from the
/// next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Why {
    Canonical,
    Links,
    Address,
    Alphabet,
}

impl Why {
    fn new(original: &SitePage, next: &SitePage) -> Self {
        let length = |page: &SitePage| address::path(&page.url).len();
        if original.canonical_of > next.canonical_of {
            Self::Canonical
        } else if original.in_links > next.in_links {
            Self::Links
        } else if length(original) < length(next) {
            Self::Address
        } else {
            Self::Alphabet
        }
    }
}

/// A page of a group: address, title, words, how many files name it as canonical, how many pages
/// link to it, the number of its text; and then what it is to the original: of a copy, which page
/// of the group has its words; or else the shingles of both, its own, its B- and C-similarity,
/// instead of which there are two nothings if it is all estimated, the shingles of the original
/// that these are of, and the [name](PairKind::name) of its kind.
struct Row<'a> {
    page: &'a SitePage,
    text: Option<u32>,
    relation: Relation,
}

enum Relation {
    Original,
    /// It has the words of this page of the group: nothing more is told.
    CopyOf(usize),
    /// A near-duplicate or a quotation: what it shares with the original.
    Near(PagePair),
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SitePage { url, title, tokens, canonical_of, in_links, .. } = self.page;
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(url)?;
        row.serialize_element(title)?;
        row.serialize_element(tokens)?;
        row.serialize_element(canonical_of)?;
        row.serialize_element(in_links)?;
        row.serialize_element(&self.text)?;
        match self.relation {
            Relation::Original => {}
            Relation::CopyOf(of) => row.serialize_element(&of)?,
            Relation::Near(PagePair {
                shared: Shared { both, a, b: own },
                similarities,
                kind,
                ..
            }) => {
                row.serialize_element(&both)?;
                row.serialize_element(&own)?;
                row.serialize_element(&similarities.map(|similarities| similarities.b))?;
                row.serialize_element(&similarities.map(|similarities| similarities.c))?;
                row.serialize_element(&a)?;
                row.serialize_element(kind.name())?;
            }
        }
        row.end()
    }
}

/// The first page that has the text of each page, which is the page itself unless it is a copy.
pub(super) fn first_copies(found: &Duplicates) -> Vec<u32> {
    let mut first: Vec<u32> = (0..found.pages.len() as u32).collect();
    for pair in found.pairs.iter().filter(|pair| pair.kind == PairKind::Copy) {
        first[pair.b as usize] = pair.a;
    }
    first
}

/// The groups, with the [numbers](crate::report::packing::Packed::numbers) of the texts
/// that are put in.
pub(super) fn groups<'a>(
    found: &'a Duplicates,
    numbers: &FxHashMap<(u32, u32), u32>,
) -> Vec<StoredGroup<'a>> {
    let first = first_copies(found);
    found.groups.iter().map(|group| stored(found, group, &first, numbers)).collect()
}

/// Which pages of each group are in a pair that is `known`, by their places in the group.
pub(super) fn known(found: &Duplicates, known: &[bool]) -> Vec<Vec<usize>> {
    let first = first_copies(found);
    let is_known = |a, b| known.get(place_of_pair(found, a, b)) == Some(&true);
    let of_group = |group: &Group| {
        let of_member = |member: u32| match first[member as usize] {
            of if of == member => is_known(group.original, member),
            of => is_known(of, member),
        };
        let members = (1..).zip(&group.members);
        members.filter(|(_, member)| of_member(member.page)).map(|(place, _)| place).collect()
    };
    found.groups.iter().map(of_group).collect()
}

fn stored<'a>(
    found: &'a Duplicates,
    group: &Group,
    first: &[u32],
    numbers: &FxHashMap<(u32, u32), u32>,
) -> StoredGroup<'a> {
    let page = |number: u32| &found.pages[number as usize];
    let original = group.original;
    let mut rows = vec![Row {
        page: page(original),
        text: numbers.get(&(original, original)).copied(),
        relation: Relation::Original,
    }];
    let mut places = FxHashMap::from_iter([(original, 0)]);
    for member in &group.members {
        let has_text_of = first[member.page as usize];
        let relation = match places.get(&has_text_of) {
            Some(&place) => Relation::CopyOf(place),
            None => {
                places.insert(has_text_of, rows.len());
                let pair = *pair(found, original, has_text_of);
                Relation::Near(pair)
            }
        };
        let text = numbers.get(&(has_text_of, original)).copied();
        rows.push(Row { page: page(member.page), text, relation });
    }
    // Pages stand in the order in which they look like originals.
    let next = group.members.iter().map(|member| member.page).min();
    let why = next.map_or(Why::Alphabet, |next| Why::new(page(original), page(next)));
    StoredGroup(why, rows)
}

/// The pair that made a page a member.
fn pair(found: &Duplicates, original: u32, member: u32) -> &PagePair {
    &found.pairs[place_of_pair(found, original, member)]
}

fn place_of_pair(found: &Duplicates, a: u32, b: u32) -> usize {
    let at = found.pairs.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b));
    at.expect("a member has a pair with the original, and a copy with the page it copies")
}
