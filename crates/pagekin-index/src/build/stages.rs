//! What was read into an index: the stages after reading, in turn.

use std::borrow::Cow;
use std::path::Path;

use pagekin_core::minhash::Signature;
use pagekin_core::shard::Manifest;
use pagekin_core::terms::{Language, StopLists};
use pagekin_core::vocabulary::{DfLimits, MOST_TERMS, TermId, Vocabulary};
use pagekin_core::{IndexParams, Preset};
use pagekin_pages::output::{files, staging};
use pagekin_pages::progress::check;
use pagekin_pages::site::languages;
use pagekin_pages::site::read::Reading;
use pagekin_pages::site::skipped::{SkippedFiles, reasons};
use pagekin_pages::{Observer, Part, SiteError, SkipReason, Stage};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::bundle::Bundle;
use crate::build::error::BuildError;
use crate::build::options::BuildOptions;
use crate::build::previous::Previous;
use crate::build::related_files::Told;
use crate::build::related_pages::{Related, RelatedRules};
use crate::build::shard_plan::PlanRules;
use crate::build::summary::{Summary, UnknownRelated};
use crate::build::vocabulary::WeighedPage;
use crate::build::work::Work;
use crate::build::{
    browse, bundle, cluster_order, encode, mirrored, offline, previous, related_files,
    related_pages, signatures, vocabulary, write,
};
use crate::mirrors::list::MIRRORS_NAME;

/// Pages with bags, by the vocabulary that they were weighed by.
pub struct Weighed {
    pub(crate) vocabulary: Vocabulary,
    /// The commonest first, with their pages.
    pub(crate) languages: Vec<(Language, u32)>,
    /// At least one, no two of one address; in any order.
    pub pages: Vec<WeighedPage>,
    /// Whether the texts of the pages were at hand, and not their bags alone, as those of a crawl.
    pub(crate) texts: bool,
    /// What bags were made by.
    pub(crate) params: IndexParams,
    /// The words that terms are shown as, if they are asked for.
    pub(crate) words: FxHashMap<TermId, Box<str>>,
    /// Of each page the place of the center of its cluster, if they were clustered before.
    pub(crate) centers: Option<Vec<u32>>,
}

/// What pages were made of.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// Files or pages.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Pages of which no element says what their body is.
    pub(crate) without_body: u64,
}

/// The pages of a site, ready to be stored.
struct Prepared<'a> {
    options: &'a BuildOptions,
    params: IndexParams,
    vocabulary: Vocabulary,
    stop: StopLists,
    /// The commonest first, with their pages.
    languages: Vec<(Language, u32)>,
    /// By address, or in the order in which they are stored.
    pages: Vec<WeighedPage>,
    texts: bool,
    words: FxHashMap<TermId, Box<str>>,
    /// Of the pages; none if nothing needs them.
    signatures: Vec<Signature>,
    /// The order in which pages are best stored.
    order: Vec<u32>,
}

/// Indexes what was read of `inputs` files or pages.
pub(crate) fn index(
    mut work: Work<'_>,
    reading: Reading,
    inputs: u64,
    staging: staging::Staging,
) -> Result<Summary, BuildError> {
    let (options, observer) = (work.options, work.observer);
    let without_body = reading.drafts.iter().filter(|draft| !draft.has_body).count() as u64;
    let source = Source { count: inputs, bytes: reading.bytes, without_body };
    let urls = reading.drafts.iter().map(|draft| draft.url.as_str());
    let params = Preset::Web.params(options.seed);
    let previous = previous_of(options, params, urls, observer);
    let followed = previous.as_ref().map(|previous| &previous.manifest.vocabulary);
    check(observer)?;
    let Some(weighed) = weighed(&mut work, reading, followed) else {
        return Err(no_pages(work, inputs));
    };
    store(work, weighed, source, previous, staging)
}

/// Indexes pages with bags; `previous` is the index to follow, if there is one.
pub(crate) fn store(
    work: Work<'_>,
    weighed: Weighed,
    source: Source,
    mut previous: Option<Previous>,
    staging: staging::Staging,
) -> Result<Summary, BuildError> {
    let Work { options, assets, observer, skipped, repeated, habits, shared_titles, files, start } =
        work;
    bundle::check_pages(options, weighed.pages.len())?;
    let site = prepare(options, weighed, observer)?;
    let mut written = write(&site, previous.as_ref(), staging.path(), observer)?;
    if written.is_none() {
        observer.warn(
            "the changes do not fit into the files of the previous index: rebuilding from scratch",
        );
        previous = None;
        written = write(&site, None, staging.path(), observer)?;
    }
    let Written { manifest, mut parts, unknown_related } =
        written.expect("an index built from scratch has room");
    let (page_of_bundle, assets_of_offline) = (assets.bundle, assets.offline);
    let (assets_of_tree, assets_of_mirrors) = (assets.tree, assets.mirrored);
    let assets = assets.of(site.languages.iter().map(|(language, _)| language));
    let mut assets: Vec<_> = assets.map(|asset| (asset.path, Cow::Borrowed(asset.bytes))).collect();
    if options.offline {
        offline::add(&mut assets, assets_of_offline)?;
    }
    let mut tree_files = Vec::new();
    if options.tree {
        browse::add(&mut assets, assets_of_tree)?;
        let base_url = &options.reading.base_url;
        let (part, names) =
            browse::write(&site.pages, &site.words, base_url, staging.path(), observer)?;
        parts.push(part);
        tree_files = names;
    }
    if options.mirrors.is_some() {
        mirrored::replace(&mut assets, assets_of_mirrors)?;
    }
    let mut beside = files::write_files(
        "page and client",
        assets.iter().map(|(path, bytes)| (path, bytes)),
        staging.path(),
    )?;
    let bundle = match &options.offline_bundle {
        None => None,
        Some(path) => {
            let indexed: FxHashSet<&str> =
                site.pages.iter().map(|page| page.url.as_str()).collect();
            let source = bundle::Source {
                options,
                page: page_of_bundle,
                output: staging.path(),
                pages: files.iter().filter(|file| indexed.contains(file.url.as_str())).collect(),
            };
            Some(bundle::make(&source, path, observer)?)
        }
    };
    let mut mirrors = Vec::new();
    if let Some(hosts) = &options.mirrors {
        let (part, sizes) = mirrored::spread(staging.path(), hosts, observer)?;
        parts.push(part);
        mirrors = sizes;
    }
    let mut list = None;
    if options.offline {
        let pages = site.pages.len() as u64;
        beside.bytes += offline::list(staging.path(), manifest.generation(), pages)?;
        beside.files += 1;
        list = Some(offline::LIST_NAME);
    }
    // The index has checksums of its own.
    let related_json = options.related_json.then_some(related_files::JSON_NAME);
    let list_of_mirrors = options.mirrors.as_ref().map(|_| MIRRORS_NAME);
    let checked = assets.iter().map(|&(path, _)| path);
    let checked = checked.chain(related_json).chain(list).chain(list_of_mirrors);
    let checked = checked.chain(tree_files.iter().map(String::as_str));
    beside.bytes += staging.list_files(checked)?;
    beside.files += 1;
    parts.push(beside);
    check(observer)?;
    staging.publish(observer)?;
    let bundle = bundle.map(Bundle::publish).transpose()?;
    let code =
        |(language, pages): &(Language, u32)| (language.code().to_owned(), u64::from(*pages));
    Ok(Summary {
        html_files: source.count,
        html_bytes: source.bytes,
        pages: site.pages.len() as u64,
        without_body: source.without_body,
        repeated,
        links_without_html: habits.without_html,
        published_below: habits.published_below,
        unknown_related,
        skipped: skipped.finish(),
        languages: site.languages.iter().map(code).collect(),
        shared_titles: shared_titles
            .into_iter()
            .map(|(at, it)| (at.code().to_owned(), it))
            .collect(),
        terms: u64::from(site.vocabulary.len()),
        seed: options.seed,
        followed: previous.is_some(),
        generation: manifest.generation(),
        parts,
        mirrors,
        bundle,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Settles the titles of what was read and weighs it, by the vocabulary of the index that is
/// followed if there is one. `None` if no page has a term that counts.
pub(crate) fn weighed(
    work: &mut Work<'_>,
    mut reading: Reading,
    followed: Option<&Vocabulary>,
) -> Option<Weighed> {
    let (options, observer) = (work.options, work.observer);
    work.shared_titles = reading.settle_titles(options.keep_title_suffix, &languages::all());
    let params = Preset::Web.params(options.seed);
    weigh(options, params, reading, followed, &mut work.skipped, observer)
}

/// None of `inputs` files or pages has a term that counts.
pub(crate) fn no_pages(work: Work<'_>, inputs: u64) -> BuildError {
    let skipped = work.skipped.finish();
    let (path, found) = (work.options.site.clone(), reasons(&skipped));
    SiteError::NoPages { path, files: inputs, found }.into()
}

/// Weighs the pages, by the vocabulary of the index that is followed if there is one. `None` if
/// none has a term that counts.
fn weigh(
    options: &BuildOptions,
    params: IndexParams,
    reading: Reading,
    followed: Option<&Vocabulary>,
    skipped: &mut SkippedFiles<'_>,
    observer: &dyn Observer,
) -> Option<Weighed> {
    let Reading { drafts, lexicon, .. } = reading;
    let n = drafts.len() as u32;
    observer.stage(Stage::Weighing, drafts.len() as u64);
    let vocabulary = match followed {
        Some(vocabulary) => vocabulary.clone(),
        None => vocabulary::vocabulary(&lexicon, n, vocabulary_rules(options, n)),
    };
    let words = if options.tree { lexicon.into_words() } else { FxHashMap::default() };
    let weighed = vocabulary::weigh(drafts, &vocabulary, &params.bag, observer);
    let mut pages = Vec::with_capacity(weighed.len());
    for page in weighed {
        match page {
            Ok(page) => pages.push(page),
            Err(url) => skipped.add(SkipReason::Empty, Path::new(&url)),
        }
    }
    let named = pages.iter().filter_map(|page: &WeighedPage| page.language.clone());
    let languages = languages::commonest_first(named.map(|language| (language, 1)));
    (!pages.is_empty()).then_some(Weighed {
        vocabulary,
        languages,
        pages,
        texts: true,
        params,
        words,
        centers: None,
    })
}

/// Orders pages, by their signatures if nothing better is known.
fn prepare<'a>(
    options: &'a BuildOptions,
    weighed: Weighed,
    observer: &dyn Observer,
) -> Result<Prepared<'a>, BuildError> {
    let Weighed { vocabulary, languages, mut pages, texts, params, words, centers } = weighed;
    let stop = languages::only(languages.iter().map(|(language, _)| language.clone()));
    let sign = |pages: &[WeighedPage]| {
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
            let signatures = sign(&pages)?;
            observer.stage(Stage::Ordering, pages.len() as u64);
            let order = cluster_order::by_cluster(&signatures, observer)?;
            (signatures, order)
        }
    };
    Ok(Prepared {
        options,
        params,
        vocabulary,
        stop,
        languages,
        pages,
        texts,
        words,
        signatures,
        order,
    })
}

/// An index that is written.
struct Written {
    manifest: Manifest,
    parts: Vec<Part>,
    unknown_related: Vec<UnknownRelated>,
}

/// Writes the index of a site into a folder; `None` if it cannot follow `previous`.
fn write(
    site: &Prepared<'_>,
    previous: Option<&Previous>,
    into: &Path,
    observer: &dyn Observer,
) -> Result<Option<Written>, BuildError> {
    let Prepared { options, params, ref pages, ref signatures, texts, .. } = *site;
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
    let told = Told { pages: &stored, base_url: &options.reading.base_url };
    if options.related_count > 0 {
        observer.stage(Stage::Relating, pages.len() as u64);
        related = related_pages::relate(
            &stored,
            RelatedRules { most: options.related_count as usize, base_url: told.base_url },
            observer,
        );
        shards = told.encode(&related, related_shards);
    }
    check(observer)?;
    let (manifest, mut parts) = write::write(encoded, &shards, previous, into, observer)?;
    if options.related_json {
        parts.push(told.write_json(&related.kin, into)?);
    }
    Ok(Some(Written { manifest, parts, unknown_related: related.unknown }))
}

/// The index that a build of pages with these addresses follows, if there is one that it can
/// follow.
pub(crate) fn previous_of<'a>(
    options: &BuildOptions,
    params: IndexParams,
    urls: impl ExactSizeIterator<Item = &'a str>,
    observer: &dyn Observer,
) -> Option<Previous> {
    let folder = options.previous.as_deref()?;
    let conditions = previous::Conditions {
        params,
        base_url: &options.reading.base_url,
        layout: options.layout,
        block_pages: options.block_pages,
    };
    let anew = |why: &str| {
        observer.warn(&format!(
            "not reusing the index at {} ({why}): rebuilding from scratch",
            folder.display()
        ));
        None
    };
    let previous = match Previous::read_from(folder, conditions) {
        Ok(previous) => previous,
        Err(why) => return anew(&why),
    };
    let n = urls.len() as u32;
    let kept = urls.filter(|url| previous.places.contains_key(*url)).count();
    if previous.is_outgrown(n, kept as u32) {
        return anew("too much of the site is new");
    }
    Some(previous)
}

/// Terms that more than one page in so many has make no keys: their buckets are large, and what is
/// in them has little else in common.
const KEY_PART: u32 = 8;
/// But up to so many pages do no harm.
const KEY_DF: u32 = 2_048;

/// Which terms are in the vocabulary of `n` pages.
pub fn vocabulary_rules(options: &BuildOptions, n: u32) -> vocabulary::VocabularyRules {
    let mut limits = DfLimits::for_pages(n);
    limits.min = options.min_df.unwrap_or(limits.min);
    if let Some(percent) = options.max_df_percent {
        (limits.max_percent, limits.never_too_high) = (percent, 0);
    }
    vocabulary::VocabularyRules {
        limits,
        // Who names the lowest df means it.
        most: if options.min_df.is_some() { usize::MAX } else { MOST_TERMS },
        key_df: (n / KEY_PART).max(KEY_DF),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::from_site::build_pages;
    use crate::build::from_site::tests::Neighbours;
    use crate::build::options::Assets;
    use crate::build::shard_plan::Layout;
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
        build_pages(&first, &Neighbours(300), &Assets::default(), &Heard::default()).unwrap();
        let grown = BuildOptions { previous: Some(first.output.clone()), ..options("grown") };
        let heard = Heard::default();
        let built = build_pages(&grown, &Neighbours(360), &Assets::default(), &heard).unwrap();
        let (stages, warnings) = heard.0.into_inner().unwrap();
        assert!(!built.followed && warnings.len() == 1, "{warnings:?}");
        assert!(warnings[0].contains("do not fit"), "{warnings:?}");
        assert_eq!(stages.iter().filter(|&&stage| stage == Stage::Relating).count(), 1);
    }
}
