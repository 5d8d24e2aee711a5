//! The kin of each page into the files that tell of them: shards by address and their entry for a
//! page's script, and `related.json` for a site's generator.
//!
//! They are gzip'ed JSON, not shards like the rest of the index, because what reads them is a
//! page's own few lines of JavaScript, without the core. FORMAT.md describes them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::BuildError;
use crate::index::related_pages::Kin;
use crate::index::vocabulary::WeighedPage;
use crate::index_folder::related_shard::{ENTRY_NAME, Entry, Shard, base_of, shard_of};
use crate::output::files::write_files;
use crate::output::part::Part;

/// The name of the file for site generators.
pub(crate) const JSON_NAME: &str = "related.json";

/// `shards` shards of pages in the order of their kin, by number.
pub(crate) fn encode(
    pages: &[&WeighedPage],
    kin: &[Vec<Kin>],
    base_url: &str,
    shards: u32,
) -> Vec<Vec<u8>> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); shards as usize];
    for (at, page) in pages.iter().enumerate() {
        let shard = shard_of(&page.url, shards);
        members[shard as usize].push(at);
    }
    let base = base_of(base_url);
    let below = |page: &'_ WeighedPage| {
        page.url.len() - page.url.strip_prefix(&base).unwrap_or(&page.url).len()
    };
    members
        .into_par_iter()
        .map(|members| {
            let shard: Shard<'_> = members
                .into_iter()
                .map(|at| {
                    let row = |kin: &Kin| {
                        let page = pages[kin.page as usize];
                        (&page.url[below(page)..], page.title.as_str(), kin.cosine.thousandths())
                    };
                    let page = pages[at];
                    (&page.url[below(page)..], kin[at].iter().map(row).collect())
                })
                .collect();
            let json = serde_json::to_vec(&shard).expect("texts and numbers are JSON");
            // Without a name and a time, so that the same pages make the same bytes.
            let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
            gzip.write_all(&json).and_then(|()| gzip.finish()).expect("memory takes everything")
        })
        .collect()
}

/// Writes shards and their entry into an output.
pub(crate) fn write(entry: &Entry, shards: &[Vec<u8>], into: &Path) -> Result<Part, BuildError> {
    let json = serde_json::to_vec(entry).expect("texts and numbers are JSON");
    let files = entry.names().zip(shards.iter().map(Vec::as_slice));
    write_files("related", files.chain([(ENTRY_NAME.to_owned(), json.as_slice())]), into)
}

/// Writes [`JSON_NAME`] into an output, a page a line in the order of the addresses.
pub(crate) fn write_json(
    pages: &[&WeighedPage],
    kin: &[Vec<Kin>],
    into: &Path,
) -> Result<Part, BuildError> {
    let path = into.join(JSON_NAME);
    let written = (|| {
        let mut out = BufWriter::new(File::create(&path)?);
        let mut order: Vec<usize> = (0..pages.len()).collect();
        order.sort_unstable_by_key(|&at| &pages[at].url);
        for (line, at) in order.into_iter().enumerate() {
            out.write_all(if line == 0 { b"{\n" } else { b",\n" })?;
            serde_json::to_writer(&mut out, &pages[at].url)?;
            out.write_all(b":")?;
            let row = |kin: &Kin| {
                let WeighedPage { url, title, .. } = pages[kin.page as usize];
                JsonKin { url, title, similarity: f64::from(kin.cosine.thousandths()) / 1_000.0 }
            };
            serde_json::to_writer(&mut out, &kin[at].iter().map(row).collect::<Vec<_>>())?;
        }
        out.write_all(b"\n}\n")?;
        out.flush()?;
        Ok::<u64, io::Error>(out.get_ref().metadata()?.len())
    })();
    let bytes = written.map_err(BuildError::io("write", &path))?;
    Ok(Part { name: JSON_NAME, files: 1, bytes })
}

#[derive(Serialize)]
struct JsonKin<'a> {
    url: &'a str,
    title: &'a str,
    similarity: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::profiles::Cosine;
    use flate2::bufread::GzDecoder;
    use rustc_hash::FxHashSet;
    use std::io::Read;

    #[test]
    fn a_shard_is_read_as_it_was_written_and_otherwise_refused() {
        let page = |url: &str| WeighedPage {
            url: url.to_owned(),
            title: format!("Title of {url}"),
            ..WeighedPage::default()
        };
        let pages = [page("/docs/a.html"), page("/docs/"), page("/docs/b/")];
        let stored: Vec<_> = pages.iter().collect();
        let kin = |page, thirds| Kin { page, cosine: Cosine(Cosine::EQUAL.0 / 3 * thirds) };
        let kin = [vec![kin(1, 2), kin(2, 1)], vec![kin(0, 2)], vec![]];
        let shards = encode(&stored, &kin, "/docs", 1);
        let mut json = String::new();
        GzDecoder::new(&shards[0][..]).read_to_string(&mut json).unwrap();
        let expected = r#"{"":[["a.html","Title of /docs/a.html",667]],"a.html":[["","Title of /docs/",667],["b/","Title of /docs/b/",333]],"b/":[]}"#;
        assert_eq!(json, expected);

        let entry = Entry::new(1, "/docs", 1);
        let urls: FxHashSet<_> = pages.iter().map(|page| page.url.clone()).collect();
        let check = |bytes: &[u8], urls| entry.check_shard(0, "x.kin", bytes, urls);
        assert_eq!(check(&shards[0], &urls), Ok(3));
        let fewer: FxHashSet<_> = urls.iter().filter(|url| *url != "/docs/b/").cloned().collect();
        assert!(check(&shards[0], &fewer).is_err());
        assert!(check(&shards[0][..shards[0].len() - 1], &urls).is_err());
        assert!(check(&[&shards[0][..], b"x"].concat(), &urls).is_err());
        assert!(check(expected.as_bytes(), &urls).is_err());
    }
}
