//! One input, read once: no panic, and bounds of memory and time.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

use crate::targets::{Outcome, Run, Target};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What an input may take at most: a whole block of the largest takes a fifth of a second in an
/// optimized build.
const MAX_TIME: Duration = Duration::from_secs(10);

/// What was said last of why the program panics.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn panic_message() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Keeps what a panic says for a [`Failure`], instead of printing it.
pub fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
    });
}

/// The most bytes that `work` has allocated at a time, beyond those that are allocated before.
pub fn memory_of(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

/// Why an input fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What people read.
    pub message: String,
    /// The same for inputs that fail by the same: the place of a panic, or the bound.
    pub cause: String,
}

/// A target that was made ready.
pub struct Execution {
    target: &'static Target,
    run: Run,
    /// The most memory that an input took, in bytes, and with how many bytes of input.
    most_memory: (usize, usize),
}

impl Execution {
    /// Makes a target ready. The inputs it begins with come with it.
    #[must_use]
    pub fn prepare(target: &'static Target) -> (Self, Vec<Vec<u8>>) {
        let (seeds, run) = (target.prepare)();
        (Self { target, run, most_memory: (0, 0) }, seeds)
    }

    /// The most memory that an input took, in bytes, and how many bytes were read of it.
    #[must_use]
    pub fn most_memory(&self) -> (usize, usize) {
        self.most_memory
    }

    /// Reads an input.
    ///
    /// # Errors
    ///
    /// If it fails. The target must be made ready again if it panicked.
    pub fn of(&mut self, input: &[u8]) -> Result<Outcome, Failure> {
        keep_panics();
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (self.run)(input)));
        let time = start.elapsed();
        let memory = MEMORY.peak_usage().saturating_sub(before);
        let Ok(outcome) = outcome else {
            let message = panic_message();
            let cause = message.lines().next().unwrap_or_default().to_owned();
            return Err(Failure { message, cause });
        };
        if time > MAX_TIME {
            let message =
                format!("it took {:.1} s, expected at most {MAX_TIME:?}", time.as_secs_f64());
            return Err(Failure { message, cause: "time".to_owned() });
        }
        let most = self.target.memory_free + self.target.memory_of_byte * outcome.bytes;
        if memory > most {
            let bytes = outcome.bytes;
            let message =
                format!("it took {memory} bytes of memory for {bytes}, expected at most {most}");
            return Err(Failure { message, cause: "memory".to_owned() });
        }
        if memory > self.most_memory.0 {
            self.most_memory = (memory, outcome.bytes);
        }
        Ok(outcome)
    }
}
