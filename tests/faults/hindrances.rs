//! Limits, full disks, sites that change while they are read, and concurrent builds.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program;

use crate::Row;
use crate::subject::{Found, Subject};

/// Runs the command under decreasing shell limits of file size and of open files.
pub(crate) fn limits(subject: &Subject) -> Vec<Row> {
    let kinds = [("-f", "file size", [64, 8, 1, 0]), ("-n", "open files", [64, 16, 8, 5])];
    let mut rows = Vec::new();
    for (flag, what, limits) in kinds {
        let mut failed = 0;
        for limit in limits {
            let script = format!("trap '' XFSZ; ulimit {flag} {limit}; exec \"$0\" \"$@\"");
            let mut command = subject.command_under("sh", &["-c".to_owned(), script]);
            let ended = command.stderr(Stdio::piped()).output().expect("a shell starts");
            let errors = String::from_utf8_lossy(&ended.stderr);
            let fault = format!("{what} limited to {limit}");
            assert!(!errors.contains("panicked"), "{}, {fault}: {errors}", subject.name);
            let expected = if ended.status.success() { Found::After } else { Found::Before };
            assert_eq!(subject.check(&fault), expected, "{}, {fault}: {errors}", subject.name);
            failed += u64::from(!ended.status.success());
            subject.recover(&fault);
        }
        let tried = limits.len() as u64;
        let outcome = format!("{failed} failed with the old output, {} succeeded", tried - failed);
        rows.push(Row::new(format!("`{}`, limit of {what}", subject.name), tried, outcome));
    }
    rows
}

/// Builds a site while its files are written, truncated, removed and made unreadable.
pub(crate) fn changing_site(races: u64) -> Row {
    let (mut failed, mut built) = (0, 0);
    for race in 0..races {
        let place = Place::with_pages(60);
        place.build(&[]);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| change(&place, &stop));
            for _ in 0..3 {
                let done = place.try_build(&["--quiet"]);
                assert!(!done.stderr.contains("panicked"), "race {race}: {}", done.stderr);
                if done.code == Some(0) {
                    built += 1;
                } else {
                    failed += 1;
                }
                place.on_index("inspect", &["--verify"]).ok();
            }
            stop.store(true, Ordering::Relaxed);
        });
        place.build(&[]);
        assert_eq!(place.entries(), ["out", "site"]);
    }
    let outcome = format!("{built} built, {failed} failed with the old output, each sound");
    Row::new("`build` of a site that changes", built + failed, outcome)
}

fn change(place: &Place, stop: &AtomicBool) {
    let mut at = 0u32;
    while !stop.load(Ordering::Relaxed) {
        at += 1;
        let path = place.site().join(format!("{:04}.html", at * 7 % 60));
        let text = html("Changed", &words(at % 500, 30 + at % 50));
        let _ = match at % 4 {
            0 => fs::remove_file(&path),
            1 => fs::write(&path, ""),
            2 => fs::create_dir_all(path.with_extension("d")),
            _ => fs::write(&path, text),
        };
        thread::sleep(Duration::from_micros(200));
    }
}

/// Runs two concurrent builds into one folder. The output of the last one must be complete.
pub(crate) fn two_builds(races: u64) -> Row {
    let place = Place::with_pages(40);
    place.build(&[]);
    let mut failed = 0;
    for race in 0..races {
        let spawn = |options: &[&str]| {
            let mut command: Command = program::command(["build", "site", "-o", "out", "--quiet"]);
            command.args(options).current_dir(place.path(""));
            command.stderr(Stdio::piped()).spawn().expect("the program starts")
        };
        let children = [spawn(&["--base-url", "/1/"]), spawn(&["--base-url", "/2/"])];
        let ended = children.map(|child| child.wait_with_output().expect("it ends"));
        for ended in &ended {
            let errors = String::from_utf8_lossy(&ended.stderr);
            assert!(!errors.contains("panicked"), "race {race}: {errors}");
            failed += u64::from(!ended.status.success());
        }
        place.on_index("inspect", &["--verify"]).ok();
        place.build(&[]);
        assert_eq!(place.entries(), ["out", "site"], "race {race}");
    }
    let outcome = format!("each output sound, {failed} of {} builds refused", 2 * races);
    Row::new("two `build`s into one folder", races, outcome)
}
