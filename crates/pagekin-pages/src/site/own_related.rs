//! The related pages that a page names itself: `<meta name="pagekin:related" content="/a/, /b/">`,
//! or `none`.

use crate::site::links::Pointing;

/// Maximum number of pages that are read from a list.
const MAX_NAMED: usize = 64;

/// A page that another names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPage {
    /// Its URL as written.
    pub written: String,
    /// The path it leads to, if on the site.
    pub path: Option<String>,
}

/// Returns the pages named in the content of the element. `pointing` resolves URLs on the page.
/// URLs are separated by commas; a comma in a URL is written `%2C`.
pub fn named(content: &str, pointing: Option<&Pointing>) -> Vec<NamedPage> {
    if content.trim().eq_ignore_ascii_case("none") {
        return Vec::new();
    }
    let urls = content.split(',').map(str::trim).filter(|address| !address.is_empty());
    let named = urls.map(|address| NamedPage {
        written: address.to_owned(),
        path: pointing.and_then(|pointing| pointing.to(address)),
    });
    named.take(MAX_NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_separated_by_commas() {
        let pointing = Pointing::from("/a/b.html", None);
        let paths = |content: &str| -> Vec<Option<String>> {
            named(content, pointing.as_ref()).into_iter().map(|named| named.path).collect()
        };
        let path = |path: &str| Some(path.to_owned());
        assert_eq!(
            paths(" /c/ ,d.html,, ../e/index.html "),
            [path("/c/"), path("/a/d.html"), path("/e/")]
        );
        assert_eq!(paths("mailto:a@example.org"), [None]);
        for none in ["none", " None\n", "", ", "] {
            assert_eq!(paths(none), [], "{none:?}");
        }
        assert_eq!(paths(&"/c,".repeat(1_000)).len(), MAX_NAMED);
    }
}
