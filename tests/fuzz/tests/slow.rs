//! Pages that once cost a build too much do so no more, by memory and by the steps of the parser.

use pagekin_fuzz::slow::{self, MAX_MEMORY, Meter};
use pagekin_pages::fuzzing::parser_steps;

/// Bytes of a page here.
const BYTES: usize = 1 << 20;
/// Maximum steps of the parser for it, with those of the last piece that it is given.
const MAX_STEPS: u64 = 10_000_000 + 12 * BYTES as u64 + 2_000_000;

#[test]
fn what_once_was_slow_is_read_in_bounds() {
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
