//! Processes that are killed, and disks that are full, at a random time and at each system call
//! that changes files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use pagekin_core::hash::SplitMix64;

use crate::Row;
use crate::subject::{Found, Subject};

/// Kills the command `kills` times, each after a random part of its running time.
pub(crate) fn at_random(subject: &Subject, kills: u64, random: &mut SplitMix64) -> Row {
    let start = Instant::now();
    subject.recover("nothing");
    let micros = start.elapsed().as_micros() as u32;
    let mut counts = Counts::default();
    for _ in 0..kills {
        let delay = Duration::from_micros(random.below(micros).into());
        let mut child =
            subject.command().stderr(Stdio::null()).spawn().expect("the program starts");
        thread::sleep(delay);
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
        let fault = format!("killed after {delay:?}");
        counts.add(subject.check(&fault));
        subject.recover(&fault);
    }
    Row::new(format!("`{}` killed at a random time", subject.name), kills, counts.to_string())
}

/// The system calls that create, fill, move and remove files.
const CALLS: [&str; 8] =
    ["openat", "mkdir", "write", "ftruncate", "fallocate", "renameat2", "rename", "unlinkat"];
/// Those that need disk space.
const NEED_ROOM: [&str; 5] = ["openat", "mkdir", "write", "ftruncate", "fallocate"];

/// Stops the command at `calls` of its system calls of each kind, evenly spaced: it is killed
/// there, or the call fails with a full disk. The calls of each thread are counted separately, as
/// strace does.
pub(crate) fn at_calls(subject: &Subject, calls: u64, random: &mut SplitMix64) -> Vec<Row> {
    let made = calls_of(subject);
    let mut rows = Vec::new();
    let faults = [("killed", "signal=KILL", &CALLS[..]), ("disk full", "error=ENOSPC", &NEED_ROOM)];
    for (fault, injection, names) in faults {
        let mut points: Vec<_> =
            made.iter().filter(|(call, _)| names.contains(&call.as_str())).collect();
        let all = points.len();
        while points.len() as u64 > calls {
            points.swap_remove(random.below(points.len() as u32) as usize);
        }
        let mut counts = Counts::default();
        for (call, at) in &points {
            let what = format!("{fault} at {call} {at}");
            let inject = format!("inject={call}:{injection}:when={at}");
            let options =
                ["-f", "-qq", "-o", "strace.txt", "-e", &format!("trace={call}"), "-e", &inject];
            let mut command = subject.command_under("strace", &options.map(str::to_owned));
            let ended = command.stderr(Stdio::piped()).output().expect("strace starts");
            let path = subject.place.path("strace.txt");
            let trace = fs::read_to_string(&path).unwrap_or_default();
            let _ = fs::remove_file(path);
            let errors = String::from_utf8_lossy(&ended.stderr);
            assert!(!errors.contains("panicked"), "{}, {what}: {errors}", subject.name);
            let found = subject.check(&what);
            if fault == "disk full" {
                let expected = if ended.status.success() { Found::After } else { Found::Before };
                assert!(found == expected, "{}, {what}: {found:?}, {errors}", subject.name);
                // The failing call may be the one that prints the error.
                let is_unprinted = trace
                    .lines()
                    .filter(|line| line.contains("write(2,"))
                    // Another thread may have interrupted the trace between the call and its
                    // result.
                    .any(|line| line.contains("(INJECTED)") || line.contains("<unfinished"));
                assert!(
                    ended.status.success() || errors.contains("error: ") || is_unprinted,
                    "{}, {what}: {errors}",
                    subject.name
                );
            }
            counts.add(found);
            subject.recover(&what);
        }
        let name = format!("`{}`, {fault} at one of {all} system calls", subject.name);
        rows.push(Row::new(name, points.len() as u64, counts.to_string()));
    }
    rows
}

/// Returns the calls with which the command changes files: each with its number among those of its
/// name in its thread.
fn calls_of(subject: &Subject) -> BTreeSet<(String, u64)> {
    let trace = format!("trace={}", CALLS.join(","));
    let options = ["-f", "-qq", "-o", "strace.txt", "-e", &trace].map(str::to_owned);
    let status = subject.command_under("strace", &options).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "strace is needed and must be allowed to trace: `cargo xtask faults` installs it"
    );
    let path = subject.place.path("strace.txt");
    let text = fs::read_to_string(&path).expect("strace wrote it");
    subject.put_back();
    let mut numbers: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut calls = BTreeSet::new();
    for line in text.lines() {
        // `1234 openat(AT_FDCWD, …`
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else { continue };
        let number = numbers.entry((call, thread)).or_default();
        *number += 1;
        if call != "openat" || arguments.contains("O_CREAT") {
            calls.insert((call.to_owned(), *number));
        }
    }
    calls
}

/// The number of times that each output was found.
#[derive(Default)]
struct Counts(BTreeMap<Found, u64>);

impl Counts {
    fn add(&mut self, found: Found) {
        *self.0.entry(found).or_default() += 1;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |found| self.0.get(&found).copied().unwrap_or(0);
        write!(f, "{} old, {} new, all whole", of(Found::Before), of(Found::After))
    }
}
