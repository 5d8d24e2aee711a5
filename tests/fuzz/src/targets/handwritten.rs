//! Files that people write by hand or with their own programs: settings, hosts, grids, classes,
//! judgments, reset values, learned parameters, and terms and vectors of models.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pagekin_crawl::cluster::TermFactor;
use pagekin_crawl::fuzzing::{judgments, learned, reset_values};
use pagekin_crawl::{CrawlFolder, LearnedWeights, LinkFolder, RankOptions, Reset, rank};
use pagekin_index::fuzzing::{given_terms, given_vectors, hosts};
use pagekin_pages::Silent;
use pagekin_pages::fuzzing::classes;
use pagekin_pairs::cosine::Cosine;
use pagekin_research::evaluate::{Grid, Setting};
use serde_json::{Value as Json, json};
use toml::Value as Toml;

use crate::targets::folders::{Files, crawl};
use crate::targets::links::folder_of_links;
use crate::targets::{Outcome, Run, Target};

/// The reader of `pagekin.toml`, included as source because the command line is not a library.
#[path = "../../../../crates/pagekin/src/settings/file.rs"]
#[allow(dead_code)]
mod settings_file;
use settings_file::{FileValue, Settings};

const TARGET: Target = Target {
    name: "",
    reads: "",
    prepare: || (Vec::new(), Box::new(|_| Outcome::named(0, ""))),
    max_bytes: 1_024,
    // A key and its value take some hundred bytes of memory, and four in the file.
    memory_of_byte: 1_024,
    memory_free: 256 << 10,
    short: 2_000,
};

/// The pages in the output of a model.
const PAGES: [&str; 3] = ["/a.html", "/b/", "/c"];

/// Returns the seeds and the function that reads an input.
fn begin(seeds: &[&str], run: impl FnMut(&[u8]) -> Outcome + 'static) -> (Vec<Vec<u8>>, Run) {
    (seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(), Box::new(run))
}

/// Returns the class of an error: its first words, without the position and the content of the
/// error.
fn refused(bytes: usize, why: impl std::fmt::Display) -> Outcome {
    let why = why.to_string();
    let found = why.rsplit("found").next().unwrap_or_default();
    let words = found.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    Outcome::named(bytes, &words.take(2).collect::<Vec<_>>().join(" "))
}

/// Options of commands.
pub const SETTINGS: Target = Target {
    name: "settings",
    reads: "`pagekin.toml`, compared with another parser of TOML",
    prepare: || {
        let seeds = [
            "# Of a site\n[build]\nsite = \"public\"\nrelated-count = 20\nwatch = false\n\n[serve]\nhost = [\"a\", \"b\"]\n",
            "[evaluate]\nset = ['''a=b''', \"\"\"\\\n  c\\u00e9\"\"\"]\nmin = 0.25e1\nseed = 0xff_ff\n",
            "build.site = \"x\"\n[\"build\".more]\na = 1979-05-27\nb = { c = inf }\n[[serve]]\n",
        ];
        begin(&seeds, |input| {
            let text = String::from_utf8_lossy(input);
            let settings = match Settings::parse(Path::new("-"), &text) {
                Ok(settings) => settings,
                Err(error) => return refused(input.len(), error.0),
            };
            let lines = 1 + text.matches('\n').count();
            let mut read = BTreeMap::new();
            for (name, at, entries) in settings.sections {
                assert!((1..=lines).contains(&at), "{name} in line {at} of {lines}");
                assert!(entries.iter().all(|entry| (1..=lines).contains(&entry.line)));
                let values = entries.into_iter().map(|entry| (entry.key, entry.found));
                let entries: BTreeMap<String, FileValue> = values.collect();
                assert!(read.insert(name, entries).is_none(), "a section is there once");
            }
            assert_eq!(Some(&read), settings_of(&text).as_ref(), "another parser agrees");
            Outcome::sized(input.len(), read.len() as u8, read.values().map(BTreeMap::len).sum())
        })
    },
    ..TARGET
};

/// Parses the same settings with the crate `toml`; `None` if they are invalid.
fn settings_of(text: &str) -> Option<BTreeMap<String, BTreeMap<String, FileValue>>> {
    let one = |value: &Toml| match value {
        Toml::String(text) => Some(text.clone()),
        Toml::Integer(number) => Some(number.to_string()),
        Toml::Float(number) => Some(number.to_string()),
        _ => None,
    };
    let found = |value: &Toml| match value {
        Toml::Boolean(switch) => Some(FileValue::Switch(*switch)),
        Toml::Array(values) => {
            Some(FileValue::List(values.iter().map(one).collect::<Option<_>>()?))
        }
        Toml::String(text) => Some(FileValue::One(text.clone())),
        number => one(number).map(FileValue::Number),
    };
    let sections = text.parse::<toml::Table>().ok()?.into_iter().map(|(name, section)| {
        let Toml::Table(section) = section else { return None };
        let entries = section.iter().map(|(key, value)| Some((key.clone(), found(value)?)));
        Some((name, entries.collect::<Option<_>>()?))
    });
    sections.collect()
}

/// Hosts of an index.
pub const HOSTS: Target = Target {
    name: "hosts",
    reads: "a file of `--mirrors`, the hosts of a distributed index",
    prepare: || {
        let seeds = [
            "copies = 2\nhome = true\n[[host]]\nurl = \"https://a.org/kin/\"\nmax-megabytes = 900\n[[host]]\nurl = \"http://b.org\"\n",
            "host = [{ url = 'https://x:1/\u{e9}/' }, { url = \"https://[::1]/\" }]\n",
        ];
        begin(&seeds, |input| match hosts(&String::from_utf8_lossy(input)) {
            Ok((urls, copies)) => {
                assert!((1..=urls.len() as u32).contains(&copies), "{copies} of {urls:?}");
                for (at, url) in urls.iter().enumerate() {
                    assert!(url.ends_with('/') && !urls[..at].contains(url), "{urls:?}");
                }
                // A JSON string is also a TOML string, except for one character.
                let text = |url: &String| Json::from(url.as_str()).to_string();
                let text = |url: &String| text(url).replace('\u{7f}', "\\u007f");
                let host = |url: &String| format!("[[host]]\nurl = {}\n", text(url));
                let text = urls.iter().map(host).collect::<String>();
                let again = hosts(&format!("copies = {copies}\n{text}"));
                assert_eq!(again.ok(), Some((urls.clone(), copies)), "it is read again");
                Outcome::sized(input.len(), copies as u8, urls.len())
            }
            Err(error) => refused(input.len(), error),
        })
    },
    ..TARGET
};

/// Settings to compare.
pub const GRID: Target = Target {
    name: "grid",
    reads: "a file of `--grid`, the settings that `evaluate` compares",
    prepare: || {
        let seeds = [
            "representation=content+anchor:32,anchor:topical,link;distance=none,log # two by three\n\nmost=all\n",
            "measure=bag;floor=0.05,0;power=0.5\nmost=1,2,3;min-df=1,2;max-df=1e1,20;titles=0,100\nfolder=.1,-0;linked=+1",
        ];
        begin(&seeds, |input| {
            let text = String::from_utf8_lossy(input);
            let grid: Grid = match text.parse() {
                Ok(grid) => grid,
                Err(error) => return refused(input.len(), error),
            };
            let mut written = String::new();
            for setting in grid.settings() {
                let line = setting.to_string();
                assert_eq!(line.parse::<Setting>().as_ref(), Ok(setting), "{line}");
                written = written + &line + "\n";
            }
            assert_eq!(written.parse().as_ref(), Ok(&grid), "it is written and read again");
            Outcome::sized(input.len(), 0, grid.settings().len())
        })
    },
    // A line represents all combinations of its values.
    max_bytes: 192,
    memory_free: 128 << 20,
    ..TARGET
};

/// Formats rows of texts as CSV.
fn csv<'a>(rows: impl IntoIterator<Item = Vec<&'a str>>) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        let row = row.into_iter().map(|field| format!("\"{}\"", field.replace('"', "\"\"")));
        out.extend((row.collect::<Vec<_>>().join(",") + "\n").bytes());
    }
    out
}

/// Classes of pages.
pub const CLASSES: Target = Target {
    name: "classes",
    reads: "a file of `--classes`: CSV of URLs with their classes",
    prepare: || {
        let seeds = [
            "url,class\n/a.html,guide\n\"/b,\"\"c\"\".html\", api \n",
            "\u{feff}Class;x\r\nmore,URL,class\r\n1,/a,\"b\nc\"\r\n",
            "class,url,title\na,/a,\nb,/b,t\n",
        ];
        begin(&seeds, |input| match classes(input) {
            Ok(found) => {
                let rows = found.iter().map(|(url, class)| vec![class.as_str(), url.as_str()]);
                let again = csv([vec!["class", "url"]].into_iter().chain(rows));
                assert_eq!(classes(&again).expect("it is written and read again"), found);
                Outcome::sized(input.len(), 0, found.len())
            }
            Err(error) => refused(input.len(), error),
        })
    },
    memory_of_byte: 256,
    ..TARGET
};

/// Terms that a model assigns to pages.
pub const GIVEN_TERMS: Target = Target {
    name: "given-terms",
    reads: "a file of `build --terms`, and its content written and read again",
    prepare: || {
        let seeds = [
            "{\"page\":\"/a.html\",\"term\":\"rye\",\"weight\":2}\n{\"page\":\"/b/\",\"term\":\"sour dough\",\"weight\":0.5}\n",
            "\n{\"weight\":1e-3,\"page\":\"/a\",\"term\":\"\\u00e9\"}\r\n{\"page\":\"a.html\",\"term\":\"x\",\"weight\":7.25,\"more\":[{}]}",
            "{\"page\":\"/none\",\"term\":\"\",\"weight\":0.0625}\n{\"page\":\"/c\",\"term\":\"\",\"weight\":3e38}\n",
        ];
        let place = tempfile::tempdir().expect("there is room");
        let path = place.path().join("terms");
        let read = move |bytes: &[u8]| {
            let _ = &place;
            fs::write(&path, bytes).expect("there is room");
            given_terms(&path, &PAGES)
        };
        begin(&seeds, move |input| {
            let mut found = match read(input) {
                Ok(found) => found,
                Err(error) => return refused(input.len(), error),
            };
            let lines = PAGES.iter().zip(&found).flat_map(|(page, terms)| {
                terms.iter().map(move |(term, weight)| {
                    assert!(weight.is_finite() && *weight > 0.0, "{term:?} weighs {weight}");
                    format!("{}\n", json!({"page": page, "term": term, "weight": weight}))
                })
            });
            let lines: Vec<String> = lines.collect();
            if !lines.is_empty() {
                let mut again =
                    read(lines.concat().as_bytes()).expect("it is written as it is read");
                for terms in found.iter_mut().chain(&mut again) {
                    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                }
                assert_eq!(again, found);
            }
            Outcome::sized(input.len(), 0, lines.len())
        })
    },
    ..TARGET
};

/// Vectors that a model assigns to pages.
pub const GIVEN_VECTORS: Target = Target {
    name: "given-vectors",
    reads: "a file of `build --embeddings`, and the nearest by it compared with all cosines",
    prepare: || {
        let seeds = [
            "{\"page\":\"/a.html\",\"vector\":[0.5,-1,2e-3]}\n{\"page\":\"/b/\",\"vector\":[1,0,0]}\n{\"page\":\"/c\",\"vector\":[0,0,0]}\n",
            "{\"vector\":[3e38,1e-45],\"page\":\"/c\"}\n\n{\"page\":\"/none\",\"vector\":[1,1]}\n{\"page\":\"/b\",\"vector\":[-3e38,1]}",
        ];
        let place = tempfile::tempdir().expect("there is room");
        let path = place.path().join("vectors");
        begin(&seeds, move |input| {
            let _ = &place;
            fs::write(&path, input).expect("there is room");
            let (cosines, nearest) = match given_vectors(&path, &PAGES) {
                Ok(found) => found,
                Err(error) => return refused(input.len(), error),
            };
            let mut pairs = 0;
            for (page, (row, nearest)) in cosines.iter().zip(&nearest).enumerate() {
                assert_eq!(row[page].is_some(), nearest.is_some());
                // Within the precision of 14 bits per element.
                assert!(row[page].is_none_or(|own| own.0 > Cosine::EQUAL.0 / 100 * 99), "{row:?}");
                let mut others: Vec<(u32, Cosine)> = Vec::new();
                for (other, &cosine) in (0..).zip(row) {
                    assert_eq!(cosine, cosines[other as usize][page]);
                    let is_near = other as usize != page && cosine.is_some_and(|it| it.0 > 0);
                    others.extend(cosine.filter(|_| is_near).map(|cosine| (other, cosine)));
                }
                others.sort_by_key(|&(_, cosine)| Reverse(cosine));
                pairs += others.len();
                assert_eq!(nearest.clone().unwrap_or_default(), others);
            }
            Outcome::sized(input.len(), 0, pairs)
        })
    },
    ..TARGET
};

/// Judgments of pairs.
pub const JUDGMENTS: Target = Target {
    name: "judgments",
    reads: "a file of judgments: CSV of pairs of a crawl's URLs, or of their clusters",
    prepare: || {
        let seeds = [
            "url,other_url,similar\nhttps://0.example/,https://1.example/,yes\nhttps://1.example/,https://2.example/#x,No\n",
            "cluster,url\na,https://0.example/\na,https://1.example\nb,https://3.example/\nb,/none\n",
            "similarity,url,other_url,similar\n0.5,https://4.example/,https://3.example/,1\n0.4,https://3.example/,https://4.example/,false\n",
        ];
        let files = Files::new(crawl);
        let mut crawl = CrawlFolder::open(&files.folder).expect("the crawl is sound");
        let urls = crawl.description().urls;
        let mut name = |number| crawl.url(number).expect("the crawl is sound").url;
        let names: Vec<String> = (0..urls).map(&mut name).collect();
        begin(&seeds, move |input| {
            let _ = &files;
            let (pairs, unknown) = match judgments(input, &mut crawl) {
                Ok(found) => found,
                Err(error) => return refused(input.len(), error),
            };
            assert!(pairs.is_sorted_by(|a, b| (a.u, a.v) < (b.u, b.v)), "{pairs:?}");
            assert!(pairs.iter().all(|pair| pair.u < pair.v && pair.v < urls), "{pairs:?}");
            let rows = pairs.iter().map(|pair| {
                let [u, v] = [pair.u, pair.v].map(|number| &*names[number as usize]);
                vec![v, if pair.similar { "TRUE" } else { "0" }, u]
            });
            let again = csv([vec!["url", "similar", "other_url"]].into_iter().chain(rows));
            let (twice, none) = judgments(&again, &mut crawl).expect("it is read again");
            assert_eq!((twice, none.urls, none.contradictory), (pairs.clone(), 0, 0));
            Outcome::sized(input.len(), unknown.contradictory.min(9) as u8, pairs.len())
        })
    },
    memory_of_byte: 512,
    memory_free: 1 << 20,
    ..TARGET
};

/// The pages where visitors start.
pub const RESET_VALUES: Target = Target {
    name: "reset-values",
    reads: "a file of `crawl rank --reset`: URLs with their values, and ranks by them",
    prepare: || {
        let seeds = [
            "url,value\nhttps://1.example/,2\nhttps://2.example,.5\n",
            "value,x,url\n1e3,,https://1.example/\n1,,https://1.example/\n",
            "url,value\nhttps://1.example/,1e308\nhttps://2.example/,1e308\n",
        ];
        let files = Files::new(folder_of_links);
        let mut links = LinkFolder::open(&files.folder).expect("the links are sound");
        begin(&seeds, move |input| {
            let _ = &files;
            let reset = match reset_values(input) {
                Ok(reset) => reset,
                Err(error) => return refused(input.len(), error),
            };
            let Reset::Urls(urls) = &reset else { panic!("{reset:?} of a file of URLs") };
            let values: Vec<String> = urls.iter().map(|(_, value)| value.to_string()).collect();
            let rows = urls.iter().zip(&values).map(|((url, _), value)| vec![&**value, &**url]);
            let again = csv([vec!["value", "url"]].into_iter().chain(rows));
            let again = reset_values(&again).expect("it is written and read again");
            assert_eq!(format!("{again:?}"), format!("{reset:?}"));
            let options = RankOptions::default().with(|options| {
                options.reset = again;
                options.threads = Some(1);
                options.max_iterations = 2;
            });
            let ranking = match rank(&mut links, &options, &Silent) {
                Ok(ranking) => ranking,
                Err(error) => return refused(input.len(), error),
            };
            let ranked = ranking.first(64, &links).expect("the links are sound");
            let sum: f64 = ranked.iter().map(|url| url.rank).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            Outcome::sized(input.len(), 0, urls.len())
        })
    },
    memory_of_byte: 512,
    memory_free: 4 << 20,
    short: 300,
    ..TARGET
};

/// Learned parameters.
pub const LEARNT: Target = Target {
    name: "learned",
    reads: "the result of `feedback`, for `cluster --feedback`",
    prepare: || {
        let seeds = [
            r#"{"format": "pagekin-feedback", "version": 1, "threshold": 0.31, "terms": [{"stem": "cooki", "word": "cookies", "factor": 0.25}]}"#,
            r#"{"format": "pagekin-feedback", "version": 1, "threshold": 2e-1, "terms": [{"stem": "\u00e9", "word": "", "factor": 4}, {"stem": "a", "word": "b", "factor": 1.5}], "more": [[{}]]}"#,
        ];
        begin(&seeds, |input| {
            let read = match learned(input) {
                Ok(read) => read,
                Err(error) => return refused(input.len(), error),
            };
            let factors = read.factors();
            assert!(factors.is_sorted_by(|a, b| a.0 < b.0), "{factors:?}");
            let bounds = TermFactor::MIN..=TermFactor::MAX;
            assert!(factors.iter().all(|(_, factor)| bounds.contains(factor)), "{factors:?}");
            let json: Json = serde_json::from_slice(input).expect("it is JSON");
            let terms = serde_json::from_value::<Vec<TermFactor>>(json["terms"].clone());
            let threshold = json["threshold"].as_f64().expect("a number");
            let again = LearnedWeights::file(threshold, &terms.expect("terms have factors"));
            assert_eq!(learned(again.as_bytes()).expect("it is read again"), read);
            Outcome::sized(input.len(), 0, factors.len())
        })
    },
    memory_of_byte: 256,
    ..TARGET
};
