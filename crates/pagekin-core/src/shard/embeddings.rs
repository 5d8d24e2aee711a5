//! The coding of [embeddings](crate::embedding): a bit that shows whether there is one, then its
//! elements, each plus 8, in [`CONTEXTS`] contexts.

use super::coder::{Bits, Decoder};
use crate::embedding::{DIMENSIONS, ELEMENT_BITS, Embedding};

/// The first dimension of each group but the first. Earlier dimensions have larger elements.
const GROUPS: [usize; 3] = [2, 6, 14];
const ELEMENT_CONTEXTS: usize = 1 << ELEMENT_BITS;
/// The value of an element of 0.
const ZERO: i8 = 8;
/// The number of contexts.
pub(super) const CONTEXTS: usize = 1 + (GROUPS.len() + 1) * ELEMENT_CONTEXTS;

fn element_at(at: usize, dimension: usize) -> usize {
    let group = GROUPS.iter().take_while(|&&first| dimension >= first).count();
    at + 1 + group * ELEMENT_CONTEXTS
}

/// Writes an embedding in the contexts from `at` on.
pub(super) fn write(bits: &mut impl Bits, at: usize, embedding: Option<&Embedding>) {
    bits.bit(at, embedding.is_some());
    let elements = embedding.map_or(&[][..], |embedding| &embedding.0);
    for (dimension, &element) in elements.iter().enumerate() {
        let value = element.clamp(-ZERO, ZERO - 1) + ZERO;
        bits.symbol(element_at(at, dimension), ELEMENT_BITS, value as u32);
    }
}

/// Reads the output of [`write`].
pub(super) fn read(decoder: &mut Decoder<'_>, at: usize) -> Option<Embedding> {
    if !decoder.bit(at) {
        return None;
    }
    let mut elements = [0; DIMENSIONS];
    for (dimension, element) in elements.iter_mut().enumerate() {
        *element = decoder.symbol(element_at(at, dimension), ELEMENT_BITS) as i8 - ZERO;
    }
    Some(Embedding(elements))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::coder::{Encoder, Model};
    use super::*;
    use crate::hash::SplitMix64;
    use proptest::prelude::*;

    /// Returns an embedding with elements from -8 to 7.
    pub(in crate::shard) fn any_embedding(seed: u64) -> Embedding {
        let mut random = SplitMix64::new(seed);
        Embedding([0; DIMENSIONS].map(|_: i8| random.below(16) as i8 - ZERO))
    }

    proptest! {
        #[test]
        fn embeddings_that_are_written_are_read(seeds: Vec<Option<u64>>) {
            let all: Vec<_> = seeds.into_iter().map(|seed| seed.map(any_embedding)).collect();
            let model = Model::even(CONTEXTS);
            let mut encoder = Encoder::new(&model);
            all.iter().for_each(|one| write(&mut encoder, 0, one.as_ref()));
            let bytes = encoder.finish(0);
            let mut decoder = Decoder::new(&model, &bytes);
            for one in all {
                prop_assert_eq!(read(&mut decoder, 0), one);
            }
        }
    }

    #[test]
    fn elements_beyond_their_range_are_written_as_the_nearest() {
        let mut elements = [0; DIMENSIONS];
        [elements[0], elements[1]] = [100, -100];
        let model = Model::even(CONTEXTS);
        let mut encoder = Encoder::new(&model);
        write(&mut encoder, 0, Some(&Embedding(elements)));
        let Embedding(read) = read(&mut Decoder::new(&model, &encoder.finish(0)), 0).unwrap();
        assert_eq!(read[..3], [7, -8, 0]);
    }
}
