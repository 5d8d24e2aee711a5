//! The groups as the script of a report reads them: arrays instead of objects, as there may be many.

use pagekin_core::address;
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

use crate::duplicates::{Duplicates, Group, Page, Pair};

/// Why the original looks like one, its shingles, and its pages, itself first.
#[derive(Serialize)]
pub(super) struct StoredGroup<'a>(Why, u64, Vec<Row<'a>>);

/// By which part of the rule a page is its group's original: the first in which it differs from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Why {
    Canonical,
    Links,
    Address,
    Alphabet,
}

impl Why {
    fn of(original: &Page, next: &Page) -> Self {
        let length = |page: &Page| address::path(&page.url).len();
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

/// A page of a group: address, title, words, how many files name it as canonical, how many pages link to it, the number
/// of its text; and then what it is to the original.
struct Row<'a> {
    page: &'a Page,
    text: Option<u32>,
    relation: Relation,
}

enum Relation {
    Original,
    /// It has the words of this page of the group: nothing more is told.
    CopyOf(usize),
    /// The shingles of both, its own, and its B- and C-similarity.
    Near([u64; 4]),
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Page { url, title, tokens, canonical_of, in_links, .. } = self.page;
        let row = (url, title, tokens, canonical_of, in_links, self.text);
        match self.relation {
            Relation::Original => row.serialize(serializer),
            Relation::CopyOf(of) => {
                (row.0, row.1, row.2, row.3, row.4, row.5, of).serialize(serializer)
            }
            Relation::Near([both, own, b, c]) => {
                (row.0, row.1, row.2, row.3, row.4, row.5, both, own, b, c).serialize(serializer)
            }
        }
    }
}

/// The first page that has the text of each page, which is the page itself unless it is a copy.
pub(super) fn first_copies(found: &Duplicates) -> Vec<u32> {
    let mut first: Vec<u32> = (0..found.pages.len() as u32).collect();
    for pair in found.pairs.iter().filter(|pair| pair.exact) {
        first[pair.b as usize] = pair.a;
    }
    first
}

/// The groups, with the numbers of the texts that are put in, by the first page that has them.
pub(super) fn groups<'a>(
    found: &'a Duplicates,
    numbers: &FxHashMap<u32, u32>,
) -> Vec<StoredGroup<'a>> {
    let first = first_copies(found);
    found.groups.iter().map(|group| stored(found, group, &first, numbers)).collect()
}

fn stored<'a>(
    found: &'a Duplicates,
    group: &Group,
    first: &[u32],
    numbers: &FxHashMap<u32, u32>,
) -> StoredGroup<'a> {
    let page = |number: u32| &found.pages[number as usize];
    let original = group.original;
    let mut shingles = 0;
    let mut rows = vec![Row {
        page: page(original),
        text: numbers.get(&original).copied(),
        relation: Relation::Original,
    }];
    let mut places = FxHashMap::from_iter([(original, 0)]);
    for member in &group.members {
        let has_text_of = first[member.page as usize];
        let relation = match places.get(&has_text_of) {
            Some(&place) => Relation::CopyOf(place),
            None => {
                places.insert(has_text_of, rows.len());
                let Pair { shared, b_similarity, c_similarity, .. } =
                    pair(found, original, has_text_of);
                shingles = shared.a;
                let [b, c] = [b_similarity, c_similarity].map(|n| u64::from(*n));
                Relation::Near([shared.both, shared.b, b, c])
            }
        };
        let text = numbers.get(&has_text_of).copied();
        rows.push(Row { page: page(member.page), text, relation });
    }
    // Pages stand in the order in which they look like originals.
    let next = group.members.iter().map(|member| member.page).min();
    let why = next.map_or(Why::Alphabet, |next| Why::of(page(original), page(next)));
    StoredGroup(why, shingles, rows)
}

/// The pair that made a page a member.
fn pair(found: &Duplicates, original: u32, member: u32) -> &Pair {
    let at = found.pairs.binary_search_by_key(&(original, member), |pair| (pair.a, pair.b));
    &found.pairs[at.expect("a member has a pair with the original")]
}
