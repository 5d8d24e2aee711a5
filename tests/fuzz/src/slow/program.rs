//! A page of any size as a small program that generates it.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::slow::dictionary;

/// Maximum numbers of phases of a program, of pieces of a unit, and of repetitions of a text.
const MAX_PHASES: usize = 6;
const MAX_PIECES: usize = 8;
const MAX_TIMES: u32 = 5_000;

/// A program that generates a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The encoding of its characters.
    pub encoding: Encoding,
    /// Its parts, in order.
    pub phases: Vec<Phase>,
}

/// The encoding of characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, after a byte order mark.
    Utf16,
    /// Each character below U+0100 is one byte, others are UTF-8. The page declares this label.
    Bytes(String),
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its share of the page, relative to other phases. With 0, its unit occurs once.
    pub share: u32,
    /// The unit that it repeats.
    pub unit: Vec<Piece>,
}

/// A piece of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// A text.
    Text(String),
    /// A repeated text.
    Times(u32, String),
    /// A number that is unique in each unit.
    Number,
    /// The same number in letters.
    Letters,
    /// A character between two.
    Between(char, char),
}

impl Program {
    /// Returns a program that repeats one text.
    #[must_use]
    pub fn repeat(text: &str) -> Self {
        let unit = vec![Piece::Text(text.to_owned())];
        Self { encoding: Encoding::Utf8, phases: vec![Phase { share: 1, unit }] }
    }

    /// Returns an ordinary page: prose in paragraphs, with links and headings.
    #[must_use]
    pub fn ordinary() -> Self {
        Self::repeat(dictionary::PROSE)
    }

    /// Generates a page of about this many bytes.
    #[must_use]
    pub fn page(&self, bytes: usize) -> Vec<u8> {
        let mut made = Made { text: String::new(), number: 0, rng: Rng::with_seed(1) };
        if let Encoding::Bytes(label) = &self.encoding {
            made.text = format!("<meta charset={label}>");
        }
        let mut once = Made { text: String::new(), number: 0, rng: Rng::with_seed(1) };
        let single = self.phases.iter().filter(|phase| phase.share == 0);
        single.for_each(|phase| once.unit(&phase.unit));
        let shares: u64 = self.phases.iter().map(|phase| u64::from(phase.share)).sum();
        let rest = bytes.saturating_sub(self.bytes_of(&made.text) + self.bytes_of(&once.text));
        for phase in &self.phases {
            let (mut done, own) = (0, rest as u64 * u64::from(phase.share) / shares.max(1));
            made.text.reserve(own as usize);
            loop {
                let before = made.text.len();
                made.unit(&phase.unit);
                done += self.bytes_of(&made.text[before..]) as u64;
                if done >= own || made.text.len() == before {
                    break;
                }
            }
        }
        let mut page = self.encoded(&made.text);
        page.truncate(bytes);
        page
    }

    fn bytes_of(&self, text: &str) -> usize {
        match self.encoding {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.chars().map(|c| 2 * c.len_utf16()).sum(),
            Encoding::Bytes(_) => {
                text.chars().map(|c| if u32::from(c) < 256 { 1 } else { c.len_utf8() }).sum()
            }
        }
    }

    fn encoded(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf16 => {
                let units = text.encode_utf16().flat_map(u16::to_le_bytes);
                [0xff, 0xfe].into_iter().chain(units).collect()
            }
            Encoding::Bytes(_) => {
                let mut bytes = Vec::new();
                for c in text.chars() {
                    match u8::try_from(u32::from(c)) {
                        Ok(byte) => bytes.push(byte),
                        Err(_) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
                bytes
            }
        }
    }

    /// Returns a random program.
    #[must_use]
    pub fn random(rng: &mut Rng) -> Self {
        let mut phases: Vec<_> = (0..rng.usize(1..=3)).map(|_| Phase::random(rng)).collect();
        phases.push(Phase { share: 1, unit: unit(rng) });
        let encoding = if rng.u8(0..4) == 0 { encoding(rng) } else { Encoding::Utf8 };
        Self { encoding, phases }
    }

    /// Changes the program in one to four places. `other` is any other program.
    pub fn mutate(&mut self, other: &Self, rng: &mut Rng) {
        for _ in 0..rng.u32(1..=4) {
            let at = rng.usize(0..self.phases.len());
            match rng.u8(0..10) {
                0 if self.phases.len() > 1 => _ = self.phases.remove(at),
                0 | 1 => self.phases.insert(at, Phase::random(rng)),
                2 => self.phases.insert(at, other.phases[rng.usize(0..other.phases.len())].clone()),
                3 => self.phases[at].share = *pick(&[0, 0, 1, 1, 4, 16], rng),
                4 if rng.u8(0..4) == 0 => self.encoding = encoding(rng),
                _ => self.phases[at].mutate(rng),
            }
        }
        self.phases.truncate(MAX_PHASES);
        if self.phases.iter().all(|phase| phase.share == 0) {
            self.phases.push(Phase { share: 1, unit: unit(rng) });
        }
    }
}

impl Phase {
    fn random(rng: &mut Rng) -> Self {
        Self { share: rng.u32(0..=1), unit: unit(rng) }
    }

    fn mutate(&mut self, rng: &mut Rng) {
        let n = self.unit.len();
        let at = rng.usize(0..n);
        match rng.u8(0..6) {
            0 if n > 1 => _ = self.unit.remove(at),
            1 if n > 1 => self.unit.swap(at, rng.usize(0..n)),
            2 => self.unit[at] = piece(rng),
            3 => match &mut self.unit[at] {
                Piece::Text(text) => self.unit[at] = Piece::Times(times(rng), text.clone()),
                Piece::Times(n, text) => {
                    *n = times(rng);
                    if rng.u8(0..3) == 0 {
                        self.unit[at] = Piece::Text(text.clone());
                    }
                }
                _ => {}
            },
            _ if n < MAX_PIECES => self.unit.insert(at, piece(rng)),
            _ => {}
        }
    }
}

fn pick<'a, T>(all: &'a [T], rng: &mut Rng) -> &'a T {
    &all[rng.usize(0..all.len())]
}

fn times(rng: &mut Rng) -> u32 {
    *pick(&[2, 5, 20, 80, 250, 500, 1_000, MAX_TIMES], rng)
}

fn encoding(rng: &mut Rng) -> Encoding {
    match rng.u8(0..3) {
        0 => Encoding::Utf8,
        1 => Encoding::Utf16,
        _ => Encoding::Bytes((*pick(dictionary::CHARSETS, rng)).to_owned()),
    }
}

fn unit(rng: &mut Rng) -> Vec<Piece> {
    (0..rng.usize(1..=3)).map(|_| piece(rng)).collect()
}

fn piece(rng: &mut Rng) -> Piece {
    match rng.u8(0..16) {
        0 => Piece::Number,
        1 => Piece::Letters,
        2 | 3 => {
            let &(first, last) = pick(dictionary::CHARACTERS, rng);
            Piece::Between(first, last)
        }
        4 => {
            let &(first, last) = pick(dictionary::CHARACTERS, rng);
            Piece::Text(rng.char(first..=last).to_string())
        }
        5 => Piece::Times(times(rng), dictionary::token(rng)),
        _ => Piece::Text(dictionary::token(rng)),
    }
}

/// A page during its generation.
struct Made {
    text: String,
    number: u32,
    rng: Rng,
}

impl Made {
    fn unit(&mut self, unit: &[Piece]) {
        self.number += 1;
        for piece in unit {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Times(n, text) => self.text.extend((0..*n).map(|_| &**text)),
                Piece::Number => self.text.push_str(&self.number.to_string()),
                Piece::Letters => {
                    let mut number = self.number.wrapping_mul(2_654_435_761);
                    while number > 0 {
                        self.text.push(char::from(b'a' + (number % 26) as u8));
                        number /= 26;
                    }
                }
                Piece::Between(first, last) => self.text.push(self.rng.char(*first..=*last)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_generate_pages_of_the_given_size() {
        let mut rng = Rng::with_seed(1);
        let mut program = Program::random(&mut rng);
        for _ in 0..300 {
            let other = Program::random(&mut rng);
            program.mutate(&other, &mut rng);
            let page = program.page(20_000);
            assert!(page.len() <= 20_000, "{program:?}");
            assert_eq!(page, program.page(20_000));
            let json = serde_json::to_string(&program).unwrap();
            assert_eq!(serde_json::from_str::<Program>(&json).unwrap(), program);
        }
    }
}
