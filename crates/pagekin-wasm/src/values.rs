//! The core's values as JavaScript objects, and back.

use pagekin_core::shard::{Manifest, Sample};
use pagekin_core::{Answer, LookupOptions, QueryError, ReadError};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// A text, or a page that was read.
#[derive(Serialize, Deserialize)]
pub(crate) struct Text {
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) lang: String,
    pub(crate) text: String,
}

pub(crate) fn text(value: JsValue) -> Result<Text, JsValue> {
    Ok(serde_wasm_bindgen::from_value(value)?)
}

pub(crate) fn options(value: JsValue) -> Result<LookupOptions, JsValue> {
    #[derive(Deserialize)]
    struct Options {
        limit: Option<u32>,
        min: Option<f64>,
    }
    let defaults = LookupOptions::default();
    let Options { limit, min } = serde_wasm_bindgen::from_value(value)?;
    Ok(LookupOptions { limit: limit.unwrap_or(defaults.limit), min: min.unwrap_or(defaults.min) })
}

pub(crate) fn info(manifest: &Manifest) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Info<'a> {
        pages: u32,
        terms: u32,
        generation: String,
        format: u16,
        preset: &'static str,
        languages: Vec<&'a str>,
        base_url: &'a str,
    }
    to_value(&Info {
        pages: manifest.pages,
        terms: manifest.vocabulary.len(),
        generation: format!("{:016x}", manifest.generation()),
        format: pagekin_core::shard::FORMAT_VERSION,
        preset: manifest.params.preset().map_or("other", |preset| preset.name()),
        languages: manifest.languages.iter().map(|(language, _)| language.code()).collect(),
        base_url: &manifest.base_url,
    })
}

pub(crate) fn sample(sample: &Sample) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Page<'a> {
        url: &'a str,
        title: &'a str,
    }
    let pages: Vec<_> = sample.0.iter().map(|(url, title)| Page { url, title }).collect();
    to_value(&pages)
}

pub(crate) fn answer(answer: &Answer) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Kin<'a> {
        url: &'a str,
        title: &'a str,
        similarity: f64,
        shared_terms: &'a [String],
    }
    #[derive(Serialize)]
    struct Cost {
        // Below 2^53, which JavaScript counts exactly.
        bytes: f64,
        requests: u32,
        rounds: u32,
    }
    #[derive(Serialize)]
    struct Whole<'a> {
        results: Vec<Kin<'a>>,
        cost: Cost,
    }
    let results = answer.results.iter().map(|kin| Kin {
        url: &kin.url,
        title: &kin.title,
        similarity: kin.similarity,
        shared_terms: &kin.shared_terms,
    });
    let cost = &answer.cost;
    to_value(&Whole {
        results: results.collect(),
        cost: Cost { bytes: cost.bytes as f64, requests: cost.requests, rounds: cost.rounds },
    })
}

pub(crate) fn to_value(value: &impl Serialize) -> Result<JsValue, JsValue> {
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
