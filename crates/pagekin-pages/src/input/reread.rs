//! A stream whose bytes can be put back and read again, if they turn out to be something else. This
//! is needed for damaged gzip members, and for WARC records of a wrong length, which also occur in
//! uncompressed files.

use std::io::{self, BufRead, Cursor, Read};

/// Number of bytes that may be reread in addition to those read, so that no stream causes an
/// endless loop.
pub(super) const REREAD_BYTES: u64 = 64 << 20;

/// A stream preceded by bytes that were put back.
#[derive(Debug)]
pub(super) struct Reread<R> {
    back: Cursor<Vec<u8>>,
    stream: R,
    /// Number of bytes read from the stream, and of bytes put back.
    read: u64,
    reread: u64,
}

impl<R: BufRead> Reread<R> {
    pub(super) fn new(stream: R) -> Self {
        Self { back: Cursor::default(), stream, read: 0, reread: 0 }
    }

    /// Puts back `bytes`, which were read last, unless more bytes would be reread than were read,
    /// plus [`REREAD_BYTES`].
    pub(super) fn read_again(&mut self, mut bytes: Vec<u8>) {
        let reread = self.reread + (bytes.len() + self.rest().len()) as u64;
        if reread <= self.read.saturating_add(REREAD_BYTES) {
            self.reread = reread;
            bytes.extend_from_slice(self.rest());
            self.back = Cursor::new(bytes);
        }
    }

    /// Returns the next `n` bytes, or fewer at the end, without consuming them.
    pub(super) fn peek(&mut self, n: usize) -> io::Result<&[u8]> {
        if self.rest().len() < n {
            let mut bytes = self.rest().to_vec();
            let missing = n - bytes.len();
            let read = self.stream.by_ref().take(missing as u64).read_to_end(&mut bytes);
            self.read += (bytes.len() - (n - missing)) as u64;
            // Also keep the bytes read before an error.
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
    fn bytes_put_back_are_read_again() {
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
    fn rereading_is_bounded() {
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
