//! Decides which text of a page is its main text.
//!
//! # Rules
//!
//! 1. Marks of the owner take precedence. The content of `data-pagekin-body`, or otherwise of
//!    `data-pagefind-body`, is main text, except menus. The rest of the page is excluded.
//! 2. An element with most of the text of a page is neither frame nor extra, whatever its name. But
//!    a page whose `main` is empty has no text in its frame. Teasers, and frames next to an element
//!    named as the content, are extras and do not count here (see `extras.rs`).
//! 3. The *core* of a page consists of the elements that contain its paragraphs: those named as the
//!    text of an article, or else `article`, or else `main`. Each kind counts only where it
//!    contains enough of the page's paragraphs, so a teaser in an `article` does not replace a text
//!    in a `div`. If such elements are nested, the innermost one with nearly all of the text
//!    counts.
//! 4. A page is *published* if it contains what publishers add to texts, such as comments, share
//!    buttons, teasers or metadata for link previews. If nothing marks the core of such a page, the
//!    core is the smallest element with most of the paragraphs. Other pages, such as those of
//!    manuals, are entirely core.
//! 5. In the core, comments and extras are other text. On published pages, so are links without a
//!    text, captions, bylines, and headings that only have such content. This does not apply to
//!    other pages, because an index is a list of links.
//! 6. Outside of the core, the heading of the page and paragraphs before the core are main text. On
//!    pages that are not published, so is all text before a core of several parts, such as the
//!    functions of a module. The rest is other text. Menus, dialogs, and the header and footer of
//!    a page are in neither, except a header with the heading of the page.
//!
//! Time is linear in the number of elements.

use std::ops::Range;

use super::tree::{
    ARTICLE, ARTICLE_BODY, ASIDE, Amount, CAPTION, DIALOG, FOOTER, HEADER, HEADING, HIDDEN, IMAGE,
    MAIN, MIN_TEXT, NAV, Node, OWN, PAGEFIND, Reason, TITLE, Traits, Tree, UNSEEN,
};
use super::{extras, hints};

/// The class of a range of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Main,
    Other,
    Out(Reason),
}

/// Minimum number of elements named as comments or extras in a published page.
const MIN_APPARATUS: usize = 3;
/// Minimum share, in percent, of the paragraphs of a page that its core contains if it consists of
/// texts of articles, of `article`, of `main`, or of what is named as content. `main` may contain
/// less if little is outside of it.
const MIN_CORE: [u64; 4] = [25, 35, 35, 60];
const LITTLE: u32 = 500;
/// Minimum amount of text in paragraphs, and minimum number of links outside of it, in a page that
/// consists of a text among menus.
const MIN_AMONG_MENUS: u32 = 400;
const MIN_MENU_LINKS: u32 = 30;

pub(super) struct Classes {
    /// All ranges of the text with their classes, in order.
    pub(super) stretches: Vec<(Class, Range<usize>)>,
    /// The classes of all hidden elements once something opens them, in order.
    pub(super) hidden: Vec<Class>,
}

impl Classes {
    pub(super) fn new(tree: Tree) -> Self {
        let mut decision = Decision::new(tree);
        decision.decide();
        Self { stretches: decision.stretches(), hidden: decision.hidden() }
    }
}

/// Whether a `main` contains anything readable.
fn has_text_in_main(nodes: &[Node]) -> bool {
    let mut in_main = vec![false; nodes.len()];
    (0..nodes.len()).any(|node| {
        let Node { parent, own, traits, .. } = nodes[node];
        in_main[node] = in_main[parent as usize] || traits.has(MAIN);
        in_main[node] && (own.weight > 0 || traits.has(IMAGE))
    })
}

/// The amounts of an element including its descendants.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    all: Amount,
    /// Weight of text, and of text in paragraphs, outside of elements that are excluded by name.
    named: u32,
    clean: u32,
    titles: u32,
}

struct Decision {
    nodes: Vec<Node>,
    totals: Vec<Total>,
    classes: Vec<Class>,
    has_card: bool,
    /// Whether its `main` is empty. The frame around it is then not text of the page.
    is_empty: bool,
    is_published: bool,
    /// Whether an element is marked as the core.
    is_marked: bool,
}

impl Decision {
    fn new(Tree { nodes, has_card, has_main, .. }: Tree) -> Self {
        let totals = vec![Total::default(); nodes.len()];
        let classes = vec![Class::Main; nodes.len()];
        let is_empty = has_main && !has_text_in_main(&nodes);
        Self { nodes, totals, classes, has_card, is_empty, is_published: false, is_marked: false }
    }

    fn parent(&self, node: usize) -> usize {
        self.nodes[node].parent as usize
    }

    fn traits(&self, node: usize) -> Traits {
        self.nodes[node].traits
    }

    /// All elements except the root, innermost first.
    fn inward(&self) -> impl Iterator<Item = usize> + use<> {
        (1..self.nodes.len()).rev()
    }

    fn decide(&mut self) {
        self.sum();
        if self.apply_owner_marks() {
            return;
        }
        self.set_apart(|of, amounts| extras::teasers(&of.nodes, amounts));
        self.publish();
        self.set_apart(|of, amounts| {
            extras::frames(&of.nodes, amounts, |node| of.totals[node].titles > 0)
        });
        self.unmark_largest();
        let excluded = self.excluded();
        for (node, &is_excluded) in excluded.iter().enumerate() {
            let own = self.nodes[node].own;
            if !is_excluded {
                (self.totals[node].named, self.totals[node].clean) = (own.weight, own.prose);
            }
        }
        for node in self.inward() {
            let (Total { named, clean, .. }, parent) = (self.totals[node], self.parent(node));
            self.totals[parent].named += named;
            self.totals[parent].clean += clean;
        }
        let core = self.core(&excluded);
        self.classify(&core);
        if self.is_published {
            self.classify_headings();
        }
    }

    fn sum(&mut self) {
        for (total, node) in self.totals.iter_mut().zip(&self.nodes) {
            let titles = u32::from(node.traits.has(TITLE));
            *total = Total { all: node.own, titles, ..Total::default() };
        }
        for node in self.inward() {
            let (Total { all, titles, .. }, parent) = (self.totals[node], self.parent(node));
            self.totals[parent].all.add(all);
            self.totals[parent].titles += titles;
        }
    }

    /// Marks [teasers and frames](extras) as extras, without paragraphs of the page.
    fn set_apart(&mut self, find: impl Fn(&Self, &[Amount]) -> Vec<usize>) {
        let amounts: Vec<Amount> = self.totals.iter().map(|total| total.all).collect();
        let found = find(self, &amounts);
        if found.is_empty() {
            return;
        }
        let mut within = vec![false; self.nodes.len()];
        for extra in found {
            self.nodes[extra].traits.hints |= hints::EXTRA;
            within[extra] = true;
        }
        for node in 1..self.nodes.len() {
            within[node] |= within[self.parent(node)];
            if within[node] {
                self.nodes[node].own.prose = 0;
            }
        }
        self.sum();
    }

    /// Applies rule 1 and returns whether it decides.
    fn apply_owner_marks(&mut self) -> bool {
        let is_marked = |mark| self.nodes.iter().any(|node| node.traits.has(mark));
        let Some(mark) = [OWN, PAGEFIND].into_iter().find(|&mark| is_marked(mark)) else {
            return false;
        };
        for node in 0..self.nodes.len() {
            let traits = self.traits(node);
            let around = if node > 0 {
                self.classes[self.parent(node)]
            } else {
                Class::Out(Reason::Outside)
            };
            self.classes[node] = if traits.has(mark) {
                Class::Main
            } else if around == Class::Main && traits.has(NAV) {
                Class::Out(Reason::Navigation)
            } else {
                around
            };
        }
        true
    }

    /// Determines whether the page is published. Ids count only in pages that are made to be
    /// shared, since manuals derive ids from headings.
    fn publish(&mut self) {
        let mut in_menu = vec![false; self.nodes.len()];
        let (mut apparatus, mut is_signed) = (0, false);
        for node in 1..self.nodes.len() {
            let traits = self.traits(node);
            let names = traits.hints | traits.ids;
            in_menu[node] = in_menu[self.parent(node)] || traits.has(NAV);
            let counts = !in_menu[node] && names & (hints::EXTRA | hints::COMMENTS) != 0;
            apparatus += usize::from(counts);
            is_signed |= names & hints::ABOUT != 0;
        }
        self.is_published =
            apparatus >= MIN_APPARATUS || self.has_card && (apparatus > 0 || is_signed);
        if self.is_published || self.has_card {
            for node in &mut self.nodes {
                node.traits.hints |= node.traits.ids;
            }
        }
    }

    /// Applies rule 2.
    fn unmark_largest(&mut self) {
        let page = self.totals[0].all;
        for (node, total) in self.nodes.iter_mut().zip(&self.totals).skip(1) {
            let (traits, Amount { prose, weight, .. }) = (&mut node.traits, total.all);
            if total.titles > 0 && prose > page.prose / 4 {
                traits.is &= !DIALOG;
                traits.hints &= !(hints::EXTRA | hints::PATH | hints::DIALOG);
            }
            let is_most =
                if page.prose > 0 { prose > page.prose / 2 } else { weight > page.weight / 2 };
            if is_most && !self.is_empty {
                traits.is &= !(HEADER | FOOTER | ASIDE | UNSEEN | DIALOG);
                traits.is &= if page.prose > 0 { !NAV } else { !0 };
                traits.hints &=
                    !(hints::EXTRA | hints::PATH | hints::FRAME | hints::ABOUT | hints::DIALOG);
                if prose > page.prose / 5 * 4 {
                    traits.hints &= !hints::COMMENTS;
                }
            }
        }
    }

    /// Finds the elements that are not main text, by their names alone.
    fn excluded(&self) -> Vec<bool> {
        let no_text = hints::COMMENTS | hints::EXTRA | hints::PATH | hints::DIALOG;
        let mut excluded = vec![false; self.nodes.len()];
        let mut in_text = vec![false; self.nodes.len()];
        for node in 1..self.nodes.len() {
            let (traits, parent) = (self.traits(node), self.parent(node));
            in_text[node] = in_text[parent]
                || traits.has(MAIN | ARTICLE | ARTICLE_BODY)
                || traits.is_named(hints::BODY);
            excluded[node] = excluded[parent]
                || traits.has(NAV | UNSEEN | DIALOG)
                || traits.is_named(no_text) && !traits.has(HEADING)
                || !in_text[parent]
                    && (traits.has(HEADER | FOOTER | ASIDE) || traits.is_named(hints::FRAME));
        }
        excluded
    }

    /// Finds the elements that contain the page's text (rules 3 and 4).
    fn core(&mut self, excluded: &[bool]) -> Vec<bool> {
        let is_shared = self.is_published || self.has_card;
        let is_body =
            |traits: Traits| traits.has(ARTICLE_BODY) || is_shared && traits.is_named(hints::BODY);
        let is_content = |traits: Traits| is_shared && traits.is_named(hints::CONTENT);
        let kinds: [&dyn Fn(Traits) -> bool; 4] =
            [&is_body, &|traits| traits.has(ARTICLE), &|traits| traits.has(MAIN), &is_content];
        // In a manual, the whole `main` is text.
        let order = if self.is_published { [0, 1, 2, 3] } else { [2, 0, 1, 3] };
        for kind in order {
            let (is, percent) = (kinds[kind], MIN_CORE[kind]);
            let mut roots = self.roots(|node| !excluded[node] && is(self.traits(node)));
            if kind == 0 {
                roots = self.joined(roots);
            }
            let most = roots.iter().map(|&root| self.totals[root].clean).max().unwrap_or(0);
            if self.is_published {
                roots.retain(|&root| 5 * u64::from(self.totals[root].clean) >= u64::from(most));
            }
            if self.is_enough(&roots, percent, kind == 2) {
                self.is_marked = kind < 3;
                self.is_published |= self.has_card && kind == 3;
                return self.are(&roots);
            }
        }
        self.is_published |= self.has_card;
        let densest = self.densest();
        let around = self.parent(self.parent(densest));
        let core = if self.is_published {
            densest
        } else if self.is_among_menus(around) {
            around
        } else {
            0
        };
        self.are(&[core])
    }

    fn are(&self, nodes: &[usize]) -> Vec<bool> {
        let mut are = vec![false; self.nodes.len()];
        nodes.iter().for_each(|&node| are[node] = true);
        are
    }

    /// Returns the elements of a kind, in order, with none nested in another. Of nested elements
    /// the inner ones are kept if they contain nearly all of the text.
    fn roots(&self, is: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut held = vec![0u64; self.nodes.len()];
        let mut is_root = vec![false; self.nodes.len()];
        for node in self.inward() {
            let clean = u64::from(self.totals[node].clean);
            if is(node) && 4 * held[node] < 3 * clean.max(1) {
                is_root[node] = true;
                held[node] = clean;
            }
            held[self.parent(node)] += held[node];
        }
        let mut within = vec![false; self.nodes.len()];
        let mut roots = Vec::new();
        for node in 1..self.nodes.len() {
            let parent = self.parent(node);
            within[node] = within[parent] || is_root[parent];
            if is_root[node] && !within[node] {
                roots.push(node);
            }
        }
        roots
    }

    /// Joins the parts of one text: returns the element around them if it contains little else and
    /// no part is in an article of its own.
    fn joined(&self, roots: Vec<usize>) -> Vec<usize> {
        let Some(&first) = roots.first().filter(|_| self.is_published) else { return roots };
        let mut common = first;
        for &root in &roots {
            let mut node = root;
            while common != node {
                if common > node {
                    common = self.parent(common);
                } else {
                    node = self.parent(node);
                }
            }
        }
        let whole: u64 = roots.iter().map(|&root| u64::from(self.totals[root].clean)).sum();
        let mut in_article = vec![false; self.nodes.len()];
        for node in common + 1..self.nodes.len() {
            in_article[node] = in_article[self.parent(node)] || self.traits(node).has(ARTICLE);
        }
        let is_one = 2 * u64::from(self.totals[common].clean) <= 3 * whole
            && !roots.iter().any(|&root| in_article[root]);
        if is_one { vec![common] } else { roots }
    }

    /// Whether these elements contain enough of the page's text. `is_main` means that they are its
    /// `main`.
    fn is_enough(&self, roots: &[usize], percent: u64, is_main: bool) -> bool {
        let page = self.totals[0];
        let (mut clean, mut named) = (0, 0);
        for &root in roots {
            clean += self.totals[root].clean;
            named += self.totals[root].named;
        }
        let is_most = named >= page.named / 2 || page.clean - clean < LITTLE;
        !roots.is_empty()
            && (is_main && is_most
                || 100 * u64::from(clean) >= percent * u64::from(page.clean)
                    && (clean > 0 || page.clean == 0))
    }

    /// Returns the smallest element that contains most paragraphs.
    fn densest(&self) -> usize {
        let mut at = 0;
        if self.totals[0].clean < MIN_TEXT {
            return at;
        }
        for node in 1..self.nodes.len() {
            let [inner, outer] = [node, at].map(|node| u64::from(self.totals[node].clean));
            if self.parent(node) == at && 5 * inner >= 3 * outer {
                at = node;
            }
        }
        at
    }

    /// Whether a text contains nearly all unlinked text of the page and is surrounded by long
    /// menus.
    fn is_among_menus(&self, core: usize) -> bool {
        let (text, page) = (self.totals[core], self.totals[0].all);
        let plain = |of: Amount| u64::from(of.weight - of.linked);
        if text.clean < MIN_AMONG_MENUS
            || text.all.is_linked(1, 4)
            || 4 * plain(text.all) < 3 * plain(page)
        {
            return false;
        }
        let (mut links, mut end) = (0, 0);
        for (place, (node, total)) in self.nodes.iter().zip(&self.totals).enumerate().skip(1) {
            let is_menu =
                total.all.links >= 4 && total.all.prose == 0 && total.all.is_linked(7, 10);
            if node.start >= end && (place == core || is_menu) {
                end = node.end;
                links += if place == core { 0 } else { total.all.links };
            }
        }
        links >= MIN_MENU_LINKS
    }

    /// Applies rules 5 and 6.
    fn classify(&mut self, core: &[bool]) {
        let n = self.nodes.len();
        let mut around = vec![false; n];
        let mut core_weight = 0;
        for node in self.inward() {
            around[self.nodes[node].parent as usize] |= core[node] || around[node];
            core_weight += if core[node] { self.totals[node].all.weight } else { 0 };
        }
        if self.is_marked && !core[0] {
            self.classes[0] = Class::Other;
        }
        let (mut inside, mut in_text) = (core.to_vec(), vec![false; n]);
        // Main text before the core of a page of a manual, and next to it.
        let mut is_lead = vec![false; n];
        let is_in_parts = !self.is_published && core.iter().filter(|&&is_core| is_core).count() > 1;
        let mut is_after = false;
        for node in 1..n {
            let (traits, parent) = (self.traits(node), self.parent(node));
            inside[node] |= inside[parent];
            in_text[node] = in_text[parent] || traits.has(ARTICLE | MAIN);
            is_after |= core[node];
            let outer = self.classes[parent];
            self.classes[node] = if core[node] {
                Class::Main
            } else if !around[parent] && outer != Class::Main {
                self.within(node, outer)
            } else if traits.has(IMAGE) {
                // An image in a line of text counts as a word of it.
                let is_word = !self.is_published || self.nodes[parent].own.weight > 0;
                if is_word { outer } else { Class::Other }
            } else if let Some(class) =
                self.by_name(node, in_text[node] || inside[node] && !core[0])
            {
                class
            } else if inside[node] || around[node] && !self.is_marked {
                Class::Main
            } else if around[node] {
                Class::Other
            } else {
                let is_near = around[parent]
                    && (in_text[parent] || core_weight >= self.totals[parent].all.weight / 2);
                let is_in_lead = is_lead[parent] && !self.totals[node].all.is_linked(1, 2);
                let class = self.outside(node, is_near, is_after, is_in_parts);
                let is_before = !self.is_published && is_near && !is_after;
                is_lead[node] = is_in_lead || is_before && class == Class::Main;
                if is_in_lead { Class::Main } else { class }
            };
        }
    }

    /// The class of an element in an element that is not main text.
    fn within(&self, node: usize, outer: Class) -> Class {
        match outer {
            Class::Other if self.traits(node).has(NAV) => Class::Out(Reason::Navigation),
            Class::Other if self.traits(node).has(UNSEEN) => Class::Out(Reason::Unseen),
            outer => outer,
        }
    }

    /// The class of an element by its name and its links. `in_text` means that it is in the core,
    /// in a `main` or in an `article`.
    fn by_name(&self, node: usize, in_text: bool) -> Option<Class> {
        let (traits, all) = (self.traits(node), self.totals[node].all);
        if traits.has(NAV) {
            return Some(Class::Out(Reason::Navigation));
        }
        if traits.has(UNSEEN) {
            return Some(Class::Out(Reason::Unseen));
        }
        if traits.has(DIALOG) || traits.is_named(hints::DIALOG) {
            return Some(Class::Out(Reason::Frame));
        }
        let is_links = all.is_linked(1, 2);
        if traits.has(HEADER | FOOTER) && !in_text {
            // The headline of a page may be in its header, separate from the rest.
            let has_headline = traits.has(HEADER) && self.totals[node].titles > 0 && !is_links;
            return Some(if has_headline { Class::Other } else { Class::Out(Reason::Frame) });
        }
        if traits.has(HEADING) {
            return None;
        }
        let is_frame = if self.is_marked {
            !in_text || is_links && self.is_published
        } else {
            self.is_published
        };
        let is_small = |amount: u32| amount < self.totals[0].clean / 5;
        let is_about = traits.has(CAPTION) || traits.is_named(hints::ABOUT | hints::GALLERY);
        let leads = all.is_linked(4, 5) || all.links > 2 && is_links && all.prose == 0;
        let is_other = traits.is_named(hints::COMMENTS | hints::EXTRA | hints::PATH)
            || traits.is_named(hints::FRAME) && is_frame
            || traits.has(ASIDE | FOOTER | HEADER) && (is_links || !in_text)
            || self.is_published && is_about && is_small(all.prose)
            || self.is_published && in_text && leads && is_small(all.weight);
        is_other.then_some(Class::Other)
    }

    /// The class of an element outside of the core. `is_near` means that it is next to the core in
    /// an element with little else, or in the same article; `is_after`, that the core has started;
    /// `is_in_parts`, that the core consists of several parts, such as the functions of a module,
    /// which a short text such as the module's name may precede.
    fn outside(&self, node: usize, is_near: bool, is_after: bool, is_in_parts: bool) -> Class {
        let (traits, total) = (self.traits(node), self.totals[node]);
        let is_text = !total.all.is_linked(1, 3) && total.all.prose > 0;
        let is_main = if !is_after && total.titles > 0 {
            traits.has(TITLE) || !total.all.is_linked(1, 2)
        } else if !self.is_published && !self.is_marked {
            !total.all.is_linked(1, 2)
        } else if !is_after && is_near {
            (is_text || is_in_parts && !total.all.is_linked(1, 3))
                && !traits.is_named(hints::ABOUT | hints::FRAME)
        } else {
            !self.is_marked && is_text && total.clean > self.totals[0].clean / 6
        };
        if is_main { Class::Main } else { Class::Other }
    }

    /// Gives headings the class of the content that follows them.
    fn classify_headings(&mut self) {
        let mut first_in = vec![0; self.nodes.len()];
        for node in self.inward() {
            let parent = self.parent(node);
            let next = std::mem::replace(&mut first_in[parent], node);
            let traits = self.traits(node);
            if traits.has(HEADING)
                && !traits.has(TITLE)
                && self.classes[node] == Class::Main
                && next > 0
                && self.classes[next] == Class::Other
                && !self.traits(next).has(IMAGE)
            {
                self.classes[node] = Class::Other;
            }
        }
    }

    /// The classes of hidden elements once they are open. Menus and dialogs are not text.
    fn hidden(&self) -> Vec<Class> {
        let is_hidden = |node: &usize| self.traits(*node).has(HIDDEN);
        let hidden = (1..self.nodes.len()).filter(is_hidden);
        let class = |node: usize| {
            let traits = self.traits(node);
            let names = traits.hints | traits.ids;
            if traits.has(NAV | DIALOG) || names & (hints::FRAME | hints::PATH | hints::DIALOG) != 0
            {
                Class::Out(Reason::Unseen)
            } else {
                self.classes[node]
            }
        };
        hidden.map(class).collect()
    }

    fn stretches(&self) -> Vec<(Class, Range<usize>)> {
        let mut stretches: Vec<(Class, Range<usize>)> = Vec::new();
        let mut push = |node: usize, from: u32, to: u32| {
            if from < to {
                match stretches.last_mut() {
                    Some((last, range)) if *last == self.classes[node] => range.end = to as usize,
                    _ => stretches.push((self.classes[node], from as usize..to as usize)),
                }
            }
        };
        let (mut at, mut open) = (0, vec![0]);
        for (place, node) in self.nodes.iter().enumerate().skip(1) {
            while let Some(&last) = open.last()
                && last != node.parent as usize
            {
                let end = self.nodes[last].end;
                push(last, at, end);
                at = at.max(end);
                open.pop();
            }
            push(node.parent as usize, at, node.start);
            at = node.start;
            open.push(place);
        }
        while let Some(last) = open.pop() {
            let end = self.nodes[last].end;
            push(last, at, end);
            at = at.max(end);
        }
        stretches
    }
}
