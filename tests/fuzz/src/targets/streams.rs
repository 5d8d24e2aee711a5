//! The checkpoint of a stream.

use std::fs;
use std::io::sink;
use std::path::Path;

use pagekin_duplicates::fuzzing::{rewritten_journal, sealed_journal};
use pagekin_duplicates::stream::{Rule, StreamError, StreamOptions, StreamSummary, follow};
use pagekin_pages::{Input, Silent};

use crate::targets::folders::{Files, seeds};
use crate::targets::{Outcome, Target, split_mode};

/// The pages of a checkpoint: a raw file, or records with valid checksums, each preceded by its
/// length.
pub const JOURNAL: Target = Target {
    name: "stream-journal",
    reads: "the pages in the checkpoint of a stream, with and without valid checksums",
    prepare: || {
        let place = tempfile::tempdir().expect("there is a temporary folder");
        follow_into(place.path(), place.path()).expect("the lines are sound");
        let file = place.path().join("state/pages-0000000001");
        let sound = fs::read(file).expect("the checkpoint was written");
        let mut rest = &sound[HEAD..];
        let mut records = vec![1];
        while let Some((head, after)) = rest.split_at_checked(16) {
            let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
            records.push(length as u8);
            records.extend(&after[..length]);
            rest = &after[length..];
        }
        let seeds = vec![[&[0], &sound[..]].concat(), records];
        let run = move |input: &[u8]| {
            let (how, mut rest) = split_mode(input);
            let mut records = Vec::new();
            while how % 2 == 1 && !rest.is_empty() {
                let (length, after) = split_mode(rest);
                let (record, after) = after.split_at(after.len().min(length.into()));
                records.push(record);
                rest = after;
            }
            let sealed = sealed_journal(&records).expect("records are short");
            let file = if how % 2 == 1 { &sealed } else { rest };
            match rewritten_journal(file) {
                Ok((whole, again)) => {
                    assert!(whole <= file.len() as u64);
                    let twice = rewritten_journal(&again).expect("it is read again");
                    assert_eq!(twice, (again.len() as u64, again.clone()));
                    Outcome::sized(input.len(), how % 2, again.len())
                }
                Err(error) => Outcome::named(input.len(), &error.to_string()),
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 2_048,
    memory_of_byte: 64,
    memory_free: 1 << 20,
    short: 3_000,
};

/// Size of the header of a file of pages.
const HEAD: usize = 8;

/// A changed checkpoint with its output: the stream either resumes as if the changed parts were
/// missing, or not at all.
pub const CHECKPOINT: Target = Target {
    name: "stream-checkpoint",
    reads: "the checkpoint of a stream and its output, changed, and the stream that resumes from them",
    prepare: || {
        let place = tempfile::tempdir().expect("there is a temporary folder");
        let files = Files::new(|folder| {
            fs::create_dir(folder).expect("a folder is made");
            follow_into(folder, place.path()).expect("the lines are sound");
        });
        let output = files.folder.join("pairs");
        let expected = files.sound[&output].clone();
        assert!(expected.len() > 100, "there are pairs");
        let seeds = seeds(files.sound.len(), &[0, 3, 5]);
        let run = move |input: &[u8]| {
            fs::remove_dir_all(&files.folder).expect("a folder is removed");
            fs::create_dir_all(files.folder.join("state")).expect("a folder is made");
            for (path, bytes) in &files.sound {
                fs::write(path, bytes).expect("a file is written");
            }
            let (bytes, _) = files.change(input, false);
            match follow_into(&files.folder, place.path()) {
                Ok(summary) => {
                    let found = fs::read(&output).expect("pairs were written");
                    assert_eq!(found, expected, "{summary:?}");
                    Outcome::sized(bytes, 0, summary.ledger.pages as usize)
                }
                Err(error) => {
                    let folder = files.folder.display().to_string();
                    Outcome::named(bytes, &error.to_string().replace(&folder, ""))
                }
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 4 * 7,
    memory_of_byte: 64,
    memory_free: 32 << 20,
    short: 16,
};

/// Follows some lines, which are written to `input_folder`, with the checkpoint and the output in
/// `folder`.
fn follow_into(folder: &Path, input_folder: &Path) -> Result<StreamSummary, StreamError> {
    let lines: String = (0..9)
        .map(|n| {
            let words = ["rye bread", "kestrels hover", "ipv6 addresses"][n % 3];
            let time = 1_700_000_000 + 600 * n;
            format!("{{\"url\":\"https://{n}.example/\",\"text\":\"{words}\",\"time\":{time}}}\n")
        })
        .collect();
    let input = input_folder.join("pages.jsonl");
    fs::write(&input, lines).expect("a file is written");
    let rule = Rule::new(3_600_000, 0.5, 360_000).expect("it is a rule");
    let options = StreamOptions::new(rule).with(|options| {
        options.checkpoint = Some(folder.join("state"));
        options.output = Some(folder.join("pairs"));
    });
    follow(&Input::Path(input), &options, &mut sink(), &Silent)
}
