//! Finds the near-duplicates of a site, and what each page shares with its probable original.
//!
//! ```console
//! $ cargo run -p pagekin-duplicates --example find_duplicates -- public
//! ```
//!
//! Without an argument it reads this repository's teaching site.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

use pagekin_duplicates::{DuplicateOptions, find};
use pagekin_pages::Silent;

fn main() -> Result<(), Box<dyn Error>> {
    let own_folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let teaching_site = || Path::new(&own_folder).join("../../tests/site");
    let site = env::args_os().nth(1).map_or_else(teaching_site, PathBuf::from);

    let found = find(&DuplicateOptions::new(site), &Silent)?;
    println!("{} pages, {} groups", found.pages.len(), found.groups.len());
    let url = |page: u32| &found.pages[page as usize].url;
    for group in &found.groups {
        println!("\n{}", url(group.original));
        for member in &group.members {
            let percent = 100.0 * member.shared.resemblance();
            println!("  {:14} {percent:5.1}%  {}", member.kind.name(), url(member.page));
        }
    }
    Ok(())
}
