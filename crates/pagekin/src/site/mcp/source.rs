//! The index that is asked, in a folder or published, and the texts of its pages.

use std::env;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pagekin_core::{Answer, Index, LookupOptions};
use pagekin_index::{CallEnd, LocalIndex, RemoteIndex, RemoteIndexError, RemoteOptions};
use pagekin_pages::site::html;

use crate::args::site::McpArgs;
use crate::failure::Failure;
use crate::site::serve;

/// The most bytes of a page that are read.
const MAX_PAGE: u64 = 4 << 20;
/// After so long a published index may be another one.
const RENEWED_AFTER: Duration = Duration::from_secs(300);
/// To look for another one a call may take such a part of its time: the rest is for the answer.
const RENEWAL: u32 = 4;

/// An index, and where its pages are.
#[derive(Debug)]
pub(super) enum Source {
    Local { folder: Box<LocalIndex>, out: PathBuf, site: Option<PathBuf> },
    Remote { published: Box<RemoteIndex>, read: Instant },
}

/// A page's address, title and text.
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
                    "--site is for an index in a folder: the pages of a published one are \
                            fetched from its host"
                        .into(),
                );
            }
            let mut options = RemoteOptions::default();
            options.timeout = Duration::from_secs(args.timeout);
            options.roots = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
            let published = Box::new(RemoteIndex::open(&args.index, options)?);
            return Ok(Self::Remote { published, read: Instant::now() });
        }
        let (out, site) = (PathBuf::from(&args.index), args.site.clone());
        if let Some(site) = &site
            && !site.is_dir()
        {
            return Err(format!("expected the folder of the site at {}", site.display()).into());
        }
        Ok(Self::Local { folder: Box::new(LocalIndex::open(&out)?), out, site })
    }

    /// Has what follows end together.
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

    /// An address of the index as a URL, as far as it is known where the site is published.
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

    /// The text of a page of the index.
    pub(super) fn page(&mut self, url: &str) -> Result<PageText, Failure> {
        self.ask(|source| match source {
            Self::Local { folder, site, .. } => {
                let site = site.as_ref().ok_or(
                    "the texts of pages are not in the index: start `pagekin mcp` with --site and \
                     the folder of the site",
                )?;
                let page = folder.page(url)?;
                let base_url = &folder.index().manifest().base_url;
                let file = serve::page_file(site, base_url, &page.url).ok_or_else(|| {
                    format!("expected the page {} in {}, found none", page.url, site.display())
                })?;
                let mut bytes = Vec::new();
                file.take(MAX_PAGE).read_to_end(&mut bytes)?;
                let read = html::read_html(&bytes);
                let (text, other) = (read.page.text, read.page.other);
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

    /// Asks the index as it is now, and again if it was replaced meanwhile.
    fn ask<T>(&mut self, ask: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        if self.is_due() {
            // What was read before still answers.
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

    /// Opens the index again; whether it is another one.
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

/// Whether a file of a published index is missing or another one than was expected.
fn may_be_replaced(error: &Failure) -> bool {
    matches!(
        error.downcast_ref(),
        Some(RemoteIndexError::Unexpected { .. } | RemoteIndexError::Read(_))
    )
}
