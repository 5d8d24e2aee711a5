//! The core's values as JavaScript objects. The way back is by plain arguments: reading objects with serde
//! would take its messages along, and with them the printing of floating-point numbers, 20 kB of code.

use pagekin_core::page::Page;
use pagekin_core::shard::{Manifest, Sample};
use pagekin_core::{Answer, QueryError, ReadError};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// A page that was read.
pub(crate) fn page(page: &Page) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Read<'a> {
        title: &'a str,
        lang: &'a str,
        text: &'a str,
    }
    to_value(&Read { title: &page.title, lang: &page.lang, text: &page.text })
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
        terms: manifest.terms,
        generation: format!("{:016x}", manifest.generation),
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
