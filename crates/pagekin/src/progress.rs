//! Progress: bars on a terminal, otherwise one line per stage.

use std::borrow::Cow;
use std::fmt;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use pagekin_pages::{Interrupted, Observer, Stage};

use crate::output::{count, say};

/// Set by Ctrl-C and by a request to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Set once the work has heard of it.
static HEARD: AtomicBool = AtomicBool::new(false);
/// So long the work has to hear of it. It asks several times a second, unless it waits for what
/// somebody else is to write or read.
const HEARING: Duration = Duration::from_secs(2);

/// What a stage is called.
type Describe = Box<dyn Fn(Stage) -> Cow<'static, str> + Send + Sync>;

/// How much is shown.
enum Display {
    Bars,
    Lines,
    Nothing,
}

/// Shows the stages of a build on standard error.
pub(crate) struct Progress {
    display: Display,
    bar: Mutex<ProgressBar>,
    /// What a stage is called.
    describe: Describe,
}

impl Progress {
    /// Shows progress unless `quiet`; from now on an interruption cancels the work.
    pub(crate) fn new(quiet: bool) -> Result<Self, ctrlc::Error> {
        ctrlc::set_handler(|| {
            // Interrupted twice: exit at once. The next build removes what is left behind.
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(1);
            }
            thread::spawn(|| {
                thread::sleep(HEARING);
                if !HEARD.load(Ordering::Relaxed) {
                    say(&format!("error: {Interrupted}"));
                    std::process::exit(1);
                }
            });
        })?;
        let display = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Nothing,
            (false, true) => Display::Bars,
            (false, false) => Display::Lines,
        };
        let describe = Box::new(|stage: Stage| stage.describe().into());
        Ok(Self { display, bar: Mutex::new(ProgressBar::hidden()), describe })
    }

    /// Calls stages so.
    #[cfg(feature = "crawl")]
    pub(crate) fn describing(
        self,
        describe: impl Fn(Stage) -> Cow<'static, str> + Send + Sync + 'static,
    ) -> Self {
        Self { describe: Box::new(describe), ..self }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar().finish_and_clear();
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A bar with its position, rate and remaining time.
const WITH_TOTAL: &str = "{spinner} {msg:21} {bar:30} {human_pos}/{human_len} {rate} {eta}";

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| {
        debug_assert!(false, "templates are literals");
        ProgressStyle::default_bar()
    });
    style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = out.write_str(&rate(state.per_sec()));
    })
}

/// Steps a second, for people.
fn rate(steps: f64) -> String {
    if steps < 10.0 { format!("{steps:.1}/s") } else { format!("{}/s", count(steps as u64)) }
}

impl Observer for Progress {
    fn stage(&self, stage: Stage, total: u64) {
        let name = (self.describe)(stage);
        let mut bar = self.bar();
        bar.finish_and_clear();
        match self.display {
            Display::Bars => {
                let new = if total == 0 {
                    ProgressBar::new_spinner()
                        .with_style(style("{spinner} {msg:21} {human_pos} {rate}"))
                } else {
                    ProgressBar::new(total).with_style(style(WITH_TOTAL))
                };
                *bar = new.with_message(name);
                bar.enable_steady_tick(std::time::Duration::from_millis(120));
            }
            Display::Lines if total == 0 => say(&format!("{name} …")),
            Display::Lines => say(&format!("{name} ({}) …", count(total))),
            Display::Nothing => {}
        }
    }

    fn expect(&self, total: u64) {
        if matches!(self.display, Display::Bars) {
            let bar = self.bar();
            if bar.length().is_none() {
                bar.set_style(style(WITH_TOTAL));
            }
            bar.set_length(total);
        }
    }

    fn advance(&self, steps: u64) {
        if matches!(self.display, Display::Bars) {
            self.bar().inc(steps);
        }
    }

    fn resumed(&self, stage: Stage) {
        let line = format!("{}: already done", (self.describe)(stage));
        match self.display {
            Display::Bars => self.bar().suspend(|| say(&line)),
            Display::Lines => say(&line),
            Display::Nothing => {}
        }
    }

    fn warn(&self, message: &str) {
        match self.display {
            Display::Bars => self.bar().suspend(|| say(&format!("warning: {message}"))),
            Display::Lines => say(&format!("warning: {message}")),
            Display::Nothing => {}
        }
    }

    fn cancelled(&self) -> bool {
        let interrupted = INTERRUPTED.load(Ordering::Relaxed);
        if interrupted {
            HEARD.store(true, Ordering::Relaxed);
        }
        interrupted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_no_more_digits_than_anybody_reads() {
        for (steps, shown) in
            [(2_100.5, "2,100/s"), (10.0, "10/s"), (0.3333, "0.3/s"), (0.0, "0.0/s")]
        {
            assert_eq!(rate(steps), shown);
        }
    }
}
