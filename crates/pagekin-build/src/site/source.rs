//! Pages from somewhere other than a folder of HTML.

use std::io;
use std::path::PathBuf;

/// A source of pages. Each page is requested once, on any thread and in any order, neither of which
/// affects the result.
pub trait PageSource: Sync {
    /// The number of pages.
    fn count(&self) -> u64;

    /// Page `at`, counted from 0.
    ///
    /// # Errors
    ///
    /// If the page cannot be read: the build fails or skips it, as with a file that cannot be read.
    fn page(&self, at: u64) -> io::Result<SourcePage>;

    /// The name of page `at` in messages, such as the line of a file.
    fn name(&self, at: u64) -> PathBuf;
}

/// A page of a [`PageSource`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// Its URL, below [`SiteOptions::base_url`](crate::SiteOptions::base_url). Of pages with the
    /// same URL, the first is indexed.
    pub url: String,
    /// Its title, one line. Its words do not count unless they are in the text too.
    pub title: String,
    /// Its language tag, such as `pt-BR`; if invalid or empty, that of the site is used.
    pub lang: String,
    /// The text to index, as of an HTML page. It is not stored.
    pub text: String,
}

/// Pages that are made already.
impl PageSource for Vec<SourcePage> {
    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let page = usize::try_from(at).ok().and_then(|at| self.get(at));
        page.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn name(&self, at: u64) -> PathBuf {
        format!("page {at}").into()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::site::error::SiteError;
    use crate::site::skipped::SkipReason;
    use crate::{Assets, BuildError, BuildOptions, build, build_pages};

    /// So many pages, each like the next.
    pub(crate) struct Neighbours(pub(crate) u64);

    impl PageSource for Neighbours {
        fn count(&self) -> u64 {
            self.0
        }

        fn page(&self, at: u64) -> io::Result<SourcePage> {
            let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
            let word = |number: u64| {
                let digits = [number / 100, number / 10, number];
                digits.map(|digit| syllables[(digit % 10) as usize]).concat()
            };
            Ok(SourcePage {
                url: format!("/{at}.html"),
                title: format!("Page {at}"),
                lang: "en".to_owned(),
                text: (at..at + 8).map(word).collect::<Vec<_>>().join(" "),
            })
        }

        fn name(&self, at: u64) -> PathBuf {
            at.to_string().into()
        }
    }

    fn known(pages: &[(&str, &str)]) -> Vec<SourcePage> {
        let page = |&(url, text): &(&str, &str)| SourcePage {
            url: url.to_owned(),
            title: format!("At {url}"),
            lang: "en".to_owned(),
            text: text.to_owned(),
        };
        pages.iter().map(page).collect()
    }

    const PAGES: [(&str, &str); 3] = [
        ("/b.html", "Rye bread rises slowly."),
        ("/a/", "Wheat bread rises in an hour."),
        ("/c.html", "Barns burn."),
    ];

    #[test]
    fn an_index_of_texts_is_that_of_html_with_these_texts() {
        let place = tempfile::tempdir().unwrap();
        let site = place.path().join("site");
        std::fs::create_dir_all(site.join("a")).unwrap();
        for (url, text) in PAGES {
            let file = if url.ends_with('/') { "a/index.html" } else { &url[1..] };
            let html = format!("<html lang=en><title>At {url}</title><main>{text}</main>");
            std::fs::write(site.join(file), html).unwrap();
        }
        let options = BuildOptions::new(&site, place.path().join("html"));
        let of_html = build(&options, &Assets::default(), &Silent).unwrap();
        let options = BuildOptions::new("", place.path().join("texts"));
        let of_texts = build_pages(&options, &known(&PAGES), &Assets::default(), &Silent).unwrap();
        assert_eq!((of_texts.pages, of_texts.generation), (3, of_html.generation));
    }

    #[test]
    fn an_address_is_taken_once() {
        let place = tempfile::tempdir().unwrap();
        let twice = [PAGES[0], PAGES[1], PAGES[2], ("/a/index.html", "Something else.")];
        let build = |pages: &[(&str, &str)], output: &str| {
            let options = BuildOptions::new("", place.path().join(output));
            build_pages(&options, &known(pages), &Assets::default(), &Silent).unwrap()
        };
        let (once, twice) = (build(&PAGES, "once"), build(&twice, "twice"));
        assert_eq!(twice.generation, once.generation);
        assert_eq!(twice.skipped[0].reason, SkipReason::DuplicateUrl);
        assert_eq!((twice.skipped[0].count, &*twice.skipped[0].examples[0]), (1, "/a"));
    }

    #[test]
    fn an_address_outside_the_site_fails_the_build() {
        let place = tempfile::tempdir().unwrap();
        let mut options = BuildOptions::new("", place.path().join("out"));
        options.reading.base_url = "https://x.org/docs/".to_owned();
        let pages = known(&[("https://x.org/docs/a", "Bread"), ("https://x.org/docs2", "Rye")]);
        let error = build_pages(&options, &pages, &Assets::default(), &Silent).unwrap_err();
        assert!(
            matches!(&error, BuildError::Site(SiteError::Unreadable { count: 1, example, .. }) if example.as_os_str() == "page 1"),
            "{error}"
        );
        options.reading.skip_unreadable = true;
        assert_eq!(build_pages(&options, &pages, &Assets::default(), &Silent).unwrap().pages, 1);
    }
}
