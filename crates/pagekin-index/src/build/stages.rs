//! What was read into an index: the stages after reading, in turn.

use std::path::Path;

use pagekin_core::minhash::Signature;
use pagekin_core::shard::Manifest;
use pagekin_core::shard::{Completion, WordShard};
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::{TermId, Vocabulary};
use pagekin_core::{IndexParams, Preset};
use pagekin_pages::output::staging::Staging;
use pagekin_pages::progress::check;
use pagekin_pages::site::languages;
use pagekin_pages::site::read::ParsedSite;
use pagekin_pages::{Observer, Part, SiteError, Stage};
use rustc_hash::FxHashMap;

use crate::build::error::BuildError;
use crate::build::external::terms::{ExternalTerms, TermsOfPages};
use crate::build::external::vectors::{ExternalVectors, VectorsOfPages};
use crate::build::extras::extra::{Extra, IndexedSite};
use crate::build::extras::list::asked_for;
use crate::build::extras::output::UnpublishedOutput;
use crate::build::layout::previous;
use crate::build::layout::previous::Previous;
use crate::build::layout::shard_plan::PlanRules;
use crate::build::options::BuildOptions;
use crate::build::pages::standing::DescribedPage;
use crate::build::pages::vocabulary::WeightedPage;
use crate::build::pages::weigh::{WeightedSite, weigh};
use crate::build::pages::{cluster_order, signatures, standing};
use crate::build::related::files::StoredPages;
use crate::build::related::similar_pages;
use crate::build::related::similar_pages::{Related, RelatedRules};
use crate::build::related::{groups, translations};
use crate::build::shards::{encode, write};
use crate::build::summary::Summary;
use crate::build::work::Work;

/// What pages were made of.
#[derive(Clone, Copy)]
pub(crate) struct InputCounts {
    /// Files or pages.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Pages of which no element says what their body is.
    pub(crate) without_body: u64,
}

/// The pages of a site, ready to be stored.
struct PreparedSite<'a> {
    options: &'a BuildOptions,
    params: IndexParams,
    vocabulary: Vocabulary,
    shown: WordShard,
    completions: Vec<Completion>,
    stop: StopLists,
    /// The commonest first, with their pages.
    languages: Vec<(Language, u32)>,
    /// By address, or in the order in which they are stored.
    pages: Vec<WeightedPage>,
    texts: bool,
    words: FxHashMap<TermId, Box<str>>,
    /// Of the pages; none if nothing needs them.
    signatures: Vec<Signature>,
    /// The order in which pages are best stored.
    order: Vec<u32>,
    /// What pages are related by, and which of it each has, if not by their terms.
    vectors: Option<(&'a ExternalVectors, Vec<Option<u32>>)>,
}

/// Indexes what was read of `inputs` files or pages.
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

/// Indexes pages with bags; `previous` is the index to follow, if there is one.
pub(crate) fn store(
    work: Work<'_>,
    weighted: WeightedSite,
    inputs: InputCounts,
    previous: Option<Previous>,
    staging: Staging,
) -> Result<Summary, BuildError> {
    let (options, observer) = (work.options, work.observer);
    let mut extras = asked_for(options, work.assets);
    extras.iter().try_for_each(|extra| extra.check_pages(weighted.pages.len()))?;
    let site = prepare(options, weighted, (&work.terms, &work.vectors), observer)?;
    let written = write_following(&site, previous.as_ref(), staging.path(), observer)?;
    let followed = written.followed;
    drop(previous);
    let indexed = IndexedSite {
        options,
        pages: &site.pages,
        words: &site.words,
        stored: StoredPages { pages: &written.stored, base_url: &options.reading.base_url },
        related: &written.related,
        generation: written.manifest.generation(),
        files: &work.files,
        observer,
    };
    let client = work.assets.of(&site.languages, &options.components);
    let mut output = UnpublishedOutput::new(staging, written.parts, client);
    add_extras(&mut extras, &indexed, &mut output)?;
    let (parts, staging) = output.finish()?;
    let generation = indexed.generation;
    check(observer)?;
    staging.publish(observer)?;
    let code =
        |(language, pages): &(Language, u32)| (language.code().to_owned(), u64::from(*pages));
    let mut summary = Summary {
        html_files: inputs.count,
        html_bytes: inputs.bytes,
        pages: site.pages.len() as u64,
        without_body: inputs.without_body,
        repeated: work.repeated,
        links_without_html: work.habits.without_html,
        published_below: work.habits.published_below,
        unknown_related: written.related.unknown,
        unwritten_scripts: work.unwritten,
        ledger: work.skipped.finish(site.pages.len() as u64)?,
        languages: site.languages.iter().map(code).collect(),
        titles_by_heading: work.titles.by_heading,
        shared_titles: work.titles.shared_by_code(),
        terms: u64::from(site.vocabulary.len()),
        seed: options.seed,
        followed,
        generation,
        parts,
        mirrors: Vec::new(),
        bundle: None,
        seconds: 0.0,
    };
    extras.iter_mut().try_for_each(|extra| extra.publish(&mut summary))?;
    summary.seconds = work.start.elapsed().as_secs_f64();
    Ok(summary)
}

/// Adds what is asked for beside an index, and the client.
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

/// The pages of a site in the order of their addresses, by the fields that they stand out by.
pub fn describe_site(
    weighted: WeightedSite,
    options: &BuildOptions,
    observer: &dyn Observer,
) -> Result<Vec<DescribedPage>, BuildError> {
    let WeightedSite { languages, mut pages, params, .. } = weighted;
    cluster_order::by_address(&mut pages);
    translations::tell(&mut pages);
    let links = standing::links(pages.iter());
    let signatures = signatures::sign(&pages, params.signature, observer);
    check(observer)?;
    let mut order = cluster_order::by_cluster(&signatures, observer)?;
    groups::tell(&mut pages, &mut order, &links);
    let stop = &languages::only(languages.into_iter().map(|(language, _)| language));
    let (base_url, given) = (&*options.reading.base_url, TermsOfPages::default());
    let around = standing::Around { stop, base_url, given };
    Ok(standing::described(&pages, &links, &around))
}

/// Settles the titles of what was read and weighs it, by the vocabulary of the index that is
/// followed if there is one. `None` if no page has a term that counts.
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

/// None of `inputs` files or pages has a term that counts.
pub(crate) fn no_pages(work: &Work<'_>, inputs: u64) -> BuildError {
    let (path, found) = (work.options.site.clone(), work.skipped.list());
    SiteError::NoPages { path, files: inputs, found }.into()
}

/// Orders pages, by their signatures if nothing better is known.
fn prepare<'a>(
    options: &'a BuildOptions,
    weighted: WeightedSite,
    (terms, vectors): (&Option<ExternalTerms>, &'a Option<ExternalVectors>),
    observer: &dyn Observer,
) -> Result<PreparedSite<'a>, BuildError> {
    let WeightedSite { vocabulary, shown, languages, mut pages, texts, .. } = weighted;
    let WeightedSite { params, words, centers, completions, .. } = weighted;
    let stop = languages::only(languages.iter().map(|(language, _)| language.clone()));
    let sign = |pages: &[WeightedPage]| {
        observer.stage(Stage::Sketching, pages.len() as u64);
        let signatures = signatures::sign(pages, params.signature, observer);
        check(observer)?;
        Ok::<_, BuildError>(signatures)
    };
    let (signatures, order) = match centers {
        Some(centers) => {
            cluster_order::by_center(&mut pages, &centers);
            // New pages find their places among those of a previous index by them.
            let signatures = if options.previous.is_some() { sign(&pages)? } else { Vec::new() };
            (signatures, (0..pages.len() as u32).collect())
        }
        None => {
            cluster_order::by_address(&mut pages);
            translations::tell(&mut pages);
            let links = standing::links(pages.iter());
            if texts {
                let (stop, base_url) = (&stop, &*options.reading.base_url);
                let urls = pages.iter().map(|page| page.url.as_str());
                let given = terms.as_ref().map(|terms| terms.of_pages(urls, base_url, observer));
                let given = given.transpose()?.unwrap_or_default();
                standing::tell(&mut pages, &links, &standing::Around { stop, base_url, given });
            }
            let signatures = sign(&pages)?;
            observer.stage(Stage::Ordering, pages.len() as u64);
            let mut order = cluster_order::by_cluster(&signatures, observer)?;
            groups::tell(&mut pages, &mut order, &links);
            (signatures, order)
        }
    };
    let urls = pages.iter().map(|page| page.url.as_str());
    let places = |of: &ExternalVectors| of.of_pages(urls, &options.reading.base_url, observer);
    let vectors = vectors.as_ref().map(|vectors| Ok::<_, BuildError>((vectors, places(vectors)?)));
    let vectors = vectors.transpose()?;
    Ok(PreparedSite {
        options,
        params,
        vocabulary,
        shown,
        completions,
        stop,
        languages,
        pages,
        texts,
        words,
        signatures,
        order,
        vectors,
    })
}

/// An index that is written.
struct WrittenIndex<'a> {
    manifest: Manifest,
    parts: Vec<Part>,
    /// The pages in the order of their numbers, and the kin of each.
    stored: Vec<&'a WeightedPage>,
    related: Related,
    /// Whether it follows the previous index.
    followed: bool,
}

/// Writes the index of a site into a folder, from scratch if it cannot follow `previous`.
fn write_following<'a>(
    site: &'a PreparedSite<'_>,
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<WrittenIndex<'a>, BuildError> {
    if let Some(written) = write(site, previous, into, observer)? {
        return Ok(written);
    }
    observer.warn(
        "the changes do not fit into the files of the previous index: rebuilding from scratch",
    );
    Ok(write(site, None, into, observer)?.expect("an index built from scratch has room"))
}

/// Writes the index of a site into a folder; `None` if it cannot follow `previous`.
fn write<'a>(
    site: &'a PreparedSite<'_>,
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Option<WrittenIndex<'a>>, BuildError> {
    let PreparedSite { options, params, ref pages, ref signatures, texts, .. } = *site;
    let rules = PlanRules {
        layout: options.layout,
        max_files: options.max_files,
        block_pages: options.block_pages,
        tables: options.tables,
    };
    let index = encode::Site {
        pages,
        signatures,
        order: &site.order,
        vocabulary: &site.vocabulary,
        shown: &site.shown,
        completions: &site.completions,
        stop: &site.stop,
        languages: site.languages.clone(),
        base_url: &options.reading.base_url,
        params,
        texts,
        rules,
        sketches: options.sketches,
        observer,
    };
    let Some(draft) = index.draft(previous)? else { return Ok(None) };
    let (order, related_shards) = (draft.arrangement.order(), draft.plan.related_shards);
    // Before pages are related, which takes longest: they would be once more if the index did not
    // fit.
    let Some(encoded) = encode::encode(&index, draft, previous)? else { return Ok(None) };
    let stored: Vec<_> = order.iter().map(|&page| &pages[page as usize]).collect();
    let (mut related, mut shards) = (Related::default(), Vec::new());
    let told = StoredPages { pages: &stored, base_url: &options.reading.base_url };
    if options.related_count > 0 {
        observer.stage(Stage::Relating, pages.len() as u64);
        let vectors = site.vectors.as_ref().map(|(vectors, places)| {
            let places = order.iter().map(|&page| places[page as usize]).collect();
            VectorsOfPages::new(vectors, places)
        });
        related = similar_pages::relate(
            &stored,
            RelatedRules {
                most: options.related_count as usize,
                base_url: told.base_url,
                vectors: vectors.as_ref(),
            },
            observer,
        );
        shards = told.encode(&related, related_shards);
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
    struct Heard(Mutex<(Vec<Stage>, Vec<String>)>);

    impl Observer for Heard {
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
        build_pages(&first, &Neighbors(300), &Assets::default(), &Heard::default()).unwrap();
        let grown = BuildOptions { previous: Some(first.output.clone()), ..options("grown") };
        let heard = Heard::default();
        let built = build_pages(&grown, &Neighbors(360), &Assets::default(), &heard).unwrap();
        let (stages, warnings) = heard.0.into_inner().unwrap();
        assert!(!built.followed && warnings.len() == 1, "{warnings:?}");
        assert!(warnings[0].contains("do not fit"), "{warnings:?}");
        assert_eq!(stages.iter().filter(|&&stage| stage == Stage::Relating).count(), 1);
    }
}
