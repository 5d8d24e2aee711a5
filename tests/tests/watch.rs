//! `pagekin build --serve --watch`: served files follow the site.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pagekin_core::{Index, Lookup, LookupOptions};
use pagekin_index::FolderError;
use pagekin_tests::place::{Place, html, snapshot, words};
use pagekin_tests::program::{self, PATIENCE, wait};
use pagekin_tests::served::Served;

/// A build that serves and watches.
struct Watching {
    place: Place,
    served: Served,
}

impl Watching {
    fn start(place: Place) -> Self {
        Self::start_into(place, "out")
    }

    /// Starts with an output folder of the place.
    fn start_into(place: Place, out: &str) -> Self {
        let mut command = Command::new(program::path());
        command.arg("build").arg(place.site()).arg("-o").arg(place.path(out));
        command.args(["--no-config", "--quiet", "--serve", "--watch"]);
        let log = fs::File::create(place.path("log")).expect("there is room");
        let served = Served::by(command.stderr(Stdio::from(log)));
        let watching = Self { place, served };
        watching.until("it watches", || watching.log().contains("watching"));
        watching
    }

    fn log(&self) -> String {
        fs::read_to_string(self.place.path("log")).expect("it is written")
    }

    /// Waits until a condition holds.
    #[track_caller]
    fn until(&self, what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < PATIENCE, "expected that {what}: {}", self.log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the URLs of the pages that contain a text, according to the served index. Returns
    /// `None` if the index was replaced meanwhile.
    fn ask(&self, text: &str) -> Option<Vec<String>> {
        let read = |name: &str| {
            let response = self.served.get(&format!("/pagekin/{name}"));
            (response.status == 200).then_some(response.body)
        };
        let mut index = Index::open(&read("pagekin.manifest")?).ok()?;
        let lookup = Lookup::from_text(&index, text, "en", LookupOptions::default()).ok()?;
        let gone = || FolderError::NoIndex { path: "/".into(), found: "nothing" };
        let answer = lookup.drive(&mut index, |name| read(name).ok_or_else(gone)).ok()?;
        Some(answer.results.into_iter().map(|kin| kin.url).collect())
    }

    #[track_caller]
    fn until_found(&self, text: &str, url: &str) {
        self.until(&format!("{url} is found"), || {
            self.ask(text).is_some_and(|urls| urls.first().is_some_and(|first| first == url))
        });
    }

    fn pages(&self) -> u32 {
        let manifest = self.served.get("/pagekin/pagekin.manifest").body;
        Index::open(&manifest).map_or(0, |index| index.manifest().pages)
    }

    #[cfg(unix)]
    fn interrupt(mut self) -> (Option<i32>, Place) {
        let id = self.served.child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("there is kill");
        let status = wait(&mut self.served.child).expect("it ends");
        drop(self.served);
        (status.code(), self.place)
    }
}

#[test]
fn added_pages_are_found_and_removed_ones_are_not() {
    let watching = Watching::start(Place::with_pages(12));
    let place = &watching.place;
    let seen = watching.served.get("/.pagekin/changes").body;
    let (new, changed) = (words(2_000, 30), words(2_100, 30));
    place.write("site/new.html", html("New", &new));
    watching.until_found(&new, "/new.html");
    place.write("site/new.html", html("New", &changed));
    watching.until_found(&changed, "/new.html");
    fs::remove_file(place.path("site/new.html")).expect("it is there");
    watching.until("12 pages are left", || watching.pages() == 12);
    assert_eq!(watching.ask(&changed), Some(Vec::new()));
    assert!(watching.served.get("/.pagekin/changes").body != seen, "open pages are notified");

    // A folder with pages is added at once, and removed.
    fs::create_dir(place.path("aside")).expect("there is room");
    place.write("aside/deep/x.html", html("X", &new));
    fs::rename(place.path("aside"), place.path("site/moved")).expect("it can be moved");
    watching.until_found(&new, "/moved/deep/x.html");
    fs::rename(place.path("site/moved"), place.path("aside")).expect("it can be moved");
    watching.until("12 pages are left", || watching.pages() == 12);
}

#[test]
fn a_burst_of_changes_gives_one_complete_index() {
    let watching = Watching::start(Place::with_pages(10));
    for number in 10..150 {
        let text = html(&format!("Page {number}"), &words(number * 10, 40));
        watching.place.write(&format!("site/more/{number}.html"), text);
        thread::sleep(Duration::from_millis(3));
    }
    watching.until("all pages are in the index", || watching.pages() == 150);
    let builds = watching.log().matches("rebuilding…").count();
    assert!(builds < 20, "{builds} builds: {}", watching.log());
}

/// Hugo and VitePress rewrite folders like this: an incomplete site must never be served.
#[test]
fn a_folder_being_rewritten_keeps_its_index_until_it_is_complete() {
    let watching = Watching::start(Place::with_pages(40));
    let site = watching.place.site();
    let pages = snapshot(&site);
    let mut served = vec![watching.pages()];
    for way in ["emptied", "removed", "moved away"] {
        match way {
            "emptied" => pages.keys().for_each(|name| {
                fs::remove_file(site.join(name)).expect("it is there");
            }),
            "removed" => fs::remove_dir_all(&site).expect("it is there"),
            _ => fs::rename(&site, watching.place.path("old")).expect("it is there"),
        }
        // Longer than the delay after any change.
        thread::sleep(Duration::from_millis(700));
        served.push(watching.pages());
        fs::create_dir_all(&site).expect("there is room");
        for (at, (name, bytes)) in pages.iter().enumerate() {
            fs::write(site.join(name), bytes).expect("there is room");
            if at % 10 == 3 {
                thread::sleep(Duration::from_millis(if at < 20 { 600 } else { 100 }));
                served.push(watching.pages());
            }
        }
        let text = words(3_000, 30);
        fs::write(site.join("last.html"), html("Last", &text)).expect("there is room");
        watching.until_found(&text, "/last.html");
        served.push(watching.pages() - 1);
        fs::remove_file(site.join("last.html")).expect("it is there");
        watching.until("40 pages are left", || watching.pages() == 40);
    }
    assert!(served.iter().all(|&pages| pages == 40), "{served:?}: {}", watching.log());
}

#[test]
fn an_emptied_site_keeps_its_index() {
    let watching = Watching::start(Place::with_pages(5));
    let site = watching.place.site();
    fs::remove_dir_all(&site).expect("it is there");
    watching.until("it is reported", || watching.log().contains("no pages in"));
    assert_eq!(watching.pages(), 5);
    let text = words(500, 30);
    watching.place.write("site/again.html", html("Again", &text));
    watching.until_found(&text, "/again.html");
    assert_eq!(watching.pages(), 1);
}

#[test]
fn a_failed_build_is_reported_and_the_last_index_stays() {
    let watching = Watching::start(Place::with_pages(5));
    let place = &watching.place;
    // The output contains a foreign file, so it is not replaced.
    place.write("out/notes.txt", "mine");
    let text = words(500, 30);
    place.write("site/new.html", html("New", &text));
    watching.until("it is reported", || watching.log().contains("refusing to overwrite"));
    assert!(watching.log().contains("keeping the last index"), "{}", watching.log());
    assert_eq!(watching.pages(), 5);
    assert_eq!(watching.served.get("/pagekin/notes.txt").body, b"mine");
    fs::remove_file(place.path("out/notes.txt")).expect("it is there");
    place.write("site/other.html", html("Other", &words(600, 30)));
    watching.until_found(&text, "/new.html");
}

#[test]
fn an_output_in_the_site_does_not_trigger_builds() {
    let watching = Watching::start_into(Place::with_pages(5), "site/pagekin");
    let text = words(500, 30);
    watching.place.write("site/new.html", html("New", &text));
    watching.until_found(&text, "/new.html");
    thread::sleep(Duration::from_secs(2));
    assert_eq!(watching.log().matches("rebuilding…").count(), 1, "{}", watching.log());
    // A file that is not a page needs no build, but pages may show it.
    let seen = watching.served.get("/.pagekin/changes").body;
    watching.place.write("site/style.css", "p { color: teal }");
    watching
        .until("open pages are notified", || watching.served.get("/.pagekin/changes").body != seen);
    assert_eq!(watching.log().matches("rebuilding…").count(), 1, "{}", watching.log());
}

#[test]
fn pages_are_served_with_a_script_and_files_unchanged() {
    let watching = Watching::start(Place::with_pages(5));
    let file = fs::read(watching.place.path("site/0001.html")).expect("it is there");
    let served = watching.served.get("/0001.html");
    assert!(served.body.starts_with(&file) && served.body.len() > file.len());
    let script = String::from_utf8_lossy(&served.body[file.len()..]).into_owned();
    assert!(script.starts_with("<script src=\"/.pagekin/reload.js\" data-seen="), "{script}");
    assert_eq!(served.header("content-length"), served.body.len().to_string());
    let conditional = "Host: localhost\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    assert_eq!(watching.served.get_with("/0001.html", conditional).status, 200);
    assert_eq!(
        watching.served.get("/.pagekin/reload.js").header("content-type"),
        "text/javascript"
    );
    assert!(String::from_utf8_lossy(&watching.served.get("/pagekin/").body).contains("reload.js"));
    let client = fs::read(watching.place.out().join("pagekin.js")).expect("it is there");
    assert_eq!(watching.served.get("/pagekin/pagekin.js").body, client);
    let host = watching.served.get_with("/.pagekin/changes", "Host: example.org\r\n");
    assert_eq!(host.status, 403);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_and_leaves_a_valid_index() {
    let watching = Watching::start(Place::with_pages(50));
    watching.place.write("site/new.html", html("New", &words(900, 30)));
    watching.until("it builds", || watching.log().contains("rebuilding…"));
    let (code, place) = watching.interrupt();
    assert_eq!(code, Some(0));
    place.on_index("inspect", &["--verify"]).ok();
    assert_eq!(place.entries(), ["log", "out", "site"]);

    let watching = Watching::start(place);
    assert_eq!(watching.interrupt().0, Some(0));
}

#[test]
fn serve_and_watch_work_alone() {
    let place = Place::with_pages(5);
    let mut command = Command::new(program::path());
    command.arg("build").arg(place.site()).arg("-o").arg(place.out());
    command.args(["--no-config", "--quiet", "--serve"]);
    let served = Served::by(&mut command);
    let file = fs::read(place.path("site/0001.html")).expect("it is there");
    assert_eq!(served.get("/0001.html").body, file);
    assert_eq!(served.get("/.pagekin/reload.js").status, 404);
    drop(served);

    let mut command = Command::new(program::path());
    command.arg("build").arg(place.site()).arg("-o").arg(place.out());
    let log = fs::File::create(place.path("log")).expect("there is room");
    let mut child = command
        .args(["--no-config", "--quiet", "--watch"])
        .stderr(Stdio::from(log))
        .spawn()
        .expect("it starts");
    let until = |what: &str, done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < PATIENCE, "expected that {what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    let log = || fs::read_to_string(place.path("log")).expect("it is written");
    until("it watches", &|| log().contains("watching"));
    let generation = || fs::read(place.out().join("pagekin.manifest")).ok();
    let first = generation();
    assert!(first.is_some(), "it was built before");
    place.write("site/new.html", html("New", &words(900, 30)));
    // While one output replaces the other, there may be none.
    until("it is rebuilt", &|| generation().is_some_and(|now| Some(now) != first));
    child.kill().expect("it runs");
    wait(&mut child);

    let refused = program::pagekin(["build", "--from", "crawl", "-o", "out", "--watch"]);
    assert!(refused.failed(2).contains("cannot be used with"));
}
