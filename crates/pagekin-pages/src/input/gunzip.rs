//! Unpacks gzip files of several members, skipping damage between them.
//!
//! Crawlers write one member per record, so that each can be read alone and damage affects no
//! other. Damage may be detected only after part of the next member has been unpacked, so the bytes
//! of a member are kept and searched again.
//!
//! flate2 unpacks each member, but this module finds them: after damage, flate2's `MultiGzDecoder`
//! reports the end of the file, or the same error forever, so all further members would be lost.
//! And a new `GzDecoder` for each member would allocate 50 kB, even for a small one.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::input::reread::Reread;

/// The first bytes of every member: gzip with deflate (RFC 1952, section 2.3.1).
pub const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// Unpacks a gzip file member by member.
///
/// Damage is reported once, as an error of the kind `InvalidData` that contains a `Damage`. The
/// next read starts at the next member that can be found. Other errors are those of the file.
pub struct Gunzip<R> {
    file: Kept<R>,
    member: Member,
    state: State,
}

/// Damage in a packed file.
#[derive(Debug)]
pub(crate) struct Damage {
    /// Whether the damage is in the member that was read last. Otherwise that member was complete.
    pub(crate) of_last: bool,
    problem: &'static str,
}

impl std::error::Error for Damage {}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.problem)
    }
}

/// The problem of a damaged file.
const DAMAGED: &str = "the gzip file is damaged";

enum State {
    /// Between two members. `clean`: the previous member was complete.
    Between { clean: bool },
    /// In a member. `begun`: some of its content was read.
    Member { begun: bool },
}

impl<R: BufRead> Gunzip<R> {
    pub fn new(file: R) -> Self {
        Self { file: Kept::new(file), member: Member::new(), state: State::Between { clean: true } }
    }

    fn end_member(&mut self, clean: bool) {
        if clean {
            self.file.forget();
        } else {
            self.file.read_kept_again();
        }
        self.state = State::Between { clean };
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.state {
                State::Between { clean } => {
                    let (found, garbage) = find_member(&mut self.file.file)?;
                    // The bytes of a member without a valid start.
                    let damaged = garbage && std::mem::replace(clean, false);
                    if found {
                        self.member.begin();
                        self.file.keep();
                        self.state = State::Member { begun: false };
                    }
                    if damaged {
                        return Err(damage(false, DAMAGED));
                    }
                    if !found {
                        return Ok(0);
                    }
                }
                State::Member { begun } => match self.member.read(&mut self.file, buffer) {
                    Ok(0) => self.end_member(true),
                    Ok(n) => {
                        *begun = true;
                        return Ok(n);
                    }
                    Err(error) if is_of_content(&error) => {
                        let of_last = *begun;
                        self.end_member(false);
                        return Err(damage(of_last, DAMAGED));
                    }
                    Err(error) => return Err(error),
                },
            }
        }
    }
}

/// A member after its first bytes (RFC 1952, section 2.3). Its memory is reused for the next one.
struct Member {
    data: Decompress,
    content: Crc,
    at: At,
}

/// The next part of a member.
#[derive(PartialEq)]
enum At {
    Head,
    Data,
    End,
}

/// Flags for the optional parts of a header.
const HEAD_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = !0 << 5;
/// Maximum number of bytes of a name or comment.
const MAX_NAME_BYTES: u64 = 64 << 10;

impl Member {
    fn new() -> Self {
        Self { data: Decompress::new(false), content: Crc::new(), at: At::Head }
    }

    fn begin(&mut self) {
        // Resetting an unused decoder would rewrite its memory.
        if self.at != At::Head {
            self.data.reset(false);
            self.content.reset();
            self.at = At::Head;
        }
    }

    /// Reads unpacked bytes. Returns 0 at the end of a complete member.
    fn read(&mut self, file: &mut impl BufRead, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == At::Head {
            read_head(file)?;
            self.at = At::Data;
        }
        while self.at == At::Data {
            let packed = file.fill_buf()?;
            let is_end = packed.is_empty();
            let before = (self.data.total_in(), self.data.total_out());
            let status = self
                .data
                .decompress(packed, buffer, FlushDecompress::None)
                .map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
            file.consume((self.data.total_in() - before.0) as usize);
            let n = (self.data.total_out() - before.1) as usize;
            self.content.update(&buffer[..n]);
            if status == Status::StreamEnd {
                self.at = At::End;
            } else if n == 0 && is_end {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if n > 0 {
                return Ok(n);
            }
        }
        let [mut sum, mut amount] = [[0; 4]; 2];
        file.read_exact(&mut sum)?;
        file.read_exact(&mut amount)?;
        let found = (u32::from_le_bytes(sum), u32::from_le_bytes(amount));
        let is_whole = found == (self.content.sum(), self.content.amount());
        if is_whole { Ok(0) } else { Err(ErrorKind::InvalidInput.into()) }
    }
}

/// Reads the rest of a header.
fn read_head(file: &mut impl BufRead) -> io::Result<()> {
    let invalid = || io::Error::from(ErrorKind::InvalidInput);
    let mut sum = Crc::new();
    sum.update(&GZIP);
    let mut fixed = [0; 7];
    file.read_exact(&mut fixed)?;
    sum.update(&fixed);
    let flags = fixed[0];
    if flags & RESERVED != 0 {
        return Err(invalid());
    }
    if flags & EXTRA != 0 {
        let mut length = [0; 2];
        file.read_exact(&mut length)?;
        let mut extra = vec![0; u16::from_le_bytes(length).into()];
        file.read_exact(&mut extra)?;
        sum.update(&length);
        sum.update(&extra);
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let mut read = Vec::new();
            file.take(MAX_NAME_BYTES).read_until(0, &mut read)?;
            if read.last() != Some(&0) {
                return Err(invalid());
            }
            sum.update(&read);
        }
    }
    if flags & HEAD_CRC != 0 {
        let mut found = [0; 2];
        file.read_exact(&mut found)?;
        if u16::from_le_bytes(found) != sum.sum() as u16 {
            return Err(invalid());
        }
    }
    Ok(())
}

/// Maximum number of bytes of a member that are kept. Larger members contain more than a record.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// A file that keeps the bytes read.
pub(super) struct Kept<R> {
    file: Reread<R>,
    kept: Option<Vec<u8>>,
}

impl<R: BufRead> Kept<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file: Reread::new(file), kept: None }
    }

    /// Starts keeping the bytes read.
    pub(super) fn keep(&mut self) {
        self.kept = Some(Vec::new());
    }

    pub(super) fn forget(&mut self) {
        self.kept = None;
    }

    /// Puts back the kept bytes, unless there were too many.
    pub(super) fn read_kept_again(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.file.read_again(kept);
        }
    }
}

impl<R: BufRead> Read for Kept<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Kept<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        if let Some(kept) = &mut self.kept {
            if kept.len() + n <= MAX_KEPT_BYTES
                && let Ok(bytes) = self.file.fill_buf()
            {
                kept.extend_from_slice(&bytes[..n]);
            } else {
                self.kept = None;
            }
        }
        self.file.consume(n);
    }
}

/// Reads until after the first bytes of a member. Returns whether there is one, and whether bytes
/// other than the zeros of padding precede it.
fn find_member(file: &mut impl BufRead) -> io::Result<(bool, bool)> {
    let (mut matched, mut garbage) = (0, false);
    loop {
        let bytes = match file.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok((false, garbage || matched > 0));
        }
        let mut used = 0;
        for &byte in bytes {
            used += 1;
            if byte == GZIP[matched] {
                matched += 1;
                if matched == GZIP.len() {
                    break;
                }
            } else {
                garbage |= byte != 0 || matched > 0;
                matched = usize::from(byte == GZIP[0]);
            }
        }
        file.consume(used);
        if matched == GZIP.len() {
            return Ok((true, garbage));
        }
    }
}

/// Returns whether an error is in the packed content, not in reading the file.
fn is_of_content(error: &io::Error) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

pub(super) fn damage(of_last: bool, problem: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, Damage { of_last, problem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::{BufReader, Write};

    fn member(content: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    /// Returns the content between errors, and the number of errors.
    fn read(file: &[u8], step: usize) -> (Vec<Vec<u8>>, usize) {
        let mut gunzip = Gunzip::new(BufReader::with_capacity(step, file));
        let (mut parts, mut errors) = (vec![Vec::new()], 0);
        loop {
            let mut part = Vec::new();
            let result = gunzip.read_to_end(&mut part);
            if let Some(last) = parts.last_mut() {
                last.extend(part);
            }
            match result {
                Ok(_) => return (parts, errors),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidData);
                    errors += 1;
                    parts.push(Vec::new());
                }
            }
        }
    }

    #[test]
    fn members_are_read_in_order() {
        let file = [member(b"one "), member(b""), member(b"two"), vec![0; 7]].concat();
        for step in [1, 2, 3, 100] {
            assert_eq!(read(&file, step), (vec![b"one two".to_vec()], 0));
        }
        // An incomplete start of a member is not padding.
        for end in [&GZIP[..1], &GZIP[..GZIP.len() - 1]] {
            assert_eq!(read(&[&member(b"one"), end].concat(), 64).1, 1);
        }
    }

    #[test]
    fn a_damaged_member_affects_no_other() {
        let content: Vec<u8> =
            (0..5_000u32).flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
        let mut broken = member(&content);
        let middle = broken.len() / 2;
        broken[middle..middle + 40].fill(0xff);
        let file = [member(b"one"), broken.clone(), member(b"two")].concat();
        let (parts, errors) = read(&file, 64);
        assert!(errors >= 1 && parts[0].starts_with(b"one"));
        assert_eq!(parts.last().unwrap(), b"two");
        // Its header or its end is missing.
        let headless = [member(b"one"), member(b"gone")[5..].to_vec(), member(b"two")].concat();
        assert_eq!(read(&headless, 64), (vec![b"one".to_vec(), b"two".to_vec()], 1));
        let whole = member(&content);
        let cut = [member(b"one"), whole[..middle].to_vec()].concat();
        let (parts, errors) = read(&cut, 64);
        assert!(parts[0].starts_with(b"one") && errors == 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_the_end(parts in prop::collection::vec(
            prop_oneof![any::<Vec<u8>>(), any::<Vec<u8>>().prop_map(|content| member(&content)), Just(GZIP.to_vec())], 0..6),
            step in 1usize..50,
        ) {
            let _ = read(&parts.concat(), step);
        }
    }
}
