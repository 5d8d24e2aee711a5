//! One way to represent pages, to weigh their terms and to compare them.

use std::fmt;
use std::str::FromStr;

/// The words around a link that are of its anchor window. Of each window the words of the link
/// itself are too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Window {
    /// So many words on either side, over all borders.
    Words(u16),
    /// Up to the nearest border of a paragraph, cell, item or the like, hard break or sentence.
    Syntactic,
    /// From the last heading, or end of a list or table, to the next; and the words of that
    /// heading.
    Topical,
}

/// What the terms of a page are taken from. Several make one bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Representation {
    /// The words of its text.
    pub content: bool,
    /// Its title and the anchor windows of links to it.
    pub anchor: Option<Window>,
    /// The pages that link to it, each as a term.
    pub link: bool,
}

/// What words become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stemming {
    /// Words as they are, but for stop words.
    None,
    /// The same, but words whose stem is that of a stop word are dropped too.
    StopStem,
    /// Stems; stop words are dropped as they are written, as `pagekin build` does.
    Stem,
    /// Stems; words whose stem is that of a stop word are dropped, as in the paper.
    StemStop,
}

/// What else of a technical text is a term
/// ([`for_each_compound`](pagekin_core::terms::for_each_compound)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifiers {
    /// Nothing.
    No,
    /// The parts of words such as `HashMap`.
    Parts,
    /// Parts, and identifiers such as `std::vec` and `pg_dump` whole.
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

/// How the number of pages a term is on counts.
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
    /// The bag Jaccard of the bags that `pagekin build` makes of these terms. It weighs them
    /// itself.
    Bag,
    /// The sum of smaller weights by that of larger ones, of weights that sum to 1.
    Jaccard,
    /// The cosine of the weights.
    Cosine,
    /// BM25 of a page for the heaviest terms of another, with their weights.
    Bm25,
    /// The number of common terms: with links, the degree of cocitation of Dean and Henzinger.
    Common,
}

/// A setting. It is written as `key=value` with semicolons between; what is not named has its
/// default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// `representation`: `content`, `anchor:W` (W words, `syntactic` or `topical`) or `link`, or
    /// several with `+` between.
    pub representation: Representation,
    /// `stemming`: `none`, `stop-stem`, `stem` or `stem-stop`.
    pub stemming: Stemming,
    /// `identifiers`: `no`, `parts` or `whole`.
    pub identifiers: Identifiers,
    /// `titles`: how often the words of title and headings are added to those of the content, 0
    /// to 100.
    pub titles: u8,
    /// `distance`: `log` weighs a word of an anchor window at distance d from the link 1 / log2(1 +
    /// d); or `none`.
    pub distance: bool,
    /// `frequency`: `binary`, `tf`, `sqrt` or `log`.
    pub frequency: FrequencyWeight,
    /// `rarity`: `none`, `idf` or `nmdf`.
    pub rarity: RarityWeight,
    /// `power`: the product of both weights to the power of this, 0.1 to 10.
    pub power: f32,
    /// `most`: only so many heaviest terms of a page count, 1 or more; or `all`.
    pub most: Option<u32>,
    /// `min-df`: the fewest pages a term is on.
    pub min_df: u32,
    /// `max-df`: the most pages a term is on, in per cent; 10 pages are never too many.
    pub max_df: f32,
    /// `measure`: `bag`, `jaccard`, `cosine`, `bm25` or `common`.
    pub measure: Measure,
    /// `folder`: how much it weighs that two pages are in one folder, 0 to 10 times their
    /// similarity.
    pub folder: f32,
    /// `linked`: how much it weighs that one of two pages links to the other, as `folder`.
    pub linked: f32,
    /// `cocited`: how much it weighs that the same pages link to both, as `folder`.
    pub cocited: f32,
    /// `mentioned`: how much it weighs that a page has an answer's whole title in its text, as
    /// `folder`.
    pub mentioned: f32,
    /// `rank`: how much it weighs that an answer ranks above the other pages by its links, as
    /// `folder`.
    pub rank: f32,
    /// `floor`: answers are at least so similar, 0 to 1.
    pub floor: f32,
}

impl Default for Setting {
    /// The content of pages, compared as simply as a search engine might.
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

/// A setting cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such key.
    #[error("no setting has the key {found:?}: expected {}", KEYS.join(", "))]
    Key {
        /// What was found.
        found: String,
    },
    /// A key has no such value.
    #[error("{key} is {found:?}: expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was found.
        found: String,
        /// What it could be.
        expected: &'static str,
    },
    /// A part is no key and value.
    #[error("expected key=value, such as measure=cosine, found {found:?}")]
    Part {
        /// What was found.
        found: String,
    },
    /// A key is named twice.
    #[error("{key} is given twice: separate several values by commas")]
    Twice {
        /// The key.
        key: &'static str,
    },
    /// A grid has more settings than anybody waits for.
    #[error("the grid has {found} settings: expected at most {most}")]
    TooMany {
        /// How many it has.
        found: u64,
        /// How many it may have.
        most: u64,
    },
    /// A line of a file is no setting.
    #[error("line {line} of the grid: {error}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// Why.
        error: Box<SettingError>,
    },
    /// A grid has no settings.
    #[error(
        "the grid has no settings: expected lines such as measure=jaccard,cosine;stemming=stem"
    )]
    Empty,
}

/// Sets a field to the value that was read, or says what was expected.
fn put<T>(field: &mut T, read: Option<T>, expected: &'static str) -> Result<(), &'static str> {
    *field = read.ok_or(expected)?;
    Ok(())
}

/// A number that is in range.
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

    /// The value of a key of [`KEYS`], as it is written; empty for another.
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

/// What the weight of a tie may be.
const TIE_WEIGHT: &str = "a number from 0 to 10";

fn tie_weight(value: &str) -> Option<f32> {
    value.parse().ok().filter(|weight| (0.0..=10.0).contains(weight))
}

impl fmt::Display for Setting {
    /// All that is not the default; `representation=content` if nothing is.
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

/// The keys and values of a setting or of several.
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
    fn mistakes_are_told() {
        let error = |text: &str| text.parse::<Setting>().unwrap_err().to_string();
        assert!(
            error("stem=yes")
                .starts_with("no setting has the key \"stem\": expected representation, stemming,")
        );
        assert_eq!(
            error("measure=dice"),
            "measure is \"dice\": expected bag, jaccard, cosine, bm25 or common"
        );
        assert_eq!(error("cosine"), "expected key=value, such as measure=cosine, found \"cosine\"");
        assert_eq!(
            error("power=1;power=2"),
            "power is given twice: separate several values by commas"
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
