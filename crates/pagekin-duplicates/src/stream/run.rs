//! Processes the lines of an input as they arrive, and writes their pairs.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use pagekin_pages::input::jsonl;
use pagekin_pages::{Input, InputOptions, Ledger, Observer, SkipReason};
use rustc_hash::FxHashMap;

use crate::stream::error::StreamError;
use crate::stream::journal::{Journal, Options, Position, Record, VERSION};
use crate::stream::leaps::{Arrival, Leaps, Step};
use crate::stream::lines::{NewLines, line_hash};
use crate::stream::output::Output;
use crate::stream::published;
use crate::stream::rule::Rule;
use crate::stream::terms::{PageTerms, stop_lists};
use crate::stream::vector::Vector;
use crate::stream::watch::Watch;

/// Options of a stream.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The condition for a pair.
    pub rule: Rule,
    /// The language of pages that do not name one.
    pub lang: String,
    /// The field with the time of a page. The default is the first known field in a line.
    pub time_field: Option<String>,
    /// Maximum size of a line in bytes. Longer lines are skipped.
    pub max_page_bytes: u64,
    /// Approximate memory limit for pages, in bytes. If the pages of a horizon need more, the
    /// oldest are removed early.
    pub memory: u64,
    /// The folder to go on from.
    pub checkpoint: Option<PathBuf>,
    /// The file to write pairs to, instead of the writer passed to [`follow`].
    pub output: Option<PathBuf>,
}

impl StreamOptions {
    /// Returns the default options.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            lang: "en".to_owned(),
            time_field: None,
            max_page_bytes: InputOptions::default().max_page_bytes,
            memory: 2 << 30,
            checkpoint: None,
            output: None,
        }
    }

    /// Changes some of the options.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// A summary of a stream.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StreamSummary {
    /// Number of pages restored from the checkpoint, from the last horizon.
    pub resumed: u64,
    /// Number of lines skipped because they had been processed before.
    pub lines_before: u64,
    /// Counts of the other lines that are not blank, by what became of them; `pages` counts those
    /// that were processed.
    pub ledger: Ledger,
    /// Number of pairs written.
    pub pairs: u64,
    /// Number of pages removed before the end of their horizon.
    pub removed: u64,
    /// Number of pages that may repeat more earlier ones than reported, because there are too many.
    pub cut: u64,
}

/// Maximum number of warnings per reason for skipped lines.
const MAX_WARNINGS: u64 = 5;
/// Maximum number of milliseconds that a time may be in the future. A later time is a mistake, and
/// would end the horizon of all earlier pages.
const MAX_AHEAD: i64 = 86_400_000;
/// Number of pages after which memory is checked.
const CHECK_EVERY: u64 = 256;

/// Reads `input` to its end. Writes the pairs of each page to `into`, or to the file in the
/// options, before the next line is read.
///
/// With a checkpoint, a stream resumes where it stopped. If the input starts with the same line as
/// before, lines that have been processed are skipped. Pairs in the file that belong to a page that
/// was not completely processed are removed.
///
/// # Errors
///
/// Returns an error if the input cannot be read, if pairs or the checkpoint cannot be written, or
/// if the checkpoint is damaged or belongs to another stream.
pub fn follow(
    input: &Input,
    options: &StreamOptions,
    into: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<StreamSummary, StreamError> {
    let stop = stop_lists();
    let mut terms = PageTerms::new(&options.lang, &stop)?;
    let mut state = StreamState::new(options);
    let mut position = None;
    let journal = match &options.checkpoint {
        None => None,
        Some(folder) => Some(Journal::open(folder, &kept(options), |record| {
            state.resume(&record);
            position = Some(record.position);
            state.watch.pages()
        })?),
    };
    let place = position.as_ref().and_then(|position| position.output);
    let output = Output::open(options.output.as_deref(), place, into)?;
    let mut lines = NewLines::open(input, options.max_page_bytes, position.as_ref())?;
    let summary = StreamSummary {
        resumed: state.watch.pages() - state.watch.first(),
        lines_before: lines.skipped,
        ..StreamSummary::default()
    };
    let first_line = lines.first_line;
    let mut run = Run { options, observer, state, journal, output, first_line, summary };
    while let Some(line) = lines.next()? {
        let number = lines.number();
        if line.as_ref().is_ok_and(|line| line.iter().all(u8::is_ascii_whitespace)) {
            continue;
        }
        run.summary.ledger.came_in += 1;
        match line.and_then(|line| read_page(&line, number, options, &mut terms)) {
            Ok(page) => run.arrive(page, &lines)?,
            Err(reason) => run.skip(reason, &lines.name(number)),
        }
    }
    run.end(&lines)
}

/// The page of a line.
struct StreamPage {
    url: String,
    vector: Vector,
    /// The time in milliseconds, and whether the line contains it.
    time: i64,
    is_timed: bool,
    /// The number of the line, and its hash.
    number: u64,
    line: u64,
}

/// Parses the page of a line.
fn read_page(
    line: &[u8],
    number: u64,
    options: &StreamOptions,
    terms: &mut PageTerms<'_>,
) -> Result<StreamPage, SkipReason> {
    let inputs =
        InputOptions::default().with(|inputs| inputs.max_page_bytes = options.max_page_bytes);
    let page = jsonl::page(line, &inputs)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as i64);
    let published =
        published::time_of(line, options.time_field.as_deref()).map_err(|_| SkipReason::NoTime)?;
    let time = published.unwrap_or(now);
    if time > now.saturating_add(MAX_AHEAD) {
        return Err(SkipReason::Future);
    }
    let vector = Vector::from_counts(&terms.count(&page));
    if vector.terms().is_empty() {
        return Err(SkipReason::Empty);
    }
    let line = line_hash(line);
    Ok(StreamPage { url: page.url, vector, time, is_timed: published.is_some(), number, line })
}

/// The pages processed so far.
struct StreamState {
    watch: Watch,
    leaps: Leaps<StreamPage>,
    /// The hashes and times of lines that might occur again without being too late. Only lines with
    /// a time are stored.
    lines: FxHashMap<u64, i64>,
    /// The number of lines above which those that would be too late are removed.
    max_lines: usize,
}

impl StreamState {
    fn new(options: &StreamOptions) -> Self {
        Self {
            watch: Watch::new(options.rule.clone()),
            leaps: Leaps::new(&options.rule),
            lines: FxHashMap::default(),
            max_lines: CHECK_EVERY as usize,
        }
    }

    /// Restores a page from a checkpoint. If it is too late, the stream had been restarted before
    /// it.
    fn resume(&mut self, record: &Record) {
        let Record { position, url, time, is_timed, terms } = record;
        let page = Vector::from_weights(terms.clone());
        let restarts = self.watch.take(url, &page, *time).is_err();
        if restarts {
            self.watch.reset();
            let _ = self.watch.take(url, &page, *time);
        }
        self.leaps.resume(*time, *is_timed, restarts);
        self.remember(position.last_line, *time, *is_timed);
    }

    fn remember(&mut self, line: u64, time: i64, is_timed: bool) {
        // A line without a time is a new page when it occurs again, since its time differs.
        if is_timed {
            self.lines.insert(line, time);
        }
        if self.lines.len() > self.max_lines {
            let earliest = self.watch.earliest();
            self.lines.retain(|_, time| *time >= earliest);
            self.max_lines = 2 * self.lines.len().max(CHECK_EVERY as usize);
        }
    }
}

/// A stream that is being processed.
struct Run<'a> {
    options: &'a StreamOptions,
    observer: &'a dyn Observer,
    state: StreamState,
    journal: Option<Journal>,
    output: Output<'a>,
    first_line: u64,
    summary: StreamSummary,
}

impl Run<'_> {
    fn arrive(&mut self, page: StreamPage, lines: &NewLines) -> Result<(), StreamError> {
        let StreamState { leaps, lines: before, .. } = &mut self.state;
        let reason = if page.is_timed && before.contains_key(&page.line) {
            SkipReason::Again
        } else if !page.is_timed && leaps.is_timed() {
            SkipReason::Untimed
        } else {
            let (time, is_timed) = (page.time, page.is_timed);
            let mut steps = Vec::new();
            leaps.arrive(Arrival { page, time, is_timed }, &mut steps);
            return self.follow(steps, lines);
        };
        self.skip(reason, &lines.name(page.number));
        Ok(())
    }

    /// Ends the stream. With a checkpoint, pages aside are skipped, since they could make later
    /// pages late.
    fn end(mut self, lines: &NewLines) -> Result<StreamSummary, StreamError> {
        let mut steps = Vec::new();
        match self.journal {
            None => self.state.leaps.accept_all(&mut steps),
            Some(_) => self.state.leaps.reject(&mut steps),
        }
        self.follow(steps, lines)?;
        self.summary.ledger.check()?;
        Ok(self.summary)
    }

    fn follow(
        &mut self,
        steps: Vec<Step<StreamPage>>,
        lines: &NewLines,
    ) -> Result<(), StreamError> {
        for step in steps {
            match step {
                Step::Take(page) => self.take(page, lines)?,
                Step::Reject(page) => self.skip(SkipReason::TimeLeap, &lines.name(page.number)),
                Step::Restart => {
                    let pages = self.state.watch.reset();
                    self.observer.warn(&format!(
                                                "the times of the first lines do not fit those that follow: {pages} pages are no longer compared"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Processes a page, and writes its pairs.
    fn take(&mut self, page: StreamPage, lines: &NewLines) -> Result<(), StreamError> {
        let StreamPage { url, vector, time, is_timed, number, line } = page;
        let watch = &mut self.state.watch;
        let Ok(repeats) = watch.push(&url, &vector, time) else {
            self.skip(SkipReason::TooLate, &lines.name(number));
            return Ok(());
        };
        let mut text = Vec::new();
        for repeat in &repeats {
            // Numbers and strings can always be written as JSON.
            let _ = serde_json::to_writer(&mut text, repeat);
            text.push(b'\n');
        }
        self.summary.ledger.pages += 1;
        self.summary.pairs += repeats.len() as u64;
        self.summary.cut = watch.cut();
        self.output.write(&text)?;
        if let Some(journal) = &mut self.journal {
            let (first_line, output) = (self.first_line, self.output.place());
            let position = Position { first_line, lines: number, last_line: line, output };
            let terms = vector.terms().to_vec();
            let record = Record { position, url, time, is_timed, terms };
            journal.write(&record, watch.pages() - 1, watch.first_of_span(), watch.first())?;
        }
        self.state.remember(line, time, is_timed);
        if self.summary.ledger.pages.is_multiple_of(CHECK_EVERY) {
            let watch = &mut self.state.watch;
            bound_memory(watch, self.options.memory, &mut self.summary, self.observer);
        }
        Ok(())
    }

    fn skip(&mut self, reason: SkipReason, name: &str) {
        let ledger = &mut self.summary.ledger;
        ledger.skip(reason, || name.to_owned());
        let skipped = ledger.count(reason);
        if skipped <= MAX_WARNINGS {
            let more =
                if skipped == MAX_WARNINGS { "; more of these are only counted" } else { "" };
            self.observer
                .warn(&format!("skipped {name}, as it is one of those that {reason}{more}"));
        }
    }
}

/// Removes the oldest pages while all pages use more than `memory` bytes.
fn bound_memory(
    watch: &mut Watch,
    memory: u64,
    summary: &mut StreamSummary,
    observer: &dyn Observer,
) {
    if let Some((pages, _)) = watch.bound(memory) {
        if summary.removed == 0 {
            observer.warn(
                                "the pages of a horizon need more than --memory: the oldest are removed early, and pairs with them are not \
                                 found. Raise --memory or shorten --horizon",
            );
        }
        summary.removed += pages;
    }
}

/// Returns the options that are stored in a checkpoint.
fn kept(options: &StreamOptions) -> Options {
    Options {
        version: VERSION,
        horizon: options.rule.horizon(),
        min: options.rule.min(),
        late: options.rule.late(),
        lang: options.lang.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use pagekin_pages::progress::Warnings;
    use std::fs;
    use std::path::Path;

    /// A page with this text and this time in seconds.
    fn line(url: &str, text: &str, time: Option<i64>) -> String {
        let time = time.map_or_else(String::new, |time| format!(", \"time\": {time}"));
        format!("{{\"url\": \"https://x.org/{url}\", \"text\": \"{text}\"{time}}}\n")
    }

    /// A horizon of 1,000 seconds. Pages may be 10 seconds late.
    fn options() -> StreamOptions {
        StreamOptions::new(Rule::new(1_000_000, 0.5, 10_000).unwrap())
    }

    /// Returns the summary of these lines, their pairs as URLs and times, and the warnings.
    fn followed(
        place: &Path,
        lines: &[String],
        options: &StreamOptions,
    ) -> (StreamSummary, Vec<String>, Vec<String>) {
        let (input, mut pairs, warnings) = (place.join("lines"), Vec::new(), Warnings::default());
        fs::write(&input, lines.concat()).unwrap();
        let summary = follow(&Input::Path(input), options, &mut pairs, &warnings).unwrap();
        (summary, reported(&pairs), warnings.0.into_inner().unwrap())
    }

    fn reported(pairs: &[u8]) -> Vec<String> {
        let pair = |line: &str| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| pair[name].as_str().unwrap().replace("https://x.org/", "");
            format!("{} {} {}", text("url"), text("earlier"), pair["seconds"])
        };
        std::str::from_utf8(pairs).unwrap().lines().map(pair).collect()
    }

    const BREAD: &str = "rye bread rises slowly over night";
    const PEAS: &str = "peas climb along the garden fence";

    #[test]
    fn each_line_produces_its_pairs() {
        let place = tempfile::tempdir().unwrap();
        let lines = [
            line("a", BREAD, Some(0)),
            line("b", PEAS, Some(100)),
            "\n".to_owned(),
            line("c", BREAD, Some(200)),
            line("c", BREAD, Some(210)),
            line("d", PEAS, Some(205)),
            line("e", BREAD, Some(1_001)),
        ];
        let (summary, pairs, warnings) = followed(place.path(), &lines, &options());
        let expected = ["c a 200.0", "c a 210.0", "d b 105.0", "e c 791.0"];
        assert_eq!((pairs, warnings), (expected.map(str::to_owned).into(), Vec::new()));
        let StreamSummary { resumed, lines_before, ledger, pairs, removed, cut } = summary;
        assert_eq!([resumed, lines_before, ledger.pages, pairs, removed, cut], [0, 0, 6, 4, 0, 0]);
        assert!(ledger.skipped.is_empty());
    }

    #[test]
    fn skipped_lines_are_counted_by_reason() {
        let place = tempfile::tempdir().unwrap();
        let soon = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
        let mut lines = vec![
            line("a", BREAD, Some(1_000)),
            line("b", BREAD, Some(1_001)),
            line("c", BREAD, Some(1_002)),
            line("late", BREAD, Some(991)),
            line("late", BREAD, Some(992)),
            line("a", BREAD, Some(1_000)),
            line("untimed", BREAD, None),
            line("future", BREAD, Some(soon + 2 * 86_400)),
            line("leap", BREAD, Some(soon)),
            line("d", PEAS, Some(1_003)),
            line("empty", "", Some(1_003)),
            "no page\n".to_owned(),
        ];
        for at in 0..7 {
            lines.push(line(&at.to_string(), BREAD, None).replace("}", ", \"time\": \"noon\"}"));
        }
        let (summary, _, warnings) = followed(place.path(), &lines, &options());
        let ledger = &summary.ledger;
        let skipped = |reason| ledger.count(reason);
        assert_eq!(skipped(SkipReason::TooLate), 1);
        assert_eq!(skipped(SkipReason::Again), 1);
        assert_eq!(skipped(SkipReason::Untimed), 1);
        assert_eq!(skipped(SkipReason::Future), 1);
        assert_eq!(skipped(SkipReason::TimeLeap), 1);
        assert_eq!(skipped(SkipReason::Empty), 1);
        assert_eq!(skipped(SkipReason::NotJson), 1);
        assert_eq!(skipped(SkipReason::NoTime), 7);
        assert_eq!((ledger.pages, ledger.skipped.len()), (5, 8));
        let name = |number| format!("line {number} of {}", place.path().join("lines").display());
        assert_eq!(ledger.skipped[&SkipReason::TooLate].examples, [name(4)]);
        // There are at most five warnings per reason.
        let reported =
            |part: &str| warnings.iter().filter(|warning| warning.contains(part)).count();
        assert_eq!((warnings.len(), reported("unknown form")), (12, 5));
        assert_eq!(reported("; more of these are only counted"), 1);
        assert!(
            warnings[11].contains(&name(17)) && warnings[11].ends_with("only counted"),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_stream_resumes_from_its_checkpoint() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("pairs");
        let kept = options().with(|options| {
            options.checkpoint = Some(place.path().join("checkpoint"));
            options.output = Some(output.clone());
        });
        let mut lines = vec![
            line("a", BREAD, Some(0)),
            line("b", BREAD, Some(1)),
            line("c", PEAS, Some(2)),
            line("leap", PEAS, Some(1_000_000)),
        ];
        let (summary, pairs, _) = followed(place.path(), &lines, &kept);
        assert_eq!((summary.resumed, summary.lines_before, summary.ledger.pages), (0, 0, 3));
        // A page that would make all later ones late is skipped.
        assert_eq!((summary.ledger.skipped[&SkipReason::TimeLeap].count, pairs.len()), (1, 0));
        lines.extend([
            line("d", BREAD, Some(3)),
            line("e", PEAS, Some(4)),
            line("b", BREAD, Some(1)),
        ]);
        let (summary, _, _) = followed(place.path(), &lines, &kept);
        assert_eq!((summary.resumed, summary.lines_before), (3, 3));
        assert_eq!((summary.ledger.pages, summary.pairs), (2, 3));
        assert_eq!(
            summary.ledger.skipped[&SkipReason::Again].count,
            1,
            "taken before the checkpoint"
        );
        let all = ["b a 1.0", "d a 3.0", "d b 2.0", "e c 2.0"];
        let mut found = reported(&fs::read(&output).unwrap());
        found.sort();
        assert_eq!(found, all);
        // All lines of another input are new. The same input must contain the lines processed
        // before.
        let other = [line("x", PEAS, Some(5))];
        let (summary, _, _) = followed(place.path(), &other, &kept);
        assert_eq!((summary.resumed, summary.lines_before, summary.ledger.pages), (5, 0, 1));
        assert_eq!(summary.pairs, 2);
        let follow_again = |lines: &[String]| {
            let input = place.path().join("lines");
            fs::write(&input, lines.concat()).unwrap();
            follow(&Input::Path(input), &kept, &mut Vec::new(), &Silent)
                .map_err(|error| error.to_string())
        };
        fs::write(place.path().join("none"), "").unwrap();
        let late = follow_again(&[other[0].clone(), line("y", PEAS, Some(6))]).unwrap();
        assert_eq!((late.lines_before, late.ledger.pages), (1, 1));
        let fewer = follow_again(&other).unwrap_err();
        assert!(fewer.contains("1 lines"), "{fewer}");
        let changed = follow_again(&[other[0].clone(), line("z", PEAS, Some(6))]).unwrap_err();
        assert!(changed.contains("another line 2"), "{changed}");
    }

    #[test]
    fn low_memory_and_wrong_first_times_drop_earlier_pages() {
        let place = tempfile::tempdir().unwrap();
        let (mut lines, mut pages) = (Vec::new(), 0);
        for at in 0..1_600 {
            let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
            let word = format!("{}{}{}kin", letter(at / 676), letter(at / 26), letter(at));
            lines.push(line(&at.to_string(), &word, Some(0)));
            pages += 1;
        }
        let small = options().with(|options| options.memory = 1);
        let (summary, _, warnings) = followed(place.path(), &lines, &small);
        assert_eq!((summary.ledger.pages, summary.removed), (pages, 1_024));
        assert!(warnings.len() == 1 && warnings[0].contains("--memory"), "{warnings:?}");
        let lines = [
            line("wrong", BREAD, Some(90_000)),
            line("a", BREAD, Some(1)),
            line("b", BREAD, Some(2)),
        ];
        let (summary, pairs, warnings) = followed(place.path(), &lines, &options());
        assert_eq!((summary.ledger.pages, pairs), (3, vec!["b a 1.0".to_owned()]));
        assert!(
            warnings.len() == 1 && warnings[0].contains("1 pages are no longer"),
            "{warnings:?}"
        );
    }
}
