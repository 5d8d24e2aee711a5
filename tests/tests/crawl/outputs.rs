//! How every command treats the path of an output: links are followed, devices and FIFOs are
//! written to, a replaced file keeps its mode, and outputs that cannot be written are left
//! unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::thread;

use pagekin_tests::place::{Place, snapshot, teaching_site};
use pagekin_tests::program::{Done, command, pagekin, run};
use rustix::fs::{CWD, FileType, Mode, OFlags, makedev, mknodat};
use serde_json::json;

/// The kind of output that an option writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Makes {
    File,
    /// A folder that is replaced atomically.
    Folder,
    /// A file that grows while the command runs and keeps its inode.
    Growing,
    /// Files in a folder.
    Files,
}

/// The options that write, with the arguments of a trial: `@` represents the folder of [`inputs`].
const OUTPUTS: &[(&str, &str, Makes, &[&str])] = &[
    ("build", "--output", Makes::Folder, &["@/little"]),
    ("build", "--offline-bundle", Makes::File, &["@/little", "--output=@/index"]),
    ("crawl cluster", "--output", Makes::Folder, &["@/site"]),
    ("duplicates", "--output", Makes::File, &["@/site", "--format=csv"]),
    ("duplicates", "--write-baseline", Makes::File, &["@/site"]),
    ("evaluate", "--output", Makes::File, &["@/site", "--format=csv", "--set=measure=jaccard"]),
    ("evaluate", "--svg", Makes::Files, &[]),
    ("crawl feedback", "--output", Makes::File, &["@/crawl", "@/judgments.csv"]),
    ("redirects", "--output", Makes::File, &["@/site", "@/little", "--format=csv"]),
    ("crawl pairs", "--output", Makes::File, &["@/crawl", "--format=csv"]),
    ("crawl rank", "--output", Makes::File, &["@/site", "--format=csv"]),
    ("crawl stream", "--checkpoint", Makes::Files, &[]),
    ("crawl stream", "--output", Makes::Growing, &["@/pages.jsonl"]),
];

/// The options that only read the path.
const INPUTS: &[&str] = &[
    "--baseline",
    "--config",
    "--feedback",
    "--file",
    "--from",
    "--grid",
    "--hierarchy",
    "--mirrors",
    "--previous",
    "--embeddings",
    "--records",
    "--reset",
    "--site",
    "--terms",
];

/// Returns a place with the inputs of the commands.
fn inputs() -> Place {
    let place = Place::with_copy_of(&teaching_site());
    for number in 0..3 {
        let text = format!("<title>{number}</title><main>kestrels hover above meadow {number}");
        place.write(&format!("little/{number}.html"), text);
    }
    let line = |n: u32| json!({"url": format!("https://a.example/{n}"), "text": "the kestrels hover above meadows", "time": n});
    place.write("pages.jsonl", format!("{}\n{}\n", line(1), line(2)));
    let (site, crawl) = (place.site(), place.path("crawl"));
    let mut cluster = command(["crawl", "cluster", "--bags=content", "--quiet"]);
    run(cluster.arg(&site).arg("-o").arg(&crawl), b"").ok();
    let mut judgments = "cluster,url\n".to_owned();
    for path in snapshot(&site).keys().filter(|path| path.ends_with(".html")) {
        let subject: Vec<_> = path.split('/').take(2).collect();
        writeln!(judgments, "{},/{path}", subject.join("/")).expect("strings grow");
    }
    place.write("judgments.csv", judgments);
    place
}

/// Returns a command that writes to `output`.
fn writing(
    place: &Place,
    (name, option, _, rest): (&str, &str, Makes, &[&str]),
    output: &Path,
) -> Done {
    let here = place.path("");
    let here = here.to_str().expect("its path is UTF-8").trim_end_matches('/');
    let rest = rest.iter().map(|argument| argument.replace('@', here).into());
    let mut given = OsString::from(format!("{option}="));
    given.push(output);
    pagekin(name.split(' ').map(Into::into).chain(rest).chain([given]))
}

/// Reads a FIFO while a command writes to it, if it does.
fn through_fifo(path: &Path, command: impl FnOnce() -> Done) -> (Done, Vec<u8>) {
    let reader = thread::spawn({
        let path = path.to_owned();
        move || fs::read(path).expect("a FIFO can be read")
    });
    let done = command();
    // If nothing opened it, the reader is still waiting.
    let flags = OFlags::NONBLOCK.bits() as i32;
    drop(OpenOptions::new().write(true).custom_flags(flags).open(path));
    (done, reader.join().expect("reading does not panic"))
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("pipes work");
}

/// Creates a node like /dev/null, where such nodes may be created and opened.
fn null(path: &Path) -> bool {
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, path, FileType::CharacterDevice, mode, makedev(1, 3)).is_ok()
        && OpenOptions::new().write(true).open(path).is_ok()
}

fn is_as_made(path: &Path, kind: fn(&fs::FileType) -> bool) -> bool {
    kind(&fs::symlink_metadata(path).expect("it is there").file_type())
}

/// Checks that the file at `at` is written through a link and keeps its mode, or is created.
fn check_links(place: &Place, of: (&str, &str, Makes, &[&str]), expected: &[u8]) {
    let (file, link) = (place.path("far/file"), place.path("link"));
    for earlier in [true, false] {
        if earlier {
            place.write("far/file", "earlier");
            fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("it is ours");
        }
        symlink("far/file", &link).expect("links work");
        writing(place, of, &link).ok();
        assert!(link.is_symlink() && !file.is_symlink(), "{of:?}");
        assert_eq!(fs::read(&file).expect("it was written"), expected, "{of:?}");
        if earlier {
            assert_eq!(fs::metadata(&file).expect("it is there").mode() & 0o777, 0o640, "{of:?}");
        }
        fs::remove_file(&link).expect("it is ours");
        fs::remove_file(&file).expect("it is ours");
    }
}

#[test]
fn outputs_are_written_through_links_and_replace_nothing_else() {
    let place = inputs();
    for &of in OUTPUTS.iter().filter(|of| of.2 == Makes::File) {
        let plain = place.path("plain");
        writing(&place, of, &plain).ok();
        let expected = fs::read(&plain).expect("it was written");
        assert!(!expected.is_empty(), "{of:?}");
        check_links(&place, of, &expected);
        let pipe = place.path("pipe");
        fifo(&pipe);
        let (done, written) = through_fifo(&pipe, || writing(&place, of, &pipe));
        done.ok();
        assert!(written == expected && is_as_made(&pipe, FileTypeExt::is_fifo), "{of:?}");
        let device = place.path("device");
        if null(&device) {
            writing(&place, of, &device).ok();
            assert!(is_as_made(&device, FileTypeExt::is_char_device), "{of:?}");
        }
        for made in [plain, pipe, device] {
            let _ = fs::remove_file(made);
        }
        let left: Vec<_> =
            place.entries().into_iter().filter(|name| name.starts_with('.')).collect();
        assert!(left.is_empty(), "{of:?}: {left:?}");
    }
}

#[test]
fn existing_paths_that_cannot_be_written_stay() {
    let place = inputs();
    for &of in OUTPUTS.iter().filter(|of| matches!(of.2, Makes::Folder | Makes::Growing)) {
        let (pipe, device, link) = (place.path("pipe"), place.path("device"), place.path("link"));
        fifo(&pipe);
        let (done, _) = through_fifo(&pipe, || writing(&place, of, &pipe));
        assert!(of.2 == Makes::Growing || done.failed(1).contains("refusing"), "{of:?}");
        assert!(is_as_made(&pipe, FileTypeExt::is_fifo), "{of:?}");
        if null(&device) {
            writing(&place, of, &device);
            assert!(is_as_made(&device, FileTypeExt::is_char_device), "{of:?}");
        }
        symlink("far", &link).expect("links work");
        writing(&place, of, &link);
        assert!(link.is_symlink(), "{of:?}");
        for made in [pipe, device, link, place.path("far")] {
            let _ = fs::remove_file(made);
        }
    }
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let place = inputs();
    let output = place.path("pairs.csv");
    fs::write(&output, "mine").expect("there is room");
    let mut command = command(["crawl", "pairs"]);
    command.arg(place.path("crawl")).arg("-o").arg(&output);
    fs::set_permissions(&output, Permissions::from_mode(0o444)).expect("it is ours");
    if OpenOptions::new().write(true).open(&output).is_ok() {
        // Root may write anything, so another user tries.
        fs::set_permissions(place.path(""), Permissions::from_mode(0o777)).expect("it is ours");
        command.uid(65_534).current_dir("/");
        let can_start =
            std::process::Command::new(command.get_program()).arg("--version").uid(65_534).output();
        if !can_start.is_ok_and(|done| done.status.success()) {
            return;
        }
    }
    run(&mut command, b"").failed_with(&["cannot write to", "pairs.csv"]);
    assert_eq!(fs::read(&output).expect("it is there"), b"mine");
}

#[test]
fn outputs_are_readable_whatever_the_umask() {
    let place = inputs();
    // The three kinds of output: a folder, a file next to it, and a file that is written row by
    // row.
    for &of in OUTPUTS.iter().filter(|of| matches!(of.0, "build" | "crawl pairs")) {
        let output = place.path("output");
        let script = "umask 777; exec \"$@\"";
        let (name, option, _, rest) = of;
        let here = place.path("");
        let here = here.to_str().expect("its path is UTF-8").trim_end_matches('/');
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(pagekin_tests::program::path());
        shell.args(name.split(' '));
        shell.args(rest.iter().map(|argument| argument.replace('@', here)));
        shell.arg(option).arg(&output);
        run(&mut shell, b"").ok();
        let mode = |path: &Path| fs::metadata(path).expect("it is there").mode() & 0o777;
        if output.is_dir() {
            assert_eq!(mode(&output), 0o700, "{of:?}");
            let files = fs::read_dir(&output).expect("it can be listed");
            for file in files.map(|entry| entry.expect("it is there").path()) {
                assert_eq!(mode(&file), if file.is_dir() { 0o700 } else { 0o600 }, "{file:?}");
            }
            fs::remove_dir_all(&output).expect("it is ours");
        } else {
            assert_eq!(mode(&output), 0o600, "{of:?}");
            fs::remove_file(&output).expect("it is ours");
        }
    }
}

#[test]
fn the_name_of_an_output_selects_its_format() {
    let place = inputs();
    let (crawl, site) = (place.path("crawl"), place.site());
    let little = place.path("little");
    let written = |first: &[&Path], name: &str, options: &[&str]| {
        let output = place.path(name);
        let mut command = command([first[0]]);
        run(command.args(&first[1..]).arg("-o").arg(&output).args(options), b"").ok();
        fs::read(&output).expect("it was written")
    };
    let begins: &[(&[&Path], &str, &str)] = &[
        (&["crawl".as_ref(), "pairs".as_ref(), &crawl], "pairs.csv", "url,other_url"),
        (&["crawl".as_ref(), "pairs".as_ref(), &crawl], "pairs.jsonl", "{\"url\":"),
        (&["crawl".as_ref(), "pairs".as_ref(), &crawl], "pairs.PARQUET", "PAR1"),
        (&["crawl".as_ref(), "rank".as_ref(), &site], "rank.csv", "url,rank"),
        (&["crawl".as_ref(), "rank".as_ref(), &site], "rank.json", "{\"urls\":"),
        (&["crawl".as_ref(), "rank".as_ref(), &site], "rank.txt", "71 URLs"),
        (&["duplicates".as_ref(), &site], "found.html", "<!doctype html>"),
        (&["duplicates".as_ref(), &site], "junit.xml", "<?xml"),
        (&["duplicates".as_ref(), &site], "found.sarif", "{\"$schema\":"),
        (&["redirects".as_ref(), &site, &little], "moves.csv", "from,to"),
    ];
    for (first, name, begin) in begins {
        let found = written(first, name, &[]);
        assert!(found.starts_with(begin.as_bytes()), "{name}: {}", String::from_utf8_lossy(&found));
    }
    // No pages are similar: a table would report that.
    assert_eq!(written(&["redirects".as_ref(), &site, &little], "_redirects", &[]), b"");
    // The format option takes precedence.
    let found =
        written(&["crawl".as_ref(), "pairs".as_ref(), &crawl], "other.csv", &["--format", "jsonl"]);
    assert!(found.starts_with(b"{"));
    let mut nameless = command(["crawl", "pairs"]);
    let message = run(nameless.arg(&crawl).arg("-o").arg(place.path("pairs")), b"").failed(2);
    assert!(message.contains("--format"), "{message}");
}

/// Collects the commands with the options of each that take a path, according to `--help`.
fn options_with_paths(command: &[&str], found: &mut BTreeMap<String, BTreeSet<String>>) {
    let help = pagekin(command.iter().chain(&["--help"])).ok();
    let mut in_commands = false;
    for line in help.lines() {
        if !line.starts_with(' ') {
            // The commands of the program are in groups.
            in_commands = line.starts_with("Commands");
        } else if in_commands && line.starts_with("  ") && !line.starts_with("   ") {
            let name = line.split_whitespace().next().expect("a name");
            if name != "help" {
                options_with_paths(&[command, &[name]].concat(), found);
            }
        }
        let Some((option, value)) = line.trim().split_once(" <") else { continue };
        let is_path = value.split(['|', '_', '>']).any(|word| {
            ["FILE", "FOLDER", "OUT", "DIR", "PATH", "SITE", "CRAWL", "INDEX"].contains(&word)
        });
        if let Some(at) = option.find("--").filter(|_| is_path && option.starts_with('-')) {
            found.entry(command.join(" ")).or_default().insert(option[at..].to_owned());
        }
    }
}

#[test]
fn the_lists_of_options_above_are_complete() {
    let mut found = BTreeMap::new();
    options_with_paths(&[], &mut found);
    let known: BTreeSet<_> = OUTPUTS.iter().map(|&(name, option, ..)| (name, option)).collect();
    let mut seen = BTreeSet::new();
    for (command, options) in &found {
        for option in options {
            let of = (command.as_str(), option.as_str());
            assert!(
                known.contains(&of) || INPUTS.contains(&of.1),
                "{command} {option} is in neither list: does it write?"
            );
            seen.insert(of);
        }
    }
    let gone: Vec<_> = known.difference(&seen).collect();
    assert!(gone.is_empty(), "no command has {gone:?}");
}
