//! A block of page records.
//!
//! The number of pages, then each page: its address and its title, each front-coded against those of the
//! page before; the low bytes of its signature, if the parameters store them; the number of terms of its
//! bag, the terms in ascending order, each the step from the one before, and the copies of each less one.

use super::wire::{Reader, Writer};
use super::{Kind, Manifest, ReadError, open};
use crate::bag::Bag;

/// What an index knows of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRecord {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The low bytes of its signature, or none (see [`crate::IndexParams::filter_percent`]).
    pub signature: Vec<u8>,
    /// Its bag, whole.
    pub bag: Bag,
}

/// Pages that lie together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageBlock(pub Vec<PageRecord>);

impl PageBlock {
    /// The payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.0.len() as u32);
        let first = PageRecord::default();
        let mut before = &first;
        for page in &self.0 {
            writer.front_coded(&before.url, &page.url);
            writer.front_coded(&before.title, &page.title);
            writer.bytes(&page.signature);
            writer.varint(page.bag.entries().len() as u32);
            let mut term_before = 0;
            for &(term, _) in page.bag.entries() {
                writer.varint(term - term_before);
                term_before = term;
            }
            for &(_, copies) in page.bag.entries() {
                writer.varint(u32::from(copies) - 1);
            }
            before = page;
        }
        writer.finish()
    }

    /// Reads a block of the index of `manifest`.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    pub fn decode(name: &str, manifest: &Manifest, bytes: &[u8]) -> Result<Self, ReadError> {
        let signature_bytes = manifest.params.stored_signature_bytes();
        let rules = manifest.params.bag;
        let (_, payload) = open(name, Kind::Pages, Some(manifest.generation), bytes)?;
        let mut reader = Reader::new(name, &payload);
        let n = reader.count("the number of pages")?;
        let mut pages = Vec::new();
        let (mut url, mut title) = (String::new(), String::new());
        for _ in 0..n {
            reader.front_coded(&mut url, "an address")?;
            reader.front_coded(&mut title, "a title")?;
            let signature = reader.bytes(signature_bytes, "a signature")?.to_vec();
            let n_terms = reader.count("the number of terms of a bag")?;
            if n_terms > usize::from(rules.max_terms) {
                return Err(reader.damaged("no more terms in a bag than the manifest allows"));
            }
            let mut entries: Vec<(u32, u16)> = Vec::with_capacity(n_terms);
            for _ in 0..n_terms {
                let term = reader.ascending(entries.last().map(|entry| entry.0), "a term")?;
                if term >= manifest.terms {
                    return Err(reader.damaged("a term of the vocabulary"));
                }
                entries.push((term, 0));
            }
            for entry in &mut entries {
                entry.1 = u16::try_from(reader.varint("the copies of a term")?)
                    .ok()
                    .and_then(|copies| copies.checked_add(1))
                    .ok_or_else(|| reader.damaged("at most 65,535 copies"))?;
            }
            // Rounding may add a copy to each term.
            let copies: usize = entries.iter().map(|&(_, copies)| usize::from(copies)).sum();
            if copies > usize::from(rules.sum) + n_terms {
                return Err(reader.damaged("no more copies in a bag than the manifest allows"));
            }
            let bag = Bag::from_sorted(entries).ok_or_else(|| reader.damaged("terms in order"))?;
            pages.push(PageRecord { url: url.clone(), title: title.clone(), signature, bag });
        }
        reader.end()?;
        Ok(Self(pages))
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use crate::bag::BagRules;
    use crate::params::Preset;
    use crate::shard::manifest::tests::manifest;
    use crate::similarity::tests::any_bag;
    use proptest::prelude::*;

    fn manifest_of_three_values() -> Manifest {
        let mut manifest = manifest(Preset::Paper);
        manifest.params.signature.m = 3;
        manifest.params.bag = BagRules { sum: u16::MAX, ..manifest.params.bag };
        manifest
    }

    #[test]
    fn bags_beyond_what_the_manifest_allows_are_refused() {
        let manifest = manifest(Preset::Web);
        let check = |entries: Vec<(u32, u16)>, allowed| {
            let bag = Bag::from_sorted(entries).unwrap();
            let block = PageBlock(vec![PageRecord { bag, ..PageRecord::default() }]);
            let bytes = seal(Kind::Pages, manifest.generation, &block.encode());
            assert_eq!(PageBlock::decode("x", &manifest, &bytes).is_ok(), allowed);
        };
        check((0..64).map(|term| (term, 7)).collect(), true);
        check((0..65).map(|term| (term, 1)).collect(), false);
        check((0..64).map(|term| (term, 8)).collect(), false);
        check(vec![(0, 402)], false);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            pages in prop::collection::vec((".{0,20}", ".{0,20}", any_bag(), prop::collection::vec(any::<u8>(), 3..=3)), 0..20)
        ) {
            let block = PageBlock(pages.into_iter().map(|(url, title, bag, signature)| PageRecord { url, title, signature, bag }).collect());
            let manifest = manifest_of_three_values();
            let bytes = seal(Kind::Pages, manifest.generation, &block.encode());
            prop_assert_eq!(PageBlock::decode("x", &manifest, &bytes), Ok(block));
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            for preset in [Preset::Web, Preset::Paper] {
                let manifest = manifest(preset);
                let _ = PageBlock::decode("x", &manifest, &seal(Kind::Pages, manifest.generation, &payload));
            }
        }
    }
}
