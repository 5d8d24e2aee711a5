//! The vocabulary, a section of the manifest.
//!
//! In the head: the weight of rare terms; the minimum weight of terms that count in bags; that of
//! terms that make keys; the numbers of words and of identifiers. After the head, coded: each word
//! and then each identifier, ordered by id, as the difference between its id and the lowest
//! possible one, and its weight.

use super::coder::{Bits, Decoder, Encoder, Model, NUMBER, max_values, min_bytes};
use super::wire::{Damaged, Reader, Writer};
use crate::vocabulary::{IDENTIFIER_BITS, TERM_BITS, TermId, Vocabulary, is_identifier};

/// The contexts of the ids of words and identifiers, and of their weights.
const ID_AT: [usize; 2] = [0, NUMBER];
const IDF_BITS: u32 = 8;
/// Maximum number of terms of a vocabulary. That of a site of a million pages has fewer without a
/// limit.
const MAX_TERMS: usize = 1 << 20;
const IDF_AT: [usize; 2] = [2 * NUMBER, 2 * NUMBER + (1 << IDF_BITS)];
const CONTEXTS: usize = 2 * NUMBER + (2 << IDF_BITS);

/// For words and identifiers: the upper bound of ids without the bit of identifiers, and this bit.
const KINDS: [(u32, TermId); 2] =
    [(1 << TERM_BITS, 0), (1 << IDENTIFIER_BITS, 1 << IDENTIFIER_BITS)];

/// Writes the id of a word or an identifier as the difference from `next`, the lowest possible id
/// of its kind, in contexts from `at` on. Returns its kind, 0 or 1.
pub(super) fn write_id(
    bits: &mut impl Bits,
    at: [usize; 2],
    term: TermId,
    next: &mut [u32; 2],
) -> usize {
    let of = usize::from(is_identifier(term));
    let id = term - KINDS[of].1;
    bits.number(at[of], id - next[of]);
    next[of] = id + 1;
    of
}

/// Reads the next id of a kind, as written by [`write_id`].
pub(super) fn read_id(
    decoder: &mut Decoder<'_>,
    at: [usize; 2],
    of: usize,
    next: &mut u32,
) -> Result<TermId, Damaged> {
    let (most, kind) = KINDS[of];
    let id = next.saturating_add(decoder.number(at[of]));
    if id >= most {
        return Err(Damaged("the id of a term"));
    }
    *next = id + 1;
    Ok(id | kind)
}

/// Writes the head. Returns the bytes to write after it.
pub(super) fn write(head: &mut Writer, vocabulary: &Vocabulary) -> Vec<u8> {
    head.u8(vocabulary.rare_weight());
    head.u8(vocabulary.min_weight());
    head.u8(vocabulary.key_weight());
    let identifiers = vocabulary.iter().filter(|&(id, _)| is_identifier(id)).count() as u32;
    head.varint(vocabulary.len() - identifiers);
    head.varint(identifiers);
    let mut encoder = Encoder::new(&Model::even(CONTEXTS));
    let mut next = [0; 2];
    for (id, idf) in vocabulary.iter() {
        let of = write_id(&mut encoder, ID_AT, id, &mut next);
        encoder.symbol(IDF_AT[of], IDF_BITS, idf.into());
    }
    encoder.finish(min_bytes(vocabulary.len() as usize))
}

/// Reads the `coded` terms after the head of a manifest.
pub(super) fn read(head: &mut Reader<'_>, coded: &[u8]) -> Result<Vocabulary, Damaged> {
    let rare_weight = head.u8("the weight of rare terms")?;
    let min_weight = head.u8("the weight of terms that count")?;
    let key_weight = head.u8("the weight of terms that make keys")?;
    let counts = [head.varint("the number of words")?, head.varint("the number of identifiers")?];
    let n = counts[0] as usize + counts[1] as usize;
    if n > max_values(coded.len()).min(MAX_TERMS) {
        return Err(Damaged("a sensible number of terms"));
    }
    let mut decoder = Decoder::new(&Model::even(CONTEXTS), coded);
    let mut vocabulary = Vocabulary::empty(rare_weight);
    for (of, n) in counts.into_iter().enumerate() {
        let mut next = 0;
        for _ in 0..n {
            let id = read_id(&mut decoder, ID_AT, of, &mut next)?;
            vocabulary.push(id, decoder.symbol(IDF_AT[of], IDF_BITS) as u8);
        }
    }
    if !decoder.is_at_end(min_bytes(n)) {
        return Err(Damaged("nothing behind its terms"));
    }
    Ok(vocabulary.with_min_weight(min_weight).with_key_weight(key_weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> impl Strategy<Value = TermId> {
        prop_oneof![0u32..1 << TERM_BITS, (1u32 << IDENTIFIER_BITS)..2 << IDENTIFIER_BITS]
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(
            terms in prop::collection::btree_map(id(), any::<u8>(), 0..200), rare_weight: u8,
            min_weight: u8, key_weight: u8,
        ) {
            let vocabulary = Vocabulary::new(terms, rare_weight).with_min_weight(min_weight);
            let vocabulary = vocabulary.with_key_weight(key_weight);
            let mut head = Writer::new();
            let coded = write(&mut head, &vocabulary);
            let head = head.finish();
            let mut reader = Reader::new(&head);
            prop_assert_eq!(read(&mut reader, &coded), Ok(vocabulary));
            prop_assert_eq!(reader.end(), Ok(()));
        }

        #[test]
        fn any_bytes_are_read_or_refused(head: Vec<u8>, coded: Vec<u8>) {
            let _ = read(&mut Reader::new(&head), &coded);
        }
    }
}
