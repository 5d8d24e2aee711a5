//! `pagekin build`.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_index::{
    AssetFile, Assets, BuildOptions, BundleSize, MirrorSize, Mirrors, Summary, UnknownRelated,
};
use pagekin_pages::{Observer, OptionError, RepeatedBlock, RepeatedText, SharedTitle};
use serde::Serialize;

use crate::args::{BuildArgs, NO_COMPONENTS, RelatedArg};
use crate::bundle::{ASSETS, COMPONENTS};
use crate::output::{bytes, count, one_line};
use crate::progress::Progress;
use crate::serve::Preview;
use crate::skipped::SkippedReport;
use crate::{Failure, serve, skipped, watch};

/// So many characters of a repeated block are shown.
const TOLD_CHARS: usize = 80;
/// So many addresses that pages name as related are shown, if they are unknown.
const TOLD_RELATED: usize = 3;

pub(crate) fn run(args: BuildArgs) -> Result<(), Failure> {
    let reading = args.reading;
    let from_crawl = args.from.is_some();
    let source = args.from.or(args.site).unwrap_or_default();
    let seed = reading.seed.number()?;
    let mirrors = args.mirrors.as_deref().map(Mirrors::read).transpose()?;
    let options = BuildOptions::new(source, args.output).with(|options| {
        options.reading = reading.site.into();
        options.lang = reading.lang;
        options.seed = seed;
        options.min_df = reading.min_df;
        options.max_df_percent = reading.max_df;
        options.block_pages = args.block_pages;
        options.layout = args.layout.into();
        options.max_files = args.max_files;
        options.previous = args.previous;
        options.related_count = args.related_count;
        options.sketches = !args.no_sketches;
        options.related_json = args.related == Some(RelatedArg::Json);
        options.offline_bundle = args.offline_bundle;
        options.offline = args.offline;
        options.tree = args.tree;
        options.mirrors = mirrors;
        options.keep_repeated = args.kept.keep_repeated;
        options.keep_title_suffix = args.kept.keep_title_suffix;
        options.threads = args.running.threads();
    });
    let components = components(&args.components)?;
    let assets = Assets { always: &components, ..ASSETS };
    let progress = Progress::new(args.running.quiet)?;
    let build = if from_crawl { pagekin_index::build_crawl } else { pagekin_index::build };
    let built = build(&options, &assets, &progress);
    progress.finish();
    let summary = built?;
    let running = args.running;
    running.report(&Report::of(&summary), || {
        let mut told = report(&summary, &options, from_crawl, args.verbose)?;
        if !args.serve {
            tell_preview(&mut told, &options, from_crawl)?;
        }
        Ok(told)
    })?;
    let served = (args.serve && args.watch).then(serve::Served::new);
    let change = || served.iter().for_each(serve::Served::change);
    let rebuild = || {
        let build = |options: &BuildOptions, observer: &dyn Observer| {
            pagekin_index::build(options, &assets, observer)
        };
        let built = |summary: &Summary| {
            change();
            let (pages, seconds) = (count(summary.pages), summary.seconds);
            running.report(&Report::of(summary), || {
                Ok(format!("built again: {pages} pages in {seconds:.1} s\n"))
            })
        };
        watch::rebuild(&options, summary.html_files, &progress, build, built, change)
    };
    match (args.serve, args.watch) {
        (false, false) => Ok(()),
        (false, true) => rebuild(),
        (true, watch) => {
            let preview = Preview {
                out: options.output.clone(),
                site: (!from_crawl).then(|| options.site.clone()),
                options: args.preview,
                json: running.json,
                served: served.clone(),
            };
            preview.serve(|| if watch { rebuild() } else { Ok(()) })
        }
    }
}

/// The files of every output, with those of the components of these names.
fn components(names: &[String]) -> Result<Vec<AssetFile<'static>>, Failure> {
    let is_none = |name: &String| name == NO_COMPONENTS;
    if names.len() > 1 && names.iter().any(is_none) {
        return Err(Failure::from(OptionError {
            option: "components",
            expected: "names of components, or none alone",
            found: names.join(","),
        }));
    }
    let mut files = ASSETS.always.to_vec();
    for (name, of_component) in COMPONENTS {
        if names.iter().any(|asked| asked == name) {
            files.extend_from_slice(of_component);
        }
    }
    Ok(files)
}

/// The summary for people.
fn report(
    summary: &Summary,
    options: &BuildOptions,
    from_crawl: bool,
    verbose: bool,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let Summary { pages, html_files, html_bytes, terms, seconds, .. } = summary;
    let kind = if from_crawl { "URLs of a crawl" } else { "HTML files" };
    writeln!(
        out,
        "{} pages from {} {kind} ({}), {} terms, in {seconds:.1} s",
        count(*pages),
        count(*html_files),
        bytes(*html_bytes),
        count(*terms),
    )?;
    let languages: Vec<_> =
        summary.languages.iter().map(|(code, pages)| format!("{code} {}", count(*pages))).collect();
    writeln!(out, "languages: {}", languages.join(", "))?;
    skipped::write(&mut out, &summary.skipped)?;
    if summary.without_body * 2 > *pages {
        writeln!(
            out,
            "{} pages have no <main> or <article>: all of their text counts. Mark what is theirs with data-pagekin-body",
            count(summary.without_body)
        )?;
    }
    if summary.links_without_html {
        writeln!(out, "This site links to its pages without .html; use --clean-urls")?;
    }
    if let Some(path) = &summary.published_below {
        writeln!(
            out,
            "This site seems to be published below {path}, as most of its links begin with that; use --base-url {}",
            below(&options.reading.base_url, path)
        )?;
    }
    unknown_related(&mut out, &summary.unknown_related, verbose)?;
    if summary.repeated.left_out > 0 {
        repeated_text(&mut out, &summary.repeated, verbose)?;
    }
    if verbose {
        for (language, shared) in &summary.shared_titles {
            for (how, what) in [("begin", &shared.prefix), ("end", &shared.suffix)] {
                if let Some(what) = what {
                    writeln!(out, "titles ({language}) {how} with {:?}: left out", one_line(what))?;
                }
            }
        }
    }
    writeln!(out, "written to {}:", options.output.display())?;
    for part in &summary.parts {
        let (size, files) = (bytes(part.bytes), count(part.files));
        let plural = if part.files == 1 { "" } else { "s" };
        writeln!(out, "  {size:>9}  {} in {files} file{plural}", part.name)?;
    }
    let (size, files) = (bytes(summary.total_bytes()), count(summary.total_files()));
    writeln!(out, "  {size:>9}  in total, {files} files")?;
    for MirrorSize { url, folder, files, bytes: size } in &summary.mirrors {
        let folder = options.output.join(folder);
        writeln!(
            out,
            "publish {} at {url}: {}, {} files",
            folder.display(),
            bytes(*size),
            count(*files)
        )?;
    }
    if let (Some(file), Some(size)) = (&options.offline_bundle, &summary.bundle) {
        let (all, texts) = (bytes(size.bytes), bytes(size.text_bytes));
        writeln!(out, "offline bundle: {}, {all}, of it {texts} texts of pages", file.display())?;
    }
    Ok(out)
}

/// A base URL with another path.
fn below(base_url: &str, path: &str) -> String {
    let origin = base_url.len() - address::path(base_url).len();
    format!("{}{path}", &base_url[..origin])
}

/// What pages name as related, and is no page.
fn unknown_related(
    out: &mut String,
    unknown: &[UnknownRelated],
    verbose: bool,
) -> std::fmt::Result {
    let told = if verbose { unknown.len() } else { TOLD_RELATED };
    for UnknownRelated { page, address } in unknown.iter().take(told) {
        let (page, address) = (one_line(page), one_line(address));
        writeln!(
            out,
            "{page} names {address} as related (pagekin:related), which is no page of the index"
        )?;
    }
    if unknown.len() > told {
        writeln!(out, "and {} more (--verbose lists them)", count((unknown.len() - told) as u64))?;
    }
    Ok(())
}

/// How the index can be looked at.
fn tell_preview(out: &mut String, options: &BuildOptions, from_crawl: bool) -> std::fmt::Result {
    write!(out, "to preview: pagekin serve {}", serve::quoted(&options.output))?;
    if options.reading.base_url == "/" && !from_crawl {
        write!(out, " --site {}", serve::quoted(&options.site))?;
    }
    writeln!(out)
}

/// What was left out of pages.
fn repeated_text(out: &mut String, repeated: &RepeatedText, verbose: bool) -> std::fmt::Result {
    let hint = if verbose { "" } else { " (--verbose lists them, --keep-repeated keeps them)" };
    writeln!(
        out,
        "repeated text: {} blocks that are on many pages were left out {} times{hint}",
        count(repeated.blocks),
        count(repeated.left_out),
    )?;
    if verbose {
        writeln!(out, "  the commonest, on how many of {} pages:", count(repeated.sampled))?;
        for RepeatedBlock { text, pages } in &repeated.commonest {
            let end = text.char_indices().nth(TOLD_CHARS).map_or(text.len(), |(end, _)| end);
            let cut = if end < text.len() { "…" } else { "" };
            writeln!(out, "  {:>9}  {}{cut}", count(*pages), one_line(&text[..end]))?;
        }
    }
    Ok(())
}

/// The summary for programs.
#[derive(Serialize)]
struct Report<'a> {
    pages: u64,
    html_files: u64,
    html_bytes: u64,
    skipped: Vec<SkippedReport<'a>>,
    languages: Vec<LanguageReport>,
    without_body: u64,
    links_without_html: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_below: Option<&'a str>,
    unknown_related: Vec<UnknownRelatedReport<'a>>,
    repeated: RepeatedReport,
    shared_titles: Vec<SharedTitleReport>,
    terms: u64,
    seed: u64,
    generation: String,
    parts: Vec<PartReport>,
    bytes: u64,
    files: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mirrors: Vec<MirrorReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offline_bundle: Option<BundleSize>,
    seconds: f64,
}

#[derive(Serialize)]
struct LanguageReport {
    language: String,
    pages: u64,
}

#[derive(Serialize)]
struct PartReport {
    name: &'static str,
    files: u64,
    bytes: u64,
}

/// What is to be published on a host.
#[derive(Serialize)]
struct MirrorReport<'a> {
    url: &'a str,
    folder: &'a str,
    files: u64,
    bytes: u64,
}

impl<'a> MirrorReport<'a> {
    fn of(MirrorSize { url, folder, files, bytes }: &'a MirrorSize) -> Self {
        Self { url, folder, files: *files, bytes: *bytes }
    }
}

/// What a page names as related, and is no page.
#[derive(Serialize)]
struct UnknownRelatedReport<'a> {
    page: &'a str,
    address: &'a str,
}

/// What is left out of pages.
#[derive(Serialize)]
struct RepeatedReport {
    sampled: u64,
    blocks: u64,
    left_out: u64,
    commonest: Vec<RepeatedBlockReport>,
}

#[derive(Serialize)]
struct RepeatedBlockReport {
    text: String,
    pages: u64,
}

/// What is left out of titles.
#[derive(Serialize)]
struct SharedTitleReport {
    language: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
}

impl<'a> Report<'a> {
    fn of(summary: &'a Summary) -> Self {
        let languages = summary.languages.iter();
        let commonest = summary
            .repeated
            .commonest
            .iter()
            .map(|block| RepeatedBlockReport { text: block.text.clone(), pages: block.pages });
        let shared_titles = summary.shared_titles.iter().map(|(language, shared)| {
            let (language, SharedTitle { prefix, suffix }) = (language.clone(), shared.clone());
            SharedTitleReport { language, prefix, suffix }
        });
        let parts = summary.parts.iter();
        Self {
            pages: summary.pages,
            html_files: summary.html_files,
            html_bytes: summary.html_bytes,
            skipped: skipped::report(&summary.skipped),
            languages: languages
                .map(|(code, pages)| LanguageReport { language: code.clone(), pages: *pages })
                .collect(),
            without_body: summary.without_body,
            links_without_html: summary.links_without_html,
            published_below: summary.published_below.as_deref(),
            unknown_related: summary
                .unknown_related
                .iter()
                .map(|UnknownRelated { page, address }| UnknownRelatedReport { page, address })
                .collect(),
            repeated: RepeatedReport {
                sampled: summary.repeated.sampled,
                blocks: summary.repeated.blocks,
                left_out: summary.repeated.left_out,
                commonest: commonest.collect(),
            },
            shared_titles: shared_titles.collect(),
            terms: summary.terms,
            seed: summary.seed,
            generation: format!("{:016x}", summary.generation),
            parts: parts
                .map(|part| PartReport { name: part.name, files: part.files, bytes: part.bytes })
                .collect(),
            bytes: summary.total_bytes(),
            files: summary.total_files(),
            mirrors: summary.mirrors.iter().map(MirrorReport::of).collect(),
            offline_bundle: summary.bundle,
            seconds: summary.seconds,
        }
    }
}
