//! Stretches of pages, and parts of the terms, into the shards of an index.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pagekin_core::bm25::IN_TITLE;
use pagekin_core::hash;
use pagekin_core::shard::{
    AddressShard, Coded, Counts, Kind, ListShard, MANIFEST_NAME, Posting, WrittenBlock, seal,
};
use pagekin_core::vocabulary::{TermId, is_term};
use rayon::prelude::*;

use crate::index::options::Assets;
use crate::index::placement::Taken;
use crate::index::records::{self, TRIAL_PAGES};
use crate::index::vocabulary::WeighedPage;
use crate::index::{encode as encoding, postings};
use crate::index_folder::file_list::{FILES_NAME, FileList, checksum};
use crate::stage::centers::two;
use crate::stage::error::StageError;
use crate::stage::index::Page;
use crate::stage::index::state::State;
use crate::stage::rows::{Out, Parts, Row, Rows, Spread, each_bucket, encode, of_kind, of_kinds};

/// The buckets of addresses are behind those of lists.
const ADDRESSES_FROM: u32 = 1 << 20;
/// Of a posting: term, page, level, copies.
const POSTING: usize = 11;
/// Of an address: its hash, and the page.
const ADDRESS: usize = 8;
/// Of a payload: its kind, its number, its hash.
pub(super) const HASH: usize = 13;
/// Of more addresses with titles some are left out.
const MOST_SAMPLED: usize = 8_192;

/// The pages of a stretch in their order.
fn stretch(bucket: i32, rows: &[Row], state: &State) -> Result<Vec<WeighedPage>, StageError> {
    let mut pages: Vec<(u32, Page)> = Vec::new();
    for row in of_kind(rows, "stretches")? {
        pages.extend(row.decoded::<(u32, Page)>("stretches")?);
    }
    pages.sort_unstable_by_key(|&(place, _)| place);
    let places = state.stretch(u32::try_from(bucket).unwrap_or(u32::MAX));
    let found = pages.iter().map(|&(place, _)| place);
    if !places.clone().eq(found) {
        let number = places.zip(&pages).find(|(place, (found, _))| place != found);
        let number = number.map_or(pages.len() as u32, |(place, _)| place);
        return Err(StageError::Missing {
            bucket,
            expected: "each page of the stretch once",
            number,
        });
    }
    let base_url = &state.manifest.base_url;
    let weighed = |(_, page): (u32, Page)| page.weighed(base_url);
    let weighed: Option<Vec<_>> = pages.into_iter().map(weighed).collect();
    weighed.ok_or_else(|| {
        rows[0].wrong(
            "stretches",
            "a page whose bag or title has what is no term of an index".to_owned(),
        )
    })
}

/// Blocks of the same number of pages.
fn trial_blocks(pages: &[WeighedPage]) -> Vec<WrittenBlock<'_>> {
    let order: Vec<u32> = (0..pages.len() as u32).collect();
    records::trial_blocks(&order, |page| records::record(&pages[page as usize], false))
}

/// Shards into how often bits are in them.
fn counts<T: Coded + Sync>(shards: &[T], state: &State) -> Vec<u8> {
    let count = |mut counts: Counts, shard: &T| {
        shard.count(&mut counts, &state.manifest);
        counts
    };
    let both = |mut a: Counts, b: Counts| {
        a.add(&b);
        a
    };
    let counts = shards.par_iter().fold(Counts::of::<T>, count).reduce(Counts::of::<T>, both);
    let mut bytes = Vec::new();
    encode(&counts.pairs(), &mut bytes);
    bytes
}

/// How often bits are in trial blocks.
pub(super) fn count<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    state: &State,
) -> Result<(), StageError> {
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        let pages = stretch(bucket, rows, state)?;
        out.put((0, "counts", 0), 1, &counts(&trial_blocks(&pages), state))
    })?;
    out.finish()
}

/// How many bytes trial blocks take, and each page of them.
pub(super) fn measure<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    state: &State,
) -> Result<(), StageError> {
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        let pages = stretch(bucket, rows, state)?;
        let blocks = trial_blocks(&pages);
        debug_assert!(blocks.iter().all(|block| block.0.len() <= TRIAL_PAGES));
        let shares: Vec<(Vec<f64>, u64)> =
            blocks.par_iter().map(|block| records::shares(block, &state.manifest)).collect();
        let all: u64 = shares.iter().map(|(_, all)| all).sum();
        let pages: Vec<f64> = shares.into_iter().flat_map(|(pages, _)| pages).collect();
        let mut bytes = Vec::new();
        encode(&(all, pages), &mut bytes);
        out.put((bucket, "sizes", 0), 1, &bytes)
    })?;
    out.finish()
}

/// Payloads on their way out, with their hashes.
struct Payloads {
    payloads: Parts,
    hashes: Vec<u8>,
}

impl Payloads {
    fn of(bucket: i32) -> Self {
        Self { payloads: Parts::new(bucket, "payloads"), hashes: Vec::new() }
    }

    fn push<W: Write>(
        &mut self,
        (kind, shard): (Kind, u32),
        payload: &[u8],
        out: &mut Out<W>,
    ) -> Result<(), StageError> {
        self.hashes.push(kind as u8);
        self.hashes.extend_from_slice(&shard.to_le_bytes());
        self.hashes.extend_from_slice(&hash::of_bytes(payload).to_le_bytes());
        self.payloads.push(&(kind as u8, shard, payload), out)
    }

    fn finish<W: Write>(self, out: &mut Out<W>) -> Result<(), StageError> {
        self.payloads.finish(out)?;
        out.put((0, "hashes", 0), (self.hashes.len() / HASH) as u64, &self.hashes)
    }
}

/// Blocks; what lists and addresses are made of; some pages to choose from.
pub(super) fn records<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    state: &State,
) -> Result<(), StageError> {
    let manifest = &state.manifest;
    let firsts = state.first_blocks();
    let (mut to_lists, mut to_addresses) = (Spread::new("postings"), Spread::new("addresses"));
    let mut sample: Vec<(String, String)> = Vec::new();
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        let pages = stretch(bucket, rows, state)?;
        let ends = firsts.get(bucket as usize..bucket as usize + 2);
        let missing = StageError::Missing { bucket, expected: "blocks", number: 0 };
        let &[first, end] = ends.ok_or(missing)? else { unreachable!("a slice of two") };
        let mut place = 0;
        let blocks: Vec<(u32, Vec<Taken>)> = (first..end)
            .map(|block| {
                let pages = state.block(block, place);
                place += pages.len() as u32;
                (block, pages)
            })
            .collect();
        if place as usize != pages.len() {
            return Err(StageError::Missing { bucket, expected: "a block", number: place });
        }
        let payload = |(_, taken): &(u32, Vec<Taken>)| {
            records::block(taken, |page| records::record(&pages[page as usize], false))
                .encode(manifest)
        };
        let encoded: Vec<Vec<u8>> = blocks.par_iter().map(payload).collect();
        let mut payloads = Payloads::of(bucket);
        for ((block, taken), payload) in blocks.iter().zip(encoded) {
            payloads.push((Kind::Pages, *block), &payload, out)?;
            for &(slot, page) in taken {
                let (page, number) = (&pages[page as usize], block * manifest.block_pages + slot);
                if manifest.lists.shards > 0 {
                    let mut found = Vec::new();
                    postings::each_posting(page, number, manifest, |term, posting| {
                        found.push((term, posting));
                    });
                    for (term, posting) in found {
                        let put = |bytes: &mut Vec<u8>| put_posting(term, posting, bytes);
                        to_lists.push(state.list_bucket(term), out, put)?;
                    }
                }
                let shard = manifest.address_shard(&page.url);
                to_addresses.push((ADDRESSES_FROM + shard) as i32, out, |bytes| {
                    let hash = hash::of_bytes(page.url.as_bytes()) as u32;
                    bytes.extend_from_slice(&hash.to_le_bytes());
                    bytes.extend_from_slice(&number.to_le_bytes());
                })?;
                sample.push((page.url.clone(), page.title.clone()));
            }
            if sample.len() > MOST_SAMPLED {
                encoding::draw(&mut sample);
            }
        }
        payloads.finish(out)
    })?;
    to_lists.finish(&mut out)?;
    to_addresses.finish(&mut out)?;
    encoding::draw(&mut sample);
    let mut parts = Parts::new(0, "sample");
    sample.iter().try_for_each(|page| parts.push(page, &mut out))?;
    parts.finish(&mut out)?;
    out.finish()
}

fn put_posting(term: TermId, posting: Posting, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&term.to_le_bytes());
    bytes.extend_from_slice(&posting.page.to_le_bytes());
    bytes.push(posting.level);
    bytes.extend_from_slice(&posting.copies().to_le_bytes());
}

/// The lists of a bucket by their shards.
fn list_shards(bucket: i32, rows: &[&Row], state: &State) -> Result<Vec<ListShard>, StageError> {
    let shards = state.list_shards(bucket as u32);
    let mut found = Vec::new();
    for row in rows {
        for &[a, b, c, d, e, f, g, h, level, i, j] in row.fixed::<POSTING>("postings")? {
            let (term, page) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            let shard = ListShard::number(term, state.manifest.lists.shards);
            let sound = is_term(term) && level <= IN_TITLE && page < state.manifest.slots();
            if !sound || !shards.contains(&shard) {
                return Err(row.wrong("postings", format!("term {term} of page {page}")));
            }
            found.push((shard, term, Posting::new(page, level, u16::from_le_bytes([i, j]))));
        }
    }
    let found = postings::list_shards(found, shards);
    for list in found.iter().flat_map(|shard| &shard.0) {
        if let Some(pair) = list.postings.windows(2).find(|pair| pair[0].page == pair[1].page) {
            let what = format!("term {} of page {} twice", list.term, pair[0].page);
            return Err(rows[0].wrong("postings", what));
        }
    }
    Ok(found)
}

/// How often bits are in the lists that say it of all.
pub(super) fn count_lists<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    state: &State,
) -> Result<(), StageError> {
    let telling = state.telling();
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        of_kind(rows, "postings")?;
        let shards = state.list_shards(bucket as u32);
        if shards.start >= telling.end {
            return Ok(());
        }
        let mut lists = list_shards(bucket, &rows.iter().collect::<Vec<_>>(), state)?;
        lists.truncate((telling.end - shards.start) as usize);
        out.put((0, "list-counts", 0), 1, &counts(&lists, state))
    })?;
    out.finish()
}

/// Lists and addresses.
pub(super) fn lists<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    state: &State,
) -> Result<(), StageError> {
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut payloads = Payloads::of(bucket);
        of_kinds(rows, ["addresses", "postings"], "addresses or postings")?;
        if bucket >= ADDRESSES_FROM as i32 {
            let mut entries = Vec::new();
            for row in of_kind(rows, "addresses")? {
                entries.extend(row.fixed::<ADDRESS>("addresses")?.iter().map(two));
            }
            let payload = AddressShard::of_hashes(entries).encode();
            payloads.push((Kind::Addresses, bucket as u32 - ADDRESSES_FROM), &payload, out)?;
        } else {
            let rows: Vec<&Row> = of_kind(rows, "postings")?.iter().collect();
            let lists = list_shards(bucket, &rows, state)?;
            let encoded: Vec<Vec<u8>> =
                lists.par_iter().map(|shard| shard.encode(&state.manifest)).collect();
            for (shard, payload) in state.list_shards(bucket as u32).zip(encoded) {
                payloads.push((Kind::Lists, shard), &payload, out)?;
            }
        }
        payloads.finish(out)
    })?;
    out.finish()
}

/// Payloads into files, each in a row with its path.
pub(super) fn files<R: Read, W: Write>(
    input: R,
    output: W,
    state: &State,
) -> Result<(), StageError> {
    let manifest = &state.manifest;
    let mut rows = Rows::open(input, false)?;
    let mut files = Files::new(output)?;
    while let Some(row) = rows.next()? {
        if row.is_report() {
            continue;
        }
        of_kind(std::slice::from_ref(&row), "payloads")?;
        let payloads: Vec<(u8, u32, &[u8])> = row.decoded("payloads")?;
        let mut some = Vec::with_capacity(payloads.len());
        for (kind, shard, payload) in payloads {
            let kind = Kind::NUMBERED.into_iter().find(|known| *known as u8 == kind);
            let known =
                kind.filter(|&kind| manifest.part(kind).is_some_and(|part| shard < part.shards));
            let kind =
                known.ok_or_else(|| row.wrong("payloads", format!("one of no file, {shard}")))?;
            some.push((manifest.name(kind, shard), seal(kind, manifest.generation(), payload)));
        }
        files.put(&some)?;
    }
    files.finish()
}

/// What lies beside the shards: the assets, a list of files and, last of all, the manifest.
pub(super) fn beside(
    State { manifest, .. }: &State,
    assets: &Assets<'_>,
    output: impl Write,
) -> Result<(), StageError> {
    let assets = assets.of(manifest.languages.iter().map(|(language, _)| language));
    let mut all: Vec<(String, Vec<u8>)> =
        assets.map(|asset| (asset.path.to_owned(), asset.bytes.to_vec())).collect();
    let folder = |(path, _): &(String, Vec<u8>)| {
        path.split_once('/').map_or(&**path, |(folder, _)| folder).to_owned()
    };
    let own = [MANIFEST_NAME.to_owned(), INDEX_FOLDER.to_owned()];
    let names: BTreeSet<String> = all.iter().map(folder).chain(own).collect();
    let checksums = all.iter().map(|(path, bytes)| (path.clone(), checksum(bytes))).collect();
    let list = FileList { names: names.into_iter().collect(), checksums }.encode();
    all.push((FILES_NAME.to_owned(), list.into_bytes()));
    all.push((MANIFEST_NAME.to_owned(), manifest.encode()));
    let mut files = Files::new(output)?;
    all.chunks(1).try_for_each(|file| files.put(file))?;
    files.finish()
}

/// The folder of shards in an output.
const INDEX_FOLDER: &str = "index";

/// Files on their way out.
struct Files<W: Write> {
    stream: StreamWriter<W>,
    schema: SchemaRef,
}

impl<W: Write> Files<W> {
    fn new(output: W) -> Result<Self, StageError> {
        let fields = [("path", DataType::Utf8), ("bytes", DataType::Binary)];
        let fields = fields.map(|(name, data_type)| Field::new(name, data_type, false));
        let schema = Arc::new(Schema::new(fields.to_vec()));
        let stream = StreamWriter::try_new(output, &schema).map_err(StageError::writing)?;
        Ok(Self { stream, schema })
    }

    fn put(&mut self, files: &[(String, Vec<u8>)]) -> Result<(), StageError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(files.iter().map(|(path, _)| path))),
            Arc::new(BinaryArray::from_iter_values(files.iter().map(|(_, bytes)| bytes))),
        ];
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .and_then(|batch| self.stream.write(&batch))
            .map_err(StageError::writing)
    }

    fn finish(mut self) -> Result<(), StageError> {
        self.stream.finish().map_err(StageError::writing)
    }
}
