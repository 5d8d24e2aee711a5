//! The costs of publishing and querying an index, stored in `snapshots/costs.txt`, so that a change
//! that increases them shows in its diff. It contains no times, so it is the same on any machine.

use std::fmt::Display;
use std::path::Path;

use expect_test::expect_file;
use pagekin_core::LookupOptions;
use pagekin_index::{Assets, BuildOptions, Layout, LocalIndex};
use pagekin_pages::Silent;
use pagekin_tests::collection::Collection;
use pagekin_tests::measuring::asking::{Asked, Shards, kind_of, parts};
use pagekin_tests::measuring::queries::{draw, text_in_collection};
use pagekin_tests::measuring::spread::Spread;
use pagekin_tests::place::snapshot;

/// A number of pages that needs lists, and also tables for related pages.
const PAGES: u64 = 2_100;
const QUERIES: usize = 40;
/// Updates the snapshot after an intended change.
const ACCEPT: &str = "UPDATE_EXPECT=1 cargo test -p pagekin-tests --test site costs";

#[test]
fn an_index_and_its_queries_match_the_cost_snapshot() {
    let collection = Collection::new(PAGES, 1);
    let mut lines =
        vec![format!("# What an index of {PAGES} generated pages costs, by `{ACCEPT}`.")];
    // Related pages are the same files in both layouts.
    for (name, layout, related_count) in
        [("files", Layout::Files, BuildOptions::RELATED_COUNT), ("packs", Layout::Packs, 0)]
    {
        let place = tempfile::tempdir().expect("there is room for a folder");
        let out = place.path().join("out");
        let options = BuildOptions::new("", &out).with(|options| {
            options.layout = layout;
            options.related_count = related_count;
        });
        pagekin_index::build_pages(&options, &collection, &Assets::default(), &Silent)
            .expect("the pages can be indexed");
        lines.push(format!("\n## In {name}\n"));
        lines.extend(index(&out));
        lines.push(String::new());
        lines.extend(queries(&out, &collection));
        if related_count > 0 {
            lines.push(String::new());
            lines.extend(related(&out));
        }
    }
    expect_file!["../../snapshots/costs.txt"].assert_eq(&(lines.join("\n") + "\n"));
}

fn index(out: &Path) -> Vec<String> {
    let mut lines = vec![row("index", &["files", "bytes"])];
    for (kind, (files, bytes)) in parts(out).expect("the index can be listed") {
        lines.push(row(&kind, &[files, bytes]));
    }
    lines
}

fn queries(out: &Path, collection: &Collection) -> Vec<String> {
    let mut shards = Shards::open(out).expect("the index is sound");
    let records = LocalIndex::open(out).and_then(|folder| folder.records()).expect("it is sound");
    let urls = records.iter().map(|record| &*record.url);
    let stop = &shards.index.manifest().stop;
    let queries = draw(QUERIES, urls, stop, |url| text_in_collection(collection, url));
    let ask = |query| shards.ask(query, LookupOptions::default()).expect("the index is sound");
    let asked: Vec<Asked> = queries.expect("the pages are there").iter().map(ask).collect();

    let of_kind =
        |asked: &Asked, kind| asked.reads.by_kind.get(kind).map_or(0, |(bytes, _)| *bytes);
    let spread = |name: &str, of: &dyn Fn(&Asked) -> u64| {
        spread_row(name, Spread::new(asked.iter().map(of)))
    };
    vec![
        row(&format!("{QUERIES} queries"), &["median", "p90", "max"]),
        spread("bytes", &|asked| asked.reads.bytes()),
        spread("of lists", &|asked| of_kind(asked, "lists")),
        spread("of pages", &|asked| of_kind(asked, "pages")),
        spread("of sketches", &|asked| of_kind(asked, "sketches")),
        spread("requests", &|asked| asked.reads.requests()),
        spread("rounds", &|asked| asked.rounds),
    ]
}

/// The files that a page's script reads: the entry, and one shard.
fn related(out: &Path) -> Vec<String> {
    let files = snapshot(out);
    let sizes = |kind: &'static str| {
        let files =
            files.iter().filter(move |(name, _)| kind_of(name) == kind && !name.ends_with('/'));
        files.map(|(_, bytes)| bytes.len() as u64)
    };
    vec![
        row("related pages", &["median", "p90", "max"]),
        spread_row("bytes of the entry", Spread::new(sizes("kin"))),
        spread_row("of a shard", Spread::new(sizes("related"))),
    ]
}

fn spread_row(name: &str, Spread { median, p90, max }: Spread) -> String {
    row(name, &[median, p90, max])
}

fn row(name: &str, cells: &[impl Display]) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("{name:<18}{cells}")
}
