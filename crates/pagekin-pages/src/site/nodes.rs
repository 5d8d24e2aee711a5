//! The nodes of the tree of a page.

use std::num::NonZero;
use std::ops::{Index, IndexMut, Range};

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace};

/// Number of nodes that are allocated at a time, so that no nodes are copied when a tree grows.
const NODES_OF_CHUNK: usize = 4_096;

/// A node by its index, counted from 1.
pub(crate) type NodeId = NonZero<u32>;
pub(crate) const DOCUMENT: NodeId = NodeId::MIN;

#[derive(Debug)]
pub(crate) enum Content {
    /// The document, the content of a template, or a comment.
    Nothing,
    Text(StrTendril),
    Element {
        name: Name,
        /// Their places among all [values](Nodes::values).
        attributes: Range<u32>,
        template: Option<NodeId>,
        /// The number of formatting elements that it counts as.
        formatting: u16,
    },
}

#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) namespace: Namespace,
    pub(crate) local: LocalName,
}

/// An attribute that readers request.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) name: LocalName,
    pub(crate) value: StrTendril,
}

impl Value {
    pub(crate) fn new(name: &str, value: &str) -> Self {
        Self { name: LocalName::from(name), value: StrTendril::from(value) }
    }
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) depth: u16,
    /// The number of formatting elements up to here.
    pub(crate) formatting: u16,
    pub(crate) parent: Option<NodeId>,
    pub(crate) first: Option<NodeId>,
    pub(crate) last: Option<NodeId>,
    pub(crate) before: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
}

impl Node {
    pub(crate) fn new(content: Content) -> Self {
        let none = None;
        let (depth, formatting) = (0, 0);
        Self {
            content,
            depth,
            formatting,
            parent: none,
            first: none,
            last: none,
            before: none,
            next: none,
        }
    }

    /// The number of formatting elements that it counts as.
    pub(crate) fn own_formatting(&self) -> u16 {
        match &self.content {
            Content::Element { formatting, .. } => *formatting,
            Content::Nothing | Content::Text(_) => 0,
        }
    }
}

/// The nodes of a tree.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) chunks: Vec<Vec<Node>>,
    values: Vec<Value>,
}

impl Nodes {
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == NODES_OF_CHUNK) {
            self.chunks.push(Vec::with_capacity(if self.chunks.is_empty() {
                0
            } else {
                NODES_OF_CHUNK
            }));
        }
        let chunks = self.chunks.len() - 1;
        let chunk = &mut self.chunks[chunks];
        chunk.push(node);
        let place = chunks * NODES_OF_CHUNK + chunk.len();
        NodeId::new(place as u32).expect("indexes start at 1")
    }

    /// Returns attributes by their places.
    pub(crate) fn values(&self, places: &Range<u32>) -> &[Value] {
        &self.values[places.start as usize..places.end as usize]
    }

    /// Stores attributes, and returns their places.
    pub(crate) fn add_values(&mut self, values: impl Iterator<Item = Value>) -> Range<u32> {
        let start = self.values.len() as u32;
        self.values.extend(values);
        start..self.values.len() as u32
    }

    /// Takes the attributes that were stored last.
    pub(crate) fn take_values(&mut self, places: &Range<u32>) -> Vec<Value> {
        self.values.split_off(places.start as usize)
    }
}

/// Returns the chunk of a node, and its index in the chunk.
fn place(id: NodeId) -> (usize, usize) {
    let at = id.get() as usize - 1;
    (at / NODES_OF_CHUNK, at % NODES_OF_CHUNK)
}

impl Index<NodeId> for Nodes {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        let (chunk, at) = place(id);
        &self.chunks[chunk][at]
    }
}

impl IndexMut<NodeId> for Nodes {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        let (chunk, at) = place(id);
        &mut self.chunks[chunk][at]
    }
}
