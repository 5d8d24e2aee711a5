//! Related pages: the shards that a page's script reads and `related.json`, against the bags of all
//! pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use pagekin_build::index_folder::Folder;
use pagekin_core::similarity::Overlap;
use pagekin_tests::place::{Place, html, snapshot, teaching_site, words};
use pagekin_tests::program::{arguments, pagekin};
use serde::Deserialize;
use serde_json::{Value, json};

/// `related.json`, and what the shards say put in the same shape.
type Related = BTreeMap<String, Vec<Kin>>;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kin {
    url: String,
    title: String,
    similarity: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: u32,
    generation: String,
    base: String,
    shards: u32,
    revised: BTreeMap<String, Vec<u32>>,
}

/// Builds the teaching site and reads what is in `related.json`.
fn build(place: &Place, options: &[&str]) -> Related {
    let (site, out) = (teaching_site(), place.out());
    let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
    pagekin(arguments(first, &[options, &["--related", "json", "--quiet"]].concat())).ok();
    let json = fs::read_to_string(out.join("related.json")).expect("it was asked for");
    serde_json::from_str(&json).expect("it has the shape of `Related`")
}

fn entry(out: &Path) -> Entry {
    let json = fs::read_to_string(out.join("pagekin.kin")).expect("it is written");
    serde_json::from_str(&json).expect("it has the shape of `Entry`")
}

/// Looks a page up as a page's script does.
fn look_up(out: &Path, url: &str) -> Option<Vec<Kin>> {
    let Entry { generation, base, shards, revised, .. } = entry(out);
    let hash = url
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    let number = hash % shards;
    let revised = revised.into_iter().find(|(_, numbers)| numbers.contains(&number));
    let generation = revised.map_or(generation, |(generation, _)| generation);
    let name = format!("index/{generation}/related/{:02}/{number:04}.kin", number / 500);
    let bytes = fs::read(out.join(name)).expect("the index has it");
    let mut json = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut json).expect("it is a gzip file");
    let mut shard: BTreeMap<String, Vec<(String, String, u32)>> =
        serde_json::from_str(&json).expect("it is a shard");
    let kin = shard.remove(url.strip_prefix(&base)?)?;
    let kin = kin.into_iter().map(|(url, title, thousandths)| Kin {
        url: base.clone() + &url,
        title,
        similarity: f64::from(thousandths) / 1_000.0,
    });
    Some(kin.collect())
}

/// The truth, from the bags of all pages.
fn brute_force(out: &Path, most: usize) -> Related {
    let records = Folder::open(out).and_then(|folder| folder.records()).expect("it is sound");
    let kin_of = |page: usize| {
        let similarity =
            |other: usize| Overlap::of(&records[page].bag, &records[other].bag).jaccard();
        let mut all: Vec<_> = (0..records.len())
            .filter(|&other| other != page)
            .map(|other| (similarity(other), other))
            .filter(|&(similarity, _)| similarity >= 0.05)
            .collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let kin = all.into_iter().take(most).map(|(similarity, other)| Kin {
            url: records[other].url.clone(),
            title: records[other].title.clone(),
            similarity: (similarity * 1_000.0).round() / 1_000.0,
        });
        (records[page].url.clone(), kin.collect())
    };
    (0..records.len()).map(kin_of).collect()
}

#[test]
fn related_pages_are_the_most_similar_of_all() {
    let place = Place::empty();
    for (options, most) in [(&[][..], 5), (&["--related-count", "2"], 2)] {
        let related = build(&place, options);
        assert_eq!(related, brute_force(&place.out(), most), "{options:?}");
        assert!(related.values().any(|kin| kin.len() == most), "{options:?}");
    }
}

#[test]
fn every_page_is_found_in_its_shard_with_the_same_kin() {
    let place = Place::empty();
    for base in ["/", "/docs", "https://example.org/docs/"] {
        let related = build(&place, &["--base-url", base]);
        assert!(entry(&place.out()).shards > 1);
        for (url, kin) in &related {
            assert!(url.starts_with(base), "{url} is below {base}");
            assert_eq!(look_up(&place.out(), url).as_ref(), Some(kin), "{url} below {base}");
        }
        assert_eq!(look_up(&place.out(), "/none.html"), None);
    }
}

#[test]
fn copies_are_kin_of_similarity_one() {
    let related = build(&Place::empty(), &[]);
    let kin = &related["/kitchen/bread/sourdough.html"][0];
    assert_eq!((&kin.url[..], kin.similarity), ("/archive/mirror/sourdough.html", 1.0));
}

#[test]
fn the_entry_says_where_the_shards_are() {
    let place = Place::with_pages(100);
    let summary = place.build(&["--base-url", "/docs"]);
    let Entry { format, generation, base, shards, revised } = entry(&place.out());
    assert_eq!((format, generation, &base[..], shards), (1, summary.generation, "/docs/", 2));
    assert_eq!(revised, BTreeMap::new());
    let part = summary.parts.iter().find(|part| part.name == "related").expect("it was written");
    assert_eq!(part.files, 3);
}

#[test]
fn the_file_for_generators_has_a_page_a_line_in_order_and_is_not_written_unasked() {
    let place = Place::with(&[
        ("b.html", "<title>B \"b\"</title><main>kestrels hover above meadows</main>"),
        ("a.html", "<title>A</title><main>kestrels hover above meadows</main>"),
        ("c.html", "<title>C</title><main>lighthouse keepers</main>"),
    ]);
    place.build(&[]);
    assert!(!place.out().join("related.json").exists());
    place.build(&["--related", "json"]);
    let expected = r#"{
"/a.html":[{"url":"/b.html","title":"B \"b\"","similarity":1.0}],
"/b.html":[{"url":"/a.html","title":"A","similarity":1.0}],
"/c.html":[]
}
"#;
    assert_eq!(fs::read_to_string(place.out().join("related.json")).expect("it is"), expected);
    // It is a file of the index, which the next build may replace.
    place.build(&[]);
    assert!(!place.out().join("related.json").exists());
}

#[test]
fn a_changed_page_rewrites_the_shards_that_name_it_and_no_others() {
    let place = Place::with_pages(500);
    place.build(&["--related", "json"]);
    let first = entry(&place.out());
    let out = place.out().display().to_string();
    place.write("site/0007.html", html("Page 7", &words(305, 40)));
    place.build(&["--related", "json", "--previous", &out]);
    let second = entry(&place.out());
    assert_eq!((&first.generation, first.shards), (&second.generation, second.shards));
    let revised = second.revised.values().map(Vec::len).sum::<usize>();
    assert!((1..second.shards as usize).contains(&revised), "{second:?}");
    place.on_index("inspect", &["--verify"]).ok();
    let json = fs::read_to_string(place.out().join("related.json")).expect("it was asked for");
    let related: Related = serde_json::from_str(&json).expect("it has the shape of `Related`");
    assert_eq!(related, brute_force(&place.out(), 5));
    for (url, kin) in &related {
        assert_eq!(look_up(&place.out(), url).as_ref(), Some(kin), "{url}");
    }
}

#[test]
fn related_pages_can_be_left_out() {
    let place = Place::with_pages(100);
    let summary = place.build(&["--related-count", "0"]);
    let of_them = |name: &String| name.contains("related/") || name.ends_with(".kin");
    assert!(!snapshot(&place.out()).keys().any(of_them));
    assert!(summary.parts.iter().all(|part| !part.name.starts_with("related")));
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Place::with_pages(3);
    let refused = place.try_build(&["--related-count", "17"]).failed(2);
    assert!(refused.contains("0..=16"), "{refused}");
    let refused = place.try_build(&["--related", "xml"]).failed(2);
    assert!(refused.contains("[possible values: json]"), "{refused}");
    let both = place.try_build(&["--related", "json", "--related-count", "0"]);
    both.failed_saying(&["related-count is 0", "at least 1 if related pages are asked for"]);
}

#[test]
fn verify_finds_what_is_wrong_with_related_pages() {
    let place = Place::with_pages(100);
    let generation = place.build(&[]).generation;
    let shard = |number| format!("index/{generation}/related/00/{number:04}.kin");
    let sound = snapshot(&place.out());
    place.on_index("inspect", &["--verify"]).ok();
    let entry = |key: &str, value: Value| {
        let mut entry: Value = serde_json::from_slice(&sound["pagekin.kin"]).expect("it is JSON");
        entry[key] = value;
        entry.to_string().into_bytes()
    };
    let cases = [
        (shard(0), sound[&shard(1)].clone(), "addresses belong into this shard"),
        (shard(0), b"<!doctype html>".to_vec(), "a gzip file"),
        (shard(1), sound[&shard(1)][..40].to_vec(), "a gzip file"),
        ("pagekin.kin".to_owned(), b"{}".to_vec(), "an entry as JSON"),
        ("pagekin.kin".to_owned(), entry("generation", json!("0".repeat(16))), "of this index"),
        ("pagekin.kin".to_owned(), entry("shards", json!(3)), "addresses belong into this shard"),
        ("pagekin.kin".to_owned(), entry("shards", json!(1)), "every page of the index"),
    ];
    for (name, bytes, says) in cases {
        place.write(&format!("out/{name}"), bytes);
        place
            .on_index("inspect", &["--verify"])
            .failed_saying(&[&name.replace("pagekin.kin", ""), says]);
        place.write(&format!("out/{name}"), &sound[&name]);
    }
    fs::remove_file(place.out().join(shard(1))).expect("it is there");
    place.on_index("inspect", &["--verify"]).failed_saying(&["related/00/0001.kin"]);
}
