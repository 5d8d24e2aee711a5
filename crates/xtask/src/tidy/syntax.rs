//! One file's syntax into what its crate remembers of it.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Item, UseTree, Visibility};

use crate::tidy::code::{Crate, Function, Module, Named, Path, Reference, Type};

/// Adds what a file has to its crate, and returns the modules that it declares in other files.
pub(super) fn read(one: &mut Crate, module: &Path, file: &str, parsed: &syn::File) -> Vec<Path> {
    let mut reader = Reader { one, file, module: module.clone(), children: Vec::new() };
    reader.enter(&parsed.items);
    reader.children
}

struct Reader<'a> {
    one: &'a mut Crate,
    file: &'a str,
    /// Where the reader is: the file's module, or one that is written within it.
    module: Path,
    children: Vec<Path>,
}

impl Reader<'_> {
    fn enter(&mut self, items: &[Item]) {
        let module = Module { file: self.file.to_owned(), ..Module::default() };
        self.one.modules.insert(self.module.clone(), module);
        for item in items.iter().filter(|item| !is_of_tests(attributes(item))) {
            self.declare(item);
            self.visit_item(item);
        }
    }

    /// Remembers an item that stands in a module, not in a function.
    fn declare(&mut self, item: &Item) {
        let declared = match item {
            Item::Struct(item) => Some((&item.vis, &item.ident)),
            Item::Enum(item) => Some((&item.vis, &item.ident)),
            Item::Union(item) => Some((&item.vis, &item.ident)),
            Item::Trait(item) => Some((&item.vis, &item.ident)),
            Item::Type(item) => Some((&item.vis, &item.ident)),
            _ => None,
        };
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Static(item) => Some(&item.ident),
            Item::Macro(item) => item.ident.as_ref(),
            _ => declared.map(|(_, name)| name),
        };
        if let Some(name) = name {
            self.name(name.to_string(), Named::Item);
        }
        if let Some((visibility, name)) = declared
            && is_seen(visibility)
        {
            self.one.types.push(Type {
                name: name.to_string(),
                file: self.file.to_owned(),
                line: line(name.span()),
                public: matches!(visibility, Visibility::Public(_)),
            });
        }
    }

    fn name(&mut self, name: String, named: Named) {
        let module = self.one.modules.entry(self.module.clone()).or_default();
        let known = module.names.entry(name).or_default();
        if !known.contains(&named) {
            known.push(named);
        }
    }

    fn refer(&mut self, path: Path, span: Span) {
        let module = self.module.clone();
        self.one.references.push(Reference { module, path, line: line(span) });
    }

    /// Takes an import apart. Who exports again what another file has does not need it for that.
    fn import(&mut self, tree: &UseTree, before: &Path, exported: bool) {
        let with = |name: &Ident| [&before[..], &[name.to_string()]].concat();
        let (name, path, span) = match tree {
            UseTree::Path(part) => return self.import(&part.tree, &with(&part.ident), exported),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, exported));
            }
            UseTree::Glob(glob) => {
                let module = self.one.modules.entry(self.module.clone()).or_default();
                module.globs.push(before.clone());
                if !exported {
                    let all = [&before[..], &["*".to_owned()]].concat();
                    self.refer(all, glob.star_token.spans[0]);
                }
                return;
            }
            UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.clone(), name.ident.span())
            }
            UseTree::Name(name) => (name.ident.to_string(), with(&name.ident), name.ident.span()),
            UseTree::Rename(name) => {
                (name.rename.to_string(), with(&name.ident), name.ident.span())
            }
        };
        if !exported {
            self.refer(path.clone(), span);
        }
        self.name(name, Named::Import(path));
    }

    fn function(&mut self, name: &Ident, end: Span) {
        let (start, end) = (line(name.span()), line(end));
        self.one.functions.push(Function {
            name: name.to_string(),
            file: self.file.to_owned(),
            line: start,
            lines: end + 1 - start,
        });
    }

    /// The paths in what is given to a macro, which syn does not parse.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Option<(Path, Span)> = None;
        // How many colons stand behind the path, and whether what follows is a field or a method.
        let (mut colons, mut of_value) = (0, false);
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    match &mut path {
                        Some((path, _)) if colons == 2 => path.push(name.to_string()),
                        _ => {
                            self.finish(&mut path);
                            if !of_value {
                                path = Some((vec![name.to_string()], name.span()));
                            }
                        }
                    }
                    (colons, of_value) = (0, false);
                }
                other => {
                    self.finish(&mut path);
                    of_value = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '.');
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.finish(&mut path);
    }

    fn finish(&mut self, path: &mut Option<(Path, Span)>) {
        if let Some((path, span)) = path.take() {
            self.refer(path, span);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs[..],
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !is_of_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.name(item.ident.to_string(), Named::Module);
        self.module.push(item.ident.to_string());
        match &item.content {
            Some((_, items)) => self.enter(items),
            None => self.children.push(self.module.clone()),
        }
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let exported = !matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, &Path::new(), exported);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, item.block.brace_token.span.close());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, item.block.brace_token.span.close());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig.ident, block.brace_token.span.close());
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names: Path = path.segments.iter().map(|part| part.ident.to_string()).collect();
            if let Some(first) = path.segments.first() {
                self.refer(names, first.ident.span());
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }

    // `pub(in crate::a)` and `#[serde(with = "…")]` need nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn line(span: Span) -> usize {
    span.start().line
}

/// Whether the crate or others see it, not only its own room.
fn is_seen(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(to) => to.path.is_ident("crate"),
        Visibility::Inherited => false,
    }
}

/// Whether these have `#[cfg(test)]`, alone or among others.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| asks_for_tests(list.tokens.clone()))
    })
}

fn asks_for_tests(tokens: TokenStream) -> bool {
    let mut negated = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => {
            negated = name == "not";
            name == "test"
        }
        TokenTree::Group(group) => !negated && asks_for_tests(group.stream()),
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
