//! Runs the program under test.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::freshness;

/// Time limit of any process. Only a hang takes that long, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Returns the path of `pagekin`: the value of the environment variable `PAGEKIN`, or else the
/// program of this test's profile in the same target folder. Either fails the test if its sources
/// were changed since it was built.
#[must_use]
pub fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = match std::env::var_os("PAGEKIN") {
            Some(path) => {
                let path = PathBuf::from(path);
                assert!(path.is_file(), "PAGEKIN names {}, which is not a file", path.display());
                path
            }
            None => built(),
        };
        freshness::check(&path).unwrap_or_else(|message| panic!("{message}"));
        path
    })
}

/// Returns the program next to this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.parent().expect("it is in a folder");
    let folder = if folder.ends_with("deps") { folder.parent() } else { Some(folder) };
    let path = folder.expect("tests are in target/PROFILE/deps, programs in target/PROFILE");
    let path = path.join("pagekin").with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.is_file() && freshness::list(&path).is_some(),
        "expected the program under test at {}, and the list of its sources next to it: {}",
        path.display(),
        freshness::ADVICE
    );
    path
}

/// The result of a finished program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl Done {
    /// Checks that the program succeeded, and returns its standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }

    /// Checks that the program failed with an exit code and a readable error instead of a panic.
    /// Returns its standard error.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(self.stderr.contains("error: "), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self.stderr
    }

    /// Checks that the program failed with exit code 1 and that its error contains each of `parts`.
    #[track_caller]
    pub fn failed_with(self, parts: &[&str]) {
        self.ended_saying(1, parts);
    }

    /// Checks that the program failed with a usage error that contains each part.
    #[track_caller]
    pub fn misused_saying(self, parts: &[&str]) {
        self.ended_saying(2, parts);
    }

    #[track_caller]
    fn ended_saying(self, code: i32, parts: &[&str]) {
        let message = self.failed(code);
        for part in parts {
            assert!(message.contains(part), "expected {part:?} in: {message}");
        }
    }
}

/// Returns `pagekin` with arguments, without running it.
#[must_use]
pub fn command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(path());
    command.args(arguments);
    command
}

/// Runs `pagekin` with arguments and no input.
#[track_caller]
pub fn pagekin<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Done {
    run(&mut command(arguments), b"")
}

/// Runs a program with its standard input. Fails the test if it does not end.
#[track_caller]
pub fn run(command: &mut Command, stdin: &[u8]) -> Done {
    let stdin = stdin.to_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    // The program may end before it has read everything.
    let writer = thread::spawn(move || drop(input.write_all(&stdin)));
    let stdout = read_all(child.stdout.take().expect("it is piped"));
    let stderr = read_all(child.stderr.take().expect("it is piped"));
    let Some(status) = wait(&mut child) else {
        panic!("{command:?} did not end within {PATIENCE:?}");
    };
    writer.join().expect("writing does not panic");
    Done { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Waits for a program to end. After [`PATIENCE`], kills it and returns `None`.
pub fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    None
}

fn read_all(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn text(bytes: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8(bytes.join().expect("reading does not panic")).expect("pagekin prints UTF-8")
}

/// The complete output of `pagekin similar --json`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The score that ranks the results: `coverage` or `similarity`.
    pub ranked_by: String,
    /// The language assigned to a text. Pages have none, and texts in a script of none of the
    /// site's languages have none either.
    pub language: Option<TextLanguage>,
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// The pages ranked by the other score, if that adds results.
    pub other_results: Vec<SearchResult>,
    /// The words of a text that no page contains.
    pub unmatched: Vec<String>,
    /// The cost of the answer.
    pub cost: Cost,
}

impl Answer {
    /// Returns the URLs of the results.
    #[must_use]
    pub fn urls(&self) -> Vec<&str> {
        self.results.iter().map(|kin| kin.url.as_str()).collect()
    }

    /// Returns the similarity of a page, or 0 if it is not among the results.
    #[must_use]
    pub fn similarity(&self, url: &str) -> f64 {
        self.results.iter().find(|kin| kin.url == url).map_or(0.0, |kin| kin.similarity)
    }
}

/// The language of a text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextLanguage {
    /// The language code.
    pub code: String,
    /// The reason: `given`, `guessed` or `assumed`.
    pub by: String,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchResult {
    /// The URL.
    pub url: String,
    /// The title.
    pub title: String,
    /// The metadata.
    pub meta: BTreeMap<String, String>,
    /// The score that ranks the result, above 0 and at most 1.
    pub score: f64,
    /// The similarity, at most 1.
    pub similarity: f64,
    /// The share of the query's weight that is on the page.
    pub coverage: f64,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// The words shared with the query, heaviest first.
    pub shared_terms: Vec<String>,
    /// The words of the query that the page lacks, heaviest first.
    pub missing_terms: Vec<String>,
    /// The URLs of exact copies.
    pub copies: Vec<String>,
    /// The text shared with the query, if it is significant.
    pub near: Option<Near>,
    /// The passage, if the folder of the site is known.
    pub excerpt: Option<Excerpt>,
}

/// The passage of a page that matches a query best.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excerpt {
    /// The passage: every second piece is a word of the query.
    pub pieces: Vec<String>,
    /// Whether the page contains the query verbatim.
    pub verbatim: bool,
}

/// The text that a query and a page share.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// The kind: `copy`, `near-duplicate`, `contains`, `contained` or `passages`.
    pub kind: String,
    /// The resemblance, if known.
    pub resemblance: Option<f64>,
    /// The share of the text that is in the page, if known.
    pub text_in_page: Option<f64>,
    /// The share of the page that is in the text, if known.
    pub page_in_text: Option<f64>,
    /// Whether all shingles of both were compared.
    pub whole: bool,
}

/// The cost of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// The number of bytes read.
    pub bytes: u64,
    /// The number of files read.
    pub requests: u32,
    /// The number of rounds of requests.
    pub rounds: u32,
}

/// The output of `pagekin build --json`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Number of pages in the index.
    pub pages: u64,
    /// Number of HTML files found.
    pub html_files: u64,
    /// Size of the files that were read.
    pub html_bytes: u64,
    /// The skipped files, by reason.
    pub skipped: Vec<Skipped>,
    /// The languages, by descending number of pages.
    pub languages: Vec<Language>,
    /// Number of pages without an element that marks their body.
    pub without_body: u64,
    /// Whether its links omit `.html` while the URLs in the index include it.
    pub links_without_html: bool,
    /// The path below which the site seems to be published, if the base URL differs.
    #[serde(default)]
    pub published_below: Option<String>,
    /// URLs that pages list as related and that are not pages.
    pub unknown_related: Vec<serde_json::Value>,
    /// Scripts of elements that pages use but that were not written.
    pub unwritten_scripts: Vec<serde_json::Value>,
    /// The markup for search tools that has no effect, or not the expected one.
    pub remarks: Vec<serde_json::Value>,
    /// Repeated text that was removed from pages.
    pub repeated: serde_json::Value,
    /// Number of pages with their first heading as title.
    pub titles_by_heading: u64,
    /// The parts that were removed from titles.
    pub shared_titles: Vec<serde_json::Value>,
    /// Number of terms.
    pub terms: u64,
    /// The seed.
    pub seed: u64,
    /// The generation in 16 hexadecimal digits.
    pub generation: String,
    /// The written files, by kind.
    pub parts: Vec<Part>,
    /// Total size of the written files.
    pub bytes: u64,
    /// Number of written files.
    pub files: u64,
    /// The files to publish on each mirror.
    #[serde(default)]
    pub mirrors: Vec<Mirror>,
    /// The offline bundle, if one was requested.
    #[serde(default)]
    pub offline_bundle: Option<BundleSize>,
    /// The running time.
    pub seconds: f64,
}

impl Summary {
    /// Returns the number of files that were skipped for a reason.
    #[must_use]
    pub fn skipped(&self, reason: &str) -> u64 {
        self.skipped
            .iter()
            .find(|skipped| skipped.reason == reason)
            .map_or(0, |skipped| skipped.count)
    }

    /// Returns the languages with their numbers of pages.
    #[must_use]
    pub fn languages(&self) -> Vec<(&str, u64)> {
        self.languages.iter().map(|language| (language.language.as_str(), language.pages)).collect()
    }
}

/// The size of an offline bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleSize {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Size of the texts in it.
    pub text_bytes: u64,
}

/// The files that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The reason's short name.
    pub reason: String,
    /// The number of files.
    pub count: u64,
    /// Whether other pages represent them.
    pub folded: bool,
    /// Some of the files.
    pub examples: Vec<String>,
}

/// A language of a site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The language code.
    pub language: String,
    /// The number of pages.
    pub pages: u64,
}

/// A host of a distributed index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The URL.
    pub url: String,
    /// The folder in the output.
    pub folder: String,
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// A kind of file in an output.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The name.
    pub name: String,
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Combines arguments of different types in one list.
#[must_use]
pub fn arguments(first: &[&OsStr], rest: &[&str]) -> Vec<OsString> {
    first.iter().copied().map(OsStr::to_owned).chain(rest.iter().map(OsString::from)).collect()
}
