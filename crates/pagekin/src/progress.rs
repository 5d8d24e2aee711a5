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

use crate::output::{count, eprint_line};

/// Set by Ctrl-C and by termination signals.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Set once the work has observed the interruption.
static NOTICED: AtomicBool = AtomicBool::new(false);
/// Maximum time until the work observes an interruption. It checks several times a second, unless
/// it waits for another process to write or read.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(2);

type Describe = Box<dyn Fn(Stage) -> Cow<'static, str> + Send + Sync>;

enum Display {
    Bars,
    Lines,
    Nothing,
}

/// Shows the stages of a build on standard error.
pub(crate) struct Progress {
    display: Display,
    bar: Mutex<ProgressBar>,
    describe: Describe,
}

impl Progress {
    /// Shows progress unless `quiet`, and installs a handler that cancels the work on an
    /// interruption.
    pub(crate) fn new(quiet: bool) -> Result<Self, ctrlc::Error> {
        ctrlc::set_handler(|| {
            // A second interruption exits immediately. The next build removes leftover files.
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(1);
            }
            thread::spawn(|| {
                thread::sleep(NOTICE_TIMEOUT);
                if !NOTICED.load(Ordering::Relaxed) {
                    eprint_line(&format!("error: {Interrupted}"));
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

    /// Sets the function that describes stages.
    #[cfg(feature = "crawl")]
    pub(crate) fn describing(
        self,
        describe: impl Fn(Stage) -> Cow<'static, str> + Send + Sync + 'static,
    ) -> Self {
        Self { describe: Box::new(describe), ..self }
    }

    pub(crate) fn finish(&self) {
        self.bar().finish_and_clear();
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Template of a bar with position, rate and remaining time.
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

/// Formats a rate in steps per second.
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
            Display::Lines if total == 0 => eprint_line(&format!("{name} …")),
            Display::Lines => eprint_line(&format!("{name} ({}) …", count(total))),
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
            Display::Bars => self.bar().suspend(|| eprint_line(&line)),
            Display::Lines => eprint_line(&line),
            Display::Nothing => {}
        }
    }

    fn warn(&self, message: &str) {
        match self.display {
            Display::Bars => self.bar().suspend(|| eprint_line(&format!("warning: {message}"))),
            Display::Lines => eprint_line(&format!("warning: {message}")),
            Display::Nothing => {}
        }
    }

    fn cancelled(&self) -> bool {
        let interrupted = INTERRUPTED.load(Ordering::Relaxed);
        if interrupted {
            NOTICED.store(true, Ordering::Relaxed);
        }
        interrupted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded() {
        for (steps, shown) in
            [(2_100.5, "2,100/s"), (10.0, "10/s"), (0.3333, "0.3/s"), (0.0, "0.0/s")]
        {
            assert_eq!(rate(steps), shown);
        }
    }
}
