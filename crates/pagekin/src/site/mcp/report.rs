//! Answers for an agent: JSON, by the names of the JavaScript API, and the same as a short text.

use std::fmt::Write as _;

use pagekin_core::{Answer, Kin, Passage};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::site::mcp::source::PageText;

/// What is escaped in a text fragment: as by JavaScript, and the dash, which means something there.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// What a tool answers.
pub(super) struct Report {
    pub(super) json: Value,
    pub(super) text: String,
}

/// `absolute` makes an address of the index a URL.
pub(super) fn of_answer(answer: &Answer, absolute: &dyn Fn(&str) -> String) -> Report {
    let list = |list: &[Kin]| list.iter().map(|kin| of_kin(kin, absolute)).collect::<Vec<_>>();
    let json = json!({
        "rankedBy": answer.ranked_by.name(),
        "results": list(&answer.results),
        "also": list(&answer.also),
        "nowhere": answer.nowhere,
    });
    let mut text = String::new();
    if answer.results.is_empty() {
        text += "no page shares a word with it, except very common ones\n";
    }
    write_list(&mut text, &answer.results, absolute);
    if !answer.also.is_empty() {
        let _ = writeln!(text, "also, by {}:", answer.ranked_by.other().name());
        write_list(&mut text, &answer.also, absolute);
    }
    if !answer.nowhere.is_empty() {
        let _ = writeln!(text, "on no page: {}", answer.nowhere.join(", "));
    }
    Report { json, text }
}

fn of_kin(kin: &Kin, absolute: &dyn Fn(&str) -> String) -> Value {
    json!({
        "url": absolute(&kin.url),
        "title": kin.title,
        "strength": kin.strength.name(),
        "score": kin.score,
        "found": kin.found,
        "similarity": kin.similarity,
        "sharedTerms": kin.shared_terms,
        "missingTerms": kin.missing_terms,
        "copies": kin.copies.iter().map(|url| absolute(url)).collect::<Vec<_>>(),
    })
}

/// Nothing fails to be written into a text.
fn write_list(text: &mut String, list: &[Kin], absolute: &dyn Fn(&str) -> String) {
    for (number, kin) in (1..).zip(list) {
        let (strength, title) = (kin.strength.name(), &kin.title);
        let [found, similar] = [kin.found, kin.similarity].map(|part| 100.0 * part);
        let _ = writeln!(text, "{number}. {title}\n   {}", absolute(&kin.url));
        let _ = writeln!(text, "   {strength}: {found:.0} % found, {similar:.0} % similar");
        let _ = writeln!(text, "   shared: {}", kin.shared_terms.join(", "));
        if !kin.missing_terms.is_empty() {
            let _ = writeln!(text, "   missing: {}", kin.missing_terms.join(", "));
        }
    }
}

pub(super) fn of_passage(page: &PageText, passage: Option<&Passage>) -> Report {
    let PageText { url, title, .. } = page;
    let Some(passage) = passage else {
        return Report {
            json: json!({"url": url, "title": title, "found": false}),
            text: format!("{title}\n{url}\nthe page has none of the words of the text\n"),
        };
    };
    let link = format!("{url}{}", fragment(passage));
    let words: Vec<&String> = passage.pieces.iter().skip(1).step_by(2).collect();
    let quoted = passage.pieces.concat();
    let verbatim = if passage.verbatim { "The page has the text word for word.\n" } else { "" };
    let text = format!("{title}\n{link}\n{verbatim}\n{quoted}\n");
    let json = json!({
        "url": url, "title": title, "found": true, "passage": quoted, "words": words, "link": link,
        "verbatim": passage.verbatim,
    });
    Report { json, text }
}

/// The text fragment that makes a browser scroll to a passage.
fn fragment(Passage { text_start, text_end, .. }: &Passage) -> String {
    let encoded = |text: &String| utf8_percent_encode(text, ESCAPED).to_string();
    let ends = [text_start, text_end].into_iter().filter(|text| !text.is_empty());
    let parts: Vec<String> = ends.map(encoded).collect();
    if parts.is_empty() { String::new() } else { format!("#:~:text={}", parts.join(",")) }
}
