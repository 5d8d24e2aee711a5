//! Loads an index into memory and queries it for the pages that contain or resemble a text, as a
//! browser does.
//!
//! ```console
//! $ cargo run -p pagekin-core --example ask_an_index -- public/pagekin "could not connect"
//! ```
//!
//! Without arguments, the example queries an index of this repository's teaching site.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use pagekin_core::{
    Answer, FORMAT_VERSION, Index, Lookup, LookupOptions, MANIFEST_NAME, file_and_range,
    passage_of_text,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().map_or_else(teaching_index, PathBuf::from);
    let text = arguments.next().unwrap_or_else(|| "how to feed a sourdough starter".to_owned());

    let mut files = BTreeMap::new();
    load(&folder, "", &mut files)?;
    let manifest =
        files.get(MANIFEST_NAME).ok_or("expected the output folder of `pagekin build`")?;
    let mut index = Index::open(manifest)?;

    let answer = ask(&mut index, &files, &text)?;
    for result in &answer.results {
        let [coverage, similarity] = [result.coverage, result.similarity].map(|part| 100.0 * part);
        println!(
            "coverage {coverage:3.0}%, similarity {similarity:3.0}%  {}  {}",
            result.url, result.title
        );
    }
    let cost = answer.cost;
    println!("{} bytes in {} requests, {} rounds", cost.bytes, cost.requests, cost.rounds);

    // The passage comes from the text of the page, which is not in the index.
    let page = "Bread takes time. Feed the starter the evening before. Bake it in a lidded pot.";
    if let Some(passage) = passage_of_text(&index, &text, "en", page) {
        println!("in {page:?}: {}", passage.pieces.join("|"));
    }
    Ok(())
}

/// Supplies the shards that a lookup requests, until it returns an answer.
fn ask(
    index: &mut Index,
    files: &BTreeMap<String, Vec<u8>>,
    text: &str,
) -> Result<Answer, Box<dyn Error>> {
    let lookup = Lookup::from_text(index, text, "", LookupOptions::default())?;
    lookup.drive(index, |name| {
        let (file, range) = file_and_range(name);
        let bytes = files.get(file).ok_or_else(|| format!("{file} does not exist"))?;
        let part = match range {
            None => Some(&bytes[..]),
            Some(Range { start, end }) => bytes.get(start as usize..end as usize),
        };
        Ok(part.ok_or_else(|| format!("{file} is too short"))?.to_vec())
    })
}

/// Reads all files below `folder`, keyed by their paths with `/` between folders.
fn load(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            load(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn teaching_index() -> PathBuf {
    let own_folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let formats = Path::new(&own_folder).join("../../tests/formats");
    formats.join(FORMAT_VERSION.to_string())
}
