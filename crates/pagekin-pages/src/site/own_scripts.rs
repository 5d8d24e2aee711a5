//! Pages that use elements of pagekin whose scripts a build does not write. On these pages, the
//! element stays empty or a script is not found.
//!
//! # Rules
//!
//! 1. A page uses `<pagekin-box>` if it contains the element anywhere, except in a `template` or a
//!    `noscript`.
//! 2. A page loads `box.js` if the `src` of a `script` leads to a file of this name on the host of
//!    the site, in a folder with the name of the index's folder.
//! 3. All pages that are read count, including those that are not indexed, such as the page for
//!    missing pages.

use std::collections::BTreeMap;

use crate::site::dom::Mention;
use crate::site::links::Pointing;
use crate::site::markup::UsingPages;

/// The elements of a page that need a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageScripts {
    /// Names after `pagekin-`.
    elements: Vec<String>,
    /// The `src` of scripts, as written.
    scripts: Vec<String>,
}

impl PageScripts {
    pub(crate) fn add(&mut self, what: Mention<'_>) {
        match what {
            Mention::Element(name) => self.elements.push(name.to_owned()),
            Mention::Script(src) => self.scripts.push(src.trim().to_owned()),
        }
    }
}

/// The elements whose scripts a build does not write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnwrittenScripts {
    /// The names of the scripts: `box` for `<pagekin-box>`, which is `box.js`.
    pub names: Vec<String>,
    /// The name of the index's folder, if known.
    pub folder: Option<String>,
}

/// How a page uses a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsedBy {
    /// The element that the script defines.
    Element,
    /// A `script` that loads it.
    Script,
}

/// The uses of scripts that a build does not write, by the name of the script and the kind of use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnwrittenUses(pub BTreeMap<(String, UsedBy), UsingPages>);

impl UnwrittenUses {
    /// Adds a page with its URL, the `href` of its `base`, and its elements and scripts.
    pub(crate) fn add(
        &mut self,
        url: &str,
        base: Option<&str>,
        used: &PageScripts,
        unwritten: &UnwrittenScripts,
    ) {
        if unwritten.names.is_empty() {
            return;
        }
        let folder = unwritten.folder.as_deref();
        let pointing = folder.filter(|_| !used.scripts.is_empty());
        let pointing = pointing.and_then(|_| Pointing::from(url, base));
        for name in &unwritten.names {
            if used.elements.contains(name) {
                self.count(name, UsedBy::Element, UsingPages { count: 1, first: url.to_owned() });
            }
            let (Some(pointing), Some(folder)) = (&pointing, folder) else { continue };
            let file = format!("/{folder}/{name}.js");
            // Most URLs can be rejected faster than they can be resolved.
            let candidates = used.scripts.iter().filter(|src| src.contains(name.as_str()));
            let mut paths = candidates.filter_map(|src| pointing.to(src));
            if paths.any(|path| path.ends_with(&file)) {
                self.count(name, UsedBy::Script, UsingPages { count: 1, first: url.to_owned() });
            }
        }
    }

    /// Adds the pages of another thread.
    pub(crate) fn extend(&mut self, other: Self) {
        for ((name, by), pages) in other.0 {
            self.count(&name, by, pages);
        }
    }

    fn count(&mut self, name: &str, by: UsedBy, pages: UsingPages) {
        let known = self.0.get_mut(&(name.to_owned(), by));
        match known {
            Some(known) => known.add(pages),
            None => {
                self.0.insert((name.to_owned(), by), pages);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::blocks::BlockReader;
    use crate::site::html::read_html_by;

    /// Returns the uses on a page at `/a/b.html`.
    fn uses(html: &str) -> Vec<(String, UsedBy)> {
        let (_, around) =
            read_html_by(html.as_bytes(), BlockReader::default(), BlockReader::finish);
        let names = ["box", "related"].map(str::to_owned).into();
        let unwritten = UnwrittenScripts { names, folder: Some("pagekin".to_owned()) };
        let mut uses = UnwrittenUses::default();
        uses.add("/a/b.html", around.base.as_deref(), &around.scripts, &unwritten);
        uses.0.into_keys().collect()
    }

    #[track_caller]
    fn check(html: &str, expected: &[(&str, UsedBy)]) {
        let expected: Vec<_> = expected.iter().map(|&(name, by)| (name.to_owned(), by)).collect();
        assert_eq!(uses(html), expected, "{html}");
    }

    #[test]
    fn elements_count_if_they_are_live() {
        let element = [("box", UsedBy::Element)];
        check("<pagekin-box></pagekin-box>", &element);
        check("<PAGEKIN-BOX form=compact>Text</PAGEKIN-BOX><pagekin-box>", &element);
        check("<header><nav><pagekin-box></pagekin-box></nav></header><main>Rye", &element);
        check("<div hidden><svg><foreignObject><pagekin-box>", &element);
        check("<table><pagekin-box></pagekin-box><tr><td>Rye</table>", &element);
        let both = [("box", UsedBy::Element), ("related", UsedBy::Element)];
        check("<pagekin-box><pagekin-related></pagekin-related></pagekin-box>", &both);
        for other in [
            "<template><pagekin-box></pagekin-box></template>",
            "<template><p><template><pagekin-box></template></template>",
            "<p>Rye<noscript><pagekin-box></pagekin-box></noscript>",
            "<pre>&lt;pagekin-box>&lt;/pagekin-box></pre>",
            "<textarea><pagekin-box></textarea><script>'<pagekin-box>'</script>",
            "<!-- <pagekin-box></pagekin-box> -->",
            "<svg><pagekin-box></pagekin-box></svg>",
            "<pagekin-duplicates></pagekin-duplicates><my-pagekin-box></my-pagekin-box>",
        ] {
            check(other, &[]);
        }
    }

    #[test]
    fn scripts_count_if_they_are_in_the_index_folder() {
        for src in [
            "/pagekin/box.js",
            "../pagekin/box.js?v=2#x",
            " /docs/pagekin/box.js ",
            "http://example.org/pagekin/box.js",
        ] {
            check(
                &format!("<script type=module src='{src}'></script>"),
                &[("box", UsedBy::Script)],
            );
        }
        check("<base href=/c/pagekin/><script src=box.js></script>", &[("box", UsedBy::Script)]);
        for other in [
            "<script src=/js/box.js></script>",
            "<script src=/pagekin/js/box.js></script>",
            "<script src=/pagekin/my-box.js></script>",
            "<script src=box.js></script>",
            "<script src=/pagekin/duplicates.js></script>",
            "<script>import '/pagekin/box.js'</script>",
            "<template><script src=/pagekin/box.js></script></template>",
            "<svg><script src=/pagekin/box.js></script></svg>",
            "<a href=/pagekin/box.js>box.js</a>",
        ] {
            check(other, &[]);
        }
    }

    #[test]
    fn pages_are_added_up_in_any_order() {
        let unwritten = UnwrittenScripts { names: vec!["box".to_owned()], folder: None };
        let of = |urls: &[&str]| {
            let mut has = PageScripts::default();
            has.add(Mention::Element("box"));
            has.add(Mention::Element("box"));
            let mut uses = UnwrittenUses::default();
            urls.iter().for_each(|url| uses.add(url, None, &has, &unwritten));
            uses
        };
        let (mut one, mut other) = (of(&["/b", "/d"]), of(&["/c", "/a"]));
        one.extend(of(&["/c", "/a"]));
        other.extend(of(&["/b", "/d"]));
        assert_eq!(one, other);
        let pages = UsingPages { count: 4, first: "/a".to_owned() };
        assert_eq!(one.0[&("box".to_owned(), UsedBy::Element)], pages);
    }
}
