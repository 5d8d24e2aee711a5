//! Indexes pages in memory, such as those of a content management system, and queries the index.
//!
//! ```console
//! $ cargo run -p pagekin-index --example index_in_memory
//! ```

use std::error::Error;
use std::io;
use std::path::PathBuf;

use pagekin_core::LookupOptions;
use pagekin_index::{Assets, BuildOptions, LocalIndex, build_pages};
use pagekin_pages::{PageSource, Silent, SourcePage};

/// URL, title and text of each page.
const PAGES: [(&str, &str, &str); 4] = [
    (
        "/bread/rye.html",
        "Rye bread",
        "Feed the rye starter the evening before, then bake the loaf in a tin.",
    ),
    (
        "/bread/wheat.html",
        "Wheat bread",
        "Feed the wheat starter in the morning and bake the loaf in a pot.",
    ),
    (
        "/garden/beans.html",
        "Runner beans",
        "Sow runner beans when the soil is warm, and give them poles to climb.",
    ),
    (
        "/garden/peas.html",
        "Peas",
        "Sow peas early: they like cool soil and climb a net rather than poles.",
    ),
];

/// A source of pages, which are read by number, from any thread.
struct Database;

impl PageSource for Database {
    fn count(&self) -> u64 {
        PAGES.len() as u64
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let (url, title, text) = PAGES[at as usize];
        Ok(SourcePage {
            url: url.to_owned(),
            title: title.to_owned(),
            lang: "en".to_owned(),
            text: text.to_owned(),
        })
    }

    fn name(&self, at: u64) -> PathBuf {
        PAGES[at as usize].0.into()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let output = place.path().join("index");
    let options = BuildOptions::new("", &output);
    let summary = build_pages(&options, &Database, &Assets::default(), &Silent)?;
    println!("{} pages, {} terms, {} bytes", summary.pages, summary.terms, summary.total_bytes());

    let mut index = LocalIndex::open(&output)?;
    for text in ["when do I feed the starter?", "poles for beans"] {
        println!("\n{text}");
        for kin in index.similar_to_text(text, "en", LookupOptions::default())?.results {
            println!("coverage {:3.0}%  {}  {}", 100.0 * kin.coverage, kin.url, kin.title);
        }
    }
    println!("\nsimilar to /bread/rye.html");
    for kin in index.similar_to_url("/bread/rye.html", LookupOptions::default())?.results {
        println!("{:4.0}% similar  {}", 100.0 * kin.similarity, kin.url);
    }
    Ok(())
}
