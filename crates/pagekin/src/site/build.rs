//! `pagekin build`.

mod notices;
mod pagefind_options;
mod report;

use std::path::PathBuf;

use pagekin_index::{AssetFile, Assets, BuildError, BuildOptions, Mirrors, Summary};
use pagekin_pages::{Observer, OptionError};

use crate::args::running::RunningArgs;
use crate::args::site::{BuildArgs, NO_COMPONENTS, PagesArg};
use crate::bundle::{ASSETS, DEMO, IS_QUICK, LAB};
use crate::failure::Failure;
use crate::output::count;
use crate::progress::Progress;
use crate::site::build::pagefind_options::PagefindOptions;
use crate::site::serve::{Preview, Served};
use crate::site::watch;

/// Default folder of the index, in the site folder.
const OUTPUT: &str = "pagekin";

pub(crate) fn run(mut args: BuildArgs) -> Result<(), Failure> {
    check_scripts(&args)?;
    let origin = Origin::new(&mut args);
    origin.check(&args)?;
    let files = client(&args.written.pages);
    let assets = Assets { always: &files, ..ASSETS };
    let verbose = args.verbose;
    let after = After { serve: args.serve, watch: args.watch, running: args.running };
    let output = args.output.take().map_or_else(|| origin.output(), Ok)?;
    let (options, is_site) = (options(args, origin.path, output)?, origin.kind == OriginKind::Site);
    let progress = Progress::new(after.running.quiet.quiet)?;
    let built = (origin.build)(&options, &assets, &progress);
    progress.finish();
    let summary = built?;
    notices::warn(&summary, &options, &progress);
    let of_pagefind = PagefindOptions::read();
    of_pagefind.warn(&progress);
    after.running.report(&report::summary(&summary), || {
        let mut text = notices::summary(&summary, &options, origin.kind, verbose)?;
        of_pagefind.translate(&mut text)?;
        if !after.serve {
            notices::preview(&mut text, &options, is_site)?;
        }
        Ok(text)
    })?;
    after.run(&options, &assets, &summary, is_site, &progress)
}

/// Refuses options whose scripts a quick build does not contain.
fn check_scripts(args: &BuildArgs) -> Result<(), Failure> {
    let wanted = [
        ("--offline-bundle", args.written.offline_bundle.is_some()),
        ("--mirrors", args.written.mirrors.is_some()),
    ];
    match wanted.into_iter().find(|(_, is_wanted)| IS_QUICK && *is_wanted) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::from(format!(
            "{option} needs scripts that this quick build does not contain. Build them with `cargo xtask \
             web`, then install the program with `cargo install --path crates/pagekin`"
        ))),
    }
}

type Build = fn(&BuildOptions, &Assets<'_>, &dyn Observer) -> Result<Summary, BuildError>;

/// The source of an index.
struct Origin {
    path: PathBuf,
    kind: OriginKind,
    build: Build,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OriginKind {
    /// A folder of HTML.
    Site,
    /// Pages from another program.
    Records,
    #[cfg(feature = "crawl")]
    Crawl,
}

impl Origin {
    fn new(args: &mut BuildArgs) -> Self {
        let site = args.site.take();
        #[cfg(feature = "crawl")]
        let path = args.from.take().or_else(|| site.clone()).unwrap_or_default();
        #[cfg(not(feature = "crawl"))]
        let path = site.clone().unwrap_or_default();
        if path.as_os_str() == "-" || path.is_file() {
            return Self { path, kind: OriginKind::Records, build: pagekin_index::build_records };
        }
        #[cfg(feature = "crawl")]
        if site.is_none() {
            return Self { path, kind: OriginKind::Crawl, build: pagekin_index::build_crawl };
        }
        Self { path, kind: OriginKind::Site, build: pagekin_index::build }
    }

    /// Returns the default output folder.
    fn output(&self) -> Result<PathBuf, OptionError> {
        let expected = match self.kind {
            OriginKind::Site => return Ok(self.path.join(OUTPUT)),
            OriginKind::Records => "a folder for the index of the pages",
            #[cfg(feature = "crawl")]
            OriginKind::Crawl => "a folder for the index of the crawl",
        };
        Err(OptionError { option: "output", expected, found: "none".to_owned() })
    }

    /// Refuses options that read the source again, or a site.
    fn check(&self, args: &BuildArgs) -> Result<(), OptionError> {
        let again = [
            ("watch", args.watch),
            ("serve", args.serve),
            ("records", args.records.is_some()),
            ("offline-bundle", args.written.offline_bundle.is_some()),
        ];
        let again = again.into_iter().find(|(_, is_given)| *is_given);
        let (OriginKind::Records, Some((option, _))) = (self.kind, again) else { return Ok(()) };
        let (expected, found) =
            ("the folder of a site", "given for pages from another program".to_owned());
        Err(OptionError { option, expected, found })
    }
}

fn options(args: BuildArgs, source: PathBuf, output: PathBuf) -> Result<BuildOptions, Failure> {
    let BuildArgs { reading, written, relations, .. } = args;
    let components = components(written.components)?;
    let mirrors = written.mirrors.as_deref().map(Mirrors::read).transpose()?;
    Ok(BuildOptions::new(source, output).with(|options| {
        options.reading = reading.site.into();
        options.lang = reading.lang;
        options.force_lang = reading.force_lang;
        options.records = args.records;
        options.block_pages = written.block_pages;
        options.layout = written.layout.into();
        options.previous = args.previous;
        options.related_count = relations.related_count;
        options.components = components;
        options.terms = relations.terms;
        options.embeddings = relations.embeddings;
        options.related_json = written.related_json;
        options.offline_bundle = written.offline_bundle;
        options.offline = written.pages.contains(&PagesArg::Offline);
        options.tree = written.pages.contains(&PagesArg::Browse);
        options.mirrors = mirrors;
        options.keep_repeated = args.kept.keep_repeated;
        options.keep_title_suffix = args.kept.keep_repeated;
        options.threads = args.running.threads.number();
    }))
}

/// The work after the first build.
struct After {
    serve: bool,
    watch: bool,
    running: RunningArgs,
}

impl After {
    /// Serves the index and rebuilds it whenever the site changes, as requested.
    fn run(
        self,
        options: &BuildOptions,
        assets: &Assets<'_>,
        built: &Summary,
        is_site: bool,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let served = (self.serve && self.watch).then(Served::new);
        let rebuild = || self.rebuild(options, assets, built, served.as_ref(), observer);
        match (self.serve, self.watch) {
            (false, false) => Ok(()),
            (false, true) => rebuild(),
            (true, watch) => {
                let preview = Preview {
                    out: options.output.clone(),
                    site: is_site.then(|| options.site.clone()),
                    port: None,
                    hosts: Vec::new(),
                    follow_symlinks: false,
                    json: self.running.json.json,
                    served: served.clone(),
                };
                preview.serve(|| if watch { rebuild() } else { Ok(()) })
            }
        }
    }

    /// Rebuilds whenever the site changes, and reloads open pages.
    fn rebuild(
        &self,
        options: &BuildOptions,
        assets: &Assets<'_>,
        built: &Summary,
        served: Option<&Served>,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let change = || served.into_iter().for_each(Served::change);
        let build = |options: &BuildOptions, observer: &dyn Observer| {
            pagekin_index::build(options, assets, observer)
        };
        let again = |summary: &Summary| {
            change();
            notices::warn(summary, options, observer);
            let (pages, seconds) = (count(summary.pages), summary.seconds);
            self.running.report(&report::summary(summary), || {
                Ok(format!("rebuilt: {pages} pages in {seconds:.1} s\n"))
            })
        };
        watch::rebuild(options, built.html_files, observer, build, again, change)
    }
}

/// Returns the files of the client and the requested pages. The demo links to the other pages.
fn client(pages: &[PagesArg]) -> Vec<AssetFile<'static>> {
    let mut files = ASSETS.always.to_vec();
    if !pages.is_empty() {
        files.extend_from_slice(DEMO);
    }
    if pages.contains(&PagesArg::Lab) {
        files.extend_from_slice(LAB);
    }
    files
}

/// Checks the names of components and resolves `none`.
fn components(mut names: Vec<String>) -> Result<Vec<String>, OptionError> {
    if names.iter().all(|name| name == NO_COMPONENTS) {
        names.clear();
    }
    if names.iter().any(|name| name == NO_COMPONENTS) {
        let (expected, found) = ("names of components, or none alone", names.join(","));
        return Err(OptionError { option: "components", expected, found });
    }
    Ok(names)
}
