//! The summary of a build.

use pagekin_pages::site::markup::SiteRemarks;
use pagekin_pages::site::own_scripts::{UnwrittenUses, UsedBy};
use pagekin_pages::{Ledger, Part, RepeatedText, SharedTitle};
use serde::Serialize;

/// The summary of a build.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of HTML files found, of pages of the source, or of URLs of the crawl.
    pub html_files: u64,
    /// Bytes read of these files, of the pages' texts, or of the URLs with their bags.
    pub html_bytes: u64,
    /// Number of pages in the index.
    pub pages: u64,
    /// The number of files or pages in the input, and their outcomes.
    pub ledger: Ledger,
    /// Languages with their numbers of pages, most pages first. For a crawl, the pages that were
    /// read.
    pub languages: Vec<(String, u64)>,
    /// Number of pages without an element that marks their main text, such as `main`, `article` or
    /// `data-pagekin-body`.
    pub without_body: u64,
    /// Text that was removed from pages because many pages contain it.
    pub repeated: RepeatedText,
    /// Whether the site's links and canonical URLs omit `.html`, but the URLs in the index do not:
    /// see [`SiteOptions::clean_urls`](pagekin_pages::SiteOptions::clean_urls).
    pub links_without_html: bool,
    /// What was removed from titles, because nearly all titles of a language share it, with the
    /// code of the language.
    pub shared_titles: Vec<(String, SharedTitle)>,
    /// Number of pages named by their first heading, because other pages have the same title.
    pub titles_by_heading: u64,
    /// The path below which the site seems to be published, such as `/docs/`, if it differs from
    /// the base URL: most links with absolute paths start with it.
    pub published_below: Option<String>,
    /// Names of related pages that match no page of the index, in the order of the naming pages.
    pub unknown_related: Vec<UnknownRelated>,
    /// The scripts of elements that pages use and the output lacks, by name.
    pub unwritten_scripts: Vec<UnwrittenScript>,
    /// The markup for search tools, such as attributes of Pagefind, that has no effect, or not the
    /// expected one; in alphabetical order.
    pub remarks: Vec<Remark>,
    /// Number of terms in the vocabulary.
    pub terms: u64,
    /// The seed of the hash family.
    pub seed: u64,
    /// Whether a previous index was reused.
    pub followed: bool,
    /// The generation of the index.
    pub generation: u64,
    /// The files written, by kind.
    pub parts: Vec<Part>,
    /// The files to publish on each mirror, if the index is spread over several hosts.
    pub mirrors: Vec<MirrorSize>,
    /// The size of the offline bundle, if one was written.
    pub bundle: Option<BundleSize>,
    /// The duration in seconds.
    pub seconds: f64,
}

/// A URL that a page names as related with `meta name="pagekin:related"`, but that is no page of
/// the index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownRelated {
    /// The page that names it.
    pub page: String,
    /// The URL as it is written.
    pub address: String,
}

/// The script of an element that pages use and the output lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnwrittenScript {
    /// The name of the element, as in
    /// [`BuildOptions::components`](crate::BuildOptions::components).
    pub component: String,
    /// Whether pages have the element; otherwise they only load its script.
    pub has_element: bool,
    /// The first page that uses it.
    pub page: String,
    /// The number of pages that use it.
    pub pages: u64,
}

/// Markup that has no effect, or not the expected one, or that is missing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// The name of the attribute, or of a script or an element.
    pub markup: String,
    /// What is wrong with it, as the end of a sentence that starts with the markup.
    pub problem: &'static str,
    /// The first page that has it.
    pub page: String,
    /// The number of pages that have it.
    pub pages: u64,
}

impl Remark {
    pub(crate) fn new(remarks: SiteRemarks) -> Vec<Self> {
        let all = remarks.0.into_iter().map(|(remark, pages)| Self {
            markup: remark.markup,
            problem: remark.problem,
            page: pages.first,
            pages: pages.count,
        });
        all.collect()
    }
}

impl UnwrittenScript {
    /// Lists each script once: if pages have the element, it does not matter that pages load the
    /// script.
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

/// The files of a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorSize {
    /// The URL of the mirror.
    pub url: String,
    /// The folder in the output to publish there, such as `mirrors/1`.
    pub folder: String,
    /// The number of files.
    pub files: u64,
    /// The length of the files in bytes.
    pub bytes: u64,
}

/// The size of an offline bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BundleSize {
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Bytes of the texts of pages, which are included in `bytes`.
    pub text_bytes: u64,
}

impl Summary {
    /// Total bytes of all files written.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Total number of files written.
    #[must_use]
    pub fn total_files(&self) -> u64 {
        self.parts.iter().map(|part| part.files).sum()
    }
}
