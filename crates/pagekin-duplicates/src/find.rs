//! Finds the near-duplicates of sites, or of the pages of an index.

use std::path::PathBuf;

use pagekin_core::shard::MANIFEST_NAME;
use pagekin_pages::{Observer, OptionError, pool};

use crate::compare::{Laps, compare};
use crate::error::DuplicatesError;
use crate::found::Duplicates;
use crate::options::DuplicateOptions;
use crate::{from_index, texts};

/// Finds the near-duplicate pages of sites.
///
/// Memory: 16 bytes per word of distinct texts and 1 kB per text. With
/// [`Algorithm::Copies`](crate::options::Algorithm::Copies), also 8 bytes for each word that starts
/// a run of ten words that few texts contain.
///
/// # Example
///
/// ```
/// use pagekin_duplicates::{DuplicateOptions, find};
/// use pagekin_pages::Silent;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let found = find(&DuplicateOptions::new("../../tests/site"), &Silent)?;
/// assert_eq!(found.groups.len(), 12);
/// let group = &found.groups[1];
/// let url = |page: u32| &found.pages[page as usize].url;
/// assert_eq!(url(group.original), "/garden/compost/hot-heap.html");
/// assert_eq!(url(group.members[0].page), "/archive/mirror/hot-heap.html");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns a [`DuplicatesError`] if a site cannot be read or an option is out of range.
pub fn find(
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<Duplicates, DuplicatesError> {
    let refuse =
        |option, expected, found: String| Err(OptionError { option, expected, found }.into());
    if !(0.0..=1.0).contains(&options.min) {
        return refuse("threshold", "0 to 1", options.min.to_string());
    }
    if options.sites.is_empty() {
        return refuse("site", "the folder of a site", "none".to_owned());
    }
    if options.max_compared == 0 {
        return refuse("max-compared", "at least 1", "0".to_owned());
    }
    if let Some(pages) = &options.pages
        && !is_index(&options.sites)
    {
        let expected = "a single index to be searched; the folder of a site contains its own pages";
        return refuse("site", expected, pages.display().to_string());
    }
    pool::in_pool(options.threads, || match options.sites.as_slice() {
        [index] if is_index(&options.sites) => from_index::pages::find(index, options, observer),
        _ => {
            let mut laps = Laps::begin();
            let listed = texts::list(options, observer)?;
            let read = texts::read(listed, options, observer)?;
            compare(read, options, laps.lap(), observer)
        }
    })
}

/// Returns whether the input is a single index.
fn is_index(sites: &[PathBuf]) -> bool {
    matches!(sites, [index] if index.join(MANIFEST_NAME).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::passage;
    use pagekin_pages::Silent;
    use std::fs;

    /// Returns the number of pairs of a site of 30 short pages with a long menu, two of which have
    /// the same text.
    fn pairs(open: &str, keep_repeated: bool) -> usize {
        let site = tempfile::tempdir().unwrap();
        let menu: String =
            (0..80).map(|at| format!("<li>Menu item number {}", passage(at..at + 1))).collect();
        for at in 0..30 {
            let own = passage(at.max(1) * 100..at.max(1) * 100 + 12);
            let html = format!("<title>{at}</title><body><{open}><ul>{menu}</ul><p>{own}");
            fs::write(site.path().join(format!("{at:02}.html")), html).unwrap();
        }
        let options = DuplicateOptions::new(site.path())
            .with(|options| options.keep_repeated = keep_repeated);
        let found = find(&options, &Silent).unwrap();
        assert_eq!(found.left_out > 0, found.pairs.len() == 1);
        found.pairs.len()
    }

    #[test]
    fn pages_that_share_only_a_menu_are_not_near_duplicates() {
        assert_eq!(pairs("div", false), 1);
        // 29 texts that are all similar to one another, and a copy of one.
        assert_eq!(pairs("div", true), 29 * 28 / 2 + 1);
        // The menu is inside the marked main text, so it is kept.
        assert_eq!(pairs("main", false), 29 * 28 / 2 + 1);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let [index, site] = ["index", "site"].map(|name| place.path().join(name));
        fs::create_dir(&index).unwrap();
        fs::create_dir(&site).unwrap();
        fs::write(index.join(MANIFEST_NAME), "").unwrap();
        fs::write(site.join("a.html"), "<main>One page alone.").unwrap();
        let with = |change: &dyn Fn(&mut DuplicateOptions)| {
            find(&DuplicateOptions::new(&site).with(change), &Silent).map(|found| found.texts)
        };
        let refused = |change: &dyn Fn(&mut DuplicateOptions), part: &str| {
            let error = with(change).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        for min in [0.0, 1.0] {
            assert_eq!(with(&|options| options.min = min).unwrap(), 1);
        }
        assert_eq!(with(&|options| options.max_compared = 1).unwrap(), 1);
        assert_eq!(with(&|options| options.threads = Some(1)).unwrap(), 1);
        refused(&|options| options.min = -0.1, "0 to 1");
        refused(&|options| options.min = 1.1, "0 to 1");
        refused(&|options| options.min = f64::NAN, "0 to 1");
        refused(&|options| options.max_compared = 0, "at least 1");
        refused(&|options| options.threads = Some(0), "threads");
        refused(&|options| options.sites.clear(), "the folder of a site");
        refused(&|options| options.pages = Some(site.clone()), "a single index");
        // An index among several sites has no texts; a single index is opened as one.
        refused(&|options| options.sites.push(index.clone()), "it is an index");
        refused(&|options| options.sites = vec![index.clone()], "manifest");
        let both = |options: &mut DuplicateOptions| {
            (options.sites, options.pages) = (vec![index.clone()], Some(site.clone()));
        };
        refused(&both, "manifest");
    }
}
