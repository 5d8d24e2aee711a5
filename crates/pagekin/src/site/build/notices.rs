//! The summary of a build, for people.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_index::{BuildOptions, MirrorSize, Remark, Summary, UnknownRelated, UnwrittenScript};
use pagekin_pages::{Observer, RepeatedBlock, RepeatedText};

use super::OriginKind;
use crate::output::{bytes, count, one_line, quoted};
use crate::skipped;

/// Maximum number of shown characters of a repeated block.
const MAX_BLOCK_CHARS: usize = 80;
/// Maximum number of shown repeated blocks, and of related pages that are not in the index, without
/// `--verbose`.
const MAX_SHOWN: usize = 3;

/// Warns about markup for search tools that has no effect, and about elements on pages whose
/// scripts are not in the output.
pub(super) fn warn(summary: &Summary, options: &BuildOptions, observer: &dyn Observer) {
    for Remark { markup, problem, page, pages } in &summary.remarks {
        observer.warn(&format!("{} {problem}: {}", one_line(markup), on_pages(*pages, page)));
    }
    let mut needed = options.components.clone();
    needed.extend(summary.unwritten_scripts.iter().map(|script| script.component.clone()));
    let needed = needed.join(",");
    for UnwrittenScript { component, has_element, page, pages } in &summary.unwritten_scripts {
        let pages = on_pages(*pages, page);
        let uses = match has_element {
            true => format!("<pagekin-{component}> is on {pages}"),
            false => format!("{component}.js is loaded by {pages}"),
        };
        observer.warn(&format!(
            "{uses}, but this build does not write {component}.js. Use --components {needed}"
        ));
    }
}

/// Formats a number of pages and the first of them.
fn on_pages(pages: u64, first: &str) -> String {
    let first = one_line(first);
    match pages {
        1 => format!("1 page ({first})"),
        _ => format!("{} pages (first: {first})", count(pages)),
    }
}

pub(super) fn summary(
    summary: &Summary,
    options: &BuildOptions,
    from: OriginKind,
    verbose: bool,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let max_shown = if verbose { usize::MAX } else { MAX_SHOWN };
    read(&mut out, summary, from)?;
    advice(&mut out, summary, options)?;
    unknown_related(&mut out, &summary.unknown_related, max_shown)?;
    if summary.repeated.left_out > 0 {
        repeated_text(&mut out, &summary.repeated, max_shown)?;
    }
    if summary.titles_by_heading > 0 {
        let pages = count(summary.titles_by_heading);
        writeln!(
            out,
            "titles: {pages} pages share their title with others and are listed under their first heading"
        )?;
    }
    shared_titles(&mut out, summary)?;
    written(&mut out, summary, options)?;
    Ok(out)
}

/// Writes what was read and what was skipped.
fn read(out: &mut String, summary: &Summary, from: OriginKind) -> std::fmt::Result {
    let Summary { pages, html_files, html_bytes, terms, seconds, .. } = summary;
    let kind = match from {
        OriginKind::Site => "HTML files",
        OriginKind::Records => "records",
        #[cfg(feature = "crawl")]
        OriginKind::Crawl => "URLs of a crawl",
    };
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
    skipped::write(out, &summary.ledger)
}

/// Writes advice on options and markup.
fn advice(out: &mut String, summary: &Summary, options: &BuildOptions) -> std::fmt::Result {
    if summary.without_body * 2 > summary.pages {
        writeln!(
            out,
            "{} pages have no <main> or <article>, so all of their text is indexed. Mark the main content with data-pagekin-body",
            count(summary.without_body)
        )?;
    }
    if summary.links_without_html {
        writeln!(out, "The site links to its pages without .html. Use --clean-urls")?;
    }
    if let Some(path) = &summary.published_below {
        writeln!(
            out,
            "Most links of the site start with {path}. If it is published there, use --base-url {}",
            below(&options.reading.base_url, path)
        )?;
    }
    Ok(())
}

/// Writes the shared parts that were removed from titles.
fn shared_titles(out: &mut String, summary: &Summary) -> std::fmt::Result {
    for (language, shared) in &summary.shared_titles {
        for (how, what) in [("start", &shared.prefix), ("end", &shared.suffix)] {
            if let Some(what) = what {
                writeln!(
                    out,
                    "titles ({language}) {how} with {:?}, which is omitted",
                    one_line(what)
                )?;
            }
        }
    }
    Ok(())
}

/// Writes the parts of the output with their sizes.
fn written(out: &mut String, summary: &Summary, options: &BuildOptions) -> std::fmt::Result {
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
        writeln!(
            out,
            "offline bundle: {}, {all}, including {texts} of page texts",
            file.display()
        )?;
    }
    Ok(())
}

/// Replaces the path of a base URL.
fn below(base_url: &str, path: &str) -> String {
    let origin = base_url.len() - address::path(base_url).len();
    format!("{}{path}", &base_url[..origin])
}

/// Writes the declared related pages that are not in the index.
fn unknown_related(
    out: &mut String,
    unknown: &[UnknownRelated],
    max_shown: usize,
) -> std::fmt::Result {
    for UnknownRelated { page, address } in unknown.iter().take(max_shown) {
        let (page, address) = (one_line(page), one_line(address));
        writeln!(
            out,
            "{page} declares {address} as related (pagekin:related), but the index has no such page"
        )?;
    }
    if let Some(more @ 1..) = unknown.len().checked_sub(max_shown) {
        writeln!(out, "and {} more (--verbose lists them)", count(more as u64))?;
    }
    Ok(())
}

/// Writes the command that previews the index.
pub(super) fn preview(out: &mut String, options: &BuildOptions, is_site: bool) -> std::fmt::Result {
    write!(out, "to preview: pagekin serve {}", quoted(&options.output))?;
    if options.reading.base_url == "/" && is_site {
        write!(out, " --site {}", quoted(&options.site))?;
    }
    writeln!(out)
}

/// Writes the repeated text that was omitted from pages.
fn repeated_text(out: &mut String, repeated: &RepeatedText, max_shown: usize) -> std::fmt::Result {
    writeln!(
        out,
        "repeated text: {} blocks that occur on many pages were omitted {} times (--keep-repeated keeps them)",
        count(repeated.blocks),
        count(repeated.left_out),
    )?;
    if !repeated.commonest.is_empty() {
        writeln!(
            out,
            "  the most common ones (--verbose lists more), with their number of pages out of {}:",
            count(repeated.sampled)
        )?;
        for RepeatedBlock { text, pages } in repeated.commonest.iter().take(max_shown) {
            let end = text.char_indices().nth(MAX_BLOCK_CHARS).map_or(text.len(), |(end, _)| end);
            let cut = if end < text.len() { "…" } else { "" };
            writeln!(out, "  {:>9}  {}{cut}", count(*pages), one_line(&text[..end]))?;
        }
    }
    Ok(())
}
