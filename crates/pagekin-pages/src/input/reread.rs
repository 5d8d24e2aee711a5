//! A stream of which bytes can be read again: what was taken for one thing and was another. Damaged
//! gzip members need it, and WARC records of a wrong length, which files that are not compressed
//! have too.

use std::io::{self, BufRead, Cursor, Read};

/// What may be read again beyond what was read: so no stream can make its reader go round for ever.
pub(super) const REREAD_BYTES: u64 = 64 << 20;

/// A stream with bytes before it that were read and put back.
#[derive(Debug)]
pub(super) struct Reread<R> {
    back: Cursor<Vec<u8>>,
    stream: R,
    /// Bytes that were read of the stream, and of those that were put back.
    read: u64,
    again: u64,
}

impl<R: BufRead> Reread<R> {
    pub(super) fn new(stream: R) -> Self {
        Self { back: Cursor::default(), stream, read: 0, again: 0 }
    }

    /// Puts back `bytes`, which were read last; not if more is read again than was read at all and
    /// [`REREAD_BYTES`].
    pub(super) fn read_again(&mut self, mut bytes: Vec<u8>) {
        let again = self.again + (bytes.len() + self.rest().len()) as u64;
        if again <= self.read.saturating_add(REREAD_BYTES) {
            self.again = again;
            bytes.extend_from_slice(self.rest());
            self.back = Cursor::new(bytes);
        }
    }

    /// The next `n` bytes, or fewer at the end. They stay.
    pub(super) fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        if self.rest().len() < n {
            let mut bytes = self.rest().to_vec();
            let missing = n - bytes.len();
            let read = self.stream.by_ref().take(missing as u64).read_to_end(&mut bytes);
            self.read += (bytes.len() - (n - missing)) as u64;
            // Also what was read before an error.
            self.back = Cursor::new(bytes);
            read?;
        }
        let rest = self.rest();
        Ok(&rest[..n.min(rest.len())])
    }

    fn rest(&self) -> &[u8] {
        &self.back.get_ref()[self.back.position() as usize..]
    }
}

impl<R: BufRead> Read for Reread<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Reread<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest().is_empty() { self.stream.fill_buf() } else { self.back.fill_buf() }
    }

    fn consume(&mut self, n: usize) {
        if self.rest().is_empty() {
            self.read += n as u64;
            self.stream.consume(n);
        } else {
            self.back.consume(n);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_is_read_again() {
        let mut stream = Reread::new(io::BufReader::with_capacity(2, &b"abcdef"[..]));
        assert_eq!(stream.peek(3).unwrap(), b"abc");
        let mut start = vec![0; 4];
        stream.read_exact(&mut start).unwrap();
        assert_eq!((&*start, stream.peek(9).unwrap()), (&b"abcd"[..], &b"ef"[..]));
        stream.read_again(start);
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"abcdef");
    }

    #[test]
    fn no_stream_is_read_again_for_ever() {
        let mut stream = Reread::new(&b"abcdef"[..]);
        let mut rounds = 0;
        loop {
            let mut bytes = vec![0; 1 << 20];
            stream.read_again(std::mem::take(&mut bytes));
            let mut all = Vec::new();
            stream.read_to_end(&mut all).unwrap();
            if all.is_empty() {
                break;
            }
            rounds += 1;
        }
        assert_eq!(rounds, REREAD_BYTES >> 20);
    }
}
