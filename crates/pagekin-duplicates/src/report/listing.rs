//! Serializes the groups for the script of a report, as arrays instead of objects to save space.

use pagekin_core::address;
use pagekin_core::near::shingles::Shared;
use rustc_hash::FxHashMap;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use crate::found::Duplicates;
use crate::groups::Group;
use crate::pair::{PagePair, PairKind};
use crate::texts::SitePage;

/// The reason why the original was chosen, and the pages, original first.
#[derive(Serialize)]
pub(super) struct StoredGroup<'a>(Why, Vec<Row<'a>>);

/// The part of the rule by which a page is its group's original: the first in which it differs from
/// the next page.
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

/// A page of a group. The array contains its URL, title, number of words, number of files that name
/// it as canonical, number of pages that link to it, and the number of its text. Then follows its
/// relation to the original. For a copy, this is the index in the group of the page with the same
/// words. Otherwise: the shared shingles, the page's own shingles, B- and C-similarity (both null
/// if estimated), the original's shingles, and the [name](PairKind::name) of the kind.
struct Row<'a> {
    page: &'a SitePage,
    text: Option<u32>,
    relation: Relation,
}

enum Relation {
    Original,
    /// The page has the same words as this page of the group.
    CopyOf(usize),
    /// A near-duplicate or a quotation, with what it shares with the original.
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

/// Returns the first page with the text of each page: the page itself unless it is a copy.
pub(super) fn first_copies(found: &Duplicates) -> Vec<u32> {
    let mut first: Vec<u32> = (0..found.pages.len() as u32).collect();
    for pair in found.pairs.iter().filter(|pair| pair.kind == PairKind::Copy) {
        first[pair.b as usize] = pair.a;
    }
    first
}

/// Returns the groups. `numbers` are the [numbers](crate::report::packing::Packed::numbers) of the
/// included texts.
pub(super) fn groups<'a>(
    found: &'a Duplicates,
    numbers: &FxHashMap<(u32, u32), u32>,
) -> Vec<StoredGroup<'a>> {
    let first = first_copies(found);
    found.groups.iter().map(|group| stored(found, group, &first, numbers)).collect()
}

/// Returns the positions within each group of the pages in a `known` pair.
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
    // Pages are numbered by how probable they are as originals, so the lowest number is next.
    let next = group.members.iter().map(|member| member.page).min();
    let why = next.map_or(Why::Alphabet, |next| Why::new(page(original), page(next)));
    StoredGroup(why, rows)
}

/// Returns the pair that made a page a member.
fn pair(found: &Duplicates, original: u32, member: u32) -> &PagePair {
    &found.pairs[place_of_pair(found, original, member)]
}

fn place_of_pair(found: &Duplicates, a: u32, b: u32) -> usize {
    let at = found.pairs.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b));
    at.expect("a member has a pair with the original, and a copy with the page it copies")
}
