//! What all tasks found into what is settled of an index: each in one task.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use pagekin_core::bag::Bag;
use pagekin_core::hash;
use pagekin_core::shard::{
    AddressShard, Coded, Counts, GenerationHasher, Kind, ListShard, Model, Part, Sample,
    WrittenBlock,
};
use pagekin_core::vocabulary::TermId;
use rustc_hash::FxHashMap;

use crate::crawl_folder::format::{CrawledTerm, word_id};
use crate::index::options::BuildOptions;
use crate::index::placement::Arrangement;
use crate::index::postings::{TermSet, Terms};
use crate::index::shard_plan::{BlockRule, Layout, Plan, PlanRules, SiteSize};
use crate::index::{encode as encoding, from_crawl, previous, records, stages};
use crate::site::languages;
use crate::stage::error::StageError;
use crate::stage::index::shards::HASH;
use crate::stage::index::state::State;
use crate::stage::index::{DescribeOptions, Facts};
use crate::stage::rows::{Out, Rows, each_row, encode};

/// The vocabulary, and all else that is known before pages have places.
pub(super) fn describe<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &DescribeOptions,
) -> Result<(), StageError> {
    let mut all = Facts::default();
    let mut bags: FxHashMap<u32, Bag> = FxHashMap::default();
    let mut words: Vec<(TermId, CrawledTerm)> = Vec::new();
    let with_id = |term: CrawledTerm| (word_id(&term.stem), term);
    each_row(&mut Rows::open(input, false)?, &mut out, |row, _| {
        match &*row.kind {
            "facts" => {
                for facts in row.decoded::<Facts>("facts")? {
                    all.pages += facts.pages;
                    all.terms += facts.terms;
                    all.title_terms += facts.title_terms;
                    all.origins.extend(facts.origins);
                }
                all.origins.sort();
                all.origins.dedup();
            }
            "drawn" => {
                for (place, bag) in row.decoded::<(u32, Vec<(TermId, u16)>)>("drawn")? {
                    let bag = Bag::from_sorted(bag);
                    let bag = bag.map_err(|_| row.wrong("drawn", "no bag".to_owned()))?;
                    bags.insert(place, bag);
                }
            }
            "words" => words.extend(row.decoded("words")?.into_iter().map(with_id)),
            _ => return Err(row.unexpected("drawn, facts or words")),
        }
        Ok(())
    })?;
    let pages = u32::try_from(all.pages).map_err(|_| StageError::TooMany { found: all.pages })?;
    let drawn = records::drawn(pages).into_iter().flat_map(|(a, b)| [a, b]);
    if let Some(number) = drawn.into_iter().find(|place| !bags.contains_key(place)) {
        return Err(StageError::Missing { bucket: 0, expected: "a record of kind drawn", number });
    }
    words.sort_unstable_by_key(|&(word, _)| word);
    let rules = stages::vocabulary_rules(&BuildOptions::new("", ""), options.spoken_of);
    let vocabulary = from_crawl::vocabulary_of(words, options.spoken_of, rules);
    let languages = languages::commonest_first(options.languages.languages());
    let base_url = match &*all.origins {
        [origin] => from_crawl::base_of(origin),
        _ => "",
    };
    let stop = languages::only(languages.iter().map(|(language, _)| language.clone()));
    let mut manifest = encoding::begin(encoding::Known {
        params: options.preset.params(options.seed),
        pages,
        texts: false,
        mean_length: records::mean_of(all.terms, all.pages),
        background: records::background_of(pages, |place| &bags[&place]),
        base_url,
        languages,
        vocabulary,
        stop,
    });
    // Until pages are arranged they are taken to stand one after the other in blocks of one page, so
    // that the manifest is one.
    manifest.blocks = Part::of_files(pages);
    manifest.lists = Part::of_files(1);
    manifest.addresses = Part::of_files(1);
    let postings = all.terms + all.title_terms;
    State { manifest, postings, blocks: Vec::new() }.put(&mut out)?;
    out.finish()
}

/// How likely bits are, by all counts of a kind.
fn learn<T: Coded, R: Read, W: Write>(
    input: R,
    out: &mut Out<W>,
    kind: &'static str,
) -> Result<Model, StageError> {
    let mut counts = Counts::of::<T>();
    each_row(&mut Rows::open(input, false)?, out, |row, _| {
        if &*row.kind != kind {
            return Err(row.unexpected(kind));
        }
        for pairs in row.decoded::<Vec<[u32; 2]>>(kind)? {
            let wrong = || row.wrong(kind, "counts of other contexts".to_owned());
            counts.add(&Counts::from_pairs::<T>(pairs).ok_or_else(wrong)?);
        }
        Ok(())
    })?;
    Ok(counts.model())
}

pub(super) fn model<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    mut state: State,
) -> Result<(), StageError> {
    state.manifest.page_model = learn::<WrittenBlock<'_>, _, _>(input, &mut out, "counts")?;
    state.put(&mut out)?;
    out.finish()
}

pub(super) fn model_lists<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    mut state: State,
) -> Result<(), StageError> {
    state.manifest.list_model = learn::<ListShard, _, _>(input, &mut out, "list-counts")?;
    state.put(&mut out)?;
    out.finish()
}

/// The numbers of shards, and which pages share a block.
pub(super) fn arrange<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    mut state: State,
    max_files: u32,
) -> Result<(), StageError> {
    let mut terms = TermSet::default();
    let mut sizes: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    let mut record_bytes = 0;
    each_row(&mut Rows::open(input, false)?, &mut out, |row, _| {
        match &*row.kind {
            "parts" => {
                for part in row.fixed("parts")? {
                    if !terms.add(row.bucket as u32, part) {
                        return Err(row.wrong("parts", "terms of no index".to_owned()));
                    }
                }
            }
            "sizes" => {
                for (all, pages) in row.decoded::<(u64, Vec<f64>)>("sizes")? {
                    record_bytes += all;
                    sizes.insert(row.bucket, pages);
                }
            }
            _ => return Err(row.unexpected("parts or sizes")),
        }
        Ok(())
    })?;
    let n = state.manifest.pages;
    let stretches = (0u32..).take_while(|&stretch| !state.stretch(stretch).is_empty());
    for stretch in stretches {
        let (bucket, expected) = (stretch as i32, "the size of each page of the stretch");
        let places = state.stretch(stretch);
        if sizes.get(&bucket).is_none_or(|pages| pages.len() != places.len()) {
            return Err(StageError::Missing { bucket, expected, number: places.start });
        }
    }
    let terms = Terms::from(terms);
    let size = SiteSize { pages: n, terms: terms.len(), record_bytes: record_bytes as f64 };
    let rules =
        PlanRules { layout: Layout::Files, max_files, block_pages: None, tables: Some(false) };
    let mut plan = Plan::new(size, rules);
    let BlockRule::Bytes { target, most_pages } = plan.blocks else {
        unreachable!("no number of pages was asked for")
    };
    state.blocks = sizes
        .into_values()
        .flat_map(|bytes| {
            let order: Vec<u32> = (0..bytes.len() as u32).collect();
            let blocks = Arrangement::by_bytes(&order, &bytes, target, most_pages).blocks;
            blocks.into_iter().map(|block| block.len() as u32)
        })
        .collect();
    if plan.list_shards > 0 {
        plan.list_shards = terms.shards(plan.list_shards);
    }
    let (most, blocks) = (state.blocks.iter().copied().max(), state.blocks.len() as u32);
    let block_pages = previous::slots_of_blocks(most.unwrap_or(1), blocks, n);
    encoding::lay_out(&mut state.manifest, &plan, block_pages, blocks);
    state.put(&mut out)?;
    out.finish()
}

/// The sample, and the generation: by that all files get their names.
pub(super) fn finish<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    mut state: State,
) -> Result<(), StageError> {
    let mut hashes: BTreeMap<(u8, u32), u64> = BTreeMap::new();
    let mut sample: Vec<(String, String)> = Vec::new();
    each_row(&mut Rows::open(input, false)?, &mut out, |row, _| {
        match &*row.kind {
            "hashes" => {
                for &[kind, a, b, c, d, ref hash @ ..] in row.fixed::<HASH>("hashes")? {
                    let shard = u32::from_le_bytes([a, b, c, d]);
                    if hashes.insert((kind, shard), u64::from_le_bytes(*hash)).is_some() {
                        return Err(row.wrong("hashes", format!("shard {shard} twice")));
                    }
                }
            }
            "sample" => sample.extend(row.decoded::<(String, String)>("sample")?),
            _ => return Err(row.unexpected("hashes or sample")),
        }
        Ok(())
    })?;
    encoding::draw(&mut sample);
    let mut own = vec![(Kind::Sample, 0, Sample(sample).encode())];
    let addresses = 0..state.manifest.addresses.shards;
    let empty = addresses.filter(|&shard| !hashes.contains_key(&(Kind::Addresses as u8, shard)));
    own.extend(empty.map(|shard| (Kind::Addresses, shard, AddressShard::default().encode())));
    let mut bytes = Vec::new();
    for (kind, shard, payload) in &own {
        hashes.insert((*kind as u8, *shard), hash::of_bytes(payload));
        encode(&(*kind as u8, *shard, payload), &mut bytes);
    }
    let mut generation = GenerationHasher::default();
    for kind in Kind::NUMBERED {
        for number in 0..state.manifest.part(kind).map_or(0, |part| part.shards) {
            let expected = "a hash of each shard";
            let missing = StageError::Missing { bucket: kind as i32, expected, number };
            generation.update_hash(hashes.remove(&(kind as u8, number)).ok_or(missing)?);
        }
    }
    if let Some(&(kind, number)) = hashes.keys().next() {
        let expected = "only shards that the index has";
        return Err(StageError::Missing { bucket: kind.into(), expected, number });
    }
    // What the shards mean depends on the parameters too.
    generation.update(&state.manifest.encode());
    state.manifest.generations = vec![generation.finish()];
    state.put(&mut out)?;
    out.put((0, "payloads", 0), own.len() as u64, &bytes)?;
    out.finish()
}
