//! The page with an address, wherever the files of the index are.

use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_core::shard::{AddressShard, Kind, Manifest, PageBlock, PageRecord};
use pagekin_core::{QueryError, ReadError, address};

/// The number and the record of the page with an address, see [`address::variants`]. `read` is
/// given the name of a shard, as by [`Lookup::drive`](pagekin_core::Lookup::drive).
pub(crate) fn page_by_address<E: From<QueryError> + From<ReadError>>(
    manifest: &Manifest,
    url: &str,
    mut read: impl FnMut(&str) -> Result<Vec<u8>, E>,
) -> Result<(u32, PageRecord), E> {
    let mut shard = |kind, number| {
        let name = manifest.name(kind, number);
        let bytes = manifest.stored(kind, &read(&name)?).to_vec();
        Ok::<_, E>((name, manifest.generation_of(kind, number), bytes))
    };
    for variant in address::variants(url, &manifest.base_url) {
        let number = manifest.address_shard(&variant);
        let (name, generation, bytes) = shard(Kind::Addresses, number)?;
        let addresses = AddressShard::decode(&name, generation, manifest.slots(), &bytes)?;
        // More pages with one half of a hash are no addresses of a site.
        for number in addresses.candidates(&variant).take(MAX_BLOCKS) {
            let (name, generation, bytes) = shard(Kind::Pages, number / manifest.block_pages)?;
            let block = PageBlock::decode(&name, generation, manifest, &bytes)?;
            if let Some(record) = block.page(number % manifest.block_pages)
                && record.url == variant
            {
                return Ok((number, record.clone()));
            }
        }
    }
    let (address, base_url) = (url.to_owned(), manifest.shown_base_url().to_owned());
    Err(QueryError::UnknownUrl { url: address, base_url }.into())
}
