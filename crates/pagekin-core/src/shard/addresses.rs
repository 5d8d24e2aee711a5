//! A shard of the map from URLs to pages.
//!
//! The number of entries, then the entries, ordered by the low half of the hash of the URL: each
//! the difference from the previous half and the number of the page. Several pages may have equal
//! halves. A lookup gets all of them, and finds the right one by its record.

use super::sealed::open;
use super::wire::{Damaged, Writer, read_whole};
use super::{Kind, ReadError};
use crate::hash;

/// Pages by the hashes of their URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressShard(Vec<(u32, u32)>);

impl AddressShard {
    /// Creates the shard of the given pages.
    #[must_use]
    pub fn new<'a>(pages: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let pages = pages.into_iter();
        let mut entries: Vec<_> = pages.map(|(address, page)| (low_hash(address), page)).collect();
        entries.sort_unstable();
        Self(entries)
    }

    /// Returns the pages that may have this URL.
    pub fn candidates(&self, address: &str) -> impl Iterator<Item = u32> + '_ {
        let wanted = low_hash(address);
        let start = self.0.partition_point(|&(hash, _)| hash < wanted);
        self.0[start..].iter().take_while(move |&&(hash, _)| hash == wanted).map(|&(_, page)| page)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// Returns the payload.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.varint(self.0.len() as u32);
        let mut before = 0;
        for &(hash, page) in &self.0 {
            writer.varint(hash - before);
            writer.varint(page);
            before = hash;
        }
        writer.finish()
    }

    /// Reads a shard. `slots` is the number of slots of the index's blocks.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] of any kind.
    #[inline(never)] // A browser fetches it apart: Cargo.toml of pagekin-wasm.
    pub fn decode(
        name: &str,
        generation: u64,
        slots: u32,
        bytes: &[u8],
    ) -> Result<Self, ReadError> {
        let (_, payload) = open(name, Kind::Addresses, Some(generation), bytes)?;
        read_whole(name, &payload, |reader| {
            let n = reader.count("the number of addresses")?;
            let mut entries = Vec::with_capacity(n);
            let mut hash = 0u32;
            for _ in 0..n {
                hash = hash
                    .checked_add(reader.varint("the hash of an address")?)
                    .ok_or(Damaged("the hash of an address"))?;
                let page = reader.varint("a page")?;
                if page >= slots {
                    return Err(Damaged("a page of the index"));
                }
                entries.push((hash, page));
            }
            Ok(Self(entries))
        })
    }
}

fn low_hash(address: &str) -> u32 {
    hash::of_bytes(address.as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_address_is_found(addresses: std::collections::BTreeSet<String>) {
            let shard = AddressShard::new(addresses.iter().map(String::as_str).zip(0..));
            let bytes = seal(Kind::Addresses, 1, &shard.encode());
            let read = AddressShard::decode("x", 1, addresses.len() as u32, &bytes).unwrap();
            prop_assert_eq!(&read, &shard);
            for (page, address) in addresses.iter().enumerate() {
                prop_assert!(read.candidates(address).any(|candidate| candidate == page as u32));
            }
        }

        #[test]
        fn any_payload_is_read_or_refused(payload: Vec<u8>) {
            let _ = AddressShard::decode("x", 1, 1_000, &seal(Kind::Addresses, 1, &payload));
        }
    }
}
