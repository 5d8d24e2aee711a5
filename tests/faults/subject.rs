//! The commands that write an output, each with an earlier output that it replaces.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use pagekin_tests::place::{Place, Snapshot, snapshot};
use pagekin_tests::program;

/// A command that replaces an earlier output.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    arguments: Vec<String>,
    /// The complete outputs before and after the command.
    before: Snapshot,
    after: Snapshot,
}

/// The output that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    Before,
    After,
}

impl Subject {
    /// Returns `build`, `cluster` and `duplicates`, which write a folder, a folder in many stages,
    /// and a file.
    pub(crate) fn all() -> [Self; 3] {
        let of = |command: &str, options: &[&str]| {
            let mut arguments: Vec<_> = command.split(' ').map(str::to_owned).collect();
            arguments.push("site".to_owned());
            arguments.extend(options.iter().map(|&option| option.to_owned()));
            arguments.extend(["-o", "out", "--quiet", "--threads", "1"].map(str::to_owned));
            arguments
        };
        [
            Self::new("build", of("build", &[])),
            Self::new("cluster", of("crawl cluster", &["--bags", "content"])),
            Self::new("duplicates", of("duplicates", &["--format", "html"])),
        ]
    }

    fn new(name: &'static str, arguments: Vec<String>) -> Self {
        let place = Place::with_pages(40);
        let run = |place: &Place| {
            let mut command = program::command(&arguments);
            program::run(command.current_dir(place.path("")), b"").ok();
        };
        run(&place);
        let before = output(&place);
        // Two copies, so that each command has a new result.
        for name in ["0007.html", "0008.html"] {
            let page = std::fs::read_to_string(place.site().join(name)).expect("it was written");
            place.write(&format!("site/copy-of-{name}"), page.replace("Page", "Copy of page"));
        }
        run(&place);
        let after = output(&place);
        assert_ne!(before, after, "{name} notices a change");
        let subject = Self { name, place, arguments, before, after };
        subject.put_back();
        subject
    }

    /// Returns the command, ready to run in the folder.
    pub(crate) fn command(&self) -> Command {
        let mut command = program::command(&self.arguments);
        self.prepare(&mut command);
        command
    }

    /// Returns the command as arguments of another program.
    pub(crate) fn command_under(&self, program: &str, options: &[String]) -> Command {
        let mut command = Command::new(program);
        command.args(options).arg(program::path()).args(&self.arguments);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(self.place.path("")).stdin(Stdio::null()).stdout(Stdio::null());
    }

    /// Restores the previous output, and removes all other files except the site.
    pub(crate) fn put_back(&self) {
        for entry in self.place.entries().into_iter().filter(|entry| entry != "site") {
            let path = self.place.path(&entry);
            let removed = if path.is_dir() {
                std::fs::remove_dir_all(&path)
            } else {
                std::fs::remove_file(&path)
            };
            removed.expect("it can be removed");
        }
        for (name, bytes) in &self.before {
            if !name.ends_with('/') {
                self.place.write(name, bytes);
            }
        }
    }

    /// Returns which of the two outputs exists.
    ///
    /// # Panics
    ///
    /// Panics if it is neither, which is what is tested.
    pub(crate) fn check(&self, fault: &str) -> Found {
        let found = output(&self.place);
        if found == self.before {
            Found::Before
        } else if found == self.after {
            Found::After
        } else {
            let names: Vec<_> = found.keys().collect();
            panic!(
                "{}, {fault}: the output is neither the old nor the new one: {names:?}",
                self.name
            )
        }
    }

    /// Runs the command again. It must succeed and leave only its output.
    pub(crate) fn recover(&self, fault: &str) {
        let mut command = self.command();
        let status = command.status().expect("the program starts");
        assert!(status.success(), "{}, after {fault}: {status}", self.name);
        assert_eq!(self.check(fault), Found::After, "{}, after {fault}", self.name);
        assert_eq!(self.place.entries(), ["out", "site"], "{}, after {fault}", self.name);
        self.put_back();
    }
}

/// Returns the files at `out`, a file or a folder, by path in the place.
fn output(place: &Place) -> Snapshot {
    let out: PathBuf = place.out();
    if out.is_file() {
        return [("out".to_owned(), std::fs::read(&out).expect("it can be read"))].into();
    }
    if !out.exists() {
        return Snapshot::new();
    }
    let below = snapshot(&out).into_iter();
    below.map(|(name, bytes)| (format!("out/{name}"), bytes)).collect()
}
