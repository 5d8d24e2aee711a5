//! Interprets an input as changes of the shards or files of something valid.
//!
//! Each change takes seven bytes: the target, the kind, the position (2 bytes), and the data (3
//! bytes).

/// Number of bytes of a change.
const BYTES: usize = 7;
/// Maximum number of changes of an input.
const MAX: usize = 8;

/// A change of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The target of the change, by its number in the fuzz target.
    pub of: u8,
    /// Whether checksums are updated. Otherwise the reader must detect every change.
    pub sealed: bool,
    how: u8,
    at: u16,
    by: [u8; 3],
}

/// Returns the changes of an input.
pub fn changes(input: &[u8]) -> impl Iterator<Item = Change> + '_ {
    let (changes, _) = input.as_chunks::<BYTES>();
    changes.iter().take(MAX).map(|&[of, how, low, high, a, b, c]| Change {
        of,
        sealed: how & 0x80 == 0,
        how: how & 0x7f,
        at: u16::from_le_bytes([low, high]),
        by: [a, b, c],
    })
}

/// Encodes a change in the form that [`changes`] reads.
#[must_use]
pub fn change(of: u8, how: u8, at: u16, by: [u8; 3]) -> [u8; BYTES] {
    let [low, high] = at.to_le_bytes();
    let [a, b, c] = by;
    [of, how, low, high, a, b, c]
}

impl Change {
    /// Changes bytes.
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        let n = bytes.len();
        let at = if n == 0 { 0 } else { usize::from(self.at) % n };
        let [a, b, c] = self.by;
        match self.how % 8 {
            _ if n == 0 => bytes.extend(self.by),
            0 => bytes[at] = a,
            1 => bytes[at] ^= 1 << (a % 8),
            2 => {
                let end = n.min(at + 3);
                bytes[at..end].copy_from_slice(&self.by[..end - at]);
            }
            3 => bytes.truncate(at),
            4 => {
                let end = n.min(at + usize::from(a));
                bytes.drain(at..end);
            }
            5 => {
                bytes.splice(at..at, [a, b, c]);
            }
            6 => {
                let piece = bytes[at..n.min(at + usize::from(a))].to_vec();
                let to = usize::from(u16::from_le_bytes([b, c])) % n;
                bytes.splice(to..to, piece);
            }
            _ => {
                let end = n.min(at + usize::from(a));
                bytes[at..end].fill(b);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_read_and_applied() {
        let input = [change(3, 0, 1, [b'x', 0, 0]), change(4, 0x83, 2, [0; 3])].concat();
        let read: Vec<_> = changes(&input).collect();
        assert_eq!((read[0].of, read[0].sealed, read[1].of, read[1].sealed), (3, true, 4, false));
        let mut bytes = b"abcd".to_vec();
        read[0].apply(&mut bytes);
        assert_eq!(bytes, b"axcd");
        read[1].apply(&mut bytes);
        assert_eq!(bytes, b"ax");
        for how in 0..8 {
            for at in [0, 1, 2, 900] {
                let input = change(0, how, at, [255; 3]);
                changes(&input).for_each(|change| change.apply(&mut b"abcdef".to_vec()));
                changes(&input).for_each(|change| change.apply(&mut Vec::new()));
            }
        }
    }
}
