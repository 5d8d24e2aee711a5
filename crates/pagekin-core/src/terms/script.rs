//! Scripts of texts and languages.

use super::language::Language;
use super::words::Words;
use crate::sort;

/// A script that a language of [`LANGUAGES`] is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Thaana,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Tibetan,
    Myanmar,
    Georgian,
    Ethiopic,
    Khmer,
    Mongolian,
    Hangul,
    /// Hiragana and Katakana.
    Kana,
    Han,
    /// Any other.
    Other,
}

const SCRIPTS: usize = Script::Other as usize + 1;

/// The start of each script's blocks. Characters between the letters of a script and the next
/// script are not alphabetic, or are [`Script::Other`].
const BLOCKS: &[(char, Script)] = &[
    ('\0', Script::Latin),
    ('\u{370}', Script::Greek),
    ('\u{400}', Script::Cyrillic),
    ('\u{531}', Script::Armenian),
    ('\u{591}', Script::Hebrew),
    ('\u{600}', Script::Arabic),
    ('\u{700}', Script::Other),
    ('\u{750}', Script::Arabic),
    ('\u{780}', Script::Thaana),
    ('\u{7c0}', Script::Other),
    ('\u{8a0}', Script::Arabic),
    ('\u{900}', Script::Devanagari),
    ('\u{980}', Script::Bengali),
    ('\u{a00}', Script::Gurmukhi),
    ('\u{a80}', Script::Gujarati),
    ('\u{b00}', Script::Oriya),
    ('\u{b80}', Script::Tamil),
    ('\u{c00}', Script::Telugu),
    ('\u{c80}', Script::Kannada),
    ('\u{d00}', Script::Malayalam),
    ('\u{d80}', Script::Sinhala),
    ('\u{e00}', Script::Thai),
    ('\u{e80}', Script::Lao),
    ('\u{f00}', Script::Tibetan),
    ('\u{1000}', Script::Myanmar),
    ('\u{10a0}', Script::Georgian),
    ('\u{1100}', Script::Hangul),
    ('\u{1200}', Script::Ethiopic),
    ('\u{13a0}', Script::Other),
    ('\u{1780}', Script::Khmer),
    ('\u{1800}', Script::Mongolian),
    ('\u{18b0}', Script::Other),
    ('\u{1c80}', Script::Cyrillic),
    ('\u{1c90}', Script::Georgian),
    ('\u{1cc0}', Script::Other),
    ('\u{1d00}', Script::Latin),
    ('\u{1f00}', Script::Greek),
    ('\u{2000}', Script::Latin),
    ('\u{2c00}', Script::Other),
    ('\u{2c60}', Script::Latin),
    ('\u{2c80}', Script::Other),
    ('\u{2e80}', Script::Han),
    ('\u{3040}', Script::Kana),
    ('\u{3100}', Script::Han),
    ('\u{3130}', Script::Hangul),
    ('\u{3190}', Script::Han),
    ('\u{31f0}', Script::Kana),
    ('\u{3400}', Script::Han),
    ('\u{a000}', Script::Other),
    ('\u{a640}', Script::Cyrillic),
    ('\u{a6a0}', Script::Other),
    ('\u{a720}', Script::Latin),
    ('\u{a800}', Script::Other),
    ('\u{ac00}', Script::Hangul),
    ('\u{d7fc}', Script::Other),
    ('\u{f900}', Script::Han),
    ('\u{fb00}', Script::Latin),
    ('\u{fb1d}', Script::Hebrew),
    ('\u{fb50}', Script::Arabic),
    ('\u{ff21}', Script::Latin),
    ('\u{ff66}', Script::Kana),
    ('\u{ffa0}', Script::Hangul),
    ('\u{ffe0}', Script::Other),
    ('\u{20000}', Script::Han),
    ('\u{40000}', Script::Other),
];

fn script_of(c: char) -> Script {
    BLOCKS[BLOCKS.partition_point(|&(first, _)| first <= c) - 1].1
}

/// The languages written in each script. A language may have several scripts; one that is not
/// listed is written in Latin.
const LANGUAGES: &[(Script, &str)] = &[
    (Script::Latin, "az bs crh kk ku mn ms nan sh sr tk tt uz"),
    (Script::Greek, "el grc"),
    (
        Script::Cyrillic,
        "ab av az ba be bg bs ce crh cu cv kk kv ky mk mn os ru rue sah sh sr tg tk tt udm uk uz",
    ),
    (Script::Armenian, "hy hyw"),
    (Script::Hebrew, "he iw ji lad yi"),
    (Script::Arabic, "ar arc ary arz az azb bal ckb fa glk kk ks ku ms mzn pnb prs ps sd ug ur uz"),
    (Script::Thaana, "dv"),
    (Script::Devanagari, "awa bh bho brx doi gom hi kok ks mai mr ne new pi sa sd"),
    (Script::Bengali, "as bn bpy mni"),
    (Script::Gurmukhi, "pa"),
    (Script::Gujarati, "gu"),
    (Script::Oriya, "or"),
    (Script::Tamil, "ta"),
    (Script::Telugu, "te"),
    (Script::Kannada, "kn tcy"),
    (Script::Malayalam, "ml"),
    (Script::Sinhala, "si"),
    (Script::Thai, "th"),
    (Script::Lao, "lo"),
    (Script::Tibetan, "bo dz"),
    (Script::Myanmar, "mnw my shn"),
    (Script::Georgian, "ka xmf"),
    (Script::Ethiopic, "am gez ti"),
    (Script::Khmer, "km"),
    (Script::Mongolian, "mn"),
    (Script::Hangul, "ko"),
    (Script::Kana, "ja"),
    (Script::Han, "cmn gan hak lzh nan wuu yue zh"),
];

fn is_written_in(language: &Language, script: Script) -> bool {
    let mut listed = false;
    for (of, languages) in LANGUAGES {
        if languages.split(' ').any(|code| code == language.code()) {
            if *of == script {
                return true;
            }
            listed = true;
        }
    }
    !listed && script == Script::Latin
}

/// A script is likely if at least 1 in 5 letters belongs to it. Fewer may be incidental: a text in
/// any script contains names and commands in Latin, but a text in Latin has few words of other
/// scripts.
const SCRIPT_SHARE: u32 = 5;
/// A text is Japanese if at least 1 in 10 of its Kana and Han letters is Kana.
const KANA_SHARE: u32 = 10;

/// Returns the likely scripts of a text, most likely first.
fn scripts_of(words: &Words<'_>) -> Vec<Script> {
    let mut counts = [0u32; SCRIPTS];
    let mut all = 0;
    for c in words.letters().chars() {
        counts[script_of(c) as usize] += 1;
        all += 1;
    }
    let (kana, han) = (Script::Kana as usize, Script::Han as usize);
    let is_japanese = KANA_SHARE * counts[kana] >= counts[kana] + counts[han];
    if is_japanese {
        counts[kana] += std::mem::take(&mut counts[han]);
    }
    let mut scripts: Vec<_> = LANGUAGES[1..].iter().map(|&(script, _)| script).collect();
    scripts.retain(|&script| counts[script as usize] * SCRIPT_SHARE >= all.max(1));
    sort::by_key(&mut scripts, |&script| std::cmp::Reverse(counts[script as usize]));
    if scripts.contains(&Script::Han) {
        scripts.push(Script::Kana);
    }
    if counts[Script::Latin as usize] * 2 > all {
        scripts.push(Script::Latin);
    }
    scripts
}

/// Returns the languages of `among` that are written in the script of `words`, in the given order:
/// those of the most likely script that any language uses, and those of Latin if more than half of
/// the letters are Latin. A script is likely if it has at least a fifth of the letters. Han with
/// some Kana is Japanese; without Kana it is Chinese rather than Japanese. Returns all languages if
/// there are no words.
#[must_use]
pub fn languages_of_script<'a>(
    words: &Words<'_>,
    among: impl IntoIterator<Item = &'a Language>,
) -> Vec<&'a Language> {
    let mut among: Vec<_> = among.into_iter().collect();
    if words.letters().is_empty() {
        return among;
    }
    let scripts = scripts_of(words);
    let is_any = |script: &Script| among.iter().any(|language| is_written_in(language, *script));
    let first = scripts.iter().copied().find(is_any);
    let latin = scripts.last().copied().filter(|script| *script == Script::Latin);
    among.retain(|language| {
        first.into_iter().chain(latin).any(|script| is_written_in(language, script))
    });
    among
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, among: &str, expected: &str) {
        let among: Vec<_> =
            among.split(' ').map(|code| Language::from_tag(code).expect("a code")).collect();
        let found = languages_of_script(&Words::new(text), &among);
        assert_eq!(
            found.iter().map(|l| l.code()).collect::<Vec<_>>().join(" "),
            expected,
            "{text}"
        );
    }

    #[test]
    fn languages_of_the_script_are_returned() {
        let all = "en de ru hi zh ja th ar ko el km xx";
        check("Настройка сервера", all, "ru");
        check("Директива proxy_pass в nginx.conf: настройка", all, "ru");
        check("The word настройка is Russian and means setting up", all, "en de ru xx");
        check("Of settings, настройка in Russian, nothing more is said here", all, "en de xx");
        check("الخبز والملح", all, "ar");
        check("हिन्दी में रोटी", all, "hi");
        check("ขนมปังและเกลือ", all, "th");
        check("នំប៉័ង", all, "km");
        check("빵과 소금", all, "ko");
        check("面包和盐", all, "zh");
        check("パンと塩", all, "ja");
        check("発酵時間の管理", all, "ja");
        check("ψωμί και αλάτι", all, "el");
        check("Brot und Salz", all, "en de xx");
    }

    #[test]
    fn a_text_in_another_script_has_no_language() {
        check("Настройка сервера", "en de", "");
        check("Настройка сервера nginx", "en de", "");
        check("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "en ru", "");
        check("面包和盐", "en ja", "ja");
        check("パンと塩", "en zh", "");
        check("5432", "en ru", "en ru");
    }

    #[test]
    fn blocks_ascend() {
        assert!(BLOCKS.is_sorted_by_key(|&(first, _)| first));
        assert_eq!(LANGUAGES[0].0, Script::Latin, "`scripts_of` skips the first entry");
    }
}
