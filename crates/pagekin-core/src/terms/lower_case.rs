//! Letters in lower case.
//!
//! As `char::to_lowercase`, in a sixth of the bytes: a browser fetches the table, and capital
//! letters mostly stand in rows, each as far from its small one. The tests compare the two for
//! every character.

/// The small letter of a letter, or the character itself if there is none; and the mark behind it,
/// which one letter has.
pub(super) fn lower(c: char) -> (char, Option<char>) {
    if c.is_ascii() {
        return (c.to_ascii_lowercase(), None);
    }
    if c == '\u{130}' {
        return ('i', Some('\u{307}'));
    }
    let at = CAPITALS.partition_point(|&(first, ..)| first <= c);
    let row = at.checked_sub(1).and_then(|at| CAPITALS.get(at));
    let small = row.and_then(|&(first, length, step, distance)| {
        let place = u32::from(c) - u32::from(first);
        if place > length.into() || !place.is_multiple_of(step.into()) {
            return None;
        }
        let low = (u32::from(c) as u16).wrapping_add_signed(distance);
        char::from_u32(u32::from(c) & !0xffff | u32::from(low))
    });
    (small.unwrap_or(c), None)
}

/// The characters of a text in lower case, each by itself: a sigma at the end of a word is one as
/// any other.
pub fn lower_case(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().map(lower).flat_map(|(small, mark)| [Some(small), mark]).flatten()
}

/// Rows of capitals: the first, how far behind it the last is, the step from one to the next, and
/// how far behind them the small ones are, in the lower 16 bits.
#[rustfmt::skip]
const CAPITALS: &[(char, u8, u8, i16)] = &[
    ('\u{c0}', 22, 1, 32), ('\u{d8}', 6, 1, 32), ('\u{100}', 46, 2, 1), ('\u{132}', 4, 2, 1),
    ('\u{139}', 14, 2, 1), ('\u{14a}', 44, 2, 1), ('\u{178}', 0, 1, -121), ('\u{179}', 4, 2, 1),
    ('\u{181}', 0, 1, 210), ('\u{182}', 2, 2, 1), ('\u{186}', 0, 1, 206), ('\u{187}', 0, 1, 1),
    ('\u{189}', 1, 1, 205), ('\u{18b}', 0, 1, 1), ('\u{18e}', 0, 1, 79), ('\u{18f}', 0, 1, 202),
    ('\u{190}', 0, 1, 203), ('\u{191}', 0, 1, 1), ('\u{193}', 0, 1, 205), ('\u{194}', 0, 1, 207),
    ('\u{196}', 0, 1, 211), ('\u{197}', 0, 1, 209), ('\u{198}', 0, 1, 1), ('\u{19c}', 0, 1, 211),
    ('\u{19d}', 0, 1, 213), ('\u{19f}', 0, 1, 214), ('\u{1a0}', 4, 2, 1), ('\u{1a6}', 0, 1, 218),
    ('\u{1a7}', 0, 1, 1), ('\u{1a9}', 0, 1, 218), ('\u{1ac}', 0, 1, 1), ('\u{1ae}', 0, 1, 218),
    ('\u{1af}', 0, 1, 1), ('\u{1b1}', 1, 1, 217), ('\u{1b3}', 2, 2, 1), ('\u{1b7}', 0, 1, 219),
    ('\u{1b8}', 0, 1, 1), ('\u{1bc}', 0, 1, 1), ('\u{1c4}', 0, 1, 2), ('\u{1c5}', 0, 1, 1),
    ('\u{1c7}', 0, 1, 2), ('\u{1c8}', 0, 1, 1), ('\u{1ca}', 0, 1, 2), ('\u{1cb}', 16, 2, 1),
    ('\u{1de}', 16, 2, 1), ('\u{1f1}', 0, 1, 2), ('\u{1f2}', 2, 2, 1), ('\u{1f6}', 0, 1, -97),
    ('\u{1f7}', 0, 1, -56), ('\u{1f8}', 38, 2, 1), ('\u{220}', 0, 1, -130), ('\u{222}', 16, 2, 1),
    ('\u{23a}', 0, 1, 10795), ('\u{23b}', 0, 1, 1), ('\u{23d}', 0, 1, -163),
    ('\u{23e}', 0, 1, 10792), ('\u{241}', 0, 1, 1), ('\u{243}', 0, 1, -195), ('\u{244}', 0, 1, 69),
    ('\u{245}', 0, 1, 71), ('\u{246}', 8, 2, 1), ('\u{370}', 2, 2, 1), ('\u{376}', 0, 1, 1),
    ('\u{37f}', 0, 1, 116), ('\u{386}', 0, 1, 38), ('\u{388}', 2, 1, 37), ('\u{38c}', 0, 1, 64),
    ('\u{38e}', 1, 1, 63), ('\u{391}', 16, 1, 32), ('\u{3a3}', 8, 1, 32), ('\u{3cf}', 0, 1, 8),
    ('\u{3d8}', 22, 2, 1), ('\u{3f4}', 0, 1, -60), ('\u{3f7}', 0, 1, 1), ('\u{3f9}', 0, 1, -7),
    ('\u{3fa}', 0, 1, 1), ('\u{3fd}', 2, 1, -130), ('\u{400}', 15, 1, 80), ('\u{410}', 31, 1, 32),
    ('\u{460}', 32, 2, 1), ('\u{48a}', 52, 2, 1), ('\u{4c0}', 0, 1, 15), ('\u{4c1}', 12, 2, 1),
    ('\u{4d0}', 94, 2, 1), ('\u{531}', 37, 1, 48), ('\u{10a0}', 37, 1, 7264),
    ('\u{10c7}', 0, 1, 7264), ('\u{10cd}', 0, 1, 7264), ('\u{13a0}', 79, 1, -26672),
    ('\u{13f0}', 5, 1, 8), ('\u{1c89}', 0, 1, 1), ('\u{1c90}', 42, 1, -3008),
    ('\u{1cbd}', 2, 1, -3008), ('\u{1e00}', 148, 2, 1), ('\u{1e9e}', 0, 1, -7615),
    ('\u{1ea0}', 94, 2, 1), ('\u{1f08}', 7, 1, -8), ('\u{1f18}', 5, 1, -8), ('\u{1f28}', 7, 1, -8),
    ('\u{1f38}', 7, 1, -8), ('\u{1f48}', 5, 1, -8), ('\u{1f59}', 6, 2, -8), ('\u{1f68}', 7, 1, -8),
    ('\u{1f88}', 7, 1, -8), ('\u{1f98}', 7, 1, -8), ('\u{1fa8}', 7, 1, -8), ('\u{1fb8}', 1, 1, -8),
    ('\u{1fba}', 1, 1, -74), ('\u{1fbc}', 0, 1, -9), ('\u{1fc8}', 3, 1, -86),
    ('\u{1fcc}', 0, 1, -9), ('\u{1fd8}', 1, 1, -8), ('\u{1fda}', 1, 1, -100),
    ('\u{1fe8}', 1, 1, -8), ('\u{1fea}', 1, 1, -112), ('\u{1fec}', 0, 1, -7),
    ('\u{1ff8}', 1, 1, -128), ('\u{1ffa}', 1, 1, -126), ('\u{1ffc}', 0, 1, -9),
    ('\u{2126}', 0, 1, -7517), ('\u{212a}', 0, 1, -8383), ('\u{212b}', 0, 1, -8262),
    ('\u{2132}', 0, 1, 28), ('\u{2160}', 15, 1, 16), ('\u{2183}', 0, 1, 1), ('\u{24b6}', 25, 1, 26),
    ('\u{2c00}', 47, 1, 48), ('\u{2c60}', 0, 1, 1), ('\u{2c62}', 0, 1, -10743),
    ('\u{2c63}', 0, 1, -3814), ('\u{2c64}', 0, 1, -10727), ('\u{2c67}', 4, 2, 1),
    ('\u{2c6d}', 0, 1, -10780), ('\u{2c6e}', 0, 1, -10749), ('\u{2c6f}', 0, 1, -10783),
    ('\u{2c70}', 0, 1, -10782), ('\u{2c72}', 0, 1, 1), ('\u{2c75}', 0, 1, 1),
    ('\u{2c7e}', 1, 1, -10815), ('\u{2c80}', 98, 2, 1), ('\u{2ceb}', 2, 2, 1),
    ('\u{2cf2}', 0, 1, 1), ('\u{a640}', 44, 2, 1), ('\u{a680}', 26, 2, 1), ('\u{a722}', 12, 2, 1),
    ('\u{a732}', 60, 2, 1), ('\u{a779}', 2, 2, 1), ('\u{a77d}', 0, 1, 30204), ('\u{a77e}', 8, 2, 1),
    ('\u{a78b}', 0, 1, 1), ('\u{a78d}', 0, 1, 23256), ('\u{a790}', 2, 2, 1), ('\u{a796}', 18, 2, 1),
    ('\u{a7aa}', 0, 1, 23228), ('\u{a7ab}', 0, 1, 23217), ('\u{a7ac}', 0, 1, 23221),
    ('\u{a7ad}', 0, 1, 23231), ('\u{a7ae}', 0, 1, 23228), ('\u{a7b0}', 0, 1, 23278),
    ('\u{a7b1}', 0, 1, 23254), ('\u{a7b2}', 0, 1, 23275), ('\u{a7b3}', 0, 1, 928),
    ('\u{a7b4}', 14, 2, 1), ('\u{a7c4}', 0, 1, -48), ('\u{a7c5}', 0, 1, 23229),
    ('\u{a7c6}', 0, 1, 30152), ('\u{a7c7}', 2, 2, 1), ('\u{a7cb}', 0, 1, 23193),
    ('\u{a7cc}', 14, 2, 1), ('\u{a7dc}', 0, 1, 22975), ('\u{a7f5}', 0, 1, 1),
    ('\u{ff21}', 25, 1, 32), ('\u{10400}', 39, 1, 40), ('\u{104b0}', 35, 1, 40),
    ('\u{10570}', 10, 1, 39), ('\u{1057c}', 14, 1, 39), ('\u{1058c}', 6, 1, 39),
    ('\u{10594}', 1, 1, 39), ('\u{10c80}', 50, 1, 64), ('\u{10d50}', 21, 1, 32),
    ('\u{118a0}', 31, 1, 32), ('\u{16e40}', 31, 1, 32), ('\u{16ea0}', 24, 1, 27),
    ('\u{1e900}', 33, 1, 34),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_as_the_standard_library_has_it() {
        for c in '\0'..=char::MAX {
            let (small, mark) = lower(c);
            let ours: Vec<char> = [small].into_iter().chain(mark).collect();
            assert_eq!(ours, c.to_lowercase().collect::<Vec<_>>(), "{c:?} U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn rows_ascend() {
        let last =
            |&(first, length, ..): &(char, u8, u8, i16)| u32::from(first) + u32::from(length);
        assert!(CAPITALS.windows(2).all(|two| last(&two[0]) < u32::from(two[1].0)));
    }
}
