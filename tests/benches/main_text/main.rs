//! Measures how well the main text of real pages is separated from the rest.
//!
//! `cargo xtask bench main-text FOLDER` reads the pages of the article extraction benchmark
//! (github.com/scrapinghub/article-extraction-benchmark) from its clone in the folder, and measures
//! like its `evaluate.py`: pagekin's main text, all its text, and the outputs of other programs in
//! the folder `output`. The pages are split into halves by the first byte of the SHA-256 of their
//! URLs: rules are tuned on the half where it is even, and judged on the other.

mod measure;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use flate2::read::MultiGzDecoder;
use measure::{Counts, Score};
use pagekin_pages::site::html::read_html;
use pagekin_tests::measuring::Failure;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Parser)]
struct Arguments {
    /// The clone of the benchmark
    folder: PathBuf,
    /// Number of pages of the tuning half to list, worst first
    #[arg(long, default_value_t = 0)]
    worst: usize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Passed by Cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// An article of the benchmark, from the truth or from an output.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Article {
    #[serde(default)]
    article_body: Option<String>,
    #[serde(default)]
    url: String,
}

/// The output of a program, with or without its version.
#[derive(Deserialize)]
#[serde(untagged)]
enum Output {
    Versioned { output: BTreeMap<String, Article> },
    Plain(BTreeMap<String, Article>),
}

/// The scores of a program on each half of the pages.
#[derive(Serialize)]
struct Row {
    name: String,
    tuning: Score,
    report: Score,
}

/// A page, and the text that pagekin extracts from it.
struct Page {
    id: String,
    article: Article,
    tuning: bool,
    main: String,
    all: String,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let folder = &arguments.folder;
    let truth: BTreeMap<String, Article> = json(&folder.join("ground-truth.json"))?;
    let mut taken = Duration::ZERO;
    let pages = truth
        .into_iter()
        .map(|(id, article)| page(folder, id, article, &mut taken))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut rows = peers(folder, &pages)?;
    rows.push(row("pagekin: main and other text", &pages, |page| &page.all));
    rows.push(row("pagekin: main text", &pages, |page| &page.main));
    rows.sort_by(|a, b| b.report.f1.total_cmp(&a.report.f1));
    let milliseconds = taken.as_secs_f64() * 1e3 / pages.len() as f64;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&(rows, milliseconds))?);
        return Ok(());
    }
    println!("{:30} {:^23}  {:^23}", "", "tuning half", "report half");
    let titles = format!("{:>7} {:>7} {:>7}", "F1", "prec.", "recall");
    println!("{:30} {titles}  {titles}", "");
    for Row { name, tuning, report } in rows {
        println!("{name:30} {}  {}", columns(tuning), columns(report));
    }
    println!("{} pages; pagekin takes {milliseconds:.1} ms per page", pages.len());
    worst(&pages, arguments.worst);
    Ok(())
}

fn columns(score: Score) -> String {
    format!("{:7.3} {:7.3} {:7.3}", score.f1, score.precision, score.recall)
}

fn json<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<T, Failure> {
    Ok(serde_json::from_slice(&fs::read(file)?)?)
}

fn page(
    folder: &Path,
    id: String,
    article: Article,
    taken: &mut Duration,
) -> Result<Page, Failure> {
    let file = File::open(folder.join("html").join(format!("{id}.html.gz")))?;
    let mut bytes = Vec::new();
    std::io::copy(&mut MultiGzDecoder::new(file), &mut bytes)?;
    let begun = Instant::now();
    let read = read_html(&bytes).page;
    *taken += begun.elapsed();
    let tuning = Sha256::digest(article.url.as_bytes())[0] % 2 == 0;
    let all = format!("{}\n{}", read.text, read.other);
    Ok(Page { id, article, tuning, main: read.text, all })
}

/// Scores the other programs that have an output for all pages.
fn peers(folder: &Path, pages: &[Page]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder.join("output"))? {
        let file = entry?.path();
        let output = match json(&file)? {
            Output::Versioned { output } | Output::Plain(output) => output,
        };
        if pages.iter().all(|page| output.contains_key(&page.id)) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            rows.push(row(&name, pages, |page| {
                output.get(&page.id).and_then(|of| of.article_body.as_deref()).unwrap_or_default()
            }));
        }
    }
    Ok(rows)
}

fn row<'a>(name: &str, pages: &'a [Page], text: impl Fn(&'a Page) -> &'a str) -> Row {
    let half = |tuning: bool| {
        let pages = pages.iter().filter(|page| page.tuning == tuning);
        Score::new(&pages.map(|page| Counts::new(body(page), text(page))).collect::<Vec<_>>())
    };
    Row { name: name.to_owned(), tuning: half(true), report: half(false) }
}

fn body(page: &Page) -> &str {
    page.article.article_body.as_deref().unwrap_or_default()
}

fn worst(pages: &[Page], max: usize) {
    let f1 = |counts: Counts| {
        2.0 * counts.both / (2.0 * counts.both + counts.extra + counts.missing).max(1.0)
    };
    let tuning = pages.iter().filter(|page| page.tuning);
    let mut read: Vec<_> = tuning.map(|page| (Counts::new(body(page), &page.main), page)).collect();
    read.sort_by(|a, b| f1(a.0).total_cmp(&f1(b.0)));
    for (counts, page) in read.iter().take(max) {
        let [precision, recall] =
            [counts.precision(), counts.recall()].map(Option::unwrap_or_default);
        println!("{precision:.3} {recall:.3} {} {}", page.id, page.article.url);
    }
}
