//! The lookup in the browser: bindings over `pagekin-core` and nothing else.
//!
//! JavaScript fetches. This module names the files to fetch, takes their bytes, and answers. Its
//! only caller is `www/client/engine.js`. Errors are JavaScript errors whose `name` is the code of
//! the core's error.

mod html;
mod values;

use std::cell::RefCell;
use std::rc::Rc;

use pagekin_core::excerpt::{common_words, passage_of_page};
use pagekin_core::lookup::Surroundings;
use pagekin_core::lookup::filters_of;
use pagekin_core::shard::{FilterShard, Kind, PageSample};
use pagekin_core::{Filter, Lookup, LookupOptions, Refinement, SortBy};
use wasm_bindgen::prelude::*;

pub use html::read_html;
use values::{query_error, read_error};

/// An allocator with a third of the code of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Returns the name of the file that opens an index, relative to the folder of the index.
#[wasm_bindgen(js_name = manifestName)]
#[must_use]
pub fn manifest_name() -> String {
    pagekin_core::shard::MANIFEST_NAME.to_owned()
}

/// Compares a text with that of a page: see `compare` in engine.js.
///
/// # Errors
///
/// If the browser cannot create the object.
#[wasm_bindgen]
pub fn compare(text: &str, page: &str) -> Result<JsValue, JsValue> {
    values::comparison(&pagekin_core::near::comparison::compare(text, page))
}

/// An open index. Queries on it share the shards they were supplied with.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Index(Rc<RefCell<pagekin_core::Index>>);

#[wasm_bindgen]
impl Index {
    /// Opens an index by the bytes of its manifest.
    ///
    /// # Errors
    ///
    /// If the bytes are not a manifest of a supported version.
    pub fn open(manifest: &[u8]) -> Result<Self, js_sys::Error> {
        let index = pagekin_core::Index::open(manifest).map_err(|error| read_error(&error))?;
        Ok(Self(Rc::new(RefCell::new(index))))
    }

    /// Returns what the index is: see `infoOf` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        values::info(self.0.borrow().manifest())
    }

    /// Whether there are LSH tables, so that every lookup needs the rest of the module.
    #[wasm_bindgen(js_name = hasTables)]
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.0.borrow().manifest().tables.shards > 0
    }

    /// Returns the name of the shard with the sample of pages.
    #[wasm_bindgen(js_name = sampleName)]
    #[must_use]
    pub fn sample_name(&self) -> String {
        self.0.borrow().manifest().name(Kind::Sample, 0)
    }

    /// Returns the sample of pages from the bytes of its shard.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn sample(&self, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let index = self.0.borrow();
        let manifest = index.manifest();
        let generation = manifest.generation_of(Kind::Sample, 0);
        let sample =
            PageSample::decode(&manifest.name(Kind::Sample, 0), generation, manifest, bytes)
                .map_err(|error| read_error(&error))?;
        values::sample(&sample)
    }

    /// Starts a lookup of a text in the language of a tag, which may be empty. With `copies`,
    /// copies and variants are results of their own.
    ///
    /// # Errors
    ///
    /// If the text has no words.
    #[wasm_bindgen(js_name = similarToText)]
    pub fn similar_to_text(
        &self,
        text: &str,
        lang: &str,
        limit: u32,
        min: f64,
        copies: bool,
    ) -> Result<Query, js_sys::Error> {
        let options = LookupOptions { limit, min, copies, ..LookupOptions::default() };
        let lookup = Lookup::from_text(&self.0.borrow(), text, lang, options)
            .map_err(|error| query_error(&error))?;
        Ok(self.begin(lookup))
    }

    /// Starts a lookup of the pages similar to a page of the site, by its URL.
    #[wasm_bindgen(js_name = similarToUrl)]
    #[must_use]
    pub fn similar_to_url(&self, url: &str, limit: u32, min: f64, copies: bool) -> Query {
        let options = LookupOptions { limit, min, copies, ..LookupOptions::default() };
        self.begin(Lookup::from_url(&self.0.borrow(), url, options))
    }

    /// Starts a lookup of a text and of the neighborhood of the results.
    ///
    /// # Errors
    ///
    /// If the text has no words.
    #[wasm_bindgen(js_name = aroundText)]
    pub fn around_text(&self, text: &str, lang: &str, limit: u32) -> Result<Query, js_sys::Error> {
        let around = Some(Surroundings::Results);
        let options = LookupOptions { limit, around, ..LookupOptions::default() };
        let lookup = Lookup::from_text(&self.0.borrow(), text, lang, options)
            .map_err(|error| query_error(&error))?;
        Ok(self.begin(lookup))
    }

    /// Starts a lookup of the pages similar to a page of the site, by its URL, and of the
    /// neighborhood of the results, or of the cluster whose center is the page.
    #[wasm_bindgen(js_name = aroundUrl)]
    #[must_use]
    pub fn around_url(&self, url: &str, limit: u32, cluster: bool) -> Query {
        let around = Some(if cluster { Surroundings::Center } else { Surroundings::Results });
        let options = LookupOptions { limit, around, ..LookupOptions::default() };
        self.begin(Lookup::from_url(&self.0.borrow(), url, options))
    }

    /// Starts a search for words as they are typed, in the language of a tag, which may be empty.
    ///
    /// # Errors
    ///
    /// If there are no words.
    pub fn search(&self, words: &str, lang: &str, limit: u32) -> Result<Query, js_sys::Error> {
        let options = LookupOptions { limit, ..LookupOptions::default() };
        let lookup = Lookup::from_typed(&self.0.borrow(), words, lang, options)
            .map_err(|error| query_error(&error))?;
        Ok(self.begin(lookup))
    }

    /// Starts a list of the pages that a filter finds: see [`Query::refine`].
    #[must_use]
    pub fn listed(
        &self,
        steps: Vec<String>,
        sort: String,
        descending: bool,
        counts: bool,
        limit: u32,
    ) -> Query {
        let options = LookupOptions { limit, ..LookupOptions::default() };
        let refinement = refinement(steps, sort, descending, counts);
        self.begin(Lookup::from_filter(&self.0.borrow(), refinement, options))
    }

    /// Returns the name of the shard with all filters, if the site has any.
    #[wasm_bindgen(js_name = filtersName)]
    #[must_use]
    pub fn filters_name(&self) -> Option<String> {
        let index = self.0.borrow();
        let manifest = index.manifest();
        (manifest.filters.shards > 0).then(|| manifest.name(Kind::Filters, 0))
    }

    /// Returns all filters from the bytes of their shard.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn filters(&self, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let index = self.0.borrow();
        let manifest = index.manifest();
        let name = manifest.name(Kind::Filters, 0);
        let generation = manifest.generation_of(Kind::Filters, 0);
        let stored = manifest.stored(Kind::Filters, bytes);
        let shard = FilterShard::decode(&name, generation, 0, manifest, stored)
            .map_err(|error| read_error(&error))?;
        values::filters(&filters_of(&shard))
    }

    /// Finds a text in the language of a tag, which may be empty, in the main text of a page or in
    /// its other text: see `Engine` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    pub fn excerpt(
        &self,
        text: &str,
        lang: &str,
        page: &str,
        other: &str,
    ) -> Result<JsValue, JsValue> {
        values::excerpt(passage_of_page(&self.0.borrow(), text, lang, page, other).as_ref())
    }

    /// Finds the words that a text in the language of a tag, which may be empty, and the text of a
    /// page have in common: see `Engine` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    #[wasm_bindgen(js_name = commonWords)]
    pub fn common_words(&self, text: &str, lang: &str, page: &str) -> Result<JsValue, JsValue> {
        values::common_words(&common_words(&self.0.borrow(), text, lang, page))
    }

    fn begin(&self, lookup: Lookup) -> Query {
        Query { index: Rc::clone(&self.0), lookup }
    }
}

impl Index {
    /// Returns the core's index, for other bindings.
    #[must_use]
    pub fn core(&self) -> Rc<RefCell<pagekin_core::Index>> {
        Rc::clone(&self.0)
    }
}

fn refinement(steps: Vec<String>, sort: String, descending: bool, counts: bool) -> Refinement {
    Refinement {
        // Steps that are no filter find nothing.
        filter: (!steps.is_empty())
            .then(|| Filter::from_steps(steps).unwrap_or_else(|| Filter::any([]))),
        sort: (!sort.is_empty()).then_some(SortBy { key: sort, descending }),
        counts,
    }
}

/// A lookup in progress.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Query {
    index: Rc<RefCell<pagekin_core::Index>>,
    lookup: Lookup,
}

#[wasm_bindgen]
impl Query {
    /// Finds only the pages of a filter, in the steps of [`Filter::from_steps`], and all pages
    /// without steps. Sorts them by a value, unless its name is empty. May count the results with
    /// each value. Called before the first round.
    pub fn refine(&mut self, steps: Vec<String>, sort: String, descending: bool, counts: bool) {
        self.lookup.refine(&self.index.borrow(), refinement(steps, sort, descending, counts));
    }

    /// Returns the number of results of a refined query, also of a partial answer: see `RawFound`
    /// in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    pub fn found(&self) -> Result<JsValue, JsValue> {
        values::found(self.lookup.found())
    }

    /// Returns the names of the shards of the next round, or none once there is an answer.
    ///
    /// # Errors
    ///
    /// If no page has the requested URL.
    pub fn wanted(&mut self) -> Result<Vec<String>, js_sys::Error> {
        self.lookup.wanted(&mut self.index.borrow_mut()).map_err(|error| query_error(&error))
    }

    /// Takes a shard.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn supply(&mut self, name: &str, bytes: &[u8]) -> Result<(), js_sys::Error> {
        self.lookup
            .supply(&mut self.index.borrow_mut(), name, bytes)
            .map_err(|error| read_error(&error))
    }

    /// Returns the neighborhood, if it was requested: see `RawNeighborhood` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    pub fn neighborhood(&self) -> Result<JsValue, JsValue> {
        let answer = self.lookup.answer();
        values::neighborhood(answer.and_then(|answer| answer.neighborhood.as_ref()))
    }

    /// Returns the answer: see `RawAnswer` in engine.js. While shards are needed, returns each
    /// partial answer once, and otherwise `undefined`.
    ///
    /// # Errors
    ///
    /// If the browser cannot create the object.
    pub fn answer(&mut self) -> Result<JsValue, JsValue> {
        let partial = self.lookup.take_partial();
        match self.lookup.answer().or(partial.as_deref()) {
            Some(answer) => values::answer(answer),
            None => Ok(JsValue::UNDEFINED),
        }
    }
}

impl Query {
    /// Returns the core's lookup, for other bindings.
    #[must_use]
    pub fn core(&self) -> &Lookup {
        &self.lookup
    }
}
