//! Finds the page at a URL, in a local or published index.

use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_core::shard::{AddressShard, Kind, Manifest, PageBlock, PageRecord};
use pagekin_core::{QueryError, ReadError, address};

/// Returns the number and the record of the page at a URL, see [`address::variants`]. `read`
/// receives the name of a shard, as in [`Lookup::drive`](pagekin_core::Lookup::drive).
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
        // A site does not have more pages whose hashes share one half.
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
