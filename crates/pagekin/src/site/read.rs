//! `pagekin read`: prints what pagekin reads from a page, and what it omits.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::{fs, io};

use pagekin_core::page::{PageText, Reason};
use pagekin_core::terms::for_each_word;
use pagekin_pages::site::binary::is_page;
use pagekin_pages::site::markup::Remark;
use pagekin_pages::site::reader::unpack;
use pagekin_pages::{ReadPage, SiteOptions, SkipReason, read_html};
use serde_json::{Value, json};

use crate::args::site::ReadArgs;
use crate::failure::Failure;
use crate::output::{Reader, count, in_table, lines, one_line, print_for, print_json};
use crate::site::similar::meta_report;

pub(crate) fn run(args: &ReadArgs) -> Result<(), Failure> {
    for (at, file) in args.files.iter().enumerate() {
        let read = read_html(&content(file)?);
        if args.json.json {
            print_json(&described(file, &read))?;
        } else {
            let gap = if at == 0 { "" } else { "\n" };
            print_for(Reader::People, &format!("{gap}{}", shown(file, &read)?))?;
        }
    }
    Ok(())
}

/// Reads a file or standard input, up to the default limit of a build.
fn content(file: &Path) -> Result<Vec<u8>, Failure> {
    let max = SiteOptions::MAX_PAGE_BYTES;
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(max + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(file).and_then(|file| file.take(max + 1).read_to_end(&mut bytes))
    };
    let read = read.and_then(|_| unpack(&mut bytes, max));
    read.map_err(|error| {
        format!("cannot read {}: {error}. Pass an HTML file", one_line(&file.to_string_lossy()))
    })?;
    if !is_page(&bytes) {
        let file = one_line(&file.to_string_lossy()).into_owned();
        return Err(format!("{file} is not an HTML file. Pass one").into());
    }
    if bytes.len() as u64 > max {
        let file = one_line(&file.to_string_lossy()).into_owned();
        return Err(format!("{file} has more than {} bytes. Split the page", count(max)).into());
    }
    Ok(bytes)
}

/// Numbers of words in the texts of a page.
struct WordCounts {
    title: u64,
    main: u64,
    other: u64,
}

impl WordCounts {
    fn new(page: &PageText) -> Self {
        let words = |text: &str| {
            let mut words = 0;
            for_each_word(text, |_| words += 1);
            words
        };
        Self { title: words(&page.title), main: words(&page.text), other: words(&page.other) }
    }
}

/// Returns why a build would skip the page, judging by the page alone.
fn skipped(page: &PageText, words: &WordCounts) -> Option<SkipReason> {
    match page {
        PageText { redirect: Some(_), .. } => Some(SkipReason::Redirect),
        PageText { noindex: true, .. } => Some(SkipReason::NoIndex),
        _ if words.title + words.main + words.other == 0 => Some(SkipReason::Empty),
        _ => None,
    }
}

/// Formats a text with one block per line.
fn blocks(text: &str) -> String {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let blocks: Vec<_> = text.lines().map(line).filter(|line| !line.is_empty()).collect();
    blocks.join("\n")
}

/// Describes a page for programs.
fn described(file: &Path, read: &ReadPage) -> Value {
    let ReadPage { page, encoding, malformed, cut, remarks, .. } = read;
    let left_out = |&(reason, characters): &(Reason, usize)| json!({"reason": named(reason).0, "characters": characters});
    json!({
        "file": file.to_string_lossy(),
        "title": page.title,
        "meta": meta_report(read.metadata()),
        "lang": page.lang,
        "charset": encoding,
        "main": blocks(&page.text),
        "other": blocks(&page.other),
        "left_out": page.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "skipped": skipped(page, &WordCounts::new(page)).map(SkipReason::code),
        "canonical": page.canonical,
        "redirect": page.redirect,
        "invalid_bytes": malformed,
        "truncated": cut,
        "remarks": remarks
            .iter()
            .map(|Remark { markup, problem }| json!({ "markup": markup, "problem": problem }))
            .collect::<Vec<_>>(),
    })
}

/// Describes a page for people.
fn shown(file: &Path, read: &ReadPage) -> Result<String, std::fmt::Error> {
    let ReadPage { page, encoding, malformed, cut, remarks, .. } = read;
    let words = WordCounts::new(page);
    let mut out = String::new();
    writeln!(out, "{}", one_line(&file.to_string_lossy()))?;
    writeln!(out, "title: {}", in_table(&page.title))?;
    let lang = if page.lang.is_empty() { "not declared" } else { &page.lang };
    writeln!(out, "language: {}, encoding: {encoding}", in_table(lang))?;
    match skipped(page, &words) {
        Some(SkipReason::Redirect) => writeln!(
            out,
            "not indexed: it redirects to {}",
            in_table(page.redirect.as_deref().unwrap_or_default())
        )?,
        Some(SkipReason::NoIndex) => writeln!(out, "not indexed: it is marked noindex")?,
        Some(_) => writeln!(out, "not indexed: it contains no words")?,
        None => {}
    }
    if let Some(canonical) = &page.canonical {
        writeln!(
            out,
            "canonical: {} (if that is another page, this one is not indexed)",
            in_table(canonical)
        )?;
    }
    if *malformed {
        writeln!(out, "invalid bytes: some are not valid {encoding}. Declare the encoding")?;
    }
    if let Some(why) = cut {
        writeln!(out, "truncated: it has {why}")?;
    }
    for Remark { markup, problem } in remarks.iter() {
        writeln!(out, "{} {problem}", in_table(markup))?;
    }
    write_text(&mut out, "main text", &page.text, words.main)?;
    write_text(&mut out, "other text, which ranks below main text", &page.other, words.other)?;
    let left_out: Vec<_> = page
        .left_out
        .iter()
        .map(|&(reason, characters)| format!("{} {}", count(characters as u64), named(reason).1))
        .collect();
    if !left_out.is_empty() {
        writeln!(out, "omitted, in characters: {}", left_out.join("; "))?;
    }
    Ok(out)
}

/// Returns a reason for programs and for people.
fn named(reason: Reason) -> (&'static str, &'static str) {
    match reason {
        Reason::Ignored => ("ignored", "in elements marked to be ignored"),
        Reason::Unseen => ("unseen", "invisible to visitors"),
        Reason::Navigation => ("navigation", "in menus and tab lists"),
        Reason::Frame => ("frame", "in dialogs and in the header and footer of the site"),
        Reason::Outside => ("outside", "outside the marked body"),
    }
}

/// Writes a text of a page, indented.
fn write_text(out: &mut String, name: &str, text: &str, words: u64) -> std::fmt::Result {
    let blocks = blocks(text);
    writeln!(out, "{name}: {} words", count(words))?;
    for block in lines(&blocks).lines() {
        writeln!(out, "  {block}")?;
    }
    Ok(())
}
