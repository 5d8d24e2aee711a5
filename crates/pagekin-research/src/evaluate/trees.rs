//! Evaluates how well trees of a site's pages agree with its classes: the tree of
//! [`hierarchy`](pagekin_pairs::tree), average linkage where it is feasible, and the first tree
//! with its pages shuffled.
//!
//! A tree is evaluated by its levels. On each level, every page is in one cluster, which is in one
//! cluster of the level above. Average linkage (UPGMA, over the exact cosines of all pairs) is cut
//! where it has as many clusters as each level of our tree.
//!
//! ```text
//! gamma      as in `scores::gamma`: two pages are the more similar, the deeper the lowest cluster
//!            that contains both
//! together   the share of pages for which one cluster contains at least half of the other pages of
//!            their folder, and at most four times as many pages as the folder
//! f          sum over folders of n / N max over clusters of F,
//!            F = 2 |both| / (|folder| + |cluster|)
//! ```
//!
//! The first is from the paper (Haveliwala, Gionis, Klein and Indyk 2002), the last from Larsen and
//! Aone, *Fast and effective text mining using linear-time document clustering* (KDD 1999).
//! *Together* and *f* only include pages whose folder has at least two pages, and at most a quarter
//! of all pages, since larger folders are trivial. The whole site does not count as a cluster.
use std::collections::BTreeMap;
use std::time::Instant;

use kodama::{Method, linkage};
use pagekin_core::center::ComponentScan;
use pagekin_core::hash::SplitMix64;
use pagekin_index::BuildOptions;
use pagekin_index::measured::{WeightedPage, by_address, weigh_profiles, weigh_site};
use pagekin_pages::progress::{check, step};
use pagekin_pages::{Observer, Stage, pool};
use pagekin_pairs::cosine::{Cosine, Profiles};
use pagekin_pairs::hierarchy::{Tree, TreeItems};
use rayon::prelude::*;

use crate::evaluate::error::EvaluateError;
use crate::evaluate::options::EvaluateOptions;
use crate::evaluate::run::{classes_of, drawn};
use crate::evaluate::scores::gamma::{Pairs, packed};
use crate::evaluate::truth::classes::{Classes, DISTANCES};

/// Maximum number of pages for average linkage, whose time and memory are quadratic: 200 MB.
const MAX_LINKED: usize = 7_000;
/// Folders with more than one in this many pages are too large to be judged.
const LARGE: usize = 4;
/// Maximum size of a cluster that keeps a folder together, relative to the folder.
const ROOM: u64 = 4;

/// The scores of the trees of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeEvaluation {
    /// Number of pages of the site.
    pub pages: u64,
    /// Number of pages that were compared with all others.
    pub sources: u64,
    /// Number of pages included in *together* and *f*.
    pub judged: u64,
    /// Number of clusters of each level, highest level first.
    pub levels: Vec<u64>,
    /// The scores of each tree.
    pub trees: Vec<TreeScores>,
}

/// The scores of a tree. A score that cannot be measured is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeScores {
    /// The method that built the tree.
    pub name: &'static str,
    /// Goodman and Kruskal's gamma, -1 to 1.
    pub gamma: Option<f64>,
    /// The share of pages whose folder is kept together, 0 to 1.
    pub together: Option<f64>,
    /// The F-measure of folders, 0 to 1.
    pub f: Option<f64>,
    /// Time to build the tree in seconds, without reading.
    pub seconds: f64,
}

/// Measures the tree of a site against its folders, or the classes of a file.
///
/// # Errors
///
/// Returns an [`EvaluateError`] if the site or the file of classes cannot be read, or if all pages
/// are in one class.
pub fn evaluate_trees(
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<TreeEvaluation, EvaluateError> {
    pool::in_pool(options.threads, || {
        let build = BuildOptions::new(&options.site, "").with(|build| {
            build.reading = options.reading.clone();
            build.lang = Some(options.lang.clone());
            build.keep_repeated = options.keep_repeated;
            build.keep_title_suffix = options.keep_title_suffix;
        });
        let (mut weighted, _) = weigh_site(&build, observer)?;
        by_address(&mut weighted.pages);
        let pages: Vec<&WeightedPage> = weighted.pages.iter().collect();
        let urls = pages.iter().map(|page| page.url.as_str());
        let (classes, _) = classes_of(urls, options, observer)?;
        let classes = classes.ok_or(EvaluateError::TooFewClasses { found: 1 })?;
        let sources = sources_of(&pages, options);
        let start = Instant::now();
        let (terms, rows) = weigh_profiles(&pages);
        observer.stage(Stage::Nesting, rows.len() as u64);
        let items =
            TreeItems { profiles: &rows, terms: terms.len(), word: &|_| None, clusters: None };
        let Tree { levels, .. } = Tree::new(&items, &|| step(observer))?;
        let mut trees = vec![("pagekin", levels, start.elapsed().as_secs_f64())];
        let counts: Vec<usize> = trees[0].1.iter().map(|level| count(level)).collect();
        observer.stage(Stage::Evaluating, 3);
        if pages.len() <= MAX_LINKED {
            let start = Instant::now();
            let linked = by_average_linkage(&Profiles::new(rows, terms.len()), &counts, observer)?;
            trees.push(("average linkage", linked, start.elapsed().as_secs_f64()));
        }
        let mut shuffled = trees[0].1.clone();
        shuffle(&mut shuffled, pagekin_core::DEFAULT_SEED);
        trees.push(("shuffled", shuffled, 0.0));
        let folders = Folders::from_urls(&classes, pages.len());
        let score = |(name, levels, seconds): (&'static str, Vec<Vec<u32>>, f64)| {
            observer.advance(1);
            let (together, f) = folders.scores(&levels);
            let gamma = gamma(&classes, &levels, &sources);
            TreeScores { name, gamma, together, f, seconds }
        };
        Ok(TreeEvaluation {
            pages: pages.len() as u64,
            sources: sources.len() as u64,
            judged: folders.judged,
            levels: counts.iter().rev().map(|&count| count as u64).collect(),
            trees: trees.into_iter().map(score).collect(),
        })
    })
}

/// Returns the source pages, drawn by their URLs, as many as the options allow.
fn sources_of(pages: &[&WeightedPage], options: &EvaluateOptions) -> Vec<u32> {
    let mut sources: Vec<u32> =
        (0..pages.len() as u32).filter(|&page| !pages[page as usize].listing).collect();
    if let Some(most) = options.sources {
        sources.sort_by_cached_key(|&page| {
            drawn(&pages[page as usize].url, pagekin_core::DEFAULT_SEED)
        });
        sources.truncate(most as usize);
        sources.sort_unstable();
    }
    sources
}

fn count(level: &[u32]) -> usize {
    level.iter().max().map_or(0, |&last| last as usize + 1)
}

/// Returns the levels of the dendrogram of average linkage that have these numbers of clusters.
fn by_average_linkage(
    profiles: &Profiles,
    counts: &[usize],
    observer: &dyn Observer,
) -> Result<Vec<Vec<u32>>, EvaluateError> {
    let n = profiles.len();
    check(observer)?;
    let far = |a: u32, b: u32| 1.0 - profiles.cosine(a, b).0 as f32 / Cosine::EQUAL.0 as f32;
    let mut distances: Vec<f32> =
        (0..n).into_par_iter().flat_map_iter(|a| (a + 1..n).map(move |b| far(a, b))).collect();
    let dendrogram = linkage(&mut distances, n as usize, Method::Average);
    check(observer)?;
    // One page of each cluster of the dendrogram.
    let mut pages: Vec<u32> = (0..n).collect();
    let mut scan = ComponentScan::new(n);
    let mut steps = dendrogram.steps().iter();
    let mut left = n as usize;
    let mut levels = Vec::new();
    for &wanted in counts {
        while left > wanted
            && let Some(step) = steps.next()
        {
            scan.next(pages[step.cluster1], pages[step.cluster2]);
            pages.push(pages[step.cluster1]);
            left -= 1;
        }
        levels.push(numbered(&scan.clone().finish()));
    }
    Ok(levels)
}

/// Numbers clusters from 0.
fn numbered(clusters: &[u32]) -> Vec<u32> {
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let number = |cluster: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(*cluster).or_insert(next)
    };
    clusters.iter().map(number).collect()
}

/// Shuffles the pages, in the same way on all levels.
fn shuffle(levels: &mut [Vec<u32>], seed: u64) {
    let mut random = SplitMix64::new(seed);
    let n = levels.first().map_or(0, Vec::len);
    for at in (1..n).rev() {
        let other = random.below(at as u32 + 1) as usize;
        levels.iter_mut().for_each(|level| level.swap(at, other));
    }
}

/// The folders of the judged pages.
struct Folders {
    /// The folder of each page, if it is judged.
    of: Vec<Option<u32>>,
    /// Number of pages of each folder.
    sizes: BTreeMap<u32, u64>,
    judged: u64,
}

impl Folders {
    fn from_urls(classes: &Classes, pages: usize) -> Self {
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        let mut of: Vec<Option<u32>> = (0..pages as u32).map(|page| classes.folder(page)).collect();
        for folder in of.iter().flatten() {
            *sizes.entry(*folder).or_default() += 1;
        }
        sizes.retain(|_, size| (2..=(pages / LARGE) as u64).contains(size));
        for folder in &mut of {
            *folder = folder.filter(|folder| sizes.contains_key(folder));
        }
        Self { of, judged: sizes.values().sum(), sizes }
    }

    /// Returns *together* and *f*.
    fn scores(&self, levels: &[Vec<u32>]) -> (Option<f64>, Option<f64>) {
        let (mut together, mut best): (Vec<bool>, BTreeMap<u32, f64>) =
            (vec![false; self.of.len()], BTreeMap::new());
        for level in levels {
            let mut sizes = vec![0u64; count(level)];
            let mut both: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            for (&cluster, folder) in level.iter().zip(&self.of) {
                sizes[cluster as usize] += 1;
                if let Some(folder) = *folder {
                    *both.entry((folder, cluster)).or_default() += 1;
                }
            }
            for (&(folder, cluster), &both) in &both {
                let (of_folder, of_cluster) = (self.sizes[&folder], sizes[cluster as usize]);
                let f = 2.0 * both as f64 / (of_folder + of_cluster) as f64;
                let best = best.entry(folder).or_default();
                *best = f.max(*best);
            }
            for ((&cluster, folder), together) in level.iter().zip(&self.of).zip(&mut together) {
                if let Some(folder) = *folder {
                    let of_folder = self.sizes[&folder];
                    let others = both[&(folder, cluster)] - 1;
                    let has_room = sizes[cluster as usize] <= ROOM * of_folder;
                    *together |= has_room && 2 * others >= of_folder - 1;
                }
            }
        }
        if self.judged == 0 {
            return (None, None);
        }
        let part = |sum: f64| Some(sum / self.judged as f64);
        let f = best.iter().map(|(folder, f)| f * self.sizes[folder] as f64).sum();
        (part(together.iter().filter(|&&together| together).count() as f64), part(f))
    }
}

/// Returns gamma of the depths at which pages separate.
fn gamma(classes: &Classes, levels: &[Vec<u32>], sources: &[u32]) -> Option<f64> {
    let pairs = |&source: &u32| {
        let mut pairs = Pairs::default();
        let Some(class) = classes.class(source) else { return pairs };
        let distances = classes.distances_from(class);
        let (mut similar, mut pages) = (Vec::new(), [0; DISTANCES]);
        let others = (0..levels.first().map_or(0, Vec::len) as u32).filter(|&page| page != source);
        for page in others {
            let Some(class) = classes.class(page) else { continue };
            let distance = distances[class as usize];
            pages[usize::from(distance)] += 1;
            let shared = levels
                .iter()
                .filter(|level| level[page as usize] == level[source as usize])
                .count();
            if shared > 0 {
                similar.push(packed(shared as f32, distance));
            }
        }
        pairs.add_source(&mut similar, pages);
        pairs
    };
    let add = |mut all: Pairs, pairs: Pairs| {
        all.add(&pairs);
        all
    };
    sources.par_iter().map(pairs).reduce(Pairs::default, add).gamma()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use pagekin_pairs::cosine::scaled;
    use pagekin_pairs::rows::Rows;

    #[test]
    fn trees_have_known_scores() {
        // Folders of two, three and four of 16 pages, and seven pages alone in their folders.
        let folders = ["a", "a", "b", "b", "b", "c", "c", "c", "c"];
        let urls: Vec<String> = (0..16)
            .map(|page| {
                format!("/{}/{page}", folders.get(page).copied().unwrap_or(&page.to_string()))
            })
            .collect();
        let classes = Classes::by_folders(urls.iter().map(String::as_str), "/");
        let folders = Folders::from_urls(&classes, 16);
        assert_eq!(folders.judged, 9);
        // `a` is a cluster; two pages of `b` are together, in a cluster of eight; `c` is in four
        // clusters.
        let level = vec![0, 0, 1, 1, 2, 1, 2, 3, 4, 1, 1, 1, 1, 1, 3, 3];
        let (together, f) = folders.scores(std::slice::from_ref(&level));
        // Each page of `a` is with its only sibling, and two pages of `b` with one of two. No page
        // of `c` is with two of three.
        assert_eq!(together, Some(4.0 / 9.0));
        let expected =
            (2.0 + 3.0 * (4.0 / 11.0_f64).max(2.0 / 5.0) + 4.0 * (2.0 / 5.0_f64).max(2.0 / 6.0))
                / 9.0;
        assert!(f.is_some_and(|f| (f - expected).abs() < 1e-12), "{f:?}, {expected}");
        // If a level has each folder as a cluster, all scores are 1.
        let own = vec![0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(folders.scores(&[level, own.clone()]), (Some(1.0), Some(1.0)));
        let sources: Vec<u32> = (0..16).collect();
        assert_eq!(gamma(&classes, &[own], &sources), Some(1.0));
    }

    #[test]
    fn average_linkage_is_cut_at_the_given_numbers_of_clusters() {
        let row = |term: u32| scaled(vec![(term, 3.0), (10 + term / 2, 1.0)], 9);
        // Three pairs of equal pages. Two of these pairs are similar.
        let profiles = Profiles::new(Rows::new([0, 0, 1, 1, 4, 4].map(row).to_vec()), 20);
        let levels = by_average_linkage(&profiles, &[3, 2], &Silent).unwrap();
        assert_eq!(levels, [vec![0, 0, 1, 1, 2, 2], vec![0, 0, 0, 0, 1, 1]]);
    }

    #[test]
    fn shuffled_levels_remain_nested() {
        let mut levels = vec![vec![0, 0, 1, 1, 2, 2, 3, 3], vec![0, 0, 0, 0, 1, 1, 1, 1]];
        shuffle(&mut levels, 7);
        let above = |cluster: &u32| cluster / 2;
        assert_eq!(levels[0].iter().map(above).collect::<Vec<_>>(), levels[1]);
        assert_ne!(levels[1], [0, 0, 0, 0, 1, 1, 1, 1]);
    }
}
