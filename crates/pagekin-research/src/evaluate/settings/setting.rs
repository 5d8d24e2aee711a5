//! A setting: how to represent pages, weight their terms and compare them.

use std::fmt;
use std::str::FromStr;

/// The words around a link that are in its anchor window. The words of the link itself are in every
/// window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Window {
    /// This number of words on either side, across all borders.
    Words(u16),
    /// Up to the nearest border of a block such as a paragraph, cell or item, hard break or
    /// sentence.
    Syntactic,
    /// From the last heading, or end of a list or table, to the next; and the words of that
    /// heading.
    Topical,
}

/// The sources of the terms of a page. Several are combined into one bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Representation {
    /// The words of its text.
    pub content: bool,
    /// Its title, and the anchor windows of links to it.
    pub anchor: Option<Window>,
    /// The pages that link to it, each as a term.
    pub link: bool,
}

/// How words become terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stemming {
    /// Words unchanged, without stop words.
    None,
    /// Words unchanged, without stop words and words whose stem is that of a stop word.
    StopStem,
    /// Stems, without stop words, as in `pagekin build`.
    Stem,
    /// Stems, without words whose stem is that of a stop word, as in the paper.
    StemStop,
}

/// Which compounds of a technical text are also terms
/// ([`for_each_compound`](pagekin_core::terms::for_each_compound)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifiers {
    /// None.
    No,
    /// The parts of words such as `HashMap`.
    Parts,
    /// Parts, and complete identifiers such as `std::vec` and `pg_dump`.
    Whole,
}

/// How the frequency of a term counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrequencyWeight {
    /// 1.
    Binary,
    /// tf.
    Linear,
    /// sqrt(tf).
    SquareRoot,
    /// 1 + ln(tf), or tf below 1.
    Logarithm,
}

/// How the number of pages with a term counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RarityWeight {
    /// 1.
    None,
    /// ln(N / df).
    Idf,
    /// exp(-((ln df - mu) / sigma)^2 / 2).
    Nmdf,
}

/// How pages are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The bag Jaccard of the bags that `pagekin build` creates from these terms, with its own
    /// weights.
    Bag,
    /// The sum of the smaller weights divided by the sum of the larger ones, for weights that sum
    /// to 1.
    Jaccard,
    /// The cosine of the weights.
    Cosine,
    /// BM25 of a page for the heaviest terms of another, with their weights.
    Bm25,
    /// The number of common terms. For links, this is the degree of cocitation of Dean and
    /// Henzinger.
    Common,
}

/// A setting. Its text format is `key=value`, separated by semicolons. Omitted keys have their
/// defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// `representation`: `content`, `anchor:W` (W words, `syntactic` or `topical`) or `link`, or
    /// several separated by `+`.
    pub representation: Representation,
    /// `stemming`: `none`, `stop-stem`, `stem` or `stem-stop`.
    pub stemming: Stemming,
    /// `identifiers`: `no`, `parts` or `whole`.
    pub identifiers: Identifiers,
    /// `titles`: how often the words of the title and headings are added to those of the content, 0
    /// to 100.
    pub titles: u8,
    /// `distance`: with `log`, a word of an anchor window at distance d from the link weighs 1 /
    /// log2(1 + d); or `none`.
    pub distance: bool,
    /// `frequency`: `binary`, `tf`, `sqrt` or `log`.
    pub frequency: FrequencyWeight,
    /// `rarity`: `none`, `idf` or `nmdf`.
    pub rarity: RarityWeight,
    /// `power`: the exponent of the product of both weights, 0.1 to 10.
    pub power: f32,
    /// `most`: maximum number of terms of a page that count, heaviest first, at least 1; or `all`.
    pub most: Option<u32>,
    /// `min-df`: minimum number of pages with a term.
    pub min_df: u32,
    /// `max-df`: maximum share of pages with a term, in percent. Terms on up to 10 pages always
    /// count.
    pub max_df: f32,
    /// `measure`: `bag`, `jaccard`, `cosine`, `bm25` or `common`.
    pub measure: Measure,
    /// `folder`: the weight of two pages being in one folder, 0 to 10 times their similarity.
    pub folder: f32,
    /// `linked`: the weight of one page linking to the other, in the same unit.
    pub linked: f32,
    /// `cocited`: the weight of both pages being linked to by the same pages, in the same unit.
    pub cocited: f32,
    /// `mentioned`: the weight of a page containing the complete title of an answer, in the same
    /// unit.
    pub mentioned: f32,
    /// `rank`: the weight of an answer's rank by links among all pages, in the same unit.
    pub rank: f32,
    /// `floor`: minimum similarity of answers, 0 to 1.
    pub floor: f32,
}

impl Default for Setting {
    /// The content of pages, compared in a simple way like that of a search engine.
    fn default() -> Self {
        Self {
            representation: Representation { content: true, anchor: None, link: false },
            stemming: Stemming::Stem,
            identifiers: Identifiers::Parts,
            titles: 0,
            distance: false,
            frequency: FrequencyWeight::SquareRoot,
            rarity: RarityWeight::Idf,
            power: 1.0,
            most: Some(64),
            min_df: 2,
            max_df: 20.0,
            measure: Measure::Jaccard,
            folder: 0.0,
            linked: 0.0,
            cocited: 0.0,
            mentioned: 0.0,
            rank: 0.0,
            floor: 0.0,
        }
    }
}

/// The keys of a setting, in the order in which they are written.
pub const KEYS: [&str; 18] = [
    "representation",
    "stemming",
    "identifiers",
    "titles",
    "distance",
    "frequency",
    "rarity",
    "power",
    "most",
    "min-df",
    "max-df",
    "measure",
    "folder",
    "linked",
    "cocited",
    "mentioned",
    "rank",
    "floor",
];

/// Why a setting is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// A key does not exist.
    #[error("unknown key {found:?} in a setting: expected {}", KEYS.join(", "))]
    Key {
        /// The unknown key.
        found: String,
    },
    /// A value is invalid for its key.
    #[error("{key} is {found:?}: expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// The invalid value.
        found: String,
        /// The valid values.
        expected: &'static str,
    },
    /// A part does not have the form `key=value`.
    #[error("expected key=value, such as measure=cosine, found {found:?}")]
    Part {
        /// The invalid part.
        found: String,
    },
    /// A key occurs twice.
    #[error("{key} is given twice. Separate several values by commas")]
    Twice {
        /// The key.
        key: &'static str,
    },
    /// A grid has too many settings.
    #[error("the grid has {found} settings: expected at most {most}")]
    TooMany {
        /// The number of settings.
        found: u64,
        /// The maximum number of settings.
        most: u64,
    },
    /// A line of a file is not a setting.
    #[error("line {line} of the grid: {error}")]
    Line {
        /// The number of the line, starting at 1.
        line: usize,
        /// The error in this line.
        error: Box<SettingError>,
    },
    /// A grid has no settings.
    #[error("the grid has no settings. Add lines such as measure=jaccard,cosine;stemming=stem")]
    Empty,
}

/// Sets a field to a parsed value, or returns what was expected.
fn put<T>(field: &mut T, read: Option<T>, expected: &'static str) -> Result<(), &'static str> {
    *field = read.ok_or(expected)?;
    Ok(())
}

/// Parses a number and checks its range.
fn number<T: FromStr>(value: &str, is_in_range: impl Fn(&T) -> bool) -> Option<T> {
    value.parse().ok().filter(is_in_range)
}

impl Setting {
    /// Sets the value of a key.
    pub(crate) fn set(&mut self, key: &'static str, value: &str) -> Result<(), SettingError> {
        let tie = |field: &mut _| put(field, tie_weight(value), TIE_WEIGHT);
        let set = match key {
            "representation" => put(
                &mut self.representation,
                representation(value),
                "content, anchor:W with W words, syntactic or topical, or link, or several with + between",
            ),
            "stemming" => put(
                &mut self.stemming,
                named(value, STEMMINGS),
                "none, stop-stem, stem or stem-stop",
            ),
            "identifiers" => {
                put(&mut self.identifiers, named(value, IDENTIFIERS), "no, parts or whole")
            }
            "titles" => {
                let times = number(value, |&times| times <= 100);
                put(&mut self.titles, times, "a whole number from 0 to 100")
            }
            "distance" => put(&mut self.distance, named(value, DISTANCES), "none or log"),
            "frequency" => {
                put(&mut self.frequency, named(value, FREQUENCIES), "binary, tf, sqrt or log")
            }
            "rarity" => put(&mut self.rarity, named(value, RARITIES), "none, idf or nmdf"),
            "power" => {
                let power = number(value, |power| (0.1..=10.0).contains(power));
                put(&mut self.power, power, "a number from 0.1 to 10")
            }
            "most" if value == "all" => put(&mut self.most, Some(None), ""),
            "most" => {
                let most = number(value, |&most| most > 0).map(Some);
                put(&mut self.most, most, "a number from 1 on, or all")
            }
            "min-df" => {
                let min = number(value, |&min| min > 0);
                put(&mut self.min_df, min, "a whole number from 1 on")
            }
            "max-df" => {
                let max = number(value, |&max| max > 0.0 && max <= 100.0);
                put(&mut self.max_df, max, "a number above 0 and at most 100")
            }
            "measure" => put(
                &mut self.measure,
                named(value, MEASURES),
                "bag, jaccard, cosine, bm25 or common",
            ),
            "folder" => tie(&mut self.folder),
            "linked" => tie(&mut self.linked),
            "cocited" => tie(&mut self.cocited),
            "mentioned" => tie(&mut self.mentioned),
            "rank" => tie(&mut self.rank),
            "floor" => {
                let floor = number(value, |floor| (0.0..=1.0).contains(floor));
                put(&mut self.floor, floor, "a number from 0 to 1")
            }
            _ => return Err(SettingError::Key { found: key.to_owned() }),
        };
        set.map_err(|expected| SettingError::Value { key, found: value.to_owned(), expected })
    }

    /// Returns the value of a key of [`KEYS`] in text format; empty for any other key.
    #[must_use]
    pub fn get(&self, key: &str) -> String {
        match key {
            "representation" => self.representation.to_string(),
            "stemming" => name(self.stemming, STEMMINGS).to_owned(),
            "identifiers" => name(self.identifiers, IDENTIFIERS).to_owned(),
            "titles" => self.titles.to_string(),
            "distance" => name(self.distance, DISTANCES).to_owned(),
            "frequency" => name(self.frequency, FREQUENCIES).to_owned(),
            "rarity" => name(self.rarity, RARITIES).to_owned(),
            "power" => self.power.to_string(),
            "most" => self.most.map_or_else(|| "all".to_owned(), |most| most.to_string()),
            "min-df" => self.min_df.to_string(),
            "max-df" => self.max_df.to_string(),
            "measure" => name(self.measure, MEASURES).to_owned(),
            "folder" => self.folder.to_string(),
            "linked" => self.linked.to_string(),
            "cocited" => self.cocited.to_string(),
            "mentioned" => self.mentioned.to_string(),
            "rank" => self.rank.to_string(),
            "floor" => self.floor.to_string(),
            _ => String::new(),
        }
    }
}

/// The range of the weight of a tie.
const TIE_WEIGHT: &str = "a number from 0 to 10";

fn tie_weight(value: &str) -> Option<f32> {
    value.parse().ok().filter(|weight| (0.0..=10.0).contains(weight))
}

impl fmt::Display for Setting {
    /// Writes all keys that differ from their defaults, or `representation=content` if there are
    /// none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Self::default();
        let differing = KEYS.iter().map(|key| (key, self.get(key)));
        let parts: Vec<String> = differing
            .filter(|(key, value)| *value != default.get(key))
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if parts.is_empty() {
            return f.write_str("representation=content");
        }
        f.write_str(&parts.join(";"))
    }
}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let mut setting = Self::default();
        for (key, value) in parts(text)? {
            setting.set(key, value)?;
        }
        Ok(setting)
    }
}

/// Splits a setting, or a line of a grid, into keys and values.
pub(crate) fn parts(text: &str) -> Result<Vec<(&'static str, &str)>, SettingError> {
    let mut parts: Vec<(&'static str, &str)> = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) =
            part.split_once('=').ok_or_else(|| SettingError::Part { found: part.to_owned() })?;
        let key = key.trim();
        let known = KEYS.iter().find(|known| **known == key);
        let key = *known.ok_or_else(|| SettingError::Key { found: key.to_owned() })?;
        if parts.iter().any(|(earlier, _)| *earlier == key) {
            return Err(SettingError::Twice { key });
        }
        parts.push((key, value.trim()));
    }
    Ok(parts)
}

const STEMMINGS: &[(&str, Stemming)] = &[
    ("none", Stemming::None),
    ("stop-stem", Stemming::StopStem),
    ("stem", Stemming::Stem),
    ("stem-stop", Stemming::StemStop),
];
const IDENTIFIERS: &[(&str, Identifiers)] =
    &[("no", Identifiers::No), ("parts", Identifiers::Parts), ("whole", Identifiers::Whole)];
const DISTANCES: &[(&str, bool)] = &[("none", false), ("log", true)];
const FREQUENCIES: &[(&str, FrequencyWeight)] = &[
    ("binary", FrequencyWeight::Binary),
    ("tf", FrequencyWeight::Linear),
    ("sqrt", FrequencyWeight::SquareRoot),
    ("log", FrequencyWeight::Logarithm),
];
const RARITIES: &[(&str, RarityWeight)] =
    &[("none", RarityWeight::None), ("idf", RarityWeight::Idf), ("nmdf", RarityWeight::Nmdf)];
const MEASURES: &[(&str, Measure)] = &[
    ("bag", Measure::Bag),
    ("jaccard", Measure::Jaccard),
    ("cosine", Measure::Cosine),
    ("bm25", Measure::Bm25),
    ("common", Measure::Common),
];

fn named<T: Copy>(text: &str, names: &[(&str, T)]) -> Option<T> {
    names.iter().find(|(name, _)| *name == text).map(|&(_, value)| value)
}

fn name<T: Copy + PartialEq>(value: T, names: &[(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let anchor = self.anchor.map(|window| match window {
            Window::Words(words) => format!("anchor:{words}"),
            Window::Syntactic => "anchor:syntactic".to_owned(),
            Window::Topical => "anchor:topical".to_owned(),
        });
        let content = self.content.then(|| "content".to_owned());
        let link = self.link.then(|| "link".to_owned());
        let parts: Vec<String> = [content, anchor, link].into_iter().flatten().collect();
        f.write_str(&parts.join("+"))
    }
}

fn representation(text: &str) -> Option<Representation> {
    let mut found = Representation { content: false, anchor: None, link: false };
    for part in text.split('+').map(str::trim) {
        match (part, part.strip_prefix("anchor:")) {
            ("content", _) if !found.content => found.content = true,
            ("link", _) if !found.link => found.link = true,
            (_, Some(window)) if found.anchor.is_none() => {
                found.anchor = Some(match window {
                    "syntactic" => Window::Syntactic,
                    "topical" => Window::Topical,
                    words => Window::Words(words.parse().ok()?),
                });
            }
            _ => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, written: &str) {
        let setting: Setting = text.parse().unwrap();
        assert_eq!(setting.to_string(), written);
        assert_eq!(setting.to_string().parse::<Setting>().unwrap(), setting);
    }

    #[test]
    fn settings_are_read_and_written() {
        check("", "representation=content");
        check("measure = cosine ; stemming=stem", "measure=cosine");
        check(
            "floor=0.05;representation=link+content+anchor:32;most=all;power=1.5;max-df=12.5",
            "representation=content+anchor:32+link;power=1.5;most=all;max-df=12.5;floor=0.05",
        );
        for representation in ["anchor:0", "anchor:syntactic", "anchor:topical+link", "link"] {
            check(
                &format!("representation={representation}"),
                &format!("representation={representation}"),
            );
        }
    }

    #[test]
    fn every_value_has_a_name() {
        for text in [
            "stemming=stop-stem;identifiers=whole;titles=3;distance=log;frequency=binary;rarity=nmdf;min-df=1;measure=bm25",
            "stemming=stem-stop;identifiers=no;frequency=tf;rarity=none;measure=bag",
            "stemming=none;frequency=log;measure=common",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn errors_name_the_mistake() {
        let error = |text: &str| text.parse::<Setting>().unwrap_err().to_string();
        assert!(
            error("stem=yes").starts_with(
                "unknown key \"stem\" in a setting: expected representation, stemming,"
            )
        );
        assert_eq!(
            error("measure=dice"),
            "measure is \"dice\": expected bag, jaccard, cosine, bm25 or common"
        );
        assert_eq!(error("cosine"), "expected key=value, such as measure=cosine, found \"cosine\"");
        assert_eq!(
            error("power=1;power=2"),
            "power is given twice. Separate several values by commas"
        );
        for wrong in [
            "representation=",
            "representation=content+content",
            "representation=anchor",
            "representation=anchor:-1",
            "power=0",
            "power=NaN",
            "most=0",
            "min-df=0",
            "max-df=101",
            "titles=101",
            "floor=2",
        ] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }
}
