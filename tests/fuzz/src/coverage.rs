//! Which branches were taken, in a build whose code counts them.
//!
//! LLVM's SanitizerCoverage puts a counter of 8 bits at each branch (`-Cpasses=sancov-module`,
//! which stable compilers have); `cargo xtask fuzz --minutes` builds with it. The counters are
//! in a row, and each module of the program registers them when it starts. Other builds have no
//! counters, and only the outcome of an input decides whether it is kept.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Eight counters are looked at together, as most are 0.
const ROW: usize = 8;

static ROWS: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Called by each module before `main`, all with the same counters: the linker puts those of all
/// modules into one row. Up to seven at either end are omitted, so that rows are aligned.
///
/// # Safety
///
/// Between `start` and `stop` lie counters, for as long as the program runs.
#[allow(unsafe_code)]
// SAFETY: no other function of the program has this name, which is that of LLVM's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let skipped = start.align_offset(ROW);
    let bytes = (stop as usize).saturating_sub(start as usize).saturating_sub(skipped);
    ROWS.store(start.wrapping_add(skipped).cast(), Relaxed);
    LENGTH.store(bytes / ROW, Relaxed);
}

/// The counters, eight in each.
#[allow(unsafe_code)]
fn rows() -> &'static [AtomicU64] {
    let (start, length) = (ROWS.load(Relaxed), LENGTH.load(Relaxed));
    if start.is_null() {
        return &[];
    }
    // SAFETY: these aligned rows are there as long as the program runs. The code that counts
    // writes bytes of them, which on no machine it runs on tears another; a count that is lost
    // costs at most an input that is not kept.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// The number of branches that are counted; 0 in an ordinary build.
#[must_use]
pub fn branches() -> usize {
    rows().len() * ROW
}

/// Sets all counters to 0.
pub fn clear() {
    rows().iter().for_each(|row| row.store(0, Relaxed));
}

/// The branches that were taken at some time.
#[derive(Debug)]
pub struct Correction {
    /// For each row 255 in the place of each counter that was taken.
    seen: Vec<u64>,
}

impl Correction {
    /// None yet.
    #[must_use]
    pub fn none() -> Self {
        Self { seen: vec![0; rows().len()] }
    }

    /// How many.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.seen.iter().map(|row| row.count_ones() / 8).sum()
    }

    /// Whether the counters have one that was not taken before; if `keep`, it is taken from now on.
    pub fn is_new(&mut self, keep: bool) -> bool {
        let mut new = false;
        // What stands here is counted too, so it has few branches.
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
