//! The rows that stages of a crawl pass on.

use std::io::Cursor;

use pagekin_stage::fuzzing::{packed, some_pages, takers};
use pagekin_stage::{FragmentOptions, JobStep, TextCounts};

use crate::script::{change, changes};
use crate::targets::{Outcome, Target, split_mode};

/// The stage that reads a stream directly.
fn frequencies() -> JobStep {
    JobStep::Frequencies(TextCounts::new(9, 1))
}

/// If the first byte is at least this, the rest consists of changes of the valid stream of a stage.
const CHANGED: u8 = 128;

/// The records of rows of bucket 0: the first byte selects the stage, the second is the declared
/// number of records, the third is the number of bytes of the first kind. Or changes of a stream,
/// or a raw stream.
pub const STAGES: Target = Target {
    name: "stages",
    reads: "the rows of `pagekin stage`: records of each kind, and streams as they are or changed",
    prepare: || {
        let stages = takers();
        let seeds = (0..stages.len() as u8).flat_map(|stage| {
            let numbers = [1, 0, 0, 0, 2, 0, 0, 0, 232, 3, 0];
            [
                [&[stage, 1, 8][..], &numbers].concat(),
                vec![stage, 0, 0],
                [&[stage, 2, 10][..], &numbers, &numbers].concat(),
            ]
        });
        let mut seeds: Vec<Vec<u8>> = seeds.collect();
        let stream = packed(&frequencies(), &[("terms", 1, &[1, 0, 0, 0, 1, 0, 0, 0])]);
        seeds.push([&[255][..], &stream].concat());
        let records = [1, 0, 0, 0, 2, 0, 0, 0, 232, 3, 0];
        let sound = |(stage, kinds): &(JobStep, &'static [&'static str])| {
            let rows: Vec<_> = kinds.iter().map(|&kind| (kind, 1, &records[..])).collect();
            packed(stage, &rows)
        };
        let mut sound: Vec<(JobStep, Vec<u8>)> =
            stages.iter().map(|taker| (taker.0.clone(), sound(taker))).collect();
        sound.push((JobStep::Fragments(FragmentOptions::new(4)), some_pages()));
        for stage in 0..sound.len() as u8 {
            let place = |n: usize| (sound[usize::from(stage)].1.len() / 8 * n) as u16;
            seeds.extend((0..8).map(|n| {
                [&[CHANGED + stage][..], &change(0, n as u8, place(n), [255, 1, 0])].concat()
            }));
        }
        let run = move |input: &[u8]| {
            let (which, rest) = split_mode(input);
            let changed =
                which.checked_sub(CHANGED).and_then(|which| sound.get(usize::from(which)));
            let (stage, stream) = match stages.get(usize::from(which)) {
                None => match changed {
                    None => (&frequencies(), rest.to_vec()),
                    Some((stage, stream)) => {
                        let mut stream = stream.clone();
                        changes(rest).for_each(|change| change.apply(&mut stream));
                        (stage, stream)
                    }
                },
                Some((stage, kinds)) => {
                    let (records, rest) = split_mode(rest);
                    let (first, rest) = split_mode(rest);
                    let (first, second) = rest.split_at(rest.len().min(first.into()));
                    let kind = |at: usize| kinds.get(at).copied();
                    let rows = [(kind(0), first), (kind(1), second)];
                    let rows = rows.into_iter().filter_map(|(kind, bytes)| {
                        kind.map(|kind| (kind, u64::from(records), bytes))
                    });
                    (stage, packed(stage, &rows.collect::<Vec<_>>()))
                }
            };
            let mut output = Vec::new();
            match stage.run(Cursor::new(&stream), &mut output, 1) {
                Ok(()) => Outcome::sized(stream.len(), which, output.len()),
                Err(error) => Outcome::named(stream.len(), &error.to_string()),
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 4_096,
    memory_of_byte: 256,
    memory_free: 24 << 20,
    short: 300,
};
