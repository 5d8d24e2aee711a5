//! Recognizes by their URLs whether two pages are variants of one: the same page in another version
//! or language.
//!
//! Sites put variants into folders: `/v1/guide/a.html` and `/v2/guide/a.html`, `/guide/a/` and
//! `/de/guide/a/`. Two such URLs have the same last segment. They are variants if they differ in a
//! folder that is named after a language or a version, in both URLs or in the one that has it. They
//! are also variants if both names of that folder end in a language and are equal before it
//! (`/help-de/a.html` and `/help-pt-BR/a.html`). If two other folders differ (`/stable-3/a.html`
//! and `/stable-4/a.html`, but also `/hash_map/struct.Iter.html` and
//! `/btree_map/struct.Iter.html`), the texts decide.

use std::borrow::Cow;
use std::cmp::Reverse;

use pagekin_core::terms::Language;

/// Whether two pages are variants of one, by their URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variants {
    /// They are different pages.
    No,
    /// They are variants if their texts are similar.
    Perhaps,
    /// They are variants even if their texts differ, as one may be a translation.
    Yes,
}

impl Variants {
    /// Compares the URLs of two pages. Linear in their lengths.
    pub(crate) fn new(a: &str, b: &str) -> Self {
        if folders(a).next_back() != folders(b).next_back() {
            return Self::No;
        }
        let (depth_a, depth_b) = (folders(a).count(), folders(b).count());
        let (deep, flat) = if depth_a < depth_b { (b, a) } else { (a, b) };
        let mut differing = folders(deep).zip(folders(flat)).filter(|(a, b)| a != b);
        match depth_a.abs_diff(depth_b) {
            0 => match (differing.next(), differing.next()) {
                (Some((a, b)), None) if contain_variants(a, b) => Self::Yes,
                (Some(_), None) => Self::Perhaps,
                _ => Self::No,
            },
            1 => {
                // The position of the additional folder.
                let at = folders(deep).zip(folders(flat)).take_while(|(a, b)| a == b).count();
                let rest_is_same = folders(deep).skip(at + 1).eq(folders(flat).skip(at));
                let more = folders(deep).nth(at).filter(|_| rest_is_same);
                if more.is_some_and(names_variant) { Self::Yes } else { Self::No }
            }
            _ => Self::No,
        }
    }
}

/// Removes folders named after languages and versions from a URL, and languages at the end of
/// folder names. All variants of a page have the same result.
pub(crate) fn without_variant(url: &str) -> String {
    let last = folders(url).count().saturating_sub(1);
    let kept = folders(url).enumerate().filter(|&(at, name)| at == last || !names_variant(name));
    let names = kept.map(|(at, name)| match language_at_end(name) {
        Some((before, _)) if at != last => Cow::Owned(format!("{before}-*")),
        _ => Cow::Borrowed(name),
    });
    names.collect::<Vec<_>>().join("/")
}

/// Whether a folder of a URL is named after a language other than this, or ends in one.
pub(crate) fn names_other_language(url: &str, language: &Language) -> bool {
    let named = |folder| {
        let tag = if names_language(folder) { folder } else { language_at_end(folder)?.1 };
        Language::from_tag(tag)
    };
    let is_other = |folder| named(folder).is_some_and(|named| named.code() != language.code());
    folders(url).rev().skip(1).any(is_other)
}

/// The segments of a URL, including the last one.
pub(crate) fn folders(url: &str) -> impl DoubleEndedIterator<Item = &str> {
    url.split('/').filter(|name| !name.is_empty())
}

/// Whether a folder is named after a language, such as `de` or `pt-BR`, or after a version, such
/// as `v1.2` or `latest`.
fn names_variant(folder: &str) -> bool {
    names_language(folder) || names_version(folder)
}

/// Whether two folders contain variants.
fn contain_variants(a: &str, b: &str) -> bool {
    let before = |folder| language_at_end(folder).map(|(before, _)| before);
    names_variant(a) && names_variant(b) || before(a).is_some() && before(a) == before(b)
}

/// Divides a folder name before a language at its end: `help-pt-BR` into `help` and `pt-BR`. Dots,
/// as in host names, do not divide it.
fn language_at_end(folder: &str) -> Option<(&str, &str)> {
    let parts = folder.match_indices(['-', '_']).filter(|&(at, _)| at > 0);
    let mut parts = parts.map(|(at, _)| (&folder[..at], &folder[at + 1..]));
    parts.find(|(_, end)| names_language(end))
}

fn names_language(folder: &str) -> bool {
    let (language, region) = folder.split_once(['-', '_']).unwrap_or((folder, ""));
    // A script or a region, as in zh_Hans and es-419.
    let of_region = |part: &str| {
        matches!(part.len(), 2 | 4) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
            || part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    language.len() == 2
        && isolang::Language::from_639_1(&language.to_ascii_lowercase()).is_some()
        && (region.is_empty() || region.split(['-', '_']).all(of_region))
}

/// The rank of a version of a page. The lowest is shown first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VariantRank {
    /// The current version: the URL contains no version, or `latest` or the like.
    Current,
    /// A numbered version, highest numbers first.
    Numbered(Reverse<Vec<u64>>),
    /// A version that is not released yet.
    Unreleased,
}

impl VariantRank {
    /// Takes the URL of a page. If several folders name versions, the lowest-ranking one counts.
    /// Linear in the URL's length.
    pub(crate) fn new(url: &str) -> Self {
        let folders: Vec<&str> = folders(url).rev().skip(1).collect();
        let is_number = |at: usize| folders.get(at).is_some_and(|name| is_short_number(name));
        let rank = |at: usize| {
            let name = folders[at];
            // Consecutive numbers are a date.
            let is_alone = !is_number(at + 1) && (at == 0 || !is_number(at - 1));
            if UNRELEASED.contains(&name) {
                Self::Unreleased
            } else if is_number(at) && is_alone && !is_year(folders.get(at + 1)) {
                Self::numbered(name)
            } else {
                numbered_version(name).map_or(Self::Current, Self::numbered)
            }
        };
        (0..folders.len()).map(rank).max().unwrap_or(Self::Current)
    }

    fn numbered(version: &str) -> Self {
        let numbers = version.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter(|number| !number.is_empty());
        if version.bytes().any(|byte| !byte.is_ascii_digit() && !matches!(byte, b'.' | b'x')) {
            return Self::Unreleased;
        }
        Self::Numbered(Reverse(numbers.map(|number| number.parse().unwrap_or(u64::MAX)).collect()))
    }
}

/// Whether a number may be a version: years have more digits.
fn is_short_number(name: &str) -> bool {
    name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_year(name: Option<&&str>) -> bool {
    name.is_some_and(|name| name.len() == 4 && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the version in the name of a folder, from its first digit: `1.9` for `v1.9` and
/// `kettle-1.9`, `4` for `release-4`, `2.0-rc1` for `v2.0-rc1`.
fn numbered_version(folder: &str) -> Option<&str> {
    const WORDS: [&str; 6] = ["v", "version", "release", "stable", "edition", "r"];
    let at = folder.find(|c: char| c.is_ascii_digit())?;
    let (before, version) = folder.split_at(at);
    let name = before.trim_end_matches(['-', '_']);
    let word = name.rsplit(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let is_named = WORDS.contains(&word.as_str());
    let numbers = version.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.');
    let has_dot = version[..numbers.count()].trim_end_matches('.').contains('.')
        || version.strip_suffix(".x").is_some_and(is_plain);
    // Otherwise, it is the number of a chapter, or a part of a name.
    let is_apart = name.len() < before.len() || name.is_empty() || is_named;
    (is_named || (has_dot && is_apart)).then_some(version)
}

/// Names of unreleased versions.
const UNRELEASED: [&str; 6] = ["next", "dev", "devel", "main", "master", "nightly"];

fn names_version(folder: &str) -> bool {
    const NAMES: [&str; 3] = ["latest", "stable", "current"];
    let number = folder.strip_prefix(['v', 'V']).unwrap_or(folder);
    // A lone number may be a chapter or a year.
    let is_number = (number != folder || number.contains('.'))
        && number.starts_with(|c: char| c.is_ascii_digit())
        && (is_plain(number) || is_prerelease(number));
    is_number || NAMES.contains(&folder) || UNRELEASED.contains(&folder)
}

/// Whether a version consists of digits, dots and `x`.
fn is_plain(version: &str) -> bool {
    version.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x'))
}

/// Whether a version ends like one before a release: `2.1-rc1`, `3.0b2`, `5.0.dev0`.
fn is_prerelease(version: &str) -> bool {
    const STAGES: [&str; 8] = ["alpha", "beta", "rc", "pre", "dev", "snapshot", "a", "b"];
    let letter = version.find(|c: char| c.is_ascii_alphabetic() && c != 'x');
    letter.is_some_and(|at| {
        let (number, stage) = version.split_at(at);
        let name = stage.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        let name = name.to_ascii_lowercase();
        is_plain(number.trim_end_matches(['-', '_', '.'])) && STAGES.contains(&&*name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_differ_in_one_folder() {
        for (a, b, expected) in [
            ("/v1/guide/a.html", "/v2/guide/a.html", Variants::Yes),
            ("/docs/1.2/a/", "/docs/latest/a/", Variants::Yes),
            ("/en/a.html", "/zh_CN/a.html", Variants::Yes),
            ("https://x.org/pt-BR/guide/a", "https://x.org/es-419/guide/a", Variants::Yes),
            ("/guide/a.html", "/de/guide/a.html", Variants::Yes),
            ("/docs/next/guide/a", "/docs/guide/a", Variants::Yes),
            ("/x/help-de/a.html", "/x/help-pt_BR/a.html", Variants::Yes),
            ("/help-de/a.html", "/guide-en/a.html", Variants::Perhaps),
            ("https://shop.it/a", "https://shop.io/a", Variants::Perhaps),
            ("/help-de/a.html", "/help/a.html", Variants::Perhaps),
            ("/hash_map/struct.Iter.html", "/btree_map/struct.Iter.html", Variants::Perhaps),
            ("/en/a.html", "/guide/a.html", Variants::Perhaps),
            ("/guide/a.html", "/tour/guide/a.html", Variants::No),
            ("/en/", "/de/x", Variants::No),
            ("/guide/a/", "/guide/b/", Variants::No),
            ("/v1/guide/a.html", "/v2/manual/a.html", Variants::No),
            ("/a.html", "/a.html", Variants::No),
            ("/en/de/a.html", "/a.html", Variants::No),
            ("/", "/de/", Variants::No),
        ] {
            assert_eq!(Variants::new(a, b), expected, "{a} {b}");
            assert_eq!(Variants::new(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let ordered = [
            vec!["/a", "/latest/a", "/guide/stable/a", "/current/a", "/2024/05/a", "/e2e/a"],
            vec!["/v2.0/a", "/kettle-2.0/a"],
            vec!["/v1.10.2/a"],
            vec!["/v1.10/a", "/1.10/a"],
            vec!["/v1.9/a", "/en/1.9/a", "/release-1.9/a"],
            vec!["/v1/a", "/version-1/a", "/1/a"],
            vec!["/main/a", "/next/a", "/v3.0-rc1/a", "/3.0.0-beta.2/a"],
        ];
        let ranks = ordered.map(|urls| urls.into_iter().map(VariantRank::new).collect::<Vec<_>>());
        for same in &ranks {
            assert!(same.windows(2).all(|two| two[0] == two[1]), "{same:?}");
        }
        assert!(ranks.windows(2).all(|two| two[0][0] < two[1][0]), "{ranks:?}");
    }

    #[test]
    fn variants_of_a_page_have_the_same_name() {
        for (url, name) in [
            ("/v1/guide/a.html", "guide/a.html"),
            ("/de/guide/a/", "guide/a"),
            ("/guide/de", "guide/de"),
            ("/gnu-help-de/a-b/c-de", "gnu-help-*/a-b/c-de"),
            ("/help_zh-Hans/a", "help-*/a"),
            ("https://my-shop.it/a", "https:/my-shop.it/a"),
            ("https://x.org/3.12/zh-Hans/a", "https:/x.org/a"),
            ("/", ""),
        ] {
            assert_eq!(without_variant(url), name);
        }
    }

    #[test]
    fn folders_name_other_languages() {
        let de = Language::from_tag("de-AT").unwrap();
        for (url, other) in [
            ("/de/a", false),
            ("/help-de/en", false),
            ("/guide/a", false),
            ("https://x.it/a", false),
            ("/en/a", true),
            ("/x/help-pt_BR/a", true),
        ] {
            assert_eq!(names_other_language(url, &de), other, "{url}");
        }
    }

    #[test]
    fn names_of_languages_and_versions_are_recognized() {
        for name in [
            "de", "zh_CN", "pt-br", "zh-Hans", "v2", "3.11", "1.x", "stable", "nightly",
            "v2.1-rc1", "3.0b2",
        ] {
            assert!(names_variant(name), "{name}");
        }
        for name in [
            "guide",
            "qq",
            "de-guide",
            "vector",
            "v",
            "3d",
            "std",
            "a",
            "2",
            "2024",
            "3.0-guide",
            "v8x-engine",
        ] {
            assert!(!names_variant(name), "{name}");
        }
    }
}
