//! The queried index, in a folder or published, and the texts of its pages.

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pagekin_core::{Answer, Index, LookupOptions};
use pagekin_index::{CallEnd, LocalIndex, RemoteIndex, RemoteIndexError, RemoteOptions};
use pagekin_pages::site::html;

use crate::args::site::McpArgs;
use crate::failure::Failure;
use crate::site::passages::{PageTexts, SitePages};

/// Interval between checks for a new version of a published index.
const RENEWED_AFTER: Duration = Duration::from_secs(300);
/// A check may take this fraction of a call's time, 1 / `RENEWAL`.
const RENEWAL: u32 = 4;

/// An index with the location of its pages.
#[derive(Debug)]
pub(super) enum Source {
    Local { folder: Box<LocalIndex>, out: PathBuf, site: Option<SitePages> },
    Remote { published: Box<RemoteIndex>, read: Instant },
}

/// The URL, title and texts of a page.
pub(super) struct PageText {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) other: String,
}

impl Source {
    pub(super) fn open(args: &McpArgs) -> Result<Self, Failure> {
        if args.index.contains("://") {
            if args.site.is_some() {
                return Err(
                    "--site needs an index in a folder. The pages of a published index are \
                            fetched from its host; omit --site"
                        .into(),
                );
            }
            let mut options = RemoteOptions::default();
            options.timeout = Duration::from_secs(args.timeout);
            options.roots = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
            let published = Box::new(RemoteIndex::open(&args.index, options)?);
            return Ok(Self::Remote { published, read: Instant::now() });
        }
        let out = PathBuf::from(&args.index);
        let folder = Box::new(LocalIndex::open(&out)?);
        let site = SitePages::open(args.site.as_deref(), &folder)?;
        Ok(Self::Local { folder, out, site })
    }

    /// Sets the end of the following requests.
    pub(super) fn set_end(&mut self, end: CallEnd) {
        if let Self::Remote { published, .. } = self {
            published.set_end(Some(end));
        }
    }

    pub(super) fn index(&self) -> &Index {
        match self {
            Self::Local { folder, .. } => folder.index(),
            Self::Remote { published, .. } => published.index(),
        }
    }

    /// Returns a URL of the index as an absolute URL if the site's location is known.
    pub(super) fn absolute(&self, address: &str) -> String {
        match self {
            Self::Local { .. } => address.to_owned(),
            Self::Remote { published, .. } => published.absolute(address),
        }
    }

    pub(super) fn similar_to_text(
        &mut self,
        text: &str,
        lang: &str,
        options: LookupOptions,
    ) -> Result<Answer, Failure> {
        self.ask(|source| match source {
            Self::Local { folder, .. } => Ok(folder.similar_to_text(text, lang, options)?),
            Self::Remote { published, .. } => Ok(published.similar_to_text(text, lang, options)?),
        })
    }

    pub(super) fn similar_to_url(
        &mut self,
        url: &str,
        options: LookupOptions,
    ) -> Result<Answer, Failure> {
        self.ask(|source| match source {
            Self::Local { folder, .. } => Ok(folder.similar_to_url(url, options)?),
            Self::Remote { published, .. } => Ok(published.similar_to_url(url, options)?),
        })
    }

    /// Reads the text of a page of the index.
    pub(super) fn page(&mut self, url: &str) -> Result<PageText, Failure> {
        self.ask(|source| match source {
            Self::Local { folder, site, .. } => {
                let site = site.as_ref().ok_or(
                    "the index does not contain the texts of pages. Start `pagekin mcp` with --site and \
                     the folder of the site",
                )?;
                let page = folder.page(url)?;
                let PageTexts { main: text, other } = site.read(folder, &page.url)?;
                Ok(PageText { url: page.url, title: page.title, text, other })
            }
            Self::Remote { published, .. } => {
                let page = published.page(url)?;
                let (read, _) = html::read_html_with_links(&page.bytes, page.charset.as_deref());
                let (text, other) = (read.page.text, read.page.other);
                Ok(PageText { url: page.url, title: page.title, text, other })
            }
        })
    }

    /// Queries the current index, and again if it was replaced in the meantime.
    fn ask<T>(&mut self, ask: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        if self.is_due() {
            // If this fails, the loaded index still answers.
            let _ = self.renew();
        }
        let answered = ask(self);
        match &answered {
            Err(error) if may_be_replaced(error) && self.renew().unwrap_or(false) => ask(self),
            _ => answered,
        }
    }

    fn is_due(&self) -> bool {
        match self {
            Self::Local { .. } => true,
            Self::Remote { read, .. } => read.elapsed() >= RENEWED_AFTER,
        }
    }

    /// Reopens the index and returns whether it has changed.
    fn renew(&mut self) -> Result<bool, Failure> {
        match self {
            Self::Local { folder, out, .. } => {
                let now = LocalIndex::open(out)?;
                let generation = |of: &LocalIndex| of.index().manifest().generation();
                let is_new = generation(&now) != generation(folder);
                if is_new {
                    **folder = now;
                }
                Ok(is_new)
            }
            Self::Remote { published, read } => {
                *read = Instant::now();
                Ok(published.refresh(RENEWAL)?)
            }
        }
    }
}

/// Returns whether a file of a published index is missing or unexpected, for example because the
/// index was replaced.
fn may_be_replaced(error: &Failure) -> bool {
    matches!(
        error.downcast_ref(),
        Some(RemoteIndexError::Unexpected { .. } | RemoteIndexError::Read(_))
    )
}
