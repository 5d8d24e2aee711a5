//! The program under test.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::freshness;

/// How long anything may take. Only a hang takes so long, on however busy a machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The path of `pagekin`: what the environment variable `PAGEKIN` names, or else the program of the
/// same profile as this test, in the same folder of target. Either fails the test if its sources
/// were changed since it was built.
#[must_use]
pub fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = match std::env::var_os("PAGEKIN") {
            Some(path) => {
                let path = PathBuf::from(path);
                assert!(path.is_file(), "PAGEKIN names {}, which is no file", path.display());
                path
            }
            None => built(),
        };
        freshness::check(&path).unwrap_or_else(|message| panic!("{message}"));
        path
    })
}

/// The program beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.parent().expect("it is in a folder");
    let folder = if folder.ends_with("deps") { folder.parent() } else { Some(folder) };
    let path = folder.expect("tests are in target/PROFILE/deps, programs in target/PROFILE");
    let path = path.join("pagekin").with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.is_file() && freshness::list(&path).is_some(),
        "expected the program under test at {}, and the list of its sources beside it: {}",
        path.display(),
        freshness::ADVICE
    );
    path
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
}

impl Done {
    /// It ended well. What it printed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }

    /// It failed with an exit code. What it complained of, which is an error for people and no
    /// panic.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(self.stderr.contains("error: "), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self.stderr
    }

    /// It failed with exit code 1, and what it says has each of `parts`.
    #[track_caller]
    pub fn failed_with(self, parts: &[&str]) {
        self.ended_saying(1, parts);
    }

    /// Whether it was used wrongly, and says all of these.
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

/// `pagekin` with arguments, to be run.
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

/// Runs a program with what it is to read. It fails the test if it does not end.
#[track_caller]
pub fn run(command: &mut Command, stdin: &[u8]) -> Done {
    let stdin = stdin.to_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    // It may end before it has read everything.
    let writer = thread::spawn(move || drop(input.write_all(&stdin)));
    let stdout = read_all(child.stdout.take().expect("it is piped"));
    let stderr = read_all(child.stderr.take().expect("it is piped"));
    let Some(status) = wait(&mut child) else {
        panic!("{command:?} did not end within {PATIENCE:?}");
    };
    writer.join().expect("writing does not panic");
    Done { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Waits for a program to end; `None`, and it is killed, if it does not within [`PATIENCE`].
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

/// What `pagekin similar --json` prints, and nothing else.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What the results are ranked by: `coverage` or `similarity`.
    pub ranked_by: String,
    /// What a text was read in; of a page, and of a text in a script of none of the site's
    /// languages, nothing.
    pub language: Option<TextLanguage>,
    /// The best first.
    pub results: Vec<SearchResult>,
    /// The pages ranked by the other score, if that adds something.
    pub other_results: Vec<SearchResult>,
    /// The words of a text that no page has.
    pub unmatched: Vec<String>,
    /// What was read for them.
    pub cost: Cost,
}

impl Answer {
    /// The addresses of the results.
    #[must_use]
    pub fn urls(&self) -> Vec<&str> {
        self.results.iter().map(|kin| kin.url.as_str()).collect()
    }

    /// The similarity of a page, 0 if it is not among the results.
    #[must_use]
    pub fn similarity(&self, url: &str) -> f64 {
        self.results.iter().find(|kin| kin.url == url).map_or(0.0, |kin| kin.similarity)
    }
}

/// The language of a text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextLanguage {
    /// Its code.
    pub code: String,
    /// `given`, `guessed` or `assumed`.
    pub by: String,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchResult {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What ranks it, above 0 and at most 1.
    pub score: f64,
    /// Its similarity, at most 1.
    pub similarity: f64,
    /// The share of the query's weight that is on it.
    pub coverage: f64,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// The words it shares with the query, heaviest first.
    pub shared_terms: Vec<String>,
    /// The words of the query that it does not have, heaviest first.
    pub missing_terms: Vec<String>,
    /// Where it is too.
    pub copies: Vec<String>,
    /// What it shares with the query, if that is worth telling.
    pub near: Option<Near>,
}

/// What a text and a page share.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// How they are alike: `copy`, `near-duplicate`, `contains`, `contained` or `passages`.
    pub kind: String,
    /// If it can be told.
    pub resemblance: Option<f64>,
    /// How much of the text stands in the page, if it can be told.
    pub text_in_page: Option<f64>,
    /// How much of the page stands in the text, if it can be told.
    pub page_in_text: Option<f64>,
    /// Whether all shingles of both were compared.
    pub whole: bool,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Bytes that were read.
    pub bytes: u64,
    /// Files that were read.
    pub requests: u32,
    /// Times that files were asked for.
    pub rounds: u32,
}

/// What `pagekin build --json` prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Pages in the index.
    pub pages: u64,
    /// HTML files found.
    pub html_files: u64,
    /// Bytes of those that were read.
    pub html_bytes: u64,
    /// Files left out, by reason.
    pub skipped: Vec<Skipped>,
    /// Languages, most pages first.
    pub languages: Vec<Language>,
    /// Pages of which no element says what their body is.
    pub without_body: u64,
    /// Whether its links call its pages without `.html`, and their URLs have it.
    pub links_without_html: bool,
    /// The path below which it seems to be published, if the base URL has another.
    #[serde(default)]
    pub published_below: Option<String>,
    /// What pages name as related, and is no page.
    pub unknown_related: Vec<serde_json::Value>,
    /// Scripts of elements that pages use, and that were not written.
    pub unwritten_scripts: Vec<serde_json::Value>,
    /// Text that was left out of pages.
    pub repeated: serde_json::Value,
    /// Pages that are called by their first heading.
    pub titles_by_heading: u64,
    /// What was left out of titles.
    pub shared_titles: Vec<serde_json::Value>,
    /// Terms.
    pub terms: u64,
    /// The seed.
    pub seed: u64,
    /// The generation, 16 hexadecimal digits.
    pub generation: String,
    /// What was written, by kind.
    pub parts: Vec<Part>,
    /// Bytes written.
    pub bytes: u64,
    /// Files written.
    pub files: u64,
    /// What is to be published on each mirror.
    #[serde(default)]
    pub mirrors: Vec<Mirror>,
    /// The offline bundle, if one was asked for.
    #[serde(default)]
    pub offline_bundle: Option<BundleSize>,
    /// How long it took.
    pub seconds: f64,
}

impl Summary {
    /// The files that were left out for a reason.
    #[must_use]
    pub fn skipped(&self, reason: &str) -> u64 {
        self.skipped
            .iter()
            .find(|skipped| skipped.reason == reason)
            .map_or(0, |skipped| skipped.count)
    }

    /// The languages and their pages.
    #[must_use]
    pub fn languages(&self) -> Vec<(&str, u64)> {
        self.languages.iter().map(|language| (language.language.as_str(), language.pages)).collect()
    }
}

/// How large an offline bundle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleSize {
    /// Bytes of the file.
    pub bytes: u64,
    /// Of these, bytes of texts.
    pub text_bytes: u64,
}

/// Files left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The reason's short name.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Whether other pages represent them.
    pub folded: bool,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A language of a site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Its code.
    pub language: String,
    /// Its pages.
    pub pages: u64,
}

/// A host that an index is spread over.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// Its address.
    pub url: String,
    /// Its folder in the output.
    pub folder: String,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A kind of file of an output.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Arguments of different types as one list.
#[must_use]
pub fn arguments(first: &[&OsStr], rest: &[&str]) -> Vec<OsString> {
    first.iter().copied().map(OsStr::to_owned).chain(rest.iter().map(OsString::from)).collect()
}
