//! Unpacks zstd files of several frames, skipping damage between them.
//!
//! Crawlers write one frame per record, preceded by a dictionary for all of them: a skippable frame
//! with the number 0x184D2A5D, whose content may be packed by zstd itself.

use std::io::{self, BufRead, Cursor, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};

use crate::input::gunzip::{Kept, damage};

/// The magic bytes of a frame.
pub(super) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The magic bytes of a frame with a dictionary.
pub(super) const DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// Maximum number of bytes of a dictionary.
const MAX_DICTIONARY_BYTES: u64 = 16 << 20;
/// Maximum size of the window of a frame: the maximum of RFC 9659 for a body, and that of `zstd
/// -19`. A frame takes about five times as much memory.
const MAX_WINDOW_BYTES: u64 = 8 << 20;
/// The problems of a damaged file.
const DAMAGED: &str = "the zstd file is damaged";
const NO_DICTIONARY: &str = "its zstd dictionary is missing or damaged";
/// Minimum number of bytes of a dictionary, which must contain its tables.
const MIN_DICTIONARY_BYTES: usize = 32;

/// Unpacks a zstd file frame by frame. Damage is reported once, as an error of the kind
/// `InvalidData`. The next read starts at the next frame that can be found.
pub(crate) struct Unzstd<R> {
    file: Kept<R>,
    decoder: FrameDecoder,
    /// The dictionary of all frames that do not name one.
    dictionary: Option<u32>,
    takes_dictionary: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    /// Between two frames. `clean`: the previous frame was complete.
    Between { clean: bool },
    /// In a frame. `begun`: some of its content was read.
    Frame { begun: bool },
}

impl<R: BufRead> Unzstd<R> {
    pub(super) fn new(file: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW_BYTES);
        let state = State::Between { clean: true };
        Self { file: Kept::new(file), decoder, dictionary: None, takes_dictionary: true, state }
    }

    /// Advances to the next frame. Returns whether there is one, and whether other bytes precede
    /// it.
    fn find_frame(&mut self) -> io::Result<(bool, bool)> {
        let (mut last, mut garbage, mut n) = ([0; 4], false, 0u64);
        loop {
            let Some(&byte) = self.file.fill_buf()?.first() else {
                return Ok((false, garbage || n > 0));
            };
            self.file.consume(1);
            last.rotate_left(1);
            last[3] = byte;
            n += 1;
            garbage |= n > 4;
            if n < 4 {
                continue;
            }
            if last == ZSTD {
                return Ok((true, garbage));
            }
            if last[1..] == DICTIONARY[1..] && last[0] & 0xf0 == 0x50 {
                if !self.skippable(last == DICTIONARY)? {
                    return Ok((false, true));
                }
                n = 0;
            }
        }
    }

    /// Reads a skippable frame. Returns false if it is truncated or a dictionary is invalid.
    fn skippable(&mut self, is_dictionary: bool) -> io::Result<bool> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length)?;
        let length = u64::from(u32::from_le_bytes(length));
        if !is_dictionary || !std::mem::take(&mut self.takes_dictionary) {
            return Ok(io::copy(&mut self.file.by_ref().take(length), &mut io::sink())? == length);
        }
        let mut raw = Vec::new();
        self.file.by_ref().take(length.min(MAX_DICTIONARY_BYTES)).read_to_end(&mut raw)?;
        if (raw.len() as u64) < length {
            return Ok(false);
        }
        if raw.starts_with(&ZSTD) {
            let mut unpacked = Vec::new();
            let mut frame = Unzstd::new(Cursor::new(raw));
            frame.takes_dictionary = false;
            frame.take(MAX_DICTIONARY_BYTES).read_to_end(&mut unpacked)?;
            raw = unpacked;
        }
        if raw.len() < MIN_DICTIONARY_BYTES {
            return Ok(false);
        }
        let Ok(dictionary) = Dictionary::decode_dict(&raw) else { return Ok(false) };
        self.dictionary = Some(dictionary.id);
        Ok(self.decoder.add_dict(dictionary).is_ok())
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file.keep();
        self.decoder.init((&ZSTD[..]).chain(&mut self.file)).map_err(io::Error::other)?;
        match self.dictionary {
            Some(id) => self.decoder.force_dict(id).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Reads unpacked bytes. Returns 0 at the end of a complete frame.
    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let decoder = &mut self.decoder;
        while decoder.can_collect() == 0 && !decoder.is_finished() {
            let one_block = BlockDecodingStrategy::UptoBlocks(1);
            decoder.decode_blocks(&mut self.file, one_block).map_err(io::Error::other)?;
        }
        let n = decoder.read(buffer)?;
        let sums = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
        if n == 0 && matches!(sums, (Some(expected), found) if found != Some(expected)) {
            return Err(io::Error::other("wrong checksum"));
        }
        Ok(n)
    }
}

fn problem(error: &io::Error) -> &'static str {
    let error = error.get_ref().and_then(|error| error.downcast_ref());
    match error {
        Some(FrameDecoderError::DictNotProvided { .. }) => NO_DICTIONARY,
        _ => DAMAGED,
    }
}

impl<R: BufRead> Read for Unzstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let (read, of_last) = match self.state {
                State::Between { clean } => {
                    let (found, garbage) = self.find_frame().unwrap_or((false, true));
                    self.state = State::Between { clean: clean && !garbage };
                    if found {
                        self.state = State::Frame { begun: false };
                    }
                    if garbage && clean {
                        if found && self.begin().is_err() {
                            self.state = State::Between { clean: false };
                        }
                        return Err(damage(false, DAMAGED));
                    }
                    if !found {
                        return Ok(0);
                    }
                    (self.begin().map(|()| None), false)
                }
                State::Frame { begun } => (self.unpack(buffer).map(Some), begun),
            };
            match read {
                Ok(None) => {}
                Ok(Some(0)) => {
                    self.file.forget();
                    self.state = State::Between { clean: true };
                }
                Ok(Some(n)) => {
                    self.state = State::Frame { begun: true };
                    return Ok(n);
                }
                Err(error) => {
                    self.file.read_kept_again();
                    self.state = State::Between { clean: false };
                    return Err(damage(of_last, problem(&error)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::{BufReader, ErrorKind};

    fn frame(content: &[u8]) -> Vec<u8> {
        compress_to_vec(content, CompressionLevel::Fastest)
    }

    /// Returns the content between errors, and the number of errors.
    fn read(file: &[u8]) -> (Vec<String>, usize) {
        let mut unzstd = Unzstd::new(BufReader::with_capacity(3, file));
        let (mut parts, mut errors) = (Vec::new(), 0);
        loop {
            let mut part = Vec::new();
            let result = unzstd.read_to_end(&mut part);
            if !part.is_empty() {
                parts.push(String::from_utf8_lossy(&part).into_owned());
            }
            match result {
                Ok(_) => return (parts, errors),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidData);
                    errors += 1;
                }
            }
        }
    }

    #[test]
    fn frames_are_read_one_after_the_other() {
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0][..], b"xy"].concat();
        let file = [frame(b"one "), skippable, frame(b""), frame(b"two")].concat();
        assert_eq!(read(&file), (vec!["one two".to_owned()], 0));
        assert_eq!(read(b""), (vec![], 0));
    }

    #[test]
    fn a_damaged_frame_affects_no_other() {
        let mut broken = frame(b"broken broken broken");
        let at = broken.len() - 2;
        broken[at] ^= 0x55;
        let file = [frame(b"one"), broken, b"garbage".to_vec(), frame(b"two")].concat();
        let (parts, errors) = read(&file);
        assert!(errors >= 1 && parts[0].starts_with("one") && parts.last().unwrap() == "two");
        let cut = [frame(b"one"), frame(b"two")[..6].to_vec()].concat();
        assert_eq!(read(&cut), (vec!["one".to_owned()], 1));
    }

    #[test]
    fn only_the_first_dictionary_must_be_valid() {
        let none =
            |bytes: u8| [&DICTIONARY[..], &[bytes, 0, 0, 0], &vec![1; bytes.into()]].concat();
        for bytes in [0, 31, 32, 200] {
            let file = [none(bytes), frame(b"one"), frame(b"two")].concat();
            let (parts, errors) = read(&file);
            assert!(errors == 1 && parts == ["onetwo"], "{bytes}: {parts:?} {errors}");
            // Further dictionaries are skipped like any skippable frame if they are complete.
            let file = [none(bytes), none(bytes), frame(b"one"), none(bytes)].concat();
            assert_eq!(read(&file), (vec!["one".to_owned()], 1));
        }
    }

    // Written by zstd 1.5.4: `zstd --train *.warc --maxdict=256 --dictID=1`, packed by `zstd -19`,
    // and two records packed by `zstd -19 -D`, one of them with `--no-dictID`.
    const DICTIONARY_FRAME: &str = "\
        28b52ffd0468f50600340c37a430ec010000001e10e02ac506ff83549bd8125e93f811d9dd9b6462a54e6fadb5d6\
        02d30080a2a21d000000040000800c0044fe2000640000805638005450046542b8b000000000e262010001000800\
        00002c20616e64206c657420646f7567682032363320726573743c2f6d61696e3e0d0a0d0a574152432f312e312d\
        2d547970653a206170706c69636174696f6e2f687474700d0a436f6e74656e742d4c656e6774683a203132344854\
        3c2f7469746c653e3c4d697820666c6f757220616e640a206053a50716e22b34142863278690b5b52322fb010d50\
        eae6c90092";
    const NAMED: &str = "\
        28b52ffd056801150300c3830da504ceefb6400a798ebda9a0a7f05ce0bfc10e48294b78008452127a154ec0854c\
        146081a0a0063e0882099ea13bc60215aa6085210410305310516567a0050be6e07d5b9808208b687617d0c06034\
        16477d4b6a3d423ac80ef101bec3fa0aa16d254f";
    const UNNAMED: &str = "\
        28b52ffd04680d0300c3430d5a02e7775b204a9e636f2ae8293c17f86fb00352ca121e00a16842afc209b8908902\
        2c1014d4c0074130c13374c758a04215ac308410305310516567a0050be6e07d5b9808208b687617d0c060341647\
        7d4b6a3d423ac80ef101bec3fa0ae18e2677";

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    /// Returns a skippable frame with a dictionary, and two frames that need it.
    fn with_dictionary(dictionary: &[u8]) -> Vec<u8> {
        let length = (dictionary.len() as u32).to_le_bytes();
        [&DICTIONARY, &length, dictionary, &bytes(NAMED), &bytes(UNNAMED)].concat()
    }

    #[test]
    fn frames_are_unpacked_with_the_dictionary_of_the_file() {
        let packed = bytes(DICTIONARY_FRAME);
        let mut raw = Vec::new();
        Unzstd::new(&packed[..]).read_to_end(&mut raw).unwrap();
        assert!(raw.starts_with(&[0x37, 0xa4, 0x30, 0xec]) && raw.len() == 256);
        let record = |n: u32| {
            format!(
                "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://x.org/{n}\r\nContent-Type: application/http\r\nContent-Length: 120\r\n\r\n\
                 HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\
                 <title>Bread {n}</title><main>Mix flour and water, and let dough {n} rest</main>\r\n\r\n"
            )
        };
        let expected = record(0) + &record(1);
        for dictionary in [&packed, &raw] {
            assert_eq!(read(&with_dictionary(dictionary)), (vec![expected.clone()], 0));
        }
        let cut = &with_dictionary(&raw)[..200];
        assert_eq!(read(cut), (vec![], 1));
        // Damage in its tables, in its packed form, or in its content.
        for (mut damaged, at) in [(raw.clone(), 40), (packed.clone(), 40), (raw.clone(), 200)] {
            damaged[at] ^= 0x55;
            let (parts, errors) = read(&with_dictionary(&damaged));
            assert!(errors >= 1 && parts.concat() != expected, "{at}: {parts:?} {errors}");
        }
    }

    #[test]
    fn a_missing_or_damaged_dictionary_is_reported() {
        let mut damaged = with_dictionary(&bytes(DICTIONARY_FRAME));
        damaged[40] ^= 0x55;
        for file in [bytes(NAMED), damaged] {
            let mut unzstd = Unzstd::new(&file[..]);
            let mut problems = Vec::new();
            while let Err(error) = unzstd.read_to_end(&mut Vec::new()) {
                problems.push(error.to_string());
            }
            assert!(problems.contains(&NO_DICTIONARY.to_owned()), "{problems:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_the_end(parts in prop::collection::vec(prop_oneof![
            any::<Vec<u8>>(),
            any::<Vec<u8>>().prop_map(|content| frame(&content)),
            any::<Vec<u8>>().prop_map(|mut content| {
                content.resize(60, 1);
                [&DICTIONARY[..], &[60, 0, 0, 0, 0x37, 0xa4, 0x30, 0xec], &content].concat()
            }),
        ], 0..6)) {
            let _ = read(&parts.concat());
        }
    }
}
