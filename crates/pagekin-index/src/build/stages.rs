//! The stages of a build after reading, from parsed pages to a published index.

use std::path::Path;

use pagekin_core::minhash::Signature;
use pagekin_core::shard::{Manifest, language_number};
use pagekin_core::terms::{Analyzer, Language};
use pagekin_core::vocabulary::Vocabulary;
use pagekin_core::{IndexParams, Preset};
use pagekin_pages::output::files::write_files;
use pagekin_pages::output::staging::Staging;
use pagekin_pages::progress::check;
use pagekin_pages::site::languages;
use pagekin_pages::site::link_graph::LinkGraph;
use pagekin_pages::site::read::ParsedSite;
use pagekin_pages::{Observer, Part, SiteError, Stage};
use rayon::prelude::*;

use crate::build::error::BuildError;
use crate::build::external::terms::ExternalTerms;
use crate::build::external::vectors::{ExternalVectors, VectorsOfPages};
use crate::build::external::word_vectors::WordVectors;
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::list::requested;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::layout::previous;
use crate::build::layout::previous::Previous;
use crate::build::options::{BuildOptions, site_of};
use crate::build::pages::embeddings::{BASIS_NAME, Basis, SiteEmbeddings, SiteSource};
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::pages::weigh::{WeightedSite, weigh};
use crate::build::pages::{cluster_order, embeddings, emphasis, signatures, titles};
use crate::build::related::files::StoredPages;
use crate::build::related::similar_pages;
use crate::build::related::similar_pages::{Related, RelatedRules};
use crate::build::related::{groups, listings, translations};
use crate::build::shards::{encode, write};
use crate::build::summary::Summary;
use crate::build::work::Work;

/// What a build read.
#[derive(Clone, Copy)]
pub(crate) struct InputCounts {
    /// Files or pages.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Pages without an element that marks their main text.
    pub(crate) without_body: u64,
}

/// Builds the index from `reading`, which was parsed from `inputs` files or pages.
pub(crate) fn index(
    mut work: Work<'_>,
    reading: ParsedSite,
    inputs: u64,
    staging: Staging,
) -> Result<Summary, BuildError> {
    let (options, observer) = (work.options, work.observer);
    let without_body = reading.drafts.iter().filter(|draft| !draft.has_body).count() as u64;
    let inputs = InputCounts { count: inputs, bytes: reading.bytes, without_body };
    let urls = reading.drafts.iter().map(|draft| draft.url.as_str());
    let params = Preset::Web.params(options.seed);
    let previous = previous::followed(options, params, urls, observer);
    let followed = previous.as_ref().map(|previous| &previous.manifest.vocabulary);
    check(observer)?;
    let Some(weighted) = weighted(&mut work, reading, followed) else {
        return Err(no_pages(&work, inputs.count));
    };
    store(work, weighted, inputs, previous, staging)
}

/// Stores weighted pages as an index, reusing `previous` if it can, and publishes the output.
pub(crate) fn store(
    work: Work<'_>,
    weighted: WeightedSite,
    inputs: InputCounts,
    previous: Option<Previous>,
    staging: Staging,
) -> Result<Summary, BuildError> {
    let (options, observer) = (work.options, work.observer);
    let base_url = options.reading.base_url.as_str();
    let mut extras = requested(options, work.assets);
    extras.iter().try_for_each(|extra| extra.check_pages(weighted.pages.len()))?;
    let mut site = prepare(options, weighted, work.terms.as_ref(), observer)?;
    let WeightedSite { pages, words, languages, .. } = &site.weighted;
    let urls = || pages.iter().map(|page| page.url.as_str());
    let places = |vectors: &ExternalVectors| vectors.of_pages(urls(), base_url, observer);
    let places = work.vectors.as_ref().map(places).transpose()?;
    let vectors = work.vectors.as_ref().zip(places.as_deref());
    site.embeddings = embed(&site, vectors, previous.as_ref());
    let mut written = write_following(&site, vectors, previous.as_ref(), staging.path())?;
    drop(previous);
    let client = work.assets.of(languages, &options.components);
    let parts = std::mem::take(&mut written.parts);
    let mut output = UnpublishedOutput::new(staging, parts, client);
    if let Some(embeddings) = site.embeddings.as_ref().filter(|_| written.manifest.embeddings) {
        let file = [(BASIS_NAME, embeddings.basis.encode())];
        output.add_part(write_files("basis", file, output.folder())?);
        output.list(BASIS_NAME);
    }
    let indexed = IndexedSite {
        options,
        pages,
        words,
        stored: StoredPages { pages: &written.stored, base_url },
        related: &written.related,
        generation: written.manifest.generation(),
        files: &work.files,
        observer,
    };
    add_extras(&mut extras, &indexed, &mut output)?;
    let staging;
    (written.parts, staging) =
        output.finish(site_of(options).filter(|_| written.manifest.texts))?;
    check(observer)?;
    staging.publish(observer)?;
    let start = work.start;
    let mut summary = summarize(work, inputs, &site.weighted, written)?;
    extras.iter_mut().try_for_each(|extra| extra.publish(&mut summary))?;
    summary.seconds = start.elapsed().as_secs_f64();
    Ok(summary)
}

/// The summary of a published index, without its extras and its duration.
fn summarize(
    work: Work<'_>,
    inputs: InputCounts,
    site: &WeightedSite,
    written: WrittenIndex<'_>,
) -> Result<Summary, BuildError> {
    let pages = site.pages.len() as u64;
    let code =
        |(language, pages): &(Language, u32)| (language.code().to_owned(), u64::from(*pages));
    Ok(Summary {
        html_files: inputs.count,
        html_bytes: inputs.bytes,
        pages,
        without_body: inputs.without_body,
        repeated: work.repeated,
        links_without_html: work.habits.without_html,
        published_below: work.habits.published_below,
        unknown_related: written.related.unknown,
        unwritten_scripts: work.unwritten,
        remarks: work.remarks,
        ledger: work.skipped.finish(pages)?,
        languages: site.languages.iter().map(code).collect(),
        titles_by_heading: work.titles.by_heading,
        shared_titles: work.titles.shared_by_code(),
        terms: u64::from(site.vocabulary.len()),
        seed: work.options.seed,
        followed: written.followed,
        generation: written.manifest.generation(),
        parts: written.parts,
        mirrors: Vec::new(),
        bundle: None,
        seconds: 0.0,
    })
}

/// Adds the client and the requested extras to an output.
fn add_extras<'a>(
    extras: &mut [Box<dyn Extra<'a> + 'a>],
    site: &IndexedSite<'_>,
    output: &mut UnpublishedOutput<'a>,
) -> Result<(), BuildError> {
    for extra in &mut *extras {
        extra.begin(site, output)?;
    }
    output.write_client()?;
    for extra in extras.iter_mut().rev() {
        extra.add(site, output)?;
    }
    Ok(())
}

/// Shortens the titles of a parsed site and weights its pages, with the vocabulary of the reused
/// index if there is one. Returns `None` if no page has a term that counts.
pub(crate) fn weighted(
    work: &mut Work<'_>,
    mut reading: ParsedSite,
    followed: Option<&Vocabulary>,
) -> Option<WeightedSite> {
    let (options, observer) = (work.options, work.observer);
    work.titles = reading.settle_titles(options.keep_title_suffix, &languages::all());
    let params = Preset::Web.params(options.seed);
    weigh(options, params, reading, followed, &mut work.skipped, observer)
}

/// The error of a build whose `inputs` files or pages have no term that counts.
pub(crate) fn no_pages(work: &Work<'_>, inputs: u64) -> BuildError {
    let (path, found) = (work.options.site.clone(), work.skipped.list());
    SiteError::NoPages { path, files: inputs, found }.into()
}

/// Pages in the order of their URLs, with their translations and groups assigned.
struct GroupedPages {
    pages: Vec<WeightedPage>,
    links: LinkGraph,
    signatures: Vec<Signature>,
    /// The best order for storing the pages.
    order: Vec<u32>,
}

impl GroupedPages {
    /// Sorts, signs, orders and groups `pages`. Each step uses the results of the earlier ones, so
    /// that this is the only place that knows their order.
    fn new(
        mut pages: Vec<WeightedPage>,
        params: IndexParams,
        observer: &dyn Observer,
    ) -> Result<Self, BuildError> {
        cluster_order::by_address(&mut pages);
        translations::assign_sets(&mut pages);
        let links = emphasis::links(pages.iter());
        listings::assign(&mut pages, &links);
        let links = emphasis::links(pages.iter());
        let signatures = sign(&pages, params, observer)?;
        observer.stage(Stage::Ordering, pages.len() as u64);
        let mut order = cluster_order::by_cluster(&signatures, observer)?;
        groups::assign_groups(&mut pages, &mut order, &links);
        Ok(Self { pages, links, signatures, order })
    }
}

fn sign(
    pages: &[WeightedPage],
    params: IndexParams,
    observer: &dyn Observer,
) -> Result<Vec<Signature>, BuildError> {
    observer.stage(Stage::Sketching, pages.len() as u64);
    let signatures = signatures::sign(pages, params.signature, observer);
    check(observer)?;
    Ok(signatures)
}

/// Orders pages by their known clusters, or else groups them and sets the emphases of their terms.
fn prepare<'a>(
    options: &'a BuildOptions,
    mut weighted: WeightedSite,
    terms: Option<&ExternalTerms>,
    observer: &'a dyn Observer,
) -> Result<encode::Site<'a>, BuildError> {
    let stop = languages::only(weighted.languages.iter().map(|(language, _)| language.clone()));
    let mut pages = std::mem::take(&mut weighted.pages);
    let (signatures, order);
    if let Some(centers) = weighted.centers.take() {
        cluster_order::by_center(&mut pages, &centers);
        // A previous index places new pages by their signatures.
        let signed = options.previous.is_some().then(|| sign(&pages, weighted.params, observer));
        signatures = signed.transpose()?.unwrap_or_default();
        order = (0..pages.len() as u32).collect();
    } else {
        let links;
        GroupedPages { pages, links, signatures, order } =
            GroupedPages::new(pages, weighted.params, observer)?;
        let (stop, base_url) = (&stop, options.reading.base_url.as_str());
        let urls = pages.iter().map(|page| page.url.as_str());
        let given = terms.map(|terms| terms.of_pages(urls, base_url, observer));
        let given = given.transpose()?.unwrap_or_default();
        let context = emphasis::FieldContext { stop, base_url, given };
        let titles = titles::of(&pages);
        emphasis::assign(&mut pages, &links, &context);
        titles::mark_hidden(&mut pages, &titles);
        weighted.completions.add(emphasis::words(&pages, &context));
    }
    for page in &mut pages {
        let language = page.language.as_ref();
        let number = language.map(|language| language_number(&weighted.languages, language));
        page.language_number = number.unwrap_or_default();
    }
    weighted.pages = pages;
    Ok(encode::Site { weighted, signatures, order, stop, embeddings: None, options, observer })
}

/// An index whose files are written.
struct WrittenIndex<'a> {
    manifest: Manifest,
    parts: Vec<Part>,
    /// The pages in the order of their numbers.
    stored: Vec<&'a WeightedPage>,
    /// The related pages of each page in `stored`.
    related: Related,
    /// Whether the index reuses the previous one.
    followed: bool,
}

/// Returns the embeddings of a site: from the vectors of the given file if it has those of words,
/// or else from the table of the site's main language, if there is one.
fn embed(
    site: &encode::Site<'_>,
    vectors: Option<SiteVectors<'_>>,
    previous: Option<&Previous>,
) -> Option<SiteEmbeddings> {
    let WeightedSite { pages, languages, vocabulary, texts, .. } = &site.weighted;
    let (language, _) = languages.first().filter(|_| *texts)?;
    let analyzer = Analyzer::new(language, &site.stop);
    let given = vectors.and_then(|(vectors, places)| {
        let of_page = |place: &Option<u32>| place.map(|place| vectors.of_page(place));
        let words = vectors.of_words(&analyzer)?;
        Some(SiteSource { words, pages: places.iter().map(of_page).collect() })
    });
    let source = given.or_else(|| {
        let words = WordVectors::of_language(language, &analyzer)?;
        let of_page = |page: &WeightedPage| {
            let is_own = page.language.as_ref().is_none_or(|own| own == language);
            is_own.then(|| embeddings::of_words(page, &words, vocabulary)).flatten()
        };
        let pages = pages.par_iter().map(of_page).collect();
        Some(SiteSource { words, pages })
    })?;
    let basis = previous.and_then(|previous| Basis::decode(&previous.read(BASIS_NAME)?));
    Some(SiteEmbeddings::new(source, pages, basis))
}

/// The vectors of a file, and which of them each page of a site has.
type SiteVectors<'a> = (&'a ExternalVectors, &'a [Option<u32>]);

/// Writes the index of a site into a folder, from scratch if it cannot reuse `previous`.
fn write_following<'a>(
    site: &'a encode::Site<'_>,
    vectors: Option<SiteVectors<'_>>,
    previous: Option<&Previous>,
    into: &Path,
) -> Result<WrittenIndex<'a>, BuildError> {
    if let Some(written) = write(site, vectors, previous, into)? {
        return Ok(written);
    }
    site.observer.warn(
        "the changes do not fit into the files of the previous index: rebuilding from scratch",
    );
    Ok(write(site, vectors, None, into)?.expect("an index built from scratch has space"))
}

/// Writes the index of a site into a folder. Returns `None` if it cannot reuse `previous`.
fn write<'a>(
    site: &'a encode::Site<'_>,
    vectors: Option<SiteVectors<'_>>,
    previous: Option<&Previous>,
    into: &Path,
) -> Result<Option<WrittenIndex<'a>>, BuildError> {
    let (options, observer, pages) = (site.options, site.observer, &site.weighted.pages);
    let Some(plan) = site.plan(previous)? else { return Ok(None) };
    let (order, related_shards) = (plan.arrangement.order(), plan.plan.related_shards);
    // Shards are encoded first: finding related pages takes longest, and would be done twice if
    // the index did not fit.
    let Some(encoded) = encode::encode(site, plan, previous)? else { return Ok(None) };
    let stored: Vec<_> = order.iter().map(|&page| &pages[page as usize]).collect();
    let (mut related, mut shards) = (Related::default(), Vec::new());
    let numbered = StoredPages { pages: &stored, base_url: &options.reading.base_url };
    if options.related_count > 0 {
        observer.stage(Stage::Relating, pages.len() as u64);
        let vectors = vectors.map(|(vectors, places)| {
            let places = order.iter().map(|&page| places[page as usize]).collect();
            VectorsOfPages::new(vectors, places)
        });
        let rules = RelatedRules {
            max_pages: options.related_count as usize,
            base_url: numbered.base_url,
            vectors: vectors.as_ref(),
        };
        related = similar_pages::relate(&stored, rules, observer);
        shards = numbered.encode(&related, related_shards);
    }
    check(observer)?;
    let (manifest, parts) = write::write(encoded, &shards, previous, into, observer)?;
    Ok(Some(WrittenIndex { manifest, parts, stored, related, followed: previous.is_some() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::from_site::build_pages;
    use crate::build::from_site::tests::Neighbors;
    use crate::build::options::Assets;
    use crate::build::options::Layout;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Recorder(Mutex<(Vec<Stage>, Vec<String>)>);

    impl Observer for Recorder {
        fn stage(&self, stage: Stage, _: u64) {
            self.0.lock().unwrap().0.push(stage);
        }

        fn warn(&self, message: &str) {
            self.0.lock().unwrap().1.push(message.to_owned());
        }
    }

    #[test]
    fn pages_that_do_not_fit_into_the_previous_packs_are_related_once() {
        let place = tempfile::tempdir().unwrap();
        let options = |name: &str| BuildOptions {
            layout: Layout::Packs,
            ..BuildOptions::new("", place.path().join(name))
        };
        let first = options("first");
        build_pages(&first, &Neighbors(300), &Assets::default(), &Recorder::default()).unwrap();
        let grown = BuildOptions { previous: Some(first.output.clone()), ..options("grown") };
        let recorder = Recorder::default();
        let built = build_pages(&grown, &Neighbors(360), &Assets::default(), &recorder).unwrap();
        let (stages, warnings) = recorder.0.into_inner().unwrap();
        assert!(!built.followed && warnings.len() == 1, "{warnings:?}");
        assert!(warnings[0].contains("do not fit"), "{warnings:?}");
        assert_eq!(stages.iter().filter(|&&stage| stage == Stage::Relating).count(), 1);
    }
}
