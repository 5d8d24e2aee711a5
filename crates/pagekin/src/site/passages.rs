//! The passages of results, from the pages in the folder of the site: an index does not contain the
//! texts of pages.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use pagekin_core::near::verbatim::has_verbatim;
use pagekin_core::{Passage, SearchResult, passage_of_page};
use pagekin_index::LocalIndex;
use pagekin_pages::site::html;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::site::serve;

/// Maximum number of bytes read from a page.
const MAX_PAGE: u64 = 4 << 20;

/// The pages in the folder of the site.
#[derive(Debug, Clone)]
pub(crate) struct SitePages {
    site: PathBuf,
}

/// The texts of a page.
pub(crate) struct PageTexts {
    /// The main text.
    pub(crate) main: String,
    /// The [other text](pagekin_core::page::PageText::other).
    pub(crate) other: String,
}

impl SitePages {
    /// Opens the `given` folder of the site, or else the one that the build of the index recorded.
    /// `None` if that is not known, or not there any more.
    pub(crate) fn open(given: Option<&Path>, index: &LocalIndex) -> Result<Option<Self>, Failure> {
        match given {
            Some(site) if !site.is_dir() => {
                let site = site.display();
                Err(format!("{site} is not a folder. Pass the folder of the site with --site")
                    .into())
            }
            Some(site) => Ok(Some(Self { site: site.to_owned() })),
            None => Ok(index.site_folder().map(|site| Self { site })),
        }
    }

    /// Reads the texts of a page by its URL in the index.
    pub(crate) fn read(&self, index: &LocalIndex, url: &str) -> Result<PageTexts, Failure> {
        let base_url = &index.index().manifest().base_url;
        let file = serve::page_file(&self.site, base_url, url).ok_or_else(|| {
            let site = self.site.display();
            format!(
                "the page {url} is not in {site}. Pass the folder of the built site with --site"
            )
        })?;
        let mut bytes = Vec::new();
        file.take(MAX_PAGE).read_to_end(&mut bytes)?;
        let page = html::read_html(&bytes).page;
        Ok(PageTexts { main: page.text, other: page.other })
    }
}

/// The passages of an answer's results, by URL.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    by_url: BTreeMap<String, Passage>,
}

impl Passages {
    /// Reads the pages of the results for a text in a language. A page that cannot be read has no
    /// passage.
    pub(crate) fn read<'a>(
        pages: &SitePages,
        index: &LocalIndex,
        (text, lang): (&str, &str),
        results: impl Iterator<Item = &'a SearchResult>,
    ) -> Self {
        let passage = |result: &SearchResult| {
            let PageTexts { main, other } = pages.read(index, &result.url).ok()?;
            let passage = passage_of_page(index.index(), text, lang, &main, &other)?;
            Some((result.url.clone(), passage))
        };
        Self { by_url: results.filter_map(passage).collect() }
    }

    /// Whether the page of a result contains the text verbatim, or its phrases.
    pub(crate) fn is_verbatim(&self, result: &SearchResult) -> bool {
        self.by_url.get(&result.url).is_some_and(|passage| passage.verbatim)
    }

    /// Puts results first whose pages contain a text verbatim, or whose titles do.
    pub(crate) fn put_verbatim_first(&self, results: &mut [SearchResult], text: &str) {
        results.sort_by_key(|one| !(self.is_verbatim(one) || has_verbatim(&one.title, text)));
    }

    /// Returns the passage of a result as plain text.
    pub(crate) fn text_of(&self, result: &SearchResult) -> Option<String> {
        self.by_url.get(&result.url).map(|passage| passage.pieces.concat())
    }

    /// Formats the passage of a result for programs, like `kin.excerpt()`.
    pub(crate) fn report(&self, result: &SearchResult) -> Value {
        let report =
            |passage: &Passage| json!({ "pieces": passage.pieces, "verbatim": passage.verbatim });
        self.by_url.get(&result.url).map_or(Value::Null, report)
    }
}
