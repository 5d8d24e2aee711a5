//! Options of searches that filter and sort.

use pagekin_core::{Filter, Refinement, SortBy};

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RefineArgs {
    /// Find only pages with this value of a filter, of an attribute such as data-pagekin-filter.
    /// Repeat it for pages that have all of several values
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) filter: Vec<(String, String)>,
    /// Sort results by the values of an attribute such as data-pagekin-sort. Pages without a value
    /// are left out
    #[arg(long, value_name = "KEY[:asc|:desc]", value_parser = order)]
    pub(crate) sort: Option<(String, bool)>,
    /// Do not count the results with each value, for which the pages of all filters are read
    #[arg(long)]
    pub(crate) no_counts: bool,
}

impl RefineArgs {
    /// Returns what is requested, if anything.
    pub(crate) fn refinement(&self) -> Option<Refinement> {
        let values = self.filter.iter().map(|(name, value)| Filter::has(name, value));
        let filter = (!self.filter.is_empty()).then(|| Filter::all(values));
        let sort = self.sort.as_ref();
        let sort =
            sort.map(|(key, descending)| SortBy { key: key.clone(), descending: *descending });
        let is_given = filter.is_some() || sort.is_some();
        is_given.then_some(Refinement { filter, sort, counts: !self.no_counts })
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
    pair.ok_or_else(|| "expected a name and a value, such as color=red".to_owned())
}

/// Returns a sort key, and whether the order is descending.
fn order(text: &str) -> Result<(String, bool), String> {
    let (key, descending) = match text.rsplit_once(':') {
        Some((key, "asc")) => (key, false),
        Some((key, "desc")) => (key, true),
        _ => (text, false),
    };
    if key.is_empty() {
        return Err("expected a key, or a key and an order, such as date:desc".to_owned());
    }
    Ok((key.to_owned(), descending))
}
