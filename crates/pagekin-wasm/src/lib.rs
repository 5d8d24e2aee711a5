//! The lookup in the browser: bindings over `pagekin-core` and nothing else.
//!
//! JavaScript fetches; this module says what to fetch, is fed the bytes, and answers.
//! `www/client/engine.js` is its one caller. Errors are JavaScript errors whose `name` is the code
//! of the core's error.

mod html;
mod values;

use std::cell::RefCell;
use std::rc::Rc;

use pagekin_core::excerpt::{common_words, passage_of_page};
use pagekin_core::lookup::Surroundings;
use pagekin_core::shard::{Kind, PageSample};
use pagekin_core::{Lookup, LookupOptions};
use wasm_bindgen::prelude::*;

pub use html::read_html;
use values::{query_error, read_error};

/// The allocator, in a third of the code of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// The name of the file that opens an index, relative to the index's folder.
#[wasm_bindgen(js_name = manifestName)]
#[must_use]
pub fn manifest_name() -> String {
    pagekin_core::shard::MANIFEST_NAME.to_owned()
}

/// What a text and that of a page share: see `Engine` in engine.js.
///
/// # Errors
///
/// If the browser cannot make the object.
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
    /// If the bytes are no manifest this version can read.
    pub fn open(manifest: &[u8]) -> Result<Self, js_sys::Error> {
        let index = pagekin_core::Index::open(manifest).map_err(|error| read_error(&error))?;
        Ok(Self(Rc::new(RefCell::new(index))))
    }

    /// What the index is: see `infoOf` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot make the object.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        values::info(self.0.borrow().manifest())
    }

    /// Whether there are LSH tables, so that all lookups need the rest of the module.
    #[wasm_bindgen(js_name = hasTables)]
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.0.borrow().manifest().tables.shards > 0
    }

    /// The name of the shard of pages to choose from.
    #[wasm_bindgen(js_name = sampleName)]
    #[must_use]
    pub fn sample_name(&self) -> String {
        self.0.borrow().manifest().name(Kind::Sample, 0)
    }

    /// The pages to choose from, from the bytes of their shard.
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

    /// Begins to look for the kin of a text in the language of a tag, which may be empty, with
    /// `copies` of pages if these are wanted too.
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

    /// Begins to look for the kin of a page of the site by its address.
    #[wasm_bindgen(js_name = similarToUrl)]
    #[must_use]
    pub fn similar_to_url(&self, url: &str, limit: u32, min: f64, copies: bool) -> Query {
        let options = LookupOptions { limit, min, copies, ..LookupOptions::default() };
        self.begin(Lookup::from_url(&self.0.borrow(), url, options))
    }

    /// Begins to look for the kin of a text and for what is around them.
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

    /// Begins to look for the kin of a page of the site by its address and for what is around
    /// them, or for the cluster of which it is the center.
    #[wasm_bindgen(js_name = aroundUrl)]
    #[must_use]
    pub fn around_url(&self, url: &str, limit: u32, cluster: bool) -> Query {
        let around = Some(if cluster { Surroundings::Center } else { Surroundings::Results });
        let options = LookupOptions { limit, around, ..LookupOptions::default() };
        self.begin(Lookup::from_url(&self.0.borrow(), url, options))
    }

    /// Begins to look for pages by words of a search box as they are typed, in the language of a
    /// tag, which may be empty.
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

    /// Where a text in the language of a tag, which may be empty, is found in the main text of a
    /// page or in its other text: see `Engine` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot make the object.
    pub fn excerpt(
        &self,
        text: &str,
        lang: &str,
        page: &str,
        other: &str,
    ) -> Result<JsValue, JsValue> {
        values::excerpt(passage_of_page(&self.0.borrow(), text, lang, page, other).as_ref())
    }

    /// The words that a text in the language of a tag, which may be empty, and the text of a page
    /// have in common: see `Engine` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot make the object.
    #[wasm_bindgen(js_name = commonWords)]
    pub fn common_words(&self, text: &str, lang: &str, page: &str) -> Result<JsValue, JsValue> {
        values::common_words(&common_words(&self.0.borrow(), text, lang, page))
    }

    fn begin(&self, lookup: Lookup) -> Query {
        Query { index: Rc::clone(&self.0), lookup }
    }
}

impl Index {
    /// The core's index, for bindings that add to these.
    #[must_use]
    pub fn core(&self) -> Rc<RefCell<pagekin_core::Index>> {
        Rc::clone(&self.0)
    }
}

/// One query on its way.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Query {
    index: Rc<RefCell<pagekin_core::Index>>,
    lookup: Lookup,
}

#[wasm_bindgen]
impl Query {
    /// The shards of the next round; none once the answer is there.
    ///
    /// # Errors
    ///
    /// If no page has the address that was asked for.
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

    /// What is around the results, if it was asked for: see `RawNeighborhood` in engine.js.
    ///
    /// # Errors
    ///
    /// If the browser cannot make the object.
    pub fn neighborhood(&self) -> Result<JsValue, JsValue> {
        let answer = self.lookup.answer();
        values::neighborhood(answer.and_then(|answer| answer.neighborhood.as_ref()))
    }

    /// The answer: see `RawAnswer` in engine.js.
    ///
    /// # Errors
    ///
    /// If shards are still wanted.
    pub fn answer(&self) -> Result<JsValue, JsValue> {
        match self.lookup.answer() {
            Some(answer) => values::answer(answer),
            None => Err(js_sys::Error::new("the query still needs shards").into()),
        }
    }
}

impl Query {
    /// The core's lookup, for bindings that add to these.
    #[must_use]
    pub fn core(&self) -> &Lookup {
        &self.lookup
    }
}
