//! Joins clusters with all pairs between them, in steps. See [`pagekin_core::center::join`].

use std::io::{Read, Write};

use pagekin_core::center::{self, ClusterLinks};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::StageError;
use crate::rows::{
    Out, Row, RowReader, RowSpread, each_bucket, each_row, numbers, of_kind, of_kinds,
};
use crate::signatures::range_of;

const EDGES: &str = "edges";
const CENTERS: &str = "centers";
const MEMBERS: &str = "members";
const SIZED: &str = "sized";
const ENDS: &str = "ends";
const WHOLE: &str = "whole";
const CLOSE: &str = "close";
const JOINED: &str = "joined";

/// A step of joining clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinStep {
    /// Groups URLs by center.
    Members,
    /// Returns URLs with their clusters and the sizes of these.
    Sizes,
    /// From these and edges, returns the clusters that each URL has edges to.
    Ends,
    /// Returns clusters with a URL that has edges to all of another cluster.
    Whole,
    /// Returns clusters with all edges between them.
    Close,
    /// Chooses which cluster becomes part of which, in one task.
    All,
    /// Returns the new centers from these and the members.
    Centers,
}

/// Runs a step of joining clusters.
pub(crate) fn join<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    step: JoinStep,
) -> Result<(), StageError> {
    let mut spread = RowSpread::new(match step {
        JoinStep::Members => MEMBERS,
        JoinStep::Sizes => SIZED,
        JoinStep::Ends => ENDS,
        JoinStep::Whole => WHOLE,
        JoinStep::Close => CLOSE,
        JoinStep::All => JOINED,
        JoinStep::Centers => CENTERS,
    });
    let mut rows = RowReader::open(input, false)?;
    match step {
        JoinStep::Members => each_row(&mut rows, &mut out, |row, out| {
            of_kind(std::slice::from_ref(&row), CENTERS)?;
            row.fixed::<8>(CENTERS)?
                .iter()
                .map(numbers)
                .try_for_each(|[page, center]| put(&mut spread, center, [center, page], out))
        })?,
        JoinStep::All => {
            let mut close = Vec::new();
            each_row(&mut rows, &mut out, |row, _| {
                of_kind(std::slice::from_ref(&row), CLOSE)?;
                close.extend(row.fixed::<16>(CLOSE)?.iter().map(numbers));
                Ok(())
            })?;
            for [from, to] in joined(close)? {
                put(&mut spread, from, [from, to], &mut out)?;
            }
        }
        _ => each_bucket(&mut rows, &mut out, |_, rows, out| match step {
            JoinStep::Sizes => sizes(rows, &mut spread, out),
            JoinStep::Ends => ends(rows, &mut spread, out),
            JoinStep::Whole => whole(rows, &mut spread, out),
            JoinStep::Close => close(rows, &mut spread, out),
            _ => centers(rows, &mut spread, out),
        })?,
    }
    spread.finish(&mut out)?;
    out.finish()
}

/// Writes a record of numbers to the bucket of a URL.
fn put<W: Write, const N: usize>(
    spread: &mut RowSpread,
    to: u32,
    numbers: [u32; N],
    out: &mut Out<W>,
) -> Result<(), StageError> {
    spread.numbers(range_of(to), out, numbers)
}

/// Decodes the records of a kind.
fn records<const BYTES: usize, const N: usize>(
    rows: &[Row],
    kind: &'static str,
) -> Result<Vec<[u32; N]>, StageError> {
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| &*row.kind == kind) {
        all.extend(row.fixed::<BYTES>(kind)?.iter().map(numbers));
    }
    Ok(all)
}

fn sizes<W: Write>(
    rows: &[Row],
    spread: &mut RowSpread,
    out: &mut Out<W>,
) -> Result<(), StageError> {
    let members: Vec<[u32; 2]> = records::<8, 2>(of_kind(rows, MEMBERS)?, MEMBERS)?;
    let mut sizes: FxHashMap<u32, u32> = FxHashMap::default();
    for [center, _] in &members {
        *sizes.entry(*center).or_default() += 1;
    }
    members
        .into_iter()
        .try_for_each(|[center, page]| put(spread, page, [page, center, sizes[&center]], out))
}

/// Clusters of URLs with their sizes. A URL without a cluster is its own.
struct Sized(FxHashMap<u32, [u32; 2]>);

impl Sized {
    fn new(rows: &[Row]) -> Result<Self, StageError> {
        let sized = records::<12, 3>(rows, SIZED)?;
        Ok(Self(sized.into_iter().map(|[page, center, size]| (page, [center, size])).collect()))
    }

    fn cluster(&self, page: u32) -> [u32; 2] {
        self.0.get(&page).copied().unwrap_or([page, 1])
    }
}

fn ends<W: Write>(
    rows: &[Row],
    spread: &mut RowSpread,
    out: &mut Out<W>,
) -> Result<(), StageError> {
    of_kinds(rows, [EDGES, SIZED], "edges or sized")?;
    let sized = Sized::new(rows)?;
    records::<10, 2>(rows, EDGES)?.into_iter().try_for_each(|[page, other]| {
        let [center, size] = sized.cluster(page);
        put(spread, other, [other, center, size], out)
    })
}

fn whole<W: Write>(
    rows: &[Row],
    spread: &mut RowSpread,
    out: &mut Out<W>,
) -> Result<(), StageError> {
    of_kinds(rows, [ENDS, SIZED], "ends or sized")?;
    let sized = Sized::new(rows)?;
    let mut ends = records::<12, 3>(rows, ENDS)?;
    ends.sort_unstable();
    // Two clusters, lower first, their sizes, and the number of pages with edges to all of the
    // other.
    let mut found: Vec<([u32; 4], u32)> = Vec::new();
    for ends in ends.chunk_by(|a, b| a[..2] == b[..2]) {
        let [page, other, size] = ends[0];
        let [own, of_own] = sized.cluster(page);
        if ends.len() == size as usize && other != own {
            let clusters =
                if own < other { [own, other, of_own, size] } else { [other, own, size, of_own] };
            found.push((clusters, 1));
        }
    }
    added_up(found)
        .into_iter()
        .try_for_each(|([a, b, of_a, of_b], pages)| put(spread, a, [a, b, of_a, of_b, pages], out))
}

/// Adds up the numbers of each two clusters.
fn added_up(mut found: Vec<([u32; 4], u32)>) -> Vec<([u32; 4], u32)> {
    found.sort_unstable();
    found.dedup_by(|other, kept| {
        let same = other.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(other.1);
        }
        same
    });
    found
}

fn close<W: Write>(
    rows: &[Row],
    spread: &mut RowSpread,
    out: &mut Out<W>,
) -> Result<(), StageError> {
    let whole = records::<20, 5>(of_kind(rows, WHOLE)?, WHOLE)?;
    let found = whole.into_iter().map(|[a, b, of_a, of_b, pages]| ([a, b, of_a, of_b], pages));
    // The pages of both clusters were counted.
    let is_close = |&([_, _, of_a, of_b], pages): &([u32; 4], u32)| {
        u64::from(pages) == u64::from(of_a) + u64::from(of_b)
    };
    added_up(found.collect())
        .into_iter()
        .filter(is_close)
        .try_for_each(|(clusters, _)| put(spread, 0, clusters, out))
}

/// Returns the clusters that become part of another, each with that other one.
fn joined(mut close: Vec<[u32; 4]>) -> Result<Vec<[u32; 2]>, StageError> {
    close.sort_unstable();
    close.dedup_by_key(|&mut [a, b, ..]| [a, b]);
    let mut sized: Vec<(u32, u32)> =
        close.iter().flat_map(|&[a, b, of_a, of_b]| [(a, of_a), (b, of_b)]).collect();
    sized.sort_unstable();
    sized.dedup_by_key(|&mut (cluster, _)| cluster);
    let urls: u64 = sized.iter().map(|&(_, size)| u64::from(size)).sum();
    if urls > u64::from(u32::MAX) {
        return Err(StageError::TooMany { found: urls });
    }
    let sizes: Vec<u64> = sized.iter().map(|&(_, size)| size.into()).collect();
    let place = |cluster| sized.partition_point(|&(one, _)| one < cluster) as u32;
    let mut links = ClusterLinks::default();
    for &[a, b, ..] in &close {
        let (a, b) = (place(a), place(b));
        links.add(a, b, sizes[a as usize] * sizes[b as usize]);
    }
    let joined = center::join(sizes, links, |pairs, all| pairs == all);
    let parts = (0..).zip(joined).filter(|(from, to)| from != to);
    Ok(parts.map(|(from, to): (u32, u32)| [from, to].map(|at| sized[at as usize].0)).collect())
}

fn centers<W: Write>(
    rows: &[Row],
    spread: &mut RowSpread,
    out: &mut Out<W>,
) -> Result<(), StageError> {
    of_kinds(rows, [JOINED, MEMBERS], "joined or members")?;
    let joined = records::<8, 2>(rows, JOINED)?;
    let to: FxHashMap<u32, u32> = joined.iter().map(|&[from, to]| (from, to)).collect();
    let mut with_members: FxHashSet<u32> = FxHashSet::default();
    for [center, page] in records::<8, 2>(rows, MEMBERS)? {
        with_members.insert(center);
        put(spread, page, [page, to.get(&center).copied().unwrap_or(center)], out)?;
    }
    // URLs without a cluster have no row yet.
    let alone = joined.iter().filter(|[from, _]| !with_members.contains(from));
    alone.copied().try_for_each(|[from, to]| put(spread, from, [from, to], out))
}
