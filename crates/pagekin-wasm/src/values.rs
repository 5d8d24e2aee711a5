//! The core's values as JavaScript arrays, which `www/client/engine.js` turns into objects: objects
//! would need a table of field names in the module. Values in the other direction are plain
//! arguments. Reading objects with serde would add its messages, and with them the printing of
//! floating-point numbers, 20 kB of code.

use pagekin_core::excerpt::{CommonWords, Passage};
use pagekin_core::lookup::Neighborhood;
use pagekin_core::near::comparison::Comparison;
use pagekin_core::near::sketch::SharedSample;
use pagekin_core::page::PageText;
use pagekin_core::shard::{self, Manifest};
use pagekin_core::{Answer, FilterCounts, Found, QueryError, ReadError, SearchResult};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Returns `[title, lang, text, sections, other text]` of a page, with `[at, id, heading]` for each
/// section.
pub(crate) fn page(page: &PageText) -> Result<JsValue, JsValue> {
    let sections = page.sections.iter();
    let sections: Vec<_> =
        sections.map(|section| (section.at as u32, &section.id, &section.heading)).collect();
    to_value(&(&page.title, &page.lang, &page.text, sections, &page.other))
}

/// Returns `[pages, terms, generation, format, preset, languages, base URL, place, has
/// filters]`.
pub(crate) fn info(manifest: &Manifest) -> Result<JsValue, JsValue> {
    let languages: Vec<_> =
        manifest.languages.iter().map(|(language, _)| language.code()).collect();
    to_value(&(
        manifest.pages,
        manifest.vocabulary.len(),
        format!("{:016x}", manifest.generation()),
        shard::FORMAT_VERSION,
        manifest.params.preset().map_or("other", |preset| preset.name()),
        languages,
        &manifest.base_url,
        &manifest.place,
        manifest.filters.shards > 0,
    ))
}

/// Returns `[name, [value, number][]]` of each filter.
pub(crate) fn filters(filters: &[FilterCounts]) -> Result<JsValue, JsValue> {
    to_value(&raw_filters(filters))
}

fn raw_filters(filters: &[FilterCounts]) -> Vec<impl Serialize> {
    filters.iter().map(|filter| (&filter.name, &filter.values)).collect()
}

/// Returns the tuple `RawFound` of engine.js, or `undefined`.
pub(crate) fn found(found: Option<&Found>) -> Result<JsValue, JsValue> {
    let raw = |found: &Found| {
        let filters = found.filters.as_deref().map(raw_filters);
        to_value(&(found.total, found.is_exact, filters))
    };
    found.map_or(Ok(JsValue::UNDEFINED), raw)
}

/// Returns `[url, title]` of each page.
pub(crate) fn sample(sample: &shard::PageSample) -> Result<JsValue, JsValue> {
    to_value(&sample.0)
}

/// Returns the tuple `RawAnswer` of engine.js, which names its parts. Absent parts are `undefined`.
pub(crate) fn answer(answer: &Answer) -> Result<JsValue, JsValue> {
    // Below 2^53, so JavaScript represents it exactly.
    let bytes = answer.cost.bytes as f64;
    let cost = (bytes, answer.cost.requests, answer.cost.rounds);
    let language = answer.language.as_ref().map(|of| (of.language.code(), of.by.name()));
    let [results, other_results] =
        [&answer.results, &answer.other_results].map(|list| search_results(list));
    let corrections = answer.corrections.iter();
    let corrections: Vec<_> = corrections.map(|one| (&one.from, &one.to)).collect();
    let (ranked_by, unmatched) = (answer.ranked_by.name(), &answer.unmatched);
    to_value(&(results, ranked_by, cost, language, other_results, unmatched, corrections))
}

fn search_results(list: &[SearchResult]) -> Vec<impl Serialize> {
    let near = |sample: &SharedSample| {
        let parts = (sample.resemblance(), sample.text_in_page(), sample.page_in_text());
        Some((sample.nearness()?.name(), parts.0, parts.1, parts.2, sample.is_whole()))
    };
    let each = list.iter().map(|result| {
        let near = result.near.as_ref().and_then(near);
        let numbers = (result.score, result.similarity, result.coverage);
        let words = (&result.shared_terms, &result.missing_terms);
        let (confidence, meta) = (result.confidence.name(), result.metadata.lines());
        (&result.url, &result.title, numbers, confidence, words, &result.copies, near, meta)
    });
    each.collect()
}

/// Returns the tuple `RawNeighborhood` of engine.js, or `undefined`.
pub(crate) fn neighborhood(found: Option<&Neighborhood>) -> Result<JsValue, JsValue> {
    let lists = found.map(|found| {
        let pages = found.pages.iter().map(|page| (&page.url, &page.title, page.cluster));
        let clusters = found.clusters.iter().map(|of| (&of.url, &of.title, of.pages));
        (pages.collect::<Vec<_>>(), &found.links, clusters.collect::<Vec<_>>())
    });
    to_value(&lists)
}

/// Returns `[pieces of the text, pieces of the page, twins of the text, twins of the page]`.
pub(crate) fn common_words(found: &CommonWords<'_>) -> Result<JsValue, JsValue> {
    to_value(&(&found.text, &found.page, &found.twins_of_text, &found.twins_of_page))
}

/// Returns `[resemblance, text in page, page in text, pieces of the text, pieces of the page, twins
/// of the text, twins of the page]`.
pub(crate) fn comparison(found: &Comparison<'_>) -> Result<JsValue, JsValue> {
    let Comparison { shared, text, page, twins_of_text, twins_of_page } = found;
    let parts = (shared.resemblance(), shared.a_in_b(), shared.b_in_a());
    to_value(&(parts.0, parts.1, parts.2, text, page, twins_of_text, twins_of_page))
}

/// Returns the tuple `RawExcerpt` of engine.js, or `undefined`.
pub(crate) fn excerpt(found: Option<&Passage>) -> Result<JsValue, JsValue> {
    let raw = |passage: &Passage| {
        let Passage { pieces, at, text_start, text_end, verbatim, terms, in_sentence } =
            passage.clone();
        let at = at.map(|at| at as u32);
        (pieces, text_start, text_end, at, verbatim, terms, in_sentence)
    };
    to_value(&found.map(raw))
}

fn to_value(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(serde_wasm_bindgen::to_value(value)?)
}

pub(crate) fn read_error(error: &ReadError) -> js_sys::Error {
    named(error.code(), &error.to_string())
}

pub(crate) fn query_error(error: &QueryError) -> js_sys::Error {
    named(error.code(), &error.to_string())
}

fn named(code: &str, message: &str) -> js_sys::Error {
    let error = js_sys::Error::new(message);
    error.set_name(code);
    error
}
