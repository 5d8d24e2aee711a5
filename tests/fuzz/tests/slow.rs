//! Pages that once cost a build too much must stay within bounds of memory and of parser steps.

use pagekin_fuzz::slow::{self, MAX_MEMORY, Meter};
use pagekin_pages::fuzzing::parser_steps;

/// Size of a page in these tests.
const BYTES: usize = 1 << 20;
/// Maximum number of parser steps for a page, including those of the last chunk that the parser is
/// fed.
const MAX_STEPS: u64 = 10_000_000 + 12 * BYTES as u64 + 2_000_000;

#[test]
fn earlier_slow_pages_stay_within_bounds() {
    let kept = slow::kept().expect("programs are read");
    assert!(kept.len() >= 10, "{}", kept.len());
    let mut meter = Meter::new().expect("a folder for a site");
    for (name, program) in kept {
        let steps = parser_steps(&program.page(BYTES));
        assert!(steps <= MAX_STEPS, "{name}: {steps} steps");
        let above = meter.above(&program, BYTES).expect("a page is written");
        assert!(above.memory <= MAX_MEMORY, "{name}: {} bytes above", above.memory);
    }
}
