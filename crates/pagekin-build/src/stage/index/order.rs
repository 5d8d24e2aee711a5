//! Bags and clusters into pages in the order in which they are stored, see
//! [`cluster_order`](crate::index::cluster_order).

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use pagekin_core::DEFAULT_SEED;
use pagekin_core::hash;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::crawl_folder::format::CrawledUrl;
use crate::disk::partitions::bucket_of;
use crate::index::from_crawl::{self, ADDRESSES, BAGS, Titles};
use crate::index::placement::STRETCH;
use crate::index::postings::TermSet;
use crate::index::records;
use crate::stage::centers::two;
use crate::stage::error::StageError;
use crate::stage::index::{Facts, Page, PageOptions};
use crate::stage::rows::{Out, Parts, Rows, Spread, each_bucket, each_row, encode, of_kind};
use crate::stage::signatures::range_of;

/// Addresses of a task by which the order of all is cut.
const DRAWN: usize = 2_048;
/// What is drawn of more addresses before some are left out.
const GATHERED: usize = 64 * DRAWN;

/// Bags into pages, and what all tasks together must know of them.
pub(super) fn pages<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    options: &PageOptions,
) -> Result<(), StageError> {
    // Rules of bags do not depend on the seed.
    let rules = options.preset.params(DEFAULT_SEED).bag;
    let titles = Titles::of(&options.languages.languages());
    let mut spread = Spread::new("pages");
    let (mut facts, mut terms) = (Facts::default(), TermSet::default());
    each_row(&mut Rows::open(input, true)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "bags")?;
        let wrong = |what: &str| row.wrong("bags", format!("one without {what}"));
        let first = u32::try_from(row.first + row.records);
        let first = first.map_err(|_| StageError::TooMany { found: row.first + row.records })?
            - row.records as u32;
        for (number, url) in (first..).zip(row.decoded::<CrawledUrl>("bags")?) {
            let origin = from_crawl::origin_of(&url.url).ok_or_else(|| wrong(ADDRESSES))?;
            if facts.origins.len() < 2 && !facts.origins.iter().any(|known| known == origin) {
                facts.origins.push(origin.to_owned());
            }
            let page = from_crawl::page(url, &rules, &titles).ok_or_else(|| wrong(BAGS))?;
            let (bag, title_terms) = (page.bag.entries(), page.title_terms);
            bag.iter().for_each(|&(term, _)| terms.insert(term));
            title_terms.iter().for_each(|&term| terms.insert(term));
            facts.pages += 1;
            facts.terms += bag.len() as u64;
            facts.title_terms += title_terms.len() as u64;
            facts.drawn.push(page.url.clone());
            if facts.drawn.len() > GATHERED {
                draw(&mut facts.drawn);
            }
            let page = Page { url: page.url, title: page.title, bag: bag.to_vec(), title_terms };
            spread.encode(range_of(number), out, &(number, page))?;
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    draw(&mut facts.drawn);
    let mut bytes = Vec::new();
    encode(&facts, &mut bytes);
    out.put((0, "facts", 0), 1, &bytes)?;
    for (number, part) in terms.parts() {
        out.put((number as i32, "parts", 0), 1, &part)?;
    }
    out.finish()
}

/// Leaves some addresses, by a hash.
fn draw(urls: &mut Vec<String>) {
    urls.sort_by_cached_key(|url| hash::of_bytes(url.as_bytes()));
    urls.truncate(DRAWN);
}

/// The addresses at which the order of pages is cut.
pub(super) fn ranges<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    ranges: u32,
) -> Result<(), StageError> {
    let mut urls = Vec::new();
    each_row(&mut Rows::open(input, false)?, &mut out, |row, _| {
        match &*row.kind {
            "facts" => {
                row.decoded::<Facts>("facts")?.into_iter().for_each(|of| urls.extend(of.drawn));
            }
            _ => return Err(row.unexpected("facts")),
        }
        Ok(())
    })?;
    urls.sort_unstable();
    let ranges = (ranges as usize).clamp(1, urls.len().max(1));
    let mut cuts: Vec<&str> = (1..ranges).map(|at| &*urls[at * urls.len() / ranges]).collect();
    cuts.dedup();
    let json = serde_json::to_vec(&cuts).expect("texts are JSON");
    out.put((0, "ranges", 0), 1, &json)?;
    out.finish()
}

/// Pages to where those of their cluster are.
pub(super) fn members<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    buckets: u32,
) -> Result<(), StageError> {
    let mut spread = Spread::new("members");
    each_bucket(&mut Rows::open(input, false)?, &mut out, |_, rows, out| {
        let mut centers: FxHashMap<u32, u32> = FxHashMap::default();
        // The kinds are in the order of the alphabet.
        for row in rows {
            match &*row.kind {
                "centers" => {
                    centers.extend(row.fixed("centers")?.iter().map(two));
                }
                "pages" => {
                    for (number, page) in row.decoded::<(u32, Page)>("pages")? {
                        let center = centers.get(&number).copied().unwrap_or(number);
                        let bucket = bucket_of(hash::mix(center.into()), buckets) as i32;
                        spread.encode(bucket, out, &(center, page))?;
                    }
                }
                _ => return Err(row.unexpected("centers or pages")),
            }
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Pages to where those are that stand near them, with the first address of their cluster.
pub(super) fn order<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    ranges: &Path,
) -> Result<(), StageError> {
    let failed = |source| StageError::File { path: ranges.to_owned(), source };
    let cuts: Vec<String> = serde_json::from_slice(&fs::read(ranges).map_err(failed)?)
        .map_err(|error| failed(error.into()))?;
    if !cuts.is_sorted() {
        let what = "expected addresses in ascending order, as `index ranges` gives them";
        return Err(failed(io::Error::new(io::ErrorKind::InvalidData, what)));
    }
    let mut spread = Spread::new("ordered");
    each_bucket(&mut Rows::open(input, false)?, &mut out, |_, rows, out| {
        let mut members: Vec<(u32, Page)> = Vec::new();
        for row in of_kind(rows, "members")? {
            members.extend(row.decoded::<(u32, Page)>("members")?);
        }
        let mut first: FxHashMap<u32, String> = FxHashMap::default();
        for (center, page) in &members {
            match first.get_mut(center) {
                Some(first) if *first <= page.url => {}
                Some(first) => first.clone_from(&page.url),
                None => drop(first.insert(*center, page.url.clone())),
            }
        }
        members.into_iter().try_for_each(|(center, page)| {
            let first = &first[&center];
            let range = cuts.partition_point(|cut| cut <= first) as i32;
            spread.encode(range, out, &(first, page))
        })
    })?;
    spread.finish(&mut out)?;
    out.finish()
}

/// Pages in their order.
pub(super) fn sort<R: Read, W: Write>(input: R, mut out: Out<W>) -> Result<(), StageError> {
    each_bucket(&mut Rows::open(input, false)?, &mut out, |bucket, rows, out| {
        let mut ordered: Vec<(String, Page)> = Vec::new();
        for row in of_kind(rows, "ordered")? {
            ordered.extend(row.decoded::<(String, Page)>("ordered")?);
        }
        ordered.sort_unstable_by(|a, b| (&a.0, &a.1.url).cmp(&(&b.0, &b.1.url)));
        let mut parts = Parts::new(bucket, "sorted");
        ordered.iter().try_for_each(|(_, page)| parts.push(page, out))?;
        parts.finish(out)
    })?;
    out.finish()
}

/// Pages with their places to the stretches they are in; and the bags of some of all `n`.
pub(super) fn stretches<R: Read, W: Write>(
    input: R,
    mut out: Out<W>,
    n: u32,
) -> Result<(), StageError> {
    let drawn: FxHashSet<u32> = records::drawn(n).into_iter().flat_map(|(a, b)| [a, b]).collect();
    let (mut spread, mut bags) = (Spread::new("stretches"), Spread::new("drawn"));
    each_row(&mut Rows::open(input, true)?, &mut out, |row, out| {
        of_kind(std::slice::from_ref(&row), "sorted")?;
        let end = row.first + row.records;
        if end > u64::from(n) {
            return Err(row.wrong("sorted", format!("places up to {end}, of {n} pages")));
        }
        for (place, page) in (row.first as u32..).zip(row.decoded::<Page>("sorted")?) {
            if drawn.contains(&place) {
                bags.encode(0, out, &(place, &page.bag))?;
            }
            spread.encode((place as usize / STRETCH) as i32, out, &(place, page))?;
        }
        Ok(())
    })?;
    spread.finish(&mut out)?;
    bags.finish(&mut out)?;
    out.finish()
}
