//! Power iteration: see the [formula](mod@crate::rank).
//!
//! Each iteration computes all ranks from the previous ones, in one pass over the links. The
//! iterations end when the sum of all changes is within a tolerance. An iteration reduces a
//! difference to at most `1 - d` of it, so the sum of all errors is then at most `(1 - d) / d`
//! times the last change: 7 times with `d = 1/8`.

use std::io::{self, Read, Seek};
use std::sync::atomic::{AtomicU32, Ordering};

use pagekin_pages::{Observer, Stage};
use rayon::prelude::*;
use serde::Serialize;

use crate::rank::in_links::InLinks;

/// Number of URLs that a thread adds up at a time.
const PART: usize = 1 << 14;

/// Parameters of a random walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a> {
    /// `d`, between 0 and 1.
    pub(crate) reset_probability: f64,
    /// `r`, in all 1; by default equal for all nodes.
    pub(crate) reset: Option<&'a [f64]>,
    /// The change of all ranks together at which iterations end.
    pub(crate) tolerance: f64,
    /// Maximum number of iterations.
    pub(crate) max_iterations: u32,
}

impl Walk<'_> {
    /// The parameters of the paper, with iterations until changes are below the rounding error.
    pub(crate) const PAPER: Walk<'static> =
        Walk { reset_probability: 0.125, reset: None, tolerance: 1e-10, max_iterations: 250 };
}

/// The outcome of the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Convergence {
    /// Number of iterations.
    pub iterations: u32,
    /// Sum of the changes of all ranks in the last iteration.
    pub change: f64,
    /// Whether the change is within the tolerance.
    pub reached: bool,
    /// Number of URLs without links to others.
    pub dangling: u64,
}

/// Nodes of a graph with their ranks.
#[derive(Debug, Clone)]
pub(crate) struct Ranks {
    pub(crate) ranks: Vec<f64>,
    /// Number of nodes that link to each node.
    pub(crate) in_degrees: Vec<u32>,
    /// Number of nodes that each node links to.
    pub(crate) out_degrees: Vec<u32>,
    pub(crate) convergence: Convergence,
}

/// Ranks the nodes of a graph.
pub(crate) fn iterate<R: Read + Seek + Send>(
    links: &mut InLinks<R>,
    walk: &Walk<'_>,
    observer: &dyn Observer,
) -> io::Result<Ranks> {
    observer.stage(Stage::Ranking, 0);
    let n = links.nodes() as usize;
    let (in_degrees, out_degrees) = degrees(links, observer)?;
    let even = 1.0 / n.max(1) as f64;
    let reset = |node: usize| walk.reset.map_or(even, |reset| reset[node]);
    let d = walk.reset_probability;
    let mut ranks: Vec<f64> = (0..n).map(reset).collect();
    let mut given = vec![0.0; n];
    let dangling = (0..n).filter(|&node| out_degrees[node] == 0).count() as u64;
    let mut convergence =
        Convergence { iterations: 0, change: f64::INFINITY, reached: n == 0, dangling };
    while !convergence.reached && convergence.iterations < walk.max_iterations {
        let dangling = share_out(&ranks, &out_degrees, &mut given);
        let begun = d + (1.0 - d) * dangling;
        let changes = links.pass(&mut ranks, observer, |first, ranks, lists| {
            // Fetches the contributions of all links of the block together. They are scattered over
            // memory, so the processor can wait for many of them at the same time.
            let (mut sources, mut degrees) = (Vec::new(), Vec::with_capacity(ranks.len()));
            for _ in &*ranks {
                degrees.push(lists.next(|source| sources.push(source))?);
            }
            let followed: Vec<f64> = sources.iter().map(|&source| given[source as usize]).collect();
            let mut followed = &followed[..];
            let mut change = 0.0;
            for ((node, rank), degree) in (first as usize..).zip(ranks).zip(degrees) {
                let (own, after) = followed.split_at(degree as usize);
                followed = after;
                let new = begun * reset(node) + (1.0 - d) * own.iter().sum::<f64>();
                change += (new - *rank).abs();
                *rank = new;
            }
            Ok(change)
        })?;
        convergence.change = changes.iter().sum();
        convergence.iterations += 1;
        convergence.reached = convergence.change <= walk.tolerance;
        observer.advance(1);
    }
    Ok(Ranks { ranks, in_degrees, out_degrees, convergence })
}

/// Returns for each node the numbers of nodes that link to it and that it links to, among those
/// that count. Checks all links before they are used.
fn degrees<R: Read + Seek + Send>(
    links: &mut InLinks<R>,
    observer: &dyn Observer,
) -> io::Result<(Vec<u32>, Vec<u32>)> {
    let n = links.nodes() as usize;
    let out: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    let mut in_degrees = vec![0; n];
    let found = links.pass(&mut in_degrees, observer, |_, degrees, lists| {
        let mut links = 0;
        for degree in degrees {
            *degree = lists.next(|source| {
                out[source as usize].fetch_add(1, Ordering::Relaxed);
            })?;
            links += u64::from(*degree);
        }
        Ok(links)
    })?;
    if found.iter().sum::<u64>() != links.links() {
        let what = "it is damaged: expected as many links as its end specifies";
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok((in_degrees, out.into_iter().map(AtomicU32::into_inner).collect()))
}

/// Sets the contribution of each node to its link targets; returns the sum of ranks of nodes
/// without links.
fn share_out(ranks: &[f64], out_degrees: &[u32], given: &mut [f64]) -> f64 {
    let parts = given.par_chunks_mut(PART).zip(ranks.par_chunks(PART));
    let dangling: Vec<f64> = parts
        .zip(out_degrees.par_chunks(PART))
        .map(|((given, ranks), degrees)| {
            let mut dangling = 0.0;
            for ((given, &rank), &degree) in given.iter_mut().zip(ranks).zip(degrees) {
                if degree == 0 {
                    dangling += rank;
                    *given = 0.0;
                } else {
                    *given = rank / f64::from(degree);
                }
            }
            dangling
        })
        .collect();
    // Adds up in the same order with any number of threads.
    dangling.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash;
    use pagekin_pages::Silent;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Iterates until changes are below the rounding error.
    const EXACT: Walk<'static> = Walk { tolerance: 1e-14, max_iterations: 2_000, ..Walk::PAPER };

    fn ranks(n: u32, links: &[(u32, u32)], walk: &Walk<'_>) -> Ranks {
        let mut links = InLinks::from_links(n, links.iter().copied()).unwrap();
        iterate(&mut links, walk, &Silent).unwrap()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-9, "{apart:e} apart: {found:?}, expected {expected:?}");
    }

    /// The definition: a matrix of all nodes, solved by elimination.
    #[allow(clippy::needless_range_loop)] // The nodes are rows and columns.
    fn solved(n: usize, links: &[(u32, u32)], d: f64, reset: &[f64]) -> Vec<f64> {
        let to = |u: usize| -> BTreeSet<usize> {
            let own = links.iter().filter(|link| link.0 as usize == u && link.1 as usize != u);
            own.map(|link| link.1 as usize).collect()
        };
        // (I - (1 - d) P) x = d r, where P contains the probabilities of the next node.
        let mut rows = vec![vec![0.0; n + 1]; n];
        for v in 0..n {
            rows[v][v] = 1.0;
            rows[v][n] = d * reset[v];
        }
        for u in 0..n {
            let to = to(u);
            for v in 0..n {
                let goes = match to.len() {
                    0 => reset[v],
                    many if to.contains(&v) => 1.0 / many as f64,
                    _ => 0.0,
                };
                rows[v][u] -= (1.0 - d) * goes;
            }
        }
        for at in 0..n {
            let best = (at..n).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs()));
            rows.swap(at, best.unwrap());
            let pivot = rows[at].clone();
            for (row, values) in rows.iter_mut().enumerate() {
                let factor = values[at] / pivot[at];
                if row != at && factor != 0.0 {
                    values.iter_mut().zip(&pivot).for_each(|(value, p)| *value -= factor * p);
                }
            }
        }
        (0..n).map(|at| rows[at][n] / rows[at][at]).collect()
    }

    #[test]
    fn small_graphs_have_the_ranks_calculated_by_hand() {
        // a = (1/8 + 7/8 b) / 2 and b = a + 7/8 a, because b has no link.
        let found = ranks(2, &[(0, 1)], &EXACT);
        assert_close(&found.ranks, &[8.0 / 23.0, 15.0 / 23.0]);
        assert_eq!((found.in_degrees, found.out_degrees), (vec![0, 1], vec![1, 0]));
        assert_eq!((found.convergence.dangling, found.convergence.reached), (1, true));
        // All nodes of a circle have equal ranks.
        let found = ranks(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], &EXACT);
        assert_close(&found.ranks, &[0.25; 4]);
        assert_eq!(found.convergence.iterations, 1);
        // hub = 1/40 + 7/8 4 leaf and leaf = 1/40 + 7/32 hub. Duplicate links and links of a page
        // to itself do not count.
        let links: Vec<_> = (1..5).flat_map(|leaf| [(0, leaf), (leaf, 0), (0, leaf)]).collect();
        let found = ranks(5, &[&links[..], &[(3, 3)]].concat(), &EXACT);
        assert_close(&found.ranks, &[0.48, 0.13, 0.13, 0.13, 0.13]);
        // Without any link.
        assert_close(&ranks(3, &[], &EXACT).ranks, &[1.0 / 3.0; 3]);
        assert!(ranks(0, &[], &EXACT).ranks.is_empty());
    }

    #[test]
    fn missing_convergence_is_reported() {
        let links = [(0, 1), (1, 2), (2, 0), (2, 1)];
        let found = ranks(3, &links, &Walk { max_iterations: 3, ..EXACT });
        assert_eq!((found.convergence.iterations, found.convergence.reached), (3, false));
        assert!(found.convergence.change > 1e-14);
        let loose = ranks(3, &links, &Walk { tolerance: 1e-3, ..EXACT }).convergence;
        assert!(loose.reached && loose.change <= 1e-3 && loose.iterations < 60, "{loose:?}");
    }

    #[test]
    fn the_bits_are_the_same_with_any_number_of_threads() {
        let n = 30_000u64;
        let node = |at: u64| {
            let [a, b] = [hash::mix(at), hash::mix(!at)].map(|hash| hash % n);
            a.min(b) as u32
        };
        let links: Vec<_> = (0..6 * n).map(|at| (node(at), node(at + (1 << 40)))).collect();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ranks(n as u32, &links, &Walk::PAPER))
        };
        let (one, three) = (with(1), with(3));
        assert!(one.convergence.reached);
        assert_eq!(one.convergence, three.convergence);
        assert!(one.ranks.iter().zip(&three.ranks).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!((one.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_the_definition(
            n in 1u32..14, pairs in prop::collection::vec((0u32..14, 0u32..14), 0..60), d in 0.01f64..0.99,
            values in prop::collection::vec(prop_oneof![Just(0.0), 0.001f64..10.0], 14), is_even: bool,
        ) {
            let links: Vec<_> = pairs.into_iter().map(|(u, v)| (u % n, v % n)).collect();
            let total: f64 = values[..n as usize].iter().sum();
            let even = vec![1.0 / f64::from(n); n as usize];
            let reset: Vec<f64> = values[..n as usize].iter().map(|value| value / total).collect();
            let reset = if is_even || total == 0.0 { None } else { Some(&reset[..]) };
            let walk = Walk { reset_probability: d, reset, max_iterations: 20_000, ..EXACT };
            let found = ranks(n, &links, &walk);
            assert_close(&found.ranks, &solved(n as usize, &links, d, reset.unwrap_or(&even)));
            // With the default tolerance too, if `d` is at least that of the paper.
            if d >= 0.125 {
                let found = ranks(n, &links, &Walk { tolerance: 1e-10, ..walk });
                assert_close(&found.ranks, &solved(n as usize, &links, d, reset.unwrap_or(&even)));
            }
        }
    }
}
