//! `pagekin inspect` of a clustered crawl.

use std::fmt::Write as _;

use pagekin_crawl::folder::CrawlFolder;
use pagekin_crawl::folder::format::DESCRIPTION_NAME;
use serde_json::json;

use crate::args::site::InspectArgs;
use crate::crawl::nouns::Nouns;
use crate::failure::Failure;
use crate::output::{bytes, count, print, print_json};

/// Returns whether the folder is a clustered crawl.
pub(crate) fn is_crawl(args: &InspectArgs) -> bool {
    args.out.join(DESCRIPTION_NAME).is_file()
}

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    if args.url.is_some() {
        return Err(
            "--url needs an index, but this is a clustered crawl. Use `pagekin crawl related`"
                .into(),
        );
    }
    let crawl = CrawlFolder::open(&args.out)?;
    let verified = if args.verify { Some(crawl.verify()?) } else { None };
    let described = crawl.description();
    if args.json.json {
        let verified = verified.map(|(files, bytes)| json!({"files": files, "bytes": bytes}));
        return print_json(&json!({"crawl": described, "verified": verified}));
    }
    let (urls, pairs) = (u64::from(described.urls), described.pairs);
    let mut out = format!(
        "{}: a clustered crawl of {} {}, {} pairs with a similarity of at least {}\n",
        args.out.display(),
        count(urls),
        Nouns::from_crawl(&crawl).all,
        count(pairs),
        f64::from(described.threshold) / 1_000.0,
    );
    if let Some((files, of_files)) = verified {
        writeln!(out, "verified: {} files ({})", count(files), bytes(of_files))?;
    }
    print(&out)
}
