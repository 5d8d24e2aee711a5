//! Kinds of characters, and composition of letters with their marks.
//!
//! A *letter* is an Alphabetic character other than U+02BC, an apostrophe. Combining marks that are
//! not Alphabetic belong to the letter before them, as in UAX #29 (rule WB4); otherwise a Hindi
//! word would end at its virama, and a Thai word at its tone mark. All Unicode normalization forms
//! of a text give the same words: a letter and a mark with a precomposed form are composed.
//! Optional characters are dropped: the vowel points of Hebrew and Arabic, and invisible characters
//! such as soft hyphens and joiners.
//!
//! A browser downloads the tables, so they are small: they lack most data of the crates
//! `unicode-normalization` and `unicode-segmentation`, which no rule here needs. The tests compare
//! every character with the former.
//!
//! # Quirks
//!
//! 1. Characters that are canonically equivalent to one other character are not replaced by it: CJK
//!    compatibility characters, and Greek vowels with oxia. Hebrew presentation forms are not
//!    replaced either.
//! 2. Marks are composed only with small letters, because words are in lower case.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The role of a character in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A letter of a script with spaces.
    Letter = 1,
    /// A letter of a script without spaces between words.
    Unspaced,
    /// A mark, which belongs to the letter before it.
    Mark,
    /// Neither ends a word nor belongs to it.
    Ignored,
    /// Ends a word.
    Other,
}

/// All kinds, in order.
const KINDS: [Kind; 5] = [Kind::Letter, Kind::Unspaced, Kind::Mark, Kind::Ignored, Kind::Other];

#[inline]
pub(super) fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return if c.is_ascii_alphabetic() { Kind::Letter } else { Kind::Other };
    }
    let Some(known) = KNOWN.get(c as usize) else { return kind_beyond_ascii(c) };
    match known.load(Relaxed) {
        0 => {
            let kind = kind_beyond_ascii(c);
            known.store(kind as u8, Relaxed);
            kind
        }
        known => KINDS[usize::from(known) - 1],
    }
}

/// Cached kinds of characters of the Basic Multilingual Plane; 0 if not yet computed. Computing a
/// kind takes as long as reading twenty letters, and a page may consist of such characters only.
static KNOWN: [AtomicU8; 1 << 16] = [const { AtomicU8::new(0) }; 1 << 16];

fn kind_beyond_ascii(c: char) -> Kind {
    match c {
        '\u{4e00}'..='\u{9fff}' => return Kind::Unspaced,
        // The apostrophe of Ukrainian, which most people type as another one.
        '\u{2bc}' => return Kind::Other,
        // Most of Latin and of Cyrillic.
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2c1}' => return Kind::Letter,
        '\u{400}'..='\u{481}' => return Kind::Letter,
        _ if is_in(IGNORED, c) => return Kind::Ignored,
        _ => {}
    }
    if is_in(UNSPACED, c) {
        if is_in(MARKS, c) || is_in(UNSPACED_VOWELS, c) {
            return Kind::Mark;
        }
        return if c.is_alphabetic() { Kind::Unspaced } else { Kind::Other };
    }
    if c.is_alphabetic() {
        Kind::Letter
    } else if is_in(MARKS, c) {
        Kind::Mark
    } else {
        Kind::Other
    }
}

/// Returns whether a character is a digit or another number but not a letter: `7`, `७`, `½`, `²`.
pub(super) fn is_digit(c: char) -> bool {
    c.is_numeric() && !c.is_alphabetic()
}

/// Returns whether the character belongs to a word of a script with spaces. An identifier adjacent
/// to it is part of that word.
pub(super) fn is_in_spaced_word(c: char) -> bool {
    matches!(kind(c), Kind::Letter | Kind::Mark) && !is_in(UNSPACED, c)
}

/// Returns whether the following letter belongs to the same character of a script without spaces:
/// after a vowel that Thai and Lao write before the letter, and after the signs of Khmer and
/// Myanmar that put the next letter below.
pub(super) fn joins_next(c: char) -> bool {
    matches!(c, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}' | '\u{1039}' | '\u{17d2}')
}

type Ranges = &'static [(char, char)];

fn is_in(ranges: Ranges, c: char) -> bool {
    let at = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(at).is_some_and(|&(first, _)| first <= c)
}

/// Points and lengthening of Hebrew and Arabic, and invisible characters
/// (Default_Ignorable_Code_Point except the zero-width space, which separates words).
#[rustfmt::skip]
const IGNORED: Ranges = &[
    ('\u{ad}', '\u{ad}'), ('\u{34f}', '\u{34f}'), ('\u{591}', '\u{5bd}'), ('\u{5bf}', '\u{5bf}'),
    ('\u{5c1}', '\u{5c2}'), ('\u{5c4}', '\u{5c5}'), ('\u{5c7}', '\u{5c7}'), ('\u{610}', '\u{61a}'),
    ('\u{61c}', '\u{61c}'), ('\u{640}', '\u{640}'), ('\u{64b}', '\u{65f}'), ('\u{670}', '\u{670}'),
    ('\u{6d6}', '\u{6dc}'), ('\u{6df}', '\u{6e4}'), ('\u{6e7}', '\u{6e8}'), ('\u{6ea}', '\u{6ed}'),
    ('\u{8ca}', '\u{8e1}'), ('\u{8e3}', '\u{8ff}'), ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'), ('\u{200c}', '\u{200f}'), ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'), ('\u{fe00}', '\u{fe0f}'), ('\u{feff}', '\u{feff}'),
    ('\u{1d173}', '\u{1d17a}'), ('\u{e0000}', '\u{e0fff}'),
];

/// Blocks of scripts without spaces between words, and of Hangul, whose words carry particles that
/// no stemmer removes. Their other characters are not letters.
const UNSPACED: Ranges = &[
    ('\u{e00}', '\u{eff}'),     // Thai, Lao
    ('\u{1000}', '\u{109f}'),   // Myanmar
    ('\u{1100}', '\u{11ff}'),   // Hangul, in parts of syllables
    ('\u{1780}', '\u{17ff}'),   // Khmer
    ('\u{1950}', '\u{19df}'),   // Tai Le, New Tai Lue
    ('\u{1a20}', '\u{1aaf}'),   // Tai Tham
    ('\u{3005}', '\u{3007}'),   // Han
    ('\u{3031}', '\u{3035}'),   // Kana
    ('\u{303b}', '\u{303c}'),   // Han
    ('\u{3040}', '\u{312f}'),   // Hiragana, Katakana, Bopomofo
    ('\u{3130}', '\u{318f}'),   // Hangul, single letters
    ('\u{31a0}', '\u{31bf}'),   // Bopomofo
    ('\u{31f0}', '\u{31ff}'),   // Katakana
    ('\u{3400}', '\u{4dbf}'),   // Han
    ('\u{4e00}', '\u{9fff}'),   // Han
    ('\u{a960}', '\u{a97f}'),   // Hangul, in parts of syllables
    ('\u{a9e0}', '\u{a9ff}'),   // Myanmar
    ('\u{aa60}', '\u{aadf}'),   // Myanmar, Tai Viet
    ('\u{ac00}', '\u{d7ff}'),   // Hangul
    ('\u{f900}', '\u{faff}'),   // Han
    ('\u{ff66}', '\u{ffdf}'),   // Katakana and Hangul of half width
    ('\u{20000}', '\u{3ffff}'), // Han
];

/// Alphabetic marks of these scripts, vowels that Thai and Lao write after the letter, and the
/// vowels and finals of a Hangul syllable. A character of these scripts is a letter with its marks
/// and vowels.
#[rustfmt::skip]
const UNSPACED_VOWELS: Ranges = &[
    ('\u{e30}', '\u{e3a}'), ('\u{e45}', '\u{e45}'), ('\u{e4d}', '\u{e4d}'), ('\u{eb0}', '\u{ebc}'),
    ('\u{ecd}', '\u{ecd}'), ('\u{102b}', '\u{103e}'), ('\u{1056}', '\u{1059}'),
    ('\u{105e}', '\u{1060}'), ('\u{1062}', '\u{1064}'), ('\u{1067}', '\u{106d}'),
    ('\u{1071}', '\u{1074}'), ('\u{1082}', '\u{108d}'), ('\u{108f}', '\u{108f}'),
    ('\u{109a}', '\u{109d}'), ('\u{1160}', '\u{11ff}'), ('\u{17b6}', '\u{17c8}'), ('\u{1a55}', '\u{1a74}'),
    ('\u{a9e5}', '\u{a9e5}'), ('\u{aa7b}', '\u{aa7d}'), ('\u{aab0}', '\u{aab0}'),
    ('\u{aab2}', '\u{aab4}'), ('\u{aab7}', '\u{aab8}'), ('\u{aabe}', '\u{aabe}'),
    ('\u{d7b0}', '\u{d7ff}'),
];

/// Marks (General_Category M) that are not Alphabetic. A range may also contain characters that are
/// Alphabetic or unassigned.
#[rustfmt::skip]
const MARKS: Ranges = &[
    ('\u{300}', '\u{362}'), ('\u{483}', '\u{489}'), ('\u{5c8}', '\u{5c9}'), ('\u{740}', '\u{74a}'),
    ('\u{7eb}', '\u{7f3}'), ('\u{7fd}', '\u{7fd}'), ('\u{818}', '\u{82d}'), ('\u{859}', '\u{85b}'),
    ('\u{898}', '\u{89f}'), ('\u{93c}', '\u{954}'), ('\u{9bc}', '\u{9cd}'), ('\u{9fe}', '\u{a4d}'),
    ('\u{abc}', '\u{acd}'), ('\u{afd}', '\u{b55}'), ('\u{bcd}', '\u{bcd}'), ('\u{c3c}', '\u{c4d}'),
    ('\u{cbc}', '\u{ccd}'), ('\u{d3b}', '\u{d4d}'), ('\u{dca}', '\u{dca}'), ('\u{e47}', '\u{e4e}'),
    ('\u{eba}', '\u{eba}'), ('\u{ec8}', '\u{ece}'), ('\u{f18}', '\u{f19}'), ('\u{f35}', '\u{f35}'),
    ('\u{f37}', '\u{f37}'), ('\u{f39}', '\u{f39}'), ('\u{f3e}', '\u{f84}'), ('\u{f86}', '\u{f87}'),
    ('\u{fc6}', '\u{fc6}'), ('\u{1037}', '\u{103a}'), ('\u{135d}', '\u{135f}'),
    ('\u{1714}', '\u{1734}'), ('\u{17c9}', '\u{17d3}'), ('\u{17dd}', '\u{17dd}'),
    ('\u{1939}', '\u{193b}'), ('\u{1a60}', '\u{1a7f}'), ('\u{1ab0}', '\u{1b44}'),
    ('\u{1b6b}', '\u{1b73}'), ('\u{1baa}', '\u{1bab}'), ('\u{1be6}', '\u{1bf3}'),
    ('\u{1c37}', '\u{1c37}'), ('\u{1cd0}', '\u{1cd2}'), ('\u{1cd4}', '\u{1dff}'),
    ('\u{20d0}', '\u{20f0}'), ('\u{2cef}', '\u{2cf1}'), ('\u{2d7f}', '\u{2d7f}'),
    ('\u{302a}', '\u{302f}'), ('\u{3099}', '\u{309a}'), ('\u{a66f}', '\u{a672}'),
    ('\u{a67c}', '\u{a67d}'), ('\u{a6f0}', '\u{a6f1}'), ('\u{a806}', '\u{a806}'),
    ('\u{a82c}', '\u{a82c}'), ('\u{a8c4}', '\u{a8c4}'), ('\u{a8e0}', '\u{a8f1}'),
    ('\u{a92b}', '\u{a92d}'), ('\u{a953}', '\u{a953}'), ('\u{a9b3}', '\u{a9c0}'),
    ('\u{aabf}', '\u{aabf}'), ('\u{aac1}', '\u{aac1}'), ('\u{aaf6}', '\u{aaf6}'),
    ('\u{abec}', '\u{abed}'), ('\u{fe20}', '\u{fe2f}'), ('\u{101fd}', '\u{102e0}'),
    ('\u{10a38}', '\u{10a3f}'), ('\u{10ae5}', '\u{10ae6}'), ('\u{10d6a}', '\u{10d6d}'),
    ('\u{10ecb}', '\u{10ecf}'), ('\u{10ef0}', '\u{10eff}'), ('\u{10f46}', '\u{10f50}'),
    ('\u{10f82}', '\u{10f85}'), ('\u{11046}', '\u{11046}'), ('\u{11070}', '\u{110ba}'),
    ('\u{11133}', '\u{11134}'), ('\u{11173}', '\u{11173}'), ('\u{111c0}', '\u{111c0}'),
    ('\u{111c9}', '\u{111cc}'), ('\u{11235}', '\u{11236}'), ('\u{112e9}', '\u{112ea}'),
    ('\u{1133b}', '\u{113d2}'), ('\u{113e1}', '\u{11446}'), ('\u{1145e}', '\u{114c3}'),
    ('\u{115bf}', '\u{115c0}'), ('\u{1163f}', '\u{1163f}'), ('\u{116b6}', '\u{116b7}'),
    ('\u{1172b}', '\u{1172b}'), ('\u{11839}', '\u{1183a}'), ('\u{1193d}', '\u{11943}'),
    ('\u{119e0}', '\u{119e0}'), ('\u{11a33}', '\u{11a34}'), ('\u{11a47}', '\u{11a99}'),
    ('\u{11c3f}', '\u{11c3f}'), ('\u{11d42}', '\u{11d45}'), ('\u{11d97}', '\u{11d97}'),
    ('\u{11df0}', '\u{11df0}'), ('\u{11f41}', '\u{11f42}'), ('\u{11f5a}', '\u{11f5a}'),
    ('\u{13440}', '\u{13455}'), ('\u{1612f}', '\u{1612f}'), ('\u{16af0}', '\u{16af4}'),
    ('\u{16b30}', '\u{16b36}'), ('\u{16fe4}', '\u{16fe4}'), ('\u{1bc9d}', '\u{1bc9d}'),
    ('\u{1cf00}', '\u{1cf46}'), ('\u{1d127}', '\u{1d128}'), ('\u{1d165}', '\u{1d169}'),
    ('\u{1d16d}', '\u{1d182}'), ('\u{1d185}', '\u{1d18b}'), ('\u{1d1aa}', '\u{1d1ad}'),
    ('\u{1d242}', '\u{1d244}'), ('\u{1d250}', '\u{1d252}'), ('\u{1d25b}', '\u{1d25c}'),
    ('\u{1d25f}', '\u{1d25f}'), ('\u{1d280}', '\u{1d281}'), ('\u{1da00}', '\u{1da36}'),
    ('\u{1da3b}', '\u{1da6c}'), ('\u{1da75}', '\u{1da75}'), ('\u{1da84}', '\u{1da84}'),
    ('\u{1da9b}', '\u{1daaf}'), ('\u{1e130}', '\u{1e136}'), ('\u{1e2ae}', '\u{1e2ef}'),
    ('\u{1e4ec}', '\u{1e4ef}'), ('\u{1e5ee}', '\u{1e5ef}'), ('\u{1e8d0}', '\u{1e94a}'),
];

/// Returns the usual form of a Latin letter of full width or of a Katakana of half width, which
/// differ only in how wide they are drawn, and other characters unchanged.
#[inline]
pub(super) fn of_usual_width(c: char) -> char {
    if c < '\u{ff21}' {
        return c;
    }
    match c {
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => (c as u32 - 0xfee0) as u8 as char,
        '\u{ff66}'..='\u{ff9f}' => KATAKANA.chars().nth((c as u32 - 0xff66) as usize).unwrap_or(c),
        _ => c,
    }
}

/// The Katakana of half width from U+FF66 on, in usual width; the last two are marks.
const KATAKANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}";

/// Returns the letter of a precomposed letter and mark, or `None` for other characters.
pub(super) fn without_mark(whole: char) -> Option<char> {
    for (_, pairs) in COMPOSITIONS {
        let mut pairs = pairs.chars();
        while let (Some(letter), Some(one)) = (pairs.next(), pairs.next()) {
            if one == whole {
                return Some(letter);
            }
        }
    }
    None
}

/// Returns the precomposed form of a letter and the mark after it, if there is one. Both are in
/// lower case.
pub(super) fn composed(letter: char, mark: char) -> Option<char> {
    if let Some(syllable) = hangul(letter, mark) {
        return Some(syllable);
    }
    let at = COMPOSITIONS.binary_search_by_key(&mark, |&(mark, _)| mark).ok()?;
    let mut pairs = COMPOSITIONS[at].1.chars();
    while let (Some(one), Some(whole)) = (pairs.next(), pairs.next()) {
        if one == letter {
            return Some(whole);
        }
    }
    None
}

/// Returns whether [`composed`] may compose the character with one before it.
pub(super) fn may_compose(mark: char) -> bool {
    matches!(mark,
        '\u{300}'..='\u{345}' | '\u{653}'..='\u{655}' | '\u{93c}'..='\u{102e}'
        | '\u{1161}'..='\u{11c2}' | '\u{1b35}' | '\u{3099}'..='\u{309a}')
}

/// Composes a Hangul syllable from its first two parts, or from these and the third, arithmetically
/// (Unicode Standard, chapter 3.12).
fn hangul(before: char, part: char) -> Option<char> {
    let (before, part) = (u32::from(before), u32::from(part));
    let syllable = match part {
        0x1161..=0x1175 => {
            let first = before.checked_sub(0x1100).filter(|first| *first < 19)?;
            0xac00 + (first * 21 + part - 0x1161) * 28
        }
        0x11a8..=0x11c2 => {
            let open = before.checked_sub(0xac00).filter(|at| *at < 11_172 && at % 28 == 0)?;
            0xac00 + open + part - 0x11a7
        }
        _ => return None,
    };
    char::from_u32(syllable)
}

/// Marks, each with pairs of a letter without and with it: the canonical decompositions of Unicode,
/// including those that normalization does not compose (`Composition_Exclusion`).
#[rustfmt::skip]
const COMPOSITIONS: &[(char, &str)] = &[
    ('\u{300}', "aàeèiìoòuùüǜnǹеѐиѝēḕōṑwẁâầăằêềôồơờưừyỳἀἂἁἃἐἒἑἓἠἢἡἣἰἲἱἳὀὂὁὃὐὒὑὓὠὢὡὣαὰεὲηὴιὶοὸυὺωὼϊῒϋῢ"),
    ('\u{301}', "aáeéiíoóuúyýcćlĺnńrŕsśzźüǘgǵåǻæǽøǿϊΐαάεέηήιίϋΰοόυύωώϒϓгѓкќçḉēḗïḯkḱmḿõṍōṓpṕũṹwẃâấăắêếôốơớưứἀἄἁἅἐἔἑἕἠἤἡἥἰἴἱἵὀὄὁὅὐὔὑὕὠὤὡὥ"),
    ('\u{302}', "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷzẑạậẹệọộ"),
    ('\u{303}', "aãnñoõiĩuũvṽâẫăẵeẽêễôỗơỡưữyỹ"),
    ('\u{304}', "aāeēiīoōuūüǖäǟȧǡæǣǫǭöȫõȭȯȱyȳиӣуӯgḡḷḹṛṝαᾱιῑυῡ"),
    ('\u{306}', "aăeĕgğiĭoŏuŭийуўжӂаӑеӗȩḝạặαᾰιῐυῠ"),
    ('\u{307}', "cċeėgġzżaȧoȯbḃdḋfḟhḣmṁnṅpṗrṙsṡśṥšṧṣṩtṫwẇxẋyẏſẛ"),
    ('\u{308}', "aäeëiïoöuüyÿιϊυϋϒϔеёіїаӓәӛжӝзӟиӥоӧөӫэӭуӱчӵыӹhḧõṏūṻwẅxẍtẗ"),
    ('\u{309}', "aảâẩăẳeẻêểiỉoỏôổơởuủưửyỷ"),
    ('\u{30a}', "aåuůwẘyẙ"),
    ('\u{30b}', "oőuűуӳ"),
    ('\u{30c}', "cčdďeělľnňrřsštťzžaǎiǐoǒuǔüǚgǧkǩʒǯjǰhȟ"),
    ('\u{30f}', "aȁeȅiȉoȍrȑuȕѵѷ"),
    ('\u{311}', "aȃeȇiȋoȏrȓuȗ"),
    ('\u{313}', "αἀεἐηἠιἰοὀυὐωὠρῤ"),
    ('\u{314}', "αἁεἑηἡιἱοὁυὑωὡρῥ"),
    ('\u{31b}', "oơuư"),
    ('\u{323}', "bḅdḍhḥkḳlḷmṃnṇrṛsṣtṭvṿwẉzẓaạeẹiịoọơợuụưựyỵ"),
    ('\u{324}', "uṳ"),
    ('\u{325}', "aḁ"),
    ('\u{326}', "sștț"),
    ('\u{327}', "cçgģkķlļnņrŗsştţeȩdḑhḩ"),
    ('\u{328}', "aąeęiįuųoǫ"),
    ('\u{32d}', "dḓeḙlḽnṋtṱuṷ"),
    ('\u{32e}', "hḫ"),
    ('\u{330}', "eḛiḭuṵ"),
    ('\u{331}', "bḇdḏkḵlḻnṉrṟtṯzẕhẖ"),
    ('\u{342}', "ἀἆἁἇἠἦἡἧἰἶἱἷὐὖὑὗὠὦὡὧαᾶηῆιῖϊῗυῦϋῧωῶ"),
    ('\u{345}', "ἀᾀἁᾁἂᾂἃᾃἄᾄἅᾅἆᾆἇᾇἠᾐἡᾑἢᾒἣᾓἤᾔἥᾕἦᾖἧᾗὠᾠὡᾡὢᾢὣᾣὤᾤὥᾥὦᾦὧᾧὰᾲαᾳάᾴᾶᾷὴῂηῃήῄῆῇὼῲωῳώῴῶῷ"),
    ('\u{653}', "\u{627}\u{622}"),
    ('\u{654}', "\u{627}\u{623}\u{648}\u{624}\u{64a}\u{626}\u{6d5}\u{6c0}\u{6c1}\u{6c2}\u{6d2}\u{6d3}"),
    ('\u{655}', "\u{627}\u{625}"),
    ('\u{93c}', "नऩरऱळऴकक़खख़गग़जज़डड़ढढ़फफ़यय़"),
    ('\u{9bc}', "ডড়ঢঢ়যয়"),
    ('\u{9be}', "\u{9c7}\u{9cb}"),
    ('\u{9d7}', "\u{9c7}\u{9cc}"),
    ('\u{a3c}', "ਲਲ਼ਸਸ਼ਖਖ਼ਗਗ਼ਜਜ਼ਫਫ਼"),
    ('\u{b3c}', "ଡଡ଼ଢଢ଼"),
    ('\u{b3e}', "\u{b47}\u{b4b}"),
    ('\u{b56}', "\u{b47}\u{b48}"),
    ('\u{b57}', "\u{b47}\u{b4c}"),
    ('\u{bbe}', "\u{bc6}\u{bca}\u{bc7}\u{bcb}"),
    ('\u{bd7}', "ஒஔ\u{bc6}\u{bcc}"),
    ('\u{c56}', "\u{c46}\u{c48}"),
    ('\u{cc2}', "\u{cc6}\u{cca}"),
    ('\u{cd5}', "\u{cbf}\u{cc0}\u{cc6}\u{cc7}\u{cca}\u{ccb}"),
    ('\u{cd6}', "\u{cc6}\u{cc8}"),
    ('\u{d3e}', "\u{d46}\u{d4a}\u{d47}\u{d4b}"),
    ('\u{d57}', "\u{d46}\u{d4c}"),
    ('\u{dca}', "\u{dd9}\u{dda}\u{ddc}\u{ddd}"),
    ('\u{dcf}', "\u{dd9}\u{ddc}"),
    ('\u{ddf}', "\u{dd9}\u{dde}"),
    ('\u{f72}', "\u{f71}\u{f73}"),
    ('\u{f74}', "\u{f71}\u{f75}"),
    ('\u{f80}', "\u{fb2}\u{f76}\u{fb3}\u{f78}\u{f71}\u{f81}"),
    ('\u{fb5}', "ཀཀྵ\u{f90}\u{fb9}"),
    ('\u{fb7}', "གགྷཌཌྷདདྷབབྷཛཛྷ\u{f92}\u{f93}\u{f9c}\u{f9d}\u{fa1}\u{fa2}\u{fa6}\u{fa7}\u{fab}\u{fac}"),
    ('\u{102e}', "ဥဦ"),
    ('\u{1b35}', "ᬅᬆᬇᬈᬉᬊᬋᬌᬍᬎᬑᬒ\u{1b3a}\u{1b3b}\u{1b3c}\u{1b3d}\u{1b3e}\u{1b40}\u{1b3f}\u{1b41}\u{1b42}\u{1b43}"),
    ('\u{3099}', "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺヽヾ"),
    ('\u{309a}', "はぱひぴふぷへぺほぽハパヒピフプヘペホポ"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::char::{decompose_canonical, decompose_compatible};
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    fn assigned() -> impl Iterator<Item = char> {
        let all = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        all.filter(|c| c.general_category() != GeneralCategory::Unassigned)
    }

    fn is_mark(c: char) -> bool {
        use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
        matches!(c.general_category(), NonspacingMark | SpacingMark | EnclosingMark)
    }

    #[test]
    fn every_character_has_the_kind_of_its_properties() {
        for c in assigned().filter(|&c| !is_in(IGNORED, c) && c != '\u{2bc}') {
            let is_vowel = is_in(UNSPACED_VOWELS, c);
            assert!(!is_vowel || (c.is_alphabetic() && is_in(UNSPACED, c)) || is_mark(c), "{c:?}");
            let is_mark = is_mark(c) || is_vowel;
            let expected = match (c.is_alphabetic(), is_mark, is_in(UNSPACED, c)) {
                (true, false, true) => Kind::Unspaced,
                (_, true, true) | (false, true, false) => Kind::Mark,
                (true, _, false) => Kind::Letter,
                (false, false, _) => Kind::Other,
            };
            // The second result comes from the cache.
            for _ in 0..2 {
                assert_eq!(kind(c), expected, "{c:?} U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn ignored_characters_are_marks_or_invisible() {
        for c in assigned().filter(|&c| is_in(IGNORED, c)) {
            let is_format = c.general_category() == GeneralCategory::Format;
            assert!(is_format || is_mark(c) || c == '\u{640}', "{c:?} U+{:04X}", u32::from(c));
            assert_eq!(kind(c), Kind::Ignored);
        }
    }

    #[test]
    fn composition_inverts_unicode_decomposition() {
        let mut pairs = 0;
        for (mark, letters) in COMPOSITIONS {
            let letters: Vec<char> = letters.chars().collect();
            for pair in letters.chunks(2) {
                let (mut whole, mut parts) = (Vec::new(), Vec::new());
                decompose_canonical(pair[1], |c| whole.push(c));
                decompose_canonical(pair[0], |c| parts.push(c));
                decompose_canonical(*mark, |c| parts.push(c));
                assert_eq!(whole, parts, "{:?}", pair[1]);
                assert!(may_compose(*mark), "{mark:?}");
                pairs += 1;
            }
        }
        assert!(pairs > 500, "{pairs}");
        assert!(COMPOSITIONS.is_sorted_by_key(|(mark, _)| mark));
        for syllable in '\u{ac00}'..='\u{d7a3}' {
            let mut parts = Vec::new();
            decompose_canonical(syllable, |c| parts.push(c));
            assert!(parts[1..].iter().all(|&c| may_compose(c)));
            let whole = parts.into_iter().reduce(|all, c| composed(all, c).expect("a syllable"));
            assert_eq!(whole, Some(syllable));
        }
    }

    #[test]
    fn widths_are_those_of_the_compatibility_decomposition() {
        for c in
            ('\u{ff21}'..='\u{ff3a}').chain('\u{ff41}'..='\u{ff5a}').chain('\u{ff66}'..='\u{ff9f}')
        {
            let mut usual = Vec::new();
            decompose_compatible(c, |c| usual.push(c));
            assert_eq!(usual, [of_usual_width(c)], "{c:?}");
        }
    }

    #[test]
    fn ranges_ascend() {
        for ranges in [IGNORED, UNSPACED, UNSPACED_VOWELS, MARKS] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|two| two[0].1 < two[1].0));
        }
    }
}
