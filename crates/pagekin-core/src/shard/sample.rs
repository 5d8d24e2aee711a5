//! The shard with a sample of pages: URLs and titles, for pickers.
//!
//! The number of pages, then the URL and title of each, front-coded against those of the previous
//! page.

use super::sealed::open;
use super::wire::{Writer, read_whole};
use super::{Kind, Manifest, ReadError};

/// URLs and titles of some pages, evenly spread over the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSample(pub Vec<(String, String)>);

impl PageSample {
    /// Returns the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.0.len() as u32);
        let (mut url_before, mut title_before) = ("", "");
        for (url, title) in &self.0 {
            writer.front_coded(url_before, url);
            writer.front_coded(title_before, title);
            (url_before, title_before) = (url, title);
        }
        writer.finish()
    }

    /// Reads the shard of the index of `manifest`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(
        name: &str,
        generation: u64,
        manifest: &Manifest,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Sample, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| {
            let mut pages = Vec::new();
            let (mut url, mut title) = (String::new(), String::new());
            for _ in 0..reader.count("the number of pages")? {
                reader.front_coded(&mut url, "an address")?;
                manifest.check_address(&url)?;
                reader.front_coded(&mut title, "a title")?;
                pages.push((url.clone(), title.clone()));
            }
            Ok(Self(pages))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use proptest::prelude::*;

    #[test]
    fn urls_outside_the_site_are_refused() {
        let manifest = manifest(Preset::Web);
        let read = |url: &str| {
            let sample = PageSample(vec![(url.to_owned(), "Title".to_owned())]);
            PageSample::decode("x", 1, &manifest, &seal(Kind::Sample, 1, &sample.encode()))
        };
        assert!(read("/docs/a.html").is_ok());
        for url in ["javascript:alert(1)", "//evil.example/docs/", "/docs", "/docs/a?b"] {
            assert!(matches!(read(url), Err(ReadError::Damaged { .. })), "{url}");
        }
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(pages in prop::collection::vec(("/docs/[a-z]{0,20}", ".{0,20}"), 0..20)) {
            let manifest = manifest(Preset::Web);
            let sample = PageSample(pages);
            let bytes = seal(Kind::Sample, 1, &sample.encode());
            prop_assert_eq!(PageSample::decode("x", 1, &manifest, &bytes), Ok(sample));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = PageSample::decode("x", 1, &manifest(Preset::Web), &seal(Kind::Sample, 1, &payload));
        }
    }
}
