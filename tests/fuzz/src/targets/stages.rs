//! The rows that stages of a crawl take from each other.

use std::io::Cursor;

use pagekin_stage::JobStep;
use pagekin_stage::fuzzing::{packed, takers};

use crate::targets::{Outcome, Target, told};

/// The stage that takes a stream as it is.
const FREQUENCIES: JobStep = JobStep::Frequencies { spoken_of: 9 };

/// The records of rows of bucket 0: the first byte says which stage takes them, the second how many
/// there are said to be, the third how many bytes are of the first kind.
pub const STAGES: Target = Target {
    name: "stages",
    reads: "the rows of `pagekin stage`: records of each kind, and the stream as it is",
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
        let stream = packed(&FREQUENCIES, &[("terms", 1, &[1, 0, 0, 0, 1, 0, 0, 0])]);
        seeds.push([&[255][..], &stream].concat());
        let run = move |input: &[u8]| {
            let (which, rest) = told(input);
            let (stage, stream) = match stages.get(usize::from(which)) {
                None => (&FREQUENCIES, rest.to_vec()),
                Some((stage, kinds)) => {
                    let (records, rest) = told(rest);
                    let (first, rest) = told(rest);
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
    most_bytes: 512,
    memory_of_byte: 256,
    memory_free: 24 << 20,
    short: 300,
};
