//! `pagekin build --watch`: watches the site folder and rebuilds the index once changes have
//! settled.
//!
//! Each build gives the same index as running the command by hand.
//!
//! Generators write many files, and some empty the folder first. So a build starts when nothing has
//! changed for a while; longer if more than half of the pages are missing, and not at all if there
//! are none. A change during a build cancels it, unless the previous build was canceled too.

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
use crate::output::eprint_line;

/// Time without changes before a build starts.
const QUIET: Duration = Duration::from_millis(400);
/// The same if fewer than half of the pages exist: a generator is probably rewriting them.
const QUIET_OF_FEW: Duration = Duration::from_secs(3);
/// Interval of checks for recorded changes.
const TICK: Duration = Duration::from_millis(50);
/// Polling interval where file events are not available.
const POLL: Duration = Duration::from_secs(2);

/// Rebuilds whenever the site changes, until `observer` is canceled. Calls `built` after each
/// build, and `changed` if only files other than pages have changed.
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
    eprint_line(&format!("watching {} for changes", options.site.display()));
    while let Some(now) = site.wait_for_change(known, options, html_files, observer) {
        if now.pages == known.pages {
            changed();
            known = now;
            continue;
        }
        known = now;
        if count(options) == 0 {
            let site = options.site.display();
            eprint_line(&format!(
                "no pages in {site}; keeping the last index until there are some"
            ));
            continue;
        }
        eprint_line("the site has changed; rebuilding…");
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
                eprint_line(
                    "the site has changed during the build; waiting until it stops changing",
                );
                // The change that canceled the build still needs a build.
                known.pages = known.pages.wrapping_sub(1);
            }
            Err(error) => {
                stopped = false;
                eprint_line(&format!("error: {error}"));
                eprint_line("keeping the last index; waiting for the next change");
            }
        }
    }
    Ok(())
}

/// Counts the HTML files of the site; 0 if it does not exist.
fn count(options: &BuildOptions) -> u64 {
    count_html_files(&options.site, &options.output, &options.reading).unwrap_or(0)
}

/// Numbers of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    pages: u64,
    others: u64,
}

/// The recorded changes.
#[derive(Debug)]
struct Changes {
    site: PathBuf,
    ignored: Vec<PathBuf>,
    pages: AtomicU64,
    others: AtomicU64,
    /// The folder itself was replaced or removed, so that its watcher gets no more events.
    lost: AtomicBool,
}

impl Changes {
    fn seen(&self) -> Seen {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Seen { pages: of(&self.pages), others: of(&self.others) }
    }

    fn record(&self, event: notify::Result<Event>) {
        // An error may have hidden a change.
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
            // On Windows, a changed file also modifies its folder. That event is ignored, because
            // the file may be an ignored one.
            let is_duplicate = cfg!(windows) && event.kind.is_modify() && path.is_dir();
            if !is_duplicate {
                self.record_path(path);
            }
        }
    }

    fn record_path(&self, path: &Path) {
        let Ok(below) = path.strip_prefix(&self.site) else { return };
        let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        if self.ignored.iter().any(|ignored| path.starts_with(ignored)) || below.iter().any(hidden)
        {
            return;
        }
        if below.as_os_str().is_empty() {
            self.lost.store(true, Ordering::Relaxed);
        }
        // A removed path may have been a folder of pages.
        let is_page = is_html_name(path) || !path.is_file();
        let count = if is_page { &self.pages } else { &self.others };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A watched site.
struct Site(Arc<Watched>);

struct Watched {
    changes: Arc<Changes>,
    watcher: std::sync::Mutex<Box<dyn Watcher + Send>>,
}

impl Site {
    fn watch(options: &BuildOptions) -> Result<Self, Failure> {
        // Events contain canonical paths.
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

    /// Waits until something differs from `known` and changes have settled; `None` if canceled.
    fn wait_for_change(
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
            self.restore_watch();
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

    /// Watches the folder again if it was removed or replaced.
    fn restore_watch(&self) {
        let Watched { changes, watcher } = &*self.0;
        if !changes.lost.load(Ordering::Relaxed) || !changes.site.is_dir() {
            return;
        }
        let mut watcher = watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The watch is gone, or it is still on the moved folder.
        let _ = watcher.unwatch(&changes.site);
        changes.lost.store(false, Ordering::Relaxed);
        if watcher.watch(&changes.site, RecursiveMode::Recursive).is_err() {
            changes.lost.store(true, Ordering::Relaxed);
        }
        changes.pages.fetch_add(1, Ordering::Relaxed);
    }
}

/// Creates a watcher that uses file events, or one that polls if the system has no events or not
/// enough for all folders.
fn watcher(changes: &Arc<Changes>) -> Result<Box<dyn Watcher + Send>, Failure> {
    let handler = || {
        let changes = Arc::clone(changes);
        move |event| changes.record(event)
    };
    let watched = recommended_watcher(handler()).and_then(|mut watcher| {
        watcher.watch(&changes.site, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let error = match watched {
        Ok(watcher) => return Ok(Box::new(watcher)),
        Err(error) => error,
    };
    let limit = match error.kind {
        ErrorKind::MaxFilesWatch => ". On Linux, raise fs.inotify.max_user_watches",
        _ => "",
    };
    eprint_line(&format!(
        "warning: cannot watch {} ({error}); polling every {} s{limit}",
        changes.site.display(),
        POLL.as_secs()
    ));
    let config = notify::Config::default().with_poll_interval(POLL);
    let mut watcher = PollWatcher::new(handler(), config)?;
    watcher.watch(&changes.site, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// Returns the canonical path of a file that may not exist yet.
fn real(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    if let Ok(real) = std::fs::canonicalize(&path) {
        return Some(real);
    }
    let (parent, name) = (path.parent()?, path.file_name()?);
    Some(std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned()).join(name))
}

/// Observes a rebuild and cancels it on a change.
struct Watching<'a> {
    observer: &'a dyn Observer,
    site: &'a Site,
    known: Seen,
    /// Do not cancel, because the previous build was canceled.
    patient: bool,
}

impl Observer for Watching<'_> {
    // Rebuilds print only warnings.
    fn stage(&self, _: Stage, _: u64) {}

    fn warn(&self, message: &str) {
        self.observer.warn(message);
    }

    fn cancelled(&self) -> bool {
        let other = || self.site.0.changes.seen().pages != self.known.pages;
        self.observer.cancelled() || (!self.patient && other())
    }
}
