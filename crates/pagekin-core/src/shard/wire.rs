//! Numbers and text as bytes, the basis of every shard.
//!
//! Fixed-width numbers are little-endian. A varint is LEB128: 7 bits in each byte, lowest first,
//! with the high bit set on all bytes but the last. Text is the length of its UTF-8 as a varint,
//! then its bytes.

use super::ReadError;

/// Appends values to bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn varint(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.varint(u32::try_from(text.len()).expect("text of a page is below 4 GiB"));
        self.bytes(text.as_bytes());
    }

    /// Writes ascending numbers: the first, then the difference of each from the previous one.
    /// Their number is not written.
    pub(crate) fn ascending(&mut self, numbers: impl IntoIterator<Item = u32>) {
        let mut before = 0;
        for number in numbers {
            self.varint(number - before);
            before = number;
        }
    }

    /// Writes `text` as its difference from `before`: the length of the common start, then the
    /// rest.
    pub(crate) fn front_coded(&mut self, before: &str, text: &str) {
        let mut same = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(same) {
            same -= 1;
        }
        self.varint(same as u32);
        self.text(&text[same..]);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// What a [`Reader`] expected, but did not find.
///
/// It is small, because a browser downloads the code that passes it on after each value that is
/// read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damaged(pub(crate) &'static str);

impl Damaged {
    /// Turns it into the error to show.
    pub(crate) fn in_shard(self, shard: &str) -> ReadError {
        ReadError::Damaged { shard: shard.to_owned(), what: self.0 }
    }
}

/// Reads the payload of a shard. `read` must consume all its bytes. `shard` is its name in errors.
pub(crate) fn read_whole<T>(
    shard: &str,
    payload: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Damaged>,
) -> Result<T, ReadError> {
    let mut reader = Reader::new(payload);
    let value = read(&mut reader).map_err(|error| error.in_shard(shard))?;
    reader.end().map_err(|error| error.in_shard(shard))?;
    Ok(value)
}

/// Reads values from bytes. For any bytes it returns values or an error, and allocates no more than
/// the bytes can fill.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// The number of bytes of text that front coding may still produce.
    text_left: usize,
}

/// Maximum number of bytes of text for each byte of the payload, after some that are free. With
/// front coding, a few bytes can repeat much text. Real shards repeat far less.
pub(super) const TEXT_FACTOR: usize = 8;
pub(super) const TEXT_FREE: usize = 64 << 10;

impl<'a> Reader<'a> {
    /// Creates a reader of the payload `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, text_left: TEXT_FACTOR * bytes.len() + TEXT_FREE }
    }

    pub(crate) fn bytes(&mut self, n: usize, what: &'static str) -> Result<&'a [u8], Damaged> {
        let Some((taken, rest)) = self.rest.split_at_checked(n) else {
            return Err(Damaged(what));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Damaged> {
        let Some((taken, rest)) = self.rest.split_first_chunk() else {
            return Err(Damaged(what));
        };
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, Damaged> {
        self.array(what).map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Damaged> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Damaged> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Damaged> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(crate) fn varint(&mut self, what: &'static str) -> Result<u32, Damaged> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8(what)?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0x0f {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Damaged(what))
    }

    /// Reads the number of items that take at least one byte each. Refuses a number that exceeds
    /// the remaining bytes, before anything is allocated.
    pub(crate) fn count(&mut self, what: &'static str) -> Result<usize, Damaged> {
        let n = self.varint(what)? as usize;
        if n > self.rest.len() { Err(Damaged(what)) } else { Ok(n) }
    }

    pub(crate) fn text(&mut self, what: &'static str) -> Result<&'a str, Damaged> {
        let n = self.count(what)?;
        std::str::from_utf8(self.bytes(n, what)?).map_err(|_| Damaged(what))
    }

    /// Replaces `text`, the previous text, by the one that [`Writer::front_coded`] wrote after it.
    pub(crate) fn front_coded(
        &mut self,
        text: &mut String,
        what: &'static str,
    ) -> Result<(), Damaged> {
        let same = self.varint(what)? as usize;
        if same > text.len() || !text.is_char_boundary(same) {
            return Err(Damaged(what));
        }
        text.truncate(same);
        text.push_str(self.text(what)?);
        let Some(left) = self.text_left.checked_sub(text.len()) else {
            return Err(Damaged("texts of a sensible length"));
        };
        self.text_left = left;
        Ok(())
    }

    /// Reads the next of ascending numbers, each of which is written as its difference from the
    /// previous one.
    pub(crate) fn ascending(
        &mut self,
        before: Option<u32>,
        what: &'static str,
    ) -> Result<u32, Damaged> {
        let step = self.varint(what)?;
        match before {
            None => Ok(step),
            Some(before) if step > 0 => before.checked_add(step).ok_or(Damaged(what)),
            Some(_) => Err(Damaged(what)),
        }
    }

    /// Reads `n` ascending numbers as written by [`Writer::ascending`]. `n` must be a
    /// [`count`](Self::count).
    pub(crate) fn ascending_run(
        &mut self,
        n: usize,
        what: &'static str,
    ) -> Result<Vec<u32>, Damaged> {
        // A count does not exceed the number of bytes that remained when it was read.
        let mut numbers = Vec::with_capacity(n.min(self.rest.len()));
        for _ in 0..n {
            numbers.push(self.ascending(numbers.last().copied(), what)?);
        }
        Ok(numbers)
    }

    /// Returns the remaining bytes.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Checks that no bytes remain.
    pub(crate) fn end(self) -> Result<(), Damaged> {
        if self.rest.is_empty() { Ok(()) } else { Err(Damaged("nothing after its end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn varints_have_known_bytes() {
        let mut writer = Writer::new();
        for value in [0, 127, 128, 300, u32::MAX] {
            writer.varint(value);
        }
        assert_eq!(writer.finish(), [0, 127, 0x80, 1, 0xac, 2, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    }

    #[test]
    fn varints_beyond_32_bits_are_refused() {
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x10]).varint("n").is_err());
        assert!(Reader::new(&[0x80; 9]).varint("n").is_err());
        assert!(Reader::new(&[0x80]).varint("n").is_err());
    }

    #[test]
    fn text_that_repeats_absurdly_is_refused() {
        let mut writer = Writer::new();
        writer.front_coded("", &"a".repeat(10_000));
        for _ in 0..100 {
            writer.varint(10_000);
            writer.text("");
        }
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        let mut text = String::new();
        let read = (0..=100).take_while(|_| reader.front_coded(&mut text, "").is_ok()).count();
        assert!((2..30).contains(&read), "{read}");
    }

    #[test]
    fn counts_beyond_the_bytes_are_refused() {
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]).count("n").is_err());
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(numbers: Vec<u32>, texts: Vec<String>, fixed: (u8, u16, u32, u64)) {
            let mut writer = Writer::new();
            writer.u8(fixed.0);
            writer.u16(fixed.1);
            writer.u32(fixed.2);
            writer.u64(fixed.3);
            for &number in &numbers {
                writer.varint(number);
            }
            let mut before = String::new();
            for text in &texts {
                writer.front_coded(&before, text);
                before.clone_from(text);
            }
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.u8("").unwrap(), fixed.0);
            prop_assert_eq!(reader.u16("").unwrap(), fixed.1);
            prop_assert_eq!(reader.u32("").unwrap(), fixed.2);
            prop_assert_eq!(reader.u64("").unwrap(), fixed.3);
            for &number in &numbers {
                prop_assert_eq!(reader.varint("").unwrap(), number);
            }
            let mut text = String::new();
            for expected in &texts {
                reader.front_coded(&mut text, "").unwrap();
                prop_assert_eq!(&text, expected);
            }
            prop_assert!(reader.end().is_ok());
        }
    }
}
