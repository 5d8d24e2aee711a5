//! Addresses into whether two pages are editions of one: the same page of another version or in
//! another language.
//!
//! Sites put editions into folders: `/v1/guide/a.html` and `/v2/guide/a.html`, `/guide/a/` and
//! `/de/guide/a/`. Two such addresses have the same last name. If the folder that tells them apart
//! is named after a language or a version, on both sides or on the one that has it, they are
//! editions; and so they are if its name ends in a language on both sides, and is the same before
//! (`/help-de/a.html` and `/help-pt-BR/a.html`). If two other folders tell them apart
//! (`/stable-3/a.html` and `/stable-4/a.html`, but also `/hash_map/struct.Iter.html` and
//! `/btree_map/struct.Iter.html`), they may be: it is seen by their texts.

use std::borrow::Cow;
use std::cmp::Reverse;

use pagekin_core::terms::Language;

/// Whether two pages are editions of one, by their addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variants {
    /// They are two pages.
    No,
    /// They are, if their texts are alike.
    Perhaps,
    /// They are, whatever their texts are: one may be a translation.
    Yes,
}

impl Variants {
    /// Of the addresses of two pages. Linear in their lengths.
    pub(crate) fn new(a: &str, b: &str) -> Self {
        if folders(a).next_back() != folders(b).next_back() {
            return Self::No;
        }
        let (depth_a, depth_b) = (folders(a).count(), folders(b).count());
        let (deep, flat) = if depth_a < depth_b { (b, a) } else { (a, b) };
        let mut differing = folders(deep).zip(folders(flat)).filter(|(a, b)| a != b);
        match depth_a.abs_diff(depth_b) {
            0 => match (differing.next(), differing.next()) {
                (Some((a, b)), None) if are_editions(a, b) => Self::Yes,
                (Some(_), None) => Self::Perhaps,
                _ => Self::No,
            },
            1 => {
                // Where the deeper one has a folder more.
                let at = folders(deep).zip(folders(flat)).take_while(|(a, b)| a == b).count();
                let rest_is_same = folders(deep).skip(at + 1).eq(folders(flat).skip(at));
                let more = folders(deep).nth(at).filter(|_| rest_is_same);
                if more.is_some_and(names_edition) { Self::Yes } else { Self::No }
            }
            _ => Self::No,
        }
    }
}

/// The names of an address without the folders that are named after a language or a version, and
/// without the language that a folder ends in: all editions of a page have the same.
pub(crate) fn without_edition(url: &str) -> String {
    let last = folders(url).count().saturating_sub(1);
    let kept = folders(url).enumerate().filter(|&(at, name)| at == last || !names_edition(name));
    let names = kept.map(|(at, name)| match language_at_end(name) {
        Some((before, _)) if at != last => Cow::Owned(format!("{before}-*")),
        _ => Cow::Borrowed(name),
    });
    names.collect::<Vec<_>>().join("/")
}

/// Whether a folder of an address is named after another language than this, or ends in one.
pub(crate) fn names_other_language(url: &str, language: &Language) -> bool {
    let named = |folder| {
        let tag = if names_language(folder) { folder } else { language_at_end(folder)?.1 };
        Language::from_tag(tag)
    };
    let is_other = |folder| named(folder).is_some_and(|named| named.code() != language.code());
    folders(url).rev().skip(1).any(is_other)
}

/// The names of an address, the last one among them.
pub(crate) fn folders(url: &str) -> impl DoubleEndedIterator<Item = &str> {
    url.split('/').filter(|name| !name.is_empty())
}

/// Whether a folder is named after a language, such as `de` or `pt-BR`, or after a version, such as
/// `v1.2` or `latest`.
fn names_edition(folder: &str) -> bool {
    names_language(folder) || names_version(folder)
}

/// Whether what two folders have in them are editions.
fn are_editions(a: &str, b: &str) -> bool {
    let before = |folder| language_at_end(folder).map(|(before, _)| before);
    names_edition(a) && names_edition(b) || before(a).is_some() && before(a) == before(b)
}

/// The language that the name of a folder ends in, behind what stands before it: `help` and `pt-BR`
/// of `help-pt-BR`. What a dot divides, as in the name of a host, says nothing.
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

/// Which of several versions of a page is shown first: the lowest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VariantRank {
    /// The current one: its address names no version, or says that it is the latest.
    Current,
    /// A version, by its numbers, the highest first.
    Numbered(Reverse<Vec<u64>>),
    /// One that is not released yet.
    Unreleased,
}

impl VariantRank {
    /// Of an address, by its folders; of several that name versions, by the one that ranks lowest.
    /// Linear in its length.
    pub(crate) fn new(url: &str) -> Self {
        let folders: Vec<&str> = folders(url).rev().skip(1).collect();
        let is_number = |at: usize| folders.get(at).is_some_and(|name| is_short_number(name));
        let rank = |at: usize| {
            let name = folders[at];
            // Numbers that follow each other are a date.
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

/// A number alone as it names a version: of a year it has too many digits.
fn is_short_number(name: &str) -> bool {
    name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_year(name: Option<&&str>) -> bool {
    name.is_some_and(|name| name.len() == 4 && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The version that a folder is named after or its name ends in, from its first number on: `1.9` of
/// `v1.9` and `kettle-1.9`, `4` of `release-4`, `2.0-rc1` of `v2.0-rc1`.
fn numbered_version(folder: &str) -> Option<&str> {
    const WORDS: [&str; 6] = ["v", "version", "release", "stable", "edition", "r"];
    let at = folder.find(|c: char| c.is_ascii_digit())?;
    let (before, version) = folder.split_at(at);
    let name = before.trim_end_matches(['-', '_']);
    let word = name.rsplit(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let is_named = WORDS.contains(&word.as_str());
    let numbers = version.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.');
    let has_dot = version[..numbers.count()].trim_end_matches('.').contains('.');
    // What is neither is the number of a chapter, or a part of a name.
    let is_apart = name.len() < before.len() || name.is_empty() || is_named;
    (is_named || (has_dot && is_apart)).then_some(version)
}

/// Versions that are not released.
const UNRELEASED: [&str; 6] = ["next", "dev", "devel", "main", "master", "nightly"];

fn names_version(folder: &str) -> bool {
    const NAMES: [&str; 3] = ["latest", "stable", "current"];
    let number = folder.strip_prefix(['v', 'V']).unwrap_or(folder);
    // A number alone may be that of a chapter, or a year.
    let is_number = (number != folder || number.contains('.'))
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x'));
    is_number || NAMES.contains(&folder) || UNRELEASED.contains(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_differ_in_one_folder() {
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
    fn editions_of_a_page_have_one_name() {
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
            assert_eq!(without_edition(url), name);
        }
    }

    #[test]
    fn folders_say_another_language() {
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
    fn languages_and_versions_are_known_by_their_names() {
        for name in ["de", "zh_CN", "pt-br", "zh-Hans", "v2", "3.11", "1.x", "stable"] {
            assert!(names_edition(name), "{name}");
        }
        for name in ["guide", "qq", "de-guide", "vector", "v", "3d", "std", "a", "2", "2024"] {
            assert!(!names_edition(name), "{name}");
        }
    }
}
