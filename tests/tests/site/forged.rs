//! An index that a mirror or another host forged, with valid checksums: every reader refuses page
//! URLs outside of the site.

use std::fs;
use std::path::Path;
use std::process::Command;

use pagekin_core::shard::{Kind, Manifest, PageBlock, PageSample, WrittenBlock, seal};
use pagekin_core::{LookupOptions, ReadError};
use pagekin_index::{FolderError, LocalIndex};
use pagekin_tests::checkout;
use pagekin_tests::place::{Place, html, on_index, words};

/// A text on the page of the site.
const TEXT: &str = "Feed the starter with flour and water";

/// None of these is the URL of a page below `https://site.example/docs/`.
const FORGED: [&str; 24] = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "\u{1}\u{9}javascript:alert(1)",
    "java\nscript:alert(1)",
    "javascript://site.example/docs/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "//evil.example/docs/",
    "\\\\evil.example/docs/",
    "/\\evil.example/docs/",
    "https:evil.example/docs/",
    "http://user@evil.example/docs/",
    "https://site.example@evil.example/docs/",
    "https://site.example.evil.example/docs/",
    "https://site.example/docs",
    "https://site.example/docs.evil/",
    "https://site.example/docs\\..\\logout",
    "https://site.example/docs/../logout",
    "https://site.example/docs/%2e%2E/logout",
    "https://site.example/docs/.%2e/logout",
    "https://site.example/docs/?logout",
    "https://site.example/docs/#logout",
    "https://site.example/docs/\tlogout",
    "http://site.example/docs/",
];

/// Builds an index of a few pages, one per block.
fn built(options: &[&str]) -> Place {
    let place = Place::empty();
    place.write("site/a.html", html("A", TEXT));
    place.write("site/b.html", html("B", &words(0, 60)));
    place.build(
        &[&["--base-url", "https://site.example/docs/", "--block-pages", "1"], options].concat(),
    );
    place
}

/// An index with its original blocks.
struct Sound {
    manifest: Manifest,
    blocks: Vec<PageBlock>,
}

impl Sound {
    fn read(out: &Path) -> Self {
        let folder = LocalIndex::open(out).expect("it is read");
        let manifest = folder.index().manifest().clone();
        let block = |number| folder.block(number).expect("it is sound");
        let blocks = (0..manifest.blocks.shards).map(block).collect();
        Self { manifest, blocks }
    }

    /// Rewrites the blocks so that all pages have this URL.
    fn forge(&self, out: &Path, url: &str) {
        for (number, block) in (0..).zip(&self.blocks) {
            let mut block = block.clone();
            block.0.iter_mut().for_each(|(_, page)| url.clone_into(&mut page.url));
            let payload = WrittenBlock::from(&block).encode(&self.manifest);
            write(out, &self.manifest, Kind::Pages, number, &payload);
        }
    }
}

fn write(out: &Path, manifest: &Manifest, kind: Kind, number: u32, payload: &[u8]) {
    let bytes = seal(kind, manifest.generation_of(kind, number), payload);
    fs::write(out.join(manifest.name(kind, number)), bytes).expect("it is written");
}

#[test]
fn forged_urls_are_damage_to_queries_and_verification() {
    let place = built(&[]);
    let ask = || {
        let mut folder = LocalIndex::open(&place.out()).expect("it is read");
        let answer = folder.similar_to_text(TEXT, "", LookupOptions::default());
        (answer, folder.verify())
    };
    let index = Sound::read(&place.out());
    for forged in FORGED {
        index.forge(&place.out(), forged);
        let (answer, verified) = ask();
        let is_damaged = |error: &FolderError| matches!(error, FolderError::Read(ReadError::Damaged { what, .. }) if what.contains("below the base address"));
        assert!(answer.as_ref().is_err_and(is_damaged), "{forged}: {answer:?}");
        assert!(verified.as_ref().is_err_and(is_damaged), "{forged}: {verified:?}");
    }
    // This shows that the test itself works: a URL of the site is accepted.
    index.forge(&place.out(), "https://site.example/docs/javascript:alert(1)");
    assert_eq!(ask().0.expect("it answers").results.len(), 1);
}

#[test]
fn the_command_line_names_the_forged_file() {
    let place = built(&[]);
    let index = Sound::read(&place.out());
    index.forge(&place.out(), "javascript:alert(1)");
    let name = index.manifest.name(Kind::Pages, 0);
    let message = [name.as_str(), "addresses below the base address of the index"];
    place.try_similar_to(TEXT, &[]).failed_with(&message);
    place.on_index("inspect", &["--verify"]).failed_with(&message);
}

#[test]
fn forged_samples_are_damage() {
    let place = built(&[]);
    let folder = LocalIndex::open(&place.out()).expect("it is read");
    let manifest = folder.index().manifest();
    let sample = PageSample(vec![("javascript:alert(1)".to_owned(), "A".to_owned())]);
    write(&place.out(), manifest, Kind::Sample, 0, &sample.encode());
    let name = manifest.name(Kind::Sample, 0);
    place.on_index("inspect", &["--verify"]).failed_with(&[&name, "addresses below"]);
}

#[test]
fn a_mirror_with_forged_urls_is_found() {
    let place = built_on_mirrors();
    place.on_index("inspect", &["--verify"]).ok();
    let (mirror, out) = (place.out().join("mirrors/2"), place.out());
    let index = Sound::read(&out);
    index.forge(&mirror, "javascript:alert(1)");
    let name = index.manifest.name(Kind::Pages, 0);
    on_index("inspect", &out, &["--verify"]).failed_with(&[&name]);
}

fn built_on_mirrors() -> Place {
    let place = Place::empty();
    place.write("site/a.html", html("A", TEXT));
    place.write(
        "mirrors.toml",
        "[[host]]\nurl = \"https://a.org/\"\n[[host]]\nurl = \"https://b.org/\"\n",
    );
    let mirrors = place.path("mirrors.toml");
    place.build(&["--mirrors", mirrors.to_str().expect("a path in UTF-8")]);
    place
}

#[test]
fn base_urls_that_run_scripts_or_leave_the_host_are_refused() {
    let place = Place::with_pages(1);
    for base in
        ["javascript:alert(1)", "//evil.example/", "/\\evil/", "https://", "/docs/../", "docs/"]
    {
        place
            .try_build(&["--base-url", base])
            .misused_saying(&["--base-url", "a path such as /docs/"]);
    }
}

#[test]
fn the_second_reader_refuses_forged_urls() {
    let place = built(&[]);
    let reader = checkout::of_tests("second_reader").join("read.py");
    let check = || Command::new("python3").arg(&reader).arg(place.out()).arg("--check").output();
    let Ok(sound) = check() else { return };
    assert!(sound.status.success(), "{}", String::from_utf8_lossy(&sound.stderr));
    let index = Sound::read(&place.out());
    for forged in FORGED {
        index.forge(&place.out(), forged);
        let refused = check().expect("python3 runs");
        let complaint = String::from_utf8_lossy(&refused.stderr);
        assert!(complaint.contains("URLs outside of the site"), "{forged}: {complaint}");
    }
}
