//! Measures every setting of a grid on one site.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;

use pagekin_core::hash;
use pagekin_crawl::rank::from_site;
use pagekin_index::measured::{Folders, Mentions, TieWeights, Ties};
use pagekin_pages::{Interrupted, Observer, OptionError, Stage, pool};
use rayon::prelude::*;

use crate::evaluate::error::EvaluateError;
use crate::evaluate::evaluation::{Evaluation, EvaluationSeconds, Scored, Scores};
use crate::evaluate::measure::{RankComparison, Sums};
use crate::evaluate::options::{EvaluateOptions, Hierarchy};
use crate::evaluate::pages::read::{Site, read};
use crate::evaluate::represent::assemble::{Recipe, assemble};
use crate::evaluate::represent::bags::Bags;
use crate::evaluate::represent::mentions::mentions_of;
use crate::evaluate::scores::answers::{Best, Right};
use crate::evaluate::scores::gamma::{Pairs, packed};
use crate::evaluate::settings::setting::Setting;
use crate::evaluate::terms::Terms;
use crate::evaluate::truth::classes::{Classes, DISTANCES, UnknownUrls};
use crate::evaluate::truth::links::SiteLinks;

/// Measures the settings of a grid on a site.
///
/// Pages are read once, and their bags are computed once for all settings with the same terms. The
/// cost of a setting is weighting all terms of all pages and, for each source, visiting the pages
/// of each of its terms.
///
/// # Example
///
/// ```
/// use pagekin_pages::Silent;
/// use pagekin_research::evaluate::{EvaluateOptions, Grid, evaluate};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut grid = Grid::default();
/// grid.push("measure=jaccard,cosine")?;
/// let evaluation = evaluate(&EvaluateOptions::new("../../tests/site", grid), &Silent)?;
/// assert_eq!(evaluation.scored.len(), 2);
/// assert!(evaluation.scored[1].scores.gamma.is_some_and(|gamma| gamma > 0.5));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns an [`EvaluateError`] if the site or the file of classes cannot be read, if there is
/// nothing to measure by, or if an option is out of range.
pub fn evaluate(
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<Evaluation, EvaluateError> {
    let refuse = |option, expected, found: &str| {
        Err(OptionError { option, expected, found: found.to_owned() }.into())
    };
    if options.hierarchy.is_none() && !options.links {
        return refuse("hierarchy", "a hierarchy or links to measure by", "neither");
    }
    if options.grid.settings().is_empty() {
        return refuse("grid", "at least one setting", "none");
    }
    if options.sources == Some(0) {
        return refuse("sources", "at least 1", "0");
    }
    pool::in_pool(options.threads, || {
        let start = Instant::now();
        let site = read(options, observer)?;
        let truth = Truth::new(&site, options, observer)?;
        let reading = start.elapsed().as_secs_f64();
        let scored = all(&site, &truth, options, observer)?;
        Ok(Evaluation {
            html_files: site.html_files,
            ledger: site.ledger,
            pages: site.pages.len() as u64,
            sources: truth.sources.len() as u64,
            words: site.pages.iter().map(|page| page.words.len() as u64).sum(),
            classes: truth.classes.as_ref().map(Classes::count),
            unknown_urls: truth.unknown_urls,
            links: options.links.then(|| truth.links.graph().count()),
            listings: truth.links.count_listings(),
            scored,
            seconds: EvaluationSeconds {
                reading,
                measuring: start.elapsed().as_secs_f64() - reading,
            },
        })
    })
}

/// The truth that settings are measured by.
struct Truth {
    classes: Option<Classes>,
    unknown_urls: UnknownUrls,
    /// The links that answers are measured by.
    links: SiteLinks,
    /// The links that pages are represented by, if different.
    known_links: Option<SiteLinks>,
    /// Whether links were requested.
    by_links: bool,
    /// The pages that are compared with all others, ascending.
    sources: Vec<u32>,
    /// The folders of pages by URL.
    folders: Folders,
    /// The number of pages, and for each page the share of pages that rank below it, computed on
    /// demand.
    pages: u32,
    ranks: OnceLock<Vec<f32>>,
    /// For each class, the familial distances of all classes.
    distances: BTreeMap<u32, Vec<u8>>,
    /// Number of pages of each class.
    sizes: Vec<u64>,
}

impl Truth {
    fn new(
        site: &Site,
        options: &EvaluateOptions,
        observer: &dyn Observer,
    ) -> Result<Self, EvaluateError> {
        let links = SiteLinks::new(&site.pages);
        let urls = site.pages.iter().map(|page| page.url.as_str());
        let (classes, unknown_urls) = classes_of(urls, options, observer)?;
        // A listing is similar to everything it lists, so it is not a useful source.
        let listed = |page: &u32| !links.is_listing(*page);
        let mut sources: Vec<u32> = (0..site.pages.len() as u32).filter(listed).collect();
        let most = options.sources.map_or(usize::MAX, |most| most as usize);
        let drawn = |page: u32| drawn(&site.pages[page as usize].url, pagekin_core::DEFAULT_SEED);
        if sources.len() > most {
            sources.sort_by_cached_key(|&page| drawn(page));
            sources.truncate(most);
            sources.sort_unstable();
        }
        let mut distances = BTreeMap::new();
        let mut sizes = Vec::new();
        if let Some(classes) = &classes {
            sizes = vec![0; classes.count() as usize];
            for class in (0..site.pages.len() as u32).filter_map(|page| classes.class(page)) {
                sizes[class as usize] += 1;
            }
            for class in sources.iter().filter_map(|&source| classes.class(source)) {
                distances.entry(class).or_insert_with(|| classes.distances_from(class));
            }
        }
        // Sources are drawn by the high bits of this hash, and halves by its lowest.
        let half = |page: u32| drawn(page) & 1 == 0;
        let known_links = options.held_out.then(|| links.of_pages(half));
        let links = if options.held_out { links.of_pages(|page| !half(page)) } else { links };
        Ok(Self {
            classes,
            unknown_urls,
            links,
            known_links,
            by_links: options.links,
            sources,
            folders: Folders::from_urls(site.pages.iter().map(|page| page.url.as_str())),
            pages: site.pages.len() as u32,
            ranks: OnceLock::new(),
            distances,
            sizes,
        })
    }

    /// Returns for each page the share of pages that rank below it, by the known links.
    fn ranks(&self) -> &Vec<f32> {
        self.ranks.get_or_init(|| {
            let ranked = from_site::parts_below(self.known_links().graph(), self.pages);
            ranked.expect("links in memory are as they were written")
        })
    }

    /// Returns the links that pages may be represented and tied by.
    fn known_links(&self) -> &SiteLinks {
        self.known_links.as_ref().unwrap_or(&self.links)
    }
}

/// Returns the number by which a page is drawn.
pub(crate) fn drawn(url: &str, seed: u64) -> u64 {
    hash::mix(hash::of_bytes(url.as_bytes()) ^ hash::mix(seed))
}

/// Returns the requested classes of pages, if they distinguish any pages.
pub(crate) fn classes_of<'a>(
    urls: impl ExactSizeIterator<Item = &'a str>,
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<(Option<Classes>, UnknownUrls), EvaluateError> {
    let mut unknown_urls = UnknownUrls::default();
    let base_url = &options.reading.base_url;
    let classes = match &options.hierarchy {
        None => None,
        Some(Hierarchy::Path) => Some(Classes::by_folders(urls, base_url)),
        Some(Hierarchy::File(file)) => {
            let (classes, unknown) = Classes::by_file(urls, base_url, file)?;
            if unknown.count > 0 {
                observer.warn(&format!(
                    "{} URLs of {} are not pages of the site, for example {}",
                    unknown.count,
                    file.display(),
                    unknown.example
                ));
            }
            unknown_urls = unknown;
            Some(classes)
        }
    };
    if let Some(found) = classes.as_ref().map(Classes::count).filter(|&count| count < 2) {
        if !options.links || matches!(options.hierarchy, Some(Hierarchy::File(_))) {
            return Err(EvaluateError::TooFewClasses { found });
        }
        observer.warn("all pages are in one folder: measuring by links only");
        return Ok((None, unknown_urls));
    }
    Ok((classes, unknown_urls))
}

/// Returns the scores of all settings, in order.
fn all(
    site: &Site,
    truth: &Truth,
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<Vec<Scored>, EvaluateError> {
    let settings = options.grid.settings();
    observer.stage(Stage::Evaluating, settings.len() as u64);
    // Group settings by equal bags, and sort these groups by equal terms.
    let mut recipes: BTreeMap<Recipe, Vec<usize>> = BTreeMap::new();
    for (at, setting) in settings.iter().enumerate() {
        recipes.entry(Recipe::new(setting)).or_default().push(at);
    }
    let mut scores = vec![Scores::default(); settings.len()];
    let mut terms: Option<(Recipe, Terms)> = None;
    for (recipe, of_recipe) in recipes {
        if terms.as_ref().is_none_or(|(known, _)| known.stemming != recipe.stemming) {
            terms = Some((recipe, Terms::new(&site.lexicon, recipe.stemming)));
        }
        let Some((_, terms)) = &terms else { continue };
        let bags = assemble(&site.pages, truth.known_links(), terms, recipe);
        let mut mentions = Mentions::default();
        if of_recipe.iter().any(|&at| settings[at].mentioned > 0.0) {
            mentions = mentions_of(&site.pages, terms, recipe);
        }
        for at in of_recipe {
            if observer.cancelled() {
                return Err(Interrupted.into());
            }
            scores[at] = score(&bags, &terms.names, &settings[at], &mentions, truth);
            observer.advance(1);
        }
    }
    let scored = |(setting, scores): (&Setting, Scores)| Scored { setting: *setting, scores };
    Ok(settings.iter().zip(scores).map(scored).collect())
}

/// Returns the scores of a setting.
fn score(
    bags: &Bags,
    names: &[Box<str>],
    setting: &Setting,
    mentions: &Mentions,
    truth: &Truth,
) -> Scores {
    let comparison = RankComparison::new(bags, names, setting);
    let Setting { folder, linked, cocited, mentioned, rank, .. } = *setting;
    let weights = TieWeights { folder, linked, cocited, mentioned, rank };
    let (folders, links) = (&truth.folders, truth.known_links().graph());
    let ranks = if rank > 0.0 { &truth.ranks()[..] } else { &[] };
    let ties = Ties { folders, links, ranks, mentions, weights };
    let scorer = Scorer { comparison, ties, floor: setting.floor, truth };
    let buffers = || (Sums::default(), Vec::new());
    // All counts are integers, so the order of additions does not matter.
    let (pairs, right) = truth
        .sources
        .par_iter()
        .map_init(buffers, |(sums, similar), &source| scorer.score(source, sums, similar))
        .reduce(
            || (Pairs::default(), Right::default()),
            |(mut pairs, mut right), (more_pairs, more_right)| {
                pairs.add(&more_pairs);
                right.add(&more_right);
                (pairs, right)
            },
        );
    let by_classes = truth.classes.is_some();
    Scores {
        gamma: pairs.gamma(),
        class: pairs.class(),
        sibling: pairs.partial(1),
        cousin: pairs.partial(2),
        unrelated: pairs.partial(3),
        orthogonal: pairs.orthogonality(),
        folder: right.folder().filter(|_| by_classes),
        linked: right.linked().filter(|_| truth.by_links),
        cocited: right.cocited().filter(|_| truth.by_links),
        coverage: right.coverage(),
    }
}

/// Scores the sources of a setting.
struct Scorer<'a> {
    comparison: RankComparison,
    ties: Ties<'a>,
    floor: f32,
    truth: &'a Truth,
}

impl Scorer<'_> {
    /// Scores one source. `sums` and `similar` are buffers.
    fn score(&self, source: u32, sums: &mut Sums, similar: &mut Vec<u64>) -> (Pairs, Right) {
        let (mut pairs, mut right, mut best) =
            (Pairs::default(), Right::default(), Best::default());
        let classes = self.truth.classes.as_ref();
        let distances =
            classes.and_then(|classes| self.truth.distances.get(&classes.class(source)?));
        similar.clear();
        self.comparison.similarities(source, sums, |page, similarity| {
            let similarity = similarity * self.ties.factor(source, page);
            if similarity >= self.floor {
                best.push(page, similarity);
            }
            if let Some(distances) = distances
                && let Some(class) = classes.and_then(|classes| classes.class(page))
            {
                similar.push(packed(similarity, distances[class as usize]));
            }
        });
        if let Some(distances) = distances {
            let mut pages = [0; DISTANCES];
            for (&distance, &size) in distances.iter().zip(&self.truth.sizes) {
                pages[usize::from(distance)] += size;
            }
            // Exclude the source itself, which is at distance 0.
            pages[0] -= 1;
            pairs.add_source(similar, pages);
        }
        right.add_source(
            source,
            &best,
            |a, b| classes.and_then(|classes| classes.share_folder(a, b)),
            |a, b| self.truth.links.graph().are_linked(a, b),
            |a, b| self.truth.links.graph().cocitations(a, b) > 0,
        );
        (pairs, right)
    }
}
