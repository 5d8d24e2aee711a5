//! `pagekin build --watch`: the site's folder is watched, and built again when it has come to rest.
//!
//! Each build is that of the command: no other words count than if it were run by hand.
//!
//! A generator writes many files, and some empty the folder first. So a build begins when nothing
//! has changed for a while, longer where most pages are missing, and not at all where there is no
//! page; what changes during a build stops it, unless the one before was stopped already.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{
    ErrorKind, Event, EventKind, PollWatcher, RecursiveMode, Watcher, recommended_watcher,
};
use pagekin_index::{BuildError, BuildOptions, Summary};
use pagekin_pages::site::html::is_html_name;
use pagekin_pages::{Observer, Stage, count_html_files};

use crate::failure::Failure;
use crate::output::say;

/// So long nothing may change before a build begins.
const QUIET: Duration = Duration::from_millis(400);
/// So long where fewer than half of the pages are there: somebody is writing them anew.
const QUIET_OF_FEW: Duration = Duration::from_secs(3);
/// How often it is looked whether something changed.
const TICK: Duration = Duration::from_millis(50);
/// How often folders are looked through where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

/// Builds anew whenever the site has changed, until `observer` says to stop. `built` is told of
/// each build, `changed` that only files which are no pages did.
pub(crate) fn rebuild(
    options: &BuildOptions,
    mut html_files: u64,
    observer: &dyn Observer,
    build: impl Fn(&BuildOptions, &dyn Observer) -> Result<Summary, BuildError>,
    mut built: impl FnMut(&Summary) -> Result<(), Failure>,
    mut changed: impl FnMut(),
) -> Result<(), Failure> {
    let site = Site::watch(options)?;
    let mut stopped = false;
    let mut known = site.0.changes.seen();
    say(&format!("watching {} for changes", options.site.display()));
    while let Some(now) = site.rest(known, options, html_files, observer) {
        if now.pages == known.pages {
            changed();
            known = now;
            continue;
        }
        known = now;
        if count(options) == 0 {
            let site = options.site.display();
            say(&format!("no pages in {site} now: the last index stays until there are some"));
            continue;
        }
        say("the site has changed: building …");
        let watching = Watching { observer, site: &site, known, patient: stopped };
        match build(options, &watching) {
            Ok(summary) => {
                stopped = false;
                html_files = summary.html_files;
                built(&summary)?;
            }
            Err(error) if error.is_interrupted() && observer.cancelled() => break,
            Err(error) if error.is_interrupted() => {
                stopped = true;
                say("the site has changed meanwhile: waiting until it rests");
                // What stopped the build is still to be built.
                known.pages = known.pages.wrapping_sub(1);
            }
            Err(error) => {
                stopped = false;
                say(&format!("error: {error}"));
                say("the last index stays; waiting for the next change");
            }
        }
    }
    Ok(())
}

/// HTML files of the site, none if there is no site.
fn count(options: &BuildOptions) -> u64 {
    count_html_files(&options.site, &options.output, &options.reading).unwrap_or(0)
}

/// How many changes there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    pages: u64,
    others: u64,
}

/// What the system tells of.
#[derive(Debug)]
struct Changes {
    site: PathBuf,
    ignored: Vec<PathBuf>,
    pages: AtomicU64,
    others: AtomicU64,
    /// The folder itself was replaced or removed: who watches it watches nothing.
    lost: AtomicBool,
}

impl Changes {
    fn seen(&self) -> Seen {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Seen { pages: of(&self.pages), others: of(&self.others) }
    }

    fn hear(&self, event: notify::Result<Event>) {
        // What cannot be told of may have been a change.
        let Ok(event) = event else {
            self.lost.store(true, Ordering::Relaxed);
            self.pages.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        if event.kind.is_access() && event.kind != written {
            return;
        }
        if event.need_rescan() {
            self.pages.fetch_add(1, Ordering::Relaxed);
        }
        for path in &event.paths {
            // Windows says of a folder that something in it changed, and then what: it may be ours.
            let is_told_again = cfg!(windows) && event.kind.is_modify() && path.is_dir();
            if !is_told_again {
                self.hear_of(path);
            }
        }
    }

    fn hear_of(&self, path: &Path) {
        let Ok(below) = path.strip_prefix(&self.site) else { return };
        let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        if self.ignored.iter().any(|ignored| path.starts_with(ignored)) || below.iter().any(hidden)
        {
            return;
        }
        if below.as_os_str().is_empty() {
            self.lost.store(true, Ordering::Relaxed);
        }
        // What is gone may have been a folder of pages.
        let is_page = is_html_name(path) || !path.is_file();
        let count = if is_page { &self.pages } else { &self.others };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A site that is watched.
struct Site(Arc<Watched>);

struct Watched {
    changes: Arc<Changes>,
    watcher: std::sync::Mutex<Box<dyn Watcher + Send>>,
}

impl Site {
    fn watch(options: &BuildOptions) -> Result<Self, Failure> {
        // As the system names it.
        let site = std::fs::canonicalize(&options.site)?;
        let of_ours =
            [Some(&options.output), options.previous.as_ref(), options.offline_bundle.as_ref()];
        let changes = Arc::new(Changes {
            ignored: of_ours.into_iter().flatten().filter_map(|path| real(path)).collect(),
            site,
            pages: AtomicU64::new(0),
            others: AtomicU64::new(0),
            lost: AtomicBool::new(false),
        });
        let watcher = watcher(&changes)?;
        Ok(Self(Arc::new(Watched { changes, watcher: std::sync::Mutex::new(watcher) })))
    }

    /// Waits until something differs from `known` and all has come to rest; `None` if asked to
    /// stop.
    fn rest(
        &self,
        known: Seen,
        options: &BuildOptions,
        html_files: u64,
        observer: &dyn Observer,
    ) -> Option<Seen> {
        let (mut last, mut since) = (known, Instant::now());
        loop {
            if observer.cancelled() {
                return None;
            }
            self.find_again();
            let now = self.0.changes.seen();
            if now != last {
                (last, since) = (now, Instant::now());
            } else if now != known && since.elapsed() >= QUIET {
                let few = now.pages != known.pages && count(options) * 2 < html_files;
                if !few || since.elapsed() >= QUIET_OF_FEW {
                    return Some(now);
                }
            }
            thread::sleep(TICK);
        }
    }

    /// Watches the folder again if it was removed, or replaced by another of its name.
    fn find_again(&self) {
        let Watched { changes, watcher } = &*self.0;
        if !changes.lost.load(Ordering::Relaxed) || !changes.site.is_dir() {
            return;
        }
        let mut watcher = watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // It is not watched any more, or still by the folder that was moved away.
        let _ = watcher.unwatch(&changes.site);
        changes.lost.store(false, Ordering::Relaxed);
        if watcher.watch(&changes.site, RecursiveMode::Recursive).is_err() {
            changes.lost.store(true, Ordering::Relaxed);
        }
        changes.pages.fetch_add(1, Ordering::Relaxed);
    }
}

/// Watches by what the system tells, and where it tells nothing, or of fewer folders, by looking.
fn watcher(changes: &Arc<Changes>) -> Result<Box<dyn Watcher + Send>, Failure> {
    let hear = || {
        let changes = Arc::clone(changes);
        move |event| changes.hear(event)
    };
    let told = recommended_watcher(hear()).and_then(|mut watcher| {
        watcher.watch(&changes.site, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let error = match told {
        Ok(watcher) => return Ok(Box::new(watcher)),
        Err(error) => error,
    };
    let limit = match error.kind {
        ErrorKind::MaxFilesWatch => ". On Linux, fs.inotify.max_user_watches is the limit",
        _ => "",
    };
    say(&format!(
        "warning: the system does not tell of changes in {} ({error}): looking every {} s{limit}",
        changes.site.display(),
        POLL.as_secs()
    ));
    let config = notify::Config::default().with_poll_interval(POLL);
    let mut watcher = PollWatcher::new(hear(), config)?;
    watcher.watch(&changes.site, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// A path as the system names it, of something that may not be there yet.
fn real(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    if let Ok(real) = std::fs::canonicalize(&path) {
        return Some(real);
    }
    let (parent, name) = (path.parent()?, path.file_name()?);
    Some(std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned()).join(name))
}

/// Observes a build that a change stops.
struct Watching<'a> {
    observer: &'a dyn Observer,
    site: &'a Site,
    known: Seen,
    /// Or does not: the one before was stopped.
    patient: bool,
}

impl Observer for Watching<'_> {
    // Of a build that follows another, only what is odd is told.
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        self.observer.warn(message);
    }

    fn cancelled(&self) -> bool {
        let other = || self.site.0.changes.seen().pages != self.known.pages;
        self.observer.cancelled() || (!self.patient && other())
    }
}
