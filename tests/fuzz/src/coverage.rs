//! Detects which branches an input took, in a build with counters.
//!
//! LLVM's SanitizerCoverage adds an 8-bit counter to each branch (`-Cpasses=sancov-module`, which
//! stable compilers support); `cargo xtask fuzz --minutes` builds with it. The counters are
//! contiguous, and each module of the program registers their range when it starts. Other builds
//! have no counters, and only the outcome of an input decides whether it is kept.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Number of counters that are compared at a time, since most are 0.
const ROW: usize = 8;

static ROWS: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Each module calls this before `main`, all with the same range, because the linker joins the
/// counters of all modules. Up to seven counters at either end are ignored, so that rows are
/// aligned.
///
/// # Safety
///
/// Between `start` and `stop` there must be counters while the program runs.
#[allow(unsafe_code)]
// SAFETY: no other function of the program has this name, which belongs to LLVM's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let skipped = start.align_offset(ROW);
    let bytes = (stop as usize).saturating_sub(start as usize).saturating_sub(skipped);
    ROWS.store(start.wrapping_add(skipped).cast(), Relaxed);
    LENGTH.store(bytes / ROW, Relaxed);
}

/// The counters in rows of eight.
#[allow(unsafe_code)]
fn rows() -> &'static [AtomicU64] {
    let (start, length) = (ROWS.load(Relaxed), LENGTH.load(Relaxed));
    if start.is_null() {
        return &[];
    }
    // SAFETY: `length` aligned rows exist there while the program runs. The counting code writes
    // single bytes, which does not tear reads of other bytes on any supported machine. A lost count
    // costs at most an input that is not kept.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// Returns the number of counted branches, which is 0 in an ordinary build.
#[must_use]
pub fn branches() -> usize {
    rows().len() * ROW
}

/// Resets all counters.
pub fn clear() {
    rows().iter().for_each(|row| row.store(0, Relaxed));
}

/// The branches that were taken at some time.
#[derive(Debug)]
pub struct Correction {
    /// For each row, a byte of 255 for each counter that was nonzero.
    seen: Vec<u64>,
}

impl Correction {
    /// Creates an empty set.
    #[must_use]
    pub fn none() -> Self {
        Self { seen: vec![0; rows().len()] }
    }

    /// Returns the number of branches.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.seen.iter().map(|row| row.count_ones() / 8).sum()
    }

    /// Whether a branch was taken that is not in the set. If `keep`, such branches are added.
    pub fn is_new(&mut self, keep: bool) -> bool {
        let mut new = false;
        // This code is counted too, so it has few branches.
        let rows = rows();
        let mut at = 0;
        while at < rows.len() {
            let row = rows[at].load(Relaxed);
            let seen = &mut self.seen[at];
            at += 1;
            if row == 0 || *seen == u64::MAX {
                continue;
            }
            let taken = row.to_ne_bytes().map(|count| if count > 0 { u8::MAX } else { 0 });
            let taken = u64::from_ne_bytes(taken);
            if taken & !*seen != 0 {
                new = true;
                if keep {
                    *seen |= taken;
                }
            }
        }
        new
    }
}
