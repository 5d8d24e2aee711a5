//! The tree of a page while it is built, and the walk over it. It contains only what is needed to
//! read the text.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::ops::Range;
use std::sync::LazyLock;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};
use pagekin_core::links::LinkReader;
use pagekin_core::page::{ATTRIBUTES, PageReader, Visit};
use rustc_hash::FxHashSet;

use crate::site::markup;
use crate::site::markup::PageRemarks;
use crate::site::nodes::{Content, DOCUMENT, Name, Node, NodeId, Nodes, Value};
use crate::site::selectors::{Role, Selectors};

/// The names under which attributes are kept that other attributes name, as `name NUL value`, so
/// that their names are not interned; and the mark of an element that a selector chose as a root.
const NAMED: &str = "name[]";
const ROOT: &str = "root[]";

/// Maximum depth of nested elements. Browsers stop at 512; the parser's time is quadratic in the
/// depth.
const MAX_DEPTH: u16 = 1_024;
/// Maximum number of open formatting elements, such as `b`. The parser reopens them in each
/// paragraph until they are closed, and compares each one with all open ones, attribute by
/// attribute. An element with many attributes counts as several.
const MAX_FORMATTING: u16 = 256;
const ATTRIBUTES_OF_ONE: usize = 16;
/// Maximum number of steps of the parser, plus a number for each byte of the page. A step looks at
/// one element, or takes about as long. Ordinary pages take 1 to 3 steps per byte.
const MAX_STEPS: u64 = 10_000_000;
const STEPS_OF_BYTE: u64 = 12;
/// Number of steps of a formatting element for each open one, and of an attribute.
const STEPS_OF_FORMATTING: u64 = 32;
const STEPS_OF_ATTRIBUTE: u64 = 4;
/// Number of steps of a parse error: each NUL is read separately.
const STEPS_OF_ERROR: u64 = 40;
/// Maximum memory of a tree without its texts: 800,000 elements and texts, 1.5 times those of the
/// single-page HTML standard.
const MAX_TREE_BYTES: usize = 48 << 20;
/// Maximum number of bytes of the text of a node. A longer text between two tags has several
/// nodes, filled in order, however the parser divided it.
const MAX_TEXT: usize = 4_096;
/// Maximum number of [mentioned](Mention) elements of a page. To decide whether one is in the page
/// takes up to as many steps as it is deep.
const MAX_MENTIONS: usize = 1_024;
/// The prefix of the names of pagekin's own elements.
const OWN_ELEMENTS: &str = "pagekin-";

/// An element that needs a script, anywhere in a page: also in frames, whose text does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention<'a> {
    /// One of pagekin's own elements, by the name after `pagekin-`.
    Element(&'a str),
    /// A `script` with its `src` as written.
    Script(&'a str),
}

/// Receives a walk over a tree, as [`PageReader`] does.
pub trait Listener {
    /// Reports an element of the page that needs a script. All are reported before the walk starts.
    fn mention(&mut self, _: Mention<'_>) {}
    fn open<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> Visit;
    fn text(&mut self, text: &str);
    fn close(&mut self);
}

macro_rules! listens {
    ($reader:ty) => {
        impl Listener for $reader {
            fn open<'a>(
                &mut self,
                name: &str,
                attribute: impl Fn(&str) -> Option<Cow<'a, str>>,
            ) -> Visit {
                self.open(name, attribute)
            }

            fn text(&mut self, text: &str) {
                self.text(text);
            }

            fn close(&mut self) {
                self.close();
            }
        }
    };
}
listens!(PageReader);
listens!(LinkReader);

/// The tree of a page during its construction.
#[derive(Debug)]
pub(crate) struct Dom {
    nodes: RefCell<Nodes>,
    /// The bytes of nodes and attributes.
    bytes: Cell<usize>,
    /// The steps that the parser has taken, and their maximum.
    steps: Cell<u64>,
    /// The names of elements that are [interned](Dom::name).
    interned: RefCell<FxHashSet<LocalName>>,
    most_steps: u64,
    overfull: Cell<Option<&'static str>>,
    /// Whether an element has an attribute with metadata, and whether one marks the body.
    has_metadata: Cell<bool>,
    marks_body: Cell<bool>,
    selectors: Selectors,
    remarks: RefCell<PageRemarks>,
    /// The elements that need a script, with the `src` of each `script`.
    mentions: RefCell<Vec<(NodeId, StrTendril)>>,
}

impl Dom {
    /// Returns the empty tree of a page of this many bytes.
    pub(crate) fn new(bytes: usize, selectors: &Selectors) -> Self {
        let dom = Self {
            nodes: RefCell::default(),
            bytes: Cell::new(0),
            steps: Cell::new(0),
            interned: RefCell::default(),
            most_steps: MAX_STEPS + STEPS_OF_BYTE * bytes as u64,
            overfull: Cell::new(None),
            has_metadata: Cell::new(false),
            marks_body: Cell::new(false),
            selectors: selectors.clone(),
            remarks: RefCell::default(),
            mentions: RefCell::default(),
        };
        let document = dom.create(Content::Nothing);
        debug_assert_eq!(document, DOCUMENT);
        dom
    }

    /// Returns the reason why parsing must stop here, if any.
    pub(crate) fn overfull(&self) -> Option<&'static str> {
        let slow = self.steps.get() > self.most_steps;
        self.overfull.get().or(slow.then_some("elements that take too long to put together"))
    }

    /// The steps that the parser has taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get() + steps);
    }

    /// Whether an element has an attribute with metadata of the page.
    pub(crate) fn has_metadata(&self) -> bool {
        self.has_metadata.get()
    }

    /// Takes the remarks on the page.
    pub(crate) fn take_remarks(&self) -> PageRemarks {
        self.remarks.take()
    }

    fn take(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
        if self.bytes.get() > MAX_TREE_BYTES {
            self.overfull.set(Some("more elements than fit into 48 MiB"));
        }
    }

    fn create(&self, content: Content) -> NodeId {
        self.take(size_of::<Node>());
        self.nodes.borrow_mut().push(Node::new(content))
    }

    /// Returns the name of an element. The parser interns names that are not in HTML, and searches
    /// those that it has interned, possibly all of them.
    fn name(&self, name: QualName) -> Name {
        if name.local.is_dynamic() {
            let mut interned = self.interned.borrow_mut();
            interned.insert(name.local.clone());
            self.count(interned.len() as u64);
        }
        Name { namespace: name.ns, local: name.local }
    }

    /// The number of chunks of nodes.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.borrow().chunks.len()
    }

    /// The nodes in document order, with their names, attributes and texts.
    #[cfg(test)]
    pub(crate) fn outline(&self) -> String {
        use std::fmt::Write as _;
        let nodes = self.nodes.borrow();
        let mut outline = String::new();
        let mut pending = vec![(0, DOCUMENT)];
        while let Some((depth, id)) = pending.pop() {
            let node = &nodes[id];
            write!(outline, "{:depth$}{} ", "", node.depth).unwrap();
            match &node.content {
                Content::Nothing => outline.push('-'),
                Content::Text(text) => write!(outline, "{:?}", &**text).unwrap(),
                Content::Element { name, attributes, template, formatting } => {
                    write!(outline, "{name:?} {formatting}").unwrap();
                    for Value { name, value } in nodes.values(attributes) {
                        write!(outline, " {name:?}={:?}", &**value).unwrap();
                    }
                    pending.extend(template.map(|contents| (depth + 1, contents)));
                }
            }
            outline.push('\n');
            let mut child = node.last;
            while let Some(id) = child {
                pending.push((depth + 1, id));
                child = nodes[id].before;
            }
        }
        outline
    }

    /// Inserts a text below `parent`, before `next` or at the end. The node before takes what fits.
    fn insert_text(&self, parent: NodeId, mut text: StrTendril, next: Option<NodeId>) {
        let before = match next {
            Some(next) => self.nodes.borrow()[next].before,
            None => self.nodes.borrow()[parent].last,
        };
        if let Some(before) = before
            && let Content::Text(before) = &mut self.nodes.borrow_mut()[before].content
        {
            let room = text.floor_char_boundary(MAX_TEXT - before.len());
            before.push_slice(&text[..room]);
            text.pop_front(room as u32);
        }
        while !text.is_empty() {
            let end = text.floor_char_boundary(MAX_TEXT) as u32;
            let node = self.create(Content::Text(text.subtendril(0, end)));
            text.pop_front(end);
            self.insert(parent, node, next);
        }
    }

    /// Inserts `child`, which has no parent, below `parent`, before `next` or at the end.
    fn insert(&self, parent: NodeId, child: NodeId, next: Option<NodeId>) {
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent].depth.saturating_add(1);
        if depth > MAX_DEPTH {
            self.overfull.set(Some("elements nested more than 1,024 deep"));
        }
        let own = nodes[child].own_formatting();
        let formatting = nodes[parent].formatting.saturating_add(own);
        if own > 0 {
            self.count(STEPS_OF_FORMATTING * u64::from(formatting) * u64::from(own));
            if formatting > MAX_FORMATTING {
                self.overfull.set(Some("formatting nested more than 256 deep"));
            }
        }
        let before = match next {
            Some(next) => nodes[next].before.replace(child),
            None => nodes[parent].last.replace(child),
        };
        match before {
            Some(before) => nodes[before].next = Some(child),
            None => nodes[parent].first = Some(child),
        }
        let node = &mut nodes[child];
        (node.parent, node.before, node.next) = (Some(parent), before, next);
        (node.depth, node.formatting) = (depth, formatting);
        if let Content::Element { template: Some(contents), .. } = node.content {
            nodes[contents].depth = depth;
        }
    }

    /// Takes the attributes of an element that readers request, at most one per name.
    fn values(&self, element: &LocalName, attributes: &mut Vec<Attribute>) -> Range<u32> {
        let has = |wanted: &str| {
            let found = attributes.iter().find(|attribute| &*attribute.name.local == wanted);
            found.map(|attribute| &*attribute.value)
        };
        let role = self.selectors.role(element, has);
        let of_role = role.map(|role| match role {
            Role::Excluded => Value::new(markup::IGNORE[0], "all"),
            Role::Root => Value::new(ROOT, ""),
        });
        let named = self.named_values(attributes);
        let asked = attributes.drain(..).filter(|attribute| is_asked(&attribute.name.local));
        let asked = asked.map(|Attribute { name, value }| Value { name: name.local, value });
        self.nodes.borrow_mut().add_values(of_role.into_iter().chain(asked).chain(named))
    }

    /// Creates an element, and takes its attributes.
    pub(crate) fn create_from(
        &self,
        name: QualName,
        attributes: &mut Vec<Attribute>,
        is_template: bool,
    ) -> NodeId {
        // The content of a template is a separate document, which is not read.
        let template = is_template.then(|| self.create(Content::Nothing));
        let formatting = if name.ns == ns!(html) && is_formatting(&name.local) {
            u16::try_from(1 + attributes.len() / ATTRIBUTES_OF_ONE).unwrap_or(u16::MAX)
        } else {
            0
        };
        self.count(STEPS_OF_ATTRIBUTE * attributes.len() as u64);
        let mentioned = Self::mentioned(&name, attributes);
        if let Some(src) = &mentioned
            && name.local == local_name!("script")
        {
            self.remarks.borrow_mut().add_script(src);
        }
        self.remarks.borrow_mut().add_element(&name.local);
        let attributes = self.values(&name.local, attributes);
        self.take(size_of::<Value>() * attributes.len());
        let name = self.name(name);
        let id = self.create(Content::Element { name, attributes, template, formatting });
        if let Some(src) = mentioned
            && self.mentions.borrow().len() < MAX_MENTIONS
        {
            self.mentions.borrow_mut().push((id, src));
        }
        id
    }

    /// Whether an attribute may be needed, unless a selector or another attribute names it.
    pub(crate) fn may_need(name: &str) -> bool {
        is_asked(name) || name == "src"
    }

    /// Notes the attributes of an element that are for search tools. Returns the attributes that
    /// they name, each once.
    fn named_values(&self, attributes: &[Attribute]) -> Vec<Value> {
        let mut names: Vec<String> = Vec::new();
        let (mut marks_body, mut has_metadata) = (false, false);
        for Attribute { name, value } in attributes {
            let name = &*name.local;
            if markup::is_for_search(name) {
                self.remarks.borrow_mut().add_attribute(name, value);
                marks_body |= markup::BODY.contains(&name);
                has_metadata |= markup::is_metadata(name) || name == markup::OWN_TITLE;
                names.extend(markup::named_by(name, value));
            }
        }
        if names.is_empty() && !marks_body && !has_metadata {
            return Vec::new();
        }
        self.marks_body.set(self.marks_body.get() || marks_body);
        self.has_metadata.set(self.has_metadata.get() || has_metadata);
        let named = attributes.iter().filter(|attribute| {
            let name = &*attribute.name.local;
            names.iter().any(|wanted| wanted == name) && !ATTRIBUTES.contains(&name)
        });
        let value = |of: &Attribute| Value::new(NAMED, &format!("{}\0{}", of.name.local, of.value));
        named.map(value).collect()
    }

    /// Returns the `src` of a script, or an empty string for one of pagekin's own elements.
    fn mentioned(name: &QualName, attributes: &[Attribute]) -> Option<StrTendril> {
        if name.ns != ns!(html) {
            return None;
        }
        if name.local == local_name!("script") {
            let is_src = |attribute: &&Attribute| attribute.name.local == local_name!("src");
            return Some(attributes.iter().find(is_src)?.value.clone());
        }
        name.local.starts_with(OWN_ELEMENTS).then(StrTendril::new)
    }

    /// Whether a browser that runs scripts renders an element. It does not in a template, whose
    /// content has no parent, or in `noscript`.
    fn is_live(nodes: &Nodes, id: NodeId) -> bool {
        let mut at = id;
        while let Some(parent) = nodes[at].parent {
            at = parent;
            if let Content::Element { name, .. } = &nodes[at].content
                && name.local == local_name!("noscript")
            {
                return false;
            }
        }
        at == DOCUMENT
    }

    /// Reports the elements that need a script.
    fn mention(&self, nodes: &Nodes, reader: &mut impl Listener) {
        for (id, src) in &*self.mentions.borrow() {
            let Content::Element { name, .. } = &nodes[*id].content else { continue };
            if Self::is_live(nodes, *id) {
                reader.mention(match name.local.strip_prefix(OWN_ELEMENTS) {
                    Some(element) => Mention::Element(element),
                    None => Mention::Script(src),
                });
            }
        }
    }

    fn detach(&self, child: NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        let node = &mut nodes[child];
        let (parent, before, next) = (node.parent.take(), node.before.take(), node.next.take());
        let Some(parent) = parent else { return };
        match before {
            Some(before) => nodes[before].next = next,
            None => nodes[parent].first = next,
        }
        match next {
            Some(next) => nodes[next].before = before,
            None => nodes[parent].last = before,
        }
    }

    /// Reports the tree to `reader` in document order. This is a loop over its links, because a
    /// deep page must not exhaust the stack.
    pub(crate) fn read(&self, reader: &mut impl Listener) {
        let nodes = self.nodes.borrow();
        self.mention(&nodes, reader);
        let mut at = nodes[DOCUMENT].first;
        let has_roots = !self.marks_body.get();
        // The open templates, which their content does not link to.
        let mut templates = Vec::new();
        while let Some(id) = at {
            let node = &nodes[id];
            if enter(&nodes, node, has_roots, reader) == Visit::Inside {
                let contents = match &node.content {
                    Content::Element { template: Some(contents), .. } => nodes[*contents].first,
                    _ => None,
                };
                if contents.is_some() {
                    templates.push(id);
                }
                if let Some(first) = contents.or(node.first) {
                    at = Some(first);
                    continue;
                }
                reader.close();
            }
            let mut node = node;
            at = loop {
                match (node.next, node.parent) {
                    (Some(next), _) => break Some(next),
                    (None, Some(parent)) if parent != DOCUMENT => {
                        reader.close();
                        let is_contents = nodes[parent].parent.is_none();
                        let template = if is_contents { templates.pop() } else { None };
                        node = &nodes[template.unwrap_or(parent)];
                    }
                    _ => break None,
                }
            };
        }
    }
}

/// Whether readers request an attribute.
fn is_asked(name: &str) -> bool {
    static OF_CORE: LazyLock<FxHashSet<&str>> = LazyLock::new(|| ATTRIBUTES.into_iter().collect());
    OF_CORE.contains(name) || markup::is_read(name)
}

/// Whether the parser reopens an element of this name.
fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// Reports a node. `has_roots` means that the page does not mark its body, so that selectors may.
fn enter(nodes: &Nodes, node: &Node, has_roots: bool, reader: &mut impl Listener) -> Visit {
    match &node.content {
        Content::Nothing => Visit::Skip,
        Content::Text(text) => {
            reader.text(text);
            Visit::Skip
        }
        Content::Element { name, attributes, .. } => {
            let values = nodes.values(attributes);
            // Readers ask for some twenty attributes of each element. Most are rejected by length.
            let lengths = values.iter().fold(0, |all, value| match &*value.name {
                NAMED | ROOT => !0,
                name => all | length_bit(name),
            });
            reader.open(&name.local, |wanted| {
                if lengths & length_bit(wanted) == 0 {
                    return None;
                }
                let found = values.iter().find_map(|Value { name, value }| match &**name {
                    name if name == wanted => Some(&**value),
                    NAMED => value.strip_prefix(wanted)?.strip_prefix('\0'),
                    ROOT => (has_roots && wanted == markup::BODY[0]).then_some(""),
                    _ => None,
                });
                found.map(Cow::Borrowed)
            })
        }
    }
}

/// Returns the bit of a name in a set of lengths.
fn length_bit(name: &str) -> u64 {
    1 << name.len().min(63)
}

/// The name of an element that stays borrowed while the parser uses it.
#[derive(Debug)]
pub(crate) struct ElementName<'a>(Ref<'a, Name>);

impl html5ever::interface::ElemName for ElementName<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Dom {
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = ElementName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {
        self.count(STEPS_OF_ERROR);
    }

    fn get_document(&self) -> NodeId {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> ElementName<'a> {
        self.count(1);
        ElementName(Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target].content {
            Content::Element { name, .. } => name,
            _ => unreachable!("the parser asks only for the names of elements"),
        }))
    }

    fn create_element(
        &self,
        name: QualName,
        mut attrs: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        self.create_from(name, &mut attrs, flags.template)
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(Content::Nothing)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(Content::Nothing)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(child) => self.insert(*parent, child, None),
            NodeOrText::AppendText(text) => self.insert_text(*parent, text, None),
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        prev_element: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let has_parent = self.nodes.borrow()[*element].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        match &self.nodes.borrow()[*target].content {
            Content::Element { template: Some(contents), .. } => *contents,
            _ => unreachable!("the parser asks only templates for their contents"),
        }
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.count(1);
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        let Some(parent) = self.nodes.borrow()[*sibling].parent else {
            debug_assert!(false, "the parser inserts only next to nodes in the tree");
            return;
        };
        match new_node {
            NodeOrText::AppendNode(child) => {
                self.detach(child);
                self.insert(parent, child, Some(*sibling));
            }
            NodeOrText::AppendText(text) => self.insert_text(parent, text, Some(*sibling)),
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, mut attrs: Vec<Attribute>) {
        self.count(STEPS_OF_ATTRIBUTE * attrs.len() as u64);
        let known = match &self.nodes.borrow()[*target].content {
            Content::Element { name, attributes, .. } => (name.local.clone(), attributes.clone()),
            Content::Nothing | Content::Text(_) => return,
        };
        let (name, known) = known;
        let new = self.values(&name, &mut attrs);
        let mut nodes = self.nodes.borrow_mut();
        let new = nodes.take_values(&new);
        let mut all = nodes.values(&known).to_vec();
        let missing =
            |new: &Value| !nodes.values(&known).iter().any(|value| value.name == new.name);
        all.extend(new.into_iter().filter(missing));
        let all = nodes.add_values(all.into_iter());
        if let Content::Element { attributes, .. } = &mut nodes[*target].content {
            *attributes = all;
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        loop {
            let Some(child) = self.nodes.borrow()[*node].first else { break };
            self.detach(child);
            self.insert(*new_parent, child, None);
        }
    }
}
