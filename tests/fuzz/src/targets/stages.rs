//! The rows that stages of a crawl take from each other.

use std::io::Cursor;

use pagekin_build::crawl::Threshold;
use pagekin_build::fuzzing::packed;
use pagekin_build::stage::{
    CenterStep, DescribeOptions, FragmentOptions, IndexStep, PlanOptions, SampleOptions,
    SignOptions, Stage, Unpacked,
};
use pagekin_core::Preset;

use crate::targets::{Outcome, Target, told};

/// The records of rows of bucket 0: the first byte says which stage takes them, the second how many
/// there are said to be, the third how many bytes are of the first kind.
pub const STAGES: Target = Target {
    name: "stages",
    reads: "the rows of `pagekin stage`: records of each kind, and the stream as it is",
    prepare: || {
        let stages = stages();
        let seeds = (0..stages.len() as u8).flat_map(|stage| {
            let numbers = [1, 0, 0, 0, 2, 0, 0, 0, 232, 3, 0];
            [
                [&[stage, 1, 8][..], &numbers].concat(),
                vec![stage, 0, 0],
                [&[stage, 2, 10][..], &numbers, &numbers].concat(),
            ]
        });
        let mut seeds: Vec<Vec<u8>> = seeds.collect();
        seeds.push([&[255][..], &packed(&[("terms", 1, &[1, 0, 0, 0, 1, 0, 0, 0])])].concat());
        let run = move |input: &[u8]| {
            let (which, rest) = told(input);
            let (stage, stream) = match stages.get(usize::from(which)) {
                None => (&Stage::Frequencies { spoken_of: 9 }, rest.to_vec()),
                Some((stage, kinds)) => {
                    let (records, rest) = told(rest);
                    let (first, rest) = told(rest);
                    let (first, second) = rest.split_at(rest.len().min(first.into()));
                    let kind = |at: usize| kinds.get(at).copied();
                    let rows = [(kind(0), first), (kind(1), second)];
                    let rows = rows.into_iter().filter_map(|(kind, bytes)| {
                        kind.map(|kind| (kind, u64::from(records), bytes))
                    });
                    (stage, packed(&rows.collect::<Vec<_>>()))
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

/// Stages with the kinds that they take.
fn stages() -> Vec<(Stage, &'static [&'static str])> {
    vec![
        (Stage::Collapse, &["fragments"]),
        (Stage::Frequencies { spoken_of: 9 }, &["terms"]),
        (Stage::Twins(Preset::Web), &["signed"]),
        (Stage::Sample(SampleOptions::new(9)), &["rows"]),
        (Stage::Plan(PlanOptions::new(9)), &["sample"]),
        (Stage::Meet(Threshold::PAPER), &["candidates", "groups"]),
        (Stage::Verify(Threshold::PAPER), &["groups", "halves"]),
        (Stage::Edges, &["pairs", "twins"]),
        (Stage::Center(CenterStep::Begin), &["edges", "founded"]),
        (Stage::Center(CenterStep::Round), &["live", "messages"]),
        (Stage::Center(CenterStep::Rest), &["live", "messages"]),
        (Stage::Clusters, &["centers", "twins"]),
        (Stage::Unpack(Unpacked::Pairs), &["pairs"]),
        (Stage::Sign(SignOptions::new(4)), &["bags"]),
        (Stage::Fragments(FragmentOptions::new(4)), &["fragments"]),
        (Stage::Index(IndexStep::Words { spoken_of: 9 }), &["spoken", "terms"]),
        (Stage::Index(IndexStep::Ranges(3)), &["facts"]),
        (Stage::Index(IndexStep::Members(4)), &["centers", "pages"]),
        (Stage::Index(IndexStep::Sort), &["ordered"]),
        (Stage::Index(IndexStep::Describe(DescribeOptions::new(9))), &["drawn", "facts"]),
    ]
}
