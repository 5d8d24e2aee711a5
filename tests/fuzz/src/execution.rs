//! Runs a target on one input and checks that it does not panic and stays within bounds of memory
//! and time.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

use crate::targets::{Outcome, Run, Target};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Maximum time of an input. The largest block takes a fifth of a second in an optimized build.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The last panic message.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn panic_message() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Stores panic messages for [`Failure`]s instead of printing them.
pub fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
    });
}

/// Returns the peak number of bytes that `work` has allocated, in addition to earlier allocations.
pub fn memory_of(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

/// The reason why an input fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The message for people.
    pub message: String,
    /// A message that is equal for inputs with the same cause: the location of a panic, or the
    /// bound.
    pub cause: String,
}

/// A prepared target.
pub struct Execution {
    target: &'static Target,
    run: Run,
    /// The maximum memory of an input in bytes, with the bytes read from that input.
    max_memory: (usize, usize),
}

impl Execution {
    /// Prepares a target. Returns its seeds as well.
    #[must_use]
    pub fn prepare(target: &'static Target) -> (Self, Vec<Vec<u8>>) {
        let (seeds, run) = (target.prepare)();
        (Self { target, run, max_memory: (0, 0) }, seeds)
    }

    /// Returns the maximum memory of an input in bytes, with the bytes read from that input.
    #[must_use]
    pub fn max_memory(&self) -> (usize, usize) {
        self.max_memory
    }

    /// Reads an input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input fails. After a panic, the target must be prepared again.
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
        let max = self.target.memory_free + self.target.memory_of_byte * outcome.bytes;
        if memory > max {
            let bytes = outcome.bytes;
            let message =
                format!("it took {memory} bytes of memory for {bytes}, expected at most {max}");
            return Err(Failure { message, cause: "memory".to_owned() });
        }
        if memory > self.max_memory.0 {
            self.max_memory = (memory, outcome.bytes);
        }
        Ok(outcome)
    }
}
