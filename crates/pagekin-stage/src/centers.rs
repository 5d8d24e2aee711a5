//! Clusters similar pairs in rounds. See [`pagekin_core::center::rounds`].

use std::io::{Read, Write};

use pagekin_core::center::rounds::{
    CenterBucket, CenterRest, Decided, Knowledge, LivePair, Message, News, RoundOutput,
};
use rustc_hash::FxHashMap;

use crate::error::StageError;
use crate::rows::{Out, Row, RowReader, RowSpread, each_bucket, each_row, numbers};
use crate::signatures::range_of;

const EDGES: &str = "edges";
const FOUNDED: &str = "founded";
const LIVE: &str = "live";
const MESSAGES: &str = "messages";
const CENTERS: &str = "centers";

/// A step of CENTER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CenterStep {
    /// Starts with edges and founded centers; returns live pairs and the first messages.
    Begin,
    /// Processes messages; returns fewer live pairs.
    Round,
    /// Decides all remaining pairs, in one task.
    Rest,
}

/// Sends pairs in both directions, and the first URLs of groups of twins, to the buckets of URLs.
pub(crate) fn edges<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let (mut edges, mut founded) = (RowSpread::new(EDGES), RowSpread::new(FOUNDED));
    each_row(&mut RowReader::open(input, false)?, &mut out, |row, out| match &*row.kind {
        "pairs" => row.fixed("pairs")?.iter().try_for_each(|record: &[u8; 10]| {
            let (u, v, thousandths) = pair(record);
            [(u, v), (v, u)].into_iter().try_for_each(|(page, other)| {
                edges.push(range_of(page), out, |bytes| {
                    bytes.extend_from_slice(&page.to_le_bytes());
                    bytes.extend_from_slice(&other.to_le_bytes());
                    bytes.extend_from_slice(&thousandths.to_le_bytes());
                })
            })
        }),
        "twins" => row.fixed("twins")?.iter().try_for_each(|record: &[u8; 8]| {
            let [first] = numbers(record);
            founded.numbers(range_of(first), out, [first])
        }),
        _ => Err(row.unexpected("pairs or twins")),
    })?;
    edges.finish(&mut out)?;
    founded.finish(&mut out)?;
    out.finish()
}

fn pair(&[a, b, c, d, e, f, g, h, i, j]: &[u8; 10]) -> (u32, u32, u16) {
    let [page, other] = numbers(&[a, b, c, d, e, f, g, h]);
    (page, other, u16::from_le_bytes([i, j]))
}

/// The output of a step.
struct Given {
    live: RowSpread,
    messages: RowSpread,
    centers: RowSpread,
}

impl Given {
    fn decided<W: Write>(
        &mut self,
        decided: &[Decided],
        out: &mut Out<W>,
    ) -> Result<(), StageError> {
        decided.iter().try_for_each(|&Decided { page, center }| {
            self.centers.numbers(range_of(page), out, [page, center])
        })
    }

    fn bucket<W: Write>(
        &mut self,
        bucket: &CenterBucket,
        step: &RoundOutput,
        out: &mut Out<W>,
    ) -> Result<(), StageError> {
        self.decided(&step.decided, out)?;
        step.messages.iter().try_for_each(|&Message { to, from, news }| {
            self.messages.push(range_of(to), out, |bytes| {
                bytes.extend_from_slice(&to.to_le_bytes());
                bytes.extend_from_slice(&from.to_le_bytes());
                bytes.push(news as u8);
            })
        })?;
        bucket.live().iter().try_for_each(|&LivePair { page, other, thousandths, known }| {
            self.live.push(range_of(page), out, |bytes| {
                bytes.extend_from_slice(&page.to_le_bytes());
                bytes.extend_from_slice(&other.to_le_bytes());
                bytes.extend_from_slice(&thousandths.to_le_bytes());
                bytes.push(known as u8);
            })
        })
    }
}

/// Runs a step of CENTER on each bucket.
pub(crate) fn center<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    step: CenterStep,
) -> Result<(), StageError> {
    let mut given = Given {
        live: RowSpread::new(LIVE),
        messages: RowSpread::new(MESSAGES),
        centers: RowSpread::new(CENTERS),
    };
    let mut rest = CenterRest::default();
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |_, rows, out| {
        if step == CenterStep::Begin {
            let (pairs, founded) = begun(rows)?;
            let (bucket, first) = CenterBucket::begin(pairs, &founded).map_err(no_pairs(rows))?;
            return given.bucket(&bucket, &first, out);
        }
        let (live, messages) = under_way(rows)?;
        let mut bucket = CenterBucket::resume(live).map_err(no_pairs(rows))?;
        if step == CenterStep::Rest {
            rest.add(&bucket, messages);
            return Ok(());
        }
        let step = bucket.round(messages);
        given.bucket(&bucket, &step, out)
    })?;
    given.decided(&rest.finish(), &mut out)?;
    for spread in [&mut given.live, &mut given.messages, &mut given.centers] {
        spread.finish(&mut out)?;
    }
    out.finish()
}

/// Converts errors from invalid pairs.
fn no_pairs(
    rows: &[Row],
) -> impl Fn(pagekin_core::center::rounds::InvalidPairs) -> StageError + '_ {
    |error| rows[0].wrong("edges or live", error.to_string())
}

fn begun(rows: &[Row]) -> Result<(Vec<LivePair>, Vec<u32>), StageError> {
    let (mut pairs, mut founded) = (Vec::new(), Vec::new());
    for row in rows {
        match &*row.kind {
            EDGES => pairs.extend(row.fixed(EDGES)?.iter().map(|record| {
                let (page, other, thousandths) = pair(record);
                LivePair::new(page, other, thousandths)
            })),
            FOUNDED => founded.extend(row.fixed(FOUNDED)?.iter().copied().map(u32::from_le_bytes)),
            _ => return Err(row.unexpected("edges or founded")),
        }
    }
    Ok((pairs, founded))
}

fn under_way(rows: &[Row]) -> Result<(Vec<LivePair>, Vec<Message>), StageError> {
    let (mut pairs, mut messages) = (Vec::new(), Vec::new());
    for row in rows {
        match &*row.kind {
            LIVE => {
                for record in row.fixed::<11>(LIVE)? {
                    let &[a, b, c, d, e, f, g, h, i, j, known] = record;
                    let (page, other, thousandths) = pair(&[a, b, c, d, e, f, g, h, i, j]);
                    let known = Knowledge::ALL.get(usize::from(known)).copied();
                    let known =
                        known.ok_or_else(|| row.wrong(LIVE, "no state of a page".into()))?;
                    pairs.push(LivePair { page, other, thousandths, known });
                }
            }
            MESSAGES => {
                for record in row.fixed::<9>(MESSAGES)? {
                    let &[a, b, c, d, e, f, g, h, news] = record;
                    let [to, from] = numbers(&[a, b, c, d, e, f, g, h]);
                    let news = News::ALL.get(usize::from(news)).copied();
                    let news = news.ok_or_else(|| row.wrong(MESSAGES, "no news".into()))?;
                    messages.push(Message { to, from, news });
                }
            }
            _ => return Err(row.unexpected("live or messages")),
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.page, pair.other));
    Ok((pairs, messages))
}

/// Returns the centers of URLs and of their twins, which have the center of the first twin.
pub(crate) fn clusters<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    let mut centers = RowSpread::new(CENTERS);
    each_bucket(&mut RowReader::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut put = |page: u32, center: u32, out: &mut Out<W>| {
            centers.numbers(range_of(page), out, [page, center])
        };
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        for row in rows.iter().filter(|row| &*row.kind == CENTERS) {
            for [page, center] in row.fixed::<8>(CENTERS)?.iter().map(numbers) {
                known.insert(page, center);
                put(page, center, out)?;
            }
        }
        for row in rows.iter().filter(|row| &*row.kind != CENTERS) {
            if &*row.kind != "twins" {
                return Err(row.unexpected("centers or twins"));
            }
            for [number, twin] in row.fixed::<8>("twins")?.iter().map(numbers) {
                let missing =
                    || StageError::Missing { bucket, expected: "a row of kind centers", number };
                let &center = known.get(&number).ok_or_else(missing)?;
                put(twin, center, out)?;
            }
        }
        Ok(())
    })?;
    centers.finish(&mut out)?;
    out.finish()
}
