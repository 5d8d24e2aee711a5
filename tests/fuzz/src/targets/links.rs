//! The links of a crawl, as stored on disk and ranked.

use std::fs;
use std::path::Path;

use pagekin_crawl::fuzzing::{link_end, ranked_links};
use pagekin_crawl::rank::{
    LinkBuckets, LinkFolder, RankError, RankOptions, UrlLinks, assemble, rank,
};
use pagekin_pages::Silent;

use crate::targets::folders::{Files, seeds};
use crate::targets::{Outcome, Target, split_mode};

/// The compressed links, with or without a matching end.
pub const LINKS: Target = Target {
    name: "links",
    reads: "`links`, the compressed links of a crawl, with and without a sound end",
    prepare: || {
        let mut seeds: Vec<Vec<u8>> = [&[1, 0, 0][..], &[2, 1, 1, 0], &[4, 2, 1, 0, 0, 0, 2, 0, 1]]
            .map(<[u8]>::to_vec)
            .into();
        seeds.extend(seeds.clone().into_iter().map(|seed| {
            let (nodes, data) = split_mode(&seed);
            let links = decoded(data, nodes.into()).map_or(0, |links| links.len() as u64);
            [&[0][..], data, &link_end(nodes.into(), links, data.len() as u64)].concat()
        }));
        let run = |input: &[u8]| {
            let (nodes, data) = split_mode(input);
            let mut file = data.to_vec();
            let mut expected = None;
            if nodes > 0 {
                let links = decoded(data, nodes.into());
                let count = links.as_ref().map_or(0, |links| links.len() as u64);
                file.extend(link_end(nodes.into(), count, data.len() as u64));
                expected = Some(links);
            }
            match ranked_links(file, 3) {
                Ok((links, ranks)) => {
                    if let Some(expected) = expected {
                        assert_eq!(Some(&links), expected.as_ref(), "the slow reader agrees");
                    }
                    let sum: f64 = ranks.iter().sum();
                    assert!(ranks.iter().all(|&rank| rank > 0.0), "{ranks:?}");
                    assert!((sum - 1.0).abs() < 1e-9 || ranks.is_empty(), "{sum}");
                    Outcome::sized(input.len(), 0, links.len())
                }
                Err(error) => {
                    let sound = expected.flatten().filter(|_| data.len() >= usize::from(nodes));
                    assert!(sound.is_none(), "{error}: expected {sound:?}");
                    Outcome::named(input.len(), &error.to_string())
                }
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 1_024,
    memory_of_byte: 256,
    memory_free: 2 << 20,
    short: 3_000,
};

/// Decodes the links of `nodes` nodes slowly, as (target, source); `None` if they are damaged.
fn decoded(data: &[u8], nodes: u64) -> Option<Vec<(u32, u32)>> {
    let mut bytes = data.iter();
    let mut number = || {
        let mut number = 0u64;
        for at in 0..5 {
            let byte = *bytes.next()?;
            number += u64::from(byte % 128) << (7 * at);
            if byte < 128 {
                return Some(number);
            }
        }
        None
    };
    let mut links = Vec::new();
    for target in 0..nodes {
        let mut next = 0;
        for _ in 0..number()? {
            let source = next + number()?;
            if source >= nodes {
                return None;
            }
            links.push((target as u32, source as u32));
            next = source + 1;
        }
    }
    bytes.next().is_none().then_some(links)
}

/// The files of links.
pub const LINK_FOLDER: Target = Target {
    name: "link-folder",
    reads: "the links of a crawl on disk, changed, ranked and listed",
    prepare: || {
        let files = Files::new(folder_of_links);
        let seeds = seeds(files.sound.len(), &[0, 1, 2, 3, 5]);
        let run = move |input: &[u8]| {
            files.restore();
            let (bytes, _) = files.change(input, false);
            match rank_folder(&files.folder) {
                Ok(urls) => Outcome::sized(bytes, 0, urls),
                Err(error) => {
                    let folder = files.folder.display().to_string();
                    Outcome::named(bytes, &error.to_string().replace(&folder, ""))
                }
            }
        };
        (seeds, Box::new(run))
    },
    max_bytes: 4 * 7,
    memory_of_byte: 256,
    memory_free: 4 << 20,
    short: 300,
};

pub(super) fn folder_of_links(folder: &Path) {
    let from = folder.join("buckets");
    fs::create_dir_all(&from).expect("a folder is made");
    let mut buckets = LinkBuckets::create(&from).expect("files are made");
    for page in 0..6 {
        let url = |n: u32| format!("https://{}.example/", n % 9);
        let targets = (1..4).map(|step| url(page * step + 1)).collect();
        let page = UrlLinks { url: url(page), title: format!("Page {page}"), targets };
        buckets.push(&page).expect("links are written");
    }
    buckets.finish().expect("links are written");
    assemble(&from, folder, 1 << 20, &Silent).expect("links are put in order");
    fs::remove_dir_all(&from).expect("a folder is removed");
}

fn rank_folder(folder: &Path) -> Result<usize, RankError> {
    let mut links = LinkFolder::open(folder)?;
    let options = RankOptions::default().with(|options| {
        options.threads = Some(1);
        options.max_iterations = 3;
    });
    let ranking = rank(&mut links, &options, &Silent)?;
    let urls = ranking.first(64, &links)?;
    assert!(urls.is_sorted_by(|a, b| a.rank >= b.rank), "{urls:?}");
    Ok(urls.len())
}
