//! A bundle that works from disk, and an output that visitors can keep: the files written, and the
//! options refused. `browser/` tests how browsers use them.

use std::fs;

use pagekin_index::{AssetFile, Assets, BuildError, BuildOptions, build_pages};
use pagekin_pages::{OptionError, PageSource, Silent, SourcePage};
use pagekin_tests::place::{Place, snapshot};
use pagekin_tests::program::pagekin;

#[test]
fn a_failed_build_keeps_the_earlier_bundle() {
    let place = Place::with_pages(5);
    let file = place.path("find.html");
    let path = file.to_str().expect("tests use UTF-8");
    let summary = place.build(&["--offline-bundle", path]);
    let size = summary.offline_bundle.expect("it was requested");
    let earlier = fs::read(&file).expect("it is written");
    assert_eq!(size.bytes, earlier.len() as u64);
    assert!(size.text_bytes > 0 && size.text_bytes < size.bytes);

    place.write("out/notes.txt", "mine");
    place.write("site/new.html", "<title>New</title><main>kestrel</main>");
    place.try_build(&["--offline-bundle", path]).failed_with(&["refusing to overwrite"]);
    assert_eq!(fs::read(&file).expect("it is there"), earlier);
    fs::remove_file(place.path("out/notes.txt")).expect("it is there");
    assert_eq!(place.build(&["--offline-bundle", path]).pages, 6);
    assert!(fs::read(&file).expect("it is written") != earlier);
    assert_eq!(place.entries(), ["find.html", "out", "site"]);
}

#[test]
fn a_bundle_is_deterministic_and_not_a_page_of_the_site() {
    let place = Place::with_pages(20);
    let file = place.path("site/find.html");
    let path = file.to_str().expect("tests use UTF-8");
    place.build(&["--offline-bundle", path, "--threads", "1"]);
    let first = fs::read(&file).expect("it is written");
    let again = place.build(&["--offline-bundle", path]);
    assert_eq!((again.pages, again.skipped("noindex")), (20, 1));
    assert!(fs::read(&file).expect("it is written") == first);
}

#[test]
fn invalid_places_are_refused() {
    let place = Place::with_pages(3);
    let out = place.out().join("find.html");
    let out = out.to_str().expect("tests use UTF-8");
    place.try_build(&["--offline-bundle", out]).failed_with(&["find.html", "is in the output"]);
    let site = place.site();
    let site = site.to_str().expect("tests use UTF-8");
    place.try_build(&["--offline-bundle", site]).failed_with(&["found a folder"]);
    assert_eq!(place.entries(), ["site"]);
    pagekin(["build", "--from", "crawl", "-o", "out", "--offline-bundle", "x.html"]).failed(2);
}

struct Pages(u64);

impl PageSource for Pages {
    fn count(&self) -> u64 {
        self.0
    }

    fn page(&self, at: u64) -> std::io::Result<SourcePage> {
        let text = format!("kestrel meadow {}", pagekin_tests::place::words(at as u32 % 50, 3));
        let (url, title, lang) = (format!("/{at}.html"), String::new(), "en".to_owned());
        Ok(SourcePage { url, title, lang, text })
    }

    fn name(&self, at: u64) -> std::path::PathBuf {
        at.to_string().into()
    }
}

#[test]
fn too_many_pages_for_a_bundle_are_refused_before_anything_is_written() {
    let place = Place::empty();
    let options = BuildOptions::new("", place.out())
        .with(|options| options.offline_bundle = Some(place.path("find.html")));
    let refused = build_pages(&options, &Pages(2_001), &Assets::default(), &Silent);
    assert!(
        matches!(refused, Err(BuildError::BundleTooLarge { found: 2_001, most: 2_000 })),
        "{refused:?}"
    );
    assert_eq!(place.entries(), ["site"]);
}

#[test]
fn the_offline_list_names_each_file_with_its_size() {
    let place = Place::with_pages(30);
    place.build(&[
        "--pages",
        "offline",
        "--related-json",
        "--components",
        "box,related,duplicates",
    ]);
    let list = fs::read(place.out().join("offline.json")).expect("it is written");
    let list: serde_json::Value = serde_json::from_slice(&list).expect("it is JSON");
    let files = list["files"].as_array().expect("it is a list");
    let output = snapshot(&place.out());
    let mut bytes = 0;
    for file in files {
        let name = file[0].as_str().expect("it has a name");
        let size = output.get(name).unwrap_or_else(|| panic!("{name} is not there")).len() as u64;
        assert_eq!(file[1], size, "{name}");
        bytes += size;
    }
    assert_eq!(list["bytes"], bytes);
    assert_eq!(list["pages"], 30);
    let kept = |name: &str| files.iter().any(|file| file[0] == name);
    for name in output.keys().filter(|name| !name.ends_with('/')) {
        let related = name.contains("/related/") || name.contains("related");
        let element =
            ["box.js", "duplicates.js"].contains(&name.as_str()) || name.starts_with("strings/");
        let top_level =
            ["offline.json", "offline-worker.js", "pagekin.basis", "pagekin.files", "pagekin.kin"];
        let left_out =
            related || element || top_level.contains(&name.as_str()) || name.ends_with(".d.ts");
        assert_eq!(kept(name), !left_out, "{name}");
    }
    let demo = String::from_utf8_lossy(&output["index.html"]).into_owned();
    assert_eq!(demo.matches("offline.js").count(), 1);
    place.on_index("inspect", &["--verify"]).ok();

    // Another client means another version, even of the same index.
    let generation = list["generation"].clone();
    place.build(&["--related-json"]);
    assert!(!place.out().join("offline.json").exists());
    assert!(!place.out().join("index.html").exists());
    place.build(&["--pages", "offline"]);
    let again = fs::read(place.out().join("offline.json")).expect("it is written");
    let again: serde_json::Value = serde_json::from_slice(&again).expect("it is JSON");
    assert_eq!(again["generation"], generation);
}

#[test]
fn a_program_built_without_the_client_reports_it() {
    let place = Place::empty();
    let html = AssetFile { path: "index.html", bytes: b"<head></head>" };
    let assets = Assets { always: &[html], ..Assets::default() };
    let options = BuildOptions::new("", place.out()).with(|options| options.offline = true);
    let refused = build_pages(&options, &Pages(60), &assets, &Silent);
    assert!(
        matches!(refused, Err(BuildError::Option(OptionError { option: "offline", .. }))),
        "{refused:?}"
    );
}
