//! `pagekin related`.

use std::fmt::Write as _;

use pagekin_index::{LocalIndex, RelatedPage};
use serde_json::json;

use crate::args::site::RelatedArgs;
use crate::failure::Failure;
use crate::output::{in_table, print, print_json};

pub(crate) fn run(args: &RelatedArgs) -> Result<(), Failure> {
    let (url, related) = LocalIndex::open(&args.out)?.related(&args.url)?;
    if args.json.json {
        return print_json(&json!({ "url": url, "related": related }));
    }
    if related.is_empty() {
        return print(&format!("no related pages are stored for {}\n", in_table(&url)));
    }
    let mut out = String::new();
    for RelatedPage { url, title, similarity } in related {
        let (url, title) = (in_table(&url), in_table(&title));
        writeln!(out, "{:>5.1}%  {url}  {title}", 100.0 * similarity)?;
    }
    print(&out)
}
