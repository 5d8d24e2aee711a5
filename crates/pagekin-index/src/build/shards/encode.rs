//! Encodes the shards of an index as payloads.

use pagekin_core::hash;
use pagekin_core::lookup::MAX_BLOCKS;
use pagekin_core::minhash::Signature;
use pagekin_core::shard::{
    AddressShard, Completion, CompletionShard, Counts, Kind, Manifest, PageSample, PostingsShard,
    Shards, SketchShard, WrittenBlock, WrittenPage, seal,
};
use pagekin_core::terms::{StopLists, folded};
use pagekin_pages::Observer;
use pagekin_pages::progress::check;
use pagekin_pages::site::read::SKETCH_VALUES;
use rayon::prelude::*;

use crate::build::error::BuildError;
use crate::build::layout::placement::Arrangement;
use crate::build::layout::previous;
use crate::build::layout::previous::Previous;
use crate::build::layout::records;
use crate::build::layout::records::Correction;
use crate::build::layout::shard_plan::{BlockRule, Plan, SiteSize};
use crate::build::options::{BuildOptions, Layout, place_of};
use crate::build::pages::embeddings::SiteEmbeddings;
use crate::build::pages::signatures;
use crate::build::pages::vocabulary;
use crate::build::pages::weigh::WeightedSite;
use crate::build::shards::buckets;
use crate::build::shards::buckets::Buckets;
use crate::build::shards::filters;
use crate::build::shards::models;
use crate::build::shards::postings::{NumberedPages, Terms};

/// Maximum number of pages in the sample.
const SAMPLE_PAGES: usize = 500;

/// Slots of packs have lengths that are multiples of this number of bytes.
const SLOT_STEP: u32 = 64;

/// The contents of an index before its pages have numbers.
pub(crate) struct Site<'a> {
    /// The pages, in any order, and the vocabulary that weighted them.
    pub(crate) weighted: WeightedSite,
    /// The pages' signatures; empty if neither the order nor a previous index needs them.
    pub(crate) signatures: Vec<Signature>,
    /// The best order for storing the pages, as indexes into `weighted.pages`.
    pub(crate) order: Vec<u32>,
    /// The stop words of the site's languages.
    pub(crate) stop: StopLists,
    /// The embeddings of its pages and words, if there are any.
    pub(crate) embeddings: Option<SiteEmbeddings>,
    pub(crate) options: &'a BuildOptions,
    pub(crate) observer: &'a dyn Observer,
}

/// The places of an index's pages, before its shards are encoded.
pub(crate) struct EncodingPlan {
    pub(crate) plan: Plan,
    pub(crate) arrangement: Arrangement,
    /// Includes the models of lists and blocks, but nothing that depends on the lengths of shards.
    manifest: Manifest,
}

impl Site<'_> {
    fn is_packed(&self) -> bool {
        self.options.layout == Layout::Packs
    }

    /// The record of a page, before it is encoded.
    fn record(&self, page: u32) -> WrittenPage<'_> {
        let embeddings = self.embeddings.as_ref();
        let embedding = embeddings.and_then(|all| all.pages[page as usize].as_ref());
        records::record(&self.weighted.pages[page as usize], embedding, self.weighted.texts)
    }

    /// Places the pages, as in `previous` or so that they take few bytes. Returns `None` if
    /// `previous` has more shards of lists than the terms can fill.
    pub(crate) fn plan(
        &self,
        previous: Option<&Previous>,
    ) -> Result<Option<EncodingPlan>, BuildError> {
        let (pages, order) = (&self.weighted.pages, &self.order);
        let mut manifest = self.manifest();
        let trial = records::trial_blocks(order, |page| self.record(page));
        manifest.block_pages = trial.first().map_or(1, |block| block.0.len() as u32);
        if let Some(Previous { manifest: followed, .. }) = previous {
            // The weights of pages and their encoding do not change.
            manifest.mean_length = followed.mean_length;
            manifest.list_model = followed.list_model.clone();
            manifest.page_model = followed.page_model.clone();
            manifest.completion_model = followed.completion_model.clone();
        } else {
            manifest.page_model = models::count(&trial, &manifest, self.observer)?.model();
        }
        let (bytes, all) = records::record_bytes(order, &trial, &manifest, self.observer)?;
        drop(trial);
        let terms = Terms::new(pages, self.weighted.texts);
        let embedded = Terms::embedded(self.embeddings.as_ref());
        let size = SiteSize {
            pages: pages.len() as u32,
            terms: terms.len(),
            embedded: embedded.len(),
            record_bytes: all as f64,
        };
        let mut plan = Plan::new(size, self.options);
        let arrangement = match previous {
            Some(previous) => {
                plan = previous.plan(plan);
                previous.arrange(pages, &self.signatures, order)
            }
            None => self.arrange(&plan, &bytes),
        };
        let listed = if plan.read_whole { embedded } else { terms };
        if previous.is_none() && plan.list_shards > 0 {
            plan.list_shards = listed.shards(plan.list_shards);
        } else if !listed.fill(plan.list_shards) {
            return Ok(None);
        }
        let blocks = arrangement.blocks.len() as u32;
        lay_out(&mut manifest, &plan, arrangement.block_pages, blocks);
        if let Some(previous) = previous {
            manifest.sketch_pages = previous.manifest.sketch_pages;
        }
        Ok(Some(EncodingPlan { plan, arrangement, manifest }))
    }

    /// Places the pages of a new index.
    fn arrange(&self, plan: &Plan, bytes: &[f64]) -> Arrangement {
        let pages = &self.weighted.pages;
        let mut arrangement = match plan.blocks {
            BlockRule::Pages(pages) => return Arrangement::in_order(&self.order, pages),
            BlockRule::Bytes { target, most_pages } => {
                let repeats = |page: u32| pages[page as usize].repeats;
                Arrangement::by_bytes(&self.order, bytes, repeats, target, most_pages)
            }
        };
        let largest = arrangement.blocks.iter().map(Vec::len).max().unwrap_or(1) as u32;
        let blocks = arrangement.blocks.len() as u32;
        arrangement.block_pages = previous::slots_of_blocks(largest, blocks, pages.len() as u32);
        arrangement
    }

    /// A manifest without the fields that depend on the places of pages.
    fn manifest(&self) -> Manifest {
        let WeightedSite { pages, texts, params, vocabulary, languages, .. } = &self.weighted;
        Manifest {
            params: *params,
            pages: pages.len() as u32,
            block_pages: 1,
            generations: vec![0],
            tables: Shards::default(),
            lists: Shards::default(),
            blocks: Shards::default(),
            addresses: Shards::default(),
            sample: Shards::from_files(1),
            sketches: Shards::default(),
            words: Shards::from_files(1),
            completions: Shards::default(),
            filters: Shards::default(),
            completion_starts: Vec::new(),
            sketch_pages: 1,
            sketch_values: SKETCH_VALUES,
            texts: *texts,
            embeddings: self.embeddings.is_some(),
            read_whole: false,
            mean_length: vocabulary::mean_length(pages, *texts),
            background: records::background(pages),
            list_model: Counts::for_coded::<PostingsShard>().model(),
            page_model: Counts::for_coded::<WrittenBlock<'_>>().model(),
            completion_model: Counts::for_coded::<CompletionShard>().model(),
            base_url: self.options.reading.base_url.clone(),
            place: if *texts { place_of(self.options) } else { String::new() },
            languages: languages.clone(),
            vocabulary: vocabulary.clone(),
            stop: self.stop.clone(),
        }
    }
}

/// Sets the numbers of shards, once the pages are placed in `blocks` blocks.
fn lay_out(manifest: &mut Manifest, plan: &Plan, block_pages: u32, blocks: u32) {
    manifest.block_pages = block_pages;
    manifest.blocks = Shards::from_files(blocks);
    manifest.tables = Shards::from_files(plan.table_shards);
    manifest.lists = Shards::from_files(plan.list_shards);
    manifest.read_whole = plan.read_whole;
    // The embeddings of words are with their lists.
    manifest.embeddings &= plan.list_shards > 0;
    manifest.addresses = Shards::from_files(plan.address_shards);
    let fill = manifest.pages.div_ceil(blocks.max(1)).max(1);
    let together = (plan.sketch_pages + fill / 2) / fill;
    manifest.sketch_pages = block_pages * together.max(1);
    manifest.sketch_values = plan.sketch_values;
}

/// The payloads of all shards of a kind.
pub(crate) struct Payloads {
    pub(crate) kind: Kind,
    pub(crate) shards: Vec<Vec<u8>>,
}

/// The encoded shards of an index, without names.
pub(crate) struct EncodedSite {
    /// Without its generations.
    pub(crate) manifest: Manifest,
    /// In the order in which they are hashed and written.
    pub(crate) all: [Payloads; 9],
}

/// Encodes all shards of `site`, except for related pages.
///
/// With `previous`, whose arrangement the site must have kept, returns `None` if the index cannot
/// reuse it: a shard has outgrown its slot in a pack, or there are too many blocks for an index
/// that is read whole.
pub(crate) fn encode(
    site: &Site<'_>,
    encoding: EncodingPlan,
    previous: Option<&Previous>,
) -> Result<Option<EncodedSite>, BuildError> {
    let EncodingPlan { plan, arrangement, mut manifest } = encoding;
    if plan.read_whole && arrangement.blocks.len() > MAX_BLOCKS {
        return Ok(None);
    }
    let WeightedSite { pages, completions, shown, .. } = &site.weighted;
    let blocks = encode_blocks(site, &arrangement, &manifest)?;
    let numbers = arrangement.numbers(pages.len());
    let tables = encode_tables(site, &plan, &numbers, previous);
    let embeddings = site.embeddings.as_ref();
    let listed = NumberedPages { pages, numbers: &numbers, embeddings, observer: site.observer };
    let mut lists = Vec::new();
    if manifest.lists.shards > 0 {
        if previous.is_none() {
            manifest.list_model = listed.model(&manifest)?;
        }
        lists = listed.encode(&manifest)?;
    }
    check(site.observer)?;
    let sketches = encode_sketches(site, &manifest, &numbers);
    check(site.observer)?;
    manifest.sketches.shards = sketches.len() as u32;
    manifest.completion_starts = match previous {
        Some(previous) => previous.manifest.completion_starts.clone(),
        None => starts(&completions.words),
    };
    let completions = divide(&completions.words, &manifest.completion_starts);
    if previous.is_none() {
        let counts = models::count(&completions, &manifest, site.observer)?;
        manifest.completion_model = counts.coarse_model();
    }
    manifest.completions.shards = completions.len() as u32;
    let completions = completions.par_iter().map(|shard| shard.encode(&manifest)).collect();
    let filters = filters::encode(pages, &numbers, manifest.slots(), site.observer);
    manifest.filters = Shards::from_files(filters.len() as u32);
    let all = [
        Payloads { kind: Kind::Tables, shards: tables },
        Payloads { kind: Kind::Lists, shards: lists },
        Payloads { kind: Kind::Pages, shards: blocks },
        Payloads { kind: Kind::Addresses, shards: encode_addresses(site, &manifest, &numbers) },
        Payloads { kind: Kind::Sample, shards: vec![sample(site).encode()] },
        Payloads { kind: Kind::Sketches, shards: sketches },
        Payloads { kind: Kind::Words, shards: vec![shown.encode()] },
        Payloads { kind: Kind::Completions, shards: completions },
        Payloads { kind: Kind::Filters, shards: filters },
    ];
    if site.is_packed() && !pack(&mut manifest, &all, previous) {
        return Ok(None);
    }
    Ok(Some(EncodedSite { manifest, all }))
}

/// Places shards in packs. Returns `false` if one does not fit into its slot of the previous index.
fn pack(manifest: &mut Manifest, all: &[Payloads; 9], previous: Option<&Previous>) -> bool {
    let slot = |payloads: &Payloads| {
        // A previous index without shards of a kind, such as sketches, has no slots for them.
        let there = previous.and_then(|previous| previous.manifest.part(payloads.kind));
        let there = there.filter(|part| part.shards > 0);
        there.map_or_else(|| new_slot(payloads), |part| part.slot)
    };
    manifest.tables.slot = slot(&all[0]);
    // A lookup requests these by their lengths: the lists of common words are many times longer
    // than others.
    manifest.lists = back_to_back(&all[1]);
    manifest.blocks = back_to_back(&all[2]);
    manifest.addresses.slot = slot(&all[3]);
    manifest.sketches.slot = slot(&all[5]);
    manifest.completions.slot = slot(&all[7]);
    if manifest.filters.shards > 0 {
        manifest.filters = back_to_back(&all[8]);
    }
    let fits = |payloads: &Payloads| match manifest.part(payloads.kind) {
        Some(part) if part.slot > 0 => slot_of_all(payloads.kind, &payloads.shards) <= part.slot,
        _ => true,
    };
    // Slots chosen for these shards fit.
    previous.is_none() || all.iter().all(fits)
}

/// Encodes the shards of the LSH tables, if there are any.
fn encode_tables(
    site: &Site<'_>,
    plan: &Plan,
    numbers: &[u32],
    previous: Option<&Previous>,
) -> Vec<Vec<u8>> {
    if plan.table_shards == 0 {
        return Vec::new();
    }
    let WeightedSite { pages, vocabulary, params, .. } = &site.weighted;
    let tables = params.make_tables().expect("presets ask for no more values than they have");
    let keyed = signatures::sign_for_keys(pages, vocabulary, params.signature);
    let buckets = Buckets::new(&tables, &keyed, numbers, plan.table_shards);
    let mut shards = buckets.shards();
    if site.is_packed() {
        let slot = match previous {
            Some(previous) => previous.manifest.tables.slot,
            None => slot_of_most(&shards),
        };
        fit(&mut shards, &buckets, slot);
    }
    shards
}

/// The length of a payload's shard in bytes.
fn sealed_len(kind: Kind, payload: &[u8]) -> u32 {
    seal(kind, 0, payload).len() as u32
}

/// Packs in which each shard has the bytes that it needs.
fn back_to_back(payloads: &Payloads) -> Shards {
    let sealed = |shard: &Vec<u8>| sealed_len(payloads.kind, shard);
    Shards::back_to_back(payloads.shards.par_iter().map(sealed).collect::<Vec<_>>())
}

/// The part by which the slot of completions is larger than the largest of them: new pages bring
/// new words, and that one has no bytes to spare.
const COMPLETION_ROOM: u32 = 16;

/// The slot of shards in new packs.
fn new_slot(payloads: &Payloads) -> u32 {
    let slot = slot_of_all(payloads.kind, &payloads.shards);
    match payloads.kind {
        Kind::Completions => (slot + slot / COMPLETION_ROOM).next_multiple_of(SLOT_STEP),
        _ => slot,
    }
}

/// The smallest slot that fits all payloads.
fn slot_of_all(kind: Kind, payloads: &[Vec<u8>]) -> u32 {
    let largest = payloads.par_iter().map(|payload| sealed_len(kind, payload)).max();
    largest.unwrap_or(1).next_multiple_of(SLOT_STEP)
}

/// A slot that fits 19 of 20 payloads.
fn slot_of_most(payloads: &[Vec<u8>]) -> u32 {
    let mut sizes: Vec<u32> =
        payloads.par_iter().map(|payload| sealed_len(Kind::Tables, payload)).collect();
    sizes.par_sort_unstable();
    sizes.get(sizes.len() * 95 / 100).map_or(SLOT_STEP, |size| size.next_multiple_of(SLOT_STEP))
}

/// Shrinks table shards that do not fit into a slot, as far as possible.
fn fit(shards: &mut [Vec<u8>], buckets: &Buckets<'_>, slot: u32) {
    shards.par_iter_mut().enumerate().for_each(|(number, shard)| {
        let mut max = buckets::MAX_ENTRIES;
        while sealed_len(Kind::Tables, shard) > slot && max > buckets::MIN_ENTRIES {
            max /= 2;
            *shard = buckets.shard(number as u32, max);
        }
    });
}

fn encode_blocks(
    site: &Site<'_>,
    arrangement: &Arrangement,
    manifest: &Manifest,
) -> Result<Vec<Vec<u8>>, BuildError> {
    let encode = |pages: &Vec<Correction>| {
        check(site.observer)?;
        Ok(encode_block(site, pages, manifest))
    };
    arrangement.blocks.par_iter().map(encode).collect()
}

/// Encodes a block of slots and pages.
fn encode_block(site: &Site<'_>, pages: &[Correction], manifest: &Manifest) -> Vec<u8> {
    records::block(pages, |page| site.record(page)).encode(manifest)
}

fn encode_addresses(site: &Site<'_>, manifest: &Manifest, numbers: &[u32]) -> Vec<Vec<u8>> {
    let mut shards: Vec<Vec<(&str, u32)>> = vec![Vec::new(); manifest.addresses.shards as usize];
    for (page, &number) in site.weighted.pages.iter().zip(numbers) {
        shards[manifest.address_shard(&page.url) as usize].push((&page.url, number));
    }
    shards.into_iter().map(|pages| AddressShard::new(pages).encode()).collect()
}

/// Encodes the sketches, unless the options exclude them or the pages' texts are unknown.
fn encode_sketches(site: &Site<'_>, manifest: &Manifest, numbers: &[u32]) -> Vec<Vec<u8>> {
    let Manifest { sketch_pages, sketch_values, .. } = *manifest;
    let pages = &site.weighted.pages;
    if !site.options.sketches || pages.iter().all(|page| page.sketch.shingles == 0) {
        return Vec::new();
    }
    let n = manifest.slots().div_ceil(sketch_pages) as usize;
    let mut shards = vec![SketchShard::default(); n];
    for (page, number) in pages.iter().zip(numbers) {
        let sketch = page.sketch.first(sketch_values);
        shards[(number / sketch_pages) as usize].0.push((number % sketch_pages, sketch));
    }
    let encode = |mut shard: SketchShard| {
        shard.0.sort_unstable_by_key(|&(slot, _)| slot);
        shard.encode()
    };
    shards.into_par_iter().map(encode).collect()
}

/// Approximate number of words in a shard of completions. A shard then takes 2 kB, and the words
/// with a given three-letter prefix are rarely in more than two.
const COMPLETIONS: usize = 512;
/// Number of shards from which on shards become larger instead, because the manifest has a start
/// for each.
const MANY_COMPLETION_SHARDS: usize = 256;

/// The prefix at which each shard but the first begins.
fn starts(words: &[Completion]) -> Vec<String> {
    let shards = words.len().div_ceil(COMPLETIONS).clamp(1, MANY_COMPLETION_SHARDS);
    let start = |shard: usize| {
        let at = shard * words.len() / shards;
        let [before, first] = [&words[at - 1], &words[at]].map(|one| folded(&one.word));
        // The shortest prefix that sorts after the previous word.
        let ends = first.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut beginnings = ends.map(|end| &first[..end]);
        beginnings.find(|start| **start > *before).unwrap_or(&first).to_owned()
    };
    let mut starts: Vec<String> = (1..shards).map(start).collect();
    starts.dedup();
    starts
}

/// Returns one more shard than there are `starts`, or none without words and `starts`.
fn divide(words: &[Completion], starts: &[String]) -> Vec<CompletionShard> {
    if words.is_empty() && starts.is_empty() {
        return Vec::new();
    }
    let is_before = |one: &Completion, start: &String| folded(&one.word) < *start;
    let ends = starts.iter().map(|start| words.partition_point(|one| is_before(one, start)));
    let ends: Vec<usize> = ends.chain([words.len()]).collect();
    let begins = [0].into_iter().chain(ends.iter().copied());
    begins.zip(&ends).map(|(from, &to)| CompletionShard(words[from..to].to_vec())).collect()
}

fn sample(site: &Site<'_>) -> PageSample {
    let pages = site.weighted.pages.iter();
    let mut pages: Vec<_> = pages.map(|page| (&*page.url, &*page.title)).collect();
    pages.sort_by_cached_key(|(url, _)| hash::of_bytes(url.as_bytes()));
    pages.truncate(SAMPLE_PAGES);
    pages.sort_unstable();
    PageSample(pages.into_iter().map(|(url, title)| (url.to_owned(), title.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::from_site::build_pages;
    use crate::build::from_site::tests::Neighbors;
    use crate::build::options::Assets;
    use crate::read::folder::LocalIndex;
    use pagekin_pages::Silent;

    #[test]
    fn a_manifest_has_the_numbers_of_its_plan() {
        let place = tempfile::tempdir().unwrap();
        let options = BuildOptions::new("", place.path().join("index"));
        build_pages(&options, &Neighbors(9), &Assets::default(), &Silent).unwrap();
        let mut manifest = LocalIndex::open(&options.output).unwrap().index().manifest().clone();
        let plan = Plan {
            read_whole: false,
            blocks: BlockRule::Pages(1),
            list_shards: 1,
            table_shards: 2,
            address_shards: 3,
            related_shards: 4,
            sketch_values: 5,
            sketch_pages: 24,
        };
        manifest.pages = 100;
        lay_out(&mut manifest, &plan, 64, 10);
        let shards = |kind| manifest.part(kind).map_or(0, |part| part.shards);
        let kinds = [Kind::Lists, Kind::Tables, Kind::Addresses, Kind::Pages];
        assert_eq!(kinds.map(shards), [1, 2, 3, 10]);
        assert_eq!((manifest.block_pages, manifest.sketch_values), (64, 5));
        // Blocks have ten pages: the sketches of two blocks are closest to 24.
        assert_eq!(manifest.sketch_pages, 128);
        let sketch_pages = |pages, blocks| {
            let mut manifest = manifest.clone();
            manifest.pages = pages;
            lay_out(&mut manifest, &plan, 64, blocks);
            manifest.sketch_pages
        };
        assert_eq!(sketch_pages(91, 10), 128, "the last is not full");
        assert_eq!(sketch_pages(160, 10), 128);
        assert_eq!(sketch_pages(170, 10), 64);
        assert_eq!(sketch_pages(1_000, 10), 64, "at least one");
        assert_eq!(sketch_pages(5, 0), 64 * 5);
    }

    #[test]
    fn completions_are_divided_at_short_prefixes() {
        let word = |at: usize| Completion { word: format!("w{at:05}"), weight: 1 };
        let words: Vec<_> = (0..1_200).map(word).collect();
        let starts = super::starts(&words);
        assert_eq!(starts, ["w004", "w008"]);
        assert_eq!(super::starts(&words[..512]), [""; 0]);
        assert_eq!(super::starts(&words[..513]), ["w00256"]);
        assert_eq!(super::starts(&[]), [""; 0]);
        let sizes: Vec<_> = divide(&words, &starts).iter().map(|shard| shard.0.len()).collect();
        assert_eq!(sizes, [400, 400, 400]);
        assert!(divide(&[], &[]).is_empty());
        assert_eq!(divide(&[], &starts).len(), 3, "as many as there were");
    }

    #[test]
    fn slots_fit_their_shards() {
        let shard = |bytes: usize| -> Vec<u8> {
            // Noise does not compress.
            (0..bytes as u64).map(|at| hash::mix(at) as u8).collect()
        };
        let sealed = |bytes| sealed_len(Kind::Tables, &shard(bytes));
        let step = |bytes: u32| bytes.next_multiple_of(SLOT_STEP);
        assert_eq!(
            slot_of_all(Kind::Tables, &[shard(10), shard(900), shard(100)]),
            step(sealed(900))
        );
        assert_eq!(slot_of_all(Kind::Tables, &[]), SLOT_STEP);
        // All but the largest of twenty.
        let shards: Vec<_> =
            (0..20).map(|at| shard(if at == 7 { 9_000 } else { 500 + at })).collect();
        assert_eq!(slot_of_most(&shards), step(sealed(9_000)));
        let shards: Vec<_> = (0..21).map(|at| shard(if at == 7 { 9_000 } else { 500 })).collect();
        assert_eq!(slot_of_most(&shards), step(sealed(500)));
        assert_eq!(slot_of_most(&[]), SLOT_STEP);
    }
}
