//! Failures: each is reported with its remedy, and no data is lost.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{PipeReader, Read, Write, pipe};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pagekin_tests::place::{Place, build_with, html, similar, snapshot, words};
use pagekin_tests::program::{self, PATIENCE, arguments, command, run, wait};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

/// Returns a place with a site of 40 pages and an index of 39 of them, so that a successful build
/// would be noticed.
fn indexed() -> Place {
    let place = Place::with_pages(39);
    place.build(&[]);
    place.write("site/0039.html", html("Page 39", &words(390, 40)));
    place
}

/// Checks that a build exits with code 1 and a message with these parts, and changes nothing.
#[track_caller]
fn check_fails(place: &Place, options: &[&str], parts: &[&str]) {
    let before = snapshot(&place.path(""));
    place.try_build(options).failed_with(parts);
    assert!(snapshot(&place.path("")) == before, "nothing has changed");
}

// The site

#[test]
fn a_missing_site_or_one_that_is_a_file_is_reported() {
    let place = indexed();
    fs::rename(place.site(), place.path("moved")).expect("it can be moved");
    check_fails(&place, &[], &["expected a folder at", "site", "found nothing"]);
    place.write("site", "a file");
    let parts = ["cannot read pages from", "site", "a file that starts with", "Pass the folder"];
    check_fails(&place, &[], &parts);
}

#[test]
fn a_site_without_html_or_words_is_reported() {
    let place = indexed();
    fs::remove_dir_all(place.site()).expect("it can be removed");
    place.write("site/notes.md", "# Notes");
    check_fails(
        &place,
        &[],
        &["nothing to index", ".html", "only 1 other files", "not its sources"],
    );
    place.write("site/a.html", "");
    place.write("site/b.html", "<meta http-equiv=refresh content='0; url=a.html'>");
    check_fails(
        &place,
        &[],
        &["nothing to index", "2 HTML files", "1 that redirect", "1 that have no indexable words"],
    );
}

#[test]
fn unreadable_files_fail_the_build_unless_excluded() {
    for name in ["pipe.html", "broken.html"] {
        let place = indexed();
        let path = place.site().join(name);
        match name {
            // Nothing writes into it: opening it would block forever.
            "pipe.html" => mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).expect("pipes work"),
            // Opening it works, but reading it fails.
            _ => symlink("/proc/self/mem", path).expect("links work"),
        }
        check_fails(&place, &[], &["cannot read 1 of the site's files", name, "--exclude"]);
        let summary = place.build(&["--exclude", name]);
        assert_eq!((summary.pages, summary.skipped("excluded")), (40, 1), "{name}");
        assert_eq!(summary.skipped[0].examples, [name]);
    }
}

#[test]
fn links_to_nothing_are_counted() {
    let place = indexed();
    symlink("nowhere", place.path("site/link.html")).expect("links work");
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("dangling")), (40, 1));
    assert_eq!(summary.skipped[0].examples, ["link.html"]);
}

#[test]
fn an_enormous_file_is_skipped_unread() {
    let place = indexed();
    let file = File::create(place.path("site/large.html")).expect("there is room");
    // A terabyte of holes, which takes no space on disk.
    file.set_len(1 << 40).expect("files can be sparse");
    let summary = place.build(&[]);
    assert_eq!((summary.pages, summary.skipped("too-large")), (40, 1));
}

#[test]
fn broken_html_is_read_as_far_as_possible() {
    let place = Place::with_pages(3);
    place.write(
        "site/invalid.html",
        b"<meta charset=utf-8><main>kestrels \xff\xfe\xc3 hover</main>",
    );
    place.write("site/truncated.html", "<html><main><p>kestrels <b>hover <a href=");
    place
        .write("site/deep.html", "<main>kestrels ".to_owned() + &"<div>".repeat(300_000) + "hover");
    place.write("site/nul.html", b"<main>kestrels\0 hover\0</main>");
    place.write("site/empty.html", "");
    place.write("site/picture.html", (0..=255).cycle().take(100_000).collect::<Vec<u8>>());
    let done = place.try_build(&[]);
    assert!(
        done.stderr.contains("warning: 1 pages have invalid bytes in their encoding, for example"),
        "{done:?}"
    );
    assert!(done.stderr.contains("warning: 1 pages were truncated, for example"), "{done:?}");
    assert!(
        done.stderr.contains("deep.html: it has elements nested more than 1,024 deep"),
        "{done:?}"
    );
    assert!(done.ok().contains("have no indexable words, for example empty.html"));
    let answer = place.similar_to("kestrels", &["--threshold", "0", "--copies"]);
    for page in ["/invalid.html", "/truncated.html", "/deep.html", "/nul.html"] {
        assert!(answer.urls().contains(&page), "{page} {answer:?}");
    }
}

#[test]
fn names_that_are_not_utf_8_become_urls() {
    let place = Place::with_pages(3);
    let odd = OsStr::from_bytes(b"\xff \n\"<%.html");
    fs::write(place.site().join(odd), html("Odd", &words(0, 20)))
        .expect("the file system allows it");
    assert_eq!(place.build(&[]).pages, 4);
    assert_eq!(place.similar_to(&words(0, 20), &[]).urls()[0], "/%FF%20%0A%22%3C%25.html");
}

// The output

#[test]
fn an_output_that_is_not_an_index_is_not_touched() {
    let place = Place::with_pages(5);
    place.write("out", "a file");
    check_fails(&place, &[], &["refusing to overwrite", "out", "found a file"]);
    fs::remove_file(place.out()).expect("it can be removed");
    place.write("elsewhere/thesis.txt", "the only copy");
    symlink(place.path("elsewhere"), place.out()).expect("links work");
    check_fails(&place, &[], &["refusing to overwrite", "found a link"]);
    fs::remove_file(place.out()).expect("it can be removed");
    symlink(place.path("nowhere"), place.out()).expect("links work");
    check_fails(&place, &[], &["refusing to overwrite", "found a link"]);
    fs::remove_file(place.out()).expect("it can be removed");
    place.write("out/thesis.txt", "the only copy");
    check_fails(&place, &[], &["refusing to overwrite", "a folder that contains thesis.txt"]);
    fs::remove_file(place.path("out/thesis.txt")).expect("it can be removed");
    place.build(&[]);
}

#[test]
fn an_output_below_a_file_or_in_a_read_only_folder_is_reported() {
    let place = Place::with_pages(5);
    place.write("file", "a file");
    let before = snapshot(&place.path(""));
    for out in [place.path("file/out").as_path(), Path::new("/proc/pagekin/out")] {
        let site = place.site();
        let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
        let parent = out.parent().expect("it has one").to_str().expect("its path is UTF-8");
        run(&mut command(arguments(first, &[])), b"").failed_with(&["cannot ", parent]);
    }
    assert_eq!(snapshot(&place.path("")), before);
}

#[test]
fn an_output_that_contains_the_site_is_refused() {
    let place = Place::with_pages(5);
    let before = snapshot(&place.path(""));
    symlink(place.path(""), place.path("site/up")).expect("links work");
    for out in [place.site(), place.path(""), place.path("site/up"), place.path("site/../site")] {
        let site = place.site();
        let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
        let done = run(&mut command(arguments(first, &[])), b"");
        done.failed_with(&[
            "refusing to write to",
            "it contains the site",
            "Choose a folder next to the site",
        ]);
    }
    fs::remove_file(place.path("site/up")).expect("it can be removed");
    assert_eq!(snapshot(&place.path("")), before);
}

#[test]
fn parent_folders_of_the_output_are_created() {
    let place = Place::with_pages(5);
    let (site, out) = (place.site(), place.path("a/b/out"));
    run(&mut command(["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()]), b"")
        .ok();
    assert_eq!(similar(&out, &["--url", "/0000.html"], "").urls()[0], "/0001.html");
}

#[test]
fn an_index_in_the_site_is_not_part_of_the_site() {
    let place = Place::with_pages(5);
    let build = |out: &Path| {
        let site = place.site();
        let first = &["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
        let done = run(&mut command(arguments(first, &["--json", "--quiet"])), b"").ok();
        let summary: program::Summary =
            serde_json::from_str(&done).expect("it has the shape of `Summary`");
        (summary.pages, summary.html_files)
    };
    // The second build finds its own output, the third another output and its own earlier one.
    for out in ["site/pagekin", "site/pagekin", "site/deep/er/kin", "site/pagekin"] {
        assert_eq!(build(&place.path(out)), (5, 5), "{out}");
    }
    assert!(place.path("site/pagekin/pagekin.manifest").is_file());
}

#[test]
fn an_earlier_index_is_replaced_entirely_and_foreign_files_are_kept() {
    let place = indexed();
    place.write("out/CNAME", "example.org");
    let before = snapshot(&place.path(""));
    check_fails(&place, &[], &["refusing to overwrite", "contains CNAME", "remove it first"]);
    assert!(snapshot(&place.path("")) == before, "nothing has changed");
    fs::remove_file(place.path("out/CNAME")).expect("it is there");
    // The new index needs a file where a folder is.
    fs::remove_file(place.path("out/worker.js")).expect("it is there");
    fs::create_dir(place.path("out/worker.js")).expect("nothing is there");
    place.build(&[]);
    let found = snapshot(&place.out());
    place.build(&[]);
    assert_eq!(found, snapshot(&place.out()));
    assert!(place.path("out/worker.js").is_file());
    assert_eq!(place.entries(), ["out", "site"]);
}

/// Puts a file into each folder of an output, one after the other, and rebuilds.
#[track_caller]
fn check_folders_are_kept(options: &[&str], expected: &[&str]) {
    let place = Place::with_pages(12);
    place.build(options);
    let mut folders = vec![];
    for name in snapshot(&place.out()).keys().filter(|name| name.ends_with('/')) {
        folders.push(name.clone());
        let file = format!("out/{name}notes.txt");
        place.write(&file, "mine");
        let found = format!("a folder that contains {name}notes.txt");
        check_fails(&place, options, &["refusing to overwrite", &found]);
        assert_eq!(fs::read(place.path(&file)).expect("it is kept"), b"mine");
        fs::remove_file(place.path(&file)).expect("it is there");
    }
    assert!(expected.iter().all(|name| folders.contains(&format!("{name}/"))), "{folders:?}");
    place.build(options);
}

#[test]
fn foreign_files_in_the_folders_of_an_index_are_kept() {
    check_folders_are_kept(&[], &["index"]);
    check_folders_are_kept(&["--pages", "lab,browse,offline"], &["lab", "browse", "index"]);
    #[cfg(unix)]
    {
        let place = indexed();
        let link = place.out().join("index/link");
        std::os::unix::fs::symlink(place.site(), &link).expect("nothing is there");
        check_fails(&place, &[], &["a folder that contains index/link"]);
        fs::remove_file(&link).expect("it is there");
        // A folder without files contains nothing to lose.
        fs::create_dir_all(place.out().join("index/new/er")).expect("nothing is there");
        place.build(&[]);
        assert!(!place.out().join("index/new").exists());
    }
}

#[test]
fn a_folder_that_only_resembles_an_index_is_not_touched() {
    let place = indexed();
    fs::remove_file(place.path("out/pagekin.manifest")).expect("it is there");
    place.write("out/pagekin.manifest/notes.txt", "a folder where the manifest goes");
    check_fails(&place, &[], &["refusing to overwrite", "found a folder that contains"]);
    place
        .on_index("similar", &["--url", "/"])
        .failed_with(&["pagekin.manifest", "Rebuild the index"]);
}

#[test]
fn pages_and_files_of_earlier_builds_disappear() {
    let place = Place::with_pages(40);
    let first = place.build(&[]);
    assert_eq!(place.similar(&["--url", "/0006.html"]).similarity("/0007.html"), 0.6);
    fs::remove_file(place.path("site/0007.html")).expect("it is there");
    let second = place.build(&[]);
    assert_eq!((first.pages, second.pages), (40, 39));
    place.on_index("similar", &["--url", "/0007.html"]).failed_with(&["/0007.html"]);
    assert_eq!(place.similar(&["--url", "/0006.html"]).similarity("/0007.html"), 0.0);
    let found = snapshot(&place.out());
    assert!(!found.keys().any(|name| name.contains(&first.generation)), "{:?}", found.keys());
    let files = found.keys().filter(|name| !name.ends_with('/')).count() as u64;
    assert_eq!(
        (files, found.values().map(|bytes| bytes.len() as u64).sum()),
        (second.files, second.bytes)
    );
}

// A full disk

/// Runs a shell script with the program, the site and the output as its first arguments.
fn shell(place: &Place, script: &str) -> program::Done {
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).args([program::path(), &place.site(), &place.out()]);
    run(&mut command, b"")
}

#[test]
fn a_truncated_write_fails_the_build_and_loses_nothing() {
    // The first file of the index that is too large, and the first one outside of it.
    for (kibibytes, name) in [(0, ".shard"), (32, "pagekin.wasm.bin")] {
        let place = indexed();
        let before = snapshot(&place.path(""));
        // With the signal ignored, a write beyond the limit fails like one on a full disk.
        let script =
            format!(r#"trap "" XFSZ; ulimit -f {kibibytes}; exec "$1" build "$2" -o "$3""#);
        let done = shell(&place, &script);
        done.failed_with(&[
            "cannot write",
            name,
            "Free some space",
            "the earlier output is unchanged",
        ]);
        assert!(snapshot(&place.path("")) == before, "nothing has changed");
    }
}

#[test]
fn a_full_disk_fails_the_build_and_loses_nothing() {
    let place = indexed();
    // A disk of its own, which disappears with the process: it holds an index and has almost no
    // space for another.
    let script = r#"
        disk=${3%/out}/disk
        mkdir "$disk" && mount -t tmpfs -o size=2m tmpfs "$disk" || exit 77
        cp -a "$3" "$disk/out" && cat /dev/zero > "$disk/ballast" 2>/dev/null
        truncate --size=-100K "$disk/ballast"
        "$1" build "$2" -o "$disk/out"
        code=$?
        cp -a "$disk/out" "$disk/../after" && ls -A "$disk" > "$disk/../entries"
        exit "$code"
    "#;
    let root = rustix::process::getuid().is_root();
    let mut command = Command::new("unshare");
    command.args(if root { &["--mount"][..] } else { &["--map-root-user", "--mount"] });
    command.args(["bash", "-c", script, "bash"]).args([
        program::path(),
        &place.site(),
        &place.out(),
    ]);
    let done = run(&mut command, b"");
    if done.code == Some(77) || done.stderr.starts_with("unshare:") {
        println!("SKIPPED: a disk to fill cannot be mounted here: {}", done.stderr);
        return;
    }
    done.failed_with(&[
        "cannot write",
        "No space left",
        "Free some space",
        "the earlier output is unchanged",
    ]);
    assert!(snapshot(&place.path("after")) == snapshot(&place.out()), "the output is as it was");
    assert_eq!(
        fs::read_to_string(place.path("entries")).expect("it was written"),
        "ballast\nout\n"
    );
}

#[test]
fn an_earlier_output_that_cannot_be_removed_is_reported() {
    let place = indexed();
    // A disk of its own, mounted in the earlier output, which disappears with the process.
    let script = r#"
        held=$(ls -d "$3"/index/*/)
        mount -t tmpfs tmpfs "$held" || exit 77
        exec "$1" build "$2" -o "$3"
    "#;
    let root = rustix::process::getuid().is_root();
    let mut command = Command::new("unshare");
    command.args(if root { &["--mount"][..] } else { &["--map-root-user", "--mount"] });
    command.args(["bash", "-c", script, "bash"]).args([
        program::path(),
        &place.site(),
        &place.out(),
    ]);
    let done = run(&mut command, b"");
    if done.code == Some(77) || done.stderr.starts_with("unshare:") {
        println!("SKIPPED: a disk cannot be mounted here: {}", done.stderr);
        return;
    }
    let left = place.entries().into_iter().find(|name| name.starts_with(".pagekin-"));
    let left = left.expect("it could not be removed");
    for part in ["cannot remove the rest of the earlier output", &left, "Remove it"] {
        assert!(done.stderr.contains(part), "{part}: {done:?}");
    }
    done.ok();
    place.on_index("inspect", &["--verify"]).ok();
    // Nothing is mounted there anymore.
    place.build(&[]);
    assert_eq!(place.entries(), ["out", "site"]);
}

// One page

/// Pages that are designed to be costly, each just beyond a limit of `site/bounds` or `site/dom`,
/// with the message about them.
fn costly_pages() -> [(&'static str, String, &'static str); 6] {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let han = (0..140_000).map(|_| char::from_u32(0x4e00 + random(0x5000) as u32).unwrap_or(' '));
    let han: String = han.collect();
    let latin: String = (0..800_000)
        .map(|at| if at % 7 == 0 { ' ' } else { char::from(b'a' + random(26) as u8) })
        .collect();
    let identifiers = (0..105_000).map(|at| format!("id_{at} ")).collect();
    let links = (0..410_000).map(|at| format!("<a href={at}>w</a>")).collect();
    let words = "more than 100,000 different words";
    [
        ("han", han, words),
        ("latin", latin, words),
        ("identifiers", identifiers, words),
        ("long", "rye ".repeat(2_510_000), "more than 2,500,000 words"),
        ("links", links, "more elements than fit into 48 MiB"),
        ("empty-elements", "<p>".repeat(1_060_000), "more elements than fit into 48 MiB"),
    ]
}

#[test]
fn a_costly_page_is_truncated_and_reported() {
    for (name, html, message) in costly_pages() {
        let place = Place::with_pages(3);
        place.write(&format!("site/{name}.html"), "<p>kestrels ".to_owned() + &html);
        // Allocations beyond this limit fail and end the program.
        let limit = r#"ulimit -v 600000; exec "$1" build "$2" -o "$3" --threads 1"#;
        let done = shell(&place, limit);
        assert!(done.stderr.contains(&format!("{name}.html: it has {message}")), "{done:?}");
        done.ok();
        place.on_index("inspect", &["--verify"]).ok();
    }
}

#[test]
fn commands_that_read_pages_report_truncated_ones() {
    let place = Place::with_pages(3);
    let (_, html, message) = &costly_pages()[2];
    place.write("site/many.html", html);
    let site = place.site();
    let done = run(&mut command(["duplicates".as_ref(), site.as_os_str()]), b"");
    assert!(done.stderr.contains(&format!("many.html: it has {message}")), "{done:?}");
    done.ok();
    let out = place.path("crawl");
    let first =
        &["crawl".as_ref(), "cluster".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()];
    let done = run(&mut command(arguments(first, &[])), b"").ok();
    assert!(done.contains("truncated: 1 ") && done.contains("many.html"), "{done}");
}

// Interruption

/// A build that waits for its progress to be read.
struct Stalled {
    child: Child,
    progress: PipeReader,
}

impl Stalled {
    /// Starts a build that blocks when it writes the first progress line after `lines`, because the
    /// pipe has space for no more than these.
    fn after(place: &Place, lines: &[&str]) -> Self {
        let (progress, mut end) = pipe().expect("pipes work");
        let capacity = rustix::pipe::fcntl_getpipe_size(&end).expect("pipes have a size");
        let room: usize = lines.iter().map(|line| line.len() + 1).sum();
        end.write_all(&vec![b'#'; capacity - room]).expect("there is room");
        let (site, out) = (place.site(), place.out());
        let mut command =
            command(["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(end);
        let child = command.spawn().expect("it starts");
        let start = Instant::now();
        while rustix::io::ioctl_fionread(&progress).expect("pipes can be asked") != capacity as u64
        {
            assert!(start.elapsed() < PATIENCE, "it did not get as far as {lines:?}");
            sleep(Duration::from_millis(1));
        }
        // Give it time to get from its last line to the next.
        sleep(Duration::from_millis(50));
        Self { child, progress }
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Reads its progress until it ends. Returns its exit code and the rest of its progress.
    fn finish(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.progress.read_to_string(&mut rest).expect("pagekin prints UTF-8");
        (wait(&mut self.child).expect("it ends").code(), rest)
    }
}

/// Returns the progress of a build of the place, line by line.
fn progress(place: &Place) -> Vec<String> {
    let (site, out) = (place.site(), place.path("other"));
    let done = run(
        &mut command(["build".as_ref(), site.as_os_str(), "-o".as_ref(), out.as_os_str()]),
        b"",
    );
    let lines: Vec<_> = done.stderr.lines().map(str::to_owned).collect();
    done.ok();
    fs::remove_dir_all(out).expect("it was written");
    assert_eq!(lines.len(), 8, "a line for each stage: {lines:?}");
    lines
}

/// Counts the working folders of builds.
fn left_over(place: &Place) -> usize {
    place.entries().iter().filter(|name| name.starts_with(".pagekin-")).count()
}

#[test]
fn an_interrupted_build_changes_nothing_at_any_stage() {
    let place = indexed();
    let lines = progress(&place);
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let before = snapshot(&place.path(""));
    for count in 1..lines.len() {
        for signal in [Signal::INT, Signal::TERM] {
            let build = Stalled::after(&place, &lines[..count]);
            assert!(left_over(&place) == 1, "the build is under way");
            build.send(signal);
            // The signal arrives immediately, but on a thread of its own.
            sleep(Duration::from_millis(100));
            let (code, rest) = build.finish();
            assert_eq!(code, Some(1), "{rest}");
            assert!(rest.contains("error: interrupted: the output is unchanged"), "{rest}");
            assert!(snapshot(&place.path("")) == before, "nothing has changed");
        }
    }
}

#[test]
fn a_killed_build_loses_nothing_and_the_next_one_cleans_up() {
    let place = indexed();
    let lines = progress(&place);
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let before = snapshot(&place.out());
    for count in 1..lines.len() {
        let build = Stalled::after(&place, &lines[..count]);
        build.send(Signal::KILL);
        assert_eq!(build.finish().0, None);
        // Its own folder, and none of the builds that were killed before.
        assert_eq!(left_over(&place), 1);
        assert!(snapshot(&place.out()) == before, "the output is as it was");
    }
    assert_eq!(place.build(&[]).pages, 40);
    assert_eq!(place.entries(), ["out", "site"]);
    place.on_index("inspect", &["--verify"]).ok();
}

#[test]
fn a_build_does_not_disturb_concurrent_ones() {
    let place = indexed();
    let lines = progress(&place);
    let build = Stalled::after(&place, &[&lines[0], &lines[1]]);
    place.build(&[]);
    assert_eq!(left_over(&place), 1);
    let (code, rest) = build.finish();
    assert_eq!(code, Some(0), "{rest}");
    place.on_index("inspect", &["--verify"]).ok();
    assert_eq!(place.entries(), ["out", "site"]);
}

// A damaged index

#[test]
fn a_folder_without_an_index_is_reported() {
    let place = Place::with_pages(5);
    for command in ["similar", "inspect"] {
        let query = if command == "similar" { &["--url", "/"][..] } else { &[] };
        place.on_index(command, query).failed_with(&[
            "no index at",
            "pagekin.manifest",
            "found nothing",
        ]);
        fs::create_dir(place.out()).expect("there is room");
        place.on_index(command, query).failed_with(&[
            "no index at",
            "pagekin build",
            "a folder without it",
        ]);
        fs::remove_dir(place.out()).expect("it is empty");
        place.write("out", "a file");
        place.on_index(command, query).failed_with(&["no index at", "found a file"]);
        fs::remove_file(place.out()).expect("it is there");
    }
}

/// A way to damage a file, with the parts of the expected message.
struct Damage {
    name: &'static str,
    of: fn(&[u8]) -> Vec<u8>,
    message: &'static [&'static str],
}

const DAMAGES: [Damage; 8] = [
    Damage {
        name: "empty",
        of: |_| Vec::new(),
        message: &["is not a pagekin file", "found nothing"],
    },
    Damage {
        name: "a host's page",
        of: |_| b"<!doctype html>".to_vec(),
        message: &["is not a pagekin file", "<!doctype html>", "serve a page for missing files"],
    },
    Damage {
        name: "head only",
        of: |bytes| bytes[..10].to_vec(),
        message: &["has the wrong size", "found 10", "Upload or rebuild"],
    },
    Damage {
        name: "cut",
        of: |bytes| bytes[..bytes.len() - 1].to_vec(),
        message: &["has the wrong size", "Upload or rebuild"],
    },
    Damage {
        name: "grown",
        of: |bytes| [bytes, b"x"].concat(),
        message: &["has the wrong size", "Upload or rebuild"],
    },
    Damage {
        name: "changed",
        of: |bytes| [&bytes[..bytes.len() - 1], &[!bytes[bytes.len() - 1]]].concat(),
        message: &["is damaged", "expected checksum", "Upload or rebuild"],
    },
    Damage {
        name: "newer",
        of: |bytes| with_version(bytes, 999),
        message: &["has format 999", "Use a newer pagekin"],
    },
    Damage {
        name: "older",
        of: |bytes| with_version(bytes, 0),
        message: &["has format 0", "Rebuild the index with this pagekin"],
    },
];

fn with_version(bytes: &[u8], version: u16) -> Vec<u8> {
    [&bytes[..4], &version.to_le_bytes(), &bytes[6..]].concat()
}

/// Damages each kind of file in `wanted` that a lookup in small blocks reads, in every way. Returns
/// the kinds that were damaged.
#[track_caller]
fn damaged_kinds(tables: bool, wanted: fn(&str) -> bool) -> Vec<String> {
    let place = Place::with_pages(40);
    let build = |seed| {
        build_with(&place.site(), &place.out(), |options| {
            (options.block_pages, options.tables) = (Some(2), Some(tables));
            options.seed = seed;
        });
        snapshot(&place.out())
    };
    let other = build(2);
    build(1);
    let query = ["--url", "/0003.html"];
    let sound = place.similar(&query);
    let mut kinds = Vec::new();
    for (name, bytes) in snapshot(&place.out()).into_iter().filter(|(name, _)| !name.ends_with('/'))
    {
        let kind =
            if name == "pagekin.manifest" { Some("manifest") } else { name.split('/').nth(2) };
        let new = |kind: &&str| wanted(kind) && !kinds.iter().any(|done| done == kind);
        let Some(kind) = kind.filter(new) else { continue };
        let path = place.out().join(&name);
        let write = |bytes: &[u8]| fs::write(&path, bytes).expect("it can be written");
        write(b"");
        // Skip files of the kind that this lookup does not read.
        if place.on_index("similar", &query).code == Some(0) {
            write(&bytes);
            continue;
        }
        for damage in DAMAGES {
            write(&(damage.of)(&bytes));
            let done = place.on_index("similar", &query);
            done.clone().failed_with(damage.message);
            assert!(done.stderr.contains(&name), "{name} {}: {done:?}", damage.name);
        }
        if kind != "manifest" {
            let (of, twin) = name.rsplit_once(kind).expect("its name has its kind");
            let twin = other.iter().find(|(name, _)| name.ends_with(&format!("/{kind}{twin}")));
            write(twin.unwrap_or_else(|| panic!("the other build has {of}")).1);
            place.on_index("similar", &query).failed_with(&[
                &name,
                "is from another build",
                "upload the whole folder",
            ]);
            fs::remove_file(&path).expect("it is there");
            place.on_index("similar", &query).failed_with(&[
                "cannot read",
                &name,
                "Rebuild the index",
            ]);
        }
        write(&bytes);
        kinds.push(kind.to_owned());
    }
    assert_eq!(place.similar(&query), sound);
    kinds.sort();
    kinds
}

#[test]
fn every_damage_to_every_file_is_reported_with_its_remedy() {
    let kinds = damaged_kinds(false, |_| true);
    assert_eq!(kinds, ["addresses", "lists", "manifest", "pages", "sketches", "words"]);
}

#[test]
fn every_damage_to_tables_is_reported_with_its_remedy() {
    let kinds = damaged_kinds(true, |kind| kind == "tables");
    assert_eq!(kinds, ["tables"]);
}

#[test]
fn a_build_repairs_a_damaged_index() {
    let place = Place::with_pages(5);
    place.build(&[]);
    let sound = snapshot(&place.out());
    for manifest in [&b""[..], b"<!doctype html>"] {
        place.write("out/pagekin.manifest", manifest);
        place.build(&[]);
        assert_eq!(snapshot(&place.out()), sound);
    }
}

// The query

#[test]
fn an_unknown_url_is_reported_with_an_example() {
    let place = Place::with_pages(5);
    place.build(&["--base-url", "/docs/"]);
    for url in ["/none.html", "", "/", "https://example.org/", "000"] {
        place.on_index("similar", &["--url", url]).failed_with(&[
            "the index has no page",
            url,
            "/docs/",
        ]);
    }
}

#[test]
fn a_text_without_words_is_reported_and_unknown_words_match_nothing() {
    let place = Place::with_pages(5);
    place.build(&[]);
    for (text, found) in [
        ("", "found nothing"),
        (" \n", "found nothing"),
        ("the and of", "only stop words"),
        ("% & —", "no words"),
    ] {
        place.try_similar_to(text, &[]).failed_with(&["expected words other than", found]);
        place.try_similar_to(text, &["--json"]).failed_with(&["expected words other than"]);
    }
    place.try_similar_to("<nav>words</nav><p></p>", &["--html"]).failed_with(&["found nothing"]);
    assert_eq!(place.similar_to("quokka", &[]).results, []);
    assert!(
        place
            .try_similar_to("quokka", &[])
            .ok()
            .starts_with("no page has a word in common with it")
    );
}

#[test]
fn an_unreadable_file_is_reported_and_binary_is_read_as_far_as_it_is_text() {
    let place = Place::with_pages(5);
    place.build(&[]);
    for name in ["none.txt", "site"] {
        let path = place.path(name);
        let path = path.to_str().expect("its path is UTF-8");
        place.on_index("similar", &["--file", path]).failed_with(&[
            "cannot read",
            path,
            "Pass a text or HTML file",
        ]);
    }
    place.write("latin.txt", [b"\xfc\xe4 ", words(0, 20).as_bytes()].concat());
    let path = place.path("latin.txt");
    assert_eq!(
        place.similar(&["--file", path.to_str().expect("its path is UTF-8")]).urls()[0],
        "/0000.html"
    );
}
