//! The stages beside [`cluster()`](crate::crawl::cluster()), with an engine of a few lines that brings rows
//! together in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use pagekin_core::hash::SplitMix64;
use serde_json::Value;
use tempfile::TempDir;

use super::*;
use crate::crawl::{ClusterOptions, Input, cluster};
use crate::crawl_folder::{BagSource, CrawlFolder, StoredPair};
use crate::progress::Silent;
use crate::stage::rows::{Row, Rows};

/// Rows as an IPC stream, some in each batch.
pub(crate) fn stream(rows: &[Row], is_numbered: bool) -> Vec<u8> {
    rows::tests::stream(rows, is_numbered)
}

/// What a stage makes of a stream: rows, and what it reports.
pub(crate) fn run(stage: &Stage, input: Vec<u8>) -> Result<(Vec<Row>, Value), StageError> {
    let mut output = Vec::new();
    stage.run(Cursor::new(input), &mut output, 1, &Assets::default())?;
    let mut rows = Rows::open(Cursor::new(output), false)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(row);
    }
    let report = all.pop().filter(Row::is_report).expect("a report comes last");
    Ok((all, serde_json::from_slice(&report.bytes).expect("it is JSON")))
}

/// An engine: it deals rows out to `tasks` tasks, by their bucket or as they come, in another order
/// than they came, and checks what tasks report.
pub(crate) struct Engine {
    tasks: usize,
    stream: SplitMix64,
    others: BTreeMap<String, u64>,
}

impl Engine {
    pub(crate) fn new(tasks: usize) -> Self {
        Self { tasks, stream: SplitMix64::new(7), others: BTreeMap::new() }
    }

    pub(crate) fn run(&mut self, stage: &Stage, rows: &[&[Row]], by_bucket: bool) -> Vec<Row> {
        let is_numbered = matches!(
            stage,
            Stage::Sign(_) | Stage::Index(IndexStep::Pages(_) | IndexStep::Stretches { .. })
        );
        let mut tasks = vec![Vec::new(); self.tasks];
        let mut taken = BTreeMap::<Box<str>, u64>::new();
        for row in rows.iter().copied().flatten() {
            let task = if by_bucket { row.bucket as u32 } else { self.stream.below(100) };
            tasks[task as usize % self.tasks].push(row.clone());
            *taken.entry(row.kind.clone()).or_default() += row.records;
        }
        let mut all = Vec::new();
        for mut task in tasks {
            task.sort_by_cached_key(|_| self.stream.next_u64());
            if by_bucket {
                task.sort_by(|a, b| (a.bucket, &a.kind, a.part).cmp(&(b.bucket, &b.kind, b.part)));
            }
            let (rows, report) = run(stage, stream(&task, is_numbered)).unwrap();
            for (kind, records) in report["in"].as_object().unwrap() {
                *taken.get_mut(kind.as_str()).unwrap() -= records.as_u64().unwrap();
            }
            for (name, of_kind) in report["out"].as_object().unwrap() {
                assert_eq!(of_kind.as_u64(), Some(records(&kind(&rows, name))), "{name}");
            }
            for (what, n) in report.as_object().unwrap() {
                *self.others.entry(what.clone()).or_default() += n.as_u64().unwrap_or(0);
            }
            all.extend(rows);
        }
        assert!(taken.values().all(|&left| left == 0), "{taken:?}");
        all
    }
}

pub(crate) fn kind(rows: &[Row], kind: &str) -> Vec<Row> {
    rows.iter().filter(|row| &*row.kind == kind).cloned().collect()
}

pub(crate) fn records(rows: &[Row]) -> u64 {
    rows.iter().map(|row| row.records).sum()
}

/// Pages as an IPC stream.
pub(crate) fn pages_stream(pages: &[(String, String)]) -> Vec<u8> {
    let column = |of: fn(&(String, String)) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(pages.iter().map(of)))
    };
    let field = |name| Field::new(name, DataType::Utf8, true);
    let schema = Arc::new(Schema::new(vec![field("url"), field("text")]));
    let columns = vec![column(|page| &page.0), column(|page| &page.1)];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut bytes = Vec::new();
    let mut stream = StreamWriter::try_new(&mut bytes, &schema).unwrap();
    stream.write(&batch).unwrap();
    stream.finish().unwrap();
    drop(stream);
    bytes
}

/// Two numbers and a similarity in thousandths.
type Found = BTreeSet<(u32, u32, u16)>;

/// What was found of some pages.
#[derive(Debug, PartialEq, Eq)]
struct Clustered {
    /// Those of twins apart.
    pairs: Found,
    twins: BTreeSet<(u32, u32)>,
    /// Of each URL that is not alone.
    centers: BTreeMap<u32, u32>,
}

/// By the stages, after so many rounds of CENTER at most.
fn by_stages(
    pages: &[(String, String)],
    tasks: usize,
    bucket_bytes: u64,
    rounds: u32,
) -> (Clustered, Engine) {
    let mut engine = Engine::new(tasks);
    let options = FragmentOptions::new(64).with(|options| options.bags = BagSource::Content);
    let mut fragments = Vec::new();
    for part in pages.chunks(pages.len().div_ceil(tasks)) {
        fragments.extend(run(&Stage::Fragments(options.clone()), pages_stream(part)).unwrap().0);
    }
    let collapsed = engine.run(&Stage::Collapse, &[&fragments], true);
    let (urls, terms) = (kind(&collapsed, "urls"), kind(&collapsed, "terms"));
    let spoken_of = records(&urls) as u32;
    let frequencies = engine.run(&Stage::Frequencies { spoken_of }, &[&terms], true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frequencies");
    let bytes: Vec<u8> = frequencies.iter().flat_map(|row| row.bytes.clone()).collect();
    std::fs::write(&path, bytes).unwrap();
    let mut bags = engine.run(&Stage::Bags(BagOptions::new(spoken_of, path)), &[&urls], false);
    bags.sort_by_key(|row| (row.bucket, row.part));
    let mut first = 0;
    for row in &mut bags {
        row.first = first;
        first += row.records;
    }
    let signed = engine.run(&Stage::Sign(SignOptions::new(16)), &[&bags], false);
    let different = engine.run(&Stage::Twins(Preset::Web), &[&signed], true);
    let [twins, rows, groups] = ["twins", "rows", "groups"].map(|name| kind(&different, name));
    let sample = SampleOptions::new(records(&rows));
    let sampled = engine.run(&Stage::Sample(sample), &[&rows], false);
    let mut options = PlanOptions::new(records(&rows));
    options.bucket_bytes = bucket_bytes;
    let (plan, _) = run(&Stage::Plan(options), stream(&sampled, false)).unwrap();
    let plan = String::from_utf8(plan[0].bytes.clone()).unwrap();
    let keys = engine.run(&Stage::Keys { plan: plan.clone() }, &[&rows], false);
    let candidates = engine.run(&Stage::Pairs { plan }, &[&keys], true);
    let met = engine.run(&Stage::Meet(Threshold::PAPER), &[&candidates, &groups], true);
    let halves = kind(&met, "halves");
    let verified = engine.run(&Stage::Verify(Threshold::PAPER), &[&halves, &groups], true);
    let mut found = Found::new();
    for row in kind(&met, "pairs").iter().chain(&verified) {
        for &[a, b, c, d, e, f, g, h, i, j] in row.fixed("pairs").unwrap() {
            let (u, v) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            assert!(u < v && found.insert((u, v, u16::from_le_bytes([i, j]))), "{u} {v} twice");
        }
    }
    let two = |&[a, b, c, d, e, f, g, h]: &[u8; 8]| {
        (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
    };
    let begun = [kind(&met, "pairs"), verified, twins.clone()].concat();
    let edges = engine.run(&Stage::Edges, &[&begun], false);
    let mut step = engine.run(&Stage::Center(CenterStep::Begin), &[&edges], true);
    let mut centers = kind(&step, "centers");
    for _ in 0..rounds {
        let (live, messages) = (kind(&step, "live"), kind(&step, "messages"));
        if live.is_empty() {
            break;
        }
        step = engine.run(&Stage::Center(CenterStep::Round), &[&live, &messages], true);
        centers.extend(kind(&step, "centers"));
    }
    let (live, messages) = (kind(&step, "live"), kind(&step, "messages"));
    engine.tasks = 1;
    centers.extend(engine.run(&Stage::Center(CenterStep::Rest), &[&live, &messages], true));
    let centers = engine.run(&Stage::Clusters, &[&centers, &twins], true);
    let centers =
        centers.iter().flat_map(|row| row.fixed("centers").unwrap().iter().map(two)).collect();
    let twins = twins.iter().flat_map(|row| row.fixed("twins").unwrap().iter().map(two)).collect();
    (Clustered { pairs: found, twins, centers }, engine)
}

/// The folder of a crawl of these pages, by one machine.
pub(crate) fn clustered(pages: &[(String, String)]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("pages.jsonl");
    let line = |(url, text): &(String, String)| serde_json::json!({ "url": url, "text": text });
    let lines: Vec<String> = pages.iter().map(|page| line(page).to_string()).collect();
    std::fs::write(&input, lines.join("\n")).unwrap();
    let output = tempfile::tempdir().unwrap();
    let mut options = ClusterOptions::new(output.path());
    options.bags = BagSource::Content;
    cluster(&[Input::Path(input)], &options, &Silent).unwrap();
    output
}

/// The same by one machine.
fn by_one_machine(pages: &[(String, String)]) -> Clustered {
    let output = clustered(pages);
    let mut crawl = CrawlFolder::open(output.path()).unwrap();
    let twins: BTreeSet<(u32, u32)> = crawl.twin_groups().unwrap().into_iter().collect();
    let others: BTreeSet<u32> = twins.iter().map(|&(_, twin)| twin).collect();
    let mut found = Found::new();
    let each = |pair: StoredPair| {
        let StoredPair { page, other, thousandths } = pair;
        if !others.contains(&page) && !others.contains(&other) {
            found.insert((page, other, thousandths));
        }
        Ok::<(), crate::crawl_folder::CrawlFolderError>(())
    };
    crawl.each_pair(each).unwrap();
    let centers: Vec<(u32, u32)> = (0..).zip(crawl.centers().unwrap()).collect();
    let used: BTreeSet<u32> =
        centers.iter().filter(|(url, of)| url != of).map(|&(_, of)| of).collect();
    let is_clustered = |&(url, of): &(u32, u32)| url != of || used.contains(&url);
    let centers = centers.into_iter().filter(is_clustered).collect();
    Clustered { pairs: found, twins, centers }
}

/// A made-up word.
fn word(number: u32) -> String {
    let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
    [number / 1_000, number / 100, number / 10, number]
        .map(|digit| syllables[(digit % 10) as usize])
        .concat()
}

/// Pages in families, some of them copies; one family has `large` pages.
pub(crate) fn pages(families: u32, large: u32, seed: u64) -> Vec<(String, String)> {
    let mut stream = SplitMix64::new(seed);
    let mut pages: Vec<(String, String)> = Vec::new();
    for family in 0..families {
        let of_family = if family == 0 { large } else { 1 + stream.below(9) };
        for page in 0..of_family {
            let of_family = (0..7).map(|at| word(family % 900 * 8 + at));
            let (own, mut words) = if family == 0 {
                (2, of_family.collect::<Vec<_>>())
            } else {
                (4, of_family.filter(|_| stream.below(10) < 8).collect())
            };
            words.extend((0..own).map(|_| word(7_300 + stream.below(2_600))));
            let text = words.join(" ");
            pages.push((format!("https://{family}.example/{page}"), text));
        }
        if stream.below(3) == 0 {
            let (_, copied) = pages[stream.below(pages.len() as u32) as usize].clone();
            pages.push((format!("https://{family}.example/copy"), copied));
        }
    }
    pages
}

#[test]
fn the_stages_find_what_one_machine_finds() {
    let pages = pages(120, 30, 1);
    let expected = by_one_machine(&pages);
    let Clustered { pairs, twins, centers } = &expected;
    assert!(pairs.len() > 500 && twins.len() > 20 && centers.len() > 300, "{}", pairs.len());
    for (tasks, bucket_bytes, rounds) in [(1, 8 << 20, 0), (3, 8 << 20, 2), (5, 2_000, 100)] {
        let (found, _) = by_stages(&pages, tasks, bucket_bytes, rounds);
        assert!(found == expected, "with {tasks} tasks {} pairs", found.pairs.len());
    }
}

#[test]
fn buckets_that_are_too_large_are_cut_and_split_alike() {
    let pages = pages(360, 360, 2);
    let expected = by_one_machine(&pages);
    for bucket_bytes in [8 << 20, 4_000] {
        let (found, engine) = by_stages(&pages, 3, bucket_bytes, 100);
        assert!(engine.others["not_tried"] > 10_000, "buckets are cut: {:?}", engine.others);
        assert!(found == expected, "{} of {}", found.pairs.len(), expected.pairs.len());
    }
}
