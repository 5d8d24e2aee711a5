//! Pasted HTML, parsed by the browser and read by the core's rules.

use std::borrow::Cow;

use pagekin_core::page::{PageReader, Visit};
use wasm_bindgen::prelude::*;
use web_sys::{DomParser, Element, HtmlTemplateElement, Node, SupportedType};

use crate::values;

/// Reads HTML as the build reads a page: `[title, lang, text, sections, other]`, see `readHtml` in
/// engine.js. Needs a `DOMParser`, which workers lack.
///
/// # Errors
///
/// If there is no `DOMParser`.
#[wasm_bindgen(js_name = readHtml)]
pub fn read_html(html: &str) -> Result<JsValue, JsValue> {
    let document = DomParser::new()?.parse_from_string(html, SupportedType::TextHtml)?;
    let mut reader = PageReader::new();
    walk(&document, &mut reader);
    values::page(&reader.finish())
}

/// Reports everything below `root` in document order. A loop, not a recursion, because a deep page
/// must not exhaust the stack.
fn walk(root: &Node, reader: &mut PageReader) {
    let mut at = root.first_child();
    // The depth below the children of `root`.
    let mut depth = 0;
    // The open templates. Their contents do not link back to them.
    let mut templates: Vec<Node> = Vec::new();
    while let Some(node) = at {
        if enter(&node, reader) == Visit::Inside {
            let contents = (node.node_name() == "TEMPLATE")
                .then(|| node.unchecked_ref::<HtmlTemplateElement>().content().first_child());
            if let Some(child) = contents.flatten() {
                templates.push(node);
                depth += 1;
                at = Some(child);
                continue;
            }
            if let Some(child) = node.first_child() {
                depth += 1;
                at = Some(child);
                continue;
            }
            reader.close();
        }
        let mut node = node;
        at = loop {
            if let Some(next) = node.next_sibling() {
                break Some(next);
            }
            match node.parent_node() {
                Some(parent) if depth > 0 => {
                    depth -= 1;
                    reader.close();
                    let is_contents = parent.node_type() == Node::DOCUMENT_FRAGMENT_NODE;
                    let template = if is_contents { templates.pop() } else { None };
                    node = template.unwrap_or(parent);
                }
                _ => break None,
            }
        };
    }
}

fn enter(node: &Node, reader: &mut PageReader) -> Visit {
    match node.node_type() {
        Node::TEXT_NODE => {
            reader.text(&node.node_value().unwrap_or_default());
            Visit::Skip
        }
        Node::ELEMENT_NODE => {
            let element: &Element = node.unchecked_ref();
            reader.open(&element.local_name(), |name| element.get_attribute(name).map(Cow::Owned))
        }
        _ => Visit::Skip,
    }
}
