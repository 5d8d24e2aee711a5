//! The tree that html5ever builds of a page: only what reading its text needs, in one vector.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};
use pagekin_core::links::LinkReader;
use pagekin_core::page::{PageReader, Visit};

/// The most elements inside one another. Browsers stop at 512; the parser's time grows with the square.
const MAX_DEPTH: u32 = 1_024;
/// The most nodes of a page: about 250 MB of memory, far more than any page people read.
const MAX_NODES: usize = 2_000_000;
/// The most attributes that `html` and `body` collect from repeated tags: each is held against those that are there.
const MAX_ATTRIBUTES: usize = 1_000;

/// A node by its place in the vector.
type NodeId = u32;
const DOCUMENT: NodeId = 0;

#[derive(Debug)]
enum Content {
    /// The document, the contents of a template, a comment.
    Nothing,
    Text(StrTendril),
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        template: Option<NodeId>,
    },
}

#[derive(Debug)]
struct Node {
    content: Content,
    depth: u32,
    parent: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    before: Option<NodeId>,
    next: Option<NodeId>,
}

/// What hears of a tree, as [`PageReader`] does.
pub(crate) trait Listener {
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

/// A page's tree while it is built.
#[derive(Debug)]
pub(crate) struct Dom {
    nodes: RefCell<Vec<Node>>,
    overfull: Cell<Option<&'static str>>,
}

impl Dom {
    pub(crate) fn new() -> Self {
        let dom = Self { nodes: RefCell::new(Vec::new()), overfull: Cell::new(None) };
        dom.create(Content::Nothing);
        dom
    }

    /// Why parsing must stop here, if it must.
    pub(crate) fn overfull(&self) -> Option<&'static str> {
        self.overfull.get()
    }

    fn create(&self, content: Content) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.len() >= MAX_NODES {
            self.overfull.set(Some("more than 2,000,000 elements and text nodes"));
        }
        nodes.push(Node {
            content,
            depth: 0,
            parent: None,
            first: None,
            last: None,
            before: None,
            next: None,
        });
        (nodes.len() - 1) as NodeId
    }

    fn node(&self, content: NodeOrText<NodeId>) -> NodeId {
        match content {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => self.create(Content::Text(text)),
        }
    }

    /// Puts `child`, which has no parent, below `parent`, in front of `next` or at the end.
    fn insert(&self, parent: NodeId, child: NodeId, next: Option<NodeId>) {
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent as usize].depth + 1;
        if depth > MAX_DEPTH {
            self.overfull.set(Some("elements nested more than 1,024 deep"));
        }
        let before = match next {
            Some(next) => nodes[next as usize].before.replace(child),
            None => nodes[parent as usize].last.replace(child),
        };
        match before {
            Some(before) => nodes[before as usize].next = Some(child),
            None => nodes[parent as usize].first = Some(child),
        }
        let node = &mut nodes[child as usize];
        (node.parent, node.before, node.next, node.depth) = (Some(parent), before, next, depth);
    }

    fn detach(&self, child: NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        let node = &mut nodes[child as usize];
        let (parent, before, next) = (node.parent.take(), node.before.take(), node.next.take());
        let Some(parent) = parent else { return };
        match before {
            Some(before) => nodes[before as usize].next = next,
            None => nodes[parent as usize].first = next,
        }
        match next {
            Some(next) => nodes[next as usize].before = before,
            None => nodes[parent as usize].last = before,
        }
    }

    /// Reports the tree to `reader` in document order. A loop over its links: a deep page must not exhaust
    /// the stack.
    pub(crate) fn read(&self, reader: &mut impl Listener) {
        let nodes = self.nodes.borrow();
        let mut at = nodes[DOCUMENT as usize].first;
        while let Some(id) = at {
            let node = &nodes[id as usize];
            if enter(node, reader) == Visit::Inside {
                if node.first.is_some() {
                    at = node.first;
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
                        node = &nodes[parent as usize];
                    }
                    _ => break None,
                }
            };
        }
    }
}

fn enter(node: &Node, reader: &mut impl Listener) -> Visit {
    match &node.content {
        Content::Nothing => Visit::Skip,
        Content::Text(text) => {
            reader.text(text);
            Visit::Skip
        }
        Content::Element { name, attributes, .. } => reader.open(&name.local, |wanted| {
            let found = attributes.iter().find(|attribute| &*attribute.name.local == wanted);
            found.map(|attribute| Cow::Borrowed(&*attribute.value))
        }),
    }
}

/// The name of an element that stays borrowed while the parser looks at it.
#[derive(Debug)]
pub(crate) struct ElementName<'a>(Ref<'a, QualName>);

impl html5ever::interface::ElemName for ElementName<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
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

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> ElementName<'a> {
        ElementName(Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].content {
            Content::Element { name, .. } => name,
            _ => unreachable!("the parser asks only for the names of elements"),
        }))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        // What a template holds is a document of its own, which nobody reads.
        let template = flags.template.then(|| self.create(Content::Nothing));
        self.create(Content::Element { name, attributes: attrs, template })
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(Content::Nothing)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(Content::Nothing)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let child = self.node(child);
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        prev_element: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let has_parent = self.nodes.borrow()[*element as usize].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        match &self.nodes.borrow()[*target as usize].content {
            Content::Element { template: Some(contents), .. } => *contents,
            _ => unreachable!("the parser asks only templates for their contents"),
        }
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        let child = self.node(new_node);
        self.detach(child);
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        match parent {
            Some(parent) => self.insert(parent, child, Some(*sibling)),
            None => debug_assert!(false, "the parser inserts only beside nodes in the tree"),
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        if let Content::Element { attributes, .. } = &mut nodes[*target as usize].content {
            for attribute in attrs {
                let known = attributes.iter().any(|present| present.name == attribute.name);
                if !known && attributes.len() < MAX_ATTRIBUTES {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        loop {
            let Some(child) = self.nodes.borrow()[*node as usize].first else { break };
            self.detach(child);
            self.insert(*new_parent, child, None);
        }
    }
}
