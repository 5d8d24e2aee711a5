//! The lines of an input into pairs, as they come.

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

/// How a stream is followed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamOptions {
    /// What makes a pair.
    pub rule: Rule,
    /// The language of pages that name none.
    pub lang: String,
    /// The field with the time of a page; by default the first of those that are known.
    pub time_field: Option<String>,
    /// Longer lines are skipped.
    pub max_page_bytes: u64,
    /// About the bytes that pages may take; if those of a horizon take more, the oldest are let go.
    pub memory: u64,
    /// The folder to go on from.
    pub checkpoint: Option<PathBuf>,
    /// The file to write pairs to, instead of what is given.
    pub output: Option<PathBuf>,
}

impl StreamOptions {
    /// Those by default.
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

    /// These options with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// What became of a stream.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StreamSummary {
    /// Pages that the checkpoint had, of the last horizon.
    pub resumed: u64,
    /// Lines that had been taken before.
    pub lines_before: u64,
    /// What became of the lines that are not blank and had not been taken before; its pages are
    /// those that were taken.
    pub ledger: Ledger,
    /// Pairs that were told.
    pub pairs: u64,
    /// Pages that were let go before they were older than the horizon.
    pub let_go: u64,
    /// Pages that may be like more earlier ones than were told, as these are too many.
    pub cut: u64,
}

/// Lines that are skipped for one reason are told of one by one up to so many.
const TOLD: u64 = 5;
/// A time that is further ahead is a mistake, and would end the horizon of all pages before it.
const AHEAD: i64 = 86_400_000;
/// Memory is looked at after so many pages.
const LOOK_EVERY: u64 = 256;

/// Reads `input` to its end and writes the pairs of each page to `into`, unless the options name a
/// file, before the next line is read.
///
/// With a checkpoint a stream goes on where it was: lines that were taken are passed over if the
/// input begins with the same line as before, and pairs that were written by a page that was not
/// taken in the end are cut off the file.
///
/// # Errors
///
/// If the input cannot be read, pairs or checkpoint not be written, or the checkpoint is another's
/// or damaged.
pub fn follow(
    input: &Input,
    options: &StreamOptions,
    into: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<StreamSummary, StreamError> {
    let stop = stop_lists();
    let mut terms = PageTerms::new(&options.lang, &stop)?;
    let mut so_far = SoFar::new(options);
    let mut position = None;
    let journal = match &options.checkpoint {
        None => None,
        Some(folder) => Some(Journal::open(folder, &kept(options), |record| {
            so_far.resume(&record);
            position = Some(record.position);
            so_far.watch.pages()
        })?),
    };
    let place = position.as_ref().and_then(|position| position.output);
    let output = Output::open(options.output.as_deref(), place, into)?;
    let mut lines = NewLines::open(input, options.max_page_bytes, position.as_ref())?;
    let summary = StreamSummary {
        resumed: so_far.watch.pages() - so_far.watch.first(),
        lines_before: lines.passed_over,
        ..StreamSummary::default()
    };
    let first_line = lines.first_line;
    let mut run = Run { options, observer, so_far, journal, output, first_line, summary };
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
    /// In milliseconds, and whether the line says so.
    time: i64,
    is_timed: bool,
    /// The number of the line, and a hash of it.
    number: u64,
    line: u64,
}

/// The page of a line.
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
    let told =
        published::time_of(line, options.time_field.as_deref()).map_err(|_| SkipReason::NoTime)?;
    let time = told.unwrap_or(now);
    if time > now.saturating_add(AHEAD) {
        return Err(SkipReason::Future);
    }
    let vector = Vector::from_counts(&terms.count(&page));
    if vector.terms().is_empty() {
        return Err(SkipReason::Empty);
    }
    let line = line_hash(line);
    Ok(StreamPage { url: page.url, vector, time, is_timed: told.is_some(), number, line })
}

/// The pages that were taken.
struct SoFar {
    watch: Watch,
    leaps: Leaps<StreamPage>,
    /// The lines with a time that may come again and not be late, with their times.
    lines: FxHashMap<u64, i64>,
    /// From so many on, those that would be late are looked for.
    most_lines: usize,
}

impl SoFar {
    fn new(options: &StreamOptions) -> Self {
        Self {
            watch: Watch::new(options.rule.clone()),
            leaps: Leaps::new(&options.rule),
            lines: FxHashMap::default(),
            most_lines: LOOK_EVERY as usize,
        }
    }

    /// A page that was taken earlier: what was taken then is not late now, unless it began anew.
    fn resume(&mut self, record: &Record) {
        let Record { position, url, time, is_timed, terms } = record;
        let page = Vector::from_weights(terms.clone());
        let begins_anew = self.watch.take(url, &page, *time).is_err();
        if begins_anew {
            self.watch.begin_anew();
            let _ = self.watch.take(url, &page, *time);
        }
        self.leaps.resume(*time, *is_timed, begins_anew);
        self.remember(position.last_line, *time, *is_timed);
    }

    fn remember(&mut self, line: u64, time: i64, is_timed: bool) {
        // The same page of now is another one a moment later.
        if is_timed {
            self.lines.insert(line, time);
        }
        if self.lines.len() > self.most_lines {
            let earliest = self.watch.earliest();
            self.lines.retain(|_, time| *time >= earliest);
            self.most_lines = 2 * self.lines.len().max(LOOK_EVERY as usize);
        }
    }
}

/// A stream that is followed.
struct Run<'a> {
    options: &'a StreamOptions,
    observer: &'a dyn Observer,
    so_far: SoFar,
    journal: Option<Journal>,
    output: Output<'a>,
    first_line: u64,
    summary: StreamSummary,
}

impl Run<'_> {
    fn arrive(&mut self, page: StreamPage, lines: &NewLines) -> Result<(), StreamError> {
        let SoFar { leaps, lines: before, .. } = &mut self.so_far;
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

    /// The input has ended. What a checkpoint took would make what comes later late.
    fn end(mut self, lines: &NewLines) -> Result<StreamSummary, StreamError> {
        let mut steps = Vec::new();
        match self.journal {
            None => self.so_far.leaps.believe_all(&mut steps),
            Some(_) => self.so_far.leaps.give_up(&mut steps),
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
                Step::GiveUp(page) => self.skip(SkipReason::TimeLeap, &lines.name(page.number)),
                Step::BeginAnew => {
                    let pages = self.so_far.watch.begin_anew();
                    self.observer.warn(&format!(
                        "the times of the first lines do not fit those that follow: {pages} pages are not compared any more"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Takes a page, and writes its pairs.
    fn take(&mut self, page: StreamPage, lines: &NewLines) -> Result<(), StreamError> {
        let StreamPage { url, vector, time, is_timed, number, line } = page;
        let watch = &mut self.so_far.watch;
        let Ok(repeats) = watch.push(&url, &vector, time) else {
            self.skip(SkipReason::TooLate, &lines.name(number));
            return Ok(());
        };
        let mut text = Vec::new();
        for repeat in &repeats {
            // Numbers and texts are always JSON.
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
        self.so_far.remember(line, time, is_timed);
        if self.summary.ledger.pages.is_multiple_of(LOOK_EVERY) {
            let watch = &mut self.so_far.watch;
            bound_memory(watch, self.options.memory, &mut self.summary, self.observer);
        }
        Ok(())
    }

    fn skip(&mut self, reason: SkipReason, name: &str) {
        let ledger = &mut self.summary.ledger;
        ledger.skip(reason, || name.to_owned());
        let skipped = ledger.count(reason);
        if skipped <= TOLD {
            let more = if skipped == TOLD { "; more of these are only counted" } else { "" };
            self.observer
                .warn(&format!("skipped {name}, as it is one of those that {reason}{more}"));
        }
    }
}

/// Lets the oldest pages go if all take more than so many bytes.
fn bound_memory(
    watch: &mut Watch,
    memory: u64,
    summary: &mut StreamSummary,
    observer: &dyn Observer,
) {
    if let Some((pages, _)) = watch.bound(memory) {
        if summary.let_go == 0 {
            observer.warn(
                "the pages of a horizon take more than --memory: the oldest are let go earlier, and pairs with them are not \
                 found. Raise --memory or shorten --horizon",
            );
        }
        summary.let_go += pages;
    }
}

/// The options that a checkpoint keeps.
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

    /// A page of these words, with its time in seconds.
    fn line(url: &str, text: &str, time: Option<i64>) -> String {
        let time = time.map_or_else(String::new, |time| format!(", \"time\": {time}"));
        format!("{{\"url\": \"https://x.org/{url}\", \"text\": \"{text}\"{time}}}\n")
    }

    /// Of a horizon of 1,000 seconds, by which pages may be 10 late.
    fn options() -> StreamOptions {
        StreamOptions::new(Rule::new(1_000_000, 0.5, 10_000).unwrap())
    }

    /// What became of these lines, the pairs as addresses and similarities, and the warnings.
    fn followed(
        place: &Path,
        lines: &[String],
        options: &StreamOptions,
    ) -> (StreamSummary, Vec<String>, Vec<String>) {
        let (input, mut pairs, heard) = (place.join("lines"), Vec::new(), Warnings::default());
        fs::write(&input, lines.concat()).unwrap();
        let summary = follow(&Input::Path(input), options, &mut pairs, &heard).unwrap();
        (summary, told(&pairs), heard.0.into_inner().unwrap())
    }

    fn told(pairs: &[u8]) -> Vec<String> {
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
    fn each_line_becomes_its_pairs() {
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
        let (summary, pairs, heard) = followed(place.path(), &lines, &options());
        let expected = ["c a 200.0", "c a 210.0", "d b 105.0", "e c 791.0"];
        assert_eq!((pairs, heard), (expected.map(str::to_owned).into(), Vec::new()));
        let StreamSummary { resumed, lines_before, ledger, pairs, let_go, cut } = summary;
        assert_eq!([resumed, lines_before, ledger.pages, pairs, let_go, cut], [0, 0, 6, 4, 0, 0]);
        assert!(ledger.skipped.is_empty());
    }

    #[test]
    fn lines_that_are_not_taken_are_counted_by_reason() {
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
        let (summary, _, heard) = followed(place.path(), &lines, &options());
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
        // Each reason is told of five times.
        let told = |part: &str| heard.iter().filter(|warning| warning.contains(part)).count();
        assert_eq!((heard.len(), told("unknown form")), (12, 5));
        assert_eq!(told("; more of these are only counted"), 1);
        assert!(heard[11].contains(&name(17)) && heard[11].ends_with("only counted"), "{heard:?}");
    }

    #[test]
    fn a_stream_goes_on_where_its_checkpoint_is() {
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
        // What would make all that comes later late is not taken.
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
        let mut found = told(&fs::read(&output).unwrap());
        found.sort();
        assert_eq!(found, all);
        // Another input is all new; the same one must have what was taken.
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
    fn memory_and_wrong_first_times_cost_earlier_pages() {
        let place = tempfile::tempdir().unwrap();
        let (mut lines, mut pages) = (Vec::new(), 0);
        for at in 0..1_600 {
            let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
            let word = format!("{}{}{}kin", letter(at / 676), letter(at / 26), letter(at));
            lines.push(line(&at.to_string(), &word, Some(0)));
            pages += 1;
        }
        let small = options().with(|options| options.memory = 1);
        let (summary, _, heard) = followed(place.path(), &lines, &small);
        assert_eq!((summary.ledger.pages, summary.let_go), (pages, 1_024));
        assert!(heard.len() == 1 && heard[0].contains("--memory"), "{heard:?}");
        let lines = [
            line("wrong", BREAD, Some(90_000)),
            line("a", BREAD, Some(1)),
            line("b", BREAD, Some(2)),
        ];
        let (summary, pairs, heard) = followed(place.path(), &lines, &options());
        assert_eq!((summary.ledger.pages, pairs), (3, vec!["b a 1.0".to_owned()]));
        assert!(heard.len() == 1 && heard[0].contains("1 pages are not compared"), "{heard:?}");
    }
}
