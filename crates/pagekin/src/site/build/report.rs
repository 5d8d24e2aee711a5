//! The summary of a build, for programs.

use pagekin_index::{MirrorSize, Remark, Summary, UnknownRelated, UnwrittenScript};
use serde_json::{Value, json};

use crate::skipped;

/// Formats the summary. Optional fields are omitted instead of null.
pub(super) fn summary(summary: &Summary) -> Value {
    let mut report = json!({
        "pages": summary.pages,
        "html_files": summary.html_files,
        "html_bytes": summary.html_bytes,
        "skipped": skipped::report(&summary.ledger),
        "languages": list(&summary.languages, |(code, pages)| {
            json!({ "language": code, "pages": pages })
        }),
        "without_body": summary.without_body,
        "links_without_html": summary.links_without_html,
        "published_below": summary.published_below,
        "unknown_related": list(&summary.unknown_related, |UnknownRelated { page, address }| {
            json!({ "page": page, "address": address })
        }),
        "unwritten_scripts": list(&summary.unwritten_scripts, |script: &UnwrittenScript| {
            json!({
                "component": script.component,
                "has_element": script.has_element,
                "page": script.page,
                "pages": script.pages,
            })
        }),
        "remarks": remarks(&summary.remarks),
        "repeated": {
            "sampled": summary.repeated.sampled,
            "blocks": summary.repeated.blocks,
            "left_out": summary.repeated.left_out,
            "commonest": list(&summary.repeated.commonest, |block| {
                json!({ "text": block.text, "pages": block.pages })
            }),
        },
        "titles_by_heading": summary.titles_by_heading,
        "shared_titles": list(&summary.shared_titles, |(language, shared)| {
            without_null(json!({
                "language": language,
                "prefix": shared.prefix,
                "suffix": shared.suffix,
            }))
        }),
        "terms": summary.terms,
        "seed": summary.seed,
        "generation": format!("{:016x}", summary.generation),
        "parts": list(&summary.parts, |part| {
            json!({ "name": part.name, "files": part.files, "bytes": part.bytes })
        }),
        "bytes": summary.total_bytes(),
        "files": summary.total_files(),
        "mirrors": null,
        "offline_bundle": summary.bundle,
        "seconds": summary.seconds,
    });
    if !summary.mirrors.is_empty() {
        report["mirrors"] = list(
            &summary.mirrors,
            |MirrorSize { url, folder, files, bytes }| json!({ "url": url, "folder": folder, "files": files, "bytes": bytes }),
        );
    }
    without_null(report)
}

fn remarks(remarks: &[Remark]) -> Value {
    list(
        remarks,
        |Remark { markup, problem, page, pages }| json!({ "markup": markup, "problem": problem, "page": page, "pages": pages }),
    )
}

fn list<T>(all: impl IntoIterator<Item = T>, one: impl Fn(T) -> Value) -> Value {
    all.into_iter().map(one).collect()
}

fn without_null(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
