//! Pages of equal keys, brought together by a radix sort.
//!
//! The hashes of keys are spread over partitions by their highest bits, chunk by chunk, and each
//! partition, which fits a processor's cache, is sorted by the next 32 bits. Most hashes are of one
//! page alone: they are found by their first 16 of these bits, and left away before. A hash and its
//! place are one word, so that 20 million of them take 160 MB. What is seen of a hash are its
//! highest `32 + log2(partitions)` bits: places in one group have equal hashes, or, rarely, hashes
//! that differ in the bits below. Whoever needs to know compares the keys.

use std::ops::Range;

use rayon::prelude::*;

/// Places of a chunk, whose words fit a processor's second cache.
const CHUNK: usize = 1 << 18;
/// Places of a partition, about, whose words and their copy do.
const PARTITION: usize = 1 << 12;
/// Fewer words are sorted by the standard sort.
const FEW: usize = 192;

/// A hash without what its partition tells in the high half, a place in the low one.
type Word = u64;

/// Places by the hashes of their keys. Filled again for each table, without asking for memory
/// again.
pub(crate) struct Grouping {
    places: usize,
    /// log2 of the number of partitions.
    bits: u32,
    chunks: Vec<Chunk>,
}

#[derive(Default)]
struct Chunk {
    words: Vec<Word>,
    /// Where the words of each partition begin, and where the last one's end.
    begins: Vec<u32>,
}

impl Grouping {
    /// For places 0 to below `places`, at most 2^32.
    pub(crate) fn new(places: usize) -> Self {
        let bits = (places / PARTITION).max(1).ilog2().min(16);
        let chunks = (0..places.div_ceil(CHUNK)).map(|_| Chunk::default()).collect();
        Self { places, bits, chunks }
    }

    pub(crate) fn partitions(&self) -> usize {
        1 << self.bits
    }

    /// Takes the hashes that `hash` gives for a range of places, in order.
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

    /// The words of a partition, sorted: groups are runs of an equal [`group`], their places
    /// ascending. Words that are alone in theirs may be left away.
    pub(crate) fn partition(&self, partition: usize, words: &mut Vec<Word>, spare: &mut Vec<Word>) {
        self.together(partition, words);
        sort(words, spare);
    }

    /// The words of a partition, their places ascending: those of a group are in the same. Words
    /// that are alone in theirs may be left away.
    pub(crate) fn together(&self, partition: usize, words: &mut Vec<Word>) {
        words.clear();
        for chunk in &self.chunks {
            let range = chunk.begins[partition] as usize..chunk.begins[partition + 1] as usize;
            words.extend_from_slice(&chunk.words[range]);
        }
        leave_lonely(words);
    }
}

/// Leaves away words whose highest 16 bits no other has. Those of 4,096 places mark one in 16
/// numbers of 16 bits.
fn leave_lonely(words: &mut Vec<Word>) {
    let slot = |word: Word| ((word >> 54) as usize, word >> 48 & 63);
    let (mut once, mut again) = ([0u64; 1 << 10], [0u64; 1 << 10]);
    for &word in words.iter() {
        let (at, bit) = slot(word);
        again[at] |= once[at] & 1 << bit;
        once[at] |= 1 << bit;
    }
    let mut kept = 0;
    for at in 0..words.len() {
        // Written in any case: whether a word stays cannot be foreseen.
        let word = words[at];
        words[kept] = word;
        let (at, bit) = slot(word);
        kept += (again[at] >> bit & 1) as usize;
    }
    words.truncate(kept);
}

/// Spreads hashes over the partitions of a chunk, each as a word with its place.
fn spread(hashes: &[u64], first: u64, bits: u32, chunk: &mut Chunk) {
    // Shifting by 64 is no shift: with one partition all hashes are in it.
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

/// The words of places 0, 1, 2, …, few enough for a processor's cache, by the lowest 32 bits of
/// their hashes, which their partition does not tell. Words that are alone in their group may be
/// left away.
pub(crate) fn sorted(hashes: &[u64], words: &mut Vec<Word>, spare: &mut Vec<Word>) {
    words.clear();
    words.extend((0u64..).zip(hashes).map(|(place, hash)| hash << 32 | place));
    leave_lonely(words);
    sort(words, spare);
}

/// What the words of a group have in common.
pub(crate) fn group(word: Word) -> u32 {
    (word >> 32) as u32
}

/// Runs of at least two words of a group.
pub(crate) fn runs(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|a, b| group(*a) == group(*b)).filter(|run| run.len() > 1)
}

/// The place of a word.
pub(crate) fn place(word: Word) -> u32 {
    word as u32
}

/// Sorts words whose places ascend: by their high halves, least significant digit first, in three
/// passes, each of which keeps the order of the one before.
fn sort(words: &mut Vec<Word>, spare: &mut Vec<Word>) {
    const DIGITS: [(u32, u32); 3] = [(32, 11), (43, 11), (54, 10)];
    if words.len() < FEW {
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
    fn each_group_is_together_once() {
        for places in [0, 1, 5_000, 3 * PARTITION, CHUNK + 3 * PARTITION] {
            let key = |place: usize| hash::mix((place % (places / 3 + 1)) as u64);
            let mut grouping = Grouping::new(places);
            for _ in 0..2 {
                grouping.fill(|range, hashes| hashes.extend(range.map(key)));
            }
            let mut found = Vec::new();
            let (mut together, mut words, mut spare) = (Vec::new(), Vec::new(), Vec::new());
            for partition in 0..grouping.partitions() {
                grouping.together(partition, &mut together);
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
            // 32 bits are seen of a hash, and no two of a partition's are equal in them.
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
