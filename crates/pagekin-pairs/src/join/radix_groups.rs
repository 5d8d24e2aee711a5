//! Groups pages with equal keys by a radix sort.
//!
//! The hashes of keys are distributed over partitions by their highest bits, chunk by chunk. Each
//! partition fits into a processor's cache, and is sorted by the next 32 bits. Most hashes belong
//! to a single page; the first 16 of these bits are enough to detect and drop them before sorting.
//! A hash and its place are stored in one word, so 20 million of them take 160 MB. Only the highest
//! `32 + log2(partitions)` bits of a hash are compared. So the places of a group have equal hashes
//! or, rarely, hashes that differ in lower bits. If this matters, compare the keys.

use std::ops::Range;

use rayon::prelude::*;

/// Number of places in a chunk, whose words fit into a processor's second-level cache.
const CHUNK: usize = 1 << 18;
/// Approximate number of places in a partition, whose words and their copy fit into that cache.
const PARTITION: usize = 1 << 12;
/// Number of words below which the standard sort is used.
const MIN_RADIX: usize = 192;

/// The bits of a hash after those of the partition in the high half, and a place in the low half.
type Word = u64;

/// Groups of places by the hashes of their keys. It is filled again for each table, reusing its
/// memory.
pub(crate) struct Grouping {
    places: usize,
    /// The binary logarithm of the number of partitions.
    bits: u32,
    chunks: Vec<Chunk>,
}

#[derive(Default)]
struct Chunk {
    words: Vec<Word>,
    /// The start of the words of each partition, followed by the end of the last one.
    begins: Vec<u32>,
}

impl Grouping {
    /// Creates groups for the places below `places`, which is at most 2^32.
    pub(crate) fn new(places: usize) -> Self {
        let bits = (places / PARTITION).max(1).ilog2().min(16);
        let chunks = (0..places.div_ceil(CHUNK)).map(|_| Chunk::default()).collect();
        Self { places, bits, chunks }
    }

    pub(crate) fn partitions(&self) -> usize {
        1 << self.bits
    }

    /// Computes the hashes of all places. `hash` appends those of a range of places, in order.
    pub(crate) fn fill(&mut self, hash: impl Fn(Range<usize>, &mut Vec<u64>) + Sync) {
        let (places, bits) = (self.places, self.bits);
        let chunks = self.chunks.par_iter_mut().enumerate();
        chunks.for_each_init(Vec::new, |hashes, (at, chunk)| {
            let first = at * CHUNK;
            hashes.clear();
            hash(first..places.min(first + CHUNK), hashes);
            spread(hashes, first as u64, bits, chunk);
        });
    }

    /// Computes the sorted words of a partition. Groups are runs of words with an equal [`group`],
    /// with ascending places. Words that are alone in their group may be dropped.
    pub(crate) fn partition(&self, partition: usize, words: &mut Vec<Word>, spare: &mut Vec<Word>) {
        self.partition_unsorted(partition, words);
        sort(words, spare);
    }

    /// Computes the words of a partition with ascending places. All words of a group are in the
    /// same partition. Words that are alone in their group may be dropped.
    pub(crate) fn partition_unsorted(&self, partition: usize, words: &mut Vec<Word>) {
        words.clear();
        for chunk in &self.chunks {
            let range = chunk.begins[partition] as usize..chunk.begins[partition + 1] as usize;
            words.extend_from_slice(&chunk.words[range]);
        }
        drop_single(words);
    }
}

/// Drops words whose highest 16 bits occur in no other word. The words of 4,096 places mark one in
/// 16 of all 16-bit numbers.
fn drop_single(words: &mut Vec<Word>) {
    let slot = |word: Word| ((word >> 54) as usize, word >> 48 & 63);
    let (mut once, mut again) = ([0u64; 1 << 10], [0u64; 1 << 10]);
    for &word in words.iter() {
        let (at, bit) = slot(word);
        again[at] |= once[at] & 1 << bit;
        once[at] |= 1 << bit;
    }
    let mut kept = 0;
    for at in 0..words.len() {
        // Write unconditionally: a branch on whether the word is kept would be unpredictable.
        let word = words[at];
        words[kept] = word;
        let (at, bit) = slot(word);
        kept += (again[at] >> bit & 1) as usize;
    }
    words.truncate(kept);
}

/// Distributes hashes over the partitions of a chunk, each in a word with its place.
fn spread(hashes: &[u64], first: u64, bits: u32, chunk: &mut Chunk) {
    // A shift by 64 would not shift at all. With a single partition, all hashes are in it.
    let partition = |hash: u64| hash.checked_shr(64 - bits).unwrap_or(0) as usize;
    chunk.begins.clear();
    chunk.begins.resize((1 << bits) + 1, 0);
    for &hash in hashes {
        chunk.begins[partition(hash) + 1] += 1;
    }
    for at in 0..1 << bits {
        chunk.begins[at + 1] += chunk.begins[at];
    }
    chunk.words.resize(hashes.len(), 0);
    let mut next = chunk.begins.clone();
    for (place, &hash) in (first..).zip(hashes) {
        let at = &mut next[partition(hash)];
        chunk.words[*at as usize] = (hash << bits) >> 32 << 32 | place;
        *at += 1;
    }
}

/// Computes the sorted words of places 0, 1, 2, …, which must be few enough for a processor's
/// cache, by the lowest 32 bits of their hashes, which the partition does not determine. Words that
/// are alone in their group may be dropped.
pub(crate) fn sorted(hashes: &[u64], words: &mut Vec<Word>, spare: &mut Vec<Word>) {
    words.clear();
    words.extend((0u64..).zip(hashes).map(|(place, hash)| hash << 32 | place));
    drop_single(words);
    sort(words, spare);
}

/// Returns the bits that the words of a group share.
pub(crate) fn group(word: Word) -> u32 {
    (word >> 32) as u32
}

/// Returns the runs of at least two words of a group.
pub(crate) fn runs(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|a, b| group(*a) == group(*b)).filter(|run| run.len() > 1)
}

/// Returns the place of a word.
pub(crate) fn place(word: Word) -> u32 {
    word as u32
}

/// Sorts words with ascending places by their high halves: a radix sort from the least significant
/// digit, in three stable passes.
fn sort(words: &mut Vec<Word>, spare: &mut Vec<Word>) {
    const DIGITS: [(u32, u32); 3] = [(32, 11), (43, 11), (54, 10)];
    if words.len() < MIN_RADIX {
        words.sort_unstable();
        return;
    }
    spare.clear();
    spare.resize(words.len(), 0);
    let mut counts = [[0u32; 1 << 11]; 3];
    for &word in words.iter() {
        for (counts, (shift, bits)) in counts.iter_mut().zip(DIGITS) {
            counts[(word >> shift) as usize & ((1 << bits) - 1)] += 1;
        }
    }
    for (next, (shift, bits)) in counts.iter_mut().zip(DIGITS) {
        let mut begin = 0;
        for count in next.iter_mut() {
            (*count, begin) = (begin, begin + *count);
        }
        for &word in words.iter() {
            let at = &mut next[(word >> shift) as usize & ((1 << bits) - 1)];
            spare[*at as usize] = word;
            *at += 1;
        }
        std::mem::swap(words, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash;
    use proptest::prelude::*;

    #[test]
    fn each_group_is_found_once() {
        for places in [0, 1, 5_000, 3 * PARTITION, CHUNK + 3 * PARTITION] {
            let key = |place: usize| hash::mix((place % (places / 3 + 1)) as u64);
            let mut grouping = Grouping::new(places);
            for _ in 0..2 {
                grouping.fill(|range, hashes| hashes.extend(range.map(key)));
            }
            let mut found = Vec::new();
            let (mut together, mut words, mut spare) = (Vec::new(), Vec::new(), Vec::new());
            for partition in 0..grouping.partitions() {
                grouping.partition_unsorted(partition, &mut together);
                let places: Vec<usize> =
                    together.iter().map(|&word| place(word) as usize).collect();
                assert!(places.is_sorted());
                let hashes: Vec<u64> = places.iter().map(|&place| key(place)).collect();
                sorted(&hashes, &mut words, &mut spare);
                for run in runs(&words) {
                    let run: Vec<usize> =
                        run.iter().map(|&word| places[place(word) as usize]).collect();
                    assert!(run.is_sorted());
                    found.push(run);
                }
            }
            // Compare groups by 32 bits of the hash: within a partition, no two keys collide in
            // them.
            found.sort_unstable();
            let keys = places / 3 + 1;
            let group = |key: usize| (key..places).step_by(keys).collect::<Vec<_>>();
            assert!(found.into_iter().eq((0..keys).map(group).filter(|group| group.len() > 1)));
        }
    }

    proptest! {
        #[test]
        fn words_are_sorted_as_by_the_standard_sort(seed: u64, length in 0u64..1_000, bits in 0u32..33) {
            let mut words: Vec<u64> =
                (0..length).map(|place| hash::mix(seed ^ place).checked_shr(64 - bits).unwrap_or(0) << 32 | place).collect();
            let mut expected = words.clone();
            expected.sort_unstable();
            sort(&mut words, &mut Vec::new());
            prop_assert_eq!(words, expected);
        }
    }
}
