//! Compares the stages with [`cluster()`](pagekin_crawl::cluster::cluster()), using a minimal
//! engine that brings rows together in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use pagekin_core::hash::SplitMix64;
use pagekin_crawl::cluster::{BagSource, ClusterOptions, cluster};
use pagekin_crawl::folder::{CrawlFolder, StoredPair};
use pagekin_pages::{Input, Silent};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::bags::TextCounts;
use crate::rows::{Row, RowReader};
use crate::trials::{is_numbered, packed, some_pages, stream, takers};
use crate::*;
use pagekin_core::Preset;
use pagekin_pairs::Threshold;

/// Runs a stage; returns its rows and its report.
pub(crate) fn run(stage: &JobStep, input: Vec<u8>) -> Result<(Vec<Row>, Value), StageError> {
    let mut output = Vec::new();
    stage.run(Cursor::new(input), &mut output, 1)?;
    let mut rows = RowReader::open(Cursor::new(output), false)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(row);
    }
    let report = all.pop().filter(Row::is_report).expect("a report comes last");
    Ok((all, serde_json::from_slice(&report.bytes).expect("it is JSON")))
}

/// Returns an input for each stage, including pages.
fn streams() -> Vec<(JobStep, Vec<u8>)> {
    let numbers = [1, 0, 0, 0, 2, 0, 0, 0, 232, 3, 0];
    let mut streams: Vec<_> = takers()
        .into_iter()
        .map(|(stage, kinds)| {
            let rows: Vec<_> = kinds.iter().map(|&kind| (kind, 1, &numbers[..])).collect();
            let stream = packed(&stage, &rows);
            (stage, stream)
        })
        .collect();
    streams.push((JobStep::Fragments(FragmentOptions::new(4)), some_pages()));
    streams
}

/// Changes or removes bytes of streams, which must then be read or refused.
#[test]
fn damaged_streams_do_not_panic() {
    let mut random = SplitMix64::new(29);
    let mut refused = 0;
    for (stage, sound) in streams() {
        for _ in 0..64 {
            let at = random.below(sound.len() as u32) as usize;
            let mut damaged = sound.clone();
            match random.below(8) {
                0 => damaged[at] = 0xff,
                1 => damaged.truncate(at),
                bit => damaged[at] ^= 1 << bit,
            }
            refused += u32::from(stage.run(Cursor::new(damaged), Vec::new(), 1).is_err());
        }
    }
    assert!(refused > 300, "{refused}");
}

/// An engine: distributes rows to `tasks` tasks, by bucket or arbitrarily, in another order, and
/// checks the reports of tasks.
pub(crate) struct Engine {
    /// Summary of each stage's output, one line per kind.
    log: String,
    tasks: usize,
    stream: SplitMix64,
    others: BTreeMap<String, u64>,
    /// How often each task also runs on corrupted rows.
    spoiled: u32,
}

impl Engine {
    pub(crate) fn new(tasks: usize) -> Self {
        let (log, others) = (String::new(), BTreeMap::new());
        Self { log, tasks, stream: SplitMix64::new(7), others, spoiled: 0 }
    }

    /// Creates an engine that also runs each task on corrupted rows, which must be read or refused.
    pub(crate) fn spoiling(tasks: usize) -> Self {
        Self { spoiled: 60, ..Self::new(tasks) }
    }

    fn try_spoiled(&mut self, stage: &JobStep, rows: &[Row]) {
        for _ in 0..self.spoiled {
            let mut rows = rows.to_vec();
            for _ in 0..=self.stream.below(3) {
                let at = self.stream.below(rows.len() as u32) as usize;
                let bytes = &mut rows[at].bytes;
                let [at, other] = [(); 2].map(|()| self.stream.below(bytes.len().max(1) as u32));
                let any = self.stream.next_u64() as u8;
                match (bytes.get_mut(at as usize), any % 3) {
                    (Some(byte), 0) => *byte = any / 64,
                    (Some(byte), 1) => *byte ^= any,
                    (Some(_), _) => bytes.swap(at as usize, other as usize),
                    (None, _) => {}
                }
            }
            let _ = stage.run(Cursor::new(stream(&rows, is_numbered(stage))), Vec::new(), 1);
        }
    }

    pub(crate) fn run(&mut self, stage: &JobStep, rows: &[&[Row]], by_bucket: bool) -> Vec<Row> {
        let is_numbered = is_numbered(stage);
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
            if !task.is_empty() {
                self.try_spoiled(stage, &task);
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
        self.note(stage, &all);
        all
    }

    /// Logs the size and the hash of a stage's output.
    fn note(&mut self, stage: &JobStep, rows: &[Row]) {
        let mut rows: Vec<&Row> = rows.iter().collect();
        rows.sort_by(|a, b| (&a.kind, a.bucket, a.part).cmp(&(&b.kind, b.bucket, b.part)));
        for of_kind in rows.chunk_by(|a, b| a.kind == b.kind) {
            let records: u64 = of_kind.iter().map(|row| row.records).sum();
            let all: Vec<u8> = of_kind
                .iter()
                .flat_map(|row| row.bucket.to_le_bytes().into_iter().chain(row.bytes.clone()))
                .collect();
            let (kind, hash) = (&of_kind[0].kind, pagekin_core::hash::of_bytes(&all));
            let (name, rows, bytes) = (stage.name(), of_kind.len(), all.len());
            writeln!(
                self.log,
                "{name} -> {kind}: {rows} rows, {records} records, {bytes} bytes, {hash:016x}"
            )
            .unwrap();
        }
    }
}

pub(crate) fn kind(rows: &[Row], kind: &str) -> Vec<Row> {
    rows.iter().filter(|row| &*row.kind == kind).cloned().collect()
}

pub(crate) fn records(rows: &[Row]) -> u64 {
    rows.iter().map(|row| row.records).sum()
}

/// Returns the column of the contents of pages.
fn column_of(pages: &[(String, String)]) -> &'static str {
    if pages[0].1.starts_with('<') { "html" } else { "text" }
}

/// Returns pages as an IPC stream.
pub(crate) fn pages_stream(pages: &[(String, String)]) -> Vec<u8> {
    let column = |of: fn(&(String, String)) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(pages.iter().map(of)))
    };
    let field = |name| Field::new(name, DataType::Utf8, true);
    let schema = Arc::new(Schema::new(vec![field("url"), field(column_of(pages))]));
    let columns = vec![column(|page| &page.0), column(|page| &page.1)];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut bytes = Vec::new();
    let mut stream = StreamWriter::try_new(&mut bytes, &schema).unwrap();
    stream.write(&batch).unwrap();
    stream.finish().unwrap();
    drop(stream);
    bytes
}

/// Pairs of numbers with their similarity in thousandths.
type Found = BTreeSet<(u32, u32, u16)>;

/// The result of clustering.
#[derive(Debug, PartialEq, Eq)]
struct Clustered {
    /// Pairs without those of twins.
    pairs: Found,
    twins: BTreeSet<(u32, u32)>,
    /// Centers of URLs in a cluster.
    centers: BTreeMap<u32, u32>,
}

/// Clusters pages by the stages, with at most `rounds` rounds of CENTER.
fn by_stages(
    pages: &[(String, String)],
    mut engine: Engine,
    bucket_bytes: u64,
    rounds: u32,
) -> (Clustered, Engine) {
    let options = FragmentOptions::new(64).with(|options| options.bags = BagSource::Content);
    let mut fragments = Vec::new();
    for part in pages.chunks(pages.len().div_ceil(engine.tasks)) {
        fragments.extend(run(&JobStep::Fragments(options.clone()), pages_stream(part)).unwrap().0);
    }
    engine.note(&JobStep::Fragments(options), &fragments);
    let collapsed = engine.run(&JobStep::Collapse, &[&fragments], true);
    let (urls, texts) = (kind(&collapsed, "urls"), kind(&collapsed, "texts"));
    let copies = engine.run(&JobStep::Copies, &[&texts], true);
    let counts = TextCounts::new(records(&urls) as u32, records(&copies) as u32);
    let terms = engine.run(&JobStep::Terms, &[&urls, &copies], true);
    let frequencies = engine.run(&JobStep::Frequencies(counts), &[&terms], true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frequencies");
    let bytes: Vec<u8> = frequencies.iter().flat_map(|row| row.bytes.clone()).collect();
    std::fs::write(&path, bytes).unwrap();
    let mut bags = engine.run(&JobStep::Bags(BagOptions::new(counts, path)), &[&urls], false);
    bags.sort_by_key(|row| (row.bucket, row.part));
    let mut first = 0;
    for row in &mut bags {
        row.first = first;
        first += row.records;
    }
    let signed = engine.run(&JobStep::Sign(SignOptions::new(16)), &[&bags], false);
    let different = engine.run(&JobStep::Twins(Preset::Web), &[&signed], true);
    let [twins, rows, groups] = ["twins", "rows", "groups"].map(|name| kind(&different, name));
    let sample = SampleOptions::new(records(&rows));
    let sampled = engine.run(&JobStep::Sample(sample), &[&rows], false);
    let mut options = PlanOptions::new(records(&rows));
    options.bucket_bytes = bucket_bytes;
    let (plan, _) = run(&JobStep::Plan(options), stream(&sampled, false)).unwrap();
    engine.note(&JobStep::Plan(options), &plan);
    let plan = String::from_utf8(plan[0].bytes.clone()).unwrap();
    let keys = engine.run(&JobStep::Keys { plan: plan.clone() }, &[&rows], false);
    let candidates = engine.run(&JobStep::Pairs { plan }, &[&keys], true);
    let met = engine.run(&JobStep::Meet(Threshold::PAPER), &[&candidates, &groups], true);
    let halves = kind(&met, "halves");
    let verified = engine.run(&JobStep::Verify(Threshold::PAPER), &[&halves, &groups], true);
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
    let edges = engine.run(&JobStep::Edges, &[&begun], false);
    let mut step = engine.run(&JobStep::Center(CenterStep::Begin), &[&edges], true);
    let mut centers = kind(&step, "centers");
    for _ in 0..rounds {
        let (live, messages) = (kind(&step, "live"), kind(&step, "messages"));
        if live.is_empty() {
            break;
        }
        step = engine.run(&JobStep::Center(CenterStep::Round), &[&live, &messages], true);
        centers.extend(kind(&step, "centers"));
    }
    let (live, messages) = (kind(&step, "live"), kind(&step, "messages"));
    let tasks = std::mem::replace(&mut engine.tasks, 1);
    centers.extend(engine.run(&JobStep::Center(CenterStep::Rest), &[&live, &messages], true));
    engine.tasks = tasks;
    let centers = joined(&mut engine, &kind(&edges, "edges"), &centers);
    engine.tasks = 1;
    let centers = engine.run(&JobStep::Clusters, &[&centers, &twins], true);
    let centers =
        centers.iter().flat_map(|row| row.fixed("centers").unwrap().iter().map(two)).collect();
    let twins = twins.iter().flat_map(|row| row.fixed("twins").unwrap().iter().map(two)).collect();
    (Clustered { pairs: found, twins, centers }, engine)
}

/// Returns the centers after joining clusters with all pairs between them.
fn joined(engine: &mut Engine, edges: &[Row], centers: &[Row]) -> Vec<Row> {
    let step = |step| JobStep::Join(step);
    let members = engine.run(&step(JoinStep::Members), &[centers], false);
    let sized = engine.run(&step(JoinStep::Sizes), &[&members], true);
    let ends = engine.run(&step(JoinStep::Ends), &[edges, &sized], true);
    let whole = engine.run(&step(JoinStep::Whole), &[&ends, &sized], true);
    let close = engine.run(&step(JoinStep::Close), &[&whole], true);
    let tasks = std::mem::replace(&mut engine.tasks, 1);
    let joined = engine.run(&step(JoinStep::All), &[&close], true);
    engine.tasks = tasks;
    engine.run(&step(JoinStep::Centers), &[&members, &joined], true)
}

/// Clusters pages on one machine; returns the folder of the crawl.
pub(crate) fn clustered(pages: &[(String, String)]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let input = place.path().join("pages.jsonl");
    let column = column_of(pages);
    let line = |(url, text): &(String, String)| serde_json::json!({ "url": url, column: text });
    let lines: Vec<String> = pages.iter().map(|page| line(page).to_string()).collect();
    std::fs::write(&input, lines.join("\n")).unwrap();
    let output = tempfile::tempdir().unwrap();
    let mut options = ClusterOptions::new(output.path());
    options.bags = BagSource::Content;
    options.max_in_bucket = crate::pairs::MAX_IN_BUCKET;
    cluster(&[Input::Path(input)], &options, &Silent).unwrap();
    output
}

/// Clusters pages on one machine; returns the result.
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
        Ok::<(), pagekin_crawl::folder::CrawlFolderError>(())
    };
    crawl.each_pair(each).unwrap();
    let centers: Vec<(u32, u32)> = (0..).zip(crawl.centers().unwrap()).collect();
    let used: BTreeSet<u32> =
        centers.iter().filter(|(url, of)| url != of).map(|&(_, of)| of).collect();
    let is_clustered = |&(url, of): &(u32, u32)| url != of || used.contains(&url);
    let centers = centers.into_iter().filter(is_clustered).collect();
    Clustered { pairs: found, twins, centers }
}

fn word(number: u32) -> String {
    let syllables = ["bak", "dor", "fim", "gup", "lon", "mer", "nas", "pid", "rof", "tul"];
    [number / 1_000, number / 100, number / 10, number]
        .map(|digit| syllables[(digit % 10) as usize])
        .concat()
}

/// Returns families of pages, some of them copies. One family has `large` pages.
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
        let (found, _) = by_stages(&pages, Engine::new(tasks), bucket_bytes, rounds);
        assert!(found == expected, "with {tasks} tasks {} pairs", found.pairs.len());
    }
}

/// A template names one page as canonical on all pages, which are different.
#[test]
fn pages_of_a_template_are_kept_as_on_one_machine() {
    let html = |(url, text): &(String, String), canonical: &str| {
        (url.clone(), format!("<link rel=canonical href='{canonical}'><main><p>{text}</main>"))
    };
    let mut of_template = pages(60, 1, 6);
    // Neighbors are not of a family, so they are dissimilar.
    of_template.sort_by_cached_key(|(url, _)| pagekin_core::hash::of_bytes(url.as_bytes()));
    let original = of_template[0].clone();
    let mut pages: Vec<_> =
        of_template.iter().map(|page| html(page, "https://home.example/")).collect();
    // Sessions that name their page are still folded into it.
    let session = |n| (format!("{}?session={n}", original.0), original.1.clone());
    pages.extend((0..40).map(|n| html(&session(n), "https://session.example/")));
    let expected = by_one_machine(&pages);
    assert!(expected.pairs.len() > 50 && expected.twins.len() > 5, "{expected:?}");
    for tasks in [1, 4] {
        let (found, engine) = by_stages(&pages, Engine::new(tasks), 8 << 20, 100);
        assert!(found == expected, "with {tasks} tasks {} pairs", found.pairs.len());
        let urls = of_template.len() + 1;
        assert!(engine.log.contains(&format!(" {urls} records")), "{}", engine.log);
    }
}

#[test]
fn large_buckets_are_cut_and_split_with_the_same_result() {
    let pages = pages(360, 360, 2);
    let expected = by_one_machine(&pages);
    for bucket_bytes in [8 << 20, 4_000] {
        let (found, engine) = by_stages(&pages, Engine::new(3), bucket_bytes, 100);
        assert!(engine.others["not_tried"] > 10_000, "buckets are cut: {:?}", engine.others);
        assert!(found == expected, "{} of {}", found.pairs.len(), expected.pairs.len());
    }
}

/// The output of each stage must not change by accident, because rows of an earlier run may be on
/// disk.
#[test]
fn stage_output_is_unchanged() {
    let (_, engine) = by_stages(&pages(12, 6, 3), Engine::new(1), 8 << 20, 100);
    expect_test::expect_file!["golden.txt"].assert_eq(&engine.log);
}

#[test]
fn corrupted_rows_are_read_or_refused() {
    by_stages(&pages(40, 6, 4), Engine::spoiling(2), 8 << 20, 100);
    by_stages(&pages(40, 40, 5), Engine::spoiling(1), 2_000, 1);
}

fn refuses(stage: &JobStep, input: Vec<u8>) -> String {
    run(stage, input).unwrap_err().to_string()
}

fn row(bucket: i32, kind: &str, records: u64, bytes: &[u8]) -> Row {
    Row { bucket, kind: kind.into(), part: 0, records, bytes: bytes.to_vec(), first: 0 }
}

#[test]
fn rows_out_of_order_are_refused_with_the_name_of_the_column() {
    let term = |bucket| row(bucket, "terms", 1, &[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let frequencies = JobStep::Frequencies(TextCounts::new(9, 0));
    for (rows, expected) in [
        ([term(3), term(2)], "column `bucket`"),
        ([term(3), row(3, "sorts", 0, &[])], "column `kind`"),
        ([Row { part: 1, ..term(3) }, term(3)], "column `part`"),
    ] {
        let error = refuses(&frequencies, stream(&rows, false));
        assert!(error.starts_with(expected) && error.contains("Sort each partition"), "{error}");
    }
    assert!(run(&frequencies, stream(&[term(2), term(2), term(3)], false)).is_ok());
}

#[test]
fn other_columns_and_records_are_refused() {
    let frequencies = JobStep::Frequencies(TextCounts::new(9, 0));
    let error = refuses(&JobStep::Sign(SignOptions::new(4)), stream(&[], false));
    assert_eq!(error, "column `first`: expected Int64, found no such column");
    let error = refuses(&frequencies, stream(&[], true));
    assert!(
        error.starts_with("column `first`: expected no columns other than bucket, kind"),
        "{error}"
    );
    let error = refuses(&frequencies, b"no stream".to_vec());
    assert!(error.starts_with("cannot read the input") && error.contains("Arrow IPC"), "{error}");
    let error = refuses(&frequencies, stream(&[row(0, "bags", 0, &[])], false));
    assert_eq!(error, "column `kind`: expected terms, found \"bags\"");
    for (records, bytes, found) in
        [(2, &[0; 12][..], "found 1"), (1, &[0; 7], "not a multiple of 12")]
    {
        let error = refuses(&frequencies, stream(&[row(5, "terms", records, bytes)], false));
        assert!(error.starts_with("column `bytes`") && error.contains(found), "{error}");
        assert!(error.contains("kind terms in bucket 5"), "{error}");
    }
    let error = refuses(&JobStep::Keys { plan: "{}".to_owned() }, stream(&[], false));
    assert!(error.starts_with("the plan: expected what the stage `plan`"), "{error}");
    let candidate = row(0, "candidates", 1, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let error = refuses(&JobStep::Meet(Threshold::PAPER), stream(&[candidate], false));
    assert!(error.contains("a row of kind groups for URL 1, found none"), "{error}");
}

#[test]
fn pages_need_a_url_and_a_text_and_have_no_other_columns() {
    let stage = JobStep::Fragments(FragmentOptions::new(4));
    let pages = |columns: &[(&str, DataType)]| {
        let field =
            |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let mut bytes = Vec::new();
        StreamWriter::try_new(&mut bytes, &schema).unwrap().finish().unwrap();
        bytes
    };
    let (url, text) = (("url", DataType::Utf8), ("text", DataType::Utf8));
    assert!(run(&stage, pages(&[url.clone(), text.clone()])).is_ok());
    let error = refuses(&stage, pages(std::slice::from_ref(&text)));
    assert_eq!(error, "column `url`: expected Utf8, found no such column");
    let error = refuses(&stage, pages(std::slice::from_ref(&url)));
    assert_eq!(
        error,
        "column `text`: expected Utf8, or a column `html` or `links`, found no such column"
    );
    let error = refuses(&stage, pages(&[url.clone(), ("text", DataType::Int64)]));
    assert_eq!(error, "column `text`: expected Utf8, found Int64");
    let error = refuses(&stage, pages(&[url, text, ("body", DataType::Utf8)]));
    assert!(error.starts_with("column `body`: expected no columns other than url"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Records of any bytes and number are read or refused.
    #[test]
    fn any_records_are_read_or_refused(
        bytes in prop::collection::vec(prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..400), 1..4), records in 0u64..12, short: bool,
    ) {
        for (stage, kinds) in takers() {
            let of_kind = |&kind: &&'static str| bytes.iter().map(move |bytes| (kind, records, &**bytes));
            let mut input = packed(&stage, &kinds.iter().flat_map(of_kind).collect::<Vec<_>>());
            if short {
                input.truncate(input.len() * 2 / 3);
            }
            let _ = stage.run(Cursor::new(input), Vec::new(), 1);
        }
    }
}
