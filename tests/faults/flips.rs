//! Bits flipped in published files.

use std::fs;
use std::path::Path;

use pagekin_core::hash::SplitMix64;
use pagekin_index::LocalIndex;
use pagekin_tests::place::{Place, snapshot};

use crate::Row;

/// Flips `flips` bits of an index in files and of one in packs, one at a time and at least one in
/// every file, including those of the client. The verification must find every one.
pub(crate) fn flip(flips: u64, random: &mut SplitMix64) -> Vec<Row> {
    let layouts = [
        ("files", &["--block-pages", "3", "--related-json"][..]),
        ("packs", &["--layout", "packs"]),
    ];
    layouts.map(|(layout, options)| of_layout(layout, options, flips / 2, random)).into()
}

fn of_layout(layout: &str, options: &[&str], flips: u64, random: &mut SplitMix64) -> Row {
    let place = Place::with_a_copy(60);
    place.build(options);
    let files: Vec<_> = snapshot(&place.out()).into_iter().filter(|(_, b)| !b.is_empty()).collect();
    assert!(is_sound(&place.out()), "{layout}: unchanged");
    let count = flips.max(files.len() as u64);
    for flip in 0..count {
        let (name, bytes) = match files.get(flip as usize) {
            Some(file) => file,
            None => &files[random.below(files.len() as u32) as usize],
        };
        let at = random.below(bytes.len() as u32) as usize;
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << random.below(8);
        let path = place.out().join(name);
        fs::write(&path, &flipped).expect("it can be written");
        assert!(!is_sound(&place.out()), "{layout}: a bit of byte {at} of {name} is not noticed");
        fs::write(&path, bytes).expect("it can be written");
    }
    assert!(is_sound(&place.out()), "{layout}: put back");
    let outcome = format!("all found by `inspect --verify`, in {} files", files.len());
    Row::new(format!("a bit flipped in an index in {layout}"), count, outcome)
}

fn is_sound(index: &Path) -> bool {
    LocalIndex::open(index).is_ok_and(|folder| folder.verify().is_ok())
}
