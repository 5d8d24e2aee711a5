//! Inflates as in RFC 1951, bit by bit and code by code.
//!
//! A browser downloads this code. The library that deflates shards, miniz_oxide, inflates several
//! times as fast in ten times the code. That would add 4 kB to what is fetched before the first
//! answer, for payloads of a few kilobytes. Tests compare this code with it.

/// Maximum number of bits of a code.
const MAX_BITS: usize = 15;
/// Number of symbols of literals and lengths, and of distances.
const LITERALS: usize = 288;
const DISTANCES: usize = 30;
/// The symbol that ends a block. Higher ones are lengths.
const END: usize = 256;
/// The order of the lengths of the code of code lengths.
const LENGTH_ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Inflates `deflated` if the result has exactly `n` bytes. Allocates no more than these. Bytes
/// after the last block are ignored.
///
/// Linear in the bits of `deflated` and in `n`.
pub(super) fn inflate(deflated: &[u8], n: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { bytes: deflated, held: 0, count: 0 };
    let mut out = Vec::with_capacity(n);
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => bits.stored(&mut out, n)?,
            1 => {
                let lengths = [(8, 144), (9, 112), (7, 24), (8, 8), (5, DISTANCES)];
                let lengths =
                    lengths.into_iter().flat_map(|(bits, n)| std::iter::repeat_n(bits, n));
                bits.coded(&lengths.collect::<Vec<_>>(), LITERALS, &mut out, n)?;
            }
            2 => {
                let literals = bits.take(5)? as usize + 257;
                let lengths = bits.lengths(literals)?;
                bits.coded(&lengths, literals, &mut out, n)?;
            }
            _ => return None,
        }
        if is_last {
            return (out.len() == n).then_some(out);
        }
    }
}

/// A stream of bits, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    held: u32,
    count: usize,
}

impl Bits<'_> {
    /// Returns the next `n` bits, at most 16, as a number, the lowest first.
    fn take(&mut self, n: usize) -> Option<u32> {
        while self.count < n {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            self.held |= u32::from(byte) << self.count;
            self.count += 8;
        }
        let taken = self.held & ((1 << n) - 1);
        self.held >>= n;
        self.count -= n;
        Some(taken)
    }

    /// Reads a stored block, from the next byte on.
    fn stored(&mut self, out: &mut Vec<u8>, n: usize) -> Option<()> {
        self.take(self.count % 8)?;
        let (length, check) = (self.take(16)?, self.take(16)?);
        if length ^ check != 0xffff || length as usize > n - out.len() {
            return None;
        }
        for _ in 0..length {
            out.push(self.take(8)? as u8);
        }
        Some(())
    }

    /// Reads the lengths of the codes of `literals` literals, then of the distances, which are
    /// coded themselves.
    fn lengths(&mut self, literals: usize) -> Option<Vec<u8>> {
        let all = literals + self.take(5)? as usize + 1;
        let mut of_lengths = [0; LENGTH_ORDER.len()];
        for &at in &LENGTH_ORDER[..self.take(4)? as usize + 4] {
            of_lengths[usize::from(at)] = self.take(3)? as u8;
        }
        let code = Code::new(&of_lengths);
        let mut lengths = Vec::with_capacity(all);
        while lengths.len() < all {
            let (length, times) = match code.next(self)? {
                16 => (*lengths.last()?, 3 + self.take(2)?),
                17 => (0, 3 + self.take(3)?),
                18 => (0, 11 + self.take(7)?),
                length => (length as u8, 1),
            };
            lengths.resize(lengths.len() + times as usize, length);
        }
        (lengths.len() == all).then_some(lengths)
    }

    /// Reads a block with codes of these lengths, of which the first `literals` are those of
    /// literals.
    fn coded(
        &mut self,
        lengths: &[u8],
        literals: usize,
        out: &mut Vec<u8>,
        n: usize,
    ) -> Option<()> {
        let (literals, distances) = lengths.split_at_checked(literals)?;
        let (literals, distances) = (Code::new(literals), Code::new(distances));
        loop {
            let literal = literals.next(self)?;
            if literal == END {
                return Some(());
            }
            if literal < END {
                if out.len() == n {
                    return None;
                }
                out.push(literal as u8);
                continue;
            }
            let length = match literal - END - 1 {
                28 => 258,
                at @ 0..28 => 3 + self.spread(at, 4)?,
                _ => return None,
            };
            let distance = match distances.next(self)? {
                at @ 0..DISTANCES => 1 + self.spread(at, 2)?,
                _ => return None,
            };
            if length > n - out.len() {
                return None;
            }
            for _ in 0..length {
                out.push(*out.get(out.len().checked_sub(distance)?)?);
            }
        }
    }

    /// Returns the value of symbol `at` of lengths or distances, counted from 0. Each `group` of
    /// consecutive symbols has one more extra bit than the previous one. The first two groups have
    /// none.
    fn spread(&mut self, at: usize, group: usize) -> Option<usize> {
        let extra = (at / group).saturating_sub(1);
        let base = if extra == 0 { at } else { (group + at % group) << extra };
        Some(base + self.take(extra)? as usize)
    }
}

/// A canonical prefix code: the number of symbols of each length, and the symbols ordered by code.
struct Code {
    counts: [u16; MAX_BITS + 1],
    symbols: Vec<u16>,
}

impl Code {
    /// Creates a code from the number of bits of each symbol. A symbol with 0 bits has no code.
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; MAX_BITS + 1];
        let mut symbols = Vec::with_capacity(lengths.len());
        for (bits, count) in counts.iter_mut().enumerate().skip(1) {
            let before = symbols.len();
            let of_bits =
                lengths.iter().zip(0..).filter(|&(&length, _)| usize::from(length) == bits);
            symbols.extend(of_bits.map(|(_, symbol)| symbol));
            *count = (symbols.len() - before) as u16;
        }
        Self { counts, symbols }
    }

    /// Returns the symbol of the next bits.
    fn next(&self, bits: &mut Bits<'_>) -> Option<usize> {
        // Codes of one length are consecutive. `first` is the first of them, `index` its position.
        let (mut code, mut first, mut index) = (0, 0, 0);
        for &count in &self.counts[1..] {
            code |= bits.take(1)?;
            if code < first + u32::from(count) {
                let at = index + code.checked_sub(first)?;
                return self.symbols.get(at as usize).map(|&symbol| usize::from(symbol));
            }
            index += u32::from(count);
            first = (first + u32::from(count)) << 1;
            code <<= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The reference implementation.
    fn by_library(deflated: &[u8], n: usize) -> Option<Vec<u8>> {
        let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, n).ok()?;
        (inflated.len() == n).then_some(inflated)
    }

    /// Bytes that repeat as in a text, and any bytes.
    fn payloads() -> impl Strategy<Value = Vec<u8>> {
        let words =
            proptest::collection::vec("[a-e ]{0,12}", 0..400).prop_map(|w| w.concat().into_bytes());
        prop_oneof![words, proptest::collection::vec(any::<u8>(), 0..3000)]
    }

    #[test]
    fn known_bytes_inflate() {
        // A stored block, and one in fixed codes.
        assert_eq!(inflate(&[1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c'], 3).unwrap(), b"abc");
        assert_eq!(inflate(&[0x4b, 0x4c, 0x4a, 0x06, 0x00], 3).unwrap(), b"abc");
        assert_eq!(inflate(&[], 0), None);
    }

    #[test]
    fn long_matches_have_all_lengths_and_distances() {
        let mut payload = Vec::new();
        for n in 0..1200usize {
            payload.extend(std::iter::repeat_n((n % 251) as u8, n % 300));
            payload.extend((n as u32).to_le_bytes());
        }
        let deflated = miniz_oxide::deflate::compress_to_vec(&payload, 9);
        assert_eq!(inflate(&deflated, payload.len()), Some(payload));
    }

    proptest! {
        #[test]
        fn what_was_deflated_inflates(payload in payloads(), level in 0u8..=10) {
            let deflated = miniz_oxide::deflate::compress_to_vec(&payload, level);
            prop_assert_eq!(inflate(&deflated, payload.len()), Some(payload.clone()));
            prop_assert_eq!(inflate(&deflated, payload.len() + 1), None);
            prop_assert_eq!(payload.len().checked_sub(1).and_then(|n| inflate(&deflated, n)), None);
        }

        /// An incomplete code may be accepted here and refused by the library. If both accept, the
        /// results are equal.
        #[test]
        fn changed_bytes_are_read_as_by_the_library(
            payload in payloads(), level in 0u8..=10, place: prop::sample::Index, bit in 0u8..8,
        ) {
            let mut deflated = miniz_oxide::deflate::compress_to_vec(&payload, level);
            *place.get_mut(&mut deflated) ^= 1 << bit;
            let (own, library) = (inflate(&deflated, payload.len()), by_library(&deflated, payload.len()));
            if library.is_some() {
                prop_assert_eq!(own, library);
            }
        }

        #[test]
        fn any_bytes_are_inflated_or_refused(bytes: Vec<u8>, n in 0usize..100_000) {
            if let Some(inflated) = inflate(&bytes, n) {
                prop_assert_eq!(inflated.len(), n);
            }
        }
    }
}
