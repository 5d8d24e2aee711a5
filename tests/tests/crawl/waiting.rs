//! Commands that wait for another process to write or read end on a signal.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::{command, wait};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

/// Returns a place with a site of a few pages, and a FIFO.
fn place() -> Place {
    let place = Place::empty();
    for number in 0..3 {
        place.write(&format!("site/a/{number}.html"), html("kestrels", &words(number * 10, 40)));
    }
    fs::create_dir(place.path("temporary")).expect("there is room");
    mknodat(CWD, place.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .expect("pipes work");
    place
}

/// Starts a command in a place.
fn start(place: &Place, arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.current_dir(place.path("")).env("TMPDIR", place.path("temporary"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Sends a signal, and checks that the command ends by it and leaves nothing behind.
#[track_caller]
fn check_ended(place: &Place, mut child: Child, signal: Signal, mut output: impl Read) {
    kill_process(Pid::from_child(&child), signal).expect("it runs");
    let status = wait(&mut child).expect("it ends");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("it is UTF-8");
    assert_eq!(status.code(), Some(1), "{rest}");
    assert!(rest.contains("error: interrupted: the output is unchanged"), "{rest}");
    assert!(!place.path("out").exists(), "nothing is written");
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("it can be listed").next().is_none()
}

#[test]
fn waiting_for_standard_input_ends_and_leaves_nothing() {
    let place = place();
    for (arguments, signal) in [
        (&["crawl", "rank", "-", "-o", "out"][..], Signal::TERM),
        (&["crawl", "rank", "-", "-o", "out"], Signal::INT),
        (&["crawl", "cluster", "-", "-o", "out"], Signal::TERM),
    ] {
        let mut child = start(&place, arguments);
        let mut input = child.stdin.take().expect("it is piped");
        let page = "{\"url\": \"https://a.example/\", \"text\": \"kestrels\"}\n";
        input.write_all(page.as_bytes()).expect("it reads");
        let mut output = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it reports its progress");
        assert!(line.starts_with("reading pages"), "{line}");
        check_ended(&place, child, signal, output);
        assert!(is_empty(&place.path("temporary")), "{arguments:?}");
        drop(input);
    }
}

#[test]
fn waiting_for_a_fifo_ends() {
    let place = place();
    for arguments in [
        &["crawl", "rank", "site", "--reset", "pipe", "-o", "out"][..],
        &["crawl", "cluster", "--alphabet", "text", "pipe", "-o", "out"],
        &["evaluate", "site", "--hierarchy", "pipe", "-o", "out"],
    ] {
        let mut child = start(&place, arguments);
        let output = child.stderr.take().expect("it is piped");
        // This succeeds once the command has opened it as well.
        let pipe = OpenOptions::new().write(true).open(place.path("pipe")).expect("it is read");
        check_ended(&place, child, Signal::TERM, output);
        drop(pipe);
    }
}

#[test]
fn waiting_for_a_reader_ends() {
    let place = place();
    let mut child = start(&place, &["crawl", "rank", "site", "-o", "pipe"]);
    let mut output = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.starts_with("ranking") {
        line.clear();
        assert!(output.read_line(&mut line).expect("it reports its progress") > 0, "it continues");
    }
    check_ended(&place, child, Signal::TERM, output);
}
