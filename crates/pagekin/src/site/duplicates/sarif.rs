//! A SARIF 2.1.0 report, for forges that show the results of static analyses.
//!
//! A result is located at the file of the second page of a pair. The first page, its probable
//! original, is a related location. The fingerprint, by which a forge recognizes a result, is a
//! hash of the kind and both URLs in lexical order.

use std::path::{Component, Path, Prefix};

use pagekin_core::hash;
use pagekin_duplicates::{Duplicates, PairKind, SitePage};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::gate::{Gate, KINDS, Verdict, sentence};
use crate::failure::Failure;

/// The characters to encode in a path segment.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) fn report(found: &Duplicates, gate: &Gate) -> Result<String, Failure> {
    let results = gate.verdicts(found).map(|(pair, verdict)| {
        let [a, b] = [pair.a, pair.b].map(|page| &found.pages[page as usize]);
        // A link to related location 1.
        let link = format!("[{}](1)", escaped(&a.url));
        let mut related = location(a);
        related["id"] = json!(1);
        related["message"] = json!({"text": "the probable original"});
        let mut result = json!({
            "ruleId": pair.kind.name(),
            "ruleIndex": KINDS.iter().position(|&kind| kind == pair.kind),
            "level": match verdict {
                Verdict::Failing if gate.is_gate() => "error",
                Verdict::Failing => "warning",
                Verdict::Known | Verdict::Allowed => "note",
            },
            "message": {"text": sentence(pair, &link, found.estimated) + "."},
            "locations": [location(b)],
            "relatedLocations": [related],
            "partialFingerprints": {"pagekinPair/v1": fingerprint(pair.kind, &a.url, &b.url)},
            "properties": {
                "resemblance": pair.shared.resemblance(),
                "originalInPage": pair.shared.a_in_b(),
                "pageInOriginal": pair.shared.b_in_a(),
                "estimated": found.estimated,
            },
        });
        if gate.has_baseline() {
            let known = verdict == Verdict::Known;
            result["baselineState"] = json!(if known { "unchanged" } else { "new" });
        }
        result
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "pagekin",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": KINDS.map(rule),
            }},
            "results": results.collect::<Vec<_>>(),
        }],
    });
    Ok(serde_json::to_string(&log)? + "\n")
}

fn rule(kind: PairKind) -> Value {
    let (name, short, full) = match kind {
        PairKind::Copy => (
            "Copy",
            "Two pages have the same text",
            "Two pages have the same words and numbers in the same order. Redirect one to the other, or declare the original in a \
             canonical link.",
        ),
        PairKind::SameButNumbers => (
            "SameButNumbers",
            "Two pages are the same but for numbers",
            "Two pages have the same words in the same order, with other numbers, such as prices, dates or versions. Check the numbers \
             on both, and give each page text of its own.",
        ),
        PairKind::NearDuplicate => (
            "NearDuplicate",
            "Two pages have nearly the same text",
            "Two pages share most of their ten-word sequences. Merge them, or declare the original in a canonical link.",
        ),
        PairKind::Passages => (
            "SharedPassages",
            "Two pages share passages",
            "Two pages share long passages that few other pages contain: one quotes the other or is an edited copy. Keep the passage \
             on one page and link to it.",
        ),
    };
    json!({
        "id": kind.name(),
        "name": name,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": full},
        "defaultConfiguration": {"level": "warning"},
    })
}

/// Returns the location of a page: its file, if it was read, and its URL.
fn location(page: &SitePage) -> Value {
    let uri = if page.file.as_os_str().is_empty() {
        page.url.trim_start_matches('/').to_owned()
    } else {
        uri(&page.file)
    };
    json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            // The result concerns the whole page, but some forges require a line.
            "region": {"startLine": 1},
        },
        "logicalLocations": [{"fullyQualifiedName": page.url, "kind": "resource"}],
    })
}

/// Formats a path as a URI, relative to the current folder if the file is below it. CI jobs run in
/// the folder of the repository.
fn uri(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(&here).unwrap_or(file);
    let mut segments = Vec::new();
    for component in file.components() {
        match component {
            Component::CurDir => {}
            // On Windows: a drive, or a network share.
            Component::Prefix(prefix) => segments.push(match prefix.kind() {
                Prefix::Disk(disk) | Prefix::VerbatimDisk(disk) => {
                    format!("file:///{}:", char::from(disk))
                }
                _ => format!("file:{}", prefix.as_os_str().to_string_lossy().replace('\\', "/")),
            }),
            Component::RootDir if segments.is_empty() => segments.push("file://".to_owned()),
            Component::RootDir => {}
            Component::ParentDir | Component::Normal(_) => {
                let segment = component.as_os_str().to_string_lossy();
                segments.push(utf8_percent_encode(&segment, ENCODED).to_string());
            }
        }
    }
    segments.join("/")
}

/// Escapes the text of a link in a message.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if matches!(character, '\\' | '[' | ']') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

fn fingerprint(kind: PairKind, a: &str, b: &str) -> String {
    let (first, second) = if a < b { (a, b) } else { (b, a) };
    format!("{:016x}", hash::of_bytes(format!("{}\n{first}\n{second}", kind.name()).as_bytes()))
}
