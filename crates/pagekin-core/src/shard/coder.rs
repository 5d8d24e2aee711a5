//! An adaptive binary range coder, which turns bits into bytes by their probabilities.
//!
//! Each bit is written in a *context*, which has a probability that its next bit is 0. A likely bit
//! takes a small part of a bit, an unlikely one several. After each bit the probability of its
//! context moves a 32nd of the way towards it. A shard is short, so contexts do not start at one
//! half. The build counts the bits of all shards in each context, and stores the *model* of these
//! probabilities, one byte each, in the manifest. An index that follows another keeps its model, so
//! unchanged shards stay the same.
//!
//! The coder is that of the public-domain LZMA specification (Pavlov 2015): a range of 32 bits,
//! probabilities of 12 bits, and a waiting byte for carries. The output ends where all following
//! bytes would be 0, and a reader reads zeros beyond the end. So a reader must know how many bits
//! to read: every count is checked against a limit before it is used.

/// The bits of a probability in use, and of a stored one.
const USED_BITS: u32 = 12;
const KEPT_BITS: u32 = 16;
/// A probability moves by one in 2^5 of its distance.
const RATE: u32 = 5;
/// A smaller range takes another byte.
const MIN_RANGE: u32 = 1 << 24;

/// Maximum number of values for each stored byte of a shard, after some that are free. Likely bits
/// take so little space that a few bytes may encode very many values, such as postings. Real sites
/// have at most 6 in a byte. A reader may refuse what would fill its memory.
const MAX_VALUES_PER_BYTE: usize = 64;
const FREE_VALUES: usize = 1 << 16;

/// Returns the maximum number of values of a shard with `stored` bytes.
pub(super) fn max_values(stored: usize) -> usize {
    stored.saturating_mul(MAX_VALUES_PER_BYTE).saturating_add(FREE_VALUES)
}

/// Returns the minimum number of bytes of a number of values.
pub(super) fn min_bytes(values: usize) -> usize {
    values.saturating_sub(FREE_VALUES).div_ceil(MAX_VALUES_PER_BYTE)
}

/// A sink of bits, which writes them or counts them for a [`Model`].
pub(crate) trait Bits {
    /// Adds a bit in a context.
    fn bit(&mut self, context: usize, bit: bool);

    /// Adds the lowest `n` bits of a number, highest first, with equal probabilities of 0 and 1.
    fn even_bits(&mut self, value: u32, n: u32);

    /// Adds a number in [`NUMBER`] contexts from `at` on: the number of bits of the number plus 1,
    /// in unary, then these bits without the first. The highest of them has contexts of its own.
    fn number(&mut self, at: usize, value: u32) {
        debug_assert!(value < u32::MAX, "a number below 2^32 - 1");
        let bits = (value + 1).ilog2();
        for longer in 0..bits {
            self.bit(at + longer as usize, true);
        }
        if bits < MAX_BITS {
            self.bit(at + bits as usize, false);
        }
        if bits > 0 {
            let rest = bits - 1;
            self.bit(at + (MAX_BITS + bits) as usize, (value + 1) >> rest & 1 == 1);
            self.even_bits(value + 1, rest);
        }
    }

    /// Adds a number of `bits` bits in 2^`bits` contexts from `at` on: bit by bit, highest first,
    /// each in the context of the previous ones.
    fn symbol(&mut self, at: usize, bits: u32, value: u32) {
        let mut node = 1;
        for shift in (0..bits).rev() {
            let bit = value >> shift & 1;
            self.bit(at + node, bit == 1);
            node = node << 1 | bit as usize;
        }
    }
}

/// Maximum number of bits of a number plus one, minus one.
const MAX_BITS: u32 = 31;
/// The number of contexts of a number.
pub(crate) const NUMBER: usize = 2 * MAX_BITS as usize + 1;

/// Minimum number of bits of a context whose probability a coarse model has, and the difference
/// between its probabilities.
const MIN_BITS: u32 = 24;
const STEP: u16 = 16;

/// The initial probabilities of contexts that their bit is 0, in 256ths, from 1 to 255.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model(Vec<u8>);

impl Model {
    /// Reads a stored model. Returns `None` if a probability is 0, or their number is not that of
    /// the contexts.
    pub(crate) fn read(contexts: usize, bytes: &[u8]) -> Option<Self> {
        (bytes.len() == contexts && !bytes.contains(&0)).then(|| Self(bytes.to_vec()))
    }

    /// Creates the model of contexts about which nothing is known.
    pub(super) fn even(contexts: usize) -> Self {
        Self(vec![1 << 7; contexts])
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn begin(&self) -> Vec<u16> {
        self.0.iter().map(|&p| u16::from(p) << (KEPT_BITS - 8)).collect()
    }
}

/// The numbers of zeros and ones in each context of shards of one kind, from which a [`Model`] is
/// made.
#[derive(Debug, Clone)]
pub struct Counts(Vec<[u32; 2]>);

impl Counts {
    /// Creates empty counts of a number of contexts, with which all bits are equally likely.
    pub(super) fn new(contexts: usize) -> Self {
        Self(vec![[0; 2]; contexts])
    }

    /// Adds the counts of other shards of the same kind.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = mine.saturating_add(*theirs);
            }
        }
    }

    /// Returns a coarse model, which deflates well: few probabilities differ, and contexts with few
    /// bits are left even.
    #[must_use]
    pub fn coarse_model(&self) -> Model {
        let Model(mut parts) = self.model();
        for (part, &[zeros, ones]) in parts.iter_mut().zip(&self.0) {
            *part = match zeros.saturating_add(ones) {
                0..MIN_BITS => 1 << 7,
                _ => ((u16::from(*part) + STEP / 2) / STEP * STEP).clamp(1, 255) as u8,
            };
        }
        Model(parts)
    }

    /// Returns the model.
    #[must_use]
    pub fn model(&self) -> Model {
        let part = |&[zeros, ones]: &[u32; 2]| {
            let (zeros, ones) = (u64::from(zeros), u64::from(ones));
            // Adds half a bit of each, because a bit that never occurred may occur.
            ((256 * (2 * zeros + 1)) / (2 * (zeros + ones) + 2)).clamp(1, 255) as u8
        };
        Model(self.0.iter().map(part).collect())
    }
}

impl Bits for Counts {
    fn bit(&mut self, context: usize, bit: bool) {
        let count = &mut self.0[context][usize::from(bit)];
        *count = count.saturating_add(1);
    }

    fn even_bits(&mut self, _: u32, _: u32) {}
}

/// Returns the part of a range that belongs to 0.
fn bound(range: u32, kept: u16) -> u32 {
    (range >> USED_BITS) * u32::from(kept >> (KEPT_BITS - USED_BITS)).max(1)
}

fn adapt(kept: &mut u16, bit: bool) {
    if bit {
        *kept -= *kept >> RATE;
    } else {
        *kept += (u16::MAX - *kept) >> RATE;
    }
}

/// Writes bits.
#[derive(Debug)]
pub(crate) struct Encoder {
    kept: Vec<u16>,
    /// 32 bits, and a carry.
    low: u64,
    range: u32,
    /// The last byte that may still be changed by a carry, if there is one, and the number of 255s
    /// that wait after it.
    waiting: Option<u8>,
    full: usize,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(model: &Model) -> Self {
        let (low, range, waiting, full) = (0, u32::MAX, None, 0);
        Self { kept: model.begin(), low, range, waiting, full, bytes: Vec::new() }
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        let next = (self.low >> 24) as u8;
        if next == u8::MAX && carry == 0 {
            self.full += 1;
        } else {
            if let Some(byte) = self.waiting {
                self.bytes.push(byte + carry);
            }
            for _ in 0..std::mem::take(&mut self.full) {
                self.bytes.push(u8::MAX.wrapping_add(carry));
            }
            self.waiting = Some(next);
        }
        self.low = self.low << 8 & 0xffff_ffff;
    }

    fn narrow(&mut self, zero: u32, bit: bool) {
        if bit {
            self.low += u64::from(zero);
            self.range -= zero;
        } else {
            self.range = zero;
        }
        while self.range < MIN_RANGE {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Returns the output, padded with zeros to at least `least` bytes.
    pub(crate) fn finish(mut self, least: usize) -> Vec<u8> {
        // Takes the number in the range that ends in as many zeros as possible.
        for zeros in (0..=32).rev() {
            let up = (1u64 << zeros) - 1;
            let candidate = (self.low + up) & !up;
            if candidate < self.low + u64::from(self.range) {
                self.low = candidate;
                break;
            }
        }
        for _ in 0..5 {
            self.shift();
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        if self.bytes.len() < least {
            self.bytes.resize(least, 0);
        }
        self.bytes
    }
}

impl Bits for Encoder {
    fn bit(&mut self, context: usize, bit: bool) {
        let zero = bound(self.range, self.kept[context]);
        adapt(&mut self.kept[context], bit);
        self.narrow(zero, bit);
    }

    fn even_bits(&mut self, value: u32, n: u32) {
        for shift in (0..n).rev() {
            self.narrow(self.range >> 1, value >> shift & 1 == 1);
        }
    }
}

/// Reads bits. It returns bits for any bytes, and any number of them.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    kept: Vec<u16>,
    code: u32,
    range: u32,
    rest: &'a [u8],
    bytes: usize,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(model: &Model, bytes: &'a [u8]) -> Self {
        let (code, range) = (0, u32::MAX);
        let mut decoder =
            Self { kept: model.begin(), code, range, rest: bytes, bytes: bytes.len() };
        for _ in 0..4 {
            decoder.take();
        }
        decoder
    }

    fn take(&mut self) {
        let (byte, rest) = self.rest.split_first().map_or((0, self.rest), |(&b, rest)| (b, rest));
        self.rest = rest;
        self.code = self.code << 8 | u32::from(byte);
    }

    fn narrow(&mut self, zero: u32) -> bool {
        let bit = self.code >= zero;
        if bit {
            self.code -= zero;
            self.range -= zero;
        } else {
            self.range = zero;
        }
        while self.range < MIN_RANGE {
            self.range <<= 8;
            self.take();
        }
        bit
    }

    pub(crate) fn bit(&mut self, context: usize) -> bool {
        let zero = bound(self.range, self.kept[context]);
        let bit = self.narrow(zero);
        adapt(&mut self.kept[context], bit);
        bit
    }

    pub(crate) fn even_bits(&mut self, n: u32) -> u32 {
        let mut value = 0;
        for _ in 0..n {
            value = value << 1 | u32::from(self.narrow(self.range >> 1));
        }
        value
    }

    pub(crate) fn number(&mut self, at: usize) -> u32 {
        let mut bits = 0;
        while bits < MAX_BITS && self.bit(at + bits as usize) {
            bits += 1;
        }
        if bits == 0 {
            return 0;
        }
        let rest = bits - 1;
        let high = 2 | u32::from(self.bit(at + (MAX_BITS + bits) as usize));
        (high << rest | self.even_bits(rest)) - 1
    }

    pub(crate) fn symbol(&mut self, at: usize, bits: u32) -> u32 {
        let mut node = 1;
        for _ in 0..bits {
            node = node << 1 | usize::from(self.bit(at + node));
        }
        (node - (1 << bits)) as u32
    }

    /// Whether all bytes were read, except for the padding of [`Encoder::finish`].
    pub(crate) fn is_at_end(&self, least: usize) -> bool {
        let is_padded = self.bytes == least;
        self.rest.is_empty() || (is_padded && self.rest.iter().all(|&byte| byte == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A value to write.
    #[derive(Debug, Clone, Copy)]
    enum Item {
        Bit(usize, bool),
        Even(u32, u32),
        Number(u32),
        Symbol(u32),
    }

    /// Creates the model of contexts about which nothing is known.
    fn even(n: usize) -> Model {
        Counts::new(n).model()
    }

    const SYMBOL_AT: usize = 8 + NUMBER;
    const CONTEXTS: usize = SYMBOL_AT + 8;

    fn any_item() -> impl Strategy<Value = Item> {
        prop_oneof![
            (0usize..8, any::<bool>()).prop_map(|(context, bit)| Item::Bit(context, bit)),
            Just(Item::Bit(0, true)),
            Just(Item::Bit(1, false)),
            (0u32..=32, any::<u32>()).prop_map(|(n, value)| {
                Item::Even(n, if n == 0 { 0 } else { value >> (32 - n) })
            }),
            (0u32..300).prop_map(Item::Number),
            (0..u32::MAX).prop_map(Item::Number),
            (0u32..8).prop_map(Item::Symbol),
        ]
    }

    fn write(bits: &mut impl Bits, items: &[Item]) {
        for &item in items {
            match item {
                Item::Bit(context, bit) => bits.bit(context, bit),
                Item::Even(n, value) => bits.even_bits(value, n),
                Item::Number(value) => bits.number(8, value),
                Item::Symbol(value) => bits.symbol(SYMBOL_AT, 3, value),
            }
        }
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(items in prop::collection::vec(any_item(), 0..500), learned: bool) {
            let mut counts = Counts::new(CONTEXTS);
            write(&mut counts, &items);
            let model = if learned { counts.model() } else { even(CONTEXTS) };
            let mut encoder = Encoder::new(&model);
            write(&mut encoder, &items);
            let bytes = encoder.finish(0);
            let mut decoder = Decoder::new(&model, &bytes);
            for item in items {
                match item {
                    Item::Bit(context, bit) => prop_assert_eq!(decoder.bit(context), bit),
                    Item::Even(n, value) => prop_assert_eq!(decoder.even_bits(n), value),
                    Item::Number(value) => prop_assert_eq!(decoder.number(8), value),
                    Item::Symbol(value) => prop_assert_eq!(decoder.symbol(SYMBOL_AT, 3), value),
                }
            }
            prop_assert!(decoder.is_at_end(0));
        }

        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, items in prop::collection::vec(any_item(), 0..200)) {
            let mut decoder = Decoder::new(&even(CONTEXTS), &bytes);
            for item in items {
                match item {
                    Item::Bit(context, _) => _ = decoder.bit(context),
                    Item::Even(n, _) => _ = decoder.even_bits(n),
                    Item::Number(_) => _ = decoder.number(8),
                    Item::Symbol(_) => prop_assert!(decoder.symbol(SYMBOL_AT, 3) < 8),
                }
            }
        }
    }

    #[test]
    fn a_coarse_model_has_few_probabilities() {
        let part = |zeros: u32, ones: u32| Counts(vec![[zeros, ones]]).coarse_model().0[0];
        assert_eq!([part(0, 23), part(12, 12), part(23, 1)], [128, 128, 240]);
        assert_eq!([part(0, 1_000), part(1_000, 0), part(300, 700)], [1, 255, 80]);
    }

    #[test]
    fn likely_bits_take_little_space() {
        let mut encoder = Encoder::new(&even(1));
        for at in 0..8_000 {
            encoder.bit(0, at % 100 == 99);
        }
        // The entropy is 0.081 bits for each bit: 81 bytes.
        let bytes = encoder.finish(0).len();
        assert!((80..130).contains(&bytes), "{bytes}");
        let nothing = Encoder::new(&even(1)).finish(0);
        assert!(nothing.is_empty());
    }

    #[test]
    fn few_bytes_of_many_values_are_padded() {
        let model = even(1);
        let coded = |values| {
            let mut encoder = Encoder::new(&model);
            (0..values).for_each(|_| encoder.bit(0, false));
            encoder.finish(min_bytes(values))
        };
        for (values, expected) in
            [(0, 0), (FREE_VALUES, 0), (FREE_VALUES + 1, 1), (FREE_VALUES + 64_001, 1_001)]
        {
            let mut bytes = coded(values);
            assert_eq!(bytes, vec![0; expected]);
            assert!(values <= max_values(bytes.len()));
            assert!(bytes.is_empty() || values > max_values(bytes.len() - 1));
            let mut decoder = Decoder::new(&model, &bytes);
            assert!((0..values).all(|_| !decoder.bit(0)));
            assert!(decoder.is_at_end(expected));
            // More padding is refused, and so is padding that is not zero.
            bytes.extend([0; 8]);
            assert!(!Decoder::new(&model, &bytes).is_at_end(expected));
            bytes.truncate(expected);
            if let Some(last) = bytes.last_mut().filter(|_| expected > 1_000) {
                *last = 1;
                assert!(!Decoder::new(&model, &bytes).is_at_end(expected));
            }
        }
    }

    #[test]
    fn carries_change_waiting_bytes() {
        // A bit with a probability of 1/4,096 moves the low end of the range up by nearly all of
        // it.
        let model = Model(vec![255]);
        let mut encoder = Encoder::new(&model);
        let bits: Vec<bool> = (0..2_000).map(|at| at % 7 != 0).collect();
        for &bit in &bits {
            encoder.bit(0, bit);
        }
        let bytes = encoder.finish(0);
        let mut decoder = Decoder::new(&model, &bytes);
        assert!(bits.into_iter().all(|bit| decoder.bit(0) == bit));
    }
}
