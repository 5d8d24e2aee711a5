//! Finds the extras of a page that its class names do not reveal: teasers, and frames next to the
//! content.
//!
//! # Teasers
//!
//! 1. A teaser is a short summary of another page with a link to it. It contains a heading that is
//!    entirely a link to another page, and text that is not linked; or a link to another page, and
//!    a line that ends in an ellipsis. The link and that line may be in two consecutive elements,
//!    such as `dt` and `dd`.
//! 2. Teasers come in groups. One element contains at least three of them, or a single line
//!    contains at least three links.
//! 3. No teaser contains the heading of the page.
//! 4. A page that contains little else has no teasers. It is a list of pages, and they are its
//!    text.
//!
//! A link followed by text, with neither a heading nor an ellipsis, is not a teaser: tables and
//! lists of manuals consist of such entries.
//!
//! # Frames
//!
//! 1. The content is the innermost element that is named as content and contains most of the
//!    paragraphs outside of elements that are named as frames. On a page without such an element,
//!    `main`, and `article`, it is the innermost element with most of them, and only the class of
//!    an element without paragraphs names it as a frame.
//! 2. An element named as a frame is an extra if it is next to the content or next to an element
//!    around the content, unless it contains the heading of the page or most of its text.
//! 3. Ids count like classes, because generators do not derive the ids of such boxes from headings.

use super::hints::{self, Hints};
use super::tree::{
    ARTICLE, AWAY, Amount, CUT, HEADING, LEAD, MAIN, MIN_TEXT, Node, OWN, PAGEFIND, TITLE,
};

/// Maximum weight of a teaser.
const MAX_TEASER: u32 = 700;
/// Minimum number of teasers in a group.
const MIN_TEASERS: u32 = 3;
/// Maximum ratio of the weight of extras to the paragraphs of the page outside of them.
const MAX_RATIO: u64 = 5;
/// Minimum share, in percent, of the paragraphs outside of frames that the content contains.
const MIN_CONTENT: u64 = 60;

/// The element contains a heading that is entirely a link to another page.
const HEADED: u32 = 1 << 31;

/// Returns the outermost teasers. `totals` contains the amounts of elements including their
/// descendants.
pub(super) fn teasers(nodes: &[Node], totals: &[Amount]) -> Vec<usize> {
    let is_teaser = grouped(nodes, totals);
    let mut within = is_teaser.clone();
    let mut roots = Vec::new();
    for node in 1..nodes.len() {
        let is_within = within[nodes[node].parent as usize];
        if is_teaser[node] && !is_within {
            roots.push(node);
        }
        within[node] |= is_within;
    }
    let (mut weight, mut prose) = (0, 0);
    for &root in &roots {
        weight += u64::from(totals[root].weight);
        prose += totals[root].prose;
    }
    let rest = totals[0].prose - prose;
    if rest >= MIN_TEXT && weight <= MAX_RATIO * u64::from(rest) { roots } else { Vec::new() }
}

/// Whether each element is a teaser by all rules except the last.
fn grouped(nodes: &[Node], totals: &[Amount]) -> Vec<bool> {
    let n = nodes.len();
    let is_all_link = |node: usize| totals[node].linked == totals[node].weight;
    let mut is: Vec<u32> = nodes.iter().map(|node| node.traits.is).collect();
    for node in (1..n).rev() {
        if is[node] & HEADING != 0 && is[node] & LEAD != 0 && is_all_link(node) {
            is[node] |= HEADED;
        }
        is[nodes[node].parent as usize] |= is[node] & (AWAY | LEAD | CUT | HEADED | TITLE);
    }
    let has = |node: usize, what: u32| is[node] & what != 0;
    let can = |node: usize| {
        totals[node].weight <= MAX_TEASER && !has(node, TITLE | MAIN | OWN | PAGEFIND)
    };
    let is_whole =
        |node: usize| has(node, AWAY) && has(node, CUT) || has(node, HEADED) && !is_all_link(node);
    let mut is_teaser = vec![false; n];
    // For each element, its last child so far and its number of teasers.
    let (mut last, mut count) = (vec![0; n], vec![0u32; n]);
    for node in 1..n {
        let parent = nodes[node].parent as usize;
        let before = std::mem::replace(&mut last[parent], node);
        let is_second = before > 0
            && !is_teaser[before]
            && has(before, LEAD)
            && is_all_link(before)
            && has(node, CUT)
            && can(before);
        if can(node) && (is_whole(node) || is_second) {
            is_teaser[node] = true;
            is_teaser[before] |= is_second;
            count[parent] += 1;
        }
    }
    for node in 1..n {
        let is_line =
            totals[node].links >= MIN_TEASERS && is_all_link(node) && nodes[node].traits.has(CUT);
        is_teaser[node] &= count[nodes[node].parent as usize] >= MIN_TEASERS;
        is_teaser[node] |= is_line;
    }
    is_teaser
}

/// Returns the elements next to the content that are named as frames.
pub(super) fn frames(
    nodes: &[Node],
    totals: &[Amount],
    has_title: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let is_named =
        |node: usize, what: Hints| (nodes[node].traits.hints | nodes[node].traits.ids) & what != 0;
    let n = nodes.len();
    let (mut in_frame, mut prose) = (vec![false; n], vec![0u64; n]);
    for node in 0..n {
        in_frame[node] = in_frame[nodes[node].parent as usize] || is_named(node, hints::FRAME);
        prose[node] = if in_frame[node] { 0 } else { u64::from(nodes[node].own.prose) };
    }
    for node in (1..n).rev() {
        prose[nodes[node].parent as usize] += prose[node];
    }
    let has_most = |&node: &usize| {
        prose[node] >= u64::from(MIN_TEXT) && 100 * prose[node] >= MIN_CONTENT * prose[0]
    };
    // Elements with that much prose are nested, so the last one is the innermost.
    let mut large = (1..n).rev().filter(has_most);
    let named = large.clone().find(|&node| is_named(node, hints::CONTENT | hints::BODY));
    let is_marked = nodes.iter().any(|node| node.traits.has(MAIN | ARTICLE));
    let any = || large.next().filter(|_| !is_marked);
    let Some(content) = named.or_else(any) else { return Vec::new() };
    let (mut is_around, mut at) = (vec![false; n], content);
    while at > 0 {
        at = nodes[at].parent as usize;
        is_around[at] = true;
    }
    let is_frame = |node: usize| match named {
        Some(_) => is_named(node, hints::FRAME),
        None => nodes[node].traits.is_named(hints::FRAME) && totals[node].prose < MIN_TEXT,
    };
    let is_next_to_content = |&node: &usize| {
        is_frame(node)
            && is_around[nodes[node].parent as usize]
            && !is_around[node]
            && node != content
            && !has_title(node)
            && u64::from(totals[node].prose) <= MAX_RATIO * prose[content]
    };
    (1..n).filter(is_next_to_content).collect()
}
