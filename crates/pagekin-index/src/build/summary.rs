//! What a build did.

use pagekin_pages::site::own_scripts::{UnwrittenUses, UsedBy};
use pagekin_pages::{Ledger, Part, RepeatedText, SharedTitle};
use serde::Serialize;

/// What a build did.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// HTML files found, or pages of the source, or URLs of the crawl.
    pub html_files: u64,
    /// Bytes of those files that were read, or of the pages' texts, or of the URLs with their bags.
    pub html_bytes: u64,
    /// Pages in the index.
    pub pages: u64,
    /// The files or pages that came in, and what became of them.
    pub ledger: Ledger,
    /// Languages and their pages, most pages first; of a crawl, the pages that were read.
    pub languages: Vec<(String, u64)>,
    /// Pages of which no element says what their body is: neither `main` nor `article` nor
    /// `data-pagekin-body`, or the like.
    pub without_body: u64,
    /// The text that was left out of pages, because many have it.
    pub repeated: RepeatedText,
    /// Whether the site's links and canonical addresses call its pages without `.html`, while their
    /// URLs in the index have it: see
    /// [`SiteOptions::clean_urls`](pagekin_pages::SiteOptions::clean_urls).
    pub links_without_html: bool,
    /// What was left out of titles, because nearly all of a language share it: the code of the
    /// language, and what they share.
    pub shared_titles: Vec<(String, SharedTitle)>,
    /// Pages that are called by their first heading, as other pages have the same title.
    pub titles_by_heading: u64,
    /// The path below which the site seems to be published, such as `/docs/`, as most of its links
    /// that begin with a slash begin with it, and the base URL has another path.
    pub published_below: Option<String>,
    /// What pages name as their related pages that is no page of the index, in the order of the
    /// pages.
    pub unknown_related: Vec<UnknownRelated>,
    /// The scripts of elements that pages use and the output does not have, in the order of their
    /// names.
    pub unwritten_scripts: Vec<UnwrittenScript>,
    /// Terms in the vocabulary.
    pub terms: u64,
    /// The seed of the hash family.
    pub seed: u64,
    /// Whether the index follows a previous one.
    pub followed: bool,
    /// The generation of the index.
    pub generation: u64,
    /// What was written, by kind.
    pub parts: Vec<Part>,
    /// What is to be published on each mirror, if the index was spread over some.
    pub mirrors: Vec<MirrorSize>,
    /// How large the offline bundle is, if one was written.
    pub bundle: Option<BundleSize>,
    /// How long it took.
    pub seconds: f64,
}

/// An address that a page names as one of its related pages, by `meta name="pagekin:related"`, and
/// at which no page of the index is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownRelated {
    /// The page that names it.
    pub page: String,
    /// The address as it is written there.
    pub address: String,
}

/// The script of an element that pages use and that the output does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnwrittenScript {
    /// The name of the element, as in
    /// [`BuildOptions::components`](crate::BuildOptions::components).
    pub component: String,
    /// Whether pages have the element; otherwise they only load its script.
    pub has_element: bool,
    /// The first page that uses it.
    pub page: String,
    /// How many pages do.
    pub pages: u64,
}

impl UnwrittenScript {
    /// Each once: that pages load a script says nothing new where they have its element.
    pub(crate) fn new(uses: UnwrittenUses) -> Vec<Self> {
        let all = uses.0.into_iter().map(|((component, by), pages)| {
            let has_element = by == UsedBy::Element;
            Self { component, has_element, page: pages.first, pages: pages.count }
        });
        let mut scripts: Vec<_> = all.collect();
        scripts.dedup_by(|script, element| script.component == element.component);
        scripts
    }
}

/// What a mirror has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorSize {
    /// Its address.
    pub url: String,
    /// The folder in the output that is published there: `mirrors/1`.
    pub folder: String,
    /// Its number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How large a bundle is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BundleSize {
    /// Bytes of the file.
    pub bytes: u64,
    /// Of these, bytes of the texts of pages.
    pub text_bytes: u64,
}

impl Summary {
    /// Bytes of everything that was written.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Files of everything that was written.
    #[must_use]
    pub fn total_files(&self) -> u64 {
        self.parts.iter().map(|part| part.files).sum()
    }
}
