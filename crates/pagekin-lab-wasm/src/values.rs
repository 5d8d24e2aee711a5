//! Converts values of the core to JavaScript arrays, from which `www/lab/core.js` creates objects.

use std::ops::Range;

use crate::steps::copies::{Copies, Runs};
use crate::steps::draws;
use crate::steps::meaning::{Arrow, near, sum};
use crate::steps::walk::{Judged, Walk, WalkStep, judge, single_centers};
use crate::steps::words::{Fate, Fates};
use pagekin_core::ReadError;
use pagekin_core::bag::Bag;
use pagekin_core::center::CenterStep;
use pagekin_core::shard::PageRecord;
use pagekin_core::similarity::Overlap;
use pagekin_core::vocabulary::TermId;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Maximum number of runs whose words are returned.
const MAX_RUNS_WITH_WORDS: usize = 600;

pub(crate) fn to_value(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(serde_wasm_bindgen::to_value(value)?)
}

pub(crate) fn read_error(error: &ReadError) -> js_sys::Error {
    let value = js_sys::Error::new(&error.to_string());
    value.set_name(error.code());
    value
}

/// `[language, [[before, word, term]], after, [[word, stem, tf, idf, count, fate, product]],
/// [words, kept, distinct, weighty, in the bag], size, total, sum]`, with term -1 for stop words.
/// `sum` is the size of a bag before its counts are rounded.
pub(crate) fn fates(text: &str, fates: &Fates, sum: u16) -> Result<JsValue, JsValue> {
    let mut end = 0;
    let mut pieces: Vec<(&str, &str, i32)> = Vec::with_capacity(fates.words.len());
    for (place, term) in &fates.words {
        // The places of character pairs overlap.
        let start = place.start.max(end);
        let term = term.map_or(-1, |at| at as i32);
        pieces.push((&text[end..start], &text[start..place.end], term));
        end = place.end;
    }
    let terms: Vec<_> = fates
        .terms
        .iter()
        .map(|term| {
            let product = term.product as f64 / 256.0;
            (&term.word, &term.stem, term.tf, term.idf, term.copies, term.fate.name(), product)
        })
        .collect();
    let total = fates.total as f64 / 256.0;
    let (words, kept) = fates.words_and_kept();
    let in_bag = fates.terms.iter().filter(|term| term.fate == Fate::InBag).count();
    let counts = [words, kept, fates.terms.len(), fates.weighty(), in_bag];
    let counts = counts.map(|count| count as u32);
    let language = fates.language.as_ref().map_or("", |language| language.language.code());
    to_value(&(language, pieces, &text[end..], terms, counts, fates.bag.size(), total, sum))
}

/// `[[in both, in either, of a, of b, similarity], [[word, of a, of b]]]`, sorted by the count in
/// both, then in either.
pub(crate) fn beside<'a>(
    a: &Bag,
    b: &Bag,
    word: impl Fn(TermId) -> &'a str,
) -> Result<JsValue, JsValue> {
    let rows = draws::beside_by_copies(a, b).into_iter();
    let rows: Vec<_> = rows.map(|(term, a, b)| (word(term), a, b)).collect();
    let overlap = Overlap::between(a, b);
    let counts = (overlap.intersection, overlap.union, a.size(), b.size(), overlap.jaccard());
    to_value(&(counts, rows))
}

/// `[clusters, largest, alone, within, below]`.
pub(crate) fn judged(judged: Judged) -> [u32; 5] {
    let Judged { clusters, largest, alone, within, below } = judged;
    [clusters, largest, alone, within, below]
}

/// `[pages by number, [[u, v, effect on CENTER, whether it joined components, similarity]],
/// centers, components, [CENTER judged, components judged], centers without members]`, with center
/// -1 for a page without a cluster.
pub(crate) fn walk(
    pages: &[u32],
    whole: &Walk,
    part: &Walk,
    similarity: impl Fn(u32, u32) -> f64,
    threshold: f64,
) -> Result<JsValue, JsValue> {
    let name = |step: CenterStep| match step {
        CenterStep::Founded => "founded",
        CenterStep::FoundedAlone => "founded-alone",
        CenterStep::Joined => "joined",
        CenterStep::Taken => "taken",
        CenterStep::Member => "member",
    };
    let steps: Vec<_> = whole
        .steps
        .iter()
        .map(|&WalkStep { u, v, center, merged }| (u, v, name(center), merged, similarity(u, v)))
        .collect();
    let centers: Vec<i32> =
        part.centers.iter().map(|center| center.map_or(-1, |page| page as i32)).collect();
    let labels: Vec<u32> =
        (0..).zip(&part.centers).map(|(page, center)| center.unwrap_or(page)).collect();
    let near = |u, v| similarity(u, v) >= threshold;
    let both = [&labels, &part.components].map(|labels| judged(judge(labels, near)));
    to_value(&(pages, steps, centers, &part.components, both, single_centers(&part.centers)))
}

/// `[[[word, weight, elements]], elements of the sum of the first, elements of the sum of all,
/// [[page, cosine, elements]]]`, nearest pages first. A word without a vector has no elements.
pub(crate) fn meaning(
    arrows: &[Arrow],
    upto: usize,
    pages: &[PageRecord],
) -> Result<JsValue, JsValue> {
    let text = sum(&arrows[..upto.min(arrows.len())]);
    let elements = |sums: &[i64]| sums.iter().map(|&sum| sum as f64).collect::<Vec<_>>();
    let words = arrows.iter().map(|Arrow { word, weight, embedding }| {
        let embedding = embedding.as_ref().map_or(&[][..], |embedding| &embedding.0);
        (word, *weight, embedding)
    });
    let near = near(pages, &text).into_iter().map(|(page, cosine)| {
        let embedding = pages[page as usize].embedding.as_ref();
        (page, cosine, embedding.map_or(&[][..], |embedding| &embedding.0))
    });
    to_value(&(
        words.collect::<Vec<_>>(),
        elements(text.sums()),
        elements(sum(arrows).sums()),
        near.collect::<Vec<_>>(),
    ))
}

/// `[words, [[run, whether it is in the other]], pieces]`. Every second piece is a passage in both
/// texts. The first runs contain their words, later ones are empty.
fn runs<'a>(text: &'a str, runs: &Runs) -> (usize, Vec<(&'a str, bool)>, Vec<&'a str>) {
    let shown = runs.runs.iter().enumerate().map(|(at, (place, shared))| {
        (if at < MAX_RUNS_WITH_WORDS { &text[place.clone()] } else { "" }, *shared)
    });
    let (mut pieces, mut end) = (Vec::new(), 0);
    for Range { start, end: passage_end } in &runs.passages {
        pieces.extend([&text[end..*start], &text[*start..*passage_end]]);
        end = *passage_end;
    }
    pieces.push(&text[end..]);
    (runs.words, shown.collect(), pieces)
}

/// `[of b, [both, runs of a, runs of b, resemblance, a in b, b in a], [[equal, run]],
/// supershingles, [equal, needed, probability], bits, [equal, needed]]`, with the first in the form
/// of [`runs`].
pub(crate) fn copies(b: &str, found: &Copies) -> Result<JsValue, JsValue> {
    let shared = &found.shared;
    let counts = [shared.both, shared.a, shared.b].map(|count| count as f64);
    let parts = [shared.resemblance(), shared.a_in_b(), shared.b_in_a()];
    let minvalues: Vec<_> =
        found.minvalues.iter().map(|value| (value.equal, value.run as u32)).collect();
    let (equal, needed) = found.b_similarity;
    to_value(&(
        runs(b, &found.b),
        (counts, parts),
        minvalues,
        &found.supershingles,
        (equal, needed, found.b_chance),
        &found.bits,
        found.c_similarity,
    ))
}
