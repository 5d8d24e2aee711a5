//! The shard of some pages to choose from: addresses and titles, for pickers.
//!
//! The number of pages, then each page's address and title, front-coded against those of the page
//! before.

use super::sealed::open;
use super::wire::{Writer, read_whole};
use super::{Kind, ReadError};

/// Addresses and titles of some pages, evenly spread over the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSample(pub Vec<(String, String)>);

impl PageSample {
    /// The payload.
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

    /// Reads the shard.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(name: &str, generation: u64, bytes: &[u8]) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Sample, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| {
            let mut pages = Vec::new();
            let (mut url, mut title) = (String::new(), String::new());
            for _ in 0..reader.count("the number of pages")? {
                reader.front_coded(&mut url, "an address")?;
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
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(pages in prop::collection::vec((".{0,20}", ".{0,20}"), 0..20)) {
            let sample = PageSample(pages);
            let bytes = seal(Kind::Sample, 1, &sample.encode());
            prop_assert_eq!(PageSample::decode("x", 1, &bytes), Ok(sample));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = PageSample::decode("x", 1, &seal(Kind::Sample, 1, &payload));
        }
    }
}
